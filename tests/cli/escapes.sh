#!/bin/sh
# What a file contains reaches a terminal only escaped: no control character, no C1 control, no change of
# direction, no line that the file adds; in text, JSON, TAP and JUnit.
. "$srcdir/tests/cli/lib.sh"
need_python
corpus=$(cd "$srcdir/tests/corpus" && pwd)
cd "$work" || exit 1

cat >hostile.py <<'END'
import hashlib, json, os, struct, subprocess, sys

BAD = "\x1b[31mred\x1b]0;title\x07 \u009b2J \u202eturned\u2066 \u061cmarked\u200f\u2028 \x7f\r\nattest: forged line"
attest = sys.argv[1]

def forge(directory, change):
    """Rewrites the records of a journal."""
    data, at, chain, out = open(directory + "/journal", "rb").read(), 0, bytes(32), b""
    while at < len(data):
        end = data.index(b"\n", at)
        _, kind, size, _ = data[at:end].split()
        payload = data[end + 1:end + 1 + int(size)]
        at = end + 2 + int(size)
        if kind == b"chunk":
            record = json.loads(payload)
            change(record["result"])
            payload = (json.dumps(record, ensure_ascii=False, indent=2) + "\n").encode()
        chain = hashlib.sha256(chain + b" %s %d\n" % (kind, len(payload)) + payload).digest()
        out += b"attest-record %s %d %s\n" % (kind, len(payload), chain.hex().encode()) + payload + b"\n"
    open(directory + "/journal", "wb").write(out)

def campaign(name, *arguments):
    subprocess.run([attest, "campaign", *arguments, "--seed", "1", "--jobs", "1", "--out", name], stdout=subprocess.DEVNULL)

def labels(result):
    result["labels"] = {BAD: result["passed"] + result["failed"]}

def reasons(result):
    labels(result)
    for violation in result["violations"]:
        violation["reason"] = BAD
    result["open_reason"] = BAD

campaign("labels", "lemma1", "--trials", "20")
forge("labels", labels)
campaign("reasons", "theorem1", "--without", "collinear", "--trials", "50")
forge("reasons", reasons)
head = {name: [[1]] for name in ("WQ", "WK", "WV", "WO")}
json.dump({"format": "attest/weights", "version": 1, "activation": "softmax", "name": BAD, "comment": BAD, "heads": [head]},
          open("weights.json", "w"), ensure_ascii=False)
bad = BAD.replace("/", "")
for path in ("data.json", bad + ".json"):
    json.dump({"format": "attest/dataset", "version": 1, "name": BAD, "comment": BAD, "sequences": [[[1], [2]], [[3], [4]]]},
              open(path, "w"), ensure_ascii=False)
json.dump({"format": "attest/dataset", "version": 1, "sequences": [[[BAD]]]}, open("number.json", "w"), ensure_ascii=False)
json.dump({"format": BAD, "version": 1, BAD: 1}, open("format.json", "w"), ensure_ascii=False)

def tensors(name, shapes):
    header, at = {}, 0
    for key, shape in shapes.items():
        size = 4
        for n in shape:
            size *= n
        header[key] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    open(name, "wb").write(struct.pack("<Q", len(text)) + text + bytes(at))

tensors("model.safetensors", {BAD: [2, 2]})
tensors("qkv.safetensors", {"q": [3, 2], "k": [3, 2], "v": [3, 2], "out": [3, 2], BAD: [3, 2]})
model = json.loads(subprocess.run([attest, "show", "kernel", "fp32-any", "--json"], capture_output=True).stdout)
model = model.get("model", model)
model["name"] = model["comment"] = BAD
json.dump(model, open("kernel.json", "w"), ensure_ascii=False)
subprocess.run([attest, "certify", bad + ".json", "--weights", "weights.json", "-o", "cert.json"], capture_output=True)
subprocess.run([attest, "counterexample", "--dim", "2", "-o", "counter.json"], capture_output=True)
counter = json.load(open("counter.json"))
counter["found_by"] = counter["comment"] = counter["name"] = BAD
json.dump(counter, open("counter.json", "w"), ensure_ascii=False)
counter["property"] = BAD
json.dump(counter, open("property.json", "w"), ensure_ascii=False)

