/* Rules of the loaders, one function each. A rule may rely on those before it. */
#include "hsa_rules.h"

#include <elf.h>
#include <stdio.h>

#include "msgpack.h"

enum { MAX_SECTION = 32, MAX_SEGMENT = 16, MAPPED = 0x1000, FETCHED_AHEAD = 1024 };

struct view {
	const uint8_t *bytes;
	size_t size;
	const struct gcn_target *target;
	char *why;
	Elf64_Ehdr h;
	Elf64_Phdr p[MAX_SEGMENT];
	Elf64_Shdr s[MAX_SECTION];
	struct msgpack meta;
	size_t kernels; /* position of the list of kernels */
};

static bool QD_PRINTF(2, 3) no(struct view *v, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(v->why, HSA_WHY, fmt, ap);
	va_end(ap);
	return false;
}

static bool
within(const struct view *v, uint64_t at, uint64_t size)
{
	return at <= v->size && size <= v->size - at;
}

static uint32_t
word_at(const struct view *v, uint64_t at)
{
	uint32_t w;

	memcpy(&w, v->bytes + at, sizeof w);
	return w;
}

/* -- The file ------------------------------------------------------------------------------ */

static bool
rule_header(struct view *v)
{
	const Elf64_Ehdr *h = &v->h;
	bool generic = v->target->e_flags >> 24;

	if (v->size < sizeof *h)
		return no(v, "shorter than an ELF header");
	memcpy(&v->h, v->bytes, sizeof *h);
	if (memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 ||
	    h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_ident[EI_VERSION] != EV_CURRENT)
		return no(v, "no 64-bit little-endian ELF file");
	if (h->e_ident[EI_OSABI] != 64)
		return no(v, "OS ABI %u", h->e_ident[EI_OSABI]);
	if (h->e_ident[EI_ABIVERSION] != (generic ? 4 : 3))
		return no(v, "ABI version %u", h->e_ident[EI_ABIVERSION]);
	if (h->e_machine != 224 || h->e_type != ET_DYN || h->e_version != EV_CURRENT || h->e_entry)
		return no(v, "machine %u, type %u", h->e_machine, h->e_type);
	if (h->e_ehsize != sizeof *h || h->e_phentsize != sizeof *v->p ||
	    h->e_shentsize != sizeof *v->s)
		return no(v, "headers of other sizes");
	if (h->e_flags != v->target->e_flags)
		return no(v, "e_flags 0x%x", h->e_flags);
	return true;
}

/* The section headers must end the file, because loaders compute its size from them. */
static bool
rule_sections(struct view *v)
{
	const Elf64_Ehdr *h = &v->h;

	if (!h->e_shnum || h->e_shnum > MAX_SECTION || h->e_shstrndx >= h->e_shnum)
		return no(v, "%u sections, names in %u", h->e_shnum, h->e_shstrndx);
	if (h->e_shoff % 8 || h->e_shoff + h->e_shnum * sizeof *v->s != v->size)
		return no(v, "section headers are not the last");
	memcpy(v->s, v->bytes + h->e_shoff, h->e_shnum * sizeof *v->s);
	for (unsigned i = 1; i < h->e_shnum; i++) {
		const Elf64_Shdr *s = &v->s[i];
		uint64_t size = s->sh_type == SHT_NOBITS ? 0 : s->sh_size;
		if (!within(v, s->sh_offset, size) || s->sh_offset + size > h->e_shoff)
			return no(v, "section %u is not in the file", i);
		if (s->sh_addralign & (s->sh_addralign - 1) ||
		    (s->sh_addralign && (s->sh_addr | s->sh_offset) % s->sh_addralign))
			return no(v, "section %u is not aligned", i);
		if (s->sh_type == SHT_REL || s->sh_type == SHT_RELA)
			return no(v, "section %u has relocations", i);
		if (s->sh_type == SHT_STRTAB && (!s->sh_size || v->bytes[s->sh_offset] ||
						 v->bytes[s->sh_offset + s->sh_size - 1]))
			return no(v, "section %u is not a string table", i);
	}
	return true;
}

/* -- Segments ------------------------------------------------------------------------------ */

