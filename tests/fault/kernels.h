/* Kernels of the fault injection program. */
#ifndef FAULT_KERNELS_H
#define FAULT_KERNELS_H

#include "qd.h"

/* Uses the whole builder, with one template value, L. It is compiled but not run. */
qd_status kernel_every(struct qd_context *ctx, struct qd_kernel **out, struct qd_error *err);
/* dst[i] = src[i] + i + u + f, in blocks of 8. */
qd_status kernel_mix(struct qd_context *ctx, struct qd_kernel **out, struct qd_error *err);
/* data[block] += WIDE_ADDS; more arguments than a dispatch holds inline. */
enum { WIDE_SPARE = 24, WIDE_ADDS = 1000 };
qd_status kernel_wide(struct qd_context *ctx, struct qd_kernel **out, struct qd_error *err);

#endif
