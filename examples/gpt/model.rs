//! The model on the device: its weights, uploaded once, and the cache.

use crate::kernels::layer;
use crate::weights::{HEAD, HEADS, HIDDEN, WIDTH, Weights};
use std::time::{Duration, Instant};
use tt::RunCounters;
use tt::prelude::*;

pub struct Model<'d> {
    device: &'d Device,
    layers: usize,
    embedding: Tensor<bf16, 2>,
    positions: Tensor<bf16, 2>,
    norm1: Tensor<bf16, 3>,
    qkv: Tensor<bf16, 3>,
    out: Tensor<bf16, 3>,
    norm2: Tensor<bf16, 3>,
    up: Tensor<bf16, 3>,
    down: Tensor<bf16, 3>,
    norm: Tensor<bf16, 2>,
    x: Tensor<f32, 2>,
    keys: Tensor<f32, 4>,
    values: Tensor<f32, 4>,
    logits: Tensor<f32, 2>,
    next: Tensor<i32, 1>,
    /// How many tokens the cache holds.
    seen: usize,
    /// What the launches so far took.
    pub took: Took,
}

/// The stages of a launch in order, products by the name of their weights; the first is that of the first layer alone, and the last
/// that of the last one.
const STAGES: [&str; 6] = ["embedding", "attention", "out", "up", "down", "next token"];

/// What launches took of the host.
#[derive(Default)]
pub struct Took {
    /// How many tokens came of them.
    pub tokens: u32,
    pub launches: u32,
    /// Until the host had them in the device's queue.
    pub enqueuing: Duration,
    /// Until it had the next token.
    pub all: Duration,
}

impl<'d> Model<'d> {
    pub fn new(device: &'d Device, weights: &Weights) -> tt::Result<Model<'d>> {
        let (layers, context, tokens) = (weights.layers, weights.context, weights.alphabet.len());
        let cache = || device.zeros::<f32>([layers, HEADS, context, HEAD]);
        Ok(Model {
            device,
            layers,
            embedding: device.upload(&weights.embedding, [tokens, WIDTH])?,
            positions: device.upload(&weights.positions, [context, WIDTH])?,
            norm1: device.upload(&weights.norm1, [layers, 1, WIDTH])?,
            qkv: device.upload(&weights.qkv, [layers, WIDTH, 3 * WIDTH])?,
            out: device.upload(&weights.out, [layers, WIDTH, WIDTH])?,
            norm2: device.upload(&weights.norm2, [layers, 1, WIDTH])?,
            up: device.upload(&weights.up, [layers, WIDTH, HIDDEN])?,
            down: device.upload(&weights.down, [layers, HIDDEN, WIDTH])?,
            norm: device.upload(&weights.norm, [1, WIDTH])?,
            x: device.zeros([32, WIDTH])?,
            keys: cache()?,
            values: cache()?,
            logits: device.zeros::<f32>([1, tokens])?,
            next: device.zeros::<i32>([1])?,
            seen: 0,
            took: Took::default(),
        })
    }

    /// The token after `tokens`, which come after all that the model has seen: a launch a layer, and one integer back.
    pub fn next(&mut self, tokens: &[i32]) -> tt::Result<i32> {
        let start = Instant::now();
        let enqueuing = self.through_layers(tokens, |launch| {
            let start = Instant::now();
            launch.enqueue()?;
            Ok(start.elapsed())
        })?;
        let next = self.next.download()?[0];
        self.took.all += start.elapsed();
        self.took.tokens += 1;
        self.took.launches += self.layers as u32;
        self.took.enqueuing += enqueuing.iter().sum::<Duration>();
        Ok(next)
    }

    /// As [`Model::next`], with what each stage did in all layers together.
    pub fn stages(&mut self, tokens: &[i32]) -> tt::Result<Vec<(&'static str, RunCounters)>> {
        let mut sums: Vec<(&str, RunCounters)> = STAGES.map(|name| (name, RunCounters::default())).into();
        let profiles = self.through_layers(tokens, |launch| launch.profile())?;
        for (at, profile) in profiles.iter().enumerate() {
            let first = usize::from(at > 0);
            for ((_, sum), stage) in sums[first..].iter_mut().zip(&profile.stages) {
                sum.add(stage);
            }
        }
        Ok(sums)
    }

    /// What the last token was chosen by.
    pub fn logits(&self) -> tt::Result<Vec<f32>> {
        self.logits.download()
    }

    fn through_layers<R>(
        &mut self,
        tokens: &[i32],
        launched: impl Fn(tt::Launch<'_>) -> tt::Result<R>,
    ) -> tt::Result<Vec<R>> {
        let count = tokens.len();
        let tokens = self.device.upload(tokens, [count])?;
        let results = (0..self.layers as u32).map(|at| {
            launched(layer(
                at,
                self.seen as u32,
                &tokens,
                &self.embedding,
                &self.positions,
                &self.norm1,
                &self.qkv,
                &self.out,
                &self.norm2,
                &self.up,
                &self.down,
                &self.norm,
                &mut self.x,
                &mut self.keys,
                &mut self.values,
                &mut self.logits,
                &mut self.next,
            ))
        });
        let results = results.collect();
        self.seen += count;
        results
    }
}
