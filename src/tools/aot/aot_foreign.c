/* --emit=cuda-fatbin and offload-bundle: containers of other loaders.
 *
 * NVIDIA does not document CUDA's fatbin. The fields follow the output of CUDA 13's fatbinary; a
 * test compares them. The bundle follows clang's "Offload Bundler" page. */
#include "aot.h"

#include <stdlib.h>

#include "hsa.h"

/* -- CUDA's fatbin -------------------------------------------------------------------------- */

enum { KIND_PTX = 1, KIND_ELF = 2,
       HEAD = 64, HEAD_PTX = 80, OPTIONS = 0x48, FLAGS = 0x11 };

struct cuda_header {
	uint32_t magic;
	uint16_t version, header_size;
	uint64_t size;
};
_Static_assert(sizeof(struct cuda_header) == 16, "no padding");

struct cuda_entry {
	uint16_t kind, version;
	uint32_t header_size;
	uint64_t size; /* of the contents, padded to 8 */
	uint32_t compressed, options;
	uint16_t minor, major; /* for PTX: its .version; for machine code: 1.8 */
	uint32_t sm;
	uint64_t zero0, flags, zero1, uncompressed;
};
_Static_assert(sizeof(struct cuda_entry) == HEAD, "no padding");

/* Reads ".version 7.1". */
static void
read_version(const struct fatbin_item *i, struct cuda_entry *e)
{
	const char *s = i->code, *end = s + i->code_size;
	unsigned v[2] = { 0, 0 }, at = 0;

	for (; s + 9 < end && memcmp(s, ".version ", 9) != 0; s++)
		;
	for (s += 9; s < end && ((*s >= '0' && *s <= '9') || *s == '.'); s++) {
		if (*s == '.')
			at = 1;
		else
			v[at] = 10 * v[at] + (unsigned)(*s - '0');
	}
	e->major = (uint16_t)v[0];
	e->minor = (uint16_t)v[1];
}

static void
put_cuda_entry(struct buf *out, const struct fatbin_item *i, uint32_t sm)
{
	bool text = i->kind == CODE_PTX;
	uint64_t size = (i->code_size + text + 7) & ~(uint64_t)7;
	struct cuda_entry e = { .kind = text ? KIND_PTX : KIND_ELF,
				.version = 0x0101,
				.header_size = text ? HEAD_PTX : HEAD,
				.size = size,
				.options = text ? HEAD : 0,
				.major = 1,
				.minor = 8,
				.sm = sm,
				.flags = FLAGS };
	const uint64_t options[2] = { OPTIONS, 0 };
	char *at;

	if (text)
		read_version(i, &e);
	buf_put(out, &e, sizeof e);
	if (text)
		buf_put(out, options, sizeof options);
	at = buf_extend(out, size);
	if (!at)
		return;
	memset(at, 0, size);
	memcpy(at, i->code, i->code_size);
}

static void
make_cuda(struct buf *out, const struct fatbin_item *items, uint32_t n)
{
	struct cuda_header h = { .magic = 0xba55ed50, .version = 1, .header_size = sizeof h };
	uint32_t taken = 0;
	struct target t;

	buf_put(out, &h, sizeof h);
	for (uint32_t i = 0; i < n; i++) {
		if (items[i].kind != CODE_PTX && items[i].kind != CODE_CUBIN)
			continue;
		if (strcmp(items[i].kernel, items[0].kernel) != 0 ||
		    strcmp(items[i].variant, items[0].variant) != 0)
			tool_usage("CUDA's loader accepts one kernel per fatbin, but there are "
				   "several; choose one with -k and -D");
		if (isa_target(items[i].target, &t, QD_IGNORE_ERROR) == QD_OK)
			put_cuda_entry(out, &items[i], t.arch);
		taken++;
	}
	if (!taken)
		tool_usage("--emit=cuda-fatbin needs a target 'ptx' or 'cubin'");
	if (out->nomem)
		return;
	h.size = out->len - sizeof h;
	memcpy(buf_data(out), &h, sizeof h);
}

/* -- clang's bundle ----------------------------------------------------------------------------- */

#define BUNDLE_MAGIC "__CLANG_OFFLOAD_BUNDLE__"
enum { BUNDLE_ALIGN = 4096 };

struct object {
	const char *target;
	struct buf bytes;
	char id[96];
};

