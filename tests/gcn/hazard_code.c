/* Pools of instructions by kind, functions drawn from a few of them with few
 * registers, so that they meet. */
#include "hazard_code.h"

#include "hazard.h"
#include "random.h"
#include "targets.h"
#include "wait.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_POOL = 6000, TRIES_EACH = 6, MAX_WORDS_ALL = HZ_MAX_INSN * HZ_WORDS };

/* -- The pool ---------------------------------------------------------------------- */

/* Kinds that are drawn alike often, however many rows each has.  What is not of
 * one of the first is of its class. */
static const struct kind {
	uint32_t classes;
	uint64_t flags; /* one of them; 0: any */
} kinds[] = {
#define C(x) (1u << CL_##x)
	{ C(VALU), E(TRANS) },
	{ C(VALU), E(READ_LANE) | E(LANE_SELECT) },
	{ C(VALU), E(PERMLANE16) | E(PERMLANE_SWAP) },
	{ C(VALU), E(LANE_MASK) },
	{ C(VALU), E(DIV_FMAS) },
	{ C(VALU), E(SHIFT64) | E(FMA64) },
	{ C(VALU), E(ACC_READ) | E(ACC_WRITE) },
	{ C(VALU), E(DOT) },
	{ C(VALU), E(CMPX) },
	{ C(SALU), E(SETREG) | E(GETREG) },
	{ C(SALU), E(DENORM) },
	{ ~0u, E(MOVREL) | E(SENDMSG) | E(ADDTID) },
	{ C(VMEM) | C(FLAT), E(ATOMIC) },
	{ C(VMEM) | C(FLAT), E(LDS_DMA) },
	{ C(MATRIX), E(DGEMM) },
	{ C(MATRIX), E(XDL) },
	{ C(MATRIX), 0 },
	{ C(VMEM) | C(FLAT), E(STORE) },
	{ C(WAIT), E(DEPCTR) },
	{ C(WAIT), 0 },
	{ C(HINT), E(NOP) },
	{ C(SALU), 0 },
	{ C(SALU), 0 },
	{ C(SMEM), 0 },
	{ C(VMEM), 0 },
	{ C(FLAT), 0 },
	{ C(DS), 0 },
	{ C(VALU), 0 },
	{ C(VALU), 0 },
	{ C(VALU), 0 },
};
enum { N_KIND = sizeof kinds / sizeof *kinds };

struct entry {
	struct gcn_insn insn;
	bool refused;
};
struct hz {
	const struct gcn_target *t;
	struct entry *pool;
	int n_pool, first[N_KIND + 1];
};

/* Flow, modes that change what registers mean, and what LLVM rewrites in place of
 * putting something before it. */
static bool
is_drawn(const struct gcn_target *t, unsigned row)
{
	static const char *const not[] = { "s_set_gpr_idx", "s_setvskip", "s_subvector", "s_trap",
					   "s_sethalt", "s_getpc", "s_version", "s_setkill",
					   "s_code_end", "s_alloc_vgpr", "s_barrier", "s_get_barrier",
					   "s_ttracedata", "s_wakeup", "s_sleep" };
	struct gcn_props p = gcn_props_of(row);
	const struct gcn_row *r = &gcn_rows[row];

	if (!(r->has & t->class_bit) || r->op[t->gen] == GCN_NA || r->format == GCN_LDSDIR ||
	    r->format == GCN_VINTERP || p.class == CL_BRANCH || p.class == CL_END ||
	    p.class == CL_EXPORT || p.class == CL_NONE)
		return false;
	for (size_t i = 0; i < sizeof not / sizeof *not; i++) {
		if (!strncmp(r->name, not[i], strlen(not[i])))
			return false;
	}
	return true;
}

static bool
is_kind(unsigned row, const struct kind *k)
{
	struct gcn_props p = gcn_props_of(row);

	if (!(k->classes >> p.class & 1) || (k->flags && !(p.flags & k->flags)))
		return (gcn_rows[row].mods & M_CMPX) && (k->flags & E(CMPX));
	return true;
}

