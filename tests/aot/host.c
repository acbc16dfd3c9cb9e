/* host DEVICE [KERNEL]: runs the kernels of tile_sum.qdk, from the fatbin linked into this program,
 * and compares with sums computed here; with LEASTS also those of tile_min.qdk, from a second one.
 * With KERNEL, only reports whether its variant with f32 and four lanes runs, and if not, the
 * error. */
#include <qdgpu/qd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sums.h"
#ifdef LEASTS
#include "leasts.h"
#endif

enum { N = 1000, LAST_L = 5 };

/* With FROM_LIBRARY the fatbin is in a shared library, which returns its address. */
#ifdef FROM_LIBRARY
const void *sums_fatbin(void);
#else
static const void *
sums_fatbin(void)
{
	return qd_fatbin_sums;
}
#endif

struct host {
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_stream *stream;
	struct qd_device_info info;
	uint32_t n_run, n_wrong;
};

static void
die(const struct qd_error *e)
{
	fprintf(stderr, "%s\n", e->text);
	exit(1);
}

/* Returns the bits of a type's value i. The values have exact sums in f32. */
static uint32_t
bits_of(qd_type type, int32_t v)
{
	uint32_t bits;
	float f = (float)v;

	if (type != QD_TYPE_F32)
		return (uint32_t)v;
	memcpy(&bits, &f, sizeof bits);
	return bits;
}

static int32_t
value_at(uint32_t i, qd_type type)
{
	int32_t v = (int32_t)(i * 2654435761u >> 21);

	return type == QD_TYPE_U32 ? v : v - 700;
}

/* Returns the result of tile t of 2^l elements. Loads beyond the end return the neutral element. */
static int32_t
want_of(uint32_t t, uint32_t l, qd_type type, int least)
{
	int32_t sum = 0, min = INT32_MAX;

	for (uint32_t i = t << l; i < (t + 1) << l && i < N; i++) {
		int32_t v = value_at(i, type);
		sum += v;
		min = v < min ? v : min;
	}
	return least ? min : sum;
}

static void
check(struct host *h, struct qd_function *fn, const char *kernel, qd_type type, uint32_t l, int least)
{
	uint32_t src[N], dst[N], n = (N + (1u << l) - 1) >> l;
	struct qd_buffer *in = NULL, *out = NULL;
	struct qd_arg args[2];
	struct qd_error e;

	for (uint32_t i = 0; i < N; i++)
		src[i] = bits_of(type, value_at(i, type));
	memset(dst, 0xee, sizeof dst);
	if (qd_buffer_create(h->dev, sizeof src, 0, &in, &e) ||
	    qd_buffer_create(h->dev, sizeof dst, 0, &out, &e) ||
	    qd_buffer_upload(h->stream, in, 0, src, sizeof src, &e) ||
	    qd_buffer_upload(h->stream, out, 0, dst, sizeof dst, &e))
		die(&e);
	args[0] = qd_arg_buffer(in);
	args[1] = qd_arg_buffer(out);
	if (qd_launch(h->stream, fn, QD_GRID, args, 2, &e) ||
	    qd_buffer_download(h->stream, out, 0, dst, sizeof dst, &e))
		die(&e);
	for (uint32_t t = 0; t < N; t++) {
		uint32_t want = t < n ? bits_of(type, want_of(t, l, type, least)) : 0xeeeeeeeeu;
		if (getenv("QD_TEST_MUTATION") && t == 7)
			want ^= 1;
		if (dst[t] == want)
			continue;
		fprintf(stderr, "%s of %s, 2^%u lanes, on %s: element %u is %08x, not %08x\n", kernel,
			qd_type_name(type), (unsigned)l, h->info.selector, (unsigned)t,
			(unsigned)dst[t], (unsigned)want);
		h->n_wrong++;
		break;
	}
	h->n_run++;
	qd_buffer_free(in);
	qd_buffer_free(out);
}

static void
run(struct host *h, struct qd_fatbin *f, const char *kernel, qd_type type, uint32_t l, int least)
{
	struct qd_tmpl tmpl[2] = { { .name = "T", .type = type }, { .name = "L", .value = l } };
	struct qd_function *fn;
	struct qd_error e;

	if (qd_fatbin_function(h->dev, f, kernel, tmpl, 2, &fn, &e))
		die(&e);
	check(h, fn, kernel, type, l, least);
	qd_function_free(fn);
}

static void
run_all(struct host *h, struct qd_fatbin *f, const char *kernel, int least)
{
	static const qd_type types[] = { QD_TYPE_F32, QD_TYPE_I32, QD_TYPE_U32 };

	for (size_t t = 0; t < 3; t++) {
		for (uint32_t l = 0; l <= LAST_L && 1u << l <= h->info.subgroup_size; l++)
			run(h, f, kernel, types[t], l, least);
	}
}

/* Runs the kernel whose template values are fixed in its text. */
static void
run_sum4(struct host *h, struct qd_fatbin *f)
{
	struct qd_function *fn;
	struct qd_error e;

	if (qd_fatbin_function(h->dev, f, QD_SUMS_SUM4, NULL, 0, &fn, &e))
		die(&e);
	check(h, fn, QD_SUMS_SUM4, QD_TYPE_F32, 2, 0);
	qd_function_free(fn);
}

int
main(int argc, char **argv)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct host h = { .n_run = 0 };
	struct qd_fatbin *f = NULL;
	struct qd_error e;

	if (argc < 2)
		return 2;
	if (qd_context_create(&desc, &h.ctx, &e) || qd_device_open(h.ctx, argv[1], &h.dev, &e) ||
	    qd_device_info(h.dev, &h.info, &e) || qd_stream_create(h.dev, &h.stream, &e) ||
	    qd_fatbin_open(h.ctx, sums_fatbin(), QD_LINKED, "sums", &f, &e))
		die(&e);
	if (argc > 2) {
		run(&h, f, argv[2], QD_TYPE_F32, 2, 0);
	} else {
		run_all(&h, f, QD_SUMS_TILE_SUM, 0);
		run_sum4(&h, f);
	}
	qd_fatbin_free(f);
#ifdef LEASTS
	if (qd_fatbin_open(h.ctx, qd_fatbin_leasts, QD_LINKED, "leasts", &f, &e))
		die(&e);
	run_all(&h, f, QD_LEASTS_TILE_MIN, 1);
	qd_fatbin_free(f);
#endif
	printf("%s: %u functions, %u wrong\n", h.info.selector, (unsigned)h.n_run, (unsigned)h.n_wrong);
	qd_stream_free(h.stream);
	qd_device_close(h.dev);
	qd_context_free(h.ctx);
	return h.n_wrong != 0;
}
