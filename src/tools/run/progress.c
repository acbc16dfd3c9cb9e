/* Progress display for interactive terminals. */
#include <unistd.h>

#include "run.h"

void
progress_start(struct progress *p, const char *what, uint64_t total)
{
	*p = (struct progress){ .what = what, .total = total };
	p->on = total && isatty(STDERR_FILENO);
	p->start = p->on ? clock_ns() : 0;
}

void
progress_at(struct progress *p, uint64_t done)
{
	if (!p->on)
		return;
	double passed = (double)(clock_ns() - p->start) / 1e9;
	if (passed < 2 || !done)
		return;
	double left = passed * (double)(p->total - done) / (double)done;
	fprintf(stderr, "\r%s: %llu/%llu  %.0f s left\033[K", p->what, (unsigned long long)done,
		(unsigned long long)p->total, left);
	fflush(stderr);
	p->shown = true;
}

void
progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
}
