/* Machines and test kits, declared in t_prim.h. */
#include "t_prim.h"

#include <stdio.h>
#include <stdlib.h>

#include "rewrite.h"

/* -- Machines ------------------------------------------------------------------ */

static bool
native_all(const struct machine *m, const struct query *q)
{
	(void)m, (void)q;
	return true;
}

static bool
combines(enum op op)
{
	return op_info[op].combine != OP_NONE;
}

/* No order of floats, bit counts only on 32-bit words, reductions only of whole subgroups. */
static bool
native_some(const struct machine *m, const struct query *q)
{
	enum op op = q->op;
	qd_type t = q->type;
	bool is_64 = type_info[t].size == 8, flt = type_is(t, TM_FLT);

	if (is_64 && !(m->caps & (flt ? (uint32_t)CAP_F64 : (uint32_t)CAP_I64)))
		return false;
	if (op == OP_LANE_PATTERN)
		return q->pattern == PATTERN_XOR;
	switch (op) {
	case OP_POPCOUNT: case OP_CLZ: case OP_FFS: case OP_BREV: case OP_MULHI:
	case OP_EXP: case OP_LOG: case OP_SIN: case OP_COS: case OP_POW: case OP_FUNNEL_RIGHT:
		return !is_64;
	case OP_MIN: case OP_MAX: case OP_NEG: case OP_ABS:
		return !flt;
	case OP_DOT4_I8: case OP_DOT4_U8: case OP_DOT4_I8U8: case OP_BYTE_PERMUTE:
	case OP_REM: case OP_ELECT: case OP_FUNNEL_LEFT: case OP_SHUFFLE_UP: case OP_SHUFFLE_DOWN:
		return false;
	default:
		return !combines(op) || (!flt && q->log2_size == LOG2_FULL);
	}
}

/* Every lane pattern, but no operations that expand to lane patterns. */
static bool
native_lanes(const struct machine *m, const struct query *q)
{
	(void)m;
	return !combines(q->op) && q->op != OP_SHUFFLE_UP && q->op != OP_SHUFFLE_DOWN;
}

/* Reductions only of 32-bit integers, order of floats, votes of whole subgroups. */
static bool
native_words(const struct machine *m, const struct query *q)
{
	const struct op_info *info = &op_info[q->op];

	(void)m;
	if (info->expand == EXPAND_reduce)
		return type_is(q->type, TM_I32) && info->combine != OP_MUL &&
		       q->log2_size == LOG2_FULL;
	if (info->expand == EXPAND_vote)
		return q->log2_size == LOG2_FULL;
	return info->expand != EXPAND_scan && info->expand != EXPAND_exclusive;
}

static bool
native_few(const struct machine *m, const struct query *q)
{
	qd_type t = q->type;

	switch (q->op) {
	case OP_LANE_PATTERN:
		return false;
	case OP_POPCOUNT: case OP_CLZ: case OP_FFS: case OP_BREV: case OP_MULHI:
	case OP_MIN: case OP_MAX: case OP_NEG: case OP_ABS: case OP_NOT:
	case OP_SHUFFLE_XOR: case OP_BROADCAST: case OP_SUBGROUP_ID: case OP_MATCH_ANY:
	case OP_BYTE_SELECT: case OP_TRUNC: case OP_ROUND: case OP_FUNNEL_LEFT: case OP_FUNNEL_RIGHT:
		return false;
	case OP_DIV:
		return type_is(t, TM_FLT) && native_some(m, q);
	case OP_SHUFFLE:
		return t == QD_TYPE_U32;
	case OP_EQ: case OP_NE: case OP_SELECT:
		return t != QD_TYPE_BOOL && native_some(m, q);
	default:
		return !combines(q->op) && native_some(m, q);
	}
}

enum {
	CAPS_WIDE = CAP_I64 | CAP_F64 | CAP_STORE8 | CAP_STORE16,
	CAPS_CHECKED = CAP_INT_DIV_CHECKED | CAP_CVT_SATURATES | CAP_SHIFT_MASKS
};

