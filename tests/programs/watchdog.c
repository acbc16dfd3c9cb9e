/* Time limits for single units and kernels. A driver that never returns would hold a suite until
 * the suite's own limit, and its log would name no cell. Each unit and each kernel gets
 * QD_TEST_LIMIT seconds (default 120). After that the program prints a failure and exits
 * immediately, with the driver's threads.
 *
 * QD_TEST_MUTATION=hang: the second unit or kernel never returns. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "watchdog.h"

enum { DEFAULT_LIMIT = 120 };

static struct {
	timer_t timer;
	unsigned seconds;
	char family[80];
	char text[512]; /* printed if the time is up */
	uint64_t kernels; /* of the family */
	unsigned begun;
	bool created;
} dog;

static void
expire(int sig)
{
	(void)sig;
	if (write(STDOUT_FILENO, dog.text, strlen(dog.text)) < 0)
		_exit(2);
	_exit(1);
}

/* Uses a timer of its own: units use alarm(), and children inherit none. */
static void
create(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMAX };
	struct sigaction action = { .sa_handler = expire };
	const char *limit = getenv("QD_TEST_LIMIT");

	dog.created = true;
	dog.seconds = limit ? (unsigned)strtoul(limit, NULL, 10) : DEFAULT_LIMIT;
	if (sigaction(SIGRTMAX, &action, NULL) || timer_create(CLOCK_MONOTONIC, &event, &dog.timer))
		dog.seconds = 0;
}

static void
begin(const char *what)
{
	struct itimerspec limit = { 0 };
	const char *inject = getenv("QD_TEST_MUTATION");

	if (!dog.created)
		create();
	snprintf(dog.text, sizeof dog.text, "FAIL %.200s: not finished after %u s (QD_TEST_LIMIT); the program ends here\n",
		 what, dog.seconds);
	limit.it_value.tv_sec = dog.seconds;
	if (dog.seconds)
		timer_settime(dog.timer, 0, &limit, NULL);
	if (++dog.begun == 2 && inject && !strcmp(inject, "hang"))
		for (;;)
			pause();
}

void
watchdog_unit(const char *table, const char *name)
{
	char what[160];

	snprintf(what, sizeof what, "%.60s/%.90s", table, name);
	begin(what);
}

/* A kernel without a label is named by its number. */
static void
begin_kernel(const char *cells)
{
	char what[256];

	dog.kernels++;
	if (cells)
		snprintf(what, sizeof what, "%s: %.160s", dog.family, cells);
	else
		snprintf(what, sizeof what, "%s: kernel %llu", dog.family, (unsigned long long)dog.kernels);
	begin(what);
}

void
watchdog_family(struct suite *t, const char *family)
{
	snprintf(dog.family, sizeof dog.family, "%.30s on %.30s", family, t->selector);
	dog.kernels = 0;
	t->begins = begin_kernel;
	begin(dog.family);
}
