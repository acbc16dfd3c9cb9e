/* qd_image_from_object: converts a kernel of a code object to an image. The file is untrusted:
 * each field is validated against the others. */
#include "object.h"

#include <elf.h>
#include <stdio.h>

#include "bundle.h"
#include "suggest.h"

enum {
	MAX_KERNEL_NAME = 1000, MAX_REGISTERS = 1024
};

qd_status
object_fail_at(const struct object_kernel *k, size_t meta_at, struct qd_error *err, const char *fmt,
	       ...)
{
	uint64_t at = (uint64_t)(k->k->metadata.data - k->o->elf.data) + meta_at;
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return elf_fail(&k->o->elf, at, err, "kernel '%.80s': %s", k->k->name, text);
}

/* -- Selection of object and kernel ------------------------------------------------------ */

/* Compares the processors of two targets: "gfx90a" of "gfx90a:xnack+". */
static bool
same_processor(const char *a, const char *b)
{
	size_t n = strcspn(a, ":");

	return n == strcspn(b, ":") && memcmp(a, b, n) == 0;
}

/* Finds the code object for the processor of the options in a bundle, or the only code object. */
static qd_status
find_in_bundle(struct arena *mem, const void *bytes, size_t size, const char *processor,
	       const struct bundle_entry **out, struct qd_error *err)
{
	char have[300];
	struct bundle b;

	*out = NULL;
	QD_TRY(bundle_read(mem, bytes, size, 0, &b, err));
	bundle_list_targets(&b, have, sizeof have);
	for (uint32_t i = 0; i < b.n_entries; i++) {
		const struct bundle_entry *e = &b.entries[i];
		if (!*e->target || !e->size)
			continue;
		if (processor && !same_processor(e->target, processor))
			continue;
		if (*out)
			return qd_fail(err, QD_E_INVALID, "a bundle with code for %s; %s", have,
				       processor ? "two match the requested processor"
						 : "specify the processor");
		*out = e;
	}
	if (*out)
		return QD_OK;
	return qd_fail(err, QD_E_NOT_FOUND, "a bundle without code for %s; it has: %s",
		       processor ? processor : "a device", have);
}

static qd_status
read_object(struct arena *mem, const void *bytes, size_t size, const struct qd_object_options *o,
	    struct code_object *out, struct qd_error *err)
{
	const struct bundle_entry *e;
	char text[64];

	if (!bundle_is(bytes, size)) {
		QD_TRY(code_object_read(mem, bytes, size, 0, out, err));
	} else {
		QD_TRY(find_in_bundle(mem, bytes, size, o->processor, &e, err));
		QD_TRY(code_object_read(mem, e->data, e->size, e->was_compressed ? 0 : e->offset, out,
					err));
	}
	code_object_target(out, text);
	if (o->processor && !same_processor(text, o->processor))
		return qd_fail(err, QD_E_TARGET, "code for %s, and not for %.60s", text, o->processor);
	return QD_OK;
}

/* Reports version 2, whose kernels are in another place, before no_kernel reports that there are
 * none. */
static qd_status
version_2(const struct code_object *o, struct qd_error *err)
{
	return elf_fail(&o->elf, EI_ABIVERSION, err,
			"a code object of version 2, whose arguments are described in YAML; "
			"versions 3 to 6 are supported");
}

static QD_COLD qd_status
no_kernel(const struct code_object *o, const char *name, struct qd_error *err)
{
	char have[400] = "", near[SUGGEST_LEN + 32] = "";
	struct suggest g;
	size_t n = 0;

	suggest_init(&g, name ? name : "", name ? (uint32_t)strlen(name) : 0);
	for (uint32_t i = 0; i < o->n_kernels; i++) {
		const struct code_kernel *k = &o->kernels[i];
		suggest_offer(&g, k->name, k->name_len);
		if (n < sizeof have)
			n += (size_t)snprintf(have + n, sizeof have - n, "%s%.80s", n ? ", " : "", k->name);
	}
	if (!o->n_kernels && o->version == 2)
		return version_2(o, err);
	if (!o->n_kernels)
		return qd_fail(err, QD_E_NOT_FOUND, "a code object without a kernel");
	if (!name)
		return qd_fail(err, QD_E_INVALID, "%u kernels; choose one: %s", o->n_kernels, have);
	if (*suggest_text(&g, ""))
		snprintf(near, sizeof near, "; %s", suggest_text(&g, ""));
	return qd_fail(err, QD_E_NOT_FOUND, "no kernel is named '%.80s'%s; there %s: %s", name, near,
		       o->n_kernels == 1 ? "is" : "are", have);
}

