/* Files with device code for several targets: a list of the images, then each image in a supported
 * format. Cubins contain NVIDIA's machine code, so only their kernels and sizes are listed. */
#include "dis_device.h"

#include <elf.h>

#include "codeobject.h"
#include "elffile.h"
#include "isa.h"
#include "nvfatbin.h"
#include "offload.h"

/* State of one file. */
struct walk {
	struct dis *s;
	struct arena mem;
	uint32_t n_images, n_chosen;
	struct buf names; /* targets of the images, for an error message */
};

static void
walk_begin(struct walk *w)
{
	arena_init(&w->mem, &w->s->ctx->pool);
	buf_init(&w->names, &w->s->ctx->pool);
}

static void
walk_end(struct walk *w)
{
	struct dis *s = w->s;

	if (!w->n_images)
		tool_die(EXIT_INPUT, "'%s' has no image", s->req->file);
	if (!w->n_chosen)
		tool_die(EXIT_INPUT, "'%s' has no code for %s; it has: %s", s->req->file, s->req->target,
			 w->names.nomem ? "" : buf_data(&w->names));
	buf_fini(&w->names);
	arena_fini(&w->mem);
}

void
dis_die(const char *label, const struct qd_error *e)
{
	tool_die(e->code == QD_E_UNAVAILABLE || e->code == QD_E_NOMEM ? EXIT_ENVIRONMENT : EXIT_INPUT, "'%s': %s", label, e->text);
}

static bool
lists(const struct dis *s)
{
	return s->req->view == DIS_TEXT && !s->parts;
}

bool
dis_target_is(const char *target, const char *want)
{
	size_t len = strlen(want);
	const char *colon = strchr(target, ':');

	return strcmp(want, target) == 0 ||
	       (colon && (strcmp(want, colon + 1) == 0 || (strncmp(want, target, len) == 0 && target[len] == ':')));
}

static bool
chosen(struct walk *w, const char *target)
{
	const char *want = w->s->req->target;

	buf_printf(&w->names, "%s%s", w->n_images++ ? ", " : "", target);
	bool good = !want || dis_target_is(target, want);
	w->n_chosen += good;
	return good;
}

static char *
labeled(struct walk *w, const char *target)
{
	size_t len = strlen(w->s->req->file) + strlen(target) + 2;
	char *label = arena_alloc(&w->mem, len);

	if (!label)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	snprintf(label, len, "%s:%s", w->s->req->file, target);
	return label;
}

/* -- Cubins ------------------------------------------------------------------------------ */

static bool
is_json(const struct dis *s)
{
	return s->req->view == DIS_JSON && !s->parts;
}

/* Prints a function of a cubin. n: number of functions before it. */
static void
put_function(struct dis *s, const struct elf_section *section, uint32_t n)
{
	FILE *f = s->out.file;
	const char *name = section->name + 6;

	if (is_json(s)) {
		fprintf(f, "%s\n{\"name\":", n ? "," : "");
		dis_json_name(s, name);
		fprintf(f, ",\"size\":\"%llu\"}", (unsigned long long)section->size);
	} else if (lists(s)) {
		fputs(";   ", f);
		dis_put_written(s, name);
		fprintf(f, ": %llu bytes of code\n", (unsigned long long)section->size);
	}
}

/* Lists the kernels: each has its own section of code, ".text.NAME". */
static void
list_cubin(struct walk *w, const char *label, const char *target, const uint8_t *data, size_t size, uint64_t base)
{
	FILE *f = w->s->out.file;
	struct elf_file elf;
	struct qd_error e;
	uint32_t n = 0;

	if (elf_read(&w->mem, data, size, base, &elf, &e))
		dis_die(label, &e);
	dis_choose_begin(w->s);
	for (uint32_t i = 0; i < elf.n_sections; i++) {
		if (strncmp(elf.sections[i].name, ".text.", 6) == 0)
			dis_choose(w->s, elf.sections[i].name + 6);
	}
	if (is_json(w->s)) {
		fputs(w->s->n_files++ ? ",\n{\"file\":" : "{\"file\":", f);
		tool_json_string(f, label);
		fputs(",\"target\":", f);
		if (target)
			tool_json_string(f, target);
		else
			fputs("null", f);
		fputs(",\"version\":null,\"functions\":[", f);
	}
	for (uint32_t i = 0; i < elf.n_sections; i++) {
		const struct elf_section *s = &elf.sections[i];
		if (!(s->flags & SHF_EXECINSTR) || strncmp(s->name, ".text.", 6) != 0 || !dis_wanted(w->s, s->name + 6))
			continue;
		w->s->n_shown++;
		put_function(w->s, s, n++);
	}
	if (is_json(w->s))
		fputs("]}", f);
}

