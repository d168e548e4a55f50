//! The same model in plain loops over `f32`, a token at a time: what the device is held against.

use crate::weights::{HEAD, HEADS, HIDDEN, WIDTH, Weights};
use tt::bf16;

/// The model with the keys and values of the tokens that it has seen.
pub struct Reference {
    layers: Vec<Layer>,
    embedding: Vec<f32>,
    positions: Vec<f32>,
    norm: Vec<f32>,
    seen: usize,
}

/// The weights of a layer, and a row of keys and one of values for each token.
struct Layer {
    norm1: Vec<f32>,
    qkv: Vec<f32>,
    out: Vec<f32>,
    norm2: Vec<f32>,
    up: Vec<f32>,
    down: Vec<f32>,
    keys: Vec<[f32; WIDTH]>,
    values: Vec<[f32; WIDTH]>,
}

impl Reference {
    pub fn new(weights: &Weights) -> Reference {
        let count = weights.layers;
        let of = |all: &[bf16], layer: usize| {
            let each = all.len() / count;
            wide(&all[layer * each..][..each])
        };
        let layer = |at| Layer {
            norm1: of(&weights.norm1, at),
            qkv: of(&weights.qkv, at),
            out: of(&weights.out, at),
            norm2: of(&weights.norm2, at),
            up: of(&weights.up, at),
            down: of(&weights.down, at),
            keys: Vec::new(),
            values: Vec::new(),
        };
        Reference {
            layers: (0..count).map(layer).collect(),
            embedding: wide(&weights.embedding),
            positions: wide(&weights.positions),
            norm: wide(&weights.norm),
            seen: 0,
        }
    }

    /// The logits of the token after `token`.
    pub fn logits(&mut self, token: i32) -> Vec<f32> {
        let token = token as usize;
        let mut x: [f32; WIDTH] =
            std::array::from_fn(|c| self.embedding[token * WIDTH + c] + self.positions[self.seen * WIDTH + c]);
        for layer in &mut self.layers {
            layer.attend(&mut x);
            layer.mlp(&mut x);
        }
        self.seen += 1;
        let x = normed(&x, &self.norm);
        self.embedding.chunks(WIDTH).map(|row| dot(row, &x)).collect()
    }

    /// The tokens that follow `prompt`, the likeliest each time, and the logits that said so.
    pub fn generate(weights: &Weights, prompt: &[i32], count: usize) -> Vec<(i32, Vec<f32>)> {
        let mut model = Reference::new(weights);
        let mut generated: Vec<(i32, Vec<f32>)> = Vec::new();
        let mut logits = Vec::new();
        for token in prompt {
            logits = model.logits(*token);
        }
        while generated.len() < count {
            let token = largest(&logits) as i32;
            generated.push((token, logits));
            logits = model.logits(token);
        }
        generated
    }

    /// How far the largest logit is above the second one.
    pub fn lead(logits: &[f32]) -> f32 {
        let best = largest(logits);
        let others = logits.iter().enumerate().filter(|(at, _)| *at != best);
        logits[best] - others.map(|(_, logit)| *logit).fold(f32::NEG_INFINITY, f32::max)
    }
}

impl Layer {
    fn attend(&mut self, x: &mut [f32; WIDTH]) {
        let of_all = product(&normed(x, &self.norm1), &self.qkv, 3 * WIDTH);
        let part = |at: usize| std::array::from_fn::<f32, WIDTH, _>(|c| of_all[at * WIDTH + c]);
        let queries = part(0);
        self.keys.push(part(1));
        self.values.push(part(2));
        let mut attended = [0.0; WIDTH];
        for head in 0..HEADS {
            let columns = head * HEAD..(head + 1) * HEAD;
            let score =
                |key: &[f32; WIDTH]| dot(&queries[columns.clone()], &key[columns.clone()]) / (HEAD as f32).sqrt();
            let scores: Vec<f32> = self.keys.iter().map(score).collect();
            let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let shares: Vec<f32> = scores.iter().map(|score| (score - most).exp()).collect();
            let total: f32 = shares.iter().sum();
            for (share, value) in shares.iter().zip(&self.values) {
                for c in columns.clone() {
                    attended[c] += share / total * value[c];
                }
            }
        }
        add(x, &product(&attended, &self.out, WIDTH));
    }

    fn mlp(&self, x: &mut [f32; WIDTH]) {
        let mut hidden = product(&normed(x, &self.norm2), &self.up, HIDDEN);
        for value in &mut hidden {
            *value = gelu(*value);
        }
        add(x, &product(&hidden, &self.down, WIDTH));
    }
}

fn wide(values: &[bf16]) -> Vec<f32> {
    values.iter().map(|value| value.to_f32()).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A row times a matrix of so many columns.
fn product(row: &[f32], matrix: &[f32], columns: usize) -> Vec<f32> {
    let mut sums = vec![0.0; columns];
    for (factor, weights) in row.iter().zip(matrix.chunks(columns)) {
        for (sum, weight) in sums.iter_mut().zip(weights) {
            *sum += factor * weight;
        }
    }
    sums
}

fn add(x: &mut [f32; WIDTH], more: &[f32]) {
    for (value, more) in x.iter_mut().zip(more) {
        *value += more;
    }
}

fn normed(x: &[f32; WIDTH], gain: &[f32]) -> [f32; WIDTH] {
    let mean = x.iter().sum::<f32>() / WIDTH as f32;
    let variance = x.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / WIDTH as f32;
    std::array::from_fn(|c| (x[c] - mean) / (variance + 1e-5).sqrt() * gain[c])
}

fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + ((2.0 / std::f32::consts::PI).sqrt() * (x + 0.044715 * x.powi(3))).tanh())
}

/// The place of the largest, the first where several are.
fn largest(values: &[f32]) -> usize {
    (0..values.len()).fold(0, |best, at| if values[at] > values[best] { at } else { best })
}
