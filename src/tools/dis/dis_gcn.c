/* AMD input of qd-dis: finds the code objects of a file, divides them into pieces, and passes these
 * to the requested printer. */
#include "dis_gcn.h"

#include <elf.h>

#include "bundle.h"
#include "descriptor.h"
#include "elffile.h"
#include "hsa.h"
#include "table.h"

/* -- Shared by the printers ---------------------------------------------------------- */

size_t
dis_gcn_fetch(const uint8_t *code, uint64_t size, uint64_t at, uint32_t words[GCN_MAX_WORDS])
{
	size_t n = 0;

	for (; n < GCN_MAX_WORDS && at < size && size - at >= 4; at += 4)
		words[n++] = (uint32_t)code[at] | (uint32_t)code[at + 1] << 8 |
			     (uint32_t)code[at + 2] << 16 | (uint32_t)code[at + 3] << 24;
	return n;
}

bool
dis_gcn_branch(const struct gcn_target *t, const struct gcn_insn *in, int64_t *to, unsigned *i)
{
	struct gcn_view o;

	for (*i = 0; gcn_operand_view(t, in, *i, &o); ++*i) {
		if (o.kind.bank == BANK_BRANCH) {
			*to = 4 + 4 * (int64_t)(int16_t)(uint16_t)o.v;
			return true;
		}
	}
	return false;
}

static const struct gcn_target *
with_wave(const struct gcn_target *t, unsigned wave)
{
	const struct gcn_target *found = wave ? gcn_target_find(t->name, wave) : NULL;

	return found ? found : t;
}

const struct gcn_target *
dis_gcn_target(const struct dis_object *f, const struct code_kernel *k)
{
	unsigned wave = 0;

	if (!f->target)
		return NULL;
	if (k)
		return with_wave(f->target, gcn_descriptor_wave(f->target, k->descriptor));
	for (uint32_t i = 0; i < f->object.n_kernels; i++) {
		unsigned w = gcn_descriptor_wave(f->target, f->object.kernels[i].descriptor);
		if (wave && w != wave)
			return f->target;
		wave = w;
	}
	return with_wave(f->target, wave);
}

/* -- Pieces ------------------------------------------------------------------------- */

struct walk {
	struct dis *s;
	struct arena mem; /* of the file */
	struct arena piece_mem;
	uint32_t label, n_pieces;
	const struct buf *marks; /* of a compiled kernel; NULL: none */
	bool in_bundle; /* an entry may be empty if not all are */
};

static void *
need(void *p)
{
	if (!p)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	return p;
}

static void
read_flow(struct walk *w, struct dis_piece *p)
{
	struct cfg *f = &p->flow;
	struct qd_error e;
	uint32_t *words;

	p->n_words = (size_t)(p->size / 4);
	words = need(arena_alloc(&w->piece_mem, p->n_words * sizeof *words));
	for (size_t i = 0; i < p->n_words; i++) {
		uint32_t word[GCN_MAX_WORDS];
		dis_gcn_fetch(p->code, p->size, 4 * i, word);
		words[i] = word[0];
	}
	p->words = words;
	*f = (struct cfg){ .line_cap = p->n_words };
	f->line = need(arena_alloc(&w->piece_mem, p->n_words * sizeof *f->line));
	if (gcn_flow_read(f, p->target, words, p->n_words, NULL, 0, &e))
		tool_fail(&e);
	f->block = need(arena_alloc(&w->piece_mem, f->n_block * sizeof *f->block));
	f->edge = need(arena_alloc(&w->piece_mem, f->n_edge * sizeof *f->edge));
	gcn_flow_link(f);
}

static void
read_live(struct walk *w, struct dis_piece *p)
{
	const struct cfg *f = &p->flow;
	struct gcn_live *live = need(arena_alloc(&w->piece_mem, f->n_line * sizeof *live));

	gcn_live(f, need(arena_alloc(&w->piece_mem,
				     (f->n_block + 1) * sizeof(struct gcn_live_set))),
		 live);
	p->live = live;
}

