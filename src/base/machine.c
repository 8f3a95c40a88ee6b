/* machine.c -- the name of the processor. */
#include "base/machine.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The value of the first "key : value" in the text, or NULL. */
static char *find_value(char *text, const char *key)
{
    char *line = strstr(text, key), *colon = line ? strchr(line, ':') : NULL;

    if (!colon)
        return NULL;
    colon += 1 + strspn(colon + 1, " \t");
    colon[strcspn(colon, "\n")] = '\0';
    return *colon ? colon : NULL;
}

/* Reads the name of the first processor. A stream would allocate memory, and the name would
 * depend on whether there is some. */
void attest_machine_cpu(char *name, size_t size)
{
    int file = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    char text[2048], *value = NULL;
    struct utsname machine;
    ssize_t got = file >= 0 ? read(file, text, sizeof text - 1) : -1;

    if (got > 0) {
        text[got] = '\0';
        value = find_value(text, "model name");
    }
    if (value)
        snprintf(name, size, "%s", value);
    else if (uname(&machine) == 0)
        snprintf(name, size, "%s", machine.machine);
    else
        name[0] = '\0';
    if (file >= 0)
        close(file);
}
