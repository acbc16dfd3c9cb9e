/* Reading of untrusted fatbins: everything is validated before use, and errors name the offset.
 * An index refers to its groups by distances. A program contains the distances; an object file
 * contains relocations instead, as a linker would apply. */
#include "fatbin.h"

#include <elf.h>
#include <stdlib.h>

#include "bytes.h"
#include "elffile.h"
#include "unpack.h"

enum {
	MAX_COUNT = 1 << 24,	/* rows, groups */
	MAX_RAW = 1 << 28,	/* bytes of an unpacked group */
	HASHED = offsetof(struct fatbin_header, major)
};

/* -- The index ---------------------------------------------------------------------------- */

static QD_COLD qd_status QD_PRINTF(4, 5)
bad(const struct fatbin_part *p, uint64_t at, struct qd_error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	qd_status st = bytes_vfail(err, p->offset + at, "", fmt, ap);
	va_end(ap);
	return st;
}

void
fatbin_row_of(const struct fatbin_part *p, uint32_t i, struct fatbin_row *out)
{
	memcpy(out, p->rows + (size_t)i * p->header->row_size, sizeof *out);
}

void
fatbin_group_of(const struct fatbin_part *p, uint32_t i, struct fatbin_group *out)
{
	memcpy(out, p->groups + (size_t)i * p->header->group_size, sizeof *out);
}

static uint64_t
rows_at(const struct fatbin_part *p, uint32_t i)
{
	return (uint64_t)(p->rows - p->index) + (uint64_t)i * p->header->row_size;
}

static uint64_t
distances_at(const struct fatbin_header *h)
{
	return h->total_size - h->n_groups * (uint64_t)sizeof(int64_t);
}

/* Validates the header of an index that has at most `size` bytes. */
static qd_status
read_header(struct fatbin_part *p, uint64_t size, struct qd_error *err)
{
	const struct fatbin_header *h = p->header;

	if (size < sizeof *h)
		return bad(p, size, err, "a fatbin's index ends within its header");
	if (memcmp(h->magic, FATBIN_MAGIC, sizeof h->magic) != 0)
		return bad(p, 0, err, "not a fatbin's index: it does not begin with \"QDFB\"%s",
			   memcmp(h->magic, FATBIN_MAGIC, 4) == 0 ? "; it was converted as text"
								  : "");
	if (h->major != FATBIN_MAJOR)
		return qd_fail(err, QD_E_VERSION,
			       "a fatbin of version %u.%u; this library reads %d.x", h->major, h->minor,
			       FATBIN_MAJOR);
	if (h->header_size < sizeof *h || h->row_size < sizeof(struct fatbin_row) ||
	    h->group_size < sizeof(struct fatbin_group) || (h->header_size | h->row_size | h->group_size) % 8)
		return bad(p, offsetof(struct fatbin_header, header_size), err,
			   "a fatbin with a header, rows and groups of %u, %u and %u bytes",
			   h->header_size, h->row_size, h->group_size);
	if (h->n_rows == 0 || h->n_rows > MAX_COUNT || h->n_groups == 0 || h->n_groups > MAX_COUNT)
		return bad(p, offsetof(struct fatbin_header, n_rows), err, "a fatbin of %u rows and %u groups",
			   h->n_rows, h->n_groups);
	uint64_t need = h->header_size + (uint64_t)h->n_rows * h->row_size +
			(uint64_t)h->n_groups * h->group_size + h->strings_size +
			(uint64_t)h->n_groups * sizeof(int64_t);
	if (h->strings_size == 0 || h->strings_size % 8 || h->total_size != need)
		return bad(p, offsetof(struct fatbin_header, total_size), err,
			   "a fatbin's index states %llu bytes; its parts have %llu",
			   (unsigned long long)h->total_size, (unsigned long long)need);
	if (need > size)
		return bad(p, size, err, "a fatbin's index of %llu bytes exceeds its section",
			   (unsigned long long)need);
	return QD_OK;
}

static qd_status
check_hash(const struct fatbin_part *p, struct qd_error *err)
{
	struct hash128 h = hash_bytes(p->index + HASHED, distances_at(p->header) - HASHED);

	if (memcmp(&h, p->header->hash, sizeof h) != 0)
		return bad(p, offsetof(struct fatbin_header, hash), err,
			   "a fatbin's index is damaged: its checksum is wrong");
	return QD_OK;
}

