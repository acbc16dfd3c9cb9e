/* A time limit for device work that may never end. Most drivers can neither cancel a launch nor
 * abandon a wait for it, so the program exits. A watchdog thread does so without any clean-up that
 * would wait. */
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

static struct {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	pthread_t thread;
	struct timespec until;
	uint64_t ms;
	const char *what;
	bool running, over;
} limit = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *
watch(void *user)
{
	int rc = 0;
	(void)user;
	pthread_mutex_lock(&limit.lock);
	while (!limit.over && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&limit.ended, &limit.lock, &limit.until);
	bool over = limit.over;
	pthread_mutex_unlock(&limit.lock);
	if (over)
		return NULL;
	uint32_t part = (uint32_t)(limit.ms % 1000), digits = 3;
	char point[8] = "";
	for (; part && part % 10 == 0; digits--)
		part /= 10;
	if (part)
		snprintf(point, sizeof point, ".%0*u", (int)digits, part);
	tool_message("error", "%s did not finish within %llu%s second%s (--timeout)", limit.what,
		     (unsigned long long)(limit.ms / 1000), point, limit.ms == 1000 ? "" : "s");
	tool_quit_now(EXIT_INPUT);
}

void
tool_limit_start(const char *what, uint64_t ms)
{
	pthread_condattr_t attr;
	limit.what = what;
	limit.ms = ms;
	limit.over = false;
	clock_gettime(CLOCK_MONOTONIC, &limit.until);
	limit.until.tv_sec += (time_t)(ms / 1000);
	limit.until.tv_nsec += (long)(ms % 1000) * 1000000;
	if (limit.until.tv_nsec >= 1000000000) {
		limit.until.tv_nsec -= 1000000000;
		limit.until.tv_sec++;
	}
	if (pthread_condattr_init(&attr))
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&limit.ended, &attr);
	pthread_condattr_destroy(&attr);
	if (pthread_create(&limit.thread, NULL, watch, NULL))
		tool_die(EXIT_ENVIRONMENT, "cannot create the thread for the time limit");
	limit.running = true;
}

void
tool_limit_end(void)
{
	if (!limit.running)
		return;
	pthread_mutex_lock(&limit.lock);
	limit.over = true;
	pthread_cond_signal(&limit.ended);
	pthread_mutex_unlock(&limit.lock);
	pthread_join(limit.thread, NULL);
	pthread_cond_destroy(&limit.ended);
	limit.running = false;
}
