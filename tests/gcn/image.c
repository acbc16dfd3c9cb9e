/* Checks images with isa/amdgcn alone: descriptor, words, branches, registers, waits, hazards. */
#include "image.h"

#include <stdio.h>
#include <stdlib.h>

#include "descriptor.h"
#include "hazard.h"
#include "table.h"
#include "wait.h"

enum { VERSION = 5, N_VCC = 2, N_XNACK = 4, N_FLAT = 6 };

struct examine {
	const struct gcn_target *t;
	const uint8_t *image;
	size_t size, n_words, cap;
	uint32_t *words;
	char *why;
	bool bad; /* then `why` has the reason */
	struct cfg f;
};

/* Records the first reason. Always returns false. */
static bool QD_PRINTF(2, 3) say(struct examine *j, const char *fmt, ...)
{
	va_list ap;

	if (j->bad)
		return false;
	j->bad = true;
	va_start(ap, fmt);
	vsnprintf(j->why, j->cap, fmt, ap);
	va_end(ap);
	return false;
}

/* Adds the line's offset from the start of the image, and its text. */
static bool QD_PRINTF(3, 4) say_at(struct examine *j, uint32_t line, const char *fmt, ...)
{
	const struct gcn_line *l = &j->f.line[line];
	char text[256] = "no instruction", reason[384];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof reason, fmt, ap);
	va_end(ap);
	if (!(l->flags & LINE_UNKNOWN))
		gcn_print(j->t, &l->insn, text, sizeof text);
	return say(j, "offset 0x%x: %s: %s", l->offset + GCN_IMAGE_CODE, text, reason);
}

/* -- The descriptor --------------------------------------------------------------------- */

/* Returns a field by its directive's name; 0 if the target has no such field. */
static uint32_t
field(const struct examine *j, const char *name)
{
	struct gcn_descriptor_field f;

	return gcn_descriptor_find(j->t, VERSION, j->image, name, &f) ? f.value : 0;
}

static bool
check_descriptor(struct examine *j)
{
	int64_t entry;

	if (j->size <= GCN_IMAGE_CODE || j->size % 4)
		return say(j, "%zu bytes: an image is a descriptor, the size of code, zeros up to byte %d and words",
			   j->size, GCN_IMAGE_CODE);
	memcpy(&entry, j->image + 16, sizeof entry);
	if (entry != GCN_IMAGE_CODE)
		return say(j, "the descriptor has the entry at byte %lld, not %d", (long long)entry,
			   GCN_IMAGE_CODE);
	if (gcn_descriptor_wave(j->t, j->image) != j->t->wave)
		return say(j, "the descriptor selects wave size %u, expected %u",
			   gcn_descriptor_wave(j->t, j->image), j->t->wave);
	for (unsigned byte = 0; byte < AMD_DESCRIPTOR_SIZE; byte += 4) {
		uint32_t bits = gcn_descriptor_unknown(j->t, VERSION, j->image, byte);
		if (bits && byte / 8 != 2) /* the entry point */
			return say(j, "byte %u of the descriptor: the bits 0x%x are in no field",
				   byte, bits);
	}
	uint32_t code = amd_descriptor_word(j->image, AMD_IMAGE_CODE_SIZE_AT);
	if (code % 4 || code >= j->size - GCN_IMAGE_CODE)
		return say(j, "%u bytes of code before constants, of %zu bytes", code, j->size - GCN_IMAGE_CODE);
	for (unsigned byte = AMD_IMAGE_CODE_SIZE_AT + 4; byte < GCN_IMAGE_CODE; byte++)
		if (j->image[byte])
			return say(j, "byte %u between descriptor and code is 0x%x", byte,
				   j->image[byte]);
	if (field(j, "group_segment_fixed_size") > j->t->lds_size)
		return say(j, "%u bytes of LDS, of %u", field(j, "group_segment_fixed_size"),
			   j->t->lds_size);
	return true;
}

/* -- Words and branches ------------------------------------------------------------------- */

/* Encoding again detects register pairs at odd numbers where the target requires even ones. */
static bool
check_words(struct examine *j, uint32_t line)
{
	const struct gcn_line *l = &j->f.line[line];
	uint32_t w[GCN_MAX_WORDS];
	struct qd_error e = { 0 };
	int n;

	if (l->flags & LINE_UNKNOWN)
		return say(j, "offset 0x%x: the word 0x%08x is not an instruction",
			   l->offset + GCN_IMAGE_CODE, j->words[l->offset / 4]);
	if (gcn_encode(j->t, &l->insn, w, &n, &e) != QD_OK)
		return say_at(j, line, "%s", e.text);
	if (n != l->n_words || memcmp(w, j->words + l->offset / 4, (size_t)n * 4))
		return say_at(j, line, "its encoding differs");
	return true;
}

