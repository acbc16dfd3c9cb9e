/* Kernels with features of HIP programs: variables in .bss and .data, constant tables, tables of
 * addresses. They are loaded from code objects of clang, run through public calls, and compared
 * with plain C. */
#include "foreign_rig.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "variables.h"

/* Same as in hip.hip. */
static const uint32_t first_seeds[64] = { 1, 2, 3, 5, 8, 13, 21, 34 };
static const uint32_t weights[8] = { 2, 3, 5, 7, 11, 13, 17, 19 };
static const uint32_t primes[5] = { 101, 103, 107, 109, 113 };

struct hip {
	struct unit_ctx *t;
	struct foreign_rig r;
	const struct wave_object *o;
	uint32_t in[WAVE_IN], out[WAVE_OUT], want[WAVE_OUT];
	bool inject;
};

static struct qd_function *
load(struct hip *h, const char *kernel, uint32_t block)
{
	const struct qd_object_options options = { .block = { block } };
	struct qd_function *fn;
	qd_status st = foreign_load(&h->r, h->o, kernel, &options, &fn);

	UNIT_CHECK(h->t, st == QD_OK, "%s, %s: %s", h->o->target, kernel, h->r.e.text);
	return fn;
}

/* Runs with zeros in out, and compares. */
static void
run(struct hip *h, struct qd_function *fn, const char *what, uint32_t n_blocks, const struct qd_arg *args,
    uint32_t n_args)
{
	static const uint32_t zeros[WAVE_OUT];
	struct foreign_rig *r = &h->r;
	uint32_t at = 0;

	if (!fn)
		return;
	qd_status st = qd_buffer_upload(r->stream, r->in, 0, h->in, sizeof h->in, &r->e);
	st = st ? st : qd_buffer_upload(r->stream, r->out, 0, zeros, sizeof zeros, &r->e);
	st = st ? st : foreign_run(r, fn, n_blocks, args, n_args);
	st = st ? st : qd_buffer_download(r->stream, r->out, 0, h->out, sizeof h->out, &r->e);
	h->out[5] ^= h->inject;
	h->inject = false;
	while (at < WAVE_OUT && h->out[at] == h->want[at])
		at++;
	UNIT_CHECK(h->t, st == QD_OK && at == WAVE_OUT, "%s, %s: %s; word %u is %u, not %u", h->o->target, what,
		   st ? r->e.text : "", at, h->out[at % WAVE_OUT], h->want[at % WAVE_OUT]);
}

static void
clear(struct hip *h)
{
	memset(h->want, 0, sizeof h->want);
}

/* Checks that variables of a function persist between launches, and that another function has its
 * own. */
static void
ticket(struct hip *h)
{
	struct qd_function *fn = load(h, "ticket", 96), *other = load(h, "ticket", 96);
	const struct qd_arg args[] = { qd_arg_buffer(h->r.out) };

	for (uint32_t launch = 0; launch < 3; launch++) {
		clear(h);
		for (uint32_t i = 2 * 96 * launch; i < 2 * 96 * (launch + 1); i++)
			h->want[i] = 1u << i % 32;
		run(h, fn, "ticket", 2, args, 1);
	}
	clear(h);
	for (uint32_t i = 0; i < 96; i++)
		h->want[i] = 1u << i % 32;
	run(h, other, "ticket of another function", 1, args, 1);
	qd_function_free(fn);
	qd_function_free(other);
}

static void
weigh(struct hip *h)
{
	struct qd_function *fn = load(h, "weigh", 64);
	const struct qd_arg args[] = { qd_arg_buffer(h->r.in), qd_arg_buffer(h->r.out) };

	clear(h);
	for (uint32_t i = 0; i < 5 * 64; i++)
		h->want[i] = weights[h->in[i] % 8] * 3 + primes[h->in[i] % 5];
	run(h, fn, "weigh", 5, args, 2);
	qd_function_free(fn);
}

