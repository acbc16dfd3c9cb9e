/* The tables that implement gcn.h, for the files of this directory and its tests. */
#ifndef AMDGCN_TABLE_H
#define AMDGCN_TABLE_H

#include "gcn.h"

/* Classes of targets, each with the same instructions, and sets of them. */
enum {
	C906 = 1 << 0, C908 = 1 << 1, C90A = 1 << 2, C942 = 1 << 3, C950 = 1 << 4,
	C1010 = 1 << 5, C1011 = 1 << 6, C1030 = 1 << 7, C1100 = 1 << 8, C1150 = 1 << 9,
	C1200 = 1 << 10, C9G = 1 << 11, C94G = 1 << 12, /* gfx9-generic, gfx9-4-generic */
	C900 = 1 << 13, C904 = 1 << 14, C1250 = 1 << 15, C1251 = 1 << 16,
	GFX90 = C9G | C900 | C904 | C906 | C908, GFX94 = C94G | C942 | C950, GFX9 = GFX90 | C90A | GFX94,
	GFX10 = C1010 | C1011 | C1030, GFX11 = C1100 | C1150, GFX125 = C1250 | C1251,
	GFX12 = C1200 | GFX125,
	ALL = GFX9 | GFX10 | GFX11 | GFX12
};
_Static_assert(ALL == (1 << GCN_N_CLASS) - 1, "a bit for each class");

enum { GCN_NA = 0xffff, NA = GCN_NA, GCN_MAX_OPERANDS = 6, GCN_MAX_VIEWS = 8, GCN_MAX_FIELDS = 18 };
enum { B9 = 1, B90A = 2, B94 = 4, B10 = 8, B11 = 16, B12 = 32, B125 = 64 };

