#!/bin/sh
# Planted bugs in the Python package: each stands in a copy of it, and a test must fail. Prints which
# one noticed which. What needs a module that is not there (NumPy, PyTorch, pytest, Hypothesis) is skipped.
. "$srcdir/tests/cli/lib.sh"
. "$srcdir/tests/mutate.sh"

tests="arrays records judge program pytest_hypothesis tutorial"
mkdir -p "$tree"
cp -R "$srcdir/python" "$tree/"
chmod -R u+w "$tree"

run_test() { # name: with the copy of the package
    srcdir=$tree timeout 600 sh "$srcdir/tests/python/with-python" "$srcdir/tests/python/$1.py" >"$out" 2>"$err"
}

noticed() { # tests...: the first that fails, and what it says
    for test in "$@"; do
        run_test "$test" && continue
        echo "$test: $(grep -m 1 '^not ok' "$out" | sed 's/^not ok [0-9]* - //')$(tail -n 1 "$err")"
        return 0
    done
    return 1
}

mutation() { # name, module, text, replacement[, the tests that may notice it]
    if ! plant "$1" "python/attest/$2.py" "$3" "$4" 2>"$err"; then
        result 1 "$1: does not apply: $(tail -n 1 "$err")"
        return
    fi
    # shellcheck disable=SC2086
    report=$(noticed ${5:-$tests})
    result $? "$1: noticed by $report"
    unplant "python/attest/$2.py"
}

has() { ${PYTHON:-python3} -c "import $1" 2>/dev/null; }

for test in $tests; do
    run_test "$test"
    result $? "$test passes without a bug"
done

mutation "strides of an array in the wrong order" _arrays 'return tuple(reversed(strides))' 'return tuple(strides)'
mutation "fp16 read as bfloat16" _arrays '"f2": F16' '"f2": BF16' arrays
mutation "float8_e5m2 read as e4m3" _arrays '"float8_e5m2": E5M2, "torch' '"float8_e5m2": E4M3, "torch'
mutation "bfloat16 read as binary16" _arrays '"bfloat16": BF16, "bf16"' '"bfloat16": F16, "bf16"'
mutation "codes of the library in another order" _arrays 'F64, F32, F16, BF16,' 'F64, F32, BF16, F16,'
mutation "integers of any size taken for bits" _arrays 'found is not None or SIZE[wanted] != size' 'found is not None'
mutation "a missing axis of another length" _arrays 'ones = (1,) * missing' 'ones = (2,) * missing'
mutation "elements of a saved row in the wrong order" _arrays 'address + i * stride, axis + 1' \
    'address + (count - 1 - i) * stride, axis + 1'
mutation "rows of a strided array saved as if they were not" _arrays 'and (stride == size or count == 1)' 'and True'
mutation "failures of the library ignored" _library 'if status == OK:' 'if status != STOPPED:'
mutation "bad input reported as something else" _library 'in (FORMAT, USAGE, DOMAIN)' 'in (USAGE, DOMAIN)'
mutation "what a handler raised is lost" _library 'raise caught' 'raise Error("stopped")' judge
mutation "a structure of another layout" _library '("causal", c_int)' '("causal", c_long)'
mutation "two members exchanged" _library '("left", c_long),
        ("right", c_long),' '("right", c_long),
        ("left", c_long),'
mutation "Python's lock is held" _library 'ctypes.CDLL(path)' 'ctypes.PyDLL(path)' judge
mutation "verdicts exchanged" _judge '("within", "wrong", "undecided")' '("within", "undecided", "wrong")'
mutation "undecided is a pass" _judge 'self.verdict == "within"' 'self.verdict != "wrong"'
mutation "a wrong median" _judge 'len(finite) // 2' 'len(finite) // 3'
mutation "heads counted in the wrong order" _judge '"batch": i // heads, "head": i % heads' \
    '"batch": i % batch, "head": i // batch'
mutation "ends exchanged" _judge 'self.lo, self.hi, self.exact' 'self.hi, self.lo, self.exact'
mutation "top-left and bottom-right exchanged" _problem '2 if causal == "top-left" else 1' '1 if causal == "top-left" else 2'
mutation "sides of a window exchanged" _problem 'max(left, -1), max(right, -1)' 'max(right, -1), max(left, -1)'
mutation "floats taken as decimals" _problem 'return number.hex()' 'return repr(number)'
mutation "a mask of one column read on" _problem 'strides[-1] = keys, 0' 'strides[-1] = keys, strides[-1]'
mutation "heads and rows of an output exchanged" _problem 'strides[2] * columns, strides[1]' \
    'strides[1], strides[2] * columns'
mutation "one sink for all heads" _problem 'sink.strides[-1] if sink.shape else 0' '0'
mutation "rows without keys" _problem 'x.empty_is_nan = True' 'x.empty_is_nan = False'
mutation "the softcap forgotten" _problem 'x.softcap = ' 'ignored = '
mutation "a refuted claim is an exception" _program 'done.returncode in (0, 1, 3)' 'done.returncode in (0, 3)'
mutation "the program's exit code ignored" _program 'raise (InputError if' 'return {} if words else (InputError if'
mutation "offsets in a saved file" _save 'end += size' 'end += size + 8'
mutation "a changed model saved by the name of the shipped one" _save \
    'in kernels() and load(name).model == kernel.model' 'in kernels()'
mutation "failures are not raised" _assert 'raise AttentionError(text' 'return judgement or AttentionError(text'
mutation "a saved case without its options" _save '+ problem.options' '+ []'
mutation "the lower end of a ball" _ball 'return self.mid - self.rad' 'return self.mid'
mutation "hex floats" _ball '4 * len(fraction)' '3 * len(fraction)'
mutation "members of a model replaced whole" _kernel 'if both else value' 'if False else value'
mutation "delta and r exchanged" _records '_option(arguments, "delta", delta)' '_option(arguments, "r", delta)'
mutation "large integers rounded" _records 'exact(x, what)' 'float(x)'
if has numpy; then
    mutation "strides of NumPy ignored" _arrays 'interface.get("strides")' 'None' arrays
    mutation "bytes of the other order taken as they are" _arrays 'copy.byteswap()' 'pass' arrays
fi
if has torch; then
    mutation "strides of PyTorch in elements" _arrays '[s * size for s in x.stride()]' '[s for s in x.stride()]' arrays
    mutation "a tensor that is negated later" _arrays 'if x.is_neg()' 'if False' arrays
    mutation "a tensor elsewhere" _arrays 'x.device.type != "cpu"' 'False' arrays
    mutation "PyTorch's bfloat16" _arrays '"torch.bfloat16": BF16' '"torch.bfloat16": F16' arrays
fi
if has pytest; then
    mutation "the plugin counts failures as passes" pytest_plugin 'self.verdicts[judgement.verdict] += 1' \
        'self.verdicts["within"] += 1' pytest_hypothesis
    mutation "the ini file's kernel ignored" pytest_plugin 'if name:' 'if not name:' pytest_hypothesis
fi
if has hypothesis; then
    mutation "numbers that the format does not have" strategies '- bits + 1' '- bits' pytest_hypothesis
    mutation "tokens of several lengths" strategies 'max_size=dim' 'max_size=dim + 1' pytest_hypothesis
fi
finish
