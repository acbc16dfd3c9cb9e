/* Loads, stores and atomics. */
#include "interp.h"

static QD_COLD void
out_of_bounds(struct wave *w, uint32_t at, uint32_t lane, uint32_t index)
{
	const struct run *r = w->run;
	const struct ins *i = &r->ir->ins[at];
	const char *name = r->image->kernel->mems[i->x].name;
	const struct memory *m = &r->image->kernel->mems[i->x];
	bool loads = !op_writes((enum op)i->op), atomic = op_info[i->op].effect == EFFECT_ATOMIC;
	const char *what = atomic ? "atomic on" : loads ? "load of" : "store to";
	unsigned long long n = r->params[i->x].elements;

	if (m->space == SPACE_SHARED)
		interp_report(w, REPORT_FINDING, at, lane,
			      "%s %s[%u] is out of bounds: %s has %llu elements, and a shared array "
			      "has no guards",
			      what, name, index, name, n);
	else if (!(i->attr & ATTR_GUARD))
		interp_report(w, REPORT_FINDING, at, lane,
			      "%s %s[%u] is out of bounds: %s has %llu elements, and the kernel "
			      "has no guards",
			      what, name, index, name, n);
	else if (interp_counts(w, lane) && !(i->op == OP_LOAD && i->b))
		interp_report(w, REPORT_REMARK, at, lane,
			      "%s %s[%u] is out of bounds: %s has %llu elements; it %s", what, name,
			      index, name, n, loads ? "gives 0" : "does nothing");
}

uint64_t
interp_read_element(const uint8_t *p, uint32_t size)
{
	const void *at = p;

	switch (size) {
	case 1: return QD_SHARED_LOAD(uint8_t, at);
	case 2: return QD_SHARED_LOAD(uint16_t, at);
	case 4: return QD_SHARED_LOAD(uint32_t, at);
	default: return QD_SHARED_LOAD(uint64_t, at);
	}
}

void
interp_write_element(uint8_t *p, uint32_t size, uint64_t bits)
{
	void *at = p;

	switch (size) {
	case 1: QD_SHARED_STORE(uint8_t, at, (uint8_t)bits); break;
	case 2: QD_SHARED_STORE(uint16_t, at, (uint16_t)bits); break;
	case 4: QD_SHARED_STORE(uint32_t, at, (uint32_t)bits); break;
	default: QD_SHARED_STORE(uint64_t, at, bits); break;
	}
}

struct mask
interp_accessing(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];
	uint32_t condition = i->arg[op_sig((enum op)i->op)->where];
	struct mask lanes = w->active;

	if (condition) {
		interp_use(w, at, condition, lanes, "the condition");
		lanes = wave_where(w, condition);
	}
	interp_use(w, at, i->a, lanes, "the index");
	return lanes;
}

/* Returns true if lane may access element n; otherwise reports why and the lane skips the access.
 * An element that is read must have been written. */
