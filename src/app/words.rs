//! The words of this program, explained: one file, shown wherever a word first appears.

use std::sync::LazyLock;

use serde::Deserialize;

const TEXT: &str = include_str!("../../assets/lessons/words.toml");

/// A word and what it means.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Word {
    /// The word.
    pub word: String,
    /// Other forms of it.
    #[serde(default)]
    pub also: Vec<String>,
    /// In a breath.
    pub meaning: String,
}

impl Word {
    fn forms(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.word.as_str()).chain(self.also.iter().map(String::as_str))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    word: Vec<Word>,
}

fn read(text: &str) -> Result<Vec<Word>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    Ok(file.word)
}

/// All words, in the order of the file; none where that cannot be read, which a test rules out.
#[must_use]
pub fn all() -> &'static [Word] {
    static WORDS: LazyLock<Vec<Word>> = LazyLock::new(|| read(TEXT).unwrap_or_default());
    &WORDS
}

/// The word of this name or form, in any case.
#[must_use]
pub fn find(word: &str) -> Option<&'static Word> {
    all().iter().find(|known| known.forms().any(|form| form.eq_ignore_ascii_case(word)))
}

/// The words that a text uses, in the order in which it uses them.
#[must_use]
pub fn in_text(text: &str) -> Vec<&'static Word> {
    let text = text.to_lowercase();
    let first = |word: &'static Word| Some((word.forms().filter_map(|form| place(&text, form)).min()?, word));
    let mut found: Vec<(usize, &Word)> = all().iter().filter_map(first).collect();
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, word)| word).collect()
}

/// Where a text has these letters as a whole word.
fn place(text: &str, form: &str) -> Option<usize> {
    let is_edge = |letter: Option<char>| !letter.is_some_and(char::is_alphanumeric);
    text.match_indices(form).map(|(at, _)| at).find(|at| {
        let (before, after) = (text.get(..*at), text.get(at + form.len()..));
        is_edge(before.and_then(|text| text.chars().next_back())) && is_edge(after.and_then(|text| text.chars().next()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_readable_and_explains_each_word_once() {
        let words = read(TEXT).unwrap();
        assert!(words.len() > 10);
        let mut forms: Vec<&str> = words.iter().flat_map(Word::forms).collect();
        let count = forms.len();
        forms.sort_unstable();
        forms.dedup();
        assert_eq!(forms.len(), count, "a form is explained twice");
        for word in &words {
            assert!(word.meaning.ends_with('.') && word.meaning.len() < 140, "{}", word.word);
            assert!(word.forms().all(|form| form == form.to_lowercase()), "{}", word.word);
        }
        assert!(read("[[word]]\nword = \"x\"").is_err());
    }

    #[test]
    fn words_are_found_whole_in_their_order_and_once() {
        let words = |text| in_text(text).into_iter().map(|word| word.word.as_str()).collect::<Vec<_>>();
        assert_eq!(words("Lanes of a subgroup: a lane each"), ["lane", "subgroup"]);
        assert_eq!(words("A planet and a vec4<f32>."), ["vec4", "f32"]);
        assert_eq!(words(""), Vec::<&str>::new());
        assert_eq!(find("Bits per copy").map(|word| word.word.as_str()), Some("bits per copy"));
        assert_eq!(find("lane-"), None);
    }

    #[test]
    fn words_of_the_views_are_explained() {
        for word in
            ["lane", "subgroup", "vec4", "footprint", "items", "gather", "traverse", "rung", "tile", "bits per copy"]
        {
            assert!(find(word).is_some(), "{word}");
        }
    }
}
