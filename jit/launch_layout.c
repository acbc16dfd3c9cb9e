/* Descriptions of launches: creation from a kernel, validation of untrusted bytes, and computation
 * of the grid loop's count. */
#include "launch_layout_steps.h"
#include "diag.h"

/* -- Steps ------------------------------------------------------------------------ */

/* Operand types of an operation.
 *
 *	ONE, SAME  one or two of the result's type
 *	PAIR       two of any equal type (comparisons)
 *	SHIFT      a value and a bit count
 *	ANY        one of any numeric type
 *	WIDTH      one of the result's width
 *	CHOICE     a bool and two of the result's type
 */
enum takes { TAKES_NONE, TAKES_ONE, TAKES_SAME, TAKES_PAIR, TAKES_SHIFT, TAKES_ANY, TAKES_WIDTH, TAKES_CHOICE };

static const struct {
	uint8_t op, takes; /* op: enum op */
	const char *text;  /* in messages; conversions print the type's name instead */
} rows[N_LAYOUT_OP] = {
	[LAYOUT_CONST] = { OP_CONST, TAKES_NONE, "" },
	[LAYOUT_WRAPPED] = { OP_CONST, TAKES_NONE, "" },
	[LAYOUT_ARG] = { OP_PARAM, TAKES_NONE, "" },
	[LAYOUT_ADD] = { OP_ADD, TAKES_SAME, "+" },
	[LAYOUT_SUB] = { OP_SUB, TAKES_SAME, "-" },
	[LAYOUT_MUL] = { OP_MUL, TAKES_SAME, "*" },
	[LAYOUT_DIV] = { OP_DIV, TAKES_SAME, "/" },
	[LAYOUT_REM] = { OP_REM, TAKES_SAME, "%" },
	[LAYOUT_MIN] = { OP_MIN, TAKES_SAME, "min" },
	[LAYOUT_MAX] = { OP_MAX, TAKES_SAME, "max" },
	[LAYOUT_NEG] = { OP_NEG, TAKES_ONE, "-" },
	[LAYOUT_ABS] = { OP_ABS, TAKES_ONE, "abs" },
	[LAYOUT_AND] = { OP_AND, TAKES_SAME, "&" },
	[LAYOUT_OR] = { OP_OR, TAKES_SAME, "|" },
	[LAYOUT_XOR] = { OP_XOR, TAKES_SAME, "^" },
	[LAYOUT_NOT] = { OP_NOT, TAKES_ONE, "~" },
	[LAYOUT_SHL] = { OP_SHL, TAKES_SHIFT, "<<" },
	[LAYOUT_SHR] = { OP_SHR, TAKES_SHIFT, ">>" },
	[LAYOUT_EQ] = { OP_EQ, TAKES_PAIR, "==" },
	[LAYOUT_NE] = { OP_NE, TAKES_PAIR, "!=" },
	[LAYOUT_LT] = { OP_LT, TAKES_PAIR, "<" },
	[LAYOUT_LE] = { OP_LE, TAKES_PAIR, "<=" },
	[LAYOUT_SELECT] = { OP_SELECT, TAKES_CHOICE, "select" },
	[LAYOUT_CVT] = { OP_CVT, TAKES_ANY, NULL },
	[LAYOUT_BITCAST] = { OP_BITCAST, TAKES_WIDTH, "bitcast" },
};

uint32_t
layout_operands(uint32_t op)
{
	static const uint8_t n[] = { [TAKES_NONE] = 0, [TAKES_ONE] = 1, [TAKES_SAME] = 2,
				     [TAKES_PAIR] = 2, [TAKES_SHIFT] = 2, [TAKES_ANY] = 1,
				     [TAKES_WIDTH] = 1, [TAKES_CHOICE] = 3 };

	return n[rows[op].takes];
}

const char *
layout_text(uint32_t op)
{
	return rows[op].text;
}

static void
set_operand(struct layout_step *s, uint32_t j, uint32_t step)
{
	if (j == 0)
		s->a = (uint8_t)step;
	else if (j == 1)
		s->b = (uint8_t)step;
	else
		s->x = step;
}

static uint64_t
compute(const struct layout_step *s, const struct layout_step *steps, const uint64_t *v)
{
	return ir_eval((enum op)rows[s->op].op, (qd_type)steps[s->a].type, (qd_type)s->type, v[0],
		       v[1], v[2]);
}

