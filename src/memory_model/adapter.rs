//! What a driver says of a device, and the model that fits it.

use std::borrow::Cow;

use super::{Fact, MemoryModel, Trust, UNKNOWN, by_key, identify};

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
///
/// A software device comes first, whatever its ids; then ids, then the name, then [`UNKNOWN`]. The subgroup width is the
/// driver's where it reports one width only, else the model's usual one, assumed.
#[must_use]
pub fn for_adapter(adapter: &AdapterIdentity) -> MemoryModel {
    let mut model = by_key(identify::key(adapter)).unwrap_or(&UNKNOWN).clone();
    model.subgroup = subgroup(adapter, &model.subgroup);
    model
}

/// The widest subgroup that a driver can mean.
const WIDEST: u32 = 128;

fn subgroup(adapter: &AdapterIdentity, usual: &Fact<u32>) -> Fact<u32> {
    let sound = |width: u32| width.is_power_of_two() && width <= WIDEST;
    let (min, max) = (adapter.subgroup_min, adapter.subgroup_max);
    if min == max && sound(min) {
        return Fact::exact(min, Trust::Documented, "reported by the driver");
    }
    if let Some(width) = identify::llvmpipe_bits(&adapter.name).map(|bits| bits / 32).filter(|width| sound(*width)) {
        return Fact::exact(width, Trust::Documented, "llvmpipe: vector bits in the device's name / 32");
    }
    if usual.is_exact() || !(sound(min) && sound(max) && min < max) {
        return usual.clone();
    }
    // The driver's range bounds the model's, unless they have nothing in common (then the driver is right).
    let (low, high) = (min.max(usual.low), max.min(usual.high));
    let (low, high) = if low <= high { (low, high) } else { (min, max) };
    let value = usual.value.clamp(low, high);
    let source = format!("the driver reports {min} to {max}; {}", usual.source);
    Fact { value, low, high, trust: Trust::Assumed, source: Cow::Owned(source) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(subgroup_min: u32, subgroup_max: u32, name: &str) -> AdapterIdentity {
        AdapterIdentity {
            name: name.into(),
            vendor_id: 0,
            device_id: 0,
            device_type: DeviceType::Other,
            backend: Backend::Vulkan,
            subgroup_min,
            subgroup_max,
        }
    }

    #[test]
    fn the_width_is_the_drivers_where_it_is_one_number() {
        let width = |min, max, name| {
            let subgroup = for_adapter(&adapter(min, max, name)).subgroup;
            (subgroup.value, subgroup.trust)
        };
        assert_eq!(width(8, 8, "llvmpipe (LLVM 15.0.6, 256 bits)"), (8, Trust::Documented));
        assert_eq!(width(4, 128, "llvmpipe (LLVM 15.0.6, 128 bits)"), (4, Trust::Documented));
        assert_eq!(width(4, 64, "Apple M1 Pro"), (32, Trust::Documented));
        assert_eq!(width(32, 64, "AMD Radeon RX 7900 XTX (RADV NAVI31)"), (32, Trust::Assumed));
        assert_eq!(width(64, 64, "AMD Radeon RX 7900 XTX (RADV NAVI31)"), (64, Trust::Documented));
        assert_eq!(width(8, 32, "Intel(R) Arc(tm) A770 Graphics (DG2)"), (16, Trust::Assumed));
        assert_eq!(width(4, 128, "NVIDIA GeForce RTX 3080/PCIe/SSE2"), (32, Trust::Documented));
        assert_eq!(width(0, 0, "something new"), (32, Trust::Assumed));
        assert_eq!(width(64, 128, "something new"), (64, Trust::Assumed));
        assert_eq!(width(3, 3, "something odd"), (32, Trust::Assumed));
    }
}
