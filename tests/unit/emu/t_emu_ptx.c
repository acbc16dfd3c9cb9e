/* PTX interpreter on code that nvcc generated: every kernel of tests/emu with several seeds,
 * against plain C. Code with one injected fault must be detected. */
#include "emu_kernels.h"

#include <stdio.h>
#include <stdlib.h>

enum { N_SEEDS = 5 };

static bool
injected(void)
{
	return getenv("QD_TEST_MUTATION") != NULL;
}

/* Returns true if the text is NAME.sm_NN of this module. */
static bool
is_of(const struct emu_text *text, const char *module)
{
	size_t n = strlen(module);

	return !strncmp(text->name, module, n) && text->name[n] == '.';
}

struct bench {
	struct pool pool;
	struct emu_memory *got, *want;
	struct qd_error e;
};

static void
bench_open(struct bench *b)
{
	pool_init(&b->pool, &pool_malloc);
	b->got = malloc(sizeof *b->got);
	b->want = malloc(sizeof *b->want);
	if (!b->got || !b->want)
		abort();
}

static void
bench_close(struct bench *b)
{
	free(b->got);
	free(b->want);
	pool_fini(&b->pool);
}

/* Returns the index of the first word that differs, or the number of words. */
static size_t
differ(struct bench *b, const struct emu_kernel *k)
{
	size_t i = 0;

	if (k->settle) {
		k->settle(k, b->got);
		k->settle(k, b->want);
	}
	while (i < QD_COUNT(b->got->out.w) && b->got->out.w[i] == b->want->out.w[i])
		i++;
	return i;
}

static qd_status
run_one(struct bench *b, const struct ptx_module *m, const struct emu_kernel *k, uint64_t data,
	uint64_t seed)
{
	emu_fill(k, b->got, data);
	emu_fill(k, b->want, data);
	k->want(k, b->got, b->want);
	return emu_run(&b->pool, m, k, b->got, seed, &b->e);
}

/* -- Kernels ------------------------------------------------------------------------------ */

static void
kernels(struct unit_ctx *t)
{
	struct bench b;
	unsigned n = 0;
	bool inject = injected();

	bench_open(&b);
	for (unsigned i = 0; i < emu_n_texts; i++) {
		struct ptx_module *m;
		const struct emu_text *text = &emu_texts[i];
		qd_status st = ptx_module_parse(&b.pool, text->text, text->len, &m, &b.e);

		UNIT_CHECK(t, st == QD_OK, "%s.ptx:%u:%u: %s", text->name, b.e.line, b.e.col,
			   b.e.text);
		for (unsigned j = 0; st == QD_OK && j < emu_n_kernels; j++) {
			const struct emu_kernel *k = &emu_kernels[j];

			if (!is_of(text, k->module))
				continue;
			for (uint64_t seed = 1; seed <= N_SEEDS; seed++, n++) {
				qd_status end = run_one(&b, m, k, seed * 77, seed);

				if (inject && end == QD_OK)
					b.got->out.w[7] ^= 16;
				inject = false;
				size_t at = differ(&b, k);

				UNIT_CHECK(t, end == QD_OK, "%s, %s, seed %llu: line %u: %s",
					   text->name, k->name, (unsigned long long)seed, b.e.line,
					   b.e.text);
				UNIT_CHECK(t, at == QD_COUNT(b.got->out.w),
					   "%s, %s, seed %llu: word %zu is 0x%x, not 0x%x",
					   text->name, k->name, (unsigned long long)seed, at,
					   b.got->out.w[at], b.want->out.w[at]);
				if (end != QD_OK || at != QD_COUNT(b.got->out.w))
					break;
			}
		}
		ptx_module_free(st == QD_OK ? m : NULL);
	}
	UNIT_CHECK(t, n >= N_SEEDS * emu_n_kernels, "%u runs of %u kernels", n, emu_n_kernels);
	bench_close(&b);
}

/* -- Modifiers in another order -------------------------------------------------------------- */

/* Swaps the two modifiers after each occurrence of the name. Returns the number of swaps. */
static unsigned
swap_words(char *text, const char *name)
{
	size_t len = strlen(name);
	unsigned n = 0;

	for (char *at = text; (at = strstr(at, name)); at += len) {
		char *first = at + len, words[64];
		size_t a = strcspn(first, "."), b = strcspn(first + a + 1, ". \t");
		if (a + b + 2 > sizeof words)
			continue;
		snprintf(words, sizeof words, "%.*s.%.*s", (int)b, first + a + 1, (int)a, first);
		memcpy(first, words, a + b + 1);
		n++;
	}
	return n;
}

