/* Writes the notes of code objects: metadata in MessagePack (LLVM's AMDGPU usage guide, "Code
 * Object V5 Metadata"), and qd's own note. */
#include "hsa.h"

#include <elf.h>

#include "codeobject.h"
#include "msgpack.h"

enum { NOTE_METADATA = 32, KERNARG_ALIGN = 8 };

static const struct {
	const char *key;
	size_t field;
} numbers[] = {
#define META(key, field) { key, offsetof(struct code_meta, field) },
#include "metadata.def"
};

/* Names of the words that follow the parameters. */
static const char *const tail_names[N_TAIL] = { [TAIL_N_BLOCKS] = "n_blocks",
						[TAIL_BLOCK_BASE] = "block_base",
						[TAIL_ZERO] = "zero",
						[TAIL_LAUNCH] = "reserved" };

/* -- Values --------------------------------------------------------------------------- */

static void
put_text(struct buf *out, const char *text)
{
	msgpack_put_string(out, text, "");
}

static void
put_pair(struct buf *out, const char *key, const char *text)
{
	put_text(out, key);
	put_text(out, text);
}

static void
put_number(struct buf *out, const char *key, uint64_t v)
{
	put_text(out, key);
	msgpack_put_uint(out, v);
}

static void
put_list(struct buf *out, const char *key, uint32_t n)
{
	put_text(out, key);
	msgpack_put_array(out, n);
}

/* -- Arguments ------------------------------------------------------------------------ */

static void
put_value(struct buf *out, const char *name, const char *part, uint32_t offset, uint32_t size)
{
	msgpack_put_map(out, 4);
	put_text(out, ".name");
	msgpack_put_string(out, name, part);
	put_number(out, ".offset", offset);
	put_number(out, ".size", size);
	put_pair(out, ".value_kind", "by_value");
}

/* A buffer is two arguments: its address and the number of its elements. */
static void
put_buffer(struct buf *out, const char *name, const struct layout_param *param)
{
	static const char *const access[] = { [QD_ACCESS_IN] = "read_only",
					      [QD_ACCESS_OUT] = "write_only",
					      [QD_ACCESS_INOUT] = "read_write" };

	msgpack_put_map(out, 6);
	put_pair(out, ".name", name);
	put_number(out, ".offset", param->offset);
	put_number(out, ".size", 8);
	put_pair(out, ".value_kind", "global_buffer");
	put_pair(out, ".address_space", "global");
	put_pair(out, ".actual_access", access[param->access & 3]);
	put_value(out, name, ".len", param->offset + 8u, 8);
}

static void
put_args(struct buf *out, const struct launch_layout *d)
{
	const struct layout_param *params = layout_params(d);
	uint32_t n = d->n_params + N_TAIL;

	for (uint32_t i = 0; i < d->n_params; i++)
		n += params[i].access != 0;
	put_list(out, ".args", n);
	for (uint32_t i = 0; i < d->n_params; i++) {
		if (params[i].access)
			put_buffer(out, layout_param_name(d, i), &params[i]);
		else
			put_value(out, layout_param_name(d, i), "", params[i].offset,
				  params[i].size);
	}
	for (uint32_t i = 0; i < N_TAIL; i++)
		put_value(out, tail_names[i], "", d->tail + 4 * i, 4);
}

/* -- Kernels -------------------------------------------------------------------------- */

