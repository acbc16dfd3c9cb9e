/* Warns about shared slots that padding threads would have filled.
 *
 * In a grid loop, each thread fills its slot of a shared array, and after a barrier it reads another
 * one. If the count is no multiple of the block, no thread has written the slots of padding threads in
 * the last block. Padding threads follow the others, so lower slots are written. */
#include "lower.h"

enum { DEPTH = 6 }; /* operations that are followed from an index or a condition */

/* An array that the grid loop's body fills. */
struct fill {
	uint32_t index; /* the value by which it is filled; 0: not filled */
	bool synced;	/* a barrier follows */
	bool is_safe;	/* something else fills it, or it has a warning */
};

struct stale {
	const struct ir *ir;
	uint32_t grid, count; /* values: the loop's index and its count */
	struct fill *fills;   /* by memory */
	uint32_t depth, n_guards;      /* open constructs; those whose condition depends on the count */
	bool is_guard[MAX_NEST + 1]; /* by depth */
};

static bool
same_value(const struct ir *ir, uint32_t a, uint32_t b)
{
	const struct ins *x = &ir->ins[a], *y = &ir->ins[b];

	return a == b || (x->op == y->op && (x->op == OP_LEN || x->op == OP_CONST || x->op == OP_THREAD_IDX) &&
			  x->x == y->x && x->a == y->a && x->b == y->b);
}

/* Returns whether v is computed from the value `from`, or for 0 from the index of a thread. */
static bool
depends(const struct stale *s, uint32_t v, uint32_t from, uint32_t depth)
{
	const struct ins *i = &s->ir->ins[v];

	if (from ? same_value(s->ir, v, from) : i->op == OP_THREAD_IDX || i->op == OP_LANE || v == s->grid)
		return true;
	if (!depth || !v || (!op_info[i->op].is_alu && i->op != OP_CVT))
		return false;
	for (uint32_t j = 0; j < 3; j++)
		if ((op_values[i->op] >> j & 1) && i->arg[j] && depends(s, i->arg[j], from, depth - 1))
			return true;
	return false;
}

/* Returns whether the index is at most the one by which the array is filled, in each thread, or
 * depends on the count. */
static bool
is_written(const struct stale *s, uint32_t index, uint32_t fill)
{
	const struct ins *i = &s->ir->ins[index];

	if (same_value(s->ir, index, fill) || (i->op == OP_CONST && !i->a && !i->b))
		return true;
	switch ((enum op)i->op) {
	case OP_SUB:
	case OP_SHR:
	case OP_DIV:
	case OP_REM:
		if (same_value(s->ir, i->a, fill))
			return true;
		break;
	case OP_MIN:
	case OP_AND:
		if (same_value(s->ir, i->a, fill) || same_value(s->ir, i->b, fill))
			return true;
		break;
	default: break;
	}
	return depends(s, index, s->count, DEPTH);
}

/* Returns whether the count is a constant multiple of the block. */
static bool
is_full(const struct lower *l, const struct stale *s)
{
	const struct ins *n = &s->ir->ins[s->count];
	const uint32_t *block = l->b->k->block;
	uint64_t threads = (uint64_t)block[0] * block[1] * block[2];

	return n->op == OP_CONST && threads && const_bits(n) % threads == 0;
}

static void
warn(struct lower *l, uint32_t at, uint32_t memory)
{
	const uint32_t pos = l->b->k->ir.pos[at], line = POS_LINE(pos), col = POS_COL(pos);
	const char *full = l->b->k->mems[memory].name;
	struct node n = { .kind = N_NAME, .len = 1 };
	char name[MAX_NAME + 1];

	snprintf(name, sizeof name, "%.*s", (int)strcspn(full, "."), full); /* shared_name adds a number */
	if (!line || line > l->m->n_lines || !col)
		return;
	n.at = l->m->lines[line - 1] + col - 1;
	lower_warn(l, &n, DIAG_W0308, name, name);
}

/* Follows one access of a shared array, of instruction i in the loop's body. */
static void
follow(struct lower *l, const struct stale *s, uint32_t i)
{
	const struct ins *n = &s->ir->ins[i];
	struct fill *f = &s->fills[n->x];

	if (n->op == OP_STORE && !f->index && !s->n_guards && depends(s, n->a, 0, DEPTH)) {
		f->index = n->a;
	} else if (n->op == OP_LOAD && f->synced && !f->is_safe && !is_written(s, n->a, f->index) && !s->n_guards) {
		f->is_safe = true;
		warn(l, i, n->x);
	}
}

/* Enters or leaves a construct. Returns false at the end of the grid loop. */
static bool
nest(struct stale *s, const struct ins *n)
{
	if (op_flow[n->op] == FLOW_OPEN && s->depth < MAX_NEST) {
		s->is_guard[++s->depth] = n->op == OP_IF && depends(s, n->a, s->count, DEPTH);
		s->n_guards += s->is_guard[s->depth];
	} else if (op_flow[n->op] == FLOW_CLOSE && s->depth) {
		s->n_guards -= s->is_guard[s->depth--];
		return s->depth != 0;
	}
	return true;
}

void
stale_check(struct lower *l)
{
	const struct qd_kernel *k = l->b->k;
	struct stale s = { .ir = &k->ir, .fills = lower_alloc(l, &l->mem, (k->n_mems + 1) * sizeof(struct fill)) };

	for (uint32_t i = 1; i < k->ir.n && s.fills; i++) {
		const struct ins *n = &k->ir.ins[i];
		bool is_shared = op_sig((enum op)n->op)->x == X_MEMORY && k->mems[n->x].space == SPACE_SHARED;

		if (n->op == OP_GRID) {
			s.grid = i;
			s.count = n->a;
			if (is_full(l, &s))
				return;
		}
		if (s.grid && !nest(&s, n))
			return;
		if (is_shared && s.grid)
			follow(l, &s, i);
		else if (is_shared)
			s.fills[n->x].is_safe |= n->op != OP_LOAD;
		for (uint32_t j = 0; op_info[n->op].effect == EFFECT_SYNC && j < k->n_mems; j++)
			s.fills[j].synced = s.fills[j].index != 0;
	}
}
