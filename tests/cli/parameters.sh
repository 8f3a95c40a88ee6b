#!/bin/sh
# Remark 2: how the parameters of a memorisation grow with n, N and d. The lines that begin with
# "# |" are the table of proofs-notes/memorize.md.
. "$srcdir/tests/cli/lib.sh"

for sizes in "2 2 1" "2 4 1" "4 2 1" "4 4 1" "4 4 2" "4 4 4" "8 8 2" "16 16 2"; do
    # shellcheck disable=SC2086
    set -- $sizes
    python3 - "$@" >"$work/data.json" <<'PY'
import json, sys
n, N, d = map(int, sys.argv[1:])
token = lambda k: [k + 1 + 10 * c for c in range(d)]
s = [[token(i * n + k) for k in range(n)] for i in range(N)]
print(json.dumps({"format": "attest/dataset", "version": 1, "sequences": s,
                  "labels": [[[(7 * i + k * k) % 5] for k in range(n)] for i in range(N)]}))
PY
    run 0 "n = $1, N = $2, d = $3" memorize "$work/data.json" --json
    json "o[\"paper_parameters\"] == 4 * (1 + $3) + $3 * (2 * $1 * $2 + $3) and o[\"parameters\"] == o[\"paper_parameters\"] - 2 * $3"
    python3 -c "import json, sys
o = json.load(open(sys.argv[1]))
print('# | $1 | $2 | $3 | %d | %d | %d |' % (o['parameters'], o['paper_parameters'], o['parameters_dense']))" "$out"
done
finish
