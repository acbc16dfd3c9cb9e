/* Launches split into several dispatches, and launches too large for their loop, checked by the
 * arguments that a driver gets. The fake driver accepts few blocks at a time. */
#include "unit.h"

#include <stdio.h>

#include "device.h"
#include "fake.h"

/* -- A driver that records its arguments -------------------------------------------------- */

struct rig {
	struct unit_alloc mem;
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_stream *stream;
	struct qd_buffer *buf;
	const struct driver *own;
	struct driver reported;
	struct qd_error e;
};

static struct {
	const struct qd_device *dev;
	uint32_t n_blocks, n; /* of the launch; number of dispatches so far */
	uint64_t next;	      /* the next block to run */
	const char *wrong;
} reported;

static qd_status
write_down(struct queue *q, const struct dispatch *d, struct qd_error *err)
{
	const char *tail = (const char *)d->args + d->launch->tail;
	uint32_t n_blocks, base;
	(void)q, (void)err;
	memcpy(&n_blocks, tail + 4 * TAIL_N_BLOCKS, 4);
	memcpy(&base, tail + 4 * TAIL_BLOCK_BASE, 4);
	if (!d->x || !d->y || d->x > reported.dev->max_x || (d->y > 1 && d->y > reported.dev->max_y))
		reported.wrong = "more than the device accepts";
	if (base != d->base || n_blocks != reported.n_blocks || d->launch->n_blocks != n_blocks)
		reported.wrong = "other words in the argument block";
	if (d->base != reported.next)
		reported.wrong = "blocks skipped or executed twice";
	reported.next += (uint64_t)d->x * d->y;
	if (reported.next > (uint64_t)UINT32_MAX + 1)
		reported.wrong = "numbers of blocks that wrap";
	reported.n++;
	return QD_OK;
}

static bool
open_rig(struct unit_ctx *t, struct rig *r, bool listen)
{
	memset(r, 0, sizeof *r);
	unit_alloc_init(&r->mem);
	struct qd_context_desc desc = { .version = QD_VERSION,
					.allocator = unit_alloc_hooks(&r->mem) };
	bool good = !qd_context_create(&desc, &r->ctx, &r->e) &&
		    !fake_open(r->ctx, FAKE_SEEN, &r->dev, &r->e) &&
		    !qd_stream_create(r->dev, &r->stream, &r->e) &&
		    !qd_buffer_create(r->dev, 4096, 0, &r->buf, &r->e);
	UNIT_CHECK(t, good, "%s", r->e.text);
	if (!good)
		return false;
	r->own = r->dev->driver;
	r->reported = *r->own;
	r->reported.dispatch = write_down;
	if (listen)
		r->dev->driver = &r->reported;
	return true;
}

static void
close_rig(struct unit_ctx *t, struct rig *r)
{
	r->dev->driver = r->own;
	qd_buffer_free(r->buf);
	qd_stream_free(r->stream);
	qd_device_close(r->dev);
	qd_context_free(r->ctx);
	UNIT_CHECK(t, r->mem.n_out == 0 && !r->mem.wrong_size, "%zu blocks are lost", r->mem.n_out);
	unit_alloc_fini(&r->mem);
}

