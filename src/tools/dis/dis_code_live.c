/* Live registers at each instruction of PTX and SPIR-V: backward from each use, one register at a
 * time. In a block that refers to a register, the first reference determines if the register is
 * live before it. Only blocks without a reference propagate liveness. The work is the sum of the
 * live ranges, in blocks, and is limited. */
#include "dis_code.h"

/* Limit of steps per instruction and per reference to a register. In compilers' output a range
 * spans fewer than 30 blocks on average. */
enum { MAX_STEPS = 256 };

enum { IS_DEF = 1, IS_USE = 2, IS_PARTIAL = 4, IS_HANDED = 8 };

struct reference {
	uint32_t line;
	uint32_t is;
};

struct walk {
	const struct code *c;
	struct code_fn *fn;
	const struct code_reg *regs;
	struct reference *ref; /* grouped by register */
	uint32_t *first;       /* first reference of each register, and the end */
	uint32_t *refers, *out, *stack; /* by block: last register referred to, last one live at its
					 * end; stack */
	int32_t *change;       /* of the number of live registers, by line and kind */
	uint64_t steps, most;
};

/* -- References by register ------------------------------------------------------------------- */

static void
for_each_reference(struct walk *l, void (*take)(struct walk *l, uint32_t reg, uint32_t line, uint32_t is))
{
	const struct code_insn *in = CODE_ROWS(&l->c->insns, code_insn) + l->fn->first;
	const uint32_t *refs = (const uint32_t *)(const void *)buf_data(&l->c->refs);
	const struct code_handed *h = CODE_ROWS(&l->c->handed, code_handed);

	for (uint32_t i = 0; i < l->fn->n; i++) {
		const uint32_t *ref = refs + in[i].ref;
		for (uint32_t k = 0; k < in[i].n_def + in[i].n_use; k++)
			take(l, ref[k] - l->fn->reg, i, k >= in[i].n_def ? IS_USE : in[i].keeps ? IS_DEF | IS_PARTIAL : IS_DEF);
	}
	for (uint32_t i = l->fn->handed; i < l->fn->handed + l->fn->n_handed; i++)
		take(l, h[i].reg - l->fn->reg, h[i].insn - l->fn->first, IS_HANDED);
}

static void
count_reference(struct walk *l, uint32_t reg, uint32_t line, uint32_t is)
{
	(void)line, (void)is;
	l->first[reg + 1]++;
}

static void
add_reference(struct walk *l, uint32_t reg, uint32_t line, uint32_t is)
{
	l->ref[l->first[reg]++] = (struct reference){ line, is };
}

static void
sort_references(struct walk *l)
{
	uint32_t n_reg = l->fn->n_reg;

	l->first = code_alloc(l->c->mem, (n_reg + 1) * sizeof *l->first);
	for_each_reference(l, count_reference);
	for (uint32_t r = 0; r < n_reg; r++)
		l->first[r + 1] += l->first[r];
	l->ref = code_alloc(l->c->mem, l->first[n_reg] * sizeof *l->ref);
	l->most = MAX_STEPS * ((uint64_t)l->fn->n + l->first[n_reg]);
	for_each_reference(l, add_reference);
	memmove(l->first + 1, l->first, n_reg * sizeof *l->first);
	l->first[0] = 0;
}

/* -- One register ------------------------------------------------------------------------------ */

static void
add_range(struct walk *l, uint32_t reg, uint32_t from, uint32_t to)
{
	uint32_t kind = l->regs[reg].kind, n = CODE_KINDS;

	l->change[from * n + kind]++;
	l->change[(to + 1) * n + kind]--;
}

/* Marks the register as live at the end of the block. */
static uint32_t
reach(struct walk *l, uint32_t reg, uint32_t block, uint32_t n_stack)
{
	const struct gcn_block *b = &l->fn->flow.block[block];

	l->steps++;
	if (l->out[block] == reg)
		return n_stack;
	l->out[block] = reg;
	if (l->refers[block] == reg)
		return n_stack;
	if (b->reached)
		add_range(l, reg, b->first, b->first + b->n_line - 1);
	l->stack[n_stack] = block;
	return n_stack + 1;
}

