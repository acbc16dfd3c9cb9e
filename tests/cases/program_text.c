/* A program as .qdk text, with no parentheses but those it needs: so the reader's
 * precedences are compared with the tree too. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "program.h"

const struct place_info place_info[N_PLACE] = {
	[P_BLOCK_IDX] = { "block.idx", QD_TYPE_U32, true },
	[P_BLOCK_DIM] = { "block.dim", QD_TYPE_U32, true },
	[P_GRID_DIM] = { "grid.dim", QD_TYPE_U32, true },
	[P_SUBGROUP_ID] = { "subgroup.id", QD_TYPE_U32, true },
	[P_SUBGROUP_COUNT] = { "subgroup.count", QD_TYPE_U32, true },
	[P_THREAD] = { "block.thread_idx()", QD_TYPE_I32, false },
	[P_THREAD_X] = { "block.thread_idx(0)", QD_TYPE_I32, false },
	[P_THREAD_Y] = { "block.thread_idx(1)", QD_TYPE_I32, false },
	[P_THREAD_Z] = { "block.thread_idx(2)", QD_TYPE_I32, false },
	[P_GLOBAL] = { "block.global_thread_idx()", QD_TYPE_I32, false },
	[P_LANE] = { "subgroup.invocation_id()", QD_TYPE_I32, false },
	[P_TILE_LANE] = { "subgroup.tile_lane", QD_TYPE_I32, false },
	[P_SIZE] = { "subgroup.group_size()", QD_TYPE_I32, true },
	[P_LOG2_SIZE] = { "subgroup.log2_group_size()", QD_TYPE_I32, true },
	[P_ELECT] = { "subgroup.elect()", QD_TYPE_I32, false },
};

const char *const lane_text[N_LANE_OP] = {
	[L_SHUFFLE] = "shuffle",
	[L_SHUFFLE_XOR] = "shuffle_xor",
	[L_SHUFFLE_UP] = "shuffle_up",
	[L_SHUFFLE_DOWN] = "shuffle_down",
	[L_BROADCAST] = "broadcast",
	[L_BROADCAST_FIRST] = "broadcast_first",
	[L_BALLOT] = "ballot_first_n",
	[L_ALL_TRUE] = "all_true",
	[L_ANY_TRUE] = "any_true",
	[L_ALL_EQUAL] = "all_equal",
	[L_REDUCE_ADD] = "reduce_add",
	[L_REDUCE_MUL] = "reduce_mul",
	[L_REDUCE_MIN] = "reduce_min",
	[L_REDUCE_MAX] = "reduce_max",
	[L_REDUCE_AND] = "reduce_and",
	[L_REDUCE_OR] = "reduce_or",
	[L_REDUCE_XOR] = "reduce_xor",
	[L_INCLUSIVE_ADD] = "inclusive_add",
	[L_INCLUSIVE_MUL] = "inclusive_mul",
	[L_INCLUSIVE_MIN] = "inclusive_min",
	[L_INCLUSIVE_MAX] = "inclusive_max",
	[L_INCLUSIVE_AND] = "inclusive_and",
	[L_INCLUSIVE_OR] = "inclusive_or",
	[L_INCLUSIVE_XOR] = "inclusive_xor",
	[L_EXCLUSIVE_ADD] = "exclusive_add",
	[L_EXCLUSIVE_MUL] = "exclusive_mul",
	[L_EXCLUSIVE_MIN] = "exclusive_min",
	[L_EXCLUSIVE_MAX] = "exclusive_max",
	[L_EXCLUSIVE_AND] = "exclusive_and",
	[L_EXCLUSIVE_OR] = "exclusive_or",
	[L_EXCLUSIVE_XOR] = "exclusive_xor",
	[L_SEGMENTED_ADD] = "segmented_reduce_add",
	[L_SEGMENTED_MIN] = "segmented_reduce_min",
	[L_SEGMENTED_MAX] = "segmented_reduce_max",
	[L_REDUCE] = "reduce",
	[L_INCLUSIVE_SCAN] = "inclusive_scan",
	[L_SORT] = "bitonic_sort_kv",
};

/* Strength of binding; UNARY and above never need parentheses on the right. */
enum { LOOSEST, OR, AND, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, UNARY, POSTFIX };

