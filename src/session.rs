//! The document as the events of a run have built it so far: what command line and window read.

use crate::engine::Event;
use crate::record::Results;
use crate::report;

/// What is known of a run while it goes.
#[derive(Debug, Clone, Default)]
pub struct Session {
    results: Option<Results>,
    /// For each row of `results`, its place in the suite; ascending.
    places: Vec<usize>,
    /// Whether the run was cancelled before its end.
    pub cancelled: bool,
}

impl Session {
    /// The document so far; nothing before the run has begun.
    #[must_use]
    pub fn results(&self) -> Option<&Results> {
        self.results.as_ref()
    }

    /// Takes an event in; whether the document has changed.
    pub fn apply(&mut self, event: Event) -> bool {
        match event {
            Event::Started { results, .. } => {
                self.places = (0..results.rows.len()).collect();
                self.results = Some(*results);
            }
            Event::Row { index, mut row } => {
                let Some(results) = &mut self.results else { return false };
                report::repair_row(&mut row);
                // A row may come again with more known, and rows may come in any order.
                match self.places.binary_search(&index) {
                    Ok(place) => results.rows[place] = *row,
                    Err(place) => {
                        self.places.insert(place, index);
                        results.rows.insert(place, *row);
                    }
                }
            }
            Event::Warning(warning) => {
                let Some(results) = &mut self.results else { return false };
                if !results.warnings.contains(&warning) {
                    results.warnings.push(warning);
                }
            }
            Event::Finished { results, cancelled } => {
                self.finish(*results);
                self.cancelled = cancelled;
            }
            Event::Progress { .. } => return false,
        }
        true
    }

    /// Takes the whole document.
    pub fn finish(&mut self, mut results: Results) {
        report::repair_results(&mut results);
        self.places = (0..results.rows.len()).collect();
        self.results = Some(results);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::record::{Host, Reference, Row, SCHEMA, Settings, Status, Tool, Warning};

    fn row(kernel: &str) -> Row {
        Row { status: Status::Ok, ..Row::unmeasured(kernel, String::new(), false) }
    }

    fn results(rows: Vec<Row>) -> Results {
        Results {
            schema: SCHEMA.to_owned(),
            started_at: String::new(),
            tool: Tool { version: String::new(), commit: None, wgpu: String::new(), naga: String::new() },
            host: Host { os: String::new(), cpu: String::new(), memory_bytes: 0, power: None },
            adapter: None,
            memory_model: serde_json::Value::Null,
            settings: Settings {
                suite: None,
                kernels: Vec::new(),
                set: BTreeMap::new(),
                bytes: Vec::new(),
                samples: 0,
                time_limit_s: None,
                order: String::new(),
                seed: 0,
                fill: String::new(),
                checks: String::new(),
                peak_gb_per_s: None,
            },
            reference: Reference::default(),
            stride_knee: None,
            rows,
            control_rows: Vec::new(),
            ended: String::new(),
            warnings: Vec::new(),
        }
    }

    fn kernels(session: &Session) -> Vec<&str> {
        session
            .results()
            .map(|results| results.rows.iter().map(|row| row.kernel.as_str()).collect())
            .unwrap_or_default()
    }

    #[test]
    fn rows_come_in_any_order_and_again() {
        let mut session = Session::default();
        assert!(!session.apply(Event::Row { index: 0, row: Box::new(row("early")) }), "nothing has begun");
        session.apply(Event::Started { results: Box::new(results(Vec::new())), rows: 3 });
        for (index, kernel) in [(2, "c"), (0, "a"), (2, "c again"), (1, "b")] {
            assert!(session.apply(Event::Row { index, row: Box::new(row(kernel)) }));
        }
        assert_eq!(kernels(&session), ["a", "b", "c again"]);
    }

    #[test]
    fn the_end_replaces_everything() {
        let mut session = Session::default();
        session.apply(Event::Started { results: Box::new(results(Vec::new())), rows: 1 });
        session.apply(Event::Warning(Warning::new("drift", "once")));
        session.apply(Event::Warning(Warning::new("drift", "once")));
        assert_eq!(session.results().map(|results| results.warnings.len()), Some(1));
        let mut broken = row("a");
        broken.measured_over_predicted = Some(f64::NAN);
        session.apply(Event::Finished { results: Box::new(results(vec![broken])), cancelled: true });
        assert!(session.cancelled);
        let row = session.results().map(|results| results.rows[0].clone()).unwrap();
        assert_eq!((row.measured_over_predicted, row.reason.is_some()), (None, true));
    }
}