static bool
holds(struct wave *w, uint32_t at, uint32_t lane, uint32_t n, bool reads)
{
	const struct run *r = w->run;
	const struct ins *i = &r->ir->ins[at];
	const struct bound_param *p = &r->params[i->x];
	const char *name = r->image->kernel->mems[i->x].name;

	if (QD_UNLIKELY(n >= p->elements)) {
		out_of_bounds(w, at, lane, n);
		return false;
	}
	if (QD_LIKELY(!p->known || p->known[n] == ELEMENT_KNOWN ||
		      (!reads && p->known[n] == ELEMENT_EMPTY)))
		return true;
	if (p->known[n] == ELEMENT_COMES) {
		interp_not_there(w, at, lane, i->x, n);
		return false;
	}
	interp_report(w, REPORT_FINDING, at, lane,
		      "%s[%u] is uninitialized: no thread of the block has written it; store to it "
		      "first, with block.sync() in between",
		      name, n);
	return false;
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
	struct mask lanes = interp_accessing(w, at), loaded = { { 0, 0 } };

	for (uint32_t l = 0; l < w->n_threads; l++) {
		uint32_t n = (uint32_t)index[l];

		r[l] = other ? other[l] : 0;
		if (!mask_has(&lanes, l) || !holds(w, at, l, n, true))
			continue;
		mask_add(&loaded, l);
		r[l] = interp_read_element(p->mem + (size_t)n * p->size, p->size);
		if (widens)
			r[l] = ir_widen(type, r[l]);
		if (p->cells)
			interp_touch(w, at, l, n, TOUCH_READ);
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
	struct mask lanes = interp_accessing(w, at), stored = { { 0, 0 } };

	for (uint32_t l = 0; l < w->n_threads; l++) {
		uint32_t n = (uint32_t)index[l];

		if (!mask_has(&lanes, l) || !holds(w, at, l, n, false))
			continue;
		mask_add(&stored, l);
		interp_write_element(p->mem + (size_t)n * p->size, p->size,
			      narrows ? ir_narrow(type, v[l]) : v[l]);
		if (p->known)
			p->known[n] = ELEMENT_KNOWN;
		if (p->cells)
			interp_touch(w, at, l, n, TOUCH_WRITE);
	}
	interp_use(w, at, i->b, stored, "the value stored");
}

/* -- Atomics ------------------------------------------------------------------------- */

/* Computes the new value of an element that holds `old`; returns false if the element does not
 * change. */
static bool
becomes(const struct ins *i, qd_type type, uint64_t old, uint64_t b, uint64_t c, uint64_t *to)
{
	enum op combine = (enum op)op_info[i->op].combine;

	if (combine)
		*to = ir_eval(combine, type, type, old, b, 0);
	else
		*to = i->op == OP_ATOMIC_CAS ? c : b;
	return op_writes((enum op)i->op) && (i->op != OP_ATOMIC_CAS || old == b);
}

/* Atomic with respect to kernels of other streams too. */
#define EXCHANGE(type_of, at, old, now, write)                                                     \
	do {                                                                                       \
		type_of was = __atomic_load_n((type_of *)(void *)(at), __ATOMIC_SEQ_CST);          \
		do {                                                                               \
			(old) = was;                                                               \
			(write) = becomes(i, type, (old), b, c, &(now));                           \
		} while ((write) && !__atomic_compare_exchange_n((type_of *)(void *)(at), &was,    \
								 (type_of)(now), false,           \
								 __ATOMIC_SEQ_CST,                 \
								 __ATOMIC_SEQ_CST));               \
	} while (0)

static uint64_t
exchange(const struct ins *i, qd_type type, uint8_t *at, uint64_t b, uint64_t c, bool *write)
{
	uint64_t old, now;

	if (type_info[type].size == 4)
		EXCHANGE(uint32_t, at, old, now, *write);
	else
		EXCHANGE(uint64_t, at, old, now, *write);
	return old;
}

/* The lanes update memory one after the other. */
void
interp_atomic(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];
	const struct sig_info *sig = op_sig((enum op)i->op);
	const struct bound_param *p = &w->run->params[i->x];
	qd_type type = w->run->image->kernel->mems[i->x].type;
	const uint64_t *index = wave_row(w, i->a);
	uint32_t value = sig->opnd[1] == OPND_ELEM ? i->b : 0;
	uint32_t other = sig->opnd[2] == OPND_ELEM ? i->c : 0;
	const uint64_t *b = value ? wave_row(w, value) : NULL, *c = other ? wave_row(w, other) : NULL;
	uint64_t *r = sig->n_results ? wave_row(w, at) : NULL;
	struct mask lanes = interp_accessing(w, at), done = { { 0, 0 } };
	enum mem_order order = ir_order(i);

	if (order == MEM_RELEASE || order == MEM_ACQ_REL)
		interp_release(w, ir_scope(i));
	for (uint32_t l = 0; l < w->n_threads; l++) {
		uint32_t n = (uint32_t)index[l];
		uint64_t old;
		bool write;

		if (r)
			r[l] = 0;
		if (!mask_has(&lanes, l) || !holds(w, at, l, n, sig->n_results != 0))
			continue;
		mask_add(&done, l);
		old = exchange(i, type, p->mem + (size_t)n * p->size, b ? b[l] : 0, c ? c[l] : 0,
			       &write);
		if (r)
			r[l] = old;
		if (p->known && write)
			p->known[n] = ELEMENT_KNOWN;
		if (p->cells)
			interp_touch(w, at, l, n, TOUCH_ATOMIC | (write ? TOUCH_WRITE : TOUCH_READ));
	}
	if (value)
		interp_use(w, at, value, done, "the operand");
	if (other)
		interp_use(w, at, other, done, "the value stored");
	if (order == MEM_ACQUIRE || order == MEM_ACQ_REL)
		interp_acquire(w, ir_scope(i));
}
