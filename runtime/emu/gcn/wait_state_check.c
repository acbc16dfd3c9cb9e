/* Checks the rules of states.def along the path of a wave. For each rule and register, a stamp
 * records the last earlier instruction and the counters at that point. */
#include "wave.h"

enum { N_SCALAR_SLOT = SLOT_VECTOR };

struct stamp {
	uint32_t seq; /* of the instruction */
	uint32_t passed,
		more; /* count of the rule's unit; of TRANS or changes of exec */
	uint32_t at;  /* its index in the list */
};
/* State of one rule. Earlier instructions with a number up to `safe`, or up to `over` of their
 * register, are safe. A FIRST with a number up to `forgotten` does not count. */
struct track {
	const struct state_rule *rule;
	uint32_t safe, forgotten;
	struct stamp *slot;
	uint32_t first[N_SCALAR_SLOT], over[N_SCALAR_SLOT];
};
struct count {
	const struct amd_code *code;
	uint32_t seq, states, valu, trans, salu_run, exec;
	unsigned n;
	struct track track[];
};

static bool
has_vectors(const struct state_rule *r)
{
	return r->unit == UNIT_VALU_AROUND_EXEC ||
	       (r->later.regs > REGS_NO_REG && r->later.regs <= REGS_R_DATA);
}

static size_t
n_slots(const struct state_rule *r)
{
	return has_vectors(r) ? N_SLOT : N_SCALAR_SLOT;
}

size_t
amd_count_size(const struct amd_code *c)
{
	const struct state_rules *s = &c->rules;
	size_t size = sizeof(struct count) + s->n * sizeof(struct track);

	for (unsigned k = 0; k < s->n; k++)
		size += n_slots(s->rule[k]) * sizeof(struct stamp);
	return size;
}

struct count *
amd_count_at(const struct amd_code *c, void *mem)
{
	const struct state_rules *s = &c->rules;
	size_t at = sizeof(struct count) + s->n * sizeof(struct track);
	struct count *n = mem;

	memset(n, 0, amd_count_size(c));
	n->code = c;
	n->n = s->n;
	for (unsigned k = 0; k < s->n; k++) {
		n->track[k].rule = s->rule[k];
		n->track[k].slot = (struct stamp *)((char *)n + at);
		at += n_slots(s->rule[k]) * sizeof(struct stamp);
	}
	return n;
}

void
amd_count_begin(struct count *n)
{
	for (unsigned k = 0; k < n->n; k++)
		n->track[k].safe = n->track[k].forgotten = n->seq;
}

static uint32_t
passed(const struct count *n, unsigned unit)
{
	switch (unit) {
	case UNIT_STATES: return n->states;
	case UNIT_SALU_RUN: return n->salu_run;
	default: return n->valu;
	}
}

/* -- The later instruction ----------------------------------------------------------------- */

/* Returns the last of these slots that is not safe, or NULL. */
static const struct stamp *
last_of(const struct track *t, unsigned slot, unsigned n)
{
	const struct stamp *last = NULL;
	uint32_t safe = t->safe;

	for (unsigned k = slot; k < slot + n && k < N_SCALAR_SLOT; k++)
		safe = t->over[k] > safe ? t->over[k] : safe;
	for (unsigned k = slot; k < slot + n; k++)
		if (t->slot[k].seq > safe && (!last || t->slot[k].seq > last->seq))
			last = &t->slot[k];
	return last;
}

static bool
too_near(const struct count *n, const struct state_rule *r, const struct stamp *s)
{
	if (r->need == FOREVER)
		return true;
	if (r->unit == UNIT_VALU_OF_TRANS && n->trans - s->more > 1)
		return false;
	return passed(n, r->unit) - s->passed < r->need;
}

