/* Descriptions of launches: made of a kernel, checked where they come from outside,
 * and the one thing they compute, the grid's count. */
#include "describe.h"
#include "ir.h"

/* -- Steps ------------------------------------------------------------------------ */

/* Operands: of one type, the result's; a count of bits; of any number. */
enum takes { TAKES_NONE, TAKES_SAME, TAKES_SHIFT, TAKES_ANY, TAKES_WIDTH };

static const struct {
	uint8_t op, takes; /* op: of the IR */
} rows[N_DESCRIBE_OP] = {
	[DESCRIBE_CONST] = { OP_CONST, TAKES_NONE },
	[DESCRIBE_ARG] = { OP_PARAM, TAKES_NONE },
	[DESCRIBE_ADD] = { OP_ADD, TAKES_SAME },
	[DESCRIBE_SUB] = { OP_SUB, TAKES_SAME },
	[DESCRIBE_MUL] = { OP_MUL, TAKES_SAME },
	[DESCRIBE_DIV] = { OP_DIV, TAKES_SAME },
	[DESCRIBE_SHR] = { OP_SHR, TAKES_SHIFT },
	[DESCRIBE_AND] = { OP_AND, TAKES_SAME },
	[DESCRIBE_CVT] = { OP_CVT, TAKES_ANY },
	[DESCRIBE_BITCAST] = { OP_BITCAST, TAKES_WIDTH },
};

static bool
is_binary(enum describe_op op)
{
	return rows[op].takes == TAKES_SAME || rows[op].takes == TAKES_SHIFT;
}

static uint64_t
compute(const struct description_step *s, const struct description_step *steps, uint64_t a,
	uint64_t b)
{
	return ir_eval((enum op)rows[s->op].op, (qd_type)steps[s->a].type, (qd_type)s->type, a, b,
		       0);
}

uint64_t
describe_compute(const struct description *d, const uint64_t *args)
{
	const struct description_step *steps = describe_steps(d);
	uint64_t v[MAX_GRID_STEPS], count;

	for (uint32_t i = 0; i < d->n_steps; i++) {
		const struct description_step *s = &steps[i];
		switch (s->op) {
		case DESCRIBE_CONST: v[i] = s->bits; break;
		case DESCRIBE_ARG: v[i] = args[s->x]; break;
		default: v[i] = compute(s, steps, v[s->a], v[s->b]);
		}
	}
	count = v[d->n_steps - 1];
	if (d->index_type == QD_TYPE_I32)
		return count >> 31 ? 0 : count;
	if (d->index_type == QD_TYPE_I64)
		return count >> 63 ? 0 : count;
	return count;
}

/* -- Making ----------------------------------------------------------------------- */

static enum describe_op
find_op(enum op op)
{
	for (uint32_t i = DESCRIBE_ADD; i < N_DESCRIBE_OP; i++) {
		if (rows[i].op == op)
			return (enum describe_op)i;
	}
	return N_DESCRIBE_OP;
}

/* Where among the first n of the kernel's steps value v stands. */
static uint8_t
find_step(const struct qd_kernel *k, uint32_t v, uint32_t n)
{
	uint32_t i = 0;

	while (i < n && k->grid_steps[i] != v)
		i++;
	return (uint8_t)(i < n ? i : 0);
}

/* Step i of the kernel's. */
static struct description_step
make_step(const struct qd_kernel *k, const int32_t *tmpl, const struct description_step *steps,
	  uint32_t i)
{
	const struct ins *ins = &k->ir.ins[k->grid_steps[i]];
	struct description_step s = { .op = DESCRIBE_CONST, .type = ins->type };

	switch (ins->op) {
	case OP_CONST: s.bits = const_bits(ins); return s;
	case OP_TEMPLATE: s.bits = (uint32_t)tmpl[ins->x]; return s;
	case OP_PARAM:
	case OP_LEN:
		s.op = DESCRIBE_ARG;
		s.x = ins->x;
		return s;
	default: break;
	}
	enum describe_op op = find_op((enum op)ins->op);
	uint8_t a = find_step(k, ins->a, i);
	uint8_t b = is_binary(op) ? find_step(k, ins->b, i) : a;
	s.op = (uint8_t)op;
	s.a = a;
	s.b = is_binary(op) ? b : 0;
	if (steps[a].op == DESCRIBE_CONST && steps[b].op == DESCRIBE_CONST)
		s = (struct description_step){ .op = DESCRIBE_CONST,
					       .type = ins->type,
					       .bits = compute(&s, steps, steps[a].bits,
							       steps[b].bits) };
	return s;
}

