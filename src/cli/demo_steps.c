/* demo_steps.c -- the tour's files and steps. */
#include "cli/demo.h"

const unsigned char attest_demo_head[] = {
#include "cli/demo_head.inc"
};
const size_t attest_demo_head_size = sizeof attest_demo_head;

/* the files as they are written, a line each */
/* clang-format off */
const demo_file attest_demo_file[DEMO_FILES] = {
    {"universal-pair.json", "{\"format\": \"attest/dataset\", \"version\": 1,\n"
                            " \"name\": \"the universal pair along (1, 2)\",\n"
                            " \"sequences\": [[[1, 2], [3, 6], [4, 8], [6, 12]],\n"
                            "               [[1, 2], [2, 4], [5, 10], [6, 12]]]}\n"},
    {"hardmax.json",
     "{\"format\": \"attest/weights\", \"version\": 1,\n"
     " \"activation\": \"hardmax\",\n"
     " \"heads\": [{\"WQ\": [[\"3/7\", -1], [2, \"0.1\"]], \"WK\": [[1, \"-5/3\"], [0, 4]],\n"
     "            \"WV\": [[1, \"1/9\"], [-2, 7]], \"WO\": [[\"2/3\", 1], [0, -1]]},\n"
     "           {\"WQ\": [[-1, 1]], \"WK\": [[\"1/2\", 3]], \"WV\": [[5, -1]], \"WO\": [[1], "
     "[\"1/3\"]]}]}\n"},
    {"softmax.json", "{\"format\": \"attest/weights\", \"version\": 1,\n"
                     " \"activation\": \"softmax\",\n"
                     " \"heads\": [{\"WQ\": {\"u\": [1], \"v\": [\"1/10\", \"1/10\"]}, \"WK\": "
                     "{\"u\": [1], \"v\": [\"1/10\", \"1/10\"]},\n"
                     "            \"WV\": {\"u\": [1], \"v\": [\"1/10\", \"1/10\"]}, \"WO\": "
                     "{\"u\": [\"1/2\", \"-1/4\"], \"v\": [1]}}]}\n"},
    {"subsets.json",
     "{\"format\": \"attest/dataset\", \"version\": 1,\n"
     " \"name\": \"all 20 subsets of three of six tokens\",\n"
     " \"sequences\": [\n"
     "  [[2, 1], [-1, 2], [3, -2]], [[2, 1], [-1, 2], [1, 4]],\n"
     "  [[2, 1], [-1, 2], [-3, -1]], [[2, 1], [-1, 2], [0, 5]],\n"
     "  [[2, 1], [3, -2], [1, 4]], [[2, 1], [3, -2], [-3, -1]],\n"
     "  [[2, 1], [3, -2], [0, 5]], [[2, 1], [1, 4], [-3, -1]],\n"
     "  [[2, 1], [1, 4], [0, 5]], [[2, 1], [-3, -1], [0, 5]],\n"
     "  [[-1, 2], [3, -2], [1, 4]], [[-1, 2], [3, -2], [-3, -1]],\n"
     "  [[-1, 2], [3, -2], [0, 5]], [[-1, 2], [1, 4], [-3, -1]],\n"
     "  [[-1, 2], [1, 4], [0, 5]], [[-1, 2], [-3, -1], [0, 5]],\n"
     "  [[3, -2], [1, 4], [-3, -1]], [[3, -2], [1, 4], [0, 5]],\n"
     "  [[3, -2], [-3, -1], [0, 5]], [[1, 4], [-3, -1], [0, 5]]],\n"
     " \"labels\": [\n"
     "  [[0], [0], [0]], [[1], [1], [1]], [[2], [2], [2]], [[3], [3], [3]], [[0], [0], [0]],\n"
     "  [[1], [1], [1]], [[2], [2], [2]], [[3], [3], [3]], [[0], [0], [0]], [[1], [1], [1]],\n"
     "  [[2], [2], [2]], [[3], [3], [3]], [[0], [0], [0]], [[1], [1], [1]], [[2], [2], [2]],\n"
     "  [[3], [3], [3]], [[0], [0], [0]], [[1], [1], [1]], [[2], [2], [2]], [[3], [3], "
     "[3]]]}\n"},
    {"expected.json", "{\"format\": \"attest/expected\", \"version\": 1,\n"
                      " \"verdicts\": {\"hardmax-certificate.json\": \"refuted\",\n"
                      "              \"without-collinear/report.json\": \"violated\",\n"
                      "              \"wrong.json\": \"wrong\"}}\n"},
};
/* clang-format on */

