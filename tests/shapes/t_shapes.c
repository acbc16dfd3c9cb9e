/* The new operations of steps.md, from printed IR through every pass. They run on the lockstep
 * machine, as several invented targets, and on a Vulkan device. */
#include <stdio.h>
#include <stdlib.h>

#include "t_prim.h"
#include "t_vulkan.h"

enum { N = 256, N_BUF = 4 };

struct shape {
	struct unit_ctx *t;
	const char *name;
	qd_type type; /* the type for $ and @ in the text */
	const char *text;
	uint32_t n_blocks, n_bufs;
	qd_type of[N_BUF]; /* elements; NONE: of `type` */
	uint32_t len[N_BUF];
	uint64_t in[N_BUF][N], want[N_BUF][N]; /* bits as in memory */
	/* Fills in and want for this subgroup size. */
	void (*fill)(struct shape *s, uint32_t size);
	/* Further checks of the body. */
	void (*body)(struct shape *s, const struct machine *m, const struct pass_ctx *p,
		     const struct body *b);
	bool is_atomic; /* 64-bit types only if the machine has such atomics */
};

/* Returns v converted to the type, as in memory. */
static uint64_t
number(qd_type type, uint32_t v)
{
	qd_type wide = type_info[type].wide;

	if (wide != QD_TYPE_U32)
		return ir_narrow(type, ir_eval(OP_CVT, QD_TYPE_U32, wide, v, 0, 0));
	return ir_narrow(type, v);
}

static qd_type
element(const struct shape *s, uint32_t i)
{
	return s->of[i] ? s->of[i] : s->type;
}

static void
compare(struct shape *s, const char *where, uint32_t size, uint64_t (*got)[N])
{
	for (uint32_t i = 0; i < s->n_bufs; i++) {
		uint32_t e = 0;

		while (e < s->len[i] && got[i][e] == s->want[i][e])
			e++;
		UNIT_CHECK(s->t, e == s->len[i], "%s %s on %s:w%u: buffer %u[%u] is %llx, not %llx",
			   s->name, type_info[s->type].name, where, size, i, e,
			   (unsigned long long)got[i][e], (unsigned long long)s->want[i][e]);
	}
}

static struct qd_kernel *
read_kernel(struct shape *s, struct qd_context *ctx, struct qd_error *err)
{
	const char *t = type_info[type_info[s->type].wide].name, *of = type_info[s->type].name;
	struct qd_kernel *k = NULL;
	char text[4000], *out = text;

	for (const char *c = s->text; *c; c++) { /* $ is the element type, @ the value type */
		if (*c == '$' || *c == '@')
			out += sprintf(out, "%s", *c == '$' ? of : t);
		else
			*out++ = *c;
	}
	*out = '\0';
	UNIT_CHECK(s->t, !qd_kernel_read(ctx, text, (size_t)(out - text), "shape", &k, err), "%s: %s",
		   s->name, err->text);
	return k;
}

/* -- Invented machines ----------------------------------------------------------- */

static bool (*native)(const struct machine *m, const struct query *q);
static struct query asked; /* last query for made.cas */

static bool
native_but(const struct machine *m, const struct query *q)
{
	if (q->op == OP_MADE_WORDS)
		return strcmp(m->name, "all") == 0;
	if (q->op != OP_MADE_CAS)
		return native(m, q);
	asked = *q;
	return false;
}