/* Flags of rows; table.c asserts which of them a format may have. */
#define M(n) (UINT64_C(1) << (n))
#define M_ABS0 M(0)
#define M_ABS1 M(1)
#define M_ABS2 M(2)
#define M_NEG0 M(3)
#define M_NEG1 M(4)
#define M_NEG2 M(5)
#define M_SEL0 M(6)
#define M_SEL1 M(7)
#define M_SEL2 M(8)
#define M_SEL3 M(9)
#define M_CLAMP M(10)
#define M_OMOD M(11)
#define M_SELANY M(12)
#define M_VOP3B M(13)
#define M_CLANY M(14)
#define M_INT0 M(15)        /* neg and abs of the source: ignored bits */
#define M_INT1 M(16)
#define M_INT2 M(17)
#define M_CMPX M(18)        /* the destination field is ignored: the destination is exec, which is written */
#define M_HALVES M(19)      /* the text must name register halves, .l or .h */
#define M_REVERSED M(20)    /* the operation swaps its operands */
/* Only SDWA. */
#define M_WHOLE M(21)       /* writes the whole destination: no dst_sel, and no sext of a byte's float */
#define M_PARTIAL M(22)     /* only in modifier.def: rows without M_WHOLE */
/* Only memory. */
#define M_OFF M(23)         /* LDS: an offset */
#define M_OFF2 M(24)        /* two offsets of 8 bits */
#define M_SWIZZLE M(25)     /* a pattern of lanes */
#define M_GDS M(26)
#define M_GDSONLY M(27)
#define M_CPOL M(28)        /* scalar memory, caches: a policy (glc, dlc, th, scope ...) */
#define M_STORE M(29)
#define M_ATOMIC M(30)      /* has a destination only if it returns the old value */
#define M_LDS M(31)         /* may load to LDS; has no destination then */
#define M_LDSONLY M(32)     /* stores from LDS */
#define M_FLOAT_ATOMIC M(33)/* on gfx908, where it never returns, and gfx90a: no scc */
/* Only VOP3. Without M_SEL flags op_sel is ignored, except for the halves of TRUE16. */
#define M_NOINT M(34)       /* neg and abs must be clear although op_sel is used */
#define M_SELNONE M(35)     /* op_sel must be clear */
#define M_SELQUIET M(36)    /* op_sel is not printed: ignored, or in the register names */
#define M_FIBC M(37)        /* op_sel 0 and 1 are fi and bound_ctrl of a permutation */
#define M_FIBCWORD M(38)    /* the same, printed as these words */
#define M_BYTESEL M(39)     /* two bits of op_sel select a byte */
#define M_SELTIED M(40)     /* with TRUE16, the text's op_sel also has the tied addend */
#define M_HIGH M(41)        /* the bit that marks a vector register is an attribute's half */
#define M_BITOP3 M(42)      /* a truth table in the bits of neg, abs and omod */
#define M_CLAMPFIRST M(54)  /* clamp precedes op_sel in the text */
#define M_SCALESEL M(55)   /* four bits of op_sel select a scale */
#define M_BYTEHIGH M(56)   /* the upper two bits of op_sel select a byte */
/* Only VOP3P. */
#define M_PACKSEL M(43)     /* op_sel and op_sel_hi, the latter all ones by default */
#define M_MIXSEL M(44)      /* the same, zero by default; neg and abs are written at the sources */
#define M_PACKNEG M(45)     /* neg_lo and neg_hi */
#define M_HIONES M(46)      /* op_sel_hi is unused and must be all ones */
#define M_KEY M(47)         /* a bit of index_key */
#define M_KEY64 M(48)       /* one more in wave64 */
#define M_MATRIX M(49)
#define M_ABID M(50)
#define M_BLGP M(51)
#define M_NEGLIST M(52)
#define M_DOTSEL M(53)      /* a dot product, without op_sel on gfx942 */
#define M_FMT M(57)         /* op_sel and op_sel_hi are the formats of the matrices A and B */
#define M_REUSE M(58)       /* the third bits of op_sel and op_sel_hi mark A and B as used again */
#define M_FIRST M(60)       /* only the first half of a dual instruction of three words, or only the second */
#define M_SECOND M(61)
#define M_LDSCALE M(59)     /* loads the scales of the next instruction */
/* Sets of flags. */
#define M_F1	  (M_ABS0 | M_NEG0)
#define M_F2	  (M_F1 | M_ABS1 | M_NEG1)
#define M_F3	  (M_F2 | M_ABS2 | M_NEG2)
#define M_OUT	  (M_CLAMP | M_OMOD)
#define M_SELS1	  (M_SEL0 | M_SEL3)
#define M_SELS2	  (M_SELS1 | M_SEL1)
#define M_SELS3	  (M_SELS2 | M_SEL2)
#define M_NEGC	  (M_NEG2 | M_ABS2 | M_PACKNEG)
#define M_NEGAB	  (M_F2 | M_PACKNEG)
#define M_WMMA	  (M_F3 | M_PACKNEG)
#define M_WMMASEL (M_WMMA | M_SEL0 | M_SEL1 | M_SEL2 | M_PACKSEL)
#define M_DOT	  (M_WMMA | M_CLAMP)
#define M_PK3	  (M_WMMASEL | M_CLAMP)
#define M_PK2	  (M_PK3 & ~(M_NEG2 | M_ABS2 | M_SEL2))
#define M_DOT2	  (M_PK3 | M_DOTSEL)
#define M_MIX	  (M_F3 | M_CLAMP | M_SEL0 | M_SEL1 | M_SEL2 | M_MIXSEL)
#define M_SIGNAB  (M_NEG0 | M_NEG1 | M_CLAMP | M_PACKNEG)
#define M_SMFMAC  (M_MATRIX | M_ABID)
#define M_MFMA	  (M_SMFMAC | M_BLGP)
#define M_MFMA64  (M_SMFMAC | M_NEGLIST)

enum gcn_bank {
	/* vector registers, then in the same order vector registers or scalar sources */
	BANK_V, BANK_VH, BANK_VL, BANK_VS, BANK_VSH, BANK_VSL, BANK_S, BANK_SD,
	BANK_SS, BANK_M, BANK_VCC, BANK_EXEC, BANK_M0, BANK_LIT32, BANK_LIT16, BANK_HEX16,
	BANK_BRANCH, BANK_WAITCNT, BANK_SENDMSG, BANK_MSGRTN, BANK_DELAY, BANK_DEPCTR, BANK_ENDPGM,
	BANK_GPRIDX, BANK_HWREG, BANK_VERSION, BANK_ATTR, BANK_PARAM, BANK_SMEMOFF, BANK_DEC16,
	BANK_A, BANK_AC, BANK_AV, BANK_AVC, BANK_VC,
	BANK_VADDR, BANK_SADDR, BANK_OFF, /* BANK_OFF only in views: `off` */
	BANK_SI, BANK_OFFSET24, BANK_LIT64, BANK_VSI,
	GCN_N_BANK
};
enum gcn_type {
	T_NONE, T_B16, T_F16, T_BF16, T_B32, T_F32, T_B64, T_F64, T_V2F16, T_V2BF16, T_V2B16,
	T_V2B32, T_V2F32
};
enum {
	R_XM0 = 1, R_XEXEC = 2, R_XEXECHI = 4,
	R_WAVE = 8,  /* half as many registers in wave64 */
	R_F8F6F4 = 16, /* cbsz or blgp determines the number of registers */
	R_ODD = 32, /* may begin at an odd register despite GCN_ALIGN2 */
	R_LDS = 64,  /* or lds_direct */
	R_UNSIGNED = 128 /* unsigned immediate */
};

