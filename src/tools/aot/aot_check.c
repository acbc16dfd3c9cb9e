/* Checks of qd-aot verify that need no other program.  The readers that would execute the code here
 * parse it: the PTX interpreter and the emulator of AMD waves.  AMD code is also checked for
 * hazards. */
#include "aot.h"

#include "amd.h"
#include "hazard.h"
#include "hsa.h"
#include "ptx.h"
#include "wait.h"

/* -- PTX ------------------------------------------------------------------------------------ */

static qd_status
check_ptx(struct qd_context *ctx, const struct image_parts *p, struct qd_error *e)
{
	struct ptx_module *m;

	QD_TRY(ptx_module_parse(&ctx->pool, p->code, p->code_size, &m, e));
	qd_status st = ptx_module_entry(m, p->meta->entry) ?
			       QD_OK :
			       qd_fail(e, QD_E_INVALID, "its code has no entry '%s'", p->meta->entry);
	ptx_module_free(m);
	return st;
}

/* -- AMD -------------------------------------------------------------------------------------- */

/* The limit of the analyses on basic blocks. */
enum { MAX_BLOCKS = 1 << 14 };

struct reading {
	struct arena mem;
	struct cfg flow;
	struct qd_error *e;
	qd_status st;
};

static unsigned
offset_of(const struct reading *r, uint32_t line)
{
	return HSA_ENTRY + r->flow.line[line].offset;
}

static void
add_hazard(void *user, const struct gcn_hazard *h)
{
	struct reading *r = user;

	if (r->st == QD_OK)
		r->st = qd_fail(r->e, QD_E_INVALID, "offset 0x%x: %s: %s; it needs %s", offset_of(r, h->later), h->rule,
				h->what, h->fix);
}

static void
add_wait(void *user, const struct gcn_wait_note *n)
{
	struct reading *r = user;

	if (n->kind == WAIT_MISSING && r->st == QD_OK)
		r->st = qd_fail(r->e, QD_E_INVALID,
				"offset 0x%x: it reads a register that the instruction at 0x%x may "
				"not have written yet",
				offset_of(r, n->line), offset_of(r, n->other));
}

/* Reads lines and basic blocks; every reachable word must belong to an instruction. */
static qd_status
read_flow(struct reading *r, const struct gcn_target *t, const uint32_t *words, size_t n)
{
	struct cfg *f = &r->flow;

	*f = (struct cfg){ .line_cap = n, .line = arena_alloc(&r->mem, n * sizeof *f->line) };
	if (!f->line)
		return QD_E_NOMEM;
	QD_TRY(gcn_flow_read(f, t, words, n, NULL, 0, r->e));
	f->block = arena_alloc(&r->mem, f->n_block * sizeof *f->block);
	f->edge = arena_alloc(&r->mem, (f->n_edge + 1) * sizeof *f->edge);
	if (!f->block || !f->edge)
		return QD_E_NOMEM;
	gcn_flow_link(f);
	for (uint32_t i = 0; i < f->n_line; i++) {
		const struct gcn_line *l = &f->line[i];
		if (!f->block[l->block].reached)
			continue;
		if (l->flags & LINE_UNKNOWN)
			return qd_fail(r->e, QD_E_INVALID,
				       "offset 0x%x: 0x%08x is not an instruction of %s",
				       offset_of(r, i), words[l->offset / 4], t->name);
		if (l->flags & (LINE_MIDDLE | LINE_OUTSIDE | LINE_OFF_END))
			return qd_fail(
				r->e, QD_E_INVALID,
				"offset 0x%x: control continues where there is no instruction",
				offset_of(r, i));
	}
	return QD_OK;
}

static qd_status
find_wrong(struct reading *r)
{
	const struct cfg *f = &r->flow;

	if (f->n_block > MAX_BLOCKS)
		return QD_OK;
	struct gcn_hazard_line *line = arena_zalloc(&r->mem, f->n_line * sizeof *line);
	struct gcn_hazard_block *block = arena_zalloc(&r->mem, f->n_block * sizeof *block);
	struct gcn_wait_state *state = arena_zalloc(&r->mem, (f->n_block + 1) * sizeof *state);
	if (!line || !block || !state)
		return QD_E_NOMEM;
	gcn_hazards(f, line, block, 0, add_hazard, r);
	gcn_waits(f, state, add_wait, r);
	return r->st;
}

static qd_status
check_amd(struct qd_context *ctx, const struct image_parts *p, const struct target *t, struct qd_error *e)
{
	struct reading r = { .e = e };
	const struct gcn_target *g;
	struct amd_start start;
	char name[MACHINE_NAME];

	snprintf(name, sizeof name, "%.*s", (int)strcspn(t->m.name, ":"), t->m.name);
	g = gcn_target_find(name, t->m.lanes);
	if (!g || p->code_size <= HSA_ENTRY || p->code_size % 4)
		return qd_fail(e, QD_E_INVALID, "it is not code for %s", t->m.name);
	QD_TRY(amd_start_read(g, p->code, &start, e));
	size_t n = (p->code_size - HSA_ENTRY) / 4;
	arena_init(&r.mem, &ctx->pool);
	uint32_t *words = arena_alloc(&r.mem, 4 * n);
	qd_status st = words ? QD_OK : QD_E_NOMEM;
	if (words)
		memcpy(words, (const uint8_t *)p->code + HSA_ENTRY, 4 * n);
	st = st ? st : read_flow(&r, g, words, n);
	st = st ? st : find_wrong(&r);
	arena_fini(&r.mem);
	return st == QD_E_NOMEM ? qd_fail(e, st, "out of memory") : st;
}

/* -- All kinds ---------------------------------------------------------------------------------- */

/* Checks that the target's disassembler accepts all of the code. */
static qd_status
check_text(struct qd_context *ctx, const struct image_parts *p, const struct target *t, struct qd_error *e)
{
	struct buf text;

	buf_init(&text, &ctx->pool);
	qd_status st = t->isa->dis(t, p->code, p->code_size, NULL, &text, e);
	if (st == QD_OK && text.nomem)
		st = qd_fail(e, QD_E_NOMEM, "out of memory");
	buf_fini(&text);
	return st;
}

qd_status
aot_check_code(struct qd_context *ctx, const struct image_parts *p, struct qd_error *e)
{
	struct target t;

	if (p->kind != CODE_PTX && p->kind != CODE_AMD && p->kind != CODE_SPIRV)
		return QD_OK;
	QD_TRY(isa_target(p->target, &t, e));
	if (t.isa->code != p->kind)
		return qd_fail(e, QD_E_INVALID, "it is not code for %s", t.m.name);
	return p->kind == CODE_PTX ? check_ptx(ctx, p, e) :
	       p->kind == CODE_AMD ? check_amd(ctx, p, &t, e) : check_text(ctx, p, &t, e);
}