static bool
wraps(const struct layout_step *s, const struct layout_step *steps, const uint64_t *v)
{
	return s->op == LAYOUT_WRAPPED ||
	       (op_info[rows[s->op].op].in_count == COUNT_WRAPS &&
		ir_eval_wraps((enum op)rows[s->op].op, (qd_type)steps[s->a].type, (qd_type)s->type,
			      v[0], v[1]));
}

/* Returns true if operand value v determines the result of a && b or a || b by itself. */
static bool
decides(const struct layout_step *s, uint64_t v)
{
	return s->type == QD_TYPE_BOOL &&
	       ((s->op == LAYOUT_AND && !v) || (s->op == LAYOUT_OR && v));
}

uint32_t
layout_depends(const struct layout_step *s, const uint64_t *v, uint32_t marked)
{
	if (s->op == LAYOUT_SELECT)
		return v[0] ? 1 | 2 : 1 | 4;
	for (uint32_t j = 0; j < 2; j++)
		if (decides(s, v[j]) && !(marked >> j & 1))
			return 1u << j;
	return (1u << layout_operands(s->op)) - 1;
}

uint64_t
layout_values(const struct launch_layout *d, const uint64_t *args, uint64_t *v)
{
	const struct layout_step *steps = layout_steps(d);
	uint64_t marks = 0;

	for (uint32_t i = 0; i < d->n_steps; i++) {
		const struct layout_step *s = &steps[i];
		uint64_t in[3] = { 0 };
		uint32_t marked = 0, n = layout_operands(s->op);

		for (uint32_t j = 0; j < n; j++) {
			in[j] = v[layout_operand(s, j)];
			marked |= (uint32_t)(marks >> layout_operand(s, j) & 1) << j;
		}
		switch (s->op) {
		case LAYOUT_CONST:
		case LAYOUT_WRAPPED: v[i] = s->bits; break;
		case LAYOUT_ARG: v[i] = args[s->x]; break;
		default: v[i] = compute(s, steps, in);
		}
		if (wraps(s, steps, in) || (marked && marked & layout_depends(s, in, marked)))
			marks |= UINT64_C(1) << i;
	}
	return marks;
}

bool
layout_compute(const struct launch_layout *d, const uint64_t *args, uint64_t *count)
{
	uint64_t v[MAX_GRID_STEPS], marks = layout_values(d, args, v), n = v[d->n_steps - 1];

	if ((d->index_type == QD_TYPE_I32 && n >> 31) || (d->index_type == QD_TYPE_I64 && n >> 63))
		n = 0;
	*count = n;
	return !(marks >> (d->n_steps - 1) & 1);
}

/* -- Creation --------------------------------------------------------------------- */

static enum layout_op
find_op(enum op op)
{
	for (uint32_t i = LAYOUT_ARG + 1; i < N_LAYOUT_OP; i++) {
		if (rows[i].op == op)
			return (enum layout_op)i;
	}
	return N_LAYOUT_OP;
}

/* Returns the index of value v among the first n steps of the kernel. */
static uint8_t
find_step(const struct qd_kernel *k, uint32_t v, uint32_t n)
{
	uint32_t i = 0;

	while (i < n && k->grid_steps[i] != v)
		i++;
	return (uint8_t)(i < n ? i : 0);
}

/* Converts step i of the kernel; folds it if its operands are constant. */
static struct layout_step
make_step(const struct qd_kernel *k, const int32_t *tmpl, const struct layout_step *steps,
	  uint32_t i)
{
	const struct ins *ins = &k->ir.ins[k->grid_steps[i]];
	struct layout_step s = { .op = LAYOUT_CONST, .type = ins->type };
	uint64_t bits[3] = { 0 };
	bool constant = true;

	switch (ins->op) {
	case OP_CONST:
		s.op = ins->attr & ATTR_WRAPPED ? LAYOUT_WRAPPED : LAYOUT_CONST;
		s.bits = const_bits(ins);
		return s;
	case OP_TEMPLATE: s.bits = (uint32_t)tmpl[ins->x]; return s;
	case OP_PARAM:
	case OP_LEN:
		s.op = LAYOUT_ARG;
		s.x = ins->x;
		return s;
	default: break;
	}
	s.op = (uint8_t)find_op((enum op)ins->op);
	for (uint32_t j = 0; j < layout_operands(s.op); j++) {
		uint32_t step = find_step(k, ins->arg[j], i);
		set_operand(&s, j, step);
		constant = constant && steps[step].op == LAYOUT_CONST;
		bits[j] = steps[step].bits;
	}
	if (constant && !wraps(&s, steps, bits))
		return (struct layout_step){ .op = LAYOUT_CONST,
						  .type = ins->type,
						  .bits = compute(&s, steps, bits) };
	return s;
}

