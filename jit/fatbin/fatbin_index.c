/* Creates a fatbin's index and groups. The bytes do not depend on the order of the images. Rows
 * are sorted by the hash of kernel and variant, for lookups. Similar images share a group, so that
 * a device's images of a kernel are unpacked together. */
#include "fatbin.h"
#include "unpack.h"

#include <stdlib.h>

#ifdef QD_HAVE_ZSTD
#include <zstd.h>
#endif

enum { USUAL_LEVEL = 9, USUAL_GROUP = 128 << 10, MAX_IMAGE = 64 << 20 };

#ifdef QD_HAVE_ZSTD
const enum fatbin_codec fatbin_auto = FATBIN_ZSTD;
#else
const enum fatbin_codec fatbin_auto = FATBIN_RAW;
#endif

uint64_t
fatbin_hash(const char *kernel, const char *variant)
{
	struct hash128 a = hash_bytes(kernel, strlen(kernel) + 1);
	struct hash128 b = hash_bytes(variant, strlen(variant) + 1);
	uint64_t both[2] = { a.lo, b.lo };

	return hash_bytes(both, sizeof both).lo;
}

/* -- Order ------------------------------------------------------------------------------ */

struct slot {
	const struct fatbin_item *item;
	uint64_t name_hash;
	uint32_t image; /* index in images */
};

struct image {
	struct hash128 hash;
	size_t at, size; /* in all */
	size_t offset;	 /* in its group */
	uint32_t group;
};

struct making {
	struct fatbin_made *m;
	const struct fatbin_options *o;
	struct arena *mem;
	struct slot *slots;
	uint32_t n;
	struct image *images;
	uint32_t n_images, *table; /* hash table of index + 1 */
	struct fatbin_group *groups;
	struct buf all;		/* raw bytes of all groups */
	struct buf strings;
	uint32_t *names;	/* hash table of offset in strings + 1 */
	uint32_t table_size, names_size; /* powers of two */
};

static int
compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int
by_row(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;
	int c = compare(x->name_hash, y->name_hash);

	c = c ? c : strcmp(x->item->kernel, y->item->kernel);
	c = c ? c : strcmp(x->item->variant, y->item->variant);
	c = c ? c : compare(x->item->kind, y->item->kind);
	return c ? c : strcmp(x->item->target, y->item->target);
}

static int
by_group(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;
	int c = strcmp(x->item->kernel, y->item->kernel);

	c = c ? c : compare(x->item->kind, y->item->kind);
	c = c ? c : strcmp(x->item->target, y->item->target);
	return c ? c : strcmp(x->item->variant, y->item->variant);
}

/* -- Images ------------------------------------------------------------------------------ */

static uint32_t
aligned(uint64_t v)
{
	return (uint32_t)((v + FATBIN_GROUP_ALIGN - 1) & ~(uint64_t)(FATBIN_GROUP_ALIGN - 1));
}

/* Appends the entry. Its parts, and the next entry, begin at multiples of 16. */
static void
put_entry(struct buf *b, const struct fatbin_item *i)
{
	uint32_t layout_at = sizeof(struct fatbin_entry);
	uint32_t code_at = aligned(layout_at + i->layout->size);
	uint32_t size = code_at + (uint32_t)i->code_size;
	struct fatbin_entry e = { .layout_at = layout_at,
				  .layout_size = i->layout->size,
				  .code_at = code_at,
				  .code_size = (uint32_t)i->code_size,
				  .meta = *i->meta };
	char *at = buf_extend(b, aligned(size));

	if (!at)
		return;
	memset(at, 0, aligned(size));
	memcpy(at, &e, sizeof e);
	memcpy(at + layout_at, i->layout, i->layout->size);
	if (i->code_size)
		memcpy(at + code_at, i->code, i->code_size);
}

/* Returns the image with the bytes of k->all from `start`. If it exists, removes these bytes;
 * otherwise adds a new image. */
static struct image *
find_image(struct making *k, size_t start)
{
	const char *all = buf_data(&k->all);
	size_t size = k->all.len - start;
	struct hash128 h = hash_bytes(all + start, size);
	uint32_t at = (uint32_t)h.lo & (k->table_size - 1);

	for (; k->table[at]; at = (at + 1) & (k->table_size - 1)) {
		struct image *i = &k->images[k->table[at] - 1];
		if (i->hash.lo == h.lo && i->hash.hi == h.hi && i->size == size &&
		    memcmp(all + i->at, all + start, size) == 0) {
			k->all.len = start;
			return i;
		}
	}
	struct image *i = &k->images[k->n_images++];
	k->table[at] = k->n_images;
	*i = (struct image){ .hash = h, .at = start, .size = size };
	return i;
}

