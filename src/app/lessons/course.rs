//! The file of the lesson, read into typed records.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::evidence::Shows;
use super::figure::Figure;
use crate::app::forecast::Pattern;
use crate::kernels;

/// The texts that come with the program.
const TEXT: &str = include_str!("../../../assets/lessons/steps.toml");

/// The lesson that comes with the program.
///
/// # Errors
/// What is wrong in its file, and where.
pub fn course() -> Result<&'static Course, &'static str> {
    static COURSE: LazyLock<Result<Course, String>> = LazyLock::new(|| Course::read(TEXT));
    COURSE.as_ref().map_err(String::as_str)
}

/// The whole lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// What holds for all of it.
    pub about: About,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Where common claims and what was measured differ.
    pub differs: Vec<Differs>,
    /// What to take home.
    pub recall: Recall,
}

/// What holds for the whole lesson.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// By which model it counts.
    pub model: String,
    /// What is said on a software adapter.
    pub cpu: String,
}

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Its stable name.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What it is about.
    pub knob: Knob,
    /// Its questions; at least one.
    pub questions: Vec<Question>,
}

/// What can be turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Knob {
    /// Which bytes the lanes of a load touch.
    Lineup,
    /// How many bytes each lane has on their way.
    Width,
    /// Which of the two it is.
    Both,
    /// How often each byte is needed.
    Reuse,
}

/// One question.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// What is asked.
    pub text: String,
    /// What it is asked of.
    pub pattern: Pattern,
    /// How it is answered.
    pub ask: Ask,
    /// What the model says; with placeholders.
    pub explain: String,
    /// What is said beside the measurement; the last question of a step has it at least.
    pub words: Option<Words>,
    /// Rows to measure and to compare.
    pub rows: Vec<Pattern>,
    /// Whether the times of walks stand beside the rates.
    pub times: bool,
    /// What the answer shows.
    pub picture: Picture,
}

/// What an answer shows of its pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Picture {
    /// The lanes of a load and the sectors that they touch.
    #[default]
    Sectors,
    /// The lanes of a store to workgroup memory and the banks that they meet in.
    Banks,
}

/// How a question is answered.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// By a number.
    Figure {
        /// Which one.
        figure: Figure,
        /// Likely guesses that are wrong.
        wrong: Vec<Wrong>,
        /// What is said to other wrong ones.
        otherwise: String,
    },
    /// By choosing.
    Choices(Vec<Choice>),
}

/// A likely guess that is wrong.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wrong {
    /// The guess.
    pub guess: f64,
    /// What is said to it.
    pub reply: String,
}

/// Something to choose.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// What it says.
    pub text: String,
    /// Whether it is right.
    #[serde(default)]
    pub right: bool,
    /// What is said to someone who chose it.
    pub reply: String,
}

/// What is said beside a measurement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// What the rows show where all goes as the model says.
    pub shows: Shows,
    /// Said where a GPU shows it.
    pub gpu: String,
    /// Said where it does not.
    pub absorbed: String,
    /// Said on a software adapter.
    pub cpu: String,
}

/// A claim that what was measured does not bear out.
#[derive(Debug, Clone, PartialEq)]
pub struct Differs {
    /// The claim.
    pub claim: String,
    /// What was measured; with placeholders for the rates of `rows`.
    pub measured: String,
    /// The recorded rows.
    pub rows: Vec<Pattern>,
}

/// What to take home.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    /// To be said in one breath.
    pub card: String,
    /// To be copied; with placeholders for the rates of `rows`.
    pub paragraph: String,
    /// The rows that the paragraph needs.
    pub rows: Vec<Pattern>,
}

impl Step {
    /// The rows of all its questions, each once.
    #[must_use]
    pub fn rows(&self) -> Vec<Pattern> {
        let mut rows: Vec<Pattern> = Vec::new();
        for row in self.questions.iter().flat_map(|question| &question.rows) {
            if !rows.contains(row) {
                rows.push(row.clone());
            }
        }
        rows
    }
}

impl Course {
    /// Reads a lesson.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn read(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        let steps = file.step.into_iter().map(|step| step.checked(&file.about)).collect::<Result<Vec<_>, _>>()?;
        if steps.is_empty() {
            return Err("the lesson has no step".to_owned());
        }
        let differs = file.differs.into_iter().map(|differs| {
            let at = |error| format!("claim '{}': {error}", differs.claim);
            let rows = patterns(&differs.recorded).map_err(at)?;
            Ok(Differs { rows, claim: differs.claim, measured: differs.measured })
        });
        Ok(Self {
            differs: differs.collect::<Result<_, String>>()?,
            recall: Recall {
                rows: patterns(&file.recall.rows).map_err(|error| format!("recall: {error}"))?,
                card: file.recall.card,
                paragraph: file.recall.paragraph,
            },
            about: file.about,
            steps,
        })
    }
}

/// A kernel and what differs from its defaults, as written.
type Written = BTreeMap<String, Given>;

/// A value as written.
#[derive(Deserialize)]
#[serde(untagged)]
enum Given {
    Number(u32),
    Word(String),
}

