/* Fatbins are written and read back in each of their forms. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fatbin_kit.h"

/* Codecs; the last is available only with zstd. */
static const enum fatbin_codec codecs[] = { FATBIN_RAW, FATBIN_ZSTD };

static uint32_t
n_codecs(void)
{
	return fatbin_auto == FATBIN_ZSTD ? 2 : 1;
}

/* Checks that the fatbin contains exactly the kit's items. */
static void
check_all(struct unit_ctx *t, struct fat_kit *k, const void *data, size_t size, const char *what)
{
	struct qd_fatbin *f = NULL;
	struct fat_seen seen = { 0 };

	if (qd_fatbin_open(k->rig.ctx, data, size, what, &f, &k->rig.e) == QD_OK)
		seen = fat_compare(t, k, f, what);
	else
		seen.e = k->rig.e;
	UNIT_CHECK(t, f && qd_fatbin_count(f) == k->n && seen.n_same == k->n && !seen.n_refused,
		   "%s: %u entries, %u as they were: %s", what, qd_fatbin_count(f), seen.n_same, seen.e.text);
	qd_fatbin_free(f);
}

/* Checks that the entries are unchanged in each form. */
static void
forms(struct unit_ctx *t)
{
	struct fat_kit k;

	if (!fat_open(t, &k, false))
		return;
	for (uint32_t i = 0; i < n_codecs(); i++) {
		struct fatbin_options o = { .stem = "kit", .codec = codecs[i] };
		size_t size = 0;
		uint8_t *linked = fat_linked(t, &k, &o, &size);
		if (linked)
			check_all(t, &k, linked, QD_LINKED, "linked");
		free(linked);
		uint8_t *object = fat_object(t, &k, &o, &size);
		if (object)
			check_all(t, &k, object, size, "object");
		/* Unaligned bytes, as from a file mapped at some offset. */
		uint8_t *odd = object ? malloc(size + 1) : NULL;
		if (odd)
			check_all(t, &k, memcpy(odd + 1, object, size), size, "object at an odd address");
		free(odd);
		free(object);
	}
	fat_close(t, &k);
}

/* -- Files ---------------------------------------------------------------------------------- */

static bool
write_file(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "wb");
	bool good = f && fwrite(data, 1, size, f) == size;

	return f && !fclose(f) && good;
}

static void
check_file(struct unit_ctx *t, struct fat_kit *k, const char *path, uint32_t n_parts)
{
	struct qd_fatbin *f = NULL;
	struct fat_seen seen = { 0 };

	if (qd_fatbin_open_file(k->rig.ctx, path, &f, &seen.e) == QD_OK)
		seen = fat_compare(t, k, f, path);
	UNIT_CHECK(t, f && qd_fatbin_count(f) == n_parts * k->n && seen.n_same == n_parts * k->n,
		   "%s: %u entries, %u as they were: %s", path, qd_fatbin_count(f), seen.n_same,
		   seen.e.text);
	qd_fatbin_free(f);
}

/* Checks that linked files have the entries of the objects: a relocatable link of two, shared
 * libraries, and programs. */
static void
linkers(struct unit_ctx *t)
{
	static const struct {
		const char *command, *file;
		uint32_t n_parts;
	} rows[] = {
		{ "cc -r -nostdlib -o %s/two.o %s/a.o %s/b.o", "two.o", 2 },
		{ "cc -shared -nostdlib -o %s/one.so %s/a.o", "one.so", 1 },
		{ "cc -shared -nostdlib -Wl,--gc-sections -o %s/gc.so %s/a.o %s/b.o", "gc.so", 2 },
		{ "cc -shared -nostdlib -Wl,-s -o %s/strip.so %s/two.o", "strip.so", 2 },
	};
	char dir[] = "/tmp/qd-fatbin-XXXXXX", command[512], path[64];
	struct fat_kit k;

	if (system("command -v cc >/dev/null 2>&1") != 0) {
		unit_skip(t, "no cc to link with");
		return;
	}
	if (!mkdtemp(dir) || !fat_open(t, &k, false))
		return;
	for (int i = 0; i < 2 && !t->skipped; i++) {
		struct fatbin_options o = { .stem = i ? "b" : "a", .codec = i ? FATBIN_RAW : fatbin_auto };
		size_t size = 0;
		uint8_t *object = fat_object(t, &k, &o, &size);
		snprintf(path, sizeof path, "%s/%s.o", dir, o.stem);
		UNIT_CHECK(t, t->skipped || (object && write_file(path, object, size)), "%s", path);
		if (object)
			check_file(t, &k, path, 1);
		free(object);
	}
	for (size_t i = 0; i < QD_COUNT(rows) && !t->skipped; i++) {
		snprintf(command, sizeof command, rows[i].command, dir, dir, dir);
		snprintf(path, sizeof path, "%s/%s", dir, rows[i].file);
		UNIT_CHECK(t, system(command) == 0, "%s", command);
		check_file(t, &k, path, rows[i].n_parts);
	}
	snprintf(command, sizeof command, "rm -rf %s", dir);
	UNIT_CHECK(t, system(command) == 0, "%s", command);
	fat_close(t, &k);
}

