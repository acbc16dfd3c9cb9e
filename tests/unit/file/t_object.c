/* Readers of code objects and bundles. Checks their contents, and that damaged files are rejected
 * with an offset. */
#include <stdio.h>
#include <stdlib.h>

#include "bundle.h"
#include "descriptor.h"
#include "lines.h"
#include "occupancy.h"
#include "t_object.h"

static struct arena
make_arena(struct pool *pool)
{
	struct arena mem;

	pool_init(pool, &pool_malloc);
	arena_init(&mem, pool);
	return mem;
}

static bool
names_offset(const struct qd_error *e)
{
	return strncmp(e->text, "offset 0x", 9) == 0;
}

/* -- Code objects ------------------------------------------------------------------- */

/* Checks the contents of these files. */
static void
facts(struct unit_ctx *t)
{
	static const struct {
		const char *target, *kernel, *function[2];
		uint32_t version, n_functions;
		enum code_mode xnack, sramecc;
		uint64_t size[2], vgpr, sgpr, agpr, lds, kernarg, workgroup;
	} want[N_OBJECT_FIXTURES] = {
		{ "gfx1100", "add", { "add", "helper" }, 5, 2, CODE_MODE_NONE, CODE_MODE_NONE,
		  { 44, 16 }, 5, 8, 0, 1024, 24, 0 },
		{ "gfx90a:xnack+", "fill", { "fill", NULL }, 4, 1, CODE_MODE_ON, CODE_MODE_ANY,
		  { 20, 0 }, 72, 12, 64, 0, 8, 128 },
		{ "gfx906:sramecc+:xnack+", "old", { "old", NULL }, 2, 1, CODE_MODE_ON,
		  CODE_MODE_ON, { 16, 0 }, 0, 0, 0, 0, 0, 0 },
	};
	struct pool pool;
	struct arena mem = make_arena(&pool);

	for (size_t i = 0; i < N_OBJECT_FIXTURES; i++) {
		const struct object_fixture *f = &object_fixtures[i];
		struct code_object o;
		struct qd_error e = { 0 };
		char target[64];
		bool read = code_object_read(&mem, f->data, f->size, 0, &o, &e) == QD_OK;
		UNIT_CHECK(t, read, "%s: %s", f->name, e.text);
		if (!read)
			continue;
		code_object_target(&o, target);
		UNIT_CHECK(t, !strcmp(target, want[i].target), "%s: target %s", f->name, target);
		UNIT_CHECK(t, o.version == want[i].version, "%s: v%u", f->name, o.version);
		UNIT_CHECK(t, o.xnack == want[i].xnack && o.sramecc == want[i].sramecc,
			   "%s: xnack %d, sramecc %d", f->name, o.xnack, o.sramecc);
		UNIT_CHECK(t, o.n_kernels == 1 && o.n_functions == want[i].n_functions,
			   "%s: %u kernels, %u functions", f->name, o.n_kernels, o.n_functions);
		for (uint32_t n = 0; n < o.n_functions && n < 2; n++)
			UNIT_CHECK(t,
				   !strcmp(o.functions[n].name, want[i].function[n]) &&
					   o.functions[n].size == want[i].size[n],
				   "%s: function %s of %llu bytes", f->name, o.functions[n].name,
				   (unsigned long long)o.functions[n].size);
		if (!o.n_kernels)
			continue;
		const struct code_kernel *k = &o.kernels[0];
		const struct code_meta *m = &k->meta;
		UNIT_CHECK(t, !strcmp(k->name, want[i].kernel), "%s: kernel %s", f->name, k->name);
		UNIT_CHECK(t, k->function == 0 && o.functions[0].kernel == 0,
			   "%s: kernel and function are not joined", f->name);
		UNIT_CHECK(t,
			   m->n_vgpr == want[i].vgpr && m->n_sgpr == want[i].sgpr &&
				   m->n_agpr == want[i].agpr && m->group_size == want[i].lds &&
				   m->kernarg_size == want[i].kernarg &&
				   m->workgroup[0] == want[i].workgroup,
			   "%s: numbers of the metadata", f->name);
		UNIT_CHECK(t, (o.version == 2) == (o.metadata_text != NULL),
			   "%s: metadata as text", f->name);
	}
	arena_fini(&mem);
	pool_fini(&pool);
}

void
object_truncate(struct unit_ctx *t, const struct object_fixture *f)
{
	struct pool pool;
	struct arena mem = make_arena(&pool);

	for (size_t size = 0; size < f->size; size++) {
		/* A separate block, so that a sanitizer detects reads past the end. */
		uint8_t *copy = malloc(size ? size : 1);
		struct code_object o;
		struct qd_error e = { 0 };
		memcpy(copy, f->data, size);
		bool read = code_object_read(&mem, copy, size, 0, &o, &e) == QD_OK;
		UNIT_CHECK(t, !read && names_offset(&e), "%s cut to %zu bytes: %s", f->name, size,
			   read ? "read" : e.text);
		arena_reset(&mem);
		free(copy);
	}
	arena_fini(&mem);
	pool_fini(&pool);
}