static void
run_machine(struct shape *s, unsigned i_m, uint32_t log2)
{
	struct machine m = prim_machine(i_m, log2);
	static uint64_t got[N_BUF][N];
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx = NULL;
	struct qd_error err = { 0 };
	struct qd_kernel *k;
	struct pass_ctx p;
	struct arena mem;
	struct body body;

	m.caps |= CAP_LEVELS;
	native = m.native;
	m.native = native_but;
	UNIT_CHECK(s->t, !qd_context_create(&desc, &ctx, &err), "%s", err.text);
	arena_init(&mem, &ctx->pool);
	k = read_kernel(s, ctx, &err);
	if (k)
		pass_ctx_init(&p, k, &m, &mem, &err);
	if (k && !pass_run(&p, false, &body)) {
		const char *wrong = lanes_illegal(&m, &body.ir, body.mems, true);
		struct lanes x = { .k = k, .m = &m, .mems = body.mems, .n_mems = body.n_mems,
				   .legal = true, .n_blocks = s->n_blocks };
		bool own = false;

		for (uint32_t i = 1; i < body.ir.n; i++)
			own = own || body.ir.ins[i].op == OP_MADE_WORDS;
		UNIT_CHECK(s->t, own || !wrong, "%s on %s: %s", s->name, m.name, wrong);
		if (s->body)
			s->body(s, &m, &p, &body);
		s->fill(s, m.subgroup_size);
		memcpy(got, s->in, sizeof got);
		for (uint32_t i = 0; i < s->n_bufs; i++) {
			x.buf[i] = got[i];
			x.len[i] = s->len[i];
		}
		for (x.block_idx = 0; x.block_idx < s->n_blocks && !own; x.block_idx++)
			UNIT_CHECK(s->t, lanes_run(&x, &body.ir), "%s %s on %s:w%u: %s", s->name,
				   type_info[s->type].name, m.name, m.subgroup_size, x.fault);
		if (!own)
			compare(s, m.name, m.subgroup_size, got);
	} else if (s->is_atomic && type_info[s->type].size == 8) {
		UNIT_CHECK(s->t, strstr(err.text, "has no 64-bit atomics, which made.cas needs"),
			   "%s", err.text);
	} else {
		UNIT_CHECK(s->t, false, "%s on %s: %s", s->name, m.name, err.text);
	}
	qd_kernel_free(k);
	arena_fini(&mem);
	qd_context_free(ctx);
}

/* -- A device -------------------------------------------------------------------- */

static void
run_device(struct shape *s, struct vulkan_rig *r)
{
	struct qd_kernel *k = read_kernel(s, r->ctx, &r->e);
	struct qd_function *fn = k ? vulkan_rig_function(s->t, r, k) : NULL;
	static uint64_t got[N_BUF][N];
	struct qd_buffer *buf[N_BUF];
	struct qd_arg arg[N_BUF];
	static uint8_t bytes[N_BUF][N * 8];

	s->fill(s, r->dev->target.m.subgroup_size);
	for (uint32_t i = 0; i < s->n_bufs && fn; i++) {
		uint32_t size = type_info[element(s, i)].size;

		for (uint32_t e = 0; e < s->len[i]; e++)
			memcpy(bytes[i] + e * size, &s->in[i][e], size);
		buf[i] = vulkan_rig_buffer(s->t, r, s->len[i] * size);
		arg[i] = qd_arg_buffer(buf[i]);
		VULKAN_OK(s->t, r, qd_buffer_upload(r->stream, buf[i], 0, bytes[i], s->len[i] * size,
						     &r->e));
	}
	if (fn)
		VULKAN_OK(s->t, r, qd_launch(r->stream, fn, s->n_blocks, arg, s->n_bufs, &r->e));
	for (uint32_t i = 0; i < s->n_bufs && fn; i++)
		VULKAN_OK(s->t, r, qd_buffer_download_async(r->stream, buf[i], 0, bytes[i], s->len[i] *
						      type_info[element(s, i)].size, &r->e));
	VULKAN_OK(s->t, r, qd_stream_sync(r->stream, &r->e));
	memset(got, 0, sizeof got);
	for (uint32_t i = 0; i < s->n_bufs && fn; i++) {
		uint32_t size = type_info[element(s, i)].size;

		for (uint32_t e = 0; e < s->len[i]; e++)
			memcpy(&got[i][e], bytes[i] + e * size, size);
		qd_buffer_free(buf[i]);
	}
	if (fn)
		compare(s, r->dev->target.m.name, r->dev->target.m.subgroup_size, got);
	qd_kernel_free(k);
}