/* Converts the steps, without the operands that folding made unused. from[i] is the kernel's step
 * of out[i]. Returns the number of steps. */
static uint32_t
make_steps(const struct qd_kernel *k, const int32_t *tmpl, struct layout_step *out,
	   uint8_t *from)
{
	uint8_t to[MAX_GRID_STEPS] = { 0 };
	uint32_t n = k->grid ? k->n_grid_steps : 0, kept = 0;

	for (uint32_t i = 0; i < n; i++)
		out[i] = make_step(k, tmpl, out, i);
	if (n)
		to[n - 1] = 1;
	for (uint32_t i = n; i-- > 0;) {
		for (uint32_t j = 0; to[i] && j < layout_operands(out[i].op); j++)
			to[layout_operand(&out[i], j)] = 1;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct layout_step s = out[i];
		if (!to[i])
			continue;
		to[i] = (uint8_t)kept;
		for (uint32_t j = 0; j < layout_operands(s.op); j++)
			set_operand(&s, j, to[layout_operand(&s, j)]);
		from[kept] = (uint8_t)i;
		out[kept++] = s;
	}
	return kept;
}

static bool
has_place(const struct layout_step *s)
{
	return s->op == LAYOUT_WRAPPED || op_info[rows[s->op].op].in_count == COUNT_WRAPS;
}

enum { MAX_PLACE = 96 };

/* Prints the source location of an instruction, without the file's directory; empty if unknown. */
static void
print_place(const struct qd_kernel *k, uint32_t ins, char out[MAX_PLACE])
{
	uint32_t pos = k->ir.pos[ins];
	struct diag_c c = diag_place(k, pos);
	struct line_place place = ir_place(k, pos);
	const char *file = k->from_text ? place.file : c.file, *folder;

	if (file && (folder = strrchr(file, '/')))
		file = folder + 1;
	if (k->from_text && pos)
		snprintf(out, MAX_PLACE, "%.60s:%u:%u", file, place.line, place.col);
	else if (pos && pos < k->n_calls && k->calls[pos] && c.file)
		snprintf(out, MAX_PLACE, "%.40s:%u, %.40s", file, c.line, k->calls[pos]);
	else if (pos && pos < k->n_calls && k->calls[pos])
		snprintf(out, MAX_PLACE, "call %u, %.40s", pos, k->calls[pos]);
	else
		out[0] = '\0';
}

static uint16_t
put_text(struct launch_layout *d, const char *s)
{
	size_t len = strlen(s) + 1;
	uint32_t at = d->size;

	memcpy((char *)d + at, s, len);
	d->size += (uint32_t)len;
	return (uint16_t)at;
}

/* Returns the alignment of a buffer: the element size, or the size of a wider copy. */
static uint8_t
alignment(const struct qd_kernel *k, uint32_t i)
{
	uint32_t size = type_info[k->params[i].type].size, copied = ir_copy_size(&k->ir, k->mems, i);

	return (uint8_t)(copied > size ? copied : size);
}

