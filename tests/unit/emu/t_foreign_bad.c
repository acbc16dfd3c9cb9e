/* Code objects that cannot be run, or not with the given options. Each is rejected with an error
 * that names file, position and reason. Damaged objects never crash. */
#include "foreign_rig.h"

#include <stdio.h>
#include <stdlib.h>

#include "gcn_object.h"

/* -- Errors -------------------------------------------------------------------------------- */

enum { MANY = 70000 };
static const uint32_t sizes_1[] = { 16 }, sizes_2[] = { 4096, MANY }, sizes_3[] = { 1, 2, 3 };

/* An object with some bytes changed, at this offset from the n-th occurrence of `find`, or from the
 * start if it is NULL. */
struct row {
	const char *source, *target, *kernel;
	struct qd_object_options options;
	const char *find;
	unsigned n;
	size_t at, size;
	const char *bytes;
	qd_status status;
	const char *text; /* "..." matches a number that depends on the file */
};

enum { E_TYPE = 16, E_FLAGS = 48, E_ABI = 7 };
#define V5 "object", "gfx942"
#define NOTHING NULL, 0, 0, 0, NULL
#define NONE { .n_shared = 0 }

/* clang-format off */
static const struct row rows[] = {
	{ V5, NULL, NONE, NOTHING, QD_E_INVALID,
	  "k.co: 8 kernels; choose one: values, sizes, lookup, local_sizes, plane, private_array, calls, empty" },
	{ V5, "value", NONE, NOTHING, QD_E_NOT_FOUND,
	  "k.co: no kernel is named 'value'; did you mean 'values'?; there are: values, sizes, ..." },
	{ V5, "sizes", NONE, NOTHING, QD_E_INVALID,
	  "k.co: kernel 'sizes' does not state its block size (no .reqd_workgroup_size); pass it in the options" },
	{ V5, "sizes", { .block = { 64, 17 } }, NOTHING, QD_E_LIMIT,
	  "k.co: kernel 'sizes': blocks of 64 x 17 x 1 threads; the number must be 1 to 256 (.max_flat_workgroup_size)" },
	{ V5, "plane", { .block = { 64 } }, NOTHING, QD_E_INVALID,
	  "k.co: kernel 'plane' has blocks of 8 x 16 x 1 threads (.reqd_workgroup_size); the options have 64 x 1 x 1" },
	{ V5, "plane", { .processor = "gfx90a" }, NOTHING, QD_E_TARGET, "k.co: code for gfx942, and not for gfx90a" },
	{ V5, "local_sizes", NONE, NOTHING, QD_E_INVALID,
	  "k.co: offset 0x...: kernel 'local_sizes': argument 2 is shared memory; pass its size in the options, which have 0 sizes" },
	{ V5, "local_sizes", { .shared = sizes_1, .n_shared = 1 }, NOTHING, QD_E_INVALID,
	  "k.co: offset 0x...: kernel 'local_sizes': argument 3 is shared memory; pass its size in the options, which have 1 size" },
	{ V5, "local_sizes", { .shared = sizes_3, .n_shared = 3 }, NOTHING, QD_E_INVALID,
	  "k.co: kernel 'local_sizes': 2 of its arguments are shared memory, but the options have 3 sizes" },
	{ V5, "local_sizes", { .shared = sizes_2, .n_shared = 2 }, NOTHING, QD_E_LIMIT,
	  "k.co: kernel 'local_sizes': 74352 bytes of shared memory in total; the limit for a block on gfx942 is 65536" },
	{ V5, "plane", { .shared = sizes_2 + 1, .n_shared = 1 }, NOTHING, QD_E_LIMIT,
	  "k.co: kernel 'plane': 70000 bytes of shared memory in total; the limit for a block on gfx942 is 65536" },
	{ V5, "sizes", { .block = { 64 } }, "hidden_block_count_x", 1, 0, 20, "hidden_printf_buffer", QD_E_INVALID,
	  "k.co: offset 0x...: kernel 'sizes': it needs a buffer that printf writes to (hidden_printf_buffer), which launches do not provide" },
	{ V5, "lookup", NONE, "global_buffer", 3, 0, 13, "global_bustle", QD_E_INVALID,
	  "k.co: offset 0x...: kernel 'lookup': argument 0: .value_kind 'global_bustle' is not known" },
	{ V5, "sizes", { .block = { 64 } }, "hidden_grid_dims", 1, 0, 16, "hidden_queue_ptr", QD_E_INVALID,
	  "k.co: offset 0x...: kernel 'sizes': argument 13: hidden_queue_ptr has 2 bytes; it must have 8" },
	{ V5, "values", NONE, "global", 1, 0, 6, "region", QD_E_INVALID,
	  "k.co: offset 0x...: kernel 'values': argument 0: the address space of the buffer is 'region'; it must be global, constant or generic" },
	{ V5, "values", NONE, ".offset", 1, 7, 1, "\x05", QD_E_INVALID, /* overlaps the next one */
	  "k.co: offset 0x...: kernel 'values': the launch layout has two slots at the same offset" },
	{ V5, "values", NONE, ".offset", 2, 7, 1, "\x7f", QD_E_INVALID,
	  "k.co: offset 0x...: kernel 'values': argument 1: 1 bytes at 127 are not within the 96 bytes of arguments (.kernarg_segment_size)" },
	{ V5, "values", NONE, ".offset", 2, 7, 1, "\xc0", QD_E_INVALID,
	  "k.co: offset 0x...: kernel 'values': argument 1: .offset is not a number" },
	{ V5, "values", NONE, ".offset", 2, 0, 7, ".offsex", QD_E_INVALID,
	  "k.co: offset 0x...: kernel 'values': argument 1 has no .offset" },
	{ V5, "values", NONE, ".kernarg_segment_size", 1, 21, 1, "\x50", QD_E_INVALID,
	  "k.co: offset 0x...: kernel 'values': .kernarg_segment_size is 80, but its descriptor states 96" },
	{ V5, "values", NONE, ".wavefront_size", 1, 15, 1, "\x20", QD_E_INVALID,
	  "k.co: offset 0x...: kernel 'values': .wavefront_size is 32, but its descriptor states 64" },
	{ V5, "values", NONE, NULL, 0, E_TYPE, 1, "\x01", QD_E_INVALID,
	  "k.co: offset 0x10: an unlinked object; link it with ld.lld -shared" },
	{ V5, "values", NONE, NULL, 0, E_ABI, 1, "\x00", QD_E_INVALID,
	  "k.co: offset 0x7: OS ABI 0; only HSA's (64) is supported" },
	{ V5, "values", NONE, NULL, 0, E_FLAGS + 1, 1, "\x0f", QD_E_INVALID,
	  "k.co: offset 0x30: code for devices with page fault retry (xnack+); devices run without it" },
	{ V5, "values", NONE, NULL, 0, E_FLAGS, 1, "\x3f", QD_E_INVALID,
	  "k.co: offset 0x...: metadata: amdhsa.target is 'amdgcn-amd-amdhsa--gfx942', but the file is for gfx90a (e_flags)" },
	{ V5, "values", NONE, NULL, 0, E_FLAGS + 1, 1, "\x09", QD_E_INVALID,
	  "k.co: offset 0x...: metadata: amdhsa.target is 'amdgcn-amd-amdhsa--gfx942', but the file is for gfx942:sramecc- (e_flags)" },
};
/* clang-format on */

