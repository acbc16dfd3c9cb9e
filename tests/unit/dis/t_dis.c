/* The calls of <qdgpu/dis.h>: texts, findings, rejected input, ownership. */
#include <stdio.h>
#include <stdlib.h>

#include "gcn.h"
#include "qdgpu/dis.h"
#include "unit.h"

extern const struct unit units_dis[];
extern const size_t n_units_dis;

static const char scale_qdk[] = "qdk 2;\nkernel scale(x: u32[]) { for i in grid(x.len) { x[i] = x[i] * 3; } }\n";

/* A kernel's image for a target. */
struct image {
	struct qd_context *ctx;
	struct qd_module *module;
	struct qd_kernel *kernel;
	struct qd_image *image;
};

static bool
make_image(struct unit_ctx *t, struct image *m, const char *target)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_error e = { 0 };

	*m = (struct image){ 0 };
	bool good = !qd_context_create(&desc, &m->ctx, &e) &&
		    !qd_module_parse(m->ctx, scale_qdk, sizeof scale_qdk - 1, "scale.qdk", &m->module, &e) &&
		    !qd_module_kernel(m->module, "scale", NULL, 0, &m->kernel, &e) &&
		    !qd_compile(m->ctx, m->kernel, target, NULL, 0, &m->image, &e);
	UNIT_CHECK(t, good, "%s: %s", target, e.text);
	return good;
}

static void
free_image(struct image *m)
{
	qd_image_free(m->image);
	qd_kernel_free(m->kernel);
	qd_module_free(m->module);
	qd_context_free(m->ctx);
}

/* The text of an image is that of its data and its target. */
static void
images(struct unit_ctx *t)
{
	static const struct {
		const char *target, *has;
	} cases[] = {
		{ "spirv:w32", "OpEntryPoint GLCompute" }, { "ptx:sm_80", ".entry scale" },
		{ "gfx906", "\ts_endpgm\n" },		   { "gfx1100", "v_lshl_add_u32" },
		{ "amdgcn:gfx1201:w64", "s_wait_loadcnt" },	   { "gfx1100:w8:h32:b64", "\ts_endpgm\n" },
	};

	for (size_t i = 0; i < QD_COUNT(cases); i++) {
		struct image m;
		struct qd_error e = { 0 };
		char *text = NULL, *again = NULL;
		size_t len = 0, size;
		if (make_image(t, &m, cases[i].target)) {
			const void *code = qd_image_data(m.image, &size);
			qd_status st = qd_dis_image(m.image, &text, &len, &e);
			UNIT_CHECK(t, !st && text && strlen(text) == len && strstr(text, cases[i].has), "%s: %s",
				   cases[i].target, st ? e.text : text);
			st = qd_dis_text(qd_image_target(m.image), 0, code, size, &again, NULL, NULL);
			UNIT_CHECK(t, !st && text && again && strcmp(text, again) == 0, "%s: another text",
				   cases[i].target);
		}
		free(text);
		free(again);
		free_image(&m);
	}
}

/* Instructions alone, at an unaligned address; words that are not an instruction, or half of
 * one. */
static void
words(struct unit_ctx *t)
{
	static const uint32_t code[] = { 0xbf800000, 0xffffffff, 0xbfb00000, 0x8004ff00 };
	static const uint32_t longest[] = { 0xcc3a6a00, 0x4c031064, 0xcc3304d0, 0x8de3d180 };
	struct qd_error e = { 0 };
	char *text, *bytes = malloc(sizeof code + 1);
	size_t len = 0;

	if (!bytes)
		return;
	memcpy(bytes + 1, code, sizeof code);
	qd_status st = qd_dis_text("gfx1100", QD_DIS_WORDS, bytes + 1, sizeof code, &text, &len, &e);
	UNIT_CHECK(t, !st && strcmp(text, "\ts_nop 0\n\t.long 0xffffffff\n\ts_endpgm\n\t.long 0x8004ff00\n") == 0, "%s",
		   st ? e.text : text);
	free(text);
	free(bytes);
	st = qd_dis_text("amdgcn:gfx906", QD_DIS_WORDS, code + 2, 4, &text, NULL, &e);
	UNIT_CHECK(t, !st && strcmp(text, "\t.long 0xbfb00000\n") == 0, "an end of gfx1100 on gfx906: %s", st ? e.text : text);
	free(text);
	st = qd_dis_text("amdgcn:w64", QD_DIS_WORDS, NULL, 0, &text, &len, &e);
	UNIT_CHECK(t, !st && text && !*text && len == 0, "no code: %s", e.text);
	free(text);
	st = qd_dis_text("gfx1250", QD_DIS_WORDS, longest, sizeof longest, &text, &len, &e);
	UNIT_CHECK(t, !st && strstr(text, " matrix_b_reuse neg_lo:[0,0,1] neg_hi:[0,0,1]\n"), "the longest text: %s",
		   st ? e.text : text);
	free(text);
}

