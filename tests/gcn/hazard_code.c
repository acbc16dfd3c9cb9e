/* Pools of instructions by kind, and random functions. A function draws from few kinds and
 * registers, to make its instructions conflict. */
#include "hazard_code.h"

#include "effect.h"
#include "flow.h"
#include "random.h"
#include "targets.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_POOL = 6000, TRIES_EACH = 6 };

/* -- The pool ---------------------------------------------------------------------- */

/* Kinds of instructions, drawn with equal probability whatever their number of rows. An
 * instruction that matches none of the special kinds belongs to the kind of its class. SET: a
 * field that gets this value, if the instruction can have it. */
enum kind_id {
	KIND_TRANS, KIND_LANE, KIND_PERMLANE, KIND_MASK, KIND_FMAS, KIND_F64, KIND_ACC, KIND_DOT,
	KIND_CMPX, KIND_HWREG, KIND_DENORM, KIND_M0, KIND_ATOMIC, KIND_LDS_DMA, KIND_DGEMM, KIND_XDL,
	KIND_MATRIX, KIND_STORE, KIND_DEPCTR, KIND_WAIT, KIND_NOP, KIND_SALU, KIND_SALU_2, KIND_SMEM,
	KIND_VMEM, KIND_FLAT, KIND_DS, KIND_VALU, KIND_VALU_2, KIND_VALU_3,
	N_DRAWN, /* the remaining kinds are for recipes only */
	KIND_SMEM_LOAD = N_DRAWN, KIND_SMEM_STORE, KIND_SMEM_CACHE, KIND_MAD64, KIND_LDS_DIRECT,
	KIND_DEALLOC, KIND_GDS, KIND_ARRIVE,
	N_KIND
};
static const struct kind {
	uint32_t classes;
	uint64_t flags; /* any of these; 0: all instructions */
	uint8_t set, value;
	uint64_t none; /* without any of these */
} kinds[N_KIND] = {
#define C(x) (1u << CL_##x)
	[KIND_TRANS] = { C(VALU), E(TRANS), 0, 0, 0 },
	[KIND_LANE] = { C(VALU), E(READ_LANE) | E(LANE_SELECT), 0, 0, 0 },
	[KIND_PERMLANE] = { C(VALU), E(PERMLANE16) | E(PERMLANE_SWAP), 0, 0, 0 },
	[KIND_MASK] = { C(VALU), E(LANE_MASK), 0, 0, 0 },
	[KIND_FMAS] = { C(VALU), E(DIV_FMAS), 0, 0, 0 },
	[KIND_F64] = { C(VALU), E(SHIFT64) | E(FMA64), 0, 0, 0 },
	[KIND_ACC] = { C(VALU), E(ACC_READ) | E(ACC_WRITE), 0, 0, 0 },
	[KIND_DOT] = { C(VALU), E(DOT), 0, 0, 0 },
	[KIND_CMPX] = { C(VALU), E(CMPX), 0, 0, 0 },
	[KIND_HWREG] = { C(SALU), E(SETREG) | E(GETREG), 0, 0, 0 },
	[KIND_DENORM] = { C(SALU), E(DENORM), 0, 0, 0 },
	[KIND_M0] = { ~0u, E(MOVREL) | E(SENDMSG) | E(ADDTID), 0, 0, 0 },
	[KIND_ATOMIC] = { C(VMEM) | C(FLAT), E(ATOMIC), 0, 0, 0 },
	[KIND_LDS_DMA] = { C(VMEM) | C(FLAT), E(LDS_DMA), 0, 0, 0 },
	[KIND_DGEMM] = { C(MATRIX), E(DGEMM), 0, 0, 0 },
	[KIND_XDL] = { C(MATRIX), E(XDL), 0, 0, 0 },
	[KIND_MATRIX] = { C(MATRIX), 0, 0, 0, 0 },
	[KIND_STORE] = { C(VMEM) | C(FLAT), E(STORE), 0, 0, 0 },
	[KIND_DEPCTR] = { C(WAIT), E(DEPCTR), 0, 0, 0 },
	[KIND_WAIT] = { C(WAIT), 0, 0, 0, 0 },
	[KIND_NOP] = { C(HINT), E(NOP), 0, 0, 0 },
	[KIND_SALU] = { C(SALU), 0, 0, 0, 0 },
	[KIND_SALU_2] = { C(SALU), 0, 0, 0, 0 },
	[KIND_SMEM] = { C(SMEM), 0, 0, 0, 0 },
	[KIND_VMEM] = { C(VMEM), 0, 0, 0, 0 },
	[KIND_FLAT] = { C(FLAT), 0, 0, 0, 0 },
	[KIND_DS] = { C(DS), 0, 0, 0, 0 },
	[KIND_VALU] = { C(VALU), 0, 0, 0, 0 },
	[KIND_VALU_2] = { C(VALU), 0, 0, 0, 0 },
	[KIND_VALU_3] = { C(VALU), 0, 0, 0, 0 },
	[KIND_SMEM_LOAD] = { C(SMEM), 0, 0, 0, E(STORE) | E(CACHE) | E(UNCOUNTED) },
	[KIND_SMEM_STORE] = { C(SMEM), E(STORE), 0, 0, 0 },
	[KIND_SMEM_CACHE] = { C(SMEM), E(CACHE), 0, 0, 0 },
	[KIND_MAD64] = { C(VALU), E(MAD64), 0, 0, 0 },
	[KIND_LDS_DIRECT] = { C(VALU), 0, GCN_F_SRC0, 254, 0 },
	[KIND_DEALLOC] = { C(MESSAGE), E(SENDMSG), GCN_F_SIMM, 3, 0 },
	[KIND_GDS] = { C(DS), 0, GCN_F_GDS, 1, 0 },
	[KIND_ARRIVE] = { C(DS), E(ARRIVE), 0, 0, 0 },
};

