/* demo.h -- the tour: its files, and its steps. */
#ifndef ATTEST_CLI_DEMO_H
#define ATTEST_CLI_DEMO_H

#include "cli/command.h"

enum { DEMO_FILES = 5, DEMO_STEPS = 16, DEMO_MOST_ARGUMENTS = 12 };

/* A file that the tour begins with. */
typedef struct demo_file {
    const char *name, *text;
} demo_file;

/* A command of the tour. */
typedef struct demo_step {
    const char *story;
    const attest_command *command;
    /* "@x" is x in the tour's folder, "@" the folder itself */
    const char *arguments[DEMO_MOST_ARGUMENTS];
    int code;         /* what it must end with */
    int shown;        /* that many lines of its output: from its end, -n: from its beginning;
                       * 0: all of it */
    const char *into; /* the file in the folder that gets its output instead, or NULL */
} demo_step;

extern const demo_file attest_demo_file[DEMO_FILES];

/* head.safetensors: q, k and v of a trained head (examples/devil) on a line of text. */
extern const unsigned char attest_demo_head[];
extern const size_t attest_demo_head_size;

extern const demo_step attest_demo_step[DEMO_STEPS];

#endif