/* Builds a grid loop to n of this type. NONE: no loop. BOOL: to the length of the buffer. */
static struct qd_function *
make_function(struct unit_ctx *t, struct rig *r, qd_type type, uint32_t block)
{
	struct qd_builder *b;
	struct qd_kernel *k = NULL;
	struct qd_function *fn = NULL;
	if (qd_builder_create(r->ctx, "many", &b, &r->e)) {
		UNIT_CHECK(t, false, "%s", r->e.text);
		return NULL;
	}
	qd_block(b, block, 1, 1);
	struct qd_array a = qd_param_buffer(b, "a", type == QD_TYPE_BOOL ? QD_TYPE_U8 : QD_TYPE_U32,
					    QD_ACCESS_INOUT);
	struct qd_val at = qd_block_idx(b), n;
	if (type == QD_TYPE_BOOL) {
		at = qd_grid(b, qd_len(b, a));
	} else if (type != QD_TYPE_NONE) {
		n = qd_param_scalar(b, "n", type);
		at = qd_grid(b, n);
	}
	qd_store(b, a, at, qd_add(b, qd_load(b, a, at), qd_u32(b, 1)));
	qd_status st = qd_builder_finish(b, &k, &r->e);
	if (!st)
		st = qd_function_get(r->dev, k, NULL, 0, &fn, &r->e);
	UNIT_CHECK(t, !st, "%s", r->e.text);
	qd_kernel_free(k);
	return fn;
}

static qd_status
launch(struct rig *r, struct qd_function *fn, uint32_t n_blocks, const struct qd_arg *n,
       uint32_t expected)
{
	struct qd_arg args[2] = { qd_arg_buffer(r->buf) };
	memset(&reported, 0, sizeof reported);
	reported.dev = r->dev;
	reported.n_blocks = expected;
	if (n)
		args[1] = *n;
	return qd_launch(r->stream, fn, n_blocks, args, n ? 2 : 1, &r->e);
}

/* -- Splitting of launches ---------------------------------------------------------------- */

static void
in_pieces(struct unit_ctx *t, struct rig *r, struct qd_function *fn, uint32_t x, uint32_t y,
	  uint32_t n, bool counted)
{
	struct qd_arg arg = qd_arg_u32(n);
	r->dev->max_x = x;
	r->dev->max_y = y;
	qd_status st = launch(r, fn, counted ? QD_GRID : n, counted ? &arg : NULL, n);
	UNIT_CHECK(t, !st && !reported.wrong && reported.next >= n, "%u blocks on %u x %u: %s", n, x, y,
		   st		? r->e.text
		   : reported.wrong ? reported.wrong
				: "not all are run");
	uint64_t least = n <= x ? 1 : n / ((uint64_t)x * y);
	UNIT_CHECK(t, reported.n <= least + 2, "%u blocks on %u x %u: %u dispatches", n, x, y, reported.n);
}

/* Fails if a dispatch exceeds the limits of the device, or if a block is omitted or has the number
 * of another. */
static void
pieces(struct unit_ctx *t)
{
	static const uint32_t limits[][2] = {
		{ 1, 1 },	   { 7, 3 },	     { 50, 1 },
		{ 50, 3 },	   { 65535, 1 },     { 65535, 65535 },
		{ 65534, 65535 },  { 50000, 60000 }, { 2147483647, 65535 },
		{ UINT32_MAX, 1 },
	};
	static const uint32_t few[] = { 1, 2, 7, 8, 20, 21, 22, 50, 51, 149, 150, 151, 1000 };
	static const uint32_t many[] = { 65535,	     65536,	     131071,	 UINT32_MAX - 65536,
					 UINT32_MAX - 1, 2147483648u };
	struct rig r;
	if (!open_rig(t, &r, true))
		return;
	struct qd_function *fn = make_function(t, &r, QD_TYPE_NONE, 32);
	/* UINT32_MAX blocks equal QD_GRID, so only a grid loop can request them. */
	struct qd_function *by_host = make_function(t, &r, QD_TYPE_U32, 1);
	for (size_t i = 0; fn && by_host && i < QD_COUNT(limits); i++) {
		uint32_t x = limits[i][0], y = limits[i][1];
		for (size_t j = 0; j < QD_COUNT(few); j++)
			in_pieces(t, &r, fn, x, y, few[j], false);
		for (size_t j = 0; x > 1000 && j < QD_COUNT(many); j++)
			in_pieces(t, &r, fn, x, y, many[j], false);
		if (x > 1000)
			in_pieces(t, &r, by_host, x, y, UINT32_MAX, true);
	}
	close_rig(t, &r);
}

