/* AMD machine code as data: targets, instructions as fields, and conversions between
 * fields, words and LLVM's assembly text. Every function is pure, allocates nothing and
 * does not depend on the IR. */
#ifndef AMDGCN_GCN_H
#define AMDGCN_GCN_H

#include "base.h"

/* -- Targets ------------------------------------------------------------------ */

enum gcn_gen { GCN_G9, GCN_G90A, GCN_G94, GCN_G10, GCN_G11, GCN_G12, GCN_G125, GCN_N_GEN };
enum gcn_counters { GCN_VM_LGKM, GCN_VM_LGKM_VS, GCN_SPLIT };
enum gcn_feature {
	GCN_XNACK = 1, GCN_SRAMECC = 2, GCN_AGPR = 4, GCN_ALIGN2 = 8, GCN_DPP_SGPR = 16,
	GCN_TRUE16 = 32
};

struct gcn_target {
	const char *name;
	enum gcn_gen gen;
	uint32_t class_bit; /* in the `has` masks of the tables */
	uint8_t wave, other_wave; /* wave size in use; the other supported one, or 0 */
	uint8_t n_sgpr; /* addressable, without vcc */
	uint8_t vgpr_granule_32, vgpr_granule_64;
	uint32_t lds_size, lds_granule;
	/* per SIMD: most waves, vector registers per lane, their allocation granule */
	uint32_t max_waves, vgpr_file, vgpr_unit;
	enum gcn_counters counters;
	uint32_t e_flags;
	uint32_t features;
};

/* Returns the target of this name ("gfx1100") and wave size, or NULL; wave 0 selects the
 * target's default. */
const struct gcn_target *gcn_target_find(const char *name, unsigned wave);
const struct gcn_target *gcn_target_at(size_t i); /* default waves; NULL after the last */
/* Return the i of a target, and the target of an i; the target must support `wave`. */
uint32_t gcn_target_index(const struct gcn_target *t);
const struct gcn_target *gcn_target_of(uint32_t i, unsigned wave);

/* All targets of a class have the same instructions. */
enum { GCN_N_CLASS = 17 };
static inline unsigned
gcn_class_of(const struct gcn_target *t)
{
	return qd_log2(t->class_bit);
}

/* -- Instructions --------------------------------------------------------------- */

enum gcn_format {
	GCN_SOP1, GCN_SOP2, GCN_SOPC, GCN_SOPK, GCN_SOPP, GCN_SMEM, GCN_VOP1, GCN_VOP2, GCN_VOPC,
	GCN_DS, GCN_FLAT, GCN_GLOBAL, GCN_SCRATCH, GCN_MUBUF, GCN_MTBUF, GCN_TENSOR, GCN_VINTERP,
	GCN_LDSDIR, GCN_VOP3P, GCN_VOP3PX, GCN_VOP3PX16, GCN_VOPD, GCN_VOPD3,
	GCN_VOP3,
	GCN_N_FORMAT, /* the formats above have opcodes */
	GCN_DPP16 = GCN_N_FORMAT, GCN_DPP8, GCN_SDWA, GCN_SDWAB,
	GCN_N_LAYOUT_FORMAT
};

enum gcn_field {
	GCN_F_NONE,
#define FIELD(name) GCN_F_##name,
#include "field.def"
	GCN_N_FIELD,
	/* aliases for packed and matrix instructions */
	GCN_F_NEG_LO = GCN_F_NEG, GCN_F_NEG_HI = GCN_F_ABS, GCN_F_ACC_AB = GCN_F_OMOD,
	GCN_F_ACC_CD = GCN_F_CLAMP, GCN_F_CBSZ = GCN_F_ABS, GCN_F_ABID = GCN_F_OPSEL,
	GCN_F_BLGP = GCN_F_NEG, GCN_F_KEY = GCN_F_OPSEL
};

enum gcn_row_id {
#define GCN(id, ...) GCN_##id,
#include "insn.def"
	GCN_N_ROW
};

/* Operations, named by the id of any of their rows: gcn_row_of(t, GCN_OP_v_add_u32) is
 * GCN_v_add_u32 on gfx9 and GCN_v_add_nc_u32 on later targets, and so is GCN_OP_v_add_nc_u32.
 * Two rows are the same operation if they have the same format and operands, and either one
 * text or names that operation.def equates; modifiers may differ. */
