/* Per-lane operations. Most are one row of a table; a few take more than one instruction. */
#include "ptx.h"

/* -- The table --------------------------------------------------------------- */

enum class { ON_I32, ON_U32, ON_I64, ON_U64, ON_F32, ON_F64, ON_BOOL, N_CLASS };
static const uint8_t class_of[N_TYPE] = {
	[QD_TYPE_I32] = ON_I32, [QD_TYPE_U32] = ON_U32, [QD_TYPE_I64] = ON_I64,
	[QD_TYPE_U64] = ON_U64, [QD_TYPE_F32] = ON_F32, [QD_TYPE_F64] = ON_F64,
	[QD_TYPE_BOOL] = ON_BOOL,
};

struct form {
	char text[23];
	uint8_t len;
};
#define FORM(text) { text, sizeof text - 1 }

static const struct form forms[][N_CLASS] = {
#define PTX_ALU(op, i32, u32, i64, u64, f32, f64, b)                                               \
	{ FORM(i32), FORM(u32), FORM(i64), FORM(u64), FORM(f32), FORM(f64), FORM(b) },
#include "alu.def"
};
enum {
#define PTX_ALU(op, ...) FORMS_##op,
#include "alu.def"
};

/* The row of forms plus 1; 0: none. */
static const uint8_t forms_of[N_OP] = {
#define PTX_ALU(op, ...) [OP_##op] = FORMS_##op + 1,
#include "alu.def"
};

/* Emits an operation that is not a single line of form, result and operands. */
typedef void special_fn(struct emitter *e, const struct ins *s, struct val d, const char *form);

static const struct form *
form_of(enum op op, qd_type lead)
{
	if (!forms_of[op] || !type_is(lead, TM_ALL))
		return NULL;
	const struct form *f = &forms[forms_of[op] - 1][class_of[lead]];

	return f->len ? f : NULL;
}

bool
ptx_has_alu(enum op op, qd_type lead, qd_type to)
{
	(void)to;
	return form_of(op, lead) != NULL;
}

const char *
ptx_form(enum op op, qd_type t)
{
	const struct form *f = form_of(op, t);

	return f ? f->text : "";
}

/* -- Conversions ----------------------------------------------------------------- */

static const char *const number_name[N_TYPE] = {
	[QD_TYPE_I32] = "s32", [QD_TYPE_U32] = "u32", [QD_TYPE_I64] = "s64",
	[QD_TYPE_U64] = "u64", [QD_TYPE_F32] = "f32", [QD_TYPE_F64] = "f64",
};

/* A float out of range becomes the nearest integer. For a NaN, cvt returns 0 only if both types
 * have 32 bits (PTX ISA, cvt), so other types need a move of 0. */
static void
float_to_int(struct emitter *e, struct val a, struct val d, qd_type from, qd_type to)
{
	ptx_line(e, "cvt.rzi.%s.%s %v, %v", number_name[to], number_name[from], d, a);
	if (type_info[from].size == 4 && type_info[to].size == 4)
		return;
	struct val nan = ptx_new(e, QD_TYPE_BOOL);
	ptx_line(e, "setp.nan.%s %v, %v, %v", number_name[from], nan, a, a);
	ptx_guard(e, nan, false);
	ptx_move(e, d, ptx_const(to, 0));
	ptx_unguard(e);
}

static void
convert(struct emitter *e, const struct ins *s, struct val d, const char *form)
{
	struct val a = ptx_use(e, s->a);
	qd_type from = (qd_type)a.type, to = (qd_type)s->type;
	const char *round = "";

	if (type_info[from].is_float && !type_info[to].is_float) {
		float_to_int(e, ptx_reg(e, a), d, from, to);
		return;
	}
	if (type_info[to].is_float && (!type_info[from].is_float || to == QD_TYPE_F32))
		round = ".rn";
	/* The source's signedness determines how an integer is extended. */
	qd_type as = type_info[to].is_float ? to :
		     type_info[from].is_signed ? type_signed(to) : type_unsigned(to);
	ptx_line(e, "%s%s.%s.%s %v, %v", form, round, number_name[as], number_name[from], d, a);
}

/* -- Operations of several instructions, or none ---------------------------------------- */

