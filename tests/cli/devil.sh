#!/bin/sh
# The trained example: what its page says besides what it shows, which tests/cli/examples.sh runs.
. "$srcdir/tests/cli/lib.sh"
here=$PWD
cd "$srcdir" && srcdir=$PWD && cd "$here" || exit 1
cp "$srcdir/examples/devil/model.safetensors" "$srcdir/examples/devil/page.safetensors" "$work" && cd "$work" || exit 1
run 0 "hardmax" import model.safetensors --arch gpt2 --heads 4 --scale rsqrt --residual layers.0.x --activation hardmax -o hardmax.json

# The sentences that the page ends with.
run 0 "all heads" heads page.safetensors --q 'layers.{}.q' --k 'layers.{}.k' --v 'layers.{}.v' --causal --all --formats binary32,bfloat16,float8_e4m3fn -o heads.json
tail -n 3 "$out" >said
sed -n 's/^    \(binary32\|bfloat16\|float8_e4m3fn\): /\1: /p' "$srcdir/examples/devil/README.md" | cmp -s - said
result $? "its conclusions"

# The picture of the README.
mkdir records && mv heads.json records
run 0 "the report" report records --svg pictures
cmp pictures/heads-1-2.svg "$srcdir/doc/heads.svg" >"$out" 2>&1
result $? "doc/heads.svg is the map of bfloat16"

# What hardmax confuses, by exact evaluation: equal fractions, while the texts differ.
run 0 "hardmax, evaluated" eval page.safetensors --tensor ln1 --weights hardmax.json --json
json 'o["outputs"][0][14] == o["outputs"][3][14] and o["outputs"][0][13] != o["outputs"][3][13]'
python3 - page.safetensors <<'TEXT'
import json, struct, sys
with open(sys.argv[1], "rb") as file:
    header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
text = header["__metadata__"]["text"]
window = [text[32 * i:32 * i + 32] for i in range(16)]
ok = window[0][:15] == "LOGIC, n.  The " and window[3][:15] == "acities of the "
ok = ok and window[2][:26].endswith("the limitations and") and window[6][:26].endswith("premise and")
ok = ok and header["__metadata__"]["loss"] == "1.699 on the text, 1.933 on the page"
sys.exit(not ok)
TEXT
result $? "the places are those texts"

# The entry of the gallery: the file that is in the program, the pair and the search by brute force, and other W_V and W_O.
PYTHONDONTWRITEBYTECODE=1 python3 "$srcdir/examples/devil/block.py" page.safetensors hardmax.json | cmp -s - "$srcdir/examples/devil/block.safetensors"
result $? "block.py writes the same block.safetensors"
run 0 "the least texts" counterexample --weights hardmax.json --vocabulary page.safetensors --tensor ln1 --least --json -o least.json
run 0 "the same, from the gallery" counterexample --show trained --json
cp "$out" trained.json
python3 "$srcdir/tests/ref/least_texts.py" page.safetensors hardmax.json >texts
python3 - "$srcdir/examples/devil/README.md" <<'TEXTS'
import json, random, struct, sys
least, shown = json.load(open("least.json")), json.load(open("trained.json"))
first, second, shorter, longest, merged = open("texts").read().split("\n")[:5]
gallery = shown["gallery"]
ok = gallery["texts"] == [first, second] and gallery["least_of"] == least["least_of"]
ok = ok and least["least_of"]["shorter_sequences"] == int(shorter) and least["least_of"]["sequences"] == int(shorter) + int(longest)
ok = ok and all(least[name] == shown[name] for name in ("dataset", "weights", "violates", "outputs")) and shown["outputs_equal"]
with open("page.safetensors", "rb") as file:
    header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    data = file.read()
places, dim = header["ln1"]["shape"][1:]
def token(character, k):
    """What stands at that place where it has that character."""
    i = header["__metadata__"]["text"][k::places].index(character)
    at = header["ln1"]["data_offsets"][0] + 4 * dim * (places * i + k)
    return list(struct.unpack(f"<{dim}f", data[at:at + 4 * dim]))
number = lambda x: int(x.split("/")[0]) / int((x + "/1").split("/")[1])
for text, sequence in zip((first, second), shown["dataset"]["sequences"]):
    ok = ok and [[number(x) for x in t[:dim]] for t in sequence] == [token(c, k) for k, c in enumerate(text)]
ok = ok and f"{merged} of the {longest} texts have the same output" in open(sys.argv[1]).read()
draw = random.Random(1)
for head in shown["weights"]["heads"]: # any W_V, and any W_O on the entries of outputs
    for name, rows in ("WV", len(head["WV"])), ("WO", dim):
        for row in head[name][:rows]:
            row[:] = [str(draw.randrange(-9, 10)) for _ in row]
json.dump(shown, open("other.json", "w"))
sys.exit(not ok)
TEXTS
result $? "they are those of brute force, and their tokens those of the page"
run 1 "other W_V and W_O" replay other.json
shows 'the violation is confirmed'
finish
