/* The public functions of modules. */
#include "lower.h"

/* -- Parsing ----------------------------------------------------------------------- */

static struct qd_module *
module_new(struct qd_context *ctx, const char *text, size_t len, const char *name)
{
	struct qd_module *m = pool_new(&ctx->pool, sizeof *m);

	if (!m)
		return NULL;
	m->ctx = ctx;
	m->len = (uint32_t)len;
	arena_init(&m->arena, &ctx->pool);
	ctx_born(ctx, LIVE_MODULE);
	m->source = source_new(&ctx->pool, name, text, len);
	if (m->source) {
		m->name = m->source->file;
		m->text = m->source->text;
	}
	if (m->source && symtab_init(&m->syms, &m->arena))
		return m;
	qd_module_free(m);
	return NULL;
}

static void
read_module(struct qd_module *m, struct sink *s, const struct qd_imports *imports)
{
	struct lower l;

	s->nomem |= !import_read(m, s, imports);
	if (s->n_errors || s->nomem)
		return;
	s->nomem |= !global_declare(m, s);
	if (s->nomem)
		return;
	if (lower_init(&l, m, s)) {
		l.parsing = true;
		module_declare(&l);
		if (!s->n_errors && !s->nomem)
			module_try(&l);
	}
	lower_fini(&l);
}

static qd_status
parse(struct qd_context *ctx, const char *text, size_t len, const char *name, const struct qd_imports *imports,
      struct qd_module **out, struct qd_error *err)
{
	struct qd_module *m;
	struct sink s = { 0 };
	struct pool_quota quota;
	qd_status st;

	*out = NULL;
	QD_CHECK_CTX(ctx, err);
	if (!name || !*name)
		name = "-";
	if (len > ctx->limits.max_text) {
		struct diag_at at = {
			.file = name, .source = text, .source_len = len, .pos = POS(1, 1)
		};

		return diag_report(ctx, err, at, NULL, NULL, DIAG_E0111, (unsigned long long)len,
				   ctx->limits.max_text, LIMIT_FIELD(ctx, max_text, LIMIT_TEXT));
	}
	ctx_quota_begin(ctx, &quota);
	m = module_new(ctx, text ? text : "", len, name);
	if (m) {
		s.m = m;
		read_module(m, &s, imports);
		st = sink_end(&s, err);
	} else {
		st = qd_fail(err, QD_E_NOMEM, "%s: out of memory", name);
	}
	st = ctx_quota_end(ctx, &quota, name, st, err);
	if (st)
		qd_module_free(m);
	else
		*out = m;
	return st;
}

qd_status
qd_module_parse(struct qd_context *ctx, const char *text, size_t len, const char *name,
		struct qd_module **out, struct qd_error *err)
{
	QD_CHECK_ARG(ctx && out, err, "context or result pointer is NULL");
	QD_CHECK_ARG(text || !len, err, "text is NULL and len is not 0");
	return parse(ctx, text, len, name, NULL, out, err);
}

qd_status
qd_module_parse_imports(struct qd_context *ctx, const struct qd_text *text, const struct qd_imports *imports,
			struct qd_module **out, struct qd_error *err)
{
	QD_CHECK_ARG(ctx && out, err, "context or result pointer is NULL");
	QD_CHECK_ARG(text && imports, err, "the text or the imports are NULL");
	QD_CHECK_ARG(text->text || !text->len, err, "text is NULL and len is not 0");
	QD_CHECK_ARG(imports->texts || !imports->n_texts, err, "texts is NULL and n_texts is not 0");
	return parse(ctx, text->text, text->len, text->name, imports, out, err);
}

void
qd_module_free(struct qd_module *m)
{
	struct qd_context *ctx;

	if (!m || forked_since(m->ctx->forks))
		return;
	ctx = m->ctx;
	for (uint32_t i = 0; i < m->n_entries; i++)
		qd_kernel_free(m->entries[i].built);
	source_free(m->source);
	arena_fini(&m->arena);
	pool_delete(&ctx->pool, m);
	ctx_gone(ctx, LIVE_MODULE);
}

/* -- Queries ---------------------------------------------------------------------------- */

uint32_t
qd_module_kernel_count(const struct qd_module *m)
{
	return m ? m->n_entries : 0;
}

const char *
qd_module_kernel_name(const struct qd_module *m, uint32_t i)
{
	return m && i < m->n_entries ? m->entries[i].name : "";
}

uint32_t
qd_module_file_count(const struct qd_module *m)
{
	return m ? m->n_files : 0;
}

const char *
qd_module_file_name(const struct qd_module *m, uint32_t i)
{
	return m && i < m->n_files ? m->files[i].name : "";
}

/* An instantiation has no template parameters left. */
uint32_t
qd_module_tmpl_count(const struct qd_module *m, uint32_t kernel)
{
	if (!m || kernel >= m->n_entries || m->entries[kernel].bound)
		return 0;
	return m->entries[kernel].n_tmpls;
}

qd_status
qd_module_tmpl(const struct qd_module *m, uint32_t kernel, uint32_t i, struct qd_tmpl_info *out,
	       struct qd_error *err)
{
	const struct tmpl_decl *t;