enum gcn_kind_id {
#define KIND(id, bank, n, type, flags) K_##id,
#include "kind.def"
	GCN_N_KIND
};
enum gcn_shape_id {
#define SHAPE(id, ops) SH_##id,
#define SHAPE_EMPTY(id) SH_##id,
#include "shape.def"
	GCN_N_SHAPE,
#define TWIN(e32, e64) SH_##e32##_e64 = SH_##e64,
#define HALVES(id, old, m9, gfx11, m11, e64, m64)                                      \
	SH_##id##_old = SH_##old, SH_##id##_gfx11 = SH_##gfx11, SH_##id##_e64 = SH_##e64,
#include "shape.def"
};
enum {
#define HALVES(id, old, m9, gfx11, m11, e64, m64)                                      \
	M9_##id = m9, M11_##id = m11, M64_##id = m64,
#include "shape.def"
};
enum gcn_effect_id {
#define EFFECT(id, class, flags, reads, writes) FX_##id,
#include "effect.def"
	GCN_N_EFFECT
};
/* Values of insn.def's column of targets with DPP, which is masked with the targets where the
 * format has DPP. FORMS is all of them, and SDWA on gfx9 and gfx10. */
enum { WITH_SDWA = 1 << 30, FORMS = ALL | WITH_SDWA };
#define FMT_IS(fmt, other) (GCN_##fmt == GCN_##other)
/* A result of gcn_call_of: the opcode, and above it the format or one of CALL_VOP3S to
 * CALL_MFMA. */
enum {
	CALL_SHIFT = 10, CALL_OP = (1 << CALL_SHIFT) - 1,
	CALL_VOP3S = GCN_N_FORMAT, CALL_VOP3B, CALL_MFMA
};
/* Opcodes have 8 bits; only the last format, VOP3, has more. */
enum { GCN_N_SLOT = (GCN_N_FORMAT + 3) * 256 };
struct gcn_kind {
	uint8_t bank, n, type, flags;
};
struct gcn_operand {
	uint8_t field, kind;
};
struct gcn_shape {
	struct gcn_operand op[GCN_MAX_OPERANDS]; /* ends at field GCN_F_NONE, kind 0 = n_op */
	uint8_t n_op;
};
struct gcn_row {
	uint16_t name_at; /* see gcn_row_name */
	uint8_t format;
	uint8_t effect; /* enum gcn_effect_id */
	uint16_t shape; /* enum gcn_shape_id */
	uint16_t op[GCN_N_GEN];
	uint16_t traits; /* index of gcn_traits */
};
/* What many rows have in common. */
struct gcn_traits {
	uint32_t has, forms; /* the targets; those of insn.def's column of forms, and WITH_SDWA */
	uint64_t mods; /* M_ flags */
};
extern const struct gcn_traits gcn_traits[];
static inline uint32_t
gcn_row_has(const struct gcn_row *r)
{
	return gcn_traits[r->traits].has;
}
static inline uint32_t
gcn_row_forms(const struct gcn_row *r)
{
	return gcn_traits[r->traits].forms;
}
static inline uint64_t
gcn_row_mods(const struct gcn_row *r)
{
	return gcn_traits[r->traits].mods;
}
struct gcn_bits {
	uint8_t field, lo, width, from; /* from: the field's bit that is stored at lo */
};
struct gcn_layout {
	uint8_t format, gens, n_words, n_fields;
	uint32_t mask, match, mask2, match2; /* of the first and the third word */
	uint32_t set1; /* bits of the second word that are written and not decoded */
	struct gcn_bits bits[GCN_MAX_FIELDS];
};

