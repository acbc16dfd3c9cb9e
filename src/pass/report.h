/* Reports of a launch: device code writes them, and the host reads them when it waits.
 *
 * A kernel that can report has a u32 buffer in addition to its parameters. Its address and
 * length follow the tail words of the argument block, in the layout of a parameter. The host
 * clears the head before the launch. A thread reserves words with an atomic and writes a record
 * into them. A record that does not fit is only counted. */
#ifndef QD_PASS_REPORT_H
#define QD_PASS_REPORT_H

#include "ir.h"

/* Words of the buffer's head; words of a record, which follow the head. */
enum report_head {
	REPORT_USED,  /* words that records have reserved, after the head */
	REPORT_ASKED, /* all reports, including records that did not fit */
	REPORT_HEAD = 4
};
enum report_record {
	REPORT_KIND,	/* REPORT_*(kind), below */
	REPORT_LAUNCH,	/* TAIL_LAUNCH of its argument block */
	REPORT_POS,	/* position in the kernel: POS() or the number of a call; or NO_POS */
	REPORT_BLOCK,
	REPORT_THREAD,	/* in the block */
	REPORT_VALUES,
	REPORT_MAX_VALUES = 40,
	REPORT_MAX_RECORD = REPORT_VALUES + REPORT_MAX_VALUES
};
/* The first word of a record: the kind, the words, whether the position is one in a text, and
 * whether it counts rows that only the kernel maps to lines (line_map.h). */
#define REPORT_FIRST(kind, words, text, mapped)                                                    \
	((uint32_t)(kind) << 16 | (uint32_t)(words) | ((text) ? 1u << 31 : 0) | ((mapped) ? 1u << 30 : 0))
#define REPORT_KIND_OF(first)  ((first) >> 16 & 0x3fff)
#define REPORT_WORDS_OF(first) ((first) & 0xffff)
#define REPORT_IS_TEXT(first)  ((first) >> 31)
#define REPORT_IS_MAPPED(first) ((first) >> 30 & 1)

#define NO_POS UINT32_MAX /* replaces a position of 0 */

enum report_kind {
	REPORT_LOOP_ENDED = 1, /* value 0: iterations of all loops in total */
	N_REPORT_KIND
};

/* The report buffer in the argument block: its bytes and its offset. */
enum { REPORT_ARGS = 16 };
static inline uint32_t
report_args_at(const struct qd_kernel *k)
{
	return k->args_size;
}

#endif
