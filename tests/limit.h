/* limit.h -- whether a test can take memory away from its processes. */
#ifndef ATTEST_TESTS_LIMIT_H
#define ATTEST_TESTS_LIMIT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__
#define LIMIT_SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define LIMIT_SANITIZED 1
#endif
#endif

/* Returns whether a process keeps within RLIMIT_AS: AddressSanitizer reserves terabytes of
 * addresses, and an emulated processor (qemu-user) takes the limit and forgets it. */
static inline bool limit_addresses_works(void)
{
#ifdef LIMIT_SANITIZED
    return false;
#else
    int ended = 1;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        struct rlimit limit = {1 << 30, 1 << 30}, got;

        _exit(setrlimit(RLIMIT_AS, &limit) != 0 || getrlimit(RLIMIT_AS, &got) != 0 ||
              got.rlim_cur != limit.rlim_cur);
    }
    return child > 0 && waitpid(child, &ended, 0) == child && ended == 0;
#endif
}

#endif