/* -- Groups ------------------------------------------------------------------------------- */

#ifdef QD_HAVE_ZSTD
static qd_status
pack(struct making *k, const char *raw, size_t size, struct buf *out, bool *packed,
     struct qd_error *err)
{
	size_t start = out->len, most = ZSTD_compressBound(size);
	char *to = buf_extend(out, most);

	*packed = false;
	if (!to)
		return QD_OK; /* the caller checks the buffer */
	size_t n = ZSTD_compress(to, most, raw, size, k->o->level ? k->o->level : USUAL_LEVEL);
	if (ZSTD_isError(n))
		return qd_fail(err, unpack_zstd_status(n, QD_E_INTERNAL), "a fatbin: zstd: %s", ZSTD_getErrorName(n));
	*packed = n < size;
	out->len = start + (*packed ? n : 0);
	return QD_OK;
}
#else
static qd_status
pack(struct making *k, const char *raw, size_t size, struct buf *out, bool *packed,
     struct qd_error *err)
{
	(void)k, (void)raw, (void)size, (void)out, (void)packed;
	return qd_fail(err, QD_E_UNAVAILABLE,
		       "this qd was built without zstd, which compresses fatbins; build it with "
		       "-Dzstd=enabled, or disable compression");
}
#endif

/* Creates a group from bytes `start` to `end` of k->all. */
static qd_status
end_group(struct making *k, size_t start, size_t end, struct qd_error *err)
{
	static const char zeros[FATBIN_GROUP_ALIGN];
	struct fatbin_made *m = k->m;
	const char *raw = buf_data(&k->all) + start;
	struct fatbin_group *g = &k->groups[m->n_groups];
	struct hash128 h = hash_bytes(raw, end - start);
	bool packed = false;

	buf_put(&m->groups, zeros, aligned(m->groups.len) - m->groups.len);
	size_t at = m->groups.len;
	if (k->o->codec == FATBIN_ZSTD)
		QD_TRY(pack(k, raw, end - start, &m->groups, &packed, err));
	if (!packed)
		buf_put(&m->groups, raw, end - start);
	*g = (struct fatbin_group){ .stored = m->groups.len - at,
				    .raw = end - start,
				    .codec = packed ? FATBIN_ZSTD : FATBIN_RAW };
	memcpy(g->hash, &h, sizeof g->hash);
	m->group[m->n_groups].at = at;
	m->group[m->n_groups].size = g->stored;
	m->n_groups++;
	m->sum.raw += g->raw;
	m->sum.stored += g->stored;
	return QD_OK;
}

/* Returns true if b belongs to the group of `size` bytes whose first image is a. */
static bool
goes_on(const struct making *k, const struct fatbin_item *a, const struct fatbin_item *b, size_t size)
{
	size_t most = k->o->group_size ? k->o->group_size : USUAL_GROUP;

	return k->o->codec != FATBIN_RAW && a->kind == b->kind && size < most &&
	       strcmp(a->kernel, b->kernel) == 0;
}

static qd_status
check_item(const struct fatbin_item *i, struct qd_error *err)
{
	if (strlen(i->kernel) > FATBIN_MAX_TEXT || strlen(i->variant) > FATBIN_MAX_TEXT ||
	    strlen(i->target) > FATBIN_MAX_TEXT)
		return qd_fail(err, QD_E_LIMIT,
			       "kernel '%.80s' for %.80s: the name has more than %d bytes",
			       i->kernel, i->target, FATBIN_MAX_TEXT);
	const char *wrong = fatbin_wrong_text(i->kernel, i->variant, i->target);
	if (wrong)
		return qd_fail(err, QD_E_INVALID, "a fatbin's row cannot have %s", wrong);
	if (i->code_size <= MAX_IMAGE)
		return QD_OK;
	return qd_fail(err, QD_E_LIMIT,
		       "kernel '%.80s' for %.80s: an image of %zu bytes; the limit is %d",
		       i->kernel, i->target, i->code_size, (int)MAX_IMAGE);
}

/* Appends the images in the order of the slots, equal images once, and divides them into groups. */
static qd_status
put_images(struct making *k, struct qd_error *err)
{
	struct fatbin_made *m = k->m;
	size_t start = 0;

	for (uint32_t i = 0; i < k->n; i++) {
		const struct fatbin_item *item = k->slots[i].item;
		size_t at = k->all.len;
		QD_TRY(check_item(item, err));
		put_entry(&k->all, item);
		if (k->all.nomem)
			return QD_OK; /* the caller checks the buffers */
		struct image *image = find_image(k, at);
		k->slots[i].image = (uint32_t)(image - k->images);
		if (k->all.len == at)
			continue; /* an equal image exists */
		struct fatbin_made_group *g = &m->group[m->n_groups];
		if (g->n && !goes_on(k, g->first, item, at - start)) {
			QD_TRY(end_group(k, start, at, err));
			start = at;
			g++;
		}
		if (!g->n++)
			g->first = item;
		g->last = item;
		image->group = m->n_groups;
		image->offset = at - start;
	}
	return k->all.len > start ? end_group(k, start, k->all.len, err) : QD_OK;
}

