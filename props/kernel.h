/* kernel.h -- the property of the kernels: its instances. */
#ifndef ATTEST_PROPS_KERNEL_H
#define ATTEST_PROPS_KERNEL_H

#include "campaign/property.h"

/* More rows, or longer ones, are not asked about. */
enum { ATTEST_KERNEL_ROWS = 64, ATTEST_KERNEL_BATCH = 8 };

/* Sequence i of the dataset is the three tokens q_i, k_i, v_i: without it the attention has one
 * row and one key less. Parameters: "hardmax" and "causal", 0 or 1; "batch", how many entries
 * stand together when the kernels are asked once more. */
attest_status attest_kernel_gen(attest_instance *instance, struct theft *t,
                                const attest_setting *setting);

#endif
