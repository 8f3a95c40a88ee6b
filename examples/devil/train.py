#!/usr/bin/env python3
"""Trains a small character model on The Devil's Dictionary, and records it on a page that it has not seen.

    apt-get install python3-torch libopenblas0 dict-devil
    train.py [--text FILE] [--steps 2000] [--seed 1] [--directory DIR]

model.safetensors   3 layers of 4 heads of 16, d = 64, names and layout of minGPT and nanoGPT: pre-LN, biases, learned positions
page.safetensors    the first 512 characters of the entry LOGIC, 16 windows of 32, which were held out of training:
                    layers.N.x (16, 32, 64), the stream that enters block N, ln1, that of block 0 normed, and
                    layers.N.q, .k, .v (16, 4, 32, 16) as they enter attention, all in binary32
tokens.json         its characters, for `attest audit --tokens`

The text, by Ambrose Bierce (1842-1914), is in the public domain; FILE is dict-devil's devil.dict.dz, or plain text. Everything is
seeded: the same version of PyTorch on the same kind of processor repeats every bit, others the loss to about a hundredth."""
import argparse
import gzip
import importlib.util
import json
import math
import os
import re

import torch
from torch import nn
from torch.nn import functional

LAYERS, HEADS, DIM, CONTEXT = 3, 4, 64, 64
WINDOWS, WINDOW = 16, 32
PAGE = "LOGIC, n."


def recorder():
    """examples/record-qkv.py, whose name no import statement can say."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "record-qkv.py")
    spec = importlib.util.spec_from_file_location("record_qkv", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def attention(q, k, v):
    if hasattr(functional, "scaled_dot_product_attention"):
        return functional.scaled_dot_product_attention(q, k, v, None, 0.0, True)
    return functional._scaled_dot_product_attention(q, k, v, None, 0.0, False, True)[0]  # PyTorch 1.13


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.c_attn = nn.Linear(DIM, 3 * DIM)
        self.c_proj = nn.Linear(DIM, DIM)

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = (part.view(batch, length, HEADS, -1).transpose(1, 2) for part in self.c_attn(x).split(DIM, 2))
        return self.c_proj(attention(q, k, v).transpose(1, 2).reshape(batch, length, DIM))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.attn, self.ln_2 = nn.LayerNorm(DIM), Attention(), nn.LayerNorm(DIM)
        self.mlp = nn.ModuleDict({"c_fc": nn.Linear(DIM, 4 * DIM), "c_proj": nn.Linear(4 * DIM, DIM)})

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp.c_proj(functional.gelu(self.mlp.c_fc(self.ln_2(x))))


class Model(nn.Module):
    def __init__(self, characters):
        super().__init__()
        self.transformer = nn.ModuleDict({
            "wte": nn.Embedding(characters, DIM), "wpe": nn.Embedding(CONTEXT, DIM),
            "h": nn.ModuleList(Block() for _ in range(LAYERS)), "ln_f": nn.LayerNorm(DIM)})
        self.lm_head = nn.Linear(DIM, characters, bias=False)
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                nn.init.normal_(weight, std=0.02 / math.sqrt(2 * LAYERS) if name.endswith("c_proj.weight") else 0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(weight)

    def forward(self, ids):
        parts = self.transformer
        x = parts.wte(ids) + parts.wpe(torch.arange(ids.shape[1]))
        for block in parts.h:
            x = block(x)
        return self.lm_head(parts.ln_f(x))

    def loss(self, windows):
        """Nats per character; windows are one character longer than what is read."""
        return functional.cross_entropy(self(windows[:, :-1]).flatten(0, 1), windows[:, 1:].flatten())


def read_text(path):
    """The definitions, without the preface, and apart from them the page."""
    with open(path, "rb") as file:
        data = file.read()
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("ascii")
    text = text[text.index("\nABASEMENT, n.") + 1:]
    start = text.index("\n" + PAGE) + 1
    end = start + re.search(r"\n\n[A-Z]", text[start:]).start() + 1
    return text[:start] + text[end:], text[start:end]


def windows_at(ids, starts, length):
    return torch.stack([ids[start:start + length + 1] for start in starts])


def train(model, ids, steps, source):
    optimiser = torch.optim.AdamW(model.parameters(), lr=1.0, betas=(0.9, 0.99), weight_decay=0.1)
    for step in range(steps):
        rate = 3e-3 * min(1, (step + 1) / 100) * (0.55 + 0.45 * math.cos(math.pi * step / steps))
        optimiser.param_groups[0]["lr"] = rate
        starts = torch.randint(len(ids) - CONTEXT, (32,), generator=source)
        loss = model.loss(windows_at(ids, starts.tolist(), CONTEXT))
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if step % 200 == 199:
            print(f"step {step + 1}: {loss.item():.3f}", flush=True)


def measure(model, ids):
    """The loss on a whole text, read in windows of the context that do not overlap."""
    with torch.no_grad():
        return model.loss(windows_at(ids, range(0, len(ids) - CONTEXT, CONTEXT), CONTEXT)).item()


def record(model, ids, path, metadata):
    """The page as it goes through every block."""
    tool, tensors = recorder(), {}

    def keep(name, before):
        def hook(_, inputs, output):
            tensors[name] = (inputs[0] if before else output).detach().clone()
        return hook

    for number, block in enumerate(model.transformer.h):
        block.register_forward_hook(keep(f"layers.{number}.x", True))
    model.transformer.h[0].ln_1.register_forward_hook(keep("ln1", False))
    with torch.no_grad(), tool.record(path, tensors, metadata):
        model(ids.view(WINDOWS, WINDOW))


def main():
    parser = argparse.ArgumentParser(description="trains a small character model")
    parser.add_argument("--text", default="/usr/share/dictd/devil.dict.dz")
    parser.add_argument("--directory", "--folder", default=".")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)
    text, page = read_text(arguments.text)
    characters = "".join(sorted(set(text + page)))
    encode = {character: number for number, character in enumerate(characters)}
    ids = torch.tensor([encode[character] for character in text])
    held_out = torch.tensor([encode[character] for character in page])
    model = Model(len(characters))
    train(model, ids, arguments.steps, torch.Generator().manual_seed(arguments.seed))
    losses = f"{measure(model, ids):.3f} on the text, {measure(model, held_out):.3f} on the page"
    print(f"nats per character: {losses}")
    metadata = {"text": page[:WINDOWS * WINDOW], "loss": losses, "seed": str(arguments.seed), "steps": str(arguments.steps)}
    with open(os.path.join(arguments.directory, "tokens.json"), "w", encoding="ascii") as file:
        windows = [json.dumps(list(page[i:i + WINDOW])) for i in range(0, WINDOWS * WINDOW, WINDOW)]
        file.write('{"tokens": [' + ",\n ".join(windows) + "]}")
    recorder().write(os.path.join(arguments.directory, "model.safetensors"), model.state_dict(), {**metadata, "characters": characters})
    record(model, held_out[:WINDOWS * WINDOW], os.path.join(arguments.directory, "page.safetensors"), metadata)


if __name__ == "__main__":
    main()
