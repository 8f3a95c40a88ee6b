/* The labels of small datasets and layers, compared with labels written by hand. */
#include "campaign/label.h"

#include <math.h>
#include <string.h>

#include "tests/tap.h"

/* Sequences of tokens of two entries, as text: "1,2 3,4 / 1,2" are two sequences. */
static void set(attest_dataset *dataset, const char *text)
{
    attest_dataset_builder builder;
    fmpq *token = _fmpq_vec_init(2);
    char copy[256], *word, *place;
    bool ok = true;

    snprintf(copy, sizeof copy, "%s", text);
    attest_dataset_init(dataset);
    attest_dataset_builder_init(&builder, 2, ATTEST_TABLE_RATIONAL, NULL);
    for (word = strtok_r(copy, " ", &place); word; word = strtok_r(NULL, " ", &place)) {
        char *comma = strchr(word, ',');

        if (comma) {
            *comma = '\0';
            ok = fmpq_set_str(token, word, 10) == 0 && ok;
            ok = fmpq_set_str(token + 1, comma + 1, 10) == 0 && ok;
            ok = attest_dataset_builder_add_token(&builder, token, NULL) == ATTEST_OK && ok;
        } else {
            ok = attest_dataset_builder_end_sequence(&builder, NULL) == ATTEST_OK && ok;
        }
    }
    ok = attest_dataset_builder_end_sequence(&builder, NULL) == ATTEST_OK && ok;
    ok = attest_dataset_builder_finish(dataset, &builder, NULL) == ATTEST_OK && ok;
    attest_dataset_builder_clear(&builder);
    _fmpq_vec_clear(token, 2);
    if (!ok)
        abort();
}

/* The double next to 10^-12, and the one above it, as fractions. */
#define SMALL "4951760157141521/4951760157141521099596496896"
#define LARGER "2475880078570761/2475880078570760549798248448"

/* Returns whether the labels are those of the list, in any order. */
static bool are(const attest_trial *trial, const char *expected)
{
    size_t count = 0;

    for (size_t l = 0; l < trial->labels; l++) {
        char name[64];

        snprintf(name, sizeof name, ";%s;", trial->label[l]);
        if (!strstr(expected, name))
            return false;
    }
    for (const char *at = expected; *at; at++)
        count += *at == ';';
    return count == trial->labels + 1;
}

static const struct {
    const char *data, *labels;
} datasets[] = {
    {"1,0 0,1", ";"},
    {"1,0 0,1 1,0", ";repeated token;"},
    {"1,0 0,1 1,1 / 1,0 0,1", ";unequal lengths;"},
    {"1,0 0,1 / 1,1", ";unequal lengths;one-token sequence;"},
    {"0,0 1,1", ";zero token;"},
    {"1,1 2,2 3,3", ";collinear;"},
    {"0,0 1,2 2,4 3,6", ";zero token;collinear;"},
    {"1,2 -2,-4 1/3,2/3", ";collinear;"},
    {"1,0 1,1 2,2 3,3", ";"}, /* the first one counts */
    {"1,1 2,2 3,3 1,0", ";"}, /* and the last */
    {"0,0 1,1 2,2", ";zero token;"},
    {"0,1 0,2 0,4", ";collinear;"},
    {"1,0 2,0 1," SMALL, ";collinear;near tokens;long numbers;"}, /* up to 10^-12 */
    {"1,0 2,0 1," LARGER, ";near tokens;long numbers;"},
    {"1,1 2,2", ";"}, /* the label needs three tokens */
    {"1,1 1,1073741824/1073741823", ";near tokens;"},
    {"1,1 1,1073741823/1073741824", ";near tokens;"},
    {"1024,1 1024,1048577/1048576", ";near tokens;"},
    {"1,1 1,1073741822/1073741823", ";"},
    {"1,1 1,1073741825/1073741823", ";"},
    {"1,0 0,1000000000001", ";extreme scale;"},
    {"1,0 0,1000000000000", ";"},
    {"1,0 0,1/1000000000001", ";extreme scale;"},
    {"1,0 0," SMALL, ";long numbers;"},
    {"1,0 0,18446744073709551615/18446744073709551613", ";"},
    {"1,0 0,18446744073709551617/18446744073709551613", ";long numbers;"},
    {"1,0 0,18446744073709551613/18446744073709551617", ";long numbers;"},
};

