/* Mutants of emitted code with one instruction removed, and proofs by control flow (mutant.h). */
#include "mutant.h"

#include <stdlib.h>

#include "table.h"

#define NOP 0xbf800000u /* s_nop 0, on all targets */

const char *const mutant_proofs[N_MUTANT_PROOF] = {
	[PROOF_NONE] = "survive",
	[PROOF_IDLE] = "nothing is outstanding",
	[PROOF_LATER] = "covered later, in time for all",
	[PROOF_DEAD] = "exec is written again unread",
	[PROOF_LANES] = "lanes whose results are unused",
	[PROOF_LABEL] = "unnecessary after a label",
	[PROOF_MASK] = "unnecessary after a mask",
	[PROOF_NEEDLESS] = "required by no rule",
	[PROOF_ORDER] = "found by the order of memory",
};

/* -- Reading ------------------------------------------------------------------------------- */

static void
note_wait(void *user, const struct gcn_wait_note *n)
{
	struct mutant_code *c = user;

	if (n->kind != WAIT_COVERS)
		return;
	c->cover[n->line].n++;
	c->cover[n->line].cache |= (gcn_props_of(c->f.line[n->other].insn.row).flags & E(CACHE)) != 0;
}

static bool
read_waits(struct mutant_code *c)
{
	struct gcn_wait_state *state = calloc(c->f.n_block + 1, sizeof *state);

	c->cover = calloc(c->f.n_line, sizeof *c->cover);
	if (state && c->cover) {
		gcn_waits(&c->f, state, note_wait, c);
		for (size_t i = 0; i < c->f.n_block; i++)
			c->full |= state[i].full;
	}
	free(state);
	return state && c->cover;
}

bool
mutant_code_read(struct mutant_code *c, const struct gcn_target *t, const void *image, size_t size)
{
	struct qd_error e;

	*c = (struct mutant_code){ .t = t, .image = image, .size = size };
	c->n_words = gcn_image_code_size(image, size) / 4;
	c->words = malloc(size);
	c->f = (struct cfg){ .line = calloc(c->n_words, sizeof *c->f.line),
				  .line_cap = c->n_words };
	if (!c->words || !c->f.line)
		return false;
	memcpy(c->words, c->image + GCN_IMAGE_CODE, 4 * c->n_words);
	if (gcn_flow_read(&c->f, t, c->words, c->n_words, NULL, 0, &e) != QD_OK)
		return false;
	c->f.block = calloc(c->f.n_block, sizeof *c->f.block);
	c->f.edge = calloc(c->f.n_edge + 1, sizeof *c->f.edge);
	if (!c->f.block || !c->f.edge)
		return false;
	gcn_flow_link(&c->f);
	return read_waits(c);
}

void
mutant_code_free(struct mutant_code *c)
{
	free(c->words);
	free(c->cover);
	free(c->f.line);
	free(c->f.block);
	free(c->f.edge);
}

/* -- Removable instructions ---------------------------------------------------------------- */

static bool
touches_exec(const struct gcn_effect *fx, unsigned access)
{
	static const struct gcn_range exec = { .file = FILE_S, .first = GCN_EXEC, .n = 2, .half = 3 };

	for (unsigned i = 0; i < fx->n_range; i++)
		if ((fx->range[i].access & access) && gcn_overlap(&fx->range[i], &exec))
			return true;
	return false;
}

bool
mutant_at(const struct mutant_code *c, uint32_t line, enum mutant_kind *kind)
{
	const struct gcn_line *l = &c->f.line[line];
	uint8_t limit[GCN_N_EVENT];
	struct gcn_effect fx;

	if ((l->flags & LINE_UNKNOWN) || !c->f.block[l->block].reached)
		return false;
	gcn_effect_of(c->t, &l->insn, &fx);
	if (fx.class == CL_WAIT && gcn_wait_limits(c->t, &l->insn, limit))
		*kind = MUTANT_WAIT;
	else if (fx.class == CL_WAIT || (fx.flags & (E(NOP) | E(VNOP))))
		*kind = MUTANT_NOP;
	else if (touches_exec(&fx, GCN_WRITE))
		*kind = MUTANT_EXEC;
	else
		return false;
	return true;
}

/* -- Removal --------------------------------------------------------------------------------- */

