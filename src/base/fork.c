/* Forks.  A child has the memory of its parent, locks that other threads held and
 * what they had half done included, and none of those threads.  So what was made
 * before a fork is refused after it, before any lock is asked for; freeing it does
 * nothing.  A child makes a context of its own. */
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
		       "%s: the context was made before a fork, in another process; create one in "
		       "this process",
		       call);
}
