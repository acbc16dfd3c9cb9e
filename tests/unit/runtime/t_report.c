/* Reports of launches: the channel on every driver, by code that always reports, and the loops that
 * a driver ends.
 *
 * QD_TEST_MUTATION=1 compiles loops as for a driver that does not end them. The process exits with
 * 77 on a driver that may end loops and does not, because no fault is visible there. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "rewrite.h"
#include "t_stream.h"
#include "t_vulkan.h"

/* -- The channel ------------------------------------------------------------------------- */

enum { BLOCKS = 3, THREADS = 40, AT_LINE = 12, AT_COL = 34 };

/* Kernel without reports. make_body adds one at a given position, for threads whose index has no
 * bit in common with every. */
static const char channel[] = "kernel channel(every: u32, io: u32[]) block(40) {\n"
			      "	let i = block.idx * 40u + block.thread_idx();\n"
			      "	if i < io.len { io[i] = io[i] + every; }\n"
			      "}\n";

/* Emitted code of a kernel. */
struct code {
	struct pool pool;
	struct arena mem;
	struct buf bytes;
	struct isa_meta meta;
};

/* Builds the body of k, followed by the report. */
static qd_status
make_body(struct pass_ctx *p, struct body *b)
{
	struct ir out, swept;
	struct census census;
	struct rw w;
	uint32_t every, thread, index, value[2];

	QD_TRY(pass_run(p, false, b));
	QD_TRY(rw_begin(&w, p, &b->ir, &out));
	for (uint32_t i = 1; i < b->ir.n; i++)
		w.map[i] = append_raw(&w.o, rw_draft(&w, i));
	every = rw_ins(&w, (struct ins){ .op = OP_PARAM, .type = QD_TYPE_U32, .x = 0 });
	index = rw_ins(&w, (struct ins){ .op = OP_THREAD_IDX, .type = QD_TYPE_U32 });
	/* Padding threads of the hardware's block report nothing. */
	thread = rw_op(&w, OP_AND, QD_TYPE_BOOL, rw_cmp(&w, OP_LT, index, rw_const(&w, QD_TYPE_U32, THREADS)),
		       rw_cmp(&w, OP_EQ, rw_bin(&w, OP_AND, index, every), rw_const(&w, QD_TYPE_U32, 0)), 0);
	value[0] = index;
	value[1] = every;
	rw_report(&w, thread, REPORT_LOOP_ENDED, rw_const(&w, QD_TYPE_U32, POS((uint32_t)AT_LINE, (uint32_t)AT_COL)), value, 2);
	QD_TRY(rw_end(&w));
	QD_TRY(pass_dce(p, &out, &swept, &census));
	QD_TRY(ir_verify_body(p->k, &swept, p->mems, p->n_mems, STAGE_LEGAL, p->err));
	b->ir = swept;
	b->uses = census.uses;
	b->mems = p->mems;
	b->n_mems = p->n_mems;
	b->report = p->report;
	b->args_size = p->k->args_size + REPORT_ARGS;
	b->needs |= NEED_ATOMIC;
	return p->m->caps & CAP_LEVELS ? pass_levels(p, &b->ir, &b->level) : QD_OK;
}

/* Builds an image of it for the device, without a kernel, like one from a file. */
static qd_status
make_image(struct stream_rig *r, const struct qd_kernel *k, struct code *c, struct qd_image **out)
{
	const struct target *t = &r->dev->target;
	struct pass_ctx p;
	struct body body;

	arena_reset(&c->mem);
	c->bytes.len = 0;
	pass_ctx_init(&p, k, &t->m, &c->mem, &r->e);
	QD_TRY(make_body(&p, &body));
	struct isa_in in = { .k = k, .body = &body, .target = t, .mem = &c->mem };
	QD_TRY(t->isa->emit(&in, &c->bytes, &c->meta, &r->e));
	const struct launch_layout *d = layout_kernel(k, NULL, t->m.subgroup_size, true, &c->mem);
	if (!d || c->bytes.nomem)
		return QD_E_NOMEM;
	struct image_parts parts = { t->m.name, t->isa->code, &c->meta, d, d->size,
				     buf_data(&c->bytes), c->bytes.len };
	return jit_image_of_parts(r->ctx, &parts, out, &r->e);
}

