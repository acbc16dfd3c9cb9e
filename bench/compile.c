/* bench/compile: times compilation from the first builder call to the words of the module. It
 * compiles whole kernels, with a memcpy of the same words as a lower bound. It then compiles
 * one kernel for every row of the table of primitives, on the whole subgroup and on tiles, and
 * the sort at 64 and 128 lanes. It prints the slowest by name.
 *
 * For whole kernels, rows emit/... time only the back end, from the legal body to the bytes; a
 * sample is the mean of eight.
 *
 *	compile [--json] [TARGET]		default spirv:w32, then whole kernels for PTX and gfx1100
 *	compile --check [--mutate=WHAT] [TARGET]	few samples: only exact results
 *
 * The limit of a primitive is 10 us or 100 ns per instruction of its legal body, whichever is
 * more, in a release build (other builds check the IR after each pass). Exceeding it is only
 * reported. The exit status is 1 if a warm compilation or emission allocates from the heap, if a
 * row does not compile, or if a name of the language has no call in kernel.c. */
#include "kernel.h"
#include "primitive.h"

#include "bench.h"
#include "peer.h"

enum { LIMIT_NS_PER_INS = 100, N_SAMPLES = 300, N_CHECK = 4, N_WARM = 3, EMIT_EACH = 8 };
static const double limit_us = 10;
#define DEFAULT_TARGET "spirv:w32"

/* -- Allocations, counted by the context's allocator hooks ------------------------- */

static uint64_t n_allocs;

static void *
count_alloc(void *user, size_t size)
{
	(void)user;
	n_allocs++;
	return malloc(size);
}

static void
count_free(void *user, void *p, size_t size)
{
	(void)user;
	(void)size;
	free(p);
}

/* -- Kernels --------------------------------------------------------------------------- */

struct job {
	struct qd_context *ctx;
	const char *target;
	struct qd_kernel *(*make)(struct job *j);
	struct kernel_job primitive;
	uint32_t n_ops;	 /* operations of a chain */
	uint32_t calls;	 /* number of builder calls */
	void *words, *copy;
	size_t size;
	struct qd_error err;
};

static struct qd_kernel *
reduction(struct job *j)
{
	struct qd_kernel *k = NULL;
	struct qd_builder *b;
	struct qd_array src, dst;
	struct qd_val i, sum;

	if (qd_builder_create(j->ctx, "reduce_add", &b, &j->err))
		return NULL;
	qd_block(b, 64, 1, 1);
	src = qd_param_buffer(b, "src", QD_TYPE_F32, QD_ACCESS_IN);
	dst = qd_param_buffer(b, "dst", QD_TYPE_F32, QD_ACCESS_OUT);
	i = qd_grid(b, qd_len(b, src));
	sum = qd_subgroup_reduce_add(b, qd_load(b, src, i));
	qd_if(b, qd_eq(b, qd_subgroup_invocation_id(b), qd_u32(b, 0)));
	qd_store(b, dst, qd_div(b, i, qd_subgroup_group_size(b)), sum);
	qd_end(b);
	j->calls = 14;
	return qd_builder_finish(b, &k, &j->err) ? NULL : k;
}

/* Sorts pairs in the whole subgroup, the longest expansion. */
static struct qd_kernel *
sort(struct job *j)
{
	struct qd_kernel *k = NULL;
	struct qd_builder *b;
	struct qd_array key, value, keys, values;
	struct qd_val i, pair[2];

	if (qd_builder_create(j->ctx, "sort", &b, &j->err))
		return NULL;
	key = qd_param_buffer(b, "key", QD_TYPE_F32, QD_ACCESS_IN);
	value = qd_param_buffer(b, "value", QD_TYPE_U32, QD_ACCESS_IN);
	keys = qd_param_buffer(b, "keys", QD_TYPE_F32, QD_ACCESS_OUT);
	values = qd_param_buffer(b, "values", QD_TYPE_U32, QD_ACCESS_OUT);
	i = qd_grid(b, qd_len(b, key));
	pair[0] = qd_load(b, key, i);
	pair[1] = qd_load(b, value, i);
	qd_subgroup_bitonic_sort_kv(b, pair[0], pair[1], pair);
	qd_store(b, keys, i, pair[0]);
	qd_store(b, values, i, pair[1]);
	j->calls = 12;
	return qd_builder_finish(b, &k, &j->err) ? NULL : k;
}

