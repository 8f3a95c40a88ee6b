#!/bin/sh
# A model that was shipped in binary32 and in int8: every int8 value and every scale is what the rule of
# its version makes of the float ones, and the other tensors are the same.
data=${ATTEST_DATA:-none}/ctranslate2-aren
if [ ! -e "$data" ]; then
    echo "1..0 # SKIP ATTEST_DATA names no directory with ctranslate2-aren"
    exit 0
fi
if ! command -v python3 >/dev/null 2>&1; then
    echo "1..0 # SKIP there is no python3"
    exit 0
fi
exec python3 - "$data" tests/format/quantise-echo <<'END'
import json
import struct
import subprocess
import sys


def read(path):
    """name: type, shape, values"""
    with open(path, "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    out = {}
    for name, t in header.items():
        if name != "__metadata__":
            size, letter = {"F32": (4, "f"), "I8": (1, "b")}[t["dtype"]]
            bits = data[t["data_offsets"][0]:t["data_offsets"][1]]
            out[name] = (t["dtype"], t["shape"], struct.unpack("<%d%s" % (len(bits) // size, letter), bits))
    return out


directory, program = sys.argv[1:]
floats = read(directory + "/aren-transliteration.safetensors")
integers = read(directory + "/aren-transliteration-i8.safetensors")
echo = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
values = wrong = tensors = nearest = 0
for name, (kind, shape, codes) in integers.items():
    if name.endswith("_scale"):
        continue
    if kind != "I8":
        wrong += floats[name] != (kind, shape, codes)
        continue
    x, scale = floats[name][2], integers[name + "_scale"][2]
    tensors += 1
    for rule in ("int8:ct2-trunc", "int8:ct2"):
        echo.stdin.write("block %s 1 %d %d %s\n" % (rule, *shape, " ".join(v.hex() for v in x)))
        echo.stdin.flush()
        words = echo.stdout.readline().split()
        same = sum(float.fromhex(words[7 * i]) == codes[i] and float.fromhex(words[7 * i + 3]) == scale[i // shape[1]]
                   and int(words[7 * i + 1]) == codes[i] % 256 for i in range(len(x)))
        if rule == "int8:ct2-trunc":
            values += len(x)
            wrong += len(x) - same
        else:
            nearest += same
print("%sok 1 - %d values of %d tensors in int8, and all others: %d wrong" %
      ("" if wrong == 0 and values == 176416 else "not ", values, tensors, wrong))
print("%sok 2 - to nearest only %d of them would be the same" % ("" if nearest < values * 0.6 else "not ", nearest))
print("1..2")
END