/* Combinations of kinds that some rule needs and that random kinds rarely produce. */
static const struct recipe {
	uint8_t kind[6], n;
	bool m0, exec; /* use m0 or exec for most scalar registers */
	bool many;     /* many scalar registers */
} recipes[] = {
	{ { KIND_SALU, KIND_SALU, KIND_M0, KIND_LDS_DMA, KIND_GDS }, 5, true, false, false },
	{ { KIND_SALU, KIND_SALU, KIND_LDS_DIRECT }, 3, true, false, false },
	{ { KIND_SMEM, KIND_SMEM_STORE, KIND_SMEM_CACHE, KIND_SMEM }, 4, false, false, false },
	{ { KIND_SMEM_LOAD, KIND_SMEM_STORE }, 2, false, false, true },
	{ { KIND_SMEM_LOAD, KIND_SMEM_CACHE }, 2, false, false, true },
	{ { KIND_VMEM, KIND_FLAT, KIND_STORE, KIND_ATOMIC }, 4, false, false, false },
	{ { KIND_CMPX, KIND_CMPX, KIND_VALU, KIND_LANE }, 4, false, true, false },
	{ { KIND_MAD64, KIND_MAD64, KIND_VALU }, 3, false, false, false },
	{ { KIND_DEALLOC, KIND_NOP, KIND_SALU }, 3, false, false, false },
	{ { KIND_MASK, KIND_SALU, KIND_LANE, KIND_VALU }, 4, false, false, false },
	{ { KIND_DENORM, KIND_ATOMIC, KIND_NOP }, 3, false, false, false },
	{ { KIND_PERMLANE, KIND_CMPX, KIND_PERMLANE, KIND_VALU }, 4, false, false, false },
	{ { KIND_DS, KIND_VMEM, KIND_FLAT }, 3, false, false, false },
	{ { KIND_ACC, KIND_MATRIX, KIND_VALU, KIND_STORE }, 4, false, false, false },
	{ { KIND_VALU, KIND_DGEMM, KIND_STORE }, 3, false, false, false },
	{ { KIND_DGEMM, KIND_XDL, KIND_MATRIX, KIND_F64 }, 4, false, false, false },
	{ { KIND_VALU, KIND_SALU, KIND_VALU_2 }, 3, false, true, false },
	{ { KIND_ARRIVE, KIND_VALU, KIND_DS, KIND_ARRIVE }, 4, false, false, false },
	{ { KIND_XDL, KIND_TRANS, KIND_VALU }, 3, false, false, false },
};
enum { N_RECIPE = sizeof recipes / sizeof *recipes, ONE_IN = 4 }; /* 1 in ONE_IN functions */