static void
run_shape(struct unit_ctx *t, struct shape *s, uint32_t types)
{
	struct vulkan_rig r;
	bool device;

	s->t = t;
	for (qd_type type = QD_TYPE_I32; type < 14; type++) {
		s->type = type;
		for (unsigned i = 0; i < n_prim_machines && types >> type & 1; i++) {
			struct machine m = prim_machine(i, 3);
			bool small = type >= QD_TYPE_I8 && !(m.caps & CAP_STORE16);

			for (uint32_t log2 = 2; log2 <= 5 && !small && kit_has_type(&m, type); log2++)
				run_machine(s, i, log2);
		}
	}
	device = vulkan_rig_open(t, &r, false);
	t->skipped = false;
	for (qd_type type = QD_TYPE_I32; type < 14 && device; type++) {
		uint32_t caps = r.dev->target.m.caps;
		bool lacks = (type == QD_TYPE_F64 && !(caps & CAP_F64)) ||
			     (type >= QD_TYPE_I8 && !(caps & CAP_STORE16)) ||
			     (s->is_atomic && type_info[type].size == 8 && (~caps & (CAP_I64 | CAP_ATOMIC64)));

		s->type = type;
		if ((types >> type & 1) && !lacks)
			run_device(s, &r);
	}
	if (device)
		vulkan_rig_close(t, &r);
}

/* -- Two results of two types ---------------------------------------------------- */

#define HEAD(block)                                                                                \
	"kernel \"k\"\nfile \"s\"\nblock " block " 1 1\nparam \"src\" in $[]\n"
#define AT(n) " ; 1:" #n "\n"

static void
fill_sort(struct shape *s, uint32_t size)
{
	(void)size;
	for (uint32_t i = 0; i < 64; i++) {
		s->in[0][i] = number(s->type, i * 37 % 64);
		s->in[1][i] = i;
		s->in[2][i] = s->in[3][i] = 0;
	}
	memcpy(s->want, s->in, sizeof s->want);
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t mine = i * 37 % 64, other = (i ^ 1) * 37 % 64;
		bool take = i & 1 ? mine < other : other < mine;

		s->want[2][i] = s->in[0][take ? i ^ 1 : i];
		s->want[3][i] = take ? i ^ 1 : i;
	}
}

static void
sorts(struct unit_ctx *t)
{
	static struct shape s = {
		.name = "sort", .n_blocks = 1, .n_bufs = 4, .len = { 64, 64, 64, 64 },
		.of = { [1] = QD_TYPE_U32, [3] = QD_TYPE_U32 }, .fill = fill_sort,
		.text = HEAD("64") "param \"val\" in u32[]\nparam \"key\" out $[]\n"
			"param \"out\" out u32[]\n{\n"
			"%2 = block.thread_idx u32" AT(1)
			"%3 = load @ \"src\" %2 _ _ !1" AT(3) "%4 = load u32 \"val\" %2 _ _ !1" AT(4)
			"%5 = made.sort %3 %4" AT(5) "%6 = result @ 0 %5" AT(6)
			"%7 = result u32 1 %5" AT(7) "store \"key\" %2 %6 _ !1" AT(8)
			"store \"out\" %2 %7 _ !1" AT(9) "}\n",
	};
	run_shape(t, &s, TM_NUM);
}

/* -- Four words, without padding threads ----------------------------------------- */

static void
fill_words(struct shape *s, uint32_t size)
{
	for (uint32_t i = 0; i < 37; i++)
		s->in[0][i] = i % 3 != 1;
	memset(s->in[1], 0xff, sizeof s->in[1]);
	for (uint32_t i = 0; i < N; i++)
		s->in[1][i] &= 0xffffffff;
	memcpy(s->want, s->in, sizeof s->want);
	for (uint32_t i = 0; i < 37; i++) {
		uint32_t first = i - i % size, word = 0;

		for (uint32_t j = first; j < first + size && j < 37; j++)
			word |= (uint32_t)(j % 3 != 1) << (j - first);
		for (uint32_t j = 0; j < 4; j++)
			s->want[1][4 * i + j] = j ? 0 : word;
	}
}

/* On the machine that has the operation natively, its results remain. */
static void
body_words(struct shape *s, const struct machine *m, const struct pass_ctx *p, const struct body *b)
{
	bool own = strcmp(m->name, "all") == 0;
	uint32_t n = 0, used = 0;

	(void)p;
	for (uint32_t i = 1; i < b->ir.n; i++) {
		n += b->ir.ins[i].op == OP_RESULT;
		used += b->ir.ins[i].op == OP_MADE_WORDS ? b->uses[i] : 0;
	}
	UNIT_CHECK(s->t, n == (own ? 4 : 0) && used == n, "%s: %u results, %u used", m->name, n,
		   used);
}

