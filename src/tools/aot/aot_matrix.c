/* The matrix: each kernel of the files with each set of template values, for each target. Its
 * order is that of the files and the declarations; the order of compilation does not matter. */
#include "aot.h"

#include <fnmatch.h>
#include <stdlib.h>

#include "kind.h"
#include "value.h"

static void *
take(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	return p;
}

static char *
copy(const char *text)
{
	char *s = strdup(text);

	if (!s)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	return s;
}

/* -- Values --------------------------------------------------------------------------------- */

struct axis { /* values of a template parameter */
	struct qd_tmpl *v;
	uint32_t n;
	bool named;
};

static struct aot_set *
find_set(const struct aot_request *r, const char *name)
{
	for (uint32_t i = 0; i < r->n_sets; i++) {
		if (strcmp(r->sets[i].name, name) == 0)
			return &r->sets[i];
	}
	return NULL;
}

static bool
is_choice(const struct qd_tmpl_info *info, const struct qd_tmpl *t)
{
	if (info->is_type)
		return t->type < 32 && info->type_mask >> t->type & 1;
	if (t->type != QD_TYPE_NONE || t->value < info->lo || t->value > info->hi)
		return false;
	for (uint32_t i = 0; i < info->n_set; i++) {
		if (info->set[i] == t->value)
			return true;
	}
	return !info->set;
}

static void
axis_of_set(struct axis *a, const struct qd_tmpl_info *info, struct aot_set *set, const char *kernel)
{
	a->v = take(set->values.n, sizeof *a->v);
	a->named = set->used = true;
	for (uint32_t i = 0; i < set->values.n; i++) {
		struct qd_tmpl one[MAX_TMPL];
		char text[MAX_TEXT_NAME + 210], names[FATBIN_NAMES];
		uint32_t n = 0;
		struct qd_error e;
		snprintf(text, sizeof text, "%s=%.200s", info->name, set->values.v[i]);
		if (fatbin_values(text, one, &n, names, &e) || n != 1)
			tool_usage("-D %s: '%s' is not a type or an integer", info->name,
				   set->values.v[i]);
		one[0].name = info->name;
		if (!is_choice(info, one)) {
			tmpl_describe(info, names, sizeof names);
			tool_usage("kernel '%s' does not accept -D %s: expected %s", kernel, text,
				   names);
		}
		a->v[a->n++] = one[0];
	}
}

static void
axis_of_choices(struct axis *a, const struct qd_tmpl_info *info, const struct aot_request *r,
		const char *kernel)
{
	if (info->is_type) {
		a->v = take(32, sizeof *a->v);
		for (qd_type t = 1; t < 32; t++) {
			if (info->type_mask >> t & 1)
				a->v[a->n++] = (struct qd_tmpl){ .name = info->name, .type = t };
		}
		return;
	}
	int64_t all = info->set ? info->n_set : info->hi - info->lo + 1;
	if (all > r->max_variants)
		tool_usage("kernel '%s': %s has %lld values; choose some of them with -D %s=...",
			   kernel, info->name, (long long)all, info->name);
	a->v = take((size_t)all, sizeof *a->v);
	for (; a->n < all; a->n++)
		a->v[a->n] = (struct qd_tmpl){ .name = info->name,
					       .value = info->set ? info->set[a->n] :
								    info->lo + a->n };
}

static void
add_variant(struct aot_matrix *m, const struct aot_variant *v)
{
	struct buf text;

	if (m->n_variants == m->r->max_variants)
		tool_usage("more than %u variants of kernels; choose some with -k and -D, or raise "
			   "--max-variants",
			   m->r->max_variants);
	m->variants = realloc(m->variants, (m->n_variants + 1) * sizeof *m->variants);
	buf_init(&text, &m->ctx->pool);
	fatbin_variant(&text, v->tmpl, v->n_tmpl);
	buf_put(&text, "", 1);
	if (!m->variants || text.nomem)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	struct aot_variant *to = &m->variants[m->n_variants++];
	*to = *v;
	to->text = copy(buf_data(&text));
	buf_fini(&text);
}

/* Adds kernel i of the module with every combination of values; the last parameter varies
 * fastest. */
