//! Tokens as messages show them: spaced as a person would, whatever the tokens' own printer does.

use quote::ToTokens;

/// The text of `node` on one line.
pub(super) fn source_text(node: &(impl ToTokens + ?Sized)) -> String {
    let text = node.to_token_stream().to_string();
    let letters: Vec<char> = text.chars().collect();
    let mut shown = String::new();
    for (position, &letter) in letters.iter().enumerate() {
        let before = shown.chars().next_back();
        if letter.is_whitespace() {
            let next = letters[position..].iter().copied().find(|c| !c.is_whitespace());
            if before.is_some_and(in_word) && next.is_some_and(in_word) {
                shown.push(' ');
            }
            continue;
        }
        let operand_before = before.is_some_and(|c| in_word(c) || matches!(c, ')' | ']'));
        match letter {
            ',' | ';' => {
                shown.push(letter);
                shown.push(' ');
            }
            '+' | '*' | '/' | '%' | '-' if operand_before => {
                shown.push(' ');
                shown.push(letter);
                shown.push(' ');
            }
            _ => shown.push(letter),
        }
    }
    shown.trim().to_string()
}

/// Operators of conditions, those that others begin with last.
const OPERATORS: [&str; 10] = ["&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "<", ">"];

/// The text of a condition, in which no type has arguments.
pub(super) fn condition_text(node: &(impl ToTokens + ?Sized)) -> String {
    let text = source_text(node);
    let (mut shown, mut rest) = (String::new(), text.as_str());
    while let Some(letter) = rest.chars().next() {
        let operator = OPERATORS.into_iter().find(|operator| rest.starts_with(operator));
        match operator {
            Some(operator) => {
                shown = format!("{} {operator} ", shown.trim_end());
                rest = rest[operator.len()..].trim_start();
            }
            None => {
                shown.push(letter);
                rest = &rest[letter.len_utf8()..];
            }
        }
    }
    shown
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::{condition_text, source_text};

    #[test]
    fn tokens_are_spaced_as_a_person_would() {
        for text in [
            "n * 2 + -1",
            "Vec<f32>",
            "&mut Tensor<bf16, M, 64>",
            "[f32; 4]",
            "(by + 1) * 32",
            "bx as f32",
            "a[(i, j)].exp()",
            "std::f32::consts::PI",
        ] {
            let tokens: proc_macro2::TokenStream = text.parse().expect("tokens");
            assert_eq!(source_text(&tokens), text);
        }
    }

    #[test]
    fn conditions_have_their_operators_between_spaces() {
        for text in [
            "n > 0",
            "!(a <= b && b * 2 != -1) || alpha as f32 < 0.5",
            "n.min(4) == k << 2",
        ] {
            let tokens: proc_macro2::TokenStream = text.parse().expect("tokens");
            assert_eq!(condition_text(&tokens), text);
        }
    }
}
