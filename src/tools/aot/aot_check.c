/* Checks of qd-aot verify that need no other program. The readers that would execute the code here
 * parse it: the PTX interpreter and the emulator of AMD waves, if the build has them. AMD code is
 * also checked for hazards. */
#include "aot.h"

#include "hsa.h"
#include "isa_dis.h"
#ifdef QD_HAVE_EMU
#include "amd.h"
#include "ptx.h"
#endif

#ifdef QD_HAVE_EMU
/* -- Emulators ------------------------------------------------------------------------------ */

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

static qd_status
check_start(const struct dis_target *d, const struct image_parts *p, struct qd_error *e)
{
	struct amd_start start;

	return amd_start_read(d->amd, p->code, &start, e);
}
#else
static qd_status
check_ptx(struct qd_context *ctx, const struct image_parts *p, struct qd_error *e)
{
	(void)ctx, (void)p, (void)e;
	return QD_OK;
}

static qd_status
check_start(const struct dis_target *d, const struct image_parts *p, struct qd_error *e)
{
	(void)d, (void)p, (void)e;
	return QD_OK;
}
#endif

/* -- AMD -------------------------------------------------------------------------------------- */

struct first {
	struct qd_error *e;
	qd_status st;
};

static void
keep_first(void *user, const struct qd_dis_finding *f)
{
	struct first *first = user;

	if (first->st == QD_OK)
		first->st = qd_fail(first->e, QD_E_INVALID, "offset 0x%zx: %s", f->offset, f->text);
}

static qd_status
check_amd(struct qd_context *ctx, const struct image_parts *p, const struct target *t, struct qd_error *e)
{
	struct dis_target d = dis_target_of(t);
	struct first first = { .e = e };

	if (p->code_size <= HSA_ENTRY || p->code_size % 4)
		return qd_fail(e, QD_E_INVALID, "it is not code for %s", t->m.name);
	QD_TRY(check_start(&d, p, e));
	qd_status st = dis_check(&d, 0, p->code, p->code_size, &ctx->pool, keep_first, &first, e);
	/* Hazards and waits of the largest kernels are not checked. */
	return st && st != QD_E_LIMIT ? st : first.st;
}

/* -- All kinds ---------------------------------------------------------------------------------- */

/* Checks that the target's disassembler accepts all of the code. */
static qd_status
check_text(struct qd_context *ctx, const struct image_parts *p, const struct target *t, struct qd_error *e)
{
	struct buf text;

	buf_init(&text, &ctx->pool);
	qd_status st = isa_dis(t, p->code, p->code_size, NULL, &text, e);
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
