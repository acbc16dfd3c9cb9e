/* The IR: instruction, function body, kernel. Read-only for other components.
 *
 * A body is one flat array of fixed-size instructions. A value is the index of the instruction
 * that defines it; index 0 is not a value. Control flow is structured: if, else, loop, region and
 * end are instructions that store the index of their partner. */
#ifndef QD_IR_H
#define QD_IR_H

#include "source.h"
#include "type.h"

/* Placeholders for rows and columns that lack a name: they do not compile. */
#define OP_  (no operation is named here)
#define SIG_ (no signature is named here)

enum op {
#define OP(name, ...) OP_##name,
#include "op.def"
	N_OP
};
_Static_assert(N_OP <= 256, "an instruction keeps its operation in 8 bits");

/* -- Columns of sig.def ------------------------------------------------------- */

enum flow_kind { FLOW_NONE, FLOW_OPEN, FLOW_ELSE, FLOW_CLOSE, FLOW_JUMP };

/* Meaning of x. */
enum x_kind {
	X_NONE,
	X_PARAM,   /* a scalar parameter */
	X_BUFFER,  /* a buffer parameter */
	X_MEMORY,  /* a row of the table of memories */
	X_TEMPLATE,
	X_TEXT,
	X_NUMBER,
	X_PARTNER /* see verify.c; not printed */
};

/* Kinds of operands and results. From OPND_T on an operand is an instruction. */
enum opnd {
	OPND_NO, OPND_LIT, OPND_BITS, OPND_HIGH,
	OPND_OWN, OPND_SAME, OPND_PART, OPND_ARGS, /* of results only */
	OPND_T, OPND_U, OPND_BOOL, OPND_I32, OPND_U32, OPND_INDEX, OPND_UINDEX, OPND_ACTIVE, OPND_MEMBERS, OPND_ELEM, OPND_VAR, OPND_REGION, OPND_LIST,
	OPND_SEV, OPND_PLACE, OPND_K, OPND_N,
	OPND_MAY = 0x40 /* flag: the operand may be missing */
};

enum { MAX_OPND = 4, MAX_RESULT = 4, RESULT_OF_REGION = 255, RESULT_OF_LIST = 254 };

enum sig {
#define SIG(name, ...) SIG_##name,
#include "sig.def"
	N_SIG
};

struct sig_info {
	uint8_t flow, x;
	uint8_t opnd[MAX_OPND];
	uint8_t n_opnd;	   /* up to the last that is not NO */
	uint8_t n_results; /* RESULT_OF_REGION: as many as the operator yields; _LIST: as list a has */
	uint8_t result[MAX_RESULT];
	uint8_t values;	   /* which operands are instructions, a bit each */
	uint8_t needed;	   /* which of these are required */
	int8_t lead;	   /* which operand settles T, -1: none */
	int8_t known;	   /* which operand is a K or N, -1: none */
	int8_t where;	   /* which operand is the condition of an access, -1: none */
	int8_t members;	   /* which operand is the member mask, -1: none */
	int8_t active;	   /* which operand counts the participating threads, -1: none */
};
extern const struct sig_info sig_info[N_SIG];

/* -- Columns of op.def --------------------------------------------------------- */

/* The threads that must execute an operation together. */
enum scope { SCOPE_LANE, SCOPE_SUBGROUP, SCOPE_BLOCK };

enum effect {
	EFFECT_NONE,
	EFFECT_LOCAL,
	EFFECT_READ,
	EFFECT_WRITE,
	EFFECT_ATOMIC,
	EFFECT_FENCE,
	EFFECT_SYNC,
	EFFECT_SLEEP,
	EFFECT_FLOW,
	EFFECT_CHECK,
	EFFECT_DEBUG
};