enum gcn_op {
#define GCN(id, ...) GCN_OP_##id,
#include "insn.def"
};

enum gcn_form { GCN_FORM_BASE, GCN_FORM_DPP16, GCN_FORM_DPP8, GCN_FORM_SDWA };

/* One instruction. A source field has the hardware's number: scalar registers and constants
 * from 0 (the ISA guides' table), the literal 255, vector register n 256 + n. A field that
 * takes only vector registers holds n. A separate bit marks an accumulation register:
 * GCN_F_ACC, or GCN_F_ACC_AB and GCN_F_ACC_CD in matrix instructions. */
struct gcn_insn {
	uint16_t row; /* enum gcn_row_id */
	uint8_t form, n_words;
	uint32_t field[GCN_N_FIELD];
};

/* op_sel_hi of packed instructions, one bit per source: bits 0 and 1 use the bits of omod,
 * bit 2 the fourth bit of op_sel. */
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

/* The first accumulation register's number in operand views. */
enum { GCN_ACC = 512 };

/* GCN_LITERAL64: on gfx1250, in operands of 64 bits; the low half precedes the high half. */
enum { GCN_MAX_WORDS = 5, GCN_LITERAL = 255, GCN_LITERAL64 = 254 };

/* Tables of numbers in pages, since most pages of a target's tables are equal to another one. */
enum { GCN_PAGE = 16, GCN_N_ROW_PAGE = (GCN_N_ROW + GCN_PAGE - 1) / GCN_PAGE };
static inline unsigned
gcn_paged(const uint16_t *page, const uint16_t cell[][GCN_PAGE], unsigned i)
{
	return cell[page[i / GCN_PAGE]][i % GCN_PAGE];
}

/* Returns the row of an operation by the target's gcn_op_page. */
extern const uint16_t gcn_op_page[GCN_N_CLASS][GCN_N_ROW_PAGE], gcn_op_cell[][GCN_PAGE];
static inline enum gcn_row_id
gcn_row_in(const uint16_t *page, enum gcn_op op)
{
	return (enum gcn_row_id)((op + gcn_paged(page, gcn_op_cell, op)) & 0xffff);
}

/* Returns the row that implements the operation on the target. If the target has none, the
 * result is the operation's own row, which calls and encoders then reject. */
static inline enum gcn_row_id
gcn_row_of(const struct gcn_target *t, enum gcn_op op)
{
	return gcn_row_in(gcn_op_page[gcn_class_of(t)], op);
}
bool gcn_has(const struct gcn_target *t, enum gcn_row_id row);
/* Returns the word that pads code which is prefetched but never executed: s_code_end, or
 * s_nop if the target has no s_code_end. */
uint32_t gcn_filler(const struct gcn_target *t);

/* Returns the number of words of the instruction, or 0 if the target has no such
 * instruction. */
int gcn_decode(const struct gcn_target *t, const uint32_t *words, size_t n_words,
	       struct gcn_insn *out);
/* Encodes any instruction that gcn_decode returns; *n_words is the number of words. */
qd_status gcn_words(const struct gcn_target *t, const struct gcn_insn *in,
		    uint32_t out[GCN_MAX_WORDS], int *n_words, struct qd_error *err);
/* Does the same, but fails for instructions that decode and that an assembler rejects,
 * because the target does not support them as written. */
qd_status gcn_encode(const struct gcn_target *t, const struct gcn_insn *in,
		     uint32_t out[GCN_MAX_WORDS], int *n_words, struct qd_error *err);
/* Writes the text that LLVM 22 prints, without tab or newline, NUL-terminated and truncated
 * to cap bytes. Returns the length of the whole text. */
size_t gcn_print(const struct gcn_target *t, const struct gcn_insn *in, char *text, size_t cap);
/* Parses one line of that text; on failure err->col is the column of the error. */
qd_status gcn_parse(const struct gcn_target *t, const char *text, struct gcn_insn *out,
		    struct qd_error *err);
/* Assembles lines of that text with gcn_encode. Comments begin with // or ;, a label ends in
 * a colon and may be the target of a branch, .long emits words as they are. On failure err
 * has the line and column. */
qd_status gcn_assemble(const struct gcn_target *t, const char *text, size_t len, uint32_t *words,
		       size_t cap, size_t *n, struct qd_error *err);

#endif
