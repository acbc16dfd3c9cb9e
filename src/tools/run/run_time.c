/* Launches and their timing, by the device's clock. If the device has none, the host's clock
 * times the launch and the wait for it. */
#include <stdlib.h>

#include "run.h"

struct stopwatch {
	struct qd_event *from, *to;
};

/* Launches once; stores the time and whether the device measured it. */
static bool
launch_timed(struct session *s, const struct stopwatch *w, uint64_t *ns, bool *by_device)
{
	struct place *p = &s->place;
	struct qd_error e;
	if (qd_event_record(p->stream, w->from, &e))
		tool_fail(&e);
	uint64_t start = clock_ns();
	bool good = place_launch(s, p);
	uint64_t host = clock_ns() - start;
	if (qd_event_record(p->stream, w->to, &e) || qd_stream_sync(p->stream, &e))
		tool_fail(&e);
	qd_status st = qd_event_elapsed(w->from, w->to, ns, &e);
	if (st && st != QD_E_UNAVAILABLE)
		tool_fail(&e);
	*by_device = st == QD_OK;
	if (st)
		*ns = host;
	return good;
}

static int
compare_ns(const void *a, const void *b)
{
	uint64_t x, y;
	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return x < y ? -1 : x > y;
}

static void
count_times(struct session *s)
{
	struct times *t = &s->times;
	qsort(t->ns, t->n, sizeof *t->ns, compare_ns);
	t->least = t->ns[0];
	t->median = t->n % 2 ? t->ns[t->n / 2] : (t->ns[t->n / 2 - 1] + t->ns[t->n / 2]) / 2;
	for (uint32_t i = 0; i < s->n_params; i++) {
		const struct value *v = &s->value[i];
		bool both = v->info.access == QD_ACCESS_INOUT;
		t->bytes += v->info.is_buffer ? bytes_of(v) * (both ? 2u : 1u) : 0;
	}
}

static void
launch_all(struct session *s)
{
	struct times *t = &s->times;
	struct stopwatch w;
	struct progress progress;
	struct qd_error e;
	uint32_t n = s->req->repeat ? s->req->repeat : 1;
	t->ns = calloc(n, sizeof *t->ns);
	if (!t->ns)
		tool_die(EXIT_ENVIRONMENT, "out of memory (times of %u launches)", n);
	if (qd_event_create(s->place.dev, &w.from, &e) || qd_event_create(s->place.dev, &w.to, &e))
		tool_fail(&e);
	progress_start(&progress, "launches", n);
	for (bool good = true; good && t->n < n;) {
		if (t->n)
			place_refill(s, &s->place);
		good = launch_timed(s, &w, &t->ns[t->n], &t->by_device);
		t->n++;
		progress_at(&progress, t->n);
	}
	progress_end(&progress);
	qd_event_free(w.from);
	qd_event_free(w.to);
	count_times(s);
}

void
run_launches(struct session *s)
{
	if (s->req->repeat || s->req->time)
		launch_all(s);
	else
		place_launch(s, &s->place);
	for (uint32_t i = 0; i < s->n_params; i++) {
		struct value *v = &s->value[i];
		if (!is_output(v))
			continue;
		v->last = malloc(v->n ? bytes_of(v) : 1);
		if (!v->last)
			tool_die(EXIT_ENVIRONMENT, "%s: out of memory (%zu bytes)", v->info.name,
				 bytes_of(v));
		place_read(s, &s->place, i, v->last);
	}
}

void
run_print_times(const struct session *s)
{
	const struct times *t = &s->times;
	const char *clock = t->by_device ? "device" : "host";
	char rate[48] = "too short for GB/s";
	if (s->req->time)
		tool_message("note", "compile and load %.3f ms, launch %.3f ms (%s time)",
			     (double)s->get_ns / 1e6, (double)t->median / 1e6, clock);
	const struct qd_function_info *f = &s->place.fn_info;
	if (s->req->time && f->hardware_size != f->subgroup_size)
		tool_message("note",
			     "subgroups of %u lanes are %s the device's of %u: %u barrier%s "
			     "and %u bytes of shared memory in total",
			     f->subgroup_size,
			     f->hardware_size < f->subgroup_size ? "composed of" : "parts of",
			     f->hardware_size, f->barriers, f->barriers == 1 ? "" : "s",
			     f->shared_size);
	if (!s->req->repeat)
		return;
	if (t->median)
		snprintf(rate, sizeof rate, "%.3f GB/s", (double)t->bytes / (double)t->median);
	tool_message("note", "%u launch%s of '%s' on %s, median %.3f ms, least %.3f ms, %s (%llu "
			     "bytes, %s time)",
		     t->n, t->n == 1 ? "" : "es", s->name, s->place.info.selector,
		     (double)t->median / 1e6, (double)t->least / 1e6, rate,
		     (unsigned long long)t->bytes, clock);
}
