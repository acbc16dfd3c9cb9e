/* Writer of code objects. The output must follow the loaders' rules, the reader must return the
 * input, and equal kernels must give equal bytes. */
#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>

#ifdef QD_HAVE_HSA
#include <libelf.h>
#endif

#include "descriptor.h"
#include "hsa_made.h"
#include "hsa_rules.h"
#include "t_object.h"

/* Returns false if there is nothing to test. */
static bool
begin(struct unit_ctx *t, struct hsa_made *m, struct buf *out)
{
	struct qd_error e = { 0 };

	if (!hsa_made_open(t, m))
		return false;
	hsa_made_for(t, m, gcn_target_find("gfx1100", 0));
	buf_init(out, &m->ctx->pool);
	qd_status st = hsa_write(out, &m->object, m->kernel, 1, &e);
	if (st == QD_OK)
		return true;
	UNIT_CHECK(t, st == QD_E_UNAVAILABLE && strstr(e.text, "-Dhsa=enabled"), "%s", e.text);
	if (st == QD_E_UNAVAILABLE)
		unit_skip(t, "built without libelf");
	buf_fini(out);
	hsa_made_close(m);
	return false;
}

static void
finish(struct hsa_made *m, struct buf *out)
{
	buf_fini(out);
	hsa_made_close(m);
}

static void
write_some(struct unit_ctx *t, const struct hsa_made *m, uint32_t n, struct buf *out)
{
	struct qd_error e = { 0 };

	out->len = 0;
	UNIT_CHECK(t, hsa_write(out, &m->object, m->kernel, n, &e) == QD_OK, "%s, %u kernels: %s",
		   m->target->name, n, e.text);
}

/* -- Reading back ---------------------------------------------------------------------- */

static void
check_meta(struct unit_ctx *t, const struct hsa_made *m, uint32_t i, const struct code_kernel *k)
{
	const struct code_meta want = { .kernarg_size = m->kernel[i].layout->args_size,
					.kernarg_align = 8,
					.group_size = m->meta[i].shared_size,
					.wavefront_size = m->target->wave,
					.n_sgpr = m->meta[i].wave_registers,
					.n_vgpr = m->meta[i].registers,
					.max_workgroup = m->meta[i].local_size,
					.workgroup = { m->meta[i].local_size, 1, 1 } };

	UNIT_CHECK(t, k->meta_at != SIZE_MAX && !memcmp(&k->meta, &want, sizeof want),
		   "%s: metadata of '%s'", m->target->name, k->name);
}

/* Checks that a kernel is unchanged except for the position of its code. */
static void
check_kernel(struct unit_ctx *t, const struct hsa_made *m, uint32_t i, const struct code_object *o)
{
	const struct code_kernel *k = &o->kernels[i];
	const struct code_function *f = &o->functions[k->function];
	const uint8_t *image = m->kernel[i].code;
	struct gcn_descriptor_field was, is;
	size_t at = 0, same = 0;

	UNIT_CHECK(t, !strcmp(k->name, layout_name(m->kernel[i].layout)),
		   "kernel %u is '%s'", i, k->name);
	UNIT_CHECK(t,
		   f->size == m->kernel[i].size - HSA_ENTRY && f->addr == k->entry &&
			   !memcmp(f->code, image + HSA_ENTRY, f->size) && k->entry % 256 == 0,
		   "%s: code of '%s'", m->target->name, k->name);
	UNIT_CHECK(t,
		   !memcmp(k->descriptor, image, 16) && !memcmp(k->descriptor + 24, image + 24, 40),
		   "%s: descriptor of '%s'", m->target->name, k->name);
	while (gcn_descriptor_next(m->target, o->version, image, &at, &was))
		same += gcn_descriptor_find(m->target, o->version, k->descriptor, was.name, &is) &&
			is.bits == was.bits;
	UNIT_CHECK(t, same > 20, "%s: %zu fields", m->target->name, same);
	check_meta(t, m, i, k);
}

