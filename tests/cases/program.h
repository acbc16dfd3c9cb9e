/* Random structured programs as trees. They are made by program_make.c, program_stmt.c,
 * program_expr.c, program_ahead.c, program_lane.c, program_memory.c; written as .qdk text by
 * program_text.c, program_name.c; executed on arrays of lanes by program_eval.c,
 * program_value.c, program_access.c; counted by program_census.c; and compared with devices by
 * program.c. They use only the library's public header. */
#ifndef QD_TESTS_PROGRAM_H
#define QD_TESTS_PROGRAM_H

#include "cases.h"

/* Properties of grid loops and jumps that the contract guarantees on devices. If one is 0, no
 * program depends on it.
 *   GRID_TAILS         a grid loop's count may be any number: threads from it on are
 *                      padding threads in the body, and there are excess blocks
 *   CALLS_BEFORE_JUMPS a cross-lane call may precede a varying continue, or a varying
 *                      return that leaves no loop
 *   CALM_EXITS         after a uniform jump out of several constructs, or out of an unroll,
 *                      the surrounding control flow is uniform
 *   DEAD_CODE          statements may follow an if that always ends in a jump
 *   SIGN_EXTENSION     i64 of an i32: a driver errs when this is compared with a constant
 *   CONSTANT_VARIABLES a variable may be set to a constant: a driver errs in signed
 *                      operations on variables that it finds to be constant
 *   ONE_THREAD         a block may have one thread: a driver knows that its index is 0 and
 *                      simplifies x + f32(index) to x */
enum {
	GRID_TAILS = 1,
	CALLS_BEFORE_JUMPS = 1,
	CALM_EXITS = 1,
	DEAD_CODE = 1,
	SIGN_EXTENSION = 0,
	CONSTANT_VARIABLES = 0,
	ONE_THREAD = 0
};

enum {
	MAX_FN = 6,
	MAX_VARS = 128, /* of one function */
	MAX_ARGS = 8,
	MAX_VALUES = 4, /* on one side of an assignment */
	N_CONST = 4
};

/* -- Expressions ------------------------------------------------------------------ */

enum xkind {
	X_LITERAL, /* bits */
	X_CONST,   /* id: of the file's constants */
	X_SHAPE,   /* the template parameter N */
	X_VAR,	   /* id */
	X_LEN,	   /* id: array */
	X_PLACE,   /* op: enum place */
	X_UNARY,   /* op: REF_OP_NEG, REF_OP_NOT */
	X_NOT,	   /* ! */
	X_BINARY,  /* op: enum ref_op */
	X_AND,	   /* && */
	X_OR,	   /* || */
	X_MATH,	   /* op: enum ref_op, written as a function */
	X_ROUGH,   /* op: of roughs */
	X_CLAMP,
	X_SELECT,
	X_CAST,
	X_BITCAST,
	X_LOAD, /* id: array; index, else */
	X_SHARED_LOAD, /* id: shared array; one index or two */
	X_ATOMIC,      /* op: enum atomic_op; id: array, or shared array; index or two, values;
			* bits: enum atomic_scope, 8 times enum atomic_order. It is a
			* statement's whole right side, so the order of evaluation is irrelevant */
	X_LANE, /* op: enum lane_op; tile; of several values where generic */
	X_CALL	/* id: function */
};

enum place {
	P_BLOCK_IDX,
	P_BLOCK_DIM,
	P_GRID_DIM,
	P_SUBGROUP_ID,
	P_SUBGROUP_COUNT,
	P_THREAD,
	P_THREAD_X,
	P_THREAD_Y,
	P_THREAD_Z,
	P_GLOBAL,
	P_LANE,
	P_TILE_LANE,
	P_SIZE,
	P_LOG2_SIZE,
	P_ELECT,
	N_PLACE
};
struct place_info {
	const char *text;
	qd_type type;
	bool uniform; /* in the subgroup */
};
extern const struct place_info place_info[N_PLACE];

/* Functions whose last bit depends on the device, inside a u32 expression with an exact value: the
 * error is too small to change the integer. */
enum { N_ROUGH = 7 };
struct rough {
	const char *before, *after;
	uint32_t mask;
	int32_t value[8];
};
extern const struct rough roughs[N_ROUGH];