/* Adjusts the offsets of branches over the removed instruction, and removes it. */
static bool
close_up(const struct mutant_code *c, uint32_t line, uint32_t *words)
{
	uint32_t hole = c->f.line[line].offset / 4, n = c->f.line[line].n_words;

	for (uint32_t k = 0; k < c->f.n_line; k++) {
		const struct gcn_line *l = &c->f.line[k];
		if (l->flags & (LINE_INDIRECT | LINE_UNKNOWN))
			return false;
		if (l->target == GCN_NOWHERE)
			continue;
		if (gcn_props_of(l->insn.row).flags & E(INDIRECT)) /* its address is a literal before it */
			return false;
		uint32_t from = l->offset / 4 + 1, to = c->f.line[l->target].offset / 4;
		int32_t away = (int32_t)to - (int32_t)from;
		away += (from > hole ? (int32_t)n : 0) - (to > hole ? (int32_t)n : 0);
		words[from - 1] = (words[from - 1] & 0xffff0000u) | ((uint32_t)away & 0xffff);
	}
	memmove(words + hole, words + hole + n, 4 * (c->n_words - hole - n));
	return true;
}

size_t
mutant_make(const struct mutant_code *c, uint32_t line, enum mutant_kind kind, uint8_t *out)
{
	const struct gcn_line *l = &c->f.line[line];
	uint32_t *words = malloc(4 * c->n_words);
	size_t size = c->size, code = 4 * c->n_words;

	if (!words)
		return 0;
	memcpy(words, c->words, 4 * c->n_words);
	if (kind == MUTANT_NOP) /* tables would move */
		size = size == GCN_IMAGE_CODE + code && close_up(c, line, words) ? size - 4u * l->n_words : 0;
	else
		for (uint32_t k = 0; k < l->n_words; k++)
			words[l->offset / 4 + k] = NOP;
	if (size) {
		memcpy(out, c->image, size);
		memcpy(out + GCN_IMAGE_CODE, words, kind == MUTANT_NOP ? size - GCN_IMAGE_CODE : code);
	}
	free(words);
	return size;
}

/* -- Paths ------------------------------------------------------------------------------------- */

/* Search over all paths from the removed instruction, the hole, with a set of open bits. */
struct walk {
	const struct mutant_code *c;
	uint32_t line; /* the hole */
	uint8_t limit[GCN_N_EVENT];	/* limits of the removed wait */
	struct gcn_range written[4];	/* all ranges that the removed instruction writes */
	unsigned n_written;
	/* Returns the bits that stay open after the line. Sets `bad` if the line refutes the
	 * proof. */
	unsigned (*step)(const struct walk *w, uint32_t line, unsigned open, bool *bad);
};

static void
go_on(const struct mutant_code *c, uint32_t line, unsigned open, uint8_t *been, uint32_t *ahead, size_t *n)
{
	const struct gcn_block *b = &c->f.block[c->f.line[line].block];
	uint32_t next[8], n_next = 0;

	if (line + 1 < b->first + b->n_line)
		next[n_next++] = line + 1;
	else
		for (uint32_t k = 0; k < b->n_succ && n_next < QD_COUNT(next); k++)
			next[n_next++] = c->f.block[c->f.edge[b->succ + k]].first;
	for (uint32_t k = 0; k < n_next; k++) {
		if ((been[next[k]] & open) == open)
			continue;
		ahead[(*n)++] = next[k];
		been[next[k]] |= (uint8_t)open;
	}
}

/* Returns whether no path from the hole reaches a line that is bad for the open bits. */
static bool
all_ways(const struct walk *w, unsigned open)
{
	size_t n = 0, cap = w->c->f.n_line * GCN_N_EVENT * 2 + 8;
	uint8_t *been = calloc(w->c->f.n_line, 1);
	uint32_t *ahead = calloc(cap, sizeof *ahead);
	bool bad = !been || !ahead;

	if (!bad)
		go_on(w->c, w->line, open, been, ahead, &n);
	while (n && !bad) {
		uint32_t line = ahead[--n];
		unsigned left = w->step(w, line, been[line], &bad);
		if (left && !bad)
			go_on(w->c, line, left, been, ahead, &n);
	}
	free(been);
	free(ahead);
	return !bad;
}

/* -- Proofs ------------------------------------------------------------------------------------ */

/* Returns whether the line makes missing waits visible. Memory becomes visible at a barrier and at
 * a cache operation. In code with fences, it becomes visible at each store and atomic. If the
 * removed wait covers a cache operation, every access sees its effect. */
