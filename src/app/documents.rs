//! The results that the app holds: of this session, of files, and the recorded ones that it brings along.

use super::kept::Run;
use crate::engine::Event;
use crate::record::{Results, Row};
use crate::report::json;
use crate::session::Session;

/// Recorded on one NVIDIA H200; see `assets/reference/`.
const RECORDED: [&[u8]; 2] = [
    include_bytes!("../../assets/reference/h200-standard.json"),
    include_bytes!("../../assets/reference/h200-matmul.json"),
];

/// Where results come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Measured in this session; what was asked for.
    Session(String),
    /// Read from a file of this name.
    File(String),
    /// Brought along.
    Recorded,
}

/// One results document.
#[derive(Debug, Clone)]
pub struct Document {
    /// Where it comes from.
    pub origin: Origin,
    /// Whether plots show it.
    pub shown: bool,
    /// Whether it was measured before this window was opened.
    pub earlier: bool,
    /// Whether a run is writing it.
    running: bool,
    session: Session,
}

impl Document {
    fn new(origin: Origin, results: Results) -> Self {
        let mut session = Session::default();
        session.finish(results);
        Self { origin, shown: true, earlier: false, running: false, session }
    }

    /// Whether a run is writing it.
    #[must_use]
    pub const fn is_running(&self) -> bool {
        self.running
    }

    /// The document; nothing where its run has not begun.
    #[must_use]
    pub fn results(&self) -> Option<&Results> {
        self.session.results()
    }

    /// Its rows, and those that nobody asked for.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.results().into_iter().flat_map(|results| results.rows.iter().chain(&results.control_rows))
    }

    /// The device it was measured on; empty where on none.
    #[must_use]
    pub fn adapter(&self) -> &str {
        self.results().and_then(|results| results.adapter.as_ref()).map_or("", |adapter| &adapter.name)
    }

    /// What a list says of it.
    #[must_use]
    pub fn title(&self) -> String {
        match &self.origin {
            Origin::Session(what) if self.earlier => format!("earlier: {what}"),
            Origin::Session(what) => what.clone(),
            Origin::File(name) if self.earlier => format!("earlier, on {}: {name}", self.adapter()),
            Origin::File(name) => name.clone(),
            Origin::Recorded => format!("recorded on an {}, not this machine", self.adapter()),
        }
    }
}

/// All documents, the oldest first.
#[derive(Debug, Clone, Default)]
pub struct Documents {
    list: Vec<Document>,
}

impl Documents {
    /// The recorded ones alone.
    #[must_use]
    pub fn recorded() -> Self {
        let read = |bytes: &&[u8]| Some(Document::new(Origin::Recorded, json::from_bytes(bytes).ok()?));
        Self { list: RECORDED.iter().filter_map(read).collect() }
    }

    /// All, the oldest first.
    #[must_use]
    pub fn all(&self) -> &[Document] {
        &self.list
    }

    /// Those that plots show.
    pub fn shown(&self) -> impl Iterator<Item = &Document> {
        self.list.iter().filter(|document| document.shown && document.results().is_some())
    }

    /// The row at these places.
    #[must_use]
    pub fn row(&self, (document, row): (usize, usize)) -> Option<(&Results, &Row)> {
        let results = self.list.get(document)?.results()?;
        Some((results, results.rows.get(row)?))
    }

    /// Adds the document of a file.
    pub fn add_file(&mut self, name: String, results: Results) {
        let place = self.list.len() - self.list.iter().filter(|document| document.running).count();
        self.list.insert(place, Document::new(Origin::File(name), results));
    }

    /// Makes room for the document of a run that begins.
    pub fn begin(&mut self, what: String) {
        let (origin, session) = (Origin::Session(what), Session::default());
        self.list.push(Document { origin, shown: true, earlier: false, running: true, session });
    }

    /// Takes in an event of the run.
    pub fn hear(&mut self, event: Event) {
        if let Some(document) = self.list.last_mut().filter(|document| document.running) {
            document.session.apply(event);
        }
    }

    /// The run has ended; a document that never began goes.
    pub fn end(&mut self) {
        if let Some(document) = self.list.last_mut().filter(|document| document.running) {
            document.running = false;
            if document.results().is_none() {
                self.list.pop();
            }
        }
    }