static void
show_piece(struct walk *w, struct dis_piece *p)
{
	struct dis *s = w->s;

	read_flow(w, p);
	if (s->req->live || s->req->view == DIS_JSON)
		read_live(w, p);
	if (s->req->view == DIS_CFG || s->req->view == DIS_JSON)
		gcn_flow_loops(&p->flow);
	s->n_shown++;
	if (s->parts) {
		dis_gcn_parts(s, p);
		arena_reset(&w->piece_mem);
		return;
	}
	switch (s->req->view) {
	case DIS_JSON: dis_gcn_json_piece(s, p, !w->n_pieces); break;
	case DIS_HAZARDS: dis_gcn_hazards(s, p); break;
	case DIS_MIX: dis_gcn_mix(s, p, !s->n_files && !w->n_pieces); break;
	case DIS_CFG: w->label = dis_gcn_cfg(s, p, w->label); break;
	default:
		dis_gcn_piece_head(s, p);
		w->label = dis_gcn_list(s, p, w->label);
		break;
	}
	w->n_pieces++;
	arena_reset(&w->piece_mem);
}

/* Returns true if the code is only fillers, which compilers emit between and after functions. */
static bool
is_padding(const uint8_t *code, uint64_t size)
{
	static const uint32_t fillers[] = { 0, 0xbf800000, 0xbf9f0000 };

	for (uint64_t at = 0; at < size; at += 4) {
		uint32_t word[GCN_MAX_WORDS];
		size_t i = 0;
		if (!dis_gcn_fetch(code, size, at, word))
			return false;
		while (i < QD_COUNT(fillers) && fillers[i] != word[0])
			i++;
		if (i == QD_COUNT(fillers))
			return false;
	}
	return true;
}

/* Excludes trailing fillers from functions of unknown size. */
static void
trim_functions(struct code_object *o)
{
	for (uint32_t i = 0; i < o->n_functions; i++) {
		struct code_function *fn = &o->functions[i];
		while (!fn->has_size && fn->size > 4 && fn->size % 4 == 0 && is_padding(fn->code + fn->size - 4, 4))
			fn->size -= 4;
	}
}

/* Writes padding in the assembler's syntax, one line per run of equal words. */
static void
put_padding(const struct dis *s, const struct dis_piece *p)
{
	uint32_t word[GCN_MAX_WORDS], next[GCN_MAX_WORDS];

	fputc('\n', s->out.file);
	for (uint64_t at = 0, n; at < p->size; at += n) {
		dis_gcn_fetch(p->code, p->size, at, word);
		for (n = 4; at + n < p->size; n += 4) {
			dis_gcn_fetch(p->code, p->size, at + n, next);
			if (next[0] != word[0])
				break;
		}
		fprintf(s->out.file, "  .fill %llu, 4, 0x%08x  ; padding",
			(unsigned long long)(n / 4), word[0]);
		if (!s->req->no_addr)
			fprintf(s->out.file, " at 0x%llx", (unsigned long long)(p->addr + at));
		fputc('\n', s->out.file);
	}
}

/* Shows the bytes of a section from `from` to `to`, which are in no function. */
static void
show_gap(struct walk *w, const struct dis_object *f, const struct elf_section *section,
	 uint64_t from, uint64_t to)
{
	struct dis_piece p = { .file = f,
			       .target = dis_gcn_target(f, NULL),
			       .size = to - from,
			       .section = (uint32_t)(section - f->object.elf.sections),
			       .addr = section->addr + from,
			       .code = section->data + from };

	if (to <= from || w->s->req->kernel)
		return;
	if (f->raw || !is_padding(p.code, p.size))
		show_piece(w, &p);
	else if (w->s->req->view == DIS_TEXT && !w->s->parts)
		put_padding(w->s, &p);
}

