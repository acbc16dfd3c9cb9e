/* Loads and stores. */
#include "interp.h"

static QD_COLD void
out_of_bounds(struct wave *w, uint32_t at, uint32_t lane, uint32_t index)
{
	const struct run *r = w->run;
	const struct ins *i = &r->ir->ins[at];
	const char *name = r->image->kernel->mems[i->x].name;
	bool loads = op_info[i->op].effect == EFFECT_READ;
	const char *what = loads ? "load of" : "store to";
	unsigned long long n = r->params[i->x].elements;

	if (!(i->attr & ATTR_GUARD))
		interp_report(w, REPORT_FINDING, at, lane,
			      "%s %s[%u] is out of bounds: %s has %llu elements, and the kernel "
			      "has no guards",
			      what, name, index, name, n);
	else if (interp_counts(w, lane) && !(loads && i->b))
		interp_report(w, REPORT_REMARK, at, lane,
			      "%s %s[%u] is out of bounds: %s has %llu elements; it %s", what, name,
			      index, name, n, loads ? "gives 0" : "does nothing");
}

/* Elements are whole: a kernel that runs in another stream meanwhile sees one value
 * or the other. */
static uint64_t
read_element(const uint8_t *p, uint32_t size)
{
	const void *at = p;

	switch (size) {
	case 1: return QD_SHARED_LOAD(uint8_t, at);
	case 2: return QD_SHARED_LOAD(uint16_t, at);
	case 4: return QD_SHARED_LOAD(uint32_t, at);
	default: return QD_SHARED_LOAD(uint64_t, at);
	}
}

static void
write_element(uint8_t *p, uint32_t size, uint64_t bits)
{
	void *at = p;

	switch (size) {
	case 1: QD_SHARED_STORE(uint8_t, at, (uint8_t)bits); break;
	case 2: QD_SHARED_STORE(uint16_t, at, (uint16_t)bits); break;
	case 4: QD_SHARED_STORE(uint32_t, at, (uint32_t)bits); break;
	default: QD_SHARED_STORE(uint64_t, at, bits); break;
	}
}

/* The lanes that make this access, by predicate c. */
static struct mask
accessing(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];
	struct mask lanes = w->active;

	if (i->c) {
		interp_use(w, at, i->c, lanes, "the condition");
		lanes = wave_where(w, i->c);
	}
	interp_use(w, at, i->a, lanes, "the index");
	return lanes;
}

void
interp_load(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];
	const struct bound_param *p = &w->run->params[i->x];
	qd_type type = w->run->image->kernel->mems[i->x].type;
	bool widens = type_info[type].wide != type;
	const uint64_t *index = wave_row(w, i->a);
	const uint64_t *other = i->b ? wave_row(w, i->b) : NULL;
	uint64_t *r = wave_row(w, at);
	struct mask lanes = accessing(w, at), loaded = { { 0, 0 } };

	for (uint32_t l = 0; l < w->n_threads; l++) {
		uint32_t n = (uint32_t)index[l];

		r[l] = other ? other[l] : 0;
		if (!mask_has(&lanes, l))
			continue;
		if (QD_UNLIKELY(n >= p->elements)) {
			out_of_bounds(w, at, l, n);
			continue;
		}
		mask_add(&loaded, l);
		r[l] = read_element(p->mem + (size_t)n * p->size, p->size);
		if (widens)
			r[l] = ir_widen(type, r[l]);
		if (p->cells)
			interp_touch(w, at, l, n, false);
	}
	if (QD_UNLIKELY(w->any_undefined) && w->run->fn->mark[at]) {
		w->undefined[w->run->fn->mark[at]] = (struct mask){ { 0, 0 } };
		interp_carry(w, at, i->b, mask_less(w->active, loaded));
	}
}

void
interp_store(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];
	const struct bound_param *p = &w->run->params[i->x];
	qd_type type = w->run->image->kernel->mems[i->x].type;
	bool narrows = type_info[type].wide != type;
	const uint64_t *index = wave_row(w, i->a);
	const uint64_t *v = wave_row(w, i->b);
	struct mask lanes = accessing(w, at), stored = { { 0, 0 } };

	for (uint32_t l = 0; l < w->n_threads; l++) {
		uint32_t n = (uint32_t)index[l];

		if (!mask_has(&lanes, l))
			continue;
		if (QD_UNLIKELY(n >= p->elements)) {
			out_of_bounds(w, at, l, n);
			continue;
		}
		mask_add(&stored, l);
		write_element(p->mem + (size_t)n * p->size, p->size,
			      narrows ? ir_narrow(type, v[l]) : v[l]);
		if (p->cells)
			interp_touch(w, at, l, n, true);
	}
	interp_use(w, at, i->b, stored, "the value stored");
}
