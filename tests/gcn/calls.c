/* Checks that the packers of call.h give the same words as gcn_words. Encodes random legal
 * instructions of every row twice: by their fields (gcn_put) and by the call of their format, if
 * any.
 *  calls [PER-ROW [SEED [TARGET[:WAVE]]]]   (no target: one target of each class)
 *  calls --mutate   replaces one field of one call with another, and must detect it */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "random.h"
#include "targets.h"

enum { LISTED = 8 };

static struct {
	bool inject;
	uint64_t n, by_call, failures;
} all;

static uint32_t
source(struct gcn_out *o, const struct gcn_insn *in, unsigned field)
{
	uint32_t n = in->field[field];

	return n == GCN_LITERAL ? gcn_literal(o, in->field[GCN_F_LIT]) : n;
}

static uint32_t
policy(const struct gcn_insn *in)
{
	const uint32_t *f = in->field;

	return f[GCN_F_GLC] * GCN_GLC | f[GCN_F_SLC] * GCN_SLC | f[GCN_F_DLC] * GCN_DLC |
	       f[GCN_F_SCC] * GCN_SCC | f[GCN_F_NV] * GCN_NV | f[GCN_F_TH] * GCN_TH |
	       f[GCN_F_SCOPE] * GCN_SCOPE;
}

/* Returns the offset field, sign-extended from its width if it is signed. */
static int32_t
signed_offset(const struct gcn_target *t, const struct gcn_insn *in, bool is_signed)
{
	const struct gcn_layout *l = gcn_layout_of(t, gcn_rows[in->row].format);
	uint32_t v = in->field[GCN_F_OFFSET];

	for (unsigned i = 0; i < l->n_fields; i++)
		if (l->bits[i].field == GCN_F_OFFSET && is_signed && v >> (l->bits[i].width - 1))
			v -= UINT32_C(1) << l->bits[i].width;
	return (int32_t)v;
}

static void
call_vop3(struct gcn_out *o, const struct gcn_insn *in)
{
	const uint32_t *f = in->field;
	enum gcn_row_id row = (enum gcn_row_id)in->row;
	uint32_t s0 = source(o, in, GCN_F_SRC0), s1 = source(o, in, GCN_F_SRC1),
		 s2 = source(o, in, GCN_F_SRC2);
	struct gcn_mods m = { .neg = (uint8_t)f[GCN_F_NEG], .abs = (uint8_t)f[GCN_F_ABS],
			      .op_sel = (uint8_t)f[GCN_F_OPSEL], .omod = (uint8_t)f[GCN_F_OMOD],
			      .clamp = f[GCN_F_CLAMP] };

	switch (gcn_call_of(o->op, row) >> CALL_SHIFT) {
	case CALL_VOP3B:
		m.abs = m.op_sel = 0;
		gcn_vop3b(o, row, gcn_v(f[GCN_F_VDST]), f[GCN_F_ABS] | f[GCN_F_OPSEL] << 3, s0, s1,
			  s2, m);
		break;
	case CALL_VOP3S:
		gcn_vop3s(o, row, gcn_row_mods(&gcn_rows[row]) & M_CMPX ? 126 : f[GCN_F_VDST], s0, s1, m);
		break;
	case CALL_MFMA:
		gcn_mfma(o, row, f[GCN_F_ACC_CD] ? gcn_acc(f[GCN_F_VDST]) : gcn_v(f[GCN_F_VDST]),
			 f[GCN_F_ACC_AB] & 1 ? gcn_acc(s0 - 256) : s0,
			 f[GCN_F_ACC_AB] & 2 ? gcn_acc(s1 - 256) : s1,
			 f[GCN_F_ACC_CD] && s2 >= 256 ? gcn_acc(s2 - 256) : s2,
			 (struct gcn_mfma){ (uint8_t)f[GCN_F_CBSZ], (uint8_t)f[GCN_F_ABID],
					    (uint8_t)f[GCN_F_BLGP] });
		break;
	case GCN_VOP3P:
		m.op_sel_hi = (uint8_t)gcn_op_sel_hi(in);
		m.op_sel &= 7;
		m.omod = 0;
		gcn_vop3p(o, row, gcn_v(f[GCN_F_VDST]), s0, s1, s2, m);
		break;
	default: gcn_vop3m(o, row, gcn_v(f[GCN_F_VDST]), s0, s1, s2, m); break;
	}
}

