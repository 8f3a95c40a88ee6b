/* Corollaries 1 and 2: random labelled data are memorised, with and without mask, and planted
 * errors are caught: a ramp that touches a class, a projection that merges two classes, a label
 * off by one unit, a unit of the skip that switches off. */
#include "tests/theory/memorize_random.h"

#include "theory/separated.h"

/* A small memorisation to spoil. */
static void build_small(attest_memorization *m, attest_dataset *data, uint64_t *state)
{
    labelled_shape shape = {2, 4, 6, 2, false, ATTEST_MASK_NONE};

    attest_dataset_init(data);
    attest_memorization_init(m);
    labelled_gen(data, &shape, state);
    if (attest_memorization_build(m, data, NULL) != ATTEST_OK || m->hypothesis)
        abort();
}

static attest_verdict check(const attest_network *network, const attest_dataset *data)
{
    attest_label_finding finding;

    if (attest_memorize_check_labels(&finding, network, data, 512, &(attest_progress){0}, 1,
                                     NULL) != ATTEST_OK)
        abort();
    return finding.verdict;
}

static void test_labels(uint64_t *state)
{
    attest_memorization m;
    attest_dataset data;
    int caught = 0, total = 0;

    build_small(&m, &data, state);
    TAP_OK(check(&m.network, &data) == ATTEST_PROVED, "the network as built");
    for (size_t e = 0; e < data.total * data.label_dim; e++, total++) {
        fmpq_add_si(data.label + e, data.label + e, 1);
        caught += check(&m.network, &data) == ATTEST_REFUTED;
        fmpq_sub_si(data.label + e, data.label + e, 1);
    }
    TAP_OK(caught == total, "a label off by one unit: %d of %d refuted", caught, total);
    caught = 0;
    for (size_t c = 0; c < 2; c++) {
        fmpq_add_si(m.network.after.bias + c, m.network.after.bias + c, 1);
        caught += check(&m.network, &data) == ATTEST_REFUTED;
        fmpq_sub_si(m.network.after.bias + c, m.network.after.bias + c, 1);
    }
    TAP_OK(caught == 2, "b_2 off by one unit is refuted");
    attest_memorization_clear(&m);
    attest_dataset_clear(&data);
}

/* Widens every ramp in turn over the gap, to either side, so that it touches a class. */
static void test_ramps(uint64_t *state)
{
    attest_memorization m;
    attest_dataset data;
    attest_units *ramps;
    int caught = 0, total = 0;
    fmpz_t old, far;

    build_small(&m, &data, state);
    ramps = &m.network.after.group[0];
    fmpz_init(old);
    fmpz_init(far);
    fmpz_set(far, ramps->bias_denominator);
    fmpz_mul_ui(far, far, 1000000);
    for (size_t h = 0; h < ramps->count; h++) {
        bool flat = _fmpz_vec_is_zero(ramps->output + h * 2, 2);

        fmpz_set(old, ramps->bias + h);
        if (h % 2 == 0)
            fmpz_add(ramps->bias + h, ramps->bias + h, far);
        else
            fmpz_sub(ramps->bias + h, ramps->bias + h, far);
        if (!flat) {
            total++;
            caught += check(&m.network, &data) == ATTEST_REFUTED;
        }
        fmpz_set(ramps->bias + h, old);
    }
    TAP_OK(caught == total && total > 4, "a ramp that touches a class: %d of %d refuted",
           caught, total);
    TAP_OK(check(&m.network, &data) == ATTEST_PROVED, "put back, it is proved again");
    fmpz_set(old, m.network.after.group[1].bias);
    fmpz_set_si(m.network.after.group[1].bias, -1000);
    TAP_OK(check(&m.network, &data) == ATTEST_REFUTED, "a unit that cancels no more");
    fmpz_set(m.network.after.group[1].bias, old);
    fmpz_clear(old);
    fmpz_clear(far);
    attest_memorization_clear(&m);
    attest_dataset_clear(&data);
}

