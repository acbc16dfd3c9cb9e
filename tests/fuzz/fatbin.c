/* Fuzz target: bytes as a fatbin: a file if they begin like ELF, else a linked index followed by
 * its groups. Each input is read unchanged, and with correct checksums, as an attacker could write
 * it. Every public query is called on a fatbin that opens; nothing is launched. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fatbin_kit.h"
#include "text.h"

/* Limits of a run: the first MAX_ENTRIES entries become images, the first MAX_FUNCTIONS functions. */
enum { MAX_SIZE = 1 << 16, MAX_ENTRIES = 64, MAX_FUNCTIONS = 8, N_DEVICE = 3 };

/* -- Checksums --------------------------------------------------------------------------- */

/* Corrects the checksums of the raw groups and of the index, if all of it is within the bytes.
 * Returns false if it cannot be read as linked. */
static bool
seal(uint8_t *index, size_t size, bool linked)
{
	struct fatbin_header h;

	memcpy(&h, index, sizeof h);
	uint64_t need = h.header_size + (uint64_t)h.n_rows * h.row_size + (uint64_t)h.n_groups * h.group_size +
			h.strings_size + (uint64_t)h.n_groups * sizeof(int64_t);
	if (need > size || h.total_size != need || h.header_size < sizeof h || h.row_size < sizeof(struct fatbin_row) ||
	    h.group_size < sizeof(struct fatbin_group))
		return false;
	for (uint32_t i = 0; linked && i < h.n_groups; i++) {
		uint8_t *at = index + h.header_size + (size_t)h.n_rows * h.row_size + (size_t)i * h.group_size;
		size_t word = (size_t)need - (h.n_groups - i) * sizeof(int64_t);
		struct fatbin_group g;
		int64_t distance;
		memcpy(&g, at, sizeof g);
		memcpy(&distance, index + word, sizeof distance);
		/* In a real program the linker computed these distances. */
		if (distance < -(int64_t)word || distance > (int64_t)(size - word) ||
		    g.stored > size - (size_t)((int64_t)word + distance))
			return false;
		if (g.codec == FATBIN_RAW && g.stored == g.raw) {
			struct hash128 hash = hash_bytes(index + word + distance, (size_t)g.stored);
			memcpy(at + offsetof(struct fatbin_group, hash), &hash, sizeof hash);
		}
	}
	size_t from = offsetof(struct fatbin_header, major), to = (size_t)need - h.n_groups * sizeof(int64_t);
	struct hash128 hash = hash_bytes(index + from, to - from);
	memcpy(index + offsetof(struct fatbin_header, hash), &hash, sizeof hash);
	return true;
}

/* Corrects the checksums of every index in a file. */
static void
seal_file(uint8_t *bytes, size_t size)
{
	for (size_t at = 0; at + sizeof(struct fatbin_header) <= size; at++) {
		if (bytes[at] == 'Q' && memcmp(bytes + at, FATBIN_MAGIC, 8) == 0)
			seal(bytes + at, size - at, false);
	}
}

/* -- Public queries -------------------------------------------------------------------------- */

static void
open_devices(struct kit *k, struct qd_device **dev)
{
	static const char *const names[N_DEVICE] = { "ref:8", "emu:sm_90", "emu:gfx1100" };

	for (int d = 0; d < N_DEVICE; d++) {
		if (qd_device_open(k->ctx, names[d], &dev[d], &k->err))
			kit_broken(names[d], k->err.text);
	}
}

/* Sink for every byte of the data, so that sanitizers see the reads. */
static volatile uint64_t all_read;

static void
ask_image(struct kit *k, struct qd_fatbin *f, uint32_t i)
{
	struct qd_image *img = NULL;
	size_t size = 0, saved = 0;

	kit_begin(k, "image");
	if (!kit_end(k, qd_fatbin_image(f, i, &img, &k->err)))
		return;
	const void *code = qd_image_data(img, &size);
	all_read += hash_bytes(code, size).lo;
	kit_begin(k, "save");
	kit_end(k, qd_image_save(img, NULL, 0, &saved, &k->err));
	qd_image_free(img);
}

static void
ask_entry(struct kit *k, struct qd_fatbin *f, struct qd_device *const *dev, uint32_t i)
{
	struct qd_fatbin_entry e;
	struct qd_kernel *kernel = NULL;
	struct qd_function *fn = NULL;
	struct qd_tmpl tmpl[MAX_TMPL];
	char names[FATBIN_NAMES];
	uint32_t n;

	kit_begin(k, "entry");
	if (!kit_end(k, qd_fatbin_entry(f, i, &e, &k->err)))
		kit_broken("an entry that is counted is not reported", k->err.text);
	if (strlen(e.kernel) + strlen(e.values) + strlen(e.target) + strlen(e.kind) > MAX_SIZE)
		kit_broken("a long name", "");
	ask_image(k, f, i);
	kit_begin(k, "kernel");
	if (kit_end(k, qd_fatbin_kernel(f, i, &kernel, &k->err)))
		kit_check_print(k, kernel);
	qd_kernel_free(kernel);
	if (i >= MAX_FUNCTIONS || fatbin_values(e.values, tmpl, &n, names, QD_IGNORE_ERROR))
		return;
	for (int d = 0; d < N_DEVICE; d++) {
		kit_begin(k, "function");
		if (kit_end(k, qd_fatbin_function(dev[d], f, e.kernel, tmpl, n, &fn, &k->err)))
			qd_function_free(fn);
	}
}

