/* certificate_json.c -- reads and writes certificates. */
#include "io/certificate_json.h"

#include <stdlib.h>
#include <string.h>

#include <attest/ball.h>
#include <attest/certificate.h>
#include <attest/number.h>
#include <attest/version.h>

#include "base/memory.h"
#include "io/json_read.h"
#include "io/json_write.h"
#include "number/scope.h"

/* Displayed numbers are short, and significands lie within 2^+-4096. Longer numbers, or
 * numbers farther from 0, contradict every ball that attest writes, and exact arithmetic with
 * them would be slow. Midpoints and radii below 2^-MOST_EXPONENT count as radii of that size.
 */
enum { MOST_LENGTH = 200, MOST_EXPONENT = 100000, MOST_SHIFT_LENGTH = 1 << 21 };
enum { LOG2_DIGITS = 15, FAR = 2 * MOST_LENGTH };

#define DIGITS "0123456789"

static attest_status parse(fmpq_t x, const char *text, size_t length)
{
    return length <= MOST_LENGTH ? attest_number_parse(x, text, length, NULL, NULL)
                                 : ATTEST_FORMAT;
}

/* x = the integer that is all of text. FLINT would take blanks and signs elsewhere, too. */
static attest_status parse_integer(fmpz_t x, const char *text)
{
    const char *digits = text + (*text == '-');

    return *digits != '\0' && digits[strspn(digits, DIGITS)] == '\0' &&
                   fmpz_set_str(x, text, 10) == 0
               ? ATTEST_OK
               : ATTEST_FORMAT;
}

/* x 10^power = the decimal that is all of text, with an exponent of any size. */
static attest_status parse_decimal(fmpz_t x, fmpz_t power, const char *text)
{
    char digits[MOST_LENGTH + 1];
    const char *at = text + (*text == '-');
    size_t whole = strspn(at, DIGITS), after = 0;

    if (strlen(text) > MOST_LENGTH)
        return ATTEST_FORMAT;
    memcpy(digits, at, whole);
    at += whole;
    if (*at == '.') {
        after = strspn(++at, DIGITS);
        memcpy(digits + whole, at, after);
        at += after;
    }
    digits[whole + after] = '\0';
    ATTEST_TRY(parse_integer(x, digits));
    if (*text == '-')
        fmpz_neg(x, x);
    fmpz_zero(power);
    if (*at == 'e' || *at == 'E') {
        at += at[1] == '+' && at[2] != '-' ? 2 : 1;
        ATTEST_TRY(parse_integer(power, at));
    } else if (*at != '\0') {
        return ATTEST_FORMAT;
    }
    fmpz_sub_ui(power, power, after);
    return ATTEST_OK;
}

/* x = 10^k. */
static void set_power_of_ten(fmpz_t x, slong k)
{
    fmpz_set_ui(x, 10);
    fmpz_pow_ui(x, x, (ulong)k);
}

/* Returns whether x 10^apart differs from value, an integer of at most 15 digits, by no more
 * than two units in its 15th digit. Powers of ten are at most 10^(2 FAR). */
static bool are_close(const fmpz_t x, const fmpz_t apart, const fmpz_t value)
{
    FMPZ(power, difference);
    slong digits = (slong)fmpz_sizeinbase(value, 10);

    if (fmpz_is_zero(x) || fmpz_is_zero(value))
        return fmpz_is_zero(x) && fmpz_is_zero(value);
    /* x has at most MOST_LENGTH digits, so that these differ in magnitude. */
    if (fmpz_cmp_si(apart, FAR) > 0 || fmpz_cmp_si(apart, -FAR) < 0)
        return false;
    set_power_of_ten(power, FAR + fmpz_get_si(apart));
    fmpz_mul(difference, x, power);
    set_power_of_ten(power, FAR);
    fmpz_submul(difference, value, power);
    set_power_of_ten(power, FAR + digits - LOG2_DIGITS);
    fmpz_mul_ui(power, power, 2);
    return fmpz_cmpabs(difference, power) <= 0;
}

attest_status attest_certificate_shows_log2(bool *shows, const char *text, const arb_t ball)
{
    FMPZ(shown, shown_power, value, value_power);
    char *right ATTEST_FREED = NULL;

    *shows = false;
    ATTEST_TRY(parse_decimal(shown, shown_power, text));
    if (!arb_is_positive(ball))
        return ATTEST_OK;
    right = attest_ball_format_log2(ball);
    if (!right)
        return ATTEST_NOMEM;
    ATTEST_TRY(parse_decimal(value, value_power, right));
    fmpz_sub(shown_power, shown_power, value_power);
    *shows = are_close(shown, shown_power, value);
    return ATTEST_OK;
}

