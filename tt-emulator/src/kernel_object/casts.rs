//! Casts of integers to pointers, `(uint32_t*)address`, in the text of kernels.
//!
//! On a chip an L1 address is a pointer; here it has to be looked at (`device/include/emulator/pointers.h`). What a header can do
//! for `reinterpret_cast` it cannot do for a cast in parentheses: that one gets another cast behind it, of the class that looks,
//! which binds as the first one does.
//!
//! ```text
//! uint32_t* words = (uint32_t*)base + 1;
//! uint32_t* words = (uint32_t*)(tt_emulator_pointer)base + 1;
//! ```
//!
//! The text is read as tokens, so that comments and strings stay; nothing is inserted but on the line of the cast, so that lines
//! keep their numbers. What takes a pointer or a string to another pointer is not looked at.

use std::borrow::Cow;

/// What stands behind a cast.
const LOOK: &str = "(tt_emulator_pointer)";

/// The text of a kernel with its casts to pointers looked at.
pub(super) fn looked_at(text: &str) -> Cow<'_, str> {
    let tokens = tokens(text);
    let mut result = String::new();
    let mut copied = 0;
    for close in 0..tokens.len() {
        if is_cast(text, &tokens, close) {
            let end = tokens[close].end;
            result.push_str(&text[copied..end]);
            result.push_str(LOOK);
            copied = end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    result.push_str(&text[copied..]);
    Cow::Owned(result)
}

/// Whether the token at `close` ends a cast to a pointer of what may be an integer.
fn is_cast(text: &str, tokens: &[Token], close: usize) -> bool {
    let word = |index: usize| tokens.get(index).map_or("", |token| &text[token.start..token.end]);
    if word(close) != ")" {
        return false;
    }
    // Qualifiers of the pointer itself, and then its star. Nothing but a type ends so.
    let mut at = close;
    while at > 0 && matches!(word(at - 1), "const" | "volatile" | "__restrict" | "__restrict__") {
        at -= 1;
    }
    if at < 2 || word(at - 1) != "*" {
        return false;
    }
    let Some(open) = (0..at - 1).rev().find(|index| !is_of_type(word(*index))) else {
        return false;
    };
    // `(*)` is a declarator, `(T::*)` a pointer to a member.
    if word(open) != "(" || !word(open + 1).starts_with(is_of_name) || word(at - 2) == "::" {
        return false;
    }
    // Behind a name or a bracket stand parameters: `f(T*)`, `sizeof(T*)`; behind a `)` may be another cast.
    let before = open.checked_sub(1).map_or("", word);
    let is_behind_name = before == "]" || before.starts_with(is_of_name) && !STATEMENTS.contains(&before);
    if is_behind_name
        || tokens
            .get(close + 1)
            .is_none_or(|next| next.in_directive != tokens[close].in_directive)
    {
        return false;
    }
    let next = word(close + 1);
    match next.as_bytes().first() {
        Some(b'(' | b'~') => true,
        // Behind a `)` they may be operators with two sides.
        Some(b'*' | b'-' | b'+') => next.len() == 1 && before != ")",
        Some(_) => next.starts_with(is_of_name) && !FOLLOWING.contains(&next) && tokens[close + 1].is_plain,
        None => false,
    }
}

/// Words that an expression may stand behind.
const STATEMENTS: [&str; 10] = [
    "return",
    "co_return",
    "co_yield",
    "case",
    "else",
    "do",
    "throw",
    "not",
    "and",
    "or",
];

/// Words that stand behind a list of parameters, or between two expressions.
const FOLLOWING: [&str; 19] = [
    "const",
    "volatile",
    "noexcept",
    "override",
    "final",
    "requires",
    "try",
    "asm",
    "__attribute__",
    "__asm__",
    "and",
    "or",
    "xor",
    "bitand",
    "bitor",
    "and_eq",
    "or_eq",
    "xor_eq",
    "not_eq",
];

/// Whether a token may be part of the name of a type.
fn is_of_type(word: &str) -> bool {
    word.starts_with(is_of_name) || matches!(word, "::" | "*" | "<" | ">" | ",")
}

fn is_of_name(symbol: char) -> bool {
    symbol.is_alphanumeric() || symbol == '_' || symbol == '$'
}

/// A token: a name or number, a string or character, or a punctuation mark, of which only `::` has two letters.
#[derive(Clone, Copy)]
struct Token {
    start: usize,
    end: usize,
    /// Whether it is a name, a number or a mark, and no string.
    is_plain: bool,
    /// The preprocessor's directive that it is part of, by its place.
    in_directive: Option<usize>,
}

/// The tokens of a text, without those of directives other than `#define`.
fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens: Vec<Token> = Vec::new();
    let mut in_directive = None;
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let starts_line =
            || text[..at].lines().next_back().is_none_or(|line| line.trim().is_empty()) || text[..at].ends_with('\n');
        let symbol = rest.chars().next().unwrap_or(' ');
        let (end, is_token) = if symbol == '\n' {
            in_directive = None;
            (at + 1, false)
        } else if rest.starts_with("\\\n") || rest.starts_with("\\\r\n") {
            (at + rest.find('\n').map_or(1, |end| end + 1), false)
        } else if symbol.is_whitespace() {
            (at + symbol.len_utf8(), false)
        } else if rest.starts_with("//") {
            (at + line_end(rest), false)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            (at + comment.find("*/").map_or(rest.len(), |end| end + 4), false)
        } else if symbol == '#' && starts_line() {
            if rest[1..].trim_start().starts_with("define") {
                in_directive = Some(at);
                (at + 1, true)
            } else {
                (at + line_end(rest), false)
            }
        } else if symbol == '"' || symbol == '\'' {
            (at + quoted_end(rest, symbol), true)
        } else if is_of_name(symbol) {
            let is_number = symbol.is_ascii_digit();
            // A number may have marks between its digits.
            let is_inside = |symbol: char| is_of_name(symbol) || is_number && (symbol == '\'' || symbol == '.');
            let length = rest.find(|symbol| !is_inside(symbol)).unwrap_or(rest.len());
            let end = at + length;
            match (&rest[..length], text[end..].chars().next()) {
                ("R" | "LR" | "uR" | "UR" | "u8R", Some('"')) => (end + raw_end(&text[end..]), true),
                ("L" | "u" | "U" | "u8", Some(quote @ ('"' | '\''))) => (end + quoted_end(&text[end..], quote), true),
                _ => (end, true),
            }
        } else {
            let length = if rest.starts_with("::") { 2 } else { symbol.len_utf8() };
            (at + length, true)
        };
        if is_token {
            let is_plain = !text[at..end].ends_with(['"', '\'']);
            tokens.push(Token {
                start: at,
                end,
                is_plain,
                in_directive,
            });
        }
        at = end;
    }
    tokens
}