    /// Puts a document away, unless a run writes it; whether it is gone.
    pub fn close(&mut self, place: usize) -> bool {
        let closes = self.list.get(place).is_some_and(|document| !document.running);
        if closes {
            self.list.remove(place);
        }
        closes
    }

    /// Adds the runs of earlier windows before those of this one.
    pub fn add_earlier(&mut self, runs: Vec<Run>) {
        let first = self.list.iter().position(|document| document.origin != Origin::Recorded);
        let place = first.unwrap_or(self.list.len());
        let documents = runs.into_iter().map(|run| {
            let document = Document::new(Origin::Session(run.what), run.results);
            Document { earlier: true, ..document }
        });
        self.list.splice(place..place, documents);
    }

    /// Tells runs of earlier windows on this adapter from those on others, which are files among others, and not shown.
    pub fn sort_earlier(&mut self, adapter: &str) {
        for document in self.list.iter_mut().filter(|document| document.earlier) {
            let of_another = document.adapter() != adapter;
            match (&document.origin, of_another) {
                (Origin::Session(what), true) => {
                    document.origin = Origin::File(what.clone());
                    document.shown = false;
                }
                (Origin::File(what), false) => {
                    document.origin = Origin::Session(what.clone());
                    document.shown = true;
                }
                _ => {}
            }
        }
    }

    /// The runs that should outlive the window, the oldest first: measured ones that have ended.
    #[must_use]
    pub fn to_keep(&self) -> Vec<Run> {
        let run = |document: &Document| {
            let what = match &document.origin {
                Origin::Session(what) => what,
                Origin::File(what) if document.earlier => what,
                Origin::File(_) | Origin::Recorded => return None,
            };
            let results = document.results().filter(|_| !document.running)?;
            let any = results.rows.iter().any(|row| row.measured.is_some());
            any.then(|| Run { what: what.clone(), results: results.clone() })
        };
        self.list.iter().filter_map(run).collect()
    }

    /// Shows a document in plots, or hides it.
    pub fn show(&mut self, place: usize, shown: bool) {
        if let Some(document) = self.list.get_mut(place) {
            document.shown = shown;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recorded_ones_are_readable_and_of_an_h200() {
        let recorded = Documents::recorded();
        assert_eq!(recorded.all().len(), RECORDED.len());
        for document in recorded.all() {
            assert_eq!(document.title(), "recorded on an NVIDIA H200, not this machine");
            assert!(document.rows().any(|row| row.measured.is_some()));
        }
    }

    #[test]
    fn earlier_runs_stand_before_those_of_now_and_are_kept_again() {
        let results = Documents::recorded().list[1].results().cloned().unwrap();
        let mut documents = Documents::recorded();
        let recorded = documents.list.len();
        documents.begin("now".into());
        let run = |what: &str| Run { what: what.to_owned(), results: results.clone() };
        documents.add_earlier(vec![run("a"), run("b")]);
        let titles: Vec<String> = documents.list[recorded..].iter().map(Document::title).collect();
        assert_eq!(titles, ["earlier: a", "earlier: b", "now"]);
        let kept = |documents: &Documents| documents.to_keep().into_iter().map(|run| run.what).collect::<Vec<_>>();
        assert_eq!(kept(&documents), ["a", "b"], "what is being measured is kept at its end, recorded runs never");
        documents.sort_earlier("another card");
        assert_eq!(documents.list[recorded].title(), "earlier, on NVIDIA H200: a");
        assert!(!documents.list[recorded].shown);
        assert_eq!(kept(&documents), ["a", "b"]);
        documents.sort_earlier("NVIDIA H200");
        assert_eq!((documents.list[recorded].title().as_str(), documents.list[recorded].shown), ("earlier: a", true));
    }

    #[test]
    fn a_file_goes_before_a_running_document_and_a_run_that_never_began_leaves_none() {
        let results = Documents::recorded().list[0].results().cloned().unwrap();
        let mut documents = Documents::default();
        documents.begin("stride 8".into());
        documents.add_file("a.json".into(), results);
        assert_eq!(documents.list.len(), 2);
        assert!(!documents.close(1), "a run writes it");
        documents.end();
        assert_eq!(documents.list.len(), 1);
        assert!(documents.close(0));
    }
}
