/* Random structured programs as trees: what makes them (program_make.c, program_stmt.c,
 * program_expr.c, program_ahead.c, program_lane.c, program_memory.c), writes them as .qdk text
 * (program_text.c, program_name.c), runs them on arrays of lanes (program_eval.c,
 * program_value.c, program_access.c), counts what is in them (program_census.c), and
 * compares devices with that (program.c).  Nothing of the library's own is used but its
 * public header. */
#ifndef QD_TESTS_PROGRAM_H
#define QD_TESTS_PROGRAM_H

#include "cases.h"

/* What devices promise of grid loops and jumps, by the contract.  Where one is 0 no
 * program is made that depends on it.
 *   GRID_TAILS         a grid loop's count may be any number: threads at and past it
 *                      are absent in the body, and there are surplus blocks
 *   CALLS_BEFORE_JUMPS a cross-lane call may stand before a varying continue, or a
 *                      varying return that leaves no loop
 *   CALM_EXITS         a uniform jump out of several constructs, or out of an unroll,
 *                      leaves what is around it uniform
 *   DEAD_CODE          statements may stand behind an if that always ends in a jump
 *   SIGN_EXTENSION     i64 of an i32: compared with a constant it goes wrong in a driver
 *   CONSTANT_VARIABLES a variable may be set to a constant: signed operations on what a
 *                      driver finds to be one go wrong in it
 *   ONE_THREAD         a block may have one thread, whose index a driver knows to be 0:
 *                      it takes x + f32(index) for x */
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
			* bits: enum atomic_scope, 8 times enum atomic_order.  A statement's
			* whole right side: nothing depends on what is evaluated first */
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

/* Functions whose last bits differ between devices, in an expression of a u32 whose
 * value does not: so far from a whole number that the error makes no other of it. */
enum { N_ROUGH = 7 };
struct rough {
	const char *before, *after;
	uint32_t mask;
	int32_t value[8];
};
extern const struct rough roughs[N_ROUGH];

enum lane_op {
	L_SHUFFLE,
	L_SHUFFLE_XOR,
	L_SHUFFLE_UP,
	L_SHUFFLE_DOWN,
	L_BROADCAST,
	L_BROADCAST_FIRST,
	L_BALLOT, /* bits: n */
	L_ALL_TRUE, /* three, as enum ref_vote has them */
	L_ANY_TRUE,
	L_ALL_EQUAL,
	/* Three times the operations of enum ref_reduction. */
	L_REDUCE_ADD, L_REDUCE_MUL, L_REDUCE_MIN, L_REDUCE_MAX, L_REDUCE_AND, L_REDUCE_OR, L_REDUCE_XOR,
	L_INCLUSIVE_ADD, L_INCLUSIVE_MUL, L_INCLUSIVE_MIN, L_INCLUSIVE_MAX, L_INCLUSIVE_AND,
	L_INCLUSIVE_OR, L_INCLUSIVE_XOR,
	L_EXCLUSIVE_ADD, L_EXCLUSIVE_MUL, L_EXCLUSIVE_MIN, L_EXCLUSIVE_MAX, L_EXCLUSIVE_AND,
	L_EXCLUSIVE_OR, L_EXCLUSIVE_XOR,
	L_SEGMENTED_ADD, L_SEGMENTED_MIN, L_SEGMENTED_MAX, /* heads */
	L_REDUCE, /* id: operator */
	L_INCLUSIVE_SCAN,
	L_EXCLUSIVE_SCAN, /* the identity's values behind the others */
	L_BALLOT64,
	L_BALLOT128, /* four words */
	L_SORT, /* a key and a value, of any types */
	L_SYNC_ALL, L_SYNC_ANY, L_SYNC_COUNT, /* of the block alone */
	L_WARP, /* from here on: of warps, the members first */
	L_MATCH_ANY = L_WARP,
	L_MATCH_ALL, /* two values */
	L_VOTE_ALL, L_VOTE_ANY, L_VOTE_UNI, /* as enum ref_member_vote has them */
	L_VOTE_BALLOT,
	L_ELECT,
	/* No operands. */
	L_ACTIVEMASK, L_LANEMASK_LT, L_LANEMASK_LE, L_LANEMASK_EQ, L_LANEMASK_GE, L_LANEMASK_GT,
	/* As enum ref_shfl has them; bits: the width.  Those of two values behind those of one. */
	L_SHFL_UP, L_SHFL_DOWN, L_SHFL_BFLY, L_SHFL_IDX,
	L_SHFL_UP_P, L_SHFL_DOWN_P, L_SHFL_BFLY_P, L_SHFL_IDX_P,
	L_REDUX_ADD, L_REDUX_MIN, L_REDUX_MAX, L_REDUX_AND, L_REDUX_OR, L_REDUX_XOR,
	N_LANE_OP
};
extern const char *const lane_text[N_LANE_OP];