static void
call_flat(struct gcn_out *o, const struct gcn_insn *in)
{
	const struct gcn_target *t = o->target;
	const uint32_t *f = in->field;
	enum gcn_row_id row = (enum gcn_row_id)in->row;
	unsigned format = gcn_rows[row].format;
	uint32_t off = gcn_no_saddr(t, format, false), alone = gcn_no_saddr(t, format, true);
	bool base = format != GCN_FLAT && f[GCN_F_SADDR] != off &&
		    !(format == GCN_SCRATCH && f[GCN_F_SADDR] == alone);
	bool addr =
		format != GCN_SCRATCH || (gcn_has_sve(t) ? f[GCN_F_SVE] : f[GCN_F_SADDR] == off);
	struct gcn_mem m = { .dst = f[GCN_F_ACC] ? gcn_acc(f[GCN_F_VDST]) : gcn_v(f[GCN_F_VDST]),
			     .data = f[GCN_F_ACC] ? gcn_acc(f[GCN_F_DATA0]) : gcn_v(f[GCN_F_DATA0]),
			     .addr = addr ? gcn_v(f[GCN_F_ADDR]) : GCN_OFF,
			     .base = base ? f[GCN_F_SADDR] : GCN_OFF,
			     .offset =
				     signed_offset(t, in, format != GCN_FLAT || t->gen >= GCN_G12),
			     .policy = policy(in) };

	switch (format) {
	case GCN_FLAT: gcn_flat(o, row, m); break;
	case GCN_GLOBAL: gcn_global(o, row, m); break;
	default: gcn_scratch(o, row, m); break;
	}
}

static void
call_scalar(struct gcn_out *o, const struct gcn_insn *in)
{
	const uint32_t *f = in->field;
	enum gcn_row_id row = (enum gcn_row_id)in->row;
	bool literal = f[GCN_F_SSRC0] == GCN_LITERAL, second = f[GCN_F_SSRC1] == GCN_LITERAL;
	uint32_t s0 = literal ? gcn_literal(o, f[GCN_F_LIT]) : f[GCN_F_SSRC0];
	uint32_t s1 = second ? gcn_literal(o, f[GCN_F_LIT]) : f[GCN_F_SSRC1];

	switch (gcn_rows[row].format) {
	case GCN_SOP1: gcn_sop1(o, row, f[GCN_F_SDST], s0); break;
	case GCN_SOP2: gcn_sop2(o, row, f[GCN_F_SDST], s0, s1); break;
	case GCN_SOPC: gcn_sopc(o, row, s0, s1); break;
	case GCN_SOPK: gcn_sopk(o, row, f[GCN_F_SDST], (uint16_t)f[GCN_F_SIMM]); break;
	default: gcn_sopp(o, row, (uint16_t)f[GCN_F_SIMM]); break;
	}
}

static void
call_vector(struct gcn_out *o, const struct gcn_insn *in, bool constant)
{
	const uint32_t *f = in->field;
	enum gcn_row_id row = (enum gcn_row_id)in->row;
	uint32_t dst = gcn_v(f[GCN_F_VDST]), s0 = source(o, in, GCN_F_SRC0),
		 s1 = gcn_v(f[GCN_F_VSRC1]);

	if (all.inject && gcn_rows[row].format == GCN_VOP2)
		s1 ^= 1;
	switch (gcn_rows[row].format) {
	case GCN_VOP1: gcn_vop1(o, row, dst, s0); break;
	case GCN_VOPC: gcn_vopc(o, row, s0, s1); break;
	default:
		if (constant)
			gcn_vop2k(o, row, dst, s0, s1, f[GCN_F_LIT]);
		else
			gcn_vop2(o, row, dst, s0, s1);
		break;
	}
}

