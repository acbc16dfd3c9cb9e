/* Counts, the time of a wave, and the estimates derived from them. */
#include "profile.h"

enum { BANKS = 32, BANK_BYTES = 4, MAX_LINES = 512 };

static const uint8_t pipe_of[PROFILE_N_CLASS] = {
#define CLASS(id, name, pipe) PROFILE_PIPE_##pipe,
#include "class.def"
};

static const bool of_unit[PROFILE_N_PIPE] = {
#define PIPE(id, name, shared) shared,
#include "pipe.def"
};

qd_status
profile_create(struct pool *pool, const struct profile_clock *clock, uint32_t n_places,
	       struct profile **out, struct qd_error *err)
{
	struct profile *p = pool_new(pool, sizeof *p);

	*out = NULL;
	if (p) {
		*p = (struct profile){ .pool = pool, .clock = *clock, .n_places = n_places };
		p->class = pool_new(pool, n_places + 1);
		p->count = pool_new(pool, (n_places + 1) * sizeof *p->count);
	}
	if (!p || !p->class || !p->count) {
		profile_free(p);
		return qd_fail(err, QD_E_NOMEM, "out of memory for a profile");
	}
	memset(p->class, PROFILE_NOP, n_places + 1);
	memset(p->count, 0, (n_places + 1) * sizeof *p->count);
	*out = p;
	return QD_OK;
}

void
profile_free(struct profile *p)
{
	if (!p)
		return;
	if (p->class)
		pool_delete(p->pool, p->class);
	if (p->count)
		pool_delete(p->pool, p->count);
	pool_delete(p->pool, p);
}

/* -- Waves ----------------------------------------------------------------------------- */

size_t
profile_wave_size(uint32_t n_regs)
{
	return sizeof(struct profile_wave) + n_regs * sizeof(struct profile_reg);
}

void
profile_wave_begin(struct profile_wave *w, uint32_t n_regs)
{
	memset(w, 0, profile_wave_size(n_regs));
	w->n_regs = n_regs;
}

void
profile_wave_end(struct profile *p, const struct profile_wave *w)
{
	p->n_waves++;
	p->cycles += w->now;
	p->round_trips += w->trips;
	p->shared_trips += w->shared_trips;
}

void
profile_use(struct profile_wave *w, const struct profile_reg *v)
{
	w->start = v->ready > w->start ? v->ready : w->start;
	w->trips = v->trips > w->trips ? v->trips : w->trips;
	w->shared_trips = v->shared_trips > w->shared_trips ? v->shared_trips : w->shared_trips;
}

/* Returns the multiple of the table's cycles for which a wave occupies a pipe of lanes. */
static uint32_t
times(const struct profile *p, unsigned class)
{
	bool lanes = class == PROFILE_VALU || class == PROFILE_QUARTER || class == PROFILE_TRANS ||
		     class == PROFILE_F64;

	return lanes ? (p->lanes + p->clock.lanes - 1) / p->clock.lanes : 1;
}

static unsigned
pipe_at(const struct profile *p, unsigned class)
{
	unsigned pipe = pipe_of[class];
	bool own = pipe == PROFILE_PIPE_TRANS || pipe == PROFILE_PIPE_F64;

	return own && !p->clock.own_pipes ? PROFILE_PIPE_VECTOR : pipe;
}

uint64_t
profile_issue(struct profile *p, struct profile_wave *w, uint32_t place, uint64_t extra)
{
	unsigned class = p->class[place], pipe = pipe_at(p, class);
	uint64_t busy = (uint64_t)p->clock.busy[class] * times(p, class) + extra;
	uint64_t at = w->start > w->now ? w->start : w->now;

	if (pipe != PROFILE_PIPE_NONE) {
		at = w->pipe[pipe] > at ? w->pipe[pipe] : at;
		w->pipe[pipe] = at + busy;
	} else {
		at += extra;
	}
	p->count[place].n++;
	p->count[place].cycles += at + p->clock.gap - w->now;
	w->now = at + p->clock.gap;
	w->start = 0;
	return at + p->clock.latency[class] + extra +
	       (uint64_t)p->clock.busy[class] * (times(p, class) - 1);
}

void
profile_stall(struct profile *p, struct profile_wave *w, uint32_t place, uint64_t until)
{
	if (until <= w->now)
		return;
	p->count[place].cycles += until - w->now;
	w->now = until;
}

void
profile_arrive(struct profile_barrier *b, uint32_t phase, const struct profile_wave *w)
{
	if (b->phase != phase)
		*b = (struct profile_barrier){ .phase = phase };
	b->time = w->now > b->time ? w->now : b->time;
}

struct profile_reg
profile_result(const struct profile_wave *w, unsigned class, uint64_t ready)
{
	struct profile_reg v = { .ready = ready };

	if (class == PROFILE_VMEM || class == PROFILE_SMEM)
		v.trips = w->trips + 1;
	if (class == PROFILE_LDS)
		v.shared_trips = w->shared_trips + 1;
	return v;
}

/* -- Memory ---------------------------------------------------------------------------- */