static const struct machine machines[] = {
	{ .name = "all", .native = native_all, .caps = CAPS_WIDE | CAPS_CHECKED },
	{ .name = "some", .native = native_some,
	  .caps = CAPS_WIDE | CAP_FLAG_LOOPS | CAP_HIDE_ZERO },
	{ .name = "words", .native = native_some, .caps = CAP_FLAG_LOOPS | CAP_U32_TO_F32_INEXACT },
	{ .name = "checked", .native = native_some, .caps = CAPS_WIDE | CAP_INT_DIV_CHECKED },
	{ .name = "reduces words", .native = native_words, .caps = CAPS_WIDE | CAPS_CHECKED },
	{ .name = "few", .native = native_few,
	  .caps = CAPS_WIDE | CAP_U32_TO_F32_INEXACT | CAP_HIDE_ZERO },
	{ .name = "few words", .native = native_few,
	  .caps = CAP_STORE16 | CAP_SHIFT_MASKS | CAP_HIDE_ZERO },
	{ .name = "lanes", .native = native_lanes, .caps = CAPS_WIDE | CAPS_CHECKED | CAP_LANES_CHEAP },
};

const unsigned n_prim_machines = QD_COUNT(machines);

/* Returns true for the combinations that a run tests: all of them, or every third one with
 * QD_TEST_SOME. The third still covers each pair of machine, size and type. */
bool
prim_chosen(unsigned machine, uint32_t log2_size, qd_type type)
{
	return !getenv("QD_TEST_SOME") || (machine + log2_size + (uint32_t)type) % 3 == 0;
}

struct machine
prim_machine(unsigned i, uint32_t log2_size)
{
	struct machine m = machines[i];

	m.log2_size = log2_size;
	m.subgroup_size = m.lanes = 1u << log2_size;
	m.max_block_dim = 1024;
	m.max_shared = 32 << 10;
	return m;
}

/* -- A kernel, its forms, and a memory for each form ------------------------------- */

struct qd_builder *
kit_open(struct kit *k, struct unit_ctx *t, const struct machine *m, uint32_t block)
{
	struct qd_context_desc desc = { .version = QD_VERSION };

	memset(k, 0, sizeof *k);
	k->t = t;
	k->m = m;
	k->rng.state = 1;
	UNIT_CHECK(t, !qd_context_create(&desc, &k->ctx, &k->err), "%s", k->err.text);
	arena_init(&k->mem, &k->ctx->pool);
	UNIT_CHECK(t, !qd_builder_create(k->ctx, "k", &k->b, &k->err), "%s", k->err.text);
	qd_block(k->b, block, 1, 1);
	return k->b;
}

void
kit_close(struct kit *k)
{
	qd_builder_free(k->b);
	qd_kernel_free(k->k);
	pool_delete(&k->ctx->pool, k->memory);
	arena_fini(&k->mem);
	qd_context_free(k->ctx);
}

/* Compiles the kernel into its forms and returns the first error. Errors of the passes before
 * pass_legalize fail the test. */
qd_status
kit_compile(struct kit *k)
{
	struct pass_ctx *p = &k->p;
	struct ir a, b;
	struct body body;
	qd_status st = build_finish(k->b, &k->k, &k->err);

	k->b = NULL;
	UNIT_CHECK(k->t, !st, "%s: %s", k->what, k->err.text);
	if (st)
		return st;
	pass_ctx_init(p, k->k, k->m, &k->mem, &k->err);
	st = pass_specialize(p, &k->k->ir, &a);
	k->form[MEANT] = a;
	if (!st && (p->padded_block || k->k->grid)) {
		st = pass_mask_padding(p, &a, &b);
		a = b;
	}
	if (!st)
		st = pass_dce(p, &a, &b, NULL);
	UNIT_CHECK(k->t, !st, "%s: %s", k->what, k->err.text);
	if (!st)
		st = pass_legalize(p, &b, NULL, &a);
	if (!st) /* removes unused words of 64-bit values */
		st = pass_dce(p, &a, &k->form[LEGAL], NULL);
	if (!st)
		st = pass_run(p, false, &body);
	k->form[WHOLE] = body.ir;
	return st;
}