	QD_CHECK_ARG(m && out, err, "module or result pointer is NULL");
	QD_CHECK_ARG(kernel < m->n_entries, err, "the module has fewer kernels");
	QD_CHECK_ARG(i < qd_module_tmpl_count(m, kernel), err,
		     "the kernel has fewer template parameters");
	t = &m->entries[kernel].tmpls[i];
	*out = (struct qd_tmpl_info){ .name = t->name,
				      .is_type = t->is_type,
				      .lo = t->lo,
				      .hi = t->hi,
				      .set = t->is_type ? NULL : t->set,
				      .n_set = t->is_type || !t->set ? 0 : t->n,
				      .type_mask = t->type_mask };
	return QD_OK;
}

/* -- Kernels -------------------------------------------------------------------------------- */

static qd_status
no_kernel(const struct qd_module *m, const char *name, struct qd_error *err)
{
	struct suggest g;
	const char *meant;

	suggest_init(&g, name, (uint32_t)strnlen(name, MAX_NAME));
	for (uint32_t i = 0; i < m->n_entries; i++)
		suggest_offer(&g, m->entries[i].name, (uint32_t)strlen(m->entries[i].name));
	meant = suggest_text(&g, NULL);
	return qd_fail(err, QD_E_NOT_FOUND, "%s has no kernel '%.255s'%s%s", m->name, name,
		       meant ? "; " : "", meant ? meant : "");
}

static const struct entry *
find_entry(const struct qd_module *m, const char *name)
{
	size_t len = strnlen(name, MAX_NAME + 1);
	uint32_t sym = len <= MAX_NAME ? symtab_find(&m->syms, name, (uint32_t)len) : 0;
	const struct global *g = sym ? m->globals[sym] : NULL;

	while (g && (g->file || (g->node->kind != N_KERNEL && g->node->kind != N_INSTANTIATE)))
		g = g->next;
	return g ? &m->entries[g->node->num] : NULL;
}

/* Converts the caller's values to choices, one per template parameter. */
static void
read_choices(struct lower *l, const struct entry *e, const struct qd_tmpl *tmpl, uint32_t n,
	     struct choice *c)
{
	for (uint32_t j = 0; j < n; j++) {
		const char *name = tmpl[j].name ? tmpl[j].name : "";
		int64_t value = tmpl[j].value;
		uint32_t i = 0;

		while (i < e->n_tmpls && strcmp(e->tmpls[i].name, name) != 0)
			i++;
		if (i == e->n_tmpls) {
			lower_error(l, e->kernel, DIAG_E0202, e->name, name);
		} else if (c[i].given) {
			lower_error(l, e->tmpls[i].node, DIAG_E0206, e->tmpls[i].name);
		} else {
			c[i].given = true;
			c[i].type = tmpl[j].type;
			c[i].value = (int32_t)(value > INT32_MAX   ? INT32_MAX
					       : value < INT32_MIN ? INT32_MIN
								   : value);
			choice_check(l, e->tmpls[i].node, &e->tmpls[i], &c[i]);
		}
	}
}

/* Reports values that are missing: types, and the integers of the mask. */
static void
missing_choices(struct lower *l, const struct entry *e, const struct choice *c, uint32_t mask)
{
	char list[96];

	for (uint32_t i = 0; i < e->n_tmpls; i++) {
		const struct tmpl_decl *t = &e->tmpls[i];

		if (c[i].given)
			continue;
		if (t->is_type)
			lower_error(l, t->node, DIAG_E0221, t->name,
				    type_list(list, sizeof list, t->type_mask));
		else if (mask >> i & 1)
			lower_error(l, t->node, DIAG_E0201, t->name, choice_list(t, list, sizeof list));
	}
}

qd_status
qd_module_kernel(struct qd_module *m, const char *name, const struct qd_tmpl *tmpl, uint32_t n_tmpl,
		 struct qd_kernel **out, struct qd_error *err)
{
	struct choice c[MAX_TMPL] = { { 0 } };
	struct sink s = { .m = m, .quiet = true };
	const struct entry *e;
	struct pool_quota quota;
	struct lower l;

	QD_CHECK_ARG(m && out, err, "module or result pointer is NULL");
	QD_CHECK_ARG(name, err, "the kernel's name is NULL; qd_module_kernel_name(module, i) returns the names");
	QD_CHECK_ARG(tmpl || !n_tmpl, err, "tmpl is NULL and n_tmpl is not 0");
	*out = NULL;
	QD_CHECK_CTX(m->ctx, err);
	if (!(e = find_entry(m, name)))
		return no_kernel(m, name, err);
	if (e->built && !n_tmpl) {
		*out = kernel_ref(e->built);
		return QD_OK;
	}
	if (e->bound)
		memcpy(c, e->bound, e->n_tmpls * sizeof *c);
	ctx_quota_begin(m->ctx, &quota);
	if (lower_init(&l, m, &s)) {
		read_choices(&l, e, tmpl, n_tmpl, c);
		if (!s.n_errors)
			missing_choices(&l, e, c, e->resolved);
		if (!s.n_errors)
			*out = instance_build(&l, e, c);
		if (!*out && !s.n_errors)
			missing_choices(&l, e, c, l.demand);
	}
	lower_fini(&l);
	return ctx_quota_end(m->ctx, &quota, m->name, sink_end(&s, err), err);
}
