//! What the user's own kernel costs, line by line: what its text says of itself, the counts, then the cures.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::analysis::{self, Settings};
use crate::app::own::Typed;
use crate::inputs::{Defaulted, Inputs, InputsError};
use crate::memory_model::MemoryModel;
use crate::record::prediction::PredictionDocument;
use crate::shader::{BindingAccess, Override, Shader, ShaderError, TextureBinding, Type};
use crate::trace::Position;

use super::latest::Newest;
use super::workgroup::WorkgroupTrace;

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnKey {
    /// The text.
    pub text: String,
    /// What is typed for its inputs.
    pub typed: Typed,
    /// The model that counts.
    pub model: MemoryModel,
}

/// What a text says of its inputs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reflected {
    /// Names of its compute entry points.
    pub entries: Vec<String>,
    /// Its overrides.
    pub overrides: Vec<Override>,
    /// Uniforms of the entry point.
    pub uniforms: Vec<(String, Type)>,
    /// Storage buffers of the entry point, each with whether it is loaded from.
    pub buffers: Vec<(String, Type, bool)>,
    /// Textures of the entry point.
    pub textures: Vec<TextureBinding>,
    /// Names of all bound variables and overrides, whatever uses them.
    pub names: Vec<String>,
}

impl Reflected {
    /// Whether a field of inputs is of something in this text.
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        name.is_empty() || self.names.iter().any(|known| known == name)
    }
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where in the text, where it is in one place.
    pub position: Option<Position>,
    /// What, as the command line says it.
    pub text: String,
}

impl From<InputsError> for Fault {
    fn from(error: InputsError) -> Self {
        let position = match &error {
            InputsError::Shader(error) => error.position(),
            InputsError::Setting { .. } | InputsError::File { .. } => None,
        };
        Self { position, text: error.to_string() }
    }
}

impl From<ShaderError> for Fault {
    fn from(error: ShaderError) -> Self {
        InputsError::from(error).into()
    }
}

/// The counts of a text that is valid.
#[derive(Debug, Clone)]
pub struct OwnCounts {
    /// The text that was counted.
    pub text: String,
    /// The counts, with cures once those are there.
    pub document: PredictionDocument,
    /// What is typed, as a run takes it.
    pub inputs: Inputs,
    /// What a run's row knows these inputs by.
    pub inputs_sha256: String,
    /// What nobody chose.
    pub defaulted: Vec<Defaulted>,
    /// What the first workgroup touches; why that is not known, where it is not.
    pub trace: Result<Arc<WorkgroupTrace>, String>,
}

/// What is known of a key.
#[derive(Debug)]
pub struct OwnForecast {
    /// What the text says of its inputs, where it can be read.
    pub reflected: Option<Reflected>,
    /// Its counts, or what is wrong.
    pub counts: Result<Arc<OwnCounts>, Fault>,
}

/// What the view shows: the newest, and the last that was valid.
#[derive(Debug)]
pub struct Own {
    /// The newest result.
    pub newest: Newest<OwnForecast>,
    /// The counts of the last text that was valid.
    pub counts: Option<Arc<OwnCounts>>,
    /// What the last readable text says of its inputs.
    pub reflected: Option<Rc<Reflected>>,
}

impl Own {
    /// What is wrong with the text as it stands.
    #[must_use]
    pub fn fault(&self) -> Option<&Fault> {
        self.newest.value.as_ref().filter(|_| self.newest.current)?.counts.as_ref().err()
    }

    /// Whether the counts are those of the text and the inputs as they stand.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.newest.current && self.fault().is_none()
    }
}

