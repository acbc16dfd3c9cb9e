/* Files with several code objects: the objects for a processor, and the one that has the kernel.
 * A kernel has its name in the file, "_Z3addPiPKi", and that of the source, "add(int*, int const*)"
 * or "add". */
#include <stdlib.h>

#include "bundle.h"
#include "demangle.h"
#include "run.h"
#include "run_bundle.h"

/* Returns whether the entry is for this processor, whatever its modes; NULL is any. */
static bool
is_for(const struct bundle_entry *e, const char *processor)
{
	size_t len = strcspn(e->target, ":");

	return len && e->size && (!processor || (strlen(processor) == len && strncmp(e->target, processor, len) == 0));
}

static qd_status
add_object(struct arena *mem, struct run_objects *out, const struct bundle_entry *e, struct qd_error *err)
{
	struct run_object *o = &out->v[out->n];
	enum file_kind kind = kind_probe(e->data, e->size);

	*o = (struct run_object){ .target = e->target, .data = e->data, .size = e->size,
				  .offset = e->was_compressed ? 0 : e->offset };
	if (*e->target && kind != KIND_CODE_OBJECT && kind != KIND_AMD_OBJECT)
		return qd_fail(err, QD_E_INVALID, "the entry for %s is %s%s", e->target, kind_name(kind), kind_advice(kind));
	out->n++;
	return code_object_read(mem, e->data, e->size, o->offset, &o->object, err);
}

static qd_status
read_bundle(struct session *s, struct arena *mem, struct run_objects *out, struct qd_error *err)
{
	const char *processor = s->object.processor[0] ? s->object.processor : NULL;
	struct bundle b;

	QD_TRY(bundle_read(mem, s->object.bytes, s->object.size, s->object.offset, &b, err));
	out->v = arena_alloc(mem, (b.n_entries + (size_t)1) * sizeof *out->v);
	if (!out->v)
		return qd_fail(err, QD_E_NOMEM, "out of memory for a bundle of %u entries", b.n_entries);
	for (uint32_t i = 0; i < b.n_entries; i++) {
		if (!is_for(&b.entries[i], processor))
			continue;
		if (!processor) {
			snprintf(s->object.processor, sizeof s->object.processor, "%.*s", (int)strcspn(b.entries[i].target, ":"),
				 b.entries[i].target);
			processor = s->object.processor;
		}
		QD_TRY(add_object(mem, out, &b.entries[i], err));
	}
	if (!out->n) {
		char have[300];
		bundle_list_targets(&b, have, sizeof have);
		return qd_fail(err, QD_E_NOT_FOUND, "a bundle without code for %s; it has: %s",
			       processor ? processor : "a device", have);
	}
	return QD_OK;
}

qd_status
run_objects_read(struct session *s, struct arena *mem, struct run_objects *out, struct qd_error *err)
{
	const struct bundle_entry whole = { .id = "", .target = "", .data = s->object.bytes, .size = s->object.size };

	*out = (struct run_objects){ 0 };
	if (bundle_is(s->object.bytes, s->object.size))
		return read_bundle(s, mem, out, err);
	out->v = arena_alloc(mem, sizeof *out->v);
	if (!out->v)
		return qd_fail(err, QD_E_NOMEM, "out of memory for an object");
	return add_object(mem, out, &whole, err);
}

/* -- Names -------------------------------------------------------------------------------- */

enum { MOST_LISTED = 16 };

struct choice {
	const struct run_object *object;
	const char *kernel;
	uint32_t n; /* kernels that match */
	bool differ; /* their names do */
	bool several; /* the file has several objects */
	struct buf list;
};

static void
offer(struct choice *c, const struct run_object *o, const char *kernel)
{
	if (c->n++ < MOST_LISTED) {
		buf_printf(&c->list, "%s%s%s%s", c->n > 1 ? ", " : "", kernel, *o->target ? " for " : "", o->target);
		if (c->several)
			buf_printf(&c->list, " (at offset 0x%llx)", (unsigned long long)o->offset);
	}
	c->differ |= c->kernel && strcmp(c->kernel, kernel) != 0;
	c->object = o;
	c->kernel = kernel;
}