static void test_datasets(void)
{
    for (size_t i = 0; i < sizeof datasets / sizeof datasets[0]; i++) {
        attest_dataset dataset;
        attest_trial trial;

        set(&dataset, datasets[i].data);
        attest_trial_init(&trial);
        attest_trial_label_dataset(&trial, &dataset);
        TAP_OK(are(&trial, datasets[i].labels), "%s: %s", datasets[i].data, datasets[i].labels);
        attest_dataset_clear(&dataset);
    }
}

/* Tokens of doubles, of one entry and of three. */
static void test_doubles(void)
{
    static const struct {
        size_t dim, count;
        double value[9];
        const char *labels;
    } data[] = {{1, 3, {1, 2, 3}, ";"}, /* dimension 1 has no label collinear */
                {1, 3, {1, 0, 0x1p-60}, ";zero token;extreme scale;"},
                {1, 2, {1, 1}, ";repeated token;"},
                {1, 1, {5}, ";one-token sequence;"},
                {3, 3, {1, 2, 3, 2, 4, 6, -1, -2, -3}, ";collinear;"},
                {3, 3, {1, 2, 3, 2, 4, 6, -1, -2, 3}, ";"},
                {3, 3, {1, 2, 3, 1, 2, 4, 1, 2, 5}, ";"}};

    for (size_t i = 0; i < sizeof data / sizeof data[0]; i++) {
        attest_dataset_builder builder;
        attest_dataset dataset;
        attest_trial trial;

        attest_dataset_init(&dataset);
        attest_trial_init(&trial);
        attest_dataset_builder_init(&builder, data[i].dim, ATTEST_TABLE_REAL, NULL);
        if (attest_dataset_builder_add_doubles(&builder, data[i].value, data[i].count, NULL) !=
                ATTEST_OK ||
            attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK ||
            attest_dataset_builder_finish(&dataset, &builder, NULL) != ATTEST_OK)
            abort();
        attest_trial_label_dataset(&trial, &dataset);
        TAP_OK(are(&trial, data[i].labels), "doubles: %s", data[i].labels);
        attest_dataset_builder_clear(&builder);
        attest_dataset_clear(&dataset);
    }
}

/* Layers: heads whose W_V and W_O are 1 or 0, dense or of rank 1. */
static const struct {
    const char *data, *values; /* "10 01": W_V and W_O of two heads */
    bool hardmax, leftmost, causal, skips, factored;
    const char *labels;
} layers[] = {
    {"1,0 0,1 / 1,0", "11", false, false, false, true, false,
     ";softmax;unequal lengths;one-token sequence;"},
    {"1,0 0,1 / 1,0", "11", false, true, true, true, false,
     ";softmax;causal mask;one context a token;unequal lengths;one-token sequence;"},
    {"0,1 1,0 / 1,0", "11", true, true, true, false, true,
     ";hardmax;leftmost ties;causal mask;no skip;unequal lengths;one-token sequence;"},
    {"1,0 0,1", "11", true, false, false, true, true, ";hardmax;one context a token;"},
    {"1,0 0,1 / 0,1 1,0", "11", false, false, false, true, false,
     ";softmax;one context a token;"},
    {"1,0 0,1 / 0,1 1,0", "11", false, false, true, true, false, ";softmax;causal mask;"},
    {"1,0", "11", false, false, false, true, false,
     ";softmax;one distinct token;one context a token;one-token sequence;"},
    {"1,0 0,1", "10", false, false, false, true, false,
     ";softmax;all heads dead;one context a token;"},
    {"1,0 0,1", "01", false, false, false, true, true,
     ";softmax;all heads dead;one context a token;"},
    {"1,0 0,1", "01 10", false, false, false, true, false,
     ";softmax;all heads dead;several heads;one context a token;"},
    {"1,0 0,1", "01 11", false, false, false, true, true,
     ";softmax;several heads;one context a token;"},
    {"1,0 0,1", "11 00", false, false, false, true, false,
     ";softmax;several heads;one context a token;"},
};

/* A matrix whose last entry is 1 or 0, and all others are 0. */
static void set_matrix(attest_matrix *matrix, size_t rows, size_t cols, bool one, bool factored)
{
    if (factored) {
        attest_matrix_resize_factored(matrix, rows, cols);
        fmpz_set_ui(matrix->u + rows - 1, one);
        fmpz_one(matrix->v + cols - 1);
    } else {
        attest_matrix_resize(matrix, rows, cols);
        fmpz_set_ui(matrix->entry + rows * cols - 1, one);
    }
}