struct hz *
hz_open(const char *target, uint64_t seed, int per_kind)
{
	struct targets l = targets_named(target);
	struct hz *z = calloc(1, sizeof *z);
	struct dice d = dice(seed, 1);
	char why[256];

	if (!l.n || !z)
		return NULL;
	z->t = l.target[0];
	z->pool = calloc(MAX_POOL, sizeof *z->pool);
	for (int k = 0; k < N_KIND; k++) {
		uint16_t rows[GCN_N_ROW];
		uint32_t n = 0;
		z->first[k] = z->n_pool;
		for (unsigned row = 0; row < GCN_N_ROW; row++) {
			if (is_drawn(z->t, row) && is_kind(row, &kinds[k]))
				rows[n++] = (uint16_t)row;
		}
		for (int i = 0; n && i < per_kind && z->n_pool < MAX_POOL; i++) {
			struct sample s;
			if (gcn_random(&d, z->t, rows[dice_below(&d, n)], &s, why))
				z->pool[z->n_pool++].insn = s.insn;
		}
	}
	z->first[N_KIND] = z->n_pool;
	return z;
}

void
hz_close(struct hz *z)
{
	free(z->pool);
	free(z);
}

int
hz_wave(const struct hz *z)
{
	return z->t->wave;
}

const char *
hz_cpu(const struct hz *z)
{
	return z->t->name;
}

int
hz_n_pool(const struct hz *z)
{
	return z->n_pool;
}

static bool
encode(const struct gcn_target *t, const struct gcn_insn *in, struct hz_insn *out)
{
	struct qd_error err = { 0 };

	*out = (struct hz_insn){ 0 };
	return !gcn_encode(t, in, out->word, &out->n_words, &err);
}

void
hz_pool(const struct hz *z, int i, struct hz_insn *out)
{
	encode(z->t, &z->pool[i].insn, out);
}

void
hz_refuse(struct hz *z, int i)
{
	z->pool[i].refused = true;
}

/* -- Functions ----------------------------------------------------------------------- */

/* The registers that a function keeps to. */
struct theme {
	uint32_t v, s; /* how many */
	bool vcc, exec;
};

static uint32_t
scalar(struct dice *d, const struct theme *th)
{
	static const uint32_t special[] = { 106, 107, 126, 124, 125 };
	uint32_t k = dice_below(d, 16);

	if (th->vcc && k < 4)
		return special[k > 2];
	if (th->exec && k == 4)
		return special[2 + dice_below(d, 3)];
	return dice_below(d, th->s);
}

/* A few registers in place of many, where the instruction stays one. */
static void
squeeze(struct dice *d, const struct gcn_target *t, const struct theme *th, struct gcn_insn *in,
	struct hz_insn *out)
{
	struct gcn_view o;
	struct hz_insn next;

	for (unsigned i = 0; gcn_operand_view(t, in, i, &o); i++) {
		uint32_t before = in->field[o.field];
		bool src = gcn_is_source(o.field);
		uint32_t keep = o.kind.bank == BANK_VL || o.kind.bank == BANK_VSL ? 128 : 0;
		if (o.v == GCN_LITERAL || (o.v >= 128 && o.v < 256) ||
		    (o.field == GCN_F_SRC0 && in->form))
			continue;
		for (unsigned n = 0; n < TRIES_EACH; n++) {
			in->field[o.field] = o.v >= 256 ? (src ? before & (256 | keep) : before & keep) +
							    dice_below(d, th->v)
							: scalar(d, th);
			if (encode(t, in, &next)) {
				*out = next;
				break;
			}
			in->field[o.field] = before;
		}
	}
	/* the register of DPP and SDWA */
	if (in->form) {
		uint32_t before = in->field[GCN_F_X_SRC0];
		in->field[GCN_F_X_SRC0] = dice_below(d, th->v);
		if (encode(t, in, &next))
			*out = next;
		else
			in->field[GCN_F_X_SRC0] = before;
	}
}

/* The amount of a shift of 64 bits in the last register of an allocation: a fault
 * of gfx90a that is none of a pair. */
static bool
is_last_amount(const struct gcn_target *t, const struct gcn_insn *in)
{
	return t->class_bit == C90A && (gcn_props_of(in->row).flags & E(SHIFT64)) &&
	       in->field[GCN_F_SRC0] >= 256 && (in->field[GCN_F_SRC0] & 7) == 7;
}

