/* Fixtures for readers of code objects. tests/gcn/object has their sources. */
#include "gcn_object.h"

#include "descriptor.h"

static const uint8_t v5_gfx1100[] = {
#include "../../gcn/object/v5_gfx1100.def"
};
static const uint8_t v4_gfx90a[] = {
#include "../../gcn/object/v4_gfx90a.def"
};
static const uint8_t v2_gfx906[] = {
#include "../../gcn/object/v2_gfx906.def"
};
static const uint8_t lines_gfx1100[] = {
#include "../../gcn/object/lines_gfx1100.def"
};
static const uint8_t lines4_gfx1100[] = {
#include "../../gcn/object/lines4_gfx1100.def"
};
const struct object_fixture line_fixtures[N_LINE_FIXTURES] = {
	{ "lines_gfx1100", lines_gfx1100, sizeof lines_gfx1100 },
	{ "lines4_gfx1100", lines4_gfx1100, sizeof lines4_gfx1100 },
};
const struct object_fixture object_fixtures[N_OBJECT_FIXTURES] = {
	{ "v5_gfx1100", v5_gfx1100, sizeof v5_gfx1100 },
	{ "v4_gfx90a", v4_gfx90a, sizeof v4_gfx90a },
	{ "v2_gfx906", v2_gfx906, sizeof v2_gfx906 },
};

/* -- Bundles -------------------------------------------------------------------- */

struct writer {
	uint8_t *at;
	size_t cap, len;
};

static void
put(struct writer *w, const void *p, size_t size)
{
	if (w->len + size <= w->cap)
		memcpy(w->at + w->len, p, size);
	w->len += size;
}

static void
put_number(struct writer *w, uint64_t v, size_t size)
{
	for (size_t i = 0; i < size; i++, v >>= 8)
		put(w, &(uint8_t){ (uint8_t)v }, 1);
}

static const char *const ids[1 + N_OBJECT_FIXTURES] = {
	"host-x86_64-unknown-linux-gnu-",
	"hipv4-amdgcn-amd-amdhsa--gfx1100",
	"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+",
	"hip-amdgcn-amd-amdhsa-gfx906",
};

static void
put_plain(struct writer *w)
{
	size_t head = 24 + 8;

	put(w, "__CLANG_OFFLOAD_BUNDLE__", 24);
	put_number(w, QD_COUNT(ids), 8);
	for (size_t i = 0; i < QD_COUNT(ids); i++)
		head += 24 + strlen(ids[i]);
	for (size_t i = 0; i < QD_COUNT(ids); i++) {
		size_t size = i ? object_fixtures[i - 1].size : 0;
		put_number(w, head, 8);
		put_number(w, size, 8);
		put_number(w, strlen(ids[i]), 8);
		put(w, ids[i], strlen(ids[i]));
		head += size;
	}
	for (size_t i = 0; i < N_OBJECT_FIXTURES; i++)
		put(w, object_fixtures[i].data, object_fixtures[i].size);
}

static const struct {
	const char *triple, *arch;
} images[1 + N_OBJECT_FIXTURES] = {
	{ "nvptx64-nvidia-cuda", "sm_80" },
	{ "amdgcn-amd-amdhsa", "gfx1100" },
	{ "amdgcn-amd-amdhsa", "gfx90a:xnack+" },
	{ "amdgcn-amd-amdhsa", "gfx906" },
};

/* Writes an offload binary of version 2: header, entries, pairs of strings, strings, images. The
 * first image is empty. */
static void
put_offload(struct writer *w)
{
	enum { N = QD_COUNT(images), PAIRS = 32 + 40 * N, TEXT = PAIRS + 32 * N };
	size_t at = TEXT + 12, size = at;

	for (size_t i = 0; i < N; i++)
		at += strlen(images[i].triple) + strlen(images[i].arch) + 2;
	size = at;
	for (size_t i = 1; i < N; i++)
		size += object_fixtures[i - 1].size;
	put_number(w, 0xad10ff10, 4);
	put_number(w, 2, 4);
	put_number(w, size, 8);
	put_number(w, 32, 8);
	put_number(w, N, 8);
	for (size_t i = 0; i < N; i++) {
		size_t bytes = i ? object_fixtures[i - 1].size : 0;
		put_number(w, 0x00040001, 8); /* an object of HIP without flags */
		put_number(w, PAIRS + 32 * i, 8);
		put_number(w, 2, 8);
		put_number(w, at, 8);
		put_number(w, bytes, 8);
		at += bytes;
	}
	at = TEXT + 12;
	for (size_t i = 0; i < N; i++) {
		size_t triple = strlen(images[i].triple) + 1;
		put_number(w, TEXT, 8);
		put_number(w, at, 8);
		put_number(w, TEXT + 7, 8);
		put_number(w, at + triple, 8);
		at += triple + strlen(images[i].arch) + 1;
	}
	put(w, "triple\0arch", 12);
	for (size_t i = 0; i < N; i++) {
		put(w, images[i].triple, strlen(images[i].triple) + 1);
		put(w, images[i].arch, strlen(images[i].arch) + 1);
	}
	for (size_t i = 1; i < N; i++)
		put(w, object_fixtures[i - 1].data, object_fixtures[i - 1].size);
}

