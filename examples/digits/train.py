"""Trains the two-layer perceptron of this example on the digits beside it and writes `weights.bin`.

    python3 train.py            (numpy is all it needs)

64 pixels -> 128 hidden units with ReLU -> 10 classes, in f32, by Adam on the cross-entropy. Image number i of the file is held
out where i mod 18 < 5, which is 500 of the 1,797: the example reports its accuracy on those, and the training here
never sees them. The seed is fixed: the same numpy on the same machine gives the same file.
README.md gives the layout of `weights.bin`.
"""

import pathlib
import struct

import numpy as np

PIXELS, HIDDEN, CLASSES = 64, 128, 10
HELD_OUT = (5, 18)  # the first 5 of every 18 images
SEED = 1998
EPOCHS, BATCH = 150, 32
LEARNING_RATE, WEIGHT_DECAY = 5e-3, 1e-2
HERE = pathlib.Path(__file__).resolve().parent


def bf16(values):
    """The values rounded to bfloat16, nearest even, as their upper 16 bits."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + (0x7FFF + ((bits >> 16) & 1)).astype(np.uint32)) >> 16).astype("<u2")


def rounded(values):
    """The values rounded to bfloat16, as f32."""
    return (bf16(values).astype(np.uint32) << 16).view(np.float32)


def shifted(images, rng):
    """The images, each moved by at most one pixel up, down, left or right: handwriting does not sit still."""
    padded = np.pad(images.reshape(-1, 8, 8), ((0, 0), (1, 1), (1, 1)))
    down, right = rng.choice(3, size=(2, len(images)), p=(0.1, 0.8, 0.1))
    rows = down[:, None, None] + np.arange(8)[None, :, None]
    columns = right[:, None, None] + np.arange(8)[None, None, :]
    return padded[np.arange(len(images))[:, None, None], rows, columns].reshape(-1, PIXELS)


def forward(weights, x, cut=lambda values: values):
    """Hidden activations and logits; `cut` is applied to whatever the device keeps in bf16."""
    w1, b1, w2, b2 = (cut(w) for w in weights)
    hidden = cut(np.maximum(cut(x) @ w1 + b1, 0))
    return hidden, cut(hidden @ w2 + b2)


def accuracy(weights, x, labels, cut=lambda values: values):
    return np.mean(forward(weights, x, cut)[1].argmax(axis=1) == labels)


def gradients(weights, x, labels):
    hidden, logits = forward(weights, x)
    logits = logits - logits.max(axis=1, keepdims=True)
    d_logits = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    d_logits[np.arange(len(x)), labels] -= 1
    d_logits /= np.float32(len(x))
    d_hidden = (d_logits @ weights[2].T) * (hidden > 0)
    return x.T @ d_hidden, d_hidden.sum(axis=0), hidden.T @ d_logits, d_logits.sum(axis=0)


def train(images, labels):
    rng = np.random.default_rng(SEED)
    weights = [
        (rng.standard_normal((PIXELS, HIDDEN)) * np.sqrt(2 / PIXELS)).astype(np.float32),
        np.zeros(HIDDEN, np.float32),
        (rng.standard_normal((HIDDEN, CLASSES)) * np.sqrt(2 / HIDDEN)).astype(np.float32),
        np.zeros(CLASSES, np.float32),
    ]
    first, second, step = [np.zeros_like(w) for w in weights], [np.zeros_like(w) for w in weights], 0
    steps = EPOCHS * -(-len(images) // BATCH)
    for _ in range(EPOCHS):
        order = rng.permutation(len(images))
        moved = shifted(images, rng)
        for start in range(0, len(images), BATCH):
            batch = order[start : start + BATCH]
            step += 1
            rate = np.float32(LEARNING_RATE * 0.5 * (1 + np.cos(np.pi * step / steps)))
            for w, m, v, g in zip(weights, first, second, gradients(weights, moved[batch], labels[batch])):
                m += np.float32(0.1) * (g - m)
                v += np.float32(0.001) * (g * g - v)
                w -= rate * (m / np.float32(1 - 0.9**step)) / (np.sqrt(v / np.float32(1 - 0.999**step)) + np.float32(1e-8))
                if w.ndim == 2:
                    w -= rate * np.float32(WEIGHT_DECAY) * w
    return weights


def write(weights, path):
    """The four arrays in order, each row-major in little-endian bf16, behind a header of 32 bytes."""
    header = b"TTMLP\0\0\1" + struct.pack("<6I", PIXELS, HIDDEN, CLASSES, 0, 0, 0)
    path.write_bytes(header + b"".join(bf16(w).tobytes() for w in weights))


def main():
    table = np.loadtxt(HERE / "digits.csv", delimiter=",", dtype=np.float32)
    images, labels = table[:, :PIXELS] / np.float32(16), table[:, PIXELS].astype(int)
    held = np.arange(len(images)) % HELD_OUT[1] < HELD_OUT[0]
    weights = train(images[~held], labels[~held])
    write(weights, HERE / "weights.bin")
    for name, part in (("trained on", ~held), ("held out", held)):
        in_f32 = accuracy(weights, images[part], labels[part])
        in_bf16 = accuracy(weights, images[part], labels[part], rounded)
        print(f"{name} {part.sum()} images: accuracy {in_f32:.4f} in f32, {in_bf16:.4f} in bf16")


if __name__ == "__main__":
    main()
