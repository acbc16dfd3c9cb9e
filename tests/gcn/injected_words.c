/* Faults in emitted words (injected.h). */
#include "injected.h"

#include <stdlib.h>

#include "effect.h"

#define NOP 0xbf800000u /* s_nop 0, on all targets */
enum { ZERO = 128, SIZE_8 = 136, ONES = 193 }; /* sources */

/* -- Kinds of lines ------------------------------------------------------------------------ */

static const struct gcn_insn *
insn(const struct mutant_code *c, uint32_t line)
{
	return &c->f.line[line].insn;
}

/* Returns whether the line is this mask operation, in the form of the wave's width. */
static bool
is_mask_op(const struct mutant_code *c, uint32_t line, enum gcn_op op32, enum gcn_op op64)
{
	return insn(c, line)->row == gcn_row_of(c->t, c->t->wave == 64 ? op64 : op32);
}

static bool
is_move(const struct mutant_code *c, uint32_t line)
{
	return is_mask_op(c, line, GCN_OP_s_mov_b32, GCN_OP_s_mov_b64);
}

static bool
is_save_and(const struct mutant_code *c, uint32_t line)
{
	return is_mask_op(c, line, GCN_OP_s_and_saveexec_b32, GCN_OP_s_and_saveexec_b64);
}

static bool
is_without(const struct mutant_code *c, uint32_t line)
{
	return is_mask_op(c, line, GCN_OP_s_andn2_b32, GCN_OP_s_andn2_b64);
}

static uint32_t
dst(const struct mutant_code *c, uint32_t line)
{
	return insn(c, line)->field[GCN_F_SDST];
}

static uint32_t
src(const struct mutant_code *c, uint32_t line)
{
	return insn(c, line)->field[GCN_F_SSRC0];
}

static bool
writes(const struct mutant_code *c, uint32_t line, uint32_t reg)
{
	const struct gcn_range s = { .file = FILE_S, .first = (uint16_t)reg, .n = 1, .half = 3 };
	struct gcn_effect fx;

	if (c->f.line[line].flags & LINE_UNKNOWN)
		return false;
	gcn_effect_of(c->t, insn(c, line), &fx);
	for (unsigned i = 0; i < fx.n_range; i++)
		if ((fx.range[i].access & GCN_WRITE) && gcn_overlap(&fx.range[i], &s))
			return true;
	return false;
}

/* Returns whether `reg` holds a saved exec mask at the line. Constructs are nested, so the last
 * write before the line that does not only remove lanes began the construct. */
static bool
is_save(const struct mutant_code *c, uint32_t line, uint32_t reg)
{
	if (reg >= GCN_VCC)
		return false;
	while (line-- > 0) {
		if (!writes(c, line, reg))
			continue;
		if (is_without(c, line) && dst(c, line) == reg && src(c, line) == reg)
			continue;
		return dst(c, line) == reg &&
		       (is_save_and(c, line) || (is_move(c, line) && src(c, line) == GCN_EXEC));
	}
	return false;
}

/* Returns whether only memory accesses are between the line and the restore of exec. */
static bool
is_guard(const struct mutant_code *c, uint32_t line)
{
	uint32_t save = dst(c, line);
	bool accesses = false;

	while (++line < c->f.n_line && !(c->f.line[line].flags & (LINE_TARGET | LINE_UNKNOWN))) {
		unsigned class = gcn_props_of(insn(c, line)->row).class;
		if (is_move(c, line) && dst(c, line) == GCN_EXEC && src(c, line) == save)
			return accesses;
		if (class == CL_BRANCH || class == CL_END)
			return false;
		accesses |= class == CL_DS || class == CL_VMEM;
	}
	return false;
}

static bool
is_dpp(const struct mutant_code *c, uint32_t line)
{
	return insn(c, line)->form == GCN_FORM_DPP16;
}

/* Returns the next DPP line, cyclically, with a different control; the line itself if there is
 * none. */
static uint32_t
other_dpp(const struct mutant_code *c, uint32_t line)
{
	uint32_t k = line;

	do
		k = (k + 1) % (uint32_t)c->f.n_line;
	while (k != line &&
	       (!is_dpp(c, k) || insn(c, k)->field[GCN_F_CTRL] == insn(c, line)->field[GCN_F_CTRL]));
	return k;
}

