/* Functions with an implementation-defined last bit. Results are checked against the bounds of
 * qd.h, for arguments to which these apply. The bounds of f32 are Vulkan's (its table of
 * precisions; pow as exp2(y * log2(x))). log has two more units on PTX, which documents a relative
 * error of 2^-22 for lg2.approx, up to 4 units; the product with ln 2 adds one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"

enum { N_ARG = 448, N_LITERAL = 8, N_CORNER = 12 };

static const double pi32 = 3.14159250259399414; /* the f32 below pi */

struct approx {
	const char *name;
	struct qd_val (*one)(struct qd_builder *, struct qd_val);
	struct qd_val (*two)(struct qd_builder *, struct qd_val, struct qd_val);
	long double (*exact)(long double x, long double y);
	/* Picks an argument for which the bound holds. r, s: random in [-1, 1). */
	void (*pick)(double r, double s, double *x, double *y);
	double (*bound)(double x, double y, double ulp);
	double (*wide)(double x, double y, double ulp); /* for f64 */
	double more_on_ptx; /* additional units of f32 on PTX */
	uint32_t n_corners;
	double corner[N_CORNER][2]; /* arguments with the same result on all devices */
};

/* -- Exact values, arguments and bounds --------------------------------------------- */

static long double
exact_exp(long double x, long double y)
{
	(void)y;
	return expl(x);
}

static long double
exact_log(long double x, long double y)
{
	(void)y;
	return logl(x);
}

static long double
exact_sin(long double x, long double y)
{
	(void)y;
	return sinl(x);
}

static long double
exact_cos(long double x, long double y)
{
	(void)y;
	return cosl(x);
}

/* The results must be normal numbers. */
static void
pick_exp(double r, double s, double *x, double *y)
{
	(void)y;
	*x = s < -0.5 ? r * 0x1p-20 : r * 87.0;
}

static void
pick_log(double r, double s, double *x, double *y)
{
	(void)y;
	*x = s < -0.5 ? 1.25 + 0.75 * r : exp2(s * 125) * (1.5 + 0.5 * r);
}

static void
pick_turn(double r, double s, double *x, double *y)
{
	(void)y;
	*x = s < -0.9 ? r * 0x1p-30 : r * pi32;
}

static void
pick_pow(double r, double s, double *x, double *y)
{
	*x = s < -0.5 ? 1.25 + 0.75 * r : exp2(s * 20);
	*y = s < -0.5 ? r * 100 : r * 6;
}

static double
bound_exp(double x, double y, double ulp)
{
	(void)y;
	return (3 + 2 * fabs(x)) * ulp;
}

static double
bound_log(double x, double y, double ulp)
{
	(void)y;
	return x >= 0.5 && x <= 2 ? 0x1p-21 : 3 * ulp;
}

static double
bound_turn(double x, double y, double ulp)
{
	(void)x, (void)y, (void)ulp;
	return 0x1p-11;
}

static double
bound_pow(double x, double y, double ulp)
{
	double log = log2(x), t = fabs(y * log), off;

	off = fabs(y) * (x >= 0.5 && x <= 2 ? 0x1p-21 : 3 * fabs(log) * 0x1p-23) + t * 0x1p-24;
	return exp2(y * log) * (exp2(off) - 1) + (3 + 2 * (t + off)) * ulp;
}

static double
wide_few(double x, double y, double ulp)
{
	(void)x, (void)y;
	return 4 * ulp;
}

static double
wide_turn(double x, double y, double ulp)
{
	(void)x, (void)y, (void)ulp;
	return 0x1p-50;
}

static double
wide_pow(double x, double y, double ulp)
{
	return (4 + 4 * fabs(y * log(x))) * ulp;
}

/* Ends of the domains that docs/language.md states. */
#define CORNERS(n, ...) n, { __VA_ARGS__ }
#define TURNS		CORNERS(5, { 0, 0 }, { -0.0, 0 }, { pi32, 0 }, { -pi32, 0 }, { NAN, 0 })