/* Puts every ramp in turn right on the class above it. */
static void test_touching(uint64_t *state)
{
    attest_memorization m;
    attest_dataset data;
    attest_units *ramps;
    int open = 0, total = 0;
    fmpz_t old[2];

    build_small(&m, &data, state);
    ramps = &m.network.after.group[0];
    fmpz_init(old[0]);
    fmpz_init(old[1]);
    for (size_t h = 0; h + 3 < ramps->count; h += 2) {
        if (_fmpz_vec_is_zero(ramps->output + h * 2, 2))
            continue;
        total++;
        fmpz_set(old[0], ramps->bias + h);
        fmpz_set(old[1], ramps->bias + h + 1);
        /* from the end of this ramp to the beginning of the next: the class lies between */
        fmpz_set(ramps->bias + h, ramps->bias + h + 1);
        fmpz_set(ramps->bias + h + 1, ramps->bias + h + 2);
        open += check(&m.network, &data) != ATTEST_PROVED;
        fmpz_set(ramps->bias + h, old[0]);
        fmpz_set(ramps->bias + h + 1, old[1]);
    }
    TAP_OK(open == total && total > 2, "a class on a ramp: %d of %d not proved", open, total);
    fmpz_clear(old[0]);
    fmpz_clear(old[1]);
    attest_memorization_clear(&m);
    attest_dataset_clear(&data);
}

/* p = a projection that puts the lonely tokens x and y, which attention maps to x + (v.x) w and
 * y + (v.y) w exactly, on the same point: orthogonal to the difference. */
static void set_merging(fmpz *p, const attest_weights *weights, const long x[2],
                        const long y[2])
{
    const attest_matrix *v = &weights->head[0].wv, *w = &weights->head[0].wo;
    fmpq_t entry, along, difference[2];

    fmpq_init(entry);
    fmpq_init(along);
    for (size_t c = 0; c < 2; c++) {
        attest_matrix_get_entry(entry, v, 0, c);
        fmpq_mul_si(entry, entry, x[c] - y[c]);
        fmpq_add(along, along, entry);
    }
    for (size_t c = 0; c < 2; c++) {
        fmpq_init(difference[c]);
        attest_matrix_get_entry(entry, w, c, 0);
        fmpq_mul(difference[c], entry, along);
        fmpq_add_si(difference[c], difference[c], x[c] - y[c]);
    }
    fmpz_mul(p, fmpq_numref(difference[1]), fmpq_denref(difference[0]));
    fmpz_mul(p + 1, fmpq_numref(difference[0]), fmpq_denref(difference[1]));
    fmpz_neg(p + 1, p + 1);
    fmpq_clear(entry);
    fmpq_clear(along);
    fmpq_clear(difference[0]);
    fmpq_clear(difference[1]);
}

static void build_lonely(attest_dataset *data, long entry[][2], size_t count)
{
    attest_dataset_builder builder;
    fmpq *token = _fmpq_vec_init(2);

    attest_dataset_init(data);
    attest_dataset_builder_init(&builder, 2, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t i = 0; i < count; i++) {
        for (int c = 0; c < 2; c++)
            fmpq_set_si(token + c, entry[i][c], 1);
        if (attest_dataset_builder_add_token(&builder, token, NULL) ||
            attest_dataset_builder_end_sequence(&builder, NULL))
            abort();
    }
    if (attest_dataset_builder_finish(data, &builder, NULL))
        abort();
    attest_dataset_builder_clear(&builder);
    data->label_dim = 1;
    data->label = calloc(count, sizeof *data->label);
    for (size_t i = 0; i < count; i++) {
        fmpq_init(data->label + i);
        fmpq_set_si(data->label + i, (slong)(i * i), 1);
    }
    _fmpq_vec_clear(token, 2);
}

/* More sequences than are checked in one part: a wrong label is found wherever it stands, and
 * of two the first is named. */
static void test_parts(void)
{
    enum { MANY = 65 }; /* the last part is one sequence */
    static const size_t wrong[] = {0, 30, 31, 32, 33, 62, 63, 64};
    attest_label_finding finding;
    attest_memorization m;
    attest_dataset data;
    long entry[MANY][2];
    size_t found = 0, total = sizeof wrong / sizeof *wrong;

    for (long i = 0; i < MANY; i++) {
        entry[i][0] = i + 1;
        entry[i][1] = i * i % 11;
    }
    attest_memorization_init(&m);
    build_lonely(&data, entry, MANY);
    if (attest_memorization_build(&m, &data, NULL) != ATTEST_OK || m.hypothesis)
        abort();
    TAP_OK(check(&m.network, &data) == ATTEST_PROVED, "%d sequences", MANY);
    for (size_t i = 0; i < total; i++) {
        fmpq *label[2] = {data.label + wrong[i], data.label + MANY - 1};

        for (size_t k = 0; k < 2; k++)
            fmpq_add_si(label[k], label[k], 1);
        if (attest_memorize_check_labels(&finding, &m.network, &data, 512,
                                         &(attest_progress){0}, 1, NULL) != ATTEST_OK)
            abort();
        found += finding.verdict == ATTEST_REFUTED && finding.place.sequence == wrong[i] &&
                 finding.place.position == 0;
        for (size_t k = 0; k < 2; k++)
            fmpq_sub_si(label[k], label[k], 1);
    }
    TAP_OK(found == total, "the first wrong label is named, %zu of %zu", found, total);
    attest_memorization_clear(&m);
    attest_dataset_clear(&data);
}

