/* Random structured programs as .qdk text. Each runs on the device and on the machine of
 * program_eval.c, which follows the contract and shares no code with the library. Every element of
 * every buffer must agree bit for bit. */
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "program.h"

enum { MAX_TRIES = 2000 };

/* -- One launch --------------------------------------------------------------------- */

struct work {
	struct suite *t;
	struct program *p;
	uint64_t seed;
	char *text;
	void *init[N_ARRAY], *got[N_ARRAY], *want[N_ARRAY];
	char why[1200]; /* the error, or empty */
	bool differs;	/* the error is a wrong result */
};

static void *
must(void *p)
{
	if (!p) {
		fputs("out of memory\n", stderr);
		exit(4);
	}
	return p;
}

static size_t
array_size(const struct program *p, uint32_t i)
{
	return p->array[i].len * qd_type_size(p->array[i].type);
}

static void
fill(struct work *w)
{
	uint64_t rng = w->seed + 77;

	for (uint32_t i = 0; i < N_ARRAY; i++) {
		const struct array *a = &w->p->array[i];

		w->init[i] = must(malloc(array_size(w->p, i)));
		w->got[i] = must(malloc(array_size(w->p, i)));
		w->want[i] = must(malloc(array_size(w->p, i)));
		for (uint32_t n = 0; n < a->len; n++) {
			uint64_t bits = random_u64(&rng);

			if (a->type == QD_TYPE_F32 || a->type == QD_TYPE_F64)
				bits = pattern_value(a->type, 0, &rng);
			else if (a->type == QD_TYPE_F16 || a->type == QD_TYPE_BF16)
				bits = ref_narrow(a->type,
						  ref_cast(QD_TYPE_I32, QD_TYPE_F32,
							   (uint32_t)(bits % 400 - 200), false));
			else if (i != A_OUT)
				bits = n % 4 ? bits >> bits % 64 : bits;
			element_put(w->init[i], a->type, n, bits);
		}
	}
}

static void
run_on_device(struct work *w)
{
	const struct program *p = w->p;
	struct host_buffer bufs[N_ARRAY + N_SCALAR];
	struct qd_arg scalar[N_SCALAR];
	struct qd_tmpl tmpl[2] = { { .name = "N", .value = p->shape },
				   { .name = "L", .value = p->tile % (w->t->log2_size + 1) } };
	struct qd_error err = { 0 };
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	uint32_t n = p->tile_early ? 2 : 1;
	qd_status st;

	for (uint32_t i = 0; i < N_ARRAY; i++) {
		bufs[i] = (struct host_buffer){ w->got[i], array_size(p, i) };
		memcpy(w->got[i], w->init[i], array_size(p, i));
	}
	for (uint32_t i = 0; i < N_SCALAR; i++) {
		scalar[i] = (struct qd_arg){ .type = p->kernel.var[i].type, .bits = p->scalar[i] };
		bufs[N_ARRAY + i] = (struct host_buffer){ &scalar[i], 0 };
	}
	st = qd_module_parse(w->t->ctx, w->text, strlen(w->text), "program.qdk", &m, &err);
	if (!st)
		st = qd_module_kernel(m, "program", tmpl, n, &k, &err);
	if (!st)
		st = run_kernel(w->t, k, tmpl + n, 2 - n, p->blocks_given ? p->n_blocks : QD_GRID, bufs,
				N_ARRAY + N_SCALAR, &err);
	if (st)
		snprintf(w->why, sizeof w->why, "%.1000s", err.text);
	qd_kernel_free(k);
	qd_module_free(m);
}

static void
compare(struct work *w)
{
	for (uint32_t i = 0; i < N_ARRAY; i++) {
		const struct array *a = &w->p->array[i];

		for (uint32_t n = 0; n < a->len; n++) {
			uint64_t got = element_get(w->got[i], a->type, n);
			uint64_t want = element_get(w->want[i], a->type, n);

			if (got == want)
				continue;
			w->differs = true;
			snprintf(w->why, sizeof w->why, "%s[%u]: got %016llx, want %016llx",
				 a->name, n, (unsigned long long)got, (unsigned long long)want);
			return;
		}
	}
}

/* -- Assertions and prints --------------------------------------------------------------- */

/* Compiles the program for a target. Returns NULL if the program is rejected. */
static struct qd_image *
image_of(struct work *w, const char *target)
{
	const struct program *p = w->p;
	struct qd_tmpl tmpl[2] = { { .name = "N", .value = p->shape },
				   { .name = "L", .value = p->tile % 3 } };
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	struct qd_image *image = NULL;

	program_text(p, w->text, MAX_TEXT);
	if (!qd_module_parse(w->t->ctx, w->text, strlen(w->text), "program.qdk", &m, NULL) &&
	    !qd_module_kernel(m, "program", tmpl, 2, &k, NULL))
		qd_compile(w->t->ctx, k, target, NULL, 0, &image, NULL);
	qd_kernel_free(k);
	qd_module_free(m);
	return image;
}

