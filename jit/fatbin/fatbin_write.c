/* Writes a fatbin as an object file: creates the sections, symbols and relocations; libelf writes
 * the file. */
#include "fatbin.h"

#ifdef QD_HAVE_LIBELF
#include <elf.h>

#include "elfwrite.h"

#ifndef SHF_GNU_RETAIN
#define SHF_GNU_RETAIN (1 << 21)
#endif

/* -- Machines ---------------------------------------------------------------------------- */

/* Supported machines, with the psABI's relocation for a 64-bit PC-relative distance. */
static const struct machine_row {
	uint16_t machine, relocation;
} machines[] = {
	{ EM_X86_64, R_X86_64_PC64 },
	{ EM_AARCH64, R_AARCH64_PREL64 },
};

#if defined(__aarch64__)
enum { HOST = EM_AARCH64 };
#else
enum { HOST = EM_X86_64 };
#endif

static const struct machine_row *
find_machine(uint16_t machine)
{
	for (size_t i = 0; i < QD_COUNT(machines); i++) {
		if (machines[i].machine == (machine ? machine : HOST))
			return &machines[i];
	}
	return NULL;
}

/* -- Parts ----------------------------------------------------------------------------------- */

/* Sections, in this order; those of the groups follow INDEX. */
enum { INDEX = 1, FIRST_GROUP = 2, N_FIXED = 7 };
enum { NAME_INDEX, NAME_GROUP, NAME_RELA, NAME_NOTE, NAME_STACK, NAME_SYMTAB, NAME_STRTAB,
       NAME_SHSTRTAB, N_NAME };
static const char *const names[N_NAME] = {
	"qd_fatbin", "qd_image", ".relaqd_fatbin", ".note.qd", ".note.GNU-stack", ".symtab",
	".strtab", ".shstrtab",
};

/* Type of the note with owner "qd". Tools would show type 1 as an ABI version. */
enum { NOTE_FATBIN = 0x5144 };

struct object {
	const struct fatbin_made *made;
	const struct machine_row *machine;
	struct buf relocations, note, symbols, strings, shstrings;
	uint32_t name_at[N_NAME];
	Elf *elf;
};

static void
put_names(struct object *o)
{
	buf_put(&o->shstrings, "", 1);
	for (int i = 0; i < N_NAME; i++) {
		o->name_at[i] = (uint32_t)o->shstrings.len;
		buf_put(&o->shstrings, names[i], strlen(names[i]) + 1);
	}
}

/* Writes a note with the versions of the format and the emitters, for inspection of programs. */
static void
put_note(struct object *o)
{
	static const char owner[4] = "qd";
	const struct fatbin_header *h = (const struct fatbin_header *)(const void *)buf_data(&o->made->index);
	struct {
		uint16_t major, minor;
		uint8_t emitters[FATBIN_N_EMITTER];
		uint8_t hash[16];
	} about = { .major = h->major, .minor = h->minor };
	Elf64_Nhdr head = { .n_namesz = 3, .n_descsz = sizeof about, .n_type = NOTE_FATBIN };

	memcpy(about.emitters, h->emitters, sizeof about.emitters);
	memcpy(about.hash, h->hash, sizeof about.hash);
	buf_put(&o->note, &head, sizeof head);
	buf_put(&o->note, owner, sizeof owner);
	buf_put(&o->note, &about, sizeof about);
}

/* Appends the name of a group: "sum$T=f32$gfx1100", or for several images "sum$amd$12". */
static uint32_t
put_group_name(struct object *o, const struct fatbin_made_group *g, uint32_t i)
{
	uint32_t at = (uint32_t)o->strings.len;

	if (g->n == 1)
		buf_printf(&o->strings, "%s$%s$%s", g->first->kernel, g->first->variant,
			   g->first->target);
	else
		buf_printf(&o->strings, "%s$%s$%u", g->first->kernel, code_kind_name(g->first->kind),
			   i);
	buf_put(&o->strings, "", 1);
	return at;
}

/* Writes a local symbol for each group, then the hidden symbol of the index: local symbols must
 * come first. */