/* Reads "[m +/- r]", "[+/- r]" or "m", up to end. */
static attest_status parse_interval(fmpq_t middle, fmpq_t radius, const char *text,
                                    const char *end)
{
    static const char between[] = "+/- ";
    const char *sign = strstr(text, between);

    if (*text != '[')
        return parse(middle, text, (size_t)(end - text));
    if (!sign || sign >= end || end[-1] != ']' || (sign > text + 1 && sign[-1] != ' '))
        return ATTEST_FORMAT;
    if (sign > text + 1)
        ATTEST_TRY(parse(middle, text + 1, (size_t)(sign - text - 2)));
    sign += strlen(between);
    return parse(radius, sign, (size_t)(end - 1 - sign));
}

/* *shift = e of the " * 2^e" at the end of an interval; empty: 0. */
static attest_status parse_shift(fmpz_t shift, const char *text)
{
    static const char power[] = " * 2^";

    if (*text == '\0')
        return ATTEST_OK;
    if (strncmp(text, power, strlen(power)) != 0 ||
        strlen(text + strlen(power)) > MOST_SHIFT_LENGTH)
        return ATTEST_FORMAT;
    return parse_integer(shift, text + strlen(power));
}

/* Splits a ball into middle and radius; the ball that they make contains it, and none is tiny.
 */
static void split(arf_t middle, arf_t radius, const arb_t ball)
{
    ARF(tiny);

    arf_set_si_2exp_si(tiny, 1, -MOST_EXPONENT);
    arf_set(middle, arb_midref(ball));
    arf_set_mag(radius, arb_radref(ball));
    if (!arf_is_zero(radius) && arf_cmp(radius, tiny) < 0)
        arf_set(radius, tiny);
    if (!arf_is_zero(middle) && arf_cmpabs(middle, tiny) < 0) {
        arf_zero(middle);
        arf_add(radius, radius, tiny, 2 * MOST_EXPONENT, ARF_RND_CEIL);
    }
}

/* Returns whether |ball / 2^shift - middle| <= radius on the whole ball. */
static bool contains(const fmpq_t middle, const fmpq_t radius, const fmpz_t shift,
                     const arb_t ball)
{
    bool inside;

    ARB(scaled);
    ARF(mid, rad);
    FMPZ(down);
    FMPQ(distance, more);
    fmpz_neg(down, shift);
    arb_mul_2exp_fmpz(scaled, ball, down);
    split(mid, rad, scaled);
    inside = arf_cmpabs_2exp_si(mid, MOST_EXPONENT) < 0 &&
             arf_cmpabs_2exp_si(rad, MOST_EXPONENT) < 0;
    if (inside) {
        arf_get_fmpq(distance, mid);
        arf_get_fmpq(more, rad);
        fmpq_sub(distance, distance, middle);
        fmpq_abs(distance, distance);
        fmpq_add(distance, distance, more);
        inside = fmpq_cmp(distance, radius) <= 0;
    }
    return inside;
}

attest_status attest_certificate_shows_text(bool *shows, const char *text, const arb_t ball)
{
    const char *end = strstr(text, " * ");

    *shows = false;
    if (!end)
        end = text + strlen(text);
    FMPQ(middle, radius);
    FMPZ(shift);
    ATTEST_TRY(parse_shift(shift, end));
    ATTEST_TRY(parse_interval(middle, radius, text, end));
    *shows = contains(middle, radius, shift, ball);
    return ATTEST_OK;
}

/* Balls. */

/* Limits on the bits of an exponent, and on the distance of midpoint and radius in bits (its
 * logarithm), since their sum is formed exactly: a few characters must not become gigabytes. */
enum { MOST_EXPONENT_BITS = 1 << 22, MOST_APART_BITS = 26 };

static void read_arf(arf_t x, const attest_json_cursor *ball, const char *key)
{
    attest_json_cursor member = attest_json_take(ball, key);
    const char *text = attest_json_take_string(&member, NULL);
    int parsed = attest_json_failed(ball) ? 0 : attest_ball_parse_arf(x, text);

    if (parsed == -2)
        attest_json_note_memory(ball);
    else if (parsed != 0)
        attest_json_refuse(&member, "not a hexadecimal float");
    else if (fmpz_bits(ARF_EXPREF(x)) > MOST_EXPONENT_BITS)
        attest_json_refuse(&member, "the exponent is too large");
}

