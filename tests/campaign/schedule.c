/* Which chunk is next, by hand: in order, in that of a shard, after finished chunks; and with a
 * limit of time the most expensive property first, then the one that has used the least time.
 */
#include "campaign/campaign.h"

#include "tests/tap.h"

enum { PROPERTIES = 3 };

/* A chunk of the second is a third of its trials, of the first a tenth, of the last a
 * hundredth. */
static const attest_property property[PROPERTIES] = {
    {.name = "a", .trials = 100, .chunk = 10},
    {.name = "b", .trials = 30, .chunk = 10},
    {.name = "c", .trials = 1000, .chunk = 10}};
static const attest_property *const list[PROPERTIES] = {&property[0], &property[1],
                                                        &property[2]};

typedef struct setup {
    attest_plan plan;
    attest_join join[PROPERTIES];
    attest_schedule schedule;
} setup;

/* 40 trials, in four chunks, of each; nothing is done yet. */
static void begin(setup *s, double time)
{
    s->plan = (attest_plan){.seed = 1,
                            .trials = 40,
                            .time = time,
                            .properties = PROPERTIES,
                            .property = list,
                            .shard = 1,
                            .shards = 1,
                            .jobs = 1};
    for (size_t p = 0; p < PROPERTIES; p++)
        attest_join_init(&s->join[p], &s->plan, p);
}

static void start(setup *s)
{
    if (attest_schedule_init(&s->schedule, &s->plan, s->join, NULL) != ATTEST_OK)
        abort();
}

/* Returns whether the next chunks are these, "a0 a1 b2"; -: there is none. */
static bool gives(setup *s, const char *expected)
{
    bool ok = true;

    for (const char *at = expected; *at; at++) {
        attest_job job = {.property = 9, .number = 9};
        bool given = attest_schedule_next(&s->schedule, &job);

        if (*at == '-') {
            ok = ok && !given;
        } else {
            ok = ok && given && job.property == (size_t)(at[0] - 'a') &&
                 job.number == (uint64_t)(at[1] - '0');
            at++;
        }
        if (at[1] == ' ')
            at++;
    }
    return ok;
}

static void end(setup *s)
{
    attest_schedule_clear(&s->schedule);
    for (size_t p = 0; p < PROPERTIES; p++)
        attest_join_clear(&s->join[p]);
}

static void test_order(void)
{
    setup s;

    begin(&s, 0);
    start(&s);
    TAP_OK(gives(&s, "a0 a1 a2 a3 b0 b1 b2 b3 c0 c1 c2 c3 - -"), "one after another");
    end(&s);
    begin(&s, 0);
    s.plan.shard = 2;
    s.plan.shards = 3;
    start(&s);
    TAP_OK(gives(&s, "a1 b1 c1 -"), "the second of three shards");
    end(&s);
    begin(&s, 0);
    s.plan.shards = 3;
    start(&s);
    TAP_OK(gives(&s, "a0 a3 b0 b3 c0 c3 -"), "the first of three");
    end(&s);
    begin(&s, 0);
    s.join[0].next = 2;
    s.join[1].ended = true;
    s.join[2].next = 4;
    start(&s);
    TAP_OK(gives(&s, "a2 a3 -"), "chunks that are done are not given");
    end(&s);
    begin(&s, 0);
    start(&s);
    TAP_OK(gives(&s, "a0 a1"), "two chunks of the first property");
    s.join[0].ended = true;
    TAP_OK(gives(&s, "b0"), "a chunk of the second property when the first has ended");
    end(&s);
}

static void test_first(void)
{
    setup s;

    begin(&s, 1000);
    start(&s);
    TAP_OK(gives(&s, "b0 a0 c0 - -"), "the most expensive first, then by the time taken");
    end(&s);
    begin(&s, 1000);
    s.join[1].result.passed = 10;
    s.join[1].next = 1;
    s.join[0].ended = true;
    start(&s);
    /* b has no finished chunk, and none that runs */
    TAP_OK(gives(&s, "c0 b1 -"), "c, without a chunk, first; one chunk of b, not timed yet");
    end(&s);
}

static void test_shares(void)
{
    setup s;

    begin(&s, 1000);
    start(&s);
    if (!gives(&s, "b0 a0 c0"))
        abort();
    attest_schedule_note(&s.schedule, 1, 5);
    TAP_OK(gives(&s, "b1"), "one that is known"); /* with what is out b has had 10 */
    attest_schedule_note(&s.schedule, 0, 4);
    TAP_OK(gives(&s, "a1 a2 b2"), "4, 8 and 12 against 10"); /* a 12, b 15 */
    attest_schedule_note(&s.schedule, 2, 12);
    TAP_OK(gives(&s, "a3 c1 b3"), "equal ones in their order"); /* c 24, a and b have no more */
    attest_schedule_note(&s.schedule, 2, 6);
    TAP_OK(gives(&s, "c2 c3 -"), "the rest");
    end(&s);
}

/* The mean of 8 and 2 is 5, so b, with one chunk running, has used 15. */
static void begin_mean(setup *s)
{
    begin(s, 1000);
    start(s);
    if (!gives(s, "b0 a0 c0"))
        abort();
    attest_schedule_note(&s->schedule, 1, 8);
    if (!gives(s, "b1"))
        abort();
    attest_schedule_note(&s->schedule, 1, 2);
    if (!gives(s, "b2"))
        abort();
}

static void test_mean(void)
{
    setup s;

    begin_mean(&s);
    attest_schedule_note(&s.schedule, 0, 14);
    TAP_OK(gives(&s, "a1 b3"), "14 against 15, then 28");
    end(&s);
    begin_mean(&s);
    attest_schedule_note(&s.schedule, 0, 16);
    TAP_OK(gives(&s, "b3 a1"), "15 against 16");
    end(&s);
}

/* A chunk that is not expected to end in time is not started. */
static void test_time(void)
{
    setup s;

    begin(&s, 1000);
    start(&s);
    if (!gives(&s, "b0 a0 c0"))
        abort();
    attest_schedule_note(&s.schedule, 0, 1001);
    TAP_OK(gives(&s, "-"), "1001 seconds");
    attest_schedule_note(&s.schedule, 1, 900);
    TAP_OK(gives(&s, "b1"), "900 seconds");
    attest_schedule_note(&s.schedule, 1, 1200);
    TAP_OK(gives(&s, "-"), "1050 in the mean");
    end(&s);
    begin(&s, 1e-9);
    start(&s);
    TAP_OK(gives(&s, "b0 a0 c0"), "the first chunk of each property, however short the time");
    attest_schedule_note(&s.schedule, 0, 0);
    TAP_OK(gives(&s, "-"), "no further chunk");
    end(&s);
}

TEST(schedule)
{
    test_order();
    test_first();
    test_shares();
    test_mean();
    test_time();
    return 0;
}
