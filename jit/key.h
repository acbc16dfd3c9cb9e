/* What decides an image: kernel, target, template values.  Compared whole; the
 * hash only finds the place. */
#ifndef QD_JIT_KEY_H
#define QD_JIT_KEY_H

#include "jit.h"

struct jit_key {
	const struct qd_kernel *k;
	const struct target *target;
	int32_t tmpl[MAX_TMPL]; /* the kernel's n_tmpls are filled, the rest is zero */
	struct hash128 hash;
};

/* Resolves the template values of a call; makes no hash. */
qd_status key_init(struct jit_key *key, const struct qd_kernel *k, const struct target *t,
		   const struct qd_tmpl *tmpl, uint32_t n_tmpl, struct qd_error *err);
void key_hash(struct jit_key *key);
bool key_equal(const struct jit_key *a, const struct jit_key *b);
bool key_is_image(const struct jit_key *key, const struct qd_image *img);

/* compile.c */
qd_status jit_compile_key(struct qd_context *ctx, const struct jit_key *key,
			  struct qd_image **out, struct qd_error *err);

#endif