static void
follow(struct hip *h)
{
	static const struct {
		const uint32_t *words;
		uint32_t n;
	} tables[3] = { { weights, 8 }, { first_seeds, 6 }, { weights + 4, 4 } };
	struct qd_function *fn = load(h, "follow", 128);
	const struct qd_arg args[] = { qd_arg_buffer(h->r.in), qd_arg_buffer(h->r.out) };

	clear(h);
	for (uint32_t i = 0; i < 2 * 128; i++) {
		uint32_t k = h->in[i] % 3;
		h->want[i] = tables[k].words[i % tables[k].n] * 1000 + first_seeds[5 + k];
	}
	run(h, fn, "follow", 2, args, 2);
	qd_function_free(fn);
}

static void
histogram(struct hip *h)
{
	struct qd_function *fn = load(h, "histogram", 192);
	const struct qd_arg args[] = { qd_arg_buffer(h->r.in), qd_arg_buffer(h->r.out), qd_arg_u32(170) };

	clear(h);
	for (uint32_t launch = 0; launch < 2; launch++) {
		for (uint32_t i = 0; i < 170; i++)
			h->want[h->in[i] % 256]++;
		run(h, fn, "histogram", 1, args, 3);
	}
	qd_function_free(fn);
}

static void
draw(struct hip *h)
{
	struct qd_function *fn = load(h, "draw", 64);
	const struct qd_arg args[] = { qd_arg_buffer(h->r.out) };
	uint32_t seeds[64];

	memcpy(seeds, first_seeds, sizeof seeds);
	clear(h);
	for (uint32_t launch = 0; launch < 3; launch++) {
		for (uint32_t x = 0; x < 64; x++)
			h->want[x] = (seeds[x] = seeds[x] * 1664525u + 1013904223u) >> 8;
		run(h, fn, "draw", 1, args, 1);
	}
	qd_function_free(fn);
}

/* Checks five kernels of clang on all their targets. */
static void
variables(struct unit_ctx *t)
{
	static void (*const parts[])(struct hip *h) = { ticket, weigh, follow, histogram, draw };
	struct hip *h = calloc(1, sizeof *h);
	struct unit_rng rng = { 9 };
	unsigned n = 0;

	for (unsigned i = 0; h && i < wave_n_objects; i++) {
		h->o = &wave_objects[i];
		if (strcmp(h->o->source, "hip") != 0)
			continue;
		h->t = t;
		h->inject = !n && getenv("QD_TEST_MUTATION");
		for (uint32_t k = 0; k < WAVE_IN; k++)
			h->in[k] = (uint32_t)unit_random(&rng);
		if (foreign_open(t, &h->r, h->o->target)) {
			for (size_t k = 0; k < QD_COUNT(parts); k++)
				parts[k](h);
		}
		foreign_close(t, &h->r);
		n++;
	}
	UNIT_CHECK(t, n == 5, "%u objects", n);
	free(h);
}

/* -- Saving and loading -------------------------------------------------------------------- */

/* Checks that files contain the record of an image. */
static void
saved(struct unit_ctx *t)
{
	const struct qd_object_options options = { .block = { 64 } };
	const struct wave_object *o = foreign_object("hip", "gfx1100", 0);
	struct qd_image *image = NULL, *back = NULL;
	struct qd_function *fn = NULL;
	struct foreign_rig r;
	uint32_t got[64];
	void *bytes = NULL;
	size_t len = 0;

	if (foreign_open(t, &r, "gfx1100")) {
		qd_status st = qd_image_from_object(r.ctx, o->data, o->size, NULL, "draw", &options, &image, &r.e);
		st = st ? st : qd_image_save(image, NULL, 0, &len, &r.e);
		if (st == QD_E_UNAVAILABLE)
			unit_skip(t, "built without libelf");
		bytes = malloc(len + 1);
		st = st ? st : qd_image_save(image, bytes, len, &len, &r.e);
		st = st ? st : qd_image_load(r.ctx, bytes, len, &back, &r.e);
		st = st ? st : qd_function_load(r.dev, back, &fn, &r.e);
		const struct qd_arg args[] = { qd_arg_buffer(r.out) };
		st = st ? st : foreign_run(&r, fn, 1, args, 1);
		st = st ? st : qd_buffer_download(r.stream, r.out, 0, got, sizeof got, &r.e);
		UNIT_CHECK(t, t->skipped || (st == QD_OK && jit_same_file(image, back)), "%s", r.e.text);
		for (uint32_t i = 0; i < 64 && !st; i++)
			UNIT_CHECK(t, got[i] == (first_seeds[i] * 1664525u + 1013904223u) >> 8, "word %u is %u", i,
				   got[i]);
	}
	qd_function_free(fn);
	qd_image_free(image);
	qd_image_free(back);
	free(bytes);
	foreign_close(t, &r);
}

