/* Fuzz target: bytes as AMD code: a code object if they begin like ELF, a bundle if they begin like
 * one, hexadecimal words if they are text, else words of the target that the first two bytes
 * choose. Nothing may crash, hang, or read out of bounds. Every rejection of a file names an
 * offset, and code that decodes and encodes again decodes to the same text. */
#include <stdio.h>
#include <stdlib.h>

#include "bundle.h"
#include "demangle.h"
#include "flow.h"
#include "fuzz.h"
#include "gcn_object.h"
#include "hazard.h"
#include "hex.h"
#include "hsa_made.h"
#include "lines.h"
#include "live.h"
#include "wait.h"

enum { MAX_WORDS = 256, TEXT = 512 };

static void
broken(const char *what, const char *detail)
{
	fprintf(stderr, "fuzz: %s: %s\n", what, detail);
	abort();
}

static void
check_refusal(const struct qd_error *e)
{
	if (e->code != QD_E_NOMEM && e->code != QD_E_UNAVAILABLE &&
	    strncmp(e->text, "offset 0x", 9) != 0)
		broken("an error without an offset", e->text);
}

/* Checks that names end, and that ranges are nonempty and sorted. */
static void
walk_lines(const struct line_table *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct line_range *x = &l->ranges[i];
		if (x->to <= x->from || (x->file && strlen(x->file) > 1 << 24) ||
		    (i && x[-1].section == x->section && x[-1].from > x->from))
			broken("lines that are not sorted", x->file ? x->file : "");
	}
}

static void
read_object(struct arena *mem, const uint8_t *data, size_t size)
{
	struct code_object o;
	struct elf_file elf;
	struct line_table lines = { 0 };
	struct qd_error e = { 0 };

	if (code_object_read(mem, data, size, 0, &o, &e))
		check_refusal(&e);
	else
		object_walk(&o);
	if (!elf_read(mem, data, size, 0, &elf, &e) && lines_read(mem, &elf, &lines, &e))
		check_refusal(&e);
	else
		walk_lines(&lines);
}

static void
read_bundle(struct arena *mem, const uint8_t *data, size_t size)
{
	struct bundle b;
	struct qd_error e = { 0 };

	if (bundle_read(mem, data, size, 0, &b, &e)) {
		check_refusal(&e);
		return;
	}
	for (uint32_t i = 0; i < b.n_entries; i++)
		read_object(mem, b.entries[i].data, b.entries[i].size);
}

/* -- Words ------------------------------------------------------------------------ */

static void
check_again(const struct gcn_target *t, const struct gcn_insn *in)
{
	char text[TEXT], again[TEXT];
	uint32_t words[GCN_MAX_WORDS];
	struct gcn_insn other;
	struct qd_error e = { 0 };
	int n;

	gcn_print(t, in, text, sizeof text);
	if (gcn_encode(t, in, words, &n, &e))
		return;
	if (gcn_decode(t, words, (size_t)n, &other) != n) {
		fprintf(stderr, "%s: ", t->name);
		broken(text, "its encoding does not decode");
	}
	gcn_print(t, &other, again, sizeof again);
	if (strcmp(text, again) != 0) {
		fprintf(stderr, "%s: ", t->name);
		broken(text, again);
	}
}

static void
ignore_note(void *user, const struct gcn_wait_note *n)
{
	*(uint64_t *)user += n->line;
}

static void
ignore_hazard(void *user, const struct gcn_hazard *h)
{
	*(uint64_t *)user += h->later;
}

static void *
room(struct arena *mem, size_t size)
{
	void *p = arena_zalloc(mem, size);

	if (!p)
		broken("out of memory", "");
	return p;
}

static void
read_words(struct arena *mem, const struct gcn_target *t, const uint32_t *words, size_t n)
{
	struct gcn_line line[MAX_WORDS];
	struct cfg f = { .line = line, .line_cap = MAX_WORDS };
	uint64_t sum = 0;

	if (gcn_flow_read(&f, t, words, n, NULL, 0, NULL))
		broken("words that are not accepted", t->name);
	f.block = room(mem, f.n_block * sizeof *f.block);
	f.edge = room(mem, f.n_edge * sizeof *f.edge);
	gcn_flow_link(&f);
	for (size_t i = 0; i < f.n_line; i++) {
		if (!(line[i].flags & LINE_UNKNOWN))
			check_again(t, &line[i].insn);
	}
	gcn_flow_loops(&f);
	for (size_t i = 0; i < f.n_block; i++) {
		if (f.block[i].loop != GCN_NOWHERE && (f.block[i].loop >= f.n_block || !f.block[i].depth))
			broken("a loop that does not exist", t->name);
	}
	gcn_live(&f, room(mem, (f.n_block + 1) * sizeof(struct gcn_live_set)),
		 room(mem, f.n_line * sizeof(struct gcn_live)));
	gcn_waits(&f, room(mem, (f.n_block + 1) * sizeof(struct gcn_wait_state)), ignore_note, &sum);
	gcn_hazards(&f, room(mem, f.n_line * sizeof(struct gcn_hazard_line)),
		    room(mem, f.n_block * sizeof(struct gcn_hazard_block)),
		    0, ignore_hazard, &sum);
}

