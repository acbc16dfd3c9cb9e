/* Selection of the kernel of a .qdk file, its template values and the values of its parameters,
 * from the command line. */
#include <stdlib.h>
#include <unistd.h>

#include "function.h"
#include "run.h"

/* -- The kernel ---------------------------------------------------------------- */

static const char *
kernel_name(void *user, uint32_t i)
{
	return qd_module_kernel_name(user, i);
}

void
run_load(struct session *s)
{
	size_t size;
	const char *path = s->req->file;
	char *text = tool_read(path, &size);
	s->req->file = tool_shown(s->req->file);
	s->ctx = tool_context_at(s->req->opt, s->req->facts);
	arena_init(&s->names, &s->ctx->pool);
	size = run_object_in_host(s, text, size);
	enum file_kind kind = kind_probe(text, size);
	if (!kind_is_for(kind, KIND_RUN))
		tool_die(EXIT_INPUT, "'%s' is %s%s", s->req->file, kind_name(kind), kind_advice(kind));
	if (kind == KIND_CODE_OBJECT || kind == KIND_AMD_OBJECT || kind == KIND_BUNDLE || kind == KIND_OFFLOAD ||
	    kind == KIND_ELF) {
		s->object.bytes = text;
		s->object.name = s->req->file;
		s->object.size = size;
		return;
	}
	if (kind == KIND_PTX) {
		run_ptx_load(s, text, size);
		return;
	}
	if (s->req->block[0] || s->req->n_shared)
		tool_usage("%s applies to kernels in code objects and PTX; '%s' defines it itself",
			   s->req->block[0] ? "--block" : "--shared", s->req->file);
	s->module = tool_parse(&s->req->imports, s->ctx, path, text, size);
	free(text);
	if (qd_module_kernel_count(s->module) == 0)
		tool_die(EXIT_INPUT, "'%s' has no kernel", s->req->file);
}

static uint32_t
find_kernel(const struct session *s)
{
	const struct qd_module *m = s->module;
	uint32_t n = qd_module_kernel_count(m);
	const char *want = s->req->kernel;
	if (n == 1 && !want)
		return 0;
	for (uint32_t i = 0; want && i < n; i++) {
		if (strcmp(qd_module_kernel_name(m, i), want) == 0)
			return i;
	}
	char list[512] = "";
	size_t len = 0;
	for (uint32_t i = 0; i < n && len < sizeof list; i++)
		len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", i ? ", " : "",
					qd_module_kernel_name(m, i));
	if (!want)
		tool_usage("'%s' has %u kernels, choose one with -k: %s", s->req->file, n, list);
	const char *close = tool_closest(want, kernel_name, s->module, n);
	if (close)
		tool_usage("'%s' has no kernel '%s'; did you mean '%s'?", s->req->file, want,
			   close);
	tool_usage("'%s' has no kernel '%s'; it has %s", s->req->file, want, list);
}

void
run_choose(struct session *s)
{
	struct qd_error e;
	if (s->object.bytes) {
		run_object_choose(s);
		return;
	}
	if (s->ptx.module) {
		run_ptx_choose(s);
		return;
	}
	uint32_t i = find_kernel(s);
	struct qd_tmpl tmpl[QD_COUNT(s->req->tmpl.v)];
	tmpl_check_known(&s->req->tmpl, s->module, i);
	uint32_t n = tmpl_choose(&s->req->tmpl, s->module, i, true, tmpl);
	if (qd_module_kernel(s->module, qd_module_kernel_name(s->module, i), tmpl, n, &s->kernel,
			     &e))
		tool_fail(&e);
	s->name = qd_kernel_name(s->kernel);
	if (!s->kernel->grid && s->req->grid == QD_GRID)
		tool_usage("kernel '%s' has no grid loop; set the number of blocks with --grid=N",
			   s->name);
}

/* -- Parameters ------------------------------------------------------------------ */

static const char *
param_name(void *user, uint32_t i)
{
	return ((struct session *)user)->value[i].info.name;
}

/* Returns the index of the parameter in NAME=VALUE; *value points to VALUE. */
static uint32_t
find_param(struct session *s, const char *option, const char *text, const char **value)
{
	char name[256], list[512] = "";
	size_t len = strcspn(text, "="), n = 0;
	*value = text + len + 1;
	snprintf(name, sizeof name, "%.*s", (int)(len < 255 ? len : 255), text);
	for (uint32_t i = 0; i < s->n_params; i++) {
		if (strcmp(s->value[i].info.name, name) == 0)
			return i;
	}
	const char *close = tool_closest(name, param_name, s, s->n_params);
	const char *kernel = s->name;
	if (close)
		tool_usage("%skernel '%s' has no parameter '%s'; did you mean '%s'?", option,
			   kernel, name, close);
	for (uint32_t i = 0; i < s->n_params && n < sizeof list; i++)
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "",
				      s->value[i].info.name);
	tool_usage("%skernel '%s' has no parameter '%s'; it has %s", option, kernel, name,
		   s->n_params ? list : "none");
}