static void set_layer(attest_instance *instance, size_t i)
{
    attest_weights *weights = &instance->weights;

    attest_instance_init(instance);
    set(&instance->dataset, layers[i].data);
    if (attest_weights_resize(weights, (strlen(layers[i].values) + 1) / 3) != ATTEST_OK)
        abort();
    weights->dim = 2;
    weights->activation = layers[i].hardmax ? ATTEST_HARDMAX : ATTEST_SOFTMAX;
    weights->ties = layers[i].leftmost ? ATTEST_TIES_LEFTMOST : ATTEST_TIES_UNIFORM;
    weights->mask = layers[i].causal ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE;
    weights->skip = layers[i].skips;
    for (size_t h = 0; h < weights->heads; h++) {
        const char *value = layers[i].values + 3 * h;

        set_matrix(&weights->head[h].wq, 1, 2, true, false);
        set_matrix(&weights->head[h].wk, 1, 2, true, false);
        set_matrix(&weights->head[h].wv, 1, 2, value[0] == '1', layers[i].factored);
        set_matrix(&weights->head[h].wo, 2, 1, value[1] == '1', layers[i].factored);
    }
}

static void test_layers(void)
{
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        attest_instance instance;
        attest_trial trial;

        set_layer(&instance, i);
        attest_trial_init(&trial);
        TAP_OK(attest_instance_fits(&instance), "%s fits", layers[i].data);
        attest_trial_label_layer(&trial, &instance);
        TAP_OK(are(&trial, layers[i].labels), "%s with %s: %s", layers[i].data,
               layers[i].values, layers[i].labels);
        instance.weights.dim = 3;
        TAP_OK(!attest_instance_fits(&instance), "not with another dimension");
        attest_instance_clear(&instance);
    }
}

/* Data or weights that are missing, or whose shapes do not match. */
static void test_fits(void)
{
    attest_instance instance;

    attest_instance_init(&instance);
    TAP_OK(!attest_instance_fits(&instance), "an empty instance does not fit");
    set(&instance.dataset, "1,0");
    instance.weights.dim = 2;
    TAP_OK(!attest_instance_fits(&instance), "data without weights do not fit");
    attest_instance_clear(&instance);
    set_layer(&instance, 0);
    attest_dataset_clear(&instance.dataset);
    instance.dataset.dim = 2;
    TAP_OK(!attest_instance_fits(&instance), "weights without data do not fit");
    attest_instance_clear(&instance);
    set_layer(&instance, 0);
    attest_matrix_resize(&instance.weights.head[0].wq, 1, 3);
    TAP_OK(!attest_instance_fits(&instance), "a matrix of another shape does not fit");
    attest_instance_clear(&instance);
}

/* A repeated label counts once; labels beyond the limit are dropped. */
static void test_trial(void)
{
    static char name[ATTEST_TRIAL_LABELS + 1][16];
    attest_trial trial;

    attest_trial_init(&trial);
    TAP_OK(trial.labels == 0 && trial.outcome == ATTEST_HELD && isnan(trial.margin) &&
               !trial.has_pair && !trial.reason[0],
           "a trial begins as one that holds");
    for (int again = 0; again < 2; again++)
        for (size_t l = 0; l < ATTEST_TRIAL_LABELS; l++) {
            snprintf(name[l], sizeof name[l], "label %zu", l);
            attest_trial_label(&trial, name[l]);
            attest_trial_label(&trial, name[0]);
        }
    TAP_OK(trial.labels == ATTEST_TRIAL_LABELS && strcmp(trial.label[0], "label 0") == 0 &&
               strcmp(trial.label[1], "label 1") == 0,
           "%zu labels, each once", trial.labels);
    snprintf(name[ATTEST_TRIAL_LABELS], sizeof name[0], "too many");
    attest_trial_label(&trial, name[ATTEST_TRIAL_LABELS]);
    TAP_OK(trial.labels == ATTEST_TRIAL_LABELS, "no more than fit");
    attest_trial_open(&trial, "open: %d", 7);
    TAP_OK(trial.outcome == ATTEST_OPEN && strcmp(trial.reason, "open: 7") == 0, "%s",
           trial.reason);
    attest_trial_violated(&trial, "toy", "x is %d", 8);
    TAP_OK(trial.outcome == ATTEST_VIOLATED && strcmp(trial.reason, "x is 8") == 0 &&
               strcmp(trial.definition, "toy") == 0,
           "%s", trial.reason);
}

TEST(label)
{
    test_trial();
    test_datasets();
    test_doubles();
    test_layers();
    test_fits();
    flint_cleanup();
    return 0;
}
