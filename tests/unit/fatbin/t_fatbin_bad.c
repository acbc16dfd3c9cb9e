/* Damaged and malicious fatbins. Each is rejected with the position of the error, and no entry
 * yields a different image. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "fatbin_kit.h"

/* Returns true if the error locates the damage: an offset, or for a linked fatbin a checksum or a
 * group. An error about the version needs no position. */
static bool
says_where(const struct qd_error *e, bool linked)
{
	return e->code == QD_E_VERSION || strstr(e->text, "offset 0x") ||
	       (linked && (strstr(e->text, "checksum") || strstr(e->text, "group "))) ||
	       (e->code == QD_E_NOT_FOUND && strstr(e->text, "no section qd_fatbin"));
}

struct tally {
	uint32_t n_refused, n_asked, n_whole;
};

/* Opens and reads damaged bytes, and counts the outcomes. */
static void
try_bytes(struct unit_ctx *t, struct fat_kit *k, const void *bytes, size_t size, bool linked,
	  size_t at, struct tally *n)
{
	struct qd_fatbin *f = NULL;
	struct qd_error e = { 0 };

	if (qd_fatbin_open(k->rig.ctx, bytes, linked ? QD_LINKED : size, NULL, &f, &e) != QD_OK) {
		UNIT_CHECK(t, says_where(&e, linked), "byte %zu: %s", at, e.text);
		n->n_refused++;
		return;
	}
	struct fat_seen seen = fat_compare(t, k, f, "damaged");
	if (seen.n_refused) {
		UNIT_CHECK(t, says_where(&seen.e, linked), "byte %zu: %s", at, seen.e.text);
		n->n_asked++;
	} else {
		n->n_whole++;
	}
	qd_fatbin_free(f);
}

/* -- Truncation and flipped bits -------------------------------------------------------- */

static struct fatbin_options
options(int codec)
{
	return (struct fatbin_options){ .stem = "kit", .codec = codec ? fatbin_auto : FATBIN_RAW };
}

/* Checks that truncated files are rejected. */
static void
truncated(struct unit_ctx *t)
{
	struct fat_kit k;

	if (!fat_open(t, &k, true))
		return;
	for (int codec = 0; codec < 2 && !t->skipped; codec++) {
		struct fatbin_options o = options(codec);
		size_t size = 0;
		uint8_t *object = fat_object(t, &k, &o, &size);
		for (size_t to = 0; object && to < size; to++) {
			struct qd_fatbin *f = NULL;
			struct qd_error e = { 0 };
			uint8_t *copy = malloc(to ? to : 1);
			memcpy(copy, object, to);
			qd_status st = qd_fatbin_open(k.rig.ctx, copy, to, NULL, &f, &e);
			UNIT_CHECK(t, st == QD_E_INVALID && strstr(e.text, "fatbin: offset 0x"), "%zu of %zu bytes: %s",
				   to, size, st ? e.text : "read");
			qd_fatbin_free(f);
			free(copy);
		}
		free(object);
	}
	fat_close(t, &k);
}

/* Checks that a flipped bit is rejected with its position, or changes no image. */
static void
flipped(struct unit_ctx *t)
{
	struct fat_kit k;

	if (!fat_open(t, &k, true))
		return;
	for (int codec = 0; codec < 2 && !t->skipped; codec++) {
		struct fatbin_options o = options(codec);
		struct tally n = { 0 };
		size_t size = 0;
		uint8_t *object = fat_object(t, &k, &o, &size);
		for (size_t at = 0; object && at < size; at++) {
			uint8_t bit = (uint8_t)(1u << at % 8);
			object[at] ^= bit;
			try_bytes(t, &k, object, size, false, at, &n);
			object[at] ^= bit;
		}
		/* Symbol names and the note are not read. */
		UNIT_CHECK(t, t->skipped || (n.n_refused > 500 && n.n_asked > 500 && n.n_whole < size / 2),
			   "%u refused, %u when they were asked, %u whole", n.n_refused, n.n_asked, n.n_whole);
		free(object);
	}
	fat_close(t, &k);
}

