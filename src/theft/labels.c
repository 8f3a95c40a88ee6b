/* Labels and targets of trials. The names are in memory shared with child processes; outcomes
 * refer to them by number. */
#include "internal.h"

/* Returns the number of a label, which is added if necessary; THEFT_MAX_LABELS if the table is
 * full. */
static size_t number_of(struct theft_shared *s, const char *name)
{
    size_t i;
    for (i = 0; i < s->label_count && i < THEFT_MAX_LABELS; i++)
        if (strncmp(s->labels[i], name, THEFT_MAX_LABEL_BYTES - 1) == 0)
            return i;
    if (i < THEFT_MAX_LABELS) {
        strncpy(s->labels[i], name, THEFT_MAX_LABEL_BYTES - 1);
        s->label_count = i + 1;
    }
    return i;
}

void theft_label(struct theft *t, const char *name)
{
    struct theft_shared *s = t->shared;
    if (!s || !s->noting) /* no property has been called yet */
        return;
    size_t i = number_of(s, name);
    if (i < THEFT_MAX_LABELS)
        s->noting->labels[i / 64] |= UINT64_C(1) << i % 64;
    else
        s->noting->labels_dropped = true;
}

void theft_target(struct theft *t, double value)
{
    struct theft_outcome *o = t->shared ? t->shared->noting : NULL;
    if (!o || value != value || (o->has_target && value <= o->target))
        return;
    o->has_target = true;
    o->target = value;
}

bool theft_target_get(struct theft *t, double *value)
{
    const struct theft_slot *slot = t->current;
    if (!slot || slot->state != THEFT_SLOT_READY || !slot->outcome.has_target)
        return false;
    *value = slot->outcome.target;
    return true;
}

void theft_labels_count(struct theft *t, const struct theft_outcome *outcome)
{
    t->labels_dropped += outcome->labels_dropped;
    for (size_t word = 0; word < THEFT_MAX_LABELS / 64; word++)
        for (uint64_t left = outcome->labels[word]; left; left &= left - 1)
            t->label_counts[word * 64 + (size_t)__builtin_ctzll(left)]++;
}

void theft_labels_report(const struct theft *t, struct theft_extension_report *report)
{
    const struct theft_shared *s = t->shared;
    report->labels_dropped = t->labels_dropped;
    for (size_t i = 0; s && i < s->label_count && i < THEFT_MAX_LABELS; i++) {
        struct theft_label_count *label = &report->labels[report->label_count++];
        memcpy(label->name, s->labels[i], THEFT_MAX_LABEL_BYTES - 1);
        label->count = t->label_counts[i];
    }
}

size_t theft_labels_find(const struct theft *t, const char *name)
{
    const struct theft_shared *s = t->shared;
    for (size_t i = 0; s && i < s->label_count && i < THEFT_MAX_LABELS; i++)
        if (strncmp(s->labels[i], name, THEFT_MAX_LABEL_BYTES - 1) == 0)
            return t->label_counts[i];
    return 0;
}

void theft_print_extension_report(FILE *f, const struct theft_extension_config *ext,
                                  const struct theft_extension_report *report,
                                  const struct theft_coverage_result *coverage)
{
    static const char *const verdicts[] = {"shown", "REFUTED", "undecided"};
    size_t run = report->trials.pass + report->trials.fail;
    for (size_t i = 0; i < report->label_count; i++)
        fprintf(f, "   %6.2f %%  %s (%zu)\n",
                run ? 100.0 * (double)report->labels[i].count / (double)run : 0.0,
                report->labels[i].name, report->labels[i].count);
    if (report->labels_dropped)
        fprintf(f, "   %zu trials had further labels\n", report->labels_dropped);
    for (size_t i = 0; coverage && ext && i < ext->coverage_count; i++)
        fprintf(f, "   coverage of %s: between %.6g and %.6g, at least %.6g required: %s\n",
                ext->coverage[i].label, coverage[i].lower, coverage[i].upper,
                ext->coverage[i].fraction, verdicts[coverage[i].verdict]);
    if (report->has_target)
        fprintf(f, "   best target: %.17g in trial %zu\n", report->best_target,
                report->best_trial);
    if (report->unconfirmed)
        fprintf(f, "   %zu failures in batches did not repeat alone\n", report->unconfirmed);
    if (report->duplicates_missed)
        fprintf(f, "   the set of tried inputs was full: more duplicates are possible\n");
}
