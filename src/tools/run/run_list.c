/* --list: the kernels of a file, their parameters, and whether they have a grid loop. */
#include <stdlib.h>

#include "lang.h"
#include "run.h"
#include "show.h"

/* Text of a parameter; a template type has its name. */
struct listed {
	const char *name, *access, *type;
	int name_len, type_len;
	bool is_buffer;
};

static const char *
access_word(qd_access access)
{
	return access == QD_ACCESS_IN ? "in " : access == QD_ACCESS_OUT ? "out " : "";
}

static struct listed
of_kernel(const struct qd_kernel *k, uint32_t i)
{
	struct qd_param_info p = { .name = "" };
	qd_kernel_param(k, i, &p, NULL);
	const char *type = qd_type_name(p.type);
	return (struct listed){ p.name, p.is_buffer ? access_word(p.access) : "", type,
				(int)strlen(p.name), (int)strlen(type), p.is_buffer };
}

static struct listed
of_info(const struct qd_param_info *p, char bytes[32])
{
	const char *type = qd_type_name(p->type);
	if (p->type == QD_TYPE_NONE) {
		snprintf(bytes, 32, "%u bytes", p->size);
		type = bytes;
	}
	return (struct listed){ p->name, p->is_buffer ? access_word(p->access) : "", type,
				(int)strlen(p->name), (int)strlen(type), p->is_buffer };
}

static struct listed
of_text(const struct qd_module *m, const struct node *n)
{
	const struct symbol *name = &m->syms.sym[n->sym], *type = &m->syms.sym[n->a->sym];
	bool is_buffer = n->a->flags & F_ARRAY;
	return (struct listed){ name->s, is_buffer ? access_word(n->op) : "", type->s,
				(int)name->len, (int)type->len, is_buffer };
}

/* A grid loop may be nested only in blocks and in branches of static if. */
static bool
has_grid(const struct node *n)
{
	for (; n; n = n->next) {
		if (n->kind == N_GRID || (n->kind == N_BLOCK && has_grid(n->a)) ||
		    (n->kind == N_IF && (has_grid(n->b) || has_grid(n->c))))
			return true;
	}
	return false;
}

/* -- Text ----------------------------------------------------------------------------- */

static void
print_tmpl(const struct qd_tmpl_info *t)
{
	char head[64], what[256];
	snprintf(head, sizeof head, "-D %s=VALUE", t->name);
	tmpl_describe(t, what, sizeof what);
	printf("  %-20s %s\n", head, what);
}

static void
print_param(const struct listed *p)
{
	int n = printf("  %s=VALUE", show_name(p->name, (size_t)p->name_len).s);
	printf("%*s %s%.*s%s\n", n < 22 ? 22 - n : 0, "", p->access, p->type_len, p->type,
	       p->is_buffer ? "[]" : "");
}

/* -- JSON ------------------------------------------------------------------------------ */

static void
json_tmpl(const struct qd_tmpl_info *t)
{
	const char *comma = "";
	printf("{\"name\":");
	tool_json_string(stdout, t->name);
	if (!t->is_type) {
		printf(",\"lo\":%lld,\"hi\":%lld}", (long long)t->lo, (long long)t->hi);
		return;
	}
	printf(",\"types\":[");
	for (uint32_t type = 0; type < N_TYPE; type++) {
		if (!type_is(type, t->type_mask))
			continue;
		printf("%s\"%s\"", comma, qd_type_name(type));
		comma = ",";
	}
	printf("]}");
}

static void
json_param(const struct listed *p)
{
	char *name = strndup(p->name, (size_t)p->name_len);
	if (!name)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	printf("{\"name\":");
	tool_json_string(stdout, name);
	free(name);
	printf(",\"type\":\"%.*s\",\"access\":", p->type_len, p->type);
	if (!p->is_buffer)
		printf("null}");
	else
		printf("\"%s\"}", *p->access == 'i' ? "in" : *p->access ? "out" : "inout");
}

/* -- Both --------------------------------------------------------------------------------- */

static void
list_param(struct listed p, uint32_t i, bool json)
{
	if (json && i)
		putchar(',');
	if (json)
		json_param(&p);
	else
		print_param(&p);
}

static void
list_params(const struct session *s, uint32_t kernel, bool json)
{
	const struct entry *e = &s->module->entries[kernel];
	struct qd_kernel *k = NULL;
	uint32_t i = 0;
	/* Without template parameters, the types are known. */
	if (qd_module_tmpl_count(s->module, kernel) == 0 &&
	    qd_module_kernel(s->module, e->name, NULL, 0, &k, NULL) != QD_OK)
		k = NULL;
	for (const struct node *n = e->kernel->b; n; n = n->next, i++) {
		list_param(k ? of_kernel(k, i) : of_text(s->module, n), i, json);
	}
	qd_kernel_free(k);
}

static void
list_kernel(const struct session *s, uint32_t i, bool json)
{
	const struct entry *e = &s->module->entries[i];
	uint32_t n = qd_module_tmpl_count(s->module, i);
	printf(json ? "%s{\"name\":\"%s\",\"templates\":[" : "%skernel %s\n",
	       json && i ? "," : "", e->name);
	for (uint32_t j = 0; j < n; j++) {
		struct qd_tmpl_info t;
		struct qd_error err;
		if (qd_module_tmpl(s->module, i, j, &t, &err))
			tool_fail(&err);
		if (json && j)
			putchar(',');
		if (json)
			json_tmpl(&t);
		else
			print_tmpl(&t);
	}
	if (json)
		printf("],\"params\":[");
	list_params(s, i, json);
	bool grid = has_grid(e->kernel->d);
	if (json)
		printf("],\"grid_loop\":%s}", grid ? "true" : "false");
	else if (!grid)
		printf("  %-20s the number of blocks, because there is no grid loop\n", "--grid=N");
}

void
run_list_param(const struct qd_param_info *info, uint32_t i, bool json)
{
	char bytes[32];

	list_param(of_info(info, bytes), i, json);
}

void
run_list_params(const struct qd_image *image, bool json)
{
	for (uint32_t i = 0; i < qd_image_param_count(image); i++) {
		struct qd_param_info p = { .name = "" };
		qd_image_param(image, i, &p, NULL);
		run_list_param(&p, i, json);
	}
}

void
run_list(struct session *s)
{
	bool json = s->req->json;
	uint32_t n = s->module ? qd_module_kernel_count(s->module) : 0;
	if (json) {
		tool_hold();
		printf("{\"schema\":\"qd.run/1\",\"kernels\":[");
	}
	if (s->object.bytes)
		run_object_list(s);
	if (s->ptx.module)
		run_ptx_list(s);
	for (uint32_t i = 0; i < n; i++)
		list_kernel(s, i, json);
	if (!json)
		return;
	printf("],");
	report_put(stdout, EXIT_OK);
	printf("}\n");
}
