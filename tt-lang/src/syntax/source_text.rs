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

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::source_text;

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
}
