/* The driver "emu" of a build without emulators: it has no devices, and its error names the option that adds
 * them. */
#include "device.h"

static qd_status
list(struct qd_context *ctx, void (*add)(void *user, const struct qd_device_info *info), void *user,
     struct qd_error *err)
{
	(void)ctx, (void)add, (void)user;
	return qd_fail(err, QD_E_UNAVAILABLE, "this build has no emulators (-Demu=disabled)");
}

static qd_status
device_open(struct qd_context *ctx, const struct selector *sel, struct qd_device **out,
	    struct qd_error *err)
{
	(void)ctx, (void)out;
	return qd_fail(err, QD_E_UNAVAILABLE,
		       "device selector 'emu%s%.60s': this build has no emulators (-Demu=disabled); "
		       "use ref:N, or build qd with -Demu=enabled",
		       *sel->which ? ":" : "", sel->which);
}

const struct driver driver_emu = { .name = "emu", .list = list, .open = device_open };
