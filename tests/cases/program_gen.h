/* State of the generator: visible variables and open constructs.
 *
 * The generator follows the contract's rules of uniform control flow. A construct is either
 * calm (no varying jump leaves it) and may contain cross-lane calls, or rough and contains
 * none. A program that a compiler rejects is therefore an error. */
#ifndef QD_TESTS_PROGRAM_GEN_H
#define QD_TESTS_PROGRAM_GEN_H

#include "program.h"

enum { MAX_LEVELS = 24, NO_VAR = UINT16_MAX, GRID_SCOPE = 3 };

enum level_kind { LV_FUNCTION, LV_GRID, LV_LOOP, LV_UNROLL, LV_IF, LV_PHASES };

/* Scope in which a value is uniform. */
enum same { SAME_NOWHERE, SAME_SUBGROUP, SAME_BLOCK };

/* An open construct. */
struct level {
	uint8_t kind;
	bool uniform;	 /* its condition */
	bool calm;	 /* no varying jump leaves it */
	bool only_round; /* rough, but its varying jumps are continues */
	bool left;	 /* a varying jump precedes */
	bool whole;	 /* block-uniform: barriers are allowed */
};

struct visible {
	uint16_t id;
	bool is_var;  /* a var; not a let, parameter or index */
	uint8_t same; /* enum same */
	bool in_grid; /* declared in the grid loop's body */
	uint16_t hidden_by;
	uint16_t scope;
};

/* Permitted accesses to a shared array until the next barrier. */
enum mode_kind {
	MODE_NONE,   /* the array is not visible */
	MODE_OWN,    /* each thread accesses its own elements */
	MODE_TURNED, /* each thread accesses those of the thread `turn` places further */
	MODE_READ,   /* all threads read all elements */
	MODE_ATOMIC, /* all threads use this atomic on all elements */
	/* The same within each subgroup, with the elements of its threads. */
	MODE_LANES_TURNED,
	MODE_LANES_READ,
	MODE_LANES_ATOMIC
};
struct mode {
	uint8_t kind, op; /* op: enum atomic_op */
	uint32_t turn;
};

struct gen {
	struct program *p;
	struct function *f;
	uint64_t rng;
	struct visible see[MAX_VARS];
	uint32_t n_see, scope;
	struct level open[MAX_LEVELS];
	uint32_t n_open;
	uint32_t inlined; /* copies of the current position in unrolled loops */
	uint32_t rounds;  /* executions of the current position */
	uint32_t cost;	  /* cost of executing the function so far */
	uint32_t max_size;
	uint16_t here; /* variable: lanes of the subgroup without padding threads */
	uint16_t at;   /* variable: index of the thread's first element of acc */
	uint32_t even; /* the number of lanes is a multiple of this */
	uint32_t n_callable;
	bool in_kernel;
	bool grid_seen; /* the grid loop has begun */
	bool grid_left; /* a return left the grid loop */
	bool has_tail;	/* code follows the grid loop */
	bool grid_past;
	struct mode mode[N_SHARED + 1];
	bool in_report; /* in an assert or print, which must not change the order of tables */
	uint32_t device;
};

/* BLOCK, with UNIFORM: uniform in the block. */
enum { GEN_UNIFORM = 1, GEN_LANES = 2, GEN_LITERAL = 4, GEN_BLOCK = 8 };

/* -- program_gen.c ------------------------------------------------------------------- */

uint32_t gen_upto(struct gen *g, uint32_t n); /* 0..n-1 */
bool gen_one_in(struct gen *g, uint32_t n);
void *gen_alloc(struct program *p, size_t size);
void gen_has(struct gen *g, enum trait t);
/* Returns a new variable of the function. It is not yet visible. */
uint16_t gen_variable(struct gen *g, qd_type type);
void gen_show(struct gen *g, uint16_t id, bool is_var, uint32_t same);
uint32_t gen_scope_open(struct gen *g);
void gen_scope_close(struct gen *g, uint32_t mark);
/* Returns a visible variable that is at least as uniform as `same`, or NO_VAR. to_set: one that
 * may be assigned and is exactly as uniform. */
