/* builder_room.h -- the memory of a dataset builder: growth by half, charged to the budget. */
#ifndef ATTEST_DATA_BUILDER_ROOM_H
#define ATTEST_DATA_BUILDER_ROOM_H

#include <attest/dataset.h>

/* So many tokens of doubles are hashed before the first of them is looked up: the slots of a
 * large index are far apart in memory, and this way they are fetched together. */
#define ATTEST_BUILDER_BATCH 32

/* Gives bytes back to the budget that were charged. */
void attest_builder_give_back(attest_dataset_builder *builder, size_t bytes);

/* The error of a table that has ATTEST_TOKENS_MAX tokens already. Status: UNABLE. */
attest_status attest_builder_full(attest_error *error);

/* Make room for more sequences, tokens in sequences, and distinct tokens (in the table and in
 * its index). Status: UNABLE, NOMEM. */
attest_status attest_builder_need_starts(attest_dataset_builder *builder, size_t more,
                                         attest_error *error) ATTEST_WARN_UNUSED;
attest_status attest_builder_need_tokens(attest_dataset_builder *builder, size_t more,
                                         attest_error *error) ATTEST_WARN_UNUSED;
attest_status attest_builder_need_table(attest_dataset_builder *builder, size_t more,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* Drops the index and makes the dataset's arrays as small as they can be; what is still charged
 * then is what the dataset takes. */
void attest_builder_trim(attest_dataset_builder *builder);

/* Drops the index and gives back all that is charged. */
void attest_builder_release(attest_dataset_builder *builder);

#endif
