/* Writes code objects: lays out and fills the sections; libelf creates the file in a memfd. */
#include "hsa.h"

#ifdef QD_HAVE_HSA
#include <elf.h>

#include "elfwrite.h"

enum {
	MACHINE_AMDGPU = 224, /* EM_AMDGPU */
	OS_ABI_HSA = 64,
	ABI_VERSION_5 = 3,
	PAGE = 0x1000,
	LINE = 64,
	BEHIND = 1024, /* bytes that may be prefetched after the last instruction */
	SYMBOLS_OF_KERNEL = 2
};

/* -- Sections ------------------------------------------------------------------------- */

/* In file order; loaded sections come first. */
enum { NO_SECTION, NOTE, DYNSYM, HASH, DYNSTR, RODATA, TEXT, DYNAMIC, SYMTAB, SHSTRTAB, STRTAB,
       N_SECTION };

/* page: distance of the address from the offset in pages, so that sections with different
 * permissions are on different pages. */
static const struct {
	const char *name;
	uint32_t type, flags, align, entry, link, info, page;
	Elf_Type as;
} table[N_SECTION] = {
	[NOTE] = { ".note", SHT_NOTE, SHF_ALLOC, 4, 0, 0, 0, 0, ELF_T_BYTE },
	[DYNSYM] = { ".dynsym", SHT_DYNSYM, SHF_ALLOC, 8, sizeof(Elf64_Sym), DYNSTR, 1, 0,
		     ELF_T_SYM },
	[HASH] = { ".hash", SHT_HASH, SHF_ALLOC, 4, 4, DYNSYM, 0, 0, ELF_T_WORD },
	[DYNSTR] = { ".dynstr", SHT_STRTAB, SHF_ALLOC, 1, 0, 0, 0, 0, ELF_T_BYTE },
	[RODATA] = { ".rodata", SHT_PROGBITS, SHF_ALLOC, AMD_DESCRIPTOR_SIZE, 0, 0, 0, 0, ELF_T_BYTE },
	[TEXT] = { ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, HSA_ENTRY, 0, 0, 0, 1,
		   ELF_T_BYTE },
	[DYNAMIC] = { ".dynamic", SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE, 8, sizeof(Elf64_Dyn), DYNSTR,
		      0, 2, ELF_T_DYN },
	[SYMTAB] = { ".symtab", SHT_SYMTAB, 0, 8, sizeof(Elf64_Sym), STRTAB, 1, 0, ELF_T_SYM },
	[SHSTRTAB] = { ".shstrtab", SHT_STRTAB, 0, 1, 0, 0, 0, 0, ELF_T_BYTE },
	[STRTAB] = { ".strtab", SHT_STRTAB, 0, 1, 0, 0, 0, 0, ELF_T_BYTE },
};

/* Segments, which loaders read: from the start of section `first` to the end of `last`. */
static const struct segment {
	uint32_t type, flags, align;
	uint8_t first, last;
} segments[] = {
	{ PT_PHDR, PF_R, 8, NO_SECTION, NO_SECTION },
	{ PT_LOAD, PF_R, PAGE, NO_SECTION, RODATA },
	{ PT_LOAD, PF_R | PF_X, PAGE, TEXT, TEXT },
	{ PT_LOAD, PF_R | PF_W, PAGE, DYNAMIC, DYNAMIC },
	{ PT_DYNAMIC, PF_R | PF_W, 8, DYNAMIC, DYNAMIC },
	{ PT_GNU_STACK, PF_R | PF_W, 0, NO_SECTION, NO_SECTION },
	{ PT_NOTE, PF_R, 4, NOTE, NOTE },
};

struct object {
	const struct isa_object *target;
	const struct hsa_kernel *kernels;
	uint32_t n;
	struct buf data[N_SECTION];
	struct {
		uint64_t offset, addr;
		uint32_t name; /* in .shstrtab */
	} at[N_SECTION];
	uint64_t headers; /* offset of the section headers */
};

