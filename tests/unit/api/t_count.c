/* Counts of grid loops, which the host computes. Every operation allowed in a count must give the
 * result of the devices. An overflow fails the launch and reports the values. Constant folding must
 * not change which counts are accepted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "build_call.h"
#include "jit.h"
#include "ref_rig.h"

extern const struct unit units_count[];
extern const unsigned n_units_count;

static const char *const devices[] = { "ref:4", "emu:sm_70", "emu:gfx1100" };

/* -- Comparison with devices ----------------------------------------------------------------- */

enum { N_CORNER = 12, N_PAIR = N_CORNER * N_CORNER };

static const uint64_t corners[N_CORNER] = { 0,
					    1,
					    2,
					    3,
					    7,
					    31,
					    0x7fffffff,
					    0x80000000,
					    0xfffffffe,
					    0xffffffff,
					    UINT64_C(0x7fffffffffffffff),
					    UINT64_C(0x8000000000000000) };
static const qd_type types[] = { QD_TYPE_U32, QD_TYPE_I32, QD_TYPE_U64, QD_TYPE_I64 };

/* Returns corner c in that type. For 32-bit types, the halves of the 64-bit value are combined with
 * XOR. */
static uint64_t
corner(qd_type type, size_t c)
{
	return type_bits(type) == 32 ? (uint32_t)(corners[c] ^ corners[c] >> 32) : corners[c];
}

/* Emits the operation on x and y. A comparison selects one of two integers, so that every result is
 * an integer. */
static struct qd_val
apply(struct qd_builder *b, enum op op, qd_type type, qd_type to, struct qd_val x, struct qd_val y)
{
	struct qd_val v, none = { 0 };

	if (op == OP_SELECT)
		return qd_select(b, qd_lt(b, x, y), x, y);
	if (op == OP_CVT)
		return qd_cast(b, to, x);
	if (op == OP_BITCAST)
		return qd_bitcast(b, type_bits(type) == type_bits(to) ? to : type, x);
	if (op_info[op].sig == SIG_SHIFT)
		y = qd_cast(b, QD_TYPE_U32, qd_and(b, y, qd_const_bits(b, type, 0xff)));
	v = build_push_op(b, op, op_info[op].sig == SIG_CMP ? QD_TYPE_BOOL : type, x,
			  op_info[op].sig == SIG_UN ? none : y, none);
	return op_info[op].sig == SIG_CMP
		       ? qd_select(b, v, qd_const_bits(b, type, 5), qd_const_bits(b, type, 9))
		       : v;
}

/* Builds dst[i] = x[i] op y[i] or, with count, a grid loop over x op y. */
static struct qd_kernel *
make(struct rig *r, enum op op, qd_type type, qd_type to, bool count)
{
	struct qd_builder *b = rig_kernel(r, 64);
	struct qd_kernel *k = NULL;

	if (count) {
		struct qd_val x = qd_param_scalar(b, "x", type), y = qd_param_scalar(b, "y", type);
		qd_grid(b, apply(b, op, type, to, x, y));
	} else {
		struct qd_array x = qd_param_buffer(b, "x", type, QD_ACCESS_IN);
		struct qd_array y = qd_param_buffer(b, "y", type, QD_ACCESS_IN);
		qd_type t = op == OP_CVT || (op == OP_BITCAST && type_bits(type) == type_bits(to)) ? to : type;
		struct qd_array dst = qd_param_buffer(b, "dst", t, QD_ACCESS_OUT);
		struct qd_val i = qd_grid(b, qd_len(b, dst));
		qd_store(b, dst, i, apply(b, op, type, to, qd_load(b, x, i), qd_load(b, y, i)));
	}
	UNIT_CHECK(r->t, qd_builder_finish(b, &k, &r->err) == QD_OK, "%s of %s: %s", op_info[op].text,
		   qd_type_name(type), r->err.text);
	return k;
}

/* Integer type that contains all values of u64 and i64. */
__extension__ typedef __int128 number;