void
object_flip(struct unit_ctx *t, const struct object_fixture *f, struct object_flips *n)
{
	struct pool pool;
	struct arena mem = make_arena(&pool);
	uint8_t *copy = malloc(f->size);
	uint64_t sum = 0;

	memcpy(copy, f->data, f->size);
	for (size_t bit = 0; bit < 8 * f->size; bit++) {
		struct code_object o;
		struct qd_error e = { 0 };
		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
		if (code_object_read(&mem, copy, f->size, 0, &o, &e) == QD_OK) {
			sum += object_walk(&o);
			n->n_read++;
		} else {
			UNIT_CHECK(t, names_offset(&e), "%s, bit %zu: %s", f->name, bit, e.text);
			n->n_refused++;
		}
		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
		arena_reset(&mem);
	}
	UNIT_CHECK(t, sum, "%s: nothing to walk over", f->name);
	free(copy);
	arena_fini(&mem);
	pool_fini(&pool);
}

/* Checks that truncated files are rejected. */
static void
truncated(struct unit_ctx *t)
{
	for (size_t i = 0; i < N_OBJECT_FIXTURES; i++)
		object_truncate(t, &object_fixtures[i]);
}

/* Checks that a flipped bit does not crash the reader, and that each rejection names an offset. */
static void
flipped(struct unit_ctx *t)
{
	struct object_flips n = { 0, 0 };

	for (size_t i = 0; i < N_OBJECT_FIXTURES; i++)
		object_flip(t, &object_fixtures[i], &n);
	UNIT_CHECK(t, n.n_read > 100 && n.n_refused > 100, "%u read, %u refused", n.n_read,
		   n.n_refused);
}

/* Checks the exact errors of invalid headers. */
static void
refused(struct unit_ctx *t)
{
	/* Offset in the gfx1100 file, new value of the byte, expected error. */
	static const struct {
		uint16_t at;
		uint8_t byte;
		const char *text;
	} rows[] = {
		{ 0, 0, "offset 0x0: not an ELF file" },
		{ 4, 1, "offset 0x4: ELF class 1; only 64-bit files are read" },
		{ 5, 2, "offset 0x5: data encoding 2; only little-endian is read" },
		{ 8, 9, "offset 0x8: code object ABI version 9; versions 0 to 4 (v2 to v6) are supported" },
		{ 18, 62, "offset 0x12: ELF machine 62; AMD's code objects have 224" },
		{ 46, 0xff, "offset 0x28: section header table at *" },
		{ 58, 65, "offset 0x3a: section headers of 65 bytes; the size must be 64" },
		{ 60, 200, "offset 0x3c: section header table (200 sections at *) extends past the end of the file" },
		{ 62, 99, "offset 0x3e: section 99 should contain the names, but there are *" },
	};
	struct pool pool;
	struct arena mem = make_arena(&pool);

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		const struct object_fixture *f = &object_fixtures[0];
		uint8_t *copy = malloc(f->size);
		struct code_object o;
		struct qd_error e = { 0 };
		memcpy(copy, f->data, f->size);
		copy[rows[i].at] = rows[i].byte;
		bool read = code_object_read(&mem, copy, f->size, 0, &o, &e) == QD_OK;
		/* The text after a * depends on the file. */
		const char *star = strchr(rows[i].text, '*');
		size_t len = star ? (size_t)(star - rows[i].text) : sizeof e.text;
		UNIT_CHECK(t, !read && !strncmp(e.text, rows[i].text, len), "byte %u: '%s'",
			   rows[i].at, read ? "read" : e.text);
		free(copy);
	}
	arena_fini(&mem);
	pool_fini(&pool);
}

/* -- Lines ---------------------------------------------------------------------------- */

/* Prints all ranges as "0:0+8 add.cl:3:1; ...", with sections numbered in order. */
static void
line_text(const struct line_table *l, char *out, size_t cap)
{
	uint32_t n_section = 0;
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < l->n && n < cap; i++) {
		const struct line_range *x = &l->ranges[i];
		n_section += i && x->section != l->ranges[i - 1].section;
		n += (size_t)snprintf(out + n, cap - n, "%s%u:%llu+%llu %s:%u:%u", i ? "; " : "",
				      n_section, (unsigned long long)x->from,
				      (unsigned long long)(x->to - x->from), x->file ? x->file : "-",
				      x->line, x->column);
	}
}

