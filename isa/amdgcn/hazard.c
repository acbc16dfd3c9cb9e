/* The rules of hazard.def applied: for each instruction that some rule has as
 * its later one, a search backwards over all paths, step by step. */
#include "hazard.h"

#include "table.h"
#include "wait.h"

#include <assert.h>

/* -- The tables ----------------------------------------------------------------- */

/* What depends on the values of operands. */
/* clang-format off */
enum trait {
	T_DPP, T_NOT_SOPP, T_BUFFER, T_LDS_DIRECT, T_WIDE_STORE, T_PART_DST, T_VM_VSRC_0,
	T_SA_SDST_0, T_VA_VDST_0, T_VA_SDST_0, T_VA_VCC_0, T_WAIT_ALL_0, T_VSCNT_0, T_LGKM_0,
	T_READS_SGPR, T_READS_VCC, T_WRITES_SGPR, T_PASSES_4, T_DEALLOC
};
/* clang-format on */
#define T(x)  (1u << T_##x)
#define C(x)  (1u << CL_##x)
#define RO(x) (1u << ROLE_##x)
#define IS(x) (UINT64_C(1) << IS_##x) /* of the first 64 */

/* Scalars are told apart by what they are for. */
enum { FS = 1, FVCC = 2, FEXEC = 4, FM0 = 8, FV = 16, FA = 32 };

enum event_id {
#define EVENT(id, ...) IS_##id,
#include "hazard.def"
	N_EVENT
};
struct event {
	uint32_t classes;
	uint64_t any, none;
	uint32_t traits;
};
static const struct event events[N_EVENT] = {
#define EVENT(id, classes, any, none, traits) { classes, any, none, traits },
#include "hazard.def"
};

enum touch_id {
#define TOUCH(id, ...) TOUCH_##id,
#include "hazard.def"
	N_TOUCH
};
struct touch {
	uint8_t files, access;
	uint32_t roles;
};
static const struct touch touches[N_TOUCH] = {
#define TOUCH(id, files, access, roles) { files, access, roles },
#include "hazard.def"
};

/* clang-format off */
enum relation {
	REL_ANY, REL_OVERLAP, REL_EXACT, REL_PARTIAL, REL_SAME_ROW, REL_OTHER_ROW, REL_PAIR,
	REL_HWREG
};
/* clang-format on */
enum whom { WHOM_LATER, WHOM_CONTINUE, WHOM_BEFORE, WHOM_BEFORE_OR_AT };
enum count { COUNT_WS, COUNT_VALU, COUNT_SALU, COUNT_VALU_TRANS };
enum { MSG_DEALLOC_VGPRS = 3 }; /* of s_sendmsg, gfx11 on */
enum { WINDOW = 4096, MAX_TRANS = 2, ANY = 255 };