static uint64_t
align_to(uint64_t v, uint64_t align)
{
	return (v + align - 1) & ~(align - 1);
}

static void *
put_room(struct buf *b, size_t size)
{
	void *at = buf_extend(b, size);

	return at ? memset(at, 0, size) : NULL;
}

/* -- Contents ------------------------------------------------------------------------- */

static void
put_names(struct object *o)
{
	buf_put(&o->data[SHSTRTAB], "", 1);
	for (unsigned i = 1; i < N_SECTION; i++) {
		o->at[i].name = (uint32_t)o->data[SHSTRTAB].len;
		buf_put(&o->data[SHSTRTAB], table[i].name, strlen(table[i].name) + 1);
	}
	buf_put(&o->data[STRTAB], "", 1);
	for (uint32_t i = 0; i < o->n; i++) {
		const char *name = layout_name(o->kernels[i].layout);
		buf_put(&o->data[STRTAB], name, strlen(name) + 1);
		buf_put(&o->data[STRTAB], name, strlen(name));
		buf_put(&o->data[STRTAB], ".kd", 4);
	}
	buf_put(&o->data[DYNSTR], buf_data(&o->data[STRTAB]), o->data[STRTAB].len);
}

static void
put_filler(struct object *o, size_t to)
{
	while (o->data[TEXT].len < to && !o->data[TEXT].nomem)
		buf_put(&o->data[TEXT], &o->target->filler, 4);
}

/* Appends descriptors, code and symbols. Their addresses are still relative to the section. */
static void
put_kernels(struct object *o)
{
	uint32_t name = 1;

	put_room(&o->data[SYMTAB], sizeof(Elf64_Sym));
	for (uint32_t i = 0; i < o->n; i++) {
		const struct hsa_kernel *k = &o->kernels[i];
		uint32_t len = (uint32_t)strlen(layout_name(k->layout)) + 1, text = k->meta->own[ISA_AMD_TEXT_SIZE];
		put_filler(o, align_to(o->data[TEXT].len, HSA_ENTRY));
		const Elf64_Sym symbols[SYMBOLS_OF_KERNEL] = {
			{ .st_name = name,
			  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			  .st_other = STV_PROTECTED,
			  .st_shndx = TEXT,
			  .st_value = o->data[TEXT].len,
			  .st_size = text ? text : k->size - HSA_ENTRY },
			{ .st_name = name + len,
			  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
			  .st_other = STV_PROTECTED,
			  .st_shndx = RODATA,
			  .st_value = (uint64_t)i * AMD_DESCRIPTOR_SIZE,
			  .st_size = AMD_DESCRIPTOR_SIZE },
		};
		name += 2 * len + 3;
		buf_put(&o->data[SYMTAB], symbols, sizeof symbols);
		buf_put(&o->data[RODATA], k->code, AMD_DESCRIPTOR_SIZE);
		buf_put(&o->data[TEXT], (const char *)k->code + HSA_ENTRY, k->size - HSA_ENTRY);
	}
	put_filler(o, align_to(o->data[TEXT].len, LINE) + BEHIND);
}

/* Builds the hash table of the System V ABI: buckets, then for each symbol the next of its
 * bucket. */
static qd_status
put_hash(struct object *o, struct qd_error *err)
{
	uint32_t n = 1 + SYMBOLS_OF_KERNEL * o->n;
	const Elf64_Sym *symbols = (const Elf64_Sym *)(const void *)buf_data(&o->data[SYMTAB]);
	const char *names = buf_data(&o->data[STRTAB]);
	uint32_t *words = put_room(&o->data[HASH], (2 + 2 * (size_t)n) * sizeof *words);

	if (!words || !symbols || !names)
		return QD_OK; /* the check of all sections reports it */
	uint32_t *bucket = words + 2, *chain = bucket + n;
	words[0] = words[1] = n;
	for (uint32_t i = 1; i < n; i++) {
		const char *name = names + symbols[i].st_name;
		uint32_t *at = &bucket[elf_hash(name) % n];
		for (; *at; at = &chain[*at]) {
			if (!strcmp(names + symbols[*at].st_name, name))
				return qd_fail(
					err, QD_E_INVALID,
					"two kernels need the symbol '%.80s' in one code object; "
					"rename one, or write it to a separate object",
					name);
		}
		*at = i;
	}
	return QD_OK;
}