/* Returns the last earlier instruction of any register if it is too near. */
static const struct stamp *
find_near(const struct count *n, const struct track *t, const struct insn *i)
{
	const struct stamp *near = NULL;
	unsigned len, step;

	if (!t->rule->later.regs)
		near = last_of(t, SLOT_ANY, 1);
	for (unsigned k = 0; t->rule->later.regs && k < i->fx.n_range; k++) {
		const struct gcn_range *u = &i->fx.range[k];
		unsigned slot = amd_slots(u, t->rule->later.regs, &len);
		/* both halves of vcc become safe together */
		step = u->file == FILE_S && u->first == GCN_VCC ? len : 1;
		for (unsigned j = 0; j < len; j += step) {
			const struct stamp *s = last_of(t, slot + j, step);
			if (s && (!near || s->seq > near->seq))
				near = s;
		}
	}
	return near && too_near(n, t->rule, near) ? near : NULL;
}

/* Finds two operands, one written before and one after SALU changed exec. They are too near with
 * at most 2 other VALU instructions between the two writes and 4 after them. */
static const struct stamp *
find_around(const struct count *n, const struct track *t, const struct insn *i)
{
	for (unsigned x = 0; x < i->fx.n_range; x++) {
		unsigned n_old, n_new, slot = amd_slots(&i->fx.range[x], REGS_R_VECTOR, &n_old);
		const struct stamp *older = last_of(t, slot, n_old);
		for (unsigned y = 0; older && y < i->fx.n_range; y++) {
			unsigned other = amd_slots(&i->fx.range[y], REGS_R_VECTOR, &n_new);
			const struct stamp *newer = last_of(t, other, n_new);
			if (newer && newer->seq > older->seq && newer->more != older->more &&
			    newer->passed - older->passed <= 3 &&
			    n->valu - newer->passed < t->rule->need)
				return newer;
		}
	}
	return NULL;
}

static bool
breaks(const struct count *n, const struct track *t, const struct insn *i, struct breach *b)
{
	const struct state_rule *r = t->rule;
	const struct stamp *s;

	*b = (struct breach){ .rule = r };
	if (!r->earlier.kind)
		return true;
	s = r->unit == UNIT_VALU_AROUND_EXEC ? find_around(n, t, i) : find_near(n, t, i);
	if (!s)
		return false;
	b->earlier = &n->code->insns[s->at];
	b->between = passed(n, r->unit) - s->passed;
	return true;
}

/* -- History ---------------------------------------------------------------------------------- */

/* Returns the index in `first` of a scalar slot. */
static unsigned
noted_at(unsigned shape, unsigned slot)
{
	return shape == SHAPE_SAME ? slot : shape == SHAPE_ANY ? SLOT_ANY : slot >> 1;
}

static bool
is_after_first(const struct track *t, const struct insn *i, unsigned regs)
{
	const struct state_rule *r = t->rule;
	unsigned len;

	if (r->first.shape == SHAPE_ANY)
		return t->first[SLOT_ANY] > t->forgotten;
	for (unsigned k = 0; k < i->fx.n_range; k++) {
		unsigned slot = amd_slots(&i->fx.range[k], regs, &len);
		for (unsigned j = 0; j < len; j++)
			if (t->first[noted_at(r->first.shape, slot + j)] > t->forgotten)
				return true;
	}
	return false;
}

/* Sets the registers' entries in `first` or `over`. */
static void
note(uint32_t *at, unsigned shape, const struct insn *i, unsigned regs, uint32_t seq)
{
	unsigned len;

	if (!regs)
		at[SLOT_ANY] = seq;
	for (unsigned k = 0; regs && k < i->fx.n_range; k++) {
		unsigned slot = amd_slots(&i->fx.range[k], regs, &len);
		for (unsigned j = 0; j < len; j++)
			at[noted_at(shape, slot + j)] = seq;
	}
}