static bool
good_load(struct view *v, const Elf64_Phdr *p, uint64_t *end)
{
	if (p->p_align != MAPPED || (p->p_vaddr - p->p_offset) % MAPPED)
		return no(v, "a segment at 0x%llx of the file for address 0x%llx",
			  (unsigned long long)p->p_offset, (unsigned long long)p->p_vaddr);
	if (p->p_vaddr / MAPPED * MAPPED < *end || (!*end && (p->p_vaddr || p->p_offset)))
		return no(v, "address 0x%llx after 0x%llx", (unsigned long long)p->p_vaddr,
			  (unsigned long long)*end);
	if (p->p_filesz > p->p_memsz || !within(v, p->p_offset, p->p_filesz))
		return no(v, "a segment that is not in the file");
	*end = p->p_vaddr + p->p_memsz;
	return true;
}

static bool
rule_loads(struct view *v)
{
	uint64_t end = 0;
	unsigned n_code = 0;

	if (v->h.e_phnum > MAX_SEGMENT || !within(v, v->h.e_phoff, v->h.e_phnum * sizeof *v->p))
		return no(v, "%u segments", v->h.e_phnum);
	memcpy(v->p, v->bytes + v->h.e_phoff, v->h.e_phnum * sizeof *v->p);
	for (unsigned i = 0; i < v->h.e_phnum; i++) {
		if (v->p[i].p_type != PT_LOAD)
			continue;
		if (!good_load(v, &v->p[i], &end))
			return false;
		n_code += (v->p[i].p_flags & PF_X) != 0;
		if ((v->p[i].p_flags & (PF_W | PF_X)) == (PF_W | PF_X))
			return no(v, "code that may be written");
	}
	return n_code == 1 || no(v, "%u segments of code", n_code);
}

/* Returns the loaded segment that contains all of these addresses, or NULL. */
static const Elf64_Phdr *
load_of(const struct view *v, uint64_t addr, uint64_t size)
{
	for (unsigned i = 0; i < v->h.e_phnum; i++) {
		const Elf64_Phdr *p = &v->p[i];
		if (p->p_type == PT_LOAD && addr >= p->p_vaddr &&
		    addr - p->p_vaddr <= p->p_filesz && size <= p->p_filesz - (addr - p->p_vaddr))
			return p;
	}
	return NULL;
}

static bool
rule_mapped(struct view *v)
{
	for (unsigned i = 1; i < v->h.e_shnum; i++) {
		const Elf64_Shdr *s = &v->s[i];
		const Elf64_Phdr *p = load_of(v, s->sh_addr, s->sh_size);
		unsigned flags = PF_R | (s->sh_flags & SHF_WRITE ? PF_W : 0u) |
				 (s->sh_flags & SHF_EXECINSTR ? PF_X : 0u);
		if (!(s->sh_flags & SHF_ALLOC) || s->sh_type == SHT_NOBITS)
			continue;
		if (!p || p->p_flags != flags ||
		    s->sh_addr - p->p_vaddr != s->sh_offset - p->p_offset)
			return no(v, "section %u is not where its address is", i);
	}
	return true;
}

static const Elf64_Phdr *
segment(const struct view *v, uint32_t type)
{
	for (unsigned i = 0; i < v->h.e_phnum; i++) {
		if (v->p[i].p_type == type)
			return &v->p[i];
	}
	return NULL;
}

static bool
rule_segments(struct view *v)
{
	const Elf64_Phdr *self = segment(v, PT_PHDR), *stack = segment(v, PT_GNU_STACK);

	if (!self || self != v->p || self->p_offset != v->h.e_phoff ||
	    self->p_filesz != v->h.e_phnum * sizeof *v->p)
		return no(v, "the program headers are not the first segment");
	if (stack && (stack->p_flags & PF_X))
		return no(v, "a stack that may be run");
	for (unsigned i = 0; i < v->h.e_phnum; i++) {
		const Elf64_Phdr *p = &v->p[i], *load = load_of(v, p->p_vaddr, p->p_filesz);
		if (p->p_filesz &&
		    (!load || p->p_vaddr - load->p_vaddr != p->p_offset - load->p_offset))
			return no(v, "segment %u is not in a loaded one", i);
	}
	return true;
}

/* -- Sections by kind ---------------------------------------------------------------------- */

static const Elf64_Shdr *
section(const struct view *v, uint32_t type)
{
	for (unsigned i = 1; i < v->h.e_shnum; i++) {
		if (v->s[i].sh_type == type)
			return &v->s[i];
	}
	return NULL;
}