/* Returns true if the text matches want, in which "..." matches anything. */
static bool
like(const char *text, const char *want)
{
	const char *dots = strstr(want, "...");
	size_t len = dots ? (size_t)(dots - want) : strlen(want);

	if (strncmp(text, want, len) != 0)
		return false;
	if (!dots)
		return !text[len];
	for (text += len; *text; text++)
		if (like(text, dots + 3))
			return true;
	return !dots[3];
}

static uint8_t *
changed(struct unit_ctx *t, const struct row *row, const struct wave_object *o)
{
	uint8_t *bytes = malloc(o->size);
	size_t at = 0, len = row->find ? strlen(row->find) : 0;
	unsigned n = 0;

	memcpy(bytes, o->data, o->size);
	for (; row->find && at + len <= o->size; at++)
		if (!memcmp(bytes + at, row->find, len) && ++n == row->n)
			break;
	UNIT_CHECK(t, !row->find || n == row->n, "no %s", row->find);
	if (row->bytes && at + row->at + row->size <= o->size)
		memcpy(bytes + at + row->at, row->bytes, row->size);
	return bytes;
}

static void
sentences(struct unit_ctx *t)
{
	struct foreign_rig r;

	if (foreign_open(t, &r, "gfx942")) {
		for (size_t i = 0; i < QD_COUNT(rows); i++) {
			const struct wave_object *o = foreign_object(rows[i].source, rows[i].target, 0);
			uint8_t *bytes = changed(t, &rows[i], o);
			struct qd_image *image = NULL;
			qd_status st = qd_image_from_object(r.ctx, bytes, o->size, "k.co", rows[i].kernel,
							    &rows[i].options, &image, &r.e);
			UNIT_CHECK(t, st == rows[i].status && !image && like(r.e.text, rows[i].text),
				   "row %zu: %d, %s\nwant %s", i, (int)st, st ? r.e.text : "", rows[i].text);
			qd_image_free(image);
			free(bytes);
		}
	}
	foreign_close(t, &r);
}

