/* Message for a grid loop's count that wraps: expression, operation, values. */
#include "launch_layout_steps.h"

#include <stdio.h>
#include <string.h>

struct message {
	char s[180];
	size_t len;
	uint32_t depth;
};

static void QD_PRINTF(2, 3)
put(struct message *m, const char *fmt, ...)
{
	size_t room = sizeof m->s - m->len;
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(m->s + m->len, room, fmt, ap);
	va_end(ap);
	if (n > 0)
		m->len += (size_t)n < room ? (size_t)n : room - 1;
}

static void
put_number(struct message *m, qd_type type, uint64_t bits)
{
	switch (type) {
	case QD_TYPE_BOOL: put(m, "%s", bits ? "true" : "false"); break;
	case QD_TYPE_I32: put(m, "%d", (int32_t)(uint32_t)bits); break;
	case QD_TYPE_I64: put(m, "%lld", (long long)(int64_t)bits); break;
	case QD_TYPE_F32: put(m, "%g", (double)f32_of(bits)); break;
	case QD_TYPE_F64: put(m, "%g", f64_of(bits)); break;
	default: put(m, "%llu", (unsigned long long)bits);
	}
}

static void
put_arg(struct message *m, const struct launch_layout *d, uint32_t x)
{
	put(m, "%.40s%s", layout_param_name(d, x), layout_params(d)[x].align ? ".len" : "");
}

/* Appends the expression in .qdk syntax, truncated at the end of the buffer: an expression with
 * shared steps may be very long. */
static void
put_step(struct message *m, const struct launch_layout *d, uint32_t i, bool inner)
{
	const struct layout_step *s = layout_steps(d) + i;
	uint32_t n = layout_operands(s->op);
	const char *text = layout_text(s->op) ? layout_text(s->op) : type_info[s->type].name;
	bool is_call = *text >= 'a' && *text <= 'z', wrap = inner && n == 2 && !is_call;

	if (m->len + 1 >= sizeof m->s || !depth_enter(&m->depth, MAX_GRID_STEPS))
		return;
	if (s->op == LAYOUT_ARG) {
		put_arg(m, d, s->x);
	} else if (!n) {
		put_number(m, (qd_type)s->type, s->bits);
	} else {
		put(m, "%s", wrap ? "(" : "");
		if (n == 1 || is_call)
			put(m, "%s%s", text, is_call ? "(" : "");
		for (uint32_t j = 0; j < n; j++) {
			if (j && is_call)
				put(m, ", ");
			else if (j)
				put(m, " %s ", text);
			put_step(m, d, layout_operand(s, j), !is_call);
		}
		put(m, "%s", wrap || is_call ? ")" : "");
	}
	depth_leave(&m->depth);
}

/* Returns the mask of step i and all steps that it uses. */
static uint64_t
find_parts(const struct launch_layout *d, uint32_t i)
{
	const struct layout_step *steps = layout_steps(d);
	uint64_t parts = UINT64_C(1) << i;

	for (uint32_t k = i + 1; k-- > 0;) {
		for (uint32_t j = 0; parts >> k & 1 && j < layout_operands(steps[k].op); j++)
			parts |= UINT64_C(1) << layout_operand(&steps[k], j);
	}
	return parts;
}

/* Returns the first operation that wrapped and that the count depends on. */
static uint32_t
find_wrapped(const struct launch_layout *d, const uint64_t *v, uint64_t marks)
{
	const struct layout_step *steps = layout_steps(d);
	uint32_t at = d->n_steps - 1u, next = at;

	do {
		const struct layout_step *s = &steps[at = next];
		uint64_t in[3] = { 0 };
		uint32_t marked = 0;
		for (uint32_t j = 0; j < layout_operands(s->op); j++) {
			in[j] = v[layout_operand(s, j)];
			marked |= (uint32_t)(marks >> layout_operand(s, j) & 1) << j;
		}
		marked &= marked ? layout_depends(s, in, marked) : 0;
		for (uint32_t j = 3; j-- > 0;)
			if (marked >> j & 1)
				next = layout_operand(s, j);
	} while (next != at);
	return at;
}

qd_status
layout_wrapped(const struct launch_layout *d, const uint64_t *args, struct qd_error *err)
{
	const struct layout_step *steps = layout_steps(d), *s;
	uint64_t v[MAX_GRID_STEPS], marks = layout_values(d, args, v), parts;
	uint32_t at = find_wrapped(d, v, marks);
	struct message count = { .len = 0 }, part = { .len = 0 }, values = { .len = 0 };
	bool whole = at == d->n_steps - 1u;
	char text[sizeof err->text];

	s = &steps[at];
	put_step(&part, d, at, false);
	put_step(&count, d, d->n_steps - 1u, false);
	parts = find_parts(d, at);
	for (uint32_t i = 0; i < d->n_steps; i++) {
		if (!(parts >> i & 1) || steps[i].op != LAYOUT_ARG)
			continue;
		put(&values, values.len ? ", " : " where ");
		put_arg(&values, d, steps[i].x);
		put(&values, " = ");
		put_number(&values, (qd_type)steps[i].type, v[i]);
	}
	snprintf(text, sizeof text,
		 "kernel '%.100s': the grid loop's count wraps%s%.96s: %s%s%s%s%s does not fit %s%s; "
		 "nothing was launched; pass values that fit, or guard it with select(c, x, y), of "
		 "which only the selected side is checked",
		 layout_name(d), s->x ? " at " : "", s->x ? (const char *)d + s->x : "",
		 whole ? "" : "in ", whole ? "" : count.s, whole ? "" : ", ",
		 s->op == LAYOUT_WRAPPED ? "the constant expression that wraps to " : "", part.s,
		 type_info[s->type].name, values.s);
	return qd_fail_text(err, QD_E_LIMIT,
			    s->op == LAYOUT_WRAPPED ? 0 : (uint32_t)(s->bits >> 32),
			    s->op == LAYOUT_WRAPPED ? 0 : (uint32_t)s->bits, text, strlen(text));
}