static void
words(struct unit_ctx *t)
{
	static struct shape s = {
		.name = "words", .n_blocks = 1, .n_bufs = 2, .len = { 37, 4 * 64 },
		.of = { [1] = QD_TYPE_U32 }, .fill = fill_words, .body = body_words,
		.text = HEAD("37") "param \"out\" out u32[]\n{\n"
			"%2 = block.thread_idx u32" AT(1)
			"%3 = load @ \"src\" %2 _ _ !1" AT(3) "%4 = const u32 0x0" AT(4)
			"%5 = ne bool %3 %4" AT(5) "%6 = made.words %5" AT(6)
			"%7 = result u32 0 %6" AT(7) "%8 = result u32 1 %6" AT(7)
			"%9 = result u32 2 %6" AT(7) "%10 = result u32 3 %6" AT(7)
			"%11 = const u32 0x4" AT(8) "%12 = mul u32 %2 %11" AT(8)
			"store \"out\" %12 %7 _ !1" AT(9) "%14 = const u32 0x1" AT(9)
			"%15 = add u32 %12 %14" AT(9) "store \"out\" %15 %8 _ !1" AT(9)
			"%17 = add u32 %15 %14" AT(9) "store \"out\" %17 %9 _ !1" AT(9)
			"%19 = add u32 %17 %14" AT(9) "store \"out\" %19 %10 _ !1" AT(9) "}\n",
	};
	run_shape(t, &s, 1u << QD_TYPE_U32);
}

/* -- A word and a predicate ------------------------------------------------------ */

static void
fill_match(struct shape *s, uint32_t size)
{
	uint32_t all = size == 32 ? 0xffffffff : (1u << size) - 1;

	for (uint32_t i = 0; i < 64; i++) {
		bool same = i / size % 2 == 0;

		s->in[0][i] = number(s->type, same ? i / size : i);
		s->in[1][i] = s->in[2][i] = 9;
	}
	memcpy(s->want, s->in, sizeof s->want);
	for (uint32_t i = 0; i < 64; i++) {
		s->want[1][i] = i / size % 2 == 0 ? all : 0;
		s->want[2][i] = i / size % 2 == 0;
	}
}

static void
matches(struct unit_ctx *t)
{
	static struct shape s = {
		.name = "match", .n_blocks = 1, .n_bufs = 3, .len = { 64, 64, 64 },
		.of = { [1] = QD_TYPE_U32, [2] = QD_TYPE_U32 }, .fill = fill_match,
		.text = HEAD("64") "param \"lanes\" out u32[]\nparam \"all\" out u32[]\n{\n"
			"%2 = block.thread_idx u32" AT(1)
			"%3 = load @ \"src\" %2 _ _ !1" AT(3) "%4 = made.match %3" AT(4)
			"%5 = result u32 0 %4" AT(5) "%6 = result bool 1 %4" AT(6)
			"store \"lanes\" %2 %5 _ !1" AT(7) "%8 = const u32 0x1" AT(8)
			"%9 = const u32 0x0" AT(8) "%10 = select u32 %6 %8 %9" AT(8)
			"store \"all\" %2 %10 _ !1" AT(9) "}\n",
	};
	run_shape(t, &s, TM_NUM);
}

/* -- An access with scope, order, a guard and a condition ------------------------ */

/* Threads below 50 of 64, elements below 40. For every third one the condition is false, and every
 * fourth one finds another value. */
static void
fill_cas(struct shape *s, uint32_t size)
{
	(void)size;
	for (uint32_t i = 0; i < N; i++) {
		s->in[0][i] = number(s->type, i % 4 ? i % 100 : i % 100 + 1);
		s->in[1][i] = number(s->type, i % 100);
		s->in[2][i] = number(s->type, 77);
		s->in[3][i] = 9;
	}
	memcpy(s->want, s->in, sizeof s->want);
	for (uint32_t i = 0; i < 50; i++) {
		bool done = i % 3 && i < 40, swap = done && i % 4;

		s->want[1][i] = swap ? number(s->type, 5) : s->in[1][i];
		s->want[2][i] = done ? s->in[1][i] : 0;
		s->want[3][i] = swap;
	}
}