subprocess.run([attest, "audit", "data.json", "--weights", "weights.json", "--quick", "-o", "audit.json"], capture_output=True)
audit = json.load(open("audit.json"))
audit["dataset"]["name"] = audit["formats"][0]["name"] = BAD + '"'
os.mkdir("records")
json.dump(audit, open("records/audit.json", "w"), ensure_ascii=False)
value = json.load(open(sys.argv[2]))
value["expect"], value["comment"], value["found_by"] = "violated", BAD, BAD
os.mkdir("corpus")
json.dump(value, open("corpus/" + bad + ".json", "w"), ensure_ascii=False)

COMMANDS = """report records --csv - | report records --tap | report records -o page.html
campaign lemma1 --trials 1 --corpus corpus | campaign lemma1 --trials 1 --corpus corpus --tap
campaign lemma1 --trials 1 --corpus corpus --junit - | campaign lemma1 --trials 1 --corpus corpus --json
merge labels -o m1 | merge labels -o m2 --json | merge reasons -o m3 | status labels reasons | status reasons --json
campaign lemma1 --trials 20 --seed 1 --out labels --resume | campaign lemma1 --trials 20 --seed 1 --out labels --resume --json
campaign lemma1 --trials 20 --seed 1 --out labels --resume --tap | campaign lemma1 --trials 20 --seed 1 --out labels --resume --junit -
campaign theorem1 --without collinear --trials 50 --seed 1 --out reasons --resume
campaign theorem1 --without collinear --trials 50 --seed 1 --out reasons --resume --tap
campaign theorem1 --without collinear --trials 50 --seed 1 --out reasons --resume --junit -
report m3 -o page.html | report m3 -o page.html --json | replay counter.json | replay counter.json --json | replay property.json
certify BAD.json --weights weights.json | certify BAD.json --weights weights.json --json | check cert.json | check cert.json --json
eval BAD.json --weights weights.json | separated BAD.json | separated number.json | separated format.json | separated none-BAD
audit BAD.json --weights weights.json --quick | audit BAD.json --weights weights.json --quick --json | construct BAD.json
import model.safetensors --list | import model.safetensors --list --json | import model.safetensors --q BAD --k x --v x --o x
import model.safetensors --arch BAD | judge qkv.safetensors qkv.safetensors --kernel ./kernel.json
judge qkv.safetensors qkv.safetensors:BAD --kernel ./kernel.json | judge qkv.safetensors qkv.safetensors:BAD --kernel BAD
judge qkv.safetensors qkv.safetensors --kernel ./kernel.json --json | show kernel ./kernel.json | show kernel ./kernel.json --json
tolerance qkv.safetensors --kernel ./kernel.json | simulate qkv.safetensors --kernel ./kernel.json -o BAD.out | range qkv.safetensors --kernel ./kernel.json
judge qkv.safetensors --q BAD qkv.safetensors --kernel fp32-any | show BAD | campaign BAD | BAD"""

def harmful(byte_text):
    try:
        text = byte_text.decode()
    except UnicodeDecodeError:
        return "not UTF-8"
    for c in text:
        if (c < " " and c != "\n") or "\x7f" <= c <= "\x9f" or c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c\u200e\u200f\u2028\u2029":
            return "has %r" % c
    return "has a line of the file" if "\nattest: forged" in text or text.startswith("attest: forged") else None

count = 0
for command in COMMANDS.replace("\n", " | ").split(" | "):
    arguments = [word.replace("BAD", bad) for word in command.split()]
    done = subprocess.run([attest, *arguments], capture_output=True, stdin=subprocess.DEVNULL)
    found = harmful(done.stdout) or harmful(done.stderr)
    if not done.stdout and not done.stderr:
        found = "prints nothing"
    if done.returncode < 0:
        found = "ends by a signal"
    count += 1
    print("%sok %d - %s%s" % ("not " if found else "", count, command, ": " + found if found else ""))
END
python3 hostile.py "$ATTEST" "$corpus/approximate-tightest.json" >lines
cat lines
count=$(wc -l <lines)
# The hostile strings do arrive: escaped, where they are shown.
run 0 "labels are shown" campaign lemma1 --trials 20 --seed 1 --out labels --resume
shows 'labels: \\x1b\[31mred'
run 0 "names of audits in a table" report records --csv -
shows '^"audit",,,"\\x1b\[31mred.*forged line""","survives",'
run 0 "names of tensors are shown" import model.safetensors --list
shows '\\x1b\[31mred.*\\xc2\\x9b2J \\xe2\\x80\\xaeturned'
finish
