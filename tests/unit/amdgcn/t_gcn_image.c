/* Checker of AMD images (gcn/image.c). It must accept kernels of clang in qd's layout, and report
 * each rule that is violated alone. */
#include "../../gcn/image.h"
#include "descriptor.h"
#include "effect.h"
#include "gcn_text.h"
#include "unit.h"
#include "wave_kernels.h"

#include <stdio.h>
#include <stdlib.h>

enum { IMAGE_CAP = 16384 };

struct image {
	const struct gcn_target *target;
	uint32_t n_words; /* size of the code */
	union {
		uint8_t b[IMAGE_CAP];
		uint32_t w[IMAGE_CAP / 4];
	};
};
enum { CODE = GCN_IMAGE_CODE / 4 };
#define NOP 0xbf800000u /* s_nop 0, on all targets */

static bool
examined(const struct image *m, char why[512])
{
	why[0] = 0;
	return gcn_check_image(m->b, GCN_IMAGE_CODE + 4 * (size_t)m->n_words, m->target, why, 512);
}

/* -- Images of clang ----------------------------------------------------------------------- */

static void
make(struct image *m, const struct wave_code *c, const struct code_place *k)
{
	*m = (struct image){ .target = c->target, .n_words = k->end - k->entry };
	memcpy(m->b, k->descriptor, AMD_DESCRIPTOR_SIZE);
	gcn_descriptor_entry(m->b, GCN_IMAGE_CODE);
	memcpy(m->w + CODE, c->words + k->entry, 4 * (size_t)m->n_words);
}

/* Checks that correct images of another compiler are accepted. */
static void
clang(struct unit_ctx *t)
{
	static struct image m;
	unsigned n = 0;
	char why[512];

	for (unsigned i = 0; i < wave_n_objects; i++) {
		struct wave_code c;
		if (!wave_has_rows(&wave_objects[i]) || !wave_code_read(t, &c, &wave_objects[i]))
			continue;
		for (unsigned k = 0; k < c.n_kernels; k++, n++) {
			make(&m, &c, &c.kernel[k]);
			gcn_keep_image(m.b, GCN_IMAGE_CODE + 4 * (size_t)m.n_words, m.target);
			UNIT_CHECK(t, examined(&m, why), "%s w%u, %s: %s", c.target->name,
				   c.target->wave, c.kernel[k].name, why);
		}
		wave_code_free(&c);
	}
	UNIT_CHECK(t, n == 203, "%u images", n);
}

/* -- Injected errors ------------------------------------------------------------------------ */

/* Creates an image whose descriptor has 8 vector and 16 scalar registers and 64 bytes of
 * LDS. */
static bool
make_text(struct unit_ctx *t, struct image *m, const char *target, unsigned wave, const char *text)
{
	const struct gcn_target *g = gcn_target_find(target, wave);
	bool ok;

	*m = (struct image){ .target = g };
	ok = gcn_descriptor_put(g, 5, m->b, GCN_D_next_free_vgpr,
				g->features & GCN_ALIGN2 ? 16 : 8);
	if (g->features & GCN_ALIGN2)
		ok &= gcn_descriptor_put(g, 5, m->b, GCN_D_accum_offset, 8);
	if (g->gen < GCN_G10)
		ok &= gcn_descriptor_put(g, 5, m->b, GCN_D_next_free_sgpr, 10);
	else if (g->wave == 32)
		ok &= gcn_descriptor_put(g, 5, m->b, GCN_D_wavefront_size32, 1);
	ok &= gcn_descriptor_put(g, 5, m->b, GCN_D_group_segment_fixed_size, 64);
	gcn_descriptor_entry(m->b, GCN_IMAGE_CODE);
	m->n_words = (uint32_t)gcn_text_words(t, g, text, m->w + CODE, IMAGE_CAP / 4 - CODE);
	UNIT_CHECK(t, ok && m->n_words, "%s: %s", target, text);
	return ok && m->n_words;
}

