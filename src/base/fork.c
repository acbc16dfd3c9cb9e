/* Forks. A child inherits its parent's memory, including locks that other threads hold and their
 * incomplete changes, but not those threads. Therefore calls on inherited objects fail before
 * they take a lock, and freeing inherited objects has no effect. A child creates its own
 * context. */
#include "base.h"

_Atomic uint32_t fork_count;

static int watching;

static void
in_child(void)
{
	atomic_fetch_add(&fork_count, 1);
}

static void
watch(void)
{
	watching = pthread_atfork(NULL, NULL, in_child);
}

bool
fork_watch(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch);
	return watching == 0;
}

qd_status
fork_refused(struct qd_error *err, const char *call)
{
	return qd_fail(err, QD_E_FORKED,
		       "%s: the context was created before a fork, in another process; create one "
		       "in this process",
		       call);
}