/* radius = x >= 0 exactly; false when it has too many bits, which attest does not write. */
static bool set_radius(mag_t radius, const arf_t x)
{
    FMPZ(mantissa, exponent);

    arf_get_fmpz_2exp(mantissa, exponent, x);
    if (fmpz_bits(mantissa) > MAG_BITS)
        return false;
    mag_set_ui(radius, fmpz_get_ui(mantissa));
    mag_mul_2exp_fmpz(radius, radius, exponent);
    return true;
}

static bool are_near(const arf_t mid, const arf_t radius)
{
    FMPZ(apart);

    if (arf_is_zero(mid) || arf_is_zero(radius))
        return true;
    fmpz_sub(apart, ARF_EXPREF(mid), ARF_EXPREF(radius));
    return fmpz_bits(apart) <= MOST_APART_BITS;
}

typedef attest_status shows_function(bool *shows, const char *text, const arb_t ball);

/* Compares the member key of a ball, if there is one, with its value: shows() parses the text,
 * which has this form, and compares. *display_error = what, if they differ. */
static void read_shown(const char **display_error, const attest_json_cursor *ball,
                       const arb_t value, const char *key, const char *form,
                       shows_function *shows, const char *what)
{
    attest_json_cursor member;
    const char *text;
    bool so = true;

    if (!attest_json_has(ball, key))
        return;
    member = attest_json_take(ball, key);
    text = attest_json_take_string(&member, NULL);
    if (attest_json_failed(ball))
        return;
    switch (shows(&so, text, value)) {
    case ATTEST_OK:
        *display_error = so ? *display_error : what;
        return;
    case ATTEST_FORMAT:
        attest_json_refuse(&member, "not %s", form);
        return;
    default:
        attest_json_note_memory(ball);
    }
}

/* ball = {"mid", "rad"} under key, exactly. Where "log2" or "text" beside them contradicts it,
 * *display_error is set to the reason. Errors stick (json_read.h). */
static void read_ball(arb_t ball, const char **display_error, const attest_json_cursor *object,
                      const char *key)
{
    attest_json_cursor member = attest_json_take(object, key);
    ARF(radius);

    read_arf(arb_midref(ball), &member, "mid");
    read_arf(radius, &member, "rad");
    if (arf_sgn(radius) < 0)
        attest_json_refuse(&member, "a negative radius");
    else if (!set_radius(arb_radref(ball), radius))
        attest_json_refuse(&member, "the radius has more than %d bits", MAG_BITS);
    else if (!are_near(arb_midref(ball), radius))
        attest_json_refuse(&member, "midpoint and radius are more than 2^%d bits apart",
                           MOST_APART_BITS);
    read_shown(display_error, &member, ball, "log2", "a decimal of at most 200 characters",
               attest_certificate_shows_log2,
               "a \"log2\" is not that of the midpoint it stands beside");
    read_shown(display_error, &member, ball, "text",
               "an interval [m +/- r], with or without * 2^e", attest_certificate_shows_text,
               "a \"text\" does not contain the ball it stands beside");
}

/* The other members. */

static void read_place(attest_place *place, const attest_json_cursor *cursor)
{
    static const char negative[] = "an index must not be negative";
    attest_json_cursor element[2];

    if (!attest_json_take_tuple(element, cursor, 2, "of the form [i, k]"))
        return;
    place->sequence = attest_json_take_count(&element[0], NULL, negative);
    place->position = attest_json_take_count(&element[1], NULL, negative);
}

static void read_pair(attest_place place[2], const attest_json_cursor *object, const char *key)
{
    attest_json_cursor pair = attest_json_take(object, key), element[2];

    if (!attest_json_take_tuple(element, &pair, 2, "of the form [[i,k],[j,l]]"))
        return;
    read_place(&place[0], &element[0]);
    read_place(&place[1], &element[1]);
}