static void
check_object(struct unit_ctx *t, const struct hsa_made *m, uint32_t n, const struct buf *out)
{
	struct code_object o;
	struct arena mem;
	struct qd_error e = { 0 };
	char why[HSA_WHY], target[64];
	const char *rule = hsa_rule_broken(buf_data(out), out->len, m->target, why);

	UNIT_CHECK(t, !rule, "%s, %u kernels: %s: %s", m->target->name, n, rule, why);
	arena_init(&mem, &m->ctx->pool);
	bool read = code_object_read(&mem, buf_data(out), out->len, 0, &o, &e) == QD_OK;
	UNIT_CHECK(t, read, "%s", e.text);
	if (read) {
		code_object_target(&o, target);
		UNIT_CHECK(t, !strcmp(target, m->target->name), "written for %s, read for %s",
			   m->target->name, target);
		UNIT_CHECK(t, o.version == (m->target->e_flags >> 24 ? 6 : 5), "%s: version %u",
			   target, o.version);
		UNIT_CHECK(t, o.n_kernels == n && o.n_functions == n, "%s: %u of %u kernels",
			   target, o.n_kernels, n);
		for (uint32_t i = 0; i < n && o.n_kernels == n && o.n_functions == n; i++)
			check_kernel(t, m, i, &o);
	}
	arena_fini(&mem);
}

/* Checks that loaders accept the object, and that its kernels read back unchanged. */
static void
written(struct unit_ctx *t)
{
	static struct hsa_made m;
	static const uint32_t counts[] = { 1, 3, HSA_MADE };
	const struct gcn_target *g;
	struct buf out;

	if (!begin(t, &m, &out))
		return;
	for (size_t i = 0; (g = gcn_target_at(i)); i++) {
		for (unsigned other = 0; other < (g->other_wave ? 2u : 1u); other++) {
			hsa_made_for(t, &m, gcn_target_find(g->name, other ? g->other_wave : 0));
			for (size_t n = 0; n < QD_COUNT(counts); n++) {
				write_some(t, &m, counts[n], &out);
				check_object(t, &m, counts[n], &out);
			}
		}
	}
	finish(&m, &out);
}

/* -- Reproducible output ------------------------------------------------------------------ */

struct again {
	const struct hsa_made *m;
	struct buf out;
};

static void *
write_again(void *p)
{
	struct again *a = p;

	if (hsa_write(&a->out, &a->m->object, a->m->kernel, HSA_MADE, NULL) != QD_OK)
		a->out.len = 0;
	return NULL;
}

/* Checks that the bytes depend neither on earlier contents of the buffer nor on the thread. */
static void
same_bytes(struct unit_ctx *t)
{
	static struct hsa_made m;
	struct again a = { .m = &m };
	struct buf out;
	struct pool pool;
	pthread_t thread;

	if (!begin(t, &m, &out))
		return;
	write_some(t, &m, HSA_MADE, &out);
	size_t size = out.len;
	memset(buf_extend(&out, 5), 0xa5, 5);
	UNIT_CHECK(t,
		   hsa_write(&out, &m.object, m.kernel, HSA_MADE, NULL) == QD_OK &&
			   out.len == 2 * size + 5 &&
			   !memcmp(buf_data(&out), buf_data(&out) + size + 5, size),
		   "different bytes after the entries");
	pool_init(&pool, &pool_malloc);
	buf_init(&a.out, &pool);
	if (pthread_create(&thread, NULL, write_again, &a) == 0)
		pthread_join(thread, NULL);
	UNIT_CHECK(t, a.out.len == size && !memcmp(buf_data(&out), buf_data(&a.out), size),
		   "other bytes in a thread");
	buf_fini(&a.out);
	pool_fini(&pool);
	finish(&m, &out);
}

/* -- Errors ------------------------------------------------------------------------------- */

