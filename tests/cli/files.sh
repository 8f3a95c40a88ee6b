#!/bin/sh
# A FIFO, a device, a directory or a file beyond --max-memory in the place of a file that a command reads or writes is
# refused at once, by name. And the limits of files and journals.
. "$srcdir/tests/cli/lib.sh"
need_python

python3 - "$work" <<'END'
import json, os, struct, sys
os.chdir(sys.argv[1])

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

tensors("model.safetensors", {"h.0.attn.c_attn.weight": [2, 6], "h.0.attn.c_attn.bias": [6],
                              "h.0.attn.c_proj.weight": [2, 2], "h.0.attn.c_proj.bias": [2],
                              "h.0.ln_1.weight": [2], "h.0.ln_1.bias": [2]})
tensors("qkv.safetensors", {"q": [1, 3, 2], "k": [1, 3, 2], "v": [1, 3, 2]})
os.makedirs("index")
json.dump({"weight_map": {"q": "part.safetensors"}}, open("index/model.json", "w"))
END
cd "$work" || exit 1

# Kilobytes of address space; a sanitizer needs more than any limit.
memory=3000000
(ulimit -v $memory && "$ATTEST" --version) >"$out" 2>&1 || memory=unlimited

# in_place CODE COMMAND...: puts each kind of file at $place; the command refuses it by name, within 20 seconds and
# $memory.
in_place() {
    expected=$1
    shift
    for kind in "a FIFO" "a device" "a directory" "too large"; do
        rm -rf "$place"
        case $kind in
        *FIFO) mkfifo "$place" ;;
        *device) ln -s /dev/zero "$place" ;;
        *directory) mkdir "$place" ;;
        *large) truncate -s 3M "$place" ;;
        esac
        (ulimit -v $memory; exec timeout 20 "$ATTEST" "$@" --max-memory 2M) >"$out" 2>"$err" </dev/null
        got=$?
        [ $got -eq "$expected" ] && grep -q "$place: " "$err" "$out"
        result $? "$1: $place is $kind: $(head -n 1 "$err") (exit $got)"
    done
    rm -rf "$place"
}

mkdir corpus parts
place=corpus/value.json
in_place 2 campaign lemma1 --trials 1 --corpus corpus
place=index/part.safetensors
in_place 2 import index/model.json --list
place=config.json
in_place 2 import model.safetensors --arch gpt2 --layer 0 --head 0/1 -o w.json
place=parts/layer-0-head-0
in_place 2 heads qkv.safetensors --all --parts parts
place=own.so
in_place 2 campaign --load ./own.so
mkdir whole
place=whole/journal
in_place 2 merge whole -o joined
in_place 2 status whole
in_place 2 campaign lemma1 --trials 10 --out whole --resume

# Files with fixed names that are written into a directory.
for name in report.json report.tap lemma1.tightest.json observations.jsonl journal.damaged; do
    rm -rf night
    mkdir night
    [ $name != journal.damaged ] || {
        "$ATTEST" campaign lemma1 --trials 300 --out night --observe >"$out" 2>"$err"
        printf x | dd of=night/journal bs=1 seek=$(($(wc -c <night/journal) - 50)) conv=notrunc 2>"$err"
    }
    mkfifo night/$name
    timeout 20 "$ATTEST" campaign lemma1 --trials 300 --out night --observe --resume >"$out" 2>"$err"
    code=$?
    [ $code -eq 2 ] && grep -q "^attest: night/$name: is not a regular file$" "$err"
    result $? "$name is a FIFO: $(head -n 1 "$err") (exit $code)"
done

# A report leaves out what is not a file.
mkdir records
mkfifo records/pipe.json
ln -s /dev/zero records/zero.json
timeout 20 "$ATTEST" report records -o page.html >"$out" 2>"$err"
[ $? -ne 124 ] && ! grep -q zero.json page.html
result $? "a report does not read FIFOs and devices"

# Where the limit of a file is fixed, no option is offered; where it is --max-memory, it is.
head -c 2000000 /dev/zero >large.json
refused "a kernel model that is too large" show kernel ./large.json
complains '^attest: ./large.json: not a kernel model: more than 1048576 bytes'
! grep -q max-memory "$err"
result $? "and --max-memory is not offered"
refused "a dataset that is too large" separated large.json --max-memory 1M
complains 'large.json: more than 1048576 bytes of input \(--max-memory raises the limit\)'

# --max-memory limits the bytes of a journal and the memory that its records take while they are read.
"$ATTEST" campaign lemma1 --trials 2000 --out done >"$out" 2>"$err"
size=$(wc -c <done/journal)
refused "a journal beyond --max-memory" campaign merge done -o joined --max-memory $((size - 1))
complains 'done/journal: more than [0-9]+ bytes of input \(--max-memory raises the limit\)'
refused "records beyond --max-memory" campaign merge done -o joined --max-memory $((size + 100))
complains 'done/journal: .*more memory than is allowed \(--max-memory raises the limit\)'
run 0 "and within it" campaign merge done -o joined --max-memory 1M
finish