impl std::fmt::Display for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Word(word) => word.fmt(f),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    about: About,
    step: Vec<WrittenStep>,
    differs: Vec<WrittenDiffers>,
    recall: WrittenRecall,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenStep {
    id: String,
    title: String,
    knob: Knob,
    question: Vec<WrittenQuestion>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenQuestion {
    text: String,
    set: Written,
    figure: Option<Figure>,
    #[serde(default)]
    wrong: Vec<Wrong>,
    otherwise: Option<String>,
    #[serde(default)]
    choices: Vec<Choice>,
    explain: String,
    shows: Option<Shows>,
    gpu: Option<String>,
    absorbed: Option<String>,
    cpu: Option<String>,
    #[serde(default)]
    recorded: Vec<Written>,
    #[serde(default)]
    times: bool,
    #[serde(default)]
    picture: Picture,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenDiffers {
    claim: String,
    measured: String,
    recorded: Vec<Written>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRecall {
    card: String,
    paragraph: String,
    rows: Vec<Written>,
}

impl WrittenStep {
    fn checked(self, about: &About) -> Result<Step, String> {
        let (id, title, knob) = (self.id, self.title, self.knob);
        if self.question.is_empty() {
            return Err(format!("step {id} asks nothing"));
        }
        let questions = self.question.into_iter().enumerate().map(|(k, question)| {
            question.checked(about).map_err(|error| format!("step {id}, question {}: {error}", k + 1))
        });
        Ok(Step { questions: questions.collect::<Result<_, _>>()?, id, title, knob })
    }
}

impl WrittenQuestion {
    fn checked(self, about: &About) -> Result<Question, String> {
        let ask = match (self.figure, self.otherwise) {
            (Some(figure), Some(otherwise)) if self.choices.is_empty() => {
                Ask::Figure { figure, wrong: self.wrong, otherwise }
            }
            (None, None) if self.wrong.is_empty() && self.choices.iter().filter(|choice| choice.right).count() == 1 => {
                Ask::Choices(self.choices)
            }
            _ => {
                return Err("it needs either `figure` with `otherwise`, or `choices` of which one is right".to_owned());
            }
        };
        let words = match (self.shows, self.gpu, self.absorbed) {
            (Some(shows), Some(gpu), Some(absorbed)) => {
                Some(Words { shows, gpu, absorbed, cpu: self.cpu.unwrap_or_else(|| about.cpu.clone()) })
            }
            (None, None, None) if self.cpu.is_none() => None,
            _ => return Err("`shows`, `gpu` and `absorbed` belong together".to_owned()),
        };
        Ok(Question {
            pattern: pattern(&self.set)?,
            rows: patterns(&self.recorded)?,
            times: self.times,
            picture: self.picture,
            text: self.text,
            explain: self.explain,
            ask,
            words,
        })
    }
}

fn patterns(written: &[Written]) -> Result<Vec<Pattern>, String> {
    written.iter().map(pattern).collect()
}

/// The pattern that is written.
fn pattern(written: &Written) -> Result<Pattern, String> {
    let id = &written.get("kernel").ok_or("a row names no kernel")?.to_string();
    let kernel = kernels::by_id(id).ok_or_else(|| format!("there is no kernel {id}"))?;
    let mut pattern = Pattern::of(kernel);
    for (name, value) in written.iter().filter(|(name, _)| *name != "kernel") {
        let parameter = kernel.parameter(name).ok_or_else(|| format!("{id} has no parameter {name}"))?;
        let text = value.to_string();
        let value = parameter.domain.parse(&text).map_err(|fits| format!("{name} of {id} is {text}, not of {fits}"))?;
        pattern.params.set(parameter.name, value);
    }
    Ok(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lesson_that_comes_along_is_readable() {
        assert_eq!(course().map(|course| course.steps.len()), Ok(10));
    }

    #[test]
    fn what_is_wrong_in_a_file_is_said_with_its_place() {
        for (from, to, complaint) in [
            ("stride = 2 }", "stride = 9999 }", "step strides, question 1: stride of read is 9999, not of 1..4096"),
            ("indices = \"reversed\" }", "indexes = 1 }", "step order, question 2: gather has no parameter indexes"),
            ("kernel = \"copy\"", "kernel = \"kopy\"", "step which-knob, question 1: there is no kernel kopy"),
            ("figure = \"sectors\"", "", "step unit-stride, question 1: it needs either"),
            ("right = true,", "", "step one-aside, question 2: it needs either"),
            ("shows = \"level\"", "", "step unit-stride, question 1: `shows`, `gpu` and `absorbed` belong together"),
            ("figure = \"sectors\"", "figure = \"sector\"", "unknown variant `sector`"),
            ("explain = ", "explains = ", "unknown field `explains`"),
        ] {
            let text = TEXT.replacen(from, to, 1);
            assert_ne!(text, TEXT, "{from}");
            let error = Course::read(&text).unwrap_err();
            assert!(error.contains(complaint), "{complaint}: {error}");
        }
    }
}
