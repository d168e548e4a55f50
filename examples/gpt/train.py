"""Trains the transformer of this example on the King James Bible and writes `weights.bin`.

    apt-get download bible-kjv-text=4.38
    python3 train.py bible-kjv-text_4.38_all.deb            (torch, `dpkg-deb` and `gzip` are all it needs)

A GPT over characters: learned positions, four layers of causal attention and an MLP with GELU, each behind a layer norm, and
logits by the table of embeddings. Muon for the matrices of the layers and Adam for the rest, on the cross-entropy, in f32; the file
keeps bf16. The seed is fixed: the same torch on the same machine gives the same file. README.md gives the layout of `weights.bin`
and what this printed.
"""

import hashlib
import math
import pathlib
import struct
import subprocess
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

PACKAGE_SHA256 = "d61b6aad4c51ba9e2800b825325fa6a09e99a0d02a9bb6dc4724fcc4995a1b7a"
LAYERS, WIDTH, HEADS, CONTEXT, TOKENS = 4, 128, 4, 256, 64
SEED = 1611
STEPS, WARM_UP, BATCH = 1800, 50, 8
RATE_OF_MATRICES, RATE_OF_OTHERS = 0.02, 3e-3
HELD_OUT = 100_000  # characters at the end
HERE = pathlib.Path(__file__).resolve().parent


def text(package):
    """The verses, one a line, without the names of books and the numbers of chapters and verses."""
    data = pathlib.Path(package).read_bytes()
    assert hashlib.sha256(data).hexdigest() == PACKAGE_SHA256, "another package than the one that is pinned"
    archive = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], check=True, capture_output=True).stdout
    tar = ["tar", "-xO", "./usr/lib/bible.data"]
    packed = subprocess.run(tar, input=archive, check=True, capture_output=True).stdout
    start = packed.index(b"\x1f\x9d")  # one stream of compress(1) behind a header
    lines = subprocess.run(["gzip", "-dc"], input=packed[start:], check=True, capture_output=True).stdout
    verses = lines.decode("ascii").splitlines()[1:]
    return "".join(verse.split(" ", 1)[1] + "\n" for verse in verses)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = (nn.LayerNorm(WIDTH, bias=False) for _ in range(2))
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)
        self.up = nn.Linear(WIDTH, 4 * WIDTH, bias=False)
        self.down = nn.Linear(4 * WIDTH, WIDTH, bias=False)

    def forward(self, x):
        batch, length, _ = x.shape
        heads = self.qkv(self.norm1(x)).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(*heads, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.position = nn.Embedding(TOKENS, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH, bias=False)
        for name, weights in self.named_parameters():
            if weights.ndim == 2:
                into_residual = name.endswith(("out.weight", "down.weight"))
                nn.init.normal_(weights, std=0.02 / math.sqrt(2 * LAYERS) if into_residual else 0.02)

    def forward(self, tokens):
        x = self.embedding(tokens) + self.position.weight[: tokens.shape[1]]
        for layer in self.layers:
            x = layer(x)
        return self.norm(x) @ self.embedding.weight.T


def loss(model, windows):
    logits = model(windows[:, :-1])
    return F.cross_entropy(logits.reshape(-1, TOKENS), windows[:, 1:].reshape(-1))


def held_out_loss(model, tokens):
    with torch.no_grad():
        parts = tokens.unfold(0, CONTEXT + 1, CONTEXT).split(32)
        return sum(loss(model, part).item() * len(part) for part in parts) / sum(len(part) for part in parts)


def train(tokens):
    model = Gpt()
    matrices = [w for w in model.layers.parameters() if w.ndim == 2]
    others = [w for w in model.parameters() if not any(w is matrix for matrix in matrices)]
    optimizers = [
        (torch.optim.Muon(matrices, weight_decay=0.01), RATE_OF_MATRICES),
        (torch.optim.AdamW(others, betas=(0.9, 0.99), weight_decay=0.0), RATE_OF_OTHERS),
    ]
    start = time.monotonic()
    for step in range(STEPS):
        share = min((step + 1) / WARM_UP, 1.0, (STEPS - step) / (0.4 * STEPS))
        at = torch.randint(len(tokens) - CONTEXT, (BATCH, 1))
        current = loss(model, tokens[at + torch.arange(CONTEXT + 1)])
        model.zero_grad()
        current.backward()
        for optimizer, rate in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate * share
            optimizer.step()
        if step % 200 == 0:
            print(f"step {step}: loss {current.item():.3f} after {time.monotonic() - start:.0f} s", flush=True)
    print(f"{STEPS} steps of {BATCH} x {CONTEXT} characters in {time.monotonic() - start:.0f} s", flush=True)
    return model


def arrays(model):
    """The weights in the order of the file; matrices as `x · w` has them, all layers of a kind one after the other."""
    yield model.embedding.weight
    yield model.position.weight
    for kind in ("norm1", "qkv", "out", "norm2", "up", "down"):
        of_layers = torch.stack([getattr(layer, kind).weight for layer in model.layers])
        yield of_layers.mT if of_layers.ndim == 3 else of_layers
    yield model.norm.weight


def write(model, alphabet, path):
    header = b"TTGPT\0\0\1" + struct.pack("<6I", LAYERS, WIDTH, HEADS, CONTEXT, TOKENS, 0)
    body = b"".join(w.detach().bfloat16().contiguous().view(torch.int16).numpy().astype("<i2").tobytes() for w in arrays(model))
    path.write_bytes(header + alphabet.encode("ascii").ljust(TOKENS, b"\0") + body)


def main():
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    characters = text(sys.argv[1])
    alphabet = "".join(sorted(set(characters)))
    assert len(alphabet) <= TOKENS
    tokens = torch.tensor([alphabet.index(c) for c in alphabet])[[alphabet.index(c) for c in characters]]
    print(f"{len(characters)} characters, {len(alphabet)} different ones", flush=True)
    model = train(tokens[:-HELD_OUT])
    count = sum(w.numel() for w in model.parameters())
    print(f"{count} parameters; held out {HELD_OUT} characters: loss {held_out_loss(model, tokens[-HELD_OUT:]):.3f} in f32", flush=True)
    with torch.no_grad():
        for weights in model.parameters():
            weights.copy_(weights.bfloat16().float())
    print(f"with weights rounded to bf16: {held_out_loss(model, tokens[-HELD_OUT:]):.3f}")
    write(model, alphabet, HERE / "weights.bin")


if __name__ == "__main__":
    main()