bool
dis_is_cubin_in(const void *data, size_t size)
{
	const uint8_t *p = data;

	return elf_is(data, size) && size >= 20 && (p[18] | p[19] << 8) == EM_CUDA;
}

void
dis_cubin_at(struct dis *s, const char *label, const char *target, const void *data, size_t size)
{
	struct walk w = { .s = s, .n_images = 1, .n_chosen = 1 };

	walk_begin(&w);
	list_cubin(&w, label, target, data, size, 0);
	walk_end(&w);
}

void
dis_cubin(struct dis *s)
{
	struct walk w = { .s = s, .n_images = 1, .n_chosen = 1 };

	walk_begin(&w);
	if (lists(s))
		fprintf(s->out.file, "; %s: a cubin of %zu bytes\n", s->req->file, s->size);
	list_cubin(&w, s->req->file, NULL, (const uint8_t *)s->data, s->size, 0);
	walk_end(&w);
}

/* -- Images -------------------------------------------------------------------------------- */

/* Prints an image according to its content. Returns false if the format is unsupported. */
static bool
show_image(struct walk *w, const char *label, const char *target, const uint8_t *data, size_t size, uint64_t base)
{
	const uint32_t magic = size >= 20 ? (uint32_t)data[18] | (uint32_t)data[19] << 8 : 0;

	if (elf_is(data, size) && magic == EM_CUDA) {
		list_cubin(w, label, target, data, size, base);
		return true;
	}
	if (code_object_is(data, size)) {
		dis_gcn_object(w->s, label, data, size, base);
		return true;
	}
	for (uint32_t i = 0; i < isa_count; i++) {
		const struct isa *isa = isa_table[i];
		if (!isa->probe || !isa->probe(data, size))
			continue;
		(strcmp(isa->name, "ptx") == 0 ? dis_ptx : dis_spirv)(w->s, label, (const char *)data, size, NULL, NULL);
		return true;
	}
	return false;
}


/* -- CUDA ------------------------------------------------------------------------------------ */

void
dis_cuda_target(const struct nvfatbin_entry *e, char out[48])
{
	snprintf(out, 48, "%s:sm_%u", e->kind == NVFATBIN_PTX ? "ptx" : e->kind == NVFATBIN_CUBIN ? "cubin" : "?", e->sm);
}

/* PTX is a C string, which zeros follow. */
size_t
dis_cuda_size(const struct nvfatbin_entry *e, const uint8_t *data)
{
	const uint8_t *end = e->kind == NVFATBIN_PTX ? memchr(data, '\0', (size_t)e->size) : NULL;

	return end ? (size_t)(end - data) : (size_t)e->size;
}

static void
show_entry(struct walk *w, const struct nvfatbin_entry *e)
{
	FILE *f = w->s->out.file;
	const uint8_t *data;
	struct qd_error err;
	char target[48];

	dis_cuda_target(e, target);
	if (!chosen(w, target))
		return;
	if (lists(w->s)) {
		fprintf(f, "%s; %s at 0x%llx: ", w->n_chosen > 1 ? "\n" : "", target, (unsigned long long)e->offset);
		if (e->kind == NVFATBIN_PTX)
			fprintf(f, "PTX %u.%u, ", e->major, e->minor);
		fprintf(f, "%llu bytes", (unsigned long long)e->size);
		if (e->pack != PACK_NONE)
			fprintf(f, ", %zu as %s", e->stored, pack_names[e->pack]);
		fputc('\n', f);
	}
	char *label = labeled(w, target);
	if (e->kind != NVFATBIN_PTX && e->kind != NVFATBIN_CUBIN) {
		tool_message("warning",
			     "'%s': offset 0x%llx: an entry of kind %u, which is not supported",
			     label, (unsigned long long)e->offset, e->kind);
		return;
	}
	/* Frees the unpacked bytes before the next entry. */
	struct arena mem;
	arena_init(&mem, &w->s->ctx->pool);
	if (e->pack != PACK_NONE)
		dis_unpacked(w->s, e->size);
	if (nvfatbin_unpack(&mem, e, &data, &err))
		dis_die(w->s->req->file, &err);
	size_t size = dis_cuda_size(e, data);
	if (!show_image(w, label, target, data, size, e->pack == PACK_NONE ? e->offset : 0))
		tool_message("warning", "'%s': offset 0x%llx: neither PTX nor a cubin", label, (unsigned long long)e->offset);
	arena_fini(&mem);
}