/* -- Errors -------------------------------------------------------------------------------- */

/* Checks that an image with an invalid record is rejected when it is loaded. */
static void
records(struct unit_ctx *t)
{
	static const struct {
		uint32_t word, value; /* index in the record; word 99: position of the record */
		const char *text;
	} rows[] = {
		{ 0, 64, "the record of the image's memory has an invalid size" },
		{ 0, UINT32_MAX, "the record of the image's memory has an invalid size" },
		{ 1, 1 << 20, "the record of the image's memory has variables outside of its bounds" },
		{ 2, 1 << 20, "the record of the image's memory has variables outside of its bounds" },
		{ 3, 4, "the record of the image's memory has an invalid number of addresses" },
		{ 4, 1 << 20, "the record of the image's memory has an address outside of its bounds" },
		{ 99, 2, "the record of the image's memory has no space in the image" },
		{ 99, 1 << 30, "the record of the image's memory has no space in the image" },
	};
	const struct qd_object_options options = { .block = { 64 } };
	const struct wave_object *o = foreign_object("hip", "gfx1100", 0);
	struct foreign_rig r;

	if (foreign_open(t, &r, "gfx1100")) {
		struct qd_image *image = NULL;
		qd_status st = qd_image_from_object(r.ctx, o->data, o->size, NULL, "draw", &options, &image, &r.e);
		UNIT_CHECK(t, st == QD_OK && image_has_variables(image), "%s", r.e.text);
		for (size_t i = 0; st == QD_OK && i < QD_COUNT(rows); i++) {
			struct isa_meta meta = image->meta;
			uint8_t *code = malloc(image->code_size);
			struct image_parts parts = { .target = image->target->m.name,
						     .kind = CODE_AMD,
						     .meta = &meta,
						     .layout = image->layout,
						     .layout_size = image->layout->size,
						     .code = code,
						     .code_size = image->code_size };
			struct qd_image *bad = NULL;
			struct qd_function *fn = NULL;
			memcpy(code, image->code, image->code_size);
			if (rows[i].word == 99)
				meta.own[ISA_AMD_VARIABLES_AT] = rows[i].value;
			else
				memcpy(code + meta.own[ISA_AMD_VARIABLES_AT] + 4 * (size_t)rows[i].word,
				       &rows[i].value, 4);
			qd_status got = jit_image_of_parts(r.ctx, &parts, &bad, &r.e);
			UNIT_CHECK(t, got == QD_OK, "row %zu: %s", i, r.e.text);
			got = qd_function_load(r.dev, bad, &fn, &r.e);
			UNIT_CHECK(t, got == QD_E_INVALID && strstr(r.e.text, rows[i].text), "row %zu: %d, %s", i,
				   (int)got, got ? r.e.text : "");
			qd_function_free(fn);
			qd_image_free(bad);
			free(code);
		}
		qd_image_free(image);
	}
	foreign_close(t, &r);
}

/* Returns the file offset of the first section header of this type, or 0. */
static size_t
section_of_type(const struct wave_object *o, uint32_t type)
{
	Elf64_Ehdr h;

	memcpy(&h, o->data, sizeof h);
	for (size_t i = 0; i < h.e_shnum; i++) {
		Elf64_Shdr s;
		memcpy(&s, o->data + h.e_shoff + i * sizeof s, sizeof s);
		if (s.sh_type == type)
			return (size_t)(h.e_shoff + i * sizeof s);
	}
	return 0;
}

