"""examples/record-qkv.py on two layers of PyTorch: what it writes is what entered attention, and attest audits it."""

import importlib.util
import json
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

from common import needs, optional

torch = optional("torch")
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "record-qkv.py"
LAYERS = ["--q", "layers.{}.q", "--k", "layers.{}.k", "--v", "layers.{}.v"]


def example():
    spec = importlib.util.spec_from_file_location("record_qkv_example", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def attend(q, k, v):
    functional = torch.nn.functional
    if hasattr(functional, "scaled_dot_product_attention"):
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    return functional._scaled_dot_product_attention(q, k, v, None, 0.0, False, True)[0]


@needs(torch, "PyTorch")
class Recorded(unittest.TestCase):
    def test_bits_and_audit(self):
        torch.manual_seed(5)
        for kind, size, code in ((torch.float32, 4, "f"), (torch.float64, 8, "d")):
            inputs = [[torch.randn(2, 3, 6, 8, dtype=kind) for _ in "qkv"] for _ in range(2)]
            with tempfile.TemporaryDirectory() as directory:
                path = os.path.join(directory, "recorded.safetensors")
                with example().record(path) as calls:
                    for q, k, v in inputs:
                        attend(q, k, v)
                self.assertEqual([call["causal"] for call in calls], [True, True])
                data = pathlib.Path(path).read_bytes()
                length = struct.unpack("<Q", data[:8])[0]
                header = json.loads(data[8:8 + length])
                for layer, tensors in enumerate(inputs):
                    for name, tensor in zip("qkv", tensors):
                        entry = header[f"layers.{layer}.{name}"]
                        first, last = entry["data_offsets"]
                        self.assertEqual(entry["shape"], list(tensor.shape))
                        self.assertEqual(list(struct.unpack(f"<{(last - first) // size}{code}", data[8 + length + first:8 + length + last])),
                                         tensor.flatten().tolist())
                done = subprocess.run([os.environ["ATTEST_PROGRAM"], "heads", path, *LAYERS, "--causal", "--all", "--formats",
                                       "binary32,bfloat16", "--json"], capture_output=True, text=True, check=True)
                record = json.loads(done.stdout)
                self.assertEqual((record["qkv"]["of_heads"], len(record["heads"])), (6, 6))
                self.assertLess(record["formats"][0]["relative_error"]["max"], 1e-5)

    def test_nothing_called(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "none")
            with self.assertRaises(RuntimeError), example().record(path):
                pass
            self.assertFalse(os.path.exists(path))


if __name__ == "__main__":
    unittest.main()