/* -- Sections ----------------------------------------------------------------------------------- */

/* Returns the file offset of a section header. */
static size_t
header_of(const struct wave_object *o, unsigned i)
{
	uint64_t at;

	memcpy(&at, o->data + 40, sizeof at);
	return (size_t)at + 64 * (size_t)i;
}

/* Checks sections that would need relocation, or writable memory. */
static void
sections(struct unit_ctx *t)
{
	enum { NOTE = 1, HASH = 4, RODATA = 6, TEXT = 7, DYNAMIC = 8, TYPE = 4, FLAGS = 8, ADDR = 16 };
	static const struct {
		unsigned section, at;
		uint64_t value;
		size_t size;
		const char *text;
	} cases[] = {
		{ DYNAMIC, TYPE, 1, 4, "" },
		{ DYNAMIC, TYPE, 14, 4,
		  "k.co: offset 0x...: kernel 'lookup': section '.dynamic' contains constructors, which launches do not run: initialize the variables with constants" },
		{ HASH, TYPE, 9, 4,
		  "k.co: offset 0x...: kernel 'lookup': section '.hash' has relocations that are not entries of 24 bytes (SHT_RELA); link without --pack-dyn-relocs" },
		{ RODATA, FLAGS, 2 | 0x400, 8,
		  "k.co: offset 0x...: kernel 'lookup': section '.rodata' contains thread-local variables, which devices do not support: make them global variables" },
		{ TEXT, FLAGS, 7, 8, "k.co: offset 0x...: kernel 'lookup': section '.text' is writable code" },
		{ RODATA, FLAGS, 2 | 4, 8,
		  "k.co: offset 0x...: kernel 'lookup': section '.rodata' is code outside the kernel's section" },
		{ TEXT, FLAGS, 2, 8, "k.co: offset 0x...: kernel 'lookup': its descriptor's entry point, address 0x..., is not in a code section" },
		{ RODATA, ADDR, UINT64_MAX - 64, 8, NULL },
		{ NOTE, ADDR, 1 << 30, 8, "" },
	};
	const struct wave_object *o = foreign_object("object", "gfx942", 0);
	struct foreign_rig r;

	if (foreign_open(t, &r, "gfx942")) {
		for (size_t i = 0; i < QD_COUNT(cases); i++) {
			uint8_t *bytes = malloc(o->size);
			struct qd_image *image = NULL;
			memcpy(bytes, o->data, o->size);
			memcpy(bytes + header_of(o, cases[i].section) + cases[i].at, &cases[i].value, cases[i].size);
			qd_status st = qd_image_from_object(r.ctx, bytes, o->size, "k.co", "lookup", NULL, &image, &r.e);
			if (cases[i].text && !*cases[i].text)
				UNIT_CHECK(t, st == QD_OK, "case %zu: %s", i, r.e.text);
			else
				UNIT_CHECK(t, st && (!cases[i].text || like(r.e.text, cases[i].text)),
					   "case %zu: %d, %s", i, (int)st, st ? r.e.text : "");
			qd_image_free(image);
			free(bytes);
		}
	}
	foreign_close(t, &r);
}

/* -- Descriptors ---------------------------------------------------------------------------------- */