static const struct approx functions[] = {
	{ "exp", qd_exp, NULL, exact_exp, pick_exp, bound_exp, wide_few, 0,
	  CORNERS(9, { 0, 0 }, { -0.0, 0 }, { INFINITY, 0 }, { -INFINITY, 0 }, { 1000, 0 }, { -1000, 0 },
		  { -90, 0 }, { -110, 0 }, { -740, 0 }) },
	{ "log", qd_log, NULL, exact_log, pick_log, bound_log, wide_few, 2,
	  CORNERS(4, { 1, 0 }, { 0x1p-126, 0 }, { 0x1.fffffep+127, 0 }, { INFINITY, 0 }) },
	{ "sin", qd_sin, NULL, exact_sin, pick_turn, bound_turn, wide_turn, 0, TURNS },
	{ "cos", qd_cos, NULL, exact_cos, pick_turn, bound_turn, wide_turn, 0, TURNS },
	{ "pow", NULL, qd_pow, powl, pick_pow, bound_pow, wide_pow, 0,
	  CORNERS(8, { INFINITY, 2 }, { INFINITY, -2 }, { 2, INFINITY }, { 0.5, INFINITY },
		  { 2, -INFINITY }, { 5, 0 }, { 1e30, 20 }, { 1e30, -20 }) },
};
enum { N_FUNCTION = sizeof functions / sizeof functions[0] };

/* -- Test of a function with a type --------------------------------------------------- */

struct one {
	struct suite *t;
	const struct approx *f;
	qd_type type;
	uint64_t x[N_ARG], y[N_ARG];
	uint8_t in[2][8 * N_ARG], out[8 * N_ARG], lit[8 * N_ARG * N_LITERAL];
};

static struct qd_val
apply(const struct approx *f, struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	return f->one ? f->one(b, x) : f->two(b, x, y);
}

/* Builds the kernel: the function of loaded values, and of the first few values as literals, which
 * a driver may fold. */
static qd_status
make(struct one *o, struct qd_kernel **k, struct qd_error *err)
{
	struct qd_array x, y, out, lit;
	struct qd_builder *b;
	struct qd_val i, at;

	if (qd_builder_create(o->t->ctx, o->f->name, &b, err))
		return err->code;
	x = qd_param_buffer(b, "x", o->type, QD_ACCESS_IN);
	y = qd_param_buffer(b, "y", o->type, QD_ACCESS_IN);
	out = qd_param_buffer(b, "out", o->type, QD_ACCESS_OUT);
	lit = qd_param_buffer(b, "lit", o->type, QD_ACCESS_OUT);
	i = qd_grid(b, qd_len(b, x));
	at = qd_mul(b, i, qd_u32(b, N_LITERAL));
	for (uint32_t n = 0; n < N_LITERAL; n++) {
		struct qd_val a = qd_const_bits(b, o->type, o->x[n]);
		struct qd_val c = qd_const_bits(b, o->type, o->y[n]);

		a = apply(o->f, b, a, c);
		qd_store(b, lit, at, a);
		at = qd_add(b, at, qd_u32(b, 1));
	}
	struct qd_val a = qd_load(b, x, i), c = qd_load(b, y, i);
	qd_store(b, out, i, apply(o->f, b, a, c));
	return qd_builder_finish(b, k, err);
}

/* Returns whether the result is within the bound. x and y are numbers of the type, so the error of
 * their rounding does not count. */
static bool
near(const struct one *o, uint32_t n, uint64_t got)
{
	bool narrow = o->type == QD_TYPE_F32;
	double x = ref_number(o->type, o->x[n]), y = ref_number(o->type, o->y[n]), bound;
	long double want = o->f->exact((long double)x, (long double)y);
	double size = fabs((double)want), v = ref_number(o->type, got);
	double ulp = size == 0 || !isfinite(size) ? 0 : ldexp(1, ilogb(size) - (narrow ? 23 : 52));
	double least = narrow ? 0x1p-126 : 0x1p-1022;

	if (isnan(size))
		return isnan(v);
	if (size >= ldexp(1, narrow ? 128 : 1024))
		return v == (double)(want < 0 ? -INFINITY : INFINITY);
	if (size < least) /* devices may flush it */
		return fabsl((long double)v - want) <= (long double)least;
	bound = narrow ? o->f->bound(x, y, ulp) : o->f->wide(x, y, ulp);
	if (narrow && strncmp(o->t->info.target, "ptx:", 4) == 0)
		bound += o->f->more_on_ptx * ulp;
	bound += ulp / 2; /* rounding of the exact value itself */
	return fabsl((long double)v - want) <= (long double)bound; /* false for a NaN */
}

