/* Lines, blocks and edges of the control-flow graph. */
#include "flow.h"

#include "effect.h"
#include "table.h"

enum { MAX_WORDS = 1 << 30 };

/* Successors of an instruction: the next one, its target, both, or neither. */
struct ways {
	bool next, target, indirect;
};

static struct ways
ways_of(const struct gcn_line *l)
{
	struct gcn_props p;

	if (l->flags & LINE_UNKNOWN)
		return (struct ways){ 0 };
	p = gcn_props_of(l->insn.row);
	switch (p.class) {
	case CL_END: return (struct ways){ 0 };
	case CL_BRANCH:
		return (struct ways){ .next = p.flags & (E(COND) | E(LINK)),
				      .target = !(p.flags & E(INDIRECT)),
				      .indirect = p.flags & E(INDIRECT) };
	default: return (struct ways){ .next = true };
	}
}

uint32_t
gcn_flow_line_at(const struct cfg *f, uint64_t offset)
{
	size_t lo = 0, hi = f->n_line;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (f->line[mid].offset == offset)
			return (uint32_t)mid;
		if (f->line[mid].offset < offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return GCN_NOWHERE;
}

static uint64_t
end_of(const struct gcn_line *l)
{
	return l->offset + 4u * (uint64_t)l->n_words;
}

/* Sets the target of a branch, a byte offset. */
static void
lead_to(struct cfg *f, struct gcn_line *l, uint64_t to)
{
	l->target = gcn_flow_line_at(f, to);
	if (l->target != GCN_NOWHERE)
		f->line[l->target].flags |= LINE_LEADER | LINE_TARGET;
	else
		l->flags |= to < end_of(&f->line[f->n_line - 1]) ? LINE_MIDDLE : LINE_OUTSIDE;
}

static void
find_target(struct cfg *f, struct gcn_line *l)
{
	/* The offset is signed, has 16 bits and counts words after the instruction. A
	 * negative result wraps to a value outside the code. */
	lead_to(f, l, end_of(l) + (uint64_t)(int64_t)(int16_t)l->insn.field[GCN_F_SIMM] * 4);
}

/* -- Jumps over any distance ------------------------------------------------------- */

/* Returns the line before i that is no wait, or GCN_NOWHERE. */
static uint32_t
before_waits(const struct cfg *f, uint32_t i)
{
	while (i-- > 0) {
		const struct gcn_line *l = &f->line[i];
		if (l->flags & LINE_UNKNOWN)
			return GCN_NOWHERE;
		if (gcn_props_of(l->insn.row).class != CL_WAIT)
			return i;
	}
	return GCN_NOWHERE;
}

/* Returns true if line i is dst = dst op constant in either width of the name. */
static bool
is_sum(const struct cfg *f, uint32_t i, enum gcn_row_id row, enum gcn_row_id row12, uint32_t dst)
{
	const struct gcn_insn *in;

	if (i == GCN_NOWHERE)
		return false;
	in = &f->line[i].insn;
	return (in->row == row || in->row == row12) && in->field[GCN_F_SDST] == dst && in->field[GCN_F_SSRC0] == dst;
}

/* Finds the target of an s_setpc that ends a sequence of gcn_jump. Returns its s_getpc, or
 * GCN_NOWHERE. */
static uint32_t
find_jump(const struct cfg *f, uint32_t setpc, uint64_t *to)
{
	enum { MINUS_ONE = 193, ZERO = 128 };
	uint32_t pair = f->line[setpc].insn.field[GCN_F_SSRC0], high, low, at;
	const struct gcn_insn *add, *carry;

	if (f->line[setpc].insn.row != gcn_row_of(f->target, GCN_OP_s_setpc_b64))
		return GCN_NOWHERE;
	high = before_waits(f, setpc);
	if (!is_sum(f, high, GCN_s_addc_u32, GCN_s_add_co_ci_u32, pair + 1))
		return GCN_NOWHERE;
	low = before_waits(f, high);
	if (!is_sum(f, low, GCN_s_add_u32, GCN_s_add_co_u32, pair))
		return GCN_NOWHERE;
	add = &f->line[low].insn, carry = &f->line[high].insn;
	at = before_waits(f, low);
	if (is_sum(f, at, GCN_s_sext_i32_i16, GCN_s_sext_i32_i16, pair + 1))
		at = before_waits(f, at);
	if (at == GCN_NOWHERE || f->line[at].insn.row != gcn_row_of(f->target, GCN_OP_s_getpc_b64) ||
	    f->line[at].insn.field[GCN_F_SDST] != pair || add->field[GCN_F_SSRC1] != GCN_LITERAL ||
	    (carry->field[GCN_F_SSRC1] != ZERO && carry->field[GCN_F_SSRC1] != MINUS_ONE))
		return GCN_NOWHERE;
	*to = end_of(&f->line[at]) + add->field[GCN_F_LIT] -
	      (carry->field[GCN_F_SSRC1] == MINUS_ONE ? UINT64_C(1) << 32 : 0);
	return at;
}

/* Returns true if a branch leads into the sequence after its first instruction. */
static bool
is_entered(const struct cfg *f, uint32_t first, uint32_t last)
{
	for (uint32_t i = first + 1; i <= last; i++)
		if (f->line[i].flags & (LINE_TARGET | LINE_ENTRY))
			return true;
	return false;
}

/* Resolves the jumps of gcn_jump. A sequence that a branch enters in the middle stays an indirect
 * branch; its target was a target already, so a second pass suffices. */
static void
find_jumps(struct cfg *f)
{
	for (uint32_t pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < f->n_line; i++) {
			struct gcn_line *l = &f->line[i];
			uint64_t to = 0;
			bool was = l->target != GCN_NOWHERE;
			if (!(l->flags & LINE_INDIRECT) && !(pass && was))
				continue;
			if (!ways_of(l).indirect)
				continue;
			uint32_t first = find_jump(f, i, &to);
			if (first == GCN_NOWHERE)
				continue;
			l->flags = (uint8_t)(l->flags & ~(LINE_INDIRECT | LINE_MIDDLE | LINE_OUTSIDE));
			l->target = GCN_NOWHERE;
			if (is_entered(f, first, i))
				l->flags |= LINE_INDIRECT;
			else
				lead_to(f, l, to);
		}
}

static qd_status
read_lines(struct cfg *f, const uint32_t *words, size_t n_words, struct qd_error *err)
{
	f->n_line = 0;
	for (size_t at = 0; at < n_words;) {
		struct gcn_line *l;
		int n;
		if (f->n_line == f->line_cap)
			return qd_fail(err, QD_E_LIMIT, "gcn_flow_read: room for %zu lines only",
				       f->line_cap);
		l = &f->line[f->n_line++];
		n = gcn_decode(f->target, words + at, n_words - at, &l->insn);
		l->offset = (uint32_t)(at * 4);
		l->target = GCN_NOWHERE;
		l->block = 0;
		l->flags = 0;
		if (!n) {
			l->insn.row = GCN_N_ROW;
			l->flags = LINE_UNKNOWN;
			n = 1;
		}
		l->n_words = (uint8_t)n;
		at += (size_t)n;
	}
	return QD_OK;
}

static size_t
count_ways(const struct cfg *f, const struct gcn_line *l)
{
	struct ways w = ways_of(l);
	bool next = w.next && l + 1 < f->line + f->n_line;

	return (size_t)(l->target != GCN_NOWHERE) +
	       (size_t)(next && l->target != (uint32_t)(l + 1 - f->line));
}

qd_status
gcn_flow_read(struct cfg *f, const struct gcn_target *t, const uint32_t *words, size_t n_words,
	      const uint32_t *entry, size_t n_entry, struct qd_error *err)
{
	uint32_t block = 0;

	f->target = t;
	f->n_line = f->n_block = f->n_edge = 0;
	if (n_words > MAX_WORDS)
		return qd_fail(err, QD_E_LIMIT, "gcn_flow_read: %zu words are too many", n_words);
	QD_TRY(read_lines(f, words, n_words, err));
	if (!f->n_line)
		return QD_OK;
	f->line[0].flags |= LINE_ENTRY | LINE_LEADER;
	for (size_t i = 0; i < n_entry; i++) {
		uint32_t at = gcn_flow_line_at(f, entry[i]);
		if (at == GCN_NOWHERE)
			return qd_fail(err, QD_E_INVALID,
				       "gcn_flow_read: no instruction begins at 0x%x", entry[i]);
		f->line[at].flags |= LINE_ENTRY | LINE_LEADER;
	}
	for (size_t i = 0; i < f->n_line; i++) {
		struct gcn_line *l = &f->line[i];
		struct ways w = ways_of(l);
		if (w.indirect)
			l->flags |= LINE_INDIRECT;
		if (w.target)
			find_target(f, l);
		if (w.next && i + 1 == f->n_line)
			l->flags |= LINE_OFF_END;
		if ((w.target || w.indirect || !w.next) && i + 1 < f->n_line)
			f->line[i + 1].flags |= LINE_LEADER;
	}
	find_jumps(f);
	for (size_t i = 0; i < f->n_line; i++) {
		if (f->line[i].flags & LINE_LEADER)
			f->n_block++;
		f->line[i].block = (uint32_t)f->n_block - 1;
	}
	for (size_t i = 0; i < f->n_line; i++) {
		block = f->line[i].block;
		if (i + 1 == f->n_line || f->line[i + 1].block != block)
			f->n_edge += 2 * count_ways(f, &f->line[i]);
	}
	return QD_OK;
}

static void
reach(struct cfg *f)
{
	uint32_t queue = GCN_NOWHERE;

	for (size_t i = 0; i < f->n_block; i++) {
		struct gcn_block *b = &f->block[i];
		if (!(f->line[b->first].flags & LINE_ENTRY))
			continue;
		b->reached = true;
		b->next = queue;
		queue = (uint32_t)i;
	}
	while (queue != GCN_NOWHERE) {
		struct gcn_block *b = &f->block[queue];
		queue = b->next;
		for (uint32_t k = 0; k < b->n_succ; k++) {
			struct gcn_block *s = &f->block[f->edge[b->succ + k]];
			if (s->reached)
				continue;
			s->reached = true;
			s->next = queue;
			queue = f->edge[b->succ + k];
		}
	}
}

void
gcn_flow_link(struct cfg *f)
{
	uint32_t at = 0;

	for (size_t i = f->n_line; i-- > 0;) {
		struct gcn_block *b = &f->block[f->line[i].block];
		*b = (struct gcn_block){ .first = (uint32_t)i, .next = GCN_NOWHERE, .order = GCN_NOWHERE,
					 .loop = GCN_NOWHERE };
	}
	for (size_t i = 0; i < f->n_line; i++)
		f->block[f->line[i].block].n_line++;
	for (size_t i = 0; i < f->n_block; i++) {
		struct gcn_block *b = &f->block[i];
		const struct gcn_line *l = &f->line[b->first + b->n_line - 1];
		struct ways w = ways_of(l);
		b->succ = at;
		if (w.next && i + 1 < f->n_block && l->target != b->first + b->n_line)
			f->edge[at++] = (uint32_t)i + 1;
		if (l->target != GCN_NOWHERE)
			f->edge[at++] = f->line[l->target].block;
		b->n_succ = at - b->succ;
		for (uint32_t k = b->succ; k < at; k++)
			f->block[f->edge[k]].n_pred++;
	}
	for (size_t i = 0; i < f->n_block; i++) {
		f->block[i].pred = at;
		at += f->block[i].n_pred;
		f->block[i].n_pred = 0;
	}
	for (size_t i = 0; i < f->n_block; i++) {
		const struct gcn_block *b = &f->block[i];
		for (uint32_t k = 0; k < b->n_succ; k++) {
			struct gcn_block *s = &f->block[f->edge[b->succ + k]];
			f->edge[s->pred + s->n_pred++] = (uint32_t)i;
		}
	}
	reach(f);
}

/* -- Loops ------------------------------------------------------------------------ */

/* Makes the block the next one in depth-first order. */
static void
enter(struct cfg *f, uint32_t i, uint32_t parent, uint32_t *last)
{
	struct gcn_block *b = &f->block[i];

	b->order = 0;
	b->link = parent;
	b->search.number = *last == GCN_NOWHERE ? 1 : f->block[*last].search.number + 1;
	b->search.earlier = *last;
	b->search.semi = b->search.label = i;
	b->search.ancestor = b->search.bucket = GCN_NOWHERE;
	*last = i;
}

/* Visits the blocks that root reaches, depth first, and prepends each to the list when it
 * is done. `mark` is the next edge to follow. */
static uint32_t
add_order(struct cfg *f, uint32_t root, uint32_t list, uint32_t *last)
{
	uint32_t stack = root;

	enter(f, root, GCN_NOWHERE, last);
	while (stack != GCN_NOWHERE) {
		struct gcn_block *b = &f->block[stack];
		if (b->mark < b->n_succ) {
			uint32_t to = f->edge[b->succ + b->mark++];
			if (f->block[to].order != GCN_NOWHERE)
				continue;
			enter(f, to, stack, last);
			stack = to;
		} else {
			uint32_t done = stack;
			stack = b->link;
			b->next = list;
			list = done;
		}
	}
	return list;
}

/* Chains the reached blocks by `next` in reverse postorder and returns the first. *last
 * is the last block in depth-first order. */
static uint32_t
put_in_order(struct cfg *f, uint32_t *last)
{
	uint32_t list = GCN_NOWHERE, n = 0;

	for (size_t i = 0; i < f->n_block; i++) {
		struct gcn_block *b = &f->block[i];
		b->order = b->dominator = b->loop = b->outer = GCN_NOWHERE;
		b->depth = b->mark = 0;
	}
	for (size_t i = f->n_block; i-- > 0;) {
		if ((f->line[f->block[i].first].flags & LINE_ENTRY) &&
		    f->block[i].order == GCN_NOWHERE)
			list = add_order(f, (uint32_t)i, list, last);
	}
	for (uint32_t i = list; i != GCN_NOWHERE; i = f->block[i].next)
		f->block[i].order = n++;
	return list;
}

/* -- Dominators: Lengauer and Tarjan, 1979, with path compression only: O(n log n) ------------ */

/* Virtual root with an edge to each entry. */
#define ABOVE (GCN_NOWHERE - 1)

static uint32_t
number_of(const struct cfg *f, uint32_t i)
{
	return i == ABOVE ? 0 : f->block[i].search.number;
}

/* Returns the block with the least semidominator on the path from i to the root of its
 * tree. */
static uint32_t
evaluate(struct cfg *f, uint32_t i)
{
	uint32_t path = GCN_NOWHERE;

	if (f->block[i].search.ancestor == GCN_NOWHERE)
		return i;
	for (uint32_t at = i;;) {
		uint32_t up = f->block[at].search.ancestor;
		if (up == ABOVE || f->block[up].search.ancestor == GCN_NOWHERE)
			break;
		f->block[at].search.path = path;
		path = at;
		at = up;
	}
	while (path != GCN_NOWHERE) {
		struct gcn_block *b = &f->block[path];
		const struct gcn_block *up = &f->block[b->search.ancestor];
		if (number_of(f, f->block[up->search.label].search.semi) < number_of(f, f->block[b->search.label].search.semi))
			b->search.label = up->search.label;
		b->search.ancestor = up->search.ancestor;
		path = b->search.path;
	}
	return f->block[i].search.label;
}

static void
find_semidominator(struct cfg *f, uint32_t i)
{
	struct gcn_block *b = &f->block[i];

	if (f->line[b->first].flags & LINE_ENTRY)
		b->search.semi = ABOVE;
	for (uint32_t k = 0; k < b->n_pred && b->search.semi != ABOVE; k++) {
		uint32_t from = f->edge[b->pred + k];
		if (f->block[from].order == GCN_NOWHERE)
			continue;
		uint32_t semi = f->block[evaluate(f, from)].search.semi;
		if (number_of(f, semi) < number_of(f, b->search.semi))
			b->search.semi = semi;
	}
}

static void
find_dominators(struct cfg *f, uint32_t last)
{
	uint32_t first = GCN_NOWHERE;

	for (uint32_t i = last; i != GCN_NOWHERE; i = f->block[i].search.earlier) {
		struct gcn_block *b = &f->block[i];
		uint32_t parent = b->link;
		find_semidominator(f, i);
		b->search.ancestor = parent == GCN_NOWHERE ? ABOVE : parent;
		if (b->search.semi != ABOVE) {
			struct gcn_block *semi = &f->block[b->search.semi];
			b->search.waits = semi->search.bucket;
			semi->search.bucket = i;
		}
		for (uint32_t w = parent == GCN_NOWHERE ? GCN_NOWHERE : f->block[parent].search.bucket; w != GCN_NOWHERE;
		     w = f->block[w].search.waits) {
			uint32_t least = evaluate(f, w);
			f->block[w].dominator =
				number_of(f, f->block[least].search.semi) < number_of(f, f->block[w].search.semi) ? least : parent;
		}
		if (parent != GCN_NOWHERE)
			f->block[parent].search.bucket = GCN_NOWHERE;
		b->mark = first;
		first = i;
	}
	for (uint32_t i = first; i != GCN_NOWHERE; i = f->block[i].mark) {
		struct gcn_block *b = &f->block[i];
		if (b->search.semi == ABOVE)
			b->dominator = GCN_NOWHERE;
		else if (b->dominator != b->search.semi)
			b->dominator = f->block[b->dominator].dominator;
	}
}

/* Reverses the list and returns its new head. */
static uint32_t
turn(struct cfg *f, uint32_t list)
{
	uint32_t turned = GCN_NOWHERE;

	while (list != GCN_NOWHERE) {
		uint32_t next = f->block[list].next;
		f->block[list].next = turned;
		turned = list;
		list = next;
	}
	return turned;
}

/* Numbers each block before the blocks that it dominates, so that these are contiguous.
 * Sizes are computed first, from the end of the list. */
static uint32_t
number_tree(struct cfg *f, uint32_t list)
{
	uint32_t preorder = 0;

	for (uint32_t i = list; i != GCN_NOWHERE; i = f->block[i].next)
		f->block[i].size = 1;
	list = turn(f, list);
	for (uint32_t i = list; i != GCN_NOWHERE; i = f->block[i].next) {
		if (f->block[i].dominator != GCN_NOWHERE)
			f->block[f->block[i].dominator].size += f->block[i].size;
	}
	list = turn(f, list);
	for (uint32_t i = list; i != GCN_NOWHERE; i = f->block[i].next) {
		struct gcn_block *b = &f->block[i];
		uint32_t *next = b->dominator == GCN_NOWHERE ? &preorder : &f->block[b->dominator].mark;
		b->preorder = *next;
		*next += b->size;
		b->mark = b->preorder + 1;
	}
	return list;
}

enum gcn_way
gcn_flow_way(const struct cfg *f, uint32_t from, uint32_t to)
{
	const struct gcn_block *a = &f->block[from], *b = &f->block[to];

	if (a->order == GCN_NOWHERE || a->order < b->order)
		return WAY_ON;
	return a->preorder >= b->preorder && a->preorder - b->preorder < b->size ? WAY_BACK : WAY_ASIDE;
}

/* Returns the head of the outermost known loop that encloses a loop. `mark` leads to it. */
static uint32_t
outermost(struct cfg *f, uint32_t head)
{
	while (f->block[head].mark != head) {
		uint32_t up = f->block[head].mark;
		f->block[head].mark = f->block[up].mark;
		head = up;
	}
	return head;
}

/* Adds a block, or the outermost loop that contains it, to the loop of `head`. Returns
 * the queue. */
static uint32_t
take(struct cfg *f, uint32_t head, uint32_t i, uint32_t queue)
{
	struct gcn_block *b = &f->block[i];

	if (b->order == GCN_NOWHERE)
		return queue;
	if (b->loop == GCN_NOWHERE) {
		b->loop = head;
	} else {
		i = outermost(f, b->loop);
		if (i == head)
			return queue;
		b = &f->block[i];
		b->outer = b->mark = head;
	}
	b->link = queue;
	return i;
}

/* Adds the loop of this head if an edge leads back to it. The loops inside are known. */
static void
add_loop(struct cfg *f, uint32_t head)
{
	struct gcn_block *h = &f->block[head];
	uint32_t queue = GCN_NOWHERE;

	for (uint32_t k = 0; k < h->n_pred; k++) {
		uint32_t from = f->edge[h->pred + k];
		if (f->block[from].order == GCN_NOWHERE || gcn_flow_way(f, from, head) != WAY_BACK)
			continue;
		h->loop = h->mark = head;
		queue = take(f, head, from, queue);
	}
	while (queue != GCN_NOWHERE) {
		const struct gcn_block *b = &f->block[queue];
		queue = b->link;
		for (uint32_t k = 0; k < b->n_pred; k++)
			queue = take(f, head, f->edge[b->pred + k], queue);
	}
}

void
gcn_flow_loops(struct cfg *f)
{
	uint32_t last = GCN_NOWHERE, list = put_in_order(f, &last);

	find_dominators(f, last);
	list = turn(f, number_tree(f, list));
	/* Reverse order, so that inner loops come before the loops around them. */
	for (uint32_t i = list; i != GCN_NOWHERE; i = f->block[i].next)
		add_loop(f, i);
	list = turn(f, list);
	for (uint32_t i = list; i != GCN_NOWHERE; i = f->block[i].next) {
		struct gcn_block *b = &f->block[i];
		if (b->loop == i)
			b->depth = b->outer == GCN_NOWHERE ? 1 : f->block[b->outer].depth + 1;
		else if (b->loop != GCN_NOWHERE)
			b->depth = f->block[b->loop].depth;
	}
}
