//! The only place that changes the state: carries out commands, takes in what the engine tells.

use crate::engine::{Event, Request};
use crate::kernels::{self, PRESETS};
use crate::record::{Status, Warning};

use super::command::{Command, Effect};
use super::documents::Document;
use super::files::Done;
use super::forecast::Pattern;
use super::runner::Told;
use super::settings::ZOOM;
use super::state::{Device, Run, State, Step};
use super::views::patterns::sweep;
use super::{kept, lessons, own};

/// Timed samples of a row: enough for a median with a band, few enough for someone who waits.
const SAMPLES: u32 = 8;
/// The same on a software adapter.
const SOFTWARE_SAMPLES: u32 = 3;
/// No run from a button may take longer, seconds: rows that it does not reach say so.
const MOST_SECONDS: f64 = 60.0;

/// Carries out a command; returns what has to happen outside.
pub fn update(state: &mut State, command: Command) -> Vec<Effect> {
    match command {
        Command::Show(tab) => {
            lessons::tab(state, tab);
            state.tab = tab;
        }
        Command::Kernel(id) => {
            if let Some(kernel) = kernels::by_id(id) {
                look_at(state, Pattern::of(kernel));
            }
        }
        Command::Pattern(pattern) => look_at(state, pattern),
        Command::Set(name, value) => {
            let fits = state.pattern.kernel.parameter(name).is_some_and(|p| p.domain.parse(&value.to_string()).is_ok());
            if fits {
                let kept = state.step;
                look_at(state, state.pattern.with(name, value));
                state.step = kept;
            }
        }
        Command::Preset(id) => preset(state, id),
        Command::Tile(pattern) => state.tile = pattern,
        Command::Rung(id) => state.rung = id,
        Command::Model(model) => {
            state.model = model;
            state.step = Step::default();
        }
        Command::Footprint(bytes) => state.footprint_bytes = bytes,
        Command::Step(step) => state.step = step,
        Command::Pin => state.pinned = Some(state.pattern.clone()),
        Command::Unpin => state.pinned = None,
        Command::Measure => return measure(state),
        Command::Sweep => return start(state, sweep::title(&state.pattern), sweep::patterns(&state.pattern)),
        Command::Run { what, request } => return run(state, what, *request),
        Command::Stop => return stop(state),
        Command::Look => {
            state.device = Device::Searching;
            return vec![Effect::Look];
        }
        Command::Pick(place) => pick(state, place),
        Command::Open => return vec![Effect::Open],
        Command::OpenPath(path) => return vec![Effect::OpenPath(path)],
        Command::Close(place) => {
            if state.documents.close(place) {
                state.picked = None;
            }
        }
        Command::Overlay(place, shown) => state.documents.show(place, shown),
        Command::Path(path) => state.path = path,
        Command::Save(export) => {
            let path = state.path.trim().to_owned();
            return vec![if path.is_empty() { Effect::Save(export) } else { Effect::SaveTo(path, export) }];
        }
        Command::Copy(text) => return vec![Effect::Copy(text)],
        Command::Cover(covered) => state.covered = covered,
        Command::More(shown) => state.more = shown,
        Command::Keys(shown) => state.keys_shown = shown,
        Command::Own(act) => own::carry_out(&mut state.own, act),
        Command::OpenWgsl => return vec![Effect::OpenWgsl],
        Command::OpenWgslPath(path) => return vec![Effect::OpenWgslPath(path)],
        Command::Learn(act) => lessons::carry_out(state, act),
        Command::Settings(settings) => {
            state.settings = settings;
            state.settings.zoom = settings.zoom.clamp(*ZOOM.start(), *ZOOM.end());
        }
        Command::Dismiss(place) => {
            if place < state.notices.len() {
                state.notices.remove(place);
            }
        }
    }
    Vec::new()
}

/// Takes in what the engine tells.
pub fn hear(state: &mut State, told: Told) {
    match told {
        Told::Device(Ok(found)) => {
            state.documents.sort_earlier(&found.adapter.name);
            state.device = Device::Found(found);
        }
        Told::Device(Err(reason)) => state.device = Device::Missing(reason),
        Told::Event(event) => {
            match (&event, &mut state.run) {
                (Event::Progress { stage, done, total, .. }, Run::Running { at, .. }) => {
                    *at = Some((*stage, *done, *total));
                }
                (Event::Warning(warning), _) => notice(state, warning.clone()),
                _ => {}
            }
            state.documents.hear(event);
        }
        Told::Ended(result) => {
            // A run that goes on writes the last document.
            let failed = state.documents.all().last().filter(|_| !state.run.is_idle()).and_then(failure);
            state.run = Run::Idle;
            state.documents.end();
            lessons::note_measured(state);
            if let Err(text) = result {
                notice(state, Warning::new("run", text));
            }
            if let Some(text) = failed {
                notice(state, Warning::new("failed", text));
            }
        }
    }
}