static void
show_section(struct walk *w, const struct dis_object *f, uint32_t i, uint32_t *next)
{
	const struct code_object *o = &f->object;
	const struct elf_section *section = &o->elf.sections[i];
	uint64_t at = 0;

	for (; *next < o->n_functions && o->functions[*next].section == i; ++*next) {
		const struct code_function *fn = &o->functions[*next];
		const struct code_kernel *k =
			fn->kernel != CODE_NO_PLACE ? &o->kernels[fn->kernel] : NULL;
		uint64_t start = fn->addr - section->addr, gap_end = start;
		/* a v2 descriptor precedes its code */
		if (k && o->version == 2 && k->descriptor_addr >= section->addr &&
		    k->descriptor_addr < fn->addr)
			gap_end = k->descriptor_addr - section->addr;
		show_gap(w, f, section, at, gap_end);
		at = start + fn->size;
		struct dis_piece p = { .file = f,
				       .name = fn->name,
				       .kernel = k,
				       .section = i,
				       .addr = fn->addr,
				       .target = dis_gcn_target(f, k),
				       .size = fn->size,
				       .code = fn->code };
		if (dis_wanted(w->s, fn->name))
			show_piece(w, &p);
	}
	show_gap(w, f, section, at, section->size);
}

/* -- Files --------------------------------------------------------------------------- */

/* In a bundle this is a warning, as the other entries are shown. */
static void
unknown_processor(const struct walk *w, const struct dis_object *f)
{
	char target[64], text[200];

	code_object_target(&f->object, target);
	snprintf(text, sizeof text, "code for %s (e_flags 0x%x), which has no instruction table",
		 target, f->object.elf.flags);
	if (!w->in_bundle)
		tool_die(EXIT_INPUT, "'%s' is %s", f->label, text);
	tool_message("warning", "'%s' is %s; it is skipped", f->label, text);
	w->s->exit = EXIT_INPUT;
}

static void
show_text(struct walk *w, const struct dis_object *f)
{
	const struct code_object *o = &f->object;
	uint32_t next = 0;

	if (w->s->req->view == DIS_TEXT && !w->s->parts)
		dis_gcn_file_head(w->s, f);
	w->label = 0;
	for (uint32_t i = 1; i < o->elf.n_sections; i++) {
		if ((o->elf.sections[i].flags & SHF_EXECINSTR) && o->elf.sections[i].data)
			show_section(w, f, i, &next);
	}
}

/* Reports an object without code, or without a function to show. In a bundle this is a warning, as
 * another entry may have some. */
static void
no_code(const struct walk *w, const struct dis_object *f, const char *what)
{
	const struct elf_file *elf = &f->object.elf;
	const struct elf_section *code = NULL;
	uint64_t at = elf->base + offsetof(Elf64_Ehdr, e_shoff);
	char text[256];

	for (uint32_t i = elf->n_sections; i-- > 1;) {
		if (elf->sections[i].flags & SHF_EXECINSTR)
			code = &elf->sections[i];
	}
	if (code)
		at = elf->base + code->offset;
	snprintf(text, sizeof text, code ? "section '%.100s' %s" : "no section contains code",
		 code ? code->name : "", what);
	if (!w->in_bundle)
		tool_die(EXIT_INPUT, "'%s': offset 0x%llx: %s", f->label, (unsigned long long)at,
			 text);
	tool_message("warning", "'%s': offset 0x%llx: %s", f->label, (unsigned long long)at, text);
}

static bool
has_code(const struct dis_object *f)
{
	const struct elf_file *elf = &f->object.elf;

	for (uint32_t i = 1; i < elf->n_sections; i++) {
		const struct elf_section *section = &elf->sections[i];
		if ((section->flags & SHF_EXECINSTR) && section->data && section->size)
			return true;
	}
	return false;
}

/* Returns true if the object has a requested function. */
static bool
has_wanted(struct dis *s, const struct dis_object *f)
{
	bool any = !s->req->kernel;

	dis_choose_begin(s);
	for (uint32_t i = 0; i < f->object.n_functions; i++)
		dis_choose(s, f->object.functions[i].name);
	for (uint32_t i = 0; !any && i < f->object.n_functions; i++)
		any = dis_wanted(s, f->object.functions[i].name);
	return any;
}