const demo_step attest_demo_step[DEMO_STEPS] = {
    {.story =
         "1. Hardmax attention, two heads with arbitrary weights, evaluated exactly. The\n"
         "   sequences differ (3, 4 against 2, 5 times the first token), yet positions 0 and\n"
         "   3 have equal outputs, fraction for fraction.",
     .command = &attest_command_eval,
     .arguments = {"@universal-pair.json", "--weights", "@hardmax.json"}},
    {.story =
         "2. So this layer is no contextual mapping. No choice of weights can change that\n"
         "   (Theorem 1; 'attest counterexample' defeats your weights, too).",
     .command = &attest_command_certify,
     .arguments = {"@universal-pair.json", "--weights", "@hardmax.json", "-o",
                   "@hardmax-certificate.json"},
     .code = EXIT_FAILS},
    {.story =
         "3. One softmax head of rank 1 on the same data tells all contexts apart, and that\n"
         "   is proved: the least separation lies inside the ball (Theorem 2).",
     .command = &attest_command_certify,
     .arguments = {"@universal-pair.json", "--weights", "@softmax.json", "-o",
                   "@softmax-certificate.json"}},
    {.story =
         "4. The same head with every operation rounded: it survives binary32; in an 8-bit\n"
         "   E4M3 float the sequences collapse again. 'collapse' is the exact limit.",
     .command = &attest_command_audit,
     .arguments = {"@universal-pair.json", "--weights", "@softmax.json", "--formats",
                   "binary32,bfloat16,float8_e4m3fn", "--quick"}},
    {.story =
         "5. Theorem 2 builds such a head for any data; here, for all 20 subsets of six\n"
         "   tokens. With the theorem's own constants it takes more bits than any hardware\n"
         "   has; with constants tuned to the data, eight.",
     .command = &attest_command_audit,
     .arguments = {"@subsets.json", "--construct", "all", "-o", "@audit"},
     .shown = 4},
    {.story = "6. One layer more, and every token of every context gets the label it should\n"
              "   have (Corollary 1): the network is built and verified.",
     .command = &attest_command_memorize,
     .arguments = {"@subsets.json", "--strategy", "tuned", "--json"},
     .into = "memorize.json"},
    {.story =
         "7. A head of a trained model, its queries, keys and values on one line of text in\n"
         "   bfloat16. What do bfloat16 and an 8-bit float make of its attention?",
     .command = &attest_command_heads,
     .arguments = {"@head.safetensors", "--causal", "--formats", "bfloat16,float8_e4m3fn", "-o",
                   "@head-audit.json"}},
    {.story =
         "8. Is an 8-bit cache of its keys and values good enough? The smallest scheme with\n"
         "   which every kernel stays within a tenth of the exact outputs, proved.",
     .command = &attest_command_range,
     .arguments = {"@head.safetensors", "--kernel", "bf16-flash2", "--causal", "--max-error",
                   "0.1"},
     .shown = 2},
    {.story = "9. A kernel for it, on Hopper with its matrix unit, simulated bit for bit.",
     .command = &attest_command_simulate,
     .arguments = {"@head.safetensors", "--kernel", "hopper-bf16-64", "--causal", "-o",
                   "@right.safetensors"}},
    {.story =
         "10. Is that output right? No tolerance is guessed: for every element an interval\n"
         "    holds what any kernel of FlashAttention-2's kind may return here.",
     .command = &attest_command_judge,
     .arguments = {"@head.safetensors", "@right.safetensors", "--kernel", "bf16-flash2",
                   "--causal", "-o", "@right.json"},
     .shown = -1},
    {.story = "11. The same kernel without its scale: a bug.",
     .command = &attest_command_simulate,
     .arguments = {"@head.safetensors", "--kernel", "hopper-bf16-64", "--causal", "--scale",
                   "none", "-o", "@wrong.safetensors"}},
    {.story = "12. The bug is proved, and named.",
     .command = &attest_command_judge,
     .arguments = {"@head.safetensors", "@wrong.safetensors", "--kernel", "bf16-flash2",
                   "--causal", "-o", "@wrong.json"},
     .code = EXIT_FAILS,
     .shown = -7},
    {.story =
         "13. The theorems as properties, tried on random instances, each decided exactly.",
     .command = &attest_command_campaign,
     .arguments = {"theorem1", "lemma_f", "theorem2", "--trials", "200", "--out", "@campaign",
                   "--resume"}},
    {.story =
         "14. Without one of its hypotheses Theorem 1 is false, and the engine finds out:\n"
         "    a counterexample, shrunk, in a file that 'attest replay' decides again.",
     .command = &attest_command_campaign,
     .arguments = {"theorem1", "--without", "collinear", "--trials", "100", "--out",
                   "@without-collinear", "--resume"},
     .code = EXIT_FAILS},
    {.story = "15. The universal approximator over finer grids, errors enclosed and bounded.",
     .command = &attest_command_approximate,
     .arguments = {"--function", "sum", "--grid", "32", "--csv", "@approximate.csv"}},
    {.story = "16. All of it on one page.",
     .command = &attest_command_report,
     .arguments = {"@", "-o", "@report.html"},
     .shown = 1},
};
