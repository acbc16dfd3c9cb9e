/* Device code files of other tools: CUDA fatbins, LLVM offload binaries, packed images. Checks
 * their contents, and that damaged files are rejected with an offset. */
#include <stdio.h>
#include <stdlib.h>

#include "device_fixture.h"
#include "nvfatbin.h"
#include "offload.h"
#include "unit.h"

#ifdef QD_HAVE_ZSTD
enum { HAVE_ZSTD = 1 };
#else
enum { HAVE_ZSTD = 0 };
#endif

struct file {
	const char *name;
	const uint8_t *data;
	size_t size;
	bool offload;
};
static const struct file files[] = {
	{ "LZ4", device_nvfatbin_lz4, sizeof device_nvfatbin_lz4, false },
	{ "zstd", device_nvfatbin_zstd, sizeof device_nvfatbin_zstd, false },
	{ "offload", device_offload, sizeof device_offload, true },
};

/* Reads the whole file. Counts its images and sums their bytes. */
static qd_status
read_all(struct arena *mem, const struct file *f, const uint8_t *data, size_t size, uint32_t *n, uint64_t *sum,
	 struct qd_error *e)
{
	struct nvfatbin fat;
	struct offload off;

	*n = 0;
	if (f->offload) {
		QD_TRY(offload_read(mem, data, size, 0, &off, e));
		*n = off.n_images;
		for (uint32_t i = 0; i < off.n_images; i++) {
			*sum += strlen(off.images[i].triple) + strlen(off.images[i].arch);
			for (size_t k = 0; k < off.images[i].size; k++)
				*sum += off.images[i].data[k];
		}
		return QD_OK;
	}
	QD_TRY(nvfatbin_read(mem, data, size, 0, &fat, e));
	*n = fat.n_entries;
	for (uint32_t i = 0; i < fat.n_entries; i++) {
		const uint8_t *bytes;
		QD_TRY(nvfatbin_unpack(mem, &fat.entries[i], &bytes, e));
		for (size_t k = 0; k < fat.entries[i].size; k++)
			*sum += bytes[k];
	}
	return QD_OK;
}

/* Checks the contents of these files. */
static void
facts(struct unit_ctx *t)
{
	struct pool pool;
	struct arena mem;
	struct nvfatbin fat;
	struct offload off;
	struct qd_error e = { 0 };
	const uint8_t *text[2] = { NULL };

	pool_init(&pool, &pool_malloc);
	arena_init(&mem, &pool);
	for (int i = 0; i < 2; i++) {
		bool read = nvfatbin_read(&mem, files[i].data, files[i].size, 0, &fat, &e) == QD_OK;
		UNIT_CHECK(t, read && fat.n_entries == 1, "%s: %s", files[i].name, e.text);
		if (!read || fat.n_entries != 1)
			continue;
		const struct nvfatbin_entry *x = &fat.entries[0];
		UNIT_CHECK(t, x->kind == NVFATBIN_PTX && x->sm == 80 && x->major == 7 && x->minor == 0 && x->size == 310 &&
			   x->pack == (i ? PACK_ZSTD : PACK_LZ4) && x->offset == 0x60,
			   "%s: kind %u, sm_%u, PTX %u.%u, %llu bytes", files[i].name, x->kind, x->sm, x->major, x->minor,
			   (unsigned long long)x->size);
		qd_status st = nvfatbin_unpack(&mem, x, &text[i], &e);
		if (i && !HAVE_ZSTD) {
			UNIT_CHECK(t, st == QD_E_UNAVAILABLE, "without libzstd: %s", e.text);
			continue;
		}
		UNIT_CHECK(t, st == QD_OK && memcmp(text[i], ".version 7.0\n", 13) == 0, "%s: %s", files[i].name, e.text);
		UNIT_CHECK(t, i == 0 || (text[0] && memcmp(text[0], text[1], 310) == 0), "the two texts differ");
	}
	UNIT_CHECK(t, offload_read(&mem, device_offload, sizeof device_offload, 0x1000, &off, &e) == QD_OK && off.n_images == 2,
		   "offload: %s", e.text);
	if (off.n_images == 2) {
		const struct offload_image *x = off.images;
		UNIT_CHECK(t, strcmp(x[0].arch, "sm_80") == 0 && strcmp(x[1].arch, "sm_90") == 0 &&
			   strcmp(x[0].triple, "nvptx64-nvidia-cuda") == 0, "offload: %s of %s", x[0].arch, x[0].triple);
		UNIT_CHECK(t, strcmp(offload_producer_name(x[0].producer), "CUDA") == 0 &&
			   strcmp(offload_producer_name(x[1].producer), "OpenMP") == 0, "offload: producers");
		UNIT_CHECK(t, x[0].offset == 0x1000u + (size_t)(x[0].data - device_offload) && x[1].size == sizeof device_nvfatbin_lz4 &&
			   memcmp(x[1].data, device_nvfatbin_lz4, x[1].size) == 0, "offload: images");
	}
	arena_fini(&mem);
	pool_fini(&pool);
}

