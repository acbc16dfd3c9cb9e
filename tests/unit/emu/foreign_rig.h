/* Test fixture of code objects that clang compiled, on a device of the emulator, through public
 * calls only. With QD_TEST_ON=amdgpu the device belongs to the amdgpu driver, with the fake
 * libdrm. */
#ifndef FOREIGN_RIG_H
#define FOREIGN_RIG_H

#include "wave_kernels.h"

struct foreign_rig {
	struct unit_alloc mem;
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_stream *stream;
	struct qd_buffer *in, *out; /* WAVE_IN and WAVE_OUT words */
	bool is_amdgpu; /* the device is one of amdgpu_fake.h */
	struct qd_error e;
};

bool foreign_open(struct unit_ctx *t, struct foreign_rig *r, const char *processor);
void foreign_close(struct unit_ctx *t, struct foreign_rig *r); /* checks that nothing leaked */
/* Returns the object of this source for this target, or NULL. */
const struct wave_object *foreign_object(const char *source, const char *target, unsigned wave);
/* Loads a kernel of the object. */
qd_status foreign_load(struct foreign_rig *r, const struct wave_object *o, const char *kernel,
		       const struct qd_object_options *options, struct qd_function **out);
/* Launches and waits. out keeps its contents from before. */
qd_status foreign_run(struct foreign_rig *r, struct qd_function *fn, uint32_t n_blocks,
		      const struct qd_arg *args, uint32_t n_args);
/* Fails each allocation of loading the kernel once. Each failure must be reported, and nothing may
 * leak. */
void foreign_short_of_memory(struct unit_ctx *t, const char *object, const char *kernel,
			     const struct qd_object_options *options);

#endif