static void
put_symbols(struct object *o, const char *stem)
{
	const struct fatbin_made *m = o->made;
	Elf64_Sym none = { 0 };

	buf_put(&o->strings, "", 1);
	buf_put(&o->symbols, &none, sizeof none);
	for (uint32_t i = 0; i < m->n_groups; i++) {
		Elf64_Sym s = { .st_name = put_group_name(o, &m->group[i], i),
				.st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT),
				.st_shndx = (uint16_t)(FIRST_GROUP + i),
				.st_size = m->group[i].size };
		buf_put(&o->symbols, &s, sizeof s);
	}
	Elf64_Sym index = { .st_name = (uint32_t)o->strings.len,
			    .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
			    .st_other = STV_HIDDEN,
			    .st_shndx = INDEX,
			    .st_size = m->index.len };
	buf_printf(&o->strings, "qd_fatbin_%s", stem);
	buf_put(&o->strings, "", 1);
	buf_put(&o->symbols, &index, sizeof index);
}

/* Writes a relocation for each distance, which is relative to its own address. */
static void
put_relocations(struct object *o)
{
	const struct fatbin_made *m = o->made;
	uint64_t at = m->index.len - m->n_groups * sizeof(int64_t);

	for (uint32_t i = 0; i < m->n_groups; i++, at += sizeof(int64_t)) {
		Elf64_Rela r = { .r_offset = at, .r_info = ELF64_R_INFO(1 + i, o->machine->relocation) };
		buf_put(&o->relocations, &r, sizeof r);
	}
}

/* -- The file ------------------------------------------------------------------------------------ */

static bool
add_section(struct object *o, unsigned name, void *data, size_t size, Elf_Type as, Elf64_Shdr h)
{
	Elf_Scn *scn = elf_newscn(o->elf);
	Elf_Data *d = scn ? elf_newdata(scn) : NULL;
	Elf64_Shdr *to = d ? elf64_getshdr(scn) : NULL;

	if (!to)
		return false;
	*d = (Elf_Data){ .d_buf = data,
			 .d_type = as,
			 .d_version = EV_CURRENT,
			 .d_size = size,
			 .d_align = h.sh_addralign };
	h.sh_name = o->name_at[name];
	*to = h;
	return true;
}

static bool
add_images(struct object *o)
{
	const struct fatbin_made *m = o->made;
	bool good = add_section(o, NAME_INDEX, buf_data(&m->index), m->index.len, ELF_T_BYTE,
				(Elf64_Shdr){ .sh_type = SHT_PROGBITS,
					      .sh_flags = SHF_ALLOC | SHF_GNU_RETAIN,
					      .sh_addralign = FATBIN_ALIGN });

	for (uint32_t i = 0; good && i < m->n_groups; i++)
		good = add_section(o, NAME_GROUP, buf_data(&m->groups) + m->group[i].at,
				   m->group[i].size, ELF_T_BYTE,
				   (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
						 .sh_flags = SHF_ALLOC,
						 .sh_addralign = FATBIN_GROUP_ALIGN });
	return good;
}

static bool
add_rest(struct object *o)
{
	uint32_t n = o->made->n_groups, symtab = FIRST_GROUP + n + 3, strtab = symtab + 1;

	return add_section(o, NAME_RELA, buf_data(&o->relocations), o->relocations.len, ELF_T_RELA,
			   (Elf64_Shdr){ .sh_type = SHT_RELA,
					 .sh_flags = SHF_INFO_LINK,
					 .sh_addralign = 8,
					 .sh_entsize = sizeof(Elf64_Rela),
					 .sh_link = symtab,
					 .sh_info = INDEX }) &&
	       add_section(o, NAME_NOTE, buf_data(&o->note), o->note.len, ELF_T_BYTE,
			   (Elf64_Shdr){ .sh_type = SHT_NOTE, .sh_flags = SHF_ALLOC, .sh_addralign = 4 }) &&
	       add_section(o, NAME_STACK, NULL, 0, ELF_T_BYTE,
			   (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_addralign = 1 }) &&
	       add_section(o, NAME_SYMTAB, buf_data(&o->symbols), o->symbols.len, ELF_T_SYM,
			   (Elf64_Shdr){ .sh_type = SHT_SYMTAB,
					 .sh_addralign = 8,
					 .sh_entsize = sizeof(Elf64_Sym),
					 .sh_link = strtab,
					 .sh_info = 1 + n }) &&
	       add_section(o, NAME_STRTAB, buf_data(&o->strings), o->strings.len, ELF_T_BYTE,
			   (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_addralign = 1 }) &&
	       add_section(o, NAME_SHSTRTAB, buf_data(&o->shstrings), o->shstrings.len, ELF_T_BYTE,
			   (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_addralign = 1 });
}