static bool
rule_dynamic(struct view *v)
{
	const Elf64_Phdr *p = segment(v, PT_DYNAMIC);
	const Elf64_Shdr *names, *dynsym = section(v, SHT_DYNSYM), *hash = section(v, SHT_HASH);
	uint64_t want[DT_SYMENT + 1] = { 0 }, got[DT_SYMENT + 1] = { 0 };

	if (!p || !p->p_filesz || p->p_filesz % sizeof(Elf64_Dyn) || !(p->p_flags & PF_W))
		return no(v, "no dynamic segment that may be written");
	if (!dynsym || !hash || dynsym->sh_link >= v->h.e_shnum)
		return no(v, "no table of dynamic symbols, or none of their hashes");
	names = &v->s[dynsym->sh_link];
	want[DT_HASH] = hash->sh_addr;
	want[DT_SYMTAB] = dynsym->sh_addr;
	want[DT_SYMENT] = sizeof(Elf64_Sym);
	want[DT_STRTAB] = names->sh_addr;
	want[DT_STRSZ] = names->sh_size;
	for (uint64_t at = 0; at < p->p_filesz; at += sizeof(Elf64_Dyn)) {
		Elf64_Dyn d;
		memcpy(&d, v->bytes + p->p_offset + at, sizeof d);
		if (at + sizeof d == p->p_filesz && d.d_tag != DT_NULL)
			return no(v, "no end of the dynamic segment");
		if (d.d_tag > 0 && d.d_tag <= DT_SYMENT)
			got[d.d_tag] = d.d_un.d_val;
	}
	for (unsigned i = 0; i <= DT_SYMENT; i++) {
		if (got[i] != want[i])
			return no(v, "dynamic tag %u: 0x%llx, not 0x%llx", i,
				  (unsigned long long)got[i], (unsigned long long)want[i]);
	}
	return true;
}

static bool
read_symbol(const struct view *v, const Elf64_Shdr *table, uint64_t i, Elf64_Sym *out,
	    const char **name)
{
	const Elf64_Shdr *names;

	if (table->sh_link >= v->h.e_shnum || i >= table->sh_size / sizeof *out)
		return false;
	names = &v->s[table->sh_link];
	memcpy(out, v->bytes + table->sh_offset + i * sizeof *out, sizeof *out);
	*name = (const char *)v->bytes + names->sh_offset + out->st_name;
	return names->sh_type == SHT_STRTAB && out->st_name < names->sh_size;
}

static bool
good_table(struct view *v, uint32_t type)
{
	const Elf64_Shdr *table = section(v, type);
	uint64_t n = table ? table->sh_size / sizeof(Elf64_Sym) : 0;
	const char *name;
	Elf64_Sym s;

	if (!n || table->sh_entsize != sizeof s || table->sh_size % sizeof s)
		return no(v, "no symbols of type %u", type);
	for (uint64_t i = 0; i < n; i++) {
		if (!read_symbol(v, table, i, &s, &name))
			return no(v, "a symbol without a name");
		if (i && s.st_shndx != SHN_ABS && (!s.st_shndx || s.st_shndx >= v->h.e_shnum))
			return no(v, "symbol '%s' is nowhere", name);
		if ((ELF64_ST_BIND(s.st_info) == STB_LOCAL) != (i < table->sh_info))
			return no(v,
				  "symbol '%s' is local and follows global symbols, or is global "
				  "and precedes local symbols",
				  name);
	}
	return true;
}

static bool
rule_symbols(struct view *v)
{
	return good_table(v, SHT_SYMTAB) && good_table(v, SHT_DYNSYM);
}

/* Finds the symbol of this name in one table. */
static bool
symbol_named(const struct view *v, uint32_t type, const char *want, size_t len, Elf64_Sym *out)
{
	const Elf64_Shdr *table = section(v, type);
	const char *name;

	for (uint64_t i = 1; i < table->sh_size / sizeof *out; i++) {
		if (read_symbol(v, table, i, out, &name) && strlen(name) == len &&
		    !memcmp(name, want, len))
			return true;
	}
	return false;
}