/* Checks that invalid kernels are rejected by name. */
static void
refused(struct unit_ctx *t)
{
	/* A byte of the image's descriptor and the number added to it, or another image size. */
	static const struct {
		uint16_t at, size;
		uint8_t add;
		const char *text;
	} rows[] = {
		{ 0, HSA_ENTRY, 0,
		  "kernel 'k1': an image of 256 bytes is not a descriptor with code after byte 256; code objects contain only AMD images" },
		{ 0, HSA_ENTRY + 6, 0, "kernel 'k1': an image of 262 bytes is not a descriptor" },
		{ 0, 12, 0, "kernel 'k1': an image of 12 bytes is not a descriptor" },
		{ 16, 0, 4,
		  "kernel 'k1': an image of * bytes does not have its entry point at byte "
		  "256" },
		{ 22, 0, 1, "kernel 'k1': an image of * bytes does not have its entry point" },
		{ 255, 0, 1,
		  "kernel 'k1': an image of * bytes has data between descriptor and code" },
		{ 0, 0, 4,
		  "kernel 'k1': its descriptor states 772 bytes of shared memory, the record of the image 768" },
		{ 4, 0, 16,
		  "kernel 'k1': its descriptor states 16 bytes of scratch memory, the record of the image 0" },
		{ 8, 0, 8,
		  "kernel 'k1': its descriptor states 72 bytes of arguments, the record of the image 64" },
		{ 57, 0, 252,
		  "kernel 'k1': its descriptor states 64 lanes of a wave, the record of the image 32" },
	};
	static struct hsa_made m;
	struct buf out;

	if (!begin(t, &m, &out))
		return;
	size_t len = out.len;
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct hsa_kernel *k = &m.kernel[1];
		uint8_t *byte = (uint8_t *)m.code[1] + rows[i].at;
		size_t size = k->size, text = strcspn(rows[i].text, "*");
		struct qd_error e = { 0 };
		k->size = rows[i].size ? rows[i].size : size;
		*byte = (uint8_t)(*byte + rows[i].add);
		qd_status st = hsa_write(&out, &m.object, m.kernel, 3, &e);
		*byte = (uint8_t)(*byte - rows[i].add);
		k->size = size;
		const char *rest = rows[i].text[text] ? rows[i].text + text + 1 : "";
		UNIT_CHECK(t,
			   st == QD_E_INVALID && !strncmp(e.text, rows[i].text, text) &&
				   strstr(e.text, rest) && out.len == len,
			   "row %zu: '%s'", i, e.text);
	}
	struct qd_error e = { 0 };
	UNIT_CHECK(t, hsa_write(&out, &m.object, m.kernel, 0, &e) == QD_E_INVALID && out.len == len,
		   "no kernel: '%s'", e.text);
	const struct hsa_kernel twice[] = { m.kernel[4], m.kernel[2], m.kernel[4] };
	UNIT_CHECK(t,
		   hsa_write(&out, &m.object, twice, 3, &e) == QD_E_INVALID && out.len == len &&
			   !strcmp(e.text, "two kernels need the symbol 'k4' in one code object; rename one, or write it to a separate object"),
		   "one name twice: '%s'", e.text);
	finish(&m, &out);
}

