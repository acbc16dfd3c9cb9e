/* Reports of a launch: what code on a device writes, and the host reads when it waits.
 *
 * A kernel that can report has one buffer more than its parameters, of u32, whose address
 * and length follow the tail words of the argument block as they would of a parameter.  The
 * host clears the head before the launch.  A thread reserves words with an atomic and writes
 * a record into them; what does not fit is counted only. */
#ifndef QD_PASS_REPORT_H
#define QD_PASS_REPORT_H

#include "ir.h"

/* Words of the buffer, and behind its head of a record. */
enum report_head {
	REPORT_USED,  /* words that records have reserved, behind the head */
	REPORT_ASKED, /* reports, those that did not fit too */
	REPORT_HEAD = 4
};
enum report_record {
	REPORT_KIND,	/* REPORT_*(kind), below */
	REPORT_LAUNCH,	/* TAIL_LAUNCH of its argument block */
	REPORT_POS,	/* of the kernel; POS() or the number of a call; or NO_POS */
	REPORT_BLOCK,
	REPORT_THREAD,	/* in the block */
	REPORT_VALUES,
	REPORT_MAX_VALUES = 40,
	REPORT_MAX_RECORD = REPORT_VALUES + REPORT_MAX_VALUES
};
/* The first word: what, how many words, and whether the position is one in a text. */
#define REPORT_FIRST(kind, words, text)                                                            \
	((uint32_t)(kind) << 16 | (uint32_t)(words) | ((text) ? 1u << 31 : 0))
#define REPORT_KIND_OF(first)  ((first) >> 16 & 0x7fff)
#define REPORT_WORDS_OF(first) ((first) & 0xffff)
#define REPORT_IS_TEXT(first)  ((first) >> 31)

#define NO_POS UINT32_MAX /* in place of a position of 0 */

enum report_kind {
	REPORT_LOOP_ENDED = 1, /* value 0: after so many rounds of all loops together */
	N_REPORT_KIND
};

/* Bytes of the argument block of a kernel that reports, and where in it the buffer is. */
enum { REPORT_ARGS = 16 };
static inline uint32_t
report_args_at(const struct qd_kernel *k)
{
	return k->args_size;
}

#endif
