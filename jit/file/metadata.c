/* Reads metadata: finds and validates the note, matches its kernels with the descriptors by symbol,
 * and reads the numbers of metadata.def. */
#include "metadata.h"

#include <stddef.h>
#include <stdlib.h>

enum { NOTE_V2_METADATA = 10, NOTE_METADATA = 32 };

static const struct {
	const char *key;
	size_t field;
} numbers[] = {
#define META(key, field) { key, offsetof(struct code_meta, field) },
#include "metadata.def"
};

static bool
owned_by(const struct elf_note *n, const char *owner)
{
	size_t len = strlen(owner);

	return (n->owner_size == len || (n->owner_size == len + 1 && !n->owner[len])) &&
	       memcmp(n->owner, owner, len) == 0;
}

static qd_status
fail(const struct code_object *o, size_t at, struct qd_error *err, const char *key,
     const char *what)
{
	uint64_t offset = (uint64_t)(o->metadata.data - o->elf.data) + at;

	return elf_fail(&o->elf, offset, err, "metadata: %s is not %s", key, what);
}

static qd_status
read_workgroup(const struct code_object *o, size_t at, struct code_meta *out, struct qd_error *err)
{
	struct msgpack_value v;
	size_t next = msgpack_get(&o->metadata, at, &v);

	if (v.kind != MSGPACK_ARRAY || v.u != 3)
		return fail(o, at, err, ".reqd_workgroup_size", "a list of three");
	for (int i = 0; i < 3; i++) {
		at = next;
		next = msgpack_get(&o->metadata, at, &v);
		if (v.kind != MSGPACK_UINT)
			return fail(o, at, err, ".reqd_workgroup_size", "of numbers");
		out->workgroup[i] = v.u;
	}
	return QD_OK;
}

static qd_status
read_field(const struct code_object *o, const struct msgpack_value *key, size_t at,
	   struct code_meta *out, struct qd_error *err)
{
	struct msgpack_value v;

	if (msgpack_is(key, ".reqd_workgroup_size"))
		return read_workgroup(o, at, out, err);
	msgpack_get(&o->metadata, at, &v);
	for (size_t i = 0; i < QD_COUNT(numbers); i++) {
		if (!msgpack_is(key, numbers[i].key))
			continue;
		if (v.kind != MSGPACK_UINT)
			return fail(o, at, err, numbers[i].key, "a number");
		memcpy((char *)out + numbers[i].field, &v.u, sizeof v.u);
	}
	return QD_OK;
}

/* -- Kernels by name --------------------------------------------------------------- */

struct key {
	const char *name;
	size_t len;
	struct code_kernel *kernel;
};

static int
by_name(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	size_t len = x->len < y->len ? x->len : y->len;
	int order = memcmp(x->name, y->name, len);

	return order ? order : x->len < y->len ? -1 : x->len > y->len;
}

/* Reads the map of a kernel; its name is its symbol without ".kd". */
static qd_status
read_kernel(struct code_object *o, size_t at, struct key *keys, struct qd_error *err)
{
	struct msgpack_value map, name, v;
	struct code_meta meta = { 0 };
	struct key *found, key = { "", 0, NULL };
	size_t start = at;

	at = msgpack_get(&o->metadata, at, &map);
	if (map.kind != MSGPACK_MAP)
		return fail(o, start, err, "a kernel", "a map");
	for (uint64_t i = 0; i < map.u; i++) {
		size_t value = msgpack_get(&o->metadata, at, &name);
		if (name.kind != MSGPACK_STRING)
			return fail(o, at, err, "a key", "a text");
		msgpack_get(&o->metadata, value, &v);
		if (msgpack_is(&name, ".symbol") && v.kind == MSGPACK_STRING)
			key = (struct key){ v.data, v.size, NULL };
		QD_TRY(read_field(o, &name, value, &meta, err));
		at = msgpack_skip(&o->metadata, value);
	}
	if (key.len < 3 || memcmp(key.name + key.len - 3, ".kd", 3) != 0 || !o->n_kernels)
		return QD_OK;
	key.len -= 3;
	found = bsearch(&key, keys, o->n_kernels, sizeof *keys, by_name);
	if (found) {
		found->kernel->metadata = o->metadata;
		found->kernel->meta_at = start;
		found->kernel->meta = meta;
	}
	return QD_OK;
}

static qd_status
read_kernels(struct code_object *o, size_t at, struct key *keys, struct qd_error *err)
{
	struct msgpack_value list;
	size_t start = at;

	at = msgpack_get(&o->metadata, at, &list);
	if (list.kind != MSGPACK_ARRAY)
		return fail(o, start, err, "amdhsa.kernels", "a list");
	for (uint64_t i = 0; i < list.u; i++) {
		QD_TRY(read_kernel(o, at, keys, err));
		at = msgpack_skip(&o->metadata, at);
	}
	return QD_OK;
}

/* Reads the note o->metadata. */
static qd_status
read_root(struct code_object *o, struct key *keys, struct qd_error *err)
{
	struct msgpack_value map, name;
	size_t at = msgpack_get(&o->metadata, 0, &map);

	if (map.kind != MSGPACK_MAP)
		return fail(o, 0, err, "the whole", "a map");
	for (uint64_t i = 0; i < map.u; i++) {
		size_t value = msgpack_get(&o->metadata, at, &name);
		if (msgpack_is(&name, "amdhsa.kernels"))
			QD_TRY(read_kernels(o, value, keys, err));
		at = msgpack_skip(&o->metadata, value);
	}
	return QD_OK;
}

static qd_status
sort_kernels(struct arena *mem, struct code_object *o, struct key **out, struct qd_error *err)
{
	struct key *keys = *out = arena_alloc(mem, o->n_kernels * sizeof *keys);

	if (!keys)
		return qd_fail(err, QD_E_NOMEM, "out of memory for %u kernels", o->n_kernels);
	for (uint32_t i = 0; i < o->n_kernels; i++)
		keys[i] =
			(struct key){ o->kernels[i].name, o->kernels[i].name_len, &o->kernels[i] };
	if (o->n_kernels)
		qsort(keys, o->n_kernels, sizeof *keys, by_name);
	return QD_OK;
}

qd_status
metadata_read(struct arena *mem, struct code_object *o, struct qd_error *err)
{
	struct msgpack first = { NULL, 0 };
	struct key *keys;

	QD_TRY(sort_kernels(mem, o, &keys, err));
	for (uint32_t i = 0; i < o->elf.n_notes; i++) {
		const struct elf_note *n = &o->elf.notes[i];
		if (o->version == 2 && owned_by(n, "AMD") && n->type == NOTE_V2_METADATA) {
			o->metadata_text = (const char *)n->desc;
			o->metadata_text_size = n->desc_size;
			return QD_OK;
		}
		if (!owned_by(n, "AMDGPU") || n->type != NOTE_METADATA)
			continue;
		QD_TRY(msgpack_check(n->desc, n->desc_size, o->elf.base + n->offset, &o->metadata, err));
		QD_TRY(read_root(o, keys, err));
		if (!first.size)
			first = o->metadata;
	}
	o->metadata = first;
	return QD_OK;
}
