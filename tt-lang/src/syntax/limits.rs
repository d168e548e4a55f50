//! How deep and how large a kernel may be, found out from its tokens before anything recurses over them.
//!
//! Reading Rust recurses wherever an operand is awaited: within parentheses and braces, behind `-` and `!`, behind `if`,
//! `return` and other words, within `A<B<C>>`, behind `|x|` and `=`. What is read is then as deep as its operators follow
//! each other, `a + b + c` included. So the depth of the tree is never above twice what is counted here: the groups around a
//! token, and in each the operators and words since the last comma or statement that ended.

use proc_macro2::{Delimiter, Spacing, Span, TokenStream, TokenTree};

/// The most that is counted. Trees twice as deep take less than half of the stack of a thread (2 MiB) in any build.
pub(super) const DEPTH: usize = 128;
/// The most tokens of a kernel, and of what is written out for calls of its functions: 20 times as many as the longest kernel known.
pub(super) const TOKENS: usize = 200_000;
/// The most statements and assignments of a kernel.
pub(super) const STATEMENTS: usize = 2_048;
/// Grids of a kernel: a device keeps the programs of several kernels, 64 in all.
pub(super) const GRIDS: usize = 16;
/// The most loops within each other.
pub(super) const LOOPS: usize = 16;
/// The most operations of one integer, with those of the integers it is made of.
pub(super) const INTEGER: usize = 1_024;
/// The most comparisons of one condition.
pub(super) const CONDITION: usize = 1_024;
/// The most operations of an expression that a function of the body gives or takes.
pub(super) const EXPRESSION: usize = 1_024;
/// The most calls of functions of the body within each other.
pub(super) const CALLS: usize = 16;
/// The most elements of a block or of a parallel loop: more than forty times what the memory of a core holds.
pub(super) const ELEMENTS: u64 = 1 << 26;
/// The most blocks in flight.
pub(super) const STAGES: u64 = 1_024;

/// Words behind which an operand, a block or a type is awaited, in the order of their letters.
const WORDS: [&str; 41] = [
    "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum", "extern", "fn",
    "for", "gen", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "raw", "ref", "return",
    "safe", "static", "struct", "trait", "try", "type", "union", "unsafe", "use", "where", "while", "yield",
];

/// Where a kernel is deeper or larger than it may be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Beyond {
    /// Deeper than [`DEPTH`], at this token.
    Depth(Span),
    /// Longer than [`TOKENS`].
    Tokens(Span),
}

/// The tokens of one group, and what has been counted in it.
struct Frame {
    tokens: proc_macro2::token_stream::IntoIter,
    /// Of everything around.
    around: usize,
    /// Since the last comma or the end of a statement.
    since: usize,
    /// Since the last end of a statement: commas do not end `A<B, C<D, ..>>` nor `|x, y| ..`.
    kept: usize,
    /// Whether the last token was a block, which may end a statement.
    after_block: bool,
    /// The character before, where it belongs to the same operator.
    joined: Option<char>,
}

impl Frame {
    fn new(tokens: TokenStream, around: usize) -> Frame {
        Frame {
            tokens: tokens.into_iter(),
            around,
            since: 0,
            kept: 0,
            after_block: false,
            joined: None,
        }
    }

    fn depth(&self) -> usize {
        self.around.saturating_add(self.since).saturating_add(self.kept)
    }

    fn punctuation(&mut self, letter: char) {
        match letter {
            ';' => (self.since, self.kept) = (0, 0),
            ',' => self.since = 0,
            ':' | '\'' | '#' | '$' => {}
            '>' if !matches!(self.joined, Some('-' | '=')) && self.kept > 0 => self.kept = self.kept.saturating_sub(1),
            '<' | '|' => self.kept = self.kept.saturating_add(1),
            _ => self.since = self.since.saturating_add(1),
        }
    }
}

/// How many `tokens` are, those in groups included.
pub(super) fn tokens(tokens: TokenStream) -> usize {
    let count = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => self::tokens(group.stream()).saturating_add(1),
        TokenTree::Punct(_) | TokenTree::Ident(_) | TokenTree::Literal(_) => 1,
    });
    count.sum()
}