static number
number_of(qd_type type, uint64_t bits)
{
	switch (type) {
	case QD_TYPE_U32: return (uint32_t)bits;
	case QD_TYPE_I32: return (int32_t)(uint32_t)bits;
	case QD_TYPE_I64: return (int64_t)bits;
	default: return bits;
	}
}

/* Returns true if the result wraps. For products, overflow is detected by division. */
static bool
is_wrapped(enum op op, qd_type type, qd_type to, uint64_t xb, uint64_t yb)
{
	number x = number_of(type, xb), y = number_of(type, yb), r = 0;
	number limit = (number)1 << (type_bits(type) - type_info[type].is_signed);

	switch (op) {
	case OP_ADD: r = x + y; break;
	case OP_SUB: r = x - y; break;
	case OP_NEG: r = -x; break;
	case OP_ABS: r = x < 0 ? -x : x; break;
	case OP_MUL:
		if (!x || !y)
			return false;
		if (x == limit && y == limit)
			return true;
		if ((x < 0 ? -x : x) > ((number)1 << 65) / (y < 0 ? -y : y))
			return true;
		r = x * y;
		break;
	case OP_DIV:
		if (!y)
			return true;
		r = x / y;
		break;
	case OP_REM: return !y;
	case OP_SHL:
		for (r = x, y &= 0xff; y && r && r < limit && r >= -limit; y--)
			r *= 2;
		if (y && x)
			return true;
		break;
	case OP_CVT:
		return number_of(to, type_bits(to) == 32 ? (uint32_t)xb
				 : type == QD_TYPE_I32 ? (uint64_t)(int64_t)(int32_t)(uint32_t)xb : xb) != x;
	default: return false;
	}
	return r >= limit || r < (type_info[type].is_signed ? -limit : 0);
}

/* Compares one operation on all pairs of corners, on a device and on the host. */
static void
compare(struct rig *r, const char *device, enum op op, qd_type type, qd_type to)
{
	uint64_t x[N_PAIR], y[N_PAIR], got[N_PAIR] = { 0 };
	uint32_t size = type_info[type].size;
	qd_type t = op == OP_CVT || (op == OP_BITCAST && type_bits(type) == type_bits(to)) ? to : type;
	struct qd_kernel *run = make(r, op, type, to, false), *count = make(r, op, type, to, true);
	struct arena mem;

	arena_init(&mem, &r->ctx->pool);
	const struct launch_layout *d = count ? layout_kernel(count, NULL, 32, false, &mem) : NULL;
	for (size_t i = 0; i < N_PAIR; i++) {
		uint64_t xb = corner(type, i / N_CORNER), yb = corner(type, i % N_CORNER);
		memcpy((char *)x + i * size, &xb, size);
		memcpy((char *)y + i * size, &yb, size);
	}
	struct io io[] = { { x, N_PAIR * size }, { y, N_PAIR * size }, { got, N_PAIR * type_info[t].size } };
	qd_status st = run && d ? rig_launch(r, run, QD_GRID, io, 3) : QD_E_NOMEM;
	UNIT_CHECK(r->t, !st, "%s, %s of %s: %s", device, op_info[op].text, qd_type_name(type), r->err.text);
	for (size_t i = 0; i < N_PAIR && !st; i++) {
		uint64_t args[2] = { corner(type, i / N_CORNER), corner(type, i % N_CORNER) }, want = 0, n;
		bool exact = layout_grid(d, args, &n);
		memcpy(&want, (char *)got + i * type_info[t].size, type_info[t].size);
		if (type_info[t].is_signed && want >> (type_bits(t) - 1))
			want = 0;
		UNIT_CHECK(r->t, n == want, "%s, %s of %s %llx %llx: the host counts %llx, not %llx", device,
			   op_info[op].text, qd_type_name(type), (unsigned long long)args[0],
			   (unsigned long long)args[1], (unsigned long long)n, (unsigned long long)want);
		UNIT_CHECK(r->t, exact == !is_wrapped(op, type, to, args[0], args[1]),
			   "%s of %s %llx %llx to %s: %s", op_info[op].text, qd_type_name(type),
			   (unsigned long long)args[0], (unsigned long long)args[1], qd_type_name(to),
			   exact ? "no finding" : "a finding");
	}
	arena_fini(&mem);
	qd_kernel_free(run);
	qd_kernel_free(count);
}