/* Creates a chain of n operations, each using the previous one, so no pass can remove any. */
static struct qd_kernel *
chain(struct job *j)
{
	struct qd_kernel *k = NULL;
	struct qd_builder *b;
	struct qd_array src, dst;
	struct qd_val i, x, y;

	if (qd_builder_create(j->ctx, "chain", &b, &j->err))
		return NULL;
	src = qd_param_buffer(b, "src", QD_TYPE_U32, QD_ACCESS_IN);
	dst = qd_param_buffer(b, "dst", QD_TYPE_U32, QD_ACCESS_OUT);
	i = qd_grid(b, qd_len(b, src));
	x = qd_load(b, src, i);
	y = i;
	for (uint32_t n = 0; n < j->n_ops; n++) {
		struct qd_val z;

		switch (n % 4) {
		case 0: z = qd_add(b, x, y); break;
		case 1: z = qd_xor(b, x, y); break;
		case 2: z = qd_mul(b, x, y); break;
		default: z = qd_sub(b, x, y); break;
		}
		y = x;
		x = z;
	}
	qd_store(b, dst, i, x);
	j->calls = j->n_ops + 6;
	return qd_builder_finish(b, &k, &j->err) ? NULL : k;
}

/* -- Whole kernels ------------------------------------------------------------------------- */

/* Options, and results of the primitives. */
struct run {
	struct qd_context *ctx;
	struct target target;
	bool json, check, peers;
	const char *inject;
	uint32_t n, n_lack, n_bad, n_over;
	double slowest;
	char slowest_name[96];
};

static bool
compile_once(void *user)
{
	struct job *j = user;
	struct qd_kernel *k = j->make(j);
	struct qd_image *image = NULL;
	const void *words;
	bool ok = k && qd_compile(j->ctx, k, j->target, NULL, 0, &image, &j->err) == QD_OK;

	if (ok) {
		words = qd_image_data(image, &j->size);
		if (!j->words && (j->words = malloc(j->size)) && (j->copy = malloc(j->size)))
			memcpy(j->words, words, j->size);
	}
	qd_image_free(image);
	qd_kernel_free(k);
	return ok;
}

static bool
copy_once(void *user)
{
	struct job *j = user;

	memcpy(j->copy, j->words, j->size);
	/* Reading it prevents the compiler from removing the copy. */
	return *(volatile unsigned char *)j->copy == *(unsigned char *)j->words;
}

/* -- Emission -------------------------------------------------------------------------------- */

/* A legal body, and memory that emissions reuse. */
struct emission {
	struct isa_in in;
	struct body body;
	struct arena body_mem, mem;
	struct buf code;
	struct qd_error *err;
};

static bool
emission_init(struct emission *m, struct job *j, struct qd_kernel *k)
{
	const struct target *t = j->primitive.target;
	struct pass_ctx p;

	*m = (struct emission){ .err = &j->err };
	m->in = (struct isa_in){ .k = k, .body = &m->body, .target = t, .mem = &m->mem };
	arena_init(&m->body_mem, &j->ctx->pool);
	arena_init(&m->mem, &j->ctx->pool);
	buf_init(&m->code, &j->ctx->pool);
	pass_ctx_init(&p, k, &t->m, &m->body_mem, &j->err);
	return pass_run(&p, false, &m->body) == QD_OK;
}

