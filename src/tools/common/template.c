/* Template values from the command line, checked against the kernel's parameters. */
#include "value.h"

void
tmpl_add(struct tmpl_list *l, const char *text)
{
	const char *eq = strchr(text, '=');
	if (!eq || eq == text || !eq[1])
		tool_usage("-D takes NAME=VALUE, not '%s'", text);
	if (l->n == QD_COUNT(l->v))
		tool_usage("more than %zu template values", QD_COUNT(l->v));
	char *name = strndup(text, (size_t)(eq - text));
	if (!name)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	for (uint32_t i = 0; i < l->n; i++) {
		if (strcmp(l->v[i].name, name) == 0)
			tool_usage("-D %s is given twice", name);
	}
	struct qd_tmpl *t = &l->v[l->n++];
	uint64_t bits = 0;
	*t = (struct qd_tmpl){ .name = name, .type = type_by_name(eq + 1, strlen(eq + 1)) };
	if (t->type == QD_TYPE_NONE) {
		const char *wrong = value_parse(QD_TYPE_I64, eq + 1, strlen(eq + 1), &bits);
		if (wrong)
			tool_usage("-D %s: '%s' is not a type or an integer", name, eq + 1);
		t->value = (int64_t)bits;
	}
}

void
tmpl_describe(const struct qd_tmpl_info *info, char *out, size_t cap)
{
	size_t n = 0;
	if (!info->is_type && info->set) {
		for (uint32_t i = 0; i < info->n_set && n < cap; i++)
			n += (size_t)snprintf(out + n, cap - n, "%s%lld", n ? ", " : "one of ",
					      (long long)info->set[i]);
		return;
	}
	if (!info->is_type) {
		snprintf(out, cap, "an integer %lld..=%lld", (long long)info->lo,
			 (long long)info->hi);
		return;
	}
	for (uint32_t t = 0; t < N_TYPE && n < cap; t++) {
		if (type_is(t, info->type_mask))
			n += (size_t)snprintf(out + n, cap - n, "%s%s",
					      n ? ", " : "one of the types ", qd_type_name(t));
	}
}

static bool
fits(const struct qd_tmpl_info *info, const struct qd_tmpl *t)
{
	if (info->is_type)
		return type_is(t->type, info->type_mask);
	return t->type == QD_TYPE_NONE && t->value >= info->lo && t->value <= info->hi;
}

static void
know(struct tmpl_list *l, const char *name)
{
	for (uint32_t i = 0; i < l->n_known; i++) {
		if (strcmp(l->known[i], name) == 0)
			return;
	}
	if (l->n_known < QD_COUNT(l->known))
		l->known[l->n_known++] = name;
}

uint32_t
tmpl_choose(struct tmpl_list *l, const struct qd_module *m, uint32_t kernel, bool want_all,
	    struct qd_tmpl *out)
{
	uint32_t n = 0, count = qd_module_tmpl_count(m, kernel);
	for (uint32_t i = 0; i < count; i++) {
		struct qd_tmpl_info info;
		struct qd_error e;
		char range[256];
		if (qd_module_tmpl(m, kernel, i, &info, &e))
			tool_fail(&e);
		tmpl_describe(&info, range, sizeof range);
		know(l, info.name);
		uint32_t j = 0;
		while (j < l->n && strcmp(l->v[j].name, info.name) != 0)
			j++;
		if (j == l->n) {
			if (want_all || info.is_type)
				tool_usage("kernel '%s' needs -D %s=VALUE: %s",
					   qd_module_kernel_name(m, kernel), info.name, range);
			continue;
		}
		if (!fits(&info, &l->v[j]) && l->v[j].type != QD_TYPE_NONE)
			tool_usage("kernel '%s' does not accept -D %s=%s: expected %s",
				   qd_module_kernel_name(m, kernel), info.name,
				   qd_type_name(l->v[j].type), range);
		if (!fits(&info, &l->v[j]))
			tool_usage("kernel '%s' does not accept -D %s=%lld: expected %s",
				   qd_module_kernel_name(m, kernel), info.name,
				   (long long)l->v[j].value, range);
		l->used[j] = true;
		out[n++] = l->v[j];
	}
	return n;
}

static const char *
known_name(void *user, uint32_t i)
{
	return ((const struct tmpl_list *)user)->known[i];
}

TOOL_NORETURN void
tmpl_unknown(struct tmpl_list *l, const char *name, const char *none)
{
	char list[512] = "";
	size_t n = 0;
	const char *close = tool_closest(name, known_name, l, l->n_known);
	if (close)
		tool_usage("no kernel has a template parameter '%s'; did you mean '%s'?", name,
			   close);
	for (uint32_t j = 0; j < l->n_known && n < sizeof list; j++)
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", j ? ", " : "",
				      l->known[j]);
	tool_usage("no kernel has a template parameter '%s'%s%s", name,
		   !l->n_known	     ? none
		   : l->n_known == 1 ? "; there is "
				     : "; there are ",
		   list);
}

void
tmpl_check_used(struct tmpl_list *l)
{
	for (uint32_t i = 0; i < l->n; i++) {
		if (!l->used[i])
			tmpl_unknown(l, l->v[i].name, "");
	}
}

void
tmpl_know(struct tmpl_list *l, const struct qd_module *m, uint32_t kernel)
{
	for (uint32_t i = 0; i < qd_module_tmpl_count(m, kernel); i++) {
		struct qd_tmpl_info info;
		struct qd_error e;
		if (qd_module_tmpl(m, kernel, i, &info, &e))
			tool_fail(&e);
		know(l, info.name);
	}
}

void
tmpl_check_known(struct tmpl_list *l, const struct qd_module *m, uint32_t kernel)
{
	tmpl_know(l, m, kernel);
	for (uint32_t i = 0; i < l->n; i++) {
		uint32_t j = 0;
		while (j < l->n_known && strcmp(l->known[j], l->v[i].name) != 0)
			j++;
		if (j == l->n_known)
			tmpl_unknown(l, l->v[i].name, "; it has none");
	}
}
