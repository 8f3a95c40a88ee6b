/* need.h -- text that was made for printing must be there. */
#ifndef ATTEST_REPORT_NEED_H
#define ATTEST_REPORT_NEED_H

/* Says that memory ran out, in one line, and leaves the process with exit code 4; a worker
 * leaves that line to its parent. Calls only what is safe when the heap is not to be trusted.
 */
_Noreturn void attest_need_give_up(void);

/* The text, as it is; where it is NULL, because memory ran out, attest_need_give_up: nothing
 * else may stand in a result's place. */
const char *attest_need_text(const char *text);

#endif
