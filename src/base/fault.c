/* fault.c -- places where a test can make the environment fail. */
#include "base/fault.h"

#ifdef ATTEST_FAULTS

#include <stdlib.h>
#include <string.h>

/* The only mutable state of src/base; it exists in test builds alone. */
static struct {
    bool ready; /* the environment has been read */
    char point[32];
    unsigned long at, passed, failed;
    bool once;
} armed;

void attest_fault_arm(const char *point, unsigned long k, bool once)
{
    memset(&armed, 0, sizeof armed);
    armed.ready = true;
    strncpy(armed.point, point, sizeof armed.point - 1);
    armed.at = k;
    armed.once = once;
}

static void arm_from_environment(void)
{
    const char *text = getenv("ATTEST_FAULT");
    const char *colon = text ? strchr(text, ':') : NULL;

    armed.ready = true;
    if (colon && (size_t)(colon - text) < sizeof armed.point) {
        char *end;
        memcpy(armed.point, text, (size_t)(colon - text));
        armed.at = strtoul(colon + 1, &end, 10);
        armed.once = strcmp(end, ":once") == 0;
    }
}

bool attest_fault(const char *point)
{
    if (!armed.ready)
        arm_from_environment();
    if (armed.at == 0 || strcmp(point, armed.point) != 0)
        return false;
    armed.passed++;
    if (armed.once ? armed.passed != armed.at : armed.passed < armed.at)
        return false;
    armed.failed++;
    return true;
}

unsigned long attest_fault_count(void)
{
    return armed.failed;
}

#else

/* ISO C wants a translation unit to declare something. */
typedef int attest_fault_points_are_off;

#endif