/* clang-format off */
static const struct {
	const char *target;
	unsigned wave;
	const char *text, *why; /* NULL: accepted */
} texts[] = {
	{ "gfx906", 0, "v_mov_b32_e32 v7, 0; s_mov_b32 s9, vcc_lo; ds_write_b32 v0, v1 offset:60; s_endpgm", NULL },
	{ "gfx90a", 0, "v_accvgpr_write_b32 a7, v7; global_load_dwordx2 v[2:3], v[4:5], off; s_endpgm; s_nop 0; s_nop 0", NULL },
	{ "gfx1100", 0, "s_mov_b32 s105, ttmp9; s_cbranch_execz 1; v_nop; s_endpgm; s_code_end; s_code_end", NULL },
	/* words */
	{ "gfx1100", 0, "0xfffffffe; s_endpgm", "offset 0x100: the word 0xfffffffe is not an instruction" },
	{ "gfx1100", 0, "s_nop 0; 0xbe8000ff; 0x00000001; s_branch 65534; s_endpgm",
	  "offset 0x10c: s_branch 65534: it branches into an instruction" },
	{ "gfx1100", 0, "s_branch 1; s_endpgm", "offset 0x100: s_branch 1: it branches out of the code" },
	{ "gfx1100", 0, "s_branch 65534; s_endpgm", "offset 0x100: s_branch 65534: it branches out of the code" },
	{ "gfx1100", 0, "s_setpc_b64 s[0:1]; s_endpgm", "it branches to an address in a register" },
	{ "gfx1100", 0, "s_nop 0; v_nop", "offset 0x104: v_nop: no instruction follows it" },
	{ "gfx1100", 0, "s_endpgm; s_branch 65534", "offset 0x104: s_branch 65534: the code does not end in s_endpgm" },
	{ "gfx906", 0, "s_cbranch_scc0 1; s_endpgm; s_nop 0", "no instruction follows it" },
	/* registers */
	{ "gfx906", 0, "v_mov_b32_e32 v8, 0; s_endpgm", "offset 0x100: v_mov_b32_e32 v8, 0: v8 is not among the 8 registers that the descriptor allocates" },
	{ "gfx1200", 0, "global_load_b64 v[7:8], v[0:1], off; s_endpgm", "v8 is not among the 8 registers" },
	{ "gfx90a", 0, "v_accvgpr_read_b32 v0, a8; s_endpgm", "a8 is not among the 8 registers" },
	{ "gfx90a", 0, "v_mov_b32_e32 v8, 0; s_endpgm", "v8 is not among the 8 registers" },
	{ "gfx906", 0, "s_mov_b32 s12, 0; s_endpgm", "s12 is not among the 12 registers" },
	{ "gfx906", 0, "s_mov_b32 s10, flat_scratch_lo; s_endpgm", "s10 is not among the 10 registers" },
	{ "gfx942", 0, "s_mov_b64 s[10:11], 0; s_endpgm", "s11 is not among the 10 registers" },
	{ "gfx90a", 0, "0xdc548000; 0x037f0004; s_endpgm", "offset 0x100: the word 0xdc548000 is not an instruction" },
	{ "gfx906", 0, "0xbe830180; s_endpgm", "offset 0x100: the word 0xbe830180 is not an instruction" },
	{ "gfx906", 0, "0xd1010000; 0x00000200; s_endpgm", "offset 0x100: v_add_f32_e64 v0, s0, s1: v_add_f32_e64: more scalar registers" },
	{ "gfx906", 0, "0x7e020000; s_endpgm", "offset 0x100: the word 0x7e020000 is not an instruction" },
	{ "gfx1100", 0, "ds_store_b32 v0, v1 offset:64; s_endpgm", "byte 64 is beyond the 64 bytes of LDS" },
	/* waits, hazards */
	{ "gfx1100", 0, "s_load_b32 s4, s[0:1], null; s_add_u32 s4, s4, 1; s_endpgm", "offset 0x108: s_add_u32 s4, s4, 1: no wait covers s4, in flight from offset 0x100" },
	{ "gfx906", 0, "ds_read_b32 v0, v1; v_mov_b32_e32 v2, v0; s_endpgm", "no wait covers v0" },
	{ "gfx906", 0, "v_mov_b32_e32 v1, 0; s_nop 0; v_mov_b32_dpp v2, v1 row_shr:1 row_mask:0xf bank_mask:0xf; s_endpgm", "dpp_vgpr: a VALU instruction writes a VGPR that DPP reads, at offset 0x100: s_nop" },
	{ "gfx1100", 64, "v_cndmask_b32_e64 v0, v1, v2, s[0:1]; s_mov_b64 s[0:1], 0; v_mov_b32_e32 v4, s0; s_endpgm", "mask_salu_write: " },
};
/* clang-format on */