static qd_status
check_groups(const struct fatbin_part *p, struct qd_error *err)
{
	struct fatbin_group g;

	for (uint32_t i = 0; i < p->header->n_groups; i++) {
		fatbin_group_of(p, i, &g);
		bool known = g.codec < FATBIN_N_CODEC;
		if (g.stored == 0 || g.raw == 0 || g.raw > MAX_RAW || g.stored > g.raw ||
		    (g.codec == FATBIN_RAW && g.stored != g.raw))
			return bad(p,
				   (uint64_t)(p->groups - p->index) +
					   i * (uint64_t)p->header->group_size,
				   err, "group %u of a fatbin: %llu bytes that unpack to %llu%s", i,
				   (unsigned long long)g.stored, (unsigned long long)g.raw,
				   known ? "" : ", with an unknown codec");
	}
	return QD_OK;
}

/* Limits the length of strings: rows may share them, so a small file could cause much work. */
static bool
is_short(const struct fatbin_part *p, uint32_t at)
{
	return strnlen(p->strings + at, FATBIN_MAX_TEXT + 1) <= FATBIN_MAX_TEXT;
}

static qd_status
check_rows(const struct fatbin_part *p, struct qd_error *err)
{
	const struct fatbin_header *h = p->header;
	struct fatbin_row r;
	uint64_t last = 0;

	for (uint32_t i = 0; i < h->n_rows; i++) {
		struct fatbin_group g = { .raw = 0 };
		const char *wrong = NULL, *text;
		fatbin_row_of(p, i, &r);
		if (r.group < h->n_groups)
			fatbin_group_of(p, r.group, &g);
		if (r.kernel >= h->strings_size || r.variant >= h->strings_size ||
		    r.target >= h->strings_size)
			wrong = "a name outside of the strings";
		else if (r.group >= h->n_groups || r.offset % FATBIN_GROUP_ALIGN || r.offset > g.raw ||
			 r.size > g.raw - r.offset)
			wrong = "an image outside of its group";
		else if (!is_short(p, r.kernel) || !is_short(p, r.variant) || !is_short(p, r.target))
			wrong = "a name of more than 8191 bytes";
		else if ((text = fatbin_wrong_text(p->strings + r.kernel, p->strings + r.variant,
						   p->strings + r.target)) != NULL)
			wrong = text;
		else if (r.name_hash < last)
			wrong = "an offset below that of the previous row";
		else if (r.name_hash != fatbin_hash(p->strings + r.kernel, p->strings + r.variant))
			wrong = "a hash that does not match its names";
		if (wrong)
			return bad(p, rows_at(p, i), err, "row %u of a fatbin has %s", i, wrong);
		last = r.name_hash;
	}
	return QD_OK;
}

/* Validates an index; its address must be a multiple of 8. */
static qd_status
open_index(struct arena *mem, const void *index, uint64_t size, uint64_t offset,
	   struct fatbin_part *p, struct qd_error *err)
{
	*p = (struct fatbin_part){ .index = index, .offset = offset, .header = index };
	QD_TRY(read_header(p, size, err));
	const struct fatbin_header *h = p->header;
	p->rows = p->index + h->header_size;
	p->groups = p->rows + (size_t)h->n_rows * h->row_size;
	p->strings = (const char *)p->groups + (size_t)h->n_groups * h->group_size;
	p->strings_size = h->strings_size;
	if (p->strings[h->strings_size - 1])
		return bad(p, distances_at(h) - 1, err, "a fatbin's strings do not end in a NUL");
	QD_TRY(check_hash(p, err));
	QD_TRY(check_groups(p, err));
	QD_TRY(check_rows(p, err));
	p->data = arena_zalloc(mem, h->n_groups * sizeof *p->data);
	if (!p->data)
		return qd_fail(err, QD_E_NOMEM, "out of memory for a fatbin of %u groups", h->n_groups);
	return QD_OK;
}

/* -- Limits ------------------------------------------------------------------------------------ */

/* Memory limit of an open fatbin, for all its indices together. */
struct budget {
	uint64_t taken, most; /* bytes */
	const char *whole; /* basis of `most`, in messages: "file", or "fatbin" if it is linked */
};

