/* QD_DUMP: what a compile made, as files for people and for other tools. */
#ifndef QD_JIT_DUMP_H
#define QD_JIT_DUMP_H

#include "key.h"

enum { DUMP_IR = 1, DUMP_ISA = 2, DUMP_BIN = 4 };

struct dump {
	uint32_t kinds; /* 0: nothing is written */
	_Atomic bool wrong; /* the environment is; why has not been logged yet */
	char dir[1024], why[256];
};

/* From the environment. */
void dump_init(struct dump *d);
/* Best effort: a file that cannot be written is a line in the log. */
void dump_write(const struct dump *d, struct qd_context *ctx, const struct jit_key *key,
		const struct ir *ir, const struct buf *code);

#endif
