/* cpu.c -- which processor this is. */
#include "base/cpu.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

/* The value of "key : value", or NULL. */
static char *find_value(char *line, const char *key)
{
    size_t length = strlen(key);
    char *colon = strchr(line, ':');

    if (strncmp(line, key, length) != 0 || !colon)
        return NULL;
    colon += 1 + strspn(colon + 1, " \t");
    colon[strcspn(colon, "\n")] = '\0';
    return *colon ? colon : NULL;
}

void attest_cpu_name(char *name, size_t size)
{
    FILE *stream = fopen("/proc/cpuinfo", "r");
    struct utsname machine;
    char line[256];
    char *value = NULL;

    while (stream && !value && fgets(line, sizeof line, stream))
        value = find_value(line, "model name");
    if (value)
        snprintf(name, size, "%s", value);
    else if (uname(&machine) == 0)
        snprintf(name, size, "%s", machine.machine);
    else
        name[0] = '\0';
    if (stream)
        fclose(stream);
}
