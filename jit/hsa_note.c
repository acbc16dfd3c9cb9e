/* The notes of code objects: metadata in MessagePack, whose keys and their meaning are
 * those of LLVM's AMDGPU usage guide, "Code Object V5 Metadata"; and qd's own. */
#include "hsa.h"

#include <elf.h>
#include <msgpack/pack.h>

#include "codeobject.h"

enum { NOTE_METADATA = 32, KERNARG_ALIGN = 8 };

static const struct {
	const char *key;
	size_t field;
} numbers[] = {
#define META(key, field) { key, offsetof(struct code_meta, field) },
#include "metadata.def"
};

/* The words behind the parameters. */
static const char *const tail_names[N_TAIL] = { [TAIL_N_BLOCKS] = "n_blocks",
						[TAIL_BLOCK_BASE] = "block_base",
						[TAIL_ZERO] = "zero",
						[TAIL_LAUNCH] = "reserved" };

/* -- Values --------------------------------------------------------------------------- */

static int
put_bytes(void *to, const char *bytes, size_t size)
{
	buf_put(to, bytes, size);
	return 0;
}

static void
put_text(msgpack_packer *p, const char *text)
{
	msgpack_pack_str_with_body(p, text, strlen(text));
}

static void
put_pair(msgpack_packer *p, const char *key, const char *text)
{
	put_text(p, key);
	put_text(p, text);
}

static void
put_number(msgpack_packer *p, const char *key, uint64_t v)
{
	put_text(p, key);
	msgpack_pack_uint64(p, v);
}

static void
put_list(msgpack_packer *p, const char *key, size_t n)
{
	put_text(p, key);
	msgpack_pack_array(p, n);
}

/* -- Arguments ------------------------------------------------------------------------ */

static void
put_value(msgpack_packer *p, const char *name, const char *part, uint32_t offset, uint32_t size)
{
	size_t len = strlen(name), more = strlen(part);

	msgpack_pack_map(p, 4);
	put_text(p, ".name");
	msgpack_pack_str(p, len + more);
	msgpack_pack_str_body(p, name, len);
	msgpack_pack_str_body(p, part, more);
	put_number(p, ".offset", offset);
	put_number(p, ".size", size);
	put_pair(p, ".value_kind", "by_value");
}

/* A buffer is two arguments: its address and the number of its elements. */
static void
put_buffer(msgpack_packer *p, const char *name, const struct description_param *param)
{
	static const char *const access[] = { [QD_ACCESS_IN] = "read_only",
					      [QD_ACCESS_OUT] = "write_only",
					      [QD_ACCESS_INOUT] = "read_write" };

	msgpack_pack_map(p, 6);
	put_pair(p, ".name", name);
	put_number(p, ".offset", param->offset);
	put_number(p, ".size", 8);
	put_pair(p, ".value_kind", "global_buffer");
	put_pair(p, ".address_space", "global");
	put_pair(p, ".actual_access", access[param->access & 3]);
	put_value(p, name, ".len", param->offset + 8u, 8);
}

static void
put_args(msgpack_packer *p, const struct description *d)
{
	const struct description_param *params = describe_params(d);
	size_t n = d->n_params + (size_t)N_TAIL;

	for (uint32_t i = 0; i < d->n_params; i++)
		n += params[i].access != 0;
	put_list(p, ".args", n);
	for (uint32_t i = 0; i < d->n_params; i++) {
		if (params[i].access)
			put_buffer(p, describe_param_name(d, i), &params[i]);
		else
			put_value(p, describe_param_name(d, i), "", params[i].offset,
				  params[i].size);
	}
	for (uint32_t i = 0; i < N_TAIL; i++)
		put_value(p, tail_names[i], "", d->tail + 4 * i, 4);
}

/* -- Kernels -------------------------------------------------------------------------- */