struct logged {
	char text[8192];
};

static void
keep_log(void *user, qd_log_level level, const char *component, const char *text, size_t size)
{
	struct logged *l = user;
	size_t len = strlen(l->text);

	(void)size;
	if (strcmp(component, "report") == 0)
		snprintf(l->text + len, sizeof l->text - len, "%d %s\n", (int)level, text);
}

static qd_status
launch_channel(struct stream_rig *r, struct qd_stream *s, struct qd_function *fn, struct qd_buffer *buf,
	       uint32_t every)
{
	struct qd_arg args[] = { qd_arg_u32(every), qd_arg_buffer(buf) };

	return qd_launch(s, fn, BLOCKS, args, 2, &r->e);
}

/* Checks that st and r->e are the finding of the channel, with its first thread and the number of
 * others. */
static void
check_reported(struct unit_ctx *t, struct stream_rig *r, qd_status st, uint32_t more)
{
	char end[64];

	snprintf(end, sizeof end, "block 0, thread 0, and %u more)", more);
	UNIT_CHECK(t, st == QD_E_FINDING && r->e.code == QD_E_FINDING && r->e.line == AT_LINE &&
			      r->e.col == AT_COL && strstr(r->e.text, "line 12, column 34: finding: ") &&
			      strstr(r->e.text, "kernel channel") && strstr(r->e.text, end),
		   "%s at %u:%u: %s", qd_status_name(st), r->e.line, r->e.col, st ? r->e.text : "");
}

static void
channel_on(struct unit_ctx *t, struct stream_rig *r)
{
	enum { MANY = 300 };
	struct code c = { .meta = { .version = 0 } };
	struct unit_alloc alloc;
	unit_alloc_init(&alloc);
	struct qd_allocator hooks = unit_alloc_hooks(&alloc);
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	struct qd_image *img = NULL;
	struct qd_function *fn = NULL;
	struct qd_buffer *buf = stream_buffer(t, r, BLOCKS * THREADS * 4);
	uint32_t got[BLOCKS * THREADS] = { 0 };

	if (r->dev->target.isa->runs_ir || r->is_fake)
		goto none;
	pool_init(&c.pool, &hooks);
	arena_init(&c.mem, &c.pool);
	buf_init(&c.bytes, &c.pool);
	STREAM_OK(t, r, qd_module_parse(r->ctx, channel, sizeof channel - 1, "t.qdk", &m, &r->e));
	STREAM_OK(t, r, qd_module_kernel(m, "channel", NULL, 0, &k, &r->e));
	if (!k)
		goto out;
	STREAM_OK(t, r, make_image(r, k, &c, &img));
	if (!img)
		goto out;
	UNIT_CHECK(t, img->layout->args_size == k->args_size + 16 &&
			      layout_report_at(img->layout) == k->args_size,
		   "%u bytes of arguments, %u without", img->layout->args_size, k->args_size);
	STREAM_OK(t, r, qd_function_load(r->dev, img, &fn, &r->e));
	if (!fn)
		goto out;
	memset(got, 0, sizeof got);
	STREAM_OK(t, r, qd_buffer_upload(r->stream, buf, 0, got, sizeof got, &r->e));

	/* Every eighth thread of each block: reported once, and the data are available. */
	STREAM_OK(t, r, launch_channel(r, r->stream, fn, buf, 7));
	check_reported(t, r, qd_stream_sync(r->stream, &r->e), BLOCKS * 5 - 1);
	STREAM_OK(t, r, qd_stream_sync(r->stream, &r->e));
	STREAM_OK(t, r, qd_buffer_download(r->stream, buf, 0, got, sizeof got, &r->e));
	UNIT_CHECK(t, got[0] == 7 && got[BLOCKS * THREADS - 1] == 7, "%u, %u", got[0], got[BLOCKS * THREADS - 1]);

	/* A blocking download reports it too, and has its data. */
	STREAM_OK(t, r, launch_channel(r, r->stream, fn, buf, 63));
	check_reported(t, r, qd_buffer_download(r->stream, buf, 0, got, sizeof got, &r->e), BLOCKS - 1);
	UNIT_CHECK(t, got[0] == 70, "%u", got[0]);
	STREAM_OK(t, r, qd_stream_sync(r->stream, &r->e));

	/* Each stream reports only its own. */
	STREAM_OK(t, r, launch_channel(r, r->stream, fn, buf, 63));
	STREAM_OK(t, r, qd_stream_sync(r->other, &r->e));
	STREAM_OK(t, r, launch_channel(r, r->other, fn, buf, 7));
	check_reported(t, r, qd_stream_sync(r->other, &r->e), BLOCKS * 5 - 1);
	check_reported(t, r, qd_stream_sync(r->stream, &r->e), BLOCKS - 1);

	/* More launches than fit into a batch, and more batches than are in flight. */
	for (uint32_t i = 0; i < MANY; i++)
		STREAM_OK(t, r, launch_channel(r, r->stream, fn, buf, i % 2 ? 63 : 7));
	qd_status st = qd_stream_sync(r->stream, &r->e);
	UNIT_CHECK(t, st == QD_E_FINDING && strstr(r->e.text, "findings in total; the log contains more of them"),
		   "%s: %s", qd_status_name(st), r->e.text);
	STREAM_OK(t, r, qd_stream_sync(r->stream, &r->e));
out:
	qd_function_free(fn);
	qd_image_free(img);
	qd_kernel_free(k);
	qd_module_free(m);
	buf_fini(&c.bytes);
	arena_fini(&c.mem);
	pool_fini(&c.pool);
none:
	unit_alloc_fini(&alloc);
	qd_buffer_free(buf);
}

