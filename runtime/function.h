/* What device.c, launch.c and buffer.c share and drivers do not see. */
#ifndef QD_RUNTIME_FUNCTION_H
#define QD_RUNTIME_FUNCTION_H

#include "device.h"

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
