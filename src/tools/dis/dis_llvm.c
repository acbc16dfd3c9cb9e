/* AMD code, byte for byte as llvm-objdump -d of LLVM 22 prints it. This determines the symbols at
 * the start of a run of code, the bytes that are data, the text of runs of zeros, and the targets
 * of branches. */
#include "dis_gcn.h"

#include <elf.h>
#include <stdlib.h>

#include "table.h"

enum { SYMBOL_HSA_KERNEL = 10, COMMENT_COLUMN = 60 };

struct listing {
	FILE *out;
	const struct dis_object *f;
	struct dis *s;
	const struct elf_section *section;
	uint32_t section_index;
	struct elf_symbol *own;	  /* the section's symbols, with one at its start */
	struct elf_symbol *label; /* those without a type */
	uint32_t n_own, n_label;
	struct elf_symbol *absolute; /* in no section */
	uint32_t n_absolute;
	struct place *by_addr; /* sections in order of address */
};

struct place {
	uint64_t addr, size;
	uint32_t section;
};

static int
compare(const struct elf_symbol *x, const struct elf_symbol *y)
{
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	int names = strcmp(x->name, y->name);
	return names ? names : x->type - y->type;
}

static int
by_value(const void *a, const void *b)
{
	return compare(a, b);
}

/* Returns the index of the first symbol whose section is not less than `section`. */
static uint32_t
first_in(const struct code_object *o, uint64_t section)
{
	uint32_t lo = 0, hi = o->n_symbols;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (o->symbols[mid].section < section)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct elf_symbol *
symbols_of(const struct code_object *o, uint32_t section, uint32_t *n)
{
	uint32_t first = first_in(o, section);

	*n = first_in(o, section + UINT64_C(1)) - first;
	return o->symbols + first;
}

/* Returns the number of symbols before an address, including those at it if or_at. */
static uint32_t
count_before(const struct elf_symbol *v, uint32_t n, uint64_t addr, bool or_at)
{
	uint32_t lo = 0, hi = n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (v[mid].value < addr || (or_at && v[mid].value == addr))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct elf_symbol *
symbol_before(const struct elf_symbol *v, uint32_t n, uint64_t addr)
{
	uint32_t count = count_before(v, n, addr, true);

	return count ? &v[count - 1] : NULL;
}

/* -- Targets of branches ---------------------------------------------------------- */

/* Returns the name of a symbol without a type, which replaces its address in the text. */
static const char *
label_at(const struct listing *l, uint64_t addr)
{
	uint32_t i = count_before(l->label, l->n_label, addr, false);

	return i < l->n_label && l->label[i].value == addr ? l->label[i].name : NULL;
}

static const struct elf_symbol *
symbol_for(const struct listing *l, uint64_t addr)
{
	const struct code_object *o = &l->f->object;
	const struct elf_symbol *s = NULL;
	uint32_t i = o->elf.n_sections, n;
	uint64_t where = 0;

	if (o->elf.type == ET_REL) {
		s = symbol_before(l->own, l->n_own, addr);
		i = 0;
	}
	/* in a linked file: the nearest sections before it */
	while (i && l->by_addr[i - 1].addr > addr)
		i--;
	for (; i && !s; i--) {
		uint32_t section = l->by_addr[i - 1].section;
		if (!where)
			where = l->by_addr[i - 1].addr;
		if (l->by_addr[i - 1].addr != where)
			break;
		if (section == l->section_index) {
			s = symbol_before(l->own, l->n_own, addr);
		} else if (section) {
			const struct elf_symbol *v = symbols_of(o, section, &n);
			s = symbol_before(v, n, addr);
		}
	}
	return s ? s : symbol_before(l->absolute, l->n_absolute, addr);
}

static void
print_target(const struct listing *l, uint64_t addr)
{
	const struct elf_symbol *s = symbol_for(l, addr);

	if (!s)
		return;
	fprintf(l->out, " <%s", s->name);
	if (addr != s->value)
		fprintf(l->out, "+0x%llx", (unsigned long long)(addr - s->value));
	fputc('>', l->out);
}

/* -- Instructions ------------------------------------------------------------------- */

static void
print_comment(const struct listing *l, uint64_t addr, const uint32_t *words, int n)
{
	if (!l->s->req->no_addr)
		fprintf(l->out, "// %012llX:", (unsigned long long)addr);
	else if (!l->s->req->no_hex)
		fprintf(l->out, "//");
	for (int i = 0; i < n && !l->s->req->no_hex; i++)
		fprintf(l->out, " %08X", words[i]);
}

static void
print_insn(const struct listing *l, const struct gcn_insn *in, uint64_t addr, const uint32_t *words)
{
	const struct gcn_target *t = l->f->target;
	char text[GCN_TEXT_SIZE];
	const char *label = NULL;
	unsigned operand;
	int64_t to = 0;

	gcn_print(t, in, text, sizeof text);
	bool branch = dis_gcn_branch(t, in, &to, &operand);
	if (branch)
		label = label_at(l, addr + (uint64_t)to);
	if (label) {
		/* the operand is the last word */
		char *at = strrchr(text, ' ');
		if (at)
			at[1] = '\0';
	}
	size_t len = 1 + strlen(text) + (label ? strlen(label) : 0);
	fprintf(l->out, "\t%s%s", text, label ? label : "");
	if (!l->s->req->no_addr || !l->s->req->no_hex)
		fprintf(l->out, "%*s", len < COMMENT_COLUMN ? (int)(COMMENT_COLUMN - len) : 0, "");
	print_comment(l, addr, words, in->n_words);
	if (branch && !label && operand == 0)
		print_target(l, addr + (uint64_t)to);
	fputc('\n', l->out);
}

static void
print_rest(const struct listing *l, uint64_t addr, const uint8_t *bytes, int n)
{
	fprintf(l->out, "\t.byte 0x%02x", bytes[0]);
	for (int i = 1; i < n; i++)
		fprintf(l->out, ", 0x%02x", bytes[i]);
	fprintf(l->out, "%*s", 55 - 6 * n, "");
	print_comment(l, addr, NULL, 0);
	for (int i = 0; i < n && !l->s->req->no_hex; i++)
		fprintf(l->out, " %02X", bytes[i]);
	fputc('\n', l->out);
}

/* Returns the length, in whole words, of a run of eight or more zeros, which is printed as dots. */
static uint64_t
zeros(const uint8_t *bytes, uint64_t n)
{
	uint64_t i = 0;

	while (i < n && !bytes[i])
		i++;
	return i < 8 ? 0 : i & ~(uint64_t)3;
}

/* An instruction may extend past the end of its run. */
static void
print_code(const struct listing *l, uint64_t at, uint64_t end)
{
	const struct elf_section *s = l->section;

	while (at < end) {
		uint32_t words[GCN_MAX_WORDS];
		struct gcn_insn in;
		uint64_t n = zeros(s->data + at, end - at), addr = s->addr + at;
		if (n) {
			fprintf(l->out, "\t\t...\n");
			at += n;
			continue;
		}
		size_t n_words = dis_gcn_fetch(s->data, s->size, at, words);
		if (!n_words) {
			print_rest(l, addr, s->data + at, (int)(s->size - at));
			return;
		}
		if (gcn_decode(l->f->target, words, n_words, &in)) {
			print_insn(l, &in, addr, words);
			at += 4u * in.n_words;
			continue;
		}
		if (!words[0] && l->f->target->gen >= GCN_G10)
			fprintf(l->out, "\t%-58s ", "v_illegal"); /* LLVM's name for a word of zeros */
		else
			fprintf(l->out, "\t.long 0x%08x %*s", words[0], 42, "");
		print_comment(l, addr, words, 1);
		fputc('\n', l->out);
		at += 4;
	}
}

/* -- Data ------------------------------------------------------------------------------ */

static void
print_data(const struct listing *l, uint64_t at, uint64_t end)
{
	const struct elf_section *s = l->section;

	for (; at < end; at += 8) {
		uint64_t n = end - at < 8 ? end - at : 8;
		fprintf(l->out, "%8llx:", (unsigned long long)(s->addr + at));
		for (uint64_t i = 0; i < n; i++)
			fprintf(l->out, " %02x", s->data[at + i]);
		fprintf(l->out, "%*s         ", (int)(3 * (8 - n)), "");
		for (uint64_t i = 0; i < n; i++) {
			uint8_t c = s->data[at + i];
			fputc(c >= 32 && c < 127 ? c : '.', l->out);
		}
		fputc('\n', l->out);
	}
}

/* Prints the text of llvm-objdump 22 for a v2 descriptor. The bytes are the first of the section
 * for any kernel. */
static uint64_t
print_v2(const struct listing *l, const char *name)
{
	fprintf(l->out,
		"; error decoding %s: code object v2 is not supported\n"
		"; decoding failed region as bytes\n",
		name);
	for (uint64_t i = 0; i < 256 && i < l->section->size; i++)
		fprintf(l->out, "\t.byte\t 0x%X\n", l->section->data[i]);
	return 256;
}

/* -- Runs -------------------------------------------------------------------------------- */

/* Prints a run. Symbols first to first + n - 1 are at its address. */
static void
print_run(const struct listing *l, uint32_t first, uint32_t n, uint64_t end, bool *headed)
{
	uint64_t start = l->own[first].value - l->section->addr;
	uint32_t shown = first + n - 1;
	bool data = true;

	for (uint32_t i = first; i < first + n; i++) {
		if (l->own[i].type != STT_OBJECT && l->own[i].type != STT_COMMON) {
			data = false;
			shown = i;
		}
	}
	if (!dis_wanted(l->s, l->own[shown].name))
		return;
	l->s->n_shown++;
	if (!*headed)
		fprintf(l->out, "\nDisassembly of section %s:\n", l->section->name);
	*headed = true;
	fprintf(l->out, "\n%016llx <%s>:\n", (unsigned long long)l->own[shown].value,
		l->own[shown].name);
	for (uint32_t i = first; i < first + n; i++) {
		if (l->own[i].type == SYMBOL_HSA_KERNEL) {
			start += print_v2(l, l->own[i].name);
			break;
		}
	}
	if (data)
		print_data(l, start, end);
	else
		print_code(l, start, end);
}

static void
add_start(struct listing *l)
{
	struct elf_symbol start = { .name = l->section->name,
				    .value = l->section->addr,
				    .section = l->section_index,
				    .type = STT_FUNC };
	uint32_t i = l->n_own++;

	for (; i && compare(&l->own[i - 1], &start) >= 0; i--)
		l->own[i] = l->own[i - 1];
	l->own[i] = start;
}

static void
print_section(struct listing *l, struct arena *mem)
{
	const struct code_object *o = &l->f->object;
	const struct elf_symbol *v = symbols_of(o, l->section_index, &l->n_own);
	uint64_t last = l->section->addr + l->section->size;
	bool headed = false;

	l->own = arena_alloc(mem, (l->n_own + 1) * sizeof *l->own);
	l->label = arena_alloc(mem, l->n_own * sizeof *l->label);
	if (!l->own || !l->label)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	if (l->n_own)
		memcpy(l->own, v, l->n_own * sizeof *l->own);
	l->n_label = 0;
	for (uint32_t i = 0; i < l->n_own; i++) {
		if (l->own[i].type == STT_NOTYPE)
			l->label[l->n_label++] = l->own[i];
	}
	if (!l->n_own || l->own[0].value != l->section->addr)
		add_start(l);
	for (uint32_t i = 0, n; i < l->n_own; i += n) {
		uint64_t start = l->own[i].value, end = last;
		for (n = 1; i + n < l->n_own && l->own[i + n].value == start; n++) {
		}
		if (i + n < l->n_own && l->own[i + n].value < end)
			end = l->own[i + n].value;
		if (start >= l->section->addr && start < end)
			print_run(l, i, n, end - l->section->addr, &headed);
	}
}

/* -- The file ----------------------------------------------------------------------------- */

static int
by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return x->section < y->section ? -1 : 1;
}

static void
gather(struct listing *l, struct arena *mem)
{
	const struct code_object *o = &l->f->object;

	l->absolute = arena_alloc(mem, o->n_symbols * sizeof *l->absolute);
	l->by_addr = arena_alloc(mem, o->elf.n_sections * sizeof *l->by_addr);
	if (!l->absolute || !l->by_addr)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	for (uint32_t i = 0; i < o->n_symbols; i++) {
		if (!o->symbols[i].section || o->symbols[i].section == ELF_NO_SECTION)
			l->absolute[l->n_absolute++] = o->symbols[i];
	}
	if (l->n_absolute)
		qsort(l->absolute, l->n_absolute, sizeof *l->absolute, by_value);
	for (uint32_t i = 0; i < o->elf.n_sections; i++)
		l->by_addr[i] =
			(struct place){ o->elf.sections[i].addr, o->elf.sections[i].size, i };
	qsort(l->by_addr, o->elf.n_sections, sizeof *l->by_addr, by_place);
}

void
dis_gcn_llvm(struct dis *s, const struct dis_object *f)
{
	struct listing l = { .out = s->out.file, .f = f, .s = s };
	const struct elf_file *elf = &f->object.elf;
	struct arena mem;

	arena_init(&mem, &s->ctx->pool);
	gather(&l, &mem);
	if (f->raw) {
		l.section = &elf->sections[1];
		l.section_index = 1;
		print_code(&l, 0, l.section->size);
	} else {
		fprintf(l.out, "\n%s:\tfile format elf64-amdgpu\n", f->label);
	}
	for (uint32_t i = 1; i < elf->n_sections && !f->raw; i++) {
		l.section = &elf->sections[i];
		l.section_index = i;
		if ((l.section->flags & SHF_EXECINSTR) && l.section->size && l.section->data)
			print_section(&l, &mem);
	}
	arena_fini(&mem);
}
