/* Expressions as .qdk text with only the necessary parentheses, which also tests the
 * parser's operator precedence. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "program_text.h"

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
	[REF_OP_ROTL] = { "rotl", 0 },	 [REF_OP_ROTR] = { "rotr", 0 },
	[REF_OP_CTZ] = { "ctz", 0 },	 [REF_OP_SIGN] = { "sign", 0 },
	[REF_OP_ADD_SAT] = { "add_sat", 0 }, [REF_OP_SUB_SAT] = { "sub_sat", 0 },
	[REF_OP_AVERAGE_FLOOR] = { "average_floor", 0 },
	[REF_OP_AVERAGE_CEIL] = { "average_ceil", 0 },
	[REF_OP_UNPACK_U8] = { "unpack_u8", 0 },
	[REF_OP_FUNNEL_LEFT] = { "funnel_left", 0 }, [REF_OP_FUNNEL_RIGHT] = { "funnel_right", 0 },
	[REF_OP_EXTRACT_BITS] = { "extract_bits", 0 }, [REF_OP_BYTE_PERMUTE] = { "byte_permute", 0 },
	[REF_OP_DOT4_I8] = { "dot4_i8", 0 }, [REF_OP_DOT4_U8] = { "dot4_u8", 0 },
	[REF_OP_DOT4_I8U8] = { "dot4_i8u8", 0 },
};
/* clang-format on */

void
text_put(struct out *o, const char *fmt, ...)
{
	size_t room = o->len < o->cap ? o->cap - o->len : 0;
	va_list ap;

	va_start(ap, fmt);
	o->len += (size_t)vsnprintf(room ? o->s + o->len : NULL, room, fmt, ap);
	va_end(ap);
}

const char *
text_array(const struct out *o, uint32_t id)
{
	static const char *const params[] = { "a", "b" };

	return o->f == &o->p->kernel ? o->p->array[id].name : params[id];
}

void
text_put_var(struct out *o, uint32_t id)
{
	text_put(o, "v%u", o->f->var[id].name);
}

/* -- Expressions ------------------------------------------------------------------- */

void
text_put_args(struct out *o, struct expr *const *arg, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		text_put(o, i ? ", " : "");
		text_put_expr(o, arg[i], LOOSEST);
	}
}

void
text_put_literal(struct out *o, const struct expr *x)
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
	case QD_TYPE_BOOL: text_put(o, x->bits ? "true" : "false"); break;
	case QD_TYPE_I32: text_put(o, "%" PRId32, number); break;
	case QD_TYPE_U32: text_put(o, low > 0xffff ? "0x%x%s" : "%u%s", low, x->plain ? "" : "u"); break;
	case QD_TYPE_I64: text_put(o, "%" PRId64 "%s", (int64_t)x->bits, x->plain ? "" : "l"); break;
	case QD_TYPE_U64: text_put(o, "%" PRIu64 "%s", x->bits, x->plain ? "" : "ul"); break;
	case QD_TYPE_F64:
		snprintf(text, sizeof text, "%.17g", d);
		text_put(o, "%s%s%s", text, strpbrk(text, ".e") ? "" : ".0", x->plain ? "" : "d");
		break;
	default: /* nine digits distinguish any two f32 */
		snprintf(text, sizeof text, "%.9g", (double)f);
		text_put(o, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
		break;
	}
}

static void
put_tile(struct out *o, uint32_t tile)
{
	if (tile == TILE_L)
		text_put(o, "L");
	else
		text_put(o, "%u", tile);
}

static void
put_lane(struct out *o, const struct expr *x)
{
	bool generic = x->op >= L_REDUCE && x->op <= L_EXCLUSIVE_SCAN;
	bool tiled = x->tile != TILE_FULL, below = x->op == L_EXCLUSIVE_SCAN;
	uint32_t n = below ? x->n / 2 : x->n;
	char name[64];

	if (x->op == L_BALLOT64 && o->p->size > 64) {
		text_put(o, "u64(subgroup.ballot_first_n(");
		text_put_args(o, x->arg, 1);
		text_put(o, ", 32))");
		return;
	}

	snprintf(name, sizeof name, "%s", lane_text[x->op]);
	if (x->other && strncmp(name, "reduce", 6) == 0)
		snprintf(name, sizeof name, "reduce_all%s", lane_text[x->op] + 6);
	text_put(o, "%s.%s%s(", x->op >= L_WARP ? "nvvm" : x->whole ? "block" : "subgroup", name,
		 tiled ? "_tiled" : "");
	text_put_args(o, x->arg, n - x->active);
	if (x->active) {
		text_put(o, ", n_active = ");
		text_put_expr(o, x->arg[n - 1], LOOSEST);
	}
	if (x->op == L_BALLOT || (x->op >= L_SHFL_UP && x->op <= L_SHFL_IDX_P))
		text_put(o, ", %u", (uint32_t)x->bits);
	if (tiled) {
		text_put(o, ", ");
		put_tile(o, x->tile);
	}
	if (generic)
		text_put(o, ", op = %s", opers[x->id].name);
	if (below) {
		text_put(o, n > 1 ? ", identity = (" : ", identity = ");
		text_put_args(o, x->arg + n, n);
		text_put(o, n > 1 ? ")" : "");
	}
	text_put(o, ")");
}

/* A function's array parameter has the same name as the kernel's array. */
void
text_put_shared(struct out *o, uint32_t id)
{
	if (id == SHARED_LOCAL)
		text_put(o, "own");
	else
		text_put(o, "s%u", id);
}