/* The largest group of threads in which a value is uniform, or the rule that derives the group. */
enum level {
	LEVEL_BLOCK,
	LEVEL_SUBGROUP,
	LEVEL_VARYING,
	LEVEL_OPERANDS, /* the least uniform operand's */
	LEVEL_TILE,	/* the subgroup, if the tile is the subgroup */
	LEVEL_WARP,	/* that of the members, if the subgroup is one warp */
	LEVEL_MEMORY,	/* that of the operands for an `in` buffer, else varying */
	LEVEL_MARK,	/* given by x */
	LEVEL_LOCAL,	/* of a variable, from its stores */
	LEVEL_FLOW	/* of a construct: that of its control flow */
};

/* Effect of an operation in a padding thread, or the value that the thread contributes. */
enum padding_effect {
	PADDING_RUNS,	/* no observable effect */
	PADDING_GUARDED, /* a load: as in other threads if it is guarded */
	PADDING_IDLE,	/* not executed: its condition is false */
	PADDING_FALSE,	/* a predicate that is false */
	PADDING_TRUE,	/* a predicate that is true */
	PADDING_ADD,	/* the identity of addition: 0, -0.0 */
	PADDING_MUL,	/* 1 */
	PADDING_MIN,	/* the greatest value, NaN */
	PADDING_MAX,	/* the least value, NaN */
	PADDING_ZERO,
	PADDING_ONES,
	PADDING_ABOVE,	/* a scan: padding lanes follow all others */
	PADDING_LAST,	/* a sort: each operand but the K is the greatest of its order */
	PADDING_SKIPPED	/* no value is neutral: operand d is the number of lanes that are not padding */
};
/* Returns the bits that a padding thread contributes, for the rows of `padding` that are values. */
uint64_t ir_padding_bits(enum padding_effect padding, qd_type type);
/* Returns the operand bits that do not change a reduction by `combine`. */
uint64_t ir_skipped_bits(enum op combine, qd_type type);
/* Returns the first element of an exclusive scan by `combine`. */
uint64_t ir_identity_bits(enum op combine, qd_type type);

/* Families of expansions; prim/ has a function for each. */
#define EXPANSIONS(X)                                                                              \
	X(gone) X(copy) X(folded) X(constant) X(param) X(mark) X(alu) X(local) X(load) X(store)    \
	X(atomic) X(order) X(lane)                                                                 \
	X(arg) X(yield) X(result) X(subgroup_id) X(elect) X(shuffle) X(ballot) X(vote)             \
	X(all_equal) X(reduce) X(scan) X(exclusive) X(segmented) X(sort) X(operator_exclusive)     \
	X(match) X(vote_members) X(elect_member) X(shfl) X(redux) X(syncwarp) X(nanosleep)         \
	X(place) X(cp_async) X(cp_async_wait)                                                      \
	X(block_vote) X(block_move) X(block_reduce) X(block_scan) X(block_exclusive)               \
	X(block_sort) X(block_rank)                                                                \
	X(block_operator_reduce) X(block_operator_scan) X(block_operator_exclusive)                \
	X(operator_reduce) X(operator_scan)
enum expansion {
#define X(name) EXPAND_##name,
	EXPANSIONS(X)
#undef X
	N_EXPAND
};

/* Rules for an operation in a grid loop's count, which the host computes. NO: not allowed. EXACT:
 * allowed, and the result is the arithmetic one. WRAPS: allowed, and the result may wrap. */
enum count_kind { COUNT_NO, COUNT_EXACT, COUNT_WRAPS };

/* Identities of an operation on integers and bool, packed in op_info.laws: for each case the result
 * and the types. */
enum law_case { LAW_IF_SAME, LAW_IF_ZERO, LAW_IF_ONE, LAW_IF_ONES, LAW_BITS = 5 };
enum law { LAW_NONE, LAW_A, LAW_B, LAW_ZERO, LAW_ONE, LAW_RESULT = 7 };
enum law_types { LAW_FOR_ALL = 0, LAW_FOR_UNSIGNED = 8, LAW_FOR_BOOL = 16 };
enum { OP_COMMUTES = 1 << 4 * LAW_BITS };