struct step {
	uint8_t event, touch, relation, other, whom, count;
	uint8_t need[4];
	uint64_t ends;
};
struct rule {
	const char *name;
	uint32_t targets;
	uint8_t wave, event, touch;
	struct step step[GCN_RULE_STEPS]; /* ends at event NEVER */
	const char *what, *fix;
};
/* clang-format off */
static const struct rule rules[] = {
#define ALL4(n) n, n, n, n
#define ANY4 ALL4(ANY)
#define STEP(...) STEP_(__VA_ARGS__)
#define STEP_(ev, mine, rel, other, whom, count, n2, n4, n8, n16, ends) \
	{ IS_##ev, TOUCH_##mine, REL_##rel, TOUCH_##other, WHOM_##whom, COUNT_##count, \
	  { n2, n4, n8, n16 }, ends },
#define RULE(name, targets, wave, ev, touch, steps, what, fix) \
	{ #name, targets, wave, IS_##ev, TOUCH_##touch, { steps }, what, fix },
#include "hazard.def"
};
/* clang-format on */
enum { N_RULE = sizeof rules / sizeof *rules };

const char *
gcn_hazard_rule(const struct gcn_target *t, size_t i)
{
	for (size_t k = 0; k < N_RULE; k++) {
		if ((rules[k].targets & t->class_bit) &&
		    (!rules[k].wave || rules[k].wave == t->wave) && i-- == 0)
			return rules[k].name;
	}
	return NULL;
}

/* Passes as the index of the four numbers of a step; other instructions have
 * four times the same. */
static unsigned
passes_idx(const struct gcn_target *t, const struct gcn_insn *in)
{
	static const struct {
		uint8_t passes, on_950;
	} table[GCN_N_ROW] = {
#define PASSES(row, passes, on_950) [GCN_##row] = { passes, on_950 },
#include "passes.def"
	};
	unsigned n = t->class_bit == C950 ? table[in->row].on_950 : table[in->row].passes, i = 0;

	if ((gcn_kinds[gcn_shapes[gcn_rows[in->row].shape].op[1].kind].flags & R_F8F6F4) &&
	    (in->field[F_CBSZ] < 2 || in->field[F_BLGP] < 2))
		n *= 2;
	for (; n > 2 && i < 3; n /= 2)
		i++;
	return i;
}

/* -- What a line is ----------------------------------------------------------------- */

static unsigned
file_of(const struct gcn_range *r)
{
	switch (r->file) {
	case FILE_V: return FV;
	case FILE_A: return FA;
	case FILE_S:
		return r->first == GCN_VCC || r->first == GCN_VCC + 1 ? FVCC
		       : r->first >= GCN_EXEC			      ? FEXEC
								      : FS;
	default: return r->first == X_M0 ? FM0 : 0;
	}
}

static bool
touched(const struct gcn_range *r, const struct touch *t)
{
	return (file_of(r) & t->files) && (r->access & t->access) && (t->roles >> r->role & 1);
}

static bool
touches_any(const struct gcn_effect *e, unsigned files, unsigned access)
{
	for (unsigned i = 0; i < e->n_range; i++) {
		if ((file_of(&e->range[i]) & files) && (e->range[i].access & access))
			return true;
	}
	return false;
}

static uint32_t
depctr_traits(uint32_t v)
{
	static const struct {
		uint8_t lo, width, trait;
	} field[] = { { 0, 1, T_SA_SDST_0 },
		      { 1, 1, T_VA_VCC_0 },
		      { 2, 3, T_VM_VSRC_0 },
		      { 9, 3, T_VA_SDST_0 },
		      { 12, 4, T_VA_VDST_0 } };
	uint32_t traits = 0;

	for (size_t i = 0; i < sizeof field / sizeof *field; i++) {
		if (!(v >> field[i].lo & ((1u << field[i].width) - 1)))
			traits |= 1u << field[i].trait;
	}
	return traits;
}

/* Data of more than 64 bits; buffers only without an SGPR as offset. */
static bool
is_wide_store(const struct gcn_effect *e)
{
	bool wide = false, offset = false;

	for (unsigned i = 0; i < e->n_range; i++) {
		wide |= e->range[i].role == ROLE_DATA && e->range[i].n > 2;
		offset |= e->range[i].role == ROLE_OFFSET;
	}
	return wide && !offset && (e->flags & E(STORE)) && !(e->flags & E(LOAD));
}

/* The result has to be shifted into its place. */
static bool
is_part_dst(const struct gcn_insn *in, const struct gcn_effect *e)
{
	unsigned format = gcn_rows[in->row].format;

	if (in->form == FORM_SDWA)
		return format != VOPC && in->field[F_DSTSEL] != 6;
	if (format != VOP3 || (gcn_rows[in->row].mods & M_VOP3B))
		return false;
	return in->field[F_OPSEL] & (e->flags & E(BYTE_DST) ? 12u : 8u);
}

static uint32_t
traits_of(const struct gcn_target *t, const struct gcn_insn *in, const struct gcn_effect *e)
{
	const struct gcn_row *r = &gcn_rows[in->row];
	uint8_t wait[GCN_N_EVENT];
	uint32_t traits = 0;

	if (in->form == FORM_DPP16 || in->form == FORM_DPP8)
		traits |= T(DPP);
	if (r->format != SOPP)
		traits |= T(NOT_SOPP);
	if (gcn_is_buffer(r->format))
		traits |= T(BUFFER);
	if (e->class == CL_VALU && in->field[F_SRC0] == 254 && t->gen < G11)
		traits |= T(LDS_DIRECT);
	if (e->class == CL_MESSAGE && in->field[F_SIMM] == MSG_DEALLOC_VGPRS)
		traits |= T(DEALLOC);
	if (is_wide_store(e))
		traits |= T(WIDE_STORE);
	if (e->class == CL_VALU && is_part_dst(in, e))
		traits |= T(PART_DST);
	if (e->flags & E(DEPCTR))
		traits |= depctr_traits(in->field[F_SIMM]);
	else if (e->class == CL_WAIT && gcn_wait_limits(t, in, wait)) {
		traits |= wait[EV_DS] == 0 ? T(LGKM_0) : 0;
		traits |= wait[EV_STORE] == 0 && r->format == SOPK ? T(VSCNT_0) : 0;
		traits |= r->format == SOPP && !in->field[F_SIMM] ? T(WAIT_ALL_0) : 0;
	}
	if (e->class == CL_MATRIX && passes_idx(t, in) == 1)
		traits |= T(PASSES_4);
	if (touches_any(e, FS | FVCC, GCN_READ))
		traits |= T(READS_SGPR);
	if (touches_any(e, FVCC, GCN_READ))
		traits |= T(READS_VCC);
	if (touches_any(e, FS | FVCC | FEXEC | FM0, GCN_WRITE))
		traits |= T(WRITES_SGPR);
	return traits;
}

static bool
fits(const struct gcn_hazard_line *l, const struct event *e)
{
	return (e->classes >> l->effect.class & 1) && (!e->any || (l->effect.flags & e->any)) &&
	       !(l->effect.flags & e->none) && (!e->traits || (l->traits & e->traits));
}

static bool
is(const struct gcn_hazard_line *l, unsigned event)
{
	return event < 64 ? l->events >> event & 1 : fits(l, &events[event]);
}

static void
classify(const struct gcn_target *t, const struct gcn_line *l, struct gcn_hazard_line *out)
{
	*out = (struct gcn_hazard_line){ 0 };
	if (l->flags & LINE_UNKNOWN)
		return;
	gcn_effect_of(t, &l->insn, &out->effect);
	out->traits = traits_of(t, &l->insn, &out->effect);
	for (unsigned i = 0; i < N_EVENT && i < 64; i++)
		out->events |= (uint64_t)fits(out, &events[i]) << i;
}

/* -- The search ------------------------------------------------------------------------ */

struct search {
	const struct gcn_flow *f;
	const struct gcn_hazard_line *line;
	struct gcn_hazard_mark *mark;
	uint32_t stamp, queue; /* chain of marks to be looked at, GCN_NOWHERE at its end */
	unsigned walked;
	const struct rule *rule;
	uint32_t later;
	bool found;
	struct gcn_hazard worst;
	unsigned worst_rank;
};

/* Where one path stands: looking for step, `at` is the line that the step's
 * registers are compared with, dead its ranges that something nearer wrote;
 * `first` is what the first step found. */
struct path {
	uint32_t at, first, dead;
	uint16_t count;
	uint8_t trans, step;
};

static unsigned
cost(const struct search *s, uint32_t i, unsigned count)
{
	const struct gcn_effect *e = &s->line[i].effect;
	bool valu = e->class == CL_VALU || e->class == CL_MATRIX;

	switch (count) {
	case COUNT_WS: return e->flags & E(NOP) ? (s->f->line[i].insn.field[F_SIMM] & 15) + 1 : 1;
	case COUNT_SALU:
		return (e->class == CL_SALU || e->class == CL_BRANCH) &&
		       gcn_rows[s->f->line[i].insn.row].format != SOPP;
	default: return valu;
	}
}

static bool
related(unsigned relation, const struct gcn_range *x, const struct gcn_range *y, bool same_row)
{
	bool same = x->first == y->first && x->n == y->n;

	if (x->file != y->file)
		return false;
	switch (relation) {
	case REL_EXACT: return same;
	case REL_PARTIAL: return !same && gcn_overlap(x, y);
	case REL_SAME_ROW: return same_row && gcn_overlap(x, y);
	case REL_OTHER_ROW: return !same_row && gcn_overlap(x, y);
	case REL_PAIR:
		return x->first >> 1 <= (y->first + y->n - 1) >> 1 &&
		       y->first >> 1 <= (x->first + x->n - 1) >> 1;
	default: return gcn_overlap(x, y);
	}
}

static bool
meets(const struct search *s, const struct step *st, uint32_t mine, const struct path *p)
{
	const struct gcn_effect *a = &s->line[mine].effect, *b = &s->line[p->at].effect;
	const struct gcn_insn *in = &s->f->line[mine].insn, *at = &s->f->line[p->at].insn;

	if (st->relation == REL_HWREG)
		return (in->field[F_SIMM] & 63) == (at->field[F_SIMM] & 63);
	if (st->relation == REL_ANY && st->touch == TOUCH_NONE)
		return true;
	for (unsigned i = 0; i < a->n_range; i++) {
		if (!touched(&a->range[i], &touches[st->touch]))
			continue;
		if (st->relation == REL_ANY)
			return true;
		for (unsigned k = 0; k < b->n_range; k++) {
			if (touched(&b->range[k], &touches[st->other]) && !(p->dead >> k & 1) &&
			    related(st->relation, &a->range[i], &b->range[k], in->row == at->row))
				return true;
		}
	}
	return false;
}

/* Ranges of the line compared with that this line overwrites: whole, or where a
 * rule is about different ranges, in any part. */
static void
bury(const struct search *s, uint32_t i, struct path *p)
{
	const struct step *last = &s->rule->step[GCN_RULE_STEPS - 1];
	bool parts = last->event && last->whom == WHOM_CONTINUE;
	const struct gcn_effect *a = &s->line[i].effect, *b = &s->line[p->at].effect;

	for (unsigned k = 0; k < a->n_range; k++) {
		const struct gcn_range *x = &a->range[k];
		if (!(x->access & GCN_WRITE) || (x->access & GCN_KEEP))
			continue;
		for (unsigned j = 0; j < b->n_range; j++) {
			const struct gcn_range *y = &b->range[j];
			if (parts ? gcn_overlap(x, y)
				  : x->file == y->file && x->first <= y->first &&
					    y->first + y->n <= x->first + x->n)
				p->dead |= 1u << j;
		}
	}
}

static unsigned
longest(const struct step *st)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 4; i++)
		n = st->need[i] > n ? st->need[i] : n;
	return n;
}