static void
low_word(struct emitter *e, const struct ins *s, struct val d, const char *form)
{
	struct val a = ptx_use(e, s->a);

	a.type = QD_TYPE_U64;
	ptx_line(e, "%s %v, %v", form, d, a);
}

static void
high_word(struct emitter *e, const struct ins *s, struct val d, const char *form)
{
	struct val a = ptx_reg(e, ptx_use(e, s->a)), low = ptx_new(e, QD_TYPE_U32);

	ptx_line(e, "%s {%v, %v}, %v", form, low, d, a);
}

static void
pair(struct emitter *e, const struct ins *s, struct val d, const char *form)
{
	(void)form;
	ptx_join(e, d, ptx_use(e, s->a), ptx_use(e, s->b));
}

/* A variable count is taken modulo the width. For 32-bit values, except arithmetic right shifts,
 * the funnel shift does so. */
static void
shift(struct emitter *e, const struct ins *s, struct val d, const char *form)
{
	struct val a = ptx_use(e, s->a), n = ptx_use(e, s->b), zero = ptx_const(QD_TYPE_U32, 0), in;
	qd_type t = (qd_type)a.type;

	if (n.kind == VAL_CONST) {
		ptx_line(e, "%s %v, %v, %v", form, d, a, n);
		return;
	}
	if (type_info[t].size == 4 && (s->op == OP_SHL || !type_info[t].is_signed)) {
		if (s->op == OP_SHL)
			ptx_line(e, "%i %v, %v, %v, %v", PTX_SHF_L_WRAP, d, zero, a, n);
		else
			ptx_line(e, "%i %v, %v, %v, %v", PTX_SHF_R_WRAP, d, a, zero, n);
		return;
	}
	in = ptx_new(e, QD_TYPE_U32);
	ptx_line(e, "and.b32 %v, %v, %u", in, n, type_bits(t) - 1);
	ptx_line(e, "%s %v, %v, %v", form, d, a, in);
}

/* The low word is the first operand. */
static void
funnel(struct emitter *e, const struct ins *s, struct val d, const char *form)
{
	struct val hi = ptx_use(e, s->a), lo = ptx_use(e, s->b), n = ptx_use(e, s->c);

	(void)form;
	ptx_line(e, "%i %v, %v, %v, %v", s->op == OP_FUNNEL_LEFT ? PTX_SHF_L_WRAP : PTX_SHF_R_WRAP, d,
		 lo, hi, n);
}

/* Bits are counted from 1. bfind returns all ones if no bit is set, so that the sum is 0. */
static void
first_set(struct emitter *e, const struct ins *s, struct val d, const char *form)
{
	struct val a = ptx_use(e, s->a), turned = ptx_new(e, (qd_type)a.type);
	struct val at = ptx_new(e, QD_TYPE_U32);

	ptx_line(e, "brev.b%u %v, %v", type_bits((qd_type)a.type), turned, a);
	ptx_line(e, "%s %v, %v", form, at, turned);
	ptx_line(e, "add.u32 %v, %v, 1", d, at);
}

enum { LOG2_E = 0x3fb8aa3b, LN_2 = 0x3f317218 };

static void
power_of_e(struct emitter *e, const struct ins *s, struct val d, const char *form)
{
	struct val x = ptx_new(e, QD_TYPE_F32);

	ptx_line(e, "mul.rn.f32 %v, %v, %v", x, ptx_use(e, s->a), ptx_const(QD_TYPE_F32, LOG2_E));
	ptx_line(e, "%s %v, %v", form, d, x);
}

static void
natural_log(struct emitter *e, const struct ins *s, struct val d, const char *form)
{
	struct val x = ptx_new(e, QD_TYPE_F32);

	ptx_line(e, "%s %v, %v", form, x, ptx_reg(e, ptx_use(e, s->a)));
	ptx_line(e, "mul.rn.f32 %v, %v, %v", d, x, ptx_const(QD_TYPE_F32, LN_2));
}

static void
of_register(struct emitter *e, const struct ins *s, struct val d, const char *form)
{
	ptx_line(e, "%s %v, %v", form, d, ptx_reg(e, ptx_use(e, s->a)));
}

static void
power(struct emitter *e, const struct ins *s, struct val d, const char *form)
{
	struct val x = ptx_new(e, QD_TYPE_F32), y = ptx_new(e, QD_TYPE_F32);

	ptx_line(e, "%s %v, %v", form, x, ptx_reg(e, ptx_use(e, s->a)));
	ptx_line(e, "mul.rn.f32 %v, %v, %v", y, x, ptx_use(e, s->b));
	ptx_line(e, "ex2.approx.f32 %v, %v", d, y);
}