static void
put(struct hz_code *c, const struct hz_insn *in)
{
	struct hz_block *b = &c->block[c->n_block - 1];

	if (c->n_insn == HZ_MAX_INSN)
		return;
	c->insn[c->n_insn] = *in;
	c->insn[c->n_insn].tag = c->n_insn + 1;
	c->n_insn++;
	b->n++;
}

static void
open_block(struct hz_code *c)
{
	c->block[c->n_block++] = (struct hz_block){ .first = c->n_insn };
}

static void
put_text(struct hz *z, struct hz_code *c, const char *text, int branch, int to)
{
	struct hz_insn in;

	if (!hz_assemble(z, text, &in))
		abort();
	in.branch = branch;
	in.to = to;
	put(c, &in);
}

static void
put_branch(struct hz *z, struct hz_code *c, struct dice *d, int to)
{
	static const char *const text[] = { "s_cbranch_scc0 0", "s_cbranch_scc1 0", "s_cbranch_vccz 0",
					    "s_cbranch_execz 0" };

	put_text(z, c, text[dice_below(d, 4)], HZ_BRANCH_IF, to);
}

static void
put_some(struct hz *z, struct hz_code *c, struct dice *d, const struct theme *th, const int *from,
	 uint32_t n_from, uint32_t n)
{
	while (n--) {
		struct gcn_insn in = z->pool[from[dice_below(d, n_from)]].insn;
		struct hz_insn out;
		if (!encode(z->t, &in, &out))
			continue;
		squeeze(d, z->t, th, &in, &out);
		if (!is_last_amount(z->t, &in))
			put(c, &out);
	}
}

/* Straight on; a way around; two ways; a loop; a loop in which there are two ways. */
static const struct shape {
	int n_block;
	struct {
		int if_to, to; /* -1: none */
	} end[HZ_MAX_BLOCK];
} shapes[] = {
	{ 1, { { -1, -1 } } },
	{ 1, { { -1, -1 } } },
	{ 1, { { -1, -1 } } },
	{ 1, { { -1, -1 } } },
	{ 3, { { 2, -1 }, { -1, -1 }, { -1, -1 } } },
	{ 4, { { 2, -1 }, { -1, 3 }, { -1, -1 }, { -1, -1 } } },
	{ 3, { { -1, -1 }, { 1, -1 }, { -1, -1 } } },
	{ 5, { { -1, -1 }, { 3, -1 }, { -1, -1 }, { 1, -1 }, { -1, -1 } } },
};

void
hz_function(struct hz *z, uint64_t seed, struct hz_code *c)
{
	struct dice d = dice(seed, 2);
	const struct shape *sh = &shapes[dice_below(&d, sizeof shapes / sizeof *shapes)];
	struct theme th = { .v = 3 + dice_below(&d, 8),
			    .s = 2 + dice_below(&d, 6),
			    .vcc = dice_below(&d, 2),
			    .exec = dice_below(&d, 2) };
	uint32_t n_from = 2 + dice_below(&d, 6), each = sh->n_block == 1 ? 14 : 5;
	int from[8] = { 0 };

	for (uint32_t i = 0, tries = 0; i < n_from && tries < 10000; tries++) {
		uint32_t k = dice_below(&d, N_KIND);
		int n = z->first[k + 1] - z->first[k];
		if (!n)
			continue;
		from[i] = z->first[k] + (int)dice_below(&d, (uint32_t)n);
		if (!z->pool[from[i]].refused)
			i++;
	}
	c->n_block = c->n_insn = 0;
	for (int b = 0; b < sh->n_block; b++) {
		open_block(c);
		put_some(z, c, &d, &th, from, n_from, 1 + dice_below(&d, each));
		if (sh->end[b].if_to >= 0)
			put_branch(z, c, &d, sh->end[b].if_to);
		if (sh->end[b].to >= 0)
			put_text(z, c, "s_branch 0", HZ_BRANCH, sh->end[b].to);
	}
	put_text(z, c, "s_endpgm", HZ_NO_BRANCH, 0);
}

/* -- Compiled code ----------------------------------------------------------------------- */

enum { BEFORE = 80, BEHIND = 30 };

