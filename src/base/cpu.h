/* cpu.h -- which processor this is, for records that say where they were made. */
#ifndef ATTEST_BASE_CPU_H
#define ATTEST_BASE_CPU_H

#include <stddef.h>

/* name = the processor's name as the system tells it, cut to size bytes, or the machine's kind
 * ("x86_64") where it tells none. It may hold any bytes but zero: escape it for where it goes.
 * Domain: size >= 1. */
void attest_cpu_name(char *name, size_t size);

#endif
