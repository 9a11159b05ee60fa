//! What a machine offers to this program and what it lacks, for `sectorscope doctor`.

use std::path::{Path, PathBuf};

use super::adapter::{Backend, adapters};
use crate::record::Adapter;

/// The findings, as plain data.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diagnosis {
    /// One entry a backend, the preferred ones first.
    pub backends: Vec<BackendReport>,
    /// Environment variables that matter and are set.
    pub environment: Vec<(String, String)>,
    /// Files that matter on this system, and whether they are there.
    pub files: Vec<(String, bool)>,
    /// Whether this is Linux inside Windows.
    pub wsl: bool,
    /// Whether this is a container.
    pub container: bool,
    /// What to do, most useful first; empty where a real GPU can be measured.
    pub advice: Vec<String>,
}

/// A backend and its adapters.
#[derive(Debug, Clone, PartialEq)]
pub struct BackendReport {
    /// The backend.
    pub backend: Backend,
    /// Whether this build has it.
    pub compiled: bool,
    /// What it offers; empty where its library cannot be loaded.
    pub adapters: Vec<Adapter>,
}

/// Variables that change which adapters are found.
const VARIABLES: [&str; 20] = [
    "VK_ICD_FILENAMES",
    "VK_DRIVER_FILES",
    "VK_ADD_DRIVER_FILES",
    "VK_INSTANCE_LAYERS",
    "VK_LOADER_LAYERS_DISABLE",
    "VK_LOADER_DRIVERS_SELECT",
    "WGPU_BACKEND",
    "WGPU_ADAPTER_NAME",
    "WGPU_ALLOW_UNDERLYING_NONCOMPLIANT_ADAPTER",
    "WGPU_VALIDATION",
    "WGPU_DEBUG",
    "WGPU_GPU_BASED_VALIDATION",
    "WGPU_DX12_COMPILER",
    "WGPU_STRICT_WEBGPU_COMPLIANCE",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XDG_RUNTIME_DIR",
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_VISIBLE_DEVICES",
    "LIBGL_ALWAYS_SOFTWARE",
];

/// Looks at the machine. Opens every adapter for a moment.
pub async fn diagnose() -> Diagnosis {
    let mut diagnosis = Diagnosis::default();
    for backend in Backend::ALL {
        let compiled = wgpu::Instance::enabled_backend_features().contains(backend.bits());
        log::debug!("asking {backend} for adapters");
        let adapters = if compiled { adapters(Some(backend)).await } else { Vec::new() };
        diagnosis.backends.push(BackendReport { backend, compiled, adapters });
    }
    let set = |name: &str| std::env::var_os(name).map(|value| (name.to_owned(), value.to_string_lossy().into_owned()));
    diagnosis.environment = VARIABLES.iter().filter_map(|name| set(name)).collect();
    let machine = Machine::look(std::env::consts::OS);
    diagnosis.files = machine.files();
    (diagnosis.wsl, diagnosis.container) = (machine.wsl, machine.container);
    diagnosis.advice = advice(&machine, &diagnosis.backends, &diagnosis.environment);
    diagnosis
}

/// What the file system says. Outside of Linux nothing is looked for: there the system brings its graphics libraries.
#[derive(Debug, Default)]
struct Machine {
    linux: bool,
    vulkan_loader: bool,
    egl: bool,
    vulkan_drivers: Vec<PathBuf>,
    render_nodes: Vec<PathBuf>,
    /// The kernel's side of NVIDIA's driver.
    nvidia: bool,
    /// The user's side that a container often lacks: NVIDIA's library for Vulkan and OpenGL.
    nvidia_graphics: bool,
    wsl: bool,
    container: bool,
}

const LIBRARY_FOLDERS: [&str; 8] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/lib64",
    "/usr/local/lib",
    "/run/opengl-driver/lib",
    "/usr/lib/wsl/lib",
];

const DRIVER_FOLDERS: [&str; 5] = [
    "/usr/share/vulkan/icd.d",
    "/etc/vulkan/icd.d",
    "/usr/local/share/vulkan/icd.d",
    "/usr/local/etc/vulkan/icd.d",
    "/run/opengl-driver/share/vulkan/icd.d",
];

impl Machine {
    fn look(os: &str) -> Self {
        if os != "linux" {
            return Self::default();
        }
        let exists = |path: &str| Path::new(path).exists();
        let library = |name: &str| {
            let on_the_path = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
            let folders = LIBRARY_FOLDERS.iter().map(PathBuf::from).chain(std::env::split_paths(&on_the_path));
            folders.into_iter().any(|folder| folder.join(name).exists())
        };
        let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().to_lowercase();
        Self {
            linux: true,
            vulkan_loader: library("libvulkan.so.1"),
            egl: library("libEGL.so.1"),
            vulkan_drivers: DRIVER_FOLDERS.iter().flat_map(|folder| entries(folder, ".json")).collect(),
            render_nodes: entries("/dev/dri", "").into_iter().filter(|path| is_render_node(path)).collect(),
            nvidia: exists("/proc/driver/nvidia/version") || exists("/dev/nvidiactl"),
            nvidia_graphics: library("libGLX_nvidia.so.0") || library("libEGL_nvidia.so.0"),
            wsl: kernel.contains("microsoft") || exists("/dev/dxg"),
            container: exists("/.dockerenv") || exists("/run/.containerenv"),
        }
    }