/* -- The index -------------------------------------------------------------------------------- */

static uint32_t
put_string(struct making *k, const char *s)
{
	size_t len = strlen(s) + 1;
	uint32_t at = (uint32_t)hash_bytes(s, len).lo & (k->names_size - 1);

	for (; k->names[at]; at = (at + 1) & (k->names_size - 1)) {
		if (strcmp(buf_data(&k->strings) + k->names[at] - 1, s) == 0)
			return k->names[at] - 1;
	}
	uint32_t place = (uint32_t)k->strings.len;
	buf_put(&k->strings, s, len);
	if (k->strings.nomem)
		return 0;
	k->names[at] = place + 1;
	return place;
}

/* Returns the bytes of arguments passed by value; 0 if passed by address. */
static uint16_t
args_size(const struct fatbin_item *i)
{
	return i->meta->flags & ISA_ARGS_BY_ADDRESS
		       ? 0
		       : (uint16_t)(i->layout->args_size + isa_tables_args(i->kind, i->meta));
}

static void
put_rows(struct making *k)
{
	struct buf *index = &k->m->index;

	for (uint32_t i = 0; i < k->n; i++) {
		const struct slot *s = &k->slots[i];
		const struct fatbin_item *item = s->item;
		const struct image *image = &k->images[s->image];
		struct fatbin_row row = {
			.name_hash = s->name_hash,
			.kernel = put_string(k, item->kernel),
			.variant = put_string(k, item->variant),
			.target = put_string(k, item->target),
			.group = image->group,
			.offset = (uint32_t)image->offset,
			.size = (uint32_t)image->size,
			.needs = item->meta->needs,
			.shared_size = item->meta->shared_size,
			.local_size = (uint16_t)item->meta->local_size,
			.args_size = args_size(item),
			.subgroup_size = item->layout->subgroup_size,
			.kind = (uint8_t)item->kind,
			.flags = (uint8_t)((item->flags & ~(uint32_t)FATBIN_OPT) |
					   item->meta->opt_below << FATBIN_OPT_AT),
		};
		buf_put(index, &row, sizeof row);
	}
}

/* Writes the index with zero distances, and its hash. */
static void
put_index(struct making *k)
{
	static const char zeros[8];
	struct fatbin_made *m = k->m;
	struct fatbin_header h = { .major = FATBIN_MAJOR,
				   .minor = FATBIN_MINOR,
				   .header_size = sizeof h,
				   .row_size = sizeof(struct fatbin_row),
				   .group_size = sizeof(struct fatbin_group),
				   .n_rows = k->n,
				   .n_groups = m->n_groups };
	size_t distances = m->n_groups * sizeof(int64_t);

	memcpy(h.magic, FATBIN_MAGIC, sizeof h.magic);
	for (uint32_t i = 0; i < isa_count; i++) {
		if (isa_table[i]->number < FATBIN_N_EMITTER)
			h.emitters[isa_table[i]->number] = (uint8_t)isa_table[i]->version;
	}
	buf_put(&m->index, &h, sizeof h);
	put_rows(k);
	buf_put(&m->index, k->groups, m->n_groups * sizeof *k->groups);
	buf_put(&k->strings, zeros, (8 - k->strings.len % 8) % 8);
	buf_put(&m->index, buf_data(&k->strings), k->strings.len);
	char *end = buf_extend(&m->index, distances);
	if (!end || k->strings.nomem)
		return;
	memset(end, 0, distances);
	struct fatbin_header *at = (struct fatbin_header *)(void *)buf_data(&m->index);
	at->strings_size = (uint32_t)k->strings.len;
	at->total_size = m->index.len;
	size_t from = sizeof at->magic + sizeof at->hash;
	struct hash128 hash = hash_bytes((const char *)at + from, m->index.len - distances - from);
	memcpy(at->hash, &hash, sizeof at->hash);
}

/* -- Entry point ------------------------------------------------------------------------------- */

