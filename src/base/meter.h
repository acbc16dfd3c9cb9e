/* Counts the steps of a launch that the host executes. The launch ends after a number of steps,
 * or when another thread cancels it. A step is an operation or an instruction of one subgroup. */
#ifndef QD_METER_H
#define QD_METER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum meter_end { METER_GOES_ON, METER_LIMIT, METER_CANCELED };

struct meter {
	uint64_t most, left;	      /* steps of the launch: total and remaining */
	const _Atomic bool *canceled; /* set by another thread */
	enum meter_end end;
};

/* Returns how many of the next `want` steps the launch may execute. 0: the launch ends, for the
 * reason in m->end. */
static inline uint64_t
meter_ask(struct meter *m, uint64_t want)
{
	if (atomic_load_explicit(m->canceled, memory_order_relaxed))
		m->end = METER_CANCELED;
	else if (!m->left && m->end == METER_GOES_ON)
		m->end = METER_LIMIT;
	if (m->end != METER_GOES_ON)
		return 0;
	return want < m->left ? want : m->left;
}

/* Records executed steps, at most as many as meter_ask allowed. */
static inline void
meter_made(struct meter *m, uint64_t n)
{
	m->left -= n;
}

/* Charges the preparation of a block: a step, and one for each 64 bytes. Returns false if the
 * launch ends. */
static inline bool
meter_block(struct meter *m, uint64_t bytes)
{
	uint64_t n = 1 + bytes / 64;

	if (!meter_ask(m, 1))
		return false;
	m->left -= n < m->left ? n : m->left;
	return true;
}

#endif
