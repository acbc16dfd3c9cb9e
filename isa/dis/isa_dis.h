/* Text and checks of code, for the library libqdgpu-dis (<qdgpu/dis.h>) and the programs. */
#ifndef QD_ISA_DIS_H
#define QD_ISA_DIS_H

#include "isa.h"
#include "qdgpu/dis.h"

struct gcn_target;

/* The part of a target that determines the text of its code. */
struct dis_target {
	const char *name;
	enum code_kind kind;
	bool is_text; /* the code is its own text */
	const struct gcn_target *amd; /* for CODE_AMD */
};

/* Finds a target by the name that images have. out->name is `name`. */
qd_status dis_target_named(const char *name, struct dis_target *out, struct qd_error *err);
struct dis_target dis_target_of(const struct target *t);

/* Appends the text of code. Marks of code offsets become marks of text offsets (NULL: there are
 * none). flags: enum qd_dis_flag. */
qd_status dis_text(const struct dis_target *t, uint32_t flags, const void *code, size_t size,
		   struct buf *marks, struct buf *text, struct qd_error *err);
/* Does the same for an image of a target. */
static inline qd_status
isa_dis(const struct target *t, const void *code, size_t size, struct buf *marks, struct buf *text,
	struct qd_error *err)
{
	struct dis_target d = dis_target_of(t);

	return dis_text(&d, 0, code, size, marks, text, err);
}

/* AMD code as words. */
struct dis_words {
	const uint32_t *word; /* at the first instruction */
	size_t n;
	size_t at; /* offset of `word` in the code, in bytes */
	size_t n_code; /* instructions, in words; constants follow */
};
/* Finds the instructions of AMD code. Copies the code to `mem` if it is not aligned. */
qd_status dis_words_of(const struct dis_target *t, uint32_t flags, const void *code, size_t size,
		       struct arena *mem, struct dis_words *out, struct qd_error *err);

/* See qd_dis_check. */
qd_status dis_check(const struct dis_target *t, uint32_t flags, const void *code, size_t size,
		    struct pool *pool, void (*found)(void *user, const struct qd_dis_finding *f),
		    void *user, struct qd_error *err);

#endif