static void
body_cas(struct shape *s, const struct machine *m, const struct pass_ctx *p, const struct body *b)
{
	(void)m, (void)p, (void)b;
	UNIT_CHECK(s->t,
		   asked.type == s->type && asked.space == SPACE_GLOBAL &&
			   asked.scope == MEM_BLOCK && asked.order == MEM_ACQ_REL,
		   "requested type %u, space %u, scope %u, order %u", asked.type, asked.space,
		   asked.scope, asked.order);
}

static void
swaps(struct unit_ctx *t)
{
	static struct shape s = {
		.name = "cas", .is_atomic = true, .n_blocks = 1, .n_bufs = 4, .len = { 64, 40, 64, 64 },
		.of = { [3] = QD_TYPE_U32 }, .fill = fill_cas, .body = body_cas,
		.text = HEAD("64") "param \"io\" $[]\nparam \"old\" out $[]\n"
			"param \"done\" out u32[]\n{\n"
			"%1 = const u32 0x32" AT(1) "%2 = grid u32 %1" AT(1)
			"%3 = load @ \"src\" %2 _ _ !1" AT(2) "%4 = const u32 0x5" AT(2)
			"%5 = cvt @ %4" AT(2) "%6 = const u32 0x3" AT(3) "%7 = rem u32 %2 %6" AT(3)
			"%8 = const u32 0x0" AT(3) "%9 = ne bool %7 %8" AT(3)
			"%10 = made.cas \"io\" %2 %3 %5 %9 !1153" AT(4)
			"%11 = result @ 0 %10" AT(5) "%12 = result bool 1 %10" AT(5)
			"store \"old\" %2 %11 _ !1" AT(6) "%14 = const u32 0x1" AT(6)
			"%15 = select u32 %12 %14 %8" AT(6) "store \"done\" %2 %15 _ !1" AT(6)
			"end" AT(7) "}\n",
	};
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx = NULL;
	struct qd_kernel *k = NULL;
	struct qd_error err;
	struct buf out;
	char wrong[2000], *flags;

	run_shape(t, &s, TM_NUM | 1u << QD_TYPE_I16 | 1u << QD_TYPE_F16);
	/* The kernel prints as it was read; an invalid scope or order is rejected. */
	s.type = QD_TYPE_U32;
	UNIT_CHECK(t, !qd_context_create(&desc, &ctx, &err), "%s", err.text);
	k = read_kernel(&s, ctx, &err);
	buf_init(&out, &ctx->pool);
	if (k) {
		ir_print(&out, k, &k->ir);
		buf_put(&out, "", 1);
		UNIT_CHECK(t, strstr(buf_data(&out), "made.cas \"io\" %2 %3 %5 %9 !1153 "), "%s",
			   (const char *)buf_data(&out));
		qd_kernel_free(k);
		static const char *const others[] = { "!2   ", "!1281", "!4096", "!33  " };
		for (unsigned i = 0; i < QD_COUNT(others); i++) {
			snprintf(wrong, sizeof wrong, "%s", (const char *)buf_data(&out));
			if ((flags = strstr(wrong, "!1153")))
				memcpy(flags, others[i], 5);
			UNIT_CHECK(t, qd_kernel_read(ctx, wrong, strlen(wrong), "x", &k, &err), "%s",
				   others[i]);
		}
	}
	buf_fini(&out);
	qd_context_free(ctx);
}

/* -- Shared memory, barriers, a marked value ------------------------------------- */

enum { DIM = 100, COUNT = 150 };

static void
fill_total(struct shape *s, uint32_t size)
{
	for (uint32_t i = 0; i < N; i++) {
		s->in[0][i] = number(s->type, i % 7 + 1);
		s->in[1][i] = s->in[2][i] = number(s->type, 99);
	}
	memcpy(s->want, s->in, sizeof s->want);
	for (uint32_t i = 0; i < COUNT; i++) {
		uint32_t base = i - i % DIM, end = base + DIM < COUNT ? base + DIM : COUNT, sum = 0;
		uint32_t first = i - i % DIM % size, last = first + size < end ? first + size : end;

		for (uint32_t j = base; j < end; j++)
			sum += j % 7 + 1;
		s->want[1][i] = number(s->type, sum * (end - base));
		for (sum = 0; first < last; first++)
			sum += first % 7 + 1;
		s->want[2][i] = number(s->type, sum);
	}
}