static void
on_each_driver(struct unit_ctx *t)
{
	stream_on_each(t, channel_on);
}

/* -- Loops that the driver ends -------------------------------------------------------------- */

enum { N = 100000 };

/* Kernels launched with one block. The status is a finding at this line and column, or QD_OK if
 * there is none. It is also QD_OK if a compiler unrolls the loop, which avoids the limit. right:
 * o[0] after QD_OK. */
static const struct row {
	const char *name, *text;
	uint32_t line, col, right;
} rows[] = {
	{ "ones", "kernel k(x: in u32[], o: out u32[]) block(1) {\n"
		  "	var s = 0u;\n"
		  "	for i in 0u..x.len { s = s + x[i]; }\n"
		  "	o[0] = s;\n}", 3, 6, 100000 },
	{ "enough", "kernel k(x: in u32[], o: out u32[]) block(1) {\n"
		    "	var s = 0u;\n"
		    "	for i in 0u..65000u { s = s + x[i]; }\n"
		    "	o[0] = s;\n}", 0, 0, 65000 },
	{ "nested", "kernel k(x: in u32[], o: out u32[]) block(1) {\n"
		    "	var s = 0u;\n"
		    "	for i in 0u..300u {\n"
		    "		for j in 0u..300u { s = s + x[j]; }\n"
		    "	}\n"
		    "	o[0] = s;\n}", 4, 7, 90000 },
	{ "constant", "kernel k(x: in u32[], o: out u32[]) block(1) {\n"
		      "	var s = 0u;\n"
		      "	for i in 0u..200u {\n"
		      "		for j in 0u..300u { s = s + x[j]; }\n"
		      "	}\n"
		      "	o[0] = s;\n}", 0, 0, 60000 },
	{ "second loop", "kernel k(x: in u32[], o: out u32[]) block(1) {\n"
		    "	var s = 0u;\n"
		    "	for i in 0u..x.len - 40000u { s = s + x[i]; }\n"
		    "	for i in 0u..10000u { s = s + x[i]; }\n"
		    "	o[0] = s;\n}", 4, 6, 70000 },
	{ "function", "fn sum(x: in u32[]) -> u32 {\n"
		      "	var s = 0u;\n"
		      "	for i in 0u..x.len { s = s + x[i]; }\n"
		      "	return s;\n"
		      "}\n"
		      "kernel k(x: in u32[], o: out u32[]) block(1) {\n"
		      "	o[0] = sum(x);\n}", 3, 6, 100000 },
	{ "if", "kernel k(x: in u32[], o: out u32[]) block(16) {\n"
		"	var s = 0u;\n"
		"	if block.thread_idx() == 3 {\n"
		"		for i in 0u..x.len { s = s + x[i]; }\n"
		"		o[0] = s;\n"
		"	}\n}", 4, 7, 100000 },
	{ "while", "kernel k(x: in u32[], o: out u32[]) block(1) {\n"
		   "	var s = 0u;\n"
		   "	var i = 0u;\n"
		   "	while x[i % x.len] == 1u && i < x.len {\n"
		   "		i = i + 1u;\n"
		   "		if i % 3u == 1u { continue; }\n"
		   "		s = s + 1u;\n"
		   "	}\n"
		   "	o[0] = s;\n}", 4, 2, 66666 },
	{ "out of two", "fn sum(x: in u32[], end: u32) -> u32 {\n"
			"	var s = 0u;\n"
			"	for i in 0u..x.len {\n"
			"		for j in 0u..3u {\n"
			"			if i + j == end { return s; }\n"
			"			s = s + x[j];\n"
			"		}\n"
			"	}\n"
			"	return s;\n"
			"}\n"
			"kernel k(x: in u32[], o: out u32[]) block(1) {\n"
			"	o[0] = sum(x, 80000u);\n}", 4, 7, 239996 },
	{ "left both", "fn sum(x: in u32[], end: u32) -> u32 {\n"
		       "	var s = 0u;\n"
		       "	for i in 0u..x.len {\n"
		       "		for j in 0u..3u {\n"
		       "			if i + j == end { return s; }\n"
		       "			s = s + x[j];\n"
		       "		}\n"
		       "	}\n"
		       "	return s;\n"
		       "}\n"
		       "kernel k(x: in u32[], o: out u32[]) block(1) {\n"
		       "	o[0] = sum(x, 1000u);\n}", 0, 0, 2996 },
	{ "break", "kernel k(x: in u32[], o: out u32[]) block(1) {\n"
		   "	var s = 0u;\n"
		   "	while true {\n"
		   "		if s == 90000u { break; }\n"
		   "		s = s + x[s];\n"
		   "	}\n"
		   "	o[0] = s;\n}", 3, 2, 90000 },
	{ "left by return", "kernel k(x: in u32[], o: out u32[]) block(16) {\n"
			    "	for i in 0u..x.len {\n"
			    "		o[block.thread_idx()] = i;\n"
			    "		if i == 2000u + block.thread_idx() { return; }\n"
			    "	}\n}", 0, 0, 2000 },
	{ "return", "kernel k(x: in u32[], o: out u32[]) block(16) {\n"
		    "	for i in 0u..x.len {\n"
		    "		o[block.thread_idx()] = i;\n"
		    "		if i == 90000u { return; }\n"
		    "	}\n}", 2, 6, 90000 },
	{ "together", "kernel k(x: in u32[], o: out u32[]) block(4) {\n"
		      "	let t = block.thread_idx();\n"
		      "	var s = 0u;\n"
		      "	for i in 0u..4u {\n"
		      "		let n = select(i == t, x.len / 4u, 0u);\n"
		      "		for j in 0u..n { s = s + x[j]; }\n"
		      "	}\n"
		      "	o[t] = s;\n}", 4, 6, 25000 },
	{ "barrier", "kernel k(x: in u32[], o: out u32[]) block(64) {\n"
		     "	shared s: u32[64];\n"
		     "	s[block.thread_idx()] = 0u;\n"
		     "	for i in 0u..x.len {\n"
		     "		block.sync();\n"
		     "		s[block.thread_idx()] = s[block.thread_idx()] + x[i];\n"
		     "	}\n"
		     "	o[0] = s[0];\n}", 4, 6, 100000 },
};