/* Checks each row's position, file and section. */
static void
lines(struct unit_ctx *t)
{
	static const char *const want[N_LINE_FIXTURES] = {
		"0:0+8 /src/add.cl:3:1; 0:8+12 /src/include/bits.h:12:9; 0:20+4 /src/add.cl:0:0; "
		"0:24+4 /src/add.cl:5:3; 1:0+4 /src/include/bits.h:900:1; "
		"1:4+4 /src/include/bits.h:7:2",
		"0:0+8 /src/add.cl:3:1; 0:8+12 include/bits.h:12:9; 0:20+4 /src/add.cl:0:0; "
		"0:24+4 /src/add.cl:5:3; 1:0+4 include/bits.h:900:1; 1:4+4 include/bits.h:7:2"
	};
	struct pool pool;
	struct arena mem = make_arena(&pool);

	for (size_t i = 0; i < N_LINE_FIXTURES; i++) {
		const struct object_fixture *f = &line_fixtures[i];
		struct code_object o;
		struct line_table l;
		struct qd_error e = { 0 };
		char text[600];
		bool read = !code_object_read(&mem, f->data, f->size, 0, &o, &e) &&
			    !lines_read(&mem, &o.elf, &l, &e);
		UNIT_CHECK(t, read, "%s: %s", f->name, e.text);
		if (!read)
			continue;
		line_text(&l, text, sizeof text);
		UNIT_CHECK(t, !strcmp(text, want[i]), "%s: %s", f->name, text);
		for (uint32_t k = 0; k < o.n_functions; k++) {
			const struct code_function *fn = &o.functions[k];
			const struct line_range *x = lines_find(&l, &o.elf, fn->section, fn->addr + 4);
			UNIT_CHECK(t, x && x->line == (k ? 7u : 3u), "%s: line %u of %s", f->name,
				   x ? x->line : 0, fn->name);
			UNIT_CHECK(t, !lines_find(&l, &o.elf, fn->section, fn->addr + fn->size),
				   "%s: a line after %s", f->name, fn->name);
		}
	}
	arena_fini(&mem);
	pool_fini(&pool);
}

/* Checks that a flipped bit does not crash the reader of lines, and that each rejection names an
 * offset. */
static void
lines_flipped(struct unit_ctx *t)
{
	struct pool pool;
	struct arena mem = make_arena(&pool);
	unsigned n_read = 0, n_refused = 0;

	for (size_t i = 0; i < N_LINE_FIXTURES; i++) {
		const struct object_fixture *f = &line_fixtures[i];
		uint8_t *copy = malloc(f->size);
		memcpy(copy, f->data, f->size);
		for (size_t bit = 0; bit < 8 * f->size; bit++) {
			struct elf_file elf;
			struct line_table l;
			struct qd_error e = { 0 };
			copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
			if (elf_read(&mem, copy, f->size, 0, &elf, &e) == QD_OK &&
			    lines_read(&mem, &elf, &l, &e) == QD_OK) {
				char text[4000];
				line_text(&l, text, sizeof text);
				n_read++;
			} else {
				UNIT_CHECK(t, names_offset(&e), "%s, bit %zu: %s", f->name, bit,
					   e.text);
				n_refused += strstr(e.text, ": line table: ") != NULL;
			}
			copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
			arena_reset(&mem);
		}
		free(copy);
	}
	UNIT_CHECK(t, n_read > 1000 && n_refused > 100, "%u read, %u refused", n_read, n_refused);
	arena_fini(&mem);
	pool_fini(&pool);
}

/* -- MessagePack ---------------------------------------------------------------------- */

/* Checks the decoded values, and that invalid bytes are rejected. */
static void
msgpack_values(struct unit_ctx *t)
{
	static const struct {
		uint8_t bytes[12];
		uint8_t size;
		int kind; /* -1: rejected at offset u */
		uint64_t u;
	} rows[] = {
		{ { 0x07 }, 1, MSGPACK_UINT, 7 },
		{ { 0xe0 }, 1, MSGPACK_INT, UINT64_MAX - 31 },
		{ { 0xff }, 1, MSGPACK_INT, UINT64_MAX },
		{ { 0xc0 }, 1, MSGPACK_NIL, 0 },
		{ { 0xc3 }, 1, MSGPACK_BOOL, 1 },
		{ { 0xcd, 0x12, 0x34 }, 3, MSGPACK_UINT, 0x1234 },
		{ { 0xcf, 1, 2, 3, 4, 5, 6, 7, 8 }, 9, MSGPACK_UINT, UINT64_C(0x102030405060708) },
		{ { 0xd1, 0xff, 0xfe }, 3, MSGPACK_INT, UINT64_MAX - 1 },
		{ { 0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0 }, 9, MSGPACK_INT, UINT64_C(1) << 63 },
		{ { 0xa2, 'h', 'i' }, 3, MSGPACK_STRING, 2 },
		{ { 0xd9, 1, 'x' }, 3, MSGPACK_STRING, 1 },
		{ { 0xd5, 9, 1, 2 }, 4, MSGPACK_BYTES, 2 },
		{ { 0xc7, 1, 9, 1 }, 4, MSGPACK_BYTES, 1 },
		{ { 0x92, 1, 0x91, 2 }, 4, MSGPACK_ARRAY, 2 },
		{ { 0x81, 1, 0x80 }, 3, MSGPACK_MAP, 1 },
		{ { 0xdc, 0, 1, 0xc0 }, 4, MSGPACK_ARRAY, 1 },
		{ { 0 }, 0, -1, 0 },
		{ { 0xc1 }, 1, -1, 0 },
		{ { 0xcd, 0x12 }, 2, -1, 0 },
		{ { 0xa2, 'h' }, 2, -1, 0 },
		{ { 0x92, 1 }, 2, -1, 0 },
		{ { 0x92, 1, 0x92, 1 }, 4, -1, 2 },
		{ { 0x07, 0x07 }, 2, -1, 1 },
		{ { 0xdd, 0xff, 0xff, 0xff, 0xff, 1 }, 6, -1, 0 },
		{ { 0xdf, 0x80, 0, 0, 0, 1 }, 6, -1, 0 },
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct msgpack m;
		struct msgpack_value v;
		struct qd_error e = { 0 };
		char at[32];
		bool good = msgpack_check(rows[i].bytes, rows[i].size, 0x100, &m, &e) == QD_OK;
		snprintf(at, sizeof at, "offset 0x%x:", 0x100 + (unsigned)rows[i].u);
		if (rows[i].kind < 0) {
			UNIT_CHECK(t, !good && !strncmp(e.text, at, strlen(at)), "row %zu: %s", i,
				   good ? "taken" : e.text);
			continue;
		}
		UNIT_CHECK(t, good, "row %zu: %s", i, e.text);
		if (!good)
			continue;
		msgpack_get(&m, 0, &v);
		UNIT_CHECK(t, (int)v.kind == rows[i].kind && (v.data ? v.size : v.u) == rows[i].u,
			   "row %zu: kind %d, %llu", i, v.kind, (unsigned long long)v.u);
		UNIT_CHECK(t, msgpack_skip(&m, 0) == m.size, "row %zu: not skipped whole", i);
	}
}