static qd_status
charge(struct budget *b, const struct fatbin_part *p, uint64_t bytes, const char *what, uint32_t i, uint64_t at,
     struct qd_error *err)
{
	b->taken += bytes;
	if (b->taken <= b->most)
		return QD_OK;
	return bad(p, at, err, "with %s %u the fatbin has " UNPACK_LIMIT_TEXT("%s"), what, i,
		   (unsigned long long)b->taken, (unsigned long long)b->most, b->whole);
}

struct range {
	const uint8_t *at;
	uint64_t size;
};

static int
by_place(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* Checks that the groups of an index do not overlap. Groups of two indices may share bytes, because
 * linkers fold equal sections. */
static qd_status
check_apart(struct arena *mem, const struct fatbin_part *p, struct qd_error *err)
{
	uint32_t n = p->header->n_groups;
	struct range *all = arena_alloc(mem, n * sizeof *all);
	struct fatbin_group g;

	if (!all)
		return qd_fail(err, QD_E_NOMEM, "out of memory for a fatbin of %u groups", n);
	for (uint32_t i = 0; i < n; i++) {
		fatbin_group_of(p, i, &g);
		all[i] = (struct range){ p->data[i], g.stored };
	}
	qsort(all, n, sizeof *all, by_place);
	for (uint32_t i = 1; i < n; i++) {
		if (all[i].at < all[i - 1].at + all[i - 1].size)
			return bad(p, distances_at(p->header), err, "groups of a fatbin overlap");
	}
	return QD_OK;
}

/* Checks the total memory of the unpacked groups and of the rows' images, against the budget. The
 * images are copies, and several rows may share one. */
static qd_status
check_budget(struct budget *b, const struct fatbin_part *p, struct qd_error *err)
{
	const struct fatbin_header *h = p->header;
	struct fatbin_group g;
	struct fatbin_row r;

	for (uint32_t i = 0; i < h->n_groups; i++) {
		fatbin_group_of(p, i, &g);
		QD_TRY(charge(b, p, g.raw, "group", i, (uint64_t)(p->groups - p->index) + i * (uint64_t)h->group_size, err));
	}
	for (uint32_t i = 0; i < h->n_rows; i++) {
		fatbin_row_of(p, i, &r);
		QD_TRY(charge(b, p, r.size, "row", i, rows_at(p, i), err));
	}
	return QD_OK;
}

/* -- Linked ------------------------------------------------------------------------------------ */

qd_status
fatbin_part_linked(struct arena *mem, const void *index, struct fatbin_part *out, struct qd_error *err)
{
	if ((uintptr_t)index % 8)
		return qd_fail(err, QD_E_INVALID, "a fatbin's index at an odd address, %p", index);
	QD_TRY(open_index(mem, index, UINT64_MAX, 0, out, err));
	const uint8_t *at = out->index + distances_at(out->header);
	for (uint32_t i = 0; i < out->header->n_groups; i++, at += sizeof(int64_t)) {
		int64_t distance;
		memcpy(&distance, at, sizeof distance);
		if (!distance)
			return bad(out, (uint64_t)(at - out->index), err,
				   "a fatbin's group %u has no address: the bytes are an unlinked "
				   "object file; open the file instead",
				   i);
		out->data[i] = (const uint8_t *)((uintptr_t)at + (uintptr_t)distance);
	}
	QD_TRY(check_apart(mem, out, err));
	/* Without a file, the limit follows from the size of the index and its groups. */
	struct fatbin_group g;
	uint64_t size = out->header->total_size;
	for (uint32_t i = 0; i < out->header->n_groups; i++) {
		fatbin_group_of(out, i, &g);
		size += g.stored;
	}
	struct budget b = { .most = unpack_limit(size), .whole = "fatbin" };
	return check_budget(&b, out, err);
}

/* -- In files ---------------------------------------------------------------------------------- */

struct reading {
	struct arena *mem;
	struct elf_file elf;
	struct elf_symbol *symbols;
	uint32_t n_symbols;
	uint32_t *first_rela, *next_rela; /* list of relocation sections for each section; 0: end */
	struct elf_by_address loaded;
	struct buf parts; /* of struct fatbin_part */
	struct budget budget;
};

/* Returns the section of a relocation's target and the offset in it, or NULL. */
static const struct elf_section *
target_of(const struct reading *r, const Elf64_Rela *rela, uint64_t *at)
{
	uint32_t symbol = (uint32_t)ELF64_R_SYM(rela->r_info);

	if (symbol == 0 || symbol > r->n_symbols)
		return NULL;
	const struct elf_symbol *s = &r->symbols[symbol - 1];
	if (s->section == 0 || s->section >= r->elf.n_sections)
		return NULL;
	*at = s->value + (uint64_t)rela->r_addend;
	return &r->elf.sections[s->section];
}

/* Sets the address of group i, which must be inside the section. */
static qd_status
place_group(struct fatbin_part *p, uint32_t i, const struct elf_section *s, uint64_t at,
	    struct qd_error *err)
{
	struct fatbin_group g;

	fatbin_group_of(p, i, &g);
	if (!s || !s->data || at > s->size || g.stored > s->size - at)
		return bad(p, distances_at(p->header) + i * sizeof(int64_t), err,
			   "a fatbin's group %u (%llu bytes) is not in the file", i,
			   (unsigned long long)g.stored);
	p->data[i] = s->data + at;
	return QD_OK;
}

/* Returns the last part that begins at or before the offset, or NULL. */
static struct fatbin_part *
part_at(struct fatbin_part *parts, uint32_t n, uint64_t offset)
{
	uint32_t lo = 0, hi = n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (parts[mid].offset <= offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &parts[lo - 1] : NULL;
}

/* For an object: finds the groups of a section's parts by the relocations of the section. */
static qd_status
relocate(const struct reading *r, struct fatbin_part *parts, uint32_t n, uint32_t section, struct qd_error *err)
{
	uint64_t start = r->elf.base + r->elf.sections[section].offset;

	for (uint32_t i = r->first_rela[section]; i; i = r->next_rela[i]) {
		const struct elf_section *s = &r->elf.sections[i];
		for (uint64_t j = 0; j < s->size / sizeof(Elf64_Rela); j++) {
			Elf64_Rela rela;
			uint64_t at = 0;
			memcpy(&rela, s->data + j * sizeof rela, sizeof rela);
			struct fatbin_part *p = part_at(parts, n, start + rela.r_offset);
			if (!p)
				continue;
			uint64_t first = p->offset - start + distances_at(p->header);
			if (rela.r_offset < first || rela.r_offset >= p->offset - start + p->header->total_size ||
			    (rela.r_offset - first) % sizeof(int64_t))
				continue;
			const struct elf_section *to = target_of(r, &rela, &at);
			QD_TRY(place_group(p, (uint32_t)((rela.r_offset - first) / sizeof(int64_t)), to, at, err));
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = 0; j < parts[i].header->n_groups; j++) {
			if (!parts[i].data[j])
				QD_TRY(place_group(&parts[i], j, NULL, 0, err));
		}
	}
	return QD_OK;
}

/* For a program: finds the groups of a part by the distances between addresses. */
static qd_status
follow(const struct reading *r, struct fatbin_part *p, const struct elf_section *index, struct qd_error *err)
{
	uint64_t at = distances_at(p->header), from = p->offset - r->elf.base - index->offset;

	for (uint32_t i = 0; i < p->header->n_groups; i++, at += sizeof(int64_t)) {
		uint64_t distance, addr;
		memcpy(&distance, p->index + at, sizeof distance);
		addr = index->addr + from + at + distance;
		const struct elf_section *to = elf_section_at(&r->loaded, addr);
		QD_TRY(place_group(p, i, to, to ? addr - to->addr : 0, err));
	}
	return QD_OK;
}

static bool
is_index(const struct elf_section *s)
{
	return s->data && strcmp(s->name, "qd_fatbin") == 0;
}

/* Sorts the sections for relocate and follow, which makes the work independent of the number of
 * indices. */
static qd_status
sort_sections(struct reading *r, struct qd_error *err)
{
	uint32_t n = r->elf.n_sections;
	uint64_t bytes = 0;

	r->first_rela = arena_zalloc(r->mem, n * sizeof *r->first_rela);
	r->next_rela = arena_zalloc(r->mem, n * sizeof *r->next_rela);
	r->loaded.v = arena_alloc(r->mem, n * sizeof *r->loaded.v);
	if (!r->first_rela || !r->next_rela || !r->loaded.v)
		return qd_fail(err, QD_E_NOMEM, "out of memory for %u sections", n);
	for (uint32_t i = n; i-- > 1;) {
		const struct elf_section *s = &r->elf.sections[i];
		if (s->type == SHT_RELA && s->info < n && s->data && is_index(&r->elf.sections[s->info])) {
			bytes += s->size;
			if (bytes > r->elf.size)
				return elf_fail(&r->elf, s->offset, err,
						"relocation sections of a fatbin overlap");
			r->next_rela[i] = r->first_rela[s->info];
			r->first_rela[s->info] = i;
		}
		if (s->flags & SHF_ALLOC && s->data && s->size)
			r->loaded.v[r->loaded.n++] = s;
	}
	elf_sort_by_address(&r->loaded);
	return QD_OK;
}

/* Reads the indices of a section. A linker may have concatenated several, with zeros between
 * them. */
static qd_status
read_section(struct reading *r, uint32_t section, struct qd_error *err)
{
	const struct elf_section *s = &r->elf.sections[section];
	const uint8_t *data = s->data;
	uint32_t first = (uint32_t)(r->parts.len / sizeof(struct fatbin_part));
	uint64_t at = 0;

	if ((uintptr_t)data % 8) { /* the file is not aligned in memory */
		void *copy = arena_alloc(r->mem, (size_t)s->size);
		if (!copy)
			return qd_fail(err, QD_E_NOMEM, "out of memory for a fatbin's index");
		data = memcpy(copy, data, (size_t)s->size);
	}
	while (at < s->size) {
		struct fatbin_part p;
		const uint8_t *index = data + at;
		if (!*index) {
			at++;
			continue;
		}
		if (at % 8)
			return elf_fail(&r->elf, s->offset + at, err,
					"a fatbin's index is not aligned to 8 bytes");
		QD_TRY(open_index(r->mem, index, s->size - at, r->elf.base + s->offset + at, &p, err));
		buf_put(&r->parts, &p, sizeof p);
		at += p.header->total_size;
	}
	if (r->parts.nomem)
		return qd_fail(err, QD_E_NOMEM, "out of memory for a fatbin");
	struct fatbin_part *parts = (struct fatbin_part *)(void *)buf_data(&r->parts) + first;
	uint32_t n = (uint32_t)(r->parts.len / sizeof *parts) - first;
	if (r->elf.type == ET_REL)
		QD_TRY(relocate(r, parts, n, section, err));
	for (uint32_t i = 0; i < n; i++) {
		if (r->elf.type != ET_REL)
			QD_TRY(follow(r, &parts[i], s, err));
		QD_TRY(check_apart(r->mem, &parts[i], err));
		QD_TRY(check_budget(&r->budget, &parts[i], err));
	}
	return QD_OK;
}

static qd_status
read_file(struct reading *r, struct fatbin_part **out, uint32_t *n, struct qd_error *err)
{
	uint64_t bytes = 0;

	/* Overlapping sections could cause much work for a small file. */
	for (uint32_t i = 1; i < r->elf.n_sections; i++) {
		const struct elf_section *s = &r->elf.sections[i];
		bytes += is_index(s) ? s->size : 0;
		if (bytes > r->elf.size)
			return elf_fail(&r->elf, s->offset, err, "sections qd_fatbin overlap");
	}
	QD_TRY(sort_sections(r, err));
	if (r->elf.type == ET_REL)
		QD_TRY(elf_symbols(r->mem, &r->elf, SHT_SYMTAB, &r->symbols, &r->n_symbols, err));
	for (uint32_t i = 1; i < r->elf.n_sections; i++) {
		if (is_index(&r->elf.sections[i]))
			QD_TRY(read_section(r, i, err));
	}
	*n = (uint32_t)(r->parts.len / sizeof **out);
	if (!*n)
		return qd_fail(err, QD_E_NOT_FOUND, "the file has no fatbin: no section qd_fatbin");
	*out = arena_alloc(r->mem, r->parts.len);
	if (!*out)
		return qd_fail(err, QD_E_NOMEM, "out of memory for a fatbin");
	memcpy(*out, buf_data(&r->parts), r->parts.len);
	return QD_OK;
}

qd_status
fatbin_parts_of_file(struct arena *mem, const void *data, size_t size, uint64_t base,
		     struct fatbin_part **out, uint32_t *n, struct qd_error *err)
{
	struct reading r = { .mem = mem };

	*n = 0;
	QD_TRY(elf_read(mem, data, size, base, &r.elf, err));
	r.budget = (struct budget){ .most = unpack_limit(r.elf.size), .whole = "file" };
	buf_init(&r.parts, mem->pool);
	qd_status st = read_file(&r, out, n, err);
	buf_fini(&r.parts);
	return st;
}