static void read_input(attest_certificate *certificate, const attest_json_cursor *object)
{
    attest_certificate_input *input = &certificate->input[certificate->inputs++];
    attest_json_cursor hash;
    const char *digits;

    input->role = attest_json_take_copy(object, "role");
    input->path = attest_json_take_copy(object, "path");
    hash = attest_json_take(object, "sha256");
    digits = attest_json_take_string(&hash, NULL);
    if (strlen(digits) == 64 && strspn(digits, "0123456789abcdef") == 64)
        memcpy(input->sha256, digits, sizeof input->sha256);
    else
        attest_json_refuse(&hash, "not 64 lower-case hexadecimal digits");
    input->has_size = attest_json_has(object, "size");
    if (input->has_size)
        input->size = attest_json_take_count(object, "size", "is negative");
    input->tensor = attest_json_take_optional(object, "tensor");
    if (attest_json_has(object, "homogeneous"))
        input->homogeneous = attest_json_take_bool(object, "homogeneous");
    if ((input->tensor || input->homogeneous) && strcmp(input->role, "dataset") != 0)
        attest_json_refuse(object, "only a dataset is one tensor, or homogeneous");
}

static void read_claim(attest_certificate *certificate, const attest_json_cursor *root)
{
    static const char *const claims[] = {"contextual-mapping"};
    const char *const verdicts[] = {attest_verdict_name(ATTEST_PROVED),
                                    attest_verdict_name(ATTEST_REFUTED),
                                    attest_verdict_name(ATTEST_UNDECIDED)};

    (void)attest_json_take_choice(root, "claim", claims, 1);
    certificate->verdict =
        (attest_verdict)attest_json_take_choice(root, "verdict", verdicts, 3);
    certificate->method = attest_json_take_copy(root, "method");
    attest_json_take_rational(certificate->delta, root, "delta");
    certificate->has_r = attest_json_has(root, "r");
    if (certificate->has_r)
        attest_json_take_rational(certificate->r, root, "r");
    if (fmpq_sgn(certificate->delta) < 0 || fmpq_sgn(certificate->r) < 0)
        attest_json_refuse(root, "a bound must not be negative");
    if (attest_json_has(root, "precision_bits"))
        certificate->precision_bits = (long)attest_json_take_integer(root, "precision_bits");
}

/* The pair and its enclosure are both there, or neither. An undecided certificate may leave
 * out the largest norm and its place. */
static void read_extremes(attest_certificate *certificate, const attest_json_cursor *root)
{
    attest_json_cursor lone;

    certificate->has_pair = attest_json_has(root, "pair");
    if (certificate->has_pair) {
        read_pair(certificate->pair, root, "pair");
        read_ball(certificate->min_separation, &certificate->display_error, root,
                  "min_separation");
    } else if (attest_json_find_member(&lone, root, "min_separation")) {
        attest_json_refuse(&lone, "there is no pair");
    }
    if (certificate->verdict == ATTEST_UNDECIDED && !attest_json_has(root, "max_norm") &&
        !attest_json_has(root, "max_norm_at")) {
        arb_indeterminate(certificate->max_norm);
        return;
    }
    read_ball(certificate->max_norm, &certificate->display_error, root, "max_norm");
    lone = attest_json_take(root, "max_norm_at");
    read_place(&certificate->largest, &lone);
}

static void read_witness(attest_certificate *certificate, const attest_json_cursor *root)
{
    static const char *const lemmas[] = {"first-difference"};
    attest_certificate_witness *witness = &certificate->witness;
    attest_json_cursor object, member;
    int64_t order;

    witness->present = attest_json_has(root, "witness");
    if (!witness->present)
        return;
    object = attest_json_take(root, "witness");
    (void)attest_json_take_choice(&object, "lemma", lemmas, 1);
    member = attest_json_take(&object, "order");
    order = attest_json_take_integer(&member, NULL);
    if (order != 1 && order != -1)
        attest_json_refuse(&member, "neither 1 nor -1");
    witness->order = (int)order;
    read_pair(witness->neighbours, &object, "neighbours");
    witness->common =
        attest_json_take_count(&object, "common", "an index must not be negative");
    attest_json_take_rational(witness->gap, &object, "gap");
    read_ball(witness->bound, &certificate->display_error, &object, "bound");
}

/* Sets value, a certificate, from the object; on failure it is empty. */
static void set(void *value, const attest_json_cursor *root)
{
    attest_certificate *certificate = value;
    attest_json_cursor inputs, element[2];

    attest_certificate_clear(certificate);
    attest_certificate_init(certificate);
    attest_json_take_format(root, "attest/certificate");
    read_claim(certificate, root);
    read_extremes(certificate, root);
    read_witness(certificate, root);
    inputs = attest_json_take(root, "inputs");
    if (attest_json_take_tuple(element, &inputs, 2, "two inputs, a dataset and weights")) {
        read_input(certificate, &element[0]);
        read_input(certificate, &element[1]);
    }
    if (attest_json_failed(root)) {
        attest_certificate_clear(certificate);
        attest_certificate_init(certificate);
    }
}