/// Where `tokens` are beyond the limits.
pub(super) fn beyond(tokens: TokenStream) -> Option<Beyond> {
    let mut frames = vec![Frame::new(tokens, 0)];
    let mut count = 0_usize;
    while let Some(frame) = frames.last_mut() {
        let Some(token) = frame.tokens.next() else {
            frames.pop();
            continue;
        };
        let span = token.span();
        count = count.saturating_add(1);
        if count > TOKENS {
            return Some(Beyond::Tokens(span));
        }
        let after_block = std::mem::take(&mut frame.after_block);
        let joined = std::mem::take(&mut frame.joined);
        match token {
            TokenTree::Group(group) => {
                let deeper = frame.depth().saturating_add(1);
                if deeper > DEPTH {
                    return Some(Beyond::Depth(group.span_open()));
                }
                frame.after_block = group.delimiter() == Delimiter::Brace;
                frames.push(Frame::new(group.stream(), deeper));
                continue;
            }
            TokenTree::Punct(punct) => {
                frame.joined = joined;
                frame.punctuation(punct.as_char());
                frame.joined = (punct.spacing() == Spacing::Joint).then_some(punct.as_char());
            }
            TokenTree::Ident(ident) => {
                let word = ident.to_string();
                if after_block && word != "else" {
                    (frame.since, frame.kept) = (0, 0);
                }
                // None of them has one letter, as most names of variables have.
                if word.len() > 1 && WORDS.binary_search(&word.as_str()).is_ok() {
                    frame.since = frame.since.saturating_add(1);
                }
            }
            TokenTree::Literal(_) => {}
        }
        if frame.depth() > DEPTH {
            return Some(Beyond::Depth(span));
        }
    }
    None
}

/// `function` with nothing in its body, where it has one.
pub(super) fn without_body(function: TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = function.into_iter().collect();
    if let Some(TokenTree::Group(body)) = tokens.last_mut()
        && body.delimiter() == Delimiter::Brace
    {
        let span = body.span();
        *body = proc_macro2::Group::new(Delimiter::Brace, TokenStream::new());
        body.set_span(span);
    }
    tokens.into_iter().collect()
}

/// Whether every kernel among `tokens`, those of a file, is within the limits, so that the file can be parsed.
pub fn kernels_are_within_limits(tokens: TokenStream) -> bool {
    let mut open = vec![tokens];
    while let Some(tokens) = open.pop() {
        let mut kernel: Option<Vec<TokenTree>> = None;
        for token in tokens {
            if let TokenTree::Group(group) = &token {
                let names_kernel = group.delimiter() == Delimiter::Bracket
                    && group
                        .stream()
                        .into_iter()
                        .take(4)
                        .any(|token| token.to_string() == "kernel");
                match (&mut kernel, group.delimiter()) {
                    (None, Delimiter::Bracket) if names_kernel => kernel = Some(Vec::new()),
                    (None, Delimiter::Brace) => open.push(group.stream()),
                    _ => {}
                }
            }
            let Some(item) = &mut kernel else { continue };
            let ends = matches!(&token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
            item.push(token);
            if ends && beyond(std::mem::take(item).into_iter().collect()).is_some() {
                return false;
            }
            if ends {
                kernel = None;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_within(text: &str) -> bool {
        beyond(text.parse().unwrap()).is_none()
    }

    #[test]
    fn words_are_in_order() {
        assert!(WORDS.is_sorted());
    }

    #[test]
    fn what_follows_each_other_is_not_deep() {
        let statements =
            "T.copy(a[(by * 32, 0)], x); for k in 0..4 { T.clear(x); } if n > 2 { y } x[(i, j)] = -1.0; ".repeat(900);
        assert!(is_within(&statements));
        assert!(is_within(&"f(a + b, c < d && e, !x), ".repeat(100)));
        assert!(is_within(
            &"fn k<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, b: &mut Tensor<f32, 4>) { } ".repeat(200)
        ));
    }

    #[test]
    fn everything_that_nests_is_counted() {
        for (open, middle, close) in [
            ("(", "1", ")"),
            ("{", "1", "}"),
            ("[", "1", "]"),
            ("-", "1", ""),
            ("!", "1", ""),
            ("&", "1", ""),
            ("&mut ", "1", ""),
            ("*", "1", ""),
            ("a + ", "1", ""),
            ("a = ", "1", ""),
            ("A<", "B", ">"),
            ("A<u8, ", "B", ">"),
            ("|a, b| ", "1", ""),
            ("return ", "1", ""),
            ("if a { ", "1", " }"),
            ("if a {} else ", "{}", ""),
            ("if ", "a", " {}"),
            ("for k in 0..4 { ", "1;", " }"),
            ("x.exp()", "", ""),
            ("x as f32 ", "", ""),
            ("fn() -> ", "u8", ""),
        ] {
            let nested = |depth: usize| format!("{}{middle}{}", open.repeat(depth), close.repeat(depth));
            assert!(is_within(&nested(8)), "{}", nested(8));
            assert!(!is_within(&nested(DEPTH + 1)), "{}", nested(DEPTH + 1));
            assert!(!is_within(&nested(20_000)), "{open}");
        }
    }

    #[test]
    fn only_the_kernels_of_a_file_are_counted() {
        let file = |attribute: &str, depth: usize| {
            let body = format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
            let text =
                format!("mod m {{ #[allow(unused)] {attribute} pub fn k<const M: usize>() {{ {body} }} }} fn g() {{}}");
            kernels_are_within_limits(text.parse().unwrap())
        };
        assert!(file("#[tt::kernel]", 4) && file("#[tt::kernel(approx = true)]", 4) && file("", 1000));
        assert!(!file("#[tt::kernel]", 1000) && !file("#[kernel(approx = true)]", 1000));
    }
}