/* Checks that a descriptor that differs from the metadata is rejected. */
static void
descriptors(struct unit_ctx *t)
{
	static const struct {
		unsigned at;
		uint8_t value;
		const char *text;
	} cases[] = {
		{ 0, 1, "k.co: offset 0x...: kernel 'add': .group_segment_fixed_size is 1024, but its descriptor states 1025" },
		{ 4, 4, "k.co: offset 0x...: kernel 'add': .private_segment_fixed_size is 0, but its descriptor states 4" },
		{ 12, 1, "k.co: offset 0x...: kernel 'add': reserved byte 12 of its descriptor is 0x1; it must be 0" },
		{ 43, 9, "k.co: offset 0x...: kernel 'add': reserved byte 43 of its descriptor is 0x9; it must be 0" },
		{ 16, 0x44, "k.co: offset 0x...: kernel 'add': its code at address 0x404 must consist of words and begin at a multiple of 256" },
		{ 57, 0x0c, "k.co: offset 0x...: kernel 'add': the size of its private memory is unknown (a dynamic stack)" },
	};
	enum { RODATA = 0x3c0 }; /* offset in the fixture */
	const struct object_fixture *f = &object_fixtures[0];
	const struct qd_object_options block = { .block = { 64 } };
	struct foreign_rig r;

	if (foreign_open(t, &r, "gfx1100")) {
		for (size_t i = 0; i < QD_COUNT(cases); i++) {
			uint8_t *bytes = malloc(f->size);
			struct qd_image *image = NULL;
			memcpy(bytes, f->data, f->size);
			bytes[RODATA + cases[i].at] = cases[i].value;
			qd_status st = qd_image_from_object(r.ctx, bytes, f->size, "k.co", NULL, &block, &image, &r.e);
			UNIT_CHECK(t, st == QD_E_INVALID && like(r.e.text, cases[i].text), "case %zu: %d, %s", i,
				   (int)st, st ? r.e.text : "");
			qd_image_free(image);
			free(bytes);
		}
	}
	foreign_close(t, &r);
}

/* -- Bundles ------------------------------------------------------------------------------------- */

static void
bundles(struct unit_ctx *t)
{
	static uint8_t bytes[OBJECT_BUNDLE_MAX];
	const struct qd_object_options none = { .block = { 64 } },
				       right = { .block = { 64 }, .processor = "gfx1100" },
				       other = { .block = { 64 }, .processor = "gfx1030" };
	struct foreign_rig r;

	bool open = foreign_open(t, &r, "gfx1100");
	for (int i = 0; open && i < 2; i++) {
		size_t size = object_bundle(i ? BUNDLE_OFFLOAD : BUNDLE_PLAIN, bytes, sizeof bytes);
		struct qd_image *image = NULL;
		qd_status st = qd_image_from_object(r.ctx, bytes, size, NULL, NULL, &right, &image, &r.e);
		UNIT_CHECK(t, st == QD_OK && !strcmp(qd_image_kernel(image), "add"), "%s", r.e.text);
		qd_image_free(image);
		st = qd_image_from_object(r.ctx, bytes, size, NULL, NULL, &none, &image, &r.e);
		UNIT_CHECK(t, st == QD_E_INVALID && strstr(r.e.text, "specify the processor"), "%s",
			   r.e.text);
		st = qd_image_from_object(r.ctx, bytes, size, NULL, NULL, &other, &image, &r.e);
		UNIT_CHECK(t, st == QD_E_NOT_FOUND &&
				      !strcmp(r.e.text, "code object: a bundle without code for gfx1030; it has: "
							"gfx1100, gfx90a:xnack+, gfx906"),
			   "%s", r.e.text);
	}
	foreign_close(t, &r);
}

/* -- Damage ---------------------------------------------------------------------------------------- */

struct tally {
	unsigned n, taken, ran;
};

/* Tries bytes as an object. They must give an image or an error, and a launch of the image must
 * end. */
