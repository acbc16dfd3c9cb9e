/* Two waves side by side: one runs the image, the other the image without a write of exec.  Behind
 * the hole they differ in the lanes that run, the *other* lanes; this follows what of registers
 * differs by it.  While what differs is of the other lanes alone, and none of these stores, nobody
 * can tell the two waves apart.  What is not known to be so is taken to be wrong. */
#include "mutant.h"

#include <stdlib.h>

#include "table.h"

/* What a register of the one wave is to that of the other. */
enum {
	SAME,
	FULL,  /* the same, and a mask of all lanes */
	CLEAR, /* the same, and a mask in which no other lane is */
	PAST,  /* the same, and in other lanes an index that is past the end (of one buffer) */
	PARK,  /* other lanes that run have an index past every end; else the same */
	OTHER, /* the same but for other lanes' part */
	WRONG
};

enum { SCC = 128, N_SCALAR = 129, N_VECTOR = 512, MINUS_ONE = 193 };

struct pair {
	bool seen;
	bool anew; /* what the hole's mask was compared of has been written since */
	uint8_t s[N_SCALAR], v[N_VECTOR];
};

struct side {
	const struct mutant_code *c;
	uint32_t hole;
	/* In other lanes the index, a constant or a vector register, is not below the scalar
	 * register end, unless that is 0. */
	uint32_t index;
	struct gcn_range end;
	uint32_t made; /* the line that compared the hole's mask, or GCN_NOWHERE */
	struct pair *at; /* before each line */
	bool bad;
};

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

/* Without what is known of an index. */
static uint8_t
plain(uint8_t state)
{
	return state == PARK ? OTHER : state == PAST ? SAME : state;
}

static bool
begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
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

/* CLEAR only if all of them are. */
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

static void
put_state(struct pair *p, const struct gcn_range *r, uint8_t state)
{
	unsigned n;
	uint8_t *at = first_of(p, r, &n);

	if (at)
		memset(at, state, n);
	if (r->file != FILE_S || r->first + r->n <= GCN_EXEC)
		return;
	/* Others may run from here on, who have another index. */
	for (unsigned k = 0; k < N_VECTOR; k++)
		p->v[k] = plain(p->v[k]);
}

static uint8_t
exec_state(const struct side *d, const struct pair *p)
{
	return d->c->t->wave == 64 ? join(p->s[GCN_EXEC], p->s[GCN_EXEC + 1]) : p->s[GCN_EXEC];
}

static bool
is_exec(const struct gcn_range *r)
{
	return r->file == FILE_S && r->first >= GCN_EXEC;
}

/* -- The scalar unit ---------------------------------------------------------------------------- */

static uint8_t
both(uint8_t a, uint8_t b)
{
	if (a != WRONG && b != WRONG && (a == CLEAR || b == CLEAR))
		return CLEAR;
	return join(a, b);
}

/* Of what is done bit by bit; others' results are the same or wrong. */
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
	const char *name = gcn_rows[in->row].name;
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
			put_state(p, r, state <= CLEAR ? SAME : WRONG);
		else
			put_state(p, r, saves && !is_exec(r) ? exec : state);
	}
}

/* -- Vectors and memory ---------------------------------------------------------------------------- */

/* What is read for a lane of its own, and what for all. */
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

/* Lanes that do not run keep what they had; `whole`: there is none, where all run. */
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
			put_state(p, r, WRONG);
		else if (r->file == FILE_S || r->file == FILE_X)
			put_state(p, r, exec == CLEAR || clear ? CLEAR : is);
		else if (exec != CLEAR)
			put_state(p, r, whole && exec == FULL && !(r->access & GCN_KEEP) ? is : worse(is, plain(was)));
	}
}

static bool
writes(const struct mutant_code *c, uint32_t line, const struct gcn_range *what)
{
	struct gcn_effect fx;

	gcn_effect_of(c->t, &c->f.line[line].insn, &fx);
	for (unsigned i = 0; i < fx.n_range; i++)
		if ((fx.range[i].access & GCN_WRITE) && gcn_overlap(&fx.range[i], what))
			return true;
	return false;
}