static bool
check_branch(struct examine *j, uint32_t line)
{
	const struct gcn_line *l = &j->f.line[line];

	if (l->flags & LINE_MIDDLE)
		return say_at(j, line, "it branches into an instruction");
	if (l->flags & LINE_OUTSIDE)
		return say_at(j, line, "it branches out of the code");
	if (l->flags & LINE_INDIRECT)
		return say_at(j, line, "it branches to an address in a register");
	if ((l->flags & LINE_OFF_END) && j->f.block[l->block].reached)
		return say_at(j, line, "no instruction follows it");
	if ((j->t->class_bit & (C1010 | C1011)) && gcn_props_of(l->insn.row).class == CL_BRANCH &&
	    l->insn.field[GCN_F_SIMM] == 0x3f)
		return say_at(j, line, "a branch over 0x3f words fails on %s", j->t->name);
	return true;
}

/* Only padding for the instruction fetch may follow the end. */
static bool
check_end(struct examine *j)
{
	uint32_t last = (uint32_t)j->f.n_line - 1;

	while (last && (j->f.line[last].insn.row == GCN_s_code_end ||
			j->f.line[last].insn.row == GCN_s_nop))
		last--;
	if (gcn_props_of(j->f.line[last].insn.row).class != CL_END)
		return say_at(j, last, "the code does not end in s_endpgm");
	return true;
}

/* -- Registers, LDS ------------------------------------------------------------------------- */

struct limits {
	unsigned v, a, s;
};

/* Before gfx10, vcc, flat_scratch and the XNACK mask are the last of a wave's scalar registers.
 * From gfx10 on every wave has all scalar registers. */
static struct limits
limits_of(const struct examine *j, bool flat)
{
	struct limits m = { field(j, "next_free_vgpr"), field(j, "next_free_vgpr"), j->t->n_sgpr };
	unsigned offset = field(j, "accum_offset"), n = field(j, "next_free_sgpr"), own = N_VCC;

	if (j->t->gen == GCN_G90A || j->t->gen == GCN_G94) {
		m.a = m.v > offset ? m.v - offset : 0;
		m.v = m.v < offset ? m.v : offset;
	}
	if (j->t->gen < GCN_G10) {
		own = j->t->features & GCN_XNACK ? N_XNACK : own;
		own = flat || j->t->gen == GCN_G94 ? N_FLAT : own;
		m.s = (n + 15u) / 16 * 16 - own; /* the field counts in units of 8, the hardware
						  * allocates 16 */
	}
	return m;
}

static bool
names_flat(const struct gcn_effect *fx)
{
	for (unsigned k = 0; k < fx->n_range; k++) {
		const struct gcn_range *r = &fx->range[k];
		if (r->file == FILE_S && r->role != ROLE_IMPLICIT &&
		    (r->first == 102 || r->first == 103))
			return true;
	}
	return false;
}

static bool
check_range(struct examine *j, uint32_t line, const struct limits *m, const struct gcn_range *r)
{
	static const char files[] = { [FILE_S] = 's', [FILE_V] = 'v', [FILE_A] = 'a' };
	unsigned limit, last = r->first + r->n - 1u;

	if (r->file == FILE_X)
		return true;
	limit = r->file == FILE_V ? m->v : r->file == FILE_A ? m->a : m->s;
	/* vcc and the registers above it always exist; before gfx10 also those from s102 */
	if (last >= limit && !(r->file == FILE_S && r->first >= j->t->n_sgpr))
		return say_at(j, line,
			      "%c%u is not among the %u registers that the descriptor allocates",
			      files[r->file], last, limit);
	return true;
}

/* Permutations do not access LDS memory: they neither load nor store. */
static bool
check_lds(struct examine *j, uint32_t line, const struct gcn_effect *fx)
{
	const struct gcn_insn *in = &j->f.line[line].insn;
	uint32_t size = field(j, "group_segment_fixed_size"), at = 0;

	if (fx->class != CL_DS || !(fx->flags & (E(LOAD) | E(STORE))))
		return true;
	if (gcn_row_mods(&gcn_rows[in->row]) & M_OFF)
		at = in->field[GCN_F_OFFSET];
	if (at >= size)
		return say_at(j, line,
			      "byte %u is beyond the %u bytes of LDS that the descriptor allocates",
			      at, size);
	return true;
}