static void
show_file(struct walk *w, const struct dis_object *f)
{
	struct dis *s = w->s;
	uint32_t n_shown = s->n_shown;

	if (!f->target) {
		unknown_processor(w, f);
		return;
	}
	if (!f->raw && !has_code(f)) {
		no_code(w, f, "has no bytes");
		return;
	}
	if (!has_wanted(s, f))
		return;
	switch (s->req->view) {
	case DIS_STATS: dis_gcn_stats(s, f, !s->n_files); break;
	case DIS_JSON:
		if (s->n_files)
			fputs(",\n", s->out.file);
		dis_gcn_json_file(s, f, true);
		w->n_pieces = 0;
		show_text(w, f);
		dis_gcn_json_file(s, f, false);
		break;
	case DIS_TEXT:
		if (s->req->style == DIS_LLVM) {
			dis_gcn_llvm(s, f);
			break;
		}
		if (s->n_files && !s->parts)
			fputc('\n', s->out.file);
		show_text(w, f);
		break;
	default: show_text(w, f); break;
	}
	s->n_files++;
	if (s->n_shown > n_shown || s->req->kernel || s->req->style == DIS_LLVM)
		return;
	no_code(w, f, s->req->view == DIS_STATS ? "belongs to no kernel" : "has no function");
}

/* Converts the marks of the compiled kernel to lines of the object. Marks are offsets in the image,
 * which has the descriptor before the code. */
static void
mark_lines(struct walk *w, struct dis_object *f)
{
	const struct isa_mark *m = (const struct isa_mark *)(const void *)buf_data(w->marks);
	size_t n = w->marks->len / sizeof *m;
	const struct code_function *fn = f->object.functions;

	if (!f->object.n_functions || !n)
		return;
	f->lines.ranges = need(arena_alloc(&w->mem, n * sizeof *f->lines.ranges));
	for (size_t i = 0; i < n; i++) {
		uint64_t from = m[i].at - HSA_ENTRY, to = i + 1 < n ? m[i + 1].at - HSA_ENTRY : fn->size;
		if (m[i].at < HSA_ENTRY || to <= from || to > fn->size)
			continue;
		struct line_place place = line_map_place(&w->s->lines, w->s->req->file, m[i].pos);
		f->lines.ranges[f->lines.n++] = (struct line_range){ fn->addr + from, fn->addr + to, ELF_NO_SECTION,
								     place.line, place.col, place.file };
	}
}

static void
show_object(struct walk *w, const char *label, const void *data, size_t size, uint64_t base)
{
	struct dis_object f = { .label = label };
	struct qd_error e;

	if (code_object_read(&w->mem, data, size, base, &f.object, &e))
		dis_die(label, &e);
	trim_functions(&f.object);
	bool lines = w->s->req->view == DIS_JSON || (dis_shows_source(w->s) && !w->s->parts);
	if (w->marks)
		mark_lines(w, &f);
	else if (lines && lines_read(&w->mem, &f.object.elf, &f.lines, &e)) {
		if (e.code == QD_E_NOMEM)
			tool_fail(&e);
		tool_message("warning", "'%s': %s; source lines are omitted", label, e.text);
	}
	if (f.object.processor)
		f.target = gcn_target_find(f.object.processor, 0);
	show_file(w, &f);
}

/* target: the processor, "gfx90a", or with the modes that the entry names. */
static bool
for_target(const struct bundle_entry *e, const char *target)
{
	size_t len = target ? strlen(target) : 0;

	return !target ||
	       (strncmp(e->target, target, len) == 0 && (!e->target[len] || e->target[len] == ':'));
}