/* clang-format off */
static const struct {
	const char *text;
	uint8_t level; /* 0: a function */
} op_text[N_REF_OP] = {
	[REF_OP_ADD] = { "+", SUM },	 [REF_OP_SUB] = { "-", SUM },
	[REF_OP_MUL] = { "*", PRODUCT }, [REF_OP_DIV] = { "/", PRODUCT },
	[REF_OP_REM] = { "%", PRODUCT }, [REF_OP_AND] = { "&", BIT_AND },
	[REF_OP_OR] = { "|", BIT_OR },	 [REF_OP_XOR] = { "^", BIT_XOR },
	[REF_OP_SHL] = { "<<", SHIFT },	 [REF_OP_SHR] = { ">>", SHIFT },
	[REF_OP_EQ] = { "==", COMPARE }, [REF_OP_NE] = { "!=", COMPARE },
	[REF_OP_LT] = { "<", COMPARE },	 [REF_OP_LE] = { "<=", COMPARE },
	[REF_OP_GT] = { ">", COMPARE },	 [REF_OP_GE] = { ">=", COMPARE },
	[REF_OP_MIN] = { "min", 0 },	 [REF_OP_MAX] = { "max", 0 },
	[REF_OP_MULHI] = { "mulhi", 0 }, [REF_OP_FLOORDIV] = { "floordiv", 0 },
	[REF_OP_FLOORMOD] = { "floormod", 0 }, [REF_OP_ABS] = { "abs", 0 },
	[REF_OP_POPCOUNT] = { "popcount", 0 }, [REF_OP_CLZ] = { "clz", 0 },
	[REF_OP_FFS] = { "ffs", 0 },	 [REF_OP_BREV] = { "brev", 0 },
	[REF_OP_FLOOR] = { "floor", 0 }, [REF_OP_CEIL] = { "ceil", 0 },
	[REF_OP_TRUNC] = { "trunc", 0 }, [REF_OP_ROUND] = { "round", 0 },
};
/* clang-format on */

const struct rough roughs[N_ROUGH] = {
	{ "i32(exp(f32(", ")) + 0.5)", 7, { 1, 3, 7, 20, 55, 148, 403, 1097 } },
	{ "i32(log(f32(", ") + 1.5) * 8.0)", 7, { 3, 7, 10, 12, 13, 14, 16, 17 } },
	{ "i32(sin(f32(", ")) * 4.0)", 3, { 0, 3, 3, 0 } },
	{ "i32(cos(f32(", ")) * 4.0 + 8.5)", 3, { 12, 10, 6, 4 } },
	{ "i32(pow(f32(", ") + 1.0, 2.5) + 0.5)", 3, { 1, 6, 16, 32 } },
};

struct out {
	char *s;
	size_t len, cap;
	int depth;
	const struct program *p;
	const struct function *f;
};

static void
put(struct out *o, const char *fmt, ...)
{
	size_t room = o->len < o->cap ? o->cap - o->len : 0;
	va_list ap;

	va_start(ap, fmt);
	o->len += (size_t)vsnprintf(room ? o->s + o->len : NULL, room, fmt, ap);
	va_end(ap);
}

static const char *
array_name(const struct out *o, uint32_t id)
{
	static const char *const params[] = { "a", "b" };

	return o->f == &o->p->kernel ? o->p->array[id].name : params[id];
}

static void
put_var(struct out *o, uint32_t id)
{
	put(o, "v%u", o->f->var[id].name);
}

/* -- Expressions ------------------------------------------------------------------- */

static void put_expr(struct out *o, const struct expr *x, int level);

static void
put_args(struct out *o, struct expr *const *arg, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		put(o, i ? ", " : "");
		put_expr(o, arg[i], LOOSEST);
	}
}