static void
put_kernel(msgpack_packer *p, const struct isa_object *target, const struct hsa_kernel *k)
{
	enum { RSRC1 = 48, WGP_MODE = 29, N_OTHER = 6 };
	const char *name = describe_name(k->description);
	size_t len = strlen(name);
	bool agprs = target->has & ISA_OBJECT_AGPRS, wgp = target->has & ISA_OBJECT_WGP;
	const struct code_meta meta = { .kernarg_size = k->description->args_size,
					.kernarg_align = KERNARG_ALIGN,
					.group_size = k->meta->shared_size,
					.private_size = k->meta->scratch_size,
					.wavefront_size = k->meta->wave_size,
					.n_sgpr = k->meta->wave_registers,
					.n_vgpr = k->meta->registers,
					.max_workgroup = k->meta->local_size };

	msgpack_pack_map(p, N_OTHER + QD_COUNT(numbers) - !agprs + wgp);
	put_pair(p, ".name", name);
	put_text(p, ".symbol");
	msgpack_pack_str(p, len + 3);
	msgpack_pack_str_body(p, name, len);
	msgpack_pack_str_body(p, ".kd", 3);
	for (size_t i = 0; i < QD_COUNT(numbers); i++) {
		uint64_t v;
		if (numbers[i].field == offsetof(struct code_meta, n_agpr) && !agprs)
			continue;
		memcpy(&v, (const char *)&meta + numbers[i].field, sizeof v);
		put_number(p, numbers[i].key, v);
	}
	/* The threads of a block are counted along x alone. */
	put_list(p, ".reqd_workgroup_size", 3);
	msgpack_pack_uint64(p, k->meta->local_size);
	msgpack_pack_uint64(p, 1);
	msgpack_pack_uint64(p, 1);
	put_number(p, ".uniform_work_group_size", 1);
	put_text(p, ".uses_dynamic_stack");
	msgpack_pack_false(p);
	if (wgp)
		put_number(p, ".workgroup_processor_mode", hsa_word(k, RSRC1) >> WGP_MODE & 1);
	put_args(p, k->description);
}

/* -- The note ------------------------------------------------------------------------- */

static void
put_zeros(struct buf *out, size_t n)
{
	void *at = buf_extend(out, n);

	if (at)
		memset(at, 0, n);
}

/* What the content of a note begins with, whose size is known when it is there. */
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
		uint32_t target = (uint32_t)strlen(k->target) + 1, description = k->description->size;
		struct hsa_record r = { .target_size = target,
					.description_size = description,
					.meta = *k->meta };
		r.size = (uint32_t)sizeof r + ((target + 3) & ~3u) + ((description + 3) & ~3u);
		buf_put(out, &r, sizeof r);
		buf_put(out, k->target, target);
		put_zeros(out, -target & 3);
		buf_put(out, k->description, description);
		put_zeros(out, -description & 3);
	}
	note_end(out, &note);
}

static bool
all_told(const struct hsa_kernel *kernels, uint32_t n)
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
	static const char triple[] = "amdgcn-amd-amdhsa--";
	struct open_note note = note_begin(out, "AMDGPU", NOTE_METADATA);
	msgpack_packer p;

	msgpack_packer_init(&p, out, put_bytes);
	msgpack_pack_map(&p, 3);
	put_list(&p, "amdhsa.version", 2);
	msgpack_pack_uint64(&p, 1);
	msgpack_pack_uint64(&p, hsa_version(target) - 3);
	put_text(&p, "amdhsa.target");
	msgpack_pack_str(&p, strlen(triple) + strlen(target->processor));
	msgpack_pack_str_body(&p, triple, strlen(triple));
	msgpack_pack_str_body(&p, target->processor, strlen(target->processor));
	put_list(&p, "amdhsa.kernels", n);
	for (uint32_t i = 0; i < n && !out->nomem; i++)
		put_kernel(&p, target, &kernels[i]);
	note_end(out, &note);
	if (all_told(kernels, n))
		put_own(out, kernels, n);
}
