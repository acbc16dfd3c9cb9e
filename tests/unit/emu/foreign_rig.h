/* Code objects of clang's on a device of the emulator, through the public calls alone; with
 * QD_TEST_ON=amdgpu on one of the amdgpu driver, where libdrm is the fake. */
#ifndef FOREIGN_RIG_H
#define FOREIGN_RIG_H

#include "wave_kernels.h"

struct foreign_rig {
	struct unit_alloc mem;
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_stream *stream;
	struct qd_buffer *in, *out; /* of WAVE_IN and WAVE_OUT words */
	bool is_amdgpu; /* amdgpu_fake.h's */
	struct qd_error e;
};

bool foreign_open(struct unit_ctx *t, struct foreign_rig *r, const char *processor);
void foreign_close(struct unit_ctx *t, struct foreign_rig *r); /* checks that nothing is left */
/* The object of this source, for this target; NULL: there is none. */
const struct wave_object *foreign_object(const char *source, const char *target, unsigned wave);
/* A kernel of the object, loaded. */
qd_status foreign_load(struct foreign_rig *r, const struct wave_object *o, const char *kernel,
		       const struct qd_object_options *options, struct qd_function **out);
/* Launches and waits; what stands in out is what was uploaded to it. */
qd_status foreign_run(struct foreign_rig *r, struct qd_function *fn, uint32_t n_blocks,
		      const struct qd_arg *args, uint32_t n_args);
/* Fails each allocation of loading the kernel once: each failure is reported, and nothing leaks. */
void foreign_short_of_memory(struct unit_ctx *t, const char *object, const char *kernel,
			     const struct qd_object_options *options);

#endif