static bool
is_seen(const struct walk *w, const struct gcn_effect *fx)
{
	bool access = fx->class == CL_VMEM || fx->class == CL_FLAT || fx->class == CL_DS ||
		      fx->class == CL_SMEM;

	if (fx->class == CL_BARRIER || fx->class == CL_MESSAGE || (fx->flags & E(CACHE)))
		return true;
	if (access && w->c->cover[w->line].cache)
		return true;
	return access && w->c->publishes && (fx->flags & (E(STORE) | E(ATOMIC)));
}

/* Open bits: counters without a later wait. */
static unsigned
step_wait(const struct walk *w, uint32_t line, unsigned open, bool *bad)
{
	uint8_t limit[GCN_N_EVENT];
	struct gcn_effect fx;

	gcn_effect_of(w->c->t, &w->c->f.line[line].insn, &fx);
	if (fx.class == CL_WAIT && gcn_wait_limits(w->c->t, &w->c->f.line[line].insn, limit)) {
		for (unsigned e = 0; e < GCN_N_EVENT; e++)
			if (limit[e] != GCN_NO_WAIT && limit[e] <= w->limit[e])
				open &= ~(1u << e);
		return open;
	}
	*bad = is_seen(w, &fx);
	return fx.class == CL_END ? 0 : open;
}

/* Open bits: ranges that the removed instruction writes, until their next write. */
static unsigned
step_written(const struct walk *w, uint32_t line, unsigned open, bool *bad)
{
	struct gcn_effect fx;
	unsigned left = open;

	gcn_effect_of(w->c->t, &w->c->f.line[line].insn, &fx);
	for (unsigned k = 0; k < w->n_written; k++) {
		const struct gcn_range *hole = &w->written[k];
		for (unsigned i = 0; i < fx.n_range && (open >> k & 1); i++) {
			const struct gcn_range *u = &fx.range[i];
			if (!gcn_overlap(hole, u))
				continue;
			*bad |= (u->access & (GCN_READ | GCN_KEEP)) != 0;
			if (u->first <= hole->first && u->first + u->n >= hole->first + hole->n)
				left &= ~(1u << k);
		}
	}
	return fx.class == CL_END ? 0 : left;
}

static enum mutant_proof
prove_wait(const struct mutant_code *c, uint32_t line)
{
	struct walk w = { .c = c, .line = line, .step = step_wait };
	unsigned open = 0;

	if (c->full)
		return PROOF_NONE;
	gcn_wait_limits(c->t, &c->f.line[line].insn, w.limit);
	for (unsigned e = 0; e < GCN_N_EVENT; e++)
		open |= w.limit[e] == GCN_NO_WAIT ? 0 : 1u << e;
	if (!c->cover[line].n)
		return PROOF_IDLE;
	return all_ways(&w, open) ? PROOF_LATER : PROOF_ORDER;
}

static enum mutant_proof
prove_exec(const struct mutant_code *c, uint32_t line)
{
	struct walk w = { .c = c, .line = line, .step = step_written };
	struct gcn_effect fx;

	gcn_effect_of(c->t, &c->f.line[line].insn, &fx);
	for (unsigned i = 0; i < fx.n_range && w.n_written < QD_COUNT(w.written); i++)
		if (fx.range[i].access & GCN_WRITE)
			w.written[w.n_written++] = fx.range[i];
	if (all_ways(&w, (1u << w.n_written) - 1))
		return PROOF_DEAD;
	return mutant_lanes_prove(c, line) ? PROOF_LANES : PROOF_NONE;
}

/* Classifies a nop that is not required. The image checker has already accepted the image without
 * it, on all paths. */
static enum mutant_proof
prove_nop(const struct mutant_code *c, uint32_t line)
{
	enum { FAR = 5 }; /* wait states, at most */
	const struct gcn_block *b = &c->f.block[c->f.line[line].block];
	struct gcn_effect fx;

	gcn_effect_of(c->t, &c->f.line[line].insn, &fx);
	/* A wait for dependencies may be for an instruction at any distance before it. */
	if (b->first && (fx.class == CL_WAIT || line - b->first <= FAR))
		return PROOF_LABEL;
	if (line && fx.class == CL_WAIT) {
		gcn_effect_of(c->t, &c->f.line[line - 1].insn, &fx);
		if (touches_exec(&fx, GCN_WRITE))
			return PROOF_MASK;
	}
	return PROOF_NEEDLESS;
}

enum mutant_proof
mutant_prove(const struct mutant_code *c, uint32_t line, enum mutant_kind kind)
{
	switch (kind) {
	case MUTANT_WAIT: return prove_wait(c, line);
	case MUTANT_EXEC: return prove_exec(c, line);
	default: return prove_nop(c, line);
	}
}