/* Fails if the result of the host differs from a device's, or if the host misses an overflow. */
static void
as_devices_do(struct unit_ctx *t)
{
	for (size_t v = 0; v < QD_COUNT(devices); v++) {
		struct rig r;
		if (!rig_open(&r, t, devices[v]))
			return;
		for (enum op op = OP_NONE + 1; op < N_OP; op++) {
			if (!op_info[op].is_alu || op_info[op].in_count == COUNT_NO)
				continue;
			for (size_t i = 0; i < QD_COUNT(types); i++) {
				size_t n = op == OP_CVT || op == OP_BITCAST ? QD_COUNT(types) : 1;
				for (size_t to = 0; to < n; to++)
					compare(&r, devices[v], op, types[i], n > 1 ? types[to] : types[i]);
			}
		}
		rig_close(&r);
	}
}

/* -- Messages ------------------------------------------------------------------------------------ */

#define WRAPS(place, rest)                                                                         \
	"kernel 'k': the grid loop's count wraps at t.qdk:1:" place ": " rest                      \
	"; nothing was launched; pass values that fit, or guard it with select(c, x, y), of which only " \
	"the selected side is checked"

/* Rows of counts; the buffer a has one element. */
static const struct {
	const char *count, *err; /* "" if the launch succeeds */
	uint32_t h, w;
	int32_t n;
	int64_t l;
} rows[] = {
	{ "a.len - 2", WRAPS("84", "a.len - 2 does not fit u32 where a.len = 1"), .n = 0 },
	{ "h * w", WRAPS("80", "h * w does not fit u32 where h = 65536, w = 65536"), .h = 65536, .w = 65536 },
	{ "h * w", "", .h = 65536, .w = 0 },
	{ "(h + 255) / 256", WRAPS("81", "in (h + 255) >> 8, h + 255 does not fit u32 where h = 4294967041"),
	  .h = 4294967041, .w = 0 },
	{ "(h + 255) / 256", "", .h = 4294967040 % 1000, .w = 0 },
	{ "h / w", WRAPS("80", "h / w does not fit u32 where h = 7, w = 0"), .h = 7, .w = 0 },
	{ "h % w", WRAPS("80", "h % w does not fit u32 where h = 7, w = 0"), .h = 7, .w = 0 },
	{ "h << w", WRAPS("80", "h << w does not fit u32 where h = 3, w = 31"), .h = 3, .w = 31 },
	{ "n - 9", "", .n = 3 }, /* negative: an empty loop */
	{ "u32(n - 9)", WRAPS("78", "u32(n - 9) does not fit u32 where n = 3"), .n = 3 },
	{ "n * n", WRAPS("80", "n * n does not fit i32 where n = 65536"), .n = 65536 },
	{ "n - 9", WRAPS("80", "n - 9 does not fit i32 where n = -2147483648"), .n = INT32_MIN },
	{ "l * l", WRAPS("80", "l * l does not fit i64 where l = 4294967296"), .l = INT64_C(1) << 32 },
	{ "-n", WRAPS("78", "-n does not fit i32 where n = -2147483648"), .n = INT32_MIN },
	{ "abs(n)", WRAPS("78", "abs(n) does not fit i32 where n = -2147483648"), .n = INT32_MIN },
	/* Only the selected operand is checked, and only operands that affect the result. */
	{ "select(a.len > 2, a.len - 2, 0)", "", .n = 0 },
	{ "select(a.len > 0, a.len - 2, 0)",
	  WRAPS("102", "in select(0 < a.len, a.len - 2, 0), a.len - 2 does not fit u32 where a.len = 1"), .n = 0 },
	{ "select(h - 2 > 5, 1u, 2u)", WRAPS("87", "in select(5 < (h - 2), 1, 2), h - 2 does not fit u32 where h = 1"), .h = 1, .w = 0 },
	{ "select(h >= 2 && h - 2 > 5, 1u, 2u)", "", .h = 1, .w = 0 },
	{ "select(h < 2 || h - 2 > 5, 1u, 2u)", "", .h = 1, .w = 0 },
	{ "min(h - 2, 5)", WRAPS("84", "in min(h - 2, 5), h - 2 does not fit u32 where h = 1"), .h = 1, .w = 0 },
	/* Constants that the builder folds. */
	{ "65536u * 65536u", WRAPS("68", "the constant expression that wraps to 0 does not fit u32"), .n = 0 },
	{ "h + 65536u * 65536u", WRAPS("80", "in h + 0, the constant expression that wraps to 0 does not fit u32"), .h = 1, .w = 0 },
	{ "select(h > 2, 65536u * 65536u, 3u)", "", .h = 1, .w = 0 },
	{ "select(h > 2, 65536u * 65536u, 3u)",
	  WRAPS("78", "in select(2 < h, 0, 3), the constant expression that wraps to 0 does not fit u32"), .h = 3, .w = 0 },
};

