/* Fixture of the amdgpu driver's tests: a device of the fake with a stream, and a log. */
#ifndef T_AMDGPU_H
#define T_AMDGPU_H

#include "amdgpu_fake.h"
#include "amdgpu/kgd.h"
#include "fake_rig.h"

/* Creates a context with the fake configured, for example as "gpu=gfx1100". Opens no device. */
bool amdgpu_rig_begin(struct unit_ctx *t, struct fake_rig *r, const char *config);
/* Also opens the device, creates the stream and gets inc. */
bool amdgpu_rig_open(struct unit_ctx *t, struct fake_rig *r, const char *config);
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