uint16_t gen_pick(struct gen *g, qd_type type, uint32_t same, bool to_set);
struct level *gen_open(struct gen *g, enum level_kind kind, bool uniform, bool calm);
/* Returns whether control flow is uniform in the subgroup, by the compiler's analysis. */
bool gen_uniform(const struct gen *g);
/* Returns whether it is also uniform in the block. */
bool gen_whole(const struct gen *g);
bool gen_inside(const struct gen *g, enum level_kind kind);
uint32_t gen_n_loops(const struct gen *g);
/* Returns whether code of this size may be added to the function. */
bool gen_affords(const struct gen *g, uint32_t size);

/* -- program_expr.c --------------------------------------------------------------------- */

struct expr *x_new(struct gen *g, enum xkind kind, qd_type type, uint32_t op);
struct expr *x_literal(struct gen *g, qd_type type, uint64_t bits);
struct expr *x_any_literal(struct gen *g, qd_type type);
struct expr *x_var(struct gen *g, uint16_t id);
/* Returns the float x, between -most and most. */
struct expr *x_clamp(struct gen *g, struct expr *x, float most);
struct expr *x_place(struct gen *g, enum place op);
/* Appends an operand and returns x. */
struct expr *x_arg(struct expr *x, struct expr *a);
struct expr *x_binary(struct gen *g, enum ref_op op, struct expr *a, struct expr *b);
struct expr *x_cast(struct gen *g, qd_type to, struct expr *x);
/* Returns a value for a variable: x, or x plus the block's index if x is constant. */
struct expr *x_varies(struct gen *g, struct expr *x);
/* Returns any expression. flags: GEN_*. */
struct expr *gen_expr(struct gen *g, qd_type type, uint32_t depth, uint32_t flags);
/* Returns an expression for a variable: floats are kept small. */
struct expr *gen_value(struct gen *g, qd_type type, uint32_t flags);
struct expr *gen_condition(struct gen *g, uint32_t flags);
/* Returns a call of the function, or NULL if that is not possible here. */
struct expr *gen_call(struct gen *g, uint32_t id, uint32_t depth, uint32_t flags);
/* Returns a call of a function with this single result, or NULL. */
struct expr *gen_call_in_expr(struct gen *g, qd_type type, uint32_t depth, uint32_t flags);
/* Returns the flags that are allowed at the beginning of a statement. */
uint32_t gen_flags(const struct gen *g);
/* Returns them for a value that is uniform in this scope. */
uint32_t gen_flags_same(const struct gen *g, uint32_t same);
/* Returns a possible scope of uniformity for a value that is set here. */
uint32_t gen_any_same(struct gen *g, uint32_t one_in);
qd_type gen_type(struct gen *g);
/* Returns the type of an element's value. */
qd_type array_value(const struct array *a);
/* Returns whether N and L have names here. */
bool gen_shaped(const struct gen *g);

/* -- program_make.c ----------------------------------------------------------------------- */

/* Returns the index in the block of the subgroup's first thread. */
struct expr *gen_first_thread(struct gen *g);

/* -- program_lane.c --------------------------------------------------------------------- */

/* Returns a cross-lane call of a type other than bool. uniform: all lanes get the same result. */
struct expr *gen_lane(struct gen *g, qd_type type, uint32_t depth, bool uniform);
/* Returns an expression with several values, for gen_take. */
struct expr *gen_generic(struct gen *g, uint32_t oper);
/* Returns a call of the whole block, of a type other than bool. */
struct expr *gen_whole_call(struct gen *g, qd_type type);
/* Returns a ballot of 64 lanes, or of all lanes in four words. */
struct expr *gen_ballot(struct gen *g, enum lane_op op, uint32_t depth);
struct expr *gen_sort(struct gen *g, qd_type types[2]);
void gen_note_lanes(struct gen *g);
/* program_warp.c: calls with a result of the type, or NULL; calls with two results. */
struct expr *gen_warp(struct gen *g, qd_type type, uint32_t depth);
struct expr *gen_warp_two(struct gen *g, qd_type types[2]);