static bool
is_place(const struct mutant_code *c, uint32_t line, enum injected_word what)
{
	enum mutant_kind kind;

	switch (what) {
	case WORD_NONE: return false;
	case WORD_WAIT: return mutant_at(c, line, &kind) && kind == MUTANT_WAIT;
	case WORD_NOP: return mutant_at(c, line, &kind) && kind == MUTANT_NOP;
	case WORD_RESTORE:
		return is_move(c, line) && dst(c, line) == GCN_EXEC && is_save(c, line, src(c, line));
	case WORD_ALL: return is_move(c, line) && dst(c, line) == GCN_EXEC && src(c, line) == ONES;
	case WORD_TAKE:
		return is_without(c, line) && dst(c, line) == src(c, line) &&
		       is_save(c, line, src(c, line));
	case WORD_LEAVE: return is_without(c, line) && dst(c, line) == GCN_EXEC;
	case WORD_ELSE:
		return dst(c, line) == GCN_EXEC &&
		       (is_mask_op(c, line, GCN_OP_s_xor_b32, GCN_OP_s_xor_b64) ||
			is_mask_op(c, line, GCN_OP_s_not_b32, GCN_OP_s_not_b64));
	case WORD_AND:
		return (is_save_and(c, line) && !is_guard(c, line)) ||
		       (dst(c, line) == GCN_EXEC && is_mask_op(c, line, GCN_OP_s_and_b32, GCN_OP_s_and_b64));
	case WORD_ONLY:
		return is_move(c, line) && dst(c, line) == GCN_EXEC && src(c, line) <= GCN_VCC &&
		       !is_save(c, line, src(c, line));
	case WORD_CMPX: return gcn_props_of(insn(c, line)->row).class == CL_VALU && writes(c, line, GCN_EXEC);
	case WORD_GUARD: return is_save_and(c, line) && is_guard(c, line);
	case WORD_DPP: return is_dpp(c, line) && other_dpp(c, line) != line;
	case WORD_STRIDE:
		return insn(c, line)->row == GCN_s_pack_ll_b32_b16 && src(c, line) == dst(c, line) &&
		       insn(c, line)->field[GCN_F_SSRC1] > ZERO &&
		       insn(c, line)->field[GCN_F_SSRC1] <= SIZE_8;
	}
	return false;
}

/* -- Injecting --------------------------------------------------------------------------------- */

/* Replaces the line with the instruction, padded with nops to its length. */
static bool
put(const struct mutant_code *c, uint32_t line, const struct gcn_insn *in, uint8_t *out)
{
	uint8_t *at = out + GCN_IMAGE_CODE + c->f.line[line].offset;
	uint32_t words[GCN_MAX_WORDS], nop = NOP;
	struct qd_error e;
	int n;

	if (gcn_words(c->t, in, words, &n, &e) || n > c->f.line[line].n_words)
		return false;
	memcpy(at, words, 4 * (size_t)n);
	for (; n < c->f.line[line].n_words; n++)
		memcpy(at + 4 * n, &nop, 4);
	return true;
}

static bool
put_save(const struct mutant_code *c, uint32_t line, uint8_t *out)
{
	struct gcn_insn in = { .row = (uint16_t)gcn_row_of(c->t, c->t->wave == 64 ? GCN_OP_s_mov_b64
										  : GCN_OP_s_mov_b32) };

	in.field[GCN_F_SDST] = dst(c, line);
	in.field[GCN_F_SSRC0] = GCN_EXEC;
	return put(c, line, &in, out);
}

static bool
exchange(const struct mutant_code *c, uint32_t line, uint8_t *out)
{
	uint32_t other = other_dpp(c, line);
	struct gcn_insn a = *insn(c, line), b = *insn(c, other);

	a.field[GCN_F_CTRL] = insn(c, other)->field[GCN_F_CTRL];
	b.field[GCN_F_CTRL] = insn(c, line)->field[GCN_F_CTRL];
	return put(c, line, &a, out) && put(c, other, &b, out);
}

static bool
clear_stride(const struct mutant_code *c, uint32_t line, uint8_t *out)
{
	struct gcn_insn in = *insn(c, line);

	in.field[GCN_F_SSRC1] = ZERO;
	return put(c, line, &in, out);
}

static size_t
make_at(const struct mutant_code *c, enum injected_word what, uint32_t line, uint8_t *out)
{
	bool ok;

	memcpy(out, c->image, c->size);
	if (what == WORD_DPP)
		ok = exchange(c, line, out);
	else if (what == WORD_STRIDE)
		ok = clear_stride(c, line, out);
	else if (is_save_and(c, line))
		ok = put_save(c, line, out);
	else
		return mutant_make(c, line, what == WORD_NOP ? MUTANT_NOP : MUTANT_EXEC, out);
	return ok ? c->size : 0;
}

size_t
injected_make(const struct mutant_code *c, enum injected_word what, uint64_t pick, uint8_t *out)
{
	uint32_t n = 0, at;

	for (uint32_t k = 0; k < c->f.n_line; k++)
		n += c->f.block[c->f.line[k].block].reached && is_place(c, k, what);
	if (!n)
		return 0;
	at = (uint32_t)(pick % n);
	for (uint32_t k = 0; k < c->f.n_line; k++)
		if (c->f.block[c->f.line[k].block].reached && is_place(c, k, what) && !at--)
			return make_at(c, what, k, out);
	return 0;
}
