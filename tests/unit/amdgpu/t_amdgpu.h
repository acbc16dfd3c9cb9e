/* Fixture of the amdgpu driver's tests: a device of the fake with a stream, and a log. */
#ifndef T_AMDGPU_H
#define T_AMDGPU_H

#include "amdgpu_fake.h"
#include "amdgpu/kgd.h"
#include "t_stream.h"

struct amdgpu_rig {
	struct unit_alloc alloc;
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_stream *stream;
	struct qd_kernel *inc;
	struct qd_function *fn; /* of inc */
	char log[2048];		/* "level component: text\n", warnings and errors */
	struct qd_error e;
};

/* Creates a context with the fake configured, for example as "gpu=gfx1100". Opens no device. */
bool amdgpu_rig_begin(struct unit_ctx *t, struct amdgpu_rig *r, const char *config);
/* Also opens the device, creates the stream and gets inc. */
bool amdgpu_rig_open(struct unit_ctx *t, struct amdgpu_rig *r, const char *config);
/* Closes the stream and the device. */
void amdgpu_rig_shut(struct amdgpu_rig *r);
/* Frees everything and checks that nothing is leaked. */
void amdgpu_rig_end(struct unit_ctx *t, struct amdgpu_rig *r);

#define AMDGPU_GOOD(t, r, expr)                                                                    \
	do {                                                                                       \
		qd_status ok_ = (expr);                                                            \
		UNIT_CHECK(t, ok_ == QD_OK, "%s: %s", #expr, (r)->e.text);                         \
	} while (0)

/* Create a buffer, launch inc, and count the words that differ from `want`. */
struct qd_buffer *amdgpu_buffer(struct unit_ctx *t, struct amdgpu_rig *r, size_t size);
qd_status amdgpu_inc(struct qd_stream *s, struct qd_function *fn, struct qd_buffer *buf, uint32_t n,
		     struct qd_error *err);
uint32_t amdgpu_count_other(const uint32_t *p, uint32_t n, uint32_t want);

/* Tests in t_amdgpu_lost.c, t_amdgpu_run.c and t_amdgpu_moves.c, for the table in t_amdgpu.c. */
void t_amdgpu_lost(struct unit_ctx *t);
void t_amdgpu_lost_codes(struct unit_ctx *t);
void t_amdgpu_lost_between(struct unit_ctx *t);
void t_amdgpu_lost_names(struct unit_ctx *t);
void t_amdgpu_lost_submit(struct unit_ctx *t);
void t_amdgpu_long(struct unit_ctx *t);
void t_amdgpu_lost_quietly(struct unit_ctx *t);
void t_amdgpu_retry(struct unit_ctx *t);
void t_amdgpu_threads(struct unit_ctx *t);
void t_amdgpu_memory(struct unit_ctx *t);
void t_amdgpu_events(struct unit_ctx *t);
void t_amdgpu_order(struct unit_ctx *t);
void t_amdgpu_many(struct unit_ctx *t);
void t_amdgpu_warm(struct unit_ctx *t);
void t_amdgpu_fork(struct unit_ctx *t);
void t_amdgpu_moves(struct unit_ctx *t);
void t_amdgpu_copies(struct unit_ctx *t);

#endif