/* Checks that assertions and prints do not change the emitted code. */
static void
compare_quiet(struct work *w)
{
	static const char *const targets[] = { "spirv:w8", "ptx:sm_70" };

	for (size_t i = 0; i < sizeof targets / sizeof *targets && !w->why[0]; i++) {
		size_t n[2] = { 0 };
		struct qd_image *image[2];

		for (int quiet = 0; quiet < 2; quiet++) {
			w->p->quiet = quiet;
			image[quiet] = image_of(w, targets[i]);
			if (image[quiet])
				qd_image_data(image[quiet], &n[quiet]);
		}
		w->p->quiet = false;
		if (n[0] != n[1] ||
		    (n[0] && memcmp(qd_image_data(image[0], &n[0]), qd_image_data(image[1], &n[1]), n[0])))
			snprintf(w->why, sizeof w->why,
				 "%s: %zu bytes, and %zu without its print and assert", targets[i], n[0], n[1]);
		qd_image_free(image[0]);
		qd_image_free(image[1]);
	}
}

static void
run_once(struct work *w)
{
	const char *fault;

	w->why[0] = '\0';
	w->differs = false;
	w->p->size = w->t->size;
	if (program_text(w->p, w->text, MAX_TEXT) >= MAX_TEXT) {
		snprintf(w->why, sizeof w->why, "the text is too long");
		return;
	}
	for (uint32_t i = 0; i < N_ARRAY; i++)
		memcpy(w->want[i], w->init[i], array_size(w->p, i));
	fault = program_eval(w->p, w->t->size, w->t->flush, w->t->inject_loop, w->want);
	if (fault && w->t->inject_loop)
		return; /* this run only looks for wrong results */
	if (fault) {
		snprintf(w->why, sizeof w->why, "the program is invalid: %s", fault);
		return;
	}
	run_on_device(w);
	if (w->why[0])
		return;
	if (w->t->inject && !w->t->injected) {
		*(uint8_t *)w->got[A_OUT] ^= 1;
		w->t->injected = true;
	}
	compare(w);
	if (!w->why[0] && program_has(w->p, HAS_REPORTED) && !strncmp(w->t->info.selector, "ref", 3))
		compare_quiet(w);
}

/* -- Reduction of a failing program ----------------------------------------------------- */

static uint32_t
list_statements(struct stmt *first, struct stmt **out, uint32_t n)
{
	for (struct stmt *s = first; s; s = s->next) {
		if (s->kind != S_LET && s->kind != S_WIDE_LOAD && s->kind != S_GRID && s->kind != S_SHARED)
			out[n++] = s;
		n = list_statements(s->body, out, n);
		n = list_statements(s->other, out, n);
	}
	return n;
}

/* Returns whether both errors have the same message. */
static bool
same_refusal(const char *a, const char *b)
{
	const char *from = strstr(a, "error: "), *at = strstr(b, "error: ");

	/* The position in the text may differ. */
	from = from ? from : a;
	at = at ? at : b;
	return strncmp(from, at, strcspn(from, "\n")) == 0;
}

static void
shrink(struct work *w, struct program *p)
{
	struct stmt **all = must(malloc((p->n_stmts + 64) * sizeof *all));
	uint32_t n = list_statements(p->kernel.body, all, 0), tries = 0;
	char why[sizeof w->why];
	bool differs = w->differs, smaller = true;

	for (uint32_t i = 0; i < p->n_fn; i++)
		n = list_statements(p->fn[i].body, all, n);
	memcpy(why, w->why, sizeof why);
	while (smaller && tries < MAX_TRIES) {
		smaller = false;
		for (uint32_t i = 0; i < n && tries < MAX_TRIES; i++) {
			if (all[i]->removed)
				continue;
			all[i]->removed = true;
			tries++;
			run_once(w);
			if (differs ? w->differs : !w->differs && same_refusal(why, w->why)) {
				smaller = true;
				memcpy(why, w->why, sizeof why);
			} else {
				all[i]->removed = false;
			}
		}
	}
	run_once(w);
	free(all);
}

uint32_t
program_device(const struct suite *t)
{
	return (t->has_f64 ? DEVICE_F64 : 0u) | (t->has_small ? DEVICE_SMALL : 0u) |
	       (strstr(t->info.target, "-atomic64") ? 0u : DEVICE_ATOMIC64);
}

uint64_t
program_count(const struct suite *t)
{
	enum { N_PROGRAM = 40 };

	return t->n_programs ? t->n_programs : N_PROGRAM;
}

void
program_run(struct suite *t, uint64_t seed)
{
	struct program *p = program_make(seed, program_device(t));
	struct work w = { .t = t, .p = p, .seed = seed, .text = must(malloc(MAX_TEXT)) };

	fill(&w);
	run_once(&w);
	if (!w.why[0]) {
		t->passed++;
	} else if (!suite_skips_apart(t, 1, w.why)) {
		suite_fail(t, 1, "program %llu%s: %s", (unsigned long long)seed,
			   t->verbose ? "" : " (tests/run -v prints it)", w.why);
		if (t->verbose && !t->injected) {
			shrink(&w, p);
			printf("%s\n%s\n", w.why, w.text);
		}
	}
	for (uint32_t i = 0; i < N_ARRAY; i++) {
		free(w.init[i]);
		free(w.got[i]);
		free(w.want[i]);
	}
	free(w.text);
	program_free(p);
}

static void
run_programs(struct suite *t, const struct family *f)
{
	(void)f;
	for (uint64_t n = 0; n < program_count(t); n++)
		program_run(t, t->seed * 1000 + n);
}

static uint64_t
count_programs(const struct suite *t, const struct family *f)
{
	(void)f;
	return program_count(t);
}

const struct family family_program = { "program", NULL, 0, run_programs, count_programs };