static qd_status
run_row(struct vulkan_rig *r, const struct row *row, uint32_t *out)
{
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	struct qd_function *fn = NULL;
	struct qd_buffer *x = NULL, *o = NULL;
	uint32_t *ones = malloc(N * sizeof *ones);
	qd_status st = ones ? QD_OK : QD_E_NOMEM;

	for (uint32_t i = 0; ones && i < N; i++)
		ones[i] = 1;
	st = st ? st : qd_module_parse(r->ctx, row->text, strlen(row->text), "t.qdk", &m, &r->e);
	st = st ? st : qd_module_kernel(m, "k", NULL, 0, &k, &r->e);
	st = st ? st : qd_function_get(r->dev, k, NULL, 0, &fn, &r->e);
	st = st ? st : qd_buffer_create(r->dev, N * 4, 0, &x, &r->e);
	st = st ? st : qd_buffer_create(r->dev, 64 * 4, 0, &o, &r->e);
	st = st ? st : qd_buffer_upload(r->stream, x, 0, ones, N * 4, &r->e);
	struct qd_arg args[] = { qd_arg_buffer(x), qd_arg_buffer(o) };
	st = st ? st : qd_launch(r->stream, fn, 1, args, 2, &r->e);
	st = st ? st : qd_buffer_download(r->stream, o, 0, out, 4, &r->e);
	qd_buffer_free(x);
	qd_buffer_free(o);
	qd_function_free(fn);
	qd_kernel_free(k);
	qd_module_free(m);
	free(ones);
	return st;
}