uint64_t
profile_memory(struct profile *p, uint32_t place, const struct profile_access *a)
{
	struct {
		uint64_t line;
		uint32_t region;
	} seen[MAX_LINES];
	uint32_t n = 0, lanes = 0, size = p->clock.line, cycles;

	for (unsigned l = 0; l < 64; l++) {
		if (!(a->lanes >> l & 1))
			continue;
		lanes++;
		for (uint64_t line = a->at[l] / size; line <= (a->at[l] + a->bytes - 1) / size;
		     line++) {
			uint32_t k = n;
			while (k &&
			       (seen[k - 1].line != line || seen[k - 1].region != a->region[l]))
				k--;
			if (k || n == MAX_LINES)
				continue;
			seen[n].line = line;
			seen[n++].region = a->region[l];
		}
	}
	p->count[place].bytes += (uint64_t)lanes * a->bytes;
	p->count[place].lines += n;
	cycles = (lanes + p->clock.addr - 1) / p->clock.addr;
	cycles = n > cycles ? n : cycles;
	return cycles ? cycles - 1 : 0;
}

/* Returns the cycles that LDS takes for lanes `from` to `to`: the most accesses of one bank. */
static uint32_t
passes_of(const struct profile_access *a, unsigned from, unsigned to)
{
	uint32_t n[BANKS] = { 0 }, n_words[BANKS] = { 0 }, most = 0;
	uint64_t word[BANKS][64];

	for (unsigned l = from; l < to; l++) {
		if (!(a->lanes >> l & 1))
			continue;
		for (uint64_t w = a->at[l] / BANK_BYTES;
		     w <= (a->at[l] + a->bytes - 1) / BANK_BYTES; w++) {
			unsigned bank = (unsigned)(w % BANKS);
			uint32_t k = n_words[bank];
			while (k && word[bank][k - 1] != w)
				k--;
			if (!k && n_words[bank] < 64)
				word[bank][n_words[bank]++] = w;
			n[bank] += !k || a->atomic;
			most = n[bank] > most ? n[bank] : most;
		}
	}
	return most;
}

/* LDS serves as many lanes at a time as touch each bank once: 32 with 4 bytes, 16 with 8. */
uint64_t
profile_shared(struct profile *p, uint32_t place, const struct profile_access *a)
{
	uint32_t words = a->bytes > BANK_BYTES ? (a->bytes + BANK_BYTES - 1) / BANK_BYTES : 1;
	uint32_t at_once = words > 2 ? BANKS / 4 : BANKS / words, passes = 0, fewest = 0;

	for (unsigned l = 0; l < 64; l += at_once) {
		uint32_t n = passes_of(a, l, l + at_once);
		passes += n;
		fewest += n != 0;
	}
	for (unsigned l = 0; l < 64; l++)
		p->count[place].shared_bytes += (a->lanes >> l & 1) * a->bytes;
	p->count[place].passes += passes;
	p->count[place].conflicts += passes - fewest;
	return passes ? passes - 1 : 0;
}

/* -- Sums ------------------------------------------------------------------------------ */

static void
count_add(struct profile_count *to, const struct profile_count *c)
{
	to->n += c->n;
	to->cycles += c->cycles;
	to->bytes += c->bytes;
	to->lines += c->lines;
	to->shared_bytes += c->shared_bytes;
	to->passes += c->passes;
	to->conflicts += c->conflicts;
}

/* Returns the cycles for which all executions of a class occupy its pipe. */
static double
busy_of(const struct profile *p, unsigned class, const struct profile_count *c)
{
	double n = (double)c->n;

	if (class == PROFILE_LDS)
		return (double)(c->passes > c->n ? c->passes : c->n);
	if (class == PROFILE_VMEM) {
		double lanes = p->lanes > p->clock.addr ? (double)p->lanes / p->clock.addr : 1;
		return (double)c->lines > n * lanes ? (double)c->lines : n * lanes;
	}
	return n * p->clock.busy[class] * times(p, class);
}

void
profile_sum(const struct profile *p, struct profile_summary *out)
{
	*out = (struct profile_summary){ .bound = PROFILE_PIPE_NONE };
	for (uint32_t i = 0; i < p->n_places; i++)
		count_add(&out->class[p->class[i]], &p -> count[i]);
	for (unsigned k = 0; k < PROFILE_N_CLASS; k++)
		count_add(&out->all, &out->class[k]);
	if (!p->n_waves)
		return;
	double waves = (double)p->n_waves, of_simd = (double)p->resident / p->simds;

	out->wave_cycles = out->full_cycles = (double)p->cycles / waves;
	for (unsigned k = 0; k < PROFILE_N_CLASS; k++) {
		unsigned pipe = pipe_at(p, k);
		double share = of_simd * (of_unit[pipe] ? p->unit_simds : 1);
		if (pipe != PROFILE_PIPE_NONE)
			out->busy[pipe] += busy_of(p, k, &out->class[k]) / waves * share;
	}
	if (p->clock.one_slot)
		out->busy[PROFILE_PIPE_SLOT] = (double)out->all.n / waves * of_simd;
	for (unsigned k = 0; k < PROFILE_N_PIPE; k++) {
		if (out->busy[k] <= out->full_cycles)
			continue;
		out->full_cycles = out->busy[k];
		out->bound = k;
	}
}