/* Checks relocations that loaders cannot resolve, and memory that is too large. */
static void
relocations(struct unit_ctx *t)
{
	enum { OFFSET = 0, TYPE = 8, SYMBOL = 12, ADDEND = 16, SCALE = 4 * 24 /* the last is scale's */ };
	static const struct {
		size_t at;
		uint64_t value;
		size_t size;
		const char *text;
	} rows[] = {
		{ TYPE, 10, 4, ": a relocation of type 10; loaders resolve 3 (R_AMDGPU_ABS64) and 13" },
		{ OFFSET, 64, 8, ": a relocation at address 0x40, which is not in a loaded section" },
		{ OFFSET, UINT64_MAX, 8, ": a relocation at address 0xffffffffffffffff, which" },
		{ ADDEND, 1 << 30, 8, ": a relocation to address 0x40000000; the loaded range is 0x16c0 to 0x5811" },
		{ SCALE + SYMBOL, 0, 4, ": a relocation is against symbol 0; the object has 17" },
		{ SCALE + SYMBOL, 18, 4, ": a relocation is against symbol 18; the object has 17" },
		{ TYPE, 0, 4, NULL },
	};
	const struct qd_object_options options = { .block = { 64 } };
	const struct wave_object *o = foreign_object("hip", "gfx1100", 0);
	uint8_t *bytes = malloc(o->size);
	struct qd_image *image = NULL;
	struct foreign_rig r;
	Elf64_Shdr rela, symbols, bss;

	memcpy(&rela, o->data + section_of_type(o, SHT_RELA), sizeof rela);
	memcpy(&symbols, o->data + section_of_type(o, SHT_DYNSYM), sizeof symbols);
	if (foreign_open(t, &r, "gfx1100")) {
		for (size_t i = 0; i < QD_COUNT(rows); i++) {
			memcpy(bytes, o->data, o->size);
			memcpy(bytes + rela.sh_offset + rows[i].at, &rows[i].value, rows[i].size);
			qd_status st = qd_image_from_object(r.ctx, bytes, o->size, "k.co", "weigh", &options,
							    &image, &r.e);
			UNIT_CHECK(t, rows[i].text ? st == QD_E_INVALID && strstr(r.e.text, rows[i].text) : !st,
				   "row %zu: %d, %s", i, (int)st, st ? r.e.text : "");
			qd_image_free(image);
		}
		/* Symbol 8, scale, becomes undefined. */
		memcpy(bytes, o->data, o->size);
		memset(bytes + symbols.sh_offset + 8 * sizeof(Elf64_Sym) + offsetof(Elf64_Sym, st_shndx), 0, 2);
		qd_status st = qd_image_from_object(r.ctx, bytes, o->size, "k.co", "weigh", &options, &image, &r.e);
		UNIT_CHECK(t, st == QD_E_INVALID &&
				      strstr(r.e.text, "'scale' is in another object; link the two (hipcc -fgpu-rdc)"),
			   "%d, %s", (int)st, st ? r.e.text : "");
		qd_image_free(image);
		memcpy(bytes, o->data, o->size);
		size_t at = section_of_type(o, SHT_NOBITS) + sizeof bss; /* after .relro_padding,
									  * .data */
		memcpy(&bss, bytes + at + sizeof bss, sizeof bss);
		UNIT_CHECK(t, bss.sh_type == SHT_NOBITS, "another section");
		bss.sh_size = (uint64_t)1 << 40;
		memcpy(bytes + at + sizeof bss, &bss, sizeof bss);
		st = qd_image_from_object(r.ctx, bytes, o->size, "k.co", "weigh", &options, &image, &r.e);
		UNIT_CHECK(t, st == QD_E_INVALID && strstr(r.e.text, "section '.bss' has 0x10000000000 bytes; a kernel's memory has at most 0x10000000"),
			   "%d, %s", (int)st, st ? r.e.text : "");
		qd_image_free(image);
	}
	foreign_close(t, &r);
	free(bytes);
}

static void
short_of_memory(struct unit_ctx *t)
{
	const struct qd_object_options options = { .block = { 64 } };

	foreign_short_of_memory(t, "hip", "follow", &options);
}

const struct unit units_foreign_hip[] = {
	{ "foreign_hip.variables", variables },
	{ "foreign_hip.saved", saved },
	{ "foreign_hip.records", records },
	{ "foreign_hip.relocations", relocations },
	{ "foreign_hip.short_of_memory", short_of_memory },
};
const unsigned n_units_foreign_hip = QD_COUNT(units_foreign_hip);
