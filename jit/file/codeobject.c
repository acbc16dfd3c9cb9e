/* Reads code objects: e_flags, and functions and kernels from symbols. */
#include "metadata.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	MACHINE_AMDGPU = 224,
	ABI_HSA = 64,
	SYMBOL_HSA_KERNEL = 10
};

static const char *const processors[256] = {
#define AMD_TARGET(name, model, number, ...) [number] = #name,
#define AMD_DEVICE(name, model, number, ...) [number] = #name,
#define AMD_DECODED(name, model, number) [number] = #name,
#define AMD_GENERIC(name, model, number, version) [number] = #name,
#define AMD_NAMED(name, number) [number] = #name,
#include "amd_abi.def"
};

bool
code_object_is(const void *data, size_t size)
{
	Elf64_Ehdr h;

	if (!elf_is(data, size) || size < sizeof h)
		return false;
	memcpy(&h, data, sizeof h);
	return h.e_machine == MACHINE_AMDGPU;
}

/* Reads e_flags, whose format depends on the version: up to v3 a mode is a single bit. */
static void
read_flags(struct code_object *o)
{
	static const enum code_mode modes[4] = { CODE_MODE_NONE, CODE_MODE_ANY, CODE_MODE_OFF,
						 CODE_MODE_ON };
	uint32_t flags = o->elf.flags;

	o->processor = processors[flags & AMD_FLAG_PROCESSOR];
	if (o->version >= 4) {
		o->xnack = modes[flags >> AMD_FLAG_XNACK_SHIFT & 3];
		o->sramecc = modes[flags >> AMD_FLAG_SRAMECC_SHIFT & 3];
	} else {
		o->xnack = flags & 0x100 ? CODE_MODE_ON : CODE_MODE_NONE;
		o->sramecc = flags & 0x200 ? CODE_MODE_ON : CODE_MODE_NONE;
	}
	if (o->version >= 6)
		o->generic_version = flags >> AMD_FLAG_GENERIC_SHIFT;
}

void
code_object_target(const struct code_object *o, char text[64])
{
	static const char *const sign[] = { "", "", "-", "+" };
	const char *processor = o->processor ? o->processor : "an unknown processor";

	snprintf(text, 64, "%s%s%s%s%s", processor, o->sramecc >= CODE_MODE_OFF ? ":sramecc" : "",
		 sign[o->sramecc], o->xnack >= CODE_MODE_OFF ? ":xnack" : "", sign[o->xnack]);
}

/* -- Symbols ----------------------------------------------------------------------- */

static int
by_place(const void *a, const void *b)
{
	const struct elf_symbol *x = a, *y = b;

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	int names = strcmp(x->name, y->name);
	return names ? names : x->type - y->type;
}

static bool
has_bytes(const struct code_object *o, const struct elf_symbol *s)
{
	return s->section && s->section < o->elf.n_sections && o->elf.sections[s->section].data;
}

/* Finds the offset of a symbol's bytes in its section; returns false if they are not within it. */
static bool
place_in_section(const struct code_object *o, const struct elf_symbol *s, uint64_t size,
		 uint64_t *at)
{
	const struct elf_section *section = &o->elf.sections[s->section];

	if (s->value < section->addr || s->value - section->addr > section->size)
		return false;
	*at = s->value - section->addr;
	return section->size - *at >= size;
}

static qd_status
read_symbols(struct arena *mem, struct code_object *o, struct qd_error *err)
{
	uint32_t n = 0;

	QD_TRY(elf_symbols(mem, &o->elf, SHT_SYMTAB, &o->symbols, &o->n_symbols, err));
	if (!o->n_symbols)
		QD_TRY(elf_symbols(mem, &o->elf, SHT_DYNSYM, &o->symbols, &o->n_symbols, err));
	for (uint32_t i = 0; i < o->n_symbols; i++) {
		const struct elf_symbol *s = &o->symbols[i];
		if (s->name[0] && s->type != STT_SECTION && s->type != STT_FILE)
			o->symbols[n++] = *s;
	}
	o->n_symbols = n;
	if (n)
		qsort(o->symbols, n, sizeof *o->symbols, by_place);
	return QD_OK;
}