static void
stamp(const struct count *n, struct track *t, const struct insn *i)
{
	const struct state_rule *r = t->rule;
	struct stamp s = { n->seq, passed(n, r->unit),
			   r->unit == UNIT_VALU_AROUND_EXEC ? n->exec : n->trans,
			   (uint32_t)(i - n->code->insns) };
	unsigned len;

	if (!r->later.regs)
		t->slot[SLOT_ANY] = s;
	for (unsigned k = 0; r->later.regs && k < i->fx.n_range; k++) {
		unsigned slot = amd_slots(&i->fx.range[k], r->earlier.regs, &len);
		for (unsigned j = 0; j < len; j++)
			t->slot[slot + j] = s;
	}
}

static void
leave(struct count *n, struct track *t, const struct insn *i, uint32_t bit)
{
	const struct state_rule *r = t->rule;
	const struct state_bits *is = &i->is;
	bool first = is->first & bit;

	if (is->resolves & bit)
		t->safe = n->seq - 1;
	if ((is->over & bit) && r->over.shape == SHAPE_SAME)
		note(t->over, SHAPE_SAME, i, r->over.regs, n->seq - 1);
	else if ((is->over & bit) && is_after_first(t, i, r->over.regs))
		t->safe = n->seq - 1;
	if (is->forgets & bit)
		t->forgotten = n->seq - 1;
	if (first && r->first.shape == SHAPE_PAIR_AT)
		note(t->first, r->first.shape, i, r->first.regs, n->seq);
	if ((is->earlier & bit) && (!r->first.kind || is_after_first(t, i, r->earlier.regs)))
		stamp(n, t, i);
	if (is->overwrites & bit)
		note(t->first, SHAPE_SAME, i, r->first.overwritten.regs, 0);
	if (first)
		note(t->first, r->first.shape, i, r->first.regs, n->seq);
}

unsigned
amd_count_pass(struct count *n, const struct insn *i,
	       void (*broken)(void *user, const struct insn *i, const struct breach *b), void *user)
{
	const struct state_bits *is = &i->is;
	uint32_t bits =
		is->first | is->forgets | is->overwrites | is->earlier | is->resolves | is->over;
	unsigned n_broken = 0;
	struct breach b;

	for (uint32_t later = is->later; later; later &= later - 1) {
		if (!breaks(n, &n->track[__builtin_ctz(later)], i, &b))
			continue;
		n_broken++;
		broken(user, i, &b);
	}
	n->seq++;
	n->states += is->states;
	n->valu += is->valu;
	n->trans += is->trans;
	n->salu_run += is->salu_run;
	n->exec += is->exec_by_salu;
	for (; bits; bits &= bits - 1)
		leave(n, &n->track[__builtin_ctz(bits)], i, bits & -bits);
	return n_broken;
}

/* -- A given path ------------------------------------------------------------------- */

struct along {
	void (*found)(void *user, const struct amd_breach *b);
	void *user;
};

static void
record(void *user, const struct insn *i, const struct breach *b)
{
	const struct along *a = user;
	struct amd_breach out = { .rule = b->rule->name, .later = i->at, .earlier = i->at };

	if (b->earlier)
		out.earlier = b->earlier->at;
	if (b->earlier && b->rule->unit == UNIT_STATES && b->rule->need != FOREVER)
		out.missing = b->rule->need - b->between;
	a->found(a->user, &out);
}

qd_status
amd_states_along(struct pool *pool, const struct amd_code *c, const uint32_t *words, size_t n,
		 void (*found)(void *user, const struct amd_breach *b), void *user,
		 struct qd_error *err)
{
	void *mem = pool_new(pool, amd_count_size(c));
	struct count *count = mem ? amd_count_at(c, mem) : NULL;
	struct along a = { found, user };

	if (!count)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	for (size_t k = 0; k < n; k++) {
		uint32_t place = words[k] < c->n_words ? c->place[words[k]] : NOWHERE;
		if (place != NOWHERE && c->insns[place].decoded)
			amd_count_pass(count, &c->insns[place], record, &a);
	}
	pool_delete(pool, count);
	return QD_OK;
}