static void
put_literal(struct out *o, const struct expr *x)
{
	uint32_t low = (uint32_t)x->bits;
	char text[40];
	int32_t number;
	double d;
	float f;

	memcpy(&number, &low, sizeof number);
	memcpy(&f, &low, sizeof f);
	memcpy(&d, &x->bits, sizeof d);
	switch (x->type) {
	case QD_TYPE_BOOL: put(o, x->bits ? "true" : "false"); break;
	case QD_TYPE_I32: put(o, "%" PRId32, number); break;
	case QD_TYPE_U32: put(o, low > 0xffff ? "0x%x%s" : "%u%s", low, x->plain ? "" : "u"); break;
	case QD_TYPE_I64: put(o, "%" PRId64 "%s", (int64_t)x->bits, x->plain ? "" : "l"); break;
	case QD_TYPE_U64: put(o, "%" PRIu64 "%s", x->bits, x->plain ? "" : "ul"); break;
	case QD_TYPE_F64:
		snprintf(text, sizeof text, "%.17g", d);
		put(o, "%s%s%s", text, strpbrk(text, ".e") ? "" : ".0", x->plain ? "" : "d");
		break;
	default: /* nine digits tell any f32 from its neighbours */
		snprintf(text, sizeof text, "%.9g", (double)f);
		put(o, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
		break;
	}
}

static void
put_tile(struct out *o, uint32_t tile)
{
	if (tile == TILE_L)
		put(o, "L");
	else
		put(o, "%u", tile);
}

static void
put_lane(struct out *o, const struct expr *x)
{
	bool generic = x->op == L_REDUCE || x->op == L_INCLUSIVE_SCAN, tiled = x->tile != TILE_FULL;
	char name[64];

	snprintf(name, sizeof name, "%s", lane_text[x->op]);
	if (x->other && strncmp(name, "reduce", 6) == 0)
		snprintf(name, sizeof name, "reduce_all%s", lane_text[x->op] + 6);
	put(o, "subgroup.%s%s(", name, tiled ? "_tiled" : "");
	put_args(o, x->arg, x->n);
	if (x->op == L_BALLOT)
		put(o, ", %u", (uint32_t)x->bits);
	if (tiled) {
		put(o, ", ");
		put_tile(o, x->tile);
	}
	if (generic)
		put(o, ", op = %s", opers[x->id].name);
	put(o, ")");
}

static void
put_function_call(struct out *o, const char *name, const struct expr *x)
{
	put(o, "%s(", name);
	put_args(o, x->arg, x->n);
	put(o, ")");
}

static void
put_call(struct out *o, const struct expr *x)
{
	const struct function *f = &o->p->fn[x->id];

	put(o, "f%u(", x->id);
	for (uint32_t i = 0; i < f->n_arrays; i++)
		put(o, "%s, ", array_name(o, (uint32_t)(x->bits >> 8 * i & 0xff)));
	put_args(o, x->arg, x->n);
	if (f->shaped)
		put(o, "%sN = N, L = L", f->n_arrays + x->n ? ", " : "");
	put(o, ")");
}

static int
level_of(const struct expr *x)
{
	switch (x->kind) {
	case X_OR: return OR;
	case X_AND: return AND;
	case X_BINARY: return op_text[x->op].level;
	case X_UNARY:
	case X_NOT: return UNARY;
	case X_LOAD: return x->n > 1 ? UNARY : POSTFIX;
	case X_LITERAL: return UNARY;
	default: return POSTFIX;
	}
}

static void
put_binary(struct out *o, const struct expr *x, const char *op, int level)
{
	/* Comparisons do not chain. */
	put_expr(o, x->arg[0], level == COMPARE ? level + 1 : level);
	put(o, " %s ", op);
	put_expr(o, x->arg[1], level + 1);
}

static void
put_bare(struct out *o, const struct expr *x, int level)
{
	switch ((enum xkind)x->kind) {
	case X_LITERAL: put_literal(o, x); break;
	case X_CONST: put(o, "C%u", x->id); break;
	case X_SHAPE: put(o, "N"); break;
	case X_VAR: put_var(o, x->id); break;
	case X_LEN: put(o, "%s.len", array_name(o, x->id)); break;
	case X_PLACE:
		put(o, "%s", place_info[x->op].text);
		if (x->op == P_TILE_LANE) {
			put(o, "(");
			put_tile(o, x->tile);
			put(o, ")");
		}
		break;
	case X_UNARY:
	case X_NOT:
		put(o, x->kind == X_NOT ? "!" : x->op == REF_OP_NEG ? "-" : "~");
		put_expr(o, x->arg[0], UNARY);
		break;
	case X_BINARY: put_binary(o, x, op_text[x->op].text, level); break;
	case X_AND: put_binary(o, x, "&&", level); break;
	case X_OR: put_binary(o, x, "||", level); break;
	case X_LOAD:
		put(o, "%s[", array_name(o, x->id));
		put_expr(o, x->arg[0], LOOSEST);
		put(o, "]");
		if (x->n > 1) {
			put(o, " else ");
			put_expr(o, x->arg[1], UNARY);
		}
		break;
	case X_MATH: put_function_call(o, op_text[x->op].text, x); break;
	case X_ROUGH:
		put(o, "%s", roughs[x->op].before);
		put_expr(o, x->arg[0], BIT_AND);
		put(o, " & %u%s", roughs[x->op].mask, roughs[x->op].after);
		break;
	case X_CLAMP: put_function_call(o, "clamp", x); break;
	case X_SELECT: put_function_call(o, "select", x); break;
	case X_CAST: put_function_call(o, qd_type_name(x->type), x); break;
	case X_BITCAST:
		put(o, "bitcast<%s>", qd_type_name(x->type));
		put_function_call(o, "", x);
		break;
	case X_LANE: put_lane(o, x); break;
	case X_CALL: put_call(o, x); break;
	}
}

static void
put_expr(struct out *o, const struct expr *x, int level)
{
	int own = level_of(x);

	put(o, own < level ? "(" : "");
	put_bare(o, x, own);
	put(o, own < level ? ")" : "");
}

/* -- Statements ----------------------------------------------------------------------- */

static void put_list(struct out *o, const struct stmt *first);

static void
put_indent(struct out *o)
{
	put(o, "%*s", 2 * o->depth, "");
}

static void
put_body(struct out *o, const struct stmt *first)
{
	put(o, " {\n");
	o->depth++;
	put_list(o, first);
	o->depth--;
	put_indent(o);
	put(o, "}");
}

static void
put_assign(struct out *o, const struct stmt *s)
{
	put(o, " %s= ", s->op == OP_PLAIN ? "" : op_text[s->op].text);
}

static void
put_if(struct out *o, const struct stmt *s)
{
	put(o, s->flag ? "static if " : "if ");
	put_expr(o, s->e[0], LOOSEST);
	put_body(o, s->body);
	if (!s->other)
		return;
	put(o, " else");
	if (s->other->kind == S_IF && !s->other->next && !s->other->removed) {
		put(o, " ");
		put_if(o, s->other);
	} else {
		put_body(o, s->other);
	}
}

static void
put_stmt(struct out *o, const struct stmt *s)
{
	uint32_t n_values = 0;

	while (n_values < MAX_VALUES && s->e[n_values])
		n_values++;
	switch ((enum skind)s->kind) {
	case S_LET:
	case S_SET:
		if (s->kind == S_LET)
			put(o, s->flag ? "var " : "let ");
		for (uint32_t i = 0; i < s->n; i++) {
			put(o, i ? ", " : "");
			put_var(o, s->id[i]);
		}
		if (s->typed)
			put(o, ": %s", qd_type_name(o->f->var[s->id[0]].type));
		put_assign(o, s);
		put_args(o, s->e, n_values);
		put(o, ";\n");
		break;
	case S_STORE:
		put(o, "%s[", array_name(o, s->id[0]));
		put_expr(o, s->e[0], LOOSEST);
		put(o, "]");
		put_assign(o, s);
		put_expr(o, s->e[1], LOOSEST);
		put(o, ";\n");
		break;
	case S_IF:
		put_if(o, s);
		put(o, "\n");
		break;
	case S_WHILE:
		put(o, "while ");
		put_expr(o, s->e[0], LOOSEST);
		put_body(o, s->body);
		put(o, "\n");
		break;
	case S_FOR:
		put(o, s->flag ? "unroll for " : "for ");
		put_var(o, s->id[0]);
		put(o, " in ");
		put_expr(o, s->e[0], LOOSEST);
		put(o, "..");
		put_expr(o, s->e[1], LOOSEST);
		if (s->e[2]) {
			put(o, " step ");
			put_expr(o, s->e[2], LOOSEST);
		}
		put_body(o, s->body);
		put(o, "\n");
		break;
	case S_GRID:
		put(o, "for ");
		put_var(o, s->id[0]);
		put(o, " in grid(");
		put_expr(o, s->e[0], LOOSEST);
		put(o, ")");
		put_body(o, s->body);
		put(o, "\n");
		break;
	case S_BLOCK:
		put(o, "{\n");
		o->depth++;
		put_list(o, s->body);
		o->depth--;
		put_indent(o);
		put(o, "}\n");
		break;
	case S_BREAK: put(o, "break;\n"); break;
	case S_CONTINUE: put(o, "continue;\n"); break;
	case S_RETURN:
		put(o, s->n ? "return " : "return");
		put_args(o, s->e, s->n);
		put(o, ";\n");
		break;
	case S_DO:
		put_expr(o, s->e[0], LOOSEST);
		put(o, ";\n");
		break;
	}
}

static void
put_list(struct out *o, const struct stmt *first)
{
	for (const struct stmt *s = first; s; s = s->next) {
		if (s->removed)
			continue;
		put_indent(o);
		put_stmt(o, s);
	}
}

/* -- The file ------------------------------------------------------------------------------ */

static void
put_function(struct out *o, uint32_t id)
{
	const struct function *f = &o->p->fn[id];
	const char *comma = "";

	qd_type t = f->templated ? f->var[f->templated - 1].type : QD_TYPE_NONE;

	o->f = f;
	put(o, "fn f%u", id);
	if (t)
		put(o, "<T in {%s, %s}%s", qd_type_name(t), t == QD_TYPE_I32 ? "f32" : "i32",
		    f->shaped ? ", " : ">");
	if (f->shaped)
		put(o, "%sstatic L in 0..=7, static N in 1..=4>", t ? "" : "<");
	put(o, "(");
	for (uint32_t i = 0; i < f->n_arrays; i++, comma = ", ")
		put(o, "%s%s: %su32[]", comma, array_name(o, i),
		    o->p->array[f->array[i]].access == QD_ACCESS_IN ? "in " : "");
	for (uint32_t i = 0; i < f->n_params; i++, comma = ", ") {
		put(o, "%s", comma);
		put_var(o, i);
		put(o, ": %s", i + 1 == f->templated ? "T" : qd_type_name(f->var[i].type));
	}
	put(o, ")");
	for (uint32_t i = 0; i < f->n_results; i++)
		put(o, "%s %s", i ? "," : " ->",
		    f->result[i] == t ? "T" : qd_type_name(f->result[i]));
	put_body(o, f->body);
	put(o, "\n");
}

static void
put_kernel(struct out *o)
{
	static const char *const access[] = { "", "in ", "out ", "" };
	const struct program *p = o->p;

	o->f = &p->kernel;
	put(o, "kernel program<static N in 1..=4, static L in 0..=7>(");
	for (uint32_t i = 0; i < N_ARRAY; i++)
		put(o, "%s: %s%s[], ", p->array[i].name, access[p->array[i].access],
		    qd_type_name(p->array[i].type));
	for (uint32_t i = 0; i < N_SCALAR; i++) {
		put(o, i ? ", " : "");
		put_var(o, i);
		put(o, ": %s", qd_type_name(p->kernel.var[i].type));
	}
	if (p->block[1] * p->block[2] > 1)
		put(o, ") block(%u, %u, %u)", p->block[0], p->block[1], p->block[2]);
	else
		put(o, ") block(%u)", p->block[0]);
	put_body(o, p->kernel.body);
	put(o, "\n");
}

size_t
program_text(const struct program *p, char *out, size_t cap)
{
	struct out o = { .s = out, .cap = cap, .p = p };

	put(&o, "qdk 1;\n");
	for (uint32_t i = 0; i < N_CONST; i++)
		put(&o, "const C%u: u32 = %u;\n", i, (uint32_t)p->constant[i]);
	for (uint32_t i = 0; i < N_OPER; i++)
		if (p->used_opers >> i & 1)
			put(&o, "%s\n", opers[i].text);
	/* Some functions stand behind what calls them. */
	for (uint32_t i = 0; i < p->n_fn; i++)
		if (p->fn[i].printed)
			put_function(&o, i);
	put_kernel(&o);
	for (uint32_t i = 0; i < p->n_fn; i++)
		if (!p->fn[i].printed)
			put_function(&o, i);
	return o.len;
}

size_t
program_random_text(uint64_t seed, char *out, size_t cap)
{
	struct program *p = program_make(seed);
	size_t len = program_text(p, out, cap);

	program_free(p);
	return len;
}
