/* From the tree to builder calls: one walk per kernel and choice of templates.
 * After the first error of a kernel the builder is switched off and the walk
 * goes on for the sake of further messages. */
#ifndef QD_LANG_LOWER_H
#define QD_LANG_LOWER_H

#include "lang.h"

enum {
	MAX_CALLS = 1000,	/* functions open in each other */
	MAX_LOWER_DEPTH = 256,	/* of the walk, on one stack */
	NEW_STACK_DEPTH = 64,	/* from here on a call's body is walked on another */
	STACK_SIZE = 1 << 20
};

/* -- Values --------------------------------------------------------------------- */

enum value_kind {
	V_ERROR, /* reported already */
	V_CONST, /* bits; made an instruction where it is used */
	V_TOKEN, /* a template parameter's value; bits: the token */
	V_DYN	 /* v */
};

struct value {
	uint8_t kind, type;
	bool known;    /* once the templates are: constants and what is made of them */
	bool wraps;    /* a constant that an operation which wraps was folded to */
	bool guarded;  /* a load that gives 0 out of range, as it came */
	uint32_t deps; /* of a known one: the templates it depends on, a bit each; the target */
	struct qd_val v;
	uint64_t bits;
};

enum { DEP_TARGET = 1 << 30 };

static const struct value value_error = { 0 };

static inline struct value
value_const(qd_type type, uint64_t bits)
{
	return (struct value){
		.kind = V_CONST, .type = (uint8_t)type, .known = true, .bits = bits
	};
}
static inline struct value
value_dyn(qd_type type, struct qd_val v)
{
	return (struct value){ .kind = V_DYN, .type = (uint8_t)type, .v = v };
}

/* -- Names ------------------------------------------------------------------------- */

/* What a name is: a binding of one of the first four kinds, a declaration of the
 * file, a word of the language, or nothing. */
enum name_kind {
	B_VALUE,
	B_VAR,
	B_ARRAY,
	B_TYPE,
	M_CONST,
	M_FN,
	M_KERNEL,
	M_MATH,
	M_CHECK, /* assert, print */
	M_GROUP,
	M_NOTHING
};

struct binding {
	uint8_t kind;
	uint8_t type;	/* of a variable, a type, an array's elements */
	uint8_t access; /* of an array */
	bool local;	/* a variable that is only a value: in an operator */
	uint8_t n_dims; /* of a shared array; 0: a buffer */
	const uint32_t *dims;
	uint32_t sym, prev;
	uint32_t at, len; /* where it was declared */
	const char *what; /* "a 'let'" */
	struct qd_var var;
	struct qd_array array;
	struct value value;
};

struct meaning {
	enum name_kind is;
	struct binding *local; /* or NULL; types of the language have none either */
	struct node *global;
};

/* -- Flow -------------------------------------------------------------------------------- */

/* The ways out of code that was lowered are a set of J_* and this one, its end.
 * Without it nothing may follow in the IR's block of code. */
enum { FALLS = 8 };

/* The loop that break and continue mean, and the constructs that they leave; 0 where
 * all that come to such a jump come to nothing else: then it is none. */
struct loop {
	struct loop *up;
	uint32_t on_break, on_continue;
	bool is_grid;
	bool is_dead; /* its body never runs */
};

/* A function being inlined, or the kernel. */
struct call {
	struct call *up;
	const struct node *fn;
	uint32_t on_return; /* as those of a loop */
	bool direct;	    /* return gives values, not variables */
	uint32_t n;
	uint8_t types[MAX_VALUES];
	struct qd_var vars[MAX_VALUES];
	struct value values[MAX_VALUES];
};

/* How many statements a function is at least, in the build of that number. */
struct size {
	uint32_t build, n;
};

/* -- The walk ---------------------------------------------------------------------------- */

enum {
	MARK_OPEN = 1,	 /* a function that is being inlined */
	MARK_UNKNOWN = 2 /* a name that was said to be unknown */
};