/* Checks the limit of nesting, which bounds the use of the stack. */
static void
msgpack_depth(struct unit_ctx *t)
{
	uint8_t nested[MSGPACK_MAX_DEPTH + 2];
	struct msgpack m;

	memset(nested, 0x91, sizeof nested);
	nested[MSGPACK_MAX_DEPTH] = 0xc0;
	UNIT_CHECK(t, msgpack_check(nested, MSGPACK_MAX_DEPTH + 1, 0, &m, NULL) == QD_OK,
		   "%d deep is refused", MSGPACK_MAX_DEPTH);
	nested[MSGPACK_MAX_DEPTH] = 0x91;
	nested[MSGPACK_MAX_DEPTH + 1] = 0xc0;
	UNIT_CHECK(t, msgpack_check(nested, MSGPACK_MAX_DEPTH + 2, 0, &m, NULL) != QD_OK,
		   "%d deep is taken", MSGPACK_MAX_DEPTH + 1);
}

/* Checks the written bytes against the specification's table of formats. */
static void
msgpack_written(struct unit_ctx *t)
{
	enum { UINT, BOOL, STRING, ARRAY, MAP };
	static const struct {
		uint8_t what;
		uint64_t v; /* for a string, its length */
		uint8_t bytes[9];
		uint8_t size; /* for a string, without its text */
	} rows[] = {
		{ UINT, 0, { 0x00 }, 1 },
		{ UINT, 127, { 0x7f }, 1 },
		{ UINT, 128, { 0xcc, 0x80 }, 2 },
		{ UINT, 255, { 0xcc, 0xff }, 2 },
		{ UINT, 256, { 0xcd, 0x01, 0x00 }, 3 },
		{ UINT, 65535, { 0xcd, 0xff, 0xff }, 3 },
		{ UINT, 65536, { 0xce, 0x00, 0x01, 0x00, 0x00 }, 5 },
		{ UINT, UINT32_MAX, { 0xce, 0xff, 0xff, 0xff, 0xff }, 5 },
		{ UINT, UINT64_C(1) << 32, { 0xcf, 0, 0, 0, 1, 0, 0, 0, 0 }, 9 },
		{ UINT, UINT64_C(0x0102030405060708), { 0xcf, 1, 2, 3, 4, 5, 6, 7, 8 }, 9 },
		{ UINT, UINT64_MAX, { 0xcf, 255, 255, 255, 255, 255, 255, 255, 255 }, 9 },
		{ BOOL, 0, { 0xc2 }, 1 },
		{ BOOL, 1, { 0xc3 }, 1 },
		{ STRING, 0, { 0xa0 }, 1 },
		{ STRING, 31, { 0xbf }, 1 },
		{ STRING, 32, { 0xd9, 0x20 }, 2 },
		{ STRING, 255, { 0xd9, 0xff }, 2 },
		{ STRING, 256, { 0xda, 0x01, 0x00 }, 3 },
		{ STRING, 65535, { 0xda, 0xff, 0xff }, 3 },
		{ STRING, 65536, { 0xdb, 0x00, 0x01, 0x00, 0x00 }, 5 },
		{ ARRAY, 0, { 0x90 }, 1 },
		{ ARRAY, 15, { 0x9f }, 1 },
		{ ARRAY, 16, { 0xdc, 0x00, 0x10 }, 3 },
		{ ARRAY, 65535, { 0xdc, 0xff, 0xff }, 3 },
		{ ARRAY, 65536, { 0xdd, 0x00, 0x01, 0x00, 0x00 }, 5 },
		{ MAP, 0, { 0x80 }, 1 },
		{ MAP, 15, { 0x8f }, 1 },
		{ MAP, 16, { 0xde, 0x00, 0x10 }, 3 },
		{ MAP, 65535, { 0xde, 0xff, 0xff }, 3 },
		{ MAP, UINT32_MAX, { 0xdf, 0xff, 0xff, 0xff, 0xff }, 5 },
	};
	static char text[65536 + 2];
	struct pool pool;
	struct buf out;

	pool_init(&pool, &pool_malloc);
	buf_init(&out, &pool);
	memset(text, 'x', sizeof text - 1);
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		uint64_t v = rows[i].v;
		size_t size = rows[i].size;
		out.len = 0;
		switch (rows[i].what) {
		case UINT: msgpack_put_uint(&out, v); break;
		case BOOL: msgpack_put_bool(&out, v != 0); break;
		case STRING:
			/* Half of the string is from each argument. */
			text[v / 2] = 0;
			msgpack_put_string(&out, text, text + sizeof text - 1 - (v - v / 2));
			text[v / 2] = 'x';
			size += (size_t)v;
			break;
		case ARRAY: msgpack_put_array(&out, (uint32_t)v); break;
		default: msgpack_put_map(&out, (uint32_t)v); break;
		}
		UNIT_CHECK(t, out.len == size && !memcmp(buf_data(&out), rows[i].bytes, rows[i].size),
			   "row %zu: %zu bytes, the first is 0x%02x", i, out.len,
			   out.len ? (unsigned)(uint8_t)buf_data(&out)[0] : 0);
	}
	buf_fini(&out);
	pool_fini(&pool);
}

