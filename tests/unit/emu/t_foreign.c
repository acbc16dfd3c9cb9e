/* Kernels that clang compiled, loaded from code objects and run through public calls on the wave
 * emulator. Results must equal those of plain C bit for bit. */
#include "foreign_rig.h"

#include <stdio.h>
#include <stdlib.h>

#include "hsa.h"
#include "jit.h"

/* Returns the index of the first word that differs, or n. */
static uint32_t
differ(const uint32_t *a, const uint32_t *b, uint32_t n)
{
	uint32_t i = 0;

	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* -- Kernels of the emulator's own tests ---------------------------------------------------- */

struct pair {
	struct wave_memory got, want;
};

static void
run_corpus(struct unit_ctx *t, struct foreign_rig *r, const struct wave_object *o,
	   const struct wave_kernel *k, struct pair *p, bool inject)
{
	unsigned wave = o->wave ? o->wave : gcn_target_find(o->target, 0)->wave;
	struct qd_function *fn;
	const struct qd_arg args[] = { qd_arg_buffer(r->in), qd_arg_buffer(r->out), qd_arg_u32(k->n) };

	wave_fill(&p->got, k, 77);
	p->want = p->got;
	k->want(&p->want, k, wave);
	qd_status st = foreign_load(r, o, k->name, NULL, &fn);
	st = st ? st : qd_buffer_upload(r->stream, r->in, 0, &p->got.in, sizeof p->got.in, &r->e);
	st = st ? st : qd_buffer_upload(r->stream, r->out, 0, &p->got.out, sizeof p->got.out, &r->e);
	st = st ? st : foreign_run(r, fn, k->grid, args, QD_COUNT(args));
	st = st ? st : qd_buffer_download(r->stream, r->out, 0, &p->got.out, sizeof p->got.out, &r->e);
	p->got.out.w[3] ^= inject;
	uint32_t at = differ(p->got.out.w, p->want.out.w, WAVE_OUT);
	UNIT_CHECK(t, st == QD_OK && at == WAVE_OUT, "%s w%u, %s: %s; word %u", o->target, wave, k->name,
		   st ? r->e.text : "", at);
	qd_function_free(fn);
}

/* Checks every kernel that clang compiled for the emulator's tests, through qd_launch, on each
 * target and in both wave sizes. */
static void
corpus(struct unit_ctx *t)
{
	bool inject = getenv("QD_TEST_MUTATION") != NULL;
	struct pair *p = malloc(sizeof *p);
	unsigned n = 0;

	for (unsigned i = 0; p && i < wave_n_objects; i++) {
		const struct wave_object *o = &wave_objects[i];
		struct foreign_rig r;
		if (!wave_has_rows(o))
			continue;
		if (foreign_open(t, &r, o->target)) {
			for (unsigned j = 0; j < wave_n_kernels; j++) {
				if (strcmp(wave_kernels[j].source, o->source))
					continue;
				run_corpus(t, &r, o, &wave_kernels[j], p, inject);
				inject = false;
				n++;
			}
		}
		foreign_close(t, &r);
	}
	UNIT_CHECK(t, n == 7 * wave_n_kernels, "%u runs", n);
	free(p);
}

/* -- Arguments of launches ----------------------------------------------------------------------- */

struct pair_by_value { /* same layout as in object.cl */
	uint32_t a;
	float b[3];
};

static uint32_t
bits_of(float f)
{
	uint32_t v;

	memcpy(&v, &f, sizeof v);
	return v;
}

/* State of a check: an object, input, and actual and expected output. */
struct given {
	struct unit_ctx *t;
	struct foreign_rig r;
	const struct wave_object *o;
	uint32_t in[WAVE_IN], got[WAVE_OUT], want[WAVE_OUT];
	bool inject;
};

/* Runs with the current contents of in, and zeros in out. */
static void
run_given(struct given *g, const char *kernel, const struct qd_object_options *options,
	  uint32_t n_blocks, const struct qd_arg *args, uint32_t n_args)
{
	static const uint32_t zeros[WAVE_OUT];
	struct foreign_rig *r = &g->r;
	struct qd_function *fn;
	qd_status st = foreign_load(r, g->o, kernel, options, &fn);

	st = st ? st : qd_buffer_upload(r->stream, r->in, 0, g->in, sizeof g->in, &r->e);
	st = st ? st : qd_buffer_upload(r->stream, r->out, 0, zeros, sizeof zeros, &r->e);
	st = st ? st : foreign_run(r, fn, n_blocks, args, n_args);
	st = st ? st : qd_buffer_download(r->stream, r->out, 0, g->got, sizeof g->got, &r->e);
	g->got[5] ^= g->inject;
	uint32_t at = differ(g->got, g->want, WAVE_OUT);
	UNIT_CHECK(g->t, st == QD_OK && at == WAVE_OUT, "%s.%s w%u, %s: %s; word %u is 0x%x, not 0x%x",
		   g->o->source, g->o->target, g->o->wave, kernel, st ? r->e.text : "", at,
		   g->got[at % WAVE_OUT], g->want[at % WAVE_OUT]);
	qd_function_free(fn);
}

static void
clear(struct given *g)
{
	memset(g->want, 0, sizeof g->want);
}

static void
values(struct given *g)
{
	const float v[4] = { 1.5f, -2.25f, 8, 0.125f };
	const struct pair_by_value p = { 1000, { 1, 2, 3.75f } };
	const uint16_t us = 65000;
	const struct qd_arg args[] = {
		qd_arg_buffer(g->r.out), qd_arg_i32(-5), qd_arg_u32(200), qd_arg_i32(-30000),
		qd_arg_bytes(&us, sizeof us), qd_arg_i32(-7), qd_arg_u32(4000000000u),
		qd_arg_i64(-(INT64_C(1) << 40)), qd_arg_u64(UINT64_C(0xfedcba9876543210)),
		qd_arg_f32(0.3f), qd_arg_f64(1e10), qd_arg_bytes(v, sizeof v), qd_arg_bytes(&p, sizeof p),
	};

	clear(g);
	for (uint32_t i = 0; i < 2 * 32; i++) {
		const uint32_t row[12] = {
			(uint32_t)-5, 200, (uint32_t)-30000, 65000, (uint32_t)-7 + 4000000000u,
			0xfedcba98u >> 1, /* these bits of l >> 7 are 0 */
			bits_of(0.3f * 2.0f), bits_of((float)(1e10 * 0.5)), bits_of(v[0] + v[3]),
			1000 + i, bits_of(3.75f), bits_of(v[1] * v[2])
		};
		memcpy(g->want + 12 * i, row, sizeof row);
	}
	run_given(g, "values", NULL, 2, args, QD_COUNT(args));
}

static void
sizes_of(struct given *g, const struct qd_object_options *o, uint32_t x, uint32_t y, uint32_t blocks)
{
	const struct qd_arg args[] = { qd_arg_buffer(g->r.out) };

	clear(g);
	for (uint32_t i = 0; i < x * blocks; i++) {
		uint32_t dims = strcmp(g->o->source, "object") || y == 1 ? 1 : 2;
		const uint32_t row[8] = { x, y, x * blocks, blocks, 1, 0, dims, 0 };
		memcpy(g->want + 8 * i, row, sizeof row);
	}
	run_given(g, "sizes", o, blocks, args, QD_COUNT(args));
}

/* Checks group sizes, block counts and the like, also with incomplete waves. */
static void
sizes(struct given *g)
{
	const struct qd_object_options one = { .block = { 64 } }, odd = { .block = { 50, 2, 1 } };

	sizes_of(g, &one, 64, 1, 3);
	sizes_of(g, &odd, 50, 2, 5);
}

static const uint32_t table[64] = { /* same as in object.cl */
	0x9e37, 0x79b9, 0x7f4a, 0x7c15, 0xf39c, 0xc060, 0x5ced, 0xc834, 0x1082, 0x276b, 0xf3a2, 0x7251,
	0xf86c, 0x6a11, 0xd0c1, 0x8e95, 0x2767, 0xf0b1, 0x53d2, 0x7b7f, 0x0347, 0x045b, 0x5bf1, 0x827f,
	0x0188, 0x6f09, 0x28e2, 0x8e7c, 0x6b8d, 0xc2b3, 0x3fc1, 0x9a25, 0x7c5e, 0x14d9, 0xa2e4, 0x6cd1,
	0x3b1e, 0xe5a7, 0x8f60, 0x5d32, 0xc4f8, 0x0a93, 0xb76c, 0x2e15, 0x91da, 0xfd84, 0x46b3, 0x7920,
	0xe8cf, 0x153a, 0x5fb6, 0xd20e, 0x88a1, 0x37e9, 0xc07d, 0x64f2, 0xab58, 0x1c95, 0xf163, 0x2d4a,
	0x9087, 0x7e3b, 0xd5c4, 0x4916
};

static uint32_t
mix(uint32_t a, uint32_t b)
{
	return (a ^ b * 0x85ebca6bu) * 0xc2b2ae35u + 1;
}

/* Checks constants in the object, and functions that the kernel calls. */
static void
constants(struct given *g)
{
	const struct qd_arg args[] = { qd_arg_buffer(g->r.in), qd_arg_buffer(g->r.out) };

	clear(g);
	for (uint32_t i = 0; i < 3 * 64; i++)
		g->want[i] = table[g->in[i] & 63] * 3 + table[i / 64];
	run_given(g, "lookup", NULL, 3, args, QD_COUNT(args));
	for (uint32_t i = 0; i < 3 * 64; i++)
		g->want[i] = mix(g->in[i], i) ^ mix(i, g->in[i]);
	run_given(g, "calls", NULL, 3, args, QD_COUNT(args));
	clear(g);
	run_given(g, "empty", NULL, 3, NULL, 0);
}

static void
shared(struct given *g)
{
	const uint32_t bytes[] = { 64 * 4 + 4, 64 * 8 };
	const struct qd_object_options o = { .shared = bytes, .n_shared = 2 };
	const struct qd_arg args[] = { qd_arg_buffer(g->r.in), qd_arg_buffer(g->r.out) };

	clear(g);
	for (uint32_t i = 0; i < 2 * 64; i++) {
		uint32_t x = i % 64, base = i - x;
		g->want[i] = (g->in[base + 63 - x] ^ 5) + g->in[i ^ 1] * 2 + g->in[i ^ 2] * 4 + (63 - x);
	}
	run_given(g, "local_sizes", &o, 2, args, QD_COUNT(args));
}

static void
plane(struct given *g)
{
	const struct qd_arg args[] = { qd_arg_buffer(g->r.out) };

	clear(g);
	for (uint32_t i = 0; i < 3 * 128; i++)
		g->want[i] = i / 128 << 16 | i % 128 / 8 << 8 | i % 8;
	run_given(g, "plane", NULL, 3, args, QD_COUNT(args));
}

/* Checks private memory, which the emulator rejects if the kernel accesses it through a buffer. */
static void
private(struct given *g)
{
	const struct qd_arg args[] = { qd_arg_buffer(g->r.in), qd_arg_buffer(g->r.out), qd_arg_u32(9) };
	enum gcn_gen gen = gcn_target_find(g->o->target, 0)->gen;
	struct qd_function *fn;
	char want[200];

	if (gen == GCN_G94 || gen >= GCN_G11) {
		clear(g);
		for (uint32_t i = 0; i < 2 * 64; i++)
			g->want[i] = g->in[i] * (((g->in[i] + 9) & 15) + 1);
		run_given(g, "private_array", NULL, 2, args, QD_COUNT(args));
		return;
	}
	qd_status st = foreign_load(&g->r, g->o, "private_array", NULL, &fn);
	snprintf(want, sizeof want,
		 " bytes of private memory through a buffer, which the wave emulator does not support on %s", g->o->target);
	/* A real driver supports it; the waves of the fake begin without it. */
	bool said = strstr(g->r.e.text, "kernel 'private_array': a thread uses ") && strstr(g->r.e.text, want);
	UNIT_CHECK(g->t, g->r.is_amdgpu ? st == QD_OK : st == QD_E_UNAVAILABLE && said, "%s: %d, %s", g->o->target,
		   (int)st, g->r.e.text);
	qd_function_free(fn);
}

/* Runs the checks of arguments on objects of version 4 and 5. */
static void
given(struct unit_ctx *t)
{
	static void (*const parts[])(struct given *g) = { values, sizes, constants, shared, plane, private };
	struct given *g = calloc(1, sizeof *g);
	struct unit_rng rng = { 5 };
	unsigned n = 0;

	for (unsigned i = 0; g && i < wave_n_objects; i++) {
		g->o = &wave_objects[i];
		if (strncmp(g->o->source, "object", 6) != 0)
			continue;
		g->t = t;
		g->inject = !n && getenv("QD_TEST_MUTATION");
		for (uint32_t k = 0; k < WAVE_IN; k++)
			g->in[k] = (uint32_t)unit_random(&rng);
		if (foreign_open(t, &g->r, g->o->target)) {
			for (size_t k = 0; k < QD_COUNT(parts); k++)
				parts[k](g);
		}
		foreign_close(t, &g->r);
		n++;
	}
	UNIT_CHECK(t, n == 14, "%u objects", n);
	free(g);
}

/* -- Information about images -------------------------------------------------------------------- */

static void
reported(struct unit_ctx *t)
{
	static const struct {
		const char *name;
		qd_type type;
		uint32_t size;
		bool is_buffer;
		qd_access access;
	} want[] = {
		{ "arg0", QD_TYPE_U32, 4, true, QD_ACCESS_INOUT }, { "arg1", QD_TYPE_I8, 1, false, 0 },
		{ "arg2", QD_TYPE_U8, 1, false, 0 },	 { "arg3", QD_TYPE_I16, 2, false, 0 },
		{ "arg4", QD_TYPE_U16, 2, false, 0 },	 { "arg5", QD_TYPE_I32, 4, false, 0 },
		{ "arg6", QD_TYPE_U32, 4, false, 0 },	 { "arg7", QD_TYPE_I64, 8, false, 0 },
		{ "arg8", QD_TYPE_U64, 8, false, 0 },	 { "arg9", QD_TYPE_F32, 4, false, 0 },
		{ "arg10", QD_TYPE_F64, 8, false, 0 },	 { "arg11", QD_TYPE_NONE, 16, false, 0 },
		{ "arg12", QD_TYPE_NONE, 16, false, 0 },
	};
	const struct wave_object *o = foreign_object("object", "gfx1100", 64);
	struct qd_image *image = NULL;
	struct qd_param_info p;
	struct foreign_rig r;

	if (foreign_open(t, &r, "gfx1100")) {
		qd_status st = qd_image_from_object(r.ctx, o->data, o->size, NULL, "values", NULL, &image, &r.e);
		UNIT_CHECK(t, st == QD_OK && !strcmp(qd_image_kernel(image), "values") &&
				      qd_image_param_count(image) == QD_COUNT(want) &&
				      !strcmp(qd_image_target(image), "gfx1100:w64") &&
				      qd_image_subgroup_size(image) == 64,
			   "%s", r.e.text);
		for (uint32_t i = 0; image && i < QD_COUNT(want); i++) {
			st = qd_image_param(image, i, &p, &r.e);
			UNIT_CHECK(t, st == QD_OK && !strcmp(p.name, want[i].name) && p.type == want[i].type &&
					      p.size == want[i].size && p.is_buffer == want[i].is_buffer &&
					      p.access == want[i].access,
				   "%u: '%s', type %u, %u bytes", i, p.name, p.type, p.size);
		}
		UNIT_CHECK(t, qd_image_param(image, QD_COUNT(want), &p, &r.e) == QD_E_INVALID, "one more");
		qd_image_free(image);
		st = qd_image_from_object(r.ctx, foreign_object("basic", "gfx1100", 0)->data,
					  foreign_object("basic", "gfx1100", 0)->size, NULL, "copy", NULL,
					  &image, &r.e);
		UNIT_CHECK(t, st == QD_OK && qd_image_param(image, 0, &p, &r.e) == QD_OK &&
				      p.access == QD_ACCESS_IN,
			   "a const pointer is written");
		qd_image_free(image);
	}
	foreign_close(t, &r);
}

/* Checks that an argument that does not match its parameter is reported with its name. */
static void
wrong_arguments(struct unit_ctx *t)
{
	const uint32_t three[3] = { 0 };
	struct foreign_rig r;
	struct qd_function *fn = NULL;

	if (foreign_open(t, &r, "gfx942") &&
	    foreign_load(&r, foreign_object("object", "gfx942", 0), "values", NULL, &fn) == QD_OK) {
		const struct {
			uint32_t i;
			struct qd_arg arg;
			const char *text;
		} rows[] = {
			{ 0, qd_arg_u32(1), "argument 0 'arg0' of kernel 'values': expected a buffer of u32, not a value of type u32" },
			{ 1, qd_arg_i32(256), "argument 1 'arg1' of kernel 'values': expected an i32 or u32 that fits type i8, not the i32 256" },
			{ 1, qd_arg_i32(-129), "argument 1 'arg1' of kernel 'values': expected an i32 or u32 that fits type i8, not the i32 -129" },
			{ 4, qd_arg_u32(65536), "argument 4 'arg4' of kernel 'values': expected an i32 or u32 that fits type u16, not the u32 65536" },
			{ 4, qd_arg_f32(1), "argument 4 'arg4' of kernel 'values': expected an i32 or u32 that fits type u16, not a value of type f32" },
			{ 5, qd_arg_f32(1), "argument 5 'arg5' of kernel 'values': expected a value of type i32, not a value of type f32" },
			{ 5, qd_arg_buffer(r.in), "argument 5 'arg5' of kernel 'values': expected a value of type i32, not a buffer" },
			{ 11, qd_arg_bytes(three, 12), "argument 11 'arg11' of kernel 'values': expected a value of 16 bytes, not 12 bytes" },
			{ 12, qd_arg_u64(1), "argument 12 'arg12' of kernel 'values': expected a value of 16 bytes, not a value of type u64" },
			{ 12, { .type = 0 }, "argument 12 'arg12' of kernel 'values': expected a value of 16 bytes, not NULL" },
		};
		for (size_t k = 0; k < QD_COUNT(rows); k++) {
			const uint8_t sixteen[16] = { 0 };
			struct qd_arg args[] = {
				qd_arg_buffer(r.out), qd_arg_i32(1), qd_arg_u32(1), qd_arg_i32(1),
				qd_arg_u32(1), qd_arg_i32(1), qd_arg_u32(1), qd_arg_i64(1), qd_arg_u64(1),
				qd_arg_f32(1), qd_arg_f64(1), qd_arg_bytes(sixteen, 16), qd_arg_bytes(sixteen, 16),
			};
			UNIT_CHECK(t, k || foreign_run(&r, fn, 1, args, QD_COUNT(args)) == QD_OK, "%s", r.e.text);
			args[rows[k].i] = rows[k].arg;
			qd_status st = foreign_run(&r, fn, 1, args, QD_COUNT(args));
			UNIT_CHECK(t, st == QD_E_INVALID && !strcmp(r.e.text, rows[k].text), "%s", r.e.text);
			UNIT_CHECK(t, foreign_run(&r, fn, 1, args, 12) == QD_E_INVALID &&
					      !strcmp(r.e.text, "kernel 'values' has 13 parameters, not 12"),
				   "%s", r.e.text);
			UNIT_CHECK(t, foreign_run(&r, fn, QD_GRID, args, 13) == QD_E_INVALID,
				   "an empty count");
		}
	}
	UNIT_CHECK(t, fn != NULL, "%s", r.e.text);
	qd_function_free(fn);
	foreign_close(t, &r);
}

/* Checks slices: their offset, and that memory outside them is not accessible. */
static void
slices(struct unit_ctx *t)
{
	uint32_t words[96], got[96];
	struct qd_buffer *in = NULL, *out = NULL;
	struct qd_function *fn = NULL;
	struct foreign_rig r;

	for (uint32_t i = 0; i < 96; i++)
		words[i] = i * 7;
	if (foreign_open(t, &r, "gfx1100")) {
		qd_status st = foreign_load(&r, foreign_object("basic", "gfx1100", 0), "copy", NULL, &fn);
		st = st ? st : qd_buffer_upload(r.stream, r.in, 0, words, sizeof words, &r.e);
		st = st ? st : qd_buffer_slice(r.in, 64, 128, &in, &r.e);
		st = st ? st : qd_buffer_slice(r.out, 32, 128, &out, &r.e);
		struct qd_arg args[] = { qd_arg_buffer(in), qd_arg_buffer(out), qd_arg_u32(32) };
		st = st ? st : foreign_run(&r, fn, 1, args, 3);
		st = st ? st : qd_buffer_download(r.stream, r.out, 0, got, sizeof got, &r.e);
		UNIT_CHECK(t, st == QD_OK, "%s", r.e.text);
		for (uint32_t i = 0; i < 96; i++)
			UNIT_CHECK(t, got[i] == (i >= 8 && i < 40 ? words[i + 8] : 0), "word %u is %u", i, got[i]);
		/* A real device does not check accesses. */
		if (!r.is_amdgpu) {
			args[2] = qd_arg_u32(33);
			st = foreign_run(&r, fn, 1, args, 3);
			UNIT_CHECK(t, st == QD_E_FINDING && strstr(r.e.text, "are outside the memory that the launch may"), "%d, %s", (int)st,
				   r.e.text);
			args[1] = qd_arg_buffer(in);
			st = foreign_run(&r, fn, 1, args, 3);
			UNIT_CHECK(t, st == QD_E_FINDING && strstr(r.e.text, "overlap"), "%d, %s", (int)st, r.e.text);
		}
	}
	qd_buffer_free(in);
	qd_buffer_free(out);
	qd_function_free(fn);
	foreign_close(t, &r);
}

/* -- Saving and loading ------------------------------------------------------------------------ */

static void
saved(struct unit_ctx *t)
{
	const struct wave_object *o = foreign_object("object", "gfx942", 0);
	struct qd_image *image = NULL, *back = NULL, *again = NULL;
	struct qd_function *fn = NULL;
	struct given *g = calloc(1, sizeof *g);
	size_t len = 0;
	void *bytes = NULL;

	if (g && foreign_open(t, &g->r, "gfx942")) {
		struct foreign_rig *r = &g->r;
		qd_status st = qd_image_from_object(r->ctx, o->data, o->size, NULL, "lookup", NULL, &image, &r->e);
		st = st ? st : qd_image_save(image, NULL, 0, &len, &r->e);
		if (st == QD_E_UNAVAILABLE)
			unit_skip(t, "built without libelf");
		bytes = malloc(len + 1);
		st = st ? st : qd_image_save(image, bytes, len, &len, &r->e);
		st = st ? st : qd_image_load(r->ctx, bytes, len, &back, &r->e);
		st = st ? st : qd_function_load(r->dev, back, &fn, &r->e);
		const struct qd_arg args[] = { qd_arg_buffer(r->in), qd_arg_buffer(r->out) };
		st = st ? st : foreign_run(r, fn, 2, args, 2);
		st = st ? st : qd_buffer_download(r->stream, r->out, 0, g->got, sizeof g->got, &r->e);
		UNIT_CHECK(t, t->skipped || (st == QD_OK && jit_same_file(image, back)), "%s", r->e.text);
		for (uint32_t i = 0; i < 128 && !t->skipped; i++)
			UNIT_CHECK(t, g->got[i] == table[0] * 3 + table[i / 64], "word %u is 0x%x", i, g->got[i]);
	}
	qd_function_free(fn);
	qd_image_free(image);
	qd_image_free(back);
	qd_image_free(again);
	free(bytes);
	if (g)
		foreign_close(t, &g->r);
	free(g);
}

/* -- Kernels of qd ------------------------------------------------------------------------------- */

static const char own_text[] =
	"kernel triple(src: in u32[], dst: out u32[], k: u32) block(96) {\n"
	"  for i in grid(src.len) { dst[i] = src[i] * 3 + k; }\n}\n";

static bool
write_own(struct unit_ctx *t, struct foreign_rig *r, const char *target, struct qd_image **image,
	  struct buf *object)
{
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	struct isa_object about;
	qd_status st = qd_module_parse(r->ctx, own_text, strlen(own_text), "own.qdk", &m, &r->e);

	st = st ? st : qd_module_kernel(m, "triple", NULL, 0, &k, &r->e);
	st = st ? st : qd_compile(r->ctx, k, target, NULL, 0, image, &r->e);
	if (!st) {
		struct hsa_kernel h = { (*image)->code, (*image)->code_size, &(*image)->meta,
					(*image)->layout, (*image)->target->m.name };
		(*image)->target->isa->object((*image)->target, &about);
		st = hsa_write(object, &about, &h, 1, &r->e);
	}
	qd_kernel_free(k);
	qd_module_free(m);
	if (st == QD_E_UNAVAILABLE)
		unit_skip(t, "built without libelf");
	else
		UNIT_CHECK(t, st == QD_OK, "%s: %s", target, r->e.text);
	return st == QD_OK;
}

/* Checks that a kernel without qd's note is like any other: each word of its arguments is one
 * argument. */
static void
run_without_note(struct unit_ctx *t, struct foreign_rig *r, struct buf *object, uint32_t block_dim)
{
	const struct qd_arg args[] = { qd_arg_buffer(r->in),  qd_arg_u64(200), qd_arg_buffer(r->out),
				       qd_arg_u64(200),	      qd_arg_u32(5),   qd_arg_u32(3),
				       qd_arg_u32(0),	      qd_arg_u32(0),   qd_arg_u32(0) };
	struct qd_image *image = NULL;
	struct qd_function *fn = NULL;
	uint32_t got[208];
	char *bytes = buf_data(object);

	for (size_t i = 0; i + 16 < object->len; i++)
		if (!memcmp(bytes + i, "\3\0\0\0", 4) && !memcmp(bytes + i + 8, "\1\0\0\0qd\0", 7))
			bytes[i + 13] = 'x';
	qd_status st = qd_image_from_object(r->ctx, bytes, object->len, NULL, NULL, NULL, &image, &r->e);
	st = st ? st : qd_function_load(r->dev, image, &fn, &r->e);
	st = st ? st : foreign_run(r, fn, (200 + block_dim - 1) / block_dim, args, QD_COUNT(args));
	st = st ? st : qd_buffer_download(r->stream, r->out, 0, got, sizeof got, &r->e);
	UNIT_CHECK(t, st == QD_OK && layout_by_slots(image->layout), "%s", r->e.text);
	for (uint32_t i = 0; i < 208 && !st; i++)
		UNIT_CHECK(t, got[i] == (i < 200 ? 3 * i + 5 : 0), "without a note, word %u is %u", i, got[i]);
	qd_function_free(fn);
	qd_image_free(image);
}

static void
run_own(struct unit_ctx *t, struct foreign_rig *r, const struct qd_image *was, const struct buf *object)
{
	const struct qd_object_options block = { .block = { 64 } };
	struct qd_image *image = NULL;
	struct qd_function *fn = NULL;
	struct qd_buffer *in = NULL;
	uint32_t words[200], got[200];

	for (uint32_t i = 0; i < 200; i++)
		words[i] = i;
	qd_status st = qd_image_from_object(r->ctx, buf_data(object), object->len, NULL, "triple", NULL, &image,
					    &r->e);
	UNIT_CHECK(t, st == QD_OK && jit_same_file(was, image) && was->target == image->target,
		   "%s: not as it was: %s", was->target->m.name, st ? r->e.text : "");
	st = st ? st : qd_function_load(r->dev, image, &fn, &r->e);
	st = st ? st : qd_buffer_slice(r->in, 0, sizeof words, &in, &r->e);
	st = st ? st : qd_buffer_upload(r->stream, in, 0, words, sizeof words, &r->e);
	const struct qd_arg args[] = { qd_arg_buffer(in), qd_arg_buffer(r->out), qd_arg_u32(7) };
	st = st ? st : foreign_run(r, fn, QD_GRID, args, 3);
	st = st ? st : qd_buffer_download(r->stream, r->out, 0, got, sizeof got, &r->e);
	UNIT_CHECK(t, st == QD_OK, "%s", r->e.text);
	for (uint32_t i = 0; i < 200 && !st; i++)
		UNIT_CHECK(t, got[i] == 3 * i + 7, "word %u is %u", i, got[i]);
	qd_buffer_free(in);
	qd_function_free(fn);
	qd_image_free(image);
	st = qd_image_from_object(r->ctx, buf_data(object), object->len, "own.co", NULL, &block, &image, &r->e);
	UNIT_CHECK(t, st == QD_E_INVALID &&
			      !strcmp(r->e.text, "own.co: kernel 'triple' was compiled by qd with a fixed block and shared memory; the options differ"),
		   "%s", r->e.text);
}

/* Checks that an object that qd wrote reads back unchanged, and runs with the count of its grid
 * loop. */
static void
own(struct unit_ctx *t)
{
	static const char *const targets[][2] = { { "gfx942", "gfx942" },
						  { "gfx1100", "gfx1100" },
						  { "gfx1100", "gfx1100:w64" } };

	for (size_t i = 0; i < QD_COUNT(targets) && !t->skipped; i++) {
		struct qd_image *was = NULL;
		struct foreign_rig r;
		struct buf object;
		if (foreign_open(t, &r, targets[i][0])) {
			buf_init(&object, &r.ctx->pool);
			if (write_own(t, &r, targets[i][1], &was, &object)) {
				run_own(t, &r, was, &object);
				run_without_note(t, &r, &object, was->layout->block_dim);
			}
			qd_image_free(was);
			buf_fini(&object);
		}
		foreign_close(t, &r);
	}
}

const struct unit units_foreign[] = {
	{ "foreign.corpus", corpus },
	{ "foreign.given", given },
	{ "foreign.reported", reported },
	{ "foreign.wrong_arguments", wrong_arguments },
	{ "foreign.slices", slices },
	{ "foreign.saved", saved },
	{ "foreign.own", own },
};
const unsigned n_units_foreign = QD_COUNT(units_foreign);