static void
broken(struct unit_ctx *t)
{
	static struct image m;
	char why[512];

	for (size_t i = 0; i < QD_COUNT(texts); i++) {
		if (!make_text(t, &m, texts[i].target, texts[i].wave, texts[i].text))
			continue;
		bool ok = examined(&m, why);
		UNIT_CHECK(t, texts[i].why ? !ok && strstr(why, texts[i].why) : ok, "%s, %s: %s",
			   texts[i].target, texts[i].text, why);
	}
}

/* Checks branches over 0x3f words: an error on gfx10.1, legal on gfx10.3. */
static void
far(struct unit_ctx *t)
{
	static const char *const targets[] = { "gfx1010", "gfx1011", "gfx1012", "gfx1013",
					       "gfx1030" };
	static struct image m;
	char text[1000] = "s_cbranch_scc0 63;", why[512];

	for (unsigned k = 0; k < 63; k++)
		strcat(text, "s_nop 0;");
	strcat(text, "s_endpgm");
	for (size_t i = 0; i < QD_COUNT(targets); i++) {
		if (!make_text(t, &m, targets[i], 0, text))
			continue;
		bool ok = examined(&m, why), want = i == 4;
		UNIT_CHECK(t, ok == want && (ok || strstr(why, "a branch over 0x3f words")),
			   "%s: %s", targets[i], why);
	}
}

/* Checks changed bytes outside the code, and sizes that are too small. */
static void
around(struct unit_ctx *t)
{
	static const struct {
		unsigned byte, xor;
		const char *why;
	} bytes[] = {
		{ 16, 0x04, "the entry at byte 260" },
		{ 20, 0x01, "the entry at byte" },
		{ 12, 0x01, "byte 12 of the descriptor: the bits 0x1 are in no field" },
		{ 64, 0x01, "1 bytes of code before constants, of 4 bytes" },
		{ 64, 0x04, "4 bytes of code before constants, of 4 bytes" },
		{ 68, 0x01, "byte 68 between descriptor and code is 0x1" },
		{ 255, 0x80, "byte 255 between descriptor and code is 0x80" },
		{ 57, 0x04, "wave size 64, expected 32" },
		{ 2, 0x10, "bytes of LDS, of 65536" },
	};
	static struct image m;
	char why[512];

	if (!make_text(t, &m, "gfx1100", 0, "s_endpgm"))
		return;
	UNIT_CHECK(t, examined(&m, why), "%s", why);
	for (size_t i = 0; i < QD_COUNT(bytes); i++) {
		m.b[bytes[i].byte] ^= (uint8_t)bytes[i].xor ;
		UNIT_CHECK(t, !examined(&m, why) && strstr(why, bytes[i].why), "byte %u: %s",
			   bytes[i].byte, why);
		m.b[bytes[i].byte] ^= (uint8_t)bytes[i].xor ;
	}
	/* Constants after the code are not decoded. */
	m.w[CODE + m.n_words++] = 0xfffffffe;
	UNIT_CHECK(t, !examined(&m, why), "an unknown word in the code is accepted");
	m.b[64] = 4;
	UNIT_CHECK(t, examined(&m, why), "%s", why);
	for (unsigned size = 0; size <= GCN_IMAGE_CODE + 3; size += 37)
		UNIT_CHECK(t,
			   !gcn_check_image(m.b, size, m.target, why, sizeof why) &&
				   strstr(why, "an image is a descriptor"),
			   "%u bytes: %s", size, why);
}

/* -- Mutated images of clang ------------------------------------------------------------------ */

struct tally {
	unsigned n, reported;
};

