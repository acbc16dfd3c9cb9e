/* Random legal bodies: nested constructs of all kinds, jumps of every depth, variables, values with
 * one use and with several, pairs that may be fused. */
#include "gcn_body.h"

enum kind { KIND_U32, KIND_I32, KIND_F32, KIND_BOOL, N_KIND };
static const qd_type type_of[N_KIND] = { QD_TYPE_U32, QD_TYPE_I32, QD_TYPE_F32, QD_TYPE_BOOL };

/* Visible values or variables of one type. */
struct sight {
	uint32_t at[BODY_MAX], n;
};

struct maker {
	struct appender *a;
	struct unit_rng rng;
	struct gcn_rig *r;
	struct sight value[N_KIND], var[N_KIND];
	bool same[BODY_MAX + 64];  /* by value: uniform, and computed without control flow */
	uint32_t depth, n_targets; /* open constructs; number of jump targets */
	uint32_t busy;		   /* number of instructions to generate */
	uint32_t thread;	   /* the thread's index */
};

static uint32_t
pick(struct maker *m, uint32_t n)
{
	return (uint32_t)(unit_random(&m->rng) >> 33) % n;
}

static uint32_t
add(struct maker *m, struct ins ins)
{
	return append_raw(m->a, ins);
}

static void
see(struct sight *p, uint32_t v)
{
	if (p->n < BODY_MAX)
		p->at[p->n++] = v;
}

/* Numbers of visible values and variables. They are restored at the end of a construct. */
struct seen {
	uint32_t value[N_KIND], var[N_KIND];
};

static struct seen
look(const struct maker *m)
{
	struct seen s;

	for (uint32_t k = 0; k < N_KIND; k++) {
		s.value[k] = m->value[k].n;
		s.var[k] = m->var[k].n;
	}
	return s;
}

static void
forget(struct maker *m, const struct seen *s)
{
	for (uint32_t k = 0; k < N_KIND; k++) {
		m->value[k].n = s->value[k];
		m->var[k].n = s->var[k];
	}
}

static uint32_t
constant(struct maker *m, enum kind k)
{
	static const uint32_t bits[] = { 0,  1,	 2,   3,	  4,	      8,
					 15, 31, 255, 0x80000000, 0x3f800000, 0xffffffff };
	uint32_t v = add(m, (struct ins){ .op = OP_CONST,
					  .type = (uint8_t)type_of[k],
					  .a = bits[pick(m, QD_COUNT(bits))] });

	m->same[v] = true;
	return v;
}

/* Returns a visible value of this kind, usually a recent one. */
static uint32_t
any(struct maker *m, enum kind k)
{
	const struct sight *p = &m->value[k];

	if (k != KIND_BOOL && (!p->n || pick(m, 6) == 0))
		return constant(m, k);
	if (pick(m, 3) && p->n > 4)
		return p->at[p->n - 1 - pick(m, 4)];
	return p->at[pick(m, p->n)];
}

static uint32_t
put(struct maker *m, enum kind k, struct ins ins)
{
	uint32_t values = op_values[ins.op], v;
	bool same = op_info[ins.op].level == LEVEL_OPERANDS;

	ins.type = (uint8_t)type_of[k];
	v = add(m, ins);
	for (uint32_t j = 0; j < MAX_OPND; j++)
		same &= !(values >> j & 1) || m->same[ins.arg[j]];
	m->same[v] = same;
	see(&m->value[k], v);
	return v;
}

static uint32_t
binary(struct maker *m, enum kind k, enum kind of, enum op op)
{
	uint32_t a = any(m, of), b = any(m, op_info[op].sig == SIG_SHIFT ? KIND_U32 : of);

	return put(m, k, (struct ins){ .op = (uint8_t)op, .a = a, .b = b });
}

static uint32_t
compare(struct maker *m)
{
	static const uint8_t ops[] = { OP_EQ, OP_NE, OP_LT, OP_LE, OP_LT, OP_LE };

	return binary(m, KIND_BOOL, (enum kind)pick(m, 3), (enum op)ops[pick(m, QD_COUNT(ops))]);
}

