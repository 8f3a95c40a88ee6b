/* main.c -- the program: finds the command and sets the exit code. */
#include <stdio.h>

#include <attest/attest.h>

#include "base/memory.h"

int main(void)
{
    attest_memory_guard();
    printf("attest %s\n", attest_version());
    return 0;
}