static void
put_kernel(struct buf *out, const struct isa_object *target, const struct hsa_kernel *k)
{
	enum { N_OTHER = 6 };
	const char *name = layout_name(k->layout);
	bool agprs = target->has & ISA_OBJECT_AGPRS, wgp = target->has & ISA_OBJECT_WGP;
	const struct code_meta meta = { .kernarg_size = k->layout->args_size,
					.kernarg_align = KERNARG_ALIGN,
					.group_size = k->meta->shared_size,
					.private_size = k->meta->scratch_size,
					.wavefront_size = k->meta->wave_size,
					.n_sgpr = k->meta->wave_registers,
					.n_vgpr = k->meta->registers,
					.max_workgroup = k->meta->local_size };

	msgpack_put_map(out, N_OTHER + (uint32_t)QD_COUNT(numbers) - !agprs + wgp);
	put_pair(out, ".name", name);
	put_text(out, ".symbol");
	msgpack_put_string(out, name, ".kd");
	for (size_t i = 0; i < QD_COUNT(numbers); i++) {
		uint64_t v;
		if (numbers[i].field == offsetof(struct code_meta, n_agpr) && !agprs)
			continue;
		memcpy(&v, (const char *)&meta + numbers[i].field, sizeof v);
		put_number(out, numbers[i].key, v);
	}
	/* Blocks have only the axis x. */
	put_list(out, ".reqd_workgroup_size", 3);
	msgpack_put_uint(out, k->meta->local_size);
	msgpack_put_uint(out, 1);
	msgpack_put_uint(out, 1);
	put_number(out, ".uniform_work_group_size", 1);
	put_text(out, ".uses_dynamic_stack");
	msgpack_put_bool(out, false);
	if (wgp)
		put_number(out, ".workgroup_processor_mode", AMD_GET(k->code, workgroup_processor_mode));
	put_args(out, k->layout);
}

/* -- Notes ---------------------------------------------------------------------------- */

static void
put_zeros(struct buf *out, size_t n)
{
	void *at = buf_extend(out, n);

	if (at)
		memset(at, 0, n);
}

/* Header of a note whose size is still unknown. */
struct open_note {
	Elf64_Nhdr head;
	size_t at, start;
};

static struct open_note
note_begin(struct buf *out, const char *owner, uint32_t type)
{
	uint32_t size = (uint32_t)strlen(owner) + 1;
	struct open_note n = { .head = { .n_namesz = size, .n_type = type }, .at = out->len };

	put_zeros(out, sizeof n.head);
	buf_put(out, owner, size);
	put_zeros(out, -size & 3);
	n.start = out->len;
	return n;
}

static void
note_end(struct buf *out, struct open_note *n)
{
	if (out->nomem)
		return;
	n->head.n_descsz = (uint32_t)(out->len - n->start);
	memcpy(buf_data(out) + n->at, &n->head, sizeof n->head);
	put_zeros(out, -out->len & 3);
}

static void
put_own(struct buf *out, const struct hsa_kernel *kernels, uint32_t n)
{
	struct open_note note = note_begin(out, HSA_OWNER, HSA_NOTE_OWN);
	uint32_t head[2] = { HSA_NOTE_VERSION, n };

	buf_put(out, head, sizeof head);
	for (uint32_t i = 0; i < n && !out->nomem; i++) {
		const struct hsa_kernel *k = &kernels[i];
		uint32_t target = (uint32_t)strlen(k->target) + 1, layout = k->layout->size;
		struct hsa_record r = { .target_size = target,
					.layout_size = layout,
					.meta = *k->meta };
		r.size = (uint32_t)sizeof r + ((target + 3) & ~3u) + ((layout + 3) & ~3u);
		buf_put(out, &r, sizeof r);
		buf_put(out, k->target, target);
		put_zeros(out, -target & 3);
		buf_put(out, k->layout, layout);
		put_zeros(out, -layout & 3);
	}
	note_end(out, &note);
}

static bool
all_known(const struct hsa_kernel *kernels, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!kernels[i].target)
			return false;
	}
	return true;
}

void
hsa_note(struct buf *out, const struct isa_object *target, const struct hsa_kernel *kernels,
	 uint32_t n)
{
	struct open_note note = note_begin(out, "AMDGPU", NOTE_METADATA);

	msgpack_put_map(out, 3);
	put_list(out, "amdhsa.version", 2);
	msgpack_put_uint(out, 1);
	msgpack_put_uint(out, hsa_version(target) - 3);
	put_text(out, "amdhsa.target");
	msgpack_put_string(out, "amdgcn-amd-amdhsa--", target->processor);
	put_list(out, "amdhsa.kernels", n);
	for (uint32_t i = 0; i < n && !out->nomem; i++)
		put_kernel(out, target, &kernels[i]);
	note_end(out, &note);
	if (all_known(kernels, n))
		put_own(out, kernels, n);
}