static bool
same_item(const struct fatbin_item *a, const struct fatbin_item *b)
{
	return a->code_size == b->code_size && a->flags == b->flags &&
	       a->layout->size == b->layout->size &&
	       memcmp(a->meta, b->meta, sizeof *a->meta) == 0 &&
	       memcmp(a->layout, b->layout, a->layout->size) == 0 &&
	       (a->code_size == 0 || memcmp(a->code, b->code, a->code_size) == 0);
}

/* Sorts the rows and merges equal items with the same (kernel, variant, kind, target). */
static qd_status
sort_rows(struct making *k, const struct fatbin_item *items, uint32_t n, struct qd_error *err)
{
	for (uint32_t i = 0; i < n; i++)
		k->slots[i] = (struct slot){ .item = &items[i],
					     .name_hash = fatbin_hash(items[i].kernel,
								      items[i].variant) };
	qsort(k->slots, n, sizeof *k->slots, by_row);
	for (uint32_t i = 0; i < n; i++) {
		if (!k->n || by_row(&k->slots[k->n - 1], &k->slots[i]) != 0) {
			k->slots[k->n++] = k->slots[i];
			continue;
		}
		const struct fatbin_item *a = k->slots[k->n - 1].item, *b = k->slots[i].item;
		if (!same_item(a, b))
			return qd_fail(err, QD_E_INVALID,
				       "kernel '%.80s'%s%.200s%s for %.200s has two images that differ",
				       a->kernel, *a->variant ? " (" : "", a->variant,
				       *a->variant ? ")" : "", a->target);
	}
	return QD_OK;
}

static bool
take_room(struct making *k, uint32_t n)
{
	struct fatbin_made *m = k->m;

	k->table_size = 2u << qd_log2(n);
	k->names_size = 8u << qd_log2(n);
	k->slots = arena_alloc(k->mem, n * sizeof *k->slots);
	k->images = arena_alloc(k->mem, n * sizeof *k->images);
	k->groups = arena_alloc(k->mem, n * sizeof *k->groups);
	m->group = arena_zalloc(k->mem, (n + 1) * sizeof *m->group);
	k->table = arena_zalloc(k->mem, k->table_size * sizeof *k->table);
	k->names = arena_zalloc(k->mem, k->names_size * sizeof *k->names);
	return k->slots && k->images && k->groups && m->group && k->table && k->names;
}

/* Checks the limits of check_budget in fatbin_read.c, so that readers accept the fatbin, also if it
 * is linked and consists of only these bytes. */
static qd_status
check_budget(const struct making *k, struct qd_error *err)
{
	const struct fatbin_made *m = k->m;
	uint64_t taken = m->sum.raw, stored = m->index.len + m->sum.stored;

	for (uint32_t i = 0; i < k->n; i++)
		taken += k->images[k->slots[i].image].size;
	if (taken <= unpack_limit(stored))
		return QD_OK;
	return qd_fail(
		err, QD_E_LIMIT,
		"a fatbin of %llu bytes unpacked, %llu stored; readers accept %llu (64 times the "
		"stored size plus 64 MiB): disable compression, or write several fatbins",
		(unsigned long long)taken, (unsigned long long)stored,
		(unsigned long long)unpack_limit(stored));
}

static qd_status
make(struct making *k, const struct fatbin_item *items, uint32_t n, struct qd_error *err)
{
	struct fatbin_made *m = k->m;

	QD_TRY(sort_rows(k, items, n, err));
	qsort(k->slots, k->n, sizeof *k->slots, by_group);
	QD_TRY(put_images(k, err));
	qsort(k->slots, k->n, sizeof *k->slots, by_row);
	put_string(k, "");
	put_index(k);
	m->sum.n_rows = k->n;
	m->sum.n_images = k->n_images;
	m->sum.n_groups = m->n_groups;
	if (k->all.nomem || k->strings.nomem || m->index.nomem || m->groups.nomem)
		return qd_fail(err, QD_E_NOMEM, "out of memory for a fatbin");
	return check_budget(k, err);
}

qd_status
fatbin_make(struct fatbin_made *m, struct arena *mem, const struct fatbin_item *items, uint32_t n,
	    const struct fatbin_options *o, struct qd_error *err)
{
	struct making k = { .m = m, .o = o, .mem = mem };

	if (!n)
		return qd_fail(err, QD_E_INVALID, "a fatbin needs at least one image");
	if (!take_room(&k, n))
		return qd_fail(err, QD_E_NOMEM, "out of memory for a fatbin of %u images", n);
	m->n_groups = 0;
	m->sum = (struct fatbin_sum){ 0 };
	buf_init(&k.all, mem->pool);
	buf_init(&k.strings, mem->pool);
	qd_status st = make(&k, items, n, err);
	buf_fini(&k.all);
	buf_fini(&k.strings);
	return st;
}