/* "_eq_u32" of v_cmp and v_cmpx in both encodings; its length in *n. */
static const char *
compare_name(const struct gcn_insn *in, size_t *n)
{
	const char *name = gcn_rows[in->row].name, *at = strchr(name + 2, '_');
	const char *end = strstr(name, "_e32") ? strstr(name, "_e32") : strstr(name, "_e64");

	*n = strlen(at ? at : name) - (end ? strlen(end) : 0);
	return at ? at : name;
}

static bool
compares_alike(const struct gcn_insn *a, const struct gcn_insn *b)
{
	size_t n, m;
	const char *x = compare_name(a, &n), *y = compare_name(b, &m);

	return n == m && !strncmp(x, y, n);
}

/* Both sources, numbered as those of the longer form are. */
static void
compared(const struct gcn_insn *in, uint32_t *a, uint32_t *b)
{
	*a = in->field[GCN_F_SRC0];
	*b = gcn_rows[in->row].format == GCN_VOPC ? 256 + in->field[GCN_F_VSRC1] : in->field[GCN_F_SRC1];
}

static bool
crosses(const struct gcn_insn *in, const struct gcn_effect *fx)
{
	const char *name = gcn_rows[in->row].name;

	if (fx->class == CL_DS)
		return !(fx->flags & (E(LOAD) | E(STORE)));
	return in->form == GCN_FORM_DPP16 || in->form == GCN_FORM_DPP8 || strstr(name, "lane") ||
	       begins(name, "v_swap");
}

/* An index that is past every end, where a mask has no other lane: v_cndmask v, -1, x, mask.  Or one
 * that the hole's mask has as past the end of one buffer. */
static bool
parks(const struct side *d, struct pair *p, const struct gcn_insn *in, const struct gcn_effect *fx)
{
	if (d->end.n && begins(gcn_rows[in->row].name, "v_mov_b32") && in->form == GCN_FORM_BASE &&
	    in->field[GCN_F_SRC0] == d->index && d->index < GCN_LITERAL)
		return true;
	if (!begins(gcn_rows[in->row].name, "v_cndmask_b32") || in->form != GCN_FORM_BASE ||
	    in->field[GCN_F_SRC0] != MINUS_ONE)
		return false;
	for (unsigned i = 0; i < fx->n_range; i++)
		if (fx->range[i].role == ROLE_MASK)
			return state_of(p, &fx->range[i]) == CLEAR;
	return false;
}

/* A compare that other lanes do not pass: the one that made the hole's mask once more, or one of a
 * constant with the same end that is no lower. */
static bool
is_false(const struct side *d, const struct pair *p, const struct gcn_insn *in)
{
	const struct gcn_insn *was = d->made == GCN_NOWHERE ? NULL : &d->c->f.line[d->made].insn;
	const char *name = gcn_rows[in->row].name;
	uint32_t a, b, wa, wb;

	if (!was || in->form != GCN_FORM_BASE || was->form != GCN_FORM_BASE || !begins(name, "v_cmp"))
		return false;
	compared(in, &a, &b);
	compared(was, &wa, &wb);
	if (in->field[GCN_F_NEG] || in->field[GCN_F_ABS] || a == GCN_LITERAL || b == GCN_LITERAL)
		return false;
	if (!p->anew && a == wa && b == wb && compares_alike(in, was))
		return true;
	return d->end.n && d->index < 193 && begins(name, "v_cmp_lt_u32") && b == d->end.first &&
	       a < 193 && a >= d->index;
}

/* The vector register that nobody writes and its bits that a compare for equality is about, made in
 * its block by v_and or the register itself; false: it is none such. */