/// Takes in what comes of kept measurements; whether there are newer ones to be kept beside those that were read.
pub fn remember(state: &mut State, told: kept::Told) -> bool {
    let runs = match told {
        kept::Told::Earlier(runs) => runs,
        kept::Told::Failed(text) => {
            notice(state, Warning::new("kept", text));
            return false;
        }
    };
    let (read, newer) = (runs.len(), state.documents.to_keep().len());
    state.documents.add_earlier(runs);
    if let Some(found) = state.device.found() {
        state.documents.sort_earlier(&found.adapter.name);
    }
    if read > 0 {
        // Places in the list have moved.
        state.picked = None;
    }
    lessons::note_measured(state);
    newer > 0
}

/// How many rows of a run failed, why, and what still works; nothing where none did.
fn failure(document: &Document) -> Option<String> {
    let rows = &document.results()?.rows;
    let failed: Vec<_> = rows.iter().filter(|row| row.status == Status::Failed).collect();
    let reason = failed.first()?.reason.as_deref().unwrap_or("no reason is known").trim_end_matches('.');
    let (count, all) = (failed.len(), rows.len());
    Some(format!(
        "{count} of {all} failed: {reason}. Counts and predictions hold all the same; measure again to try anew."
    ))
}

/// Takes in what came of a file: of its messages the last one stands.
pub fn file_done(state: &mut State, done: Done) {
    state.notices.retain(|notice| notice.code != FILE);
    match done {
        Done::Opened(name, results) => state.documents.add_file(name, *results),
        Done::Wgsl { file, text, typed } => {
            own::carry_out(&mut state.own, own::Act::Take { file: Some(file), text, typed });
        }
        Done::Saved(text) | Done::Failed(text) => notice(state, Warning::new(FILE, text)),
    }
}

/// The code of messages on files.
const FILE: &str = "file";

/// Shows a notice, once.
pub fn notice(state: &mut State, warning: Warning) {
    // The device's own line says this one for as long as it is true.
    if warning.code != "software_adapter" && !state.notices.contains(&warning) {
        state.notices.push(warning);
    }
}

fn look_at(state: &mut State, pattern: Pattern) {
    state.pattern = pattern;
    state.step = Step::default();
    state.picked = None;
}

fn preset(state: &mut State, id: &str) {
    let Some(preset) = PRESETS.iter().find(|preset| preset.id == id) else {
        let known: Vec<_> = PRESETS.iter().map(|preset| preset.id).collect();
        let hint = crate::suggest::hint(id, known.iter().copied());
        let text = format!("there is no preset {id}{hint}; there are {}", known.join(", "));
        return notice(state, Warning::new("preset", text));
    };
    let Some(kernel) = kernels::by_id(preset.kernel) else { return };
    let rows: Vec<Pattern> = preset.params().into_iter().map(|params| Pattern { kernel, params }).collect();
    // A pair shows both its halves; a single pattern is put beside what is pinned.
    if let [first, _, ..] = rows.as_slice() {
        state.pinned = Some(first.clone());
    }
    if let Some(pattern) = rows.last() {
        look_at(state, pattern.clone());
    }
}

fn pick(state: &mut State, place: Option<(usize, usize)>) {
    let pattern = place.and_then(|place| Pattern::of_row(state.documents.row(place)?.1));
    if let Some(pattern) = pattern {
        look_at(state, pattern);
    }
    state.picked = place;
}

fn measure(state: &mut State) -> Vec<Effect> {
    let mut patterns = vec![state.pattern.clone()];
    patterns.extend(state.pinned.clone().filter(|pinned| *pinned != state.pattern));
    start(state, state.pattern.name(), patterns)
}

fn start(state: &mut State, what: String, patterns: Vec<Pattern>) -> Vec<Effect> {
    let request = request(state, patterns);
    run(state, what, request)
}

/// The request for a few patterns by someone who waits for them.
#[must_use]
pub fn request(state: &State, patterns: Vec<Pattern>) -> Request {
    let software = state.device.found().is_some_and(|found| found.adapter.is_cpu());
    Request {
        rows: patterns.into_iter().map(|pattern| (pattern.kernel.id.to_owned(), pattern.params)).collect(),
        bytes: state.footprint_bytes.into_iter().collect(),
        samples: Some(if software { SOFTWARE_SAMPLES } else { SAMPLES }),
        time_limit_s: Some(MOST_SECONDS),
        brief: true,
        ..Request::default()
    }
}