/* Returns true if the grid loop's count does not depend on this buffer's length, so that the
 * length can be derived from the count. */
static bool
is_counted(const struct session *s, uint32_t param)
{
	for (uint32_t i = 0; s->kernel && i < s->kernel->ir.n; i++) {
		const struct ins *ins = &s->kernel->ir.ins[i];

		if (ins->op == OP_GRID)
			return true;
		if (ins->op == OP_LEN && ins->x == param)
			return false;
	}
	return false;
}

/* Reports all parameters without a value in one message, with an example of the arguments. */
static void
check_all_given(const struct session *s, const char *const *text)
{
	char list[512] = "", example[512] = "";
	bool buffers = false, counted = false;
	size_t n = 0, m = 0;
	for (uint32_t i = 0; i < s->n_params && n < sizeof list; i++) {
		const struct qd_param_info *p = &s->value[i].info;
		if (!text[i] && !p->is_buffer && p->type == QD_TYPE_NONE)
			n += (size_t)snprintf(list + n, sizeof list - n, "%s%s=VALUE, %u bytes",
					      n ? "; " : "", p->name, p->size);
		else if (!text[i])
			n += (size_t)snprintf(list + n, sizeof list - n, "%s%s=VALUE, a %s%s",
					      n ? "; " : "", p->name,
					      p->is_buffer ? "buffer of " : "number of type ",
					      qd_type_name(p->type));
		if (text[i] || (!p->is_buffer && p->type == QD_TYPE_NONE) || m >= sizeof example)
			continue;
		bool is_open = p->is_buffer && is_counted(s, i);
		buffers |= p->is_buffer;
		counted |= is_open;
		m += (size_t)snprintf(example + m, sizeof example - m, "%s%s=%s", m ? " " : "", p->name,
				      is_open ? "zero" : p->is_buffer ? "zero:64" : "1");
	}
	if (!n)
		return;
	tool_usage("kernel '%s' needs %s%s%s%s%s%s", s->name, list, m ? "; write for example " : "", example,
		   counted ? "; zero has as many elements as the grid loop counts" : "", buffers ? "; " : "",
		   buffers ? FILL_FORMS : "");
}

/* Parses a type prefix, "u32" in "u32:1,2", and returns the text after it. Files of other
 * compilers may lack the type of a parameter, or declare a different one. */
static const char *
take_type(struct value *v, const char *text)
{
	size_t len = strcspn(text, ":,");
	for (uint32_t type = QD_TYPE_NONE + 1; text[len] == ':' && type < N_TYPE; type++) {
		const char *name = qd_type_name(type);
		if (strlen(name) != len || memcmp(name, text, len) != 0 || !type_info[type].size)
			continue;
		if (!v->info.is_buffer && type_info[type].size != v->info.size)
			tool_usage("%s: %s has %u bytes; the parameter has %u", v->info.name, name,
				   type_info[type].size, v->info.size);
		v->info.type = type;
		return text + len + 1;
	}
	return text;
}

static void
read_value(struct value *v, const char *text)
{
	char takes[120];
	if (v->info.is_buffer) {
		fill_parse(v->info.name, v->info.type, text, &v->fill);
		v->n = v->fill.n;
		return;
	}
	if (v->info.type == QD_TYPE_NONE) {
		run_object_value(v, text);
		return;
	}
	const char *wrong = value_parse(v->info.type, text, strlen(text), &v->bits);
	if (!wrong)
		return;
	value_takes(v->info.type, takes, sizeof takes);
	tool_usage("%s: '%.60s' %s; it is a scalar, and %s", v->info.name, text, wrong, takes);
}

/* Returns the buffer in an option's NAME=TEXT; *value points to TEXT. */
static struct value *
find_option(struct session *s, const char *option, const char *text, const char **value)
{
	char prefix[32];
	snprintf(prefix, sizeof prefix, "%s: ", option);
	struct value *v = &s->value[find_param(s, prefix, text, value)];
	if (!v->info.is_buffer)
		tool_usage("%s: '%s' is a scalar, not a buffer", option, v->info.name);
	if (!**value)
		tool_usage("%s: no value after '%s'", option, text);
	return v;
}

