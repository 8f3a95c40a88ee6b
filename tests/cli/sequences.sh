#!/bin/sh
# attest judge, tolerance and range: layouts, packed, padded and paged sequences, past keys, samples of rows,
# printed outputs, and what is refused. The outputs are those of sequences.py.
. "$srcdir/tests/cli/lib.sh"
need_python
sequences() { python3 "$srcdir/tests/cli/sequences.py" "$@"; }
d=$work/sequences
mkdir "$d"
sequences make "$d"
p=$d/packed.safetensors
g=$d/paged.safetensors
packed="--kernel fp32-any --causal --cu-seqlens-q cu_q --cu-seqlens-k cu_k"
paged="--kernel fp32-any --causal --cu-seqlens-q cu_q --lengths lengths --block-table table"

run 0 "packed sequences" judge "$p" "$p" $packed
shows '^worst element    sequence [0-2], head [0-3], row [0-3], column [0-2]$'
run 1 "packed, with an error" judge "$p" "$p:wrong" $packed
shows '^  wrong are exactly row 2 of head 1 of batch entry 2, column 2$'
shows '^worst element    sequence 2, head 1, row 2, column 2$'
run 1 "as JSON" judge "$p" "$p:wrong" $packed --json
json '[o["worst"][k] for k in ("batch", "head", "row", "column")] == [2, 1, 2, 2] and o["elements"] == 96 and o["sample"] is None'
json '[(h["batch"], h["rows"]) for h in o["heads"] if h["head"] == 3] == [(0, 3), (1, 1), (2, 4)]'
cp "$out" "$work/packed.json"
run 1 "in pages" judge "$g" "$g:wrong" $paged --json
cp "$out" "$work/paged.json"
sequences same "$work/packed.json" "$work/paged.json"
result $? "pages are judged like packed keys"
refused "packed heads before tokens" judge "$g" "$g" $paged --layout hsd
complains 'cu_seqlens_q.3., the last one, is 8, but q has 4 tokens$'
run 0 "bounds of packed sequences" tolerance "$p" $packed -o "$work/bound"
sequences inside "$p" "$work/bound"
result $? "they have the shape and the order of q"
run 0 "the ranges of packed sequences" range "$p" $packed
refused "schemes of packed sequences" range "$p" $packed --max-error 1/10
complains 'schemes are not tried on packed'

# one sequence
one=$d/one.safetensors
named() { echo "--q q$1 --k k$1 --v v$1"; }
run 0 "heads, tokens, dim" judge "$one" "$one" --kernel fp32-any --causal
run 0 "tokens, heads, dim" judge "$one" "$one:out_shd" --kernel fp32-any --causal --layout shd $(named _shd)
run 0 "batch, tokens, heads, dim" judge "$one" "$one:out_bshd" --kernel fp32-any --causal --layout bshd $(named _bshd)
run 0 "an output in another layout" judge "$one" "$one:out" --kernel fp32-any --causal --layout shd $(named _shd)
run 0 "past keys" judge "$one" "$one" --kernel fp32-any --causal --k new_k --v new_v --past-k past_k --past-v past_v
run 1 "without them" judge "$one" "$one" --kernel fp32-any --causal --k new_k --v new_v
refused "past keys alone" judge "$one" "$one" --kernel fp32-any --k new_k --v new_v --past-k past_k
complains 'one.safetensors: past_k and past_v need each other$'
refused "past keys of other heads" judge "$one" "$one" --kernel fp32-any --k new_k --v new_v --past-k q --past-v past_v
complains 'past_k has shape .1, 4, 3, 6., but k .1, 2, 1, 6.: only the numbers of tokens may differ$'
refused "a layout of other axes" judge "$one" "$one" --kernel fp32-any --layout bshd
complains 'one.safetensors: q has shape .4, 3, 6., but the layout bshd has 4 axes$'
refused "an unknown layout" judge "$one" "$one" --kernel fp32-any --layout dhs
refused "shapes that fit another layout" judge "$d/bshd.safetensors" "$d/bshd.safetensors" --kernel fp32-any
complains 'q has shape .1, 6, 4, 4.: with --layout bshd it fits k and v$'

# padded keys
n=$d/padded.safetensors
run 0 "padded keys" judge "$n" "$n" --kernel fp32-any --causal --lengths lengths
refused "keys that are not there" judge "$n" "$n" --kernel fp32-any --causal
complains 'k.1..0..2..0. is not finite$|k.0..0..5..0. is not finite$'
refused "more keys than room" judge "$n" "$n" --kernel fp32-any --lengths long
complains 'padded.safetensors: lengths.1. is 8, but entry 1 has room for 0 to 7 keys$'
run 0 "a mask of the valid keys" judge "$n" "$n" --kernel fp32-any --causal --lengths lengths --mask seen
refused "a mask of fewer keys" judge "$n" "$n" --kernel fp32-any --causal --lengths lengths --mask narrow
complains 'the mask has 6 keys, but lengths.2. is 7$'
refused "lengths that are not integers" judge "$n" "$n" --kernel fp32-any --lengths real
complains "tensor 'real' has dtype F32; integers, I8 to I64 and U8 to U64, are read$"
refused "lengths beside past keys" judge "$n" "$n" --kernel fp32-any --lengths lengths --past-k k --past-v v
complains 'past keys and values stand beside a k and v of equal lengths'