static void
put_line(struct hz *z, struct hz_code *c, const struct gcn_line *l)
{
	struct hz_insn in;

	if (encode(z->t, &l->insn, &in))
		put(c, &in);
}

int
hz_window(struct hz *z, const uint32_t *words, unsigned long n, int counters, int i,
	  struct hz_code *without, struct hz_code *with)
{
	static struct gcn_line *line;
	static const uint32_t *of;
	static size_t n_line;

	if (of != words) {
		struct gcn_flow f = { .line_cap = n };
		f.line = line = realloc(line, n * sizeof *line);
		of = words;
		n_line = gcn_flow_read(&f, z->t, words, n, NULL, 0, NULL) ? 0 : f.n_line;
	}
	for (size_t at = 0; at < n_line; at++) {
		struct gcn_props p;
		size_t from = at, to = at + 1;
		if (line[at].flags & LINE_UNKNOWN)
			continue;
		p = gcn_props_of(line[at].insn.row);
		if (counters ? p.class != CL_WAIT || (p.flags & E(DEPCTR))
			     : !(p.flags & (E(NOP) | E(VNOP) | E(DEPCTR))))
			continue;
		if (i--)
			continue;
		while (from > 0 && at - from < BEFORE && !(line[from].flags & LINE_LEADER))
			from--;
		while (to < n_line && to - at < BEHIND && !(line[to].flags & LINE_LEADER) &&
		       !(line[to].flags & LINE_UNKNOWN) &&
		       gcn_props_of(line[to].insn.row).class != CL_BRANCH)
			to++;
		without->n_block = without->n_insn = with->n_block = with->n_insn = 0;
		open_block(without);
		open_block(with);
		for (size_t k = from; k < to; k++) {
			if (line[k].flags & LINE_UNKNOWN)
				continue;
			if (k != at)
				put_line(z, without, &line[k]);
			put_line(z, with, &line[k]);
		}
		put_text(z, without, "s_endpgm", HZ_NO_BRANCH, 0);
		put_text(z, with, "s_endpgm", HZ_NO_BRANCH, 0);
		return 1;
	}
	return 0;
}

/* -- What is found --------------------------------------------------------------------- */

struct found_list {
	struct hz_found *f;
	const int *insn_of; /* of a line */
	int n, cap;
};
static const char *left_out;

void
hz_leave_out(const char *rule)
{
	left_out = rule;
}

static void
found(void *user, const struct gcn_hazard *h)
{
	struct found_list *l = user;

	if (left_out && !strcmp(left_out, h->rule))
		return;
	if (l->n < l->cap)
		l->f[l->n] = (struct hz_found){ h->rule, h->fix, (int)h->later, (int)h->earlier,
						h->middle == GCN_NOWHERE ? -1 : (int)h->middle,
						h->missing };
	l->n++;
}

static struct gcn_flow flow;

/* The code as lines and blocks in `flow`. */
static bool
read_code(struct hz *z, const struct hz_code *c)
{
	static uint32_t words[MAX_WORDS_ALL];
	static struct gcn_line line[MAX_WORDS_ALL];
	static struct gcn_block block[HZ_MAX_INSN];
	static uint32_t edge[4 * HZ_MAX_INSN];
	int at[HZ_MAX_INSN + 1], n = 0;

	flow = (struct gcn_flow){ .line = line, .line_cap = MAX_WORDS_ALL };
	for (int i = 0; i < c->n_insn; i++) {
		at[i] = n;
		memcpy(words + n, c->insn[i].word, sizeof(uint32_t) * (size_t)c->insn[i].n_words);
		n += c->insn[i].n_words;
	}
	for (int i = 0; i < c->n_insn; i++) {
		if (c->insn[i].branch)
			words[at[i]] = (words[at[i]] & 0xffff0000) |
				       (uint16_t)(at[c->block[c->insn[i].to].first] - at[i] - 1);
	}
	if (gcn_flow_read(&flow, z->t, words, (size_t)n, NULL, 0, NULL) ||
	    flow.n_line != (size_t)c->n_insn)
		return false;
	flow.block = block;
	flow.edge = edge;
	gcn_flow_link(&flow);
	return true;
}

