/* The kernels of the program that makes every call. */
#ifndef FAULT_KERNELS_H
#define FAULT_KERNELS_H

#include "qd.h"

/* All of the builder; one template value, L.  For compiling. */
qd_status kernel_every(struct qd_context *ctx, struct qd_kernel **out, struct qd_error *err);
/* dst[i] = src[i] + i + u + f, in blocks of 8. */
qd_status kernel_mix(struct qd_context *ctx, struct qd_kernel **out, struct qd_error *err);
/* data[block] += WIDE_ADDS; more arguments than fit beside a dispatch. */
enum { WIDE_SPARE = 24, WIDE_ADDS = 1000 };
qd_status kernel_wide(struct qd_context *ctx, struct qd_kernel **out, struct qd_error *err);

#endif