static bool
check_lines(struct examine *j)
{
	bool flat = false;
	struct gcn_effect fx;
	struct limits m;

	for (uint32_t k = 0; k < j->f.n_line; k++) {
		if (!check_words(j, k) || !check_branch(j, k))
			return false;
		gcn_effect_of(j->t, &j->f.line[k].insn, &fx);
		flat |= names_flat(&fx);
	}
	m = limits_of(j, flat);
	for (uint32_t k = 0; k < j->f.n_line; k++) {
		gcn_effect_of(j->t, &j->f.line[k].insn, &fx);
		for (unsigned r = 0; r < fx.n_range; r++)
			if (!check_range(j, k, &m, &fx.range[r]))
				return false;
		if (!check_lds(j, k, &fx))
			return false;
	}
	return check_end(j);
}

/* -- Waits and hazards ------------------------------------------------------------ */

static void
note_wait(void *user, const struct gcn_wait_note *n)
{
	struct examine *j = user;
	char files[] = { [FILE_S] = 's', [FILE_V] = 'v', [FILE_A] = 'a', [FILE_X] = 'x' };

	if (n->kind == WAIT_MISSING)
		say_at(j, n->line, "no wait covers %c%u, in flight from offset 0x%x",
		       files[n->range.file], n->range.first,
		       j->f.line[n->other].offset + GCN_IMAGE_CODE);
}

static void
note_hazard(void *user, const struct gcn_hazard *h)
{
	struct examine *j = user;

	say_at(j, h->later, "%s: %s, at offset 0x%x: %s", h->rule, h->what,
	       j->f.line[h->earlier].offset + GCN_IMAGE_CODE, h->fix);
}

static bool
check_flow(struct examine *j)
{
	struct gcn_wait_state *state = calloc(j->f.n_block + 1, sizeof *state);
	struct gcn_hazard_line *line = calloc(j->f.n_line, sizeof *line);
	struct gcn_hazard_block *block = calloc(j->f.n_block, sizeof *block);

	if (state && line && block) {
		gcn_waits(&j->f, state, note_wait, j);
		gcn_hazards(&j->f, line, block, 0, note_hazard, j);
	} else {
		say(j, "out of memory");
	}
	free(state);
	free(line);
	free(block);
	return !j->bad;
}

static bool
check_code(struct examine *j)
{
	struct qd_error e = { 0 };

	j->f = (struct cfg){ .line = calloc(j->n_words, sizeof *j->f.line),
				  .line_cap = j->n_words };
	if (!j->f.line)
		return say(j, "out of memory");
	if (gcn_flow_read(&j->f, j->t, j->words, j->n_words, NULL, 0, &e) != QD_OK)
		return say(j, "%s", e.text);
	j->f.block = calloc(j->f.n_block, sizeof *j->f.block);
	j->f.edge = calloc(j->f.n_edge + 1, sizeof *j->f.edge);
	if (!j->f.block || !j->f.edge)
		return say(j, "out of memory");
	gcn_flow_link(&j->f);
	return check_lines(j) && check_flow(j);
}

size_t
gcn_image_code_size(const void *image, size_t size)
{
	uint32_t code = amd_descriptor_word(image, AMD_IMAGE_CODE_SIZE_AT);

	return code ? code : size - GCN_IMAGE_CODE;
}

bool
gcn_check_image(const void *image, size_t size, const struct gcn_target *t, char *why, size_t cap)
{
	struct examine j = { .t = t, .image = image, .size = size, .why = why, .cap = cap };

	if (!check_descriptor(&j))
		return false;
	j.n_words = gcn_image_code_size(image, size) / 4;
	j.words = malloc(size);
	if (j.words) {
		memcpy(j.words, j.image + GCN_IMAGE_CODE, j.n_words * 4);
		check_code(&j);
	} else {
		say(&j, "out of memory");
	}
	free(j.words);
	free(j.f.line);
	free(j.f.block);
	free(j.f.edge);
	return !j.bad;
}

/* FOLDER/gfx1100-32-SUM.img */
void
gcn_keep_image(const void *image, size_t size, const struct gcn_target *t)
{
	const char *folder = getenv("QD_TEST_IMAGES");
	const uint8_t *b = image;
	char name[1024];
	uint64_t sum = 0;
	FILE *out;

	if (!folder)
		return;
	for (size_t k = 0; k < size; k++)
		sum = (sum ^ b[k]) * 0x100000001b3u;
	snprintf(name, sizeof name, "%s/%s-%u-%016llx.img", folder, t->name, t->wave,
		 (unsigned long long)sum);
	out = fopen(name, "wb");
	if (!out)
		return;
	fwrite(image, 1, size, out);
	fclose(out);
}
