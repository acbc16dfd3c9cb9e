/* Descriptions of launches: creation from a kernel, validation of untrusted bytes, and computation
 * of the grid loop's count. */
#include "describe_steps.h"
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
} rows[N_DESCRIBE_OP] = {
	[DESCRIBE_CONST] = { OP_CONST, TAKES_NONE, "" },
	[DESCRIBE_WRAPPED] = { OP_CONST, TAKES_NONE, "" },
	[DESCRIBE_ARG] = { OP_PARAM, TAKES_NONE, "" },
	[DESCRIBE_ADD] = { OP_ADD, TAKES_SAME, "+" },
	[DESCRIBE_SUB] = { OP_SUB, TAKES_SAME, "-" },
	[DESCRIBE_MUL] = { OP_MUL, TAKES_SAME, "*" },
	[DESCRIBE_DIV] = { OP_DIV, TAKES_SAME, "/" },
	[DESCRIBE_REM] = { OP_REM, TAKES_SAME, "%" },
	[DESCRIBE_MIN] = { OP_MIN, TAKES_SAME, "min" },
	[DESCRIBE_MAX] = { OP_MAX, TAKES_SAME, "max" },
	[DESCRIBE_NEG] = { OP_NEG, TAKES_ONE, "-" },
	[DESCRIBE_ABS] = { OP_ABS, TAKES_ONE, "abs" },
	[DESCRIBE_AND] = { OP_AND, TAKES_SAME, "&" },
	[DESCRIBE_OR] = { OP_OR, TAKES_SAME, "|" },
	[DESCRIBE_XOR] = { OP_XOR, TAKES_SAME, "^" },
	[DESCRIBE_NOT] = { OP_NOT, TAKES_ONE, "~" },
	[DESCRIBE_SHL] = { OP_SHL, TAKES_SHIFT, "<<" },
	[DESCRIBE_SHR] = { OP_SHR, TAKES_SHIFT, ">>" },
	[DESCRIBE_EQ] = { OP_EQ, TAKES_PAIR, "==" },
	[DESCRIBE_NE] = { OP_NE, TAKES_PAIR, "!=" },
	[DESCRIBE_LT] = { OP_LT, TAKES_PAIR, "<" },
	[DESCRIBE_LE] = { OP_LE, TAKES_PAIR, "<=" },
	[DESCRIBE_SELECT] = { OP_SELECT, TAKES_CHOICE, "select" },
	[DESCRIBE_CVT] = { OP_CVT, TAKES_ANY, NULL },
	[DESCRIBE_BITCAST] = { OP_BITCAST, TAKES_WIDTH, "bitcast" },
};

uint32_t
describe_operands(uint32_t op)
{
	static const uint8_t n[] = { [TAKES_NONE] = 0, [TAKES_ONE] = 1, [TAKES_SAME] = 2,
				     [TAKES_PAIR] = 2, [TAKES_SHIFT] = 2, [TAKES_ANY] = 1,
				     [TAKES_WIDTH] = 1, [TAKES_CHOICE] = 3 };

	return n[rows[op].takes];
}

const char *
describe_text(uint32_t op)
{
	return rows[op].text;
}

static void
set_operand(struct description_step *s, uint32_t j, uint32_t step)
{
	if (j == 0)
		s->a = (uint8_t)step;
	else if (j == 1)
		s->b = (uint8_t)step;
	else
		s->x = step;
}

static uint64_t
compute(const struct description_step *s, const struct description_step *steps, const uint64_t *v)
{
	return ir_eval((enum op)rows[s->op].op, (qd_type)steps[s->a].type, (qd_type)s->type, v[0],
		       v[1], v[2]);
}

static bool
wraps(const struct description_step *s, const struct description_step *steps, const uint64_t *v)
{
	return s->op == DESCRIBE_WRAPPED ||
	       (op_info[rows[s->op].op].in_count == COUNT_WRAPS &&
		ir_eval_wraps((enum op)rows[s->op].op, (qd_type)steps[s->a].type, (qd_type)s->type,
			      v[0], v[1]));
}

/* Returns true if operand value v determines the result of a && b or a || b by itself. */
static bool
decides(const struct description_step *s, uint64_t v)
{
	return s->type == QD_TYPE_BOOL && ((s->op == DESCRIBE_AND && !v) || (s->op == DESCRIBE_OR && v));
}