static void
show_bundle(struct walk *w, const char *label, const void *data, size_t size, uint64_t base)
{
	struct bundle b;
	struct qd_error e;
	struct buf names;
	uint32_t n_entries = 0;

	if (bundle_read(&w->mem, data, size, base, &b, &e))
		tool_die(e.code == QD_E_UNAVAILABLE || e.code == QD_E_NOMEM ? EXIT_ENVIRONMENT
									    : EXIT_INPUT,
			 "'%s': %s", label, e.text);
	buf_init(&names, &w->s->ctx->pool);
	w->in_bundle = true;
	for (uint32_t i = 0; i < b.n_entries; i++) {
		const struct bundle_entry *entry = &b.entries[i];
		if (!code_object_is(entry->data, entry->size))
			continue;
		buf_printf(&names, "%s%s", names.len ? ", " : "", entry->target);
		if (!for_target(entry, w->s->req->target))
			continue;
		n_entries++;
		size_t len = strlen(label) + strlen(entry->id) + 2;
		char *name = need(arena_alloc(&w->mem, len));
		snprintf(name, len, "%s:%s", label, entry->id);
		if (entry->was_compressed)
			dis_unpacked(w->s, entry->size);
		show_object(w, name, entry->data, entry->size,
			    entry->was_compressed ? 0 : entry->offset);
	}
	if (n_entries && !w->s->n_shown && !w->s->req->kernel)
		tool_die(EXIT_INPUT, "'%s': no entry has code to show", label);
	if (!n_entries && w->s->req->target && !w->s->req->kernel)
		tool_die(EXIT_INPUT, "'%s' has no code for %s; it has: %s", label,
			 w->s->req->target, names.len ? buf_data(&names) : "none");
	if (!names.len)
		tool_die(EXIT_INPUT, "'%s' is a bundle without AMD code objects (%u entries)",
			 label, b.n_entries);
	buf_fini(&names);
}

static void
show_host(struct walk *w)
{
	const uint8_t *data;
	size_t size;
	uint64_t offset;
	struct qd_error e;

	if (bundle_in_host(&w->mem, w->s->data, w->s->size, 0, &data, &size, &offset, &e))
		dis_die(w->s->req->file, &e);
	if (!data)
		tool_die(
			EXIT_INPUT,
			"'%s' is an ELF file for another machine, without AMD code (no .hip_fatbin "
			"section)",
			w->s->req->file);
	show_bundle(w, w->s->req->file, data, size, offset);
}

static void
show_raw(struct walk *w)
{
	struct elf_section sections[2];
	struct dis_object f = { .label = w->s->req->file, .raw = true };

	f.target = dis_raw_target(w->s->req->raw);
	f.object.elf = dis_raw_read(w->s, &w->mem, sections);
	show_file(w, &f);
}

static void
walk_begin(struct walk *w)
{
	arena_init(&w->mem, &w->s->ctx->pool);
	arena_init(&w->piece_mem, &w->s->ctx->pool);
}

static void
walk_end(struct walk *w)
{
	arena_fini(&w->piece_mem);
	arena_fini(&w->mem);
}

void
dis_gcn(struct dis *s)
{
	struct walk w = { .s = s };

	walk_begin(&w);
	if (s->req->raw)
		show_raw(&w);
	else if (s->kind == KIND_BUNDLE)
		show_bundle(&w, s->req->file, s->data, s->size, 0);
	else if (s->kind == KIND_CODE_OBJECT || s->kind == KIND_AMD_OBJECT)
		show_object(&w, s->req->file, s->data, s->size, 0);
	else
		show_host(&w);
	walk_end(&w);
}

void
dis_gcn_object(struct dis *s, const char *label, const void *data, size_t size, uint64_t base)
{
	struct walk w = { .s = s };

	walk_begin(&w);
	show_object(&w, label, data, size, base);
	walk_end(&w);
}

void
dis_gcn_kernel(struct dis *s, const void *data, size_t size, const struct buf *marks)
{
	struct walk w = { .s = s, .marks = marks };

	walk_begin(&w);
	show_object(&w, s->req->file, data, size, 0);
	walk_end(&w);
}