static void test_projection(void)
{
    static long entry[][2] = {{3, 1}, {1, 3}, {-2, 5}};
    attest_memorization m, other;
    attest_dataset data;
    attest_error error = {ATTEST_OK, ""};
    fmpz *p = _fmpz_vec_init(2);

    build_lonely(&data, entry, 3);
    attest_memorization_init(&m);
    TAP_OK(attest_memorization_build(&m, &data, NULL) == ATTEST_OK &&
               m.proof.verdict == ATTEST_PROVED,
           "a projection that is searched for");
    attest_memorization_init(&other);
    other.projection = m.network.after.group[0].direction;
    TAP_OK(attest_memorization_build(&other, &data, NULL) == ATTEST_OK &&
               other.proof.verdict == ATTEST_PROVED,
           "the same projection, given");
    attest_memorization_clear(&other);
    set_merging(p, &m.network.attention, entry[0], entry[2]);
    attest_memorization_init(&other);
    other.projection = p;
    other.max_bits = 2048;
    TAP_OK(attest_memorization_build(&other, &data, &error) == ATTEST_UNABLE &&
               strstr(error.text, "[0,0]") && strstr(error.text, "[2,0]"),
           "a projection that merges two classes is refused: %s", error.text);
    attest_memorization_clear(&other);
    _fmpz_vec_set(m.network.after.group[0].direction, p, 2);
    TAP_OK(check(&m.network, &data) != ATTEST_PROVED,
           "a network with that projection is not proved");
    attest_memorization_clear(&m);
    attest_dataset_clear(&data);
    _fmpz_vec_clear(p, 2);
}

/* One context, once and three times: Theorem 2 has no pair of tokens, and any attention does.
 */
static void test_one_context(void)
{
    static long entry[][2] = {{3, 1}, {3, 1}, {3, 1}};

    for (size_t count = 1; count <= 3; count += 2) {
        attest_memorization m;
        attest_dataset data;

        build_lonely(&data, entry, count);
        for (size_t i = 0; i < count; i++)
            fmpq_set_si(data.label + i, 5, 7);
        attest_memorization_init(&m);
        TAP_OK(attest_memorization_build(&m, &data, NULL) == ATTEST_OK && !m.hypothesis &&
                   m.proof.verdict == ATTEST_PROVED && m.contexts == 1 && m.classes == 1 &&
                   m.pieces == 1 && !m.has_gap && check(&m.network, &data) == ATTEST_PROVED,
               "one context, in %zu sequences", count);
        attest_memorization_clear(&m);
        attest_dataset_clear(&data);
    }
}

/* A hypothesis of Theorem 2 that the tokens do not meet is reported with its name there: the
 * strategies that follow the theorem accept no token 0. */
static void test_hypothesis(void)
{
    static long entry[][2] = {{3, 1}, {1, 3}, {0, 0}};
    attest_memorization m;
    attest_dataset data;

    build_lonely(&data, entry, 3);
    attest_memorization_init(&m);
    m.strategy = ATTEST_STRATEGY_THEOREM;
    TAP_OK(attest_memorization_build(&m, &data, NULL) == ATTEST_OK && m.hypothesis &&
               strcmp(m.hypothesis, "r-min") == 0 && m.places == 1 &&
               m.place[0].sequence == 2 && m.place[0].position == 0 &&
               strstr(m.explanation, "[2,0]"),
           "the token 0: %s", m.explanation);
    attest_memorization_clear(&m);
    attest_dataset_clear(&data);
}

/* W_K = u v^T with the same v. */
static bool same_direction(const attest_matrix *one, const attest_matrix *other)
{
    return one->factored && other->factored &&
           _fmpz_vec_equal(one->v, other->v, (slong)one->cols) &&
           fmpz_equal(one->v_denominator, other->v_denominator);
}

