/* While a program is made: what is in sight, and what may stand here.
 *
 * The rules of uniform control flow are kept by construction, as the contract states
 * them: a construct is either calm (no jump out of it depends on the thread) and may
 * hold cross-lane calls, or rough and holds none.  So a program that a compiler
 * refuses is a fault. */
#ifndef QD_TESTS_PROGRAM_GEN_H
#define QD_TESTS_PROGRAM_GEN_H

#include "program.h"

enum { MAX_LEVELS = 24, NO_VAR = UINT16_MAX, GRID_SCOPE = 3 };

enum level_kind { LV_FUNCTION, LV_GRID, LV_LOOP, LV_UNROLL, LV_IF, LV_PHASES };

/* For whom a value is the same. */
enum same { SAME_NOWHERE, SAME_SUBGROUP, SAME_BLOCK };

/* An open construct. */
struct level {
	uint8_t kind;
	bool uniform;	 /* its condition */
	bool calm;	 /* no varying jump leaves it */
	bool only_round; /* rough, but loops are left by continue alone */
	bool left;	 /* such a jump stands above */
	bool whole;	 /* all of it is one for the whole block: barriers may stand in it */
};

struct visible {
	uint16_t id;
	bool is_var;  /* not a let, parameter or index */
	uint8_t same; /* enum same */
	bool in_grid; /* declared in the grid loop's body */
	uint16_t hidden_by;
	uint16_t scope;
};

/* What threads may do with a shared array until the next barrier. */
enum mode_kind {
	MODE_NONE,   /* it is not in sight */
	MODE_OWN,    /* each thread its own elements */
	MODE_TURNED, /* each those of another one: by `turn` places */
	MODE_READ,   /* all read all */
	MODE_ATOMIC, /* all do this to all */
	/* The same in each subgroup, with the elements of its threads. */
	MODE_LANES_TURNED,
	MODE_LANES_READ,
	MODE_LANES_ATOMIC
};
struct mode {
	uint8_t kind, op; /* enum atomic_op */
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
	uint32_t inlined; /* times that this place is written out: unrolled loops */
	uint32_t rounds;  /* times that it is run */
	uint32_t cost;	  /* of the function so far, run */
	uint32_t max_size;
	uint16_t here; /* variable: how many lanes of the subgroup there are */
	uint16_t at;   /* variable: where this thread's elements of acc begin */
	uint32_t even; /* that number is a multiple of this */
	uint32_t n_callable;
	bool in_kernel;
	bool grid_seen; /* its grid loop has begun */
	bool grid_left; /* by a return */
	bool behind;	/* something stands behind it */
	bool grid_past;
	struct mode mode[N_SHARED + 1];
	uint32_t device;
};

/* BLOCK, with UNIFORM: in the whole block. */
enum { GEN_UNIFORM = 1, GEN_LANES = 2, GEN_LITERAL = 4, GEN_BLOCK = 8 };

/* -- program_gen.c ------------------------------------------------------------------- */

uint32_t gen_upto(struct gen *g, uint32_t n); /* 0..n-1 */
bool gen_one_in(struct gen *g, uint32_t n);
void *gen_alloc(struct program *p, size_t size);
void gen_has(struct gen *g, enum trait t);
/* A new variable of the function, not yet in sight. */
uint16_t gen_variable(struct gen *g, qd_type type);
void gen_show(struct gen *g, uint16_t id, bool is_var, uint32_t same);
uint32_t gen_scope_open(struct gen *g);
void gen_scope_close(struct gen *g, uint32_t mark);
/* One in sight that is the same for these or more, or NO_VAR.  to_set: variables, the same
 * for just these. */
uint16_t gen_pick(struct gen *g, qd_type type, uint32_t same, bool to_set);
const struct visible *gen_seen(const struct gen *g, uint16_t id);
struct level *gen_open(struct gen *g, enum level_kind kind, bool uniform, bool calm);
/* Is control flow uniform in the subgroup, as a compiler sees it? */
bool gen_uniform(const struct gen *g);
/* And in the whole block? */
bool gen_whole(const struct gen *g);
bool gen_inside(const struct gen *g, enum level_kind kind);
uint32_t gen_n_loops(const struct gen *g);
/* May so much be added to the function? */
bool gen_affords(const struct gen *g, uint32_t size);

/* -- program_expr.c --------------------------------------------------------------------- */