/* Encodes the instruction by the call of its format. Returns false if no call can express it. */
static bool
call(struct gcn_out *o, const struct gcn_insn *in)
{
	const uint32_t *f = in->field;
	enum gcn_row_id row = (enum gcn_row_id)in->row;
	const struct gcn_target *t = o->target;
	struct gcn_views ops;

	if (in->form || f[GCN_F_TFE] || f[GCN_F_LDS])
		return false;
	gcn_operand_views(t, in, &ops);
	if (ops.literal > 1 || (t->gen >= GCN_G12 && f[GCN_F_SOE]))
		return false; /* literals of 64 bits and scaled offsets are of gfx1250 */
	if (gcn_flat_scalar(t, in))
		return false; /* so are scalar parts of flat addresses */
	switch (gcn_rows[row].format) {
	case GCN_SOP1: case GCN_SOP2: case GCN_SOPC: case GCN_SOPK: case GCN_SOPP:
		/* s_setreg_imm32_b32 and similar instructions have a trailing constant that is not
		 * a source. */
		if (ops.literal && f[GCN_F_SSRC0] != GCN_LITERAL && f[GCN_F_SSRC1] != GCN_LITERAL)
			return false;
		call_scalar(o, in);
		return true;
	case GCN_VOP1: case GCN_VOP2: case GCN_VOPC:
		call_vector(o, in, ops.literal && f[GCN_F_SRC0] != GCN_LITERAL);
		return true;
	case GCN_VOP3: case GCN_VOP3P:
		/* The fields of missing operands have no parameter. */
		if (!ops.n && (f[GCN_F_SRC0] | f[GCN_F_SRC1] | f[GCN_F_SRC2]))
			return false;
		call_vop3(o, in);
		return true;
	case GCN_SMEM:
		if (t->gen < GCN_G10 && (!f[GCN_F_IMM] || (!f[GCN_F_SOE] && f[GCN_F_SOFFSET])))
			return false;
		if (!f[GCN_F_SBASE] && !f[GCN_F_OFFSET] && gcn_shapes[gcn_rows[row].shape].n_op < 2)
			return false; /* cache operations have no parameters */
		gcn_smem(o, row, f[GCN_F_SDST], 2 * f[GCN_F_SBASE], signed_offset(t, in, true),
			 t->gen < GCN_G10 && !f[GCN_F_SOE] ? GCN_OFF : f[GCN_F_SOFFSET],
			 policy(in));
		return true;
	case GCN_DS:
		if (f[GCN_F_GDS] && !(gcn_row_mods(&gcn_rows[row]) & M_GDSONLY))
			return false;
		gcn_ds(o, row, f[GCN_F_ACC] ? gcn_acc(f[GCN_F_VDST]) : gcn_v(f[GCN_F_VDST]),
		       gcn_v(f[GCN_F_ADDR]),
		       f[GCN_F_ACC] ? gcn_acc(f[GCN_F_DATA0]) : gcn_v(f[GCN_F_DATA0]),
		       f[GCN_F_ACC] ? gcn_acc(f[GCN_F_DATA1]) : gcn_v(f[GCN_F_DATA1]),
		       (uint16_t)f[GCN_F_OFFSET]);
		return true;
	case GCN_FLAT: case GCN_GLOBAL: case GCN_SCRATCH:
		/* Cache operations have no address. */
		if (gcn_shapes[gcn_rows[row].shape].n_op < 2)
			return false;
		call_flat(o, in);
		return true;
	case GCN_MUBUF:
		gcn_mubuf(o, row,
			  (struct gcn_buf){ .data = f[GCN_F_ACC] ? gcn_acc(f[GCN_F_VDST])
								 : gcn_v(f[GCN_F_VDST]),
					    .addr = gcn_v(f[GCN_F_ADDR]),
					    .rsrc = 4 * f[GCN_F_SRSRC],
					    .soffset = f[GCN_F_SOFFSET],
					    .offset = f[GCN_F_OFFSET],
					    .offen = f[GCN_F_OFFEN],
					    .idxen = f[GCN_F_IDXEN],
					    .policy = policy(in) });
		return true;
	default: return false;
	}
}

static void
compare(const struct gcn_out *o, const struct sample *s, const char *what)
{
	size_t n = (size_t)(o->at - o->begin);
	char name[40];

	if (!o->bad && n == (size_t)s->n_words && !memcmp(o->begin, s->w, n * sizeof *s->w))
		return;
	if (all.failures++ < LISTED)
		printf("%s: '%s': %s encodes bad %u, %08x %08x %08x, expected %08x %08x %08x\n",
		       target_name(o->target, name), s->text, what, o->bad, o->begin[0],
		       n > 1 ? o->begin[1] : 0, n > 2 ? o->begin[2] : 0, s->w[0],
		       s->n_words > 1 ? s->w[1] : 0, s->n_words > 2 ? s->w[2] : 0);
}

static void
one(const struct gcn_target *t, const struct sample *s)
{
	uint32_t w[2 * GCN_MAX_WORDS];
	struct gcn_out o;

	gcn_out_init(&o, t, w, QD_COUNT(w));
	gcn_put(&o, &s->insn);
	compare(&o, s, "gcn_put");
	all.n++;
	gcn_out_init(&o, t, w, QD_COUNT(w));
	if (!call(&o, &s->insn))
		return;
	all.by_call++;
	compare(&o, s, "its call");
}

int
main(int argc, char **argv)
{
	all.inject = argc > 1 && !strcmp(argv[1], "--mutate");
	unsigned per_row = argc > 1 && !all.inject ? (unsigned)strtoul(argv[1], NULL, 0) : 2;
	unsigned seed = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 1;
	struct targets l = argc > 3 ? targets_named(argv[3]) : targets_of_classes();

	for (unsigned i = 0; i < l.n; i++) {
		struct dice d = dice(seed, i);
		for (unsigned row = 0; row < GCN_N_ROW; row++) {
			struct sample s;
			char why[256];
			if (!(gcn_row_has(&gcn_rows[row]) & l.target[i]->class_bit))
				continue;
			for (unsigned k = 0; k < per_row; k++)
				if (gcn_random(&d, l.target[i], row, &s, why))
					one(l.target[i], &s);
		}
	}
	printf("seed %u: %llu random instructions of %u targets, %llu of them by their calls, %llu failures\n",
	       seed, (unsigned long long)all.n, l.n, (unsigned long long)all.by_call,
	       (unsigned long long)all.failures);
	return !l.n || all.failures;
}