/* Collects the kernels with the name (NULL: all). exact: only names in the file count. Devices run
 * without retries of page faults, so code that needs them counts only if there is no other. */
static void
collect(struct arena *mem, const struct run_objects *all, const char *name, bool exact, bool retries, struct choice *c)
{
	for (uint32_t i = 0; i < all->n; i++) {
		const struct code_object *o = &all->v[i].object;
		if ((o->xnack == CODE_MODE_ON) != retries)
			continue;
		for (uint32_t k = 0; k < o->n_kernels; k++) {
			const char *kernel = o->kernels[k].name;
			if (!name || (exact ? strcmp(kernel, name) == 0 : demangle_is(mem, kernel, name)))
				offer(c, &all->v[i], kernel);
		}
	}
}

static void
find(struct session *s, struct arena *mem, const struct run_objects *all, struct choice *c)
{
	const char *name = s->req->kernel;

	for (int i = 0; i < 4 && !c->n; i++)
		collect(mem, all, name, i % 2 == 0, i >= 2, c);
}

/* Ends the program if no kernel of several objects has the name, or more than one kernel has. */
static void
refuse(const struct session *s, struct arena *mem, const struct run_objects *all, struct choice *c)
{
	const char *file = s->req->file, *name = s->req->kernel, *processor = s->object.processor;
	uint32_t n = c->n;

	for (int i = 0; i < 2 && !n; i++)
		collect(mem, all, NULL, true, i == 1, c);
	buf_printf(&c->list, "%s", c->n > MOST_LISTED ? " and others" : "");
	buf_put(&c->list, "", 1);
	if (c->list.nomem)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	const char *list = buf_data(&c->list);
	if (!n && name)
		tool_usage("'%s' has no kernel '%s' for %s; it has %s", file, name, processor, list);
	if (!name)
		tool_usage("'%s' has %u kernels for %s, choose one with -k: %s", file, n, processor, list);
	tool_usage("'%s' has %u kernels '%s': %s; %s", file, n, name, list,
		   c->differ ? "give one of these names with -k" : "qd-dis --extract writes the objects to files; run one of these");
}

static char *
keep(struct session *s, const char *text)
{
	char *copy = arena_strdup(&s->names, text, strlen(text));

	if (!copy)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	return copy;
}

/* Replaces the bundle with one of its objects. */
static void
narrow(struct session *s, const struct run_object *o)
{
	char *copy = malloc(o->size), name[512];

	if (!copy)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	memcpy(copy, o->data, o->size);
	snprintf(name, sizeof name, "%.400s, object at 0x%llx", s->req->file, (unsigned long long)o->offset);
	s->object.name = keep(s, name);
	free(s->object.bytes);
	s->object.bytes = copy;
	s->object.size = o->size;
}

qd_status
run_objects_choose(struct session *s, struct qd_error *err)
{
	struct choice c = { .n = 0 };
	struct run_objects all;
	struct arena mem;

	if (bundle_is(s->object.bytes, s->object.size) && !s->object.processor[0])
		return QD_OK; /* qd_image_from_object lists the processors */
	arena_init(&mem, &s->ctx->pool);
	buf_init(&c.list, &s->ctx->pool);
	qd_status st = run_objects_read(s, &mem, &all, err);
	c.several = st == QD_OK && all.n > 1;
	if (st == QD_OK)
		find(s, &mem, &all, &c);
	if (st == QD_OK && (all.n > 1 ? c.n != 1 : c.n > 1 && s->req->kernel))
		refuse(s, &mem, &all, &c);
	if (c.n == 1) {
		s->req->kernel = keep(s, c.kernel);
		if (all.n > 1)
			narrow(s, c.object);
	}
	buf_fini(&c.list);
	arena_fini(&mem);
	return st;
}