static bool
check(struct one *o, const uint8_t *from, uint32_t each, uint32_t n_args, const char *what)
{
	struct suite *t = o->t;

	for (uint32_t i = 0; i < N_ARG; i++) {
		for (uint32_t n = 0; n < each; n++) {
			uint32_t arg = n_args == N_ARG ? i : n;
			uint64_t got = element_get(from, o->type, (size_t)i * each + n);

			if (t->inject && !t->injected) {
				got ^= UINT64_C(1) << (ref_width(o->type) - 2);
				t->injected = true;
			}
			if (near(o, arg, got))
				continue;
			suite_fail(t, 1, "%s %s of %s: f(%a, %a) gives %a", o->f->name,
				   qd_type_name(o->type), what, ref_number(o->type, o->x[arg]),
				   ref_number(o->type, o->y[arg]), ref_number(o->type, got));
			return false;
		}
	}
	return true;
}

static void
fill(struct one *o)
{
	uint64_t rng = o->t->seed * 31 + o->type;

	for (uint32_t n = 0; n < N_ARG; n++) {
		double r = (double)(random_u64(&rng) >> 11) * 0x1p-52 - 1;
		double s = (double)(random_u64(&rng) >> 11) * 0x1p-52 - 1, x = 1, y = 1;

		o->f->pick(r, s, &x, &y);
		if (n >= N_ARG - o->f->n_corners) {
			x = o->f->corner[N_ARG - 1 - n][0];
			y = o->f->corner[N_ARG - 1 - n][1];
		}
		o->x[n] = ref_bits(o->type, x);
		o->y[n] = ref_bits(o->type, y);
		element_put(o->in[0], o->type, n, o->x[n]);
		element_put(o->in[1], o->type, n, o->y[n]);
	}
}

static void
run_function(struct one *o)
{
	struct suite *t = o->t;
	struct host_buffer bufs[4] = { { o->in[0], N_ARG * element_size(o->type) },
				       { o->in[1], N_ARG * element_size(o->type) },
				       { o->out, N_ARG * element_size(o->type) },
				       { o->lit, N_ARG * N_LITERAL * element_size(o->type) } };
	struct qd_kernel *k = NULL;
	struct qd_error err = { 0 };
	qd_status st;

	fill(o);
	memset(o->out, 0x5a, sizeof o->out);
	memset(o->lit, 0x5a, sizeof o->lit);
	st = make(o, &k, &err);
	if (!st)
		st = run_kernel(t, k, NULL, 0, QD_GRID, bufs, 4, &err);
	if (st) {
		suite_fail(t, 2, "%s %s: %s", o->f->name, qd_type_name(o->type), err.text);
	} else {
		t->passed += check(o, o->out, 1, N_ARG, "loaded values");
		t->passed += check(o, o->lit, N_LITERAL, N_LITERAL, "literals");
	}
	qd_kernel_free(k);
}

static void
run_approx(struct suite *t, const struct family *f)
{
	struct one *o = malloc(sizeof *o);

	(void)f;
	if (!o) {
		fputs("out of memory\n", stderr);
		exit(4);
	}
	for (uint32_t n = 0; n < N_FUNCTION; n++) {
		for (qd_type type = QD_TYPE_F32; type <= QD_TYPE_F64; type++) {
			o->t = t;
			o->f = &functions[n];
			o->type = type;
			if (skip_reason(t, type))
				suite_skip(t, 2, skip_reason(t, type));
			else
				run_function(o);
		}
	}
	free(o);
}

static uint64_t
count_approx(const struct suite *t, const struct family *f)
{
	(void)t;
	(void)f;
	return (uint64_t)N_FUNCTION * 2 * 2;
}

const struct family family_approx = { "approx", NULL, 0, run_approx, count_approx };
