//! Stands for the modules `engine`, `gpu` and `kernels` until they are there: the same names and types, and nothing in
//! them.
#![expect(unreachable_pub, dead_code, reason = "only its names matter")]

pub mod engine {
    use std::sync::atomic::AtomicBool;

    use super::kernels::{Fill, suite::Suite};
    pub use crate::engine::{Event, Stage};
    use crate::record::Results;

    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum Order {
        #[default]
        Forward,
        Reverse,
        Shuffle,
    }

    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum ChecksMode {
        #[default]
        Off,
        On,
        Both,
    }

    #[derive(Debug, Clone, Default, PartialEq)]
    pub struct Request {
        pub suite: Option<Suite>,
        pub kernels: Vec<String>,
        pub presets: Vec<String>,
        pub set: Vec<(String, Vec<String>)>,
        pub bytes: Vec<u64>,
        pub samples: Option<u32>,
        pub time_limit: Option<f64>,
        pub order: Order,
        pub seed: u32,
        pub fill: Fill,
        pub checks: ChecksMode,
        pub peak_gb_per_s: Option<f64>,
        pub model: Option<String>,
        pub subgroup: Option<u32>,
        pub sector: Option<u32>,
        pub fetch: Option<u32>,
        pub predict_only: bool,
        pub adapter: Option<String>,
        pub backend: Option<String>,
    }

    #[derive(Debug, thiserror::Error)]
    pub enum EngineError {
        #[error("{0}")]
        Usage(String),
        #[error("{0}")]
        Device(String),
    }

    pub async fn run(
        _request: &Request,
        _sink: &mut dyn FnMut(Event),
        _cancel: &AtomicBool,
    ) -> Result<Results, EngineError> {
        Err(EngineError::Usage("the engine is not built in yet".to_owned()))
    }
}

pub mod gpu {
    use crate::record::Adapter;

    #[derive(Debug, Clone, Copy)]
    pub struct Backend;

    impl std::fmt::Display for Backend {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("backend")
        }
    }

    impl std::str::FromStr for Backend {
        type Err = String;

        fn from_str(_: &str) -> Result<Self, String> {
            Ok(Self)
        }
    }

    pub async fn adapters(_backend: Option<Backend>) -> Vec<Adapter> {
        Vec::new()
    }

    #[derive(Debug, Default)]
    pub struct Diagnosis {
        pub backends: Vec<BackendReport>,
        pub environment: Vec<(String, String)>,
        pub files: Vec<(String, bool)>,
        pub wsl: bool,
        pub advice: Vec<String>,
    }

    #[derive(Debug)]
    pub struct BackendReport {
        pub backend: Backend,
        pub compiled: bool,
        pub adapters: Vec<Adapter>,
    }

    pub async fn diagnose() -> Diagnosis {
        Diagnosis { advice: vec!["The module gpu is not built in yet.".to_owned()], ..Diagnosis::default() }
    }
}

pub mod kernels {
    use std::collections::BTreeMap;

    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum Fill {
        #[default]
        Random,
        Zero,
        Index,
    }

    pub mod suite {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Suite {
            Quick,
            Standard,
            Full,
            Patterns,
        }
    }

    #[derive(Debug, Clone, Copy)]
    pub enum Value {
        Number(u32),
        Word(&'static str),
    }

    impl From<&Value> for serde_json::Value {
        fn from(value: &Value) -> Self {
            match value {
                Value::Number(number) => (*number).into(),
                Value::Word(word) => (*word).into(),
            }
        }
    }

    #[derive(Debug)]
    pub struct Domain(pub Vec<&'static str>);

    impl Domain {
        pub fn parse(&self, _: &str) -> Result<Value, String> {
            Err(self.to_string())
        }
    }

    impl std::fmt::Display for Domain {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(&self.0.join(", "))
        }
    }

    #[derive(Debug)]
    pub struct Parameter {
        pub name: &'static str,
        pub meaning: &'static str,
        pub domain: Domain,
        pub default: Value,
    }

    pub struct Params(BTreeMap<&'static str, Value>);

    impl Params {
        pub fn set(&mut self, name: &'static str, value: Value) {
            self.0.insert(name, value);
        }
    }

    #[derive(Debug)]
    pub struct Kernel {
        pub id: &'static str,
        pub family: &'static str,
        pub question: &'static str,
        pub parameters: &'static [Parameter],
    }

    impl Kernel {
        pub fn defaults(&self) -> Params {
            Params(BTreeMap::new())
        }

        pub fn source(&self, _: &Params) -> Result<String, String> {
            Err(self.id.to_owned())
        }
    }

    #[derive(Debug)]
    pub struct Preset {
        pub id: &'static str,
        pub shows: &'static str,
        pub kernel: &'static str,
    }

    pub const ALL: &[&Kernel] = &[];
    pub const PRESETS: &[Preset] = &[];
}