/* Checks that the sizes of code and tables in the record must agree with the image. */
static void
sizes(struct unit_ctx *t)
{
	/* Added to correct values for 8 bytes of tables. */
	static const struct {
		uint32_t in_image, own[ISA_N_OWN];
		bool none; /* instead: no tables */
	} rows[] = {
		{ 0, { 0 }, false },		      { 0, { 0 }, true },
		{ 4, { 0 }, false },		      { 0, { [ISA_AMD_TEXT_AT] = 4 }, false },
		{ 0, { [ISA_AMD_VARIABLES_AT] = 256 }, false }, { 0, { [ISA_AMD_TABLES_SIZE] = 4 }, false },
		{ 4, { [ISA_AMD_TEXT_SIZE] = 4 }, false },
		{ 2, { [ISA_AMD_TEXT_SIZE] = 2, [ISA_AMD_TABLES_SIZE] = UINT32_MAX - 1 }, false },
		{ 12, { [ISA_AMD_TEXT_SIZE] = 12, [ISA_AMD_TABLES_SIZE] = UINT32_MAX - 11 }, false },
		{ 0, { [ISA_AMD_TABLES_SIZE] = 8 }, true },
	};
	static struct hsa_made m;
	struct buf out;

	if (!begin(t, &m, &out))
		return;
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		uint32_t code = (uint32_t)(m.kernel[1].size - HSA_ENTRY - 8);
		uint32_t right[ISA_N_OWN] = { [ISA_AMD_TEXT_AT] = HSA_ENTRY, [ISA_AMD_TEXT_SIZE] = code, [ISA_AMD_TABLES_SIZE] = 8 };
		uint32_t *in_image = &m.code[1][AMD_IMAGE_CODE_SIZE_AT / 4];
		struct qd_error e = { 0 };

		for (uint32_t j = 0; j < ISA_N_OWN; j++)
			m.meta[1].own[j] = (rows[i].none ? 0 : right[j]) + rows[i].own[j];
		*in_image = (rows[i].none ? 0 : code) + rows[i].in_image;
		qd_status st = hsa_write(&out, &m.object, m.kernel, 3, &e);
		UNIT_CHECK(t, i < 2 ? st == QD_OK : st == QD_E_INVALID && strstr(e.text, "does not have the code and the tables that its record states"),
			   "row %zu: %s: '%s'", i, qd_status_name(st), e.text);
	}
	finish(&m, &out);
}

/* Checks that each failed allocation is reported, without leaks or partial output. */
static void
no_memory(struct unit_ctx *t)
{
	static struct hsa_made m;
	struct unit_alloc a;
	struct buf unused;
	bool done = false;

	if (!begin(t, &m, &unused))
		return;
	for (size_t n = 1; n < 200 && !done; n++) {
		unit_alloc_init(&a);
		struct qd_allocator hooks = unit_alloc_hooks(&a);
		struct qd_error e = { 0 };
		struct pool pool;
		struct buf out;
		a.fail_at = n;
		a.fail_on = true;
		pool_init(&pool, &hooks);
		buf_init(&out, &pool);
		qd_status st = hsa_write(&out, &m.object, m.kernel, HSA_MADE, &e);
		done = st == QD_OK;
		UNIT_CHECK(t, done || (st == QD_E_NOMEM && !out.len), "allocation %zu: %s", n,
			   e.text);
		UNIT_CHECK(t, !done || n > 10, "only %zu allocations", n);
		buf_fini(&out);
		pool_fini(&pool);
		UNIT_CHECK(t, !a.n_out, "allocation %zu: %zu blocks are lost", n, a.n_out);
		unit_alloc_fini(&a);
	}
	UNIT_CHECK(t, done, "never written");
	finish(&m, &unused);
}

/* Checks the error if no file can be opened. */
static void
no_file(struct unit_ctx *t)
{
	static struct hsa_made m;
	struct rlimit was, none;
	struct qd_error e = { 0 };
	struct buf out;

	if (!begin(t, &m, &out))
		return;
	size_t len = out.len;
	getrlimit(RLIMIT_NOFILE, &was);
	none = (struct rlimit){ 0, was.rlim_max };
	setrlimit(RLIMIT_NOFILE, &none);
	qd_status st = hsa_write(&out, &m.object, m.kernel, 3, &e);
	setrlimit(RLIMIT_NOFILE, &was);
	UNIT_CHECK(t,
		   st == QD_E_IO && out.len == len &&
			   !strncmp(e.text, "no memory file for a code object: ", 34),
		   "'%s'", e.text);
	finish(&m, &out);
}

/* -- Injected violations of the rules -------------------------------------------------------- */