/* Writes numbers of each width and strings of each length class, and checks that the reader returns
 * them. */
static void
msgpack_read_back(struct unit_ctx *t)
{
	enum { N = 2000 };
	static char text[70000];
	struct pool pool;
	struct buf out;
	struct msgpack m;
	struct msgpack_value v;
	struct qd_error e = { 0 };
	uint64_t seed = 1;
	uint64_t want[N];

	pool_init(&pool, &pool_malloc);
	buf_init(&out, &pool);
	memset(text, 'y', sizeof text - 1);
	msgpack_put_map(&out, N);
	for (unsigned i = 0; i < N; i++) {
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		want[i] = seed >> (seed >> 33) % 64;
		size_t len = i % 100 ? (size_t)want[i] % 300 : (size_t)want[i] % (sizeof text - 1);
		msgpack_put_string(&out, text + sizeof text - 1 - len, "");
		if (i % 7 == 0) {
			msgpack_put_array(&out, 2);
			msgpack_put_bool(&out, i % 2);
		}
		msgpack_put_uint(&out, want[i]);
		want[i] = want[i] ^ (uint64_t)len << 40; /* compare both */
	}
	bool good = !out.nomem && msgpack_check(buf_data(&out), out.len, 0, &m, &e) == QD_OK;
	UNIT_CHECK(t, good, "%s", e.text);
	size_t at = good ? msgpack_get(&m, 0, &v) : 0;
	for (unsigned i = 0; good && i < N; i++) {
		at = msgpack_get(&m, at, &v);
		good = v.kind == MSGPACK_STRING;
		size_t len = v.size;
		at = msgpack_get(&m, at, &v);
		if (i % 7 == 0) {
			good = good && v.kind == MSGPACK_ARRAY && v.u == 2;
			at = msgpack_get(&m, at, &v);
			good = good && v.kind == MSGPACK_BOOL && v.u == i % 2;
			at = msgpack_get(&m, at, &v);
		}
		good = good && v.kind == MSGPACK_UINT && (v.u ^ (uint64_t)len << 40) == want[i];
		UNIT_CHECK(t, good, "pair %u: kind %d, %llu, after a text of %zu bytes", i, v.kind,
			   (unsigned long long)v.u, len);
	}
	buf_fini(&out);
	pool_fini(&pool);
}

/* -- Bundles ---------------------------------------------------------------------------- */

static const char *const bundle_targets[1 + N_OBJECT_FIXTURES] = { "", "gfx1100", "gfx90a:xnack+",
								    "gfx906" };

static void
check_entries(struct unit_ctx *t, const struct bundle *b, uint32_t first)
{
	for (uint32_t i = 0; i <= N_OBJECT_FIXTURES; i++) {
		const struct bundle_entry *e = &b->entries[first + i];
		UNIT_CHECK(t, !strcmp(e->target, bundle_targets[i]), "entry %u is for '%s'", i,
			   e->target);
		if (i)
			UNIT_CHECK(t,
				   e->size == object_fixtures[i - 1].size &&
					   !memcmp(e->data, object_fixtures[i - 1].data, e->size),
				   "entry %u has other bytes", i);
	}
}