struct entry {
	struct gcn_insn insn;
	bool refused;
};
struct hz {
	const struct gcn_target *t;
	struct entry *pool;
	int n_pool, first[N_KIND + 1];
};

/* Excludes control flow, modes that change the meaning of registers, and instructions that LLVM
 * rewrites in place of inserting something before them. */
static bool
is_drawn(const struct gcn_target *t, unsigned row)
{
	static const char *const not[] = { "s_set_gpr_idx", "s_setvskip", "s_subvector", "s_trap",
					   "s_sethalt", "s_getpc", "s_version", "s_setkill",
					   "s_code_end", "s_alloc_vgpr", "s_barrier", "s_get_barrier",
					   "s_ttracedata", "s_wakeup", "s_sleep" };
	struct gcn_props p = gcn_props_of(row);
	const struct gcn_row *r = &gcn_rows[row];

	if (!(gcn_row_has(r) & t->class_bit) || r->op[t->gen] == GCN_NA || r->format == GCN_LDSDIR ||
	    r->format == GCN_VINTERP || p.class == CL_BRANCH || p.class == CL_END ||
	    p.class == CL_EXPORT || p.class == CL_NONE)
		return false;
	for (size_t i = 0; i < sizeof not / sizeof *not; i++) {
		if (!strncmp(gcn_row_name(r), not[i], strlen(not[i])))
			return false;
	}
	return true;
}

static bool
is_kind(unsigned row, const struct kind *k)
{
	struct gcn_props p = gcn_props_of(row);

	if (p.flags & k->none)
		return false;
	if (!(k->classes >> p.class & 1) || (k->flags && !(p.flags & k->flags)))
		return (gcn_row_mods(&gcn_rows[row]) & M_CMPX) && (k->flags & E(CMPX));
	return true;
}

static bool encode(const struct gcn_target *t, const struct gcn_insn *in, struct hz_insn *out);

/* Returns whether the instruction, with the field of the kind set, is valid. The text must show
 * the field. */