struct lower {
	struct qd_module *m;
	struct sink *sink;
	struct qd_builder *b; /* NULL while constants are evaluated */
	struct arena mem;
	struct binding *bind; /* 1.. */
	uint32_t n_bind, cap_bind;
	uint32_t *top;	    /* by symbol: the innermost binding, or 0 */
	uint8_t *marks;	    /* by symbol: MARK_* */
	struct size *sizes; /* by symbol: of functions (size.c) */
	uint32_t n_builds;
	uint32_t floor; /* bindings below are another function's */
	uint32_t scope; /* the first binding of the innermost scope */
	uint32_t depth, n_calls, n_statements;
	uint32_t work, max_work; /* nodes lowered for this kernel */
	uint32_t pot;		 /* what is left to try choices with */
	uint32_t demand;	 /* templates whose values are needed now */
	bool stop;		 /* nothing more can be said */
	bool failed;		 /* this kernel has errors */
	bool parsing;		 /* the tree may be marked, and all is only tried */
	bool trying;		 /* what is built is one choice of several, or not called */
	bool in_operator;
	int n_dead;		 /* conditions around that never hold: a division by 0 is none */
	int n_maybe;		 /* those that a target decides: ranges are its to check */
	bool in_bounds;		 /* guards are waived */
	const struct node *grid; /* the grid loop that is still to come */
	struct loop *loop;
	struct call *call;
	char with[128];	  /* the choice of templates, for messages */
	struct help help; /* of the next error */
	char convert_text[160];
	const char *const_what; /* while constants are evaluated: what must be one */
};

bool lower_init(struct lower *l, struct qd_module *m, struct sink *s);
void lower_fini(struct lower *l);
/* Zeroed; or NULL, and all is over. */
void *lower_alloc(struct lower *l, struct arena *mem, size_t size);

/* Both give what their callers return then; what was noted or advised goes with it. */
bool lower_error(struct lower *l, const struct node *n, enum diag d, ...);
/* The name is one of a later version. */
bool lower_later(struct lower *l, const struct node *n, const char *name);
struct value value_refuse(struct lower *l, const struct node *n, enum diag d, ...);
/* Takes over an error of the builder's own. */
void lower_sync(struct lower *l);
void lower_note(struct lower *l, uint32_t at, uint32_t len, const char *note);
/* "convert it: TYPE(n)", where n is what lower_whole gives; NULL: TYPE(x). */
void lower_convert(struct lower *l, qd_type to, const struct node *n);
/* All that is written of the value n, which stands on the right of a statement: n->at is its operator. */
struct node lower_whole(const struct lower *l, const struct node *n);
/* The next error is of two operands of these types: which to convert to. */
void lower_mixed(struct lower *l, qd_type a, const struct node *x, qd_type b, const struct node *y);
void lower_at(struct lower *l, const struct node *n);
/* A name as a C string. */
const char *lower_name(const struct lower *l, uint32_t sym, char out[MAX_NAME + 1]);
/* Counts work; false when it is too much. */
bool lower_count(struct lower *l, const struct node *n, uint32_t work);
/* Ends this build, with an error at n where it was asked for; at parse only if the
 * kernel is too large for sure and there is no other choice to make. */
void lower_too_much(struct lower *l, const struct node *n, bool sure);
bool lower_deeper(struct lower *l, const struct node *n);

/* scope.c */
struct scope_mark {
	uint32_t scope, floor;
};
struct scope_mark scope_open(struct lower *l, bool function);
void scope_close(struct lower *l, struct scope_mark mark);
/* One without a name yet, and its name. */
struct binding *scope_push(struct lower *l, enum name_kind kind, const struct node *at,
			   const char *what);
void scope_name(struct lower *l, uint32_t i, uint32_t sym);
/* NULL when the name stands in this scope already, or out of memory. */
struct binding *scope_bind(struct lower *l, enum name_kind kind, const struct node *at,
			   const char *what);
struct meaning scope_find(const struct lower *l, uint32_t sym);
/* An error: it is not what is wanted, or unknown; of each name only once.  What was
 * refused where it was declared brings none. */
struct value scope_wrong(struct lower *l, const struct node *n, uint32_t sym, const char *wanted);
/* The value type, or where storage is set any element type, n names; NONE after
 * an error. */
qd_type scope_type(struct lower *l, const struct node *n, bool storage);
const char *meaning_text(const struct meaning *m); /* "a buffer", "a function"... */