struct launch_layout *
layout_kernel(const struct qd_kernel *k, const int32_t *tmpl, uint32_t subgroup_size,
		bool reports, struct arena *mem)
{
	struct layout_step steps[MAX_GRID_STEPS];
	uint8_t from[MAX_GRID_STEPS];
	char place[MAX_PLACE];
	uint32_t n_steps = make_steps(k, tmpl, steps, from);
	size_t at_params = sizeof(struct launch_layout) + n_steps * sizeof steps[0];
	size_t at_names = at_params + k->n_params * sizeof(struct layout_param);
	size_t size = at_names + strlen(k->name) + 1;

	for (uint32_t i = 0; i < k->n_params; i++)
		size += strlen(k->params[i].name) + 1;
	for (uint32_t i = 0; i < n_steps; i++) {
		print_place(k, k->grid_steps[from[i]], place);
		size += has_place(&steps[i]) && place[0] ? strlen(place) + 1 : 0;
	}
	struct launch_layout *d = arena_zalloc(mem, size);
	if (!d)
		return NULL;
	*d = (struct launch_layout){
		.size = (uint32_t)at_names,
		.version = reports ? LAYOUT_VERSION_REPORT : LAYOUT_VERSION,
		.params = (uint16_t)at_params,
		.steps = sizeof *d,
		.n_params = (uint8_t)k->n_params,
		.n_steps = (uint8_t)n_steps,
		.index_type = k->grid ? k->ir.ins[k->grid].type : QD_TYPE_NONE,
		.args_size = (uint16_t)(k->args_size + (reports ? REPORT_ARGS : 0)),
		.tail = (uint16_t)k->tail,
		.block = { (uint16_t)k->block[0], (uint16_t)k->block[1], (uint16_t)k->block[2] },
		.subgroup_size = (uint16_t)subgroup_size,
		.block_dim = k->block_dim,
	};
	d->name = put_text(d, k->name);
	for (uint32_t i = 0; i < k->n_params; i++) {
		const struct param *p = &k->params[i];
		struct layout_param to = {
			.name = put_text(d, p->name),
			.offset = (uint16_t)p->offset,
			.align = p->access ? alignment(k, i) : 0,
			.type = p->type,
			.size = type_info[p->type].size,
			.access = p->access,
		};
		memcpy((char *)d + d->params + i * sizeof to, &to, sizeof to);
	}
	for (uint32_t i = 0; i < n_steps; i++) {
		uint32_t pos = k->ir.pos[k->grid_steps[from[i]]];
		struct line_place at = ir_place(k, pos);
		print_place(k, k->grid_steps[from[i]], place);
		if (!has_place(&steps[i]) || !place[0])
			continue;
		steps[i].x = put_text(d, place);
		if (steps[i].op != LAYOUT_WRAPPED)
			steps[i].bits = k->from_text ? (uint64_t)at.line << 32 | at.col
						     : (uint64_t)diag_place(k, pos).line << 32;
	}
	memcpy((char *)d + d->steps, steps, n_steps * sizeof steps[0]);
	return d;
}

struct launch_layout *
layout_foreign(const struct layout_foreign *f, struct arena *mem)
{
	size_t at_params = sizeof(struct launch_layout) + f->n_slots * sizeof f->slots[0];
	size_t at_names = at_params + f->n_params * sizeof(struct layout_param);
	size_t size = at_names;

	for (uint32_t i = 0; i <= f->n_params; i++)
		size += strlen(f->names[i]) + 1;
	struct launch_layout *d = size <= UINT16_MAX ? arena_zalloc(mem, size) : NULL;
	if (!d)
		return NULL;
	*d = (struct launch_layout){
		.size = (uint32_t)at_names,
		.version = LAYOUT_VERSION_SLOTS,
		.params = (uint16_t)at_params,
		.steps = sizeof *d,
		.n_params = (uint8_t)f->n_params,
		.n_slots = (uint8_t)f->n_slots,
		.args_size = (uint16_t)f->args_size,
		.slots = sizeof *d,
		.block = { (uint16_t)f->block[0], (uint16_t)f->block[1], (uint16_t)f->block[2] },
		.subgroup_size = (uint16_t)f->subgroup_size,
		.block_dim = f->block[0] * f->block[1] * f->block[2],
	};
	memcpy((char *)d + d->slots, f->slots, f->n_slots * sizeof f->slots[0]);
	d->name = put_text(d, f->names[0]);
	for (uint32_t i = 0; i < f->n_params; i++) {
		struct layout_param to = f->params[i];
		to.name = put_text(d, f->names[1 + i]);
		to.offset = f->slots[i].offset;
		memcpy((char *)d + d->params + i * sizeof to, &to, sizeof to);
	}
	return d;
}

/* -- Validation ------------------------------------------------------------------- */

/* Checks sizes and offsets. Returns the error, or NULL. */
static const char *
check_frame(const struct launch_layout *d, size_t size)
{
	const char *bytes = (const char *)d;

	if (d->size != size)
		return "a size that differs from its header";
	bool by_slots = layout_by_slots(d);
	if (d->n_params > MAX_PARAM || d->n_steps > (by_slots ? 0 : MAX_GRID_STEPS) ||
	    d->n_slots > (by_slots ? LAYOUT_MAX_SLOTS : 0))
		return "too many parts";
	if (by_slots && (d->slots % LAYOUT_ALIGN || d->slots < sizeof *d ||
			 d->slots + d->n_slots * sizeof(struct layout_slot) > size))
		return "slots outside of its bounds";
	if (d->steps % LAYOUT_ALIGN || d->steps < sizeof *d ||
	    d->steps + d->n_steps * sizeof(struct layout_step) > size)
		return "steps outside of its bounds";
	if (d->params % LAYOUT_ALIGN || d->params < sizeof *d ||
	    d->params + d->n_params * sizeof(struct layout_param) > size)
		return "parameters outside of its bounds";
	if (bytes[size - 1] != '\0' || d->name < sizeof *d || d->name >= size)
		return "a name outside of its bounds";
	return NULL;
}