const char *gcn_row_name(const struct gcn_row *r);
/* Return the targets on which the row has a form. */
static inline uint32_t
gcn_row_dpp16(const struct gcn_row *r)
{
	return gcn_row_forms(r) & (r->format == GCN_VOP1 || r->format == GCN_VOP2 ? ALL : GFX11 | GFX12);
}
static inline uint32_t
gcn_row_dpp8(const struct gcn_row *r)
{
	/* The rows that only gfx1251 has, those of 64 bits, have no DPP8. */
	return gcn_row_dpp16(r) & (gcn_row_forms(r) & C1250 ? ALL & ~GFX9 : ALL & ~GFX9 & ~C1251);
}
static inline uint32_t
gcn_row_sdwa(const struct gcn_row *r)
{
	return gcn_row_forms(r) & WITH_SDWA ? gcn_row_has(r) & (GFX9 | GFX10) : 0;
}

extern const struct gcn_kind gcn_kinds[GCN_N_KIND];
extern const struct gcn_shape gcn_shapes[GCN_N_SHAPE];
extern const struct gcn_row gcn_rows[GCN_N_ROW];
extern const struct gcn_layout gcn_layouts[];
extern const size_t gcn_n_layouts;
/* The index of the first layout that may match a word, by the word's upper six bits. */
extern const uint8_t gcn_first_layout[GCN_N_GEN][64];

const struct gcn_layout *gcn_layout_of(const struct gcn_target *t, unsigned format);
/* Returns the opcode for call.h of a row by the target's gcn_call_page, or GCN_NA; see CALL_SHIFT. */
extern const uint16_t gcn_call_page[GCN_N_CLASS][GCN_N_ROW_PAGE], gcn_call_cell[][GCN_PAGE];
static inline uint32_t
gcn_call_of(const uint16_t *page, unsigned row)
{
	return gcn_paged(page, gcn_call_cell, row);
}
/* Returns the row of an opcode, or GCN_N_ROW if the target has no such opcode. */
unsigned gcn_row_find(const struct gcn_target *t, unsigned format, unsigned op);

/* Returns the form, which the number in the first source's field selects. */
enum gcn_form gcn_form_of(const struct gcn_target *t, const struct gcn_row *r, uint32_t src0);

/* Operand of an instruction, in the form that the instruction has. */
struct gcn_view {
	struct gcn_kind kind;
	uint8_t field;
	int8_t src; /* 0 to 2 for sources of vector instructions, else -1 */
	uint32_t v; /* number as in struct gcn_insn; GCN_ACC + n: accumulation register */
};
/* Views the i-th operand; returns false after the last. */
bool gcn_operand_view(const struct gcn_target *t, const struct gcn_insn *in, unsigned i,
		      struct gcn_view *out);
/* Returns the second half of a dual instruction, or NULL. Its operands follow those of the
 * first half. */
const struct gcn_row *gcn_second_row(const struct gcn_target *t, const struct gcn_insn *in);
/* All operands of an instruction. */
struct gcn_views {
	unsigned n;
	uint8_t literal; /* literal words that follow */
	bool scalar;  /* one is a scalar register, or is read like one */
	struct gcn_view op[GCN_MAX_VIEWS];
};
void gcn_operand_views(const struct gcn_target *t, const struct gcn_insn *in,
		       struct gcn_views *out);
/* Returns the field, and in *bit the bit of it, that marks the register in `field` as an
 * accumulation register. */
enum gcn_field gcn_acc_bit(unsigned format, unsigned field, unsigned *bit);
/* Memory instructions. Returns whether an atomic returns the old value. */
bool gcn_returns(const struct gcn_target *t, const struct gcn_insn *in);
/* Returns the number of leading operands that the text omits. */
unsigned gcn_memory_hidden(const struct gcn_target *t, const struct gcn_insn *in);
/* Sets the view of an operand of BANK_VADDR or BANK_SADDR to the register, or to BANK_OFF. */
void gcn_address_view(const struct gcn_target *t, const struct gcn_insn *in, struct gcn_view *o);
/* Returns whether a flat address has a scalar part, whose operand follows those of the row. */
bool gcn_flat_scalar(const struct gcn_target *t, const struct gcn_insn *in);
/* Returns whether data may be in accumulation registers. */
bool gcn_takes_acc(const struct gcn_target *t, const struct gcn_views *ops);
/* Returns NULL, or the reason why the target cannot encode the instruction. */
const char *gcn_memory_check(const struct gcn_target *t, const struct gcn_insn *in,
			     const struct gcn_views *ops);
/* Returns whether the target has GCN_F_SVE, which marks a scratch address with a vector
 * part. */
bool gcn_has_sve(const struct gcn_target *t);
/* Returns the number in GCN_F_SADDR that means no scalar part; `alone`: the address has no
 * vector part either. */