/* Flips bits of a linked fatbin without its distances, which are specific to the program. The index
 * must be rejected when it is opened, a group when an entry is read. */
static void
linked(struct unit_ctx *t)
{
	struct fat_kit k;

	if (!fat_open(t, &k, true))
		return;
	for (int codec = 0; codec < 2; codec++) {
		struct fatbin_options o = options(codec);
		struct tally n = { 0 };
		size_t size = 0;
		uint8_t *bytes = fat_linked(t, &k, &o, &size);
		if (!bytes)
			break;
		struct fatbin_header h;
		memcpy(&h, bytes, sizeof h);
		size_t checked = h.total_size - h.n_groups * sizeof(int64_t);
		for (size_t bit = 0; bit < 8 * checked; bit++) {
			bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
			try_bytes(t, &k, bytes, size, true, bit / 8, &n);
			bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
		UNIT_CHECK(t, n.n_refused + 16 >= 8 * checked && !n.n_asked, "%u of %zu bits, %u whole", n.n_refused,
			   8 * checked, n.n_whole);
		for (uint32_t g = 0; g < h.n_groups; g++) {
			struct tally of = { 0 };
			size_t stored = (size_t)fat_group(bytes, g)->stored;
			uint8_t *at = fat_stored(bytes, g);
			for (size_t i = 0; i < stored; i++) {
				at[i] ^= (uint8_t)(1u << i % 8);
				try_bytes(t, &k, bytes, size, true, i, &of);
				at[i] ^= (uint8_t)(1u << i % 8);
			}
			/* zstd frames have bits without meaning. */
			UNIT_CHECK(t, of.n_asked + of.n_whole == stored && of.n_whole <= (codec ? 8u : 0u),
				   "group %u: %u of %zu reported, %u whole", g, of.n_asked, stored, of.n_whole);
		}
		free(bytes);
	}
	fat_close(t, &k);
}

/* -- Malicious fatbins --------------------------------------------------------------------- */

/* Changes to a linked fatbin with correct checksums: in the header, row 1, group 0, or the first
 * entry. */
enum in { HEADER, ROW, GROUP, ENTRY, META, STRING };
#define AT(in, type, field) in, offsetof(struct type, field), sizeof(((struct type *)0)->field)

static const struct change {
	enum in in;
	size_t at, size;
	uint64_t value;
	qd_status st;
	const char *text; /* after "fatbin: "; a star matches anything */
} changes[] = {
	{ AT(HEADER, fatbin_header, magic), 0, QD_E_INVALID, "offset 0x0: not a fatbin's index: it does not begin with \"QDFB\"" },
	{ HEADER, 4, 1, '\n', QD_E_INVALID, "offset 0x0: not a fatbin's index: it does not begin with \"QDFB\"; it was converted as text" },
	{ AT(HEADER, fatbin_header, major), 2, QD_E_VERSION, "a fatbin of version 2.0; this library reads 1.x" },
	{ AT(HEADER, fatbin_header, major), 0, QD_E_VERSION, "a fatbin of version 0.0; this library reads 1.x" },
	{ AT(HEADER, fatbin_header, header_size), 72, QD_E_INVALID, "offset 0x1c: a fatbin with a header, rows and groups of 72, 64 and 40 bytes" },
	{ AT(HEADER, fatbin_header, row_size), 56, QD_E_INVALID, "offset 0x1c: a fatbin with a header, rows and groups of 80, 56 and 40 bytes" },
	{ AT(HEADER, fatbin_header, row_size), 65, QD_E_INVALID, "offset 0x1c: a fatbin with a header, rows and groups of 80, 65 and 40 bytes" },
	{ AT(HEADER, fatbin_header, group_size), 32, QD_E_INVALID, "offset 0x1c: a fatbin with a header, rows and groups of 80, 64 and 32 bytes" },
	{ AT(HEADER, fatbin_header, n_rows), 0, QD_E_INVALID, "offset 0x24: a fatbin of 0 rows and *" },
	{ AT(HEADER, fatbin_header, n_rows), 1 << 25, QD_E_INVALID, "offset 0x24: a fatbin of 33554432 rows and *" },
	{ AT(HEADER, fatbin_header, n_groups), 0, QD_E_INVALID, "offset 0x24: a fatbin of 7 rows and 0 groups" },
	{ AT(HEADER, fatbin_header, n_groups), 0xffffffff, QD_E_INVALID, "offset 0x24: a fatbin of 7 rows and 4294967295 groups" },
	{ AT(HEADER, fatbin_header, n_rows), 8, QD_E_INVALID, "offset 0x30: a fatbin's index states *" },
	{ AT(HEADER, fatbin_header, strings_size), 0, QD_E_INVALID, "offset 0x30: a fatbin's index states *" },
	{ AT(HEADER, fatbin_header, strings_size), 0xfffffff8, QD_E_INVALID, "offset 0x30: a fatbin's index states *" },
	{ AT(HEADER, fatbin_header, total_size), UINT64_MAX, QD_E_INVALID, "offset 0x30: a fatbin's index states 18446744073709551615 bytes; *" },
	{ AT(ROW, fatbin_row, kernel), 0xffffffff, QD_E_INVALID, "offset 0x90: row 1 of a fatbin has a name outside of the strings" },
	{ AT(ROW, fatbin_row, variant), 1 << 20, QD_E_INVALID, "offset 0x90: row 1 of a fatbin has a name outside of the strings" },
	{ AT(ROW, fatbin_row, target), 1 << 20, QD_E_INVALID, "offset 0x90: row 1 of a fatbin has a name outside of the strings" },
	{ AT(ROW, fatbin_row, variant), 1, QD_E_INVALID, "offset 0x90: row 1 of a fatbin has template values without the form NAME=VALUE;NAME=VALUE" },
	{ AT(ROW, fatbin_row, target), 0, QD_E_INVALID, "offset 0x90: row 1 of a fatbin has a target name with invalid characters" },
	{ AT(ROW, fatbin_row, kernel), 0, QD_E_INVALID, "offset 0x90: row 1 of a fatbin has a kernel name that is empty, longer than 255 bytes or contains control characters" },
	{ AT(ROW, fatbin_row, group), 99, QD_E_INVALID, "offset 0x90: row 1 of a fatbin has an image outside of its group" },
	{ AT(ROW, fatbin_row, offset), 8, QD_E_INVALID, "offset 0x90: row 1 of a fatbin has an image outside of its group" },
	{ AT(ROW, fatbin_row, offset), 0xfffffff0, QD_E_INVALID, "offset 0x90: row 1 of a fatbin has an image outside of its group" },
	{ AT(ROW, fatbin_row, size), 0xffffffff, QD_E_INVALID, "offset 0x90: row 1 of a fatbin has an image outside of its group" },
	{ AT(ROW, fatbin_row, name_hash), 1, QD_E_INVALID, "offset 0x90: row 1 of a fatbin has an offset below that of the previous row" },
	{ AT(ROW, fatbin_row, name_hash), UINT64_MAX, QD_E_INVALID, "offset 0x90: row 1 of a fatbin has a hash that does not match its names" },
	{ AT(ROW, fatbin_row, size), 8, QD_E_INVALID, "kernel 'twice' for *an image with parts outside of its bounds" },
	{ AT(ROW, fatbin_row, needs), 1 << 30, QD_E_INVALID, "kernel 'twice' for *the row differs from the image" },
	{ AT(ROW, fatbin_row, shared_size), 4, QD_E_INVALID, "kernel 'twice' for *the row differs from the image" },
	{ AT(ROW, fatbin_row, local_size), 1, QD_E_INVALID, "kernel 'twice' for *the row differs from the image" },
	{ AT(ROW, fatbin_row, args_size), 1, QD_E_INVALID, "kernel 'twice' for *the row differs from the image" },
	{ AT(ROW, fatbin_row, subgroup_size), 7, QD_E_INVALID, "kernel 'twice' for *the row differs from the image" },
	{ AT(ROW, fatbin_row, kind), CODE_SPIRV, QD_E_INVALID, "kernel 'twice': the kind of code does not match target *" },
	{ AT(ROW, fatbin_row, kind), 200, QD_E_INVALID, "kernel 'twice': the kind of code does not match target *" },
	{ AT(GROUP, fatbin_group, stored), 0, QD_E_INVALID, "*group 0 of a fatbin: 0 bytes that unpack to *" },
	{ AT(GROUP, fatbin_group, raw), 0, QD_E_INVALID, "*group 0 of a fatbin: *bytes that unpack to 0" },
	{ AT(GROUP, fatbin_group, raw), UINT64_MAX, QD_E_INVALID, "*bytes that unpack to 18446744073709551615" },
	{ AT(GROUP, fatbin_group, stored), UINT64_MAX, QD_E_INVALID, "*group 0 of a fatbin: 18446744073709551615 bytes that *" },
	{ AT(GROUP, fatbin_group, codec), 7, QD_E_UNAVAILABLE, "group 0 of a fatbin is compressed by codec 7, which this library does not support" },
	{ AT(GROUP, fatbin_group, codec), FATBIN_ZSTD, QD_OK, "group 0 of a fatbin* zstd*" },
	{ AT(GROUP, fatbin_group, hash), 0, QD_E_INVALID, "group 0 of a fatbin is damaged: its checksum is wrong" },
	{ AT(ENTRY, fatbin_entry, layout_at), 0, QD_E_INVALID, "*an image with parts outside of its bounds" },
	{ AT(ENTRY, fatbin_entry, layout_at), 120, QD_E_INVALID, "*an image with parts outside of its bounds" },
	{ AT(ENTRY, fatbin_entry, layout_size), 0xffffffff, QD_E_INVALID, "*an image with parts outside of its bounds" },
	{ AT(ENTRY, fatbin_entry, code_at), 0xfffffff0, QD_E_INVALID, "*an image with parts outside of its bounds" },
	{ AT(ENTRY, fatbin_entry, code_size), 0xffffffff, QD_E_INVALID, "*an image with parts outside of its bounds" },
	{ AT(ENTRY, fatbin_entry, layout_size), 8, QD_E_INVALID, "*" },
	{ AT(META, isa_meta, version), 9, QD_E_VERSION, "*" },
	{ AT(META, isa_meta, local_size), 0, QD_E_INVALID, "*" },
	{ STRING, 0, 1, 'x', QD_E_INVALID, "*a fatbin's strings do not end in a NUL" },
};

/* Returns true if s matches the pattern, in which * matches any text. */
static bool
is_like(const char *s, const char *pattern)
{
	for (; *pattern; s++, pattern++) {
		if (*pattern == '*') {
			for (pattern++; *s && !is_like(s, pattern); s++) {
			}
			return *s || !*pattern || is_like(s, pattern);
		}
		if (*s != *pattern)
			return false;
	}
	return !*s;
}

/* Applies the change and corrects the checksums. */
static void
change(uint8_t *bytes, const struct change *c)
{
	struct fatbin_header *h = (struct fatbin_header *)(void *)bytes;
	struct fatbin_group *g = fat_group(bytes, 0);
	uint8_t *stored = fat_stored(bytes, 0);
	uint8_t *at = NULL;

	switch (c->in) {
	case HEADER: at = bytes; break;
	case ROW: at = (uint8_t *)fat_row(bytes, 1); break;
	case GROUP: at = (uint8_t *)g; break;
	case ENTRY: at = stored; break;
	case META: at = stored + offsetof(struct fatbin_entry, meta); break;
	case STRING: at = bytes + h->total_size - h->n_groups * sizeof(int64_t) - 1; break;
	}
	memset(at + c->at, 0, c->size);
	memcpy(at + c->at, &c->value, c->size < sizeof c->value ? c->size : sizeof c->value);
	if (c->in == ENTRY || c->in == META) {
		struct hash128 hash = hash_bytes(stored, (size_t)g->raw);
		memcpy(g->hash, &hash, sizeof hash);
	}
	/* With wrong sizes in the header the checksum cannot be computed, and is not reached. */
	if (c->in != HEADER)
		fat_seal(bytes);
}

/* Checks that each change is rejected with the expected error. */
static void
ill(struct unit_ctx *t)
{
	struct fatbin_options o = { .codec = FATBIN_RAW };
	struct fat_kit k;

	if (!fat_open(t, &k, true))
		return;
	for (size_t i = 0; i < QD_COUNT(changes); i++) {
		const struct change *c = &changes[i];
		struct qd_fatbin *f = NULL;
		struct qd_error e = { 0 };
		size_t size;
		uint8_t *bytes = fat_linked(t, &k, &o, &size);
		if (!bytes)
			break;
		change(bytes, c);
		qd_status st = qd_fatbin_open(k.rig.ctx, bytes, QD_LINKED, NULL, &f, &e);
		/* If it opens, read every entry; none may crash. */
		for (uint32_t n = 0; n < qd_fatbin_count(f); n++) {
			struct qd_image *img = NULL;
			struct qd_error why;
			qd_status got = qd_fatbin_image(f, n, &img, &why);
			if (got != QD_OK && st == QD_OK && !strstr(why.text, "is IR; it has no code")) {
				st = got;
				e = why;
			}
			qd_image_free(img);
		}
		const char *said = strncmp(e.text, "fatbin: ", 8) == 0 ? e.text + 8 : e.text;
		UNIT_CHECK(t, (c->st ? st == c->st : st != QD_OK) && is_like(said, c->text), "row %zu: %s: %s", i,
			   qd_status_name(st), e.text);
		qd_fatbin_free(f);
		free(bytes);
	}
	fat_close(t, &k);
}

/* -- Fixture of a linked fatbin ---------------------------------------------------------------- */

struct one {
	struct fat_kit k;
	uint8_t *bytes;
	struct qd_fatbin *f;
	struct qd_error e;
};

static void
one_close(struct unit_ctx *t, struct one *o)
{
	qd_fatbin_free(o->f);
	free(o->bytes);
	fat_close(t, &o->k);
}

/* Opens the fixture. `target`, if not NULL, replaces the target of the first image. */
static bool
one_open(struct unit_ctx *t, struct one *o, enum fatbin_codec codec, const char *target)
{
	struct fatbin_options options = { .codec = codec };
	size_t size = 0;

	*o = (struct one){ .f = NULL };
	if (!fat_open(t, &o->k, true))
		return false;
	if (target)
		o->k.item[0].target = target;
	o->bytes = fat_linked(t, &o->k, &options, &size);
	if (!o->bytes)
		one_close(t, o);
	return o->bytes != NULL;
}

/* -- Wrong kinds of input --------------------------------------------------------------------- */

/* Checks the errors for unlinked bytes and an unaligned address. */
static void
not_linked(struct unit_ctx *t)
{
	struct fatbin_header h;
	struct one o;

	if (!one_open(t, &o, FATBIN_RAW, NULL))
		return;
	memcpy(&h, o.bytes, sizeof h);
	memset(o.bytes + h.total_size - sizeof(int64_t), 0, sizeof(int64_t));
	qd_status st = qd_fatbin_open(o.k.rig.ctx, o.bytes, QD_LINKED, "kit", &o.f, &o.e);
	UNIT_CHECK(t, st == QD_E_INVALID && is_like(o.e.text, "kit: offset 0x*: a fatbin's group 5 has no address: the bytes are an unlinked object file; open the file instead"),
		   "%s", o.e.text);
	st = qd_fatbin_open(o.k.rig.ctx, o.bytes + 1, QD_LINKED, "kit", &o.f, &o.e);
	UNIT_CHECK(t, st == QD_E_INVALID && is_like(o.e.text, "kit: a fatbin's index at an odd address, 0x*"), "%s", o.e.text);
	st = qd_fatbin_open(o.k.rig.ctx, o.bytes, h.total_size, "kit", &o.f, &o.e);
	UNIT_CHECK(t, st == QD_E_INVALID && strcmp(o.e.text, "kit: the bytes are a linked fatbin: pass QD_LINKED as the size") == 0, "%s", o.e.text);
	struct qd_image *img;
	st = qd_image_load(o.k.rig.ctx, o.bytes, QD_LINKED, &img, &o.e);
	UNIT_CHECK(t, st == QD_E_INVALID && strstr(o.e.text, "a linked fatbin is not a saved image"), "%s", o.e.text);
	one_close(t, &o);
}

/* Checks that a false size of a compressed group is rejected before memory is allocated for it. */
static void
frames(struct unit_ctx *t)
{
	struct one o;
	char want[100];

	if (fatbin_auto != FATBIN_ZSTD) {
		unit_skip(t, "built without zstd");
		return;
	}
	if (!one_open(t, &o, FATBIN_ZSTD, NULL))
		return;
	struct fatbin_group *g = fat_group(o.bytes, 0);
	size_t most = o.k.rig.mem.most_out;
	snprintf(want, sizeof want, "fatbin: group 0 of a fatbin contains %llu bytes; its header states 16777216",
		 (unsigned long long)g->raw);
	g->raw = 1 << 24;
	fat_seal(o.bytes);
	UNIT_CHECK(t, !qd_fatbin_open(o.k.rig.ctx, o.bytes, QD_LINKED, NULL, &o.f, &o.e), "%s", o.e.text);
	struct fat_seen seen = fat_compare(t, &o.k, o.f, "a wrong size");
	UNIT_CHECK(t, seen.n_refused && !strcmp(seen.e.text, want), "%u: %s", seen.n_refused, seen.e.text);
	UNIT_CHECK(t, o.k.rig.mem.most_out < most + (1 << 20), "%zu bytes, before it %zu", o.k.rig.mem.most_out, most);
	one_close(t, &o);
}

/* Checks that a name longer than the limit is rejected. */
static void
long_name(struct unit_ctx *t)
{
	static char name[FATBIN_MAX_TEXT + 1];
	struct fatbin_header h;
	struct one o;

	memset(name, 'x', FATBIN_MAX_TEXT);
	if (!one_open(t, &o, FATBIN_RAW, name))
		return;
	UNIT_CHECK(t, !qd_fatbin_open(o.k.rig.ctx, o.bytes, QD_LINKED, NULL, &o.f, &o.e), "%s", o.e.text);
	qd_fatbin_free(o.f);
	o.f = NULL;
	/* Overwrite the NUL, so that the name continues with the next one. */
	memcpy(&h, o.bytes, sizeof h);
	char *strings = (char *)fat_group(o.bytes, h.n_groups);
	for (uint32_t i = 0; i < h.n_rows; i++) {
		struct fatbin_row *r = fat_row(o.bytes, i);
		if (strings[r->target] == 'x')
			strings[r->target + FATBIN_MAX_TEXT] = 'x';
	}
	fat_seal(o.bytes);
	qd_status st = qd_fatbin_open(o.k.rig.ctx, o.bytes, QD_LINKED, NULL, &o.f, &o.e);
	UNIT_CHECK(t, st == QD_E_INVALID && is_like(o.e.text, "fatbin: offset 0x*: row * of a fatbin has a name of more than 8191 bytes"),
		   "%s", st ? o.e.text : "read");
	one_close(t, &o);
}

/* -- Limits of unpacking ------------------------------------------------------------------------- */

/* Checks that the modified linked fatbin is rejected with this error. */
static void
refused(struct unit_ctx *t, struct one *o, const char *text)
{
	fat_seal(o->bytes);
	qd_status st = qd_fatbin_open(o->k.rig.ctx, o->bytes, QD_LINKED, NULL, &o->f, &o->e);
	UNIT_CHECK(t, st == QD_E_INVALID && is_like(o->e.text, text), "%s", st ? o->e.text : "read");
}

/* Checks the limit of the total unpacked size, with groups that are each within their limit. */
static void
unpacked(struct unit_ctx *t)
{
	struct fatbin_header h;
	struct one o;
	char want[200];

	if (fatbin_auto != FATBIN_ZSTD) {
		unit_skip(t, "built without zstd");
		return;
	}
	if (!one_open(t, &o, FATBIN_ZSTD, NULL))
		return;
	memcpy(&h, o.bytes, sizeof h);
	uint64_t size = h.total_size, all = 0;
	for (uint32_t i = 0; i < h.n_groups; i++) {
		size += fat_group(o.bytes, i)->stored;
		fat_group(o.bytes, i)->raw = 1 << 25;
		all += i < 3 ? 1 << 25 : 0;
	}
	snprintf(want, sizeof want,
		 "fatbin: offset 0x*: with group 2 the fatbin has %llu bytes once it is unpacked; the limit is "
		 "%llu (64 times the size of the fatbin plus 64 MiB)",
		 (unsigned long long)all, (unsigned long long)(64 * size + (64 << 20)));
	UNIT_CHECK(t, h.n_groups > 2, "%u groups", h.n_groups);
	refused(t, &o, want);
	one_close(t, &o);
}

/* Checks that rows that share an image of 16 MiB count one copy each. */
static void
shared_image(struct unit_ctx *t)
{
	struct fatbin_header h;
	struct one o;

	if (!one_open(t, &o, fatbin_auto, NULL))
		return;
	memcpy(&h, o.bytes, sizeof h);
	fat_group(o.bytes, 0)->codec = FATBIN_ZSTD;
	fat_group(o.bytes, 0)->raw = 1 << 24;
	for (uint32_t i = 0; i < h.n_rows; i++) {
		struct fatbin_row *r = fat_row(o.bytes, i);
		r->group = r->offset = 0;
		r->size = 1 << 24;
	}
	refused(t, &o, "fatbin: offset 0x*: with row * the fatbin has * bytes once it is unpacked; the limit "
		       "is * (64 times the size of the fatbin plus 64 MiB)");
	one_close(t, &o);
}

/* Checks that two groups with the same bytes are rejected, because they would be unpacked twice. */
static void
shared_group(struct unit_ctx *t)
{
	struct fatbin_header h;
	struct one o;

	if (!one_open(t, &o, fatbin_auto, NULL))
		return;
	memcpy(&h, o.bytes, sizeof h);
	uint8_t *distances = o.bytes + h.total_size - h.n_groups * sizeof(int64_t);
	int64_t d;
	memcpy(&d, distances, sizeof d);
	d -= (int64_t)sizeof d; /* relative to its own first byte */
	memcpy(distances + sizeof d, &d, sizeof d);
	refused(t, &o, "fatbin: offset 0x*: groups of a fatbin overlap");
	one_close(t, &o);
}

/* Checks that sections that overlap the index are rejected, because a small file would cause much
 * work. */
static void
over_each_other(struct unit_ctx *t)
{
	struct fatbin_options o = options(1);
	struct qd_fatbin *f = NULL;
	struct qd_error e = { 0 };
	struct fat_kit k;
	size_t size = 0;

	if (!fat_open(t, &k, true))
		return;
	uint8_t *object = fat_object(t, &k, &o, &size);
	if (object) {
		Elf64_Ehdr h;
		Elf64_Shdr s;
		memcpy(&h, object, sizeof h);
		memcpy(&s, object + h.e_shoff + sizeof s, sizeof s);
		/* Copy the section header of the index over those of the groups. */
		for (unsigned i = 2; i < h.e_shnum - 6u; i++)
			memcpy(object + h.e_shoff + i * sizeof s, &s, sizeof s);
		bool more = (h.e_shnum - 7u) * s.sh_size > size;
		qd_status st = qd_fatbin_open(k.rig.ctx, object, size, NULL, &f, &e);
		UNIT_CHECK(t, more && st == QD_E_INVALID && strstr(e.text, "offset 0x") &&
				   strstr(e.text, ": sections qd_fatbin overlap"),
			   "%u sections of %llu bytes in %zu: %s", h.e_shnum - 7u, (unsigned long long)s.sh_size, size,
			   st ? e.text : "read");
		qd_fatbin_free(f);
		/* An index at an unaligned offset. */
		f = NULL;
		uint8_t *index = object + s.sh_offset;
		memmove(index + 1, index, (size_t)s.sh_size - 1);
		index[0] = 0;
		for (unsigned i = 2; i < h.e_shnum - 6u; i++)
			memset(object + h.e_shoff + i * sizeof s, 0, sizeof s);
		st = qd_fatbin_open(k.rig.ctx, object, size, NULL, &f, &e);
		UNIT_CHECK(t, st == QD_E_INVALID && strstr(e.text, "offset 0x") &&
				   strstr(e.text, ": a fatbin's index is not aligned to 8 bytes"),
			   "%s", st ? e.text : "read");
		qd_fatbin_free(f);
	}
	free(object);
	fat_close(t, &k);
}

/* Checks the same for relocation sections of the index. */
static void
relocations_over(struct unit_ctx *t)
{
	struct fatbin_options o = options(1);
	struct qd_fatbin *f = NULL;
	struct qd_error e = { 0 };
	struct fat_kit k;
	size_t size = 0;

	if (!fat_open(t, &k, true))
		return;
	uint8_t *object = fat_object(t, &k, &o, &size);
	if (object) {
		Elf64_Ehdr h;
		memcpy(&h, object, sizeof h);
		for (unsigned i = 2; i < 5; i++) {
			Elf64_Shdr s;
			uint8_t *at = object + h.e_shoff + i * sizeof s;
			memcpy(&s, at, sizeof s);
			s.sh_type = SHT_RELA;
			s.sh_info = 1; /* the index */
			s.sh_offset = 0;
			s.sh_size = size / 2;
			memcpy(at, &s, sizeof s);
		}
		qd_status st = qd_fatbin_open(k.rig.ctx, object, size, NULL, &f, &e);
		UNIT_CHECK(t, st == QD_E_INVALID && strstr(e.text, ": relocation sections of a fatbin overlap"),
			   "%s", st ? e.text : "read");
		qd_fatbin_free(f);
	}
	free(object);
	fat_close(t, &k);
}

const struct unit units_fatbin_bad[] = {
	{ "fatbin_bad.truncated", truncated }, { "fatbin_bad.flipped", flipped }, { "fatbin_bad.linked", linked },
	{ "fatbin_bad.ill", ill },	       { "fatbin_bad.not_linked", not_linked },
	{ "fatbin_bad.long_name", long_name }, { "fatbin_bad.frames", frames },       { "fatbin_bad.over_each_other", over_each_other },
	{ "fatbin_bad.unpacked", unpacked },   { "fatbin_bad.shared_image", shared_image },
	{ "fatbin_bad.shared_group", shared_group }, { "fatbin_bad.relocations_over", relocations_over },
};
const unsigned n_units_fatbin_bad = QD_COUNT(units_fatbin_bad);