static bool
has_limit(struct unit_ctx *t, struct vulkan_rig *r)
{
	bool has = r->dev->target.m.caps & CAP_LOOP_LIMIT;

	if (!has)
		unit_skip(t, "the driver lets loops run");
	if (getenv("QD_TEST_MUTATION")) {
		r->dev->target.m.caps &= ~(uint32_t)CAP_LOOP_LIMIT;
		r->dev->ctx->no_facts = true; /* the target with launch facts keeps the limit */
	}
	return has;
}

/* Returns has_limit(), and whether the driver really ends long loops. */
static bool
ends_loops(struct unit_ctx *t, struct vulkan_rig *r)
{
	uint32_t out = 0;
	bool ends;

	if (!has_limit(t, r))
		return false;
	ends = run_row(r, &rows[0], &out) != QD_OK || out != rows[0].right;
	if (!ends)
		unit_skip(t, "the driver has let 100000 rounds run");
	if (!ends && getenv("QD_TEST_MUTATION")) {
		puts("SKIP: the driver has let 100000 rounds run, so it has no limit to overlook");
		exit(77);
	}
	return ends;
}

static void
loops(struct unit_ctx *t, bool staged)
{
	struct vulkan_rig r;

	if (!vulkan_rig_open(t, &r, staged))
		return;
	if (has_limit(t, &r))
		for (size_t i = 0; i < QD_COUNT(rows); i++) {
			const struct row *row = &rows[i];
			uint32_t out = 0;

			r.e = (struct qd_error){ .code = QD_OK };
			qd_status st = run_row(&r, row, &out);
			bool placed = r.e.line == row->line && r.e.col == row->col;
			bool found = row->line && st == QD_E_FINDING &&
				     (placed || !strstr(r.dev->info.driver, "Mesa 22."));
			UNIT_CHECK(t, found || (st == QD_OK && out == row->right),
				   "%s: %u, %s at %u:%u: %s", row->name, out, qd_status_name(st), r.e.line,
				   r.e.col, st ? r.e.text : "");
		}
	vulkan_rig_close(t, &r);
}

static void
loops_mapped(struct unit_ctx *t)
{
	loops(t, false);
}

static void
loops_staged(struct unit_ctx *t)
{
	loops(t, true);
}

/* -- Several streams ---------------------------------------------------------------------- */

enum { STREAMS = 3, ROUNDS = 12 };