uint32_t gcn_no_saddr(const struct gcn_target *t, unsigned format, bool alone);
/* The checks return NULL, or the reason why the target cannot encode the operand or the
 * instruction. gcn_form_check is the part of gcn_insn_check about DPP and SDWA. */
const char *gcn_operand_check(const struct gcn_target *t, const struct gcn_view *o);
const char *gcn_insn_check(const struct gcn_target *t, const struct gcn_insn *in,
			   const struct gcn_views *ops);
const char *gcn_form_check(const struct gcn_target *t, const struct gcn_row *r,
			   const struct gcn_insn *in, const struct gcn_views *ops);
/* Returns NULL, or the reason why an assembler rejects an encodable instruction. */
const char *gcn_strict_check(const struct gcn_target *t, const struct gcn_insn *in,
			     const struct gcn_views *ops);
/* Encode an instruction whose row and form are valid; return NULL or the error. gcn_put_words
 * requires an instruction that gcn_insn_check accepts. */
const char *gcn_try_words(const struct gcn_target *t, const struct gcn_insn *in,
			  uint32_t out[GCN_MAX_WORDS], int *n_words);
const char *gcn_put_words(const struct gcn_target *t, const struct gcn_insn *in,
			  const struct gcn_views *ops, uint32_t out[GCN_MAX_WORDS], int *n_words);
qd_status gcn_row_check(const struct gcn_insn *in, struct qd_error *err);
QD_COLD qd_status gcn_not_encodable(const struct gcn_target *t, const struct gcn_insn *in,
				    const char *why, struct qd_error *err);
/* Returns the text of the i-th rule of the strict checker, or NULL after the last.
 * *of_hardware is false if only the assembler cannot express the instruction. */
const char *gcn_strict_rule(size_t i, bool *of_hardware);

/* Check the modifiers of the two-word formats. */
const char *gcn_vop3_check(const struct gcn_target *t, const struct gcn_row *r,
			   const struct gcn_insn *in);
const char *gcn_packed_check(const struct gcn_target *t, const struct gcn_row *r,
			     const struct gcn_insn *in);
/* Returns the bits of op_sel that are in use, one per source and bit 3 for the destination.
 * With TRUE16 they select halves of registers. If they do nothing else in an instruction and
 * another bit is set, LLVM reads whole registers; gcn_has_halves then returns false. */
unsigned gcn_sel_bits(const struct gcn_target *t, const struct gcn_row *r);
bool gcn_has_halves(const struct gcn_target *t, const struct gcn_insn *in);

/* Inline float constants with the numbers from 240 on; the last is 1 / (2 pi). The lists contain
 * them as halves, as the upper 16 bits of floats, and as the upper 16 bits of doubles, without
 * the last. gcn_float_code searches the first n of a list and returns the constant's number, or
 * 0. */
enum { GCN_N_CONSTANT = 9, GCN_FLOATS = 240, GCN_INV_2PI = 248 };
extern const uint16_t gcn_half_bits[GCN_N_CONSTANT], gcn_brain_bits[GCN_N_CONSTANT],
	gcn_double_bits[GCN_N_CONSTANT - 1];
unsigned gcn_float_code(const uint16_t *list, unsigned n, uint32_t bits);
/* Returns the number of an inline constant of 64 bits, or 0. */
unsigned gcn_inline64(uint64_t v);

struct gcn_text;
/* Appends the name of a scalar register or constant. Returns false, and appends nothing, if
 * the number has no name. */
bool gcn_scalar_add(const struct gcn_target *t, struct gcn_text *x, unsigned v, unsigned n,
		    unsigned type);
void gcn_add_registers(struct gcn_text *x, unsigned first, unsigned n);
bool gcn_scalar_is(const struct gcn_target *t, unsigned v, unsigned n, unsigned type);
/* Finds the number of a scalar register of n dwords by its name; a source from 235 on may be
 * named without its prefix src_. */
bool gcn_scalar_find(const struct gcn_target *t, const char *name, size_t len, unsigned n,
		     uint32_t *v);
