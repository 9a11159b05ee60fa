//! The lesson as data: ten steps of predict, run, explain. Its texts are in `assets/lessons/steps.toml`; what is right is
//! counted by the interpreter, and what was measured comes from documents.

mod course;
mod evidence;
mod figure;
mod judge;
mod progress;
mod rows;
mod turn;

pub use course::{About, Ask, Choice, Course, Differs, Knob, Picture, Question, Recall, Step, Words, Wrong, course};
pub use evidence::{Compared, Reading, Shows, reading};
pub use figure::{Figure, counted, fill, used_percent};
pub use judge::is_right;
pub use progress::{Guess, Progress, StepState};
pub use rows::{Found, fill_rates, newest, newest_run, rate, recorded};
pub use turn::{Act, Learn, Page, carry_out, note_measured, pages, tab};
