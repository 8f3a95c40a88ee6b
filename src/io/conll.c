/* conll.c -- sentences as columns of words and tags. */
#include "io/conll.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "base/text.h"

enum { EXCERPT = 80, PIECES = ATTEST_SHA256_SIZE / 2 };

attest_status attest_embed_parse(size_t *dim, const char *text, attest_error *error)
{
    const char *digits = text + 5;
    size_t value = 0;

    if (strncmp(text, "hash:", 5) == 0 && *digits && strlen(digits) <= 4) {
        for (; *digits >= '0' && *digits <= '9'; digits++)
            value = 10 * value + (size_t)(*digits - '0');
        *dim = value;
        if (*digits == '\0' && value >= 1 && value <= ATTEST_EMBED_MAX)
            return ATTEST_OK;
    }
    return attest_error_set(error, ATTEST_USAGE,
                            "'%s' is not an embedding; give hash:D with D from 1 to %d", text,
                            ATTEST_EMBED_MAX);
}

void attest_embed_word(double *entry, size_t dim, const char *word, size_t length)
{
    unsigned char digest[ATTEST_SHA256_SIZE];
    attest_sha256 hash;

    for (size_t i = 0; i < dim; i++) {
        if (i % PIECES == 0) {
            unsigned char counter = (unsigned char)(i / PIECES);
            attest_sha256_init(&hash);
            attest_sha256_add(&hash, &counter, 1);
            attest_sha256_add(&hash, word, length);
            attest_sha256_get(digest, &hash);
        }
        entry[i] =
            (2.0 * (256 * digest[i % PIECES * 2] + digest[i % PIECES * 2 + 1]) - 65535) / 65536;
    }
}

void attest_tags_init(attest_tags *tags)
{
    memset(tags, 0, sizeof *tags);
}

void attest_tags_clear(attest_tags *tags)
{
    for (size_t t = 0; t < tags->count; t++)
        free(tags->name[t]);
    free(tags->name);
    attest_tags_init(tags);
}

/* The state while a file is parsed. */
typedef struct reader {
    attest_dataset_builder builder;
    attest_string_map words, tags;
    uint32_t *label; /* the tag of every token so far */
    size_t labels, room;
    double *point; /* of one word */
    size_t line;
    bool open; /* a sentence has begun */
} reader;

static attest_status out_of_memory(attest_error *error)
{
    return attest_memory_fail(error);
}

static attest_status refuse(const reader *r, const char *what, attest_error *error)
{
    return attest_error_set(error, ATTEST_FORMAT, "line %zu: %s", r->line, what);
}

/* Two words with the same point: D is too small. */
static attest_status refuse_collision(const reader *r, uint32_t word, uint32_t token,
                                      attest_error *error)
{
    const attest_byte_string *one = &r->words.string[token], *other = &r->words.string[word];
    char first[EXCERPT], second[EXCERPT];

    attest_escape_excerpt(first, sizeof first, one->text, one->length);
    attest_escape_excerpt(second, sizeof second, other->text, other->length);
    return attest_error_set(error, ATTEST_FORMAT,
                            "line %zu: hash:%zu gives the words '%s' and '%s' the same point; "
                            "take a larger D",
                            r->line, r->builder.dataset.dim, first, second);
}

/* Words and tokens get the same numbers, as long as different words have different points. */
static attest_status add_word(reader *r, const char *word, size_t length, attest_error *error)
{
    const attest_dataset *dataset = &r->builder.dataset;
    uint32_t number, token;
    bool is_new;

    if (!attest_string_map_get_or_add(&number, &is_new, &r->words, word, length))
        return out_of_memory(error);
    attest_embed_word(r->point, dataset->dim, word, length);
    ATTEST_TRY(attest_dataset_builder_add_doubles(&r->builder, r->point, 1, error));
    token = dataset->token[dataset->total - 1];
    return token == number ? ATTEST_OK : refuse_collision(r, number, token, error);
}

static attest_status add_tag(reader *r, const char *tag, size_t length, attest_error *error)
{
    uint32_t number;
    bool is_new;

    for (size_t i = 0, step; i < length; i += step) {
        step = attest_utf8_length((const unsigned char *)tag + i, length - i);
        if (step == 0)
            return refuse(r, "the tag is not UTF-8", error);
    }
    if (!attest_string_map_get_or_add(&number, &is_new, &r->tags, tag, length))
        return out_of_memory(error);
    if (!attest_memory_grow(&r->label, &r->room, r->labels + 1, sizeof *r->label))
        return out_of_memory(error);
    r->label[r->labels++] = number;
    return ATTEST_OK;
}