/* Does the same on a device, by the results. */
static void
every_block_once(struct unit_ctx *t)
{
	static const uint32_t n[] = { 1, 49, 50, 51, 149, 150, 151, 449, 451, 1000 };
	static uint32_t got[1024];
	struct rig r;
	if (!open_rig(t, &r, false))
		return;
	struct qd_function *fn = make_function(t, &r, QD_TYPE_NONE, 1);
	for (size_t i = 0; fn && i < QD_COUNT(n); i++) {
		uint32_t wrong = 0;
		memset(got, 0, sizeof got);
		qd_status st = qd_buffer_upload(r.stream, r.buf, 0, got, sizeof got, &r.e);
		if (!st)
			st = launch(&r, fn, n[i], NULL, n[i]);
		if (!st)
			st = qd_buffer_download_async(r.stream, r.buf, 0, got, sizeof got, &r.e);
		if (!st)
			st = qd_stream_sync(r.stream, &r.e);
		UNIT_CHECK(t, !st, "%s", r.e.text);
		for (uint32_t j = 0; j < QD_COUNT(got); j++)
			wrong += got[j] != (j < n[i]);
		UNIT_CHECK(t, !wrong, "%u blocks: %u ran not once", n[i], wrong);
	}
	close_rig(t, &r);
}

/* -- The last index ----------------------------------------------------------------------- */

#define REFUSED(blocks, block, last, type)                                                         \
	"kernel 'many': the last of " blocks " blocks of " block " threads has index " last        \
	", which exceeds the grid loop's type " type                                              \
	"; launch fewer blocks, or use a 64-bit count"

/* Fails if a launch runs threads whose index wrapped, which would repeat the work of others. */
static void
last_index(struct unit_ctx *t)
{
	static const struct {
		qd_type type;
		uint32_t block, n_blocks; /* as passed to qd_launch */
		uint64_t n;
		uint32_t runs; /* blocks; 0: the launch is rejected */
		const char *text;
	} rows[] = {
		{ QD_TYPE_U32, 1000, QD_GRID, UINT32_MAX, 0,
		  REFUSED("4294968", "1000", "4294967999", "u32") },
		{ QD_TYPE_U32, 1024, QD_GRID, UINT32_MAX, 4194304, NULL },
		{ QD_TYPE_U32, 1, QD_GRID, UINT32_MAX, UINT32_MAX, NULL },
		{ QD_TYPE_U32, 1000, QD_GRID, 4294967000, 4294967, NULL },
		{ QD_TYPE_U32, 1000, 4294968, 5, 0,
		  REFUSED("4294968", "1000", "4294967999", "u32") },
		{ QD_TYPE_U32, 1000, 4294967, 5, 4294967, NULL },
		{ QD_TYPE_I32, 1000, QD_GRID, INT32_MAX, 0,
		  REFUSED("2147484", "1000", "2147483999", "i32") },
		{ QD_TYPE_I32, 64, QD_GRID, INT32_MAX, 33554432, NULL },
		{ QD_TYPE_I32, 64, 33554433, 5, 0, REFUSED("33554433", "64", "2147483711", "i32") },
		{ QD_TYPE_I32, 1000, QD_GRID, 0x80000000 /* negative */, 0, NULL },
		{ QD_TYPE_I64, 1000, QD_GRID, UINT32_MAX, 4294968, NULL },
		{ QD_TYPE_U64, 1000, QD_GRID, UINT64_C(4294967295000), UINT32_MAX, NULL },
		{ QD_TYPE_U64, 1000, UINT32_MAX - 1, 5, UINT32_MAX - 1, NULL },
		{ QD_TYPE_NONE, 1000, UINT32_MAX - 1, 0, UINT32_MAX - 1, NULL },
		{ QD_TYPE_U32, 1000, 0, 5, 0, NULL },
	};
	struct rig r;
	if (!open_rig(t, &r, true))
		return;
	r.dev->max_x = r.dev->max_y = 65535;
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct qd_function *fn = make_function(t, &r, rows[i].type, rows[i].block);
		struct qd_arg n = { .type = rows[i].type, .bits = rows[i].n };
		if (!fn)
			continue;
		qd_status st =
			launch(&r, fn, rows[i].n_blocks, rows[i].type ? &n : NULL, rows[i].runs);
		UNIT_CHECK(t, st == (rows[i].text ? QD_E_LIMIT : QD_OK), "row %zu: %s: %s", i,
			   qd_status_name(st), st ? r.e.text : "");
		UNIT_CHECK(t, !rows[i].text || strcmp(r.e.text, rows[i].text) == 0, "row %zu: %s",
			   i, r.e.text);
		UNIT_CHECK(t, rows[i].runs ? reported.next >= rows[i].runs && !reported.wrong : !reported.n,
			   "row %zu: %llu blocks in %u dispatches", i,
			   (unsigned long long)reported.next, reported.n);
	}
	/* a buffer of this length, without the memory for it */
	struct qd_function *fn = make_function(t, &r, QD_TYPE_BOOL, 1000);
	size_t size = r.buf->size;
	r.buf->size = UINT32_MAX;
	qd_status st = fn ? launch(&r, fn, QD_GRID, NULL, 0) : QD_OK;
	r.buf->size = size;
	UNIT_CHECK(t,
		   st == QD_E_LIMIT && !reported.n &&
			   strcmp(r.e.text, REFUSED("4294968", "1000", "4294967999", "u32")) == 0,
		   "%s", r.e.text);
	close_rig(t, &r);
}