# offsets and pages that are wrong
refused "offsets that begin late" judge "$p" "$p" --kernel fp32-any --cu-seqlens-q late --cu-seqlens-k cu_k
complains 'packed.safetensors: cu_seqlens_q.0. is 1, not 0$'
refused "offsets that decrease" judge "$p" "$p" --kernel fp32-any --cu-seqlens-q cu_q --cu-seqlens-k falling
complains 'cu_seqlens_k.2. is 4, below cu_seqlens_k.1., which is 5$'
refused "offsets that end early" judge "$p" "$p" --kernel fp32-any --cu-seqlens-q cu_q --cu-seqlens-k short
complains 'cu_seqlens_k.3., the last one, is 13, but k has 14 tokens$'
refused "offsets of fewer sequences" judge "$p" "$p" --kernel fp32-any --cu-seqlens-q cu_q --cu-seqlens-k few
complains 'cu_seqlens_k is for 2 sequences, but the arrays before it are for 3$'
refused "offsets of queries alone" judge "$p" "$p" --kernel fp32-any --cu-seqlens-q cu_q
complains 'cu_seqlens_q needs cu_seqlens_k'
refused "more keys than a packed sequence has" judge "$p" "$p" $packed --lengths long
complains 'lengths.1. is 3, but entry 1 has room for 0 to 2 keys$'
refused "a mask beside packed sequences" judge "$p" "$p" $packed --mask mask
complains 'a mask has no place beside packed sequences or pages'
refused "a page that is not there" judge "$g" "$g" --kernel fp32-any --cu-seqlens-q cu_q --lengths lengths --block-table outside
complains 'paged.safetensors: block_table.1..0. is 8, but the cache has the pages 0 to 7$'
refused "more keys than pages have" judge "$g" "$g" --kernel fp32-any --cu-seqlens-q cu_q --lengths above --block-table table
complains 'lengths.1. is 10, but entry 1 has room for 0 to 9 keys$'
refused "negative lengths" judge "$g" "$g" --kernel fp32-any --cu-seqlens-q cu_q --lengths below --block-table table
complains 'lengths.1. is -2, but entry 1'
refused "pages without lengths" judge "$g" "$g" --kernel fp32-any --cu-seqlens-q cu_q --block-table table
complains 'block_table needs lengths'
refused "a cache without pages" judge "$p" "$p" --kernel fp32-any --cu-seqlens-q cu_q --lengths lengths --block-table cu_q
complains 'k has shape .14, 2, 6., but a cache in pages has the axes .pages, page size, heads, dim.$'
refused "heads have no packed sequences" heads "$p" --cu-seqlens-q cu_q
complains 'unknown option'

# samples and printed outputs
run 0 "a sample of rows" judge "$p" "$p" $packed --rows 10 --seed 3
shows '^within: all 30 elements of the rows looked at are within what a kernel of fp32-any can return$'
shows '^this is a sample: 10 of the 32 rows were judged, drawn by the seed 3; the others were not$'
run 0 "as JSON" judge "$p" "$p" $packed --rows 10 --seed 3 --json
json 'o["sample"] == {"rows": 10, "of": 32, "seed": 3} and o["elements"] == 30 and sum(h["rows"] for h in o["heads"]) == 10'
cp "$out" "$work/sample.json"
run 0 "the same sample by more jobs" judge "$p" "$p" $packed --rows 10 --seed 3 --json --jobs 3
cmp -s "$out" "$work/sample.json"
result $? "gives the same result"
run 0 "another sample" judge "$p" "$p" $packed --rows 10 --seed 4 --json
json 'o["sample"]["seed"] == 4'
run 1 "more rows than there are" judge "$p" "$p:wrong" $packed --rows 1000 --json
json 'o["sample"] is None and o["elements"] == 96'
run 1 "a sample of a wrong output" judge "$one" "$one:q" --v q --k q --kernel fp32-any --rows 5
shows '^proved wrong: [0-9]+ of 30 elements'
run 0 "a sample of all rows" judge "$p" "$p" $packed --rows 32
shows '^within: all 96 elements are within what a kernel of fp32-any can return$'
refused "no rows" judge "$p" "$p" $packed --rows 0
run 1 "a printed output, taken as it is" judge "$p" "$p:printed" $packed
run 0 "a printed output" judge "$p" "$p:printed" $packed --printed 4
shows '^outputs are known to 4 decimals$'
run 0 "as JSON" judge "$p" "$p:printed" $packed --printed 4 --json
json 'o["printed"] == 4 and o["worst"]["ratio"] <= 1'
run 1 "with more decimals than it has" judge "$p" "$p:printed" $packed --printed 7
run 1 "an error is seen in a printed output" judge "$p" "$p:wrong" $packed --printed 2
refused "no number of decimals" judge "$p" "$p" $packed --printed four
refused "too many decimals" judge "$p" "$p" $packed --printed 301
finish