/* Checks that `vote.ballot.sync` is accepted for `vote.sync.ballot`, as ptxas does. CUB uses this
 * form. */
static void
other_order(struct unit_ctx *t)
{
	static const char *const names[] = { "vote.", "shfl.", "match.", "redux." };
	unsigned n_swaps[QD_COUNT(names)] = { 0 };
	struct bench b;

	bench_open(&b);
	for (unsigned i = 0; i < emu_n_texts; i++) {
		const struct emu_text *text = &emu_texts[i];
		char *made = malloc(text->len + 1);
		struct ptx_module *m;
		unsigned n = 0;

		if (!made)
			abort();
		memcpy(made, text->text, text->len);
		made[text->len] = '\0';
		for (size_t k = 0; k < QD_COUNT(names); k++) {
			unsigned swapped = swap_words(made, names[k]);
			n_swaps[k] += swapped;
			n += swapped;
		}
		qd_status st = n ? ptx_module_parse(&b.pool, made, text->len, &m, &b.e) : QD_E_NOT_FOUND;
		UNIT_CHECK(t, !n || st == QD_OK, "%s.ptx:%u:%u: %s", text->name, b.e.line, b.e.col, b.e.text);
		for (unsigned j = 0; st == QD_OK && j < emu_n_kernels; j++) {
			const struct emu_kernel *k = &emu_kernels[j];
			if (!is_of(text, k->module))
				continue;
			qd_status end = run_one(&b, m, k, 5, 1);
			UNIT_CHECK(t, end == QD_OK && differ(&b, k) == QD_COUNT(b.got->out.w), "%s, %s: %s", text->name,
				   k->name, b.e.text);
		}
		ptx_module_free(st == QD_OK ? m : NULL);
		free(made);
	}
	for (size_t k = 0; k < QD_COUNT(names); k++)
		UNIT_CHECK(t, n_swaps[k] > 1, "%s: %u", names[k], n_swaps[k]);
	bench_close(&b);
}

/* -- Injected faults ---------------------------------------------------------------------- */

/* Text replaced in a kernel, at its first occurrence; the results must differ. */
/* clang-format off */
static const struct {
	const char *module, *name, *was, *is;
} wrongs[] = {
	/* Operand c: another width, no clamp, another segment. */
	{ "shuffle.sm_75", "shuffle", "7711;", "7199;" },
	{ "shuffle.sm_75", "shuffle", "7680;", "7168;" },
	{ "shuffle.sm_75", "shuffle", "7199;", "7198;" },
	{ "shuffle.sm_75", "shuffle64", "6175;", "31;" },
	{ "vote.sm_75", "vote", "vote.sync.ballot", "activemask.b32 %r1; //" },
	{ "redux.sm_80", "redux", "redux.sync.min.s32", "redux.sync.min.u32" },
	{ "block.sm_75", "block_scan", "bar.sync \t0;", "" },
	{ "async.sm_80", "async_copy", "cp.async.wait_group 1;", "" },
	{ "barrier.sm_75", "barriers", "bar.sync 1, 128;", "" },
	{ "real.sm_75", "real32", "add.rm.f32", "add.rp.f32" },
	{ "atomic.sm_75", "atomics", "atom.global.dec", "atom.global.inc" },
};
/* clang-format on */