fn run(state: &mut State, what: String, request: Request) -> Vec<Effect> {
    if !state.run.is_idle() {
        return Vec::new();
    }
    state.run = Run::Running { what: what.clone(), at: None, stopping: false };
    state.documents.begin(what);
    state.picked = None;
    vec![Effect::Start(Box::new(request))]
}

fn stop(state: &mut State) -> Vec<Effect> {
    match &mut state.run {
        Run::Running { stopping, .. } => {
            *stopping = true;
            vec![Effect::Stop]
        }
        Run::Idle => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Value;

    #[test]
    fn only_values_that_fit_are_set() {
        let mut state = State::default();
        update(&mut state, Command::Set("stride", Value::Number(8)));
        assert_eq!(state.pattern.number("stride"), Some(8));
        for (name, value) in [("stride", 0), ("stride", 4097), ("no_such", 1)] {
            update(&mut state, Command::Set(name, Value::Number(value)));
        }
        assert_eq!(state.pattern.name(), "read, stride 8");
    }

    #[test]
    fn one_run_at_a_time_and_it_can_be_stopped() {
        let mut state = State::default();
        assert_eq!(update(&mut state, Command::Stop), []);
        let effects = update(&mut state, Command::Measure);
        let [Effect::Start(request)] = effects.as_slice() else { panic!("{effects:?}") };
        assert_eq!(request.rows, [("read".to_owned(), state.pattern.params.clone())]);
        assert!(request.brief && request.suite().is_none());
        assert_eq!(update(&mut state, Command::Sweep), []);
        assert_eq!(update(&mut state, Command::Stop), [Effect::Stop]);
        assert!(matches!(state.run, Run::Running { stopping: true, .. }));
        hear(&mut state, Told::Ended(Err("no adapter".into())));
        assert!(state.run.is_idle() && state.documents.all().is_empty());
        assert_eq!(state.notices, [Warning::new("run", "no adapter")]);
        update(&mut state, Command::Dismiss(0));
        assert!(state.notices.is_empty());
    }

    #[test]
    fn what_is_saved_goes_to_the_typed_path_or_asks_for_one() {
        let mut state = State::default();
        let contents = super::super::command::Contents::Bytes(vec![1]);
        let export = Box::new(super::super::command::Export { name: "a.csv".into(), contents });
        assert_eq!(update(&mut state, Command::Save(export.clone())), [Effect::Save(export.clone())]);
        update(&mut state, Command::Path(" out/ ".into()));
        assert_eq!(update(&mut state, Command::Save(export.clone())), [Effect::SaveTo("out/".into(), export)]);
        file_done(&mut state, Done::Failed("no room".into()));
        file_done(&mut state, Done::Saved("Saved a.csv.".into()));
        assert_eq!(state.notices, [Warning::new("file", "Saved a.csv.")]);
    }

    #[test]
    fn a_pinned_pattern_is_measured_too() {
        let mut state = State::default();
        update(&mut state, Command::Pin);
        update(&mut state, Command::Set("stride", Value::Number(4)));
        let effects = update(&mut state, Command::Measure);
        let [Effect::Start(request)] = effects.as_slice() else { panic!("{effects:?}") };
        assert_eq!(request.rows.iter().map(|(_, params)| params.number("stride")).collect::<Vec<_>>(), [4, 1]);
    }

    #[test]
    fn a_preset_of_several_rows_pins_the_first_and_one_of_one_keeps_the_pin() {
        let mut state = State::default();
        update(&mut state, Command::Preset("fused-or-scattered"));
        assert_eq!(state.pattern.number("stride"), Some(500));
        assert_eq!(state.pinned.as_ref().and_then(|pinned| pinned.number("stride")), Some(1));
        update(&mut state, Command::Preset("lesson-stride-8"));
        // A single pattern is put beside what is pinned.
        assert_eq!(state.pattern.number("stride"), Some(8));
        assert_eq!(state.pinned.as_ref().and_then(|pinned| pinned.number("stride")), Some(1));
        update(&mut state, Command::Preset("lesson-strid-8"));
        assert!(state.notices[0].text.contains("lesson-stride-8"), "{:?}", state.notices);
    }

    #[test]
    fn a_picked_result_is_looked_at() {
        let mut state = State { documents: super::super::Documents::recorded(), ..State::default() };
        let rows = &state.documents.all()[0].results().unwrap().rows;
        let place = rows.iter().position(|row| row.params.get("stride").is_some_and(|s| s == 16)).unwrap();
        update(&mut state, Command::Pick(Some((0, place))));
        assert_eq!((state.pattern.number("stride"), state.picked), (Some(16), Some((0, place))));
    }
}