/* Checks that every dynamic symbol is found by its hash. */
static bool
rule_hash(struct view *v)
{
	const Elf64_Shdr *table = section(v, SHT_DYNSYM), *hash = section(v, SHT_HASH);
	uint32_t n = (uint32_t)(table->sh_size / sizeof(Elf64_Sym)), n_bucket;
	const char *name = NULL;
	Elf64_Sym s;

	if (hash->sh_size < 8)
		return no(v, "no hashes");
	n_bucket = word_at(v, hash->sh_offset);
	if (!n_bucket || word_at(v, hash->sh_offset + 4) != n ||
	    hash->sh_size != 4 * (2 + (uint64_t)n_bucket + n))
		return no(v, "a table of hashes for other symbols");
	for (uint32_t i = 1; i < n; i++) {
		uint32_t h = 0, steps = 0, at;
		read_symbol(v, table, i, &s, &name);
		for (const char *c = name; *c; c++) {
			h = (h << 4) + (unsigned char)*c;
			h = (h ^ (h >> 24 & 0xf0)) & 0x0fffffff;
		}
		at = word_at(v, hash->sh_offset + 4 * (2 + (uint64_t)(h % n_bucket)));
		while (at && at < n && at != i && steps++ < n)
			at = word_at(v, hash->sh_offset + 4 * (2 + (uint64_t)n_bucket + at));
		if (at != i)
			return no(v, "symbol '%s' is not found by its hash", name);
	}
	return true;
}

/* -- Metadata ------------------------------------------------------------------------------ */

static bool
rule_note(struct view *v)
{
	const Elf64_Phdr *p = segment(v, PT_NOTE);
	Elf64_Nhdr h;
	struct qd_error e;

	if (!p || p->p_filesz < sizeof h || p->p_align != 4 || p->p_offset % 4)
		return no(v, "no segment of notes");
	memcpy(&h, v->bytes + p->p_offset, sizeof h);
	if (h.n_type != 32 || h.n_namesz != 7 || p->p_filesz < sizeof h + 8 ||
	    memcmp(v->bytes + p->p_offset + sizeof h, "AMDGPU\0", 8))
		return no(v, "the note is of type %u", h.n_type);
	uint64_t end = sizeof h + 8 + (((uint64_t)h.n_descsz + 3) & ~UINT64_C(3));
	if (end + sizeof h + 4 > p->p_filesz)
		return no(v, "the note has %u bytes", h.n_descsz);
	/* The note of qd, which other readers skip, must be last. */
	Elf64_Nhdr own;
	memcpy(&own, v->bytes + p->p_offset + end, sizeof own);
	if (own.n_type != 1 || own.n_namesz != 3 || own.n_descsz % 4 ||
	    memcmp(v->bytes + p->p_offset + end + sizeof own, "qd\0", 4) ||
	    end + sizeof own + 4 + own.n_descsz != p->p_filesz)
		return no(v, "the note has %u bytes, and that of qd %u", h.n_descsz, own.n_descsz);
	if (msgpack_check(v->bytes + p->p_offset + sizeof h + 8, h.n_descsz, 0, &v->meta, &e))
		return no(v, "%s", e.text);
	return true;
}

/* Finds the value of a key in the map at `at`. Duplicate keys are an error. */
static bool
get(struct view *v, size_t at, const char *key, enum msgpack_kind kind, struct msgpack_value *out,
    size_t *where)
{
	struct msgpack_value map, k;
	unsigned n = 0;
	size_t next = msgpack_get(&v->meta, at, &map);

	for (uint64_t i = 0; map.kind == MSGPACK_MAP && i < map.u; i++) {
		next = msgpack_get(&v->meta, next, &k);
		if (msgpack_is(&k, key)) {
			n++;
			*where = next;
			msgpack_get(&v->meta, next, out);
		}
		next = msgpack_skip(&v->meta, next);
	}
	return (n == 1 && out->kind == kind) ||
	       no(v, "%s occurs %u times, or has another kind", key, n);
}

static bool
number(struct view *v, size_t at, const char *key, uint64_t *out)
{
	struct msgpack_value value;
	size_t where;

	if (!get(v, at, key, MSGPACK_UINT, &value, &where))
		return false;
	*out = value.u;
	return true;
}

static bool
rule_metadata(struct view *v)
{
	struct msgpack_value value, part;
	char target[64];
	size_t at;

	if (!get(v, 0, "amdhsa.version", MSGPACK_ARRAY, &value, &at) || value.u != 2)
		return no(v, "no version of the metadata");
	at = msgpack_get(&v->meta, at, &value);
	at = msgpack_get(&v->meta, at, &value);
	msgpack_get(&v->meta, at, &part);
	if (value.u != 1 || part.u + 1u != v->h.e_ident[EI_ABIVERSION])
		return no(v, "version %llu.%llu of the metadata", (unsigned long long)value.u,
			  (unsigned long long)part.u);
	if (!get(v, 0, "amdhsa.target", MSGPACK_STRING, &value, &at))
		return false;
	snprintf(target, sizeof target, "amdgcn-amd-amdhsa--%s", v->target->name);
	if (!msgpack_is(&value, target))
		return no(v, "the metadata is not for %s", target);
	return get(v, 0, "amdhsa.kernels", MSGPACK_ARRAY, &value, &v->kernels) &&
	       (value.u || no(v, "no kernels"));
}

