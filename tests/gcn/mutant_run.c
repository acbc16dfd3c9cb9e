/* Kernels on the wave emulator with replaced code (mutant_run.h). */
#include "mutant_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "emu.h"
#include "function.h"

/* LONGER: additional elements of each buffer. Different lengths make a guard of one buffer wrong
 * for another. */
enum { RECORD_SEEDS = 5, LONGER = 41, LITTLE = 4 };

/* -- A kind of code whose launches can run other code --------------------------------------- */

static struct {
	const void *code; /* loaded code; NULL: the function's own */
	uint64_t seed, stored;
	bool found;
} instead;

static qd_status
run_instead(const struct emu_launch *l, struct qd_error *err)
{
	struct emu_launch other = *l;
	qd_status st;

	other.code = instead.code ? instead.code : l->code;
	other.seed = instead.seed;
	other.stored = &instead.stored;
	st = emu_amd.run(&other, err);
	instead.found |= st == QD_E_FINDING;
	return st;
}

static struct emu_kind kind;

static qd_status
open_here(struct qd_context *ctx, const struct selector *sel, struct qd_device **out,
	  struct qd_error *err)
{
	char name[64];
	struct target t;

	kind = emu_amd;
	kind.run = run_instead;
	snprintf(name, sizeof name, sel->size ? "%s:w%u" : "%s", sel->which, sel->size);
	QD_TRY(isa_target(name, &t, err));
	return emu_open(ctx, &kind, &t, name, out, err);
}

bool
mutant_device_open(struct mutant_device *d, const char *target)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct selector sel = { .driver = "emu" };
	static struct driver driver;
	const char *wave = strstr(target, ":w");
	struct qd_error e = { 0 };
	qd_status st;

	*d = (struct mutant_device){ 0 };
	driver = driver_emu;
	driver.open = open_here;
	snprintf(sel.which, sizeof sel.which, "%.*s", (int)strcspn(target, ":"), target);
	sel.size = wave ? (uint32_t)strtoul(wave + 2, NULL, 10) : 0;
	st = qd_context_create(&desc, &d->ctx, &e);
	st = st ? st : device_open_with(d->ctx, &driver, &sel, &d->dev, &e);
	st = st ? st : qd_stream_create(d->dev, &d->stream, &e);
	if (st)
		printf("%s: %s\n", target, e.text);
	return !st;
}

void
mutant_device_close(struct mutant_device *d)
{
	qd_stream_free(d->stream);
	qd_device_close(d->dev);
	qd_context_free(d->ctx);
}

/* -- Data --------------------------------------------------------------------------------------- */

static uint64_t state;

