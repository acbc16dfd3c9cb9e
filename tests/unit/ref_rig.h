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
	char log[1 << 14]; /* warnings and errors, a line each */
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

#endif
