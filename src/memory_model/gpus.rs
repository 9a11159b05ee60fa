//! Datasheet figures of known devices, from `assets/gpus.csv`: to show beside what is measured, never in its place.

use std::sync::OnceLock;

use regex_lite::Regex;
use serde::{Deserialize, Serialize};

use super::adapter::AdapterIdentity;
use super::identify::{AMD, INTEL, NVIDIA, is_software};

/// What a datasheet says of a device; `None` where the figure is not published or contested.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GpuFacts {
    /// The product.
    pub name: String,
    /// The key of its memory model.
    pub memory_model: String,
    /// Memory bandwidth, GB/s (10^9 bytes a second).
    pub bandwidth_gb_per_s: Option<f64>,
    /// f32 rate without matrix units, TFLOP/s, at the rated boost clock: real devices may pass it.
    pub fp32_tflop_per_s: Option<f64>,
    /// Last-level cache, bytes.
    pub last_level_cache_bytes: Option<u64>,
    /// The publication that carries the figures.
    pub source: String,
    /// `sure` or `likely`.
    pub confidence: String,
    /// Traps, for example another product that reports the same name.
    pub note: String,
}

/// The row of this adapter, if the table has one.
///
/// Rows that only an id can tell apart come first; then the whole normalised name must match one pattern. A software
/// device has no row.
#[must_use]
pub fn lookup(adapter: &AdapterIdentity) -> Option<GpuFacts> {
    find(adapter).map(|entry| entry.row.facts())
}

/// The model key of the row of this adapter.
pub(super) fn memory_model_of(adapter: &AdapterIdentity) -> Option<&'static str> {
    find(adapter).map(|entry| entry.row.memory_model.as_str()).filter(|key| *key != "unknown")
}

/// A line of the table, as it stands there.
#[derive(Debug, Deserialize)]
struct Row {
    name: String,
    name_pattern: String,
    r#match: String,
    vendor_id: String,
    memory_model: String,
    mem_bw_gbs: Option<f64>,
    fp32_tflops: Option<f64>,
    llc_mb: Option<f64>,
    source: String,
    confidence: String,
    pci_ids: String,
    note: String,
}

struct Entry {
    row: Row,
    vendor_id: Option<u32>,
    /// Of the whole normalised name.
    pattern: Option<Regex>,
    pci_ids: Vec<u32>,
}

impl Row {
    fn facts(&self) -> GpuFacts {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a few hundred MiB, never negative"
        )]
        let bytes = |mib: f64| (mib * f64::from(1 << 20)) as u64;
        GpuFacts {
            name: self.name.clone(),
            memory_model: self.memory_model.clone(),
            bandwidth_gb_per_s: self.mem_bw_gbs,
            fp32_tflop_per_s: self.fp32_tflops,
            last_level_cache_bytes: self.llc_mb.map(bytes),
            source: self.source.clone(),
            confidence: self.confidence.clone(),
            note: self.note.clone(),
        }
    }
}

/// The table, parsed once. A line that cannot be read is left out; a test holds that there is none.
fn table() -> &'static [Entry] {
    static TABLE: OnceLock<Vec<Entry>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let hex = |text: &str| u32::from_str_radix(text.trim_start_matches("0x"), 16).ok();
        csv::Reader::from_reader(include_str!("../../assets/gpus.csv").as_bytes())
            .into_deserialize::<Row>()
            .filter_map(Result::ok)
            .map(|row| Entry {
                vendor_id: hex(&row.vendor_id),
                pattern: Regex::new(&format!("^(?:{})$", row.name_pattern)).ok(),
                pci_ids: row.pci_ids.split_whitespace().filter_map(hex).collect(),
                row,
            })
            .collect()
    })
}

fn find(adapter: &AdapterIdentity) -> Option<&'static Entry> {
    if is_software(adapter) {
        return None;
    }
    let by_id = |entry: &&Entry| {
        entry.row.r#match == "id"
            && entry.vendor_id == Some(adapter.vendor_id)
            && entry.pci_ids.contains(&adapter.device_id)
    };
    // Names are only compared with rows of the adapter's vendor, where the backend tells one of those that make many.
    let one_vendor = [NVIDIA, AMD, INTEL].contains(&adapter.vendor_id).then_some(adapter.vendor_id);
    let name = normalise(&adapter.name);
    let by_name = |entry: &&Entry| {
        entry.row.r#match == "name"
            && (one_vendor.is_none() || entry.vendor_id == one_vendor)
            && entry.pattern.as_ref().is_some_and(|pattern| pattern.is_match(&name))
    };
    table().iter().find(by_id).or_else(|| table().iter().find(by_name))
}