/* Checks each form of a bundle. */
static void
bundles(struct unit_ctx *t)
{
	static uint8_t bytes[2 * OBJECT_BUNDLE_MAX];
	struct pool pool;
	struct arena mem = make_arena(&pool);
	struct bundle b;
	struct qd_error e = { 0 };

	for (enum bundle_form form = BUNDLE_PLAIN; form < BUNDLE_N_FORM; form++) {
		size_t size = object_bundle(form, bytes, sizeof bytes);
		qd_status st = bundle_read(&mem, bytes, size, 0, &b, &e);
		if (form == BUNDLE_ZLIB) {
			UNIT_CHECK(t, st && strstr(e.text, "zlib") && names_offset(&e), "zlib: %s",
				   e.text);
			continue;
		}
		if (form != BUNDLE_PLAIN && st == QD_E_UNAVAILABLE) {
			UNIT_CHECK(t, strstr(e.text, "libzstd"), "%s", e.text);
			continue;
		}
		UNIT_CHECK(t, size && st == QD_OK, "form %d: %s", form, e.text);
		if (st == QD_OK && b.n_entries == 1 + N_OBJECT_FIXTURES)
			check_entries(t, &b, 0);
		else
			UNIT_CHECK(t, false, "form %d: %u entries", form, b.n_entries);
		/* The same bundle twice, with zeros in between. */
		size_t second = (size + 4095) & ~(size_t)4095;
		memset(bytes + size, 0, second - size);
		memcpy(bytes + second, bytes, size);
		st = bundle_read(&mem, bytes, second + size, 0, &b, &e);
		UNIT_CHECK(t, st == QD_OK && b.n_entries == 2 * (1 + N_OBJECT_FIXTURES),
			   "form %d, twice: %s", form, st ? e.text : "too few entries");
		if (st == QD_OK && b.n_entries == 2 * (1 + N_OBJECT_FIXTURES))
			check_entries(t, &b, 1 + N_OBJECT_FIXTURES);
	}
	arena_fini(&mem);
	pool_fini(&pool);
}

/* Checks that a damaged bundle does not crash the reader, and that each rejection names an
 * offset. */
static void
bundle_damage(struct unit_ctx *t)
{
	static uint8_t bytes[OBJECT_BUNDLE_MAX];
	struct pool pool;
	struct arena mem = make_arena(&pool);
	struct bundle b;

	for (enum bundle_form form = BUNDLE_PLAIN; form < BUNDLE_ZLIB; form++) {
		size_t size = object_bundle(form, bytes, sizeof bytes);
		for (size_t cut = 0; cut < size; cut++) {
			uint8_t *copy = malloc(cut ? cut : 1);
			struct qd_error e = { 0 };
			memcpy(copy, bytes, cut);
			qd_status st = bundle_read(&mem, copy, cut, 0, &b, &e);
			UNIT_CHECK(t, cut == 0 ? st == QD_OK : st && names_offset(&e),
				   "form %d cut to %zu: %s", form, cut, st ? e.text : "read");
			arena_reset(&mem);
			free(copy);
		}
		/* The header, which contains all numbers. */
		for (size_t bit = 0; bit < 8 * 400; bit++) {
			struct qd_error e = { 0 };
			bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
			if (bundle_read(&mem, bytes, size, 0, &b, &e))
				UNIT_CHECK(t, names_offset(&e), "form %d, bit %zu: %s", form, bit,
					   e.text);
			bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
			arena_reset(&mem);
		}
	}
	arena_fini(&mem);
	pool_fini(&pool);
}

/* -- Descriptors -------------------------------------------------------------------------- */