uint32_t
describe_depends(const struct description_step *s, const uint64_t *v, uint32_t marked)
{
	if (s->op == DESCRIBE_SELECT)
		return v[0] ? 1 | 2 : 1 | 4;
	for (uint32_t j = 0; j < 2; j++)
		if (decides(s, v[j]) && !(marked >> j & 1))
			return 1u << j;
	return (1u << describe_operands(s->op)) - 1;
}

uint64_t
describe_values(const struct description *d, const uint64_t *args, uint64_t *v)
{
	const struct description_step *steps = describe_steps(d);
	uint64_t marks = 0;

	for (uint32_t i = 0; i < d->n_steps; i++) {
		const struct description_step *s = &steps[i];
		uint64_t in[3] = { 0 };
		uint32_t marked = 0, n = describe_operands(s->op);

		for (uint32_t j = 0; j < n; j++) {
			in[j] = v[describe_operand(s, j)];
			marked |= (uint32_t)(marks >> describe_operand(s, j) & 1) << j;
		}
		switch (s->op) {
		case DESCRIBE_CONST:
		case DESCRIBE_WRAPPED: v[i] = s->bits; break;
		case DESCRIBE_ARG: v[i] = args[s->x]; break;
		default: v[i] = compute(s, steps, in);
		}
		if (wraps(s, steps, in) || (marked && marked & describe_depends(s, in, marked)))
			marks |= UINT64_C(1) << i;
	}
	return marks;
}

bool
describe_compute(const struct description *d, const uint64_t *args, uint64_t *count)
{
	uint64_t v[MAX_GRID_STEPS], marks = describe_values(d, args, v), n = v[d->n_steps - 1];

	if ((d->index_type == QD_TYPE_I32 && n >> 31) || (d->index_type == QD_TYPE_I64 && n >> 63))
		n = 0;
	*count = n;
	return !(marks >> (d->n_steps - 1) & 1);
}

/* -- Creation --------------------------------------------------------------------- */

