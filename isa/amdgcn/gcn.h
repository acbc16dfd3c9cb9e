/* AMD machine code as data: targets, one instruction as its fields, words to
 * fields and back, fields to LLVM's text and back.  Knows no IR and allocates
 * nothing; every function is pure. */
#ifndef AMDGCN_GCN_H
#define AMDGCN_GCN_H

#include "base.h"

/* -- Targets ------------------------------------------------------------------ */

enum gcn_gen { GCN_G9, GCN_G90A, GCN_G94, GCN_G10, GCN_G11, GCN_G12, GCN_N_GEN };
enum gcn_counters { GCN_VM_LGKM, GCN_VM_LGKM_VS, GCN_SPLIT };
enum gcn_feature {
	GCN_XNACK = 1, GCN_SRAMECC = 2, GCN_AGPR = 4, GCN_ALIGN2 = 8, GCN_DPP_SGPR = 16,
	GCN_TRUE16 = 32
};

struct gcn_target {
	const char *name;
	enum gcn_gen gen;
	uint32_t class_bit; /* in the `has` masks of the tables */
	uint8_t wave, other_wave; /* wave in force; the other one there is, or 0 */
	uint8_t n_sgpr; /* addressable, without vcc */
	uint8_t vgpr_granule_32, vgpr_granule_64;
	uint32_t lds_size, lds_granule;
	/* of a SIMD: waves at most; the registers of a lane, and by how many waves get them */
	uint32_t max_waves, vgpr_file, vgpr_unit;
	enum gcn_counters counters;
	uint32_t e_flags;
	uint32_t features;
};

/* By name ("gfx1100") and wave size; wave 0 is the target's default.  NULL when
 * there is none. */
const struct gcn_target *gcn_target_find(const char *name, unsigned wave);
const struct gcn_target *gcn_target_at(size_t i); /* default waves; NULL after the last */
/* The i of a target; and back, without looking for a name. */
uint32_t gcn_target_index(const struct gcn_target *t);
const struct gcn_target *gcn_target_of(uint32_t i, unsigned wave); /* one that it has */

/* Classes of targets, each with the same instructions. */
enum { GCN_N_CLASS = 13 };
static inline unsigned
gcn_class_of(const struct gcn_target *t)
{
	return qd_log2(t->class_bit);
}

/* -- Instructions --------------------------------------------------------------- */

enum gcn_format {
	GCN_SOP1, GCN_SOP2, GCN_SOPC, GCN_SOPK, GCN_SOPP, GCN_SMEM, GCN_VOP1, GCN_VOP2, GCN_VOPC,
	GCN_DS, GCN_FLAT, GCN_GLOBAL, GCN_SCRATCH, GCN_MUBUF, GCN_MTBUF, GCN_VINTERP,
	GCN_LDSDIR, GCN_VOP3P, GCN_VOP3PX, GCN_VOPD, GCN_VOP3,
	GCN_N_FORMAT, /* those with opcodes */
	GCN_DPP16 = GCN_N_FORMAT, GCN_DPP8, GCN_SDWA, GCN_SDWAB,
	GCN_N_LAYOUT_FORMAT
};

enum gcn_field {
	GCN_F_NONE,
#define FIELD(name) GCN_F_##name,
#include "field.def"
	GCN_N_FIELD,
	/* the same bits under the names that packed and matrix instructions give them */
	GCN_F_NEG_LO = GCN_F_NEG, GCN_F_NEG_HI = GCN_F_ABS, GCN_F_ACC_AB = GCN_F_OMOD,
	GCN_F_ACC_CD = GCN_F_CLAMP, GCN_F_CBSZ = GCN_F_ABS, GCN_F_ABID = GCN_F_OPSEL,
	GCN_F_BLGP = GCN_F_NEG, GCN_F_KEY = GCN_F_OPSEL
};

enum gcn_row_id {
#define GCN(id, ...) GCN_##id,
#include "insn.def"
	GCN_N_ROW
};