static void
choose_words(struct arena *mem, const uint8_t *data, size_t size)
{
	uint32_t words[MAX_WORDS];
	size_t n_targets = 0, n = (size - 2) / 4;

	while (gcn_target_at(n_targets))
		n_targets++;
	const struct gcn_target *t = gcn_target_at(data[0] % n_targets);
	if ((data[1] & 1) && t->other_wave)
		t = gcn_target_find(t->name, t->other_wave);
	n = n < MAX_WORDS ? n : MAX_WORDS;
	memcpy(words, data + 2, 4 * n);
	read_words(mem, t, words, n);
}

/* Reads a C++ name, or hexadecimal words: accepted text has whole words, and a rejection names a
 * position in the text. */
static void
read_hex(struct arena *mem, const char *text, size_t size)
{
	struct qd_error e = { 0 };
	uint8_t *bytes;
	size_t n;

	if (size > 2 && memcmp(text, "_Z", 2) == 0) {
		const char *name = arena_strdup(mem, text, size);
		const char *written = name ? demangle(mem, name) : NULL;
		if (written && strlen(written) > 1 << 17)
			broken("a name that is long", name);
		return;
	}
	if (hex_read(mem, "text", text, size, &bytes, &n, &e)) {
		if (!e.line || !e.col || strncmp(e.text, "text:", 5) != 0)
			broken("a text that is refused without a position", e.text);
	} else if (!n || n % 4 || n > 4 * size) {
		broken("words of a text", "");
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pool pool;
	struct arena mem;

	pool_init(&pool, &pool_malloc);
	arena_init(&mem, &pool);
	if (code_object_is(data, size) || elf_is(data, size))
		read_object(&mem, data, size);
	else if (bundle_is(data, size))
		read_bundle(&mem, data, size);
	else if (hex_is_text((const char *)data, size))
		read_hex(&mem, (const char *)data, size);
	else if (size > 6)
		choose_words(&mem, data, size);
	arena_fini(&mem);
	pool_fini(&pool);
	return 0;
}

static const char *const texts[] = {
	"[0x00,0x00,0x80,0xbf] ; one\n[0xff,0x02,0x00,0x7e,0x78,0x56,0x34,0x12]\n",
	"_Z1kIDF16_Lj1ELb0EL4mode0EEvPT_PKS1_N2ns4tileIS1_Li4EEE",
	"_ZZZ3runvENKUliE_clEiENUlvE0_clEv",
	"_Z4manyIJifP1SEEv4listIJDpT_EEDpOS3_",
	"_ZNSt8_Rb_treeIiSt4pairIKiMN2ns6LVLineEKFbvEESaIS5_EE8_M_eraseEPS5_PA3_A4_i",
	"0x00,0x00,0x80,0xbf\n# words\nBF800000, 0xbfb00000 7e0002ff // the last\n12345678\n",
};

/* Writes a code object of three kernels with qd, or copies a fixture if qd cannot. */
static size_t
written(uint8_t *out, size_t cap)
{
	static struct unit_ctx t;
	static struct hsa_made m;
	static uint8_t object[16384];
	static size_t size;

	if (!size && hsa_made_open(&t, &m)) {
		struct buf b;
		hsa_made_for(&t, &m, gcn_target_find("gfx90a", 0));
		buf_init(&b, &m.ctx->pool);
		if (hsa_write(&b, &m.object, m.kernel, 3, NULL) == QD_OK && b.len <= sizeof object)
			memcpy(object, buf_data(&b), size = b.len);
		buf_fini(&b);
		hsa_made_close(&m);
	}
	if (!size)
		memcpy(object, object_fixtures[0].data, size = object_fixtures[0].size);
	memcpy(out, object, size < cap ? size : cap);
	return size < cap ? size : cap;
}

/* Seeds, which damage also starts from when there is no fuzzer. */
size_t
fuzz_seed(size_t i, uint8_t *out, size_t cap)
{
	if (i < N_OBJECT_FIXTURES) {
		const struct object_fixture *f = &object_fixtures[i];
		memcpy(out, f->data, f->size < cap ? f->size : cap);
		return f->size < cap ? f->size : cap;
	}
	i -= N_OBJECT_FIXTURES;
	if (i < N_LINE_FIXTURES) {
		const struct object_fixture *f = &line_fixtures[i];
		memcpy(out, f->data, f->size < cap ? f->size : cap);
		return f->size < cap ? f->size : cap;
	}
	i -= N_LINE_FIXTURES;
	if (!i--)
		return written(out, cap);
	if (i < BUNDLE_N_FORM)
		return object_bundle((enum bundle_form)i, out, cap);
	i -= BUNDLE_N_FORM;
	if (i < QD_COUNT(texts)) {
		size_t size = strlen(texts[i]);
		memcpy(out, texts[i], size < cap ? size : cap);
		return size < cap ? size : cap;
	}
	i -= QD_COUNT(texts);
	/* The code of the first object, for each target. */
	if (!gcn_target_at(i) || cap < 62)
		return 0;
	memset(out, 0, 62);
	out[0] = (uint8_t)i;
	memcpy(out + 2, object_fixtures[0].data + 0x400, 60);
	return 62;
}