struct op_info {
	const char *text, *doc;
	const char *where; /* if is_approx: its domain in words */
	uint32_t types;
	uint32_t laws; /* of two operands */
	uint8_t sig, scope, effect, level, padding, expand;
	uint8_t combine; /* enum op: of a reduction or scan */
	bool is_alu;	 /* per lane, and depends on its operands only: ir_eval computes it */
	bool is_low;	 /* emitted by passes only */
	uint8_t in_count; /* enum count_kind */
	bool is_approx;	 /* an ALU operation that is never computed before the kernel runs */
	bool reads_number; /* an ALU operation whose result does not depend on the bits of a NaN
			    * operand */
};
extern const struct op_info op_info[N_OP];

static inline const struct sig_info *
op_sig(enum op op)
{
	return &sig_info[op_info[op].sig];
}
/* Returns whether the language writes the operation without parentheses. */
static inline bool
op_is_field(enum op op)
{
	return op == OP_BLOCK_IDX || op == OP_BLOCK_DIM || op == OP_GRID_DIM ||
	       op == OP_SUBGROUP_ID || op == OP_SUBGROUP_COUNT;
}
/* The operands that are instructions, a bit for each of a, b, c, d. */
extern const uint8_t op_values[N_OP];
extern const int8_t op_lead[N_OP];  /* which operand settles T, -1: none */
extern const uint8_t op_flow[N_OP]; /* enum flow_kind */

/* Features that occur in a body, as bits, so that a pass without work returns early. */
enum has {
	HAS_CROSS = 1, /* operations of a subgroup */
	HAS_MEETING = 2, /* operations of a block */
	HAS_TILE = 4,	/* an operation whose level depends on its tile, or on the subgroup's size */
	HAS_LOCAL = 8,	/* variables */
	HAS_FLOW = 16,
	HAS_LOOP = 32, /* a loop or block */
	HAS_JUMP = 64,
	HAS_LANE = 128, /* the lane index */
	HAS_ATOMIC = 512, /* atomics, fences */
	HAS_RAW = 256,	/* not folded by an appender: read from text */
	HAS_DEBUG = 1024, /* assert, print */
	HAS_COPY = 2048	 /* asynchronous copies */
};
extern const uint16_t op_has[N_OP];

/* Summary of a per-lane operation whose operands are all a T, for fast paths. n is 0 for other
 * operations. */
struct op_plain {
	uint16_t types;
	uint8_t n;	/* operands */
	uint8_t result; /* qd_type; NONE: T */
};
extern const struct op_plain op_plain[N_OP];

/* -- Instructions -------------------------------------------------------------------- */

/* ins.attr. Memory scope and order of atomics have fields of their own. */
enum attr {
	ATTR_GUARD = 1,	   /* a memory access: checked against the length */
	ATTR_RAW = 2,	/* legal: the target's own instruction; its operands are in range */
	ATTR_LO = 4,	/* legal: the low u32 of a 64-bit element or parameter */
	ATTR_HI = 8,	/* legal: its high u32 */
	ATTR_BITS = 16, /* legal: the bits of a float element, as u32 or u64 */
	ATTR_WRAPPED = 32, /* a constant folded from an operation that wraps: the host reports it if
			    * the grid loop's count depends on it; passes drop it */
	ATTR_SCOPE_AT = 6, /* enum mem_scope, shifted */
	ATTR_SCOPE = 3 << ATTR_SCOPE_AT,
	ATTR_ORDER_AT = 8, /* enum mem_order, shifted */
	ATTR_ORDER = 7 << ATTR_ORDER_AT,
	ATTR_COUNT_AT = 11, /* of a copy: log2 of its number of elements */
	ATTR_COUNT = 3 << ATTR_COUNT_AT,
	ATTR_FOLDED = 1 << 13, /* a constant whose source is not a constant expression: n & 0 */
	ATTR_UNSET = ATTR_RAW, /* legal: a variable that is stored on every way to its reads */
	ATTR_NEAR = 1 << 15,	/* legal: an access to index a plus 0 to MAX_NEAR, in the bits from ATTR_NEAR_AT
				 * on. The sum does not wrap */
	ATTR_NEAR_AT = 6,
	ATTR_UNROLLED = ATTR_NEAR, /* a loop of several copies, or of the iterations that they leave */
	ATTR_HERE = 1 << 14 /* legal: a load that control flow guards, so that it must not move */
};
enum { MAX_NEAR = 127 };
enum mem_scope { MEM_DEVICE, MEM_SUBGROUP, MEM_BLOCK, MEM_SYSTEM };
enum mem_order { MEM_PLAIN, MEM_RELAXED, MEM_ACQUIRE, MEM_RELEASE, MEM_ACQ_REL };

