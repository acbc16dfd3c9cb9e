/* Runs work in several threads and shows progress. */
#include "aot.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct work {
	void (*fn)(void *user, uint32_t i);
	void *user;
	uint32_t n;
	_Atomic uint32_t next, done;
};

static void *
worker(void *user)
{
	struct work *w = user;

	for (;;) {
		uint32_t i = atomic_fetch_add(&w->next, 1);
		if (i >= w->n)
			return NULL;
		w->fn(w->user, i);
		atomic_fetch_add(&w->done, 1);
	}
}

/* Progress display for interactive terminals: one line, after two seconds. */
static void
show_progress(const struct work *w, const char *what, uint64_t start, bool *shown)
{
	double passed = (double)(clock_ns() - start) / 1e9;
	uint32_t done = atomic_load((_Atomic uint32_t *)(uintptr_t)&w->done);

	if (passed < 2 || !done)
		return;
	fprintf(stderr, "\r[%*u/%u] %s  %.0f s left\033[K", w->n > 999 ? 4 : 3, done, w->n, what,
		passed * (w->n - done) / done);
	fflush(stderr);
	*shown = true;
}

void
aot_parallel(uint32_t n_jobs, uint32_t n, void (*fn)(void *user, uint32_t i), void *user,
	     const char *what, bool quiet)
{
	struct work w = { .fn = fn, .user = user, .n = n };
	uint32_t n_threads = (n_jobs < n ? n_jobs : n), made = 0;
	bool watch = !quiet && isatty(STDERR_FILENO), shown = false;
	pthread_t *threads = calloc(n_threads + 1, sizeof *threads);
	uint64_t start = clock_ns();

	if (!threads)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	for (; made + 1 < n_threads + watch; made++) {
		if (pthread_create(&threads[made], NULL, worker, &w) != 0)
			break;
	}
	while (watch && made && atomic_load(&w.done) < n) {
		usleep(100000);
		show_progress(&w, what, start, &shown);
	}
	worker(&w);
	for (uint32_t i = 0; i < made; i++)
		pthread_join(threads[i], NULL);
	if (shown)
		fputs("\r\033[K", stderr);
	free(threads);
}