static void
add_kernel(struct aot_matrix *m, const struct qd_module *module, const char *file, uint32_t i)
{
	uint32_t n = qd_module_tmpl_count(module, i), at[MAX_TMPL] = { 0 };
	struct axis axes[MAX_TMPL] = { { .n = 0 } };
	struct aot_variant v = { .module = module,
				 .file = file,
				 .name = qd_module_kernel_name(module, i),
				 .n_tmpl = n };

	for (uint32_t j = 0; j < n; j++) {
		struct qd_tmpl_info info;
		struct qd_error e;
		if (qd_module_tmpl(module, i, j, &info, &e))
			tool_fail(&e);
		struct aot_set *set = find_set(m->r, info.name);
		if (set)
			axis_of_set(&axes[j], &info, set, v.name);
		else
			axis_of_choices(&axes[j], &info, m->r, v.name);
		v.named |= axes[j].named;
	}
	for (;;) {
		for (uint32_t j = 0; j < n; j++)
			v.tmpl[j] = axes[j].v[at[j]];
		add_variant(m, &v);
		uint32_t j = n;
		while (j && ++at[j - 1] == axes[j - 1].n)
			at[--j] = 0;
		if (!j)
			break;
	}
	for (uint32_t j = 0; j < n; j++)
		free(axes[j].v);
}

/* -- Files ----------------------------------------------------------------------------------- */

static bool
is_wanted(struct aot_matrix *m, const char *name)
{
	if (!m->r->kernel || fnmatch(m->r->kernel, name, 0) == 0)
		return true;
	tool_names_add(&m->others, name);
	return false;
}

static void
read_ir(struct aot_matrix *m, const char *file, const char *text, size_t size)
{
	struct aot_variant v = { .file = file };
	struct qd_error e;

	if (qd_kernel_read(m->ctx, text, size, file, &v.kernel, &e))
		tool_fail(&e);
	v.name = qd_kernel_name(v.kernel);
	if (is_wanted(m, v.name))
		add_variant(m, &v);
	else
		qd_kernel_free(v.kernel);
}

static void
read_file(struct aot_matrix *m, const char *file)
{
	size_t size;
	char *text = tool_read(file, &size);
	const char *path = file;
	file = tool_shown(file);

	const enum file_kind kind = kind_probe(text, size);
	if (!kind_is_for(kind, KIND_COMPILE))
		tool_die(EXIT_INPUT, "'%s' is %s%s; qd-aot compiles .qdk text", file, kind_name(kind), kind_advice(kind));
	if (kind == KIND_IR) {
		read_ir(m, file, text, size);
	} else {
		struct qd_module *module = tool_parse(m->imports, m->ctx, path, text, size);
		m->modules[m->n_modules++] = module;
		for (uint32_t i = 0; i < qd_module_kernel_count(module); i++) {
			if (is_wanted(m, qd_module_kernel_name(module, i)))
				add_kernel(m, module, file, i);
		}
	}
	free(text);
}

/* Exits if two kernels have the same name, since a fatbin can contain only one. */
static void
check_names(const struct aot_matrix *m)
{
	for (uint32_t i = 1; i < m->n_variants; i++) {
		const struct aot_variant *v = &m->variants[i], *last = v - 1;
		bool same = v->module && v->module == last->module && v->name == last->name;
		for (uint32_t j = 0; j < i && !same; j++) {
			if (strcmp(m->variants[j].name, v->name) == 0)
				tool_die(EXIT_INPUT,
					 "kernel '%s' is in '%s' and in '%s'; names in a fatbin "
					 "must be unique",
					 v->name, m->variants[j].file, v->file);
		}
	}
}

/* Exits if a program for a target is missing. Only cubin targets need one. */
static void
check_programs(const struct aot_matrix *m)
{
	for (uint32_t i = 0; i < m->n_targets && !m->r->check; i++) {
		if (m->targets[i].is_cubin) {
			aot_need_ptxas();
			return;
		}
	}
}

TOOL_NORETURN static void
unknown_set(const struct aot_matrix *m, const char *name)
{
	struct tmpl_list known = { .n = 0 };

	for (uint32_t i = 0; i < m->n_modules; i++) {
		for (uint32_t j = 0; j < qd_module_kernel_count(m->modules[i]); j++)
			tmpl_know(&known, m->modules[i], j);
	}
	tmpl_unknown(&known, name, "; they have none");
}