static void
make_arithmetic(struct maker *m)
{
	static const uint8_t ints[] = { OP_ADD, OP_ADD, OP_SUB, OP_MUL, OP_AND,	  OP_OR,
					OP_XOR, OP_SHL, OP_SHR, OP_MIN, OP_MULHI, OP_DIV };
	static const uint8_t floats[] = { OP_ADD, OP_SUB, OP_MUL, OP_MIN };
	static const uint8_t bools[] = { OP_AND, OP_OR, OP_XOR };
	enum kind k = (enum kind)pick(m, N_KIND);

	if (k == KIND_F32)
		binary(m, k, k, (enum op)floats[pick(m, QD_COUNT(floats))]);
	else if (k == KIND_BOOL)
		binary(m, k, k, (enum op)bools[pick(m, QD_COUNT(bools))]);
	else
		binary(m, k, k, (enum op)ints[pick(m, QD_COUNT(ints))]);
}

static void
make_unary(struct maker *m)
{
	static const uint8_t of[N_KIND][3] = { { OP_NOT, OP_BREV, OP_NEG },
					       { OP_NEG, OP_ABS, OP_NOT },
					       { OP_NEG, OP_ABS, OP_NEG },
					       { OP_NOT, OP_NOT, OP_NOT } };
	enum kind k = (enum kind)pick(m, N_KIND);

	put(m, k, (struct ins){ .op = of[k][pick(m, 3)], .a = any(m, k) });
}

static void
make_move(struct maker *m)
{
	enum kind k = (enum kind)pick(m, 3), from = (enum kind)pick(m, 3);
	uint32_t v = any(m, from), a, b;

	switch (pick(m, 4)) {
	case 0: put(m, k, (struct ins){ .op = OP_BITCAST, .a = v }); break;
	case 1:
		if (m->same[v])
			put(m, from, (struct ins){ .op = OP_UNIFORM, .a = v, .x = LEVEL_BLOCK });
		break;
	case 2:
		put(m, from,
		    (struct ins){ .op = OP_LANE_PATTERN,
				  .a = v,
				  .b = 1u << pick(m, 4),
				  .x = pick(m, 3) });
		break;
	default:
		a = any(m, k);
		b = any(m, k);
		put(m, k, (struct ins){ .op = OP_SELECT, .a = any(m, KIND_BOOL), .b = a, .c = b });
	}
}

static void
make_memory(struct maker *m)
{
	uint32_t at = any(m, KIND_U32);

	if (pick(m, 2)) {
		put(m, KIND_U32,
		    (struct ins){ .op = OP_LOAD, .attr = ATTR_GUARD, .a = at, .x = m->r->src });
	} else {
		uint32_t v = any(m, KIND_U32), where = pick(m, 2) ? any(m, KIND_BOOL) : 0;

		add(m, (struct ins){ .op = OP_STORE,
				     .attr = ATTR_GUARD,
				     .a = at,
				     .b = v,
				     .c = where,
				     .x = m->r->dst });
	}
}

static uint32_t
new_var(struct maker *m, enum kind k, uint32_t v)
{
	return add(m, (struct ins){ .op = OP_VAR, .type = (uint8_t)type_of[k], .a = v });
}

static void make_if(struct maker *m, uint32_t size);
static void make_arm(struct maker *m, uint32_t until);

/* Reads a variable and compares it. The result has one use, later, so the generator may delay the
 * comparison until then. */
static uint32_t
read_late(struct maker *m, enum kind k, uint32_t var)
{
	uint32_t v = add(m, (struct ins){ .op = OP_GET, .type = (uint8_t)type_of[k], .a = var });

	return add(m, (struct ins){ .op = OP_LT, .type = QD_TYPE_BOOL, .a = v, .b = any(m, k) });
}

/* Emits the only use of a condition. */
static void
use(struct maker *m, uint32_t c)
{
	uint32_t a = any(m, KIND_U32), b = any(m, KIND_U32);

	if (pick(m, 2))
		put(m, KIND_U32, (struct ins){ .op = OP_SELECT, .a = c, .b = a, .c = b });
	else
		add(m, (struct ins){ .op = OP_STORE,
				     .attr = ATTR_GUARD,
				     .a = a,
				     .b = b,
				     .c = c,
				     .x = m->r->dst });
}

/* Emits a read of another lane's value, with one use. Lanes may leave between the two. */
static void
make_pattern(struct maker *m)
{
	uint32_t v = any(m, KIND_U32), c;

	v = add(m, (struct ins){ .op = OP_LANE_PATTERN,
				 .type = QD_TYPE_U32,
				 .a = v,
				 .b = 1u << pick(m, 4),
				 .x = pick(m, 3) });
	if (m->n_targets && pick(m, 2)) {
		c = any(m, KIND_BOOL);
		add(m, (struct ins){ .op = OP_BREAK, .a = c, .b = 1 + pick(m, m->n_targets) });
	}
	v = put(m, KIND_U32, (struct ins){ .op = OP_ADD, .a = v, .b = any(m, KIND_U32) });
	add(m,
	    (struct ins){
		    .op = OP_STORE, .attr = ATTR_GUARD, .a = m->thread, .b = v, .x = m->r->dst });
}