/* Writes a zstd frame with one raw block (RFC 8878). */
static void
put_frame(struct writer *w, const uint8_t *p, size_t size)
{
	put_number(w, 0xfd2fb528, 4);
	put_number(w, 0xa0, 1); /* single segment, content size of four bytes */
	put_number(w, size, 4);
	put_number(w, size << 3 | 1, 3);
	put(w, p, size);
}

size_t
object_bundle(enum bundle_form form, uint8_t *out, size_t cap)
{
	uint8_t plain[OBJECT_BUNDLE_MAX];
	struct writer w = { out, cap, 0 }, inner = { plain, sizeof plain, 0 };
	unsigned version = form == BUNDLE_ZLIB ? 2 : form;

	if (form == BUNDLE_OFFLOAD)
		put_offload(&w);
	else
		put_plain(form == BUNDLE_PLAIN ? &w : &inner);
	if (form != BUNDLE_PLAIN && form != BUNDLE_OFFLOAD) {
		size_t width = version == 3 ? 8 : 4, frame = 12 + inner.len;
		put(&w, "CCOB", 4);
		put_number(&w, version, 2);
		put_number(&w, form != BUNDLE_ZLIB, 2);
		if (version > 1)
			put_number(&w, 8 + 2 * width + 8 + frame, width);
		put_number(&w, inner.len, width);
		put_number(&w, 0, 8);
		put_frame(&w, plain, inner.len);
	}
	return w.len <= cap && inner.len <= sizeof plain ? w.len : 0;
}

/* -- Walk over an object ---------------------------------------------------------- */

static uint64_t
mix(uint64_t sum, uint64_t v)
{
	return (sum ^ v) * UINT64_C(0x100000001b3);
}

static uint64_t
mix_bytes(uint64_t sum, const char *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		sum = mix(sum, (uint8_t)p[i]);
	return sum;
}

static uint64_t
walk_code(uint64_t sum, const struct gcn_target *t, const uint8_t *code, uint64_t size)
{
	char text[512];

	while (size >= 4) {
		uint32_t words[GCN_MAX_WORDS];
		struct gcn_insn in;
		size_t n = size / 4 < GCN_MAX_WORDS ? (size_t)size / 4 : GCN_MAX_WORDS;
		memcpy(words, code, 4 * n);
		int used = gcn_decode(t, words, n, &in);
		if (used)
			sum = mix_bytes(sum, text, gcn_print(t, &in, text, sizeof text));
		used = used ? used : 1;
		code += 4 * used;
		size -= 4u * (unsigned)used;
	}
	return sum;
}

static uint64_t
walk_metadata(uint64_t sum, const struct msgpack *m)
{
	size_t at = 0;

	while (at < m->size) {
		struct msgpack_value v;
		at = msgpack_get(m, at, &v);
		sum = mix(sum, v.u);
		if (v.kind == MSGPACK_STRING || v.kind == MSGPACK_BYTES)
			sum = mix_bytes(sum, v.data, v.size);
	}
	return sum;
}

static uint64_t
walk_kernel(uint64_t sum, const struct code_object *o, const struct gcn_target *t,
	    const struct code_kernel *k)
{
	struct gcn_descriptor_field field;
	size_t i = 0;

	sum = mix_bytes(sum, k->name, k->name_len);
	sum = mix(sum, k->meta.n_vgpr);
	t = gcn_target_find(t->name, gcn_descriptor_wave(t, k->descriptor));
	while (t && gcn_descriptor_next(t, o->version, k->descriptor, &i, &field))
		sum = mix(sum, field.value);
	if (k->meta_at != SIZE_MAX)
		sum = mix(sum, msgpack_skip(&o->metadata, k->meta_at));
	return sum;
}

uint64_t
object_walk(const struct code_object *o)
{
	const struct gcn_target *t = o->processor ? gcn_target_find(o->processor, 0) : NULL;
	uint64_t sum = 0;

	t = t ? t : gcn_target_find("gfx1100", 0);
	for (uint32_t i = 0; i < o->n_symbols; i++)
		sum = mix_bytes(sum, o->symbols[i].name, strlen(o->symbols[i].name));
	for (uint32_t i = 0; i < o->n_functions; i++)
		sum = walk_code(sum, t, o->functions[i].code, o->functions[i].size);
	for (uint32_t i = 0; i < o->n_kernels; i++)
		sum = walk_kernel(sum, o, t, &o->kernels[i]);
	sum = mix_bytes(sum, o->metadata_text, o->metadata_text_size);
	return walk_metadata(sum, &o->metadata);
}
