/* The IR: instruction, function body, kernel.  Read-only for every later room.
 *
 * One flat array of fixed-size instructions.  A value is the index of the
 * instruction that defines it; index 0 is no value.  Control flow is structured:
 * if, else, loop, region and end are instructions that know their partner. */
#ifndef QD_IR_H
#define QD_IR_H

#include "base.h"
#include "type.h"

enum op {
#define OP(name, text, n, sig, types, flags, doc) OP_##name,
#include "op.def"
	N_OP
};

/* Operand and result types.  T is the type of the leading operand. */
enum op_sig {
	SIG_VOID,    /* nothing */
	SIG_LEAF,    /* -> T */
	SIG_UN,	     /* T -> T */
	SIG_BIN,     /* T T -> T */
	SIG_TER,     /* T T T -> T */
	SIG_CMP,     /* T T -> bool */
	SIG_SHIFT,   /* T u32 -> T */
	SIG_COUNT,   /* T -> i32 */
	SIG_SELECT,  /* bool T T -> T */
	SIG_CVT,     /* T -> any number type */
	SIG_BITCAST, /* T -> a type as wide */
	SIG_VAR,     /* T -> var T; ins.type is T */
	SIG_GET,     /* var T -> T */
	SIG_SET,     /* var T, T */
	SIG_COND,    /* bool */
	SIG_ARG, SIG_YIELD, SIG_PACK, SIG_RESULT,
	SIG_LOAD,    /* u32, T or none, bool or none -> T of buffer x */
	SIG_STORE,   /* u32, T of buffer x, bool or none */
	SIG_LANE,    /* T u32 -> T */
	SIG_LANE_K,  /* T K -> T; K: a constant or template i32, or 0 */
	SIG_BALLOT,  /* bool K -> u32 */
	SIG_LANE_OP  /* region, pack, K -> results */
};

enum op_flag {
	OPF_PURE = 1,	/* no effect; same operands, same result in the same lane */
	OPF_ALU = 2,	/* per lane, from its operands alone: eval.c computes it */
	OPF_MEM = 4,
	OPF_CROSS = 8,	/* combines lanes: control flow must be subgroup-uniform */
	OPF_BLOCK = 16, /* combines subgroups: block-uniform */
	OPF_OPEN = 32,
	OPF_CLOSE = 64,
	OPF_JUMP = 128,
	OPF_LOW = 256	/* only passes make it; the reader of printed IR refuses it */
};

struct op_info {
	const char *text;
	uint8_t n_args, sig;
	uint16_t flags;
	uint32_t types;
};
extern const struct op_info op_info[N_OP];

/* ins.aux, by operation */
enum {
	AUX_GUARD = 1, /* LOAD, STORE: checked against the length */
	AUX_RAW = 1,   /* ALU after legalise: the target's own instruction, operands are safe */
	AUX_LO = 2,    /* LOAD, STORE, PARAM of a 64-bit element: its low u32 only */
	AUX_HI = 4,    /* its high u32 only */
	AUX_RAW_BITS = 8, /* LOAD, STORE of f16 and bf16 after legalise: the 16 bits, in a u32 */
	AUX_PARTIAL = 8 /* REDUCE: threads that are not in the block must be skipped */
};

struct ins {
	uint16_t op;
	uint8_t type; /* of the result; NONE where there is none */
	uint8_t aux;
	uint32_t a, b, c, x;
};
_Static_assert(sizeof(struct ins) == 20, "ins has no padding: its bytes are the cache key");

/* A position: line and column from 1, or the number of the builder call.  What is
 * past the last that fits stands there. */
enum { MAX_LINE = (1 << 21) - 1, MAX_COL = (1 << 11) - 1 };
#define POS(line, col)                                                                             \
	((uint32_t)((line) > MAX_LINE ? MAX_LINE : (line)) << 11 |                                 \
	 (uint32_t)((col) > MAX_COL ? MAX_COL : (col)))
#define POS_LINE(pos)	((pos) >> 11)
#define POS_COL(pos)	((pos) & MAX_COL)

struct ir {
	struct ins *ins;
	uint32_t *pos; /* parallel to ins */
	uint32_t n, cap;
};

static inline uint64_t
const_bits(const struct ins *i)
{
	return (uint64_t)i->b << 32 | i->a;
}

struct param {
	const char *name;
	uint8_t type;	/* of the scalar or the elements */
	uint8_t access; /* 0 for a scalar */
	uint32_t offset; /* in the argument block */
};

struct tmpl_param {
	const char *name;
	int32_t lo, hi;
	uint32_t pos;
};

enum { MAX_PARAM = 64, MAX_TMPL = 16, MAX_NEST = 1024, MAX_YIELD = 8, MAX_LOG2 = 7,
       MAX_GRID_STEPS = 64, MAX_BODY = 1 << 23 /* instructions, however expanded */,
       MAX_BLOCK = 65535, MAX_TEXT_NAME = 255 };