static void
body_total(struct shape *s, const struct machine *m, const struct pass_ctx *p, const struct body *b)
{
	uint32_t slots = (DIM + m->subgroup_size - 1) / m->subgroup_size;
	uint32_t n_uses = 0, sum = 0, marks = 0;
	uint32_t needs = NEED_SHARED | NEED_BARRIER | NEED_CROSS | NEED_LANES;
	const struct ir *ir = &b->ir;

	UNIT_CHECK(s->t, b->n_mems == 5 && p->k->n_mems == 3, "%u memories", b->n_mems);
	for (uint32_t i = 3; i < b->n_mems; i++)
		UNIT_CHECK(s->t, !b->mems[i].name && b->mems[i].space == SPACE_SHARED &&
				 b->mems[i].len == slots && b->mems[i].type == s->type,
			   "memory %u: %u of %u", i, b->mems[i].len, b->mems[i].type);
	UNIT_CHECK(s->t, b->shared_size == 2 * slots * type_info[s->type].size, "%u bytes",
		   b->shared_size);
	UNIT_CHECK(s->t, b->n_barriers == 4, "%u barriers", b->n_barriers);
	UNIT_CHECK(s->t, (b->needs & needs) == needs, "needs %x", b->needs);
	UNIT_CHECK(s->t, !(b->needs & NEED_F64) == (s->type != QD_TYPE_F64), "needs %x", b->needs);
	for (uint32_t i = 1; i < ir->n; i++) {
		const struct ins *ins = &ir->ins[i];

		for (uint32_t j = 0; j < MAX_OPND; j++)
			n_uses += op_values[ins->op] >> j & 1 && ins->arg[j];
		sum += b->uses[i];
		if (ins->op == OP_UNIFORM && ins->x == LEVEL_BLOCK) {
			marks++;
			UNIT_CHECK(s->t, b->level[i] == LEVEL_BLOCK && b->uses[i], "a mark");
		}
		/* Conditions depend only on the total and the grid's end, so they are uniform. */
		if (ins->op == OP_IF)
			UNIT_CHECK(s->t, b->level[i] == LEVEL_BLOCK, "an if with level %u",
				   b->level[i]);
		if (ins->op == OP_LANE)
			UNIT_CHECK(s->t, b->level[i] == LEVEL_VARYING, "lanes");
	}
	UNIT_CHECK(s->t, sum == n_uses, "%u uses, not %u", sum, n_uses);
	UNIT_CHECK(s->t, marks >= 1, "no mark");
}

static void
totals(struct unit_ctx *t)
{
	static struct shape s = {
		.name = "total", .n_blocks = 2, .n_bufs = 3, .len = { 200, 200, 200 },
		.fill = fill_total, .body = body_total,
		.text = HEAD("100") "param \"sum\" out $[]\nparam \"own\" out $[]\n{\n"
			"%1 = const u32 0x96" AT(1) "%2 = grid u32 %1" AT(1)
			"%3 = load @ \"src\" %2 _ _ !1" AT(2) "%4 = made.total @ %3" AT(3)
			"%5 = made.total @ %4" AT(4) "store \"sum\" %2 %5 _ !1" AT(5)
			"%7 = const u32 0x1" AT(6) "%8 = cvt @ %7" AT(6) "%9 = lt bool %8 %4" AT(6)
			"if %9" AT(7) "%11 = subgroup.reduce_add @ %3 _" AT(8)
			"store \"own\" %2 %11 _ !1" AT(8) "end" AT(9) "end" AT(9) "}\n",
	};
	run_shape(t, &s, TM_NUM);
}

const struct unit units_shapes[] = {
	{ "shapes.sorts", sorts }, { "shapes.words", words },	{ "shapes.matches", matches },
	{ "shapes.swaps", swaps }, { "shapes.totals", totals },
};
const unsigned n_units_shapes = QD_COUNT(units_shapes);