/* Folded: what became a constant needs its operands no more. */
static uint32_t
make_steps(const struct qd_kernel *k, const int32_t *tmpl, struct description_step *out)
{
	uint8_t to[MAX_GRID_STEPS] = { 0 };
	uint32_t n = k->grid ? k->n_grid_steps : 0, kept = 0;

	for (uint32_t i = 0; i < n; i++)
		out[i] = make_step(k, tmpl, out, i);
	if (n)
		to[n - 1] = 1;
	for (uint32_t i = n; i-- > 0;) {
		if (to[i] && out[i].op > DESCRIBE_ARG) {
			to[out[i].a] = 1;
			to[is_binary((enum describe_op)out[i].op) ? out[i].b : out[i].a] = 1;
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		struct description_step s = out[i];
		if (!to[i])
			continue;
		to[i] = (uint8_t)kept;
		if (s.op > DESCRIBE_ARG) {
			s.a = to[s.a];
			s.b = is_binary((enum describe_op)s.op) ? to[s.b] : 0;
		}
		out[kept++] = s;
	}
	return kept;
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

/* Of a buffer, its elements' size, or more where several are copied at once. */
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
	uint32_t n_steps = make_steps(k, tmpl, steps);
	size_t at_params = sizeof(struct description) + n_steps * sizeof steps[0];
	size_t at_names = at_params + k->n_params * sizeof(struct description_param);
	size_t size = at_names + strlen(k->name) + 1;

	for (uint32_t i = 0; i < k->n_params; i++)
		size += strlen(k->params[i].name) + 1;
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
	memcpy((char *)d + d->steps, steps, n_steps * sizeof steps[0]);
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

/* -- Checking --------------------------------------------------------------------- */

/* What is wrong, or NULL. */
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

/* Of parameter i, whose own slot this is; n_params: of none. */
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

/* Every parameter has its place, and no two things are in one. */
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

/* Everything lies where it does in every argument block. */
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

static const char *
check_step(const struct description *d, uint32_t i)
{
	const struct description_step *steps = describe_steps(d), *s = &steps[i];

	if (s->op >= N_DESCRIBE_OP || !type_given((qd_type)s->type, TM_NUM))
		return "a step of no kind that there is";
	bool leaf = s->op <= DESCRIBE_ARG, binary = is_binary((enum describe_op)s->op);
	if (leaf ? s->a || s->b : s->a >= i || (binary ? s->b >= i : s->b))
		return "a step that takes a later one";
	if ((s->op != DESCRIBE_ARG && s->x) || (s->op != DESCRIBE_CONST && s->bits) ||
	    (type_info[s->type].size == 4 && s->bits >> 32))
		return "a step with bits that mean nothing";
	qd_type t = (qd_type)s->type, a = (qd_type)steps[s->a].type, b = (qd_type)steps[s->b].type;
	bool good = true;
	switch ((enum takes)rows[s->op].takes) {
	case TAKES_SAME: good = a == t && b == t; break;
	case TAKES_SHIFT: good = a == t && b == QD_TYPE_U32; break;
	case TAKES_WIDTH: good = type_bits(a) == type_bits(t); break;
	case TAKES_NONE:
	case TAKES_ANY: break;
	}
	if (!leaf && !type_is(t, op_info[rows[s->op].op].types))
		good = false;
	if (s->op == DESCRIBE_ARG && s->x < d->n_params) {
		const struct description_param *p = describe_params(d) + s->x;
		good = t == (p->align ? QD_TYPE_U32 : (qd_type)p->type);
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