void
aot_matrix_make(struct aot_matrix *m, struct qd_context *ctx, struct aot_request *r)
{
	*m = (struct aot_matrix){ .ctx = ctx, .r = r, .imports = &r->imports };
	m->modules = take(r->files.n, sizeof(struct qd_module *));
	m->targets = aot_targets(ctx, r, &m->n_targets);
	check_programs(m);
	for (uint32_t i = 0; i < r->files.n; i++)
		read_file(m, r->files.v[i]);
	if (!m->n_variants && r->kernel)
		tool_usage("no kernel here matches '%s'%s", r->kernel, tool_names_text(&m->others));
	if (!m->n_variants)
		tool_die(EXIT_INPUT, "there is no kernel in these files");
	for (uint32_t i = 0; i < r->n_sets; i++) {
		if (!r->sets[i].used)
			unknown_set(m, r->sets[i].name);
	}
	check_names(m);
	m->n_cells = m->n_variants * m->n_targets;
	m->cells = take(m->n_cells, sizeof *m->cells);
	for (uint32_t i = 0; i < m->n_cells; i++) {
		struct aot_cell *c = &m->cells[i];
		c->variant = &m->variants[i / m->n_targets];
		c->target = &m->targets[i % m->n_targets];
		buf_init(&c->ir, &ctx->pool);
		buf_init(&c->cubin, &ctx->pool);
	}
}

void
aot_matrix_free(struct aot_matrix *m)
{
	for (uint32_t i = 0; i < m->n_cells; i++) {
		qd_image_free(m->cells[i].image);
		buf_fini(&m->cells[i].ir);
		buf_fini(&m->cells[i].cubin);
		free(m->cells[i].why);
	}
	for (uint32_t i = 0; i < m->n_variants; i++) {
		qd_kernel_free(m->variants[i].kernel);
		free(m->variants[i].text);
		free(m->variants[i].why);
	}
	for (uint32_t i = 0; i < m->n_modules; i++)
		qd_module_free(m->modules[i]);
	free(m->cells);
	free(m->variants);
	free(m->modules);
	free(m->targets);
}

/* -- Compiling ------------------------------------------------------------------------------------- */

/* Returns whether the status excludes a combination of values and target. Other errors are errors
 * of the kernel. */
static bool
leaves_out(qd_status st)
{
	return st == QD_E_TEMPLATE || st == QD_E_TARGET || st == QD_E_LIMIT;
}

/* Stores the error; errors are reported in order at the end. */
static void
make_kernel(void *user, uint32_t i)
{
	struct aot_matrix *m = user;
	struct aot_variant *v = &m->variants[i];
	struct qd_error e;

	if (v->kernel)
		return;
	qd_status st = qd_module_kernel((struct qd_module *)(uintptr_t)v->module, v->name, v->tmpl,
					v->n_tmpl, &v->kernel, &e);
	if (st == QD_OK)
		return;
	v->kernel = NULL;
	v->why = copy(e.text);
	v->line = e.line;
	for (uint32_t j = 0; j < m->n_targets; j++)
		m->cells[i * m->n_targets + j].st = st;
}

/* Removes the directory from the line 'file "folder/name"', so that the output does not depend on
 * it. */
static void
drop_folder(struct buf *ir)
{
	static const char head[] = "\nfile \"";
	char *text = buf_data(ir), *at = strstr(text, head);

	if (!at)
		return;
	at += sizeof head - 1;
	size_t len = strcspn(at, "\"\n");
	char *name = at;
	for (char *s = at; s < at + len; s++)
		name = *s == '/' ? s + 1 : name;
	memmove(at, name, (size_t)(text + ir->len + 1 - name));
	ir->len -= (size_t)(name - at);
}

static qd_status
put_ir(struct aot_cell *c, struct qd_error *e)
{
	size_t len = 0;

	QD_TRY(qd_kernel_print(c->variant->kernel, NULL, 0, &len, e));
	char *at = buf_extend(&c->ir, len + 1);
	if (!at)
		return qd_fail(e, QD_E_NOMEM, "out of memory");
	QD_TRY(qd_kernel_print(c->variant->kernel, at, len + 1, &len, e));
	c->ir.len = len;
	drop_folder(&c->ir);
	return QD_OK;
}

/* Compiles a cell. A kernel with declared subgroup sizes is compiled for the size of this
 * target. */
