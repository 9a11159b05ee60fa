//! Which architecture an adapter is: by device type, then ids, then names. The tables are our own words for what
//! pci.ids, Dawn's `gpu_info.json`, Mesa and libGPUCounters say; where those contradict the hardware, the hardware wins
//! (Volta ids inside Pascal's range, MI200 and Navi 33 ids inside RDNA2's, Barcelo is Vega).

use super::adapter::{AdapterIdentity, Backend, DeviceType};
use super::gpus;

pub(super) const NVIDIA: u32 = 0x10DE;
pub(super) const AMD: u32 = 0x1002;
pub(super) const INTEL: u32 = 0x8086;
const APPLE: u32 = 0x106B;
const QUALCOMM: u32 = 0x5143;
/// "QCOM" in letters: Qualcomm's ACPI id, which Direct3D shows.
const QUALCOMM_ACPI: u32 = 0x4D4F_4351;
const ARM: u32 = 0x13B5;
/// Samsung Xclipse is RDNA.
const SAMSUNG: u32 = 0x144D;

/// The key of the model, `unknown` where no rule fits.
pub(super) fn key(adapter: &AdapterIdentity) -> &'static str {
    software(adapter)
        .or_else(|| by_id(adapter.vendor_id, adapter.device_id))
        .or_else(|| by_name(adapter))
        .unwrap_or("unknown")
}

/// Whether this is a processor that plays a GPU; drivers do not always say so.
pub(super) fn is_software(adapter: &AdapterIdentity) -> bool {
    let name = adapter.name.to_lowercase();
    adapter.device_type == DeviceType::Cpu
        || ["llvmpipe", "swiftshader", "basic render"].iter().any(|word| name.contains(word))
}

fn software(adapter: &AdapterIdentity) -> Option<&'static str> {
    // A software device runs on the host, so the host's architecture is the device's.
    let arm = matches!(std::env::consts::ARCH, "aarch64" | "arm");
    is_software(adapter).then_some(if arm { "cpu-arm" } else { "cpu-x86" })
}

/// The vector width in a name such as `llvmpipe (LLVM 15.0.6, 256 bits)`.
pub(super) fn llvmpipe_bits(name: &str) -> Option<u32> {
    let (before, _) =
        name.to_lowercase().split_once(" bits").map(|(before, after)| (before.to_owned(), after.len()))?;
    before.contains("llvmpipe").then(|| before.rsplit([' ', ',']).next()?.parse().ok())?
}

fn by_id(vendor: u32, device: u32) -> Option<&'static str> {
    match vendor {
        NVIDIA => nvidia(device),
        AMD => amd(device),
        INTEL => intel(device),
        APPLE => Some("apple"),
        QUALCOMM | QUALCOMM_ACPI => Some("adreno"),
        ARM => arm(device),
        SAMSUNG => Some("amd-rdna"),
        _ => None,
    }
}

fn nvidia(device: u32) -> Option<&'static str> {
    if device > 0xFFFF {
        // Tegra: 32-bit ids.
        return match device >> 24 {
            0x92 => Some("nv-maxwell"),
            0x93 => Some("nv-pascal"),
            0x97 => Some("nv-ampere"),
            0xA5 => Some("nv-volta"),
            _ => None,
        };
    }
    match device {
        0x130B => return None, // Kepler
        0x1725..=0x172F => return Some("nv-pascal"),
        0x1D80..=0x1DFF => return Some("nv-volta"),
        _ => {}
    }
    match device >> 8 {
        0x13 | 0x14 | 0x16 | 0x17 => Some("nv-maxwell"),
        0x15 | 0x1B | 0x1C | 0x1D => Some("nv-pascal"),
        0x1E | 0x1F | 0x21 => Some("nv-turing"),
        0x20 | 0x22 | 0x24 | 0x25 => Some("nv-ampere"),
        0x23 => Some("nv-hopper"),
        0x26..=0x28 => Some("nv-ada"),
        0x29 | 0x2B..=0x2F | 0x31..=0x33 => Some("nv-blackwell"),
        _ => None,
    }
}

