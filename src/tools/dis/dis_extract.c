/* --extract: writes each entry of a file with code for several targets to a file of its own. The
 * names consist of the input's name, the number of the entry, its target, and an extension for its
 * kind; other characters than letters, digits and "+-._" become "_". */
#include "dis_extract.h"

#include <errno.h>
#include <sys/stat.h>

#include "bundle.h"
#include "dis_device.h"
#include "elffile.h"
#include "nvfatbin.h"
#include "offload.h"

enum { MOST_STEM = 80, MOST_TARGET = 80 };

struct extract {
	struct dis *s;
	struct arena mem;
	uint32_t n, n_written;
	struct tool_names targets;
};

/* Extensions by kind; "bin" for all others. */
static const struct {
	enum file_kind kind;
	const char *extension;
} extensions[] = {
	{ KIND_PTX, "ptx" },	 { KIND_CUBIN, "cubin" },  { KIND_SPIRV, "spv" },    { KIND_CODE_OBJECT, "hsaco" },
	{ KIND_AMD_OBJECT, "o" }, { KIND_HOST, "o" },	   { KIND_HIP_HOST, "o" },   { KIND_CUDA_HOST, "o" },
	{ KIND_FATBIN, "o" },	 { KIND_BITCODE, "bc" },   { KIND_CUDA, "fatbin" },  { KIND_OFFLOAD, "off" },
};

static const char *
extension_of(const void *data, size_t size)
{
	enum file_kind kind = kind_probe(data, size);

	for (size_t i = 0; i < QD_COUNT(extensions); i++) {
		if (extensions[i].kind == kind)
			return extensions[i].extension;
	}
	return "bin";
}

/* Appends at most `most` characters that are safe in a file name. */
static void
put_safe(struct buf *out, const char *text, size_t most)
{
	static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-._";

	for (size_t i = 0; text[i] && i < most; i++)
		buf_put(out, strchr(safe, text[i]) ? &text[i] : "_", 1);
}

static void
put_path(struct buf *out, const struct extract *x, const char *target, const char *extension)
{
	const char *slash = strrchr(x->s->req->file, '/'), *stem = slash ? slash + 1 : x->s->req->file;

	buf_printf(out, "%s/", x->s->req->extract);
	put_safe(out, strcmp(stem, "-") == 0 ? "stdin" : stem, MOST_STEM);
	buf_printf(out, ".%u.", x->n);
	put_safe(out, target, MOST_TARGET);
	buf_printf(out, ".%s", extension);
	buf_put(out, "", 1);
	if (out->nomem)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
}

/* Writes an entry, unless -t selects others. id: the target, or another name if there is none. */
static void
write_entry(struct extract *x, const char *id, const void *data, size_t size)
{
	struct tool_output out;
	struct buf path;

	tool_names_add(&x->targets, id);
	if (x->s->req->target && !dis_target_is(id, x->s->req->target)) {
		x->n++;
		return;
	}
	buf_init(&path, &x->s->ctx->pool);
	put_path(&path, x, id, extension_of(data, size));
	tool_output_open(&out, buf_data(&path), true, true);
	fwrite(data, 1, size, out.file);
	tool_output_close_later(&out);
	tool_put_name(stdout, buf_data(&path));
	printf(": %zu bytes\n", size);
	buf_fini(&path);
	x->n++;
	x->n_written++;
}

/* -- Formats ----------------------------------------------------------------------------------- */

static void
extract_bundle(struct extract *x, const void *data, size_t size, uint64_t base)
{
	struct bundle b;
	struct qd_error e;

	if (bundle_read(&x->mem, data, size, base, &b, &e))
		dis_die(x->s->req->file, &e);
	for (uint32_t i = 0; i < b.n_entries; i++) {
		const struct bundle_entry *entry = &b.entries[i];
		if (entry->size)
			write_entry(x, *entry->target ? entry->target : entry->id, entry->data, entry->size);
	}
}