void
text_put_element(struct out *o, uint32_t id, struct expr *const *index)
{
	text_put_shared(o, id);
	text_put(o, "[");
	text_put_args(o, index, program_shared(o->p, o->f, id)->flat ? 1 : 2);
	text_put(o, "]");
}

static void
put_atomic(struct out *o, const struct expr *x)
{
	const struct atomic_info *info = &atomic_info[x->op];
	const char *scope = scope_text[x->bits % 8], *order = order_text[x->bits / 8];

	text_put(o, "atomic.%s(", info->text);
	if (x->shared) {
		text_put_element(o, x->id, x->arg);
	} else {
		text_put(o, "%s[", text_array(o, x->id));
		text_put_expr(o, x->arg[0], LOOSEST);
		text_put(o, "]");
	}
	for (uint32_t i = x->n - info->n_values; i < x->n; i++) {
		text_put(o, ", ");
		text_put_expr(o, x->arg[i], LOOSEST);
	}
	if (scope)
		text_put(o, ", scope = %s", scope);
	if (order)
		text_put(o, ", order = %s", order);
	text_put(o, ")");
}

static void
put_function_call(struct out *o, const char *name, const struct expr *x)
{
	text_put(o, "%s(", name);
	text_put_args(o, x->arg, x->n);
	text_put(o, ")");
}

static void
put_call(struct out *o, const struct expr *x)
{
	const struct function *f = &o->p->fn[x->id];

	text_put(o, "f%u(", x->id);
	for (uint32_t i = 0; i < f->n_arrays; i++)
		text_put(o, "%s, ", text_array(o, (uint32_t)(x->bits >> 8 * i & 0xff)));
	if (f->shared) {
		text_put_shared(o, f->shared - 1u);
		text_put(o, x->n ? ", " : "");
	}
	text_put_args(o, x->arg, x->n);
	if (f->shaped)
		text_put(o, "%sN = N, L = L", f->n_arrays + x->n + f->shared ? ", " : "");
	text_put(o, ")");
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
	case X_TABLE:
	case X_LOAD: return x->n > 1 ? UNARY : POSTFIX;
	case X_LITERAL: return UNARY;
	default: return POSTFIX;
	}
}

static void
put_binary(struct out *o, const struct expr *x, const char *op, int level)
{
	/* Comparisons do not chain. */
	text_put_expr(o, x->arg[0], level == COMPARE ? level + 1 : level);
	text_put(o, " %s ", op);
	text_put_expr(o, x->arg[1], level + 1);
}

static void
put_bare(struct out *o, const struct expr *x, int level)
{
	switch ((enum xkind)x->kind) {
	case X_LITERAL: text_put_literal(o, x); break;
	case X_CONST: text_put(o, "C%u", x->id); break;
	case X_SHAPE: text_put(o, "N"); break;
	case X_VAR: text_put_var(o, x->id); break;
	case X_LEN: text_put(o, "%s.len", text_array(o, x->id)); break;
	case X_PLACE:
		text_put(o, "%s", place_info[x->op].text);
		if (x->op == P_TILE_LANE) {
			text_put(o, "(");
			put_tile(o, x->tile);
			text_put(o, ")");
		}
		break;
	case X_UNARY:
	case X_NOT:
		text_put(o, x->kind == X_NOT ? "!" : x->op == REF_OP_NEG ? "-" : "~");
		text_put_expr(o, x->arg[0], UNARY);
		break;
	case X_BINARY: put_binary(o, x, op_text[x->op].text, level); break;
	case X_AND: put_binary(o, x, "&&", level); break;
	case X_OR: put_binary(o, x, "||", level); break;
	case X_TABLE:
	case X_LOAD:
		if (x->kind == X_TABLE)
			text_put(o, "T%u[", x->id);
		else
			text_put(o, "%s[", text_array(o, x->id));
		text_put_expr(o, x->arg[0], LOOSEST);
		text_put(o, "]");
		if (x->n > 1) {
			text_put(o, " else ");
			text_put_expr(o, x->arg[1], UNARY);
		}
		break;
	case X_MATH: put_function_call(o, op_text[x->op].text, x); break;
	case X_ROUGH:
		text_put(o, "%s", roughs[x->op].before);
		text_put_expr(o, x->arg[0], BIT_AND);
		text_put(o, " & %u%s", roughs[x->op].mask, roughs[x->op].after);
		break;
	case X_CLAMP: put_function_call(o, "clamp", x); break;
	case X_SELECT: put_function_call(o, "select", x); break;
	case X_CAST: put_function_call(o, qd_type_name(x->type), x); break;
	case X_BITCAST:
		text_put(o, "bitcast<%s>", qd_type_name(x->type));
		put_function_call(o, "", x);
		break;
	case X_LANE: put_lane(o, x); break;
	case X_SHARED_LOAD: text_put_element(o, x->id, x->arg); break;
	case X_ATOMIC: put_atomic(o, x); break;
	case X_CALL: put_call(o, x); break;
	}
}

void
text_put_expr(struct out *o, const struct expr *x, int level)
{
	int own = level_of(x);

	text_put(o, own < level ? "(" : "");
	put_bare(o, x, own);
	text_put(o, own < level ? ")" : "");
}

const char *
text_operator(uint32_t op)
{
	return op == OP_PLAIN ? "" : op_text[op].text;
}