/* Mutates each wait, branch and end of a kernel, one at a time, and counts the reports. */
static void
damage(struct unit_ctx *t, struct image *m, struct tally *waits, struct tally *branches)
{
	const struct gcn_target *g = m->target;
	char why[512];

	for (uint32_t w = CODE; w < CODE + m->n_words;) {
		uint32_t was = m->w[w];
		struct gcn_insn in;
		int len = gcn_decode(g, m->w + w, CODE + m->n_words - w, &in);
		struct gcn_props p = gcn_props_of(in.row);
		if (p.class == CL_WAIT && !(p.flags & E(DEPCTR))) {
			m->w[w] = NOP;
			waits->n++;
			waits->reported += !examined(m, why);
		}
		if (p.class == CL_BRANCH) {
			m->w[w] = was + 0x4000;
			branches->n++;
			branches->reported += !examined(m, why);
		}
		if (p.class == CL_END) {
			m->w[w] = NOP;
			UNIT_CHECK(t, !examined(m, why), "%s: no end", g->name);
		}
		m->w[w] = was;
		w += len ? (uint32_t)len : 1;
	}
}

/* Checks that all mutated branches and most removed waits are reported. Not every wait protects a
 * register, here as on the emulator. */
static void
damaged(struct unit_ctx *t)
{
	struct tally waits = { 0 }, branches = { 0 };
	static struct image m;

	for (unsigned i = 0; i < wave_n_objects; i++) {
		struct wave_code c;
		if (!wave_has_rows(&wave_objects[i]) || !wave_code_read(t, &c, &wave_objects[i]))
			continue;
		for (unsigned k = 0; k < c.n_kernels; k++) {
			make(&m, &c, &c.kernel[k]);
			damage(t, &m, &waits, &branches);
		}
		wave_code_free(&c);
	}
	if (getenv("QD_TEST_VERBOSE"))
		printf("%u waits dropped, %u reported; %u branches bent, %u reported\n", waits.n,
		       waits.reported, branches.n, branches.reported);
	UNIT_CHECK(t, waits.reported > waits.n / 2 && branches.n == branches.reported,
		   "%u waits, %u reported; %u branches, %u reported", waits.n, waits.reported, branches.n,
		   branches.reported);
}

/* -- Images of qd ------------------------------------------------------------------------------ */

static void
check_images(struct unit_ctx *t, const char *text)
{
	static const char *const targets[] = { "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950" };
	const struct qd_context_desc desc = { .version = QD_VERSION };

	for (size_t i = 0; i < QD_COUNT(targets); i++) {
		struct unit_things o = { 0 };
		struct qd_error e = { 0 };
		size_t size = 0;
		char why[512] = "";
		qd_status st = unit_things_make(&o, &desc, text, "k", targets[i], NULL, 0, &e);
		const void *image = st ? NULL : qd_image_data(o.image, &size);

		UNIT_CHECK(t, image && gcn_check_image(image, size, gcn_target_find(targets[i], 64), why, sizeof why),
			   "%s: %s%s", targets[i], e.text, why);
		unit_things_free(&o);
	}
}

/* Checks that a load ends a group of loads that XNACK repeats together, if it overwrites its own
 * index. */
static void
repeated(struct unit_ctx *t)
{
	check_images(t, "kernel k(x: in u32[], a: in u32[], b: in u32[], o: u32[]) block(64) {\n"
			"	let i = block.global_thread_idx(); let j = x[i];\n"
			"	o[i] = a[j] + b[i]; }");
}

/* Checks that the tables after the code are not taken for instructions. */
static void
tables(struct unit_ctx *t)
{
	check_images(t, "const K: u32[3] = [4294967294, 0, 1];\n"
			"kernel k(o: u32[]) block(64) { let i = block.global_thread_idx(); o[i] = K[i]; }");
}

const struct unit units_gcn_image[] = {
	{ "gcn_image.clang", clang },	{ "gcn_image.broken", broken },	  { "gcn_image.far", far },
	{ "gcn_image.around", around }, { "gcn_image.damaged", damaged },
	{ "gcn_image.repeated", repeated }, { "gcn_image.tables", tables },
};
const unsigned n_units_gcn_image = QD_COUNT(units_gcn_image);