/* Tiles: a log2_size, the template parameter L, or the whole subgroup. */
enum { TILE_L = 100, TILE_FULL };

struct expr {
	uint8_t kind, op, type, tile, n;
	bool plain; /* a literal that adapts to its neighbour */
	bool other; /* the name with _all_ in it */
	bool shared; /* an atomic on a shared array */
	bool whole;  /* a call of the block, not the subgroup */
	bool active; /* its last argument says of how many threads */
	uint16_t id;
	uint64_t bits;
	struct expr *arg[MAX_ARGS];
};

/* Operators of generic reductions, associative; values by bits. */
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
	enum ref_op op; /* where it combines */
	uint8_t n_values;
	bool integers; /* only these */
};
extern const struct atomic_info atomic_info[N_ATOMIC_OP];

/* DEFAULT: the call says nothing. */
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

/* So many elements for each thread of the block. */
struct shared {
	qd_type type;
	uint32_t own; /* 1, 2, 4 */
	bool flat;    /* one index, else [thread, element] */
};
/* A function may have one of its own beside the kernel's. */
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
	S_SYNC,		/* flag: of the block, else of the subgroup */
	S_FENCE,	/* op: enum atomic_scope; n: enum atomic_order */
	S_TELL,		/* asserts that e[0], a u32, is what it is, and prints e[1..n] */
	S_PHASES	/* barriers around body, and around those of the list in other; flag: of
			 * the block, else of the subgroup */
};
enum { OP_PLAIN = 255 }; /* of an assignment that is no compound one */