static qd_status
run_text(struct rig *r, const char *text, uint32_t h, uint32_t w, int32_t n, int64_t l, uint32_t n_blocks)
{
	uint32_t a[1] = { 0 };
	struct qd_arg args[] = { qd_arg_host(a, sizeof a), qd_arg_u32(h), qd_arg_u32(w), qd_arg_i32(n),
				 qd_arg_i64(l) };

	r->err = (struct qd_error){ 0 };
	return qd_run(r->dev, text, strlen(text), "some/folder/t.qdk", NULL, NULL, 0, n_blocks, args, 5,
		      &r->err);
}

static void
messages(struct unit_ctx *t)
{
	for (size_t v = 0; v < QD_COUNT(devices); v++) {
		struct rig r;
		if (!rig_open(&r, t, devices[v]))
			return;
		for (size_t i = 0; i < 2 * QD_COUNT(rows); i++) {
			char text[256];
			size_t j = i / 2;
			snprintf(text, sizeof text,
				 "kernel k(a: u32[], h: u32, w: u32, n: i32, l: i64) block(64) { for i in grid(%s) { a[i] = 1; } }",
				 rows[j].count);
			/* An explicit number of blocks does not disable the check. */
			qd_status st = run_text(&r, text, rows[j].h, rows[j].w, rows[j].n, rows[j].l,
						i % 2 ? 1 : QD_GRID);
			UNIT_CHECK(t, st == (rows[j].err[0] ? QD_E_LIMIT : QD_OK), "%s, %s: %s", devices[v],
				   rows[j].count, qd_status_name(st));
			rig_text(t, st ? r.err.text : "", rows[j].err);
			if (st && !strstr(rows[j].err, "constant"))
				UNIT_CHECK(t, r.err.line == 1 && r.err.col > 77, "%s: %u:%u", rows[j].count,
					   r.err.line, r.err.col);
		}
		rig_close(&r);
	}
}