/* Reads a variable, or sets it to a value, which is usually new. */
static void
make_local(struct maker *m)
{
	enum kind k = pick(m, 5) ? (enum kind)pick(m, 3) : KIND_BOOL;
	struct sight *p = &m->var[k];
	uint32_t var, v, n = m->value[k].n, late = 0;

	if (!p->n || pick(m, 8) == 0) {
		v = any(m, k);
		see(p, new_var(m, k, v));
		return;
	}
	var = p->at[pick(m, p->n)];
	if (pick(m, 4) == 0 && k != KIND_BOOL)
		late = read_late(m, k, var);
	switch (pick(m, 5)) {
	case 0: /* GET */
	case 1: put(m, k, (struct ins){ .op = OP_GET, .a = var }); return;
	case 2: v = any(m, k); break;
	case 3: /* modify the old value */
		if (k == KIND_BOOL) {
			v = put(m, k,
				(struct ins){
					.op = OP_NOT,
					.a = put(m, k, (struct ins){ .op = OP_GET, .a = var }) });
			break;
		}
		v = put(m, k, (struct ins){ .op = OP_GET, .a = var });
		v = put(m, k,
			(struct ins){ .op = pick(m, 3) || k == KIND_F32 ? OP_ADD : OP_DIV,
				      .a = v,
				      .b = any(m, k) });
		break;
	default: v = k == KIND_BOOL ? compare(m) : binary(m, k, k, OP_ADD);
	}
	/* Usually hide the value, so that it has a single use. Other instructions may precede the
	 * SET. */
	if (pick(m, 4))
		m->value[k].n = n;
	if (pick(m, 3) == 0)
		make_arithmetic(m);
	if (m->n_targets && pick(m, 6) == 0)
		add(m, (struct ins){ .op = OP_BREAK,
				     .a = any(m, KIND_BOOL),
				     .b = 1 + pick(m, m->n_targets) });
	if (pick(m, 4) == 0)
		put(m, k, (struct ins){ .op = OP_GET, .a = var });
	if (pick(m, 8) == 0 && m->depth < 4)
		make_if(m, 6);
	if (late)
		use(m, late);
	add(m, (struct ins){ .op = OP_SET, .a = var, .b = v });
}

static void
make_statement(struct maker *m)
{
	switch (pick(m, 9)) {
	case 0:
	case 1: make_arithmetic(m); break;
	case 2: make_unary(m); break;
	case 3: make_move(m); break;
	case 4: make_memory(m); break;
	case 5: compare(m); break;
	case 6: make_pattern(m); break;
	default: make_local(m); break;
	}
}

static void
make_if(struct maker *m, uint32_t size)
{
	uint32_t c = pick(m, 2) ? compare(m) : any(m, KIND_BOOL);

	add(m, (struct ins){ .op = OP_IF, .a = c });
	make_arm(m, m->a->ir->n + 1 + pick(m, size));
	if (pick(m, 2)) {
		add(m, (struct ins){ .op = OP_ELSE });
		make_arm(m, m->a->ir->n + pick(m, size));
	}
	add(m, (struct ins){ .op = OP_END });
}

static void
make_block(struct maker *m, uint32_t size)
{
	add(m, (struct ins){ .op = OP_BLOCK });
	m->n_targets++;
	make_arm(m, m->a->ir->n + 1 + pick(m, size));
	m->n_targets--;
	add(m, (struct ins){ .op = OP_END });
}

/* Emits a loop that counts its iterations in a variable of its own. The limit is uniform or differs
 * by lane. */
