/* Where calls put their words: opcodes of the targets, the end of it with what was wrong,
 * and what a generator asks before it calls. */
#include "call.h"
#include "table.h"

/* -- Opcodes ------------------------------------------------------------------------ */

/* Does a shape have its destination in scalar registers?  SCALAR_x is 1 then. */
enum {
#define KIND(id, bank, n, type, flags) BANK_OF_##id = BANK_##bank,
#include "kind.def"
#define IS_VECTOR(bank)                                                                            \
	((bank) == BANK_V || (bank) == BANK_VH || (bank) == BANK_VL || (bank) == BANK_VW ||        \
	 (bank) == BANK_A || (bank) == BANK_AC || (bank) == BANK_AV || (bank) == BANK_AVC ||       \
	 (bank) == BANK_VC)
#define O(f, k) | (F_##f == F_VDST && !IS_VECTOR(BANK_OF_##k))
#define SHAPE(id, ops) SCALAR_##id = 0 ops,
#define SHAPE_EMPTY(id) SCALAR_##id = 0,
#include "shape.def"
#define TWIN(e32, e64) SCALAR_##e32##_e64 = SCALAR_##e64,
#define HALVES(id, old, m9, gfx11, m11, gfx12, m12, e64, m64)                                      \
	SCALAR_##id##_old = 0, SCALAR_##id##_gfx11 = 0, SCALAR_##id##_gfx12 = 0,                   \
	SCALAR_##id##_e64 = SCALAR_##e64,
#include "shape.def"
#undef O
};

/* How a row is called: by its format, but for those of VOP3 and VOP3P that have another
 * kind of result. */
#define CALLED(fmt, shape, mods)                                                                   \
	((fmt) == VOP3 && ((mods) & M_VOP3B)	  ? CALL_VOP3B :                                   \
	 (fmt) == VOP3 && (SCALAR_##shape || ((mods) & M_CMPX)) ? CALL_VOP3S :                     \
	 (fmt) == VOP3P && ((mods) & M_MATRIX) ? CALL_MFMA :                                       \
						 (unsigned)(fmt))

/* Of each row for a class of targets: the opcode, and above it how it is called, so that the
 * packer of another format finds bits too many; GCN_NA has them for all. */
#define COLUMN_BEGIN(class) static const uint16_t ops_##class[GCN_N_ROW] = {
#define ROW_OF(class, id, has, op, fmt, shape, mods)                                               \
	[GCN_##id] = (has) & C##class && (op) != GCN_NA                                            \
			     ? ((op) & CALL_OP) | CALLED(fmt, shape, mods) << CALL_SHIFT           \
			     : GCN_NA,

COLUMN_BEGIN(906)
#define GCN(id, text, fmt, o9, o10, o11, o12, has, sh, m, ...) ROW_OF(906, id, has, o9, fmt, sh, m)
#include "insn.def"
};
COLUMN_BEGIN(908)
#define GCN(id, text, fmt, o9, o10, o11, o12, has, sh, m, ...) ROW_OF(908, id, has, o9, fmt, sh, m)
#include "insn.def"
};
COLUMN_BEGIN(9G)
#define GCN(id, text, fmt, o9, o10, o11, o12, has, sh, m, ...) ROW_OF(9G, id, has, o9, fmt, sh, m)
#include "insn.def"
};
COLUMN_BEGIN(90A)
#define GCN(id, text, fmt, o9, o10, o11, o12, has, sh, m, ...) ROW_OF(90A, id, has, o9, fmt, sh, m)
#include "insn.def"
};
COLUMN_BEGIN(942)
#define GCN(id, text, fmt, o9, o10, o11, o12, has, sh, m, ...) ROW_OF(942, id, has, o9, fmt, sh, m)
#include "insn.def"
};
COLUMN_BEGIN(950)
#define GCN(id, text, fmt, o9, o10, o11, o12, has, sh, m, ...) ROW_OF(950, id, has, o9, fmt, sh, m)
#include "insn.def"
};
COLUMN_BEGIN(94G)
#define GCN(id, text, fmt, o9, o10, o11, o12, has, sh, m, ...) ROW_OF(94G, id, has, o9, fmt, sh, m)
#include "insn.def"
};
COLUMN_BEGIN(1010)
#define GCN(id, text, fmt, o9, o10, o11, o12, has, sh, m, ...) ROW_OF(1010, id, has, o10, fmt, sh, m)
#include "insn.def"
};
COLUMN_BEGIN(1011)
#define GCN(id, text, fmt, o9, o10, o11, o12, has, sh, m, ...) ROW_OF(1011, id, has, o10, fmt, sh, m)
#include "insn.def"
};
COLUMN_BEGIN(1030)
#define GCN(id, text, fmt, o9, o10, o11, o12, has, sh, m, ...) ROW_OF(1030, id, has, o10, fmt, sh, m)
#include "insn.def"
};
COLUMN_BEGIN(1100)
#define GCN(id, text, fmt, o9, o10, o11, o12, has, sh, m, ...) ROW_OF(1100, id, has, o11, fmt, sh, m)
#include "insn.def"
};
COLUMN_BEGIN(1150)
#define GCN(id, text, fmt, o9, o10, o11, o12, has, sh, m, ...) ROW_OF(1150, id, has, o11, fmt, sh, m)
#include "insn.def"
};
COLUMN_BEGIN(1200)
#define GCN(id, text, fmt, o9, o10, o11, o12, has, sh, m, ...) ROW_OF(1200, id, has, o12, fmt, sh, m)
#include "insn.def"
};