enum lane_op {
#define LANE_OP(name, text, trait) L_##name,
#include "lane_op.def"
	N_LANE_OP,
	L_WARP = L_MATCH_ANY /* the first operation of warps */
};
extern const char *const lane_text[N_LANE_OP];

/* Tiles: a log2_size, the template parameter L, or the whole subgroup. */
enum { TILE_L = 100, TILE_FULL };

struct expr {
	uint8_t kind, op, type, tile, n;
	bool plain; /* an untyped literal, which adapts to the other operand */
	bool other; /* the name with _all_ */
	bool shared; /* an atomic on a shared array */
	bool whole;  /* a call of the block */
	bool active; /* the last argument is the number of active threads */
	uint16_t id;
	uint64_t bits;
	struct expr *arg[MAX_ARGS];
};

/* Operators of generic reductions. They are associative and work on bits. */
struct oper {
	const char *name, *text;
	uint32_t k;
	qd_type type[MAX_VALUES];
	void (*apply)(const uint64_t *lo, const uint64_t *hi, uint64_t *out);
};
enum { N_OPER = 5 };
extern const struct oper opers[N_OPER];

/* -- Memory -------------------------------------------------------------------------- */

enum atomic_op {
	ATOMIC_LOAD,
	ATOMIC_STORE,
	ATOMIC_ADD,
	ATOMIC_SUB,
	ATOMIC_MIN,
	ATOMIC_MAX,
	ATOMIC_AND,
	ATOMIC_OR,
	ATOMIC_XOR,
	ATOMIC_EXCHANGE,
	ATOMIC_CAS,
	N_ATOMIC_OP
};
struct atomic_info {
	const char *text;
	enum ref_op op; /* if it combines values */
	uint8_t n_values;
	bool integers; /* for integer types only */
};
extern const struct atomic_info atomic_info[N_ATOMIC_OP];

/* DEFAULT: the call has no such argument. */
enum atomic_scope { WITHIN_DEFAULT, WITHIN_SUBGROUP, WITHIN_BLOCK, WITHIN_DEVICE, N_ATOMIC_SCOPE };
enum atomic_order {
	ORDER_DEFAULT,
	ORDER_RELAXED,
	ORDER_ACQUIRE,
	ORDER_RELEASE,
	ORDER_ACQ_REL,
	N_ATOMIC_ORDER
};
extern const char *const scope_text[N_ATOMIC_SCOPE], *const order_text[N_ATOMIC_ORDER];

/* An array with `own` elements for each thread of the block. */
struct shared {
	qd_type type;
	uint32_t own; /* 1, 2, 4 */
	bool flat;    /* one index, else [thread, element] */
};
/* A function may have one local array in addition to the kernel's. */
enum { N_SHARED = 3, SHARED_LOCAL = N_SHARED, MAX_SHARED_LEN = REF_MAX_LANES * 4 };

/* -- Statements --------------------------------------------------------------------- */

enum skind {
	S_LET,	 /* n names id[] = e[]; flag: var */
	S_SET,	 /* n variables id[] op= e[] */
	S_STORE, /* array id[0] [ e[0] ] op= e[1] */
	S_IF,	 /* e[0]; body, other; flag: static */
	S_WHILE, /* e[0]; body */
	S_FOR,	 /* id[0] in e[0]..e[1] step e[2]; body; flag: unroll */
	S_GRID,	 /* id[0] in grid(e[0]); body */
	S_BLOCK, /* body */
	S_BREAK,
	S_CONTINUE,
	S_RETURN, /* n values e[] */
	S_DO,	  /* the call e[0] */
	S_SHARED, /* declares shared array id[0]; each thread's elements become e[0] */
	S_SHARED_STORE, /* shared array id[0] [ e[1], e[2] ] op= e[0] */
	S_SYNC,		/* flag: block barrier, else subgroup barrier */
	S_FENCE,	/* op: enum atomic_scope; n: enum atomic_order */
	S_DEBUG,		/* asserts that e[0], a u32, equals itself, and prints e[1..n] */
	S_PHASES	/* barriers around body, and around the bodies of the list in other; flag:
			 * block barriers, else subgroup barriers */
};
enum { OP_PLAIN = 255 }; /* assignment without an operator */

