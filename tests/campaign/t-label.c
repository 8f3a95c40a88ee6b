/* The labels of small datasets and layers, against those that a person gives them. */
#include "campaign/label.h"

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

/* Whether the labels are those of the list, in any order. */
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
    {"1,1 2,2", ";"},         /* any two tokens are on a line through one of them */
    {"1,1 1,1073741824/1073741823", ";near tokens;"},
    {"1,1 1,1073741822/1073741823", ";"},
    {"1,1 1,1073741825/1073741823", ";"},
    {"1,0 0,1000000000001", ";extreme scale;"},
    {"1,0 0,1000000000000", ";"},
    {"1,0 0,1/1000000000001", ";extreme scale;"},
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

int main(void)
{
    test_datasets();
    return tap_done();
}