/* -- The argument block ------------------------------------------------------------------- */

static uint64_t addr_given;

static qd_status
keep_address(struct queue *q, const struct dispatch *d, struct qd_error *err)
{
	(void)q, (void)err;
	memcpy(&addr_given, d->args, sizeof addr_given);
	return QD_OK;
}

/* Checks the address of an empty buffer or slice. Code may read its first element, so the address
 * is within the memory of the underlying buffer. */
static void
empty_address(struct unit_ctx *t)
{
	static const size_t ends[] = { 0, 200, 4093, 4096 };
	struct rig r;
	if (!open_rig(t, &r, true))
		return;
	r.reported.dispatch = keep_address;
	struct qd_function *fn = make_function(t, &r, QD_TYPE_NONE, 1);
	for (size_t i = 0; fn && i < QD_COUNT(ends); i++) {
		struct qd_buffer *none = NULL;
		size_t size = ends[i] == 4093 ? 3 : 0, at = ends[i] == 4093 ? 4092 : ends[i];
		bool good = !qd_buffer_slice(r.buf, at, size, &none, &r.e);
		struct qd_arg a = qd_arg_buffer(none);
		addr_given = 0;
		UNIT_CHECK(t, good && !qd_launch(r.stream, fn, 1, &a, 1, &r.e), "%s", r.e.text);
		UNIT_CHECK(t, addr_given == r.buf->addr, "slice at %zu", at);
		qd_buffer_free(none);
	}
	close_rig(t, &r);
}

static struct {
	uint64_t a, b, c, addr, len;
	uint32_t d, tail[4], end;
} block_given;

static qd_status
keep_block(struct queue *q, const struct dispatch *d, struct qd_error *err)
{
	(void)q, (void)err;
	memset(&block_given, 0xee, sizeof block_given);
	memcpy(&block_given, d->args, d->launch->args_size);
	return QD_OK;
}

/* Checks every byte of the argument block: parameters at their natural alignment, zeros between
 * them, the tail. An earlier launch leaves other bytes on the stack. */