struct stmt {
	uint8_t kind, op, n;
	bool flag;
	bool typed;   /* the declaration names its type */
	bool removed; /* while a failing program is reduced */
	uint16_t id[MAX_VALUES];
	struct expr *e[MAX_VALUES];
	struct stmt *body, *other, *next;
};

/* -- Programs --------------------------------------------------------------------------- */

struct array {
	const char *name;
	qd_type type;
	qd_access access;
	uint32_t len;
};
/* small and narrow may have a storage type. */
/* cell: elements of one thread each, for atomics; bins: elements of all threads */
enum { A_SRC, A_FSRC, A_WSRC, A_SMALL, A_ACC, A_NARROW, A_OUT, A_COUNT, A_CELL, A_BINS, N_ARRAY };
enum { N_SCALAR = 3 }; /* scalar parameters of the kernel: n, m: u32, k: i32 */

struct variable {
	qd_type type;
	uint16_t name; /* v0, v1 ...; an inner one may hide an outer one */
};

/* A function. The kernel is one without results. */
struct function {
	uint32_t n_params, n_arrays, n_results, n_vars;
	qd_type result[MAX_VALUES];
	struct variable var[MAX_VARS]; /* the parameters first */
	uint16_t array[2];	       /* by array parameter: the kernel's array that is passed */
	struct stmt *body;
	bool lanes;	   /* has cross-lane calls: called only in uniform control flow */
	bool shaped;	   /* has its own N and L: called only where these have a name */
	uint8_t templated; /* a parameter + 1 that has the template's type */
	bool stores;	   /* takes an array and the index of the thread's first element */
	uint32_t size;	   /* nodes when inlined */
	uint32_t depth;	   /* depth of nested calls */
	uint16_t printed;  /* position in the text */
	bool syncs;	   /* has block barriers: called only in block-uniform control flow */
	uint8_t shared;	   /* the kernel's shared array that it takes, + 1 */
	bool shared_any;   /* declared as an array of any size */
	bool shared_reads; /* called while all threads read the array, else while each thread owns
			    * elements */
	bool has_local;
	bool wants_all;	     /* each thread of the block fills its own elements: there must be no
			      * padding threads */
	struct shared local;
	uint32_t shared_bytes; /* of its own array and those of its callees */
};

/* Features of a program, for the census. */
/* clang-format off */
enum trait {
	HAS_FN, HAS_FN_DEEP, HAS_FN_RESULTS, HAS_FN_STORES, HAS_FN_IN_EXPR, HAS_EARLY_RETURN, HAS_RETURN_IN_LOOP,
	HAS_RETURN_IN_NESTED, HAS_KERNEL_RETURN, HAS_WHILE, HAS_FOR, HAS_SHORT_LOOP, HAS_STEP, HAS_NESTED, HAS_NESTED3, HAS_BREAK,
	HAS_BREAK_NESTED, HAS_CONTINUE, HAS_UNROLL, HAS_UNROLL_BREAK, HAS_UNROLL_CONTINUE, HAS_ELSE_IF, HAS_STATIC_IF,
	HAS_AND_OR, HAS_AND_OR_LANES, HAS_LANES, HAS_LANES_IN_IF, HAS_LANES_IN_LOOP, HAS_LANES_IN_FN,
	HAS_LANES_BEFORE_JUMP, HAS_SHUFFLE, HAS_BROADCAST, HAS_BALLOT, HAS_VOTE, HAS_REDUCE, HAS_SCAN, HAS_GENERIC, HAS_SORT, HAS_WARP, HAS_MEMBERS, HAS_TILE_L, HAS_ACTIVE,
	HAS_LOAD_ELSE, HAS_WIDE_INDEX, HAS_SHORT_STORE, HAS_GRID, HAS_GRID_BELOW, HAS_GRID_AT, HAS_GRID_ABOVE,
	HAS_GRID_TAIL, HAS_GRID_SURPLUS, HAS_GRID_BEFORE, HAS_GRID_AFTER, HAS_GRID_CONTINUE, HAS_PARTIAL_BLOCK,
	HAS_TESTED, HAS_IMPLIED, HAS_COUNTED, HAS_SHADOW, HAS_FN_STATIC, HAS_FN_TYPE, HAS_IGNORED, HAS_SET_OP_TWO, HAS_U64, HAS_F64, HAS_SMALL, HAS_WIDE_LOOP,
	HAS_WIDE_GRID, HAS_CONVERSION, HAS_DEPTH4, 
	HAS_SHARED, HAS_SHARED_TWO, HAS_SHARED_WIDE, HAS_SHARED_FLOAT, HAS_SHARED_SMALL, HAS_SHARED_FN, HAS_SHARED_ANY,
	HAS_SHARED_LOCAL, HAS_SYNC_BLOCK, HAS_SYNC_IF, HAS_SYNC_LOOP, HAS_SYNC_FN, HAS_SYNC_BEFORE, HAS_SYNC_GRID,
	HAS_SYNC_TAIL, HAS_SYNC_BEHIND, HAS_SYNC_AROUND, HAS_SYNC_SUBGROUP, HAS_PHASE_READ, HAS_PHASE_TURNED,
	HAS_PHASE_ATOMIC, HAS_PHASE_LANES, HAS_ATOMIC_OWN, HAS_ATOMIC_SHARED, HAS_ATOMIC_BINS, HAS_ATOMIC_WIDE,
	HAS_ATOMIC_FLOAT, HAS_ATOMIC_TAIL, HAS_FENCE, HAS_FENCE_VARYING, HAS_FENCE_LOOP, HAS_REPORTED, HAS_REPORTED_LANES,
	HAS_AHEAD, HAS_AHEAD_CROSSED, HAS_BOOL_SET, N_TRAIT
};
/* clang-format on */

