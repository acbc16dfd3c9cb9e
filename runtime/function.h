/* Internal functions on devices and functions, hidden from drivers. */
#ifndef QD_RUNTIME_FUNCTION_H
#define QD_RUNTIME_FUNCTION_H

#include "device.h"

/* Opens a device of this driver, which need not be in the table. */
qd_status device_open_with(struct qd_context *ctx, const struct driver *d,
			   const struct selector *sel, struct qd_device **out,
			   struct qd_error *err);
/* Count the device's objects: one was created, or freed. The open handle is one of them. The
 * device is closed when none remains. */
void device_hold(struct qd_device *dev, enum live kind);
void device_release(struct qd_device *dev, enum live kind);
/* Returns whether the device was opened before a fork, and if so logs that `call` does nothing. */
bool device_forked(const struct qd_device *dev, const char *call);

/* Checks whether the device can run this image. */
qd_status device_accepts(const struct qd_device *dev, const struct qd_image *img,
			 struct qd_error *err);

/* Unloads every function. */
void functions_fini(struct qd_device *dev);
/* Removes the function from the table, with the device's lock held. function_unload frees the
 * rest, without the lock. */
void function_take_out(struct qd_function *fn);
void function_unload(struct qd_function *fn);

/* Returns the variant of a function that does not rely on launch facts; compiles and loads it if
 * necessary. It lives as long as fn. */
qd_status function_general(struct qd_function *fn, struct qd_function **out, struct qd_error *err);

/* -- function_lru.c: unreferenced functions; requires the device's lock --------------------- */

/* Removes a function from the list, because it is referenced again. */
void unused_pull(struct qd_function *fn);
/* Adds a function that has lost its last reference. */
void unused_push(struct qd_function *fn);
/* Removes the least recently used functions, until at most `most` remain or `look` were examined.
 * Functions that a batch in flight may use stay. Returns a chain by next, to unload without the
 * lock. */
struct qd_function *unused_shed(struct qd_device *dev, uint32_t most, uint32_t look);
void unused_unload(struct qd_function *chain);

/* -- trim.c: caches that are freed when memory is short -------------------------------- */

/* Add a device to the context's list, and remove it. */
qd_status device_enlist(struct qd_device *dev, struct qd_error *err);
void device_delist(struct qd_device *dev);
/* Frees unused cached objects without waiting, and returns whether there were any. */
bool device_trim(struct qd_device *dev);
/* Returns whether a call to the driver that returned st is worth one more try. */
static inline bool
device_retry(struct qd_device *dev, qd_status st)
{
	return QD_UNLIKELY(st == QD_E_DEVICE_NOMEM) && device_trim(dev);
}


/* Returns the buffer that owns the memory: the parent of a slice, or the buffer itself. */
static inline struct qd_buffer *
buffer_root(struct qd_buffer *buf)
{
	return buf->parent ? buf->parent : buf;
}

#endif