/* -- Functions --------------------------------------------------------------------- */

static bool
is_in_code(const struct code_object *o, const struct elf_symbol *s)
{
	return has_bytes(o, s) && (o->elf.sections[s->section].flags & SHF_EXECINSTR);
}

/* Returns whether a symbol begins a function; one without a type that a function covers is a
 * label. */
static bool
begins_function(const struct elf_symbol *s, bool covered)
{
	return s->type == STT_FUNC || s->type == SYMBOL_HSA_KERNEL ||
	       (s->type == STT_NOTYPE && !covered);
}

static bool
is_linked(const struct code_object *o)
{
	return o->elf.type != ET_REL;
}

static int
by_name(const void *a, const void *b)
{
	const struct code_kernel *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* Gives symbols of v with the name of a kernel a type. In a relocatable file descriptors do not
 * contain the address of the code, so the symbol with the kernel's name is the entry. */
static qd_status
name_entries(struct arena *mem, const struct code_object *o, struct elf_symbol *v, uint32_t n,
	     struct qd_error *err)
{
	const struct code_kernel **names = arena_alloc(mem, (o->n_kernels + 1) * sizeof *names);

	if (!names)
		return qd_fail(err, QD_E_NOMEM, "out of memory for %u kernels", o->n_kernels);
	for (uint32_t i = 0; i < o->n_kernels; i++)
		names[i] = &o->kernels[i];
	if (o->n_kernels)
		qsort(names, o->n_kernels, sizeof *names, by_name);
	for (uint32_t i = 0; i < n && o->n_kernels; i++) {
		const struct code_kernel key = { .name = v[i].name }, *p = &key;
		if (v[i].type == STT_NOTYPE && bsearch(&p, names, o->n_kernels, sizeof *names, by_name))
			v[i].type = STT_FUNC;
	}
	return QD_OK;
}

/* Adds a function symbol at the kernel's entry to v, unless v has one there. */
static void
add_entry(const struct code_object *o, const struct code_kernel *k, struct elf_symbol *v, uint32_t n_sorted,
	  uint32_t *n)
{
	for (uint32_t i = 1; i < o->elf.n_sections; i++) {
		const struct elf_section *s = &o->elf.sections[i];
		if (!(s->flags & SHF_EXECINSTR) || !s->data || k->entry < s->addr || k->entry - s->addr >= s->size)
			continue;
		uint32_t lo = 0, hi = n_sorted;
		while (lo < hi) {
			uint32_t mid = lo + (hi - lo) / 2;
			if (v[mid].section < i || (v[mid].section == i && v[mid].value < k->entry))
				lo = mid + 1;
			else
				hi = mid;
		}
		for (; lo < n_sorted && v[lo].section == i && v[lo].value == k->entry; lo++)
			if (v[lo].type == STT_FUNC)
				return;
		v[(*n)++] = (struct elf_symbol){ .name = k->name, .value = k->entry, .section = i,
						 .offset = k->descriptor_offset, .type = STT_FUNC };
		return;
	}
}

/* Collects the symbols in code, and the entries of descriptors without a function symbol. */
static qd_status
read_begins(struct arena *mem, const struct code_object *o, struct elf_symbol **out, uint32_t *n,
	    struct qd_error *err)
{
	struct elf_symbol *v = arena_alloc(mem, ((size_t)o->n_symbols + o->n_kernels + 1) * sizeof *v);
	uint32_t n_sorted = 0;

	*out = v;
	if (!v)
		return qd_fail(err, QD_E_NOMEM, "out of memory for %u functions", o->n_symbols);
	for (uint32_t i = 0; i < o->n_symbols; i++) {
		if (is_in_code(o, &o->symbols[i]))
			v[n_sorted++] = o->symbols[i];
	}
	*n = n_sorted;
	if (!is_linked(o))
		return name_entries(mem, o, v, n_sorted, err);
	for (uint32_t i = 0; i < o->n_kernels && o->version != 2; i++)
		add_entry(o, &o->kernels[i], v, n_sorted, n);
	if (*n > n_sorted)
		qsort(v, *n, sizeof *v, by_place);
	return QD_OK;
}

/* Adds a function, or merges the symbol into the last function if both have the same address. As
 * in llvm-objdump, the last of several symbols names the function, except that a symbol with a
 * type takes precedence over one without. */
static void
add_function(struct code_object *o, const struct elf_symbol *s, uint64_t at)
{
	struct code_function *last = o->n_functions ? &o->functions[o->n_functions - 1] : NULL;
	const struct elf_section *section = &o->elf.sections[s->section];
	uint64_t rest = section->size - at;

	if (last && last->section == s->section && last->addr == s->value) {
		if (s->type != STT_NOTYPE) {
			last->name = s->name;
			last->size = s->size && s->size < rest ? s->size : rest;
			last->has_size = s->size != 0;
		}
		return;
	}
	if (last && last->section == s->section && last->addr + last->size > s->value)
		last->size = s->value - last->addr;
	o->functions[o->n_functions++] = (struct code_function){
		.name = s->name,
		.section = s->section,
		.kernel = CODE_NO_PLACE,
		.addr = s->value,
		.size = s->size && s->size < rest ? s->size : rest,
		.has_size = s->size != 0,
		.code = section->data + at,
	};
}

/* Checks that the whole function is within its section. */
static qd_status
check_function(const struct code_object *o, const struct elf_symbol *s, struct qd_error *err)
{
	const struct elf_section *section = &o->elf.sections[s->section];
	uint64_t at;

	if (s->type == STT_NOTYPE || place_in_section(o, s, s->size, &at))
		return QD_OK;
	return elf_fail(&o->elf, s->offset, err,
			"function '%.60s' (0x%llx bytes at address 0x%llx) is not within section "
			"'%.60s' (0x%llx bytes at 0x%llx)",
			s->name, (unsigned long long)s->size, (unsigned long long)s->value,
			section->name, (unsigned long long)section->size,
			(unsigned long long)section->addr);
}

/* Returns the end of the symbol's function; without a size it extends to the next function. */
static uint64_t
end_of(const struct elf_symbol *s)
{
	bool sized = s->type != STT_NOTYPE && s->size && s->size <= UINT64_MAX - s->value;

	return sized ? s->value + s->size : UINT64_MAX;
}

static qd_status
read_functions(struct arena *mem, struct code_object *o, struct qd_error *err)
{
	uint64_t covered_to = 0, at;
	uint32_t section = 0, n = 0;
	struct elf_symbol *v;

	QD_TRY(read_begins(mem, o, &v, &n, err));
	o->functions = arena_alloc(mem, (n + 1) * sizeof *o->functions);
	if (!o->functions)
		return qd_fail(err, QD_E_NOMEM, "out of memory for %u functions", n);
	for (uint32_t i = 0; i < n; i++) {
		const struct elf_symbol *s = &v[i];
		if (s->section != section)
			covered_to = 0;
		section = s->section;
		if (!begins_function(s, s->value < covered_to))
			continue;
		QD_TRY(check_function(o, s, err));
		if (!place_in_section(o, s, 1, &at))
			continue;
		bool unsized_now = covered_to == UINT64_MAX;
		add_function(o, s, at);
		if (unsized_now || end_of(s) > covered_to)
			covered_to = end_of(s);
	}
	return QD_OK;
}

/* -- Kernels ----------------------------------------------------------------------- */

static int
function_by_name(const void *a, const void *b)
{
	const struct code_function *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static int
function_by_addr(const void *a, const void *b)
{
	const struct code_function *const *x = a, *const *y = b;

	return (*x)->addr < (*y)->addr ? -1 : (*x)->addr > (*y)->addr;
}

static struct code_function **
sorted_functions(struct arena *mem, struct code_object *o, int (*order)(const void *, const void *))
{
	struct code_function **v = arena_alloc(mem, o->n_functions * sizeof *v);

	for (uint32_t i = 0; v && i < o->n_functions; i++)
		v[i] = &o->functions[i];
	if (v && o->n_functions)
		qsort(v, o->n_functions, sizeof *v, order);
	return v;
}

/* Finds the function of this name or address in v, which is sorted by `order`. */
static uint32_t
find_function(const struct code_object *o, struct code_function **v,
	      int (*order)(const void *, const void *), const char *name, uint64_t addr)
{
	const struct code_function key = { .name = name, .addr = addr };
	const struct code_function *p = &key;
	struct code_function **found = NULL;

	if (o->n_functions)
		found = bsearch(&p, v, o->n_functions, sizeof *v, order);
	return found ? (uint32_t)(*found - o->functions) : CODE_NO_PLACE;
}

static bool
ends_with_kd(const char *name, size_t len)
{
	return len > 3 && memcmp(name + len - 3, ".kd", 3) == 0;
}

static bool
is_descriptor(const struct code_object *o, const struct elf_symbol *s)
{
	if (!has_bytes(o, s))
		return false;
	if (o->version == 2)
		return s->type == SYMBOL_HSA_KERNEL;
	return s->type == STT_OBJECT && ends_with_kd(s->name, strlen(s->name));
}

static qd_status
add_kernel(struct arena *mem, struct code_object *o, const struct elf_symbol *s,
	   struct qd_error *err)
{
	const struct elf_section *section = &o->elf.sections[s->section];
	bool v2 = o->version == 2;
	uint32_t size = v2 ? AMD_DESCRIPTOR_V2_SIZE : AMD_DESCRIPTOR_SIZE;
	size_t len = strlen(s->name) - (v2 ? 0 : 3);
	struct code_kernel *k = &o->kernels[o->n_kernels];
	uint64_t at;

	if (!place_in_section(o, s, size, &at))
		return elf_fail(&o->elf, section->offset, err,
				"the descriptor of kernel '%.*s' (%u bytes at address 0x%llx) is "
				"not within its section",
				len < 100 ? (int)len : 100, s->name, size,
				(unsigned long long)s->value);
	*k = (struct code_kernel){ .name = s->name,
				   .name_len = (uint32_t)len,
				   .function = CODE_NO_PLACE,
				   .descriptor = section->data + at,
				   .descriptor_addr = s->value,
				   .descriptor_offset = section->offset + at,
				   .meta_at = SIZE_MAX };
	if (!v2) {
		char *name = arena_strdup(mem, s->name, len);
		if (!name)
			return qd_fail(err, QD_E_NOMEM, "out of memory for a name");
		k->name = name;
	}
	k->entry = k->descriptor_addr + amd_descriptor_entry(k->descriptor);
	o->n_kernels++;
	return QD_OK;
}

static int
kernel_by_entry(const void *a, const void *b)
{
	const struct code_kernel *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

/* Joins a function and a kernel. In v2 a function begins with the descriptor, which is skipped. */
static void
join(struct code_function *f, const struct code_kernel *k, uint32_t i)
{
	uint64_t skip = k->entry - f->addr;

	f->kernel = i;
	if (skip > f->size)
		skip = f->size;
	f->addr += skip;
	f->code += skip;
	f->size -= skip;
}

/* Finds the function of each kernel. In a relocatable file the distance from descriptor to code is
 * a relocation, so the function is found by name. */
static qd_status
find_code(struct arena *mem, struct code_object *o, struct qd_error *err)
{
	bool linked = is_linked(o);
	struct code_function **names, **addrs;

	if (!o->n_kernels)
		return QD_OK;
	names = sorted_functions(mem, o, function_by_name);
	addrs = sorted_functions(mem, o, function_by_addr);
	if (!names || !addrs)
		return qd_fail(err, QD_E_NOMEM, "out of memory for %u functions", o->n_functions);
	for (uint32_t i = 0; i < o->n_kernels; i++) {
		struct code_kernel *k = &o->kernels[i];
		/* In v2 the kernel's symbol is at the descriptor, which precedes the code. */
		if (linked && o->version != 2)
			k->function = find_function(o, addrs, function_by_addr, "", k->entry);
		else
			k->function = find_function(o, names, function_by_name, k->name, 0);
		if (!linked && o->version != 2 && k->function != CODE_NO_PLACE)
			k->entry = o->functions[k->function].addr;
	}
	if (o->n_kernels)
		qsort(o->kernels, o->n_kernels, sizeof *o->kernels, kernel_by_entry);
	for (uint32_t i = 0; i < o->n_kernels; i++) {
		if (o->kernels[i].function != CODE_NO_PLACE)
			join(&o->functions[o->kernels[i].function], &o->kernels[i], i);
	}
	return QD_OK;
}

static qd_status
read_kernels(struct arena *mem, struct code_object *o, struct qd_error *err)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < o->n_symbols; i++)
		n += is_descriptor(o, &o->symbols[i]);
	if (!n)
		return QD_OK;
	o->kernels = arena_alloc(mem, n * sizeof *o->kernels);
	if (!o->kernels)
		return qd_fail(err, QD_E_NOMEM, "out of memory for %u kernels", n);
	for (uint32_t i = 0; i < o->n_symbols; i++) {
		if (is_descriptor(o, &o->symbols[i]))
			QD_TRY(add_kernel(mem, o, &o->symbols[i], err));
	}
	return QD_OK;
}

/* -- Files ------------------------------------------------------------------------- */

static qd_status
check_header(struct code_object *o, struct qd_error *err)
{
	uint64_t code = 0;

	if (o->elf.machine != MACHINE_AMDGPU)
		return elf_fail(&o->elf, offsetof(Elf64_Ehdr, e_machine), err,
				"ELF machine %u; AMD's code objects have %u", o->elf.machine,
				MACHINE_AMDGPU);
	if (o->elf.os_abi == ABI_HSA) {
		if (o->elf.abi_version > 4)
			return elf_fail(&o->elf, EI_ABIVERSION, err,
					"code object ABI version %u; versions 0 to 4 (v2 to v6) "
					"are supported",
					o->elf.abi_version);
		o->version = o->elf.abi_version + 2u;
	}
	for (uint32_t i = 1; i < o->elf.n_sections; i++) {
		const struct elf_section *s = &o->elf.sections[i];
		if (!(s->flags & SHF_EXECINSTR) || !s->data)
			continue;
		code += s->size;
		if (s->addr > UINT64_MAX - s->size)
			return elf_fail(&o->elf, s->offset, err,
					"section '%.60s' extends past the last address", s->name);
		if (code > o->elf.size)
			return elf_fail(&o->elf, s->offset, err, "code sections overlap");
	}
	return QD_OK;
}

qd_status
code_object_read(struct arena *mem, const void *data, size_t size, uint64_t base,
		 struct code_object *out, struct qd_error *err)
{
	*out = (struct code_object){ 0 };
	QD_TRY(elf_read(mem, data, size, base, &out->elf, err));
	QD_TRY(check_header(out, err));
	read_flags(out);
	QD_TRY(read_symbols(mem, out, err));
	QD_TRY(read_kernels(mem, out, err));
	QD_TRY(read_functions(mem, out, err));
	QD_TRY(find_code(mem, out, err));
	return metadata_read(mem, out, err);
}
