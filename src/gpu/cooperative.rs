//! Which cooperative matrices an adapter has, and which of them kernels can use.

use crate::program::{Cooperative, Matrices};
use crate::record::{Adapter, CooperativeMatrix};

/// What the driver lists, subgroup-wide, in its order.
pub(super) fn listed(raw: &wgpu::Adapter) -> Vec<CooperativeMatrix> {
    let matrices = |found: wgpu::CooperativeMatrixProperties| CooperativeMatrix {
        m: found.m_size,
        n: found.n_size,
        k: found.k_size,
        inputs: scalar(found.ab_type).to_owned(),
        results: scalar(found.cr_type).to_owned(),
    };
    if !raw.features().contains(wgpu::Features::EXPERIMENTAL_COOPERATIVE_MATRIX) {
        return Vec::new();
    }
    let mut list: Vec<_> = raw.cooperative_matrix_properties().into_iter().map(matrices).collect();
    // The same shape with and without saturation.
    list.dedup();
    list
}

const fn scalar(scalar: wgpu::CooperativeScalarType) -> &'static str {
    match scalar {
        wgpu::CooperativeScalarType::F32 => "f32",
        wgpu::CooperativeScalarType::F16 => "f16",
        wgpu::CooperativeScalarType::I32 => "i32",
        wgpu::CooperativeScalarType::U32 => "u32",
    }
}

/// The matrices that kernels use on this adapter.
///
/// # Errors
/// Why there are none, with the adapter's name.
pub(super) fn usable(adapter: &Adapter) -> Result<Cooperative, String> {
    let name = &adapter.name;
    if adapter.cooperative_matrices.is_empty() {
        return Err(format!("{name} offers no cooperative matrices through {}", adapter.backend));
    }
    let is_listed = |matrices: &Matrices| {
        let side = matrices.side();
        adapter.cooperative_matrices.iter().any(|listed| {
            [listed.m, listed.n, listed.k] == [side; 3] && listed.inputs == matrices.input() && listed.results == "f32"
        })
    };
    let offers_f16 = adapter.features.iter().any(|feature| feature == "f16");
    let compiles = |matrices: &Matrices| matrices.input() != "f16" || offers_f16;
    let Some(matrices) = Matrices::ALL.into_iter().find(|matrices| is_listed(matrices) && compiles(matrices)) else {
        let wanted = Matrices::ALL.map(|matrices| matrices.to_string()).join(" or ");
        let listed: Vec<_> = adapter.cooperative_matrices.iter().map(ToString::to_string).collect();
        return Err(format!("{name} offers cooperative matrices of {}, not {wanted}", listed.join(", ")));
    };
    match subgroup(adapter) {
        Some(subgroup) => Ok(Cooperative { matrices, subgroup }),
        None => Err(format!(
            "{name} may run subgroups of {} to {} lanes, and kernels of cooperative matrices are written for one width, of 8 \
             or more",
            adapter.subgroup_min, adapter.subgroup_max
        )),
    }
}

/// Lanes of every subgroup, where there is only one size.
fn subgroup(adapter: &Adapter) -> Option<u32> {
    if adapter.subgroup_min == adapter.subgroup_max {
        // Narrower ones copy too little of a row at once for the kernels' texts.
        return Some(adapter.subgroup_max).filter(|lanes| *lanes >= 8);
    }
    // Metal tells no bounds, and wgpu puts 4 and 64 there. SIMD-groups of Apple's GPUs have 32 lanes.
    (adapter.backend == "metal" && adapter.name.starts_with("Apple")).then_some(32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(shapes: &[(u32, &str, &str)], [subgroup_min, subgroup_max]: [u32; 2]) -> Adapter {
        let shape = |(side, inputs, results): &(u32, &str, &str)| CooperativeMatrix {
            m: *side,
            n: *side,
            k: *side,
            inputs: (*inputs).to_owned(),
            results: (*results).to_owned(),
        };
        Adapter {
            index: 0,
            name: "Apple-like".to_owned(),
            backend: "vulkan".to_owned(),
            device_type: "discrete_gpu".to_owned(),
            vendor_id: 0,
            device_id: 0,
            pci: None,
            driver: String::new(),
            driver_info: String::new(),
            subgroup_min,
            subgroup_max,
            timestamps: true,
            timestamp_period_ns: None,
            features: vec!["f16".to_owned()],
            max_storage_binding_bytes: 0,
            max_workgroup_memory_bytes: 0,
            cooperative_matrices: shapes.iter().map(shape).collect(),
        }
    }

    #[test]
    fn the_preferred_matrices_that_are_listed_are_used() {
        let both = [(8, "f32", "f32"), (16, "f16", "f16"), (16, "f16", "f32")];
        let half = Cooperative { matrices: Matrices::Half16, subgroup: 32 };
        assert_eq!(usable(&adapter(&both, [32, 32])), Ok(half));
        let float = Cooperative { matrices: Matrices::Float8, subgroup: 64 };
        assert_eq!(usable(&adapter(&both[..2], [64, 64])), Ok(float));
        let mut without_f16 = adapter(&both, [64, 64]);
        without_f16.features.clear();
        assert_eq!(usable(&without_f16), Ok(float));
    }

    #[test]
    fn what_is_missing_is_said_with_the_adapters_name() {
        let reason = |adapter: &Adapter| usable(adapter).unwrap_err();
        let none = reason(&adapter(&[], [32, 32]));
        assert_eq!(none, "Apple-like offers no cooperative matrices through vulkan");
        let other = reason(&adapter(&[(16, "f16", "f16")], [32, 32]));
        assert!(other.contains("of 16x16x16 f16 to f16, not 16x16x16 f16 to f32 or 8x8x8 f32 to f32"), "{other}");
        let mut varying = adapter(&[(8, "f32", "f32")], [4, 64]);
        assert!(reason(&varying).contains("subgroups of 4 to 64 lanes"), "{}", reason(&varying));
        varying.backend = "metal".to_owned();
        assert_eq!(usable(&varying).map(|found| found.subgroup), Ok(32));
    }
}