static qd_status
find_kernel(const struct code_object *o, const char *name, const struct code_kernel **out,
	    struct qd_error *err)
{
	*out = !name && o->n_kernels == 1 ? o->kernels : NULL;
	for (uint32_t i = 0; name && i < o->n_kernels && !*out; i++) {
		if (strcmp(o->kernels[i].name, name) == 0)
			*out = &o->kernels[i];
	}
	return *out ? QD_OK : no_kernel(o, name, err);
}

/* -- Validation ---------------------------------------------------------------------------- */

static qd_status
check_object(const struct code_object *o, struct qd_error *err)
{
	if (o->elf.type != ET_DYN)
		return elf_fail(&o->elf, offsetof(Elf64_Ehdr, e_type), err,
				"an unlinked object; link it with ld.lld -shared");
	if (!o->version)
		return elf_fail(&o->elf, EI_OSABI, err, "OS ABI %u; only HSA's (64) is supported",
				o->elf.os_abi);
	if (o->version == 2)
		return version_2(o, err);
	if (o->xnack == CODE_MODE_ON)
		return elf_fail(
			&o->elf, offsetof(Elf64_Ehdr, e_flags), err,
			"code for devices with page fault retry (xnack+); devices run without it");
	return QD_OK;
}

/* Checks the target in the root of the metadata against the header's. */
static qd_status
check_target(const struct code_object *o, struct qd_error *err)
{
	struct msgpack_value map, key, v;
	size_t at = msgpack_get(&o->metadata, 0, &map);
	char text[64];

	code_object_target(o, text);
	size_t len = strlen(text);
	for (uint64_t i = 0; i < map.u; i++) {
		size_t value = msgpack_get(&o->metadata, at, &key);
		msgpack_get(&o->metadata, value, &v);
		at = msgpack_skip(&o->metadata, value);
		if (!msgpack_is(&key, "amdhsa.target"))
			continue;
		if (v.kind != MSGPACK_STRING || v.size < len + 1 || v.data[v.size - len - 1] != '-' ||
		    memcmp(v.data + v.size - len, text, len) != 0)
			return elf_fail(
				&o->elf, (uint64_t)(o->metadata.data - o->elf.data) + value, err,
				"metadata: amdhsa.target is '%.*s', but the file is for %s "
				"(e_flags)",
				v.kind == MSGPACK_STRING ? (int)(v.size < 80 ? v.size : 80) : 0,
				v.data ? v.data : "", text);
	}
	return QD_OK;
}

static qd_status
check_descriptor(const struct object_kernel *k, struct qd_error *err)
{
	static const uint8_t zeros[][2] = AMD_DESCRIPTOR_ZEROS;
	const struct code_meta *m = &k->k->meta;
	const uint8_t *d = k->k->descriptor;
	uint32_t args = AMD_GET(d, kernarg_size);
	const struct {
		const char *key;
		uint64_t said, has;
	} rows[] = {
		{ ".group_segment_fixed_size", m->group_size, AMD_GET(d, group_segment_fixed_size) },
		{ ".private_segment_fixed_size", m->private_size, AMD_GET(d, private_segment_fixed_size) },
		/* Compilers before version 5 omit it from the descriptor. */
		{ ".kernarg_segment_size", m->kernarg_size, args ? args : m->kernarg_size },
		{ ".wavefront_size", m->wavefront_size, AMD_GET(d, wavefront_size32) ? 32 : 64 },
	};

	for (size_t i = 0; i < QD_COUNT(zeros); i++) {
		for (unsigned at = zeros[i][0]; at < zeros[i][1]; at++) {
			if (d[at])
				return elf_fail(&k->o->elf, k->k->descriptor_offset + at, err,
						"kernel '%.80s': reserved byte %u of its "
						"descriptor is 0x%x; it must be 0",
						k->k->name, at, d[at]);
		}
	}
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		if (rows[i].said != rows[i].has)
			return object_fail_at(k, k->k->meta_at, err,
					      "%s is %llu, but its descriptor states %llu",
					      rows[i].key, (unsigned long long)rows[i].said,
					      (unsigned long long)rows[i].has);
	}
	if (AMD_GET(d, uses_dynamic_stack))
		return elf_fail(&k->o->elf, k->k->descriptor_offset + AMD_AT_KERNEL_CODE_PROPERTIES,
				err,
				"kernel '%.80s': the size of its private memory is unknown (a "
				"dynamic stack)",
				k->k->name);
	return QD_OK;
}

