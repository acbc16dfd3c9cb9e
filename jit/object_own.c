/* Restores kernels that qd wrote to a code object. A note of qd contains the parts of each image
 * that the object does not have elsewhere. The note is untrusted. */
#include "object.h"

#include "hsa.h"

/* A record and the parts that follow it, each padded to a multiple of 4 bytes. */
struct view {
	struct hsa_record head;
	const uint8_t *target, *layout;
};

static const struct elf_note *
find_note(const struct code_object *o)
{
	for (uint32_t i = 0; i < o->elf.n_notes; i++) {
		const struct elf_note *n = &o->elf.notes[i];
		if (n->owner_size == sizeof HSA_OWNER && n->type == HSA_NOTE_OWN &&
		    memcmp(n->owner, HSA_OWNER, sizeof HSA_OWNER) == 0)
			return n;
	}
	return NULL;
}

static qd_status
fail(const struct code_object *o, const struct elf_note *n, uint32_t at, const char *what,
     struct qd_error *err)
{
	return elf_fail(&o->elf, n->offset + at, err, "the note of qd %s", what);
}

/* Reads the record at *at and moves *at to its end. */
static qd_status
next(const struct code_object *o, const struct elf_note *n, uint32_t *at, struct view *v,
     struct qd_error *err)
{
	struct hsa_record *r = &v->head;
	uint32_t left = n->desc_size - *at;

	if (left < sizeof *r)
		return fail(o, n, *at, "is cut off", err);
	memcpy(r, n->desc + *at, sizeof *r);
	uint64_t parts = sizeof *r + ((r->target_size + UINT64_C(3)) & ~UINT64_C(3)) +
			 ((r->layout_size + UINT64_C(3)) & ~UINT64_C(3));
	if (r->zero || r->size > left || r->size != parts || !r->target_size)
		return fail(o, n, *at, "has a record with parts outside of its bounds", err);
	v->target = n->desc + *at + sizeof *r;
	v->layout = v->target + ((r->target_size + 3) & ~3u);
	if (v->target[r->target_size - 1])
		return fail(o, n, *at, "has an unterminated target", err);
	*at += r->size;
	return QD_OK;
}

/* Copies the description to aligned memory and validates it. */
static qd_status
copy_layout(const struct view *v, struct arena *mem, const struct launch_layout **out,
		 struct qd_error *err)
{
	void *to = arena_alloc(mem, v->head.layout_size ? v->head.layout_size : 1);

	if (!to)
		return qd_fail(err, QD_E_NOMEM, "out of memory for a description");
	memcpy(to, v->layout, v->head.layout_size);
	QD_TRY(layout_check(to, v->head.layout_size, err));
	*out = to;
	return QD_OK;
}

/* Restores the image, with zeros between descriptor and code. */
static qd_status
make(const struct code_object *o, const struct code_kernel *k, const struct view *v,
     const struct launch_layout *d, struct arena *mem, struct image_parts *out,
     struct qd_error *err)
{
	const struct code_function *f = &o->functions[k->function];
	uint64_t entry = HSA_ENTRY;
	struct isa_meta *meta = arena_alloc(mem, sizeof *meta);
	const struct elf_section *section = &o->elf.sections[f->section];
	const uint32_t code_size = v->head.meta.own[ISA_AMD_TEXT_SIZE], tables = v->head.meta.own[ISA_AMD_TABLES_SIZE];
	const uint64_t at = (uint64_t)(f->code - section->data), size = f->size + tables;
	uint8_t *code;
	struct target t;
	char text[64];

	if (size > section->size - at)
		return qd_fail(err, QD_E_INVALID, "kernel '%.80s': the tables after its code exceed the section", k->name);
	code = arena_zalloc(mem, HSA_ENTRY + (size_t)size);
	if (!meta || !code)
		return qd_fail(err, QD_E_NOMEM, "out of memory for kernel '%.80s'", k->name);
	*meta = v->head.meta;
	memcpy(code, k->descriptor, AMD_DESCRIPTOR_SIZE);
	memcpy(code + AMD_AT_ENTRY, &entry, sizeof entry);
	memcpy(code + AMD_IMAGE_CODE_SIZE_AT, &code_size, sizeof code_size);
	memcpy(code + HSA_ENTRY, f->code, (size_t)size);
	*out = (struct image_parts){ .target = (const char *)v->target,
				     .kind = CODE_AMD,
				     .meta = meta,
				     .layout = d,
				     .layout_size = d->size,
				     .code = code,
				     .code_size = HSA_ENTRY + (size_t)size };
	struct hsa_kernel kernel = { code, out->code_size, meta, d, out->target };
	QD_TRY(isa_meta_check(meta, err));
	QD_TRY(hsa_check(&kernel, err));
	QD_TRY(isa_target(out->target, &t, err));
	code_object_target(o, text);
	size_t len = strcspn(t.m.name, ":");
	if (t.isa->code != CODE_AMD || strlen(text) != len || memcmp(text, t.m.name, len) != 0)
		return qd_fail(err, QD_E_INVALID, "kernel '%.80s': the note of qd is for %.60s, the object for %s",
			       k->name, out->target, text);
	return QD_OK;
}

qd_status
object_own(const struct code_object *o, const struct code_kernel *k, struct arena *mem,
	   struct image_parts *out, bool *found, struct qd_error *err)
{
	const struct elf_note *n = find_note(o);
	uint32_t head[2], at = sizeof head;
	struct view v;

	*found = false;
	if (!n)
		return QD_OK;
	if (n->desc_size < sizeof head)
		return fail(o, n, 0, "is cut off", err);
	memcpy(head, n->desc, sizeof head);
	if (head[0] != HSA_NOTE_VERSION)
		return qd_fail(err, QD_E_VERSION, "the note of qd has version %u; this library reads %u",
			       head[0], (uint32_t)HSA_NOTE_VERSION);
	for (uint32_t i = 0; i < head[1]; i++) {
		const struct launch_layout *d = NULL;
		uint32_t start = at;
		QD_TRY(next(o, n, &at, &v, err));
		QD_TRY(copy_layout(&v, mem, &d, err));
		if (strcmp(layout_name(d), k->name) != 0)
			continue;
		if (o->version == 2 || k->function == CODE_NO_PLACE || layout_by_slots(d))
			return fail(o, n, start, "belongs to a kernel that qd did not compile",
				    err);
		*found = true;
		return make(o, k, &v, d, mem, out, err);
	}
	return QD_OK;
}