/* Checks the errors for missing files and other kinds of files. */
static void
no_files(struct unit_ctx *t)
{
	static const struct {
		const char *path;
		qd_status st;
		const char *text;
	} rows[] = {
		{ "/nowhere/k.o", QD_E_NOT_FOUND, "cannot open '/nowhere/k.o': No such file or directory" },
		{ "/", QD_E_INVALID, "'/' is not a regular file" },
		{ "/dev/null", QD_E_INVALID, "'/dev/null' is not a regular file" },
	};
	struct qd_fatbin *f;
	struct unit_rig r;

	if (!unit_rig_open(t, &r))
		return;
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		qd_status st = qd_fatbin_open_file(r.ctx, rows[i].path, &f, &r.e);
		UNIT_CHECK(t, st == rows[i].st && !strcmp(r.e.text, rows[i].text), "%s", r.e.text);
	}
	/* The test program is an ELF file without a fatbin. */
	qd_status st = qd_fatbin_open_file(r.ctx, "/proc/self/exe", &f, &r.e);
	UNIT_CHECK(t, st == QD_E_NOT_FOUND &&
			   !strcmp(r.e.text, "/proc/self/exe: the file has no fatbin: no section qd_fatbin"),
		   "%s", r.e.text);
	unit_rig_close(t, &r);
}

/* -- Writing ----------------------------------------------------------------------------------- */

static void
shuffle(struct fat_kit *k, struct unit_rng *rng)
{
	for (uint32_t i = k->n; i > 1; i--) {
		uint32_t j = (uint32_t)(unit_random(rng) % i);
		struct fatbin_item x = k->item[j];
		k->item[j] = k->item[i - 1];
		k->item[i - 1] = x;
	}
}

/* Checks that neither the order of the items nor a duplicate changes the output. */
static void
order(struct unit_ctx *t)
{
	enum { TIMES = 12 };
	struct unit_rng rng = { 1 };
	struct fatbin_item kept[FAT_MAX];
	struct fat_kit k;

	if (!fat_open(t, &k, false))
		return;
	memcpy(kept, k.item, sizeof kept);
	uint32_t n = k.n;
	for (uint32_t i = 0; i < n_codecs() * TIMES; i++) {
		struct fatbin_options o = { .stem = "kit", .codec = codecs[i / TIMES], .group_size = 4096 };
		size_t size = 0, again = 0;
		uint8_t *a = fat_linked(t, &k, &o, &size);
		if (i % 2)
			k.item[k.n++] = kept[unit_random(&rng) % n];
		shuffle(&k, &rng);
		uint8_t *b = fat_linked(t, &k, &o, &again);
		UNIT_CHECK(t, a && b && size == again && !memcmp(a, b, size), "%zu and %zu bytes", size, again);
		memcpy(k.item, kept, sizeof kept);
		k.n = n;
		free(a);
		free(b);
	}
	fat_close(t, &k);
}

/* Checks that two different images for the same kernel, values and target are rejected, and two
 * equal ones accepted. */