static enum describe_op
find_op(enum op op)
{
	for (uint32_t i = DESCRIBE_ARG + 1; i < N_DESCRIBE_OP; i++) {
		if (rows[i].op == op)
			return (enum describe_op)i;
	}
	return N_DESCRIBE_OP;
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
static struct description_step
make_step(const struct qd_kernel *k, const int32_t *tmpl, const struct description_step *steps,
	  uint32_t i)
{
	const struct ins *ins = &k->ir.ins[k->grid_steps[i]];
	struct description_step s = { .op = DESCRIBE_CONST, .type = ins->type };
	uint64_t bits[3] = { 0 };
	bool constant = true;

	switch (ins->op) {
	case OP_CONST:
		s.op = ins->attr & ATTR_WRAPPED ? DESCRIBE_WRAPPED : DESCRIBE_CONST;
		s.bits = const_bits(ins);
		return s;
	case OP_TEMPLATE: s.bits = (uint32_t)tmpl[ins->x]; return s;
	case OP_PARAM:
	case OP_LEN:
		s.op = DESCRIBE_ARG;
		s.x = ins->x;
		return s;
	default: break;
	}
	s.op = (uint8_t)find_op((enum op)ins->op);
	for (uint32_t j = 0; j < describe_operands(s.op); j++) {
		uint32_t step = find_step(k, ins->arg[j], i);
		set_operand(&s, j, step);
		constant = constant && steps[step].op == DESCRIBE_CONST;
		bits[j] = steps[step].bits;
	}
	if (constant && !wraps(&s, steps, bits))
		return (struct description_step){ .op = DESCRIBE_CONST,
						  .type = ins->type,
						  .bits = compute(&s, steps, bits) };
	return s;
}

/* Converts the steps, without the operands that folding made unused.  from[i] is the kernel's step
 * of out[i].  Returns the number of steps. */
static uint32_t
make_steps(const struct qd_kernel *k, const int32_t *tmpl, struct description_step *out,
	   uint8_t *from)
{
	uint8_t to[MAX_GRID_STEPS] = { 0 };
	uint32_t n = k->grid ? k->n_grid_steps : 0, kept = 0;

	for (uint32_t i = 0; i < n; i++)
		out[i] = make_step(k, tmpl, out, i);
	if (n)
		to[n - 1] = 1;
	for (uint32_t i = n; i-- > 0;) {
		for (uint32_t j = 0; to[i] && j < describe_operands(out[i].op); j++)
			to[describe_operand(&out[i], j)] = 1;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct description_step s = out[i];
		if (!to[i])
			continue;
		to[i] = (uint8_t)kept;
		for (uint32_t j = 0; j < describe_operands(s.op); j++)
			set_operand(&s, j, to[describe_operand(&s, j)]);
		from[kept] = (uint8_t)i;
		out[kept++] = s;
	}
	return kept;
}

static bool
has_place(const struct description_step *s)
{
	return s->op == DESCRIBE_WRAPPED || op_info[rows[s->op].op].in_count == COUNT_WRAPS;
}

enum { MAX_PLACE = 96 };

/* Prints the source location of an instruction, without the file's directory; empty if unknown. */
static void
print_place(const struct qd_kernel *k, uint32_t ins, char out[MAX_PLACE])
{
	uint32_t pos = k->ir.pos[ins];
	struct diag_c c = diag_place(k, pos);
	const char *file = k->from_text ? (k->file ? k->file : "-") : c.file, *folder;

	if (file && (folder = strrchr(file, '/')))
		file = folder + 1;
	if (k->from_text && pos)
		snprintf(out, MAX_PLACE, "%.60s:%u:%u", file, POS_LINE(pos), POS_COL(pos));
	else if (pos && pos < k->n_calls && k->calls[pos] && c.file)
		snprintf(out, MAX_PLACE, "%.40s:%u, %.40s", file, c.line, k->calls[pos]);
	else if (pos && pos < k->n_calls && k->calls[pos])
		snprintf(out, MAX_PLACE, "call %u, %.40s", pos, k->calls[pos]);
	else
		out[0] = '\0';
}

static uint16_t
put_text(struct description *d, const char *s)
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

struct description *
describe_kernel(const struct qd_kernel *k, const int32_t *tmpl, uint32_t subgroup_size,
		bool reports, struct arena *mem)
{
	struct description_step steps[MAX_GRID_STEPS];
	uint8_t from[MAX_GRID_STEPS];
	char place[MAX_PLACE];
	uint32_t n_steps = make_steps(k, tmpl, steps, from);
	size_t at_params = sizeof(struct description) + n_steps * sizeof steps[0];
	size_t at_names = at_params + k->n_params * sizeof(struct description_param);
	size_t size = at_names + strlen(k->name) + 1;

	for (uint32_t i = 0; i < k->n_params; i++)
		size += strlen(k->params[i].name) + 1;
	for (uint32_t i = 0; i < n_steps; i++) {
		print_place(k, k->grid_steps[from[i]], place);
		size += has_place(&steps[i]) && place[0] ? strlen(place) + 1 : 0;
	}
	struct description *d = arena_zalloc(mem, size);
	if (!d)
		return NULL;
	*d = (struct description){
		.size = (uint32_t)at_names,
		.version = reports ? DESCRIBE_VERSION_REPORT : DESCRIBE_VERSION,
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
		struct description_param to = {
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
		print_place(k, k->grid_steps[from[i]], place);
		if (!has_place(&steps[i]) || !place[0])
			continue;
		steps[i].x = put_text(d, place);
		if (steps[i].op != DESCRIBE_WRAPPED)
			steps[i].bits = k->from_text ? (uint64_t)POS_LINE(pos) << 32 | POS_COL(pos)
						     : (uint64_t)diag_place(k, pos).line << 32;
	}
	memcpy((char *)d + d->steps, steps, n_steps * sizeof steps[0]);
	return d;
}

struct description *
describe_foreign(const struct describe_foreign *f, struct arena *mem)
{
	size_t at_params = sizeof(struct description) + f->n_slots * sizeof f->slots[0];
	size_t at_names = at_params + f->n_params * sizeof(struct description_param);
	size_t size = at_names;

	for (uint32_t i = 0; i <= f->n_params; i++)
		size += strlen(f->names[i]) + 1;
	struct description *d = size <= UINT16_MAX ? arena_zalloc(mem, size) : NULL;
	if (!d)
		return NULL;
	*d = (struct description){
		.size = (uint32_t)at_names,
		.version = DESCRIBE_VERSION_SLOTS,
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
		struct description_param to = f->params[i];
		to.name = put_text(d, f->names[1 + i]);
		to.offset = f->slots[i].offset;
		memcpy((char *)d + d->params + i * sizeof to, &to, sizeof to);
	}
	return d;
}

/* -- Validation ------------------------------------------------------------------- */

/* Checks sizes and offsets.  Returns the error, or NULL. */
static const char *
check_frame(const struct description *d, size_t size)
{
	const char *bytes = (const char *)d;

	if (d->size != size)
		return "another length than it says";
	bool by_slots = describe_by_slots(d);
	if (d->n_params > MAX_PARAM || d->n_steps > (by_slots ? 0 : MAX_GRID_STEPS) ||
	    d->n_slots > (by_slots ? DESCRIBE_MAX_SLOTS : 0))
		return "more parts than there can be";
	if (by_slots && (d->slots % DESCRIBE_ALIGN || d->slots < sizeof *d ||
			 d->slots + d->n_slots * sizeof(struct description_slot) > size))
		return "its slots outside of it";
	if (d->steps % DESCRIBE_ALIGN || d->steps < sizeof *d ||
	    d->steps + d->n_steps * sizeof(struct description_step) > size)
		return "its steps outside of it";
	if (d->params % DESCRIBE_ALIGN || d->params < sizeof *d ||
	    d->params + d->n_params * sizeof(struct description_param) > size)
		return "its parameters outside of it";
	if (bytes[size - 1] != '\0' || d->name < sizeof *d || d->name >= size)
		return "its name outside of it";
	return NULL;
}

static const char *
check_block(const struct description *d)
{
	uint64_t n = (uint64_t)d->block[0] * d->block[1] * d->block[2];

	if (n == 0 || n > MAX_BLOCK || n != d->block_dim)
		return "a block of an impossible size";
	if (d->subgroup_size == 0 || d->subgroup_size > 1u << MAX_LOG2 ||
	    (d->subgroup_size & (d->subgroup_size - 1)))
		return "a subgroup that is no power of two up to 128";
	return NULL;
}

static const char *
check_param(const struct description *d, const struct description_param *p)
{
	const uint32_t all = TM_NUM | TM(I8) | TM(U8) | TM(I16) | TM(U16) | TM(F16) | TM(BF16);
	bool buffer = p->align != 0, any = buffer || describe_by_slots(d);
	bool bytes = any && !buffer && p->type == QD_TYPE_NONE && !p->size;

	if (p->name < sizeof *d || p->name >= d->size)
		return "a parameter's name outside of it";
	if (p->align > 16 || (p->align & (p->align - 1)) || (buffer && p->align < p->size) ||
	    (!bytes && (!type_given((qd_type)p->type, any ? all : TM_NUM) ||
			p->size != type_info[p->type].size)) ||
	    (buffer ? p->access - 1u >= QD_ACCESS_INOUT : p->access != 0))
		return "a parameter of no kind that there is";
	return NULL;
}

/* Returns true if slot s is valid for parameter i, or for no parameter if i is n_params. */
static bool
slot_fits(const struct description *d, const struct description_slot *s, uint32_t i)
{
	const struct description_param *p = describe_params(d) + (i < d->n_params ? i : 0);

	if (s->zero || s->what >= N_DESCRIBE_SLOT || !s->size ||
	    (uint32_t)s->offset + s->size > d->args_size)
		return false;
	if ((i < d->n_params) != (s->what == DESCRIBE_SLOT_PARAM))
		return false;
	if (s->what == DESCRIBE_SLOT_PARAM)
		return s->param == i && !s->bits && p->offset == s->offset &&
		       (p->align ? s->size == 8 : !p->size || s->size == p->size);
	return !s->param && (s->what == DESCRIBE_SLOT_BITS ? s->size <= 8 : s->size == 4 && !s->bits);
}

/* Checks that every parameter has a slot and that slots do not overlap. */
static const char *
check_slots(const struct description *d)
{
	const struct description_slot *s = describe_slots(d);
	uint8_t taken[DESCRIBE_MAX_ARGS / 8] = { 0 };

	if (d->args_size > DESCRIBE_MAX_ARGS || d->n_slots < d->n_params)
		return "an argument block of another size than its parameters'";
	for (uint32_t i = 0; i < d->n_params; i++) {
		const char *wrong = check_param(d, describe_params(d) + i);
		if (wrong)
			return wrong;
	}
	for (uint32_t i = 0; i < d->n_slots; i++, s++) {
		if (!slot_fits(d, s, i))
			return "a slot of no kind that there is";
		for (uint32_t at = s->offset; at < (uint32_t)s->offset + s->size; at++) {
			if (taken[at / 8] >> at % 8 & 1)
				return "two slots in one place";
			taken[at / 8] |= (uint8_t)(1u << at % 8);
		}
	}
	return NULL;
}

/* Checks that the parameters' offsets follow the layout of argument blocks. */
static const char *
check_params(const struct description *d)
{
	const struct description_param *p = describe_params(d);
	uint32_t at = 0;

	for (uint32_t i = 0; i < d->n_params; i++, p++) {
		bool buffer = p->align != 0;
		const char *wrong = check_param(d, p);
		if (wrong)
			return wrong;
		uint32_t align = buffer ? 8 : p->size;
		at = (at + align - 1) & ~(align - 1);
		if (p->offset != at)
			return "a parameter in another place than it has";
		at += buffer ? 16 : align;
	}
	at = (at + 3) & ~3u;
	uint32_t size = ((at + 4 * N_TAIL + 7) & ~7u) + (describe_report_at(d) ? REPORT_ARGS : 0);
	if (d->tail != at || d->args_size != size)
		return "an argument block of another size than its parameters'";
	return NULL;
}

/* Checks the operands' types against the result's. */
static bool
types_fit(const struct description *d, const struct description_step *s)
{
	const struct description_step *steps = describe_steps(d);
	uint32_t types = op_info[rows[s->op].op].types, n = describe_operands(s->op);
	qd_type t = (qd_type)s->type, in[3] = { QD_TYPE_NONE };

	for (uint32_t j = 0; j < n; j++)
		in[j] = (qd_type)steps[describe_operand(s, j)].type;
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
check_step(const struct description *d, uint32_t i)
{
	const struct description_step *s = &describe_steps(d)[i];
	bool constant = s->op == DESCRIBE_CONST || s->op == DESCRIBE_WRAPPED;

	if (s->op >= N_DESCRIBE_OP || !type_given((qd_type)s->type, TM_ALL))
		return "a step of no kind that there is";
	uint32_t n = describe_operands(s->op);
	for (uint32_t j = 0; j < 3; j++) {
		if (j < n ? describe_operand(s, j) >= i : j < 2 && describe_operand(s, j))
			return "a step that takes a later one";
	}
	if (has_place(s) && s->x) {
		if (s->x < sizeof *d || s->x >= d->size)
			return "the place of a step outside of it";
	} else if ((s->op != DESCRIBE_ARG && s->op != DESCRIBE_SELECT && s->x) ||
		   (!constant && s->bits)) {
		return "a step with bits that mean nothing";
	}
	if (constant && type_bits((qd_type)s->type) < 64 && s->bits >> type_bits((qd_type)s->type))
		return "a step with bits that mean nothing";
	bool good = types_fit(d, s);
	if (s->op == DESCRIBE_ARG && s->x < d->n_params) {
		const struct description_param *p = describe_params(d) + s->x;
		good = s->type == (p->align ? QD_TYPE_U32 : p->type);
	} else if (s->op == DESCRIBE_ARG) {
		good = false;
	}
	return good ? NULL : "a step whose types do not fit";
}

static const char *
check_steps(const struct description *d)
{
	const char *wrong = NULL;

	for (uint32_t i = 0; i < d->n_steps && !wrong; i++)
		wrong = check_step(d, i);
	if (wrong)
		return wrong;
	qd_type last = d->n_steps ? (qd_type)describe_steps(d)[d->n_steps - 1].type : QD_TYPE_NONE;
	if (d->index_type != last || !type_is(last, TM_INT | TM_NONE))
		return "a grid loop whose index has another type than its count";
	return NULL;
}

qd_status
describe_check(const void *bytes, size_t size, struct qd_error *err)
{
	const struct description *d = bytes;
	const char *wrong = NULL;

	if ((uintptr_t)bytes % DESCRIBE_ALIGN)
		wrong = "an odd address";
	else if (size < sizeof *d)
		wrong = "too few bytes";
	else if (d->version < DESCRIBE_VERSION || d->version > DESCRIBE_VERSION_REPORT)
		return qd_fail(err, QD_E_VERSION,
			       "the description of a launch has version %u; this library reads %u "
			       "to %u",
			       d->version, (uint32_t)DESCRIBE_VERSION,
			       (uint32_t)DESCRIBE_VERSION_REPORT);
	wrong = wrong ? wrong : check_frame(d, size);
	wrong = wrong ? wrong : check_block(d);
	if (!wrong)
		wrong = describe_by_slots(d) ? check_slots(d) : check_params(d);
	wrong = wrong ? wrong : check_steps(d);
	return wrong ? qd_fail(err, QD_E_INVALID, "the description of a launch has %s", wrong) :
		       QD_OK;
}
