/* Approximate functions of f64 (exp, log, sin, cos and pow) on machines that have only those of
 * f32. Errors are within the bounds of qd.h, and results at the ends of the range are exact. */
#include "t_prim.h"

#include <float.h>
#include <math.h>

enum { EXP, LOG, SIN, COS, POW, N_FN };

static const char *const names[] = { "exp", "log", "sin", "cos", "pow" };

static const double ends[] = {
	0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, DBL_MAX, -DBL_MAX, DBL_MIN, 4.9e-324, 1e-310, 1e-300,
	1e300, 0.5, 2, 0.70710678118654752, 0.70710678118654757, 1.4142135623730951, 1.0000000000000002,
	0.99999999999999989, 709.78271289338397, 709.78271289338409, -708.4, -744.44, -745.13, -745.2, -746,
	1e-20, -1e-20, 0.78539816339744828, 1.5707963267948966, 3.1415926535897931, 6.2831853071795862,
	-2.3561944901923448, 1048576, -1048575.5, 524288.5, 0.34657359027997264, -0.34657359027997264,
};

/* Checks the result against its bound. Arguments without a bound always pass. */
static bool
is_right(int fn, double x, double y, double got, double *off)
{
	static long double (*const exact[])(long double) = { expl, logl, sinl, cosl };
	long double want = fn == POW ? powl((long double)x, (long double)y) : exact[fn]((long double)x);
	double size = fabs((double)want), bound = 4, ulp;

	*off = 0;
	if (fn == POW && !(x >= DBL_MIN && isfinite(x) && isfinite(y) && size >= DBL_MIN && isfinite(size)))
		return true;
	if ((fn == SIN || fn == COS) && isfinite(x) && fabs(x) > 1048576)
		return true;
	if (isnan((double)want))
		return isnan(got);
	if (isinf(size) || want == 0)
		return got == (double)want;
	ulp = ldexp(1, size < DBL_MIN ? -1074 : ilogb(size) - 52);
	if (fn == SIN || fn == COS)
		bound = 0x1p-50 / ulp;
	else if (fn == POW)
		bound += 4 * fabs(y * log(x));
	*off = (double)fabsl((long double)got - want) / ulp / bound;
	return *off <= 1;
}

static void
check(struct kit *k, int form, double *worst)
{
	const uint64_t *x = kit_element(k, MEANT, 0), *y = kit_element(k, MEANT, 1);

	for (int fn = 0; fn < N_FN; fn++) {
		const uint64_t *got = kit_element(k, form, 2 + (uint32_t)fn);
		for (uint32_t e = 0; e < ELEMENTS; e++) {
			double off;
			bool right = is_right(fn, f64_of(x[e]), f64_of(y[e]), f64_of(got[e]), &off);
			UNIT_CHECK(k->t, right, "%s of %a, %a on %s: %a, %g of the bound", names[fn],
				   f64_of(x[e]), f64_of(y[e]), k->m->name, f64_of(got[e]), off);
			worst[fn] = off > worst[fn] ? off : worst[fn];
		}
	}
}

static double
any(struct unit_rng *r, uint32_t e)
{
	double v = (double)(unit_random(r) >> 11) * 0x1p-52 - 1;

	switch (e % 4) {
	case 0: return v * 745;
	case 1: return exp2(v * 1000);
	case 2: return v * 8;
	default: return 1 + v / 4;
	}
}

/* Checks every form on the same arguments. */
static void
run(struct kit *k, double *worst)
{
	for (uint32_t e = 0; e < ELEMENTS; e++) {
		double x = e < QD_COUNT(ends) ? ends[e] : any(&k->rng, e);

		kit_element(k, MEANT, 0)[e] = f64_bits(x);
		kit_element(k, MEANT, 1)[e] = f64_bits(any(&k->rng, e / 4 * 3 + 2));
	}
	for (int f = MEANT; f < N_FORM; f++) {
		for (uint32_t i = 0; i < k->k->n_params; i++) {
			k->x.buf[i] = kit_element(k, f, i);
			if (f && i < 2)
				memcpy(k->x.buf[i], kit_element(k, MEANT, i), ELEMENTS * sizeof(uint64_t));
		}
		k->x.legal = f != MEANT;
		UNIT_CHECK(k->t, lanes_run(&k->x, &k->form[f]), "%s, form %d: %s", k->m->name, f,
			   k->x.fault);
		check(k, f, worst);
	}
}

void
prim_approximations(struct unit_ctx *t)
{
	for (unsigned i_m = 0; i_m < n_prim_machines; i_m++) {
		struct machine m = prim_machine(i_m, 3);
		double worst[N_FN] = { 0 };
		struct kit k;

		if (!kit_has_type(&m, QD_TYPE_F64))
			continue;
		struct qd_builder *b = kit_open(&k, t, &m, ELEMENTS);
		struct qd_val x = kit_in(b, "x", QD_TYPE_F64), y = kit_in(b, "y", QD_TYPE_F64);
		kit_result(b, qd_exp(b, x));
		kit_result(b, qd_log(b, x));
		kit_result(b, qd_sin(b, x));
		kit_result(b, qd_cos(b, x));
		kit_result(b, qd_pow(b, x, y));
		k.what = "approximations";
		if (kit_ready(&k))
			run(&k, worst);
		for (int fn = 0; fn < N_FN; fn++)
			UNIT_CHECK(t, worst[fn] > 0, "%s is exact: nothing was compared", names[fn]);
		kit_close(&k);
	}
}