static void
extract_cuda(struct extract *x, const void *data, size_t size, uint64_t base)
{
	struct nvfatbin b;
	struct qd_error e;

	if (nvfatbin_read(&x->mem, data, size, base, &b, &e))
		dis_die(x->s->req->file, &e);
	for (uint32_t i = 0; i < b.n_entries; i++) {
		const struct nvfatbin_entry *entry = &b.entries[i];
		const uint8_t *bytes;
		struct arena mem;
		char target[48];

		dis_cuda_target(entry, target);
		arena_init(&mem, &x->s->ctx->pool);
		if (entry->pack != PACK_NONE)
			dis_unpacked(x->s, entry->size);
		if (nvfatbin_unpack(&mem, entry, &bytes, &e))
			dis_die(x->s->req->file, &e);
		write_entry(x, target, bytes, dis_cuda_size(entry, bytes));
		arena_fini(&mem);
	}
}

static void
extract_offload(struct extract *x, const void *data, size_t size, uint64_t base)
{
	struct offload o;
	struct qd_error e;

	if (offload_read(&x->mem, data, size, base, &o, &e))
		dis_die(x->s->req->file, &e);
	for (uint32_t i = 0; i < o.n_images; i++) {
		const struct offload_image *image = &o.images[i];
		if (nvfatbin_is(image->data, image->size))
			extract_cuda(x, image->data, image->size, image->offset);
		else
			write_entry(x, *image->arch ? image->arch : image->triple, image->data, image->size);
	}
}

/* -- Files --------------------------------------------------------------------------------------- */

static const struct {
	enum file_kind kind;
	const char *section; /* of a program; NULL: the whole file */
	void (*extract)(struct extract *x, const void *data, size_t size, uint64_t base);
} kinds[] = {
	{ KIND_BUNDLE, NULL, extract_bundle },	 { KIND_HIP_HOST, ".hip_fatbin", extract_bundle },
	{ KIND_CUDA, NULL, extract_cuda },	 { KIND_CUDA_HOST, ".nv_fatbin", extract_cuda },
	{ KIND_OFFLOAD, NULL, extract_offload }, { KIND_OFFLOAD_HOST, ".llvm.offloading", extract_offload },
};

static void
extract_file(struct extract *x, size_t row)
{
	const void *data = x->s->data;
	size_t size = x->s->size;
	uint64_t base = 0;
	struct elf_file elf;
	struct qd_error e;

	if (kinds[row].section) {
		if (elf_read(&x->mem, data, size, 0, &elf, &e))
			dis_die(x->s->req->file, &e);
		const struct elf_section *s = elf_section_begins(&elf, kinds[row].section);
		data = s->data; /* the probe of the kind has found it */
		size = (size_t)s->size;
		base = s->offset;
	}
	kinds[row].extract(x, data, size, base);
}

void
dis_extract(struct dis *s)
{
	struct extract x = { .s = s };
	const char *folder = s->req->extract;
	size_t row = 0;

	while (row < QD_COUNT(kinds) && kinds[row].kind != s->kind)
		row++;
	if (row == QD_COUNT(kinds))
		tool_die(EXIT_INPUT, "'%s' is %s%s; --extract writes the entries of bundles, CUDA fatbins, offload binaries, and programs "
				     "with them", s->req->file, kind_name(s->kind), kind_advice(s->kind));
	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		tool_die(EXIT_ENVIRONMENT, "cannot create the directory '%s': %s", folder, strerror(errno));
	arena_init(&x.mem, &s->ctx->pool);
	extract_file(&x, row);
	if (!x.n_written && x.n)
		tool_die(EXIT_INPUT, "'%s' has no code for %s%s", s->req->file, s->req->target, tool_names_text(&x.targets));
	if (!x.n_written)
		tool_die(EXIT_INPUT, "'%s' has no entry with bytes", s->req->file);
	tool_output_commit();
	arena_fini(&x.mem);
}