static void
emission_fini(struct emission *m)
{
	buf_fini(&m->code);
	arena_fini(&m->mem);
	arena_fini(&m->body_mem);
}

static bool
emit_once(void *user)
{
	struct emission *m = user;
	struct isa_meta meta = { .version = ISA_META_VERSION,
				 .local_size = m->in.k->block_dim,
				 .wave_size = m->in.target->m.subgroup_size };

	arena_reset(&m->mem);
	m->code.len = 0;
	return m->in.target->isa->emit(&m->in, &m->code, &meta, m->err) == QD_OK;
}

/* Measures n warm emissions; with n 0, only counts allocations. */
static bool
measure_emission(struct job *j, struct bench *r, const char *name, uint32_t n)
{
	struct qd_kernel *k = j->make(j);
	struct emission m;
	uint64_t before = 0;
	bool ok = k && emission_init(&m, j, k);

	for (int i = 0; ok && i < N_WARM; i++)
		ok = emit_once(&m);
	before = n_allocs;
	ok = ok && bench_run_each(r, name, n, EMIT_EACH, emit_once, &m);
	r->allocs = (double)(n_allocs - before) / (EMIT_EACH * n + 1.0);
	r->ins = ok ? m.body.ir.n - 1 : 0;
	if (k)
		emission_fini(&m);
	qd_kernel_free(k);
	return ok;
}

/* -- Compilation ----------------------------------------------------------------------------- */

/* Counts the instructions that the back end receives. */
static bool
count_ins(struct job *j, uint32_t *ins)
{
	struct qd_kernel *k = j->make(j);
	struct kernel_count n;
	bool ok = k && kernel_count(&j->primitive, k, &n);

	if (k && !ok)
		j->err = j->primitive.err;
	*ins = ok ? n.ins : 0;
	qd_kernel_free(k);
	return ok;
}

/* Measures n compilations, after enough others for the pool to have all blocks that it needs. */
static bool
measure(struct job *j, struct bench *r, const char *name, uint32_t n)
{
	uint32_t ins;
	uint64_t before;

	if (!count_ins(j, &ins))
		return false;
	for (int i = 0; i < N_WARM; i++)
		if (!compile_once(j))
			return false;
	before = n_allocs;
	if (!bench_run(r, name, n, compile_once, j))
		return false;
	r->allocs = (double)(n_allocs - before) / (double)(n + 1);
	r->ins = ins;
	return true;
}

static int
bench_job(const struct run *run, const char *what, struct qd_kernel *(*make)(struct job *j),
	  uint32_t n_ops)
{
	static struct bench r, c;
	const char *target = run->target.m.name;
	struct job j = { .ctx = run->ctx,
			 .target = target,
			 .make = make,
			 .n_ops = n_ops,
			 .primitive = { .ctx = run->ctx, .target = &run->target } };
	uint32_t n = n_ops > 1000 ? 30 : n_ops > 100 ? 500 : 2000;
	char kernel[32], name[96];

	if (n_ops)
		snprintf(kernel, sizeof kernel, "%s%u", what, n_ops);
	else
		snprintf(kernel, sizeof kernel, "%s", what);
	snprintf(name, sizeof name, "compile/%.40s/%s", target, kernel);
	if (!measure(&j, &r, name, n)) {
		bool limit = j.err.code == QD_E_LIMIT; /* a limit of the target */
		fprintf(limit && !run->json ? stdout : stderr, "%-44s %s\n", name, j.err.text);
		return !limit;
	}
	bench_print(&r, run->json);
	snprintf(name, sizeof name, "memcpy of the same %zu bytes", j.size);
	if (!j.copy || !bench_run(&c, name, n, copy_once, &j))
		return 1;
	bench_print(&c, run->json);
	if (!run->json)
		printf("%44s %.0f ns per builder call, %.0f copies of its words\n", "",
		       1000 * bench_median(&r) / j.calls,
		       bench_median(&c) > 0 ? bench_median(&r) / bench_median(&c) : 0);
	snprintf(name, sizeof name, "emit/%.40s/%s", target, kernel);
	if (!run->target.isa->runs_ir) {
		if (!measure_emission(&j, &r, name, n))
			return 1;
		bench_print(&r, run->json);
	}
	if (run->peers && make == reduction)
		peer_compare(j.words, j.size, run->json);
	free(j.words);
	free(j.copy);
	return 0;
}