/// Bytes to the end of the line, which is not that of a line that goes on.
fn line_end(text: &str) -> usize {
    let goes_on = |end: usize| text[..end].trim_end_matches('\r').ends_with('\\');
    let mut ends = text.match_indices('\n').map(|(end, _)| end);
    ends.find(|end| !goes_on(*end)).unwrap_or(text.len())
}

/// Bytes of a string or character that the text begins with; one that is not closed ends with its line.
fn quoted_end(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (index, symbol) in text.char_indices().skip(1) {
        match symbol {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\n' => return index,
            _ if symbol == quote => return index + 1,
            _ => {}
        }
    }
    text.len()
}

/// Bytes of a raw string that the text begins with, from its quotation mark on.
fn raw_end(text: &str) -> usize {
    let Some(open) = text.find('(') else {
        return text.len();
    };
    let close = format!("){}\"", &text[1..open]);
    text.find(&close).map_or(text.len(), |start| start + close.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with `@` where something was inserted.
    fn marked(text: &str) -> String {
        looked_at(text).replace(LOOK, "@")
    }

    #[test]
    fn casts_of_what_may_be_an_integer_are_looked_at() {
        for text in [
            "uint32_t* p = (uint32_t*)@src0_l1;",
            "*(volatile tt_l1_ptr uint32_t*)@(base + 4) = 1;",
            "auto p = (volatile uint32_t * const)@address;",
            "return (std::array<uint32_t, 4>*)@address;",
            "f((uint8_t*)@get_write_ptr(0), (uint32_t**)@0x1000, n * sizeof(T*) * 2);",
            "auto p = (uint32_t*)@(uint64_t)address + 1;",
            "auto p = (volatile T*)@(uint8_t*)@address;",
            "auto n = (uint32_t)(T*)@address;",
            "#define WORD(a) *((volatile uint32_t*)@(a))\nint x;",
            "#define WORD(a) \\\n    (uint32_t*)@a\n",
            "auto p = (uint32_t* /* words */)@/* at */ address;",
            "auto p = (uint32_t*)@\n    address;",
            "auto p = (uint32_t*)@*address + (uint32_t*)@-1;",
            "if (x > (uint32_t*)@y) {}",
            "auto x = 1'000; auto p = (char*)@x; char c = '\\''; auto q = (char*)@y;",
        ] {
            assert_eq!(marked(&text.replace('@', "")), text);
        }
    }

    #[test]
    fn what_is_no_such_cast_stays() {
        for text in [
            "void f(uint32_t*);",
            "void f(uint32_t*) const;",
            "auto x = [](uint32_t*) { return 1; };",
            "auto x = [](uint32_t*) -> int { return 1; };",
            "size_t n = sizeof(uint32_t*) * 4 + sizeof (char*) - x;",
            "void (*f)(uint32_t*) = nullptr;",
            "using F = void(uint32_t*);",
            "std::function<void(uint32_t*)> f;",
            "int (Foo::*)(int); (int Foo::*)x;",
            "operator delete(void*) noexcept;",
            "int x = (a * b) * (c);",
            "const char* s = (const char*)\"(uint32_t*)x\";",
            "// (uint32_t*)x\n/* (uint32_t*)x\n (uint32_t*)x */",
            "auto s = \"\\\"(uint32_t*)x\"; char c = '\"'; auto r = R\"-((uint32_t*)x)\" \")-\";",
            "#pragma message (uint32_t*)x\n#if (uint32_t*)x \\\n (uint32_t*)x\n#endif",
            "#define POINTER (uint32_t*)\nx;",
            "auto p = (uint32_t*)&x;",
            "(uint32_t*)",
            "",
        ] {
            assert_eq!(marked(text), text);
            assert!(matches!(looked_at(text), Cow::Borrowed(_)));
        }
    }
}