/* The words that follow the parameters in the argument block (one
 * argument block, the same bytes everywhere). */
enum { TAIL_N_BLOCKS, TAIL_BLOCK_BASE, TAIL_ZERO, TAIL_RESERVED, N_TAIL };

struct qd_kernel {
	struct qd_context *ctx;
	struct arena arena; /* owns all below */
	_Atomic uint32_t refs; /* the user's, and one per image */
	const char *name;
	struct ir ir;
	struct param *params;
	uint32_t n_params;
	struct tmpl_param *tmpls;
	uint32_t n_tmpls;
	const char *given; /* templates chosen before: names with their NULs, "" last; or NULL */
	const char **texts; /* of REQUIRE */
	uint32_t n_texts;
	uint32_t block[3], block_dim;
	uint32_t sizes; /* accepted subgroup sizes: bit log2; 0: any */
	uint8_t n_sizes, size_order[8]; /* their log2, in the order stated */
	uint32_t grid;	/* the GRID instruction, or 0 */
	uint32_t *grid_steps, n_grid_steps; /* what its count is computed from, in order */
	const char *assume_uniform, *assume_in_bounds; /* reasons, or NULL */
	uint32_t args_size; /* of the argument block, tail included; a multiple of 8 */
	uint32_t tail;	    /* offset of the tail words */
	bool from_text;	    /* positions are line and column, else call numbers */
	const char *const *calls; /* by call number: its name; NULL where unknown */
	uint32_t n_calls;
	/* Source text for diagnostics, where there is one. */
	const char *file, *source;
	size_t source_len;
	/* All that decides the code: header, params, templates, ins.  Positions and
	 * source are not in it. */
	const void *key;
	size_t key_size;
	struct hash128 hash;
};

/* -- eval.c: what an operation computes ---------------------------------------- */

/* One lane.  Bits stand low in a u64, zero-extended.  type is that of the
 * leading operand, to the result's for CVT. */
uint64_t ir_eval(enum op op, qd_type type, qd_type to, uint64_t a, uint64_t b, uint64_t c);
/* What x op y of integers or bools (operands of type t) is known to be, the
 * operands one value (`same`) or with bits that are known (else NULL). */
enum known { KNOWN_NOT, KNOWN_A, KNOWN_B, KNOWN_ZERO, KNOWN_ONE };
enum known ir_known(enum op op, qd_type t, bool same, const uint64_t *a, const uint64_t *b);
/* Storage conversion of one element: memory bits to value bits and back. */
uint64_t ir_widen(qd_type storage, uint64_t bits);
uint64_t ir_narrow(qd_type storage, uint64_t bits);

/* Is x of this operation a number, and what of? (print, read, verify) */
enum x_kind { X_NONE, X_PARAM, X_TEMPLATE, X_TEXT, X_NUMBER, X_PARTNER };
enum x_kind ir_x_kind(enum op op);

/* -- verify.c ------------------------------------------------------------------- */

/* Types, nesting, scope, operand rules; fills partners (x of if, else, loop,
 * region, end).  Uniformity is pass/uniform.c's. */
qd_status ir_verify(struct qd_kernel *k, struct qd_error *err);

/* -- print.c, read.c ------------------------------------------------------------- */

void ir_print(struct buf *out, const struct qd_kernel *k, const struct ir *ir);
/* Verified and sealed; name is the text's, for messages. */
qd_status ir_read(struct qd_context *ctx, const char *text, size_t len, const char *name,
		  struct qd_kernel **out, struct qd_error *err);

/* -- kernel.c ---------------------------------------------------------------------- */

struct qd_kernel *kernel_ref(const struct qd_kernel *k);
/* Lays out the argument block; makes key and hash.  After verify. */
qd_status kernel_seal(struct qd_kernel *k, struct qd_error *err);
uint32_t kernel_find_tmpl(const struct qd_kernel *k, const char *name); /* n_tmpls if none */
bool kernel_was_given(const struct qd_kernel *k, const char *tmpl);
/* Evaluates the grid count for these arguments (bits by parameter, lengths for
 * buffers) and template values; false where there is no grid loop.  A negative
 * count is 0. */
bool kernel_grid_count(const struct qd_kernel *k, const int32_t *tmpl, const uint64_t *args,
		       uint64_t *count);

/* -- Appending: what the builder, the reader and the passes share ------------------ */

/* Room for n more; false when out of memory, or past MAX_BODY. */
bool ir_reserve(struct ir *ir, struct arena *a, uint32_t n);
static inline uint32_t
ir_push(struct ir *ir, struct arena *a, struct ins ins, uint32_t pos)
{
	if (QD_UNLIKELY(ir->n == ir->cap) && !ir_reserve(ir, a, 1))
		return 0;
	ir->ins[ir->n] = ins;
	ir->pos[ir->n] = pos;
	return ir->n++;
}

#endif
