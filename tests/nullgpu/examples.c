/* Compiles the kernels of example files. Each template value is compiled at least once, but not
 * each combination; a wide range is sampled. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "walk.h"

enum { MAX_TEMPLATE = 8, MAX_VALUE = 8 };

static uint32_t
n_values(const struct qd_tmpl_info *t)
{
	uint64_t n;

	if (t->is_type)
		return (uint32_t)__builtin_popcount(t->type_mask);
	n = t->n_set ? t->n_set : (uint64_t)(t->hi - t->lo) + 1;
	return n < MAX_VALUE ? (uint32_t)n : MAX_VALUE;
}

static struct qd_tmpl
value(const struct qd_tmpl_info *t, uint32_t i)
{
	struct qd_tmpl v = { .name = t->name };
	const uint32_t n = n_values(t);

	i %= n;
	if (t->is_type) {
		while (!(t->type_mask >> v.type & 1) || i--)
			v.type++;
	} else if (t->n_set) {
		v.value = t->set[i];
	} else {
		v.value = n == 1 ? t->lo : t->lo + (t->hi - t->lo) * i / (n - 1);
	}
	return v;
}

static void
write_name(char *out, size_t size, const char *file, const char *kernel, const struct qd_tmpl *v,
	   uint32_t n)
{
	size_t at = (size_t)snprintf(out, size, "%s: %s", file, kernel);

	for (uint32_t i = 0; i < n && at < size; i++) {
		at += (size_t)snprintf(out + at, size - at, " %s=", v[i].name);
		if (at < size && v[i].type)
			at += (size_t)snprintf(out + at, size - at, "%s", qd_type_name(v[i].type));
		else if (at < size)
			at += (size_t)snprintf(out + at, size - at, "%lld", (long long)v[i].value);
	}
}

static void
compile(struct walk *p, struct qd_module *m, const char *name, const char *kernel,
	const struct qd_tmpl *v, uint32_t n)
{
	struct qd_kernel *k = NULL;
	struct qd_function *fn;
	struct qd_error err = { 0 };
	qd_status st = qd_module_kernel(m, kernel, v, n, &k, &err);
	bool begun = !st && walk_begin(p, k, NULL, 0);

	if (begun)
		st = qd_function_get(p->suite->dev, k, NULL, 0, &fn, &err);
	if (begun && !st)
		qd_function_free(fn);
	walk_end(p, begun || st, st, err.text);
	walk_named(p, name);
	qd_kernel_free(k);
}

static void
run_kernel_of(struct walk *p, struct qd_module *m, const char *file, uint32_t kernel)
{
	struct qd_tmpl_info info[MAX_TEMPLATE];
	struct qd_tmpl v[MAX_TEMPLATE];
	uint32_t n = qd_module_tmpl_count(m, kernel), most = 1;
	char name[MAX_NAME];

	if (n > MAX_TEMPLATE) {
		printf("FAIL %s: a kernel with %u templates; at most %u are expected\n", file, n,
		       MAX_TEMPLATE);
		p->shared->n_failed++;
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		qd_module_tmpl(m, kernel, i, &info[i], NULL);
		if (n_values(&info[i]) > most)
			most = n_values(&info[i]);
	}
	for (uint32_t c = 0; c < most; c++) {
		for (uint32_t i = 0; i < n; i++)
			v[i] = value(&info[i], c);
		write_name(name, sizeof name, file, qd_module_kernel_name(m, kernel), v, n);
		compile(p, m, name, qd_module_kernel_name(m, kernel), v, n);
	}
}

static char *
read_text(const char *path, size_t *size)
{
	enum { MAX_TEXT = 1 << 20 };
	FILE *f = fopen(path, "rb");
	char *text = f ? malloc(MAX_TEXT) : NULL;

	*size = text ? fread(text, 1, MAX_TEXT, f) : 0;
	if (f)
		fclose(f);
	return text;
}

static int
is_qdk(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 4 && strcmp(d->d_name + n - 4, ".qdk") == 0;
}

void
walk_run_examples(struct walk *p, const char *folder)
{
	struct dirent **files = NULL;
	int n = scandir(folder, &files, is_qdk, alphasort);

	if (n <= 0 && p->mode == WALK_COMPILE) {
		printf("FAIL %s: the directory has no .qdk file\n", folder);
		p->shared->n_failed++;
	}
	for (int i = 0; i < n; i++) {
		char path[4096];
		struct qd_module *m = NULL;
		struct qd_error err;
		size_t size;
		char *text;

		snprintf(path, sizeof path, "%s/%s", folder, files[i]->d_name);
		text = read_text(path, &size);
		if (!text ||
		    qd_module_parse(p->suite->ctx, text, size, files[i]->d_name, &m, &err)) {
			printf("FAIL %s: %s\n", path, text ? err.text : "the file cannot be read");
			p->shared->n_failed++;
		}
		for (uint32_t k = 0; m && k < qd_module_kernel_count(m); k++)
			run_kernel_of(p, m, files[i]->d_name, k);
		qd_module_free(m);
		free(text);
		free(files[i]);
	}
	free(files);
}