/* Seeds make directions, and limits of work are kept. */
static void test_settings(void)
{
    static long entry[][2] = {{3, 1}, {1, 3}, {-2, 5}};
    attest_memorization m[3];
    attest_dataset data;
    attest_error error = {ATTEST_OK, ""};
    const attest_matrix *key[3];

    build_lonely(&data, entry, 3);
    for (int i = 0; i < 3; i++) {
        attest_memorization_init(&m[i]);
        m[i].seed = i == 2 ? 7 : m[i].seed;
        if (attest_memorization_build(&m[i], &data, NULL) != ATTEST_OK)
            abort();
        key[i] = &m[i].network.attention.head[0].wk;
    }
    TAP_OK(m[0].seed == 1 && same_direction(key[0], key[1]) && !same_direction(key[0], key[2]),
           "another seed, other weights");
    for (int i = 0; i < 3; i++)
        attest_memorization_clear(&m[i]);
    attest_memorization_init(&m[0]);
    m[0].max_work = 1;
    TAP_OK(attest_memorization_build(&m[0], &data, &error) == ATTEST_UNABLE,
           "more work than is allowed: %s", error.text);
    attest_memorization_clear(&m[0]);
    attest_dataset_clear(&data);
}

/* A token that stands twice in a sequence is named at both places. */
static void test_repeated(uint64_t *state)
{
    labelled_shape shape = {2, 6, 6, 1, true, ATTEST_MASK_NONE};
    attest_separated extremes;
    attest_memorization m;
    attest_dataset data;

    attest_dataset_init(&data);
    attest_separated_init(&extremes);
    do {
        attest_dataset_clear(&data);
        attest_separated_clear(&extremes);
        attest_separated_init(&extremes);
        labelled_gen(&data, &shape, state);
        if (attest_separated_get(&extremes, &data, NULL))
            abort();
    } while (extremes.no_duplicates || fmpq_is_zero(extremes.r_min_square));
    attest_memorization_init(&m);
    m.strategy = ATTEST_STRATEGY_GAP;
    TAP_OK(attest_memorization_build(&m, &data, NULL) == ATTEST_OK && m.hypothesis &&
               strcmp(m.hypothesis, "no-duplicates") == 0 && m.places == 2 &&
               m.place[0].sequence == m.place[1].sequence &&
               m.place[0].position < m.place[1].position &&
               attest_dataset_token(&data, m.place[0].sequence, m.place[0].position) ==
                   attest_dataset_token(&data, m.place[1].sequence, m.place[1].position),
           "a token twice: %s", m.explanation);
    attest_memorization_clear(&m);
    attest_separated_clear(&extremes);
    attest_dataset_clear(&data);
}

/* The two tokens that share a class and not their label are named. */
static void test_inconsistent(uint64_t *state)
{
    labelled_shape shape = {1, 3, 5, 1, false, ATTEST_MASK_NONE};
    attest_memorization m;
    attest_dataset data;
    attest_contexts contexts;
    size_t one = 0, other = 0;

    attest_dataset_init(&data);
    attest_contexts_init(&contexts);
    contexts.keep_positions = true;
    do {
        attest_dataset_clear(&data);
        labelled_gen(&data, &shape, state);
        if (attest_contexts_get(&contexts, &data, shape.mask, ATTEST_TIES_UNIFORM, NULL))
            abort();
        for (one = 0; one < data.total; one++) {
            for (other = one + 1; other < data.total; other++)
                if (contexts.position[one] == contexts.position[other])
                    break;
            if (other < data.total)
                break;
        }
    } while (one >= data.total);
    fmpq_add_si(data.label + other, data.label + other, 1);
    attest_memorization_init(&m);
    TAP_OK(attest_memorization_build(&m, &data, NULL) == ATTEST_OK && m.hypothesis &&
               strcmp(m.hypothesis, "consistent") == 0 && m.places == 2 &&
               data.start[m.place[0].sequence] + m.place[0].position == one &&
               data.start[m.place[1].sequence] + m.place[1].position == other,
           "inconsistent labels: %s", m.explanation);
    attest_memorization_clear(&m);
    attest_contexts_clear(&contexts);
    attest_dataset_clear(&data);
}

TEST(memorize)
{
    uint64_t state = tap_seed(0x3e3012);

    test_random(&state, 1, 4, 6, 4, false);
    test_random(&state, 2, 6, 8, 4, false);
    test_random(&state, 4, 8, 24, 1, false);
    test_random(&state, 1, 5, 6, 4, true);
    test_random(&state, 3, 8, 12, 2, true);
    test_labels(&state);
    test_ramps(&state);
    test_touching(&state);
    test_parts();
    test_projection();
    test_one_context();
    test_hypothesis();
    test_settings();
    test_repeated(&state);
    test_inconsistent(&state);
    flint_cleanup();
    return 0;
}