static void
twice(struct unit_ctx *t)
{
	struct fatbin_options o = { .stem = "kit", .codec = FATBIN_RAW };
	struct isa_meta meta;
	struct fat_kit k;

	if (!fat_open(t, &k, false))
		return;
	uint32_t n = k.n;
	for (uint32_t i = 0; i < n; i++) {
		struct fatbin_item *one = &k.item[i], *other = &k.item[n];
		struct fatbin_made m = { 0 };
		char want[200], *code = malloc(one->code_size);
		snprintf(want, sizeof want, "kernel '%s'%s%s%s for %s has two images that differ", one->kernel,
			 *one->variant ? " (" : "", one->variant, *one->variant ? ")" : "", one->target);
		for (int how = 0; how < 5 && code; how++) {
			struct arena mem;
			memcpy(code, one->code, one->code_size);
			code[one->code_size / 2] ^= how == 1;
			meta = *one->meta;
			meta.registers += how == 2;
			*other = *one;
			other->code = code;
			other->code_size -= how == 3;
			other->flags += how == 4;
			other->meta = &meta;
			k.n = n + 1;
			arena_init(&mem, &k.rig.ctx->pool);
			buf_init(&m.index, mem.pool);
			buf_init(&m.groups, mem.pool);
			qd_status st = fatbin_make(&m, &mem, k.item, k.n, &o, &k.rig.e);
			UNIT_CHECK(t, how ? st == QD_E_INVALID && !strcmp(k.rig.e.text, want) :
					    st == QD_OK && m.sum.n_rows == n,
				   "%d: %s", how, st ? k.rig.e.text : "taken");
			k.n = n;
			buf_fini(&m.index);
			buf_fini(&m.groups);
			arena_fini(&mem);
		}
		free(code);
	}
	fat_close(t, &k);
}

/* -- Groups --------------------------------------------------------------------------------------- */

static bool
same_image(const struct fatbin_item *a, const struct fatbin_item *b)
{
	return !memcmp(a->meta, b->meta, sizeof *a->meta) && a->layout->size == b->layout->size &&
	       !memcmp(a->layout, b->layout, a->layout->size) &&
	       a->code_size == b->code_size && !memcmp(a->code, b->code, a->code_size);
}

/* Returns an upper bound of the largest entry's size. */
static size_t
largest(const struct fat_kit *k)
{
	size_t most = 0;

	for (uint32_t i = 0; i < k->n; i++) {
		size_t size = sizeof(struct fatbin_entry) + k->item[i].layout->size +
			      k->item[i].code_size + 2 * FATBIN_GROUP_ALIGN;
		most = size > most ? size : most;
	}
	return most;
}

/* Checks that equal images are stored once, and that groups have the requested size. */
static void
groups(struct unit_ctx *t)
{
	static const uint32_t sizes[] = { 0, 1, 1000, 4096, 1 << 20 };
	struct fat_kit k;
	uint32_t n_images = 0;

	if (!fat_open(t, &k, false))
		return;
	for (uint32_t i = 0; i < k.n; i++) {
		uint32_t j = 0;
		while (j < i && !same_image(&k.item[i], &k.item[j]))
			j++;
		n_images += j == i;
	}
	UNIT_CHECK(t, n_images < k.n, "no image of %u belongs to another entry", k.n);
	for (uint32_t i = 0; i < n_codecs() * QD_COUNT(sizes); i++) {
		struct fatbin_options o = { .codec = codecs[i / QD_COUNT(sizes)],
					    .group_size = sizes[i % QD_COUNT(sizes)] };
		struct fatbin_made m = { 0 };
		struct fatbin_group g;
		struct arena mem;
		arena_init(&mem, &k.rig.ctx->pool);
		buf_init(&m.index, mem.pool);
		buf_init(&m.groups, mem.pool);
		UNIT_CHECK(t, !fatbin_make(&m, &mem, k.item, k.n, &o, &k.rig.e), "%s", k.rig.e.text);
		UNIT_CHECK(t, m.sum.n_rows == k.n && m.sum.n_images == n_images && m.sum.n_groups == m.n_groups,
			   "%u rows, %u images, %u groups", m.sum.n_rows, m.sum.n_images, m.sum.n_groups);
		/* Each image has a group, or each kernel and kind of code. */
		bool alone = o.codec == FATBIN_RAW || o.group_size == 1;
		bool all = !alone && (!o.group_size || o.group_size > 4096);
		UNIT_CHECK(t, alone ? m.n_groups == n_images :
			      all   ? m.n_groups == 2 * 4 :
				      m.n_groups > 8 && m.n_groups < n_images,
			   "codec %d, %u bytes: %u groups of %u images", o.codec, o.group_size, m.n_groups,
			   n_images);
		uint64_t raw = 0, stored = 0;
		const char *at = buf_data(&m.index) + sizeof(struct fatbin_header) + k.n * sizeof(struct fatbin_row);
		for (uint32_t j = 0; j < m.n_groups; j++, at += sizeof g) {
			memcpy(&g, at, sizeof g);
			raw += g.raw;
			stored += g.stored;
			UNIT_CHECK(t, alone || !o.group_size || g.raw < o.group_size + largest(&k),
				   "a group of %llu bytes", (unsigned long long)g.raw);
		}
		UNIT_CHECK(t, raw == m.sum.raw && stored == m.sum.stored && (o.codec ? stored < raw : stored == raw),
			   "%llu bytes, %llu stored", (unsigned long long)raw, (unsigned long long)stored);
		buf_fini(&m.index);
		buf_fini(&m.groups);
		arena_fini(&mem);
	}
	fat_close(t, &k);
}