uint64_t *
kit_element(struct kit *k, int form, uint32_t param)
{
	return k->memory + ((size_t)form * k->k->n_params + param) * ELEMENTS;
}

/* Compiles and allocates memory. Returns false, with the test failed, on an error. */
bool
kit_ready(struct kit *k)
{
	qd_status st = kit_compile(k);

	UNIT_CHECK(k->t, !st, "%s on %s: %s", k->what, k->m->name, k->err.text);
	if (st)
		return false;
	for (int f = LEGAL; f < N_FORM; f++) {
		const char *wrong = lanes_illegal(k->m, &k->form[f], k->p.mems, f == WHOLE);
		UNIT_CHECK(k->t, !wrong, "%s on %s: form %d has %s", k->what, k->m->name, f, wrong);
	}
	k->memory = pool_new(&k->ctx->pool, sizeof(uint64_t) * N_FORM * k->k->n_params * ELEMENTS);
	k->x = (struct lanes){ .k = k->k, .m = k->m, .n_blocks = 3 };
	for (uint32_t i = 0; i < k->k->n_params; i++)
		k->x.len[i] = ELEMENTS;
	return k->memory != NULL;
}

static bool
is_nan(qd_type t, uint64_t bits)
{
	if (t == QD_TYPE_F64)
		return (bits & ~0ull >> 1) > 0x7ffull << 52;
	return t == QD_TYPE_F32 && (bits & 0x7fffffff) > 0x7f800000;
}

static void
compare_param(struct kit *k, int form, uint32_t param)
{
	const uint64_t *want = kit_element(k, MEANT, param), *got = kit_element(k, form, param);
	qd_type t = k->k->params[param].type;
	uint32_t e;

	for (e = 0; e < ELEMENTS; e++) {
		bool nans = !k->same_nans && is_nan(t, got[e]) && is_nan(t, want[e]);
		if (got[e] != want[e] && !nans)
			break;
	}
	UNIT_CHECK(k->t, e == ELEMENTS, "%s on %s:w%u, form %d: %s[%u] is %llx, not %llx", k->what,
		   k->m->name, k->m->subgroup_size, form, k->k->params[param].name, e,
		   (unsigned long long)got[e], (unsigned long long)want[e]);
}

/* Runs every form on a copy of MEANT's memory and compares all parameters with MEANT's. */
void
kit_compare(struct kit *k)
{
	size_t size = sizeof(uint64_t) * k->k->n_params * ELEMENTS;

	for (int f = LEGAL; f < N_FORM; f++)
		memcpy(kit_element(k, f, 0), kit_element(k, MEANT, 0), size);
	for (int f = MEANT; f < N_FORM; f++) {
		for (uint32_t i = 0; i < k->k->n_params; i++)
			k->x.buf[i] = kit_element(k, f, i);
		k->x.legal = f != MEANT;
		bool ran = lanes_run(&k->x, &k->form[f]);
		UNIT_CHECK(k->t, ran, "%s on %s, form %d: %s", k->what, k->m->name, f, k->x.fault);
		if (!ran || f == MEANT)
			continue;
		for (uint32_t i = 0; i < k->k->n_params; i++)
			compare_param(k, f, i);
	}
}

/* -- Values ------------------------------------------------------------------------- */

