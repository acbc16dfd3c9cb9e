/* What device.c, launch.c and buffer.c share and drivers do not see. */
#ifndef QD_RUNTIME_FUNCTION_H
#define QD_RUNTIME_FUNCTION_H

#include "device.h"

/* Opens a device of this driver, whether it is in the table or not. */
qd_status device_open_with(struct qd_context *ctx, const struct driver *d,
			   const struct selector *sel, struct qd_device **out,
			   struct qd_error *err);
/* An object of the device, or the open handle, is gone: the last one closes it. */
void device_release(struct qd_device *dev);
/* Was the device opened before a fork?  Then logs that `call` does nothing. */
bool device_forked(const struct qd_device *dev, const char *call);

/* Unloads every function. */
void functions_fini(struct qd_device *dev);

/* The buffer that owns the memory: itself, or the parent of a slice. */
static inline struct qd_buffer *
buffer_root(struct qd_buffer *buf)
{
	return buf->parent ? buf->parent : buf;
}

#endif
