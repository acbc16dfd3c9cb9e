/* The table of instructions (insn.def), without their implementations, and the lookup of a row. The
 * parser and the views of qd-dis use it. */
#ifndef EMU_PTX_ROW_H
#define EMU_PTX_ROW_H

#include "base.h"

enum kind {
#define KIND(name, class, mix) K_##name,
#include "exec_kind.def"
#undef KIND
	N_KINDS
};

struct row {
	const char *name, *words, *operands;
	uint8_t version, sm, family, kind;
};
extern const struct row ptx_rows[];
extern const unsigned ptx_n_rows;

/* The words of a name, and how the rows match them. */
struct row_match {
	struct piece {
		const char *s;
		uint32_t len;
	} word[16];
	uint32_t n, base; /* number of words; length of the name before its first dot */
	uint32_t fit;	  /* most words that a row matches */
	const struct row *nearest; /* the first row with that many; NULL: the name has no row */
};

/* Finds the row of a name with its words. If several match, the first that .version and the target
 * allow is used, or else the first. Returns NULL if none matches. m->n is QD_COUNT(m->word) + 1 if
 * there are too many words. */
const struct row *ptx_row_find(const char *name, uint32_t len, uint32_t version, uint32_t sm,
			       struct row_match *m);

#endif