static const struct {
	uint32_t class_bit;
	const uint16_t *op;
} columns[] = {
	{ C906, ops_906 },   { C908, ops_908 },	  { C9G, ops_9G },     { C90A, ops_90A },
	{ C942, ops_942 },   { C950, ops_950 },	  { C94G, ops_94G },   { C1010, ops_1010 },
	{ C1011, ops_1011 }, { C1030, ops_1030 }, { C1100, ops_1100 }, { C1150, ops_1150 },
	{ C1200, ops_1200 },
};

/* -- The whole --------------------------------------------------------------------------------- */

void
gcn_out_init(struct gcn_out *o, const struct gcn_target *t, uint32_t *words, size_t cap)
{
	*o = (struct gcn_out){ .at = words, .end = words + cap, .gen = (uint8_t)t->gen, .target = t,
			       .begin = words, .no_acc = !(t->features & AGPR) };
	for (size_t i = 0; i < QD_COUNT(columns); i++)
		if (columns[i].class_bit == t->class_bit)
			o->op = columns[i].op;
}

qd_status
gcn_words_check(const struct gcn_target *t, const uint32_t *words, size_t n, struct qd_error *err)
{
	for (size_t at = 0; at < n;) {
		uint32_t again[GCN_MAX_WORDS];
		struct gcn_insn in;
		struct qd_error why = { 0 };
		int len = gcn_decode(t, words + at, n - at, &in), same;

		if (!len)
			return qd_fail(err, QD_E_TARGET, "word %zu: 0x%08x is no instruction on %s", at,
				       words[at], t->name);
		if (gcn_encode(t, &in, again, &same, &why))
			return qd_fail(err, QD_E_TARGET, "word %zu: %s", at, why.text);
		if (same != len || memcmp(again, words + at, (size_t)len * sizeof *again))
			return qd_fail(err, QD_E_TARGET, "word %zu: bits of %s mean nothing on %s", at,
				       gcn_rows[in.row].name, t->name);
		at += (size_t)len;
	}
	return QD_OK;
}

qd_status
gcn_out_end(struct gcn_out *o, size_t *n, struct qd_error *err)
{
	*n = 0;
	if (o->bad & GCN_BAD_ROOM)
		return qd_fail(err, QD_E_LIMIT, "%s: the buffer is full", gcn_rows[o->wrong].name);
	if (o->bad || o->pending) {
		const char *what = o->op[o->wrong] == GCN_NA ? "the target has no such instruction" :
				   o->bad & GCN_BAD_LITERAL || !o->bad
					   ? "a literal that has no place, or another beside it"
					   : "an operand or a modifier does not fit";
		return qd_fail(err, QD_E_TARGET, "%s: %s on %s", gcn_rows[o->wrong].name, what,
			       o->target->name);
	}
	*n = (size_t)(o->at - o->begin);
#ifndef NDEBUG
	return gcn_words_check(o->target, o->begin, *n, err);
#else
	return QD_OK;
#endif
}

/* -- What a generator asks --------------------------------------------------------------------- */

uint32_t
gcn_inline(uint32_t bits)
{
	/* 0.5, 1, 2, 4 and their negatives; 1 / (2 pi).  Manuals: "scalar source operands" */
	static const uint32_t floats[] = { 0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
					   0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983 };

	if (bits <= 64)
		return 128 + bits;
	if (bits >= UINT32_MAX - 15)
		return 192 + (UINT32_MAX - bits + 1);
	for (uint32_t i = 0; i < QD_COUNT(floats); i++)
		if (floats[i] == bits)
			return 240 + i;
	return 0;
}

bool
gcn_literal_ok(const struct gcn_target *t, enum gcn_format format)
{
	switch (format) {
	case SOP1: case SOP2: case SOPC: case VOP1: case VOP2: case VOPC: return true;
	case VOP3: case VOP3P: return t->gen >= G10;
	case VOPD: return t->gen >= G11;
	default: return false;
	}
}

unsigned
gcn_bus_limit(const struct gcn_target *t, enum gcn_format format)
{
	bool is_valu = gcn_has_forms(format) || format == VOPD;

	return !is_valu ? 0 : t->gen >= G10 ? 2 : 1;
}