struct user {
	struct vulkan_rig *r;
	struct qd_function *fn;
	uint32_t n;	/* argument of the kernel */
	bool finds;	/* true if each launch causes a finding */
	uint32_t wrong;
	struct qd_error e;
};

static void *
launch_often(void *arg)
{
	struct user *u = arg;
	struct qd_stream *s = NULL;
	struct qd_buffer *o = NULL;

	u->wrong += qd_stream_create(u->r->dev, &s, &u->e) != QD_OK;
	u->wrong += qd_buffer_create(u->r->dev, 64, 0, &o, &u->e) != QD_OK;
	for (uint32_t i = 0; i < ROUNDS && !u->wrong; i++) {
		struct qd_arg args[] = { qd_arg_u32(u->n), qd_arg_buffer(o) };
		qd_status st = qd_launch(s, u->fn, 1, args, 2, &u->e);

		if (!st && i % 2)
			st = qd_launch(s, u->fn, 1, args, 2, &u->e);
		st = st ? st : qd_stream_sync(s, &u->e);
		u->wrong += st != (u->finds ? QD_E_FINDING : QD_OK);
		u->wrong += qd_stream_sync(s, u->wrong ? NULL : &u->e) != QD_OK;
	}
	qd_buffer_free(o);
	qd_stream_free(s);
	return NULL;
}

static void
streams_apart(struct unit_ctx *t)
{
	static const char text[] = "kernel k(n: u32, o: out u32[]) block(1) {\n"
				   "	var s = 0u;\n"
				   "	for i in 0u..n { s = s * 3u + i; }\n"
				   "	o[0] = s;\n}";
	struct vulkan_rig r;
	struct user u[STREAMS];
	pthread_t threads[STREAMS];
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;

	if (!vulkan_rig_open(t, &r, false))
		return;
	if (ends_loops(t, &r)) {
		VULKAN_OK(t, &r, qd_module_parse(r.ctx, text, sizeof text - 1, "t.qdk", &m, &r.e));
		VULKAN_OK(t, &r, qd_module_kernel(m, "k", NULL, 0, &k, &r.e));
		for (uint32_t i = 0; i < STREAMS; i++) {
			u[i] = (struct user){ .r = &r, .fn = vulkan_rig_function(t, &r, k),
					      .n = i % 2 ? 100 : 70000, .finds = i % 2 == 0 };
			pthread_create(&threads[i], NULL, launch_often, &u[i]);
		}
		for (uint32_t i = 0; i < STREAMS; i++) {
			pthread_join(threads[i], NULL);
			UNIT_CHECK(t, !u[i].wrong, "stream %u: %s", i, u[i].e.text);
			qd_function_free(u[i].fn);
		}
		qd_kernel_free(k);
		qd_module_free(m);
	}
	vulkan_rig_close(t, &r);
}

/* -- The log, and keys ---------------------------------------------------------------------- */

static const char twice[] = "kernel k(n: u32, o: out u32[]) block(2) {\n"
			    "	var s = 0u;\n"
			    "	for i in 0u..n { s = s + 1u; }\n"
			    "	for i in 0u..n { s = s + 1u; }\n"
			    "	o[block.thread_idx()] = s;\n}";