/* -- Other versions ---------------------------------------------------------------------------- */

/* Returns the linked fatbin with its header, rows and groups enlarged by these sizes. */
static uint8_t *
grow(uint8_t *from, uint16_t header, uint16_t row, uint16_t group)
{
	struct fatbin_header h;
	memcpy(&h, from, sizeof h);
	struct fatbin_header to = h;

	to.minor = 7;
	to.header_size = (uint16_t)(h.header_size + header);
	to.row_size = (uint16_t)(h.row_size + row);
	to.group_size = (uint16_t)(h.group_size + group);
	to.total_size += header + (uint64_t)h.n_rows * row + (uint64_t)h.n_groups * group;
	uint8_t *bytes = malloc((size_t)to.total_size), *at = bytes;
	if (!bytes)
		return NULL;
	memset(bytes, 0xee, (size_t)to.total_size);
	memcpy(at, &to, sizeof to);
	at += to.header_size;
	for (uint32_t i = 0; i < h.n_rows; i++, at += to.row_size)
		memcpy(at, fat_row(from, i), h.row_size);
	for (uint32_t i = 0; i < h.n_groups; i++, at += to.group_size)
		memcpy(at, fat_group(from, i), h.group_size);
	memcpy(at, fat_group(from, h.n_groups), h.strings_size);
	at += h.strings_size;
	for (uint32_t i = 0; i < h.n_groups; i++, at += sizeof(int64_t)) {
		int64_t distance = (int64_t)((uintptr_t)fat_stored(from, i) - (uintptr_t)at);
		memcpy(at, &distance, sizeof distance);
	}
	fat_seal(bytes);
	return bytes;
}

/* Checks that a later minor version, which only appends fields, is read. */
static void
later(struct unit_ctx *t)
{
	static const uint16_t by[][3] = { { 0, 0, 0 }, { 16, 0, 0 }, { 0, 16, 0 }, { 0, 0, 8 }, { 48, 32, 24 } };
	struct fatbin_options o = { .codec = fatbin_auto };
	struct fat_kit k;

	if (!fat_open(t, &k, false))
		return;
	size_t size;
	uint8_t *bytes = fat_linked(t, &k, &o, &size);
	for (size_t i = 0; bytes && i < QD_COUNT(by); i++) {
		struct qd_fatbin *f = NULL;
		struct qd_error e = { 0 };
		uint8_t *grown = grow(bytes, by[i][0], by[i][1], by[i][2]);
		bool open = grown && !qd_fatbin_open(k.rig.ctx, grown, QD_LINKED, NULL, &f, &e);
		struct fat_seen seen = { 0 };
		if (open)
			seen = fat_compare(t, &k, f, "a later version");
		UNIT_CHECK(t, open && seen.n_same == k.n, "row %zu: %u entries: %s", i, seen.n_same,
			   open ? seen.e.text : e.text);
		qd_fatbin_free(f);
		free(grown);
	}
	free(bytes);
	fat_close(t, &k);
}

/* -- Rejections of the writer ------------------------------------------------------------------------ */

/* Writes n different images uncompressed, so each is a section. */
static qd_status
write_many(struct fat_kit *k, uint32_t n, struct buf *out)
{
	struct fatbin_options o = { .stem = "many", .codec = FATBIN_RAW };
	struct fatbin_item *items = calloc(n, sizeof *items);
	uint32_t *code = calloc(n, sizeof *code);
	char(*names)[12] = calloc(n, sizeof *names);
	qd_status st = QD_E_NOMEM;

	for (uint32_t i = 0; items && code && names && i < n; i++) {
		code[i] = i;
		snprintf(names[i], sizeof names[i], "k%u", i);
		items[i] = k->item[0];
		items[i].kernel = names[i];
		items[i].code = &code[i];
		items[i].code_size = sizeof *code;
	}
	if (items && code && names)
		st = fatbin_write(out, items, n, &o, NULL, &k->rig.e);
	free(items);
	free(code);
	free(names);
	return st;
}

