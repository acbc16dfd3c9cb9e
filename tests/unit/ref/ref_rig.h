/* A context that counts its memory, a device of the interpreter and a stream,
 * and one call that runs a kernel: what the tests of the interpreter share. */
#ifndef REF_RIG_H
#define REF_RIG_H

#include "qd.h"
#include "unit.h"

struct rig {
	struct unit_ctx *t;
	struct unit_alloc mem;
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_stream *stream;
	struct qd_error err;
	size_t len;
	char log[1 << 14]; /* warnings, errors and lines of print, a line each */
};

bool rig_open(struct rig *r, struct unit_ctx *t, const char *selector);
bool rig_open_size(struct rig *r, struct unit_ctx *t, uint32_t size);
void rig_close(struct rig *r); /* nothing may have leaked */

/* A builder of kernel "k". */
struct qd_builder *rig_kernel(struct rig *r, uint32_t block_dim);

struct io {
	void *data;
	size_t size;
};
#define IO(a) ((struct io){ (a), sizeof(a) })

/* Runs it on copies of io, and copies back.  What the synchronisation said,
 * its text in err; the log holds this run's lines. */
qd_status rig_launch(struct rig *r, const struct qd_kernel *kernel, uint32_t n_blocks,
		     const struct io *io, uint32_t n);
/* Finishes the kernel, runs and frees it. */
qd_status rig_run(struct rig *r, struct qd_builder *b, uint32_t n_blocks, const struct io *io,
		  uint32_t n);

void rig_text(struct unit_ctx *t, const char *got, const char *want);
struct qd_array rig_dst(struct qd_builder *b);	/* "dst", u32, out */
struct qd_val rig_thread(struct qd_builder *b); /* in the grid, u32 */

/* -- Scenes: what a kernel must be told about itself ---------------------------- */

enum { SCENE_SIZE = 16 };

/* A kernel at S = 8 on src (in; src[i] = i + 1), dst (out) and mem (both, 0), of
 * SCENE_SIZE u32 each. */
struct scene {
	struct qd_builder *b;
	struct qd_array src, dst, mem;
	struct qd_val i, v; /* the thread; src[i], 0 past the end */
};

struct scene_check {
	const char *name;
	void (*build)(struct scene *k);
	uint32_t block_dim, n_blocks;
	const char *err; /* of the synchronisation; "": none */
	const char *log; /* "" with an err: any */
};

struct qd_builder *scene_make(struct rig *r, const struct scene_check *c);
void scene_run(struct unit_ctx *t, const struct scene_check *checks, size_t n);
struct qd_val scene_u32(const struct scene *k, uint32_t v);
void scene_put(const struct scene *k, struct qd_val v); /* dst[i] = v */

#endif