/* -- program_stmt.c ----------------------------------------------------------------------- */

struct stmts {
	struct stmt *first, **tail;
};
void stmts_init(struct stmts *l);
/* Returns whether nothing after the list is reachable. by_return: because the function has
 * returned. */
bool stmts_end(const struct stmt *first, bool by_return);
struct stmt *stmts_add(struct gen *g, struct stmts *l, enum skind kind);
/* Adds up to n statements. */
void gen_statements(struct gen *g, struct stmts *l, uint32_t n, uint32_t depth);
/* Adds a let or var with this value, which is visible from then on. */
uint16_t gen_declare(struct gen *g, struct stmts *l, struct expr *x, bool is_var, uint32_t same);
/* Assigns several results to new names, or to variables of the same types. */
void gen_take(struct gen *g, struct stmts *l, struct expr *x, const qd_type *types, uint32_t n);

/* -- program_near.c ----------------------------------------------------------------------- */

/* Add a load guarded by a test, loads in a loop up to about the length, and loads of neighbors. */
void gen_tested_load(struct gen *g, struct stmts *l);
void gen_counted_load(struct gen *g, struct stmts *l);
void gen_neighbor_loads(struct gen *g, struct stmts *l);
/* Adds a call of the whole block, with uses of its results. */
void gen_whole_statement(struct gen *g, struct stmts *l);
void gen_call_statement(struct gen *g, struct stmts *l);

/* -- program_ahead.c --------------------------------------------------------------------- */

/* Adds a variable's next value, code in between, and the assignment of the value. */
void gen_ahead(struct gen *g, struct stmts *l);
void gen_set_bool(struct gen *g, struct stmts *l);

/* -- program_jump.c ---------------------------------------------------------------------- */

void gen_return(struct gen *g, struct stmts *l);
/* Adds a jump as the last statement of a list, if one is possible. */
void gen_jump(struct gen *g, struct stmts *l);
/* Adds to an empty list a break or continue, if possible; rarely a return. */
void gen_leave(struct gen *g, struct stmts *l);

/* -- program_wide.c --------------------------------------------------------------------- */

void wide_choose_tables(struct gen *g);
/* Returns an element of a table, without its index, or NULL if there is none of the type. */
struct expr *wide_table(struct gen *g, qd_type type);
/* Adds a wide load or store. */
void wide_statement(struct gen *g, struct stmts *l);

/* -- program_memory.c --------------------------------------------------------------------- */

/* Chooses the program's shared arrays. */
void memory_choose(struct gen *g);
/* Adds a declaration with stores to all elements, and makes the array visible. */
void memory_declare(struct gen *g, struct stmts *l, uint32_t id);
void memory_forget(struct gen *g);
/* Returns a load from a shared array, or NULL. */
struct expr *memory_load(struct gen *g, qd_type type, uint32_t depth, uint32_t flags);
/* Adds an access to memory, a fence or a barrier. */
void memory_statement(struct gen *g, struct stmts *l);
/* Adds barriers with statements between them. */
void memory_phases(struct gen *g, struct stmts *l, uint32_t depth);
/* Adds the same barriers around the statements that the caller adds to the list. */
struct stmt *memory_open(struct gen *g, struct stmts *l, struct mode *kept);
void memory_close(struct gen *g, struct stmt *s, const struct stmts *in, const struct mode *kept);
/* Returns the thread's first element. */
struct expr *memory_own(struct gen *g, uint32_t id);
uint32_t memory_bytes(const struct program *p, const struct shared *a);
/* Returns whether the function may be called here, by its barriers and shared memory. */
bool memory_fits(const struct gen *g, const struct function *fn);
/* Returns the operation for concurrent atomics on a buffer. */
enum atomic_op memory_bins(struct gen *g, qd_type type);

#endif