fn amd(device: u32) -> Option<&'static str> {
    match device {
        0x7380..=0x738E => Some("amd-cdna1"),
        0x7408..=0x740F => Some("amd-cdna2"),
        0x74A0..=0x74BF | 0x75A0..=0x75A8 => Some("amd-cdna3"),
        0x7310..=0x731F | 0x7340..=0x734F | 0x7360..=0x7362 => Some("amd-rdna"),
        0x73A0..=0x73FF | 0x7420..=0x749F | 0x7550..=0x7551 | 0x7590 => Some("amd-rdna"),
        // Processors with RDNA 2, 3 and 3.5.
        0x163F | 0x1435 | 0x1681 | 0x164D | 0x164E | 0x1506 | 0x13C0 => Some("amd-rdna"),
        0x15BF | 0x15C8 | 0x164F | 0x1900..=0x1902 | 0x150E | 0x1586 | 0x1114 => Some("amd-rdna"),
        // Processors with Vega, and Kaveri.
        0x15DD | 0x15D8 | 0x1636 | 0x164C | 0x1638 | 0x15E7 | 0x1300..=0x13BF => Some("amd-gcn"),
        0x6600..=0x69FF | 0x9800..=0x98FF | 0x7300 => Some("amd-gcn"),
        _ => None,
    }
}

fn intel(device: u32) -> Option<&'static str> {
    match device >> 8 {
        0x16 | 0x22 | 0x19 | 0x31 | 0x3E | 0x59 | 0x5A | 0x87 | 0x9B => Some("intel-gen9"),
        0x45 | 0x4E | 0x8A | 0x98 => Some("intel-gen9"), // Gen11
        0x46 | 0x49 | 0x4C | 0x9A | 0xA7 | 0x7D | 0xB6 => Some("intel-xelp"),
        0x4F | 0x56 => Some("intel-xehpg"),
        0x0B => Some("intel-xehpc"),
        0x64 | 0xE2 | 0xB0 | 0xFD => Some("intel-xe2"),
        _ => None,
    }
}

fn arm(device: u32) -> Option<&'static str> {
    match device >> 28 {
        6 | 7 => Some("mali-bifrost"),
        9..=0xE => Some("mali-valhall"),
        _ => None, // 0 is Midgard, or a backend that tells no device
    }
}

fn by_name(adapter: &AdapterIdentity) -> Option<&'static str> {
    let name = adapter.name.to_lowercase();
    if adapter.backend == Backend::Metal && name.starts_with("apple") {
        return Some("apple");
    }
    if let Some(key) = gpus::memory_model_of(adapter) {
        return Some(key);
    }
    // A word counts where the vendor is that one, or none of those that have words (0, Mesa's, ..).
    let other = ![NVIDIA, AMD, INTEL].contains(&adapter.vendor_id);
    WORDS
        .iter()
        .filter(|(vendor, ..)| other || *vendor == adapter.vendor_id)
        .find(|(_, words, _)| words.iter().any(|word| name.contains(word)))
        .map(|(.., key)| *key)
}

