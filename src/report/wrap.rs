//! Text of a given width, with nothing in it that could steer a terminal.

/// Names come from drivers and files: nothing in them may steer the terminal.
pub(super) fn printable(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// Breaks at spaces; a continued line is indented. A text of several lines, such as a compiler's message with its
/// caret, keeps them as they are. Ends with a newline.
#[cfg(feature = "cli")]
pub(super) fn wrap(text: &str, width: u16) -> String {
    if text.contains('\n') {
        return text.lines().map(|line| printable(line) + "\n").collect();
    }
    hanging("", text, width)
}

/// Breaks at spaces, behind a head; a continued line is indented to the end of the head, by two columns at least. Ends
/// with a newline.
pub(super) fn hanging(head: &str, text: &str, width: u16) -> String {
    let (text, width) = (printable(text), usize::from(width));
    let indent = head.chars().count().max(2);
    let mut wrapped = head.to_owned();
    let mut column = head.chars().count();
    let mut first = true;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if !first && column + 1 + length > width {
            wrapped.push('\n');
            wrapped.push_str(&" ".repeat(indent));
            column = indent;
        } else if !first {
            wrapped.push(' ');
            column += 1;
        }
        wrapped.push_str(word);
        column += length;
        first = false;
    }
    wrapped.push('\n');
    wrapped
}