static bool
bits_compared(const struct side *d, uint32_t line, const struct gcn_insn *in, uint32_t *reg, uint32_t *bits,
	      uint32_t *value)
{
	uint32_t a, b;

	if (in->form != GCN_FORM_BASE ||
	    (!begins(gcn_rows[in->row].name, "v_cmp_eq_u32") && !begins(gcn_rows[in->row].name, "v_cmpx_eq_u32")))
		return false;
	compared(in, &a, &b);
	if (b < 256) {
		uint32_t swap = a;
		a = b;
		b = swap;
	}
	if (b < 256 || a < 128 || a > 192)
		return false;
	*value = a - 128;
	*bits = UINT32_MAX;
	*reg = b;
	struct gcn_range v = { .file = FILE_V, .first = (uint16_t)(b - 256), .n = 1, .half = 3 };
	for (uint32_t k = line; k-- > d->c->f.block[d->c->f.line[line].block].first;) {
		const struct gcn_insn *of = &d->c->f.line[k].insn;
		if (!writes(d->c, k, &v))
			continue;
		if (gcn_rows[of->row].format != GCN_VOP2 || of->form != GCN_FORM_BASE ||
		    !begins(gcn_rows[of->row].name, "v_and_b32") || of->field[GCN_F_SRC0] < 128 ||
		    of->field[GCN_F_SRC0] > 192)
			return false;
		*bits = of->field[GCN_F_SRC0] - 128;
		*reg = 256 + of->field[GCN_F_VSRC1];
		break;
	}
	v.first = (uint16_t)(*reg - 256);
	for (uint32_t k = 0; k < d->c->f.n_line; k++)
		if (writes(d->c, k, &v))
			return false;
	return true;
}

/* Where some bits of a register are not what the hole's mask asks for, the register is no number
 * that has them. */
static bool
follows(const struct side *d, uint32_t line)
{
	uint32_t reg, bits, value, was_reg, was_bits, was_value;

	if (d->made == GCN_NOWHERE ||
	    !bits_compared(d, d->made, &d->c->f.line[d->made].insn, &was_reg, &was_bits, &was_value) ||
	    !bits_compared(d, line, &d->c->f.line[line].insn, &reg, &bits, &value))
		return false;
	return reg == was_reg && (bits & was_bits) == was_bits && (value & was_bits) == was_value;
}

static void
vector(struct side *d, struct pair *p, uint32_t line, const struct gcn_effect *fx)
{
	const struct gcn_insn *in = &d->c->f.line[line].insn;
	uint8_t read = read_state(p, fx), exec = exec_state(d, p);

	if (crosses(in, fx) && (read != SAME || exec > CLEAR))
		read = WRONG;
	bool park = parks(d, p, in, fx) && read != WRONG && exec != CLEAR;
	write_lanes(d, p, fx, read, fx->class == CL_VALU && (is_false(d, p, in) || follows(d, line)),
		    in->form == GCN_FORM_BASE && !crosses(in, fx));
	for (unsigned i = 0; i < fx->n_range && park; i++)
		if (fx->range[i].access & GCN_WRITE)
			put_state(p, &fx->range[i], PARK);
}

/* Whether other lanes' stores go past the end of a buffer, which drops them. */
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
	bool tells = (fx->flags & (E(STORE) | E(ATOMIC) | E(LDS_DMA))) && !(fx->flags & E(CACHE));
	uint8_t read = read_state(p, fx), exec = exec_state(d, p);

	if (tells && exec != CLEAR && (exec > FULL || read != SAME) && !is_parked(d, p, in, fx))
		d->bad = true;
	d->bad |= tells && (read == WRONG || exec == WRONG) && !is_parked(d, p, in, fx);
	vector(d, p, line, fx);
}

/* Whether it writes what the other one reads, but for exec. */
static bool
writes_source(const struct mutant_code *c, uint32_t line, uint32_t other)
{
	struct gcn_effect fx;

	gcn_effect_of(c->t, &c->f.line[other].insn, &fx);
	for (unsigned i = 0; i < fx.n_range; i++)
		if ((fx.range[i].access & GCN_READ) && !is_exec(&fx.range[i]) &&
		    writes(c, line, &fx.range[i]))
			return true;
	return false;
}

/* -- Lines ------------------------------------------------------------------------------------------ */

/* s_cbranch_execz over lines that are run from here alone, forwards, up to where it leads, without
 * a barrier.  One wave may then skip what the other runs with nothing but other lanes. */