    fn files(&self) -> Vec<(String, bool)> {
        if !self.linux {
            return Vec::new();
        }
        let mut files = vec![
            ("libvulkan.so.1 (the Vulkan loader)".to_owned(), self.vulkan_loader),
            ("libEGL.so.1 (for the backend gl)".to_owned(), self.egl),
        ];
        let mut list = |what: &str, found: &[PathBuf]| {
            files.extend(found.iter().map(|path| (path.display().to_string(), true)));
            if found.is_empty() {
                files.push((what.to_owned(), false));
            }
        };
        list("/usr/share/vulkan/icd.d/*.json (Vulkan drivers)", &self.vulkan_drivers);
        list("/dev/dri/renderD* (render nodes)", &self.render_nodes);
        if self.nvidia {
            files.push(("libGLX_nvidia.so.0 or libEGL_nvidia.so.0".to_owned(), self.nvidia_graphics));
        }
        files
    }
}

/// The files of a folder whose names end so, in order.
fn entries(folder: &str, end: &str) -> Vec<PathBuf> {
    let read = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> =
        read.map(|entry| entry.path()).filter(|path| path.to_string_lossy().ends_with(end)).collect();
    paths.sort();
    paths
}

fn is_render_node(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("renderD"))
}

/// What to do so that a real GPU can be measured.
fn advice(machine: &Machine, backends: &[BackendReport], environment: &[(String, String)]) -> Vec<String> {
    let adapters = || backends.iter().flat_map(|report| &report.adapters);
    if adapters().any(|adapter| !adapter.is_cpu()) {
        return Vec::new();
    }
    let mut advice = Vec::new();
    for (name, value) in environment {
        if ["VK_ICD_FILENAMES", "VK_DRIVER_FILES"].contains(&name.as_str())
            && !std::env::split_paths(value).any(|path| path.exists())
        {
            advice.push(format!("{name} names files that are not there, so Vulkan finds no driver: unset it."));
        }
        if name == "WGPU_BACKEND" || name == "LIBGL_ALWAYS_SOFTWARE" {
            advice.push(format!("{name}={value} narrows the search: unset it."));
        }
    }
    if machine.wsl && !environment.iter().any(|(name, _)| name == "WGPU_ALLOW_UNDERLYING_NONCOMPLIANT_ADAPTER") {
        advice.push(
            "WSL2 shows the GPU through a Vulkan driver that is not fully conformant (dzn, in the package \
             mesa-vulkan-drivers); set WGPU_ALLOW_UNDERLYING_NONCOMPLIANT_ADAPTER=1 to use it. The Windows build \
             of this program measures without that layer."
                .to_owned(),
        );
    }
    if machine.nvidia && !machine.nvidia_graphics {
        advice.push(
            "NVIDIA's kernel driver is there, but not its graphics libraries: in a container start it with \
             NVIDIA_DRIVER_CAPABILITIES=compute,utility,graphics (docker run --gpus all -e ...); elsewhere install \
             the full driver (libnvidia-gl on Debian and Ubuntu)."
                .to_owned(),
        );
    }
    if machine.linux && !machine.vulkan_loader {
        advice.push("The Vulkan loader is missing: install libvulkan1 (Fedora: vulkan-loader).".to_owned());
    }
    if machine.linux && machine.vulkan_drivers.is_empty() {
        advice.push(
            "No Vulkan driver is registered: install mesa-vulkan-drivers (AMD, Intel, and the software adapter \
             lavapipe) or NVIDIA's driver."
                .to_owned(),
        );
    }
    if machine.container && machine.render_nodes.is_empty() && !machine.nvidia {
        advice
            .push("This container sees no GPU: start it with --device /dev/dri (AMD, Intel) or --gpus all.".to_owned());
    }
    if adapters().next().is_some() {
        advice.push(
            "Only software adapters were found: counts and checks are as on a GPU, speeds say nothing about one."
                .to_owned(),
        );
    } else {
        advice.push("Without any adapter predictions still work: `sectorscope --bench --predict-only`.".to_owned());
    }
    advice
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(machine: &Machine, environment: &[(&str, &str)], word: &str) -> bool {
        let environment: Vec<_> =
            environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        advice(machine, &[], &environment).iter().any(|advice| advice.contains(word))
    }

    #[test]
    fn advice_fits_what_is_missing() {
        let linux =
            || Machine { linux: true, vulkan_loader: true, vulkan_drivers: vec!["a".into()], ..Machine::default() };
        assert!(find(&Machine { vulkan_loader: false, ..linux() }, &[], "libvulkan1"));
        assert!(find(&Machine { vulkan_drivers: Vec::new(), ..linux() }, &[], "mesa-vulkan-drivers"));
        assert!(find(&Machine { nvidia: true, ..linux() }, &[], "NVIDIA_DRIVER_CAPABILITIES"));
        assert!(!find(&Machine { nvidia: true, nvidia_graphics: true, ..linux() }, &[], "NVIDIA"));
        assert!(find(&Machine { container: true, ..linux() }, &[], "--gpus all"));
        assert!(find(&Machine { wsl: true, ..linux() }, &[], "NONCOMPLIANT_ADAPTER=1"));
        assert!(find(&linux(), &[("VK_DRIVER_FILES", "/none")], "VK_DRIVER_FILES"));
        assert!(find(&linux(), &[], "--predict-only"));
        assert!(!find(&Machine::default(), &[], "install"), "nothing to install outside of Linux");
    }

    #[test]
    fn the_machine_can_be_looked_at() {
        let machine = Machine::look(std::env::consts::OS);
        assert_eq!(machine.files().is_empty(), !cfg!(target_os = "linux"));
        assert!(Machine::look("windows").files().is_empty());
    }
}