/* Rejected calls: the status, a part of the message, and no text. */
static void
refused(struct unit_ctx *t)
{
	static const unsigned char code[256] = { [16] = 128 };
	static const unsigned char outside[256] = { [17] = 1 }, odd[256] = { [16] = 66 };
	static const struct {
		const char *target;
		uint32_t flags;
		const void *code;
		size_t size;
		qd_status st;
		const char *has;
	} cases[] = {
		{ "gfx999", 0, code, 256, QD_E_NOT_FOUND, "no target is named 'gfx999'" },
		{ "", 0, code, 256, QD_E_NOT_FOUND, "no target is named ''" },
		{ "gfx", 0, code, 256, QD_E_NOT_FOUND, "spirv, ptx, sm_NN, gfx9" },
		{ "gfx1100:x1", 0, code, 256, QD_E_INVALID, "has no option 'x1'" },
		{ "gfx906:h32", 0, code, 256, QD_E_INVALID, "does not support waves of 32 lanes" },
		{ "ref:w8", 0, code, 256, QD_E_TARGET, "target ref:w8 has no code" },
		{ "gfx1100", 2, code, 256, QD_E_INVALID, "unknown flags" },
		{ "gfx1100", 0, NULL, 256, QD_E_INVALID, "the code is NULL" },
		{ NULL, 0, code, 256, QD_E_INVALID, "the target is NULL" },
		{ "gfx1100", 0, code, 255, QD_E_INVALID, "255 bytes is not a multiple of 4" },
		{ "gfx1100", 0, code, 60, QD_E_INVALID, "this has 60 bytes" },
		{ "gfx1100", 0, code, 128, QD_E_INVALID, "the first instruction is at 0x80" },
		{ "gfx1100", 0, outside, 256, QD_E_INVALID, "the first instruction is at 0x100" },
		{ "gfx1100", 0, odd, 256, QD_E_INVALID, "the first instruction is at 0x42" },
		{ "spirv", 0, code, 256, QD_E_INVALID, "this is not a SPIR-V module" },
	};

	for (size_t i = 0; i < QD_COUNT(cases); i++) {
		struct qd_error e = { 0 };
		char *text = (char *)&e;
		qd_status st = qd_dis_text(cases[i].target, cases[i].flags, cases[i].code, cases[i].size, &text, NULL, &e);
		UNIT_CHECK(t, st == cases[i].st && e.code == st && strstr(e.text, cases[i].has) && !text,
			   "%s: status %d: %s", cases[i].has, (int)st, e.text);
	}
	UNIT_CHECK(t, qd_dis_text("gfx1100", 0, code, 256, NULL, NULL, NULL) == QD_E_INVALID, "no text pointer");
}

/* -- Checks --------------------------------------------------------------------------------- */

struct seen {
	unsigned n;
	struct qd_dis_finding first;
	char rule[64], text[512];
};

static void
keep(void *user, const struct qd_dis_finding *f)
{
	struct seen *s = user;

	if (s->n++)
		return;
	s->first = *f;
	snprintf(s->rule, sizeof s->rule, "%s", f->rule);
	snprintf(s->text, sizeof s->text, "%s", f->text);
}