/// Works it out: first the counts, then the cures.
pub(super) fn work(key: &OwnKey, cancel: &AtomicBool, tell: &mut dyn FnMut(OwnForecast)) {
    let shader = match Shader::parse(&key.text) {
        Ok(shader) => shader,
        Err(error) => return tell(OwnForecast { reflected: None, counts: Err(error.into()) }),
    };
    let reflected = reflect(&shader, &key.typed);
    let outcome = count(key, &reflected, cancel);
    let reflected = || Some(reflected.clone());
    let (program, counts) = match outcome {
        Ok(counted) => counted,
        // A newer text has come: nobody waits for this.
        Err(_) if cancel.load(Ordering::Relaxed) => return,
        Err(fault) => return tell(OwnForecast { reflected: reflected(), counts: Err(fault) }),
    };
    let counts = Arc::new(counts);
    tell(OwnForecast { reflected: reflected(), counts: Ok(counts.clone()) });
    if let Ok(cures) = analysis::cures(&program, &counts.document, &settings(key, cancel))
        && !cures.is_empty()
        && !cancel.load(Ordering::Relaxed)
    {
        let mut cured = counts.as_ref().clone();
        cured.document.cures = cures;
        tell(OwnForecast { reflected: reflected(), counts: Ok(Arc::new(cured)) });
    }
}

fn settings<'a>(key: &OwnKey, cancel: &'a AtomicBool) -> Settings<'a> {
    Settings { models: vec![key.model.clone()], cancel: Some(cancel), ..Settings::default() }
}

fn count(
    key: &OwnKey,
    reflected: &Reflected,
    cancel: &AtomicBool,
) -> Result<(crate::program::Program, OwnCounts), Fault> {
    let uniforms: BTreeMap<String, Type> = reflected.uniforms.iter().cloned().collect();
    let inputs = key.typed.of(|name| reflected.knows(name)).inputs(&uniforms)?;
    let (program, defaulted) = inputs.program(&key.text)?;
    let complain = |error: crate::interpreter::InterpretError| Fault { position: None, text: error.to_string() };
    let document = analysis::of_program(&program, &defaulted, &settings(key, cancel)).map_err(complain)?;
    let trace = WorkgroupTrace::of_program(&program, &key.model, analysis::MAX_STEPS, cancel).map(Arc::new);
    let (text, inputs_sha256) = (key.text.clone(), inputs.sha256());
    Ok((program, OwnCounts { text, document, inputs, inputs_sha256, defaulted, trace }))
}

/// What the text says; of the entry point that is typed, or of the first.
fn reflect(shader: &Shader, typed: &Typed) -> Reflected {
    let entries: Vec<String> = shader.entry_points().into_iter().map(str::to_owned).collect();
    let overrides = shader.overrides();
    let mut names: Vec<String> = shader.variables().into_iter().map(|(name, _)| name).collect();
    names.extend(overrides.iter().flat_map(|own| [own.name.clone(), own.key.clone()]));
    let wanted = typed.get("entry").trim();
    let entry = entries.iter().find(|entry| *entry == wanted).or(entries.first()).cloned().unwrap_or_default();
    // A value for every override, so that bindings are known before the user has given any.
    let constants = overrides
        .iter()
        .filter_map(|own| {
            let text = [&own.name, &own.key].map(|name| typed.get(&format!("override.{name}")).trim().to_owned());
            let value = text.iter().find_map(|text| text.parse().ok());
            Some((own.key.clone(), value.or((!own.has_default).then_some(1.0))?))
        })
        .collect();
    let Ok(specialised) = shader.specialise(&entry, &constants) else {
        return Reflected { entries, overrides, names, ..Reflected::default() };
    };
    let reflection = specialised.reflection();
    let is_uniform = |access: BindingAccess| access == BindingAccess::Uniform;
    Reflected {
        entries,
        overrides,
        uniforms: reflection
            .bindings
            .iter()
            .filter(|binding| is_uniform(binding.access))
            .map(|binding| (binding.name.clone(), binding.ty.clone()))
            .collect(),
        buffers: reflection
            .bindings
            .iter()
            .filter(|binding| !is_uniform(binding.access))
            .map(|binding| (binding.name.clone(), binding.ty.clone(), binding.loaded))
            .collect(),
        textures: reflection.textures.clone(),
        names,
    }
}
