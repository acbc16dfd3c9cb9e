/* --profile: what a kernel executes on the devices emu, as a table or as a member of the JSON
 * object. */
#include <stdlib.h>

#include "emu.h"
#include "function.h"
#include "run.h"

enum { MAX_LABEL = 32 };

/* Counts of one line of the text, or of one offset if there is no text. */
struct row {
	struct emu_place place;
	struct profile_count class[PROFILE_N_CLASS], all;
};

struct table {
	struct row *row;
	uint32_t n;
	bool has_lines; /* rows are lines, not offsets */
};

void
run_latency(struct request *r, const char *text)
{
	size_t len = strcspn(text, "=");
	char name[16];
	snprintf(name, sizeof name, "%.*s", (int)(len < 15 ? len : 15), text);
	unsigned class = profile_class_find(name);
	if (!text[len] || class >= PROFILE_WAIT)
		tool_usage("--latency takes NAME=CYCLES, NAME one of valu, quarter, trans, f64, "
			   "salu, lds, vmem, "
			   "smem, branch, not '%s'",
			   text);
	r->latency[class] = (uint32_t)tool_number("--latency", text + len + 1, 1, 1000000);
}

void
run_profile_start(struct session *s)
{
	struct qd_error e;
	if (s->req->profile && emu_profile(s->place.fn, s->req->latency, &s->profile, &e))
		tool_fail(&e);
}

/* -- Lines -------------------------------------------------------------------------------- */

static void
add(struct profile_count *to, const struct profile_count *c)
{
	to->n += c->n;
	to->cycles += c->cycles;
	to->bytes += c->bytes;
	to->lines += c->lines;
	to->shared_bytes += c->shared_bytes;
	to->conflicts += c->conflicts;
}

static int
compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	if (x->place.line != y->place.line)
		return x->place.line < y->place.line ? -1 : 1;
	return x->place.at < y->place.at ? -1 : x->place.at > y->place.at;
}

/* Joins the rows of one line, and sorts them. */
static void
join(struct table *t)
{
	uint32_t n = 0;
	qsort(t->row, t->n, sizeof *t->row, compare_rows);
	for (uint32_t i = 0; i < t->n; i++) {
		struct row *last = n ? &t->row[n - 1] : NULL;
		if (!last || !t->has_lines || last->place.line != t->row[i].place.line) {
			t->row[n++] = t->row[i];
			continue;
		}
		for (unsigned k = 0; k < PROFILE_N_CLASS; k++)
			add(&last->class[k], &t -> row[i].class[k]);
		add(&last->all, &t->row[i].all);
	}
	t->n = n;
}

static struct table
rows_of(const struct session *s)
{
	const struct profile *p = s->profile;
	struct emu_place *place = calloc(p->n_places + 1, sizeof *place);
	struct table t = { .row = calloc(p->n_places + 1, sizeof *t.row) };
	struct qd_error e;
	if (!place || !t.row)
		tool_die(EXIT_ENVIRONMENT, "out of memory (profile of %u instructions)",
			 p->n_places);
	if (emu_profile_places(s->place.fn, place, &e))
		tool_fail(&e);
	for (uint32_t i = 0; i < p->n_places; i++) {
		if (!p->count[i].n)
			continue;
		struct row *r = &t.row[t.n++];
		r->place = place[i];
		t.has_lines |= place[i].line != 0;
		add(&r->class[p->class[i]], &p -> count[i]);
		add(&r->all, &p->count[i]);
	}
	free(place);
	join(&t);
	return t;
}

/* -- Text --------------------------------------------------------------------------------- */

static void
print_classes(const struct profile *p, const struct profile_summary *sum)
{
	double waves = p->n_waves ? (double)p->n_waves : 1;
	printf("  %-12s %12s %12s\n", "class", "executed", "per wave");
	for (unsigned k = 0; k < PROFILE_N_CLASS; k++)
		if (sum->class[k].n)
			printf("  %-12s %12llu %12.2f\n", profile_class_name(k),
			       (unsigned long long)sum->class[k].n,
			       (double)sum->class[k].n / waves);
	printf("  %-12s %12llu %12.2f\n", "all", (unsigned long long)sum->all.n,
	       (double)sum->all.n / waves);
}

static void
print_estimates(const struct profile *p, const struct profile_summary *sum)
{
	const struct profile_count *a = &sum->class[PROFILE_VMEM], *lds = &sum->class[PROFILE_LDS];
	double waves = p->n_waves ? (double)p->n_waves : 1,
	       moved = (double)a->lines * p->clock.line;
	printf("  memory       %llu bytes in %llu cache lines of %u bytes",
	       (unsigned long long)a->bytes, (unsigned long long)a->lines, p->clock.line);
	if (a->lines)
		printf(" (%.0f %%)", 100 * (double)a->bytes / moved);
	printf("\n  lds          %llu bytes, %llu bank conflicts\n",
	       (unsigned long long)lds->shared_bytes, (unsigned long long)lds->conflicts);
	printf("  round trips  %.2f to memory and %.2f to lds, per wave\n",
	       (double)p->round_trips / waves, (double)p->shared_trips / waves);
	printf("  one wave     %.0f cycles\n", sum->wave_cycles);
	printf("  full unit    %.0f cycles for %u waves on %u SIMDs%s%s, bound by %s\n",
	       sum->full_cycles, p->resident, p->simds, *p->limit ? ", limited by " : "", p->limit,
	       sum->bound == PROFILE_PIPE_NONE ? "latency" : profile_pipe_name(sum->bound));
}