static bool
can_be(const struct gcn_target *t, struct gcn_insn *in, const struct kind *k)
{
	struct qd_error err = { 0 };
	struct hz_insn out;
	struct gcn_insn back;
	struct gcn_view o;
	char text[HZ_TEXT];

	if (k->flags == E(CACHE)) /* with an address */
		return gcn_operand_view(t, in, 0, &o);
	if (!k->set)
		return true;
	if (k->set == GCN_F_SRC0 && in->form)
		return false;
	in->field[k->set] = k->value;
	gcn_print(t, in, text, sizeof text);
	return encode(t, in, &out) && !gcn_parse(t, text, &back, &err) &&
	       back.field[k->set] == k->value;
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
			if (!gcn_random(&d, z->t, rows[dice_below(&d, n)], &s, why) ||
			    !can_be(z->t, &s.insn, &kinds[k]))
				continue;
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

const struct gcn_target *
hz_target(const struct hz *z)
{
	return z->t;
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

/* Registers that a function uses. */
struct theme {
	uint32_t v, s; /* numbers of registers */
	bool vcc, exec;
	const struct recipe *recipe; /* or NULL */
};

static uint32_t
scalar(struct dice *d, const struct theme *th)
{
	static const uint32_t special[] = { 106, 107, 126, 124, 125 };
	uint32_t k = dice_below(d, 16);

	if (th->recipe && th->recipe->m0 && k < 8)
		return special[3 + k % 2];
	if (th->recipe && th->recipe->exec && k < 8)
		return special[2];
	if (th->vcc && k < 4)
		return special[k > 2];
	if (th->exec && k == 4)
		return special[2 + dice_below(d, 3)];
	return dice_below(d, th->s);
}

/* Replaces the registers with a few others where the instruction remains valid. */
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
	/* the register field of DPP and SDWA */
	if (in->form) {
		uint32_t before = in->field[GCN_F_X_SRC0];
		in->field[GCN_F_X_SRC0] = dice_below(d, th->v);
		if (encode(t, in, &next))
			*out = next;
		else
			in->field[GCN_F_X_SRC0] = before;
	}
}

/* Returns whether the amount of a 64-bit shift is in the last register of an allocation unit. This
 * is a hazard of gfx90a that needs no second instruction. */
static bool
is_last_amount(const struct gcn_target *t, const struct gcn_insn *in)
{
	return t->class_bit == C90A && (gcn_props_of(in->row).flags & E(SHIFT64)) &&
	       in->field[GCN_F_SRC0] >= 256 && (in->field[GCN_F_SRC0] & 7) == 7;
}

/* Returns whether the instruction does not use v255, which hazard_llvm.cpp reserves. */
static bool
is_apart(const struct gcn_target *t, const struct gcn_insn *in)
{
	static const struct gcn_range last = { .file = FILE_V, .first = 255, .n = 1, .half = 3 };
	struct gcn_effect e;

	gcn_effect_of(t, in, &e);
	for (unsigned i = 0; i < e.n_range; i++) {
		if (gcn_overlap(&e.range[i], &last))
			return false;
	}
	return true;
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
		if (!is_last_amount(z->t, &in) && is_apart(z->t, &in))
			put(c, &out);
	}
}

/* Straight code; a skip; if and else; a loop; a loop with if and else. */
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

	if (!dice_below(&d, ONE_IN))
		th = (struct theme){ .v = 2 + dice_below(&d, 6),
				     .s = 2 + dice_below(&d, 4),
				     .vcc = th.vcc,
				     .exec = th.exec,
				     .recipe = &recipes[dice_below(&d, N_RECIPE)] };
	if (th.recipe && th.recipe->many)
		th.s += 6;
	n_from += th.recipe ? 2 : 0;
	for (uint32_t i = 0, tries = 0; i < n_from && i < 8 && tries < 10000; tries++) {
		uint32_t k = th.recipe ? th.recipe->kind[dice_below(&d, th.recipe->n)]
				       : dice_below(&d, N_DRAWN);
		int n = z->first[k + 1] - z->first[k];
		if (!n)
			continue;
		from[i] = z->first[k] + (int)dice_below(&d, (uint32_t)n);
		if (!z->pool[from[i]].refused)
			i++;
	}
	n_from = n_from < 8 ? n_from : 8;
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

/* Returns whether the instruction is between equal ones, as after the end of a function. */
static bool
is_padding(const struct gcn_line *line, size_t n, size_t at)
{
	return at > 0 && at + 1 < n && line[at].insn.row == line[at - 1].insn.row &&
	       line[at].insn.row == line[at + 1].insn.row;
}

int
hz_window(struct hz *z, const uint32_t *words, unsigned long n, int counters, int i,
	  struct hz_code *without, struct hz_code *with)
{
	static struct gcn_line *line;
	static size_t n_line;

	if (i == 0) { /* not by the address: the next code can have the same */
		struct cfg f = { .line_cap = n };
		f.line = line = realloc(line, n * sizeof *line);
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
		if (is_padding(line, n_line, at) || i--)
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

/* -- Texts ----------------------------------------------------------------------------- */

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