struct expr *x_new(struct gen *g, enum xkind kind, qd_type type, uint32_t op);
struct expr *x_literal(struct gen *g, qd_type type, uint64_t bits);
struct expr *x_any_literal(struct gen *g, qd_type type);
struct expr *x_var(struct gen *g, uint16_t id);
struct expr *x_place(struct gen *g, enum place op);
/* Appends an operand; x. */
struct expr *x_arg(struct expr *x, struct expr *a);
struct expr *x_binary(struct gen *g, enum ref_op op, struct expr *a, struct expr *b);
struct expr *x_cast(struct gen *g, qd_type to, struct expr *x);
/* What a variable may take: x, or x and the block's index where x is a constant. */
struct expr *x_varies(struct gen *g, struct expr *x);
/* Any; flags: GEN_*. */
struct expr *gen_expr(struct gen *g, qd_type type, uint32_t depth, uint32_t flags);
/* One that a variable may take: floats are kept small. */
struct expr *gen_value(struct gen *g, qd_type type, uint32_t flags);
struct expr *gen_condition(struct gen *g, uint32_t flags);
/* A call of a function whose results are these, or NULL: none, no room. */
struct expr *gen_call(struct gen *g, uint32_t id, uint32_t depth, uint32_t flags);
/* One of those with this result alone, or NULL. */
struct expr *gen_call_in_expr(struct gen *g, qd_type type, uint32_t depth, uint32_t flags);
/* What flags may have at the beginning of a statement. */
uint32_t gen_flags(const struct gen *g);
/* And for a value that is the same for these. */
uint32_t gen_flags_same(const struct gen *g, uint32_t same);
/* For whom a value that is set here may be the same. */
uint32_t gen_any_same(struct gen *g, uint32_t one_in);
qd_type gen_type(struct gen *g);
/* What an element is when it is read. */
qd_type array_value(const struct array *a);
/* Do N and L have their names here? */
bool gen_shaped(const struct gen *g);

/* -- program_make.c ----------------------------------------------------------------------- */

/* The subgroup's first thread in its block. */
struct expr *gen_first_thread(struct gen *g);

/* -- program_lane.c --------------------------------------------------------------------- */

/* A cross-lane call of a type that is no bool; uniform: with one result for all. */
struct expr *gen_lane(struct gen *g, qd_type type, uint32_t depth, bool uniform);
/* Several values; the caller has places for them. */
struct expr *gen_generic(struct gen *g, uint32_t oper);
/* A call of the whole block, of a type that is no bool. */
struct expr *gen_whole_call(struct gen *g, qd_type type);
/* One of 64 lanes, or of all in four words. */
struct expr *gen_ballot(struct gen *g, enum lane_op op, uint32_t depth);
struct expr *gen_sort(struct gen *g, qd_type types[2]);
void gen_note_lanes(struct gen *g);
/* program_warp.c: of a type, NULL where nothing gives it; of two values. */
struct expr *gen_warp(struct gen *g, qd_type type, uint32_t depth);
struct expr *gen_warp_two(struct gen *g, qd_type types[2]);

/* -- program_stmt.c ----------------------------------------------------------------------- */

struct stmts {
	struct stmt *first, **tail;
};
void stmts_init(struct stmts *l);
/* Does nothing behind the list run?  by_return: because the function has ended. */
bool stmts_end(const struct stmt *first, bool by_return);
struct stmt *stmts_add(struct gen *g, struct stmts *l, enum skind kind);
/* n statements or less. */
void gen_statements(struct gen *g, struct stmts *l, uint32_t n, uint32_t depth);
/* let or var with this value, in sight from now on. */
uint16_t gen_declare(struct gen *g, struct stmts *l, struct expr *x, bool is_var, uint32_t same);
/* Names for several results, or variables that fit. */
void gen_take(struct gen *g, struct stmts *l, struct expr *x, const qd_type *types, uint32_t n);
/* A call of the whole block, and who takes what it gives. */
void gen_whole_statement(struct gen *g, struct stmts *l);
void gen_call_statement(struct gen *g, struct stmts *l);

/* -- program_ahead.c --------------------------------------------------------------------- */

/* A variable's next value, something between, and the variable is set to it. */
void gen_ahead(struct gen *g, struct stmts *l);
void gen_set_bool(struct gen *g, struct stmts *l);

/* -- program_jump.c ---------------------------------------------------------------------- */

void gen_return(struct gen *g, struct stmts *l);
/* The last statement of a list, where one may stand. */
void gen_jump(struct gen *g, struct stmts *l);
/* In an empty list: to where the innermost loop ends or goes on, where one may; seldom a return. */
void gen_leave(struct gen *g, struct stmts *l);

/* -- program_memory.c --------------------------------------------------------------------- */

/* The program's shared arrays. */
void memory_choose(struct gen *g);
/* A declaration, which fills it, and from then on it is in sight. */
void memory_declare(struct gen *g, struct stmts *l, uint32_t id);
void memory_forget(struct gen *g);
/* A load from a shared array, or NULL. */
struct expr *memory_load(struct gen *g, qd_type type, uint32_t depth, uint32_t flags);
/* Some access to memory, fence or barrier. */
void memory_statement(struct gen *g, struct stmts *l);
/* Barriers with something between them. */
void memory_phases(struct gen *g, struct stmts *l, uint32_t depth);
/* The same around what the caller adds to the list that is given. */
struct stmt *memory_open(struct gen *g, struct stmts *l, struct mode *kept);
void memory_close(struct gen *g, struct stmt *s, const struct stmts *in, const struct mode *kept);
/* The first element of the thread. */
struct expr *memory_own(struct gen *g, uint32_t id);
uint32_t memory_bytes(const struct program *p, const struct shared *a);
/* May the function be called here, by its barriers and what it has of shared memory? */
bool memory_fits(const struct gen *g, const struct function *fn);
/* What threads may do to a buffer at the same time. */
enum atomic_op memory_bins(struct gen *g, qd_type type);

#endif