/* Checks the position, scale and targets of each field. */
static void
descriptor_fields(struct unit_ctx *t)
{
	/* One byte has these bits, all others are 0. A value of -1 means that the target lacks the
	 * field. */
	static const struct {
		const char *target;
		uint8_t version, byte, bits;
		const char *name;
		int value;
	} rows[] = {
		{ "gfx90a", 4, 44, 0x01, "accum_offset", 8 },
		{ "gfx908", 4, 44, 0x01, "accum_offset", -1 },
		{ "gfx942", 5, 46, 0x01, "tg_split", 1 },
		{ "gfx1100", 5, 44, 0x20, "inst_pref_size", 2 },
		{ "gfx1200", 5, 45, 0x0f, "inst_pref_size", 0xf0 },
		{ "gfx1030", 5, 44, 0x20, "inst_pref_size", -1 },
		{ "gfx906", 4, 48, 0x02, "next_free_vgpr", 12 },
		{ "gfx90a", 4, 48, 0x02, "next_free_vgpr", 24 },
		{ "gfx1100", 5, 48, 0x02, "next_free_vgpr", 24 },
		{ "gfx906", 4, 48, 0xc0, "next_free_sgpr", 32 },
		{ "gfx1100", 5, 50, 0x20, "dx10_clamp", 1 },
		{ "gfx1200", 5, 50, 0x20, "dx10_clamp", -1 },
		{ "gfx1200", 5, 50, 0x20, "round_robin_scheduling", 1 },
		{ "gfx906", 4, 52, 0x3e, "user_sgpr_count", 31 },
		{ "gfx906", 4, 53, 0x18, "system_vgpr_workitem_id", 3 },
		{ "gfx942", 5, 52, 0x01, "enable_private_segment", 1 },
		{ "gfx90a", 5, 52, 0x01, "system_sgpr_private_segment_wavefront_offset", 1 },
		{ "gfx906", 5, 57, 0x04, "wavefront_size32", -1 },
		{ "gfx1100", 5, 57, 0x08, "uses_dynamic_stack", 1 },
		{ "gfx90a", 5, 58, 0x05, "user_sgpr_kernarg_preload_length", 5 },
		{ "gfx90a", 5, 59, 0x01, "user_sgpr_kernarg_preload_offset", 2 },
		{ "gfx906", 2, 103, 6, "wavefront_size", 6 },
		{ "gfx906", 2, 86, 9, "workitem_vgpr_count", 9 },
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		uint8_t d[AMD_DESCRIPTOR_V2_SIZE] = { 0 };
		struct gcn_descriptor_field field;
		const struct gcn_target *target = gcn_target_find(rows[i].target, 0);
		d[rows[i].byte] = rows[i].bits;
		bool found = gcn_descriptor_find(target, rows[i].version, d, rows[i].name, &field);
		int value = found ? (int)field.value : -1;
		UNIT_CHECK(t, value == rows[i].value, "%s on %s: %d, not %d", rows[i].name,
			   rows[i].target, value, rows[i].value);
	}
	uint8_t d[AMD_DESCRIPTOR_SIZE] = { 0 };
	const struct gcn_target *rdna = gcn_target_find("gfx1100", 0);
	UNIT_CHECK(t, gcn_descriptor_wave(rdna, d) == 64, "no bit 10 is wave64");
	d[57] = 4;
	UNIT_CHECK(t, gcn_descriptor_wave(rdna, d) == 32, "bit 10 is wave32");
	UNIT_CHECK(t, gcn_descriptor_wave(gcn_target_find("gfx906", 0), d) == 64,
		   "gfx9 has wave64 only");
	d[45] = 0x10; /* bit 12 of COMPUTE_PGM_RSRC3 */
	UNIT_CHECK(t, gcn_descriptor_unknown(rdna, 5, d, 44) == 0x1000, "bit 12 is a field's");
}

/* Compares occupancy with the figures of clang 22. */
static void
occupancy(struct unit_ctx *t)
{
	static const struct {
		const char *target;
		unsigned wave;
		struct gcn_usage u;
		unsigned waves;
		const char *limit;
	} rows[] = {
		{ "gfx906", 64, { 24, 40, 0, 256, false }, 10, "" },
		{ "gfx906", 64, { 25, 40, 0, 256, false }, 9, "VGPRs" },
		{ "gfx906", 64, { 24, 101, 0, 256, false }, 7, "SGPRs" },
		{ "gfx906", 64, { 256, 40, 0, 256, false }, 1, "VGPRs" },
		{ "gfx90a", 64, { 72, 40, 0, 256, false }, 7, "VGPRs" },
		{ "gfx90a", 64, { 512, 40, 0, 256, false }, 1, "VGPRs" },
		{ "gfx1010", 32, { 48, 40, 0, 256, true }, 20, "" },
		{ "gfx1030", 32, { 65, 40, 0, 256, true }, 12, "VGPRs" },
		{ "gfx1100", 32, { 96, 40, 0, 256, true }, 16, "" },
		{ "gfx1100", 32, { 97, 40, 0, 256, true }, 12, "VGPRs" },
		{ "gfx1100", 64, { 97, 40, 0, 256, true }, 7, "VGPRs" },
		{ "gfx1102", 32, { 97, 40, 0, 256, true }, 9, "VGPRs" },
		{ "gfx906", 64, { 24, 40, 32768, 256, false }, 2, "LDS" },
		{ "gfx950", 64, { 24, 40, 81920, 256, false }, 2, "LDS" },
		{ "gfx1100", 32, { 24, 40, 65536, 256, true }, 4, "LDS" },
		{ "gfx1100", 32, { 24, 40, 65536, 256, false }, 4, "LDS" },
		{ "gfx1100", 32, { 24, 40, 200000, 256, true }, 0, "LDS" },
		{ "gfx1100", 32, { UINT64_MAX, 40, 0, UINT64_MAX, true }, 0, "VGPRs" },
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct gcn_occupancy o = gcn_occupancy(gcn_target_find(rows[i].target, rows[i].wave),
						       &rows[i].u);
		UNIT_CHECK(t, o.waves == rows[i].waves && !strcmp(o.limit, rows[i].limit),
			   "row %zu, %s: %u waves by '%s', not %u by '%s'", i, rows[i].target,
			   o.waves, o.limit, rows[i].waves, rows[i].limit);
	}
	for (size_t i = 0; gcn_target_at(i); i++) {
		struct gcn_usage u = { .n_vgpr = 1 };
		UNIT_CHECK(t, gcn_occupancy(gcn_target_at(i), &u).waves >= 8,
			   "%s has no waves in amd_abi.def", gcn_target_at(i)->name);
	}
}

