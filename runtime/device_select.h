/* Which of a driver's devices a selector means: by index, UUID or a part of the name;
 * "": the first that is usable. */
#ifndef QD_RUNTIME_CHOOSE_H
#define QD_RUNTIME_CHOOSE_H

#include "base.h"

/* driver and noun, "vulkan" and "Vulkan", are for messages.  n is above 0. */
qd_status choose_device(const char *driver, const char *noun,
			const struct qd_device_info *const *all, uint32_t n, const char *which,
			uint32_t *out, struct qd_error *err);

/* Where a driver cannot list its devices: the list has one entry that is not usable and says
 * why, unless what is short is memory. */
qd_status list_nothing(const char *driver, const struct qd_error *why,
		       void (*add)(void *user, const struct qd_device_info *info), void *user,
		       struct qd_error *err);

#endif