struct stmt {
	uint8_t kind, op, n;
	bool flag;
	bool typed;   /* the declaration names its type */
	bool removed; /* while a program that fails is made smaller */
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
/* small and narrow may have elements of a storage type. */
/* cell: elements of one thread each, for atomics; bins: all threads' */
enum { A_SRC, A_FSRC, A_WSRC, A_SMALL, A_ACC, A_NARROW, A_OUT, A_COUNT, A_CELL, A_BINS, N_ARRAY };
enum { N_SCALAR = 3 }; /* the kernel's: n, m: u32, k: i32 */

struct variable {
	qd_type type;
	uint16_t name; /* v0, v1 ...; an inner one may hide an outer one */
};

/* The kernel is one, without results. */
struct function {
	uint32_t n_params, n_arrays, n_results, n_vars;
	qd_type result[MAX_VALUES];
	struct variable var[MAX_VARS]; /* the parameters first */
	uint16_t array[2];	       /* of an array parameter: the kernel's that is passed */
	struct stmt *body;
	bool lanes;	   /* has cross-lane calls: called where control flow is uniform only */
	bool shaped;	   /* has N and L as its own: called where they have a name */
	uint8_t templated; /* a parameter + 1 whose type is a template's */
	bool stores;	   /* takes an array and the place where the thread's elements begin */
	uint32_t size;	   /* nodes when inlined */
	uint32_t depth;	   /* of calls in it */
	uint16_t printed;  /* its place in the text */
	bool syncs;	   /* has barriers of the block: called where its control flow is uniform */
	uint8_t shared;	   /* takes the kernel's shared array + 1 */
	bool shared_any;   /* of any size, as the text says */
	bool shared_reads; /* called while all read it, else while each thread has its elements */
	bool has_local;
	bool wants_all;	     /* each thread of the block fills its elements of one: none may be absent */
	struct shared local;
	uint32_t shared_bytes; /* of its own and those of what it calls */
};

/* What a program has, for the census. */
/* clang-format off */
enum trait {
	HAS_FN, HAS_FN_DEEP, HAS_FN_RESULTS, HAS_FN_STORES, HAS_FN_IN_EXPR, HAS_EARLY_RETURN, HAS_RETURN_IN_LOOP,
	HAS_RETURN_IN_NESTED, HAS_KERNEL_RETURN, HAS_WHILE, HAS_FOR, HAS_STEP, HAS_NESTED, HAS_NESTED3, HAS_BREAK,
	HAS_BREAK_NESTED, HAS_CONTINUE, HAS_UNROLL, HAS_UNROLL_BREAK, HAS_UNROLL_CONTINUE, HAS_ELSE_IF, HAS_STATIC_IF,
	HAS_AND_OR, HAS_AND_OR_LANES, HAS_LANES, HAS_LANES_IN_IF, HAS_LANES_IN_LOOP, HAS_LANES_IN_FN,
	HAS_LANES_BEFORE_JUMP, HAS_SHUFFLE, HAS_BROADCAST, HAS_BALLOT, HAS_VOTE, HAS_REDUCE, HAS_SCAN, HAS_GENERIC, HAS_SORT, HAS_WARP, HAS_MEMBERS, HAS_TILE_L, HAS_ACTIVE,
	HAS_LOAD_ELSE, HAS_WIDE_INDEX, HAS_SHORT_STORE, HAS_GRID, HAS_GRID_BELOW, HAS_GRID_AT, HAS_GRID_ABOVE,
	HAS_GRID_TAIL, HAS_GRID_SURPLUS, HAS_GRID_BEFORE, HAS_GRID_BEHIND, HAS_GRID_CONTINUE, HAS_PARTIAL_BLOCK,
	HAS_SHADOW, HAS_FN_STATIC, HAS_FN_TYPE, HAS_IGNORED, HAS_SET_OP_TWO, HAS_U64, HAS_F64, HAS_SMALL, HAS_WIDE_LOOP,
	HAS_WIDE_GRID, HAS_CONVERSION, HAS_DEPTH4, 
	HAS_SHARED, HAS_SHARED_TWO, HAS_SHARED_WIDE, HAS_SHARED_FLOAT, HAS_SHARED_SMALL, HAS_SHARED_FN, HAS_SHARED_ANY,
	HAS_SHARED_LOCAL, HAS_SYNC_BLOCK, HAS_SYNC_IF, HAS_SYNC_LOOP, HAS_SYNC_FN, HAS_SYNC_BEFORE, HAS_SYNC_GRID,
	HAS_SYNC_TAIL, HAS_SYNC_BEHIND, HAS_SYNC_AROUND, HAS_SYNC_SUBGROUP, HAS_PHASE_READ, HAS_PHASE_TURNED,
	HAS_PHASE_ATOMIC, HAS_PHASE_LANES, HAS_ATOMIC_OWN, HAS_ATOMIC_SHARED, HAS_ATOMIC_BINS, HAS_ATOMIC_WIDE,
	HAS_ATOMIC_FLOAT, HAS_ATOMIC_TAIL, HAS_FENCE, HAS_FENCE_VARYING, HAS_FENCE_LOOP, HAS_TOLD, HAS_TOLD_LANES,
	HAS_AHEAD, HAS_BOOL_SET, N_TRAIT
};
/* clang-format on */

struct program {
	uint64_t seed;
	struct chunk *mem;
	struct function fn[MAX_FN], kernel;
	uint32_t n_fn;
	struct array array[N_ARRAY];
	uint64_t scalar[N_SCALAR];
	qd_type grid_type; /* NONE: no grid loop */
	uint64_t grid_n;
	uint32_t block[3], block_dim;
	uint32_t n_blocks; /* that run */
	bool blocks_given; /* the launch says so */
	uint32_t shape;	   /* N */
	uint32_t tile;	   /* L, modulo what the subgroup has */
	bool tile_early;   /* L is given when the kernel is taken from the text */
	uint64_t constant[N_CONST];
	uint32_t used_opers;
	uint32_t size; /* lanes of a subgroup, where that is known: a ballot of more than 64 is none */
	bool requires;
	uint64_t traits[(N_TRAIT + 63) / 64];
	uint32_t n_stmts;
	bool has_u64, has_f64, has_small;
	struct shared shared[N_SHARED];
	uint32_t n_shared;
	bool quiet; /* its text has no S_TELL */
	enum atomic_op bins_op; /* all that is done to bins; with add also sub */
};

enum { MAX_TEXT = 1 << 18 };

/* What a device has; programs for one that has not do without. */
enum { DEVICE_F64 = 1, DEVICE_SMALL = 2, DEVICE_ATOMIC64 = 4, DEVICE_ALL = 7 };

struct program *program_make(uint64_t seed, uint32_t device);
uint32_t program_device(const struct suite *t);
/* Makes the one of this seed and runs it: one cell passed, failed or skipped. */
void program_run(struct suite *t, uint64_t seed);
/* How many are run. */
uint64_t program_count(const struct suite *t);
bool program_has(const struct program *p, enum trait t);
/* The shared array that a function means by this number. */
const struct shared *program_shared(const struct program *p, const struct function *f, uint32_t id);
/* What an element is when it is read. */
qd_type shared_value(const struct shared *a);
void program_free(struct program *p);
/* As .qdk text, NUL-terminated; its length, which may be more than cap. */
size_t program_text(const struct program *p, char *out, size_t cap);
/* The same for who wants nothing but texts. */
size_t program_random_text(uint64_t seed, char *out, size_t cap);

/* Runs it on subgroups of so many lanes.  data: the arrays, of which those that are
 * written change.  wrong_loop: who continues an inner loop goes on with the one around it,
 * a fault that must be found.  NULL, or what the program does that no program may. */
const char *program_eval(const struct program *p, uint32_t size, bool flush, bool wrong_loop,
			 void *const data[N_ARRAY]);

#endif