/* Places work-groups on a compute unit one by one, wave by wave, until one does not fit. Returns
 * their number. */
static unsigned
place_groups(const struct gcn_target *t, const struct gcn_usage *u, unsigned waves, unsigned simds)
{
	unsigned group_waves = ((unsigned)u->workgroup + t->wave - 1) / t->wave;
	unsigned slots[4] = { waves, waves, waves, waves }, n = 0, waiting = 0;
	bool pair = u->wgp_mode && t->gen >= GCN_G10;
	uint64_t lds = (uint64_t)t->lds_size * (pair ? 2 : 1);

	for (;; n++) {
		uint64_t wants = (u->lds + t->lds_granule - 1) / t->lds_granule * t->lds_granule;
		unsigned left = group_waves;
		for (unsigned i = 0; left && i < 4 * waves; i++) {
			unsigned s = i % simds;
			if (slots[s]) {
				slots[s]--;
				left--;
			}
		}
		if (left || wants > lds || (group_waves > 1 && waiting == (pair ? 32 : 16)))
			return n;
		lds -= wants;
		waiting += group_waves > 1;
	}
}

/* Compares the number of work-groups that fit with place_groups. */
static void
groups(struct unit_ctx *t)
{
	static const unsigned blocks[] = { 1, 31, 32, 33, 64, 65, 96, 192, 256, 320, 512, 1000, 1024 };
	struct unit_rng rng = { 11 };
	unsigned by_lds = 0, by_registers = 0, by_barriers = 0, fractions = 0;

	for (size_t i = 0; gcn_target_at(i); i++) {
		for (unsigned k = 0; k < 400; k++) {
			const struct gcn_target *target = gcn_target_at(i);
			struct gcn_usage u = { .n_vgpr = unit_random(&rng) % 257,
					       .n_sgpr = unit_random(&rng) % 107,
					       .wgp_mode = k >> 1 & 1,
					       .workgroup = blocks[unit_random(&rng) % QD_COUNT(blocks)] };
			struct gcn_usage one;
			if (k % 3 == 0)
				u.lds = 1 + unit_random(&rng) % 65536;
			if (k % 4 == 0)
				u.n_vgpr = 1;
			if ((k & 1) && target->other_wave)
				target = gcn_target_find(target->name, target->other_wave);
			one = u;
			one.workgroup = one.lds = 0;
			struct gcn_groups g = gcn_groups(target, &u);
			unsigned want = place_groups(target, &u, gcn_occupancy(target, &one).waves, g.simds);
			unsigned each = ((unsigned)u.workgroup + target->wave - 1) / target->wave;
			UNIT_CHECK(t,
				   g.groups == want && g.waves == want * each &&
					   g.simds == (target->gen >= GCN_G10 && !u.wgp_mode ? 2u
											     : 4u),
				   "%s w%u: %u work-groups of %u lanes, %u VGPRs, %u LDS, not %u",
				   target->name, target->wave, g.groups, (unsigned)u.workgroup,
				   (unsigned)u.n_vgpr, (unsigned)u.lds, want);
			/* The occupancy of the kernel is an upper bound. */
			UNIT_CHECK(t, (g.waves + g.simds - 1) / g.simds <= gcn_occupancy(target, &u).waves,
				   "%s: %u waves on %u SIMDs", target->name, g.waves, g.simds);
			by_lds += !strcmp(g.limit, "LDS");
			by_registers += !strcmp(g.limit, "VGPRs");
			by_barriers += !strcmp(g.limit, "work-groups");
			fractions += g.waves % g.simds != 0;
		}
	}
	UNIT_CHECK(t, by_lds > 100 && by_registers > 100 && by_barriers > 20 && fractions > 100,
		   "%u bounded by LDS, %u by VGPRs, %u by barriers; %u uneven", by_lds,
		   by_registers, by_barriers, fractions);
}

const struct unit units_object[] = {
	{ "object.facts", facts },
	{ "object.truncated", truncated },
	{ "object.flipped", flipped },
	{ "object.refused", refused },
	{ "object.lines", lines },
	{ "object.lines_flipped", lines_flipped },
	{ "msgpack.values", msgpack_values },
	{ "msgpack.depth", msgpack_depth },
	{ "msgpack.written", msgpack_written },
	{ "msgpack.read_back", msgpack_read_back },
	{ "bundle.forms", bundles },
	{ "bundle.damage", bundle_damage },
	{ "descriptor.fields", descriptor_fields },
	{ "occupancy", occupancy },
	{ "occupancy.groups", groups },
};
const unsigned n_units_object = sizeof units_object / sizeof units_object[0];