/* Checks that each position has one line in the log, with its first thread. */
static void
logs_once(struct unit_ctx *t)
{
	static struct logged log;
	struct vulkan_rig r;

	log.text[0] = '\0';
	if (!vulkan_rig_open(t, &r, false))
		return;
	if (ends_loops(t, &r)) {
		struct qd_context_desc desc = { .version = QD_VERSION, .log = keep_log, .log_user = &log };
		struct qd_context *ctx = NULL;
		struct qd_device *dev = NULL;
		struct qd_module *m = NULL;
		struct qd_kernel *k = NULL;
		struct qd_function *fn = NULL;
		struct qd_stream *s = NULL;
		struct qd_buffer *o = NULL;
		char want[256];

		VULKAN_OK(t, &r, qd_context_create(&desc, &ctx, &r.e));
		VULKAN_OK(t, &r, qd_device_open(ctx, "vulkan", &dev, &r.e));
		VULKAN_OK(t, &r, qd_stream_create(dev, &s, &r.e));
		VULKAN_OK(t, &r, qd_buffer_create(dev, 64, 0, &o, &r.e));
		VULKAN_OK(t, &r, qd_module_parse(ctx, twice, sizeof twice - 1, "t.qdk", &m, &r.e));
		VULKAN_OK(t, &r, qd_module_kernel(m, "k", NULL, 0, &k, &r.e));
		VULKAN_OK(t, &r, qd_function_get(dev, k, NULL, 0, &fn, &r.e));
		struct qd_arg args[] = { qd_arg_u32(40000), qd_arg_buffer(o) };
		VULKAN_OK(t, &r, qd_launch(s, fn, 1, args, 2, &r.e));
		qd_status st = qd_stream_sync(s, &r.e);
		snprintf(want, sizeof want, "%d t.qdk:4:6: finding: ", (int)QD_LOG_ERROR);
		UNIT_CHECK(t, st == QD_E_FINDING && !strncmp(log.text, want, strlen(want)) &&
				      strchr(log.text, '\n') == log.text + strlen(log.text) - 1 &&
				      strstr(log.text, "(kernel k, block 0, thread 0, and 1 more)"),
			   "%s: %s", qd_status_name(st), log.text);
		qd_function_free(fn);
		qd_kernel_free(k);
		qd_module_free(m);
		qd_buffer_free(o);
		qd_stream_free(s);
		qd_device_close(dev);
		qd_context_free(ctx);
	}
	vulkan_rig_close(t, &r);
}

/* Compiles the kernel; with moved, from a text in which it begins three lines later. */
static struct qd_image *
compile(struct unit_ctx *t, struct unit_rig *r, const char *target, bool moved)
{
	char text[512];
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	struct qd_image *img = NULL;
	struct target to;

	snprintf(text, sizeof text, "%s%s", moved ? "\n\n\n" : "", twice);
	qd_status st = qd_module_parse(r->ctx, text, strlen(text), "t.qdk", &m, &r->e);
	st = st ? st : qd_module_kernel(m, "k", NULL, 0, &k, &r->e);
	st = st ? st : isa_target(target, &to, &r->e);
	st = st ? st : jit_get(r->ctx, k, &to, NULL, 0, &img, &r->e);
	UNIT_CHECK(t, st == QD_OK, "%s: %s", target, r->e.text);
	qd_kernel_free(k);
	qd_module_free(m);
	return img;
}

/* Checks that code with reports depends on positions in the text, and that code without them
 * neither grows nor depends on positions. */
static void
keys(struct unit_ctx *t)
{
	struct unit_rig r;
	bool ok = unit_rig_open(t, &r);
	struct qd_image *plain = ok ? compile(t, &r, "spirv:w8", false) : NULL;
	struct qd_image *moved = ok ? compile(t, &r, "spirv:w8", true) : NULL;
	struct qd_image *limit = ok ? compile(t, &r, "spirv:w8:+looplimit", false) : NULL;
	struct qd_image *again = ok ? compile(t, &r, "spirv:w8:+looplimit", false) : NULL;
	struct qd_image *below = ok ? compile(t, &r, "spirv:w8:+looplimit", true) : NULL;

	if (plain && moved && limit && again && below) {
		UNIT_CHECK(t, plain == moved, "two images of one kernel");
		UNIT_CHECK(t, limit == again, "two images of one kernel in one position");
		UNIT_CHECK(t, limit != below, "an image for two positions");
		UNIT_CHECK(t,
			   limit->code_size == below->code_size &&
				   memcmp(limit->code, below->code, below->code_size) != 0,
			   "they name the same position");
		UNIT_CHECK(t, !layout_report_at(plain->layout) && layout_report_at(limit->layout),
			   "the reporting launches");
		UNIT_CHECK(t, limit->layout->args_size == plain->layout->args_size + 16,
			   "%u bytes of arguments", limit->layout->args_size);
	}
	qd_image_free(plain);
	qd_image_free(moved);
	qd_image_free(limit);
	qd_image_free(again);
	qd_image_free(below);
	if (ok)
		unit_rig_close(t, &r);
}