static qd_status
check_numbers(const struct object_kernel *k, struct qd_error *err)
{
	const struct code_meta *m = &k->k->meta;
	const struct {
		const char *key;
		uint64_t v, most;
	} rows[] = {
		{ ".kernarg_segment_size", m->kernarg_size, LAYOUT_MAX_ARGS },
		{ ".group_segment_fixed_size", m->group_size, k->target->m.max_shared },
		{ ".max_flat_workgroup_size", m->max_workgroup, AMD_MAX_BLOCK },
		{ ".vgpr_count", m->n_vgpr, MAX_REGISTERS },
		{ ".sgpr_count", m->n_sgpr, MAX_REGISTERS },
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		if (rows[i].v > rows[i].most)
			return object_fail_at(k, k->k->meta_at, err,
					      "%s is %llu; the maximum on %s is %llu", rows[i].key,
					      (unsigned long long)rows[i].v, k->target->m.name,
					      (unsigned long long)rows[i].most);
	}
	return QD_OK;
}

/* Sets the block size: the kernel's required one, else the caller's. */
static qd_status
pick_block(struct object_kernel *k, struct qd_error *err)
{
	const uint64_t *demands = k->k->meta.workgroup;
	const uint32_t *given = k->options->block;
	bool has = demands[0] || demands[1] || demands[2], is_given = given[0] || given[1] || given[2];
	uint64_t most = k->k->meta.max_workgroup ? k->k->meta.max_workgroup : AMD_MAX_BLOCK, n = 1;

	if (!has && !is_given)
		return qd_fail(err, QD_E_INVALID,
			       "kernel '%.80s' does not state its block size (no "
			       ".reqd_workgroup_size); pass it in the options",
			       k->k->name);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t v = has ? demands[i] : given[i] ? given[i] : 1;
		uint32_t want = given[i] ? given[i] : 1;
		if (has && is_given && want != v)
			return qd_fail(err, QD_E_INVALID,
				       "kernel '%.80s' has blocks of %llu x %llu x %llu threads "
				       "(.reqd_workgroup_size); the options have %u x %u x %u",
				       k->k->name, (unsigned long long)demands[0],
				       (unsigned long long)demands[1], (unsigned long long)demands[2],
				       given[0], given[1] ? given[1] : 1, given[2] ? given[2] : 1);
		n *= v <= AMD_MAX_BLOCK ? v : AMD_MAX_BLOCK + 1;
		k->block[i] = (uint32_t)v;
	}
	if (n && n <= most)
		return QD_OK;
	return qd_fail(
		err, QD_E_LIMIT,
		"kernel '%.80s': blocks of %u x %u x %u threads; the number must be 1 to %llu%s",
		k->k->name, k->block[0], k->block[1], k->block[2], (unsigned long long)most,
		k->k->meta.max_workgroup ? " (.max_flat_workgroup_size)" : "");
}

static qd_status
pick_target(struct object_kernel *k, struct target *t, struct qd_error *err)
{
	char text[64];
	struct qd_error why;

	k->wave = AMD_GET(k->k->descriptor, wavefront_size32) ? 32 : 64;
	if (!k->o->processor)
		return elf_fail(&k->o->elf, offsetof(Elf64_Ehdr, e_flags), err,
				"e_flags 0x%x: an unknown processor", k->o->elf.flags);
	snprintf(text, sizeof text, "%s:w%u", k->o->processor, k->wave);
	k->target = t;
	if (isa_target(text, t, &why) == QD_OK && t->isa->code == CODE_AMD)
		return QD_OK;
	return elf_fail(&k->o->elf, offsetof(Elf64_Ehdr, e_flags), err,
			"code for %s in waves of %u, which is not a target of qd", k->o->processor,
			k->wave);
}

/* -- The image ------------------------------------------------------------------------------ */

static uint64_t
needs(const struct code_object *o)
{
	return (o->xnack == CODE_MODE_OFF ? ISA_AMD_XNACK_OFF : 0u) |
	       (o->sramecc == CODE_MODE_ON ? ISA_AMD_SRAMECC_ON : 0u) |
	       (o->sramecc == CODE_MODE_OFF ? ISA_AMD_SRAMECC_OFF : 0u);
}

static qd_status
make_foreign(struct qd_context *ctx, struct object_kernel *k, struct qd_image **out,
	     struct qd_error *err)
{
	const struct code_meta *m = &k->k->meta;
	struct launch_layout *d;
	struct object_memory memory;
	struct target t;