/* value.c */
struct qd_val value_emit(struct lower *l, const struct value *v);
/* n may be the minus before a literal, which belongs to it. */
struct value value_literal(struct lower *l, const struct node *n, qd_type want);
/* Is it one of these types?  An error at n where it is another. */
bool value_is(struct lower *l, const struct node *n, const struct value *v, uint32_t mask);
struct value value_apply(struct lower *l, const struct node *n, enum op op, const struct value *v,
			 uint32_t n_args);
static inline struct value
value_apply2(struct lower *l, const struct node *n, enum op op, struct value a, struct value b)
{
	return value_apply(l, n, op, (struct value[]){ a, b }, 2);
}
struct value value_cast(struct lower *l, const struct node *n, qd_type to, struct value v);
struct value value_bitcast(struct lower *l, const struct node *n, qd_type to, struct value v);
struct value value_truth(struct lower *l, const struct node *n, struct value v);
struct value value_select(struct lower *l, const struct node *n, const struct value *v);
/* The value's bits if it is a constant of its kernel; else an error, or a demand
 * for the templates it depends on. */
bool value_need(struct lower *l, const struct node *n, const struct value *v, const char *what,
		int64_t *out);
uint64_t type_limit(qd_type type, bool max); /* bits of T.max, T.min */

/* declare.c */
enum { CONST_NEW, CONST_OPEN, CONST_DONE, CONST_BAD };
/* Computes a constant of the file; only while the module is parsed. */
bool const_evaluate(struct lower *l, const struct node *use, struct node *c);

/* expr.c */
struct value lower_expr(struct lower *l, const struct node *n, qd_type want);
/* Values of one type: literals among them take it from the others. */
bool lower_same(struct lower *l, const struct node *first, uint32_t n, qd_type want,
		struct value *out);
/* a op n->b, for a value a already there. */
struct value lower_operation(struct lower *l, const struct node *n, struct value a);
struct value lower_condition(struct lower *l, const struct node *n);
struct binding *lower_array(struct lower *l, const struct node *n);
/* Index of the element that n, a[...], names; false after an error. */
bool lower_index(struct lower *l, const struct node *n, const struct binding *array,
		 struct value *out);
struct value lower_load(struct lower *l, const struct node *n, const struct binding *array,
			struct value index, const struct value *other);
struct results {
	struct value v[MAX_VALUES];
	uint32_t n;
};
/* The values of a list of expressions, or of one call that gives several; want:
 * their types, n_want of them.  False after an error. */
bool lower_values(struct lower *l, const struct node *first, const uint8_t *want, uint32_t n_want,
		  struct results *out);

/* call.c, inline.c, prim.c: false after an error */
bool lower_call(struct lower *l, const struct node *n, qd_type want, struct results *out);
bool lower_function(struct lower *l, const struct node *n, const struct node *fn,
		    struct results *out);
bool lower_primitive(struct lower *l, const struct node *n, const struct node *member,
		     struct results *out);
/* assert_print.c: assert and print. */
bool lower_check(struct lower *l, const struct node *n, struct results *out);
/* Has the call so many arguments, none of them with a name? */
bool call_takes(struct lower *l, const struct node *n, const char *name, uint32_t want);
/* The same beside those with a name; are those named one or other (0: none)? */
bool call_has(struct lower *l, const struct node *n, const char *name, uint32_t want);
bool call_named(struct lower *l, const struct node *n, const char *name, uint32_t one,
		uint32_t other);
/* May the call n of `name` have the argument a, whose name it knows or not, and not twice? */
bool call_may_name(struct lower *l, const struct node *n, const struct node *a, const char *name,
		   bool known);
uint32_t call_count(const struct node *n); /* arguments without a name */
const struct node *call_next(const struct node *a); /* the next of those, from a on */
const struct node *call_argument(const struct node *n, uint32_t sym); /* of that name, or NULL */
/* What an expression does when it is computed though nobody wants it. */
enum { WEIGHT_VARIES = 1, WEIGHT_DIVIDES = 2, WEIGHT_ACTS = 4 };
uint32_t primitive_weight(const struct lower *l, const struct node *member);
struct value lower_primitive_field(struct lower *l, const struct node *member);
/* fn on 2k values, inside an operator; false after an error. */
bool lower_operator(struct lower *l, const struct node *n, const struct node *fn,
		    const struct value *v, uint32_t k, struct results *out);

