/* What is dead goes: a value that nothing uses, loads and cross-lane results
 * included, a variable that nothing reads, an `if` around nothing, a block that
 * nothing leaves; loops stay.  One walk back that marks what lives, one forward that
 * moves it together. */
#include "rewrite.h"

enum { LIVE = 1, READ = 2, LEFT = 4 };

static bool
is_jump(const struct ins *s)
{
	return s->op == OP_BREAK && !s->a;
}

/* Marks what has an effect, or a use that has one; returns how many.  `kept` holds,
 * for each open `if` and block, the count at its end: one whose count has not grown
 * holds nothing. */
static uint32_t
mark_live(const struct ir *ir, uint8_t *live, uint32_t *kept)
{
	uint32_t n_open = 0, n = 0;
	bool region = false;

	for (uint32_t i = ir->n; --i > 0;) {
		const struct ins *s = &ir->ins[i];
		bool keep = live[i] & LIVE;
		uint8_t opener;

		switch ((enum effect)op_info[s->op].effect) {
		case EFFECT_NONE:
		case EFFECT_READ: break;
		case EFFECT_LOCAL: keep = keep || (s->op == OP_SET && (live[s->a] & READ)); break;
		case EFFECT_WRITE:
		case EFFECT_SYNC:
		case EFFECT_CHECK: keep = true; break;
		case EFFECT_FLOW:
			switch (s->op) {
			case OP_BREAK:
				live[s->x] |= LEFT;
				keep = true;
				break;
			case OP_YIELD: keep = region; break;
			case OP_END:
				opener = ir->ins[s->x].op;
				if (opener == OP_IF || opener == OP_BLOCK) {
					kept[n_open++] = n;
					continue;
				}
				keep = opener != OP_REGION || (live[s->x] & LIVE);
				region = opener == OP_REGION && keep;
				break;
			case OP_ELSE: live[i] = n != kept[n_open - 1]; continue;
			case OP_IF:
				keep = n != kept[--n_open];
				if (keep) {
					live[ir_end_of(ir, i)] = LIVE;
					n += ir->ins[s->x].op == OP_ELSE && live[s->x] ? 2 : 1;
				}
				break;
			case OP_BLOCK:
				n_open--;
				/* Behind a jump at its end nothing could stand. */
				keep = live[i] & LEFT || is_jump(&ir->ins[s->x - 1]);
				if (keep) {
					live[s->x] = LIVE;
					n++;
				}
				break;
			case OP_REGION: break;
			default: keep = true; /* loop, grid */
			}
			break;
		}
		if (s->op == OP_ARG)
			keep = region;
		if (!keep)
			continue;
		live[i] |= LIVE;
		n++;
		for (uint32_t values = op_values[s->op], j = 0; values; values >>= 1, j++)
			if (values & 1)
				live[s->arg[j]] |= LIVE;
	}
	return n;
}

/* How many constructs a break to `target` leaves. */
static uint32_t
levels(const uint32_t *open, uint32_t n_open, uint32_t target)
{
	uint32_t n = 1;

	while (n_open > 0 && open[n_open - 1] != target) {
		n++;
		n_open--;
	}
	return n;
}

/* Moves what lives together, into the same arrays or others; to: new number of
 * each; open: room for the targets of jumps. */
static void
compact(const struct ir *ir, struct ir *out, const uint8_t *live, uint32_t *to, uint32_t *open)
{
	uint32_t n = 1, n_open = 0;

	to[0] = 0;
	for (uint32_t i = 1; i < ir->n; i++)
		to[i] = live[i] & LIVE ? n++ : 0;
	for (uint32_t i = 1; i < ir->n; i++) {
		if (!(live[i] & LIVE))
			continue;
		struct ins s = ir->ins[i];
		const uint32_t values = op_values[s.op];

		s.a = values & 1 ? to[s.a] : s.a;
		s.b = values & 2 ? to[s.b] : s.b;
		s.c = values & 4 ? to[s.c] : s.c;
		s.d = values & 8 ? to[s.d] : s.d;
		if (QD_UNLIKELY(op_flow[s.op])) {
			if (s.op == OP_BREAK)
				s.b = levels(open, n_open, to[s.x]);
			else if (s.op == OP_LOOP || s.op == OP_BLOCK || s.op == OP_GRID)
				open[n_open++] = to[i];
			else if (s.op == OP_END && n_open && open[n_open - 1] == to[s.x])
				n_open--;
			s.x = to[to[s.x] ? s.x : ir_end_of(ir, i)]; /* a dead else */
		}
		out->ins[to[i]] = s;
		out->pos[to[i]] = ir->pos[i];
	}
	out->n = n;
}

qd_status
pass_sweep(struct pass_ctx *p, const struct ir *in, struct ir *out)
{
	uint8_t *live = arena_zalloc(p->mem, in->n);
	uint32_t n_flow = 1, *kept, *to;

	if (!live)
		goto nomem;
	for (uint32_t i = 1; i < in->n; i++) {
		if (in->ins[i].op == OP_GET)
			live[in->ins[i].a] = READ;
		n_flow += op_flow[in->ins[i].op] == FLOW_OPEN;
	}
	if (!(kept = arena_alloc(p->mem, n_flow * sizeof *kept)))
		goto nomem;
	uint32_t n = mark_live(in, live, kept);
	if (n == in->n - 1) {
		*out = *in;
		return QD_OK;
	}
	to = arena_alloc(p->mem, in->n * sizeof *to);
	if (in != out)
		memset(out, 0, sizeof *out);
	if (!to || (in != out && !ir_reserve(out, p->mem, n + 1)))
		goto nomem;
	if (in != out) {
		out->ins[0] = in->ins[0];
		out->pos[0] = in->pos[0];
	}
	compact(in, out, live, to, kept);
	return QD_OK;
nomem:
	return qd_fail(p->err, QD_E_NOMEM, "kernel '%s': out of memory", p->k->name);
}