static void
report(struct search *s, uint32_t earlier, uint32_t first, const struct step *st, unsigned need,
       unsigned count)
{
	unsigned missing = st->count == COUNT_WS && need != ANY ? need - count : 0;
	unsigned rank = missing ? missing : 1;

	if (s->found && rank <= s->worst_rank)
		return;
	s->found = true;
	s->worst_rank = rank;
	s->worst = (struct gcn_hazard){ .rule = s->rule->name,
					.what = s->rule->what,
					.fix = s->rule->fix,
					.earlier = earlier,
					.middle = first,
					.later = s->later,
					.missing = (uint16_t)missing };
}

/* One line of a path; false when the path ends there. */
static bool
look(struct search *s, uint32_t i, struct path *p)
{
	const struct step *st = &s->rule->step[p->step];
	const struct gcn_hazard_line *l = &s->line[i];
	unsigned need = longest(st), own;

	if (s->f->line[i].flags & LINE_UNKNOWN)
		return false;
	own = st->need[l->effect.class == CL_MATRIX ? passes_idx(s->f->target, &s->f->line[i].insn)
						    : 0];
	if (is(l, st->event) && (own == ANY || p->count < own) && meets(s, st, i, p)) {
		bool last = p->step + 1 == GCN_RULE_STEPS || !st[1].event;
		if (last) {
			report(s, i, p->first, st, own, p->count);
			return false;
		}
		if (!p->step++)
			p->first = i;
		if (st[1].whom >= WHOM_BEFORE) {
			p->at = i;
			p->dead = 0;
		} else {
			bury(s, i, p);
		}
		if (st[1].whom != WHOM_CONTINUE)
			p->count = p->trans = 0;
		else
			p->count = (uint16_t)(p->count + cost(s, i, st[1].count));
		return st[1].whom != WHOM_BEFORE_OR_AT || look(s, i, p);
	}
	if (l->events & st->ends)
		return false;
	if (p->at != i)
		bury(s, i, p);
	p->count = (uint16_t)(p->count + cost(s, i, st->count));
	if (l->effect.flags & E(TRANS))
		p->trans++;
	if (need != ANY && p->count >= need)
		return false;
	if (st->count == COUNT_VALU_TRANS && p->trans >= MAX_TRANS)
		return false;
	return ++s->walked < WINDOW;
}