/* Each text has one finding or none. */
static void
findings(struct unit_ctx *t)
{
	static const struct {
		const char *target, *code;
		enum qd_dis_kind kind; /* 0: no finding */
		size_t offset, earlier;
		const char *rule, *has;
	} cases[] = {
		{ "gfx1100", "s_nop 0\ns_endpgm\n", 0, 0, 0, "", "" },
		{ "gfx1100", "s_nop 0\n.long 0xffffffff\n", QD_DIS_NO_INSTRUCTION, 4, 4, "",
		  "0xffffffff is not an instruction of gfx1100" },
		{ "gfx1100", "s_endpgm\n.long 0xffffffff\n", 0, 0, 0, "", "" },
		{ "gfx1100", "s_nop 0\n", QD_DIS_CONTROL_FLOW, 0, 0, "", "control continues at a word that is not an instruction" },
		{ "gfx906", "s_nop 0\nv_readfirstlane_b32 s0, v0\nv_readlane_b32 s1, v1, s0\ns_endpgm\n", QD_DIS_HAZARD, 8, 4,
		  "lane_select", "it needs s_nop" },
		{ "gfx906", "v_readfirstlane_b32 s0, v0\ns_nop 3\nv_readlane_b32 s1, v1, s0\ns_endpgm\n", 0, 0, 0, "", "" },
		{ "gfx1100", "s_load_b32 s0, s[2:3], 0x0\ns_mov_b32 s1, s0\ns_endpgm\n", QD_DIS_WAIT, 8, 0, "",
		  "the instruction at 0x0 may not have written yet" },
		{ "gfx1100", "s_load_b32 s0, s[2:3], 0x0\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s1, s0\ns_endpgm\n", 0, 0, 0, "", "" },
	};

	for (size_t i = 0; i < QD_COUNT(cases); i++) {
		struct qd_error e = { 0 };
		struct seen s = { 0 };
		uint32_t w[16];
		size_t n;
		qd_status st = gcn_assemble(gcn_target_find(cases[i].target, 0), cases[i].code, strlen(cases[i].code), w,
					    QD_COUNT(w), &n, &e);
		st = st ? st : qd_dis_check(cases[i].target, QD_DIS_WORDS, w, 4 * n, keep, &s, &e);
		UNIT_CHECK(t, st == QD_OK, "case %zu: %s", i, e.text);
		UNIT_CHECK(t, s.n == (cases[i].kind != 0) && s.first.kind == cases[i].kind &&
				      s.first.offset == cases[i].offset && s.first.earlier == cases[i].earlier &&
				      strcmp(s.rule, cases[i].rule) == 0 && strstr(s.text, cases[i].has),
			   "case %zu: %u findings, kind %u at %zu, %zu: %s: %s", i, s.n, s.first.kind, s.first.offset,
			   s.first.earlier, s.rule, s.text);
	}
}

/* Offsets in an image count from its beginning. Other code has no checks. */
static void
check_images(struct unit_ctx *t)
{
	struct qd_error e = { 0 };
	struct image m;
	struct seen s = { 0 };
	size_t size;

	if (make_image(t, &m, "gfx1201")) {
		const void *code = qd_image_data(m.image, &size);
		char *copy = malloc(size);
		UNIT_CHECK(t, !qd_dis_check("gfx1201", 0, code, size, keep, &s, &e) && !s.n, "%u findings: %s %s", s.n, s.text,
			   e.text);
		if (copy) {
			memcpy(copy, code, size);
			memset(copy + 256, 0xff, 4);
			UNIT_CHECK(t, !qd_dis_check("gfx1201", 0, copy, size, keep, &s, &e) && s.n && s.first.offset == 256,
				   "%u findings at %zu: %s", s.n, s.first.offset, e.text);
		}
		free(copy);
		UNIT_CHECK(t, qd_dis_check("ptx:sm_80", 0, code, size, keep, &s, &e) == QD_E_TARGET &&
				      strstr(e.text, "there are no checks for code of ptx:sm_80"), "%s", e.text);
		UNIT_CHECK(t, qd_dis_check("gfx1201", 0, code, size, NULL, NULL, &e) == QD_E_INVALID, "no callback");
	}
	free_image(&m);
}

/* No prefix of an image and no changed byte of it makes the calls read outside it. */
static void
damaged(struct unit_ctx *t)
{
	static const char *const targets[] = { "spirv:w32", "gfx906", "gfx1201" };

	for (size_t k = 0; k < QD_COUNT(targets); k++) {
		struct image m;
		size_t size;
		unsigned n_text = 0;
		if (make_image(t, &m, targets[k])) {
			const char *code = qd_image_data(m.image, &size);
			for (size_t len = 0; len <= 2 * size; len++) {
				size_t n = len <= size ? len : size;
				char *copy = malloc(n + 1), *text = NULL;
				struct seen s = { 0 };
				if (!copy)
					break;
				memcpy(copy, code, n);
				if (len > size)
					copy[len - size - 1] ^= (char)(len * 37 | 1);
				copy = realloc(copy, n ? n : 1); /* the address sanitizer knows the end */
				n_text += qd_dis_text(targets[k], 0, copy, n, &text, NULL, NULL) == QD_OK;
				(void)qd_dis_check(targets[k], 0, copy, n, keep, &s, NULL);
				free(text);
				free(copy);
			}
			UNIT_CHECK(t, n_text > size / 8, "%s: %u texts of %zu bytes", targets[k], n_text, size);
		}
		free_image(&m);
	}
}

const struct unit units_dis[] = {
	{ "dis.images", images },
	{ "dis.words", words },
	{ "dis.refused", refused },
	{ "dis.findings", findings },
	{ "dis.check_images", check_images },
	{ "dis.damaged", damaged },
};
const size_t n_units_dis = QD_COUNT(units_dis);
