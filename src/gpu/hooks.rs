//! Failures that tests force, since no test machine shows them by itself. Nothing else may use them.

/// What to break. All off by default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TestHooks {
    /// Every timestamp reads 0, as on some macOS versions (`SECTORSCOPE_TEST_ZERO_TIMESTAMPS`).
    pub zero_timestamps: bool,
    /// The timestamp period is wrong by this factor (`SECTORSCOPE_TEST_PERIOD_SCALE`).
    pub period_scale: Option<f64>,
    /// The device has no timestamps (`SECTORSCOPE_TEST_NO_TIMESTAMPS`).
    pub disable_timestamps: bool,
    /// The device is destroyed before the submission after this many (`SECTORSCOPE_TEST_LOSE_DEVICE_AFTER`).
    pub lose_device_after: Option<u64>,
    /// Allocations past this many bytes fail as if memory ran out (`SECTORSCOPE_TEST_MEMORY_BYTES`).
    pub memory_bytes: Option<u64>,
    /// What counts as too long for one submission, ns (`SECTORSCOPE_TEST_LONGEST_SUBMISSION_NS`).
    pub longest_submission_ns: Option<f64>,
}

impl TestHooks {
    /// As the environment variables say.
    #[must_use]
    pub fn from_env() -> Self {
        let variable = |name: &str| std::env::var(format!("SECTORSCOPE_TEST_{name}")).ok();
        let flag = |name: &str| variable(name).is_some_and(|value| value != "0");
        Self {
            zero_timestamps: flag("ZERO_TIMESTAMPS"),
            period_scale: variable("PERIOD_SCALE").and_then(|value| value.parse().ok()),
            disable_timestamps: flag("NO_TIMESTAMPS"),
            lose_device_after: variable("LOSE_DEVICE_AFTER").and_then(|value| value.parse().ok()),
            memory_bytes: variable("MEMORY_BYTES").and_then(|value| value.parse().ok()),
            longest_submission_ns: variable("LONGEST_SUBMISSION_NS").and_then(|value| value.parse().ok()),
        }
    }
}
