#!/bin/sh
# attest heads --arch --model --activations: whole models from their weights. Queries, keys and values are compared
# with decimals of sixty digits (tests/ref/model_qkv.py), the audit with that of the tensors that --save-qkv wrote; and
# inputs that are refused.
. "$srcdir/tests/cli/lib.sh"
need_python
oracle=$srcdir/tests/ref/model_qkv.py
here=$PWD
case $oracle in /*) ;; *) oracle=$here/$oracle ;; esac
devil=$srcdir/examples/devil
case $devil in /*) ;; *) devil=$here/$devil ;; esac
cd "$work" || exit 1
layers='--q layers.{}.q --k layers.{}.k --v layers.{}.v'

same() { # RECORD OF THE MODEL, RECORD OF ITS SAVED TENSORS: equal figures; only the first names a model
    python3 - "$1" "$2" <<'SAME'
import json, sys
a, b = (json.load(open(name)) for name in sys.argv[1:])
keys = ("heads", "formats", "arithmetic")
sys.exit(any(a[key] != b[key] for key in keys) or not a["qkv"]["model"] or b["qkv"]["model"] is not None)
SAME
}

for kind in gpt2 llama qwen3 llama3 linear gemma2 gemma3 phi3 bloom neox bert; do
    mkdir "$kind"
    python3 "$oracle" make "$kind" "$kind"
    arch=$kind more=--causal
    case $kind in
    qwen3 | llama3 | linear) arch=llama ;;
    gemma2) more="--causal --softcap 5 --scale 0x1.a20bd8p-2" ;;
    gemma3) arch=gemma2 more="--causal --scale 0x1.a20bd8p-2" ;;
    bloom) more="--causal --mask layers.{}.mask" ;;
    bert) more= ;;
    esac
    run 0 "$kind" heads --arch $arch --model $kind/model.safetensors --activations $kind/stream.safetensors --stream 'hidden_states.{}' \
        --all --formats bfloat16 --save-qkv $kind/qkv.safetensors -o $kind/model.json --json
    json 'o["qkv"]["layers"] == 2 and o["qkv"]["batch"] == 2 and o["qkv"]["queries"] == 5 and len(o["heads"]) == o["qkv"]["of_heads"]'
    python3 "$oracle" compare $kind $kind $kind/qkv.safetensors >said 2>>"$err"
    result $? "$(tail -n 1 said)"
    # shellcheck disable=SC2086 -- options are words
    run 0 "$kind: the queries, keys and values that it saved" heads $kind/qkv.safetensors $layers $more --all --formats bfloat16 -o $kind/qkv.json
    same $kind/model.json $kind/qkv.json
    result $? "$kind: the same figures"
done
python3 - <<'RECORD'
import json, sys
model = {kind: json.load(open(kind + "/model.json"))["qkv"] for kind in ("gpt2", "qwen3", "gemma2", "phi3", "bloom", "neox", "bert")}
ok = [model[kind]["model"]["rotary"] for kind in ("gpt2", "qwen3", "phi3", "neox")] == [0, 4, 2, 2]
ok = ok and model["bloom"]["model"]["alibi"] and model["qwen3"]["model"]["head_norms"] and not model["gpt2"]["model"]["head_norms"]
ok = ok and model["gemma2"]["softcap"] == "5.0" and model["bert"]["causal"] is None and model["gpt2"]["causal"] == "bottom-right"
ok = ok and (model["qwen3"]["heads"], model["qwen3"]["key_heads"]) == (4, 1)
sys.exit(not ok)
RECORD
result $? "the record describes the models"

# The trained example: nearly what PyTorch recorded in binary32.
run 0 "the trained model" heads --arch gpt2 --model "$devil/model.safetensors" --activations "$devil/page.safetensors" --heads 4 --all \
    --formats bfloat16,float8_e4m3fn -o model.json --report heads.html
run 0 "as it was recorded" heads "$devil/page.safetensors" $layers --causal --all --formats bfloat16,float8_e4m3fn -o qkv.json
python3 - <<'NEAR'
import json, sys
a, b = (json.load(open(name)) for name in ("model.json", "qkv.json"))
ok = all(abs(x["relative_error"]["mean"] / y["relative_error"]["mean"] - 1) < 0.05
         for h, g in zip(a["heads"], b["heads"]) for x, y in zip(h["formats"], g["formats"]))
sys.exit(not (ok and len(a["heads"]) == 12))
NEAR
result $? "every head's mean error is that of the recording, to a twentieth"
run 0 "one head" heads --arch gpt2 --model "$devil/model.safetensors" --activations "$devil/page.safetensors" --heads 4 --layer 2 --head 1 \
    --formats bfloat16 --json
json 'o["heads"][0]["formats"][0] == next(h for h in json.load(open("model.json"))["heads"] if (h["layer"], h["head"]) == (2, 1))["formats"][0]'
run 0 "one tensor" heads --arch gpt2 --model "$devil/model.safetensors" --activations "$devil/page.safetensors" --stream layers.1.x --layer 1 \
    --heads 4 --all --formats bfloat16 --json
json 'o["heads"][3]["formats"][0] == next(h for h in json.load(open("model.json"))["heads"] if (h["layer"], h["head"]) == (1, 3))["formats"][0]'

# In parts: the same record. Parts of a model with another config are refused.
parts="heads --arch llama --model llama/model.safetensors --activations llama/stream.safetensors --stream hidden_states.{} --all --formats bfloat16 --parts parts"
for shard in 1/3 2/3 3/3; do
    # shellcheck disable=SC2086 -- options are words
    run 0 "group $shard of a model" $parts --shard $shard
done
# shellcheck disable=SC2086
run 0 "joined" $parts -o joined.json
same joined.json llama/qkv.json
result $? "the same in parts"
sed 's/500000/500001/' llama/config.json >other.json
# shellcheck disable=SC2086
refused "parts of another model" $parts --config other.json
complains 'another'

# --tokens: the record contains the texts, and the page shows them at the places of the largest errors and of the pairs.
run 0 "with tokens" heads --arch gpt2 --model "$devil/model.safetensors" --activations "$devil/page.safetensors" --heads 4 --all \
    --formats bfloat16,float8_e4m3fn --tokens "$devil/tokens.json" -o texts.json --report texts.html
python3 - "$devil/tokens.json" <<'TEXTS'
import json, sys, xml.etree.ElementTree as tree
tokens, record = json.load(open(sys.argv[1]))["tokens"], json.load(open("texts.json"))
table = next(t for t in tree.parse("texts.html").iter("table") if t.findtext("caption", "").startswith("Where"))
ok = record["tokens"] == tokens and len(tokens) == 16


def shown(place):
    """The texts that the page should show for a place: up to 24 tokens before it, and its own."""
    before = tokens[place[0]][max(0, place[1] - 24):place[1]]
    return ("\u2026" if place[1] > 24 else "") + "".join(before).replace("\n", "\u21b5"), tokens[place[0]][place[1]].replace("\n", "\u21b5")


for f, row in zip(record["formats"], table.find("tbody")):
    codes = [(c.text or "", c.findtext("mark")) for c in row.iter("code")]
    ok = ok and codes == [shown(p) for p in [f["relative_error"]["at"], *f["pairs"]["pair"]]]
    cells = ["".join(c.itertext()) for c in row]
    ok = ok and cells[2].startswith("layer {layer}, head {head}: ".format(**f["pair_head"])) and cells[2].endswith(", merged")
sys.exit(not ok)
TEXTS
result $? "the page shows the tokens of places and pairs"
printf '{"tokens": [["a"]]}' >few.json
refused "texts of other sequences" heads "$devil/page.safetensors" $layers --tokens few.json
complains 'few.json: texts of 1 sequences are given, but the data have 16'
python3 -c "import json; t = json.load(open('$devil/tokens.json')); del t['tokens'][3][2]; json.dump(t, open('few.json', 'w'))"
refused "a text too few" audit "$devil/page.safetensors" --tensor ln1 --tokens few.json
complains 'tokens.3.: these are 31 texts, but the data have 32 tokens there'
printf '{"tokens": [["a", 1]]}' >few.json
refused "a token that is no text" audit "$devil/page.safetensors" --tensor ln1 --tokens few.json

model="--model gpt2/model.safetensors --activations gpt2/stream.safetensors --stream hidden_states.{}"
# shellcheck disable=SC2086
{
    refused "no architecture" heads --model gpt2/model.safetensors --activations gpt2/stream.safetensors
    complains 'a model needs --arch, --model and --activations'
    refused "both kinds" heads gpt2/qkv.safetensors --arch gpt2 $model
    refused "an unknown architecture" heads --arch gpt5 $model
    complains 'there are gpt2, llama, '
    refused "names that --arch determines" heads --arch gpt2 $model --q q
    refused "another number of heads" heads --arch gpt2 $model --heads 5
    complains 'are not 5 heads'
    refused "a layer that is not there" heads --arch gpt2 $model --layer 9
    complains 'stream.safetensors: there is no .* of layer 9'
    refused "no such stream" heads --arch gpt2 --model gpt2/model.safetensors --activations gpt2/stream.safetensors
    complains "the name of the streams that enter the layers"
    refused "a stream of another width" heads --arch gpt2 --model gpt2/model.safetensors --activations llama/stream.safetensors --stream 'hidden_states.{}'
    complains 'has shape \(2, 5, 10\), but the stream of this model has'
}
change() { # expression on the config c of llama
    mkdir -p other
    cp llama/model.safetensors llama/stream.safetensors other
    python3 -c "import json; c = json.load(open('llama/config.json')); $1; json.dump(c, open('other/config.json', 'w'))"
}
other="--model other/model.safetensors --activations other/stream.safetensors --stream hidden_states.{}"
while IFS='|' read -r change text; do
    change "$change"
    # shellcheck disable=SC2086
    refused "$change" heads --arch llama $other
    complains "$text"
done <<'CHANGES'
c["rope_scaling"] = {"rope_type": "yarn", "factor": 2}|config.json: rope_scaling: rotary positions of type 'yarn' are not supported
c["sliding_window"] = 3|sliding window of 3, and these are 5 tokens
c["rope_theta"] = -1|rope_theta: a number above 0 is expected
c["head_dim"] = 3|heads of 3, but in
c["num_key_value_heads"] = c["num_attention_heads"]|heads of keys and values, but the tensors have
c["rope_parameters"] = {"full_attention": {"rope_theta": 1000000}, "sliding_attention": {"rope_theta": 10000}}|rope_parameters.full_attention: positions that differ between layers
c["rope_parameters"] = {"rope_theta": 10000, "partial_rotary_factor": 0.5}|is not an even number
c["rope_scaling"] = {"type": "linear", "factor": 2}; c["rope_parameters"] = {"rope_type": "yarn", "factor": 2}|rope_parameters: rotary positions of type 'yarn'
c["rope_scaling"] = {"type": "linear"}|rope_scaling: linear needs factor
c["no_rope_layers"] = [1, 1, 1, 0]|no_rope_layers: positions that differ between layers
c["no_rope_layer_interval"] = 4|no_rope_layer_interval: positions that differ between layers
c["attention_multiplier"] = 0.015625|attention_multiplier: another scale of the scores is not supported
c["clip_qkv"] = 8.0|clip_qkv: clipped queries
c["scale_attn_weights"] = False|scale_attn_weights: scores without a scale
c["apply_residual_connection_post_layernorm"] = True|a skip connection that begins after the norm
c["model_type"] = "gemma2"|model_type 'gemma2': that is the architecture gemma2, not llama
c["model_type"] = "cohere"|model_type 'cohere', whose attention is not known
c["is_causal"] = False|the config specifies no causal mask, but llama has one
c["use_bidirectional_attention"] = True|the config specifies no causal mask, but llama has one
c = {"text_config": dict(c, rope_theta=-1)}|text_config.rope_theta: a number above 0 is expected
c["partial_rotary_factor"] = 0.5|is not an even number
c["rope_local_base_freq"] = 10000|positions that differ between layers
del c["num_attention_heads"]|how many heads
c["rope_scaling"] = {"rope_type": "llama3", "factor": 8}|llama3 needs
c["rope_scaling"] = {"rope_type": "llama3", "factor": 8, "low_freq_factor": 4, "high_freq_factor": 1, "original_max_position_embeddings": 800}|llama3 needs
CHANGES
python3 - llama/model.safetensors <<'HOLE'
import json, struct, sys
def rename(source, target, change):
    data = open(source, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.dumps({change(name): tensor for name, tensor in json.loads(data[8:8 + size]).items()}).encode()
    open(target, "wb").write(struct.pack("<Q", len(header)) + header + data[8 + size:])
rename(sys.argv[1], "hole.safetensors", lambda name: name.replace("layers.1.", "layers.2."))
HOLE
refused "a layer that the model does not have, before one that it has" heads --arch llama --model hole.safetensors --config llama/config.json \
    --activations llama/stream.safetensors --stream 'hidden_states.{}' --all --formats bfloat16
complains 'hole.safetensors: no layer 1 of llama'
change 'c = {"model_type": "two", "text_config": c}'
# shellcheck disable=SC2086
run 0 "the text_config of a model of texts and pictures" heads --arch llama $other --all --formats bfloat16 --save-qkv other/qkv.safetensors
cmp -s other/qkv.safetensors llama/qkv.safetensors
result $? "the same queries, keys and values"
change 'pass'
refused "--heads that differs from the config" import other/model.safetensors --arch llama --heads 2 -o no.json
complains 'the config has 4 heads, not 2'
for tensor in self_attn.sinks self_attn.q_proj.weight_scale_inv input_layernorm.bias; do
    python3 - other/model.safetensors model.layers.0.$tensor <<'ONE'
import json, struct, sys
data = open(sys.argv[1], "rb").read()
size = struct.unpack("<Q", data[:8])[0]
header, data = json.loads(data[8:8 + size]), data[8 + size:]
header[sys.argv[2]] = {"dtype": "F32", "shape": [1], "data_offsets": [len(data), len(data) + 4]}
header = json.dumps(header).encode()
open(sys.argv[1], "wb").write(struct.pack("<Q", len(header)) + header + data + bytes(4))
ONE
    # shellcheck disable=SC2086
    refused "a model with $tensor" heads --arch llama $other
    complains "there is a tensor 'model.layers.0.$tensor'"
    change 'pass'
done
python3 - other/model.safetensors <<'BOOL'
import json, struct, sys
data = open(sys.argv[1], "rb").read()
size = struct.unpack("<Q", data[:8])[0]
header, data = json.loads(data[8:8 + size]), data[8 + size:]
norm = header["model.layers.0.input_layernorm.weight"]
header["model.layers.0.input_layernorm.weight"] = {"dtype": "BOOL", "shape": norm["shape"], "data_offsets": [len(data), len(data) + norm["shape"][0]]}
header["filler"] = norm
header = json.dumps(header).encode()
open(sys.argv[1], "wb").write(struct.pack("<Q", len(header)) + header + data + bytes(norm["shape"][0]))
BOOL
# shellcheck disable=SC2086
refused "truth values as gains" heads --arch llama $other
complains 'model.layers.0.input_layernorm.weight: these are truth values, not numbers'
change 'pass'
# shellcheck disable=SC2086
run 0 "a window from the command line" heads --arch llama $other --window 2,0 --all --formats bfloat16
printf '{' >other/config.json
# shellcheck disable=SC2086
refused "a broken config" heads --arch llama $other
rm other/config.json
ln -s config.json other/config.json
# shellcheck disable=SC2086
refused "an unreadable config" heads --arch llama --heads 4 $other
complains 'other/config.json: cannot open'
finish
