/* Seeds of the text targets: inputs that once caused a bug, the examples, the golden kernels, texts
 * of the unit tests of language and diagnostics, random programs, and the printed IR of all. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag_case.h"
#include "lang_run.h"
#include "program.h"
#include "text.h"

enum { CAP = 1 << 16, N_RANDOM = 24 };

struct texts {
	char **s;
	size_t n, cap;
};

static void
add(struct texts *t, const char *s)
{
	if (t->n == t->cap) {
		t->cap = 2 * t->cap + 64;
		t->s = realloc(t->s, t->cap * sizeof *t->s);
	}
	if (!t->s || !(t->s[t->n++] = strdup(s)))
		kit_broken("out of memory", "seeds");
}

/* -- Files ---------------------------------------------------------------------------- */

static void
add_file(struct texts *t, const char *folder, const char *name)
{
	static char text[CAP];
	char path[1024];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	if (!(f = fopen(path, "rb")))
		kit_broken("a seed cannot be opened", path);
	text[fread(text, 1, sizeof text - 1, f)] = '\0';
	fclose(f);
	add(t, text);
}

static void
add_folder(struct texts *t, const char *folder, const char *suffix)
{
	struct dirent **names;
	char path[512];
	int n;

	snprintf(path, sizeof path, "%s/%s", FUZZ_ROOT, folder);
	if ((n = scandir(path, &names, NULL, alphasort)) < 0)
		kit_broken("no seeds in", path);
	for (int i = 0; i < n; i++) {
		size_t len = strlen(names[i]->d_name), end = strlen(suffix);

		if (len > end && strcmp(names[i]->d_name + len - end, suffix) == 0)
			add_file(t, path, names[i]->d_name);
		free(names[i]);
	}
	free(names);
}

/* -- .qdk --------------------------------------------------------------------------------- */

static const struct texts *
all_qdk(void)
{
	static struct texts t;
	static char text[CAP];

	if (t.n)
		return &t;
	add_folder(&t, "tests/fuzz/inputs", ".qdk");
	add_folder(&t, "docs/examples", ".qdk");
	add_folder(&t, "tests/golden", ".qdk");
	for (size_t i = 0; lang_run_text(i, text, sizeof text); i++)
		add(&t, text);
	for (struct diag_text_case c = { 0 }; diag_text_next(&c);)
		add(&t, c.qdk);
	for (unsigned i = 0; i < n_diag_cases_lang; i++)
		if (diag_cases_lang[i].qdk && !diag_cases_lang[i].n_spaces)
			add(&t, diag_cases_lang[i].qdk);
	for (uint64_t i = 0; i < N_RANDOM; i++)
		if (program_random_text(i, text, sizeof text) < sizeof text)
			add(&t, text);
	return &t;
}

/* -- Printed IR ------------------------------------------------------------------------------- */

/* Builds with the first choice of each template; sets integers only if all is true. */
static qd_status
build_first(struct kit *k, struct qd_module *m, uint32_t kernel, bool all, struct qd_kernel **out)
{
	struct qd_tmpl tmpl[8] = { { 0 } };
	struct qd_tmpl_info info;
	uint32_t n = 0;

	for (uint32_t j = 0; j < qd_module_tmpl_count(m, kernel) && n < QD_COUNT(tmpl); j++) {
		if (qd_module_tmpl(m, kernel, j, &info, NULL) || (!info.is_type && !all))
			continue;
		tmpl[n].name = info.name;
		tmpl[n].value = info.lo;
		while (info.is_type && !(info.type_mask >> tmpl[n].type & 1))
			tmpl[n].type++;
		n++;
	}
	return qd_module_kernel(m, qd_module_kernel_name(m, kernel), tmpl, n, out, &k->err);
}

static void
add_kernels(struct texts *t, struct kit *k, const char *text)
{
	struct qd_module *m = NULL;

	if (qd_module_parse(k->ctx, text, strlen(text), "seed.qdk", &m, &k->err))
		return;
	for (uint32_t i = 0; i < qd_module_kernel_count(m); i++) {
		struct qd_kernel *kernel = NULL;
		char *ir;

		if (build_first(k, m, i, false, &kernel) && build_first(k, m, i, true, &kernel))
			continue;
		ir = kit_print(k, kernel);
		add(t, ir);
		free(ir);
		qd_kernel_free(kernel);
	}
	qd_module_free(m);
}

static const struct texts *
all_ir(void)
{
	static struct texts t;
	const struct texts *qdk = all_qdk();
	struct kit k;

	if (t.n)
		return &t;
	add_folder(&t, "tests/fuzz/inputs", ".ir");
	add_folder(&t, "tests/golden/ir", ".ir");
	for (unsigned i = 0; i < n_diag_cases_read; i++)
		if (diag_cases_read[i].ir)
			add(&t, diag_cases_read[i].ir);
	for (unsigned i = 0; i < n_diag_cases_pass; i++)
		if (diag_cases_pass[i].ir)
			add(&t, diag_cases_pass[i].ir);
	kit_open(&k);
	for (size_t i = 0; i < qdk->n; i++)
		add_kernels(&t, &k, qdk->s[i]);
	kit_close(&k);
	return &t;
}

static size_t
copy(const struct texts *t, size_t i, char *out, size_t cap)
{
	size_t len = i < t->n ? strlen(t->s[i]) : 0;

	len = len < cap ? len : cap - 1;
	if (len)
		memcpy(out, t->s[i], len + 1);
	return len;
}

size_t
texts_qdk(size_t i, char *out, size_t cap)
{
	return copy(all_qdk(), i, out, cap);
}

size_t
texts_ir(size_t i, char *out, size_t cap)
{
	return copy(all_ir(), i, out, cap);
}
