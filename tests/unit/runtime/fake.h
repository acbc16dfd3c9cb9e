/* A driver for tests of what drivers have in common: memory is malloc's, each
 * queue a thread that takes its time, so that queues overtake each other wherever
 * nothing makes one wait for the other. */
#ifndef FAKE_H
#define FAKE_H

#include "qd.h"

enum fake_kind {
	FAKE_SEEN,  /* the host sees all memory */
	FAKE_HIDDEN /* it sees staging memory alone; arguments go through memory too; it has a watchdog */
};

qd_status fake_open(struct qd_context *ctx, enum fake_kind kind, struct qd_device **out,
		    struct qd_error *err);
/* How much memory there is, from now on. */
void fake_limit(struct qd_device *dev, uint64_t size);
/* Batches wait before they run, until they are let go. */
void fake_hold(struct qd_device *dev, bool hold);
uint32_t fake_loaded(struct qd_device *dev); /* functions */

#endif