/* Checks that adjacent fatbins, with zeros in between, are read as one. */
static void
several(struct unit_ctx *t)
{
	enum { N = sizeof device_nvfatbin_lz4 };
	uint8_t *two = calloc(1, 2 * N + 8);
	struct pool pool;
	struct arena mem;
	struct nvfatbin fat;
	struct qd_error e = { 0 };

	pool_init(&pool, &pool_malloc);
	arena_init(&mem, &pool);
	memcpy(two, device_nvfatbin_lz4, N);
	memcpy(two + N + 8, device_nvfatbin_lz4, N);
	UNIT_CHECK(t, nvfatbin_read(&mem, two, 2 * N + 8, 0, &fat, &e) == QD_OK && fat.n_entries == 2 &&
		   fat.entries[1].offset == N + 8 + 0x60, "two fatbins: %u entries, %s", fat.n_entries, e.text);
	two[N] = 1;
	UNIT_CHECK(t, nvfatbin_read(&mem, two, 2 * N + 8, 0x100, &fat, &e) == QD_E_INVALID &&
		   strcmp(e.text, "offset 0x250: neither a fatbin nor padding") == 0, "%s", e.text);
	free(two);
	arena_fini(&mem);
	pool_fini(&pool);
}

static bool
says_where(const struct qd_error *e)
{
	return strncmp(e->text, "offset 0x", 9) == 0;
}

/* Truncates each file at every length and flips each bit. A truncated file must be rejected; a
 * flipped bit must not cause a crash. */
static void
damage(struct unit_ctx *t)
{
	struct pool pool;
	struct arena mem;
	uint64_t sum = 0;

	pool_init(&pool, &pool_malloc);
	arena_init(&mem, &pool);
	for (size_t i = 0; i < QD_COUNT(files); i++) {
		const struct file *f = &files[i];
		unsigned n_read = 0, n_refused = 0;
		uint32_t n, all;
		struct qd_error e = { 0 };
		read_all(&mem, f, f->data, f->size, &all, &sum, &e);
		for (size_t size = 1; size < f->size; size++) {
			/* A separate block, so that a sanitizer detects reads past the end. */
			uint8_t *copy = malloc(size);
			memcpy(copy, f->data, size);
			qd_status st = read_all(&mem, f, copy, size, &n, &sum, &e);
			/* The file has several binaries, so the first may be complete. */
			UNIT_CHECK(t, st == QD_OK ? n < all : says_where(&e), "%s cut to %zu bytes: %s", f->name, size,
				   st == QD_OK ? "read" : e.text);
			arena_reset(&mem);
			free(copy);
		}
		uint8_t *copy = malloc(f->size);
		memcpy(copy, f->data, f->size);
		for (size_t bit = 0; bit < 8 * f->size; bit++) {
			copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
			bool good = read_all(&mem, f, copy, f->size, &n, &sum, &e) == QD_OK;
			UNIT_CHECK(t, good || says_where(&e), "%s, bit %zu: %s", f->name, bit, e.text);
			n_read += good;
			n_refused += !good;
			copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
			arena_reset(&mem);
		}
		free(copy);
		UNIT_CHECK(t, n_refused > 100 && (n_read > 100 || !HAVE_ZSTD), "%s: %u read, %u refused", f->name, n_read, n_refused);
	}
	UNIT_CHECK(t, sum, "nothing was checked");
	arena_fini(&mem);
	pool_fini(&pool);
}

