/* Odds and ends of the API. */
#include "internal.h"

#include <sys/time.h>

void *theft_hook_get_env(struct theft *t)
{
    return t->cfg.hooks.env;
}

void theft_set_output_stream(struct theft *t, FILE *out)
{
    t->out = out;
}

theft_seed theft_seed_of_time(void)
{
    struct timeval tv;
    if (gettimeofday(&tv, NULL) != 0)
        return THEFT_DEFAULT_SEED;
    uint64_t parts[2] = {(uint64_t)tv.tv_sec, (uint64_t)tv.tv_usec};
    return theft_hash_onepass((const uint8_t *)parts, sizeof parts);
}

void theft_generic_free_cb(void *instance, void *env)
{
    (void)env;
    free(instance);
}

const char *theft_trial_res_str(enum theft_trial_res res)
{
    switch (res) {
    case THEFT_TRIAL_PASS:
        return "PASS";
    case THEFT_TRIAL_FAIL:
        return "FAIL";
    case THEFT_TRIAL_SKIP:
        return "SKIP";
    case THEFT_TRIAL_DUP:
        return "DUP";
    case THEFT_TRIAL_ERROR:
        return "ERROR";
    }
    return "(no such result)";
}

const char *theft_run_res_str(enum theft_run_res res)
{
    switch (res) {
    case THEFT_RUN_PASS:
        return "PASS";
    case THEFT_RUN_FAIL:
        return "FAIL";
    case THEFT_RUN_SKIP:
        return "SKIP";
    case THEFT_RUN_ERROR:
        return "ERROR";
    case THEFT_RUN_ERROR_MEMORY:
        return "ERROR_MEMORY";
    case THEFT_RUN_ERROR_BAD_ARGS:
        return "ERROR_BAD_ARGS";
    }
    return "(no such result)";
}