static bool
add_header(struct object *o)
{
	Elf64_Ehdr *h = elf64_newehdr(o->elf);

	if (!h)
		return false;
	h->e_ident[EI_DATA] = ELFDATA2LSB;
	h->e_ident[EI_OSABI] = ELFOSABI_GNU; /* SHF_GNU_RETAIN requires this ABI */
	h->e_type = ET_REL;
	h->e_machine = o->machine->machine;
	h->e_version = EV_CURRENT;
	h->e_shstrndx = (uint16_t)(FIRST_GROUP + o->made->n_groups + 5);
	return true;
}

static bool
fill(void *user, Elf *elf)
{
	struct object *o = user;

	o->elf = elf;
	return add_header(o) && add_images(o) && add_rest(o);
}

static qd_status
write_object(struct object *o, const char *stem, struct buf *out, struct qd_error *err)
{
	put_names(o);
	put_note(o);
	put_symbols(o, stem);
	put_relocations(o);
	if (o->relocations.nomem || o->note.nomem || o->symbols.nomem || o->strings.nomem ||
	    o->shstrings.nomem)
		return qd_fail(err, QD_E_NOMEM, "out of memory for a fatbin");
	return elf_write(out, "a fatbin", fill, o, err);
}

static qd_status
write_made(struct buf *out, const struct fatbin_made *m, const struct fatbin_options *o,
	   struct qd_error *err)
{
	struct object obj = { .made = m, .machine = find_machine(o->machine) };

	if (!obj.machine)
		return qd_fail(err, QD_E_INVALID, "fatbins for machine %u are not written", o->machine);
	if (m->n_groups > SHN_LORESERVE - N_FIXED - FIRST_GROUP)
		return qd_fail(
			err, QD_E_LIMIT,
			"a fatbin of %u sections; the limit is %d: compress it, or write several",
			m->n_groups, SHN_LORESERVE - N_FIXED - FIRST_GROUP);
	buf_init(&obj.relocations, out->pool);
	buf_init(&obj.note, out->pool);
	buf_init(&obj.symbols, out->pool);
	buf_init(&obj.strings, out->pool);
	buf_init(&obj.shstrings, out->pool);
	qd_status st = write_object(&obj, o->stem, out, err);
	buf_fini(&obj.relocations);
	buf_fini(&obj.note);
	buf_fini(&obj.symbols);
	buf_fini(&obj.strings);
	buf_fini(&obj.shstrings);
	return st;
}

qd_status
fatbin_write(struct buf *out, const struct fatbin_item *items, uint32_t n,
	     const struct fatbin_options *o, struct fatbin_sum *sum, struct qd_error *err)
{
	struct fatbin_made m;
	struct arena mem;

	arena_init(&mem, out->pool);
	buf_init(&m.index, out->pool);
	buf_init(&m.groups, out->pool);
	qd_status st = fatbin_make(&m, &mem, items, n, o, err);
	if (st == QD_OK)
		st = write_made(out, &m, o, err);
	if (st == QD_OK && sum)
		*sum = m.sum;
	buf_fini(&m.index);
	buf_fini(&m.groups);
	arena_fini(&mem);
	return st;
}

#else

qd_status
fatbin_write(struct buf *out, const struct fatbin_item *items, uint32_t n,
	     const struct fatbin_options *o, struct fatbin_sum *sum, struct qd_error *err)
{
	(void)out, (void)items, (void)n, (void)o, (void)sum;
	return qd_fail(err, QD_E_UNAVAILABLE,
		       "this qd was built without libelf, which writes fatbins; install libelf and "
		       "build with -Dhsa=enabled");
}

#endif
