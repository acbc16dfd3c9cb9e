/* A fake driver for tests of the code that all drivers share. Memory comes from malloc. Each
 * queue is a thread with random delays, so queues overtake each other unless one waits for
 * the other. */
#ifndef FAKE_H
#define FAKE_H

#include "qd.h"

enum fake_kind {
	FAKE_SEEN,  /* the host can access all memory */
	FAKE_HIDDEN /* the host can access only staging memory; arguments are in memory too; there
		     * is a watchdog */
};

qd_status fake_open(struct qd_context *ctx, enum fake_kind kind, struct qd_device **out,
		    struct qd_error *err);
/* Sets the size of the device's memory. */
void fake_limit(struct qd_device *dev, uint64_t size);
/* Holds batches back before they run, or releases them. */
void fake_hold(struct qd_device *dev, bool hold);
uint32_t fake_loaded(struct qd_device *dev); /* number of loaded functions */

#endif