/* Checks that an image is rejected if its compression ratio exceeds what readers accept. */
static void
packed(struct unit_ctx *t, struct fat_kit *k, struct buf *out)
{
	enum { SIZE = 40 << 20 };
	struct fatbin_options o = { .stem = "kit", .codec = FATBIN_ZSTD };
	struct fatbin_item item = k->item[0];
	char *code = calloc(1, SIZE);

	if (fatbin_auto != FATBIN_ZSTD || !code) {
		free(code);
		return;
	}
	item.code = code;
	item.code_size = SIZE;
	qd_status st = fatbin_write(out, &item, 1, &o, NULL, &k->rig.e);
	UNIT_CHECK(t, st == QD_E_LIMIT && strstr(k->rig.e.text, "a fatbin of 83886464 bytes") && strstr(k->rig.e.text, " unpacked, ") &&
			   strstr(k->rig.e.text, " stored; readers accept 672") &&
			   strstr(k->rig.e.text, " (64 times the stored size plus 64 MiB): disable compression, or write several fatbins"),
		   "%s", st ? k->rig.e.text : "written");
	free(code);
}

/* Checks the error messages, and that a rejection keeps the buffer's contents. */
static void
refused(struct unit_ctx *t)
{
	struct fatbin_options o = { .stem = "kit", .codec = FATBIN_RAW };
	struct fat_kit k;
	struct buf out;

	if (!fat_open(t, &k, true))
		return;
	buf_init(&out, &k.rig.ctx->pool);
	buf_put(&out, "before", 6);
	qd_status st = fatbin_write(&out, k.item, 0, &o, NULL, &k.rig.e);
	if (st != QD_E_UNAVAILABLE) {
		UNIT_CHECK(t, st == QD_E_INVALID && !strcmp(k.rig.e.text, "a fatbin needs at least one image"),
			   "%s", k.rig.e.text);
		o.machine = 3;
		st = fatbin_write(&out, k.item, k.n, &o, NULL, &k.rig.e);
		UNIT_CHECK(t, st == QD_E_INVALID && !strcmp(k.rig.e.text, "fatbins for machine 3 are not written"),
			   "%s", k.rig.e.text);
		o.machine = 183; /* AArch64 */
		st = fatbin_write(&out, k.item, k.n, &o, NULL, &k.rig.e);
		UNIT_CHECK(t, st == QD_OK && out.len > 6, "%s", k.rig.e.text);
		if (st == QD_OK)
			check_all(t, &k, buf_data(&out) + 6, out.len - 6, "for AArch64");
		out.len = 6;
		k.item[0].code_size = (64 << 20) + 1;
		st = fatbin_write(&out, k.item, k.n, &o, NULL, &k.rig.e);
		UNIT_CHECK(t, st == QD_E_LIMIT && !strcmp(k.rig.e.text,
							 "kernel 'twice' for ptx:sm_70: an image of 67108865 bytes; the limit is 67108864"),
			   "%s", k.rig.e.text);
		char *name = malloc(FATBIN_MAX_TEXT + 2);
		memset(name, 'x', FATBIN_MAX_TEXT + 1);
		name[FATBIN_MAX_TEXT + 1] = '\0';
		k.item[0].code_size = 4;
		k.item[0].variant = name;
		st = fatbin_write(&out, k.item, k.n, &o, NULL, &k.rig.e);
		UNIT_CHECK(t, st == QD_E_LIMIT && !strcmp(k.rig.e.text, "kernel 'twice' for ptx:sm_70: the name has more than 8191 bytes"),
			   "%s", k.rig.e.text);
		k.item[0].variant = "";
		free(name);
		packed(t, &k, &out);
		st = write_many(&k, 65272, &out);
		UNIT_CHECK(t, st == QD_E_LIMIT && !strcmp(k.rig.e.text,
							 "a fatbin of 65272 sections; the limit is 65271: compress it, or write several"),
			   "%s", st ? k.rig.e.text : "written");
		UNIT_CHECK(t, out.len == 6 && !memcmp(buf_data(&out), "before", 6), "%zu bytes", out.len);
	} else {
		unit_skip(t, k.rig.e.text);
	}
	buf_fini(&out);
	fat_close(t, &k);
}

const struct unit units_fatbin[] = {
	{ "fatbin.forms", forms },   { "fatbin.linkers", linkers }, { "fatbin.no_files", no_files },
	{ "fatbin.order", order },   { "fatbin.twice", twice },	    { "fatbin.groups", groups },
	{ "fatbin.refused", refused }, { "fatbin.later", later },
};
const unsigned n_units_fatbin = QD_COUNT(units_fatbin);