static void
wrong_ones(struct unit_ctx *t)
{
	struct bench b;

	bench_open(&b);
	for (size_t i = 0; i < QD_COUNT(wrongs); i++) {
		const struct emu_text *text = NULL;
		const struct emu_kernel *k = NULL;
		struct ptx_module *m;
		char *made, *at;
		bool seen = false;

		for (unsigned j = 0; j < emu_n_texts; j++)
			text = !strcmp(emu_texts[j].name, wrongs[i].module) ? &emu_texts[j] : text;
		for (unsigned j = 0; j < emu_n_kernels; j++)
			k = !strcmp(emu_kernels[j].name, wrongs[i].name) ? &emu_kernels[j] : k;
		if (!text || !k) {
			UNIT_CHECK(t, false, "the text has no %s of %s", wrongs[i].name,
				   wrongs[i].module);
			continue;
		}
		made = malloc(text->len + 100);
		if (!made)
			abort();
		const char *from = strstr(text->text, wrongs[i].name),
			   *hit = from ? strstr(from, wrongs[i].was) : NULL;

		UNIT_CHECK(t, hit, "%s has no %s", wrongs[i].name, wrongs[i].was);
		if (hit) {
			memcpy(made, text->text, (size_t)(hit - text->text));
			at = made + (hit - text->text);
			at += sprintf(at, "%s", wrongs[i].is);
			hit += strlen(wrongs[i].was);
			memcpy(at, hit, text->len - (size_t)(hit - text->text) + 1);
			qd_status st = ptx_module_parse(&b.pool, made, strlen(made), &m, &b.e);

			UNIT_CHECK(t, st == QD_OK, "%s: %u:%u: %s", wrongs[i].is, b.e.line, b.e.col,
				   b.e.text);
			for (uint64_t seed = 1; st == QD_OK && seed <= N_SEEDS && !seen; seed++)
				seen = run_one(&b, m, k, seed, seed) != QD_OK ||
				       differ(&b, k) != QD_COUNT(b.got->out.w);
			UNIT_CHECK(t, seen, "%s for %s in %s is not detected", wrongs[i].is,
				   wrongs[i].was, wrongs[i].name);
			ptx_module_free(st == QD_OK ? m : NULL);
		}
		free(made);
	}
	bench_close(&b);
}

/* -- Damaged texts ------------------------------------------------------------------------ */

/* A zero byte after a number is no operator. */
static void
zero_byte(struct unit_ctx *t)
{
	static const char text[] = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n"
				   "  .reg .b32 %r<2>;\n  mov.u32 %r1, 1\0 0;\n  ret;\n}\n";
	struct bench b;
	struct ptx_module *m;

	bench_open(&b);
	qd_status st = ptx_module_parse(&b.pool, text, sizeof text - 1, &m, &b.e);
	UNIT_CHECK(t, st == QD_E_SYNTAX && b.e.line == 6, "%d, line %u: %s", st, b.e.line, b.e.text);
	ptx_module_free(st == QD_OK ? m : NULL);
	bench_close(&b);
}

/* -- Threads ------------------------------------------------------------------------------ */

struct runner {
	const struct ptx_module *m;
	const struct emu_kernel *k;
	struct bench b;
	unsigned failed;
};

static void *
run_many(void *arg)
{
	struct runner *r = arg;

	for (uint64_t seed = 1; seed <= 20; seed++)
		r->failed += run_one(&r->b, r->m, r->k, seed, seed) != QD_OK ||
			     differ(&r->b, r->k) != QD_COUNT(r->b.got->out.w);
	return NULL;
}

/* Checks that launches of one module may run concurrently. */
static void
threads(struct unit_ctx *t)
{
	static const char *const names[] = { "block_sort", "spaces", "atomics" };
	struct runner r[4];
	pthread_t thread[4];

	for (size_t n = 0; n < QD_COUNT(names); n++) {
		const struct emu_kernel *k = NULL;
		const struct emu_text *text = NULL;
		struct ptx_module *m;
		struct pool pool;
		struct qd_error e;

		for (unsigned j = 0; j < emu_n_kernels; j++)
			k = !strcmp(emu_kernels[j].name, names[n]) ? &emu_kernels[j] : k;
		for (unsigned j = 0; j < emu_n_texts; j++)
			text = k && is_of(&emu_texts[j], k->module) ? &emu_texts[j] : text;
		pool_init(&pool, &pool_malloc);
		if (!text || ptx_module_parse(&pool, text->text, text->len, &m, &e)) {
			UNIT_CHECK(t, false, "%s is not read", names[n]);
			pool_fini(&pool);
			return;
		}
		for (size_t i = 0; i < QD_COUNT(r); i++) {
			r[i] = (struct runner){ .m = m, .k = k };
			bench_open(&r[i].b);
			if (pthread_create(&thread[i], NULL, run_many, &r[i]))
				abort();
		}
		for (size_t i = 0; i < QD_COUNT(r); i++) {
			pthread_join(thread[i], NULL);
			UNIT_CHECK(t, !r[i].failed, "%s: %u of 20 launches: %s", names[n],
				   r[i].failed, r[i].b.e.text);
			bench_close(&r[i].b);
		}
		ptx_module_free(m);
		pool_fini(&pool);
	}
}

const struct unit units_emu_ptx[] = {
	{ "kernels", kernels },
	{ "other_order", other_order },
	{ "wrong", wrong_ones },
	{ "zero_byte", zero_byte },
	{ "threads", threads },
};
const unsigned n_units_emu_ptx = QD_COUNT(units_emu_ptx);
