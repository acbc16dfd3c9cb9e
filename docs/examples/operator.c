/* operator: a linear recurrence x[i] = a[i] * x[i-1] + b[i] as a scan of affine maps, with a
 * noncommutative operator.
 *
 *	operator [DEVICE] */
#include <stdint.h>
#include <stdio.h>

#include <qdgpu/qd.h>

enum { N = 4 };

/* (a, b) represents the map x -> a*x + b. x, of the lower lanes, is applied before y. */
static void
compose(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
	struct qd_val *out, uint32_t k)
{
	(void)user;
	(void)k;
	out[0] = qd_mul(b, x[0], y[0]);
	out[1] = qd_add(b, qd_mul(b, x[1], y[0]), y[1]);
}

static qd_status
recurrence(struct qd_context *c, struct qd_kernel **out, struct qd_error *e)
{
	struct qd_builder *b;
	struct qd_array mul, add, x;
	struct qd_val i, map[2], scan[2], x0;

	if (qd_builder_create(c, "recurrence", &b, e))
		return e->code;
	mul = qd_param_buffer(b, "mul", QD_TYPE_U32, QD_ACCESS_IN);
	add = qd_param_buffer(b, "add", QD_TYPE_U32, QD_ACCESS_IN);
	x = qd_param_buffer(b, "x", QD_TYPE_U32, QD_ACCESS_OUT);
	x0 = qd_param_scalar(b, "x0", QD_TYPE_U32);
	i = qd_grid(b, qd_len(b, x));
	map[0] = qd_load_else(b, mul, i, qd_u32(b, 1));
	map[1] = qd_load(b, add, i);
	qd_subgroup_inclusive_scan(b, map, scan, 2, 2, compose, NULL);
	qd_store(b, x, i, qd_add(b, qd_mul(b, scan[0], x0), scan[1]));
	return qd_builder_finish(b, out, e);
}

int
main(int argc, char **argv)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	const uint32_t mul[N] = { 2, 3, 5, 7 }, add[N] = { 1, 1, 1, 1 };
	uint32_t got[N], x = 10;
	struct qd_error e;
	struct qd_context *c;
	struct qd_kernel *k;
	struct qd_device *d;
	struct qd_function *f;
	struct qd_stream *s;
	struct qd_buffer *bufs[3];
	struct qd_arg args[4];

	if (qd_context_create(&desc, &c, &e) || recurrence(c, &k, &e) ||
	    qd_device_open(c, argc > 1 ? argv[1] : NULL, &d, &e) ||
	    qd_function_get(d, k, NULL, 0, &f, &e) || qd_stream_create(d, &s, &e))
		return fprintf(stderr, "%s\n", e.text), 1;
	for (int i = 0; i < 3; i++) {
		if (qd_buffer_create(d, sizeof got, 0, &bufs[i], &e))
			return fprintf(stderr, "%s\n", e.text), 1;
		args[i] = qd_arg_buffer(bufs[i]);
	}
	args[3] = qd_arg_u32(x);
	if (qd_buffer_upload(s, bufs[0], 0, mul, sizeof mul, &e) ||
	    qd_buffer_upload(s, bufs[1], 0, add, sizeof add, &e) ||
	    qd_launch(s, f, QD_GRID, args, 4, &e) ||
	    qd_buffer_download(s, bufs[2], 0, got, sizeof got, &e))
		return fprintf(stderr, "%s\n", e.text), 1;
	for (int i = 0; i < N; i++) {
		x = x * mul[i] + add[i];
		printf("%u%c", got[i], i < N - 1 ? ' ' : '\n');
		if (got[i] != x)
			return fprintf(stderr, "x[%d] is wrong: %u\n", i, x), 1;
	}
	for (int i = 0; i < 3; i++)
		qd_buffer_free(bufs[i]);
	qd_function_free(f);
	qd_stream_free(s);
	qd_device_close(d);
	qd_kernel_free(k);
	qd_context_free(c);
	return 0;
}