/// (vendor, words of names in lower case, key); the first that fits holds, so the narrower words come first.
const WORDS: &[(u32, &[&str], &str)] = &[
    (APPLE, &["apple"], "apple"),
    (QUALCOMM, &["adreno", "qualcomm"], "adreno"),
    (ARM, &["mali-g31", "mali-g51", "mali-g52", "mali-g71", "mali-g72", "mali-g76"], "mali-bifrost"),
    (ARM, &["mali-g", "immortalis", "valhall"], "mali-valhall"),
    (ARM, &["bifrost"], "mali-bifrost"),
    (SAMSUNG, &["xclipse"], "amd-rdna"),
    (NVIDIA, &["blackwell", "geforce rtx 50", "b200", "b100", "b300"], "nv-blackwell"),
    (NVIDIA, &["ada generation", "geforce rtx 40", "lovelace"], "nv-ada"),
    (NVIDIA, &["hopper", "h100", "h200", "h800", "h20"], "nv-hopper"),
    (NVIDIA, &["ampere", "geforce rtx 30", "rtx a", "a100", "a800", "orin"], "nv-ampere"),
    (NVIDIA, &["turing", "geforce rtx 20", "geforce gtx 16", "quadro rtx", "titan rtx", "tesla t4"], "nv-turing"),
    (NVIDIA, &["volta", "v100", "titan v", "xavier"], "nv-volta"),
    (NVIDIA, &["pascal", "geforce gtx 10", "geforce gt 10", "titan xp", "quadro p", "tesla p"], "nv-pascal"),
    (NVIDIA, &["maxwell", "geforce gtx 9", "gtx titan x", "tesla m", "quadro m"], "nv-maxwell"),
    (AMD, &["gfx908", "mi100", "cdna-1"], "amd-cdna1"),
    (AMD, &["gfx90a", "mi200", "mi210", "mi250", "cdna-2"], "amd-cdna2"),
    (AMD, &["gfx94", "gfx95", "mi30", "mi32", "mi35", "cdna-3", "cdna-4"], "amd-cdna3"),
    (AMD, &["navi", "vangogh", "rembrandt", "raphael", "mendocino", "phoenix", "strix", "rdna"], "amd-rdna"),
    (AMD, &["radeon rx 640", "radeon pro wx"], "amd-gcn"),
    (AMD, &["gfx10", "gfx11", "gfx12", "radeon rx 6", "radeon rx 7", "radeon rx 9", "radeon ai"], "amd-rdna"),
    (AMD, &["radeon rx 5300", "radeon rx 5500", "radeon rx 5600", "radeon rx 5700"], "amd-rdna"),
    (AMD, &["radeon pro 5300", "radeon pro 5500", "radeon pro 5600", "radeon pro 5700", "radeon pro w"], "amd-rdna"),
    (AMD, &["polaris", "vega", "raven", "renoir", "picasso", "fiji", "tonga", "hawaii"], "amd-gcn"),
    (AMD, &["radeon rx 4", "radeon rx 5", "radeon pro 4", "radeon pro 5"], "amd-gcn"),
    (AMD, &["bonaire", "pitcairn", "tahiti", "kaveri", "carrizo", "gcn-"], "amd-gcn"),
    (INTEL, &["arc a", "arc(tm) a", "(dg2", "(acm", "xe-hpg", "gpu flex"], "intel-xehpg"),
    (
        INTEL,
        &["arc b", "arc(tm) b", "arc pro b", "arc(tm) pro b", "(bmg", "(lnl", "(ptl", "xe2", "xe-2", "xe3"],
        "intel-xe2",
    ),
    (INTEL, &["gpu max", "xe-hpc", "(pvc"], "intel-xehpc"),
    (
        INTEL,
        &["iris(r) xe", "iris xe", "xe-lp", "gen-12", "(tgl", "(adl", "(rpl", "(rkl", "(mtl", "(arl"],
        "intel-xelp",
    ),
    (INTEL, &["(skl", "(kbl", "(cfl", "(cml", "(whl", "(aml", "(glk", "(apl", "(bxt", "(bdw"], "intel-gen9"),
    (INTEL, &["(icl", "(jsl", "(ehl", "gen-8", "gen-9", "gen-11", "iris plus", "iris(r) plus"], "intel-gen9"),
    (INTEL, &["hd graphics 5", "hd graphics 6"], "intel-gen9"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(vendor_id: u32, device_id: u32, name: &str) -> AdapterIdentity {
        AdapterIdentity {
            name: name.into(),
            vendor_id,
            device_id,
            device_type: DeviceType::Other,
            backend: Backend::Vulkan,
            subgroup_min: 32,
            subgroup_max: 32,
        }
    }

    #[test]
    fn ids_name_the_architecture_even_where_ranges_trap() {
        for (vendor, device, expected) in [
            (NVIDIA, 0x2335, "nv-hopper"),
            (NVIDIA, 0x1D01, "nv-pascal"),
            (NVIDIA, 0x1D81, "nv-volta"),
            (NVIDIA, 0x1DB6, "nv-volta"),
            (NVIDIA, 0x1728, "nv-pascal"),
            (NVIDIA, 0x17C8, "nv-maxwell"),
            (NVIDIA, 0x130B, "unknown"),
            (NVIDIA, 0x0FC5, "unknown"),
            (NVIDIA, 0x2B85, "nv-blackwell"),
            (NVIDIA, 0x9700_0000, "nv-ampere"),
            (AMD, 0x7408, "amd-cdna2"),
            (AMD, 0x740F, "amd-cdna2"),
            (AMD, 0x7420, "amd-rdna"),
            (AMD, 0x73F0, "amd-rdna"),
            (AMD, 0x15E7, "amd-gcn"),
            (AMD, 0x13C0, "amd-rdna"),
            (AMD, 0x1313, "amd-gcn"),
            (AMD, 0x738C, "amd-cdna1"),
            (AMD, 0x74A1, "amd-cdna3"),
            (AMD, 0x75A3, "amd-cdna3"),
            (INTEL, 0x56A0, "intel-xehpg"),
            (INTEL, 0x0BDA, "intel-xehpc"),
            (INTEL, 0x64A0, "intel-xe2"),
            (INTEL, 0x3E92, "intel-gen9"),
            (INTEL, 0x7D55, "intel-xelp"),
            (ARM, 0x7402_0000, "mali-bifrost"),
            (ARM, 0xC000_0000, "mali-valhall"),
            (QUALCOMM, 0x4305_1401, "adreno"),
            (SAMSUNG, 0x73A0, "amd-rdna"),
            (0x1010, 0x1234, "unknown"),
            (u32::MAX, u32::MAX, "unknown"),
        ] {
            assert_eq!(key(&identity(vendor, device, "")), expected, "{vendor:04X}:{device:04X}");
        }
    }

    #[test]
    fn names_help_where_ids_are_missing() {
        for (vendor, name, expected) in [
            (0, "Apple M1 Pro", "apple"),
            (0x10005, "Apple M1 (G13G B1)", "apple"),
            (0x10005, "llvmpipe (LLVM 15.0.6, 256 bits)", software_key()),
            (0x1AE0, "SwiftShader Device (Subzero)", software_key()),
            (0x1414, "Microsoft Basic Render Driver", software_key()),
            (NVIDIA, "NVIDIA GeForce RTX 3080/PCIe/SSE2", "nv-ampere"),
            (0, "NVIDIA H200", "nv-hopper"),
            (0, "ANGLE (AMD, AMD Radeon RX 6800 XT (0x000073BF) Direct3D11 vs_5_0 ps_5_0, D3D11)", "amd-rdna"),
            (AMD, "AMD Radeon Graphics (RADV RENOIR)", "amd-gcn"),
            (AMD, "AMD Radeon Graphics (RADV GFX1152)", "amd-rdna"),
            (INTEL, "Mesa Intel(R) Graphics (ADL GT2)", "intel-xelp"),
            (INTEL, "Mesa Intel(R) UHD Graphics 620 (KBL GT2)", "intel-gen9"),
            (0, "Mali-G52 MC2", "mali-bifrost"),
            (0, "Mali-G615 MC6", "mali-valhall"),
            (0, "nvidia ampere", "nv-ampere"),
            (0, "NVIDIA Quadro RTX 5000 with Max-Q Design", "nv-turing"),
            (NVIDIA, "NVIDIA RTX 5000 Ada Generation Laptop GPU", "nv-ada"),
            (NVIDIA, "NVIDIA GeForce GTX TITAN X", "nv-maxwell"),
            (0, "AMD Radeon Pro 5500M", "amd-rdna"),
            (0, "AMD Radeon Pro 560X", "amd-gcn"),
            (0, "AMD Radeon RX 560X", "amd-gcn"),
            (0, "AMD Radeon RX 5600M", "amd-rdna"),
            (0, "AMD Radeon Pro WX 7100 Graphics", "amd-gcn"),
            (0, "AMD Radeon PRO W6600", "amd-rdna"),
            (0, "", "unknown"),
            (0, "GPU", "unknown"),
        ] {
            assert_eq!(key(&identity(vendor, 0, name)), expected, "{name}");
        }
    }

    fn software_key() -> &'static str {
        if cfg!(any(target_arch = "aarch64", target_arch = "arm")) { "cpu-arm" } else { "cpu-x86" }
    }

    #[test]
    fn a_software_device_is_one_whatever_its_ids() {
        let cpu = AdapterIdentity { device_type: DeviceType::Cpu, ..identity(NVIDIA, 0x2335, "Some processor") };
        assert_eq!(key(&cpu), software_key());
        assert_eq!(llvmpipe_bits("llvmpipe (LLVM 15.0.6, 256 bits)"), Some(256));
        assert_eq!(llvmpipe_bits("llvmpipe"), None);
        assert_eq!(llvmpipe_bits("Thing of 256 bits"), None);
    }
}
