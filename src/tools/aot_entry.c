/* Entries of fatbins, as the commands that show or change them want them. */
#include "aot.h"

#include <fnmatch.h>
#include <stdlib.h>

struct qd_fatbin *
aot_open(struct qd_context *ctx, const char *path)
{
	struct qd_fatbin *f;
	struct qd_error e;
	size_t size;

	if (strcmp(path, "-") != 0) {
		if (qd_fatbin_open_file(ctx, path, &f, &e))
			tool_fail(&e);
		return f;
	}
	/* It stays until the program ends. */
	char *data = tool_read(path, &size);
	if (qd_fatbin_open(ctx, data, size, "standard input", &f, &e))
		tool_fail(&e);
	return f;
}

static bool
target_wanted(const struct aot_request *r, const struct fatbin_place *at)
{
	static const char cubin[] = "cubin:";
	bool is_cubin = at->row.kind == CODE_CUBIN;

	for (uint32_t i = 0; i < r->targets.n; i++) {
		const char *want = r->targets.v[i];
		bool wants_cubin = strncmp(want, cubin, sizeof cubin - 1) == 0;
		char ptx[MACHINE_NAME];
		struct target t;
		if (strcmp(want, "all") == 0 || strcmp(want, at->target) == 0)
			return true;
		if (wants_cubin) {
			snprintf(ptx, sizeof ptx, "ptx:%s", want + sizeof cubin - 1);
			want = ptx;
		}
		if (wants_cubin == is_cubin && isa_target(want, &t, QD_UNTOLD) == QD_OK &&
		    strcmp(t.m.name, at->target) == 0)
			return true;
	}
	return r->targets.n == 0;
}

/* Each -D names a value that the entry has, where it has such a parameter. */
static bool
values_wanted(const struct aot_request *r, const struct fatbin_place *at)
{
	for (uint32_t i = 0; i < r->n_sets; i++) {
		struct aot_set *s = &r->sets[i];
		bool found = false;
		for (uint32_t j = 0; j < s->values.n && !found; j++) {
			char want[300], have[1024];
			snprintf(want, sizeof want, ";%.100s=%.150s;", s->name, s->values.v[j]);
			snprintf(have, sizeof have, ";%.1000s;", at->variant);
			found = strstr(have, want) != NULL;
		}
		if (!found)
			return false;
	}
	return true;
}

bool
aot_wanted(const struct aot_request *r, const struct fatbin_place *at)
{
	return (!r->kernel || fnmatch(r->kernel, at->kernel, 0) == 0) && target_wanted(r, at) &&
	       values_wanted(r, at);
}
