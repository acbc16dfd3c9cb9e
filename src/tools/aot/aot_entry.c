/* Entries of fatbins, for the commands that show or change them. */
#include "aot.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <unistd.h>

#include "kind.h"

/* Prints what the file is, if it is not a fatbin. */
static void
note_kind(const char *path)
{
	size_t size;
	char *bytes = tool_read(path, &size);
	enum file_kind kind = kind_probe(bytes, size);

	free(bytes);
	if (kind_is_for(kind, KIND_COMPILE))
		tool_message("note", "kernel text has no entries; --list without a command shows "
				     "the variants of a compile");
	else if (!kind_is_for(kind, KIND_LIST))
		tool_message("note", "it is %s%s", kind_name(kind), kind_advice(kind));
}

struct qd_fatbin *
aot_open(struct qd_context *ctx, const char *path)
{
	struct qd_fatbin *f;
	struct qd_error e;
	size_t size;

	if (strcmp(path, "-") != 0) {
		tool_output_protect(path);
		if (qd_fatbin_open_file(ctx, path, &f, &e)) {
			int code = tool_report(&e);
			if (access(path, R_OK) != 0)
				tool_quit(EXIT_ENVIRONMENT);
			note_kind(path);
			tool_quit(code);
		}
		return f;
	}
	/* never freed */
	static struct aot_list kept;
	char *data = tool_read(path, &size);
	aot_add(&kept, data);
	if (qd_fatbin_open(ctx, data, size, "standard input", &f, &e))
		tool_fail(&e);
	return f;
}

static const char facts[] = ":" ISA_FACTS_OPTION;

/* Returns whether `have` is the target `want`, or the one of its code with launch facts. */
static bool
same_target(const struct aot_request *r, const char *want, const char *have)
{
	const char *at = r->exact ? NULL : strstr(have, facts);
	size_t n = at ? (size_t)(at - have) : 0;

	return strcmp(want, have) == 0 || (at && strncmp(want, have, n) == 0 && strcmp(want + n, at + sizeof facts - 1) == 0);
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
		if (strcmp(want, "all") == 0 || same_target(r, want, at->target))
			return true;
		if (wants_cubin) {
			snprintf(ptx, sizeof ptx, "ptx:%s", want + sizeof cubin - 1);
			want = ptx;
		}
		if (wants_cubin == is_cubin && isa_target(want, &t, QD_IGNORE_ERROR) == QD_OK &&
		    same_target(r, t.m.name, at->target))
			return true;
	}
	return r->targets.n == 0 && !(r->exact && strstr(at->target, facts));
}

/* Returns whether the entry has one of the values of each -D. */
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

/* -- Natural order ------------------------------------------------------------------------ */

struct ordered {
	struct fatbin_place at;
	uint32_t row;
};

/* Compares strings with numbers: "L=5" before "L=10". */
static int
by_numbers(const char *a, const char *b)
{
	for (; *a && *b; a++, b++) {
		size_t x = strspn(a, "0123456789"), y = strspn(b, "0123456789");
		if (x && y && x != y)
			return x < y ? -1 : 1;
		if (*a != *b)
			break;
	}
	return *a < *b ? -1 : *a > *b;
}

static int
by_name(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;
	int c = strcmp(x->at.kernel, y->at.kernel);

	c = c ? c : by_numbers(x->at.variant, y->at.variant);
	c = c ? c : (int)x->at.row.kind - (int)y->at.row.kind;
	c = c ? c : strcmp(x->at.target, y->at.target);
	return c ? c : x->row < y->row ? -1 : x->row > y->row;
}

uint32_t *
aot_rows(const struct aot_request *r, const struct qd_fatbin *f, uint32_t *n)
{
	struct ordered *o = calloc(fatbin_count(f) + 1, sizeof *o);
	uint32_t *rows = calloc(fatbin_count(f) + 1, sizeof *rows);

	if (!o || !rows)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	*n = 0;
	for (uint32_t i = 0; i < fatbin_count(f); i++) {
		fatbin_at(f, i, &o[*n].at);
		o[*n].row = i;
		*n += aot_wanted(r, &o[*n].at);
	}
	qsort(o, *n, sizeof *o, by_name);
	for (uint32_t i = 0; i < *n; i++)
		rows[i] = o[i].row;
	free(o);
	return rows;
}