static void
make_image(void *user, uint32_t i)
{
	struct aot_matrix *m = user;
	struct aot_cell *c = &m->cells[i];
	struct qd_error e;

	c->equal = c->target->extra;
	if (!c->variant->kernel && c->equal)
		return;
	if (!c->variant->kernel) {
		c->why = copy(c->variant->why ? c->variant->why : "out of memory");
		c->line = c->variant->line;
		return;
	}
	/* The IR must accept subgroups of any size: the widest target has no limit. */
	c->st = qd_compile(m->ctx, c->variant->kernel, c->target->is_ir ? "ref:w128" : c->target->name,
			   NULL, 0, &c->image, &e);
	if (c->st == QD_OK && c->target->is_cubin)
		c->st = aot_assemble(c->image, &c->cubin, &e);
	if (c->st == QD_OK && c->target->is_ir)
		c->st = put_ir(c, &e);
	c->equal = c->target->extra && (c->st != QD_OK || !c->image->target->m.facts);
	if (c->st == QD_OK || c->equal)
		return;
	c->why = copy(e.text);
	c->line = e.line;
}

/* Removes the cells whose code with launch facts is equal to the code without. */
static void
drop_equal(struct aot_matrix *m)
{
	uint32_t n = 0, n_extra = 0;

	for (uint32_t i = 0; i < m->n_cells; i++) {
		if (m->cells[i].equal)
			qd_image_free(m->cells[i].image);
		else
			m->cells[n++] = m->cells[i];
	}
	for (uint32_t i = 0; i < m->n_targets; i++)
		n_extra += m->targets[i].extra;
	m->n_cells = n;
	m->n_targets -= n_extra;
}

/* Returns whether the cell is an error: the kernel does not compile at all, or the cell was
 * requested by name. */
static bool
is_wrong(const struct aot_cell *c)
{
	return c->why && (!leaves_out(c->st) || (c->variant->named && c->target->named));
}

/* Reports each error once: it often repeats for every target and type. */
enum { MAX_REPORTED = 20 };
static void
report_once(struct aot_list *reported, qd_status st, uint32_t line, const char *why)
{
	struct qd_error e = { .code = st, .line = line };

	for (uint32_t i = 0; i < reported->n; i++) {
		if (strcmp(reported->v[i], why) == 0)
			return;
	}
	if (reported->n < MAX_REPORTED) {
		snprintf(e.text, sizeof e.text, "%s", why);
		tool_report(&e);
	} else if (reported->n == MAX_REPORTED) {
		tool_message("note", "more messages were omitted; --list shows all");
	}
	aot_add(reported, why);
}

void
aot_matrix_compile(struct aot_matrix *m)
{
	uint32_t log = m->ctx->log_max;
	struct aot_list reported = { .n = 0 };

	/* Excluded cells are not errors, and errors are reported below, once. */
	if (log < QD_LOG_DEBUG)
		m->ctx->log_max = 0;
	aot_parallel(m->r->n_jobs, m->n_variants, make_kernel, m, "kernels", m->r->quiet);
	aot_parallel(m->r->n_jobs, m->n_cells, make_image, m, "images", m->r->quiet);
	drop_equal(m);
	m->ctx->log_max = log;
	for (uint32_t i = 0; i < m->n_cells; i++) {
		const struct aot_cell *c = &m->cells[i];
		m->n_left_out += c->why != NULL;
		if (is_wrong(c) && !(m->r->dry_run && leaves_out(c->st)))
			report_once(&reported, c->st, c->line, c->why);
	}
	free(reported.v);
	if (reported.n)
		tool_quit(EXIT_INPUT);
	if (m->n_left_out == m->n_cells && !m->r->dry_run)
		tool_die(EXIT_INPUT,
			 "nothing to write: every variant is skipped; --list shows the reasons");
}

void
aot_matrix_check(struct aot_matrix *m)
{
	uint32_t log = m->ctx->log_max;
	struct aot_list reported = { .n = 0 };

	if (log < QD_LOG_DEBUG)
		m->ctx->log_max = 0;
	aot_parallel(m->r->n_jobs, m->n_variants, make_kernel, m, "kernels", m->r->quiet);
	m->ctx->log_max = log;
	for (uint32_t i = 0; i < m->n_variants; i++) {
		const struct aot_variant *v = &m->variants[i];
		qd_status st = m->cells[i * m->n_targets].st;
		if (v->why && (!leaves_out(st) || v->named))
			report_once(&reported, st, v->line, v->why);
	}
	free(reported.v);
	if (reported.n)
		tool_quit(EXIT_INPUT);
}
