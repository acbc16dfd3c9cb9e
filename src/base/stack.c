/* Runs work that may need more stack than the caller has: on a new thread, for which the caller
 * waits. */
#include <signal.h>

#include "base.h"

struct deep {
	void (*work)(void *);
	void *arg;
	struct pool_quota *quota;
};

static void *
start(void *arg)
{
	const struct deep *d = arg;

	pool_quota_lend(d->quota);
	d->work(d->arg);
	return NULL;
}

bool
run_on_new_stack(size_t size, void (*work)(void *), void *arg)
{
	struct deep d = { work, arg, pool_quota_now() };
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, saved;
	bool ok;

	if (pthread_attr_init(&attr))
		return false;
	/* Blocks all signals: the program's handlers run on the program's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	ok = !pthread_attr_setstacksize(&attr, size) && !pthread_create(&thread, &attr, start, &d);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	pthread_attr_destroy(&attr);
	if (ok)
		pthread_join(thread, NULL);
	return ok;
}