int
hz_check(struct hz *z, const struct hz_code *c, struct hz_found *f, int cap)
{
	static struct gcn_hazard_line hl[MAX_WORDS_ALL];
	static struct gcn_hazard_mark mark[GCN_HAZARD_MARKS * HZ_MAX_INSN];
	struct found_list l = { .f = f, .cap = cap };

	if (!read_code(z, c))
		return -1;
	gcn_hazards(&flow, hl, mark, 0, found, &l);
	return l.n;
}

static void
note(void *user, const struct gcn_wait_note *n)
{
	*(int *)user += n->kind == WAIT_MISSING;
}

int
hz_check_waits(struct hz *z, const struct hz_code *c)
{
	static struct gcn_wait_state state[HZ_MAX_INSN + 1];
	int n = 0;

	if (!read_code(z, c))
		return -1;
	gcn_waits(&flow, state, note, &n);
	return n;
}

int
hz_assemble(struct hz *z, const char *text, struct hz_insn *out)
{
	struct qd_error err = { 0 };
	struct gcn_insn in;

	*out = (struct hz_insn){ 0 };
	return !gcn_parse(z->t, text, &in, &err) && encode(z->t, &in, out);
}

void
hz_text(struct hz *z, const struct hz_insn *in, char text[HZ_TEXT])
{
	struct gcn_insn insn;

	if (gcn_decode(z->t, in->word, (size_t)in->n_words, &insn))
		gcn_print(z->t, &insn, text, HZ_TEXT);
	else
		snprintf(text, HZ_TEXT, ".long 0x%08x", in->word[0]);
}

static bool
effect_at(struct hz *z, const struct hz_insn *in, struct gcn_insn *insn, struct gcn_effect *e)
{
	if (!gcn_decode(z->t, in->word, (size_t)in->n_words, insn))
		return false;
	gcn_effect_of(z->t, insn, e);
	return true;
}

/* VALU writes one of these registers less than `states` wait states before i. */
static bool
written_near(struct hz *z, const struct hz_code *c, int i, unsigned states, const struct gcn_range *r)
{
	unsigned n = 0;
	int head = 0;

	for (int b = 0; b < c->n_block; b++)
		head = c->block[b].first <= i ? c->block[b].first : head;
	while (i-- > head && n < states) {
		struct gcn_insn in;
		struct gcn_effect e;
		if (!c->insn[i].tag) /* put in */
			continue;
		if (!effect_at(z, &c->insn[i], &in, &e))
			return false;
		for (unsigned k = 0; k < e.n_range && (e.class == CL_VALU || e.class == CL_MATRIX); k++) {
			if ((e.range[k].access & GCN_WRITE) && gcn_overlap(&e.range[k], r))
				return true;
		}
		n += e.flags & E(NOP) ? in.field[GCN_F_SIMM] + 1 : 1;
	}
	return false;
}

/* Some VALU of the whole writes exec. */
static bool
writes_exec(struct hz *z, const struct hz_code *c)
{
	static const struct gcn_range exec = { .file = FILE_S, .first = GCN_EXEC, .n = 2, .half = 3 };

	for (int i = 0; i < c->n_insn; i++) {
		struct gcn_insn in;
		struct gcn_effect e;
		if (!effect_at(z, &c->insn[i], &in, &e) || (e.class != CL_VALU && e.class != CL_MATRIX))
			continue;
		for (unsigned k = 0; k < e.n_range; k++) {
			if ((e.range[k].access & GCN_WRITE) && gcn_overlap(&e.range[k], &exec))
				return true;
		}
	}
	return false;
}