static bool
says_where(const struct qd_error *e)
{
	return e->code == QD_E_VERSION || strstr(e->text, "offset 0x") ||
	       (e->code == QD_E_NOT_FOUND && strstr(e->text, "no section qd_fatbin"));
}

static void
read_bytes(struct kit *k, const uint8_t *data, size_t size)
{
	struct qd_device *dev[N_DEVICE];
	struct qd_fatbin *f = NULL;

	kit_begin(k, "open");
	if (!kit_end(k, qd_fatbin_open(k->ctx, data, size, "fuzz", &f, &k->err))) {
		if (!says_where(&k->err) || kit_injected("text"))
			kit_broken("refused without a position", k->err.text);
		return;
	}
	open_devices(k, dev);
	for (uint32_t i = 0; i < qd_fatbin_count(f) && i < MAX_ENTRIES; i++)
		ask_entry(k, f, dev, i);
	for (int d = 0; d < N_DEVICE; d++)
		qd_device_close(dev[d]);
	qd_fatbin_free(f);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kit k;
	/* An exact-size copy, so that a sanitizer detects an overrun. */
	uint8_t *copy = malloc(size ? size : 1);
	bool file = size >= 4 && memcmp(data, "\177ELF", 4) == 0;

	if (!copy || (!file && size < sizeof(struct fatbin_header))) {
		free(copy);
		return 0;
	}
	memcpy(copy, data, size);
	kit_open(&k);
	if (file) {
		read_bytes(&k, data, size);
		seal_file(copy, size);
		read_bytes(&k, copy, size);
	} else if (seal(copy, size, true)) {
		/* A linked index is trusted to have the size that it states. */
		memcpy(copy, data, size);
		read_bytes(&k, copy, QD_LINKED);
		seal(copy, size, true);
		read_bytes(&k, copy, QD_LINKED);
	}
	free(copy);
	kit_close(&k);
	return 0;
}

/* -- Seeds --------------------------------------------------------------------------------------- */

/* Seeds: objects and linked indexes, raw and compressed, of one kernel and of all kernels; and a
 * program like a linker's, with the object's sections at their addresses. */
enum { N_FORM = 3, N_SEED = 2 * 2 * N_FORM };

/* Changes the object's type and section addresses to those of a program, which its distances are
 * relative to. */
static void
place(uint8_t *object, size_t size)
{
	uint64_t table, offset, length;
	uint16_t n;

	memcpy(&table, object + 40, sizeof table);
	memcpy(&n, object + 60, sizeof n);
	object[16] = 3; /* a shared object */
	if (table > size || n > (size - table) / 64)
		return;
	uint8_t *sections = object + table;
	for (uint16_t i = 1; i < n; i++) /* address = offset in the file */
		memcpy(sections + 64 * i + 16, sections + 64 * i + 24, sizeof offset);
	memcpy(&offset, sections + 64 + 24, sizeof offset);
	memcpy(&length, sections + 64 + 32, sizeof length);
	uint8_t *index = object + offset;
	struct fatbin_header h;
	memcpy(&h, index, sizeof h);
	for (uint32_t i = 0; i < h.n_groups && i + 2u < n; i++) {
		uint64_t word = h.total_size - (h.n_groups - i) * sizeof(int64_t), group;
		memcpy(&group, sections + 64 * (i + 2) + 24, sizeof group);
		uint64_t distance = group - (offset + word);
		if (word + 8 <= length)
			memcpy(index + word, &distance, sizeof distance);
	}
}

size_t
fuzz_seed(size_t i, uint8_t *out, size_t cap)
{
	static struct unit_ctx t;
	static uint8_t *seeds[N_SEED];
	static size_t sizes[N_SEED];

	if (i >= N_SEED)
		return 0;
	if (!seeds[i]) {
		struct fatbin_options o = { .stem = "seed", .codec = i % 2 ? fatbin_auto : FATBIN_RAW };
		size_t form = i / 4;
		struct fat_kit k;
		if (!fat_open(&t, &k, i / 2 % 2 == 0))
			kit_broken("seeds", t.text);
		seeds[i] = form ? fat_object(&t, &k, &o, &sizes[i]) : NULL;
		if (seeds[i] && form == 2)
			place(seeds[i], sizes[i]);
		if (!seeds[i]) /* without libelf, all seeds are linked ones */
			seeds[i] = fat_linked(&t, &k, &o, &sizes[i]);
		if (!seeds[i])
			kit_broken("seeds", t.text);
		fat_close(&t, &k);
	}
	size_t size = sizes[i] < cap ? sizes[i] : cap;
	memcpy(out, seeds[i], size);
	return size;
}