static void
print_row(const struct table *t, const struct row *r, const struct profile_summary *sum,
	  double waves)
{
	char label[MAX_LABEL] = "-";
	if (r->place.line)
		snprintf(label, sizeof label, "%u", r->place.line);
	else if (!t->has_lines)
		snprintf(label, sizeof label, "0x%zx", r->place.at);
	printf("  %-8s %10llu", label, (unsigned long long)r->all.n);
	for (unsigned k = 0; k < PROFILE_N_CLASS; k++)
		if (sum->class[k].n)
			printf(" %8llu", (unsigned long long)r->class[k].n);
	printf(" %10llu %8llu %9llu %10.1f\n",
	       (unsigned long long)(r->all.bytes + r->all.shared_bytes),
	       (unsigned long long)r->all.lines, (unsigned long long)r->all.conflicts,
	       (double)r->all.cycles / waves);
}

static void
print_lines(const struct session *s, const struct profile_summary *sum)
{
	struct table t = rows_of(s);
	double waves = s->profile->n_waves ? (double)s->profile->n_waves : 1;
	printf("  %-8s %10s", t.has_lines ? "line" : "offset", "executed");
	for (unsigned k = 0; k < PROFILE_N_CLASS; k++)
		if (sum->class[k].n)
			printf(" %8s", profile_class_name(k));
	printf(" %10s %8s %9s %10s\n", "bytes", "lines", "conflicts", "cycles");
	for (uint32_t i = 0; i < t.n; i++)
		print_row(&t, &t.row[i], sum, waves);
	free(t.row);
}

void
run_profile_text(const struct session *s)
{
	const struct profile *p = s->profile;
	struct profile_summary sum;
	if (!p)
		return;
	profile_sum(p, &sum);
	printf("profile of '%s' on %s: %llu waves of %u lanes, clock model %s\n", s->name,
	       s->place.info.selector, (unsigned long long)p->n_waves, p->lanes, p->clock.name);
	print_classes(p, &sum);
	print_estimates(p, &sum);
	if (s->req->lines)
		print_lines(s, &sum);
}

/* -- JSON ----------------------------------------------------------------------------------- */

static void
put_count(const struct profile_count *all, const struct profile_count *class)
{
	printf("\"instructions\":\"%llu\",\"classes\":{", (unsigned long long)all->n);
	for (unsigned k = 0; k < PROFILE_N_CLASS; k++)
		printf("%s\"%s\":\"%llu\"", k ? "," : "", profile_class_name(k),
		       (unsigned long long)class[k].n);
	printf("},\"bytes\":\"%llu\",\"lines\":\"%llu\",\"lds_bytes\":\"%llu\",\"conflicts\":\"%"
	       "llu\",\"cycles\":\"%llu\"",
	       (unsigned long long)all->bytes, (unsigned long long)all->lines,
	       (unsigned long long)all->shared_bytes, (unsigned long long)all->conflicts,
	       (unsigned long long)all->cycles);
}

static void
put_lines(const struct session *s)
{
	struct table t = rows_of(s);
	printf(",\"places\":[");
	for (uint32_t i = 0; i < t.n; i++) {
		printf("%s{\"line\":%u,\"offset\":%zu,", i ? "," : "", t.row[i].place.line,
		       t.row[i].place.at);
		put_count(&t.row[i].all, t.row[i].class);
		putchar('}');
	}
	putchar(']');
	free(t.row);
}

void
run_profile_json(const struct session *s)
{
	const struct profile *p = s->profile;
	struct profile_summary sum;
	if (!p)
		return;
	profile_sum(p, &sum);
	printf(",\"profile\":{\"model\":\"%s\",\"launches\":\"%llu\",\"waves\":\"%llu\",\"lanes\":%"
	       "u,\"registers\":%u,",
	       p->clock.name, (unsigned long long)p->n_launches, (unsigned long long)p->n_waves,
	       p->lanes, s->place.fn_info.registers);
	put_count(&sum.all, sum.class);
	printf(",\"vmem_bytes\":\"%llu\",\"vmem_lines\":\"%llu\"",
	       (unsigned long long)sum.class[PROFILE_VMEM].bytes,
	       (unsigned long long)sum.class[PROFILE_VMEM].lines);
	printf(",\"line_size\":%u,\"round_trips\":\"%llu\",\"lds_round_trips\":\"%llu\",\"wave_"
	       "cycles\":%.1f,"
	       "\"full_cycles\":%.1f,\"full_waves\":%u,\"simds\":%u,\"limit\":\"%s\",\"bound\":\"%"
	       "s\"",
	       p->clock.line, (unsigned long long)p->round_trips,
	       (unsigned long long)p->shared_trips, sum.wave_cycles, sum.full_cycles, p->resident,
	       p->simds, p->limit,
	       sum.bound == PROFILE_PIPE_NONE ? "latency" : profile_pipe_name(sum.bound));
	if (s->req->lines)
		put_lines(s);
	putchar('}');
}
