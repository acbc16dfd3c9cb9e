/* Devices and functions inside the room: what drivers do not see. */
#ifndef QD_RUNTIME_FUNCTION_H
#define QD_RUNTIME_FUNCTION_H

#include "device.h"

/* Opens a device of this driver, whether it is in the table or not. */
qd_status device_open_with(struct qd_context *ctx, const struct driver *d,
			   const struct selector *sel, struct qd_device **out,
			   struct qd_error *err);
/* An object of the device is made; it, or the open handle, is gone: the last one closes
 * the device. */
void device_hold(struct qd_device *dev, enum live kind);
void device_release(struct qd_device *dev, enum live kind);
/* Was the device opened before a fork?  Then logs that `call` does nothing. */
bool device_forked(const struct qd_device *dev, const char *call);

/* Would the device run this image? */
qd_status device_accepts(const struct qd_device *dev, const struct qd_image *img,
			 struct qd_error *err);

/* Unloads every function. */
void functions_fini(struct qd_device *dev);
/* Out of the table, under the device's lock; and then the rest, without it. */
void function_take_out(struct qd_function *fn);
void function_unload(struct qd_function *fn);

/* -- function_lru.c: functions that nobody holds; under the device's lock ------------------- */

/* The function is held again, which stands in the list. */
void unused_pull(struct qd_function *fn);
/* Nobody holds it any more. */
void unused_push(struct qd_function *fn);
/* Takes those out that were used least recently, until at most `most` are left or
 * `look` have been looked at; what a batch in flight may use stays.  A chain by next,
 * to be unloaded without the lock. */
struct qd_function *unused_shed(struct qd_device *dev, uint32_t most, uint32_t look);
void unused_unload(struct qd_function *chain);

/* -- trim.c: what is kept for later and given back when memory is short ---------------- */

/* The context's list of devices. */
qd_status device_enlist(struct qd_device *dev, struct qd_error *err);
void device_delist(struct qd_device *dev);
/* Gives back what nobody uses, without waiting: was there any? */
bool device_trim(struct qd_device *dev);
/* After a call to the driver: is it worth trying again, once? */
static inline bool
device_retry(struct qd_device *dev, qd_status st)
{
	return QD_UNLIKELY(st == QD_E_DEVICE_NOMEM) && device_trim(dev);
}


/* The buffer that owns the memory: itself, or the parent of a slice. */
static inline struct qd_buffer *
buffer_root(struct qd_buffer *buf)
{
	return buf->parent ? buf->parent : buf;
}

#endif