static void
argument_block(struct unit_ctx *t)
{
	struct rig r;
	struct qd_builder *b = NULL;
	struct qd_kernel *k = NULL;
	struct qd_function *fn = NULL;
	if (!open_rig(t, &r, true))
		return;
	r.reported.dispatch = keep_block;
	bool good = !qd_builder_create(r.ctx, "wide", &b, &r.e);
	qd_param_scalar(b, "a", QD_TYPE_U32);
	qd_param_scalar(b, "b", QD_TYPE_U64);
	qd_param_scalar(b, "c", QD_TYPE_I32);
	struct qd_array dst = qd_param_buffer(b, "dst", QD_TYPE_U32, QD_ACCESS_OUT);
	struct qd_val d = qd_param_scalar(b, "d", QD_TYPE_U32);
	qd_store(b, dst, qd_u32(b, 0), d);
	good = good && !qd_builder_finish(b, &k, &r.e) &&
	       !qd_function_get(r.dev, k, NULL, 0, &fn, &r.e);
	UNIT_CHECK(t, good, "%s", r.e.text);
	for (uint32_t i = 0; good && i < 2; i++) {
		uint64_t ones = i ? 0 : UINT64_MAX;
		struct qd_arg a[5] = { qd_arg_u32((uint32_t)ones | 1), qd_arg_u64(ones | 2),
				       qd_arg_i32((int32_t)(uint32_t)ones | 3),
				       qd_arg_buffer(r.buf), qd_arg_u32((uint32_t)ones | 4) };
		UNIT_CHECK(t, !qd_launch(r.stream, fn, 5, a, 5, &r.e), "%s", r.e.text);
	}
	UNIT_CHECK(t, block_given.a == 1 && block_given.b == 2 && block_given.c == 3 &&
			      block_given.addr == r.buf->addr && block_given.len == 1024 &&
			      block_given.d == 4 && block_given.tail[0] == 5 &&
			      !block_given.tail[1] && !block_given.tail[2] && !block_given.tail[3] &&
			      !block_given.end,
		   "%llx %llx %llx, %llx %llx, %x, %x %x %x %x, %x", (unsigned long long)block_given.a,
		   (unsigned long long)block_given.b, (unsigned long long)block_given.c,
		   (unsigned long long)block_given.addr, (unsigned long long)block_given.len,
		   block_given.d, block_given.tail[0], block_given.tail[1], block_given.tail[2],
		   block_given.tail[3], block_given.end);
	qd_kernel_free(k);
	close_rig(t, &r);
}

/* -- Data that a launch reads ------------------------------------------------------------- */

/* Fails if a launch accesses the kernel, which images from files do not have. */
static void
without_a_kernel(struct unit_ctx *t)
{
	struct rig r;
	if (!open_rig(t, &r, true))
		return;
	r.dev->checks = true;
	struct qd_function *fn = make_function(t, &r, QD_TYPE_U32, 64);
	if (fn) {
		struct qd_kernel *k = fn->image->kernel;
		struct qd_arg n = qd_arg_u32(100), other = qd_arg_i32(1);
		fn->image->kernel = NULL;
		UNIT_CHECK(t, !launch(&r, fn, QD_GRID, &n, 2) && reported.n == 1 && !reported.wrong, "%s",
			   r.e.text);
		UNIT_CHECK(t,
			   launch(&r, fn, QD_GRID, &other, 2) == QD_E_INVALID &&
				   strcmp(r.e.text,
					  "argument 1 'n' of kernel 'many': expected a value of "
					  "type u32, not a value of type i32") == 0,
			   "%s", r.e.text);
		fn->image->kernel = k;
	}
	close_rig(t, &r);
}

const struct unit units_dispatch[] = {
	{ "dispatch.pieces", pieces },
	{ "dispatch.every_block_once", every_block_once },
	{ "dispatch.last_index", last_index },
	{ "dispatch.empty_address", empty_address },
	{ "dispatch.argument_block", argument_block },
	{ "dispatch.without_a_kernel", without_a_kernel },
};
const unsigned n_units_dispatch = QD_COUNT(units_dispatch);