static void
enqueue(struct search *s, uint32_t block, const struct path *p)
{
	uint32_t n = (uint32_t)(block * GCN_RULE_STEPS + p->step);
	struct gcn_hazard_mark *m = &s->mark[n];

	if (m->stamp == s->stamp && m->count <= p->count)
		return;
	if (m->stamp != s->stamp || !m->queued) {
		m->next = s->queue;
		s->queue = n;
	}
	m->stamp = s->stamp;
	m->queued = true;
	m->at = p->at;
	m->first = p->first;
	m->dead = p->dead;
	m->count = p->count;
	m->trans = p->trans;
}

/* From the line before `from` to the head of its block, then on. */
static void
walk(struct search *s, uint32_t block, uint32_t from, struct path p)
{
	const struct gcn_block *b = &s->f->block[block];

	for (uint32_t i = from; i-- > b->first;) {
		if (!look(s, i, &p))
			return;
	}
	for (uint32_t k = 0; k < b->n_pred; k++) {
		uint32_t pred = s->f->edge[b->pred + k];
		if (s->f->block[pred].reached)
			enqueue(s, pred, &p);
	}
}

/* The rule may have this line as its later instruction. */
static bool
concerns(const struct search *s, const struct rule *r, uint32_t later)
{
	const struct gcn_target *t = s->f->target;
	const struct gcn_effect *e = &s->line[later].effect;

	if (!(r->targets & t->class_bit) || (r->wave && r->wave != t->wave) ||
	    !is(&s->line[later], r->event))
		return false;
	if (r->touch == TOUCH_NONE)
		return true;
	for (unsigned i = 0; i < e->n_range; i++) {
		if (touched(&e->range[i], &touches[r->touch]))
			return true;
	}
	return false;
}