static void
try_bytes(struct unit_ctx *t, struct foreign_rig *r, const uint8_t *bytes, size_t size, const char *kernel,
	  bool run, struct tally *y)
{
	const struct qd_object_options block = { .block = { 64 } };
	uint8_t *exact = malloc(size ? size : 1); /* exact size, so that a sanitizer reports reads
						   * past the end */
	struct qd_image *image = NULL;
	struct qd_function *fn = NULL;
	struct qd_arg args[64];
	static const uint8_t zeros[4096];

	memcpy(exact, bytes, size);
	qd_status st = qd_image_from_object(r->ctx, exact, size, "k.co", kernel, &block, &image, &r->e);
	free(exact);
	y->n++;
	y->taken += st == QD_OK;
	UNIT_CHECK(t, st == QD_OK || !strncmp(r->e.text, "k.co: ", 6), "%d, %s", (int)st, r->e.text);
	if (st == QD_OK && run)
		st = qd_function_load(r->dev, image, &fn, &r->e);
	for (uint32_t i = 0; fn && i < qd_image_param_count(image); i++) {
		struct qd_param_info p;
		qd_image_param(image, i, &p, &r->e);
		args[i] = p.is_buffer ? qd_arg_buffer(r->out) : qd_arg_bytes(zeros, p.size);
	}
	if (fn) {
		st = foreign_run(r, fn, 1, args, qd_image_param_count(image));
		y->ran += st == QD_OK;
	}
	UNIT_CHECK(t, st == QD_OK || r->e.text[0], "%d without a sentence", (int)st);
	qd_function_free(fn);
	qd_image_free(image);
}

/* Changes each byte of a small object in several ways and truncates it at every length. Also
 * changes some bytes of a large one. */
static void
damaged(struct unit_ctx *t)
{
	const struct object_fixture *f = &object_fixtures[0];
	const struct wave_object *o = foreign_object("object", "gfx1100", 0);
	char *old = getenv("QD_EMU_STEPS"), *kept = old ? strdup(old) : NULL;
	uint8_t *bytes = malloc(o->size + f->size);
	struct unit_rng rng = { 11 };
	struct tally y = { 0 };
	struct foreign_rig r;

	setenv("QD_EMU_STEPS", "2000", 1);
	if (foreign_open(t, &r, "gfx1100")) {
		memcpy(bytes, f->data, f->size);
		for (size_t at = 0; at < f->size; at++) {
			const uint8_t was = bytes[at], tries[] = { (uint8_t)(was ^ 1u << unit_random(&rng) % 8),
								    (uint8_t)~was, (uint8_t)(was + 1) };
			for (size_t k = 0; k < QD_COUNT(tries); k++) {
				bytes[at] = tries[k];
				try_bytes(t, &r, bytes, f->size, NULL, k == 0, &y);
			}
			bytes[at] = was;
			try_bytes(t, &r, bytes, at, NULL, false, &y);
		}
		UNIT_CHECK(t, y.taken > 100 && y.taken < y.n * 3 / 4, "%u of %u were taken", y.taken, y.n);
		memcpy(bytes, o->data, o->size);
		for (unsigned i = 0; i < 1500; i++) {
			size_t at = unit_random(&rng) % o->size;
			uint8_t was = bytes[at];
			bytes[at] = (uint8_t)unit_random(&rng);
			try_bytes(t, &r, bytes, o->size, i % 2 ? "values" : "lookup", i % 16 == 0, &y);
			bytes[at] = was;
		}
		if (getenv("QD_TEST_VERBOSE"))
			printf("%u damaged objects: %u were taken, %u of these ran\n", y.n, y.taken, y.ran);
		UNIT_CHECK(t, y.ran > 10, "%u ran", y.ran);
	}
	foreign_close(t, &r);
	free(bytes);
	if (kept)
		setenv("QD_EMU_STEPS", kept, 1);
	else
		unsetenv("QD_EMU_STEPS");
	free(kept);
}

static void
short_of_memory(struct unit_ctx *t)
{
	const uint32_t bytes[] = { 256, 512 };
	const struct qd_object_options o = { .shared = bytes, .n_shared = 2 };

	foreign_short_of_memory(t, "object", "local_sizes", &o);
}

const struct unit units_foreign_bad[] = {
	{ "foreign_bad.sentences", sentences },
	{ "foreign_bad.sections", sections },
	{ "foreign_bad.descriptors", descriptors },
	{ "foreign_bad.bundles", bundles },
	{ "foreign_bad.damaged", damaged },
	{ "foreign_bad.short_of_memory", short_of_memory },
};
const unsigned n_units_foreign_bad = QD_COUNT(units_foreign_bad);
