/* Fixture of the CUDA unit tests: the fake driver's device with a stream, and a log. */
#ifndef T_CUDA_H
#define T_CUDA_H

#include "cuda_fake.h"
#include "cuda_internal.h"
#include "fake_rig.h"

/* Creates a context with the fake configured, for example as "devices=1 sm=90". Opens no device. */
bool cuda_rig_begin(struct unit_ctx *t, struct fake_rig *r, const char *config);
/* Makes qd query the library again. Otherwise its version is read only once. */
void cuda_forget_library(void);
/* Also opens the device, creates the stream and gets inc. */
bool cuda_rig_open(struct unit_ctx *t, struct fake_rig *r, const char *config);
/* Tests in t_cuda_run.c, for the table in t_cuda.c. */
void t_cuda_lost(struct unit_ctx *t);
void t_cuda_lost_codes(struct unit_ctx *t);
void t_cuda_foreign_context(struct unit_ctx *t);
void t_cuda_retry(struct unit_ctx *t);
void t_cuda_calls(struct unit_ctx *t);
void t_cuda_started(struct unit_ctx *t);
void t_cuda_lost_batch(struct unit_ctx *t);
void t_cuda_threads(struct unit_ctx *t);
void t_cuda_memory(struct unit_ctx *t);
void t_cuda_events(struct unit_ctx *t);
void t_cuda_pieces(struct unit_ctx *t);
void t_cuda_fork(struct unit_ctx *t);
void t_cuda_strict(struct unit_ctx *t);

#endif