static bool
no_memory(const struct object *o)
{
	bool none = false;

	for (unsigned i = 0; i < N_SECTION; i++)
		none |= o->data[i].nomem;
	return none;
}

/* -- Layout --------------------------------------------------------------------------- */

static void
place(struct object *o)
{
	uint64_t at = sizeof(Elf64_Ehdr) + QD_COUNT(segments) * sizeof(Elf64_Phdr);

	for (unsigned i = 1; i < N_SECTION; i++) {
		at = align_to(at, table[i].align);
		o->at[i].offset = at;
		if (table[i].flags & SHF_ALLOC)
			o->at[i].addr = at + (uint64_t)table[i].page * PAGE;
		at += o->data[i].len;
	}
	o->headers = align_to(at, 8);
}

/* Converts offsets in sections to addresses. */
static void
link_kernels(struct object *o)
{
	Elf64_Sym *symbols = (Elf64_Sym *)(void *)buf_data(&o->data[SYMTAB]);
	char *descriptor = buf_data(&o->data[RODATA]);

	for (uint32_t i = 0; i < o->n; i++, descriptor += AMD_DESCRIPTOR_SIZE) {
		Elf64_Sym *code = &symbols[1 + SYMBOLS_OF_KERNEL * i], *data = code + 1;
		code->st_value += o->at[TEXT].addr;
		data->st_value += o->at[RODATA].addr;
		uint64_t distance = code->st_value - data->st_value;
		memcpy(descriptor + AMD_AT_ENTRY, &distance, sizeof distance);
	}
	memcpy(buf_data(&o->data[DYNSYM]), symbols, o->data[SYMTAB].len);
}

static void
link_dynamic(struct object *o)
{
	const Elf64_Dyn rows[] = {
		{ DT_SYMTAB, { o->at[DYNSYM].addr } }, { DT_SYMENT, { sizeof(Elf64_Sym) } },
		{ DT_STRTAB, { o->at[DYNSTR].addr } }, { DT_STRSZ, { o->data[DYNSTR].len } },
		{ DT_HASH, { o->at[HASH].addr } },     { DT_NULL, { 0 } },
	};

	memcpy(buf_data(&o->data[DYNAMIC]), rows, sizeof rows);
}

static qd_status
build(struct object *o, struct qd_error *err)
{
	enum { N_DYNAMIC = 6 };

	hsa_note(&o->data[NOTE], o->target, o->kernels, o->n);
	put_names(o);
	put_kernels(o);
	QD_TRY(put_hash(o, err));
	put_room(&o->data[DYNSYM], o->data[SYMTAB].len);
	put_room(&o->data[DYNAMIC], N_DYNAMIC * sizeof(Elf64_Dyn));
	if (no_memory(o))
		return qd_fail(err, QD_E_NOMEM, "out of memory for a code object");
	place(o);
	if (o->headers > INT32_MAX)
		return qd_fail(err, QD_E_LIMIT,
			       "a code object of %llu bytes; the limit is 2 GiB: write some "
			       "kernels to another",
			       (unsigned long long)o->headers);
	link_kernels(o);
	link_dynamic(o);
	return QD_OK;
}

/* -- Files ---------------------------------------------------------------------------- */

