/* need.c -- text that was made for printing must be there. */
#include "report/need.h"

#include <unistd.h>

#include "base/workers.h"

enum { EXIT_CODE_OF_THE_ENVIRONMENT = 4 };

void attest_need_give_up(void)
{
    static const char line[] = "attest: out of memory\n";
    ssize_t ignored = attest_workers_inside() ? 0 : write(STDERR_FILENO, line, sizeof line - 1);

    (void)ignored;
    _exit(EXIT_CODE_OF_THE_ENVIRONMENT);
}

const char *attest_need_text(const char *text)
{
    if (!text)
        attest_need_give_up();
    return text;
}
