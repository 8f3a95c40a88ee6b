/* The rate of a genuine libtheft on the trivial property; bench-theft runs this program. */
#include <string.h>

#include "bench/theft_rate.h"

#define TRIALS 300000

int main(int argc, char **argv)
{
    struct theft_run_report report;
    const struct theft_type_info *info = &word_plain;
    if (argc > 1 && strcmp(argv[1], "hashed") == 0)
        info = &word_hashed;
    if (argc > 1 && strcmp(argv[1], "shrinking") == 0)
        info = &word_shrinking;
    printf("%.0f\n", trial_rate(info, TRIALS, &report));
    return 0;
}