/* Checks the arguments' offsets, sizes and kinds, by which HIP lays them out. */
static bool
good_args(struct view *v, size_t kernel, uint64_t segment_size)
{
	struct msgpack_value list, kind;
	uint64_t end = 0;
	size_t at, where;

	if (!get(v, kernel, ".args", MSGPACK_ARRAY, &list, &at))
		return false;
	at = msgpack_get(&v->meta, at, &list);
	for (uint64_t i = 0; i < list.u; i++, at = msgpack_skip(&v->meta, at)) {
		uint64_t offset, size;
		if (!number(v, at, ".offset", &offset) || !number(v, at, ".size", &size) ||
		    !get(v, at, ".value_kind", MSGPACK_STRING, &kind, &where))
			return false;
		if (offset < end || size > segment_size || offset > segment_size - size || !size ||
		    offset % size)
			return no(v, "argument %llu: %llu bytes at %llu", (unsigned long long)i,
				  (unsigned long long)size, (unsigned long long)offset);
		if (msgpack_is(&kind, "global_buffer") ? size != 8 : !msgpack_is(&kind, "by_value"))
			return no(v, "argument %llu is of no kind", (unsigned long long)i);
		end = offset + size;
	}
	return true;
}

/* -- Kernels ------------------------------------------------------------------------------- */

static bool
good_symbols(struct view *v, const char *name, size_t len, bool code, Elf64_Sym *out)
{
	const struct {
		uint32_t table;
	} tables[] = { { SHT_DYNSYM }, { SHT_SYMTAB } };

	for (size_t i = 0; i < QD_COUNT(tables); i++) {
		if (!symbol_named(v, tables[i].table, name, len, out))
			return no(v, "'%.*s' is not in both tables of symbols", (int)len, name);
		if (ELF64_ST_BIND(out->st_info) != STB_GLOBAL || out->st_other != STV_PROTECTED ||
		    out->st_shndx == SHN_ABS ||
		    ELF64_ST_TYPE(out->st_info) != (code ? STT_FUNC : STT_OBJECT))
			return no(v, "symbol '%.*s' is of another kind", (int)len, name);
		const Elf64_Shdr *s = &v->s[out->st_shndx];
		if (out->st_value < s->sh_addr || out->st_size > s->sh_size ||
		    out->st_value - s->sh_addr > s->sh_size - out->st_size || !out->st_size ||
		    !(s->sh_flags & SHF_EXECINSTR) != !code || !(s->sh_flags & SHF_ALLOC))
			return no(v, "symbol '%.*s' is not in its section", (int)len, name);
	}
	return true;
}

/* Returns the file offset of a loaded address. */
static uint64_t
offset_of(const struct view *v, uint64_t addr, uint64_t size)
{
	const Elf64_Phdr *p = load_of(v, addr, size);

	return p ? p->p_offset + (addr - p->p_vaddr) : UINT64_MAX;
}

static bool
good_descriptor(struct view *v, size_t kernel, const Elf64_Sym *kd, const Elf64_Sym *code)
{
	static const struct {
		uint8_t byte;
		const char *key;
	} rows[] = { { 0, ".group_segment_fixed_size" },
		     { 4, ".private_segment_fixed_size" },
		     { 8, ".kernarg_segment_size" } };
	uint64_t at = offset_of(v, kd->st_value, 64), entry, value;

	if (kd->st_size != 64 || kd->st_value % 64 || at == UINT64_MAX)
		return no(v, "a descriptor of %llu bytes at 0x%llx",
			  (unsigned long long)kd->st_size, (unsigned long long)kd->st_value);
	memcpy(&entry, v->bytes + at + 16, sizeof entry);
	entry += kd->st_value;
	if (entry != code->st_value || entry % 256)
		return no(v, "a kernel that begins at 0x%llx", (unsigned long long)entry);
	for (unsigned i = 12; i < 64; i++) {
		bool reserved = i < 16 || (i >= 24 && i < 44) || i >= 60;
		if (reserved && v->bytes[at + i])
			return no(v, "byte %u of a descriptor is set", i);
	}
	/* The loader sets priority, modes and LDS. */
	if ((word_at(v, at + 48) & 0x3500c00) || (word_at(v, at + 52) & 0xffe040))
		return no(v, "a descriptor has a field set that only a loader sets");
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		if (!number(v, kernel, rows[i].key, &value))
			return false;
		if (value != word_at(v, at + rows[i].byte))
			return no(v, "%s is %llu, in the descriptor %u", rows[i].key,
				  (unsigned long long)value, word_at(v, at + rows[i].byte));
	}
	if (!number(v, kernel, ".wavefront_size", &value))
		return false;
	if (value != (word_at(v, at + 56) >> 10 & 1 ? 32 : 64))
		return no(v, "waves of %llu", (unsigned long long)value);
	return true;
}