extern const char gcn_param_name[3][4]; /* interpolation parameters, by BANK_PARAM's number */
/* Appends a wait counter, message, hardware register or similar immediate as text. */
void gcn_symbol_add(const struct gcn_target *t, unsigned bank, uint32_t v, struct gcn_text *x);
static inline bool
gcn_is_float(unsigned type)
{
	return type == T_F16 || type == T_BF16 || type == T_F32 || type == T_F64 ||
	       type == T_V2F16 || type == T_V2BF16 || type == T_V2F32;
}
static inline bool
gcn_is_dual(unsigned format)
{
	return format == GCN_VOPD || format == GCN_VOPD3;
}
/* Returns whether a field belongs to the second half of a dual instruction. */
static inline bool
gcn_is_second(unsigned field)
{
	return field == GCN_F_Y_VDST || field == GCN_F_Y_SRC0 || field == GCN_F_Y_VSRC1 ||
	       field == GCN_F_Y_VSRC2;
}
/* Returns whether the format is a matrix instruction that follows another with its scales. */
static inline bool
gcn_is_scaled(unsigned format)
{
	return format == GCN_VOP3PX || format == GCN_VOP3PX16;
}
static inline bool
gcn_has_forms(unsigned format) /* DPP and SDWA */
{
	return format == GCN_VOP1 || format == GCN_VOP2 || format == GCN_VOPC ||
	       format == GCN_VOP3 || format == GCN_VOP3P || gcn_is_scaled(format);
}
/* Returns the layout of the word that DPP or SDWA appends. */
static inline unsigned
gcn_form_format(unsigned form, unsigned format)
{
	return form == GCN_FORM_SDWA && format == GCN_VOPC ? GCN_SDWAB
							   : GCN_DPP16 + form - GCN_FORM_DPP16;
}
/* Return the numbers of m0 and null. */
static inline unsigned
gcn_m0_of(const struct gcn_target *t)
{
	return t->gen >= GCN_G11 ? 125 : 124;
}
static inline unsigned
gcn_null_of(const struct gcn_target *t)
{
	return gcn_m0_of(t) ^ 1;
}
/* Returns whether the field has 9 bits: a vector register, a scalar register or a constant. */
static inline bool
gcn_is_source(unsigned field)
{
	return (field >= GCN_F_SRC0 && field <= GCN_F_SRC2 && field != GCN_F_VSRC1) ||
	       field == GCN_F_Y_SRC0 || field == GCN_F_SCALE0 || field == GCN_F_SCALE1;
}
static inline bool
gcn_is_valu(unsigned format)
{
	return gcn_has_forms(format) || format == GCN_VINTERP;
}
static inline bool
gcn_is_flat(unsigned format)
{
	return format == GCN_FLAT || format == GCN_GLOBAL || format == GCN_SCRATCH;
}
static inline bool
gcn_is_buffer(unsigned format)
{
	return format == GCN_MUBUF || format == GCN_MTBUF;
}
static inline bool
gcn_is_vmem(unsigned format)
{
	return gcn_is_flat(format) || gcn_is_buffer(format);
}
/* Returns whether the format has three sources of 9 bits in two words, without SDWA. */
static inline bool
gcn_is_vop3(unsigned format)
{
	return format == GCN_VOP3 || format == GCN_VOP3P || gcn_is_scaled(format);
}

/* Returns the field of an operand that the instruction does not have, or GCN_F_NONE, and the value
 * that the field must contain. */
static inline unsigned
gcn_fixed_field(const struct gcn_row *r, uint32_t *value)
{
	*value = r->format == GCN_TENSOR ? 124 << 1 : 256;
	if (r->format == GCN_TENSOR)
		return GCN_F_GROUP4;
	if (gcn_row_mods(r) & M_LDSCALE)
		return GCN_F_SRC2;
	return gcn_is_scaled(r->format) && r->op[GCN_G125] != GCN_NA ? GCN_F_SCALE_C : GCN_F_NONE;
}

/* Returns whether the operand is a literal of two words. */
static inline bool
gcn_is_wide(const struct gcn_target *t, const struct gcn_view *o)
{
	return o->v == GCN_LITERAL64 && t->gen == GCN_G125 &&
	       (o->kind.type == T_B64 || o->kind.type == T_F64);
}

/* Returns whether the text of a two-word instruction has neg and abs at its sources. */
static inline bool
gcn_has_source_modifiers(const struct gcn_row *r)
{
	return r->format == GCN_VOP3 || r->format == GCN_VINTERP ||
	       (r->format == GCN_VOP3P && (gcn_row_mods(r) & M_MIXSEL));
}
/* Returns whether numbers below 256 are scalar registers or constants in this bank. */
static inline bool
gcn_is_scalar_bank(unsigned bank)
{
	return (bank >= BANK_VS && bank <= BANK_M) || bank == BANK_SI || bank == BANK_VSI ||
	       bank == BANK_AVC;
}

#endif