static void
read_outputs(struct session *s)
{
	for (uint32_t j = 0; j < s->req->outputs.n; j++) {
		const char *file;
		struct value *v = find_option(s, "--output", s->req->outputs.v[j], &file);
		if (v->file)
			tool_usage("--output: '%s' is given twice, for '%s' and '%s'",
				   v->info.name, v->file, file);
		for (uint32_t i = 0; i < s->n_params; i++) {
			if (s->value[i].file && strcmp(s->value[i].file, file) == 0 && strcmp(file, "/dev/null") != 0)
				tool_usage("--output: '%s' and '%s' cannot both be written to '%s'",
					   s->value[i].info.name, v->info.name, file);
		}
		if (s->req->json && strcmp(file, "-") == 0)
			tool_usage("--output: '%s' cannot be written to the standard output with "
				   "--json",
				   v->info.name);
		if (s->req->profile && strcmp(file, "-") == 0)
			tool_usage("--output: '%s' cannot be written to the standard output with "
				   "--profile",
				   v->info.name);
		if (strcmp(file, "-") == 0 && isatty(STDOUT_FILENO))
			tool_usage("--output: the bytes of '%s' would be written to a terminal; "
				   "use a file or a pipe",
				   v->info.name);
		v->file = file;
	}
	for (uint32_t j = 0; j < s->req->expects.n; j++) {
		const char *text;
		char name[300];
		struct value *v = find_option(s, "--expect", s->req->expects.v[j], &text);
		if (!is_output(v))
			tool_usage("--expect: kernel '%s' does not write '%s'",
				   s->name, v->info.name);
		if (v->is_expected)
			tool_usage("--expect: '%s' is given twice", v->info.name);
		snprintf(name, sizeof name, "--expect %s", v->info.name);
		fill_parse(name, v->info.type, text, &v->expect);
		v->is_expected = true;
	}
}

void
run_params(struct session *s)
{
	const char *text[MAX_PARAM] = { NULL };
	s->n_params = s->image ? qd_image_param_count(s->image) : qd_kernel_param_count(s->kernel);
	for (uint32_t i = 0; i < s->n_params; i++) {
		struct qd_param_info *info = &s->value[i].info;
		struct qd_error e;
		if (s->image ? qd_image_param(s->image, i, info, &e) :
			       qd_kernel_param(s->kernel, i, info, &e))
			tool_fail(&e);
		info->name = tool_shown(info->name);
	}
	for (uint32_t j = 0; j < s->req->values.n; j++) {
		const char *value;
		uint32_t i = find_param(s, "", s->req->values.v[j], &value);
		if (text[i])
			tool_usage("parameter '%s' is given twice, '%.40s' and '%.40s'",
				   s->value[i].info.name, text[i], value);
		text[i] = value;
	}
	check_all_given(s, text);
	bool foreign = s->image && layout_by_slots(s->image->layout);
	for (uint32_t i = 0; i < s->n_params; i++)
		read_value(&s->value[i], foreign ? take_type(&s->value[i], text[i]) : text[i]);
	read_outputs(s);
}

/* -- Sizes ---------------------------------------------------------------------------- */

void
run_count(struct session *s)
{
	const struct launch_layout *d = s->place.fn->image->layout;
	const struct layout_step *step = layout_steps(d);
	uint64_t args[MAX_PARAM] = { 0 }, count;
	uint32_t open = s->n_params;
	for (uint32_t i = 0; i < s->n_params; i++) {
		struct value *v = &s->value[i];
		args[i] = v->info.is_buffer ? v->n : v->bits;
		if (v->info.is_buffer && !v->fill.counted && open == s->n_params)
			open = i;
	}
	if (open == s->n_params)
		return;
	const char *name = s->value[open].info.name;
	if (!d->n_steps)
		tool_usage("%s: kernel '%s' has no grid loop that sets the size; write zero:N or "
			   "iota:N",
			   name, layout_name(d));
	for (uint32_t j = 0; j < d->n_steps; j++) {
		const struct value *v = &s->value[step[j].x];
		if (step[j].op == LAYOUT_ARG && v->info.is_buffer && !v->fill.counted)
			tool_usage("%s: the grid loop's count depends on %s.len, so it cannot set "
				   "the size; write zero:N or iota:N",
				   v->info.name, v->info.name);
	}
	if (!layout_grid(d, args, &count)) {
		struct qd_error e = { 0 };
		layout_wrapped(d, args, &e);
		tool_fail(&e);
	}
	if (count > UINT32_MAX)
		tool_usage("%s: the grid loop counts %llu; a buffer has at most 4294967295 "
			   "elements: write zero:N or iota:N",
			   name, (unsigned long long)count);
	for (uint32_t i = 0; i < s->n_params; i++) {
		struct value *v = &s->value[i];
		if (v->info.is_buffer && !v->fill.counted)
			v->n = v->fill.n = (size_t)count;
	}
}