static const char *
check_block(const struct launch_layout *d)
{
	uint64_t n = (uint64_t)d->block[0] * d->block[1] * d->block[2];

	if (n == 0 || n > MAX_BLOCK || n != d->block_dim)
		return "an invalid block size";
	if (d->subgroup_size == 0 || d->subgroup_size > 1u << MAX_LOG2 ||
	    (d->subgroup_size & (d->subgroup_size - 1)))
		return "a subgroup size that is not a power of two up to 128";
	return NULL;
}

static const char *
check_param(const struct launch_layout *d, const struct layout_param *p)
{
	const uint32_t all = TM_NUM | TM(I8) | TM(U8) | TM(I16) | TM(U16) | TM(F16) | TM(BF16);
	bool buffer = p->align != 0, any = buffer || layout_by_slots(d);
	bool bytes = any && !buffer && p->type == QD_TYPE_NONE && !p->size;

	if (p->name < sizeof *d || p->name >= d->size)
		return "a parameter name outside of its bounds";
	if (p->align > 16 || (p->align & (p->align - 1)) || (buffer && p->align < p->size) ||
	    (!bytes && (!type_given((qd_type)p->type, any ? all : TM_NUM) ||
			p->size != type_info[p->type].size)) ||
	    (buffer ? p->access - 1u >= QD_ACCESS_INOUT : p->access != 0))
		return "a parameter of an unknown kind";
	return NULL;
}

/* Returns true if slot s is valid for parameter i, or for no parameter if i is n_params. */
static bool
slot_fits(const struct launch_layout *d, const struct layout_slot *s, uint32_t i)
{
	const struct layout_param *p = layout_params(d) + (i < d->n_params ? i : 0);

	if (s->zero || s->what >= N_LAYOUT_SLOT || !s->size ||
	    (uint32_t)s->offset + s->size > d->args_size)
		return false;
	if ((i < d->n_params) != (s->what == LAYOUT_SLOT_PARAM))
		return false;
	if (s->what == LAYOUT_SLOT_PARAM)
		return s->param == i && !s->bits && p->offset == s->offset &&
		       (p->align ? s->size == 8 : !p->size || s->size == p->size);
	return !s->param && (s->what == LAYOUT_SLOT_BITS ? s->size <= 8 : s->size == 4 && !s->bits);
}

/* Checks that every parameter has a slot and that slots do not overlap. */
static const char *
check_slots(const struct launch_layout *d)
{
	const struct layout_slot *s = layout_slots(d);
	uint8_t taken[LAYOUT_MAX_ARGS / 8] = { 0 };

	if (d->args_size > LAYOUT_MAX_ARGS || d->n_slots < d->n_params)
		return "an argument block whose size differs from its parameters";
	for (uint32_t i = 0; i < d->n_params; i++) {
		const char *wrong = check_param(d, layout_params(d) + i);
		if (wrong)
			return wrong;
	}
	for (uint32_t i = 0; i < d->n_slots; i++, s++) {
		if (!slot_fits(d, s, i))
			return "a slot of an unknown kind";
		for (uint32_t at = s->offset; at < (uint32_t)s->offset + s->size; at++) {
			if (taken[at / 8] >> at % 8 & 1)
				return "two slots at the same offset";
			taken[at / 8] |= (uint8_t)(1u << at % 8);
		}
	}
	return NULL;
}

/* Checks that the parameters' offsets follow the layout of argument blocks. */
static const char *
check_params(const struct launch_layout *d)
{
	const struct layout_param *p = layout_params(d);
	uint32_t at = 0;

	for (uint32_t i = 0; i < d->n_params; i++, p++) {
		bool buffer = p->align != 0;
		const char *wrong = check_param(d, p);
		if (wrong)
			return wrong;
		uint32_t align = buffer ? 8 : p->size;
		at = (at + align - 1) & ~(align - 1);
		if (p->offset != at)
			return "a parameter at a wrong offset";
		at += buffer ? 16 : align;
	}
	at = (at + 3) & ~3u;
	uint32_t size = ((at + 4 * N_TAIL + 7) & ~7u) + (layout_report_at(d) ? REPORT_ARGS : 0);
	if (d->tail != at || d->args_size != size)
		return "an argument block whose size differs from its parameters";
	return NULL;
}