int
hz_is_near(struct hz *z, const struct hz_code *c, int i, enum hz_near what)
{
	static const struct gcn_range exec = { .file = FILE_S, .first = GCN_EXEC, .n = 2, .half = 3 };
	struct gcn_insn in;
	struct gcn_effect e;
	bool lane = false, cmpx = false;

	if (!effect_at(z, &c->insn[i], &in, &e))
		return false;
	switch (what) {
	case HZ_DPP_OTHER:
		if (in.form != GCN_FORM_DPP16 || z->t->gen >= GCN_G10)
			return false;
		for (unsigned k = 0; k < e.n_range; k++) {
			if (e.range[k].role == ROLE_SRC0 && written_near(z, c, i, 2, &e.range[k]))
				return false;
		}
		return !written_near(z, c, i, 5, &exec);
	case HZ_VMEM_EXEC:
		if ((e.class != CL_VMEM && e.class != CL_FLAT) || z->t->gen >= GCN_G10)
			return false;
		for (unsigned k = 0; k < e.n_range; k++) {
			if (e.range[k].file == FILE_S && e.range[k].first < GCN_EXEC &&
			    written_near(z, c, i, 5, &e.range[k]))
				return false;
		}
		return c->n_block > 1 ? writes_exec(z, c) : written_near(z, c, i, 5, &exec);
	case HZ_LDS_DMA: return (e.flags & E(LDS_DMA)) && z->t->gen == GCN_G94;
	case HZ_HALF_LOAD: return (e.flags & E(KEEPS)) != 0;
	case HZ_PACKED:
		while (i-- > 0) {
			if (!c->insn[i].tag || !effect_at(z, &c->insn[i], &in, &e))
				continue;
			if (gcn_rows[in.row].format == GCN_VOP3P && e.class == CL_VALU)
				return z->t->gen == GCN_G94;
			if (c->n_block == 1)
				return false;
		}
		return false;
	case HZ_NULL_RESULT:
		while (i > 0 && !c->insn[i - 1].tag)
			i--;
		return i > 0 && effect_at(z, &c->insn[i - 1], &in, &e) && e.class == CL_SMEM &&
		       (in.field[GCN_F_SDST] == 125 || in.field[GCN_F_SDST] == 124);
	case HZ_LANE_SGPR:
		for (unsigned k = 0; k < e.n_range; k++)
			cmpx |= (e.range[k].access & GCN_WRITE) && gcn_overlap(&e.range[k], &exec);
		if (!cmpx)
			return false;
		if (c->n_block > 1)
			i = c->n_insn;
		while (i-- > 0) {
			if (!effect_at(z, &c->insn[i], &in, &e))
				continue;
			lane |= e.class == CL_VALU && (e.flags & E(READ_LANE));
			for (unsigned k = 0; k < e.n_range && e.class != CL_VALU; k++) {
				if ((e.range[k].access & GCN_READ) && gcn_overlap(&e.range[k], &exec) &&
				    c->n_block == 1)
					return lane;
			}
		}
		return lane;
	case HZ_IDLE:
		while (i-- > 0) {
			if (effect_at(z, &c->insn[i], &in, &e) && in.row == GCN_s_wait_idle)
				return true;
		}
		return false;
	}
	return false;
}

static void
set(uint64_t bits[2], const struct gcn_range *r)
{
	for (unsigned i = r->first; i < (unsigned)r->first + r->n && i < 126; i++)
		bits[i / 64] |= UINT64_C(1) << (i % 64);
}

void
hz_scalar(struct hz *z, const struct hz_insn *in, struct hz_scalar *out)
{
	struct gcn_insn insn;
	struct gcn_effect e;

	*out = (struct hz_scalar){ 0 };
	if (!effect_at(z, in, &insn, &e))
		return;
	out->valu = e.class == CL_VALU || e.class == CL_MATRIX;
	out->salu = e.class == CL_SALU || e.class == CL_BRANCH;
	out->counted = out->salu && gcn_rows[insn.row].format != GCN_SOPP;
	out->memory = e.class == CL_SMEM || gcn_is_buffer(gcn_rows[insn.row].format);
	if (e.flags & E(DEPCTR)) {
		out->sa_sdst_0 = !(insn.field[GCN_F_SIMM] & 1);
		out->va_vcc_0 = !(insn.field[GCN_F_SIMM] & 2);
		out->va_sdst_0 = !(insn.field[GCN_F_SIMM] & 0xe00);
	}
	for (unsigned i = 0; i < e.n_range; i++) {
		const struct gcn_range *r = &e.range[i];
		if (r->file != FILE_S)
			continue;
		if (r->access & GCN_READ)
			set(out->reads, r);
		if (r->access & GCN_WRITE)
			set(out->writes, r);
		if ((e.flags & E(LANE_MASK)) && (r->access & GCN_READ) &&
		    (r->role == ROLE_MASK || r->role == ROLE_IMPLICIT))
			set(out->mask, r);
	}
}