/// A driver's name for a device in the form that the table's patterns match: lower case, without wrappers, trade marks,
/// vendor prefixes and trailing groups in parentheses.
fn normalise(name: &str) -> String {
    let mut name = name.to_lowercase();
    if let Some(inner) = name.strip_prefix("angle (").and_then(|rest| rest.trim_end().strip_suffix(')')) {
        name = unwrap_angle(inner);
    }
    for noise in ["(tm)", "(r)", "\u{2122}", "\u{ae}", "/pcie/sse2", "/pcie", "/sse2"] {
        name = name.replace(noise, " ");
    }
    let mut name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    while let Some((before, group)) = name.rsplit_once(" (") {
        if !group.ends_with(')') || group == "pascal)" {
            break;
        }
        name = before.trim_end().to_owned();
    }
    loop {
        let stripped = ["nvidia ", "amd ", "ati ", "intel ", "apple ", "qualcomm ", "turnip ", "mesa ", "arm "]
            .iter()
            .find_map(|prefix| name.strip_prefix(prefix).map(str::to_owned));
        match stripped {
            Some(rest) => name = rest,
            None => return name,
        }
    }
}

/// The device's name inside ANGLE's `vendor, NAME and api, version`, in lower case.
fn unwrap_angle(inner: &str) -> String {
    // The second part at depth 0: names carry commas in parentheses.
    let (mut depth, mut part, mut name) = (0i32, 0, String::new());
    for c in inner.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                part += 1;
                continue;
            }
            _ => {}
        }
        if part == 1 {
            name.push(c);
        }
    }
    let name = name.trim();
    let name = name.strip_prefix("angle metal renderer: ").unwrap_or(name);
    let name = name.split_once(" direct3d").map_or(name, |(before, _)| before);
    // `vulkan 1.3.242 (NAME (0x00002503))`
    let inside = name.strip_prefix("vulkan ").and_then(|rest| rest.split_once(" (")?.1.strip_suffix(')'));
    inside.unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_model::{Backend, DeviceType, by_key};

    fn facts(vendor_id: u32, device_id: u32, name: &str) -> Option<GpuFacts> {
        lookup(&AdapterIdentity {
            name: name.into(),
            vendor_id,
            device_id,
            device_type: DeviceType::Discrete,
            backend: Backend::Vulkan,
            subgroup_min: 32,
            subgroup_max: 32,
        })
    }

    #[test]
    fn the_table_is_whole() {
        let lines = csv::Reader::from_reader(include_str!("../../assets/gpus.csv").as_bytes()).into_records().count();
        assert!(lines > 200, "{lines} lines");
        assert_eq!(table().len(), lines, "a line could not be read");
        for entry in table() {
            let name = &entry.row.name;
            assert!(entry.pattern.is_some(), "{name}: the pattern does not compile");
            assert!(entry.vendor_id.is_some(), "{name}: vendor id");
            assert!(by_key(&entry.row.memory_model).is_some(), "{name}: model {}", entry.row.memory_model);
            assert!(["name", "id"].contains(&entry.row.r#match.as_str()), "{name}: match");
            assert!(entry.row.r#match == "name" || !entry.pci_ids.is_empty(), "{name}: no ids");
            assert_eq!(entry.pci_ids.len(), entry.row.pci_ids.split_whitespace().count(), "{name}: ids");
        }
    }

    #[test]
    fn a_products_name_hits_its_row_and_no_other() {
        for entry in table().iter().filter(|entry| entry.row.r#match == "name") {
            let name = normalise(&entry.row.name);
            let hits: Vec<_> = table()
                .iter()
                .filter(|other| other.row.r#match == "name")
                .filter(|other| other.pattern.as_ref().is_some_and(|pattern| pattern.is_match(&name)))
                .map(|other| &other.row.name)
                .collect();
            assert!(hits.len() <= 1, "{name} hits {hits:?}");
            assert!(hits.is_empty() || hits == [&entry.row.name], "{name} hits {hits:?}");
        }
    }

    #[test]
    fn driver_strings_find_their_row_or_none() {
        for (vendor, name, expected) in [
            (NVIDIA, "NVIDIA H200", Some("NVIDIA H200")),
            (NVIDIA, "NVIDIA H100 80GB HBM3", Some("NVIDIA H100 80GB HBM3")),
            (NVIDIA, "NVIDIA GeForce RTX 3060/PCIe/SSE2", Some("GeForce RTX 3060")),
            (NVIDIA, "NVIDIA GeForce RTX 3060 Laptop GPU", Some("GeForce RTX 3060 Laptop GPU")),
            (NVIDIA, "NVIDIA TITAN X (Pascal)", Some("NVIDIA TITAN X (Pascal)")),
            (NVIDIA, "GeForce GTX TITAN X", None),
            (NVIDIA, "NVIDIA GeForce RTX 9999", None),
            (0, "NVIDIA GeForce RTX 4090", Some("GeForce RTX 4090")),
            (AMD, "AMD Radeon RX 7900 XTX (RADV NAVI31)", Some("Radeon RX 7900 XTX")),
            (AMD, "AMD Radeon RX 7900 XTX", Some("Radeon RX 7900 XTX")),
            (AMD, "Radeon (TM) RX 480 Graphics", Some("Radeon RX 480")),
            (AMD, "AMD Radeon RX 6800 XT (navi21, LLVM 15.0.7, DRM 3.49, 6.1.0)", Some("Radeon RX 6800 XT")),
            (AMD, "AMD Custom GPU 0405 (RADV VANGOGH)", Some("Steam Deck (Van Gogh)")),
            (AMD, "AMD Radeon Graphics (RADV RENOIR)", None),
            (AMD, "A100-SXM4-40GB", None),
            (INTEL, "Intel(R) Arc(tm) A770 Graphics (DG2)", Some("Arc A770")),
            (INTEL, "Mesa Intel\u{ae} Arc\u{2122} A770 Graphics (DG2)", Some("Arc A770")),
            (INTEL, "Intel(R) UHD Graphics 770", Some("UHD Graphics 770")),
            (INTEL, "Intel(R) Iris(R) Xe Graphics (TGL GT2)", Some("Iris Xe Graphics")),
            (0, "Apple M1 Pro", Some("Apple M1 Pro")),
            (0, "Apple M1", Some("Apple M1")),
            (0x10005, "Apple M1 (G13G B1)", Some("Apple M1")),
            (0x5143, "Turnip Adreno (TM) 740", Some("Adreno 740")),
            (0x4D4F_4351, "Qualcomm(R) Adreno(TM) X1-85 GPU", Some("Adreno X1-85")),
            (0x13B5, "Mali-G78", Some("Mali-G78 (Exynos 2100, Kirin 9000, Tensor)")),
            (0x14E4, "V3D 7.1.7.0", Some("VideoCore VII (Raspberry Pi 5)")),
            (0, "ANGLE (Apple, ANGLE Metal Renderer: Apple M1 Pro, Unspecified Version)", Some("Apple M1 Pro")),
            (0, "ANGLE (NVIDIA, NVIDIA GeForce RTX 3080 Direct3D11 vs_5_0 ps_5_0, D3D11)", Some("GeForce RTX 3080")),
            (
                0,
                "ANGLE (AMD, AMD Radeon RX 6800 XT (0x000073BF) Direct3D11 vs_5_0 ps_5_0, D3D11-31.0.12)",
                Some("Radeon RX 6800 XT"),
            ),
            (
                0,
                "ANGLE (NVIDIA, Vulkan 1.3.242 (NVIDIA NVIDIA GeForce RTX 3060 (0x00002503)), NVIDIA)",
                Some("GeForce RTX 3060"),
            ),
            (
                0,
                "ANGLE (AMD, AMD Radeon RX 6800 XT (navi21, LLVM 15.0.7, DRM 3.49), OpenGL 4.6)",
                Some("Radeon RX 6800 XT"),
            ),
            (0, "ANGLE (", None),
            (0x10005, "llvmpipe (LLVM 15.0.6, 256 bits)", None),
            (0, "", None),
        ] {
            assert_eq!(facts(vendor, 0, name).map(|facts| facts.name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn ids_tell_namesakes_apart() {
        let bandwidth = |device| facts(NVIDIA, device, "NVIDIA GeForce RTX 3080").and_then(|f| f.bandwidth_gb_per_s);
        assert_eq!((bandwidth(0x2206), bandwidth(0x220A)), (Some(760.0), Some(912.0)));
        let h200 = facts(NVIDIA, 0x2335, "NVIDIA H200").unwrap();
        assert_eq!((h200.bandwidth_gb_per_s, h200.last_level_cache_bytes), (Some(4800.0), Some(60 << 20)));
    }
}
