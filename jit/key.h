/* Keys of images: internal interface of jit/. */
#ifndef QD_JIT_KEY_H
#define QD_JIT_KEY_H

#include "jit.h"

/* Initializes a key with the image's kernel and template values and another target. */
void key_like(struct jit_key *key, const struct qd_image *img, const struct jit_target *t);
/* Reports QD_E_NOT_FOUND: the image has no kernel. */
QD_COLD qd_status no_kernel(const struct qd_image *img, struct qd_error *err);
bool key_equal(const struct jit_key *a, const struct jit_key *b);

/* compile.c */
qd_status jit_compile_key(struct qd_context *ctx, const struct jit_key *key,
			  struct qd_image **out, struct qd_error *err);

#endif
