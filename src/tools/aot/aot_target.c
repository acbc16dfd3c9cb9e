/* Targets of the command line: names, `all`, `native`, `qdir`, and cubin targets, which ptxas
 * assembles. */
#include "aot.h"

#include <stdlib.h>

struct making {
	struct aot_target *v;
	uint32_t n;
};

static void
put(struct making *k, const struct aot_target *t)
{
	for (uint32_t i = 0; i < k->n; i++) {
		if (strcmp(k->v[i].name, t->name) == 0 && k->v[i].is_cubin == t->is_cubin) {
			k->v[i].named |= t->named;
			return;
		}
	}
	k->v = realloc(k->v, (k->n + 1) * sizeof *k->v);
	if (!k->v)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	k->v[k->n++] = *t;
}

static bool
names_size(const char *text)
{
	for (const char *p = strchr(text, ':'); p; p = strchr(p + 1, ':')) {
		if (isa_parse_size(p + 1, strcspn(p + 1, ":")))
			return true;
	}
	return false;
}

/* "cubin:sm_90" is the assembled "ptx:sm_90". */
static void
add(struct making *k, const char *text, bool named)
{
	static const char cubin[] = "cubin:";
	struct aot_target to = { .named = named, .sized = names_size(text) };
	struct target t;
	struct qd_error e;
	char ptx[MACHINE_NAME];

	to.is_cubin = strncmp(text, cubin, sizeof cubin - 1) == 0;
	if (strcmp(text, "qdir") == 0) {
		to.is_ir = true;
		memcpy(to.name, "qdir", 5);
		put(k, &to);
		return;
	}
	if (to.is_cubin) {
		snprintf(ptx, sizeof ptx, "ptx:%s", text + sizeof cubin - 1);
		text = ptx;
	}
	if (isa_target(text, &t, &e))
		tool_usage("%s", e.text);
	if (t.isa->runs_ir)
		tool_usage("target '%s' has no code; use 'qdir', the IR that it executes", text);
	memcpy(to.name, t.m.name, strlen(t.m.name) + 1);
	put(k, &to);
}

static void
add_all(struct making *k)
{
	for (uint32_t i = 0; i < isa_count; i++) {
		const char *name;
		for (uint32_t j = 0; isa_table[i]->all && (name = isa_table[i]->all(j)); j++)
			add(k, name, false);
	}
	add(k, "qdir", false);
}

/* Adds the targets of the devices of this machine. */
static void
add_native(struct qd_context *ctx, struct making *k)
{
	struct qd_device_info info[32];
	struct qd_error e;
	uint32_t n = 0, before = k->n;

	if (qd_device_list(ctx, info, QD_COUNT(info), &n, &e))
		tool_fail(&e);
	for (uint32_t i = 0; i < n && i < QD_COUNT(info); i++) {
		struct target t;
		if (info[i].usable && strncmp(info[i].selector, "emu", 3) != 0 &&
		    isa_target(info[i].target, &t, &e) == QD_OK && !t.isa->runs_ir)
			add(k, info[i].target, false);
	}
	if (k->n == before)
		tool_die(EXIT_ENVIRONMENT, "no device is available for 'native'; qd-info shows the "
					   "reason for each driver");
}

/* Adds the targets with launch facts. */
static void
add_facts(struct making *k)
{
	for (uint32_t i = k->n; i-- > 0;) {
		struct aot_target to = k->v[i];
		char text[MACHINE_NAME + sizeof ":" ISA_FACTS_OPTION];
		struct target t;
		snprintf(text, sizeof text, "%s:" ISA_FACTS_OPTION, to.name);
		if (to.is_ir || to.is_cubin || isa_target(text, &t, QD_IGNORE_ERROR) != QD_OK || !t.m.facts)
			continue;
		to.extra = true;
		memcpy(to.name, t.m.name, strlen(t.m.name) + 1);
		put(k, &to);
	}
}

static int
by_name(const void *a, const void *b)
{
	const struct aot_target *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : (int)x->is_cubin - (int)y->is_cubin;
}

struct aot_target *
aot_targets(struct qd_context *ctx, const struct aot_request *r, uint32_t *n)
{
	struct making k = { .n = 0 };

	for (uint32_t i = 0; i < r->targets.n; i++) {
		const char *t = r->targets.v[i];
		if (strcmp(t, "all") == 0)
			add_all(&k);
		else if (strcmp(t, "native") == 0)
			add_native(ctx, &k);
		else
			add(&k, t, true);
	}
	if ((r->emit == AOT_OBJ || r->emit == AOT_FILES) && !ctx->no_facts)
		add_facts(&k);
	qsort(k.v, k.n, sizeof *k.v, by_name);
	*n = k.n;
	return k.v;
}
