/* Selection of one of a driver's devices: by index, UUID or a part of the name; "" selects the
 * first that is usable. */
#ifndef QD_RUNTIME_CHOOSE_H
#define QD_RUNTIME_CHOOSE_H

#include "base.h"

/* driver and noun, "vulkan" and "Vulkan", are used in messages. n is at least 1. */
qd_status choose_device(const char *driver, const char *noun,
			const struct qd_device_info *const *all, uint32_t n, const char *which,
			uint32_t *out, struct qd_error *err);

/* Lists one unusable entry that contains the reason, for a driver that cannot list its devices.
 * Fails only if the reason is lack of memory. */
qd_status list_nothing(const char *driver, const struct qd_error *why,
		       void (*add)(void *user, const struct qd_device_info *info), void *user,
		       struct qd_error *err);

#endif
