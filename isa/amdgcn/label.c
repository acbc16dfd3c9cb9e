/* Labels. Each word that refers to an unplaced label contains the distance to the previous such
 * word, or 0. */
#include "label.h"
#include "table.h"

enum { LINK_MAX = UINT16_MAX, CURSED = 0x3f };

static uint32_t
here(const struct gcn_out *o)
{
	return (uint32_t)(o->at - o->begin);
}

/* Returns the link from the word at `at` to the previous one; `last` is that one's index plus 1,
 * or 0. */
static uint32_t
link_to(uint32_t at, uint32_t last)
{
	return last ? at + 1 - last : 0;
}

/* Follows a link; returns the previous word's index plus 1, or 0 at the end of the list. */
static uint32_t
before(uint32_t last, uint32_t link)
{
	return link ? last - link : 0;
}

static bool
is_branch(enum gcn_row_id row)
{
	const struct gcn_row *r = &gcn_rows[row];
	const struct gcn_shape *shape = &gcn_shapes[r->shape];

	return r->format == GCN_SOPP && shape->n_op &&
	       gcn_kinds[shape->op[0].kind].bank == BANK_BRANCH;
}

static void
wrong_if(struct gcn_out *o, bool is_wrong, unsigned why)
{
	o->bad |= (uint8_t)(is_wrong ? why : 0);
}

void
gcn_branch(struct gcn_out *o, enum gcn_row_id row, struct gcn_label *l)
{
	if (o->bad)
		return;
	uint32_t at = here(o), link = link_to(at, l->branch);
	bool is_far = l->placed ? at + 1 - l->at > GCN_BRANCH_MAX + 1 : link > LINK_MAX;
	gcn_sopp(o, row, (uint16_t)(l->placed ? l->at - (at + 1) : is_far ? 0 : link));
	wrong_if(o, !is_branch(row), GCN_BAD_FIELD);
	wrong_if(o, is_far, GCN_BAD_FAR);
	if (l->placed || is_far)
		return;
	o->waiting += !l->branch && !l->address;
	l->branch = at + 1;
}

/* Returns whether a branch to this place would skip exactly 0x3f words. */
static bool
is_cursed(const struct gcn_out *o, const struct gcn_label *l)
{
	for (uint32_t w = l->branch; w; w = before(w, o->begin[w - 1] & LINK_MAX)) {
		if (here(o) - w == CURSED)
			return true;
	}
	return false;
}

/* Returns the distance in words from the end of s_getpc to the literal. */
static uint32_t
words_to_literal(const struct gcn_out *o, bool waits)
{
	return (o->gen >= GCN_G12 ? 2u : 1u) << waits;
}

void
gcn_bind_label(struct gcn_out *o, struct gcn_label *l)
{
	uint32_t w, link;

	wrong_if(o, l->placed, GCN_BAD_TWICE);
	o->waiting -= l->branch || l->address;
	if (o->bad) /* the buffer may not contain the words */
		return;
	while (!o->bad && (o->target->class_bit & (C1010 | C1011)) && is_cursed(o, l))
		gcn_sopp(o, GCN_s_nop, 0);
	if (o->bad)
		return;
	l->at = here(o);
	l->placed = true;
	for (w = l->branch; w; w = before(w, link)) {
		uint32_t *word = &o->begin[w - 1];
		link = *word & LINK_MAX;
		wrong_if(o, l->at - w > GCN_BRANCH_MAX, GCN_BAD_FAR);
		*word = (*word & ~(uint32_t)LINK_MAX) | ((l->at - w) & LINK_MAX);
	}
	/* A literal is the distance in bytes from the end of s_getpc. */
	for (w = l->address; w; w = before(w, link)) {
		uint32_t *word = &o->begin[w - 1];
		link = *word;
		*word = (l->at - (w - 1 - words_to_literal(o, l->waits))) * 4;
	}
	l->branch = l->address = 0;
}

static void
wait_alu(struct gcn_out *o, uint32_t wait)
{
	if (wait != GCN_NO_WAIT)
		gcn_sopp(o, gcn_row_of(o->target, GCN_OP_s_waitcnt_depctr), (uint16_t)wait);
}

static void
load_address(struct gcn_out *o, uint32_t dst, uint32_t wait, struct gcn_label *l)
{
	enum { MINUS_ONE = 193, ZERO = 128 };
	bool is_12 = o->gen >= GCN_G12;

	l->waits = wait != GCN_NO_WAIT;
	uint32_t from = here(o) + 1, at = from + words_to_literal(o, l->waits);
	gcn_sop1(o, gcn_row_of(o->target, GCN_OP_s_getpc_b64), dst, 0);
	wait_alu(o, wait);
	if (is_12) { /* gfx12 returns 48 bits; extend the sign */
		gcn_sop1(o, GCN_s_sext_i32_i16, dst + 1, dst + 1);
		wait_alu(o, wait);
	}
	gcn_sop2(o, is_12 ? GCN_s_add_co_u32 : GCN_s_add_u32, dst, dst,
		 gcn_literal(o, l->placed ? (l->at - from) * 4 : link_to(at, l->address)));
	wait_alu(o, wait);
	gcn_sop2(o, is_12 ? GCN_s_add_co_ci_u32 : GCN_s_addc_u32, dst + 1, dst + 1,
		 l->placed ? MINUS_ONE : ZERO);
	if (l->placed)
		return;
	o->waiting += !l->branch && !l->address;
	l->address = at + 1;
}

void
gcn_label_address(struct gcn_out *o, uint32_t dst, uint32_t wait, struct gcn_label *l)
{
	if (!o->bad)
		load_address(o, dst, wait, l);
}

void
gcn_jump(struct gcn_out *o, uint32_t dst, uint32_t wait, struct gcn_label *l)
{
	if (o->bad)
		return;
	load_address(o, dst, wait, l);
	wait_alu(o, wait);
	gcn_sop1(o, gcn_row_of(o->target, GCN_OP_s_setpc_b64), 0, dst);
}

enum gcn_row_id
gcn_inverse_branch(enum gcn_row_id row)
{
	static const uint16_t pairs[] = { GCN_s_cbranch_scc0,	GCN_s_cbranch_scc1,  GCN_s_cbranch_vccz,
					  GCN_s_cbranch_vccnz, GCN_s_cbranch_execz, GCN_s_cbranch_execnz };

	for (uint32_t i = 0; i < QD_COUNT(pairs); i++)
		if (pairs[i] == row)
			return (enum gcn_row_id)pairs[i ^ 1];
	return GCN_N_ROW;
}

void
gcn_code_end(struct gcn_out *o)
{
	enum gcn_row_id row = o->gen >= GCN_G10 ? GCN_s_code_end : GCN_s_nop;
	uint32_t line = o->gen >= GCN_G11 ? 32 : 16;

	if (o->bad)
		return;
	uint32_t n = GCN_CODE_END_WORDS + (line - here(o) % line) % line;

	while (n-- && !o->bad)
		gcn_sopp(o, row, 0);
}