enum where { FILE_AT, SEGMENT, HEADER, IN, END, TEXT_IN_NOTE };
struct inject {
	const char *rule;
	enum where where;
	const char *name; /* section, or text to search in the note */
	unsigned at;	  /* offset from there; for a segment, 100 * index + offset */
	unsigned size;	  /* of the number to change */
	int64_t add;
};
#define OF(type, field) offsetof(type, field), sizeof((type *)0)->field

static const struct inject injects[] = {
	{ "header", FILE_AT, "", EI_OSABI, 1, -1 },
	{ "header", FILE_AT, "", EI_ABIVERSION, 1, -1 },
	{ "header", FILE_AT, "", OF(Elf64_Ehdr, e_type), -1 },
	{ "header", FILE_AT, "", OF(Elf64_Ehdr, e_machine), 1 },
	{ "header", FILE_AT, "", OF(Elf64_Ehdr, e_flags), 5 },
	{ "sections", FILE_AT, "", OF(Elf64_Ehdr, e_shnum), -1 },
	{ "sections", HEADER, ".text", OF(Elf64_Shdr, sh_addralign), 0x1000 - 256 },
	{ "sections", HEADER, ".text", OF(Elf64_Shdr, sh_size), 0x10000 },
	{ "sections", HEADER, ".note", OF(Elf64_Shdr, sh_type), SHT_RELA - SHT_NOTE },
	{ "sections", IN, ".strtab", 0, 1, 1 },
	{ "loads", SEGMENT, "", 200 + offsetof(Elf64_Phdr, p_vaddr), 8, 0x100 },
	{ "loads", SEGMENT, "", 200 + offsetof(Elf64_Phdr, p_vaddr), 8, -0x1000 },
	{ "loads", SEGMENT, "", 100 + offsetof(Elf64_Phdr, p_flags), 4, PF_X },
	{ "loads", SEGMENT, "", 200 + offsetof(Elf64_Phdr, p_flags), 4, PF_W },
	{ "loads", SEGMENT, "", 300 + offsetof(Elf64_Phdr, p_filesz), 8, 8 },
	{ "mapped", HEADER, ".text", OF(Elf64_Shdr, sh_addr), 0x100 },
	{ "mapped", HEADER, ".rodata", OF(Elf64_Shdr, sh_flags), SHF_WRITE },
	{ "segments", SEGMENT, "", 500 + offsetof(Elf64_Phdr, p_flags), 4, PF_X },
	{ "segments", SEGMENT, "", 600 + offsetof(Elf64_Phdr, p_vaddr), 8, 4 },
	{ "segments", SEGMENT, "", offsetof(Elf64_Phdr, p_filesz), 8, -56 },
	{ "dynamic", IN, ".dynamic", 8, 8, 24 },
	{ "dynamic", IN, ".dynamic", 5 * 16, 8, DT_SONAME },
	{ "dynamic", IN, ".dynamic", 3 * 16, 8, 1 },
	{ "symbols", HEADER, ".symtab", OF(Elf64_Shdr, sh_info), 1 },
	{ "dynamic", HEADER, ".dynsym", OF(Elf64_Shdr, sh_link), 1 },
	{ "symbols", IN, ".symtab", 24 + offsetof(Elf64_Sym, st_name), 4, 0x10000 },
	{ "symbols", IN, ".symtab", 24 + offsetof(Elf64_Sym, st_shndx), 2, 60 },
	{ "symbols", IN, ".dynsym", 24 + offsetof(Elf64_Sym, st_info), 1, -0x10 },
	{ "hash", IN, ".dynstr", 1, 1, 1 },
	{ "hash", IN, ".hash", 0, 4, -1 },
	{ "note", IN, ".note", OF(Elf64_Nhdr, n_type), -1 },
	{ "note", IN, ".note", OF(Elf64_Nhdr, n_descsz), -8 },
	{ "note", IN, ".note", 12, 1, 1 },
	{ "note", IN, ".note", 20, 1, 0x40 },
	{ "metadata", TEXT_IN_NOTE, "amdhsa.version", 16, 1, 1 },
	{ "metadata", TEXT_IN_NOTE, "amdhsa--gfx1100", 14, 1, 1 },
	{ "metadata", TEXT_IN_NOTE, "amdhsa.kernels", 0, 1, 1 },
	{ "kernels", TEXT_IN_NOTE, ".symbol", 1, 1, 1 },
	{ "kernels", TEXT_IN_NOTE, "k0.kd", 0, 1, 1 },
	{ "kernels", TEXT_IN_NOTE, ".kernarg_segment_size", 21, 1, 8 },
	{ "kernels", TEXT_IN_NOTE, ".kernarg_segment_align", 22, 1, -4 },
	{ "kernels", TEXT_IN_NOTE, ".group_segment_fixed_size", 25, 1, 1 },
	{ "kernels", TEXT_IN_NOTE, ".max_flat_workgroup_size", 24, 1, -64 },
	{ "kernels", TEXT_IN_NOTE, ".wavefront_size", 15, 1, 32 },
	{ "kernels", TEXT_IN_NOTE, ".vgpr_count", 1, 1, 1 },
	{ "kernels", TEXT_IN_NOTE, ".offset", 7, 1, 4 },
	{ "kernels", TEXT_IN_NOTE, "global_buffer", 0, 1, 1 },
	{ "kernels", IN, ".symtab", 24 + offsetof(Elf64_Sym, st_other), 1, -1 },
	{ "kernels", IN, ".dynsym", 48 + offsetof(Elf64_Sym, st_size), 8, 8 },
	{ "kernels", IN, ".strtab", 1, 1, 1 },
	{ "kernels", IN, ".rodata", 16, 8, 256 },
	{ "kernels", IN, ".rodata", 30, 1, 1 },
	{ "kernels", IN, ".rodata", 52, 4, 1 << 15 },
	{ "kernels", IN, ".rodata", 48, 4, 1 << 20 },
	{ "kernels", IN, ".rodata", 8, 4, 8 },
	{ "padding", IN, ".symtab", 24 + offsetof(Elf64_Sym, st_size), 8, 64 },
	{ "padding", END, ".text", 4, 4, -1 },
};

