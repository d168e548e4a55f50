//! The weights and the alphabet, part of the program. README.md has the layout of the file.

use tt::bf16;

/// A head of attention is a tile wide, which the kernel counts on.
pub const HEAD: usize = 32;
/// Columns of the residual stream, of the hidden units and of the heads together, as the kernel has them.
pub const WIDTH: usize = 128;
/// Heads of a layer.
pub const HEADS: usize = WIDTH / HEAD;
/// Hidden units of a layer.
pub const HIDDEN: usize = 4 * WIDTH;
const TOKENS: usize = 64;

/// Matrices are row-major and stand right of what they are multiplied with; those of all layers lie one after the other.
pub struct Weights {
    pub layers: usize,
    /// How many tokens the model can look back on.
    pub context: usize,
    /// The character that each token stands for.
    pub alphabet: Vec<char>,
    pub embedding: Vec<bf16>,
    pub positions: Vec<bf16>,
    pub norm1: Vec<bf16>,
    pub qkv: Vec<bf16>,
    pub out: Vec<bf16>,
    pub norm2: Vec<bf16>,
    pub up: Vec<bf16>,
    pub down: Vec<bf16>,
    pub norm: Vec<bf16>,
}

impl Weights {
    /// Reads weights.bin.
    pub fn read() -> Result<Weights, String> {
        Weights::parse(include_bytes!("weights.bin"))
            .ok_or_else(|| "weights.bin is not what train.py writes".to_string())
    }

    fn parse(bytes: &[u8]) -> Option<Weights> {
        let (header, rest) = bytes.split_first_chunk::<32>()?;
        let (characters, rest) = rest.split_first_chunk::<TOKENS>()?;
        let word =
            |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]) as usize;
        let (layers, context) = (word(8), word(20));
        let is_ours = header[..8] == *b"TTGPT\0\0\x01" && [word(12), word(16), word(24)] == [WIDTH, HEADS, TOKENS];
        let alphabet: Vec<char> = characters
            .iter()
            .take_while(|c| **c != 0)
            .map(|c| char::from(*c))
            .collect();
        let values: Vec<bf16> = rest
            .chunks_exact(2)
            .map(|pair| bf16::from_le_bytes([pair[0], pair[1]]))
            .collect();
        let mut arrays = values.as_slice();
        let mut take = |count: usize| {
            let (array, rest) = arrays.split_at_checked(count)?;
            arrays = rest;
            Some(array.to_vec())
        };
        // The rows behind those of the alphabet stand for nothing.
        let mut embedding = take(TOKENS * WIDTH)?;
        embedding.truncate(alphabet.len() * WIDTH);
        let weights = Weights {
            layers,
            context,
            alphabet,
            embedding,
            positions: take(context * WIDTH)?,
            norm1: take(layers * WIDTH)?,
            qkv: take(layers * WIDTH * 3 * WIDTH)?,
            out: take(layers * WIDTH * WIDTH)?,
            norm2: take(layers * WIDTH)?,
            up: take(layers * WIDTH * HIDDEN)?,
            down: take(layers * HIDDEN * WIDTH)?,
            norm: take(WIDTH)?,
        };
        (is_ours && arrays.is_empty()).then_some(weights)
    }

    /// The tokens of a text, if its characters are in the alphabet.
    pub fn tokens(&self, text: &str) -> Option<Vec<i32>> {
        let token = |c| self.alphabet.iter().position(|own| *own == c);
        text.chars().map(|c| token(c).map(|token| token as i32)).collect()
    }

    /// What a token stands for.
    pub fn character(&self, token: i32) -> char {
        let found = usize::try_from(token).ok().and_then(|at| self.alphabet.get(at));
        found.copied().unwrap_or(char::REPLACEMENT_CHARACTER)
    }
}
