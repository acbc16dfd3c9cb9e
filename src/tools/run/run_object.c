/* Kernels of code objects: selection of the kernel, its block, shared memory and device, and
 * values of parameters whose type the file does not contain. */
#include <stdlib.h>

#include "bundle.h"
#include "codeobject.h"
#include "jit.h"
#include "object.h"
#include "run.h"
#include "run_bundle.h"

enum { MOST_DEVICES = 64 };

size_t
run_object_in_host(struct session *s, char *bytes, size_t size)
{
	const uint8_t *data = NULL;
	uint64_t offset;
	struct qd_error ignored;
	struct arena mem;
	size_t n;

	if (!elf_is(bytes, size) || code_object_is(bytes, size))
		return size;
	arena_init(&mem, &s->ctx->pool);
	if (bundle_in_host(&mem, bytes, size, 0, &data, &n, &offset, &ignored) || !data ||
	    !bundle_is(data, n))
		data = NULL;
	else
		memmove(bytes, data, n);
	s->object.offset = data ? offset : 0;
	arena_fini(&mem);
	return data ? n : size;
}

/* Copies "gfx1100" from "emu:gfx1100:w64". Returns false if the selector names no processor. */
static bool
processor_of(const char *selector, char out[32])
{
	const char *at = selector ? strstr(selector, "gfx") : NULL;
	size_t len = at ? strcspn(at, ":") : 0;

	if (!len || len >= 32)
		return false;
	memcpy(out, at, len);
	out[len] = '\0';
	return true;
}

static const char *
wanted_device(const struct session *s)
{
	const char *env = secure_getenv("QD_DEVICE");

	return s->req->device ? s->req->device : env && *env ? env : NULL;
}

/* -- The image -------------------------------------------------------------------------- */

static qd_status
make(struct session *s, const char *kernel, struct qd_object_options *o, struct qd_image **out,
     struct qd_error *e)
{
	o->processor = s->object.processor[0] ? s->object.processor : NULL;
	return qd_image_from_object(s->ctx, s->object.bytes, s->object.size, s->object.name, kernel, o, out, e);
}

/* Selects the processor of the first device for which the bundle contains code. */
static void
choose_processor_here(struct session *s, const struct bundle *b)
{
	struct qd_device_info *all = calloc(MOST_DEVICES, sizeof *all);
	struct qd_error e;
	uint32_t n = 0;

	if (all && qd_device_list(s->ctx, all, MOST_DEVICES, &n, &e) != QD_OK)
		n = 0;
	for (uint32_t i = 0; all && i < n && i < MOST_DEVICES && !s->object.processor[0]; i++) {
		size_t len = strcspn(all[i].target, ":");
		for (uint32_t j = 0; all[i].usable && j < b->n_entries; j++) {
			const char *target = b->entries[j].target;
			if (len && strcspn(target, ":") == len && strncmp(target, all[i].target, len) == 0)
				processor_of(all[i].target, s->object.processor);
		}
	}
	free(all);
}

/* Selects the processor whose code of a bundle is run: the one in the device selector, else that
 * of the selected device, else that of an available device. */
static qd_status
choose_processor(struct session *s, struct qd_error *e)
{
	const char *wanted = wanted_device(s);
	struct qd_device *dev;
	struct arena mem;
	struct bundle b;

	if (!bundle_is(s->object.bytes, s->object.size) || processor_of(wanted, s->object.processor))
		return QD_OK;
	if (wanted) {
		QD_TRY(qd_device_open(s->ctx, wanted, &dev, e));
		processor_of(qd_device_target(dev), s->object.processor);
		qd_device_close(dev);
		return QD_OK;
	}
	arena_init(&mem, &s->ctx->pool);
	qd_status st = bundle_read(&mem, s->object.bytes, s->object.size, 0, &b, e);
	if (st == QD_OK)
		choose_processor_here(s, &b);
	arena_fini(&mem);
	return st;
}

/* Creates the image, with placeholders for the block or the shared memory that the kernel does not
 * specify. */
static qd_status
make_somehow(struct session *s, const char *kernel, bool *any_block, uint32_t *n_shared,
	     struct qd_image **out, struct qd_error *e)
{
	enum { MOST_SHARED = 16 };
	static const uint32_t sizes[MOST_SHARED] = { 0 };
	qd_status st = QD_E_INVALID;

	for (uint32_t i = 0; i < 2 * MOST_SHARED && st == QD_E_INVALID; i++) {
		struct qd_object_options o = { .block = { i % 2 }, .shared = sizes, .n_shared = i / 2 };
		struct qd_error why;
		st = make(s, kernel, &o, out, &why);
		if (!i || st == QD_OK)
			*e = why;
		*any_block = o.block[0] != 0;
		*n_shared = o.n_shared;
	}
	return st;
}