/* Puts the items for the first item's target in an object. */
static void
put_object(struct buf *out, struct isa_object *object, struct qd_context *ctx, const struct fatbin_item *items,
	   uint32_t n)
{
	struct hsa_kernel *kernels = calloc(n, sizeof *kernels);
	struct target t;
	struct qd_error e;
	uint32_t count = 0;

	if (!kernels)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	for (uint32_t i = 0; i < n; i++) {
		if (items[i].kind == CODE_AMD && strcmp(items[i].target, items[0].target) == 0)
			kernels[count++] = (struct hsa_kernel){ items[i].code, items[i].code_size,
								items[i].meta, items[i].layout,
								items[i].target };
	}
	if (isa_target(items[0].target, &t, &e))
		tool_fail(&e);
	t.isa->object(&t, object);
	buf_init(out, &ctx->pool);
	if (hsa_write(out, object, kernels, count, &e))
		tool_fail(&e);
	free(kernels);
}

void
aot_put_object(struct buf *out, struct qd_context *ctx, const struct fatbin_item *items, uint32_t n)
{
	struct isa_object object;

	put_object(out, &object, ctx, items, n);
}

/* Puts all kernels for the target of item `at` in one code object. */
static void
make_object(struct object *o, struct qd_context *ctx, const struct fatbin_item *items, uint32_t n,
	    uint32_t at)
{
	struct isa_object object;

	put_object(&o->bytes, &object, ctx, items + at, n - at);
	o->target = items[at].target;
	snprintf(o->id, sizeof o->id, "hipv4-amdgcn-amd-amdhsa--%.40s", object.processor);
}

static void
put_pad(struct buf *out, size_t align)
{
	static const char zeros[BUNDLE_ALIGN];

	buf_put(out, zeros, (align - out->len % align) % align);
}

/* Writes the bundle. The host's empty entry must be the first. */
static void
put_bundle(struct buf *out, const struct object *objects, uint32_t n)
{
	static const char host[] = "host-x86_64-unknown-linux-gnu-";
	uint64_t count = n + 1, at = sizeof BUNDLE_MAGIC - 1 + 8 + 24 + sizeof host - 1;

	for (uint32_t i = 0; i < n; i++)
		at += 24 + strlen(objects[i].id);
	at = (at + BUNDLE_ALIGN - 1) & ~(uint64_t)(BUNDLE_ALIGN - 1);
	buf_put(out, BUNDLE_MAGIC, sizeof BUNDLE_MAGIC - 1);
	buf_put(out, &count, sizeof count);
	const uint64_t none[3] = { at, 0, sizeof host - 1 };
	buf_put(out, none, sizeof none);
	buf_put(out, host, sizeof host - 1);
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t entry[3] = { at, objects[i].bytes.len, strlen(objects[i].id) };
		buf_put(out, entry, sizeof entry);
		buf_put(out, objects[i].id, strlen(objects[i].id));
		at = (at + objects[i].bytes.len + BUNDLE_ALIGN - 1) & ~(uint64_t)(BUNDLE_ALIGN - 1);
	}
	for (uint32_t i = 0; i < n; i++) {
		put_pad(out, BUNDLE_ALIGN);
		buf_put(out, buf_data(&objects[i].bytes), objects[i].bytes.len);
	}
}

static void
make_bundle(struct buf *out, struct qd_context *ctx, const struct fatbin_item *items, uint32_t n)
{
	struct object *objects = calloc(n, sizeof *objects);
	uint32_t count = 0;

	if (!objects)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	for (uint32_t i = 0; i < n; i++) {
		bool there = items[i].kind != CODE_AMD;
		for (uint32_t j = 0; j < count && !there; j++)
			there = strcmp(objects[j].target, items[i].target) == 0;
		if (!there)
			make_object(&objects[count++], ctx, items, n, i);
	}
	if (!count)
		tool_usage("--emit=offload-bundle needs an AMD target");
	put_bundle(out, objects, count);
	for (uint32_t i = 0; i < count; i++)
		buf_fini(&objects[i].bytes);
	free(objects);
}

void
aot_write_foreign(struct qd_context *ctx, const struct aot_request *r, const struct fatbin_item *items,
		  uint32_t n)
{
	struct tool_output o;
	struct buf out;

	buf_init(&out, &ctx->pool);
	if (r->emit == AOT_CUDA_FATBIN)
		make_cuda(&out, items, n);
	else
		make_bundle(&out, ctx, items, n);
	if (out.nomem)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	tool_output_open(&o, r->output, true, r->force);
	fwrite(buf_data(&out), 1, out.len, o.file);
	tool_output_close_later(&o);
	buf_fini(&out);
}
