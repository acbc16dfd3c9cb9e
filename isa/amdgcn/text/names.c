/* Run at build time: the rows of insn.def by their names without _e32 and the like,
 * as lists that keep the order of the rows.  Writes what asm.c includes: the first
 * row of each list and the next of each row, plus 1, 0 at the end; the length of
 * each name without its suffix, and the suffix. */
#include <stdio.h>

#include "suffix.h"

static const char *const name[] = {
#define GCN(id, text, ...) text,
#include "insn.def"
};
enum { N_ROWS = sizeof name / sizeof *name };

static unsigned first[GCN_N_NAME_LIST], next[N_ROWS];

int
main(void)
{
	for (unsigned row = N_ROWS; row-- > 0;) {
		size_t len = strlen(name[row]);
		unsigned h;
		(void)gcn_cut_suffix(name[row], &len);
		h = gcn_name_hash(name[row], len);
		next[row] = first[h];
		first[h] = row + 1;
	}
	printf("static const uint16_t first_row[GCN_N_NAME_LIST] = {\n");
	for (unsigned i = 0; i < GCN_N_NAME_LIST; i++)
		printf("%u,%s", first[i], i % 16 == 15 ? "\n" : " ");
	printf("};\nstatic const struct {\n\tuint16_t next;\n\tuint8_t len, suffix;\n} row_name[GCN_N_ROW] = {\n");
	for (unsigned row = 0; row < N_ROWS; row++) {
		size_t len = strlen(name[row]);
		enum gcn_suffix end = gcn_cut_suffix(name[row], &len);
		printf("{ %u, %u, %u }, /* %s */\n", next[row], (unsigned)len, (unsigned)end, name[row]);
	}
	printf("};\n");
	return fflush(stdout) || ferror(stdout);
}