/* Returns the byte that the row names, or NULL. */
static uint8_t *
find(const struct inject *p, uint8_t *bytes, size_t size)
{
	Elf64_Ehdr h;
	Elf64_Shdr s, names;

	memcpy(&h, bytes, sizeof h);
	memcpy(&names, bytes + h.e_shoff + h.e_shstrndx * sizeof s, sizeof names);
	if (p->where == FILE_AT)
		return bytes + p->at;
	if (p->where == SEGMENT)
		return bytes + h.e_phoff + p->at / 100 * sizeof(Elf64_Phdr) + p->at % 100;
	if (p->where == TEXT_IN_NOTE) {
		for (size_t i = 0; i + 32 < size; i++) {
			if (!memcmp(bytes + i, p->name, strlen(p->name)))
				return bytes + i + p->at;
		}
		return NULL;
	}
	for (unsigned i = 1; i < h.e_shnum; i++) {
		uint8_t *header = bytes + h.e_shoff + i * sizeof s;
		memcpy(&s, header, sizeof s);
		if (strcmp((char *)bytes + names.sh_offset + s.sh_name, p->name) != 0)
			continue;
		return p->where == HEADER ? header + p->at
		       : p->where == END  ? bytes + s.sh_offset + s.sh_size - p->at
					  : bytes + s.sh_offset + p->at;
	}
	return NULL;
}