static bool
add_header(struct object *o, Elf *elf)
{
	Elf64_Ehdr *h = elf64_newehdr(elf);
	Elf64_Phdr *p = h ? elf64_newphdr(elf, QD_COUNT(segments)) : NULL;

	if (!p)
		return false;
	h->e_ident[EI_DATA] = ELFDATA2LSB;
	h->e_ident[EI_OSABI] = OS_ABI_HSA;
	h->e_ident[EI_ABIVERSION] = (unsigned char)(hsa_version(o->target) - 5 + ABI_VERSION_5);
	h->e_type = ET_DYN;
	h->e_machine = MACHINE_AMDGPU;
	h->e_version = EV_CURRENT;
	h->e_flags = o->target->flags;
	h->e_phoff = sizeof *h;
	h->e_shoff = o->headers;
	h->e_shstrndx = SHSTRTAB;
	for (size_t i = 0; i < QD_COUNT(segments); i++) {
		const struct segment *s = &segments[i];
		p[i] = (Elf64_Phdr){ .p_type = s->type, .p_flags = s->flags, .p_align = s->align };
		p[i].p_offset = o->at[s->first].offset;
		p[i].p_vaddr = p[i].p_paddr = o->at[s->first].addr;
		if (s->last)
			p[i].p_filesz =
				o->at[s->last].offset + o->data[s->last].len - p[i].p_offset;
		if (s->type == PT_PHDR) {
			p[i].p_offset = p[i].p_vaddr = p[i].p_paddr = h->e_phoff;
			p[i].p_filesz = QD_COUNT(segments) * sizeof *p;
		}
		p[i].p_memsz = p[i].p_filesz;
	}
	return true;
}

static bool
add_section(struct object *o, Elf *elf, unsigned i)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;
	Elf64_Shdr *h = data ? elf64_getshdr(scn) : NULL;

	if (!h)
		return false;
	*data = (Elf_Data){ .d_buf = buf_data(&o->data[i]),
			    .d_type = table[i].as,
			    .d_version = EV_CURRENT,
			    .d_size = o->data[i].len,
			    .d_align = table[i].align };
	*h = (Elf64_Shdr){ .sh_name = o->at[i].name,
			   .sh_type = table[i].type,
			   .sh_flags = table[i].flags,
			   .sh_addr = o->at[i].addr,
			   .sh_offset = o->at[i].offset,
			   .sh_size = o->data[i].len,
			   .sh_link = table[i].link,
			   .sh_info = table[i].info,
			   .sh_addralign = table[i].align,
			   .sh_entsize = table[i].entry };
	return true;
}

static bool
fill(void *user, Elf *elf)
{
	struct object *o = user;
	bool good = elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT) && add_header(o, elf);

	for (unsigned i = 1; good && i < N_SECTION; i++)
		good = add_section(o, elf, i);
	return good;
}

qd_status
hsa_write(struct buf *out, const struct isa_object *target, const struct hsa_kernel *kernels,
	  uint32_t n, struct qd_error *err)
{
	struct object o = { .target = target, .kernels = kernels, .n = n };
	qd_status st = QD_OK;

	if (!n)
		return qd_fail(err, QD_E_INVALID, "a code object needs at least one kernel");
	for (uint32_t i = 0; i < n; i++)
		QD_TRY(hsa_check(&kernels[i], err));
	for (unsigned i = 0; i < N_SECTION; i++)
		buf_init(&o.data[i], out->pool);
	st = build(&o, err);
	if (st == QD_OK)
		st = elf_write(out, "a code object", fill, &o, err);
	for (unsigned i = 0; i < N_SECTION; i++)
		buf_fini(&o.data[i]);
	return st;
}

#else

qd_status
hsa_write(struct buf *out, const struct isa_object *target, const struct hsa_kernel *kernels,
	  uint32_t n, struct qd_error *err)
{
	(void)out, (void)target, (void)kernels, (void)n;
	return qd_fail(err, QD_E_UNAVAILABLE,
		       "this qd was built without libelf, which writes code "
		       "objects; install libelf's headers and configure with -Dhsa=enabled");
}

#endif
