/* The tables as effects.cpp needs them. Their own headers are C only. */
#ifndef EFFECT_ROWS_H
#define EFFECT_ROWS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { N_FORM = 4, FILE_NAMES = 4 };

struct effect_case {
	uint32_t words[8];
	int n_words;
	/* registers as file << 16 | number, with file an enum gcn_file; scalars by their number */
	uint32_t reads[160], writes[160];
	int n_reads, n_writes;
	unsigned events; /* bits: load, sample, bvh, store, ds, km, exp */
	unsigned class_, form, format;
	int trans, dot, wmma, swmmac, tied;
};

const char *effect_target(int i); /* NULL after the last */
const char *effect_row(int row);  /* id of the row; NULL after the last */
const char *effect_text(int row);
/* Generates a random instance of the row in a form. Returns false if the target does not have the
 * row in this form, or if no instance was found. */
int effect_make(int target, int row, int form, uint64_t seed, struct effect_case *out);
int effect_has(int target, int row, int form);

#ifdef __cplusplus
}
#endif

#endif
