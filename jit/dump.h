/* QD_DUMP: writes the results of a compile to files. */
#ifndef QD_JIT_DUMP_H
#define QD_JIT_DUMP_H

#include "key.h"

enum { DUMP_IR = 1, DUMP_ISA = 2, DUMP_BIN = 4 };

struct dump {
	uint32_t kinds; /* DUMP_ flags */
	/* qd_dis_text of libqdgpu-dis; NULL: not loaded */
	qd_status (*text)(const char *target, uint32_t flags, const void *code, size_t size,
			  char **text, size_t *len, struct qd_error *err);
	_Atomic bool wrong; /* the environment is invalid, and `why` is not logged yet */
	char dir[1024], why[256];
};

/* Reads the environment. */
void dump_init(struct dump *d);
/* Writes the files; logs failures. */
void dump_write(const struct dump *d, struct qd_context *ctx, const struct jit_key *key,
		const struct ir *ir, const struct buf *code);

#endif