static bool
is_skip(const struct mutant_code *c, uint32_t line)
{
	uint32_t end = c->f.line[line].target;
	struct gcn_effect fx;

	if (!begins(gcn_rows[c->f.line[line].insn.row].name, "s_cbranch_execz") || end == GCN_NOWHERE ||
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

/* What the skipped lines write for all lanes only one wave has. */
static void
skip(const struct side *d, uint32_t line, struct pair *p)
{
	struct gcn_effect fx;

	for (uint32_t k = line + 1; k < d->c->f.line[line].target; k++) {
		gcn_effect_of(d->c->t, &d->c->f.line[k].insn, &fx);
		for (unsigned i = 0; i < fx.n_range; i++) {
			const struct gcn_range *w = &fx.range[i];
			if (w->access & GCN_WRITE)
				put_state(p, w, w->file == FILE_V || w->file == FILE_A ? OTHER : WRONG);
		}
	}
	p->anew = true;
}

/* From before the line to behind it. */
static void
step(struct side *d, struct pair *p, uint32_t line)
{
	const struct gcn_insn *in = &d->c->f.line[line].insn;
	struct gcn_effect fx;

	gcn_effect_of(d->c->t, in, &fx);
	d->bad |= d->end.n && writes(d->c, line, &d->end);
	p->anew |= d->made != GCN_NOWHERE && writes_source(d->c, line, d->made);
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
				put_state(p, &fx.range[i], SAME);
		return;
	case CL_VALU: vector(d, p, line, &fx); return;
	case CL_VMEM:
	case CL_DS: memory(d, p, line, &fx); return;
	default: d->bad = true; return;
	}
}

/* true when that is more than was known to differ there. */
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

/* Into a line; at the hole the waves must be the same again, and then are as they were at first. */
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

/* -- The hole --------------------------------------------------------------------------------------- */

static bool
source_of(const struct mutant_code *c, uint32_t line, struct gcn_range *out)
{
	struct gcn_effect fx;

	gcn_effect_of(c->t, &c->f.line[line].insn, &fx);
	for (unsigned i = 0; i < fx.n_range; i++)
		if (fx.range[i].role == ROLE_SRC0 && fx.range[i].file == FILE_S) {
			*out = fx.range[i];
			return true;
		}
	return false;
}

static const char *
name_of(const struct mutant_code *c, uint32_t line)
{
	return gcn_rows[c->f.line[line].insn.row].name;
}

/* The last line before that writes exec, where every way to the hole comes by it and stays between
 * the two; GCN_NOWHERE: there is none. */
static uint32_t
exec_before(const struct mutant_code *c, uint32_t line)
{
	static const struct gcn_range exec = { .file = FILE_S, .first = GCN_EXEC, .n = 2, .half = 3 };
	uint32_t from = line;

	while (from && !writes(c, from - 1, &exec))
		from--;
	if (!from--)
		return GCN_NOWHERE;
	for (uint32_t k = 0; k < c->f.n_line; k++) {
		uint32_t to = c->f.line[k].target;
		if (to != GCN_NOWHERE && to > from && to <= line && (k < from || k >= line))
			return GCN_NOWHERE;
	}
	return from;
}

static bool
kept(const struct mutant_code *c, uint32_t from, uint32_t to, const struct gcn_range *what)
{
	for (uint32_t k = from + 1; k < to; k++)
		if (writes(c, k, what))
			return false;
	return true;
}

/* The mask is of lanes whose index is below an end: v_cmp_gt mask, end, index or v_cmp_lt mask,
 * index, end, in the same block, of what is still there at the hole. */
static void
note_end(struct side *d, struct pair *p, uint32_t line)
{
	const struct gcn_insn *in = &d->c->f.line[line].insn;
	const char *name = gcn_rows[in->row].name;
	bool lt = begins(name, "v_cmp_lt_u32") || begins(name, "v_cmpx_lt_u32");
	bool gt = begins(name, "v_cmp_gt_u32") || begins(name, "v_cmpx_gt_u32");
	uint32_t a, b;
	struct gcn_range index = { .file = FILE_V, .n = 1, .half = 3 };
	struct gcn_range end = { .file = FILE_S, .n = 1, .half = 3 };

	if (in->form != GCN_FORM_BASE || (!lt && !gt))
		return;
	compared(in, &a, &b);
	uint32_t limit = gt ? a : b, of = gt ? b : a;
	if (limit >= 106 || of == GCN_LITERAL)
		return;
	end.first = (uint16_t)limit;
	index.first = (uint16_t)(of - 256);
	if (!kept(d->c, line, d->hole, &end) || (of >= 256 && !kept(d->c, line, d->hole, &index)) ||
	    (of < 256 && of < 128))
		return;
	d->index = of;
	d->end = end;
	if (of >= 256)
		put_state(p, &index, PAST);
}

static void
note_compare(struct side *d, struct pair *p, uint32_t line)
{
	if (!begins(name_of(d->c, line), "v_cmp"))
		return;
	d->made = line;
	for (uint32_t k = line; k < d->hole; k++)
		p->anew |= writes_source(d->c, k, line);
}

static void
note_mask(struct side *d, struct pair *p, uint32_t from, const struct gcn_range *mask)
{
	for (uint32_t k = from; k-- > d->c->f.block[d->c->f.line[from].block].first;)
		if (writes(d->c, k, mask)) {
			note_compare(d, p, k);
			note_end(d, p, k);
			return;
		}
}

/* exec = save, behind save = exec, exec &= mask: the other lanes are in save and not in the mask. */
static void
hole_restores(struct side *d, struct pair *p)
{
	uint32_t from = exec_before(d->c, d->hole);
	struct gcn_range save, mask, saved = { .file = FILE_S, .n = 1, .half = 3 };

	if (from == GCN_NOWHERE || !begins(name_of(d->c, from), "s_and_saveexec") ||
	    !source_of(d->c, d->hole, &save) || !source_of(d->c, from, &mask))
		return;
	saved.first = (uint16_t)d->c->f.line[from].insn.field[GCN_F_SDST];
	if (saved.first == save.first && !gcn_overlap(&save, &mask) && kept(d->c, from, d->hole, &save) &&
	    kept(d->c, from, d->hole, &mask))
		put_state(p, &mask, CLEAR);
	else
		return;
	note_mask(d, p, from, &mask);
}

/* exec = mask, compared by the lanes that run until then: those that do not pass are the others. */
static bool
hole_narrows(struct side *d, struct pair *p)
{
	static const struct gcn_range exec = { .file = FILE_S, .first = GCN_EXEC, .n = 2, .half = 3 };
	struct gcn_range mask;

	if (!source_of(d->c, d->hole, &mask))
		return false;
	for (uint32_t k = d->hole; k-- > d->c->f.block[d->c->f.line[d->hole].block].first;) {
		if (writes(d->c, k, &exec))
			return false;
		if (!writes(d->c, k, &mask))
			continue;
		if (!begins(name_of(d->c, k), "v_cmp"))
			return false;
		put_state(p, &mask, CLEAR);
		note_mask(d, p, d->hole, &mask);
		return true;
	}
	return false;
}

/* save = exec, exec &= mask: the other lanes are not in the mask; and where exec was just made of
 * what save still has, save is as it would be. */
static void
hole_saves(struct side *d, struct pair *p)
{
	uint32_t from = exec_before(d->c, d->hole);
	struct gcn_range mask, save;

	if (source_of(d->c, d->hole, &mask)) {
		put_state(p, &mask, CLEAR);
		note_mask(d, p, d->hole, &mask);
	}
	if (from != GCN_NOWHERE && begins(name_of(d->c, from), "s_mov_b") &&
	    source_of(d->c, from, &save) && kept(d->c, from, d->hole, &save) &&
	    save.first == d->c->f.line[d->hole].insn.field[GCN_F_SDST])
		put_state(p, &save, SAME);
}

static void
begin(struct side *d, struct pair *p)
{
	const char *name = name_of(d->c, d->hole);
	struct gcn_effect fx;

	memset(p, 0, sizeof *p);
	p->seen = true;
	gcn_effect_of(d->c->t, &d->c->f.line[d->hole].insn, &fx);
	for (unsigned i = 0; i < fx.n_range; i++)
		if (fx.range[i].access & GCN_WRITE)
			put_state(p, &fx.range[i], is_exec(&fx.range[i]) ? OTHER : WRONG);
	if (begins(name, "v_cmpx"))
		note_end(d, p, d->hole);
	else if (begins(name, "s_mov_b") && !hole_narrows(d, p))
		hole_restores(d, p);
	else if (begins(name, "s_and_saveexec"))
		hole_saves(d, p);
}

bool
mutant_lanes_prove(const struct mutant_code *c, uint32_t line)
{
	struct side d = { .c = c, .hole = line, .made = GCN_NOWHERE, .at = calloc(c->f.n_line, sizeof *d.at) };
	bool again = d.at != NULL;
	struct pair p;

	d.bad = !d.at;
	if (d.at) {
		begin(&d, &p);
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