static attest_status end_sentence(reader *r, attest_error *error)
{
    if (!r->open)
        return ATTEST_OK;
    r->open = false;
    return attest_dataset_builder_end_sequence(&r->builder, error);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

/* text[0..length) without its line end. */
static attest_status add_line(reader *r, const char *text, size_t length, attest_error *error)
{
    static const char document[] = "-DOCSTART-";
    size_t begin = 0, end, last;

    r->line++;
    if (memchr(text, '\0', length))
        return refuse(r, "a zero byte", error);
    if (length > 0 && text[length - 1] == '\r')
        length--;
    while (length > 0 && is_space(text[length - 1]))
        length--;
    while (begin < length && is_space(text[begin]))
        begin++;
    if (begin == length)
        return end_sentence(r, error);
    for (end = begin; end < length && !is_space(text[end]);)
        end++;
    if (end - begin == sizeof document - 1 && memcmp(text + begin, document, end - begin) == 0)
        return ATTEST_OK;
    if (end == length)
        return refuse(r, "a word and a tag are needed, this is one column", error);
    for (last = length; !is_space(text[last - 1]);)
        last--;
    r->open = true;
    ATTEST_TRY(add_word(r, text + begin, end - begin, error));
    return add_tag(r, text + last, length - last, error);
}

static attest_status add_lines(reader *r, const char *text, size_t size, attest_error *error)
{
    for (size_t at = 0, length; at < size; at += length + 1) {
        const char *newline = memchr(text + at, '\n', size - at);
        length = newline ? (size_t)(newline - (text + at)) : size - at;
        ATTEST_TRY(add_line(r, text + at, length, error));
    }
    ATTEST_TRY(end_sentence(r, error));
    if (r->builder.dataset.count == 0)
        return attest_error_set(error, ATTEST_FORMAT, "there are no sentences");
    return ATTEST_OK;
}

/* Moves the labels and the names of the tags to the results. */
static attest_status finish(attest_dataset *dataset, attest_tags *tags, reader *r,
                            attest_error *error)
{
    ATTEST_TRY(attest_dataset_builder_finish(dataset, &r->builder, error));
    dataset->label = attest_memory_alloc(dataset->total, sizeof *dataset->label);
    tags->name = attest_memory_alloc(r->tags.count, sizeof *tags->name);
    if (!dataset->label || !tags->name)
        return out_of_memory(error);
    dataset->label_dim = 1;
    for (size_t p = 0; p < dataset->total; p++) {
        fmpq_init(dataset->label + p);
        fmpq_set_si(dataset->label + p, r->label[p], 1);
    }
    for (size_t t = 0; t < r->tags.count; t++) {
        const attest_byte_string *tag = &r->tags.string[t];
        tags->name[t] = attest_memory_alloc(tag->length + 1, 1);
        if (!tags->name[t])
            return out_of_memory(error);
        memcpy(tags->name[t], tag->text, tag->length);
        tags->count = t + 1;
    }
    tags->words = r->words.count;
    return ATTEST_OK;
}

static void reader_init(reader *r, size_t dim, attest_budget *budget)
{
    *r = (reader){.point = attest_memory_alloc(dim, sizeof *r->point)};
    attest_string_map_init(&r->words);
    attest_string_map_init(&r->tags);
    attest_dataset_builder_init(&r->builder, dim, ATTEST_TABLE_REAL, budget);
}

static void reader_clear(reader *r)
{
    attest_dataset_builder_clear(&r->builder);
    attest_string_map_clear(&r->words);
    attest_string_map_clear(&r->tags);
    free(r->label);
    free(r->point);
}

static void clear_results(attest_dataset *dataset, attest_tags *tags)
{
    attest_dataset_clear(dataset);
    attest_tags_clear(tags);
}

attest_status attest_conll_parse(attest_dataset *dataset, attest_tags *tags, const char *text,
                                 size_t size, size_t dim, attest_budget *budget,
                                 attest_error *error)
{
    ATTEST_SCOPED(reader, r, dim, budget);

    clear_results(dataset, tags);
    if (!r.point)
        return out_of_memory(error);
    ATTEST_TRY(add_lines(&r, text, size, error));
    ATTEST_TRY_OR(finish(dataset, tags, &r, error), clear_results(dataset, tags));
    return ATTEST_OK;
}

attest_status attest_conll_read(attest_dataset *dataset, attest_tags *tags, const char *path,
                                size_t dim, attest_budget *budget, attest_error *error)
{
    attest_input input ATTEST_CLEARED_BY(attest_input_close) = {0};

    clear_results(dataset, tags);
    ATTEST_TRY(attest_input_open(&input, path, attest_budget_left(budget), error));
    return attest_input_locate(&input,
                               attest_conll_parse(dataset, tags, (const char *)input.data,
                                                  input.size, dim, budget, error),
                               error);
}