struct ins {
	uint8_t op;
	uint8_t type; /* of the result; NONE if there is none or more than one */
	uint16_t attr;
	union {
		struct {
			uint32_t a, b, c, d;
		};
		uint32_t arg[MAX_OPND];
	};
	uint32_t x;
};
_Static_assert(sizeof(struct ins) == 24, "ins has no padding: its bytes are the cache key");

/* Source lanes of LANE_PATTERN at distance m, a power of two. */
enum lane_pattern {
	PATTERN_XOR,	 /* lane ^ m; m is any number below the size */
	PATTERN_PARTNER, /* any lane of the block of m lanes that contains lane ^ m: they all hold
			  * the same value */
	PATTERN_LAST,	 /* the last lane of the lower half: (lane & ~(2m-1)) | (m-1) */
	PATTERN_SHIFT,	 /* lane - m, or the lane itself if there is none; m as for XOR */
	PATTERN_DOWN,	 /* lane + m, the same */
	N_LANE_PATTERN
};

/* A position: line and column from 1, or the number of the builder call. A text has at most 2^20
 * bytes. The top bit selects the layout: 20 bits of line and 11 of column, or 11 of line and 20 of
 * column. In the second, line 0 means the last line, 2^20. A column above 2047 on a line above
 * 2047 is stored as 2047. */
enum { POS_WIDE = 20, POS_NARROW = 11, MAX_WIDE = (1 << POS_WIDE) - 1, MAX_NARROW = (1 << POS_NARROW) - 1 };
#define POS_SWAPPED (UINT32_C(1) << 31)

static inline uint32_t
POS(uint32_t line, uint32_t col)
{
	if (line > MAX_WIDE || (col > MAX_NARROW && line <= MAX_NARROW)) {
		col = col >= MAX_WIDE ? MAX_WIDE - 1 : col; /* UINT32_MAX is not a position */
		return POS_SWAPPED | (line > MAX_WIDE ? 0 : line << POS_WIDE) | col;
	}
	return line << POS_NARROW | (col > MAX_NARROW ? MAX_NARROW : col);
}

static inline uint32_t
POS_LINE(uint32_t pos)
{
	uint32_t line = pos >> POS_WIDE & MAX_NARROW;

	if (!(pos & POS_SWAPPED))
		return pos >> POS_NARROW;
	return line ? line : MAX_WIDE + 1;
}

static inline uint32_t
POS_COL(uint32_t pos)
{
	return pos & POS_SWAPPED ? pos & MAX_WIDE : pos & MAX_NARROW;
}

/* Modes of MATCH_WORD. */
enum match { MATCH_ANY, MATCH_ALL };

/* Lanes of a warp, to which member masks refer. A wider subgroup has several warps. */
enum { WARP_LANES = 32, WARP_LOG2 = 5 };