static void
choose(struct emitter *e, const struct ins *s, struct val d, const char *form)
{
	struct val yes = ptx_use(e, s->b), no = ptx_use(e, s->c), p = ptx_reg(e, ptx_use(e, s->a));

	/* selp operates on bits */
	if (type_info[yes.type].is_float)
		yes.type = no.type = (uint8_t)type_unsigned((qd_type)yes.type);
	ptx_line(e, "%s %v, %v, %v, %v", form, d, yes, no, p);
}

enum { USE_WINDOW = 64 }; /* instructions searched for the uses of a value */

const struct ins *
ptx_only_user(const struct emitter *e, uint32_t i)
{
	uint32_t end = e->ir->n - i > USE_WINDOW ? i + USE_WINDOW : e->ir->n;

	if (e->in->body->uses[i] != 1)
		return NULL;
	for (uint32_t j = i + 1; j < end; j++) {
		const struct ins *s = &e->ir->ins[j];

		for (uint32_t k = 0; k < 4; k++)
			if (op_values[s->op] >> k & 1 && s->arg[k] == i)
				return op_info[s->op].is_alu && !e->in->body->uses[j] ? NULL : s;
	}
	return NULL;
}

/* Returns true if the value is only stored to a 16-bit element, which a register of 16 bits can be. */
static bool
is_stored_half(const struct emitter *e, uint32_t i)
{
	const struct ins *user = ptx_only_user(e, i);

	return user && user->op == OP_STORE && user->b == i && user->a != i &&
	       type_info[e->mems[user->x].type].size == 2;
}

/* An operand of a float type has exactly the size of the type (PTX ISA, "Operand Size Exceeding
 * Instruction-Type Size"), so that the bits pass through a register of 16. */
static void
half_float(struct emitter *e, const struct ins *s, struct val d, const char *form)
{
	struct val a = ptx_reg(e, ptx_use(e, s->a)), h = a;

	if (s->op == OP_WIDEN_F16) {
		if (a.kind != VAL_HALF)
			ptx_line(e, "cvt.u16.u32 %v, %v", h = ptx_new_half(e), a);
		ptx_line(e, "%s %v, %v", form, d, h);
		return;
	}
	h = d.kind == VAL_HALF ? d : ptx_new_half(e);
	if (s->op == OP_NARROW_BF16)
		ptx_line(e, "%i %v, %v", PTX_CVT_BF16, h, a);
	else
		ptx_line(e, "%s %v, %v", form, h, a);
	if (d.kind != VAL_HALF)
		ptx_line(e, "cvt.u32.u16 %v, %v", d, h);
}

static special_fn *const specials[N_OP] = {
	[OP_CVT] = convert,	 [OP_LO] = low_word,   [OP_HI] = high_word,
	[OP_PAIR] = pair,	 [OP_SHL] = shift,     [OP_SHR] = shift,
	[OP_FFS] = first_set,	 [OP_EXP] = power_of_e, [OP_LOG] = natural_log,
	[OP_SIN] = of_register,	 [OP_COS] = of_register, [OP_POW] = power,
	[OP_SELECT] = choose,	 [OP_FUNNEL_LEFT] = funnel, [OP_FUNNEL_RIGHT] = funnel,
	[OP_WIDEN_F16] = half_float, [OP_NARROW_F16] = half_float, [OP_NARROW_BF16] = half_float,
};

/* -- Single lines -------------------------------------------------------------------- */

/* Emits a single line. Most of a kernel consists of these, so this avoids ptx_line. */
static void
plain(struct emitter *e, const struct ins *s, struct val d, const struct form *f, uint32_t n)
{
	ptx_begin(e);
	memcpy(e->at, f->text, sizeof f->text); /* constant size, within PTX_ROOM */
	e->at += f->len;
	*e->at++ = ' ';
	ptx_put_val(e, d);
	for (uint32_t j = 0; j < n; j++) {
		PTX_TEXT(e, ", ");
		ptx_put_val(e, ptx_use(e, s->arg[j]));
	}
	PTX_TEXT(e, ";\n");
}