/* Reports the error and exits; if an option would help, names it. */
TOOL_NORETURN static void
refuse(struct session *s, const char *kernel, const struct qd_error *e)
{
	struct qd_image *image = NULL;
	struct qd_error ignored;
	bool any_block;
	uint32_t n_shared;
	int code = tool_report(e);

	if (bundle_is(s->object.bytes, s->object.size) && !s->object.processor[0])
		tool_message("note", "choose it with -d: a device of that processor, or for "
				     "example -d emu:gfx1100");
	if (make_somehow(s, kernel, &any_block, &n_shared, &image, &ignored) == QD_OK) {
		if (any_block && !s->req->block[0])
			tool_message("note", "set the block size with --block=N");
		if (n_shared && !s->req->n_shared)
			tool_message("note", "set the bytes with --shared=N%s",
				     n_shared == 1 ? "" : ",N");
		qd_image_free(image);
	}
	tool_quit(code);
}

TOOL_NORETURN static void
fail_in_file(const struct session *s, const struct qd_error *e)
{
	struct qd_error located = { .code = e->code };

	snprintf(located.text, sizeof located.text, "%.200s: %.800s", s->req->file, e->text);
	tool_fail(&located);
}

void
run_object_choose(struct session *s)
{
	struct request *r = s->req;
	struct qd_object_options o = { .block = { r->block[0], r->block[1], r->block[2] },
				       .shared = r->shared,
				       .n_shared = r->n_shared };
	struct qd_error e;

	if (r->tmpl.n)
		tool_usage("'%s' is a code object, whose kernels have no templates; remove '%s'",
			   r->file, r->tmpl.v[0].name);
	if (r->check)
		tool_usage("'%s' is a code object without IR, which --check needs; use --expect",
			   r->file);
	qd_status st = choose_processor(s, &e);
	if (st == QD_OK && run_objects_choose(s, &e))
		fail_in_file(s, &e);
	if (st || make(s, r->kernel, &o, &s->image, &e))
		refuse(s, r->kernel, &e);
	s->name = qd_image_kernel(s->image);
	if (!s->image->layout->n_steps && r->grid == QD_GRID)
		tool_usage("kernel '%s' has no grid loop; set the number of blocks with --grid=N",
			   s->name);
}

/* Returns the requested device, else a device with the code's processor, else its emulator. */
const char *
run_object_device(struct session *s)
{
	static char selector[96];
	struct qd_device_info *all;
	const char *want = qd_image_target(s->image);
	size_t len = strcspn(want, ":");
	struct qd_error e;
	uint32_t n = 0;

	if (wanted_device(s))
		return s->req->device;
	if (s->ptx.module)
		return run_ptx_device(s);
	snprintf(selector, sizeof selector, "emu:%.*s", (int)(len < 60 ? len : 60), want);
	all = calloc(MOST_DEVICES, sizeof *all);
	if (all && qd_device_list(s->ctx, all, MOST_DEVICES, &n, &e) == QD_OK) {
		for (uint32_t i = 0; i < n && i < MOST_DEVICES; i++) {
			if (all[i].usable && strcspn(all[i].target, ":") == len &&
			    strncmp(all[i].target, want, len) == 0) {
				snprintf(selector, sizeof selector, "%s", all[i].selector);
				break;
			}
		}
	}
	free(all);
	return selector;
}

/* -- Values ----------------------------------------------------------------------------- */

static void
read_bytes(struct value *v, const char *path)
{
	size_t size;
	char *bytes = tool_read(path, &size);

	if (size != v->info.size)
		tool_usage("%s: '%s' has %zu bytes; the parameter has %u", v->info.name, path, size,
			   v->info.size);
	v->raw = bytes;
}

