/* Lowers the tree to builder calls: one walk per kernel and choice of templates. After a
 * kernel's first error the builder ignores calls; the walk continues to find further errors. */
#ifndef QD_LANG_LOWER_H
#define QD_LANG_LOWER_H

#include "lang.h"

enum {
	MAX_CALLS = 1000,	/* nested inlined functions */
	MAX_LOWER_DEPTH = 256,	/* recursion depth of the walk on one stack */
	NEW_STACK_DEPTH = 64,	/* from this depth on, a call's body is walked on a new stack */
	STACK_SIZE = 1 << 20
};

/* -- Values --------------------------------------------------------------------- */

enum value_kind {
	V_ERROR, /* already reported */
	V_CONST, /* bits; becomes an instruction where it is used */
	V_TOKEN, /* a template parameter; bits: the token */
	V_DYN	 /* v */
};

struct value {
	uint8_t kind, type;
	bool known;    /* constant once the templates and the target are known */
	bool wraps;    /* a constant folded from an operation that wraps */
	bool guarded;  /* the unmodified result of a load that gives 0 out of range */
	bool adapts;   /* has no type of its own: exact in i64 or f64, or the i32 of a template */
	bool was_signed; /* a u32 that was an i32 in language version 1, and its difference */
	bool is_difference;
	uint32_t deps; /* if known: the templates it depends on, one bit each, and DEP_TARGET */
	struct qd_val v;
	uint64_t bits;
	const struct node *literal; /* the literal of a value that adapts, or NULL */
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

/* Meaning of a name: a binding of one of the first four kinds, a visible declaration, a word
 * of the language, or nothing. */
enum name_kind {
	B_VALUE,
	B_VAR,
	B_ARRAY,
	B_TYPE,
	M_CONST,
	M_TABLE,
	M_FN,
	M_KERNEL,
	M_MATH,
	M_CHECK, /* assert, print */
	M_GROUP,
	M_FILE, /* an import with a name */
	M_NOTHING
};

struct binding {
	uint8_t kind;
	uint8_t type;	/* of a variable, a type, an array's elements */
	uint8_t access; /* of an array */
	bool local;	/* a variable represented by its value, in an operator */
	uint8_t n_dims; /* of a shared array; 0: a buffer */
	const uint32_t *dims;
	const struct table *table; /* of an array that is a table; else NULL */
	uint32_t sym, prev;
	uint32_t at, len; /* of the declaration */
	const char *what; /* "a 'let'" */
	struct qd_var var;
	struct qd_array array;
	struct value value;
};

struct meaning {
	enum name_kind is;
	struct binding *local; /* NULL for others, also for types of the language */
	struct node *global;
};

/* -- Flow -------------------------------------------------------------------------------- */

/* The exits of lowered code are a set of J_* and FALLS, which means that its end is reachable.
 * Without FALLS, nothing may follow in the IR's block. */
enum { FALLS = 8 };

/* The loop to which break and continue refer, and the constructs that they leave. 0: no
 * construct is needed, because all threads that reach such a jump take the same way. */
struct loop {
	struct loop *up;
	uint32_t on_break, on_continue;
	bool is_grid;
	bool is_dead; /* its body never runs */
};

/* The kernel, or a function being inlined. */
struct call {
	struct call *up;
	const struct node *fn;
	uint32_t on_return; /* like on_break of a loop */
	bool direct;	    /* return gives values, not variables */
	uint32_t n;
	uint8_t types[MAX_VALUES];
	struct qd_var vars[MAX_VALUES];
	struct value values[MAX_VALUES];
};

/* Lower bound of a function's statements, valid in the build of that number. */
struct size {
	uint32_t build, n;
};

/* State of one symbol during a walk. Most walks use few of a module's symbols, so states are
 * allocated in pages on first use. */
struct symbol_state {
	uint32_t top;	  /* the innermost binding, or 0 */
	uint8_t marks;	  /* MARK_* */
	struct size size; /* of a function (size.c) */
};

enum { SYMBOL_PAGE = 64 };

/* -- The walk ---------------------------------------------------------------------------- */

enum {
	MARK_OPEN = 1,	 /* the function is being inlined */
	MARK_UNKNOWN = 2 /* the name was reported as unknown */
};

struct lower {
	struct qd_module *m;
	struct sink *sink;
	uint32_t file; /* the file whose names are visible */
	struct qd_builder *b; /* NULL while constants are evaluated */
	struct arena mem;
	struct binding *bind; /* from index 1 */
	uint32_t n_bind, cap_bind;
	struct symbol_state **symbols; /* pages of SYMBOL_PAGE states, or NULL */
	struct symbol_state no_symbol; /* takes writes after memory has run out */
	uint32_t n_builds;
	struct binding *tables; /* of this build, by the module's table; NULL until one is used */
	uint32_t floor; /* bindings below belong to other functions */
	uint32_t scope; /* the first binding of the innermost scope */
	uint32_t depth, n_calls, n_statements;
	uint32_t work, max_work; /* nodes lowered for this kernel, and their limit */
	uint32_t pot;		 /* remaining work for trial builds */
	uint32_t demand;	 /* templates whose values are needed now */
	bool stop;		 /* ends this walk */
	bool failed;		 /* this kernel has errors */
	bool parsing;		 /* in qd_module_parse: the tree may be marked, builds are trials */
	bool trying;		 /* builds one of several choices, or an uncalled function */
	bool in_operator;
	int n_dead;		 /* false enclosing conditions: a division by 0 is allowed */
	int n_maybe;		 /* conditions of the target, which checks ranges */
	bool in_bounds;		 /* guards are disabled */
	const struct node *grid; /* the grid loop if not yet reached */
	struct loop *loop;
	struct call *call;
	char with[128];	  /* the choice of templates, for messages */
	struct help help; /* for the next error */
	char convert_text[160];
	const char *const_what; /* while constants are evaluated: what must be constant */
};

bool lower_init(struct lower *l, struct qd_module *m, struct sink *s);
/* Returns the state of symbol `sym`, never NULL; the address is constant during the walk. */
struct symbol_state *lower_symbol(struct lower *l, uint32_t sym);
void lower_fini(struct lower *l);
/* Returns zeroed memory, or NULL and sets stop. */
void *lower_alloc(struct lower *l, struct arena *mem, size_t size);

/* warn.c: warnings */
/* Reports a warning at n, unless an attribute of the kernel allows it. */
void lower_warn(struct lower *l, const struct node *n, enum diag d, ...);
/* Checks the attribute allow("CODE", "why"). */
void allow_check(struct lower *l, const struct node *attr);
/* stale.c: warns about shared slots that no thread fills, once the kernel is built. */
void stale_check(struct lower *l);
/* Returns whether the result of a function was an i32 in language version 1. */
bool warn_was_signed(const struct symbol *name);

/* Both report an error with the pending help and return the failure value of their callers. */
bool lower_error(struct lower *l, const struct node *n, enum diag d, ...);
/* Reports a name that is reserved for a later version. */
bool lower_later(struct lower *l, const struct node *n, const char *name);
struct value value_refuse(struct lower *l, const struct node *n, enum diag d, ...);
/* Records an error of the builder. */
void lower_sync(struct lower *l);
void lower_note(struct lower *l, uint32_t at, uint32_t len, const char *note);
/* Sets the help to "convert it: TYPE(n)", with n from lower_whole; NULL: TYPE(x). */
void lower_convert(struct lower *l, qd_type to, const struct node *n);
/* Returns a node that spans the whole text of a value on the right of a statement; n->at is its
 * operator. */
struct node lower_whole(const struct lower *l, const struct node *n);
/* Sets the help for operands of two types: which one to convert. */
void lower_mixed(struct lower *l, qd_type a, const struct node *x, qd_type b, const struct node *y);
void lower_at(struct lower *l, const struct node *n);
/* Writes a name as a C string. */
const char *lower_name(const struct lower *l, uint32_t sym, char out[MAX_NAME + 1]);
/* Counts work. Returns false if the limit is exceeded. */
bool lower_count(struct lower *l, const struct node *n, uint32_t work);
/* Ends this build with an error at n. At parse, only if the kernel is certainly too large and
 * there is no other choice to make. */
void lower_too_much(struct lower *l, const struct node *n, bool sure);
bool lower_deeper(struct lower *l, const struct node *n);

/* scope.c */
struct scope_mark {
	uint32_t scope, floor;
};
struct scope_mark scope_open(struct lower *l, bool function);
void scope_close(struct lower *l, struct scope_mark mark);
/* Push a binding without a name, and name it. */
struct binding *scope_push(struct lower *l, enum name_kind kind, const struct node *at,
			   const char *what);
void scope_name(struct lower *l, uint32_t i, uint32_t sym);
/* Declares a name. Returns NULL if this scope has it already, or if out of memory. */
struct binding *scope_bind(struct lower *l, enum name_kind kind, const struct node *at,
			   const char *what);
struct meaning scope_find(const struct lower *l, uint32_t sym);
/* Same for a node: a name, or a declaration of an imported file. Other nodes have no meaning. */
struct meaning scope_named(const struct lower *l, const struct node *n);
/* Returns whether n is a member of an import. */
bool scope_is_imported(const struct lower *l, const struct node *n);
/* Reports a name that is unknown (once per name) or is not what is wanted. Nothing is reported
 * for a name whose declaration failed. */
struct value scope_wrong(struct lower *l, const struct node *n, const char *wanted);
/* Returns the type that n names: a value type, or with storage set any element type. NONE after
 * an error. */
qd_type scope_type(struct lower *l, const struct node *n, bool storage);
const char *meaning_text(const struct meaning *m); /* "a buffer", "a function" ... */

/* value.c */
struct qd_val value_emit(struct lower *l, const struct value *v);
/* Returns a literal's value. n may be the minus before it, which is part of it. */
struct value value_literal(struct lower *l, const struct node *n, qd_type want);
/* Checks the value's type and reports an error at n. */
bool value_is(struct lower *l, const struct node *n, const struct value *v, uint32_t mask);
/* Checks that n values have one type, which is in mask. */
bool value_one_type(struct lower *l, const struct node *n, const struct value *v, uint32_t n_args,
		uint32_t mask);
/* Checks that the value is an integer and converts it to u32. */
bool value_count(struct lower *l, const struct node *n, struct value *v);
/* Folds or appends an operation whose operands are checked. */
struct value value_perform(struct lower *l, const struct node *n, enum op op, qd_type type,
			   const struct value *v, uint32_t n_args);
/* Checks the operands, converts counts, and folds or appends the operation. */
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
/* Stores the value's bits if it is a constant. Otherwise reports an error, or sets demand for
 * the templates it depends on. */
bool value_need(struct lower *l, const struct node *n, const struct value *v, const char *what,
		int64_t *out);
uint64_t type_limit(qd_type type, bool max); /* bits of T.max, T.min */

/* adapt.c: values without a type of their own */
struct value adapt_integer(int64_t n);
/* Returns the exact value of an expression of literals, which adapts. */
struct value adapt_text(struct lower *l, const struct node *n);
/* Returns whether the value of the expression adapts. */
bool adapt_is(struct lower *l, const struct node *n);
/* Gives a value that adapts the type, or its default if the type is NONE or bool. Reports an error at
 * n if it does not fit. */
struct value adapt_to(struct lower *l, const struct node *n, struct value v, qd_type to);
/* Gives an array's index that adapts a type: u32, or a signed one if it is negative. */
struct value adapt_index(struct lower *l, const struct node *n, struct value v);
/* Like value_cast. An exact value that fits is not converted twice. */
struct value adapt_cast(struct lower *l, const struct node *n, qd_type to, struct value v);
/* Gives the operands of n one type, and returns whether the result adapts: see adapt_result. */
bool adapt_pair(struct lower *l, const struct node *n, struct value v[2]);
struct value adapt_result(struct lower *l, const struct node *n, struct value r);

/* declare.c */
enum { CONST_NEW, CONST_OPEN, CONST_DONE, CONST_BAD };
/* Evaluates a constant of the file; only in qd_module_parse. */
bool const_evaluate(struct lower *l, const struct node *use, struct node *c);

/* expr.c */
struct value lower_expr(struct lower *l, const struct node *n, qd_type want);
/* The same. The value may adapt. */
struct value lower_adapting(struct lower *l, const struct node *n, qd_type want);
/* Lowers n expressions that must have one type. Literals take it from the others. */
bool lower_same(struct lower *l, const struct node *first, uint32_t n, qd_type want,
		struct value *out);
/* Lowers a op n->b for a value a that was already lowered. */
struct value lower_operation(struct lower *l, const struct node *n, struct value a);
struct value lower_condition(struct lower *l, const struct node *n);
struct binding *lower_array(struct lower *l, const struct node *n);
/* Lowers the index of the element n, a[...]. Returns false after an error. */
bool lower_index(struct lower *l, const struct node *n, const struct binding *array,
		 struct value *out);
struct value lower_load(struct lower *l, const struct node *n, const struct binding *array,
			struct value index, const struct value *other);
struct results {
	struct value v[MAX_VALUES];
	uint32_t n;
};
/* Lowers a list of expressions, or one call with several results. want: their n_want types.
 * Returns false after an error. */
bool lower_values(struct lower *l, const struct node *first, const uint8_t *want, uint32_t n_want,
		  struct results *out);

/* call.c, inline.c, prim.c: return false after an error */
bool lower_call(struct lower *l, const struct node *n, qd_type want, struct results *out);
bool lower_function(struct lower *l, const struct node *n, const struct node *fn,
		    struct results *out);
bool lower_primitive(struct lower *l, const struct node *n, const struct node *member,
		     struct results *out);
/* assert_print.c: assert and print */
bool lower_check(struct lower *l, const struct node *n, struct results *out);
/* Checks the number of arguments and that none is named. */
bool call_takes(struct lower *l, const struct node *n, const char *name, uint32_t want);
/* call_has checks the number of unnamed arguments, call_named that named ones are `one` or
 * `other` (0: none). */
bool call_has(struct lower *l, const struct node *n, const char *name, uint32_t want);
bool call_named(struct lower *l, const struct node *n, const char *name, uint32_t one,
		uint32_t other);
/* Checks that the named argument a is known and is not a duplicate. */
bool call_may_name(struct lower *l, const struct node *n, const struct node *a, const char *name,
		   bool known);
uint32_t call_count(const struct node *n); /* number of unnamed arguments */
const struct node *call_next(const struct node *a); /* the next unnamed one, from a on */
const struct node *call_argument(const struct node *n, uint32_t sym); /* with this name, or NULL */
/* Effects of evaluating an expression whose result is not used. */
enum { WEIGHT_VARIES = 1, WEIGHT_DIVIDES = 2, WEIGHT_ACTS = 4 };
uint32_t primitive_weight(const struct lower *l, const struct node *member);
struct value lower_primitive_field(struct lower *l, const struct node *member);
/* Applies fn to 2k values, inside an operator. Returns false after an error. */
bool lower_operator(struct lower *l, const struct node *n, const struct node *fn,
		    const struct value *v, uint32_t k, struct results *out);

/* shared.c */
void lower_shared(struct lower *l, const struct node *s);
/* Checks that a shared array has the sizes of parameter p, if p has any. at: the argument. */
bool shared_fits(struct lower *l, const struct node *p, const struct binding *array,
		 const struct node *at);
/* Creates an array for a parameter of a function that is never called. */
bool shared_any(struct lower *l, const struct node *p, qd_type type, const char *name,
		struct binding *out);
uint32_t shared_len(const struct binding *array); /* number of elements */
/* Writes a name that is unique among the kernel's memory. A number is appended for an inner
 * scope, or for a function that is inlined again. */
void shared_name(const struct lower *l, const char *name, char *out, size_t size);

/* table.c: constant tables */
/* Evaluates a const with elements; false after an error. */
bool table_evaluate(struct lower *l, struct node *c);
/* Returns the array that a const names, or NULL after an error. It has no handle before
 * table_declare. */
struct binding *table_find(struct lower *l, const struct node *use, struct node *c);
/* Declares the table in the kernel that is being built, on first use; false after an error. */
bool table_declare(struct lower *l, const struct node *at, struct binding *array);
/* Returns the element at a constant index; past the end `other`, or 0 if it is NULL. */
struct value table_element(const struct table *t, uint64_t index, const struct value *other);

/* wide.c: calls that access adjacent elements of a buffer, a shared array or a table */
bool lower_wide(struct lower *l, const struct node *n, uint32_t count, bool is_store, struct results *out);

/* atomic.c */
struct prim;
bool lower_atomic(struct lower *l, const struct node *n, const struct prim *p,
		  struct results *out);
bool lower_fence(struct lower *l, const struct node *n, const struct prim *p,
		 struct results *out);
/* copy.c: asynchronous copies and the waits for them */
bool lower_copy(struct lower *l, const struct node *n, const struct prim *p, struct results *out);
bool lower_copy_wait(struct lower *l, const struct node *n, const struct prim *p,
		     struct results *out);

/* prim_name.c: members of block, subgroup, grid, atomic and nvvm */
enum prim_special { PRIM_PLAIN, PRIM_GLOBAL_THREAD, PRIM_THREAD, PRIM_FIRST, PRIM_TILE_LANE, PRIM_MASK, PRIM_MADE,
		    PRIM_PACK, PRIM_UNPACK };
struct prim {
	char name[64]; /* as written, with the current name for an alias */
	enum op op;
	enum prim_special special;
	struct qd_val (*mask)(struct qd_builder *b, struct qd_val lane); /* PRIM_MASK */
	qd_type mask_type;
	struct qd_val (*made)(struct qd_builder *b); /* PRIM_MADE, a u32 */
	bool tiled;
	bool field; /* written without parentheses */
	const char *old; /* the deprecated alias, if it was written */
};
enum op op_named(const char *name); /* NONE if not found */
/* Looks up a member. Reports an error and returns false if it is unknown. */
bool prim_named(struct lower *l, const struct node *member, struct prim *p);

/* prim_made.c: calls of several operations; return false after an error */
bool prim_axis(struct lower *l, const struct node *n, const struct prim *p, struct value *out);
bool prim_mask(struct lower *l, const struct node *n, const struct prim *p, struct value *out);
bool prim_pack(struct lower *l, const struct node *n, const struct prim *p, struct value *out);
bool prim_unpack(struct lower *l, const struct node *n, const struct prim *p, struct value *out);

/* size.c: returns false and ends this build if these statements, repeated this many times,
 * certainly exceed the limit of a kernel. */
bool size_check(struct lower *l, const struct node *at, const struct node *list, uint64_t rounds);

/* stmt.c, assign.c, loop.c: uint32_t results of lower_* are exits */
uint32_t lower_block(struct lower *l, const struct node *block); /* in its own scope */
void lower_body(struct lower *l, const struct node *body);	 /* of a kernel */
uint32_t lower_while(struct lower *l, const struct node *s);
uint32_t lower_for(struct lower *l, const struct node *s);
uint32_t lower_unroll(struct lower *l, const struct node *s);
/* Opens a construct for jumps to leave; 0 if not wanted. exit_close ends it. */
uint32_t exit_open(struct lower *l, bool wanted);
void exit_close(struct lower *l, uint32_t exit);
void lower_let(struct lower *l, const struct node *s);
void lower_assign(struct lower *l, const struct node *s);

/* declare.c, instance.c */

/* Globals, constants, template choices, entries. */
void module_declare(struct lower *l);
/* Reports an error at n if the value is not among the parameter's choices. */
/* Writes the values that an integer parameter takes, for messages. */
const char *choice_list(const struct tmpl_decl *t, char *out, size_t size);
bool choice_check(struct lower *l, const struct node *n, const struct tmpl_decl *t,
		  const struct choice *c);
/* Builds every entry for its choices, to find errors. */
void module_try(struct lower *l);

/* Builds a kernel for these n_tmpls choices. Returns NULL after an error, or with l->demand set
 * if integers are missing. */
struct qd_kernel *instance_build(struct lower *l, const struct entry *e,
				 const struct choice *choices);
void lower_function_alone(struct lower *l, const struct node *fn); /* for an uncalled function */

#endif