static void
make_loop(struct maker *m, uint32_t size)
{
	uint32_t zero = add(m, (struct ins){ .op = OP_CONST, .type = QD_TYPE_U32 });
	uint32_t count = new_var(m, KIND_U32, zero), limit, one, v, c;
	struct seen seen = look(m);

	limit = add(m, (struct ins){ .op = OP_CONST, .type = QD_TYPE_U32, .a = 1 + pick(m, 3) });
	m->same[limit] = true;
	if (pick(m, 2)) {
		v = any(m, KIND_U32);
		limit = add(m,
			    (struct ins){ .op = OP_AND, .type = QD_TYPE_U32, .a = v, .b = limit });
	}
	one = add(m, (struct ins){ .op = OP_CONST, .type = QD_TYPE_U32, .a = 1 });
	add(m, (struct ins){ .op = OP_LOOP });
	m->n_targets++;
	if (pick(m, 2))
		make_statement(m);
	v = put(m, KIND_U32, (struct ins){ .op = OP_GET, .a = count });
	c = put(m, KIND_BOOL, (struct ins){ .op = OP_LE, .a = limit, .b = v });
	if (pick(m, 2))
		c = put(m, KIND_BOOL, (struct ins){ .op = OP_OR, .a = c, .b = any(m, KIND_BOOL) });
	add(m, (struct ins){ .op = OP_BREAK, .a = c, .b = 1 });
	v = put(m, KIND_U32, (struct ins){ .op = OP_ADD, .a = v, .b = one });
	if (pick(m, 2))
		make_statement(m);
	add(m, (struct ins){ .op = OP_SET, .a = count, .b = v });
	make_arm(m, m->a->ir->n + pick(m, size));
	m->n_targets--;
	add(m, (struct ins){ .op = OP_END });
	forget(m, &seen);
}

/* Emits instructions up to number `until`. */
static void
make_arm(struct maker *m, uint32_t until)
{
	struct seen seen = look(m);

	m->depth++;
	while (m->a->ir->n < until && m->a->ir->n < m->busy) {
		uint32_t what = m->depth < 7 ? pick(m, 12) : 12, size = 4 + pick(m, 20);

		if (what == 0 || what == 1) {
			make_if(m, size);
		} else if (what == 2) {
			make_block(m, size);
		} else if (what == 3 && m->depth < 5) {
			make_loop(m, size);
		} else if (what <= 5 && m->n_targets) {
			/* An unconditional jump ends the arm. */
			uint32_t c = pick(m, 8) == 0 && m->depth > 1 ? 0 : any(m, KIND_BOOL);

			add(m,
			    (struct ins){ .op = OP_BREAK, .a = c, .b = 1 + pick(m, m->n_targets) });
			if (!c)
				break;
		} else {
			make_statement(m);
		}
	}
	m->depth--;
	forget(m, &seen);
}

static void
write_body(struct maker *m)
{
	uint32_t param, v;

	m->thread = put(m, KIND_U32, (struct ins){ .op = OP_THREAD_IDX });
	put(m, KIND_I32, (struct ins){ .op = OP_BITCAST, .a = m->thread });
	param = put(m, KIND_U32, (struct ins){ .op = OP_PARAM, .x = m->r->scalar });
	m->same[param] = true;
	put(m, KIND_U32,
	    (struct ins){ .op = OP_LOAD, .attr = ATTR_GUARD, .a = m->thread, .x = m->r->src });
	v = put(m, KIND_U32,
		(struct ins){ .op = OP_LOAD, .attr = ATTR_GUARD, .a = param, .x = m->r->src });
	put(m, KIND_BOOL, (struct ins){ .op = OP_LT, .a = param, .b = v });
	put(m, KIND_BOOL, (struct ins){ .op = OP_LT, .a = m->thread, .b = v });
	for (uint32_t k = 0; k < N_KIND; k++)
		for (uint32_t n = 0; n < 2; n++)
			see(&m->var[k], new_var(m, (enum kind)k, any(m, (enum kind)k)));
	m->busy = 30 + pick(m, 170);
	m->depth = 0;
	make_arm(m, m->busy);
	/* Store most variables, so that their values are compared. The others end earlier. */
	for (uint32_t k = 0; k < N_KIND; k++) {
		for (uint32_t n = 0; n < m->var[k].n; n++) {
			if (pick(m, 6) == 0)
				continue;
			v = put(m, (enum kind)k,
				(struct ins){ .op = OP_GET, .a = m->var[k].at[n] });
			if (k == KIND_BOOL)
				v = put(m, KIND_U32,
					(struct ins){ .op = OP_SELECT,
						      .a = v,
						      .b = m->thread,
						      .c = param });
			else
				v = put(m, KIND_U32, (struct ins){ .op = OP_BITCAST, .a = v });
			add(m, (struct ins){ .op = OP_STORE,
					     .attr = ATTR_GUARD,
					     .a = m->thread,
					     .b = v,
					     .x = m->r->dst });
		}
	}
}

void
gcn_body_write(struct gcn_rig *r, struct appender *a, uint64_t seed)
{
	static struct maker m; /* too large for a stack */

	memset(&m, 0, sizeof m);
	m.a = a;
	m.rng.state = seed;
	m.r = r;
	write_body(&m);
}