/* Checks the operands' types against the result's. */
static bool
types_fit(const struct launch_layout *d, const struct layout_step *s)
{
	const struct layout_step *steps = layout_steps(d);
	uint32_t types = op_info[rows[s->op].op].types, n = layout_operands(s->op);
	qd_type t = (qd_type)s->type, in[3] = { QD_TYPE_NONE };

	for (uint32_t j = 0; j < n; j++)
		in[j] = (qd_type)steps[layout_operand(s, j)].type;
	switch ((enum takes)rows[s->op].takes) {
	case TAKES_NONE: return true;
	case TAKES_ONE: return in[0] == t && type_is(t, types);
	case TAKES_SAME: return in[0] == t && in[1] == t && type_is(t, types);
	case TAKES_PAIR: return t == QD_TYPE_BOOL && in[0] == in[1] && type_is(in[0], types);
	case TAKES_SHIFT: return in[0] == t && in[1] == QD_TYPE_U32 && type_is(t, types);
	case TAKES_ANY: return type_is(t, types) && type_is(in[0], types);
	case TAKES_WIDTH:
		return type_is(t, types) && type_is(in[0], types) && type_bits(in[0]) == type_bits(t);
	case TAKES_CHOICE: return in[0] == QD_TYPE_BOOL && in[1] == t && in[2] == t;
	}
	return false;
}

static const char *
check_step(const struct launch_layout *d, uint32_t i)
{
	const struct layout_step *s = &layout_steps(d)[i];
	bool constant = s->op == LAYOUT_CONST || s->op == LAYOUT_WRAPPED;

	if (s->op >= N_LAYOUT_OP || !type_given((qd_type)s->type, TM_ALL))
		return "a step of an unknown kind";
	uint32_t n = layout_operands(s->op);
	for (uint32_t j = 0; j < 3; j++) {
		if (j < n ? layout_operand(s, j) >= i : j < 2 && layout_operand(s, j))
			return "a step that uses a later step";
	}
	if (has_place(s) && s->x) {
		if (s->x < sizeof *d || s->x >= d->size)
			return "a source position outside of its bounds";
	} else if ((s->op != LAYOUT_ARG && s->op != LAYOUT_SELECT && s->x) ||
		   (!constant && s->bits)) {
		return "a step with unknown bits";
	}
	if (constant && type_bits((qd_type)s->type) < 64 && s->bits >> type_bits((qd_type)s->type))
		return "a step with unknown bits";
	bool good = types_fit(d, s);
	if (s->op == LAYOUT_ARG && s->x < d->n_params) {
		const struct layout_param *p = layout_params(d) + s->x;
		good = s->type == (p->align ? QD_TYPE_U32 : p->type);
	} else if (s->op == LAYOUT_ARG) {
		good = false;
	}
	return good ? NULL : "a step with wrong types";
}

static const char *
check_steps(const struct launch_layout *d)
{
	const char *wrong = NULL;

	for (uint32_t i = 0; i < d->n_steps && !wrong; i++)
		wrong = check_step(d, i);
	if (wrong)
		return wrong;
	qd_type last = d->n_steps ? (qd_type)layout_steps(d)[d->n_steps - 1].type : QD_TYPE_NONE;
	if (d->index_type != last || !type_is(last, TM_INT | TM_NONE))
		return "a grid loop whose index and count differ in type";
	return NULL;
}

qd_status
layout_check(const void *bytes, size_t size, struct qd_error *err)
{
	const struct launch_layout *d = bytes;
	const char *wrong = NULL;

	if ((uintptr_t)bytes % LAYOUT_ALIGN)
		wrong = "an odd address";
	else if (size < sizeof *d)
		wrong = "too few bytes";
	else if (d->version < LAYOUT_VERSION || d->version > LAYOUT_VERSION_REPORT)
		return qd_fail(err, QD_E_VERSION,
			       "the launch layout has version %u; this library reads %u "
			       "to %u",
			       d->version, (uint32_t)LAYOUT_VERSION,
			       (uint32_t)LAYOUT_VERSION_REPORT);
	wrong = wrong ? wrong : check_frame(d, size);
	wrong = wrong ? wrong : check_block(d);
	if (!wrong)
		wrong = layout_by_slots(d) ? check_slots(d) : check_params(d);
	wrong = wrong ? wrong : check_steps(d);
	return wrong ? qd_fail(err, QD_E_INVALID, "the launch layout has %s", wrong) :
		       QD_OK;
}