static const uint64_t special_ints[] = {
	0, 1, 2, 3, 7, 31, 32, 63, 64, 127, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffff80, 0x7fffffff,
	0x80000000, 0x80000001, 0xffffff7f, 0xfffffffe, 0xffffffff, 0x100000000, 0x1ffffffff,
	0x7fffffff00000000, 0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001,
	0xffffffff00000000, 0xffffff7fffffffff, 0xffffff8000000000, 0xfffffffffffffffe,
	0xffffffffffffffff, 0x8000008000000000, 0x8000018000000000, 0x8000008000000001,
};
static const uint32_t special_f32[] = {
	0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x3f000000,
	0x3f7fffff, 0x3f800000, 0xbf800000, 0xbf7fffff, 0x3fc00000, 0x4effffff, 0x4f000000,
	0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000,
	0xdf000001, 0x5f7fffff, 0x5f800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
	0xffc00001, 0x7f800001, 0xff923456, 0xcb000000,
	/* rounding of conversions to f16 and bf16 */
	0x477fe000, 0x477fefff, 0x477ff000, 0xc77fffff, 0x47800000, 0x38800000, 0x387fffff,
	0xb87fe000, 0x387fdfff, 0x387fa000, 0x33000000, 0x33000001, 0x33c00000, 0xb3bfffff,
	0x3f801000, 0x3f803000, 0x3f802fff, 0x3f808000, 0x3f818000, 0x7f7f8000,
};

uint64_t
kit_value(struct unit_rng *r, qd_type type)
{
	uint64_t v = unit_random(r), pick = unit_random(r);
	double d;

	if (type == QD_TYPE_F32 || type == QD_TYPE_F64) {
		uint32_t low = (uint32_t)v;
		float f;
		if (pick % 4)
			low = special_f32[v % QD_COUNT(special_f32)];
		else if (pick % 8) /* of ordinary size */
			low = (low & 0x81ffffff) | 0x3f000000;
		if (type == QD_TYPE_F32)
			return low;
		memcpy(&f, &low, sizeof f);
		d = (double)f;
		memcpy(&v, &d, sizeof v);
		return pick % 3 || (low & 0x7fffffff) > 0x7f800000 ? v : v ^ (v >> 40 & 3);
	}
	if (pick % 3)
		v = special_ints[v % QD_COUNT(special_ints)];
	else if (pick % 2)
		v = (v & 0xffff) << (v >> 59);
	return type_bits(type) == 64 ? v : (uint32_t)v;
}

void
kit_fill(struct kit *k, uint32_t param)
{
	qd_type storage = k->k->params[param].type;

	for (uint32_t e = 0; e < ELEMENTS; e++)
		kit_element(k, MEANT, param)[e] =
			ir_narrow(storage, kit_value(&k->rng, type_info[storage].wide));
}

struct qd_val
kit_thread(struct qd_builder *b)
{
	return qd_block_thread_idx(b);
}

struct qd_val
kit_in(struct qd_builder *b, const char *name, qd_type t)
{
	return qd_load(b, qd_param_buffer(b, name, t, QD_ACCESS_IN), kit_thread(b));
}

/* Stores v in an output buffer of its own; a bool as 0 or 1. */
void
kit_result(struct qd_builder *b, struct qd_val v)
{
	char name[16];

	snprintf(name, sizeof name, "out%u", b->k ? b->k->n_params : 0);
	if (build_type(b, v) == QD_TYPE_BOOL)
		v = qd_select(b, v, qd_i32(b, 1), qd_i32(b, 0));
	qd_store(b, qd_param_buffer(b, name, build_type(b, v), QD_ACCESS_OUT), kit_thread(b), v);
}

/* Compiles the kernel, then fills the first n_in buffers and compares the forms, `rounds` times. */
void
kit_check(struct kit *k, const char *what, uint32_t n_in, uint32_t rounds)
{
	k->what = what;
	if (!kit_ready(k))
		return;
	while (rounds--) {
		for (uint32_t i = 0; i < n_in; i++)
			kit_fill(k, i);
		kit_compare(k);
	}
}

bool
kit_has_type(const struct machine *m, qd_type t)
{
	return t != QD_TYPE_F64 || (m->caps & CAP_F64);
}