static void
show_cuda(struct walk *w, const void *data, size_t size, uint64_t base)
{
	struct nvfatbin b;
	struct qd_error e;

	if (nvfatbin_read(&w->mem, data, size, base, &b, &e))
		dis_die(w->s->req->file, &e);
	if (lists(w->s))
		fprintf(w->s->out.file, "; %s: a CUDA fatbin of %u %s\n", w->s->req->file, b.n_entries,
			b.n_entries == 1 ? "entry" : "entries");
	for (uint32_t i = 0; i < b.n_entries; i++)
		show_entry(w, &b.entries[i]);
}

void
dis_cuda(struct dis *s)
{
	struct walk w = { .s = s };

	walk_begin(&w);
	show_cuda(&w, s->data, s->size, 0);
	walk_end(&w);
}

/* -- Sections of programs ------------------------------------------------------------------------ */

/* Finds a nonempty section of a 64-bit ELF file. Returns false if there is none, or if the file is
 * malformed: the reader of the whole file reports that. */
static bool
section_of(const struct dis *s, struct arena *mem, const char *name, struct elf_section *out)
{
	struct elf_file elf;
	const struct elf_section *found;

	if (!elf_is(s->data, s->size) || elf_read(mem, s->data, s->size, 0, &elf, QD_IGNORE_ERROR))
		return false;
	found = elf_section_begins(&elf, name);
	if (!found)
		return false;
	*out = *found;
	return true;
}

void
dis_cuda_host(struct dis *s)
{
	struct walk w = { .s = s };
	struct elf_section section;

	walk_begin(&w);
	if (section_of(s, &w.mem, ".nv_fatbin", &section))
		show_cuda(&w, section.data, (size_t)section.size, section.offset);
	walk_end(&w);
}

/* -- Offload binaries -------------------------------------------------------------------------------- */

static void
show_offload(struct walk *w, const void *data, size_t size, uint64_t base)
{
	FILE *f = w->s->out.file;
	struct offload o;
	struct qd_error e;

	if (offload_read(&w->mem, data, size, base, &o, &e))
		dis_die(w->s->req->file, &e);
	if (lists(w->s))
		fprintf(f, "; %s: an offload binary of %u image%s\n", w->s->req->file, o.n_images, o.n_images == 1 ? "" : "s");
	for (uint32_t i = 0; i < o.n_images; i++) {
		const struct offload_image *image = &o.images[i];
		const char *target = *image->arch ? image->arch : *image->triple ? image->triple : "?";
		if (!chosen(w, target))
			continue;
		if (lists(w->s)) {
			fputs(w->n_chosen > 1 ? "\n; " : "; ", f);
			dis_put_name(w->s, image->triple);
			fputc(' ', f);
			dis_put_name(w->s, image->arch);
			fprintf(f, " at 0x%llx: %s of %s, %zu bytes\n", (unsigned long long)image->offset,
				offload_kind_name(image->kind), offload_producer_name(image->producer), image->size);
		}
		char *label = labeled(w, target);
		if (nvfatbin_is(image->data, image->size)) {
			const char *want = w->s->req->target;
			w->s->req->target = NULL; /* -t has selected the image */
			show_cuda(w, image->data, image->size, image->offset);
			w->s->req->target = want;
		} else if (!show_image(w, label, target, image->data, image->size, image->offset)) {
			tool_message("warning", "'%s': offset 0x%llx: %s that is not supported",
				     label, (unsigned long long)image->offset,
				     offload_kind_name(image->kind));
		}
	}
}

void
dis_offload(struct dis *s)
{
	struct walk w = { .s = s };

	walk_begin(&w);
	show_offload(&w, s->data, s->size, 0);
	walk_end(&w);
}

void
dis_offload_host(struct dis *s)
{
	struct walk w = { .s = s };
	struct elf_section section;

	walk_begin(&w);
	if (section_of(s, &w.mem, ".llvm.offloading", &section))
		show_offload(&w, section.data, (size_t)section.size, section.offset);
	walk_end(&w);
}
