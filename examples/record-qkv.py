#!/usr/bin/env python3
"""Records queries, keys and values of a PyTorch model, layer by layer, for `attest heads` and `attest judge`.

In a program of your own, around any model whose attention is torch.nn.functional.scaled_dot_product_attention:

    from importlib import import_module
    record = import_module("record-qkv").record
    with record("recorded.safetensors"):
        model(inputs)

From the command line, for a model of the transformers package:

    record-qkv.py MODEL "some text" recorded.safetensors
    attest heads recorded.safetensors --q 'layers.{}.q' --k 'layers.{}.k' --v 'layers.{}.v' --causal --all --report heads.html

Every call is a layer: tensors layers.N.q, layers.N.k, layers.N.v as they enter attention, positions applied, not yet scaled, and
layers.N.mask where one is given. What is written is what the model computed, bit for bit. Needs torch alone."""
import contextlib
import json
import struct
import sys

import torch

TYPES = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.bool: "BOOL"}
# PyTorch 2 has the first, 1.13 the second; the place of is_causal behind the mask.
FUNCTIONS = {"scaled_dot_product_attention": 1, "_scaled_dot_product_attention": 2}


def raw(tensor):
    """The bytes of a tensor, the last index fastest."""
    tensor = tensor.detach().cpu().contiguous()
    if tensor.dtype is torch.bool:
        return bytes(tensor.flatten().to(torch.uint8).tolist())
    width = {torch.float64: torch.int64, torch.float32: torch.int32}.get(tensor.dtype, torch.int16)
    code = {torch.int64: "q", torch.int32: "i", torch.int16: "h"}[width]
    bits = tensor.flatten().view(width).tolist()
    return struct.pack(f"<{len(bits)}{code}", *bits)


def write(path, tensors, metadata=None):
    """A safetensors file of {name: tensor}, and of strings that say what they are."""
    header, end = {"__metadata__": metadata} if metadata else {}, 0
    pieces = {name: raw(tensor) for name, tensor in tensors.items()}
    for name, tensor in tensors.items():
        header[name] = {"dtype": TYPES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [end, end + len(pieces[name])]}
        end += len(pieces[name])
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(pieces.values()))


@contextlib.contextmanager
def record(path, tensors=None, metadata=None):
    """Records every call of attention inside the block, and writes the file at its end, with what the caller has put into tensors.
    Yields what was seen of the calls."""
    functional, tensors, calls = torch.nn.functional, {} if tensors is None else tensors, []

    def wrap(function, place):
        def attention(query, key, value, attn_mask=None, *rest, **named):
            layer = f"layers.{len(calls)}."
            for name, tensor in (("q", query), ("k", key), ("v", value), ("mask", attn_mask)):
                if tensor is not None:
                    tensors[layer + name] = tensor.detach().clone()
            calls.append({"causal": bool(named.get("is_causal", rest[place] if len(rest) > place else False)), "mask": attn_mask is not None,
                          "scale": named.get("scale")})
            return function(query, key, value, attn_mask, *rest, **named)
        return attention

    kept = {name: getattr(functional, name) for name in FUNCTIONS if hasattr(functional, name)}
    for name, function in kept.items():
        setattr(functional, name, wrap(function, FUNCTIONS[name]))
    try:
        yield calls
    finally:
        for name, function in kept.items():
            setattr(functional, name, function)
    if not calls:
        raise RuntimeError("the model did not call scaled_dot_product_attention: load it with attn_implementation='sdpa'")
    write(path, tensors, metadata)


def main(name, text, path):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokens = AutoTokenizer.from_pretrained(name)(text, return_tensors="pt")
    model = AutoModelForCausalLM.from_pretrained(name, attn_implementation="sdpa").eval()
    with torch.no_grad(), record(path) as calls:
        model(**tokens)
    masked = all(call["mask"] for call in calls)
    options = " --mask 'layers.{}.mask'" if masked else " --causal" if all(call["causal"] for call in calls) else ""
    print(f"{len(calls)} layers in {path}\nattest heads {path} --q 'layers.{{}}.q' --k 'layers.{{}}.k' --v 'layers.{{}}.v'{options} --all")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 4 else __doc__)