struct program {
	uint64_t seed;
	struct chunk *mem;
	struct function fn[MAX_FN], kernel;
	uint32_t n_fn;
	struct array array[N_ARRAY];
	uint64_t scalar[N_SCALAR];
	qd_type grid_type; /* NONE: without a grid loop */
	uint64_t grid_n;
	uint32_t block[3], block_dim;
	uint32_t n_blocks; /* of the launch */
	bool blocks_given; /* the launch has the number of blocks */
	uint32_t shape;	   /* N */
	uint32_t tile;	   /* L is this modulo log2_size + 1 */
	bool tile_early;   /* L is set when the kernel is taken from the module */
	uint64_t constant[N_CONST];
	uint32_t used_opers;
	uint32_t size; /* subgroup size, if known: no ballot has more than 64 lanes */
	bool requires;
	uint64_t traits[(N_TRAIT + 63) / 64];
	uint32_t n_stmts;
	bool has_u64, has_f64, has_small;
	struct shared shared[N_SHARED];
	uint32_t n_shared;
	bool quiet; /* the text omits S_DEBUG */
	enum atomic_op bins_op; /* the operation of all atomics on bins; with add also sub */
};

enum { MAX_TEXT = 1 << 18 };

/* Optional features of a device. Programs for a device without one do not use it. */
enum { DEVICE_F64 = 1, DEVICE_SMALL = 2, DEVICE_ATOMIC64 = 4, DEVICE_ALL = 7 };

struct program *program_make(uint64_t seed, uint32_t device);
uint32_t program_device(const struct suite *t);
/* Makes and runs the program of this seed: one cell passed, failed or skipped. */
void program_run(struct suite *t, uint64_t seed);
/* Returns the number of programs in a run. */
uint64_t program_count(const struct suite *t);
bool program_has(const struct program *p, enum trait t);
/* Returns the shared array that this number means in a function. */
const struct shared *program_shared(const struct program *p, const struct function *f, uint32_t id);
/* Returns the type of an element's value. */
qd_type shared_value(const struct shared *a);
void program_free(struct program *p);
/* Writes the program as .qdk text, NUL-terminated. Returns the length, which may exceed cap. */
size_t program_text(const struct program *p, char *out, size_t cap);
/* Generates a program and writes its text. */
size_t program_random_text(uint64_t seed, char *out, size_t cap);

/* Runs the program on subgroups of this size and updates data, the contents of the arrays.
 * wrong_loop injects a fault: a continue of an inner loop continues the outer one. Returns NULL,
 * or the rule that the program violates. */
const char *program_eval(const struct program *p, uint32_t size, bool flush, bool wrong_loop,
			 void *const data[N_ARRAY]);

#endif