/* Checks the messages of a kernel built with the C API, which name the call. */
static void
from_c(struct unit_ctx *t)
{
	struct rig r;
	struct qd_kernel *k = NULL;

	if (!rig_open(&r, t, "ref:4"))
		return;
	for (int constant = 0; constant < 2; constant++) {
		struct qd_builder *b = rig_kernel(&r, 64);
		struct qd_array dst = rig_dst(b);
		struct qd_val h = qd_u32(b, 65536);
		struct qd_val n = constant ? qd_mul(b, h, h) : qd_sub(b, qd_len(b, dst), qd_u32(b, 2));
		qd_store(b, dst, qd_grid(b, n), h);
		UNIT_CHECK(t, qd_builder_finish(b, &k, &r.err) == QD_OK, "%s", r.err.text);
		struct qd_function *fn = NULL;
		struct qd_buffer *buf = NULL;
		qd_status st = qd_function_get(r.dev, k, NULL, 0, &fn, &r.err);
		st = st ? st : qd_buffer_create(r.dev, 4, 0, &buf, &r.err);
		struct qd_arg arg = qd_arg_buffer(buf);
		st = st ? st : qd_launch(r.stream, fn, QD_GRID, &arg, 1, &r.err);
		qd_buffer_free(buf);
		UNIT_CHECK(t, st == QD_E_LIMIT && strstr(r.err.text, "the grid loop's count wraps at ") &&
				      strstr(r.err.text, constant ? "that wraps to 0 does not fit u32; nothing was launched;"
								  : "dst.len - 2 does not fit u32 where dst.len = 1;") &&
				      strstr(r.err.text, constant ? "qd_mul: " : "qd_sub: "),
			   "%s", st ? r.err.text : "it ran");
		qd_kernel_free(k);
	}
	rig_close(&r);
}

/* -- Accepted counts ------------------------------------------------------------------------------ */

/* Checks each operator in a form that folds and one that does not, then the unsupported ones. */
static void
one_rule(struct unit_ctx *t)
{
	static const struct {
		const char *count;
		const char *not; /* text that the error contains; NULL if the count is accepted */
	} forms[] = {
		{ "a.len % 8", NULL },	    { "a.len % 3", NULL },	{ "a.len >> 1", NULL },
		{ "a.len << 1", NULL },	    { "a.len & 7", NULL },	{ "a.len | 8", NULL },
		{ "a.len ^ 1", NULL },	    { "~a.len & 7", NULL },	{ "a.len / 8", NULL },
		{ "a.len / 3", NULL },	    { "min(a.len, 3)", NULL },	{ "max(a.len, n)", NULL },
		{ "abs(m)", NULL },	    { "-m", NULL },		{ "u64(a.len) * 3", NULL },
		{ "bitcast<i32>(n)", NULL },
		{ "select(n < 4 && !(m == 3), n, 5)", NULL },
		{ "select(!(n <= 4 || m != 3), n % 5, a.len)", NULL },
		{ "a[0]", "a load" },	    { "popcount(n)", "popcount" }, { "clz(n)", "clz" },
		{ "mulhi(n, n)", "mulhi" }, { "block.dim", "block.dim" },
	};
	struct rig r;

	if (!rig_open(&r, t, "ref:4"))
		return;
	for (size_t i = 0; i < QD_COUNT(forms); i++) {
		struct qd_module *m = NULL;
		struct qd_kernel *k = NULL;
		char text[256], want[64];
		snprintf(text, sizeof text, "kernel k(a: u32[], n: u32, m: i32) { for i in grid(%s) { a[i] = 1; } }",
			 forms[i].count);
		snprintf(want, sizeof want, "conversions only, not %s [E0318]", forms[i].not ? forms[i].not : "");
		qd_status st = qd_module_parse(r.ctx, text, strlen(text), "t.qdk", &m, &r.err);
		st = st ? st : qd_module_kernel(m, "k", NULL, 0, &k, &r.err);
		UNIT_CHECK(t, forms[i].not ? st == QD_E_INVALID && strstr(r.err.text, want) : !st, "%s: %s",
			   forms[i].count, st ? r.err.text : "taken");
		qd_kernel_free(k);
		qd_module_free(m);
	}
	rig_close(&r);
}

const struct unit units_count[] = {
	{ "count.as_devices_do", as_devices_do },
	{ "count.messages", messages },
	{ "count.from_c", from_c },
	{ "count.one_rule", one_rule },
};
const unsigned n_units_count = QD_COUNT(units_count);
