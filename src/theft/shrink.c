/* Shrinking: arguments with a shrink callback by its tactics, arguments that autoshrink by
 * their choices, in turn until neither makes progress. */
#include "shrink.h"

enum theft_step theft_shrink(struct theft *t, struct theft_slot *slot)
{
    struct theft_shrink s = {.t = t, .slot = slot};
    bool progress = true;
    if (t->deduplicate)
        theft_duplicates_add(&s.tried, slot->fingerprint);
    while (progress && s.end == THEFT_STEP_OK) {
        progress = theft_shrink_choices(&s);
        for (unsigned i = 0; i < t->arity && s.end == THEFT_STEP_OK; i++)
            if (t->cfg.type_info[i]->shrink)
                progress |= theft_shrink_tactics(&s, i);
    }
    if (s.end == THEFT_STEP_OK)
        theft_shrink_choices_done(&s);
    theft_choices_clear(&s.proposal);
    theft_choices_clear(&s.candidate.choices);
    theft_duplicates_clear(&s.tried);
    return s.end == THEFT_STEP_HALT ? THEFT_STEP_OK : s.end;
}
