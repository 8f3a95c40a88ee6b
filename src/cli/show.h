/* show.h -- parts of attest show. */
#ifndef ATTEST_CLI_SHOW_H
#define ATTEST_CLI_SHOW_H

#include "cli/command.h"

/* The names of the kernel models that are shipped. */
int attest_cli_show_kernels(const attest_common *common);

/* The kernel model of this name or in this file, completed. */
int attest_cli_show_kernel(const char *name, const attest_common *common);

#endif