/* Operations, which go by the ids of any of their rows: gcn_row_of(t, GCN_OP_v_add_u32) is
 * GCN_v_add_u32 on gfx9 and GCN_v_add_nc_u32 on later targets, GCN_OP_v_add_nc_u32 as well.
 * Rows do the same that have one text, or names of one operation in operation.def, if they are of
 * one format and have the same operands; modifiers may differ. */
enum gcn_op {
#define GCN(id, ...) GCN_OP_##id,
#include "insn.def"
};

enum gcn_form { GCN_FORM_BASE, GCN_FORM_DPP16, GCN_FORM_DPP8, GCN_FORM_SDWA };

/* A source is numbered as the hardware does: 0.. scalar registers and constants
 * (the manuals' table), 255 the literal, 256 + n vector registers.  Fields of
 * vector registers alone hold n.  Whether n is an accumulation register is a
 * bit of its own: GCN_F_ACC, or GCN_F_ACC_AB and GCN_F_ACC_CD of matrix instructions. */
struct gcn_insn {
	uint16_t row; /* enum gcn_row_id */
	uint8_t form, n_words;
	uint32_t field[GCN_N_FIELD];
};

/* op_sel_hi of packed instructions, a bit a source: two of them stand where
 * others have omod, the third beside op_sel. */
static inline uint32_t
gcn_op_sel_hi(const struct gcn_insn *in)
{
	return in->field[GCN_F_OMOD] | (in->field[GCN_F_OPSEL] >> 3) << 2;
}

static inline void
gcn_set_op_sel_hi(struct gcn_insn *in, uint32_t v)
{
	in->field[GCN_F_OMOD] = v & 3;
	in->field[GCN_F_OPSEL] = (in->field[GCN_F_OPSEL] & 7) | (v >> 2 & 1) << 3;
}

static inline uint32_t
gcn_v(unsigned n)
{
	return 256 + n;
}

/* Numbers of accumulation registers in views of operands. */
enum { GCN_ACC = 512 };

enum { GCN_MAX_WORDS = 5, GCN_LITERAL = 255 };

/* The row that does it on the target; where none does, the operation's own, which the target
 * has not: calls and encoders say so. */
extern const uint16_t gcn_ops[GCN_N_CLASS][GCN_N_ROW];
static inline enum gcn_row_id
gcn_row_of(const struct gcn_target *t, enum gcn_op op)
{
	return (enum gcn_row_id)gcn_ops[gcn_class_of(t)][op];
}
bool gcn_has(const struct gcn_target *t, enum gcn_row_id row);
/* The word to stand where code is fetched ahead, but not run: s_code_end, s_nop where there
 * is none. */
uint32_t gcn_filler(const struct gcn_target *t);

/* Words of the instruction, 1 to 3, or 0: no instruction that this target has. */
int gcn_decode(const struct gcn_target *t, const uint32_t *words, size_t n_words,
	       struct gcn_insn *out);
/* The other way round, for all that gcn_decode gives; the number of words into
 * *n_words. */
qd_status gcn_words(const struct gcn_target *t, const struct gcn_insn *in,
		    uint32_t out[GCN_MAX_WORDS], int *n_words, struct qd_error *err);
/* The same, but refuses with a reason what an assembler refuses as well: words
 * that can be decoded, but ask the target for more than it does. */
qd_status gcn_encode(const struct gcn_target *t, const struct gcn_insn *in,
		     uint32_t out[GCN_MAX_WORDS], int *n_words, struct qd_error *err);
/* The text that LLVM 22 prints, without tab or newline, NUL-terminated and cut
 * at cap; returns its length. */
size_t gcn_print(const struct gcn_target *t, const struct gcn_insn *in, char *text, size_t cap);
/* One line of that text back to fields; err->col is where it was not understood. */
qd_status gcn_parse(const struct gcn_target *t, const char *text, struct gcn_insn *out,
		    struct qd_error *err);
/* Lines of that text to words, as gcn_encode takes them: comments begin with //
 * or ;, a label ends in a colon and is what branches may name, .long gives words
 * as they are.  err has line and column of what is wrong. */
qd_status gcn_assemble(const struct gcn_target *t, const char *text, size_t len, uint32_t *words,
		       size_t cap, size_t *n, struct qd_error *err);

#endif