/* -- The sign of a float ------------------------------------------------------------- */

/* Returns true if all uses of value i read it as a number, so that the bits of a NaN are not
 * observable. */
static bool
is_read_as_number(const struct emitter *e, uint32_t i)
{
	const uint32_t *uses = e->in->body->uses;
	uint32_t left = uses[i], end = e->ir->n - i > USE_WINDOW ? i + USE_WINDOW : e->ir->n;

	for (uint32_t j = i + 1; left && j < end; j++) {
		const struct ins *s = &e->ir->ins[j];

		if (op_info[s->op].is_alu && !uses[j])
			continue; /* not emitted */
		for (uint32_t k = 0; k < 4; k++) {
			if (!(op_values[s->op] >> k & 1) || s->arg[k] != i)
				continue;
			if (!op_info[s->op].reads_number)
				return false;
			left--;
		}
	}
	return !left;
}

/* ptxas treats neg and abs of floats as arithmetic, which may change the bits of a NaN. If those
 * are observable, only the sign bit is changed. */
static void
sign(struct emitter *e, const struct ins *s, struct val d, const struct form *f)
{
	uint32_t bits = type_bits((qd_type)s->type);
	uint64_t top = UINT64_C(1) << (bits - 1);

	if (is_read_as_number(e, (uint32_t)(s - e->ir->ins)))
		plain(e, s, d, f, 1);
	else if (s->op == OP_NEG)
		ptx_line(e, "xor.b%u %v, %v, %v", bits, d, ptx_use(e, s->a),
			 ptx_const(type_unsigned((qd_type)s->type), top));
	else
		ptx_line(e, "and.b%u %v, %v, %v", bits, d, ptx_use(e, s->a),
			 ptx_const(type_unsigned((qd_type)s->type), top - 1));
}

static void
one_line(struct emitter *e, const struct ins *s, struct val d, const struct form *f)
{
	if (type_info[s->type].is_float && (s->op == OP_NEG || s->op == OP_ABS))
		sign(e, s, d, f);
	else
		plain(e, s, d, f, op_sig((enum op)s->op)->n_opnd);
}

/* Returns the next instruction if it selects between this result, which has no other use, and an
 * operand of this instruction. Then this instruction is predicated with the condition and writes to
 * a copy of that operand. */
static const struct ins *
chosen_next(const struct emitter *e, uint32_t i, bool *when_not)
{
	const struct ins *s = &e->ir->ins[i], *select = s + 1;
	uint32_t other;

	if (i + 1 >= e->ir->n || select->op != OP_SELECT || e->in->body->uses[i] != 1 ||
	    select->a == i || (select->b != i && select->c != i))
		return NULL;
	*when_not = select->c == i;
	other = *when_not ? select->b : select->c;
	if (e->id[select->a].kind != VAL_PRED || e->id[other].kind == VAL_CONST)
		return NULL;
	return other == s->a || other == s->b ? select : NULL;
}

qd_status
ptx_emit_alu(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *s = &e->ir->ins[i], *select;
	enum op op = (enum op)s->op;
	qd_type lead = ir_lead_type(e->ir, s);
	const struct form *f = form_of(op, op == OP_PAIR ? QD_TYPE_U32 : lead);
	bool when_not;

	if (QD_UNLIKELY(!f))
		return ptx_illegal(e, i, "the target has no such instruction", err);
	if (op == OP_BITCAST) {
		e->id[i] = e->id[s->a];
		return QD_OK;
	}
	if (specials[op]) {
		bool half = (op == OP_NARROW_F16 || op == OP_NARROW_BF16) && is_stored_half(e, i);

		e->id[i] = half ? ptx_new_half(e) : ptx_result(e, i);
		specials[op](e, s, e->id[i], f->text);
		return QD_OK;
	}
	if ((select = chosen_next(e, i, &when_not))) {
		struct val d = ptx_new(e, (qd_type)s->type);

		ptx_move(e, d, ptx_use(e, when_not ? select->b : select->c));
		ptx_guard(e, e->id[select->a], when_not);
		one_line(e, s, d, f);
		ptx_unguard(e);
		e->id[i] = e->id[i + 1] = d;
		e->fused = i + 1;
		return QD_OK;
	}
	e->id[i] = ptx_result(e, i);
	one_line(e, s, e->id[i], f);
	return QD_OK;
}