/* shared.c */
void lower_shared(struct lower *l, const struct node *s);
/* A shared array as the parameter p of a function wants it: of these sizes, if it names
 * any; at: the argument. */
bool shared_fits(struct lower *l, const struct node *p, const struct binding *array,
		 const struct node *at);
/* For a function that nothing calls. */
bool shared_any(struct lower *l, const struct node *p, qd_type type, const char *name,
		struct binding *out);
uint32_t shared_len(const struct binding *array); /* all its elements */

/* atomic.c */
struct prim;
bool lower_atomic(struct lower *l, const struct node *n, const struct prim *p,
		  struct results *out);
bool lower_fence(struct lower *l, const struct node *n, const struct prim *p,
		 struct results *out);
/* copy.c: copies that are waited for, and the groups that a wait leaves */
bool lower_copy(struct lower *l, const struct node *n, const struct prim *p, struct results *out);
bool lower_copy_wait(struct lower *l, const struct node *n, const struct prim *p,
		     struct results *out);

/* prim_name.c: a member of block, subgroup, grid, atomic or nvvm */
enum prim_special { PRIM_PLAIN, PRIM_GLOBAL_THREAD, PRIM_THREAD, PRIM_FIRST, PRIM_TILE_LANE, PRIM_MASK, PRIM_MADE,
		    PRIM_PACK, PRIM_UNPACK };
struct prim {
	char name[64]; /* as it is written */
	enum op op;
	enum prim_special special;
	struct qd_val (*mask)(struct qd_builder *b, struct qd_val lane); /* PRIM_MASK */
	qd_type mask_type;
	struct qd_val (*made)(struct qd_builder *b); /* PRIM_MADE, a u32 */
	bool tiled;
	bool field; /* written without parentheses */
	const char *old; /* the name that was written, where it is one of before */
};
enum op op_named(const char *name); /* NONE if none is */
/* What a member names; false, after an error, where that is nothing here. */
bool prim_named(struct lower *l, const struct node *member, struct prim *p);

/* prim_made.c: calls of several operations; false after an error. */
bool prim_axis(struct lower *l, const struct node *n, const struct prim *p, struct value *out);
bool prim_mask(struct lower *l, const struct node *n, const struct prim *p, struct value *out);
bool prim_pack(struct lower *l, const struct node *n, const struct prim *p, struct value *out);
bool prim_unpack(struct lower *l, const struct node *n, const struct prim *p, struct value *out);

/* size.c: may these statements, so many times, become no more than a kernel may
 * have?  False, and all is over, where certainly not. */
bool size_check(struct lower *l, const struct node *at, const struct node *list, uint64_t rounds);

/* stmt.c, assign.c, loop.c; what returns a number gives ways out */
uint32_t lower_block(struct lower *l, const struct node *block); /* in a scope of its own */
void lower_body(struct lower *l, const struct node *body);	 /* of a kernel */
uint32_t lower_while(struct lower *l, const struct node *s);
uint32_t lower_for(struct lower *l, const struct node *s);
uint32_t lower_unroll(struct lower *l, const struct node *s);
/* A construct for jumps to leave, 0 if none is wanted; and its end. */
uint32_t exit_open(struct lower *l, bool wanted);
void exit_close(struct lower *l, uint32_t exit);
void lower_let(struct lower *l, const struct node *s);
void lower_assign(struct lower *l, const struct node *s);

/* declare.c, instance.c */

/* Globals, constants, template choices, entries. */
void module_declare(struct lower *l);
/* An error at n where the value is none of the parameter's choices. */
bool choice_check(struct lower *l, const struct node *n, const struct tmpl_decl *t,
		  const struct choice *c);
/* Builds every entry for its choices, to find the errors. */
void module_try(struct lower *l);

/* One kernel for these choices, n_tmpls of them.  NULL after an error, or with
 * l->demand set where integers are needed that are not given. */
struct qd_kernel *instance_build(struct lower *l, const struct entry *e,
				 const struct choice *choices);
void lower_function_alone(struct lower *l, const struct node *fn); /* that nothing calls */

#endif
