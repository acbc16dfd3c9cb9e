/* Checks of AMD code: instructions, control flow, hazards, waits. */
#include "isa_dis.h"

#include <stdio.h>

#include "hazard.h"
#include "wait.h"

/* The limit of the analyses of hazards and waits, which take memory for each block. */
enum { MAX_BLOCKS = 1 << 14 };

struct reading {
	struct arena mem;
	struct cfg flow;
	size_t at; /* offset of the first instruction */
	void (*found)(void *user, const struct qd_dis_finding *f);
	void *user;
};

static size_t
offset_of(const struct reading *r, uint32_t line)
{
	return r->at + r->flow.line[line].offset;
}

static void QD_PRINTF(6, 7)
report(const struct reading *r, enum qd_dis_kind kind, uint32_t line, uint32_t earlier, const char *rule,
       const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	r->found(r->user, &(struct qd_dis_finding){ kind, offset_of(r, line), offset_of(r, earlier), rule, text });
}

static void
add_hazard(void *user, const struct gcn_hazard *h)
{
	report(user, QD_DIS_HAZARD, h->later, h->earlier, h->rule, "%s: %s; it needs %s", h->rule, h->what, h->fix);
}

static void
add_wait(void *user, const struct gcn_wait_note *n)
{
	const struct reading *r = user;

	if (n->kind == WAIT_MISSING)
		report(r, QD_DIS_WAIT, n->line, n->other, "",
		       "it reads a register that the instruction at 0x%zx may not have written yet", offset_of(r, n->other));
}

/* Reads lines and basic blocks. */
static qd_status
read_flow(struct reading *r, const struct dis_target *t, const struct dis_words *w, struct qd_error *err)
{
	struct cfg *f = &r->flow;

	*f = (struct cfg){ .line_cap = w->n, .line = arena_alloc(&r->mem, w->n * sizeof *f->line) };
	if (!f->line)
		return QD_E_NOMEM;
	QD_TRY(gcn_flow_read(f, t->amd, w->word, w->n, NULL, 0, err));
	f->block = arena_alloc(&r->mem, f->n_block * sizeof *f->block);
	f->edge = arena_alloc(&r->mem, (f->n_edge + 1) * sizeof *f->edge);
	if (!f->block || !f->edge)
		return QD_E_NOMEM;
	gcn_flow_link(f);
	return QD_OK;
}

/* Every reached word must belong to an instruction. */
static void
check_flow(const struct reading *r, const struct dis_target *t, const struct dis_words *w)
{
	const struct cfg *f = &r->flow;

	for (uint32_t i = 0; i < f->n_line; i++) {
		const struct gcn_line *l = &f->line[i];
		if (!f->block[l->block].reached)
			continue;
		if (l->flags & LINE_UNKNOWN)
			report(r, QD_DIS_NO_INSTRUCTION, i, i, "", "0x%08x is not an instruction of %s",
			       w->word[l->offset / 4], t->amd->name);
		else if (l->flags & (LINE_MIDDLE | LINE_OUTSIDE | LINE_OFF_END))
			report(r, QD_DIS_CONTROL_FLOW, i, i, "", "control continues at a word that is not an instruction");
	}
}

static qd_status
check_order(struct reading *r, struct qd_error *err)
{
	const struct cfg *f = &r->flow;

	if (f->n_block > MAX_BLOCKS)
		return qd_fail(err, QD_E_LIMIT, "hazards and waits: the code has %zu basic blocks, more than %d",
			       f->n_block, MAX_BLOCKS);
	struct gcn_hazard_line *line = arena_zalloc(&r->mem, f->n_line * sizeof *line);
	struct gcn_hazard_block *block = arena_zalloc(&r->mem, f->n_block * sizeof *block);
	struct gcn_wait_state *state = arena_zalloc(&r->mem, (f->n_block + 1) * sizeof *state);
	if (!line || !block || !state)
		return QD_E_NOMEM;
	gcn_hazards(f, line, block, 0, add_hazard, r);
	gcn_waits(f, state, add_wait, r);
	return QD_OK;
}

qd_status
dis_check(const struct dis_target *t, uint32_t flags, const void *code, size_t size,
	  struct pool *pool, void (*found)(void *user, const struct qd_dis_finding *f), void *user,
	  struct qd_error *err)
{
	struct reading r = { .found = found, .user = user };
	struct dis_words words = { 0 };

	if (t->kind != CODE_AMD)
		return qd_fail(err, QD_E_TARGET, "there are no checks for code of %s, only for code of AMD processors",
			       t->name);
	arena_init(&r.mem, pool);
	qd_status st = dis_words_of(t, flags, code, size, &r.mem, &words, err);
	words.n = words.n_code;
	if (st == QD_OK && words.n) {
		r.at = words.at;
		st = read_flow(&r, t, &words, err);
		if (st == QD_OK) {
			check_flow(&r, t, &words);
			st = check_order(&r, err);
		}
	}
	arena_fini(&r.mem);
	return st == QD_E_NOMEM ? qd_fail(err, st, "out of memory") : st;
}