static bool
good_numbers(struct view *v, size_t at)
{
	static const char *const keys[] = { ".sgpr_count", ".vgpr_count", ".agpr_count" };
	uint64_t n, size;

	for (size_t i = 0; i < QD_COUNT(keys); i++) {
		if ((i < 2 || (v->target->features & GCN_AGPR)) && !number(v, at, keys[i], &n))
			return false;
	}
	if (!number(v, at, ".kernarg_segment_align", &n) ||
	    !number(v, at, ".kernarg_segment_size", &size))
		return false;
	if (n < 8 || (n & (n - 1)))
		return no(v, "arguments aligned to %llu", (unsigned long long)n);
	if (!number(v, at, ".max_flat_workgroup_size", &n))
		return false;
	if (!n || n > 1024)
		return no(v, "work-groups of %llu", (unsigned long long)n);
	return good_args(v, at, size);
}

static bool
rule_kernels(struct view *v)
{
	struct msgpack_value list, name, symbol;
	size_t where, at = msgpack_get(&v->meta, v->kernels, &list);
	Elf64_Sym code, kd;

	for (uint64_t i = 0; i < list.u; i++, at = msgpack_skip(&v->meta, at)) {
		if (!get(v, at, ".name", MSGPACK_STRING, &name, &where) ||
		    !get(v, at, ".symbol", MSGPACK_STRING, &symbol, &where))
			return false;
		if (symbol.size != name.size + 3 || memcmp(symbol.data, name.data, name.size) ||
		    memcmp(symbol.data + name.size, ".kd", 3))
			return no(v, "symbol '%.*s' of kernel '%.*s'", (int)symbol.size,
				  symbol.data, (int)name.size, name.data);
		if (!good_numbers(v, at) || !good_symbols(v, name.data, name.size, true, &code) ||
		    !good_symbols(v, symbol.data, symbol.size, false, &kd) ||
		    !good_descriptor(v, at, &kd, &code))
			return false;
	}
	return true;
}

/* Checks that the instruction prefetch past the last instruction reads mapped, harmless words. */
static bool
rule_padding(struct view *v)
{
	const Elf64_Shdr *table = section(v, SHT_SYMTAB), *text;
	uint64_t end = 0;
	const char *name;
	Elf64_Sym s;

	for (uint64_t i = 1; read_symbol(v, table, i, &s, &name); i++) {
		if (ELF64_ST_TYPE(s.st_info) == STT_FUNC && s.st_shndx != SHN_ABS &&
		    s.st_value + s.st_size > end) {
			end = s.st_value + s.st_size;
			text = &v->s[s.st_shndx];
		}
	}
	if (!end || text->sh_addr + text->sh_size < end + FETCHED_AHEAD)
		return no(v, "the code ends with its last instruction");
	for (uint64_t at = end - text->sh_addr; at < text->sh_size; at += 4) {
		if (word_at(v, text->sh_offset + at) !=
		    (v->target->gen >= GCN_G10 ? 0xbf9f0000 : 0xbf800000))
			return no(v, "word 0x%x after the code", word_at(v, text->sh_offset + at));
	}
	return true;
}

static const struct {
	const char *name;
	bool (*holds)(struct view *v);
} rules[] = {
	{ "header", rule_header },     { "sections", rule_sections }, { "loads", rule_loads },
	{ "mapped", rule_mapped },     { "segments", rule_segments }, { "dynamic", rule_dynamic },
	{ "symbols", rule_symbols },   { "hash", rule_hash },	      { "note", rule_note },
	{ "metadata", rule_metadata }, { "kernels", rule_kernels },   { "padding", rule_padding },
};

const char *
hsa_rule_broken(const void *bytes, size_t size, const struct gcn_target *target, char why[HSA_WHY])
{
	struct view v = { .bytes = bytes, .size = size, .target = target, .why = why };

	for (size_t i = 0; i < QD_COUNT(rules); i++) {
		if (!rules[i].holds(&v))
			return rules[i].name;
	}
	return NULL;
}
