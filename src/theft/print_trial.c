/* The line of trial results. */
#include "internal.h"

#define PASS_FACTOR 100 /* characters of a kind before each stands for that many more */
#define OTHER_FACTOR 10

static void init(struct theft_print_trial_result_env *e)
{
    e->tag = THEFT_PRINT_TRIAL_RESULT_ENV_TAG;
    e->column = 0;
    e->scale_pass = e->scale_skip = e->scale_dup = 1;
    e->consec_pass = e->consec_skip = e->consec_dup = 0;
}

static void put(struct theft_print_trial_result_env *e, FILE *out, const char *text)
{
    size_t width = e->max_column ? e->max_column : THEFT_DEF_MAX_COLUMNS;
    size_t length = strlen(text);
    if (e->column + length > width && e->column) {
        fputc('\n', out);
        e->column = 0;
    }
    fputs(text, out);
    e->column = (uint8_t)(e->column + length);
    fflush(out);
}

/* Counts a result, prints one character per `scale` of them, and a larger scale when there have
 * been many. */
static void tally(struct theft_print_trial_result_env *e, FILE *out, const char *letter,
                  const char *name, size_t factor, size_t *scale, size_t *count)
{
    ++*count;
    if (*count % *scale == 0)
        put(e, out, letter);
    if (*count == *scale * factor && *scale <= SIZE_MAX / factor / factor) {
        char text[64];
        *scale *= factor;
        *count = 0;
        snprintf(text, sizeof text, "(%s x %zu)", name, *scale);
        put(e, out, text);
    }
}

void theft_print_trial_result(struct theft_print_trial_result_env *e,
                              const struct theft_hook_trial_post_info *info)
{
    FILE *out = info->t->out;
    if (e->tag != THEFT_PRINT_TRIAL_RESULT_ENV_TAG)
        init(e);
    switch (info->result) {
    case THEFT_TRIAL_PASS:
        tally(e, out, ".", "PASS", PASS_FACTOR, &e->scale_pass, &e->consec_pass);
        break;
    case THEFT_TRIAL_SKIP:
        tally(e, out, "s", "SKIP", OTHER_FACTOR, &e->scale_skip, &e->consec_skip);
        break;
    case THEFT_TRIAL_DUP:
        tally(e, out, "d", "DUP", OTHER_FACTOR, &e->scale_dup, &e->consec_dup);
        break;
    case THEFT_TRIAL_FAIL:
        put(e, out, "F");
        break;
    default:
        put(e, out, "E");
        break;
    }
}

enum theft_hook_trial_post_res
theft_hook_trial_post_print_result(const struct theft_hook_trial_post_info *info, void *env)
{
    theft_print_trial_result(env ? env : &info->t->print_env, info);
    return THEFT_HOOK_TRIAL_POST_CONTINUE;
}