struct ir {
	struct ins *ins;
	uint32_t *pos; /* parallel to ins */
	uint32_t n, cap;
	uint32_t has; /* of enum has: a superset of what occurs */
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

/* Row of the memory table, which loads, stores and atomics index by x. The parameters come first,
 * in order (a scalar has SPACE_NONE), then the shared arrays and the constant tables. */
enum space { SPACE_NONE, SPACE_GLOBAL, SPACE_SHARED, SPACE_TABLE };
struct memory {
	const char *name; /* NULL: scratch memory of an expansion */
	uint8_t type;	  /* of the elements */
	uint8_t space;
	uint8_t access; /* qd_access */
	uint32_t len;	/* elements of a shared array or a table */
	uint32_t pos;	/* of its declaration */
	const uint8_t *data; /* of a table: its elements, at any address; else NULL */
};

struct tmpl_param {
	const char *name;
	int32_t lo, hi;
	const char *choices; /* for messages, if not each value of the range is allowed: "1, 4, 8"; or NULL */
	uint32_t pos;
};

/* Writes the values that the parameter takes, for messages. */
const char *tmpl_values(const struct tmpl_param *t, char out[32]);

/* Limits whose values also occur in messages: log2 of the lanes of a subgroup, with all sizes; bits
 * of a digit that is ranked. */
#define MAX_LOG2       7
#define SUBGROUP_SIZES "4, 8, 16, 32, 64, 128"
#define MAX_RADIX      12

enum { MAX_PARAM = 64, MAX_TMPL = 16, MAX_NEST = 2048, MAX_YIELD = 8,
       MAX_GRID_STEPS = 64, MAX_BODY = 1 << 23 /* instructions, after expansion */,
       MAX_BLOCK = 65535, MAX_TEXT_NAME = 255, MAX_SHARED = 1 << 24 /* elements of a shared array */,
       MAX_ARRAYS = 256 /* shared arrays and tables */, MAX_TABLES = 1 << 16 /* bytes of all tables */, MAX_PRINT = 16 /* values of a print */,
       MAX_COPY_GROUPS = 63 /* that a wait may leave pending */ };

/* Words after the parameters in the argument block. The block has the same bytes on every
 * target. */
enum {
	TAIL_N_BLOCKS,
	TAIL_BLOCK_BASE,
	TAIL_ZERO,
	TAIL_LAUNCH, /* of kernels that report: index of the launch in its batch; else 0 */
	N_TAIL
};

/* Position in the caller's C text of a builder call and of the calls after it. */
struct c_place {
	uint32_t call, file, line;
};

struct qd_kernel {
	/* Members that a look-up reads, together at the beginning. */
	struct qd_context *ctx;
	_Atomic uint32_t refs; /* the user's reference, and one per image */
	uint32_t n_tmpls;
	uint8_t n_sizes, size_order[8]; /* subgroup sizes: log2, in the declared order */
	struct hash128 hash;
	/* Every byte that determines the code: header, ins, params, templates (pack.c). */
	const void *key;
	size_t key_size;
	struct arena arena; /* owns all memory of the kernel; one block once the kernel is finished */
	const char *name;
	struct ir ir;
	struct param *params;
	struct memory *mems; /* n_mems; the first n_params are the parameters */
	struct tmpl_param *tmpls;
	uint32_t n_params, n_mems;
	const char *given; /* template parameters chosen before: NUL-terminated names, an empty one
			    * last; or NULL */
	/* Provenance of a kernel with templates from text: a hash of the text and its name, and a
	 * hash of the values chosen before; else zeros. Neither affects the code. */
	struct hash128 origin;
	uint64_t chosen;
	const char **texts; /* of REQUIRE, ASSERT, PRINT */
	uint32_t n_texts;
	uint32_t block[3], block_dim;
	uint32_t sizes; /* accepted subgroup sizes: bit log2; 0: any */
	uint32_t block_pos, sizes_pos; /* of their declaration, or 0 */
	uint32_t grid;	/* the GRID instruction, or 0 */
	uint32_t *grid_steps, n_grid_steps; /* the instructions that compute its count, in order */
	const char *assume_uniform, *assume_in_bounds; /* reasons, or NULL */
	uint32_t args_size; /* of the argument block, tail included; a multiple of 8 */
	uint32_t tail;	    /* offset of the tail words */
	bool from_text;	    /* positions are line and column, else call numbers */
	const char *const *calls; /* names by call number; NULL if unknown */
	uint32_t n_calls;
	const struct c_place *places; /* C positions, ascending by the first call that each applies
				       * to */
	uint32_t n_places;
	const char **files; /* of places */
	uint32_t n_files;
	const char *file;
	struct line_map lines; /* of the text; in the source, or in this kernel's memory */
	struct source *source; /* a reference, for diagnostics; NULL if there is no text */
};

/* Returns whether elements of this type may be in a table. */
static inline bool
ir_may_be_in_table(qd_type t)
{
	return t < N_TYPE && type_info[t].size >= 4;
}
/* Returns the bytes of a table's elements; 0 for other memory. */
static inline size_t
ir_table_size(const struct memory *m)
{
	return m->space == SPACE_TABLE ? (size_t)m->len * type_info[m->type].size : 0;
}
/* Returns the bits of an element of a table. */
uint64_t ir_table_bits(const struct memory *m, uint32_t index);
/* Returns the bytes of the kernel's tables, with one more table of that size. */
uint64_t ir_table_bytes(const struct qd_kernel *k, size_t more);
/* Returns the place of a position of a kernel from text. */
static inline struct line_place
ir_place(const struct qd_kernel *k, uint32_t pos)
{
	return line_map_place(&k->lines, k->file, pos);
}

/* -- eval.c: constant evaluation ----------------------------------------------- */

/* Evaluates one lane. Bits are in the low end of a u64, zero-extended. type is that of the
 * leading operand; to is that of a CVT's result. */
uint64_t ir_eval(enum op op, qd_type type, qd_type to, uint64_t a, uint64_t b, uint64_t c);
/* Returns whether an operation of a grid loop's count yields another number than arithmetic does.
 * Integers only; false for floats. */
bool ir_eval_wraps(enum op op, qd_type type, qd_type to, uint64_t a, uint64_t b);
/* Returns whether all targets agree on an approximate function within its bounds. */
bool ir_eval_agrees(enum op op, qd_type type, uint64_t a, uint64_t b);
/* Convert one element between memory bits and value bits. */
uint64_t ir_widen(qd_type storage, uint64_t bits);
uint64_t ir_narrow(qd_type storage, uint64_t bits);

/* -- ir.c: the tables, and queries of an instruction ------------------------------ */

/* Returns the number of results of instruction i, which has several. */
uint32_t ir_n_results(const struct ir *ir, uint32_t i);
/* Returns the type of its result n. */
qd_type ir_result_type(const struct ir *ir, uint32_t i, uint32_t n);
static inline qd_type
ir_lead_type(const struct ir *ir, const struct ins *s)
{
	int lead = op_lead[s->op];

	return lead < 0 ? (qd_type)s->type : (qd_type)ir->ins[s->arg[lead]].type;
}
/* Returns a number of low bits of a 32-bit value that are zero: 32 for 0. */
uint32_t ir_zeros(const struct ir *ir, uint32_t v);
/* Returns the end of the construct that opens at i. */
static inline uint32_t
ir_end_of(const struct ir *in, uint32_t i)
{
	uint32_t x = in->ins[i].x;

	return in->ins[x].op == OP_ELSE ? in->ins[x].x : x;
}
static inline uint8_t
opnd_kind(uint8_t k)
{
	return k & (uint8_t)~OPND_MAY;
}
/* Returns the number of operands of a function of the language that precede those of the leading type. */
static inline uint32_t
op_word_operands(enum op op)
{
	return op_lead[op] > 0 ? (uint32_t)op_lead[op] : 0;
}
/* Returns the number of adjacent operands that have the leading type. */
static inline uint32_t
op_same_operands(enum op op)
{
	uint32_t first = op_word_operands(op), n = first;

	while (n < op_sig(op)->n_opnd && opnd_kind(op_sig(op)->opnd[n]) == OPND_T)
		n++;
	return n - first;
}
/* Returns the attributes that the operation may have before any pass: the guard of an access; scope
 * and order of atomics and fences; the count of a copy. */
uint16_t op_attrs(enum op op);
/* Return whether the operation reads or writes the memory that x names. */
bool op_reads(enum op op);
bool op_writes(enum op op);
/* Returns whether the operation copies from that memory to another. */
static inline bool
op_copies(enum op op)
{
	return op_sig(op)->opnd[1] == OPND_PLACE;
}
/* Returns the number of elements of a copy. ir_can_copy checks such a number for elements of
 * `size` bytes. ir_copy_size returns the bytes of the largest copy from or to memory x, or 0; the
 * memory is aligned to it. */
static inline uint32_t
ir_count(const struct ins *i)
{
	return 1u << ((i->attr & ATTR_COUNT) >> ATTR_COUNT_AT);
}
static inline bool
ir_can_copy(uint32_t count, uint32_t size)
{
	return count <= 4 && (count * size == 4 || count * size == 8 || count * size == 16);
}
/* Returns whether one wide access may have `count` elements of `size` bytes. */
static inline bool
ir_is_wide(uint32_t count, uint32_t size)
{
	return count >= 2 && count <= 16 && !(count & (count - 1)) && count * size <= 16;
}
uint32_t ir_copy_size(const struct ir *ir, const struct memory *mems, uint32_t x);
/* Returns the alignment that memory x needs for vectors of elements in a legal body, at least 1. */
uint32_t ir_vector_size(const struct ir *legal, uint32_t x);
/* Return the orders and scopes that the operation may have, a bit for each; 0 if it has none. */
uint32_t op_orders(enum op op);
uint32_t op_scopes(enum op op);
static inline enum mem_scope
ir_scope(const struct ins *i)
{
	return (enum mem_scope)((i->attr & ATTR_SCOPE) >> ATTR_SCOPE_AT);
}
static inline enum mem_order
ir_order(const struct ins *i)
{
	return (enum mem_order)((i->attr & ATTR_ORDER) >> ATTR_ORDER_AT);
}
extern const char *const mem_scope_name[], *const mem_order_name[];
/* Returns whether a value of this operation may be a log2_size or a count: it is known once
 * templates and sizes are. */
bool op_is_known(enum op op);

/* -- verify.c ------------------------------------------------------------------- */

/* Stages of a body: SOURCE, as the kernel is written; FOLDED, specialized; LEGAL, as passed to a
 * back end. */
enum stage { STAGE_SOURCE, STAGE_FOLDED, STAGE_LEGAL };

/* Checks nesting, scope, operands and types; fills partners and levels of BREAK. mems is the
 * body's. pass/uniformity_check.c checks uniformity. */
qd_status ir_verify_body(const struct qd_kernel *k, struct ir *ir, const struct memory *mems,
			 uint32_t n_mems, enum stage stage, struct qd_error *err);
static inline qd_status
ir_verify(struct qd_kernel *k, struct qd_error *err)
{
	return ir_verify_body(k, &k->ir, k->mems, k->n_mems, STAGE_SOURCE, err);
}

/* -- print.c, read.c ------------------------------------------------------------- */

void ir_print(struct buf *out, const struct qd_kernel *k, const struct ir *ir);
/* Reads, verifies and seals a kernel. name is the text's, for messages. */
qd_status ir_read(struct qd_context *ctx, const char *text, size_t len, const char *name,
		  struct qd_kernel **out, struct qd_error *err);

/* -- kernel.c ---------------------------------------------------------------------- */

struct qd_kernel *kernel_ref(const struct qd_kernel *k);
size_t kernel_bytes(const struct qd_kernel *k); /* of memory, without a module's text */
/* Lays out the argument block and packs a verified kernel. On success *k is a new kernel, and the
 * builder's arena is freed. After an error *k is unchanged. */
qd_status kernel_seal(struct qd_kernel **k, struct qd_error *err);
/* Copies the kernel into one block and computes key and hash (pack.c). */
qd_status kernel_pack(struct qd_kernel **k, struct qd_error *err);
uint32_t kernel_find_tmpl(const struct qd_kernel *k, const char *name); /* n_tmpls if none */
bool kernel_was_given(const struct qd_kernel *k, const char *tmpl);

/* -- append.c: appending, for the builder and the passes ---------------------------- */

/* Returns the bytes of the kernel's shared arrays plus one more array. */
uint64_t ir_shared_bytes(const struct qd_kernel *k, qd_type element, uint32_t len);
/* Reserves n more instructions; false if out of memory or past MAX_BODY. */
bool ir_reserve(struct ir *ir, struct arena *a, uint32_t n);
/* Appends without folding. */
static inline uint32_t
ir_push(struct ir *ir, struct arena *a, struct ins ins, uint32_t pos)
{
	if (QD_UNLIKELY(ir->n == ir->cap) && !ir_reserve(ir, a, 1))
		return 0;
	ir->ins[ir->n] = ins;
	ir->pos[ir->n] = pos;
	ir->has |= op_has[ins.op];
	return ir->n++;
}

/* Table of values that append_equal finds again; slots is NULL without one. */
struct number_table {
	uint32_t *slots;
	uint32_t shift; /* of a hash, to an index */
	struct numbered *log; /* replaced entries of open constructs */
	uint32_t n_log, cap_log;
};

/* State of writing a body in order. Appending folds constants, identities that hold for every bit,
 * and leaves and constants that exist outside control flow. It maintains partners. */
struct appender {
	struct ir *ir;
	struct arena *mem;
	uint32_t pos;		/* of the instructions appended */
	bool nomem, too_deep;	/* sticky; every later call is safe and returns 0 */
	bool marks;		/* constants get ATTR_WRAPPED and ATTR_FOLDED */
	bool literal;		/* operations stay as in the source; constants fold */
	uint32_t *open;		/* constructs */
	uint32_t n_open, cap_open;
	uint32_t region;	/* the open one, or 0 */
	/* Existing constants and leaves, by hash; and the last one stored. */
	uint32_t consts[16], leaves[32], last_kept;
	struct number_table numbers;
};

/* Prepares appending to a body that contains instruction 0 only. */
bool append_init(struct appender *a, struct ir *ir, struct arena *mem);
/* Returns the value: an existing one, or the new instruction; 0 if the instruction has no effect.
 * Operands are of this body. For a BREAK, x is the construct to leave; if x is 0, b is the
 * level. */
uint32_t append(struct appender *a, struct ins ins);
/* Appends without folding; maintains partners. */
uint32_t append_raw(struct appender *a, struct ins ins);
/* Appends a value without folding. */
static inline uint32_t
append_value(struct appender *a, struct ins ins)
{
	uint32_t v = ir_push(a->ir, a->mem, ins, a->pos);

	if (QD_UNLIKELY(!v))
		a->nomem = true;
	return v;
}
uint32_t append_const(struct appender *a, qd_type type, uint64_t bits);
/* Appends a constant with attr, a subset of ATTR_WRAPPED, ATTR_FOLDED. */
uint32_t append_marked(struct appender *a, qd_type type, uint64_t bits, uint32_t attr);
/* Appends a value that is constant by folding only. */
uint32_t append_folded(struct appender *a, qd_type type, uint64_t bits);
/* Forgets constants and leaves appended since `before`. The same constructs must be open. */
void append_restore(struct appender *a, const struct appender *before);
/* Returns the loop, block or grid `levels` out, 1 the innermost; 0: none. */
uint32_t append_target(const struct appender *a, uint32_t levels);
/* Returns whether v is a constant of this body, and its bits. */
static inline bool
append_is_const(const struct appender *a, uint32_t v, uint64_t *bits)
{
	const struct ins *i = &a->ir->ins[v];

	if (i->op != OP_CONST)
		return false;
	*bits = const_bits(i);
	return true;
}

/* -- number.c ----------------------------------------------------------------------- */

/* Prepares append_equal for a body of about `size` instructions. */
bool append_number(struct appender *a, uint32_t size);
/* Appends a value without folding, or returns an equal one if there is a table. Its result depends on the instruction
 * alone: a per-lane operation, or a load from memory that nothing writes. */
uint32_t append_equal(struct appender *a, struct ins ins);
/* Returns the value that append_equal would return instead of appending; else 0. */
uint32_t append_find(const struct appender *a, const struct ins *ins);
/* Forgets the values of the arm that begins at `arm` and ends here. */
void append_forget(struct appender *a, uint32_t arm);

/* -- simplify.c ------------------------------------------------------------------------ */

/* Returns the value that a per-lane instruction is known to have, or 0. May rewrite ins to a
 * simpler form. */
uint32_t simplify(struct appender *a, struct ins *ins);

#endif
