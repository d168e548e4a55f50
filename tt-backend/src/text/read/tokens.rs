//! The words of a text.

/// A word, number or sign.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    pub text: &'a str,
    pub at: usize,
    pub line: u32,
}

/// Signs of more than one letter.
const SIGNS: [&str; 11] = ["::", "..", "==", "!=", "<=", ">=", "&&", "||", "+=", "<<", ">>"];

/// The length of a name at the beginning of `text`: of words with `::` between them.
fn name_length(text: &str) -> usize {
    let word = |text: &str| {
        text.find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(text.len())
    };
    let mut length = word(text);
    while let Some(rest) = text[length..].strip_prefix("::")
        && word(rest) > 0
    {
        length += 2 + word(rest);
    }
    length
}

/// The words of `text`, without comments but for those that say a line of the source.
pub(super) fn tokens(text: &str, first_line: u32) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    let (mut at, mut line) = (0, first_line);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = |keep: &dyn Fn(char) -> bool| rest.find(|c| !keep(c)).unwrap_or(rest.len());
        let size = if first == '\n' {
            line += 1;
            at += 1;
            continue;
        } else if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if rest.starts_with("//") {
            let size = length(&|c| c != '\n');
            if !rest.starts_with("// line ") {
                at += size;
                continue;
            }
            size
        } else if first == '"' {
            quoted_length(rest)
        } else if first.is_ascii_digit() {
            number_length(rest)
        } else if first.is_alphanumeric() || first == '_' {
            name_length(rest)
        } else {
            SIGNS
                .iter()
                .find(|sign| rest.starts_with(**sign))
                .map_or(first.len_utf8(), |sign| sign.len())
        };
        out.push(Token {
            text: &rest[..size],
            at,
            line,
        });
        at += size;
    }
    out
}

/// How long the text between quotes is that `text` begins with.
fn quoted_length(text: &str) -> usize {
    let mut escaped = false;
    let close = |letter: char| {
        let closes = letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
        closes
    };
    text[1..].find(close).map_or(text.len(), |at| at + 2)
}

/// How long the number is that `text` begins with: `12`, `1.5`, `1e-5`, but of `0..4` only the 0.
fn number_length(text: &str) -> usize {
    let digits = |from: usize| {
        from + text[from..]
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len() - from)
    };
    let is_digit = |at: usize| text[at..].starts_with(|c: char| c.is_ascii_digit());
    let mut end = digits(0);
    if text[end..].starts_with('.') && is_digit(end + 1) {
        end = digits(end + 1);
    }
    if text[end..].starts_with('e') {
        let sign = usize::from(text[end + 1..].starts_with(['-', '+']));
        if is_digit(end + 1 + sign) {
            end = digits(end + 1 + sign);
        }
    }
    end
}
