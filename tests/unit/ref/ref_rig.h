/* Test fixture of the interpreter: a context that counts its memory, a device, a stream, and a call
 * that runs a kernel. */
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
	char log[1 << 14]; /* warnings, errors and printed lines, one per line */
};

bool rig_open(struct rig *r, struct unit_ctx *t, const char *selector);
bool rig_open_size(struct rig *r, struct unit_ctx *t, uint32_t size);
void rig_close(struct rig *r); /* checks that nothing leaked */

/* Returns a builder of kernel "k". */
struct qd_builder *rig_kernel(struct rig *r, uint32_t block_dim);

struct io {
	void *data;
	size_t size;
};
#define IO(a) ((struct io){ (a), sizeof(a) })

/* Runs the kernel on copies of io and copies the results back. Returns the status of the
 * synchronization, with its text in r->err. r->log contains the lines of this run. */
qd_status rig_launch(struct rig *r, const struct qd_kernel *kernel, uint32_t n_blocks,
		     const struct io *io, uint32_t n);
/* Finishes the builder, runs the kernel and frees it. */
qd_status rig_run(struct rig *r, struct qd_builder *b, uint32_t n_blocks, const struct io *io,
		  uint32_t n);

void rig_text(struct unit_ctx *t, const char *got, const char *want);
struct qd_array rig_dst(struct qd_builder *b);	/* "dst", u32, out */
struct qd_val rig_thread(struct qd_builder *b); /* index in the grid, u32 */

/* -- Scenes: kernels with expected findings and log ----------------------------- */

enum { SCENE_SIZE = 16 };

/* Kernel with S = 8 on src (in; src[i] = i + 1), dst (out) and mem (inout), each of SCENE_SIZE u32.
 * dst and mem are initially 0. */
struct scene {
	struct qd_builder *b;
	struct qd_array src, dst, mem;
	struct qd_val i, v; /* thread index; src[i], 0 past the end */
};

struct scene_check {
	const char *name;
	void (*build)(struct scene *k);
	uint32_t block_dim, n_blocks;
	const char *err; /* text of the synchronization; "": success */
	const char *log; /* "" with an err: not checked */
};

struct qd_builder *scene_make(struct rig *r, const struct scene_check *c);
void scene_run(struct unit_ctx *t, const struct scene_check *checks, size_t n);
struct qd_val scene_u32(const struct scene *k, uint32_t v);
void scene_put(const struct scene *k, struct qd_val v); /* Stores v in dst[i]. */

#endif