static int
bench_jobs(const struct run *run)
{
	return bench_job(run, "reduce_add.f32", reduction, 0) ||
	       bench_job(run, "bitonic_sort_kv.f32.u32", sort, 0) ||
	       bench_job(run, "body", chain, 64) || bench_job(run, "body", chain, 512) ||
	       bench_job(run, "body", chain, 32768);
}

/* Benches the same kernels for another target; peers: compares the first with other compilers. */
static int
bench_other(const struct run *run, const char *target, bool peers)
{
	struct run other = *run;
	struct qd_error err;

	other.peers = peers;
	if (isa_target(target, &other.target, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	return bench_jobs(&other);
}

/* -- Every primitive ---------------------------------------------------------------------- */

static struct qd_kernel *
primitive(struct job *j)
{
	struct qd_kernel *k = kernel_make(&j->primitive, false);

	if (!k)
		j->err = j->primitive.err;
	return k;
}

/* Returns a type of the row. f32 comes first, because its expansions are the longest. */
static qd_type
primitive_type(uint32_t types)
{
	static const qd_type first[] = { QD_TYPE_F32, QD_TYPE_U32, QD_TYPE_U64, QD_TYPE_I32 };

	for (size_t i = 0; i < QD_COUNT(first); i++)
		if (type_is(first[i], types))
			return first[i];
	return QD_TYPE_U32;
}

static void
bench_primitive(struct run *run, const struct target *target, const struct primitive *p, bool tiled)
{
	static struct bench r, emitted;
	struct job j = { .ctx = run->ctx,
			 .target = target->m.name,
			 .make = primitive,
			 .primitive = { .ctx = run->ctx,
					.target = target,
					.op = p->op,
					.made = p->name,
					.result = p->result,
					.type = primitive_type(p->types),
					.tiled = tiled } };
	bool injected = run->inject && strcmp(run->inject, "alloc") == 0,
	     injected_emit = run->inject && strcmp(run->inject, "emit") == 0;
	char name[96];

	if (run->inject && strcmp(run->inject, "row") == 0 && !p->op)
		j.primitive.made = "injected";
	snprintf(name, sizeof name, "compile/%.40s/%s%s%s%s", target->m.name, p->name,
		 tiled ? "_tiled" : "", *p->operands ? "." : "",
		 !*p->operands		? ""
		 : p->types == TM_ALL ? "p"
				      : type_info[j.primitive.type].name);
	run->n++;
	if (!measure(&j, &r, name, run->check ? N_CHECK : N_SAMPLES)) {
		/* Some targets do not support some primitives. */
		bool lacks = j.err.code == QD_E_TARGET;

		run->n_lack += lacks;
		run->n_bad += !lacks;
		fprintf(lacks && !run->json ? stdout : stderr, "%-44s %s\n", name, j.err.text);
		free(j.words);
		free(j.copy);
		return;
	}
	free(j.words);
	free(j.copy);
	r.limit = (double)r.ins * LIMIT_NS_PER_INS / 1000;
	r.limit = r.limit > limit_us ? r.limit : limit_us;
	if (r.allocs > 0 || injected) {
		run->n_bad++;
		fprintf(stderr, "%s: a warm compile asks the heap for memory, %.2f times\n", name,
			r.allocs);
	}
	if (!target->isa->runs_ir && (!measure_emission(&j, &emitted, name, 0) || emitted.allocs > 0 || injected_emit)) {
		run->n_bad++;
		fprintf(stderr, "%s: a warm emission %s\n", name,
			j.err.code ? j.err.text : "asks the heap for memory");
	}
	if (run->check)
		return;
	bench_print(&r, run->json);
	if (bench_median(&r) > r.limit) {
		run->n_over++;
		if (!run->json)
			printf("%44s beyond its %.2f us\n", "", r.limit);
	}
	if (bench_median(&r) > run->slowest) {
		run->slowest = bench_median(&r);
		snprintf(run->slowest_name, sizeof run->slowest_name, "%s", r.name);
	}
}

/* Benches the sort for more lanes than the requested target has. */
static int
bench_sorts(struct run *run, const struct primitive *p)
{
	static const char *const wide[] = { "spirv:w64", "spirv:w128" };
	struct target target;
	struct qd_error err;

	for (size_t i = 0; i < QD_COUNT(wide); i++) {
		if (isa_target(wide[i], &target, &err)) {
			fprintf(stderr, "%s\n", err.text);
			return 1;
		}
		if (strcmp(target.m.name, run->target.m.name) == 0)
			continue;
		bench_primitive(run, &target, p, false);
	}
	return 0;
}

static int
bench_primitives(struct run *run)
{
	static struct primitive table[MAX_PRIMITIVES];
	uint32_t n = primitive_table(table);
	int rc = 0;

	for (uint32_t i = 0; i < n; i++) {
		bench_primitive(run, &run->target, &table[i], false);
		if (table[i].tiled)
			bench_primitive(run, &run->target, &table[i], true);
	}
	for (uint32_t i = 0; i < n; i++)
		if (table[i].op == OP_BITONIC_SORT_KV)
			rc |= bench_sorts(run, &table[i]);
	if (run->check)
		printf("%u primitives in %u rows, %u of them not on this target, %u bad\n", n, run->n,
		       run->n_lack, run->n_bad);
	else if (run->json)
		printf("{\"schema\":\"qd.bench.sum/1\",\"name\":\"compile/%s\",\"primitives\":%u,"
		       "\"rows\":%u,\"lacking\":%u,\"over\":%u,\"limit_us\":%.1f,"
		       "\"limit_ns_per_ins\":%u,\"slowest\":\"%s\",\"slowest_us\":%.3f}\n",
		       run->target.m.name, n, run->n, run->n_lack, run->n_over, limit_us,
		       (unsigned)LIMIT_NS_PER_INS, run->slowest_name, run->slowest);
	else
		printf("%u primitives in %u rows, %u not on this target; beyond %.0f us, or %u ns an "
		       "instruction where that is more: %u\nslowest: %s, %.2f us\n",
		       n, run->n, run->n_lack, limit_us, (unsigned)LIMIT_NS_PER_INS, run->n_over,
		       run->slowest_name, run->slowest);
	return rc || run->n_bad;
}

int
main(int argc, char **argv)
{
	struct qd_context_desc desc = { .version = QD_VERSION,
					.allocator = { count_alloc, count_free, NULL } };
	static struct run run;
	struct qd_error err;
	const char *target;
	int rc = 0, n = 1;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--check") == 0)
			run.check = true;
		else if (strncmp(argv[i], "--mutate=", 9) == 0)
			run.inject = argv[i] + 9;
		else
			argv[n++] = argv[i];
	}
	target = bench_args(n, argv, "bench-compile [--json | --check] [TARGET]", DEFAULT_TARGET,
			    &run.json);
	if (qd_context_create(&desc, &run.ctx, &err) || isa_target(target, &run.target, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	if (!run.check)
		rc = bench_jobs(&run);
	rc |= bench_primitives(&run);
	if (!run.check && strcmp(target, DEFAULT_TARGET) == 0)
		rc |= bench_other(&run, "ptx:sm_90", true) | bench_other(&run, "gfx1100", false);
	qd_context_free(run.ctx);
	return rc;
}