/* Adds the live ranges within one block. Returns the position of the next block's references. */
static uint32_t
ranges_of_block(struct walk *l, uint32_t reg, uint32_t at, uint32_t end)
{
	const struct cfg *f = &l->fn->flow;
	uint32_t block = f->line[l->ref[at].line].block, stop = at;
	const struct gcn_block *b = &f->block[block];
	bool live = l->out[block] == reg;
	uint32_t to = b->first + b->n_line - 1;

	while (stop < end && f->line[l->ref[stop].line].block == block)
		stop++;
	for (uint32_t i = stop; b->reached && i > at;) {
		uint32_t line = l->ref[i - 1].line, is = 0;
		for (; i > at && l->ref[i - 1].line == line; i--)
			is |= l->ref[i - 1].is;
		if (!live)
			to = line;
		live = is & (IS_USE | IS_PARTIAL);
		if (!live)
			add_range(l, reg, line, to);
	}
	if (b->reached && live)
		add_range(l, reg, b->first, to);
	return stop;
}

static bool
walk_register(struct walk *l, uint32_t reg)
{
	const struct cfg *f = &l->fn->flow;
	uint32_t begin = l->first[reg], end = l->first[reg + 1], n_stack = 0, last = end;

	while (last > begin && l->ref[last - 1].is == IS_HANDED)
		last--;
	for (uint32_t i = begin; i < last; i++)
		l->refers[f->line[l->ref[i].line].block] = reg;
	for (uint32_t i = last; i < end; i++)
		n_stack = reach(l, reg, f->line[l->ref[i].line].block, n_stack);
	for (uint32_t i = begin; i < last || n_stack;) {
		uint32_t block;
		if (n_stack) {
			block = l->stack[--n_stack];
		} else {
			uint32_t line = l->ref[i].line, is = 0;
			bool leads = i == begin || f->line[l->ref[i - 1].line].block != f->line[line].block;
			for (; i < last && l->ref[i].line == line; i++)
				is |= l->ref[i].is;
			if (!leads || !(is & (IS_USE | IS_PARTIAL)))
				continue;
			block = f->line[line].block;
		}
		const struct gcn_block *b = &f->block[block];
		for (uint32_t k = 0; k < b->n_pred; k++)
			n_stack = reach(l, reg, f->edge[b->pred + k], n_stack);
		if (l->steps > l->most)
			return false;
	}
	for (uint32_t i = begin; i < last;)
		i = ranges_of_block(l, reg, i, last);
	return true;
}

/* -- Counts ----------------------------------------------------------------------------------- */

static void
count(struct walk *l, uint32_t line, const int32_t *now)
{
	struct code_insn *in = CODE_ROWS(&l->c->insns, code_insn) + l->fn->first + line;
	const struct code_form *form = l->c->form;
	struct code_fn *fn = l->fn;
	uint32_t words = 0;

	for (uint32_t k = 0; k < form->n_kinds; k++) {
		in->live[k] = (uint32_t)now[k];
		words += form->kind_words ? form->kind_words[k] * in->live[k] : 0;
		if (in->live[k] > fn->peak[k]) {
			fn->peak[k] = in->live[k];
			fn->peak_at[k] = line;
		}
	}
	fn->peak_words = words > fn->peak_words ? words : fn->peak_words;
}

void
code_find_live(struct code *c, struct code_fn *fn)
{
	struct walk l = { .c = c, .fn = fn, .regs = CODE_ROWS(&c->regs, code_reg) + fn->reg };
	int32_t now[CODE_KINDS] = { 0 };
	size_t n_block = fn->flow.n_block;
	uint32_t *blocks = code_alloc(c->mem, 3 * n_block * sizeof *blocks);

	l.refers = blocks, l.out = blocks + n_block, l.stack = blocks + 2 * n_block;
	memset(blocks, 0xff, 2 * n_block * sizeof *blocks);
	l.change = code_alloc(c->mem, ((size_t)fn->n + 1) * CODE_KINDS * sizeof *l.change);
	sort_references(&l);
	for (uint32_t r = 0; r < fn->n_reg; r++) {
		if (walk_register(&l, r))
			continue;
		tool_message("warning",
			     "'%s': function '%s' has %u registers that are live in more than %llu "
			     "basic blocks in total; "
			     "live registers are not counted",
			     c->label, fn->name, fn->n_reg, (unsigned long long)l.most);
		return;
	}
	fn->has_live = true;
	for (uint32_t i = 0; i < fn->n; i++) {
		for (uint32_t k = 0; k < CODE_KINDS; k++)
			now[k] += l.change[i * CODE_KINDS + k];
		if (fn->flow.block[fn->flow.line[i].block].reached)
			count(&l, i, now);
	}
}
