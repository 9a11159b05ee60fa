//! The document as the events have built it so far.

use crate::engine::Event;
use crate::record::Results;
use crate::report;

/// What is known of a run while it goes.
#[derive(Debug, Default)]
pub(super) struct Session {
    results: Option<Results>,
    /// For each row of `results`, its place in the suite; ascending.
    places: Vec<usize>,
    /// Whether the run was cancelled before its end.
    pub(super) cancelled: bool,
}

impl Session {
    /// The document so far; nothing before the run has begun.
    pub(super) fn results(&self) -> Option<&Results> {
        self.results.as_ref()
    }

    /// Takes an event in; whether the document has changed.
    pub(super) fn apply(&mut self, event: Event) -> bool {
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
    pub(super) fn finish(&mut self, mut results: Results) {
        report::repair_results(&mut results);
        self.places = (0..results.rows.len()).collect();
        self.results = Some(results);
    }
}