/* Parses a number of the parameter's size, or reads a file of this size. */
void
run_object_value(struct value *v, const char *text)
{
	static const struct {
		uint32_t size;
		qd_type types[3];
	} rows[] = {
		{ 1, { QD_TYPE_U8, QD_TYPE_I8, QD_TYPE_U8 } },
		{ 2, { QD_TYPE_U16, QD_TYPE_I16, QD_TYPE_F16 } },
		{ 4, { QD_TYPE_U32, QD_TYPE_I32, QD_TYPE_F32 } },
		{ 8, { QD_TYPE_U64, QD_TYPE_I64, QD_TYPE_F64 } },
	};

	if (*text == '@') {
		read_bytes(v, text + 1);
		return;
	}
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		for (size_t k = 0; rows[i].size == v->info.size && k < QD_COUNT(rows[i].types); k++) {
			if (!value_parse(rows[i].types[k], text, strlen(text), &v->bits))
				return;
		}
		if (rows[i].size == v->info.size)
			tool_usage("%s: '%.60s' is not a number of %u bytes; write a number such "
				   "as 7, -7 or 0.5, or @FILE",
				   v->info.name, text, v->info.size);
	}
	tool_usage("%s: '%.60s' is not a value of %u bytes; write @FILE with a file of that size",
		   v->info.name, text, v->info.size);
}

/* -- --list ------------------------------------------------------------------------------- */

/* Creates a kernel's image for --list, with placeholders for the options that it requires;
 * `l` lists these options. */
static qd_status
make_listed(struct session *s, const char *kernel, const struct object_listing *l, struct qd_image **out,
	    struct qd_error *e)
{
	static const uint32_t sizes[MAX_PARAM] = { 0 };
	struct qd_object_options o = { .block = { l->wants_block }, .shared = sizes,
				       .n_shared = l->n_shared < MAX_PARAM ? l->n_shared : MAX_PARAM };
	struct qd_object_options none = { .n_shared = 0 };
	struct qd_error ignored;

	if (make(s, kernel, &none, out, &ignored) == QD_OK)
		return QD_OK;
	return make(s, kernel, &o, out, e);
}

/* Prints the parameters of a kernel, or the reason why it is rejected. */
static void
list_one(struct session *s, const struct code_object *object, const struct code_kernel *kernel,
	 struct arena *mem, bool first)
{
	struct object_listing l = { .n_params = 0 };
	struct qd_image *image = NULL;
	struct qd_error e = { .text = "" };
	bool json = s->req->json;

	printf(json ? "%s{\"name\":" : "%skernel ", json && !first ? "," : "");
	if (json)
		tool_json_string(stdout, kernel->name);
	else
		printf("%s\n", kernel->name);
	if (json)
		printf(",\"templates\":[],\"params\":[");
	qd_status st = object_list(object, kernel, mem, &l, &e);
	if (st == QD_OK)
		st = make_listed(s, kernel->name, &l, &image, &e);
	if (image)
		run_list_params(image, json);
	for (uint32_t i = 0; !image && i < l.n_params; i++)
		run_list_param(&l.params[i], i, json);
	bool grid = image && image->layout->n_steps,
	     foreign = !image || layout_by_slots(image->layout);
	if (json) {
		printf("]");
		if (st) {
			printf(",\"refused\":");
			tool_json_string(stdout, e.text);
		}
		printf(",\"grid_loop\":%s}", grid ? "true" : "false");
	} else if (!grid) {
		printf("  %-20s the number of blocks, because there is no grid loop\n", "--grid=N");
	}
	if (!json && foreign && l.wants_block)
		printf("  %-20s the threads of a block, which the kernel does not fix\n",
		       "--block=N");
	if (!json && foreign && l.n_shared)
		printf("  %-20s bytes of its shared memory, %u number%s\n", "--shared=N",
		       l.n_shared, l.n_shared == 1 ? "" : "s");
	if (!json && st)
		printf("  cannot be run: %s\n", e.text);
	qd_image_free(image);
}

/* Lists the kernels of all objects for one processor: the device's, or that of the first object. */
static qd_status
list_objects(struct session *s, struct arena *mem, struct qd_error *e)
{
	void *file = s->object.bytes;
	size_t size = s->object.size;
	struct run_objects all;
	uint32_t n = 0;

	if (bundle_is(file, size))
		processor_of(wanted_device(s), s->object.processor);
	QD_TRY(run_objects_read(s, mem, &all, e));
	for (uint32_t i = 0; i < all.n; i++) {
		const struct code_object *o = &all.v[i].object;
		if (all.n > 1) {
			s->object.bytes = (void *)(uintptr_t)all.v[i].data;
			s->object.size = all.v[i].size;
		}
		for (uint32_t k = 0; k < o->n_kernels; k++)
			list_one(s, o, &o->kernels[k], mem, n++ == 0);
	}
	s->object.bytes = file;
	s->object.size = size;
	return QD_OK;
}

void
run_object_list(struct session *s)
{
	struct qd_error e;
	struct arena mem;

	arena_init(&mem, &s->ctx->pool);
	if (list_objects(s, &mem, &e))
		fail_in_file(s, &e);
	arena_fini(&mem);
}
