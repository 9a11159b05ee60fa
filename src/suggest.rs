//! The known word that is nearest to a misspelt one, for messages that say what to do.

/// The candidate nearest to `word`, if it is near enough to be what was meant.
#[must_use]
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let allowed = 1 + word.chars().count() / 4;
    candidates
        .into_iter()
        .map(|candidate| (distance(&word, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= allowed || is_part(&word, candidate))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// `; did you mean 'x'?`, or nothing where no candidate is near.
#[must_use]
pub fn hint<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    closest(word, candidates).map_or_else(String::new, |near| format!("; did you mean '{near}'?"))
}

/// Whether a word of some length begins or ends the candidate: `strided` for `read_strided`.
fn is_part(word: &str, candidate: &str) -> bool {
    let candidate = candidate.to_lowercase();
    word.chars().count() >= 4 && (candidate.starts_with(word) || candidate.ends_with(word))
}

/// Fewest insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 4] = ["read_strided", "copy", "transpose_tiled", "gather"];

    #[test]
    fn near_words_are_found() {
        for (typed, meant) in [("read_strided", 0), ("raed_strided", 0), ("Copy", 1), ("gahter", 3), ("strided", 0)] {
            assert_eq!(closest(typed, KNOWN), Some(KNOWN[meant]), "{typed}");
        }
        assert_eq!(hint("coppy", KNOWN), "; did you mean 'copy'?");
    }

    #[test]
    fn far_words_are_not() {
        for typed in ["", "x", "matmul", "zzzzzzzzzzzz"] {
            assert_eq!(closest(typed, KNOWN), None, "{typed}");
        }
    }
}
