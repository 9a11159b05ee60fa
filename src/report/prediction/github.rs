//! Annotations for GitHub: workflow commands that put a message beside a line of a pull request.

use super::lines::{bill, culprits};
use super::{Baseline, ChangeKind, Miss};
use crate::record::prediction::PredictionDocument;

/// Lines of which a document warns, the worst first.
const MOST_LINES: usize = 10;

/// One workflow command a line: errors for thresholds missed and for regressions, warnings for wasteful lines and for
/// what a reader must know, a notice with the totals.
#[must_use]
pub fn annotations(document: &PredictionDocument, misses: &[Miss], baseline: Option<&Baseline>) -> String {
    let mut text = String::new();
    let file = document.file.as_deref();
    let mut add = |level: &str, line: Option<u32>, title: &str, message: &str| {
        text.push_str(&command(level, file, line, title, message));
    };
    for miss in misses {
        add("error", miss.line, "memory efficiency", &miss.text);
    }
    for change in baseline.iter().flat_map(|baseline| &baseline.changes) {
        if change.kind == ChangeKind::Worse {
            add("error", change.line, "memory regression", &change.text);
        }
    }
    for line in document.worst_lines().into_iter().take(MOST_LINES) {
        let mut message = Vec::new();
        for access in culprits(document, line.line) {
            let cause = access.cause.as_deref().map_or_else(String::new, |cause| format!("; {cause}"));
            message.push(format!("{}{cause}", bill(access)));
        }
        let cures = document.cures.iter().filter(|cure| cure.line == line.line);
        message.extend(cures.map(|cure| format!("cure: {}", cure.text)));
        add("warning", Some(line.line), "memory access", &message.join("\n"));
    }
    for warning in &document.warnings {
        add("warning", warning.line, &warning.code, &warning.text);
    }
    let totals = &document.totals;
    let summary = format!(
        "{}: {} requests, {} sectors where {} would do (model {})",
        document.entry_point, totals.requests, totals.sectors, totals.ideal_sectors, document.model
    );
    add("notice", None, "sectorscope", &summary);
    text
}

fn command(level: &str, file: Option<&str>, line: Option<u32>, title: &str, message: &str) -> String {
    let mut properties: Vec<String> = file.iter().map(|file| format!("file={}", property(file))).collect();
    properties.extend(line.map(|line| format!("line={line}")));
    properties.push(format!("title={}", property(title)));
    format!("::{level} {}::{}\n", properties.join(","), data(message))
}

/// What GitHub asks to be escaped in a message.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// And in a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_escaped() {
        assert_eq!(
            command("warning", Some("a,b:c.wgsl"), Some(7), "x", "50 %\nof it"),
            "::warning file=a%2Cb%3Ac.wgsl,line=7,title=x::50 %25%0Aof it\n"
        );
    }
}