/* Checks LZ4 blocks: correct ones, and one for each error. */
static void
lz4(struct unit_ctx *t)
{
	static const struct {
		const char *what, *bytes;
		size_t size;
		const char *text, *error;
	} rows[] = {
		{ "literals", "\x30""abc", 4, "abc", NULL },
		{ "a match", "\x31""abc\x03\x00\x20""yz", 9, "abcabcabyz", NULL },
		{ "a match over itself", "\x14""a\x01\x00\x10""b", 6, "aaaaaaaaab", NULL },
		{ "long literals", "\xf0\x02""abcdefghijklmnopq", 19, "abcdefghijklmnopq", NULL },
		{ "a long match", "\x1f""a\x01\x00\x00\x10""b", 7, "aaaaaaaaaaaaaaaaaaaab", NULL },
		{ "literals cut off", "\x40""abc", 4, "abcd", "offset 0x11: an LZ4 block has literals that extend past its end" },
		{ "a length cut off", "\xf0\xff", 2, "abc", "offset 0x12: an LZ4 block has literals that extend past its end" },
		{ "half of a match", "\x11""a\x01", 3, "aaaaaa", "offset 0x12: an LZ4 block ends within a match" },
		{ "an empty match", "\x11""a\x00\x00", 4, "aaaaaa", "offset 0x12: an LZ4 block has a match before its beginning" },
		{ "a match too far back", "\x11""a\x02\x00", 4, "aaaaaa", "offset 0x12: an LZ4 block has a match before its beginning" },
		{ "the length of a match cut off", "\x1f""a\x01\x00", 4, "aaaaaa", "offset 0x14: an LZ4 block ends within a length" },
		{ "too many literals", "\x30""abc", 4, "ab", "offset 0x11: an LZ4 block unpacks to more bytes than stated" },
		{ "too long a match", "\x15""a\x01\x00", 4, "aaaa", "offset 0x14: an LZ4 block unpacks to more bytes than stated" },
		{ "too little", "\x30""abc", 4, "abcd", "offset 0x14: an LZ4 block unpacks to fewer bytes than stated" },
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		size_t size = strlen(rows[i].text);
		uint8_t *in = malloc(rows[i].size), *out = malloc(size);
		struct qd_error e = { 0 };
		memcpy(in, rows[i].bytes, rows[i].size);
		qd_status st = unpack(PACK_LZ4, in, rows[i].size, 0x10, out, size, &e);
		if (rows[i].error)
			UNIT_CHECK(t, st == QD_E_INVALID && strcmp(e.text, rows[i].error) == 0, "%s: %s", rows[i].what, e.text);
		else
			UNIT_CHECK(t, st == QD_OK && memcmp(out, rows[i].text, size) == 0, "%s: %s", rows[i].what, e.text);
		free(in);
		free(out);
	}
	UNIT_CHECK(t, !unpack_fits(PACK_LZ4, NULL, 10, 256 * 11) && unpack_fits(PACK_LZ4, NULL, 10, 2550) &&
		   !unpack_fits(PACK_NONE, NULL, 10, UINT64_C(1) << 31), "sizes that no packer reaches");
}

const struct unit units_device[] = {
	{ "device.facts", facts },
	{ "device.several", several },
	{ "device.damage", damage },
	{ "device.lz4", lz4 },
};
const unsigned n_units_device = sizeof units_device / sizeof units_device[0];