attest_status attest_certificate_parse_json(attest_certificate *certificate, const char *text,
                                            size_t size, attest_budget *budget,
                                            attest_error *error)
{
    return attest_json_parse_value(certificate, set, text, size, budget, error);
}

attest_status attest_certificate_read(attest_certificate *certificate, const char *path,
                                      attest_budget *budget, attest_error *error)
{
    return attest_json_read_value(certificate, set, path, budget, error);
}

static void write_place(attest_json *json, const char *key, attest_place place)
{
    attest_json_write_array(json, key);
    attest_json_write_count(json, NULL, place.sequence);
    attest_json_write_count(json, NULL, place.position);
    attest_json_write_close(json);
}

static void write_witness(attest_json *json, const attest_certificate_witness *witness)
{
    attest_json_write_object(json, "witness");
    attest_json_write_string(json, "lemma", "first-difference");
    attest_json_write_integer(json, "order", witness->order);
    attest_json_write_array(json, "neighbours");
    write_place(json, NULL, witness->neighbours[0]);
    write_place(json, NULL, witness->neighbours[1]);
    attest_json_write_close(json);
    attest_json_write_count(json, "common", witness->common);
    attest_json_write_rational(json, "gap", witness->gap);
    attest_json_write_ball(json, "bound", witness->bound);
    attest_json_write_close(json);
}

void attest_certificate_write_members(attest_json *json, const attest_certificate *certificate)
{
    attest_json_write_string(json, "claim", "contextual-mapping");
    attest_json_write_string(json, "verdict", attest_verdict_name(certificate->verdict));
    attest_json_write_string(json, "method", certificate->method);
    attest_json_write_integer(json, "precision_bits", certificate->precision_bits);
    if (certificate->has_r)
        attest_json_write_rational(json, "r", certificate->r);
    else
        attest_json_write_null(json, "r");
    attest_json_write_rational(json, "delta", certificate->delta);
    if (certificate->has_pair && arb_is_finite(certificate->min_separation)) {
        attest_json_write_ball(json, "min_separation", certificate->min_separation);
        attest_json_write_array(json, "pair");
        write_place(json, NULL, certificate->pair[0]);
        write_place(json, NULL, certificate->pair[1]);
        attest_json_write_close(json);
    } else {
        attest_json_write_null(json, "min_separation");
        attest_json_write_null(json, "pair");
    }
    attest_json_write_ball(json, "max_norm", certificate->max_norm);
    if (arb_is_finite(certificate->max_norm))
        write_place(json, "max_norm_at", certificate->largest);
    else
        attest_json_write_null(json, "max_norm_at");
    if (certificate->witness.present)
        write_witness(json, &certificate->witness);
}

void attest_certificate_write_json(attest_json *json, const char *key,
                                   const attest_certificate *certificate)
{
    attest_json_write_object(json, key);
    attest_json_write_format(json, "attest/certificate");
    attest_certificate_write_members(json, certificate);
    attest_json_write_array(json, "inputs");
    for (size_t i = 0; i < certificate->inputs; i++) {
        attest_json_write_object(json, NULL);
        attest_json_write_string(json, "role", certificate->input[i].role);
        attest_json_write_string(json, "path", certificate->input[i].path);
        attest_json_write_string(json, "sha256", certificate->input[i].sha256);
        if (certificate->input[i].has_size)
            attest_json_write_count(json, "size", certificate->input[i].size);
        if (certificate->input[i].tensor)
            attest_json_write_string(json, "tensor", certificate->input[i].tensor);
        if (certificate->input[i].homogeneous)
            attest_json_write_bool(json, "homogeneous", true);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
    attest_json_write_object(json, "versions");
    attest_json_write_string(json, "attest", attest_version());
    attest_json_write_string(json, "flint", FLINT_VERSION);
    attest_json_write_close(json);
    attest_json_write_close(json);
}

attest_status attest_certificate_write(const attest_certificate *certificate, const char *path,
                                       attest_error *error)
{
    attest_json_file file;

    ATTEST_TRY(attest_json_file_open(&file, path, error));
    attest_certificate_write_json(&file.json, NULL, certificate);
    return attest_json_file_commit(&file, error);
}