/* Loops with a known number of iterations need no report. Each body is preceded by the head of a
 * kernel with n, x and a variable s. */
static const struct bound {
	const char *body;
	bool reports;
} bounds[] = {
	{ "s = x[0];", false },
	{ "for i in 0u..65532u { s = s + i; }", false },
	{ "for i in 0u..65533u { s = s + i; }", true },
	{ "for i in -1000..1000 step 7 { s = s + u32(i); }", false },
	{ "for i in 0..n { s = s + 1u; }", true },
	{ "for i in 0u..40000u { s = s + i; } for i in 0u..20000u { s = s + x[i]; }", false },
	{ "for i in 0u..40000u { s = s + i; } for i in 0u..40000u { s = s + x[i]; }", true },
	{ "for i in 0u..200u { for j in 0u..300u { s = s + x[i ^ j]; } }", false },
	{ "for i in 0u..300u { for j in 0u..300u { s = s + x[i ^ j]; } }", true },
	{ "for i in 0u..300u { if x[i] == 1u { for j in 0u..100u { s = s + x[j]; } } }", false },
	{ "for i in 0u..300u { for j in 0u..x[i] { s = s + x[j]; } }", true },
	{ "for i in 0u..300u { if x[i] == 1u { break; } s = s + 1u; }", false },
	{ "for i in 0u..300u { if x[i] == 1u { continue; } s = s + 1u; }", false },
	{ "var i = 0; while i < 10 { s = s + x[i]; i = i + 1; }", false },
	{ "var i = 0; while i < 10 { s = s + x[i]; if s == 3u { i = i + 1; } }", true },
	{ "var i = 0; while i < 10 { s = s + x[i]; i = i + 1; if s == 3u { i = 0; } }", true },
	{ "var i = 0; if n == 3 { i = -2000000; } while i < 10 { s = s + x[i]; i = i + 1; }", true },
	{ "var i = 2147483000; while i < 2147483600 { s = s + 1u; i = i + 100; }", true },
	{ "var i = 10; while i > 0 { s = s + x[i]; i = i - 1; }", true },
};

static void
known_bounds(struct unit_ctx *t)
{
	struct unit_rig r;

	if (!unit_rig_open(t, &r))
		return;
	for (size_t i = 0; i < QD_COUNT(bounds); i++) {
		char text[512];
		struct qd_module *m = NULL;
		struct qd_kernel *k = NULL;
		struct qd_image *img = NULL;

		snprintf(text, sizeof text,
			 "kernel k(n: i32, x: in u32[], o: out u32[]) block(8) { var s = 0u; %s o[0] = s; }",
			 bounds[i].body);
		qd_status st = qd_module_parse(r.ctx, text, strlen(text), "t.qdk", &m, &r.e);
		st = st ? st : qd_module_kernel(m, "k", NULL, 0, &k, &r.e);
		st = st ? st : qd_compile(r.ctx, k, "spirv:w8:+looplimit", NULL, 0, &img, &r.e);
		UNIT_CHECK(t, st == QD_OK, "%s: %s", bounds[i].body, r.e.text);
		UNIT_CHECK(t, !img || !layout_report_at(img->layout) == !bounds[i].reports,
			   "%s", bounds[i].body);
		qd_image_free(img);
		qd_kernel_free(k);
		qd_module_free(m);
	}
	unit_rig_close(t, &r);
}

extern const struct unit units_report[];
extern const unsigned n_units_report;
const struct unit units_report[] = {
	{ "report.on_each_driver", on_each_driver },
	{ "report.loops_mapped", loops_mapped },
	{ "report.loops_staged", loops_staged },
	{ "report.streams_apart", streams_apart },
	{ "report.logs_once", logs_once },
	{ "report.keys", keys },
	{ "report.known_bounds", known_bounds },
};
const unsigned n_units_report = QD_COUNT(units_report);