static bool
apply(struct search *s, const struct rule *r, uint32_t later)
{
	s->rule = r;
	s->later = later;
	s->found = false;
	s->queue = GCN_NOWHERE;
	s->stamp++;
	s->walked = 0;
	walk(s, s->f->line[later].block, later, (struct path){ .at = later, .first = GCN_NOWHERE });
	while (s->queue != GCN_NOWHERE) {
		uint32_t n = s->queue, block = n / GCN_RULE_STEPS;
		struct gcn_hazard_mark *m = &s->mark[n];
		const struct gcn_block *b = &s->f->block[block];
		s->queue = m->next;
		m->queued = false;
		walk(s, block, b->first + b->n_line,
		     (struct path){ .at = m->at,
				    .first = m->first,
				    .dead = m->dead,
				    .count = m->count,
				    .trans = m->trans,
				    .step = (uint8_t)(n % GCN_RULE_STEPS) });
	}
	return s->found;
}

size_t
gcn_hazards(const struct gcn_flow *f, struct gcn_hazard_line *line, struct gcn_hazard_mark *mark,
	    void (*found)(void *user, const struct gcn_hazard *h), void *user)
{
	struct search s = { .f = f, .line = line, .mark = mark };
	size_t n = 0;

	for (size_t i = 0; i < f->n_line; i++)
		classify(f->target, &f->line[i], &line[i]);
	for (size_t i = 0; i < GCN_RULE_STEPS * f->n_block; i++)
		mark[i].stamp = 0;
	for (uint32_t i = 0; i < f->n_line; i++) {
		if (!f->block[f->line[i].block].reached)
			continue;
		for (const struct rule *r = rules; r < rules + N_RULE; r++) {
			if (!concerns(&s, r, i) || !apply(&s, r, i))
				continue;
			n++;
			found(user, &s.worst);
		}
	}
	return n;
}