/* Checks that each violation is reported by its rule. */
static void
injected(struct unit_ctx *t)
{
	static struct hsa_made m;
	struct buf out;

	if (!begin(t, &m, &out))
		return;
	uint8_t *bytes = (uint8_t *)buf_data(&out);
	for (size_t i = 0; i < QD_COUNT(injects); i++) {
		const struct inject *p = &injects[i];
		uint8_t *at = find(p, bytes, out.len);
		char why[HSA_WHY] = "";
		uint64_t was = 0, is;
		UNIT_CHECK(t, at, "row %zu: no '%s'", i, p->name);
		if (!at)
			continue;
		memcpy(&was, at, p->size);
		is = was + (uint64_t)p->add;
		memcpy(at, &is, p->size);
		const char *rule = hsa_rule_broken(bytes, out.len, m.target, why);
		memcpy(at, &was, p->size);
		UNIT_CHECK(t, rule && !strcmp(rule, p->rule), "row %zu, %s%s: %s%s%s", i, p->rule,
			   p->name, rule ? rule : "nothing", rule ? ": " : "", why);
	}
	finish(&m, &out);
}

/* -- Other readers ---------------------------------------------------------------------------- */

/* Reads damaged output. */
static void
damaged(struct unit_ctx *t)
{
	static struct hsa_made m;
	struct object_flips n = { 0, 0 };
	struct buf out;

	if (!begin(t, &m, &out))
		return;
	const struct object_fixture f = { "written", (uint8_t *)buf_data(&out), out.len };
	object_truncate(t, &f);
	object_flip(t, &f, &n);
	UNIT_CHECK(t, n.n_read > 100 && n.n_refused > 100, "%u read, %u refused", n.n_read,
		   n.n_refused);
	finish(&m, &out);
}

#ifdef QD_HAVE_HSA
/* Reads each section with libelf: its name and its contents, and each row of a table. Returns their
 * number, or 0 after an error. */
static unsigned
walk_elf(Elf *elf, size_t names)
{
	unsigned n = 0;

	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
		Elf64_Shdr *h = elf64_getshdr(s);
		Elf_Data *d = elf_getdata(s, NULL);
		if (!h || !d || d->d_size != h->sh_size || !elf_strptr(elf, names, h->sh_name))
			return 0;
		for (size_t at = 0; h->sh_type == SHT_SYMTAB && at < d->d_size;
		     at += sizeof(Elf64_Sym)) {
			const Elf64_Sym *sym = (const Elf64_Sym *)((const char *)d->d_buf + at);
			if (!elf_strptr(elf, h->sh_link, sym->st_name))
				return 0;
		}
		n++;
	}
	return n;
}
#endif

/* Checks that libelf accepts the output. */
static void
libelf_reads(struct unit_ctx *t)
{
#ifdef QD_HAVE_HSA
	static struct hsa_made m;
	struct buf out;
	size_t names = 0, n_segments = 0;

	if (!begin(t, &m, &out))
		return;
	write_some(t, &m, HSA_MADE, &out);
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory(buf_data(&out), out.len);
	bool good = elf && elf_kind(elf) == ELF_K_ELF && elf_getshdrstrndx(elf, &names) == 0 &&
		    elf_getphdrnum(elf, &n_segments) == 0 && elf64_getphdr(elf) && n_segments == 7;
	UNIT_CHECK(t, good, "libelf: %s", elf_errmsg(-1));
	unsigned n = good ? walk_elf(elf, names) : 0;
	UNIT_CHECK(t, n == 10, "libelf: %u sections: %s", n, elf_errmsg(-1));
	elf_end(elf);
	finish(&m, &out);
#else
	unit_skip(t, "built without libelf");
#endif
}

const struct unit units_hsa[] = {
	{ "hsa.written", written }, { "hsa.same_bytes", same_bytes },
	{ "hsa.refused", refused },
	{ "hsa.sizes", sizes }, { "hsa.no_memory", no_memory },
	{ "hsa.no_file", no_file }, { "hsa.injected", injected },
	{ "hsa.damaged", damaged }, { "hsa.libelf", libelf_reads },
};
const unsigned n_units_hsa = QD_COUNT(units_hsa);
