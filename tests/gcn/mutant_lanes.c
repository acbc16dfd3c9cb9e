/* Two waves in parallel: one runs the image, the other the image without a write of exec. After
 * this hole they differ in the active lanes, the *other* lanes. The analysis tracks the
 * differences between their registers. While only the other lanes' parts differ, and no other lane
 * stores, the two waves are indistinguishable. Anything not known is assumed to be wrong. */
#include "mutant_side.h"

#include <stdlib.h>

static uint8_t
worse(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

static uint8_t
join(uint8_t a, uint8_t b)
{
	if (a == b)
		return a;
	if (worse(a, b) == PARK)
		return a == PAST || b == PAST ? PARK : OTHER;
	return worse(a, b) <= PAST ? SAME : worse(a, b);
}

/* Drops the knowledge about an index. */
static uint8_t
plain(uint8_t state)
{
	return state == PARK ? OTHER : state == PAST ? SAME : state;
}

/* -- Registers ------------------------------------------------------------------------------ */

static uint8_t *
first_of(struct pair *p, const struct gcn_range *r, unsigned *n)
{
	*n = r->n;
	switch (r->file) {
	case FILE_S: return &p->s[r->first];
	case FILE_V: return &p->v[r->first];
	case FILE_A: return &p->v[256 + r->first];
	default: return r->first == X_SCC ? &p->s[SCC] : NULL;
	}
}

/* Returns the joint state of the registers: CLEAR only if all are. */
static uint8_t
state_of(struct pair *p, const struct gcn_range *r)
{
	unsigned n;
	const uint8_t *at = first_of(p, r, &n);
	uint8_t state = at ? at[0] : SAME;

	for (unsigned k = 1; at && k < n; k++)
		state = join(state, at[k]);
	return state;
}

void
side_put(struct pair *p, const struct gcn_range *r, uint8_t state)
{
	unsigned n;
	uint8_t *at = first_of(p, r, &n);

	if (at)
		memset(at, state, n);
	if (r->file != FILE_S || r->first + r->n <= GCN_EXEC)
		return;
	/* With a new exec, lanes with another index may become active. */
	for (unsigned k = 0; k < N_VECTOR; k++)
		p->v[k] = plain(p->v[k]);
}

static uint8_t
exec_state(const struct side *d, const struct pair *p)
{
	return d->c->t->wave == 64 ? join(p->s[GCN_EXEC], p->s[GCN_EXEC + 1]) : p->s[GCN_EXEC];
}

/* -- The scalar unit ---------------------------------------------------------------------------- */

static uint8_t
both(uint8_t a, uint8_t b)
{
	if (a != WRONG && b != WRONG && (a == CLEAR || b == CLEAR))
		return CLEAR;
	return join(a, b);
}

/* Returns the result of an operation. Bitwise operations keep the other lanes' part separate; the
 * result of others is the same or wrong. */
static uint8_t
scalar_result(const char *name, uint8_t a, uint8_t b, uint8_t all)
{
	if (begins(name, "s_and_b") || begins(name, "s_and_saveexec"))
		return both(a, b);
	if (begins(name, "s_andn2_b") || begins(name, "s_and_not1_b"))
		return a == CLEAR && b != WRONG ? CLEAR : join(a <= CLEAR ? SAME : a, b <= CLEAR ? SAME : b);
	if (begins(name, "s_mov_b"))
		return all;
	if (begins(name, "s_or_b") || begins(name, "s_xor_b") || begins(name, "s_not_b"))
		return all <= CLEAR ? SAME : all;
	return all <= CLEAR ? SAME : WRONG;
}

static void
scalar(struct side *d, struct pair *p, const struct gcn_insn *in, const struct gcn_effect *fx)
{
	const char *name = gcn_row_name(&gcn_rows[in->row]);
	uint8_t a = SAME, b = SAME, all = SAME, exec = exec_state(d, p);
	bool any = false, saves = strstr(name, "_saveexec") != NULL;

	for (unsigned i = 0; i < fx->n_range; i++) {
		const struct gcn_range *r = &fx->range[i];
		if (!(r->access & (GCN_READ | GCN_KEEP)))
			continue;
		uint8_t state = state_of(p, r);
		all = any ? join(all, state) : state;
		any = true;
		if (r->role == ROLE_SRC0)
			a = state;
		else if (r->role == ROLE_SRC1)
			b = state;
	}
	uint8_t state = saves ? scalar_result(name, a, exec, all) : scalar_result(name, a, b, all);
	if (begins(name, "s_mov_b") && in->field[GCN_F_SSRC0] == MINUS_ONE)
		state = FULL;
	for (unsigned i = 0; i < fx->n_range; i++) {
		const struct gcn_range *r = &fx->range[i];
		if (!(r->access & GCN_WRITE))
			continue;
		if (r->file == FILE_X)
			side_put(p, r, state <= CLEAR ? SAME : WRONG);
		else
			side_put(p, r, saves && !is_exec(r) ? exec : state);
	}
}

/* -- Vectors and memory ---------------------------------------------------------------------------- */

/* Returns the worst state of the operands. A per-lane operand may be OTHER; a scalar one then is
 * WRONG. */
static uint8_t
read_state(struct pair *p, const struct gcn_effect *fx)
{
	uint8_t all = SAME;

	for (unsigned i = 0; i < fx->n_range; i++) {
		const struct gcn_range *r = &fx->range[i];
		uint8_t state = state_of(p, r);
		bool mask = r->role == ROLE_MASK || (r->role == ROLE_IMPLICIT && r->file == FILE_S);
		if (!(r->access & GCN_READ) || (r->role == ROLE_IMPLICIT && is_exec(r)))
			continue;
		state = state <= CLEAR ? SAME : plain(state);
		if (state == OTHER && !mask && (r->file == FILE_S || r->file == FILE_X))
			state = WRONG;
		all = worse(all, state);
	}
	return all;
}

/* Writes the results. Inactive lanes keep their values, unless `whole` and all lanes are
 * active. */
static void
write_lanes(struct side *d, struct pair *p, const struct gcn_effect *fx, uint8_t read, bool clear, bool whole)
{
	uint8_t exec = exec_state(d, p);

	for (unsigned i = 0; i < fx->n_range; i++) {
		const struct gcn_range *r = &fx->range[i];
		uint8_t was = state_of(p, r), is = worse(read, exec <= CLEAR ? SAME : exec);
		if (!(r->access & GCN_WRITE))
			continue;
		if (read == WRONG || exec == WRONG)
			side_put(p, r, WRONG);
		else if (r->file == FILE_S || r->file == FILE_X)
			side_put(p, r, exec == CLEAR || clear ? CLEAR : is);
		else if (exec != CLEAR)
			side_put(p, r, whole && exec == FULL && !(r->access & GCN_KEEP) ? is : worse(is, plain(was)));
	}
}

static bool
crosses(const struct gcn_insn *in, const struct gcn_effect *fx)
{
	const char *name = gcn_row_name(&gcn_rows[in->row]);

	if (fx->class == CL_DS)
		return !(fx->flags & (E(LOAD) | E(STORE)));
	return in->form == GCN_FORM_DPP16 || in->form == GCN_FORM_DPP8 || strstr(name, "lane") ||
	       begins(name, "v_swap");
}

/* Returns whether the result is an index past every end in the other lanes: v_cndmask v, -1, x,
 * mask with a mask that has no other lane. Or the index is one that the hole's mask excludes, past
 * the end of one buffer. */
static bool
parks(const struct side *d, struct pair *p, const struct gcn_insn *in, const struct gcn_effect *fx)
{
	if (d->end.n && begins(gcn_row_name(&gcn_rows[in->row]), "v_mov_b32") && in->form == GCN_FORM_BASE &&
	    in->field[GCN_F_SRC0] == d->index && d->index < GCN_LITERAL)
		return true;
	if (!begins(gcn_row_name(&gcn_rows[in->row]), "v_cndmask_b32") || in->form != GCN_FORM_BASE ||
	    in->field[GCN_F_SRC0] != MINUS_ONE)
		return false;
	for (unsigned i = 0; i < fx->n_range; i++)
		if (fx->range[i].role == ROLE_MASK)
			return state_of(p, &fx->range[i]) == CLEAR;
	return false;
}

static void
vector(struct side *d, struct pair *p, uint32_t line, const struct gcn_effect *fx)
{
	const struct gcn_insn *in = &d->c->f.line[line].insn;
	uint8_t read = read_state(p, fx), exec = exec_state(d, p);

	if (crosses(in, fx) && (read != SAME || exec > CLEAR))
		read = WRONG;
	bool park = parks(d, p, in, fx) && read != WRONG && exec != CLEAR;
	write_lanes(d, p, fx, read, fx->class == CL_VALU && side_fails(d, p, line),
		    in->form == GCN_FORM_BASE && !crosses(in, fx));
	for (unsigned i = 0; i < fx->n_range && park; i++)
		if (fx->range[i].access & GCN_WRITE)
			side_put(p, &fx->range[i], PARK);
}

/* Returns whether the other lanes' stores go past the end of a buffer, which drops them. */
static bool
is_parked(const struct side *d, struct pair *p, const struct gcn_insn *in, const struct gcn_effect *fx)
{
	uint8_t address = OTHER;

	if (!gcn_is_buffer(gcn_rows[in->row].format) || !in->field[GCN_F_IDXEN])
		return false;
	for (unsigned i = 0; i < fx->n_range; i++) {
		const struct gcn_range *r = &fx->range[i];
		if (r->role == ROLE_ADDR)
			address = r->n == 1 ? state_of(p, r) : OTHER;
		else if (r->role == ROLE_BASE && d->end.n && r->first + 2 != d->end.first)
			return false;
		else if ((r->access & GCN_READ) && state_of(p, r) == WRONG)
			return false;
		else if (r->file == FILE_S && !is_exec(r) && state_of(p, r) > CLEAR)
			return false;
	}
	return address == PARK || address == PAST;
}

static void
memory(struct side *d, struct pair *p, uint32_t line, const struct gcn_effect *fx)
{
	const struct gcn_insn *in = &d->c->f.line[line].insn;
	bool reports = (fx->flags & (E(STORE) | E(ATOMIC) | E(LDS_DMA))) && !(fx->flags & E(CACHE));
	uint8_t read = read_state(p, fx), exec = exec_state(d, p);

	if (reports && exec != CLEAR && (exec > FULL || read != SAME) && !is_parked(d, p, in, fx))
		d->bad = true;
	d->bad |= reports && (read == WRONG || exec == WRONG) && !is_parked(d, p, in, fx);
	vector(d, p, line, fx);
}

/* -- Lines ------------------------------------------------------------------------------------------ */

/* Returns whether the line is s_cbranch_execz forwards over lines that are reached only from here
 * and that contain no barrier. Then one wave may skip them while the other runs them with
 * other lanes only. */
static bool
is_skip(const struct mutant_code *c, uint32_t line)
{
	uint32_t end = c->f.line[line].target;
	struct gcn_effect fx;

	if (!begins(gcn_row_name(&gcn_rows[c->f.line[line].insn.row]), "s_cbranch_execz") || end == GCN_NOWHERE ||
	    end <= line)
		return false;
	for (uint32_t k = 0; k < c->f.n_line; k++) {
		uint32_t to = c->f.line[k].target;
		bool within = k > line && k < end;
		gcn_effect_of(c->t, &c->f.line[k].insn, &fx);
		if (within && (fx.class == CL_BARRIER || fx.class == CL_END))
			return false;
		if (to != GCN_NOWHERE && (within ? to <= k || to > end : k != line && to > line && to < end))
			return false;
	}
	return true;
}

/* Marks the registers that the skipped lines write: only one wave has the new values. */
static void
skip(const struct side *d, uint32_t line, struct pair *p)
{
	struct gcn_effect fx;

	for (uint32_t k = line + 1; k < d->c->f.line[line].target; k++) {
		gcn_effect_of(d->c->t, &d->c->f.line[k].insn, &fx);
		for (unsigned i = 0; i < fx.n_range; i++) {
			const struct gcn_range *w = &fx.range[i];
			if (w->access & GCN_WRITE)
				side_put(p, w, w->file == FILE_V || w->file == FILE_A ? OTHER : WRONG);
		}
	}
	p->anew = true;
}

/* Advances the pair from before the line to after it. */
static void
step(struct side *d, struct pair *p, uint32_t line)
{
	const struct gcn_insn *in = &d->c->f.line[line].insn;
	struct gcn_effect fx;

	gcn_effect_of(d->c->t, in, &fx);
	d->bad |= d->end.n && side_writes(d->c, line, &d->end);
	p->anew |= d->made != GCN_NOWHERE && side_writes_source(d->c, line, d->made);
	switch (fx.class) {
	case CL_WAIT:
	case CL_HINT:
	case CL_BARRIER:
	case CL_MESSAGE:
	case CL_END: return;
	case CL_BRANCH:
		if (exec_state(d, p) == OTHER && is_skip(d->c, line))
			return;
		for (unsigned i = 0; i < fx.n_range; i++)
			d->bad |= state_of(p, &fx.range[i]) > CLEAR;
		return;
	case CL_SALU: scalar(d, p, in, &fx); return;
	case CL_SMEM:
		d->bad |= read_state(p, &fx) != SAME || (fx.flags & (E(STORE) | E(ATOMIC)));
		for (unsigned i = 0; i < fx.n_range; i++)
			if (fx.range[i].access & GCN_WRITE)
				side_put(p, &fx.range[i], SAME);
		return;
	case CL_VALU: vector(d, p, line, &fx); return;
	case CL_VMEM:
	case CL_DS: memory(d, p, line, &fx); return;
	default: d->bad = true; return;
	}
}

/* Joins the states. Returns true if that adds differences. */
static bool
merge(struct pair *into, const struct pair *from)
{
	struct pair was = *into;

	if (!into->seen)
		*into = *from;
	else
		for (unsigned k = 0; k < N_SCALAR + N_VECTOR; k++) {
			uint8_t *a = k < N_SCALAR ? &into->s[k] : &into->v[k - N_SCALAR];
			*a = join(*a, k < N_SCALAR ? from->s[k] : from->v[k - N_SCALAR]);
		}
	into->seen = true;
	into->anew |= from->anew;
	return memcmp(&was, into, sizeof was) != 0;
}

static bool
differs(const struct pair *p)
{
	for (unsigned k = 0; k < N_SCALAR; k++)
		if (p->s[k] > CLEAR)
			return true;
	for (unsigned k = 0; k < N_VECTOR; k++)
		if (plain(p->v[k]) != SAME)
			return true;
	return false;
}

/* Enters a line. At the hole the waves must be equal again, which restores the initial state. */
static bool
flow_to(struct side *d, uint32_t line, const struct pair *p)
{
	if (line != d->hole)
		return merge(&d->at[line], p);
	d->bad |= differs(p);
	return false;
}

static bool
flow_from(struct side *d, uint32_t line, const struct pair *p)
{
	const struct gcn_block *b = &d->c->f.block[d->c->f.line[line].block];
	bool again = false;

	if (line + 1 < b->first + b->n_line)
		return flow_to(d, line + 1, p);
	for (uint32_t k = 0; k < b->n_succ; k++) {
		uint32_t to = d->c->f.block[d->c->f.edge[b->succ + k]].first;
		struct pair skipped = *p;
		if (to != line + 1 && exec_state(d, p) == OTHER && is_skip(d->c, line))
			skip(d, line, &skipped);
		again |= flow_to(d, to, &skipped);
	}
	return again;
}

/* -- The whole ------------------------------------------------------------------------------------------ */

bool
mutant_lanes_prove(const struct mutant_code *c, uint32_t line)
{
	struct side d = { .c = c, .hole = line, .made = GCN_NOWHERE, .at = calloc(c->f.n_line, sizeof *d.at) };
	bool again = d.at != NULL;
	struct pair p;

	d.bad = !d.at;
	if (d.at) {
		side_begin(&d, &p);
		flow_from(&d, line, &p);
	}
	while (again && !d.bad) {
		again = false;
		for (uint32_t k = 0; k < c->f.n_line && !d.bad; k++) {
			if (!d.at[k].seen)
				continue;
			p = d.at[k];
			step(&d, &p, k);
			again |= flow_from(&d, k, &p);
		}
	}
	free(d.at);
	return !d.bad;
}
