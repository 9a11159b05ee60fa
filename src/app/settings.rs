//! What stays from one start to the next.

use serde::{Deserialize, Serialize};

use super::state::{ModelChoice, Tab};

/// Dark, light, or as the system has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ThemeChoice {
    /// As the system has it.
    #[default]
    System,
    /// Light on dark.
    Dark,
    /// Dark on light.
    Light,
}

/// What the y axis of rates shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum RateScale {
    /// GB/s, each doubling as far from the last: machines of any speed fit in one plot.
    #[default]
    Rate,
    /// Percent of the best read of the same machine and run.
    Share,
}

/// Choices that outlive the window.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Dark or light.
    pub theme: ThemeChoice,
    /// The y axis of rates.
    pub scale: RateScale,
    /// Size of everything; 1 is the usual one.
    pub zoom: f32,
}

/// Where the user was when the window was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Place {
    /// The view.
    pub tab: Tab,
    /// The model that counted.
    pub model: ModelChoice,
}

impl Place {
    /// As stored; the beginning where that is not readable.
    #[must_use]
    pub fn from_json(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// For storage.
    #[must_use]
    pub fn to_json(self) -> String {
        serde_json::to_string(&self).unwrap_or_default()
    }
}

/// The sizes that can be chosen.
pub const ZOOM: std::ops::RangeInclusive<f32> = 0.7..=3.0;

impl Default for Settings {
    fn default() -> Self {
        Self { theme: ThemeChoice::default(), scale: RateScale::default(), zoom: 1.0 }
    }
}

impl Settings {
    /// As stored; the defaults where that is not readable.
    #[must_use]
    pub fn from_json(text: &str) -> Self {
        let settings: Self = serde_json::from_str(text).unwrap_or_default();
        Self { zoom: if settings.zoom.is_finite() { settings.zoom.clamp(0.7, 3.0) } else { 1.0 }, ..settings }
    }

    /// For storage.
    #[must_use]
    pub fn to_json(self) -> String {
        serde_json::to_string(&self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_comes_back_and_nonsense_does_not() {
        let settings = Settings { theme: ThemeChoice::Light, scale: RateScale::Share, zoom: 1.5 };
        assert_eq!(Settings::from_json(&settings.to_json()), settings);
        assert_eq!(Settings::from_json("{"), Settings::default());
        assert_eq!(Settings::from_json(r#"{"zoom":1e9,"new":1}"#), Settings { zoom: 3.0, ..Settings::default() });
    }
}
