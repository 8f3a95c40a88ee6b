/* chunk_engine.c -- the run of the engine that a chunk is. */
#include "config.h"

#include "campaign/chunk_run.h"
#include "theft/theft_extensions.h"

static enum theft_hook_run_pre_res run_pre(const struct theft_hook_run_pre_info *info,
                                           void *env)
{
    (void)info;
    (void)env;
    return THEFT_HOOK_RUN_PRE_CONTINUE;
}

static enum theft_hook_run_post_res run_post(const struct theft_hook_run_post_info *info,
                                             void *env)
{
    (void)info;
    (void)env;
    return THEFT_HOOK_RUN_POST_CONTINUE;
}

void attest_chunk_run_engine(attest_chunk_run_state *run, struct theft_run_config *config,
                             const struct theft_extension_config *extension)
{
    const attest_chunk *chunk = run->chunk;
    enum theft_run_res ended;

    config->name = chunk->property->name;
    config->trials = chunk->count;
    config->seed = theft_trial_seed(~chunk->seed, chunk->first);
    config->hooks.run_pre = run_pre;
    config->hooks.run_post = run_post;
    ended = theft_run_extended(config, extension, NULL, NULL);
    if (run->status == ATTEST_OK && ended != THEFT_RUN_PASS && ended != THEFT_RUN_FAIL &&
        ended != THEFT_RUN_SKIP)
        run->status = attest_error_set(run->error, ATTEST_NOMEM, "%s: the engine failed: %s",
                                       chunk->property->name, theft_run_res_str(ended));
}