	QD_TRY(check_object(k->o, err));
	if (k->k->meta_at == SIZE_MAX)
		return qd_fail(err, QD_E_INVALID,
			       "kernel '%.80s': no metadata describes its arguments", k->k->name);
	if (k->k->name_len > MAX_KERNEL_NAME || !k->k->name_len)
		return qd_fail(err, QD_E_LIMIT,
			       "kernel '%.80s...': a name of %u characters; the limit is %u",
			       k->k->name, k->k->name_len, MAX_KERNEL_NAME);
	QD_TRY(check_target(k->o, err));
	QD_TRY(pick_target(k, &t, err));
	QD_TRY(check_descriptor(k, err));
	QD_TRY(check_numbers(k, err));
	QD_TRY(pick_block(k, err));
	k->kernarg_size = (uint32_t)m->kernarg_size;
	QD_TRY(object_describe(k, &d, err));
	QD_TRY(object_load(k, &memory, err));
	struct isa_meta meta = {
		.version = ISA_META_VERSION,
		.local_size = d->block_dim,
		.wave_size = k->wave,
		.registers = (uint32_t)m->n_vgpr,
		.wave_registers = (uint32_t)m->n_sgpr,
		.scratch_size = (uint32_t)m->private_size,
		.shared_size = k->lds_size,
		.needs = needs(k->o),
		.own = { [ISA_AMD_TEXT_AT] = memory.text_at,
			 [ISA_AMD_TEXT_SIZE] = memory.text_size,
			 [ISA_AMD_VARIABLES_AT] = memory.variables_at },
	};
	memcpy(meta.entry, k->k->name, strnlen(k->k->name, sizeof meta.entry - 1));
	struct image_parts parts = { .target = t.m.name,
				     .kind = CODE_AMD,
				     .meta = &meta,
				     .layout = d,
				     .layout_size = d->size,
				     .code = memory.bytes,
				     .code_size = memory.size };
	return jit_image_of_parts(ctx, &parts, out, err);
}

static qd_status
check_options_of_own(const struct code_kernel *k, const struct qd_object_options *o,
		     struct qd_error *err)
{
	if (!o->block[0] && !o->block[1] && !o->block[2] && !o->n_shared)
		return QD_OK;
	return qd_fail(err, QD_E_INVALID,
		       "kernel '%.80s' was compiled by qd with a fixed block and shared memory; "
		       "the options differ",
		       k->name);
}

static qd_status
make_image(struct qd_context *ctx, struct arena *mem, const void *bytes, size_t size,
	   const char *kernel, const struct qd_object_options *options, struct qd_image **out,
	   struct qd_error *err)
{
	struct object_kernel k = { .options = options, .mem = mem };
	struct image_parts own;
	struct code_object o;
	bool found;

	QD_TRY(read_object(mem, bytes, size, options, &o, err));
	QD_TRY(find_kernel(&o, kernel, &k.k, err));
	k.o = &o;
	QD_TRY(object_own(&o, k.k, mem, &own, &found, err));
	if (!found)
		return make_foreign(ctx, &k, out, err);
	QD_TRY(check_options_of_own(k.k, options, err));
	return jit_image_of_parts(ctx, &own, out, err);
}

qd_status
qd_image_from_object(struct qd_context *ctx, const void *bytes, size_t size, const char *name,
		     const char *kernel, const struct qd_object_options *options,
		     struct qd_image **out, struct qd_error *err)
{
	static const struct qd_object_options none;

	QD_CHECK_ARG(ctx, err, "the context is NULL");
	QD_CHECK_ARG(bytes, err, "bytes is NULL");
	QD_CHECK_ARG(!options || options->shared || !options->n_shared, err,
		     "the sizes of shared memory are NULL");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	*out = NULL;
	QD_CHECK_CTX(ctx, err);
	struct qd_error why = { .code = QD_OK };
	struct arena mem;
	arena_init(&mem, &ctx->pool);
	qd_status st = make_image(ctx, &mem, bytes, size, kernel, options ? options : &none, out, &why);
	arena_fini(&mem);
	if (st)
		return qd_fail(err, st, "%.200s: %.800s", name ? name : "code object", why.text);
	return QD_OK;
}

/* -- Parameters of an image's launches --------------------------------------------------------- */

const char *
qd_image_kernel(const struct qd_image *img)
{
	return img ? layout_name(img->layout) : "";
}

uint32_t
qd_image_param_count(const struct qd_image *img)
{
	return img ? img->layout->n_params : 0;
}

qd_status
qd_image_param(const struct qd_image *img, uint32_t i, struct qd_param_info *out,
	       struct qd_error *err)
{
	QD_CHECK_ARG(img, err, "the image is NULL");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	QD_CHECK_ARG(i < img->layout->n_params, err, "the kernel has fewer parameters");
	const struct launch_layout *d = img->layout;
	const struct layout_param *p = &layout_params(d)[i];
	*out = (struct qd_param_info){ .name = layout_param_name(d, i),
				       .type = (qd_type)p->type,
				       .is_buffer = p->align != 0,
				       .access = (qd_access)p->access,
				       .size = p->align ? p->size : layout_value_size(d, i) };
	return QD_OK;
}