static uint32_t
draw(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

/* Returns an integer by data set: 0 near element indices, 1 a few values, 2 odd ones, 3 arbitrary
 * ones. Later sets again have few values, for runs with all but one buffer too short. */
static int64_t
draw_integer(unsigned data, uint32_t n, bool is_signed)
{
	if (data == 0)
		return (int64_t)(draw() % (2 * n)) - (is_signed ? n : 0);
	if (data == 1 || data > 3)
		return draw() % 3 - (int64_t)is_signed;
	return data == 2 ? draw() % 64 | 1 : (int64_t)draw() << 1 ^ draw();
}

static double
draw_real(unsigned data)
{
	double small = ((int)(draw() % 129) - 64) / 8.0;

	return data == 0 ? small : data == 1 ? draw() % 3 - 1.0 : small * (draw() % 1000);
}

static void
put_element(uint8_t *at, qd_type type, unsigned data, uint32_t n)
{
	bool is_signed = type == QD_TYPE_I8 || type == QD_TYPE_I16 || type == QD_TYPE_I32 ||
			 type == QD_TYPE_I64;
	int64_t v = draw_integer(data, n, is_signed);
	double d = draw_real(data);
	float f = (float)d;

	switch (type) {
	case QD_TYPE_F32: memcpy(at, &f, 4); break;
	case QD_TYPE_F64: memcpy(at, &d, 8); break;
	case QD_TYPE_F16: v = 0x3c00 | (v & 0x83ff); memcpy(at, &v, 2); break;
	case QD_TYPE_BF16: v = 0x3f80 | (v & 0x807f); memcpy(at, &v, 2); break;
	default: memcpy(at, &v, qd_type_size(type));
	}
}

/* Parameters with an initial value of 0 or all ones, by their names in the kernels. */
static const struct {
	const char *name;
	uint8_t byte;
} begins[] = {
	{ "total", 0 }, { "flag", 0 }, { "counter", 0 }, { "count", 0 }, { "part", 0 },
	{ "state", 0 }, { "own", 0 },  { "upto", 0 },    { "n", 0 },     { "first", 0xff },
};

/* State of the look-back: five blocks have started, one knows the total before it, two have
 * published their own, two have stopped before that. */
static const uint32_t half_way[] = { 5, 0, 2, 0, 1, 0, 1 };
enum { HALF_WAY = 1 };

static void
fill(uint8_t *at, const struct qd_param_info *p, unsigned data, uint32_t n, uint32_t len)
{
	size_t size = qd_type_size(p->type);

	memset(at, 0x5a, len * size);
	for (size_t i = 0; i < QD_COUNT(begins); i++)
		if (!strcmp(p->name, begins[i].name)) {
			memset(at, begins[i].byte, len * size);
			if (!strcmp(p->name, "state") && data == HALF_WAY && len * size >= sizeof half_way)
				memcpy(at, half_way, sizeof half_way);
			return;
		}
	for (uint32_t k = 0; p->access != QD_ACCESS_OUT && k < len; k++)
		put_element(at + k * size, p->type, data, n);
	/* Zeros the first element of each wave. */
	for (uint32_t k = 0; p->access != QD_ACCESS_OUT && data == LITTLE - 1 && k < len; k += 32)
		memset(at + k * size, 0, size);
}

static struct qd_arg
scalar(qd_type type, unsigned data)
{
	uint32_t v = data == 0 ? 3 : data == 1 ? 1 : data == 2 ? 0 : 9;

	switch (type) {
	case QD_TYPE_I32: return qd_arg_i32((int32_t)v);
	case QD_TYPE_U32: return qd_arg_u32(v);
	case QD_TYPE_I64: return qd_arg_i64(v);
	case QD_TYPE_U64: return qd_arg_u64(v);
	case QD_TYPE_F64: return qd_arg_f64(v);
	default: return qd_arg_f32((float)v);
	}
}

/* -- One run ----------------------------------------------------------------------------------- */

static const struct qd_kernel *
kernel_of(const struct mutant_rig *r)
{
	return r->fn->image->kernel;
}

/* Returns whether the buffer is short in this data set. In the sets from LITTLE on, only the first
 * or the second parameter has its whole length. The others have 0, 1 or 2 elements, in turn. */
static bool
is_little(unsigned data, uint32_t param)
{
	return data >= LITTLE && param != (data - LITTLE) % 2;
}

static void
make_data(struct mutant_rig *r, unsigned data)
{
	uint8_t *at = r->first;

	state = data + 1;
	for (uint32_t i = 0; i < r->n_params; i++) {
		struct qd_param_info p;
		struct qd_error e;
		qd_kernel_param(kernel_of(r), i, &p, &e);
		if (p.is_buffer) {
			fill(at, &p, data, r->n, r->len[i]);
			at += qd_buffer_size(r->buffer[i]);
			r->arg[i] = qd_arg_buffer(is_little(data, i) ? r->little[(data - LITTLE) / 2][i] : r->buffer[i]);
		} else {
			r->arg[i] = scalar(p.type, data);
		}
	}
}

static qd_status
launch(struct mutant_rig *r, struct qd_error *e)
{
	struct qd_stream *s = r->d->stream;
	qd_status st = qd_launch(s, r->fn, QD_GRID, r->arg, r->n_params, e);

	/* A kernel without a grid loop needs one thread per element. */
	if (st == QD_E_INVALID) {
		uint32_t dim = r->fn->info.block_dim;
		st = qd_launch(s, r->fn, (r->n + dim - 1) / dim, r->arg, r->n_params, e);
	}
	return st ? st : qd_stream_sync(s, e);
}

static qd_status
run_once(struct mutant_rig *r, uint64_t seed, struct qd_error *e)
{
	struct qd_stream *s = r->d->stream;
	uint8_t *from = r->first, *to = r->now;
	qd_status st = QD_OK;

	for (uint32_t i = 0; i < r->n_params && !st; i++) {
		size_t size = r->buffer[i] ? qd_buffer_size(r->buffer[i]) : 0;
		if (size)
			st = qd_buffer_upload(s, r->buffer[i], 0, from, size, e);
		from += size;
	}
	instead.seed = seed;
	instead.found = false;
	instead.stored = 0;
	st = st ? st : launch(r, e);
	for (uint32_t i = 0; i < r->n_params && !st; i++) {
		size_t size = r->buffer[i] ? qd_buffer_size(r->buffer[i]) : 0;
		if (size)
			st = qd_buffer_download(s, r->buffer[i], 0, to, size, e);
		to += size;
	}
	return st;
}

bool
mutant_rig_record(struct mutant_rig *r, struct qd_error *e)
{
	instead.code = NULL;
	for (unsigned data = 0; data < MUTANT_DATA; data++) {
		make_data(r, data);
		for (uint64_t seed = 1; seed <= RECORD_SEEDS; seed++) {
			r->want[data].skip = run_once(r, seed, e) != QD_OK;
			if (r->want[data].skip && data < LITTLE)
				return false;
			if (r->want[data].skip)
				break;
			if (seed == 1) {
				memcpy(r->want[data].out, r->now, r->size);
				r->want[data].stored = instead.stored;
			}
			r->want[data].any_stored |= instead.stored != r->want[data].stored;
			for (size_t k = 0; k < r->size; k++)
				r->want[data].differs[k] |= r->now[k] ^ r->want[data].out[k];
		}
	}
	return true;
}

static bool
is_wanted(const struct mutant_rig *r, unsigned data)
{
	for (size_t k = 0; k < r->size; k++)
		if ((r->now[k] ^ r->want[data].out[k]) && !r->want[data].differs[k])
			return false;
	return true;
}

static enum mutant_end
try_loaded(struct mutant_rig *r, unsigned n_seeds)
{
	enum mutant_end end = END_SAME;
	struct qd_error e;

	for (unsigned data = 0; data < MUTANT_DATA; data++) {
		make_data(r, data);
		for (uint64_t seed = 1; !r->want[data].skip && seed <= n_seeds; seed++) {
			qd_status st = run_once(r, seed, &e);
			if (instead.found)
				return END_FOUND;
			if (st)
				return printf("%s\n", e.text), END_FAILED;
			if (!is_wanted(r, data))
				return END_DIFFERS;
			if (!r->want[data].any_stored && instead.stored != r->want[data].stored)
				end = END_STORES;
		}
	}
	return end;
}

enum mutant_end
mutant_rig_try(struct mutant_rig *r, const void *image, size_t size, unsigned n_seeds)
{
	struct qd_image other = *r->fn->image;
	struct pool *pool = &r->d->ctx->pool;
	struct qd_function_info info;
	enum mutant_end end;
	struct qd_error e;
	void *code;

	other.code = image;
	other.code_size = size;
	if (emu_amd.load(pool, &other, &code, &info, &e))
		return printf("%s\n", e.text), END_FAILED;
	instead.code = code;
	end = try_loaded(r, n_seeds);
	instead.code = NULL;
	emu_amd.unload(pool, code);
	return end;
}

/* -- The rig -------------------------------------------------------------------------------------- */

const struct qd_image *
mutant_rig_image(const struct mutant_rig *r)
{
	return r->fn->image;
}

static bool
make_memory(struct mutant_rig *r)
{
	bool ok = (r->first = calloc(1, r->size + 1)) && (r->now = calloc(1, r->size + 1));

	for (unsigned k = 0; k < MUTANT_DATA && ok; k++)
		ok = (r->want[k].out = calloc(1, r->size + 1)) &&
		     (r->want[k].differs = calloc(1, r->size + 1));
	return ok;
}

bool
mutant_rig_open(struct mutant_rig *r, struct mutant_device *d, const struct qd_kernel *k,
		const struct qd_tmpl *tmpl, uint32_t n_tmpl, uint32_t n)
{
	struct qd_error e = { .text = "out of memory" };
	qd_status st;

	*r = (struct mutant_rig){ .d = d, .n_params = qd_kernel_param_count(k), .n = n };
	if (r->n_params > MUTANT_MAX_PARAMS)
		return printf("%s: too many parameters\n", qd_kernel_name(k)), false;
	st = qd_function_get(d->dev, k, tmpl, n_tmpl, &r->fn, &e);
	for (uint32_t i = 0; i < r->n_params && !st; i++) {
		struct qd_param_info p;
		st = qd_kernel_param(k, i, &p, &e);
		if (st || !p.is_buffer)
			continue;
		r->len[i] = n + LONGER * i;
		st = qd_buffer_create(d->dev, r->len[i] * qd_type_size(p.type), 0, &r->buffer[i], &e);
		for (uint32_t few = 0; few < MUTANT_LITTLE && !st; few++)
			st = qd_buffer_slice(r->buffer[i], 0, (i + few) % MUTANT_LITTLE * qd_type_size(p.type),
					     &r->little[few][i], &e);
		r->size += r->len[i] * qd_type_size(p.type);
	}
	if (!st && make_memory(r))
		return true;
	printf("%s: %s\n", qd_kernel_name(k), e.text);
	return false;
}

void
mutant_rig_close(struct mutant_rig *r)
{
	for (uint32_t i = 0; i < MUTANT_MAX_PARAMS; i++) {
		for (uint32_t k = 0; k < MUTANT_LITTLE; k++)
			qd_buffer_free(r->little[k][i]);
		qd_buffer_free(r->buffer[i]);
	}
	for (unsigned k = 0; k < MUTANT_DATA; k++) {
		free(r->want[k].out);
		free(r->want[k].differs);
	}
	free(r->first);
	free(r->now);
	qd_function_free(r->fn);
}
