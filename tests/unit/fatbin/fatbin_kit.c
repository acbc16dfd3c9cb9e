/* Builds the items by compilation, and compares what fatbins contain and compute. */
#include "fatbin_kit.h"

#include <stdlib.h>

static const char text[] =
	"qdk 2;\n"
	"kernel tiles<T in {f32, u32}, static L in 0..=5>(a: in T[], b: out T[]) block(64) {\n"
	"  for i in grid(a.len) { b[i] = subgroup.reduce_add_tiled(a[i], L); }\n"
	"}\n"
	"kernel twice(a: in u32[], b: out u32[]) block(64) {\n"
	"  for i in grid(a.len) { b[i] = a[i] + a[i]; }\n"
	"}\n";

/* gfx1101 has the same code as gfx1100, byte for byte. */
const char *const fat_targets[] = { "ptx:sm_70", "ptx:sm_90", "gfx906", "gfx1100", "gfx1101",
				    "spirv:w32", "qdir" };
const uint32_t fat_n_targets = QD_COUNT(fat_targets);

/* -- Items ------------------------------------------------------------------------------ */

/* Stores the kernel's text as the item's code, in the kit's memory. */
static bool
print_ir(struct fat_kit *k, const struct qd_kernel *kernel, struct fatbin_item *item)
{
	size_t len;
	char *to;

	if (qd_kernel_print(kernel, NULL, 0, &len, &k->rig.e) || !(to = arena_alloc(&k->mem, len + 1)) ||
	    qd_kernel_print(kernel, to, len + 1, &len, &k->rig.e))
		return false;
	item->code = to;
	item->code_size = len;
	return true;
}

/* Adds a kernel for a target. A negative log2_size means no template values. */
static bool
add(struct fat_kit *k, const struct qd_kernel *kernel, const char *name, const char *variant,
    int log2_size, const char *target)
{
	const struct qd_tmpl tmpl = { "L", log2_size, QD_TYPE_NONE };
	bool ir = strcmp(target, "qdir") == 0;
	struct qd_image *img;

	if (k->n == FAT_MAX || qd_compile(k->rig.ctx, kernel, ir ? "ref:w128" : target, &tmpl,
					  log2_size < 0 ? 0 : 1, &img, &k->rig.e))
		return false;
	k->image[k->n] = img;
	struct fatbin_item *i = &k->item[k->n++];
	*i = (struct fatbin_item){ .kernel = name,
				   .variant = variant,
				   .target = ir ? target : img->target->m.name,
				   .kind = img->kind,
				   .meta = &img->meta,
				   .layout = img->layout,
				   .code = img->code,
				   .code_size = img->code_size };
	return !ir || print_ir(k, kernel, i);
}

static bool
add_targets(struct fat_kit *k, const struct qd_kernel *kernel, const char *name, const char *variant,
	    int log2_size)
{
	for (uint32_t i = 0; i < fat_n_targets; i++) {
		if (!add(k, kernel, name, variant, log2_size, fat_targets[i]))
			return false;
	}
	return true;
}

static bool
add_tiles(struct fat_kit *k, struct qd_module *m)
{
	static const char *const variants[2][3] = { { "T=f32;L=0", "T=f32;L=2", "T=f32;L=5" },
						    { "T=u32;L=0", "T=u32;L=2", "T=u32;L=5" } };
	static const int sizes[3] = { 0, 2, 5 };
	bool good = true;

	for (int type = 0; type < 2; type++) {
		const struct qd_tmpl tmpl = { "T", 0, type ? QD_TYPE_U32 : QD_TYPE_F32 };
		struct qd_kernel *kernel = NULL;
		good = good && !qd_module_kernel(m, "tiles", &tmpl, 1, &kernel, &k->rig.e);
		for (int i = 0; i < 3; i++)
			good = good && add_targets(k, kernel, "tiles", variants[type][i], sizes[i]);
		qd_kernel_free(kernel);
	}
	return good;
}

bool
fat_open(struct unit_ctx *t, struct fat_kit *k, bool small)
{
	struct qd_module *m = NULL;
	struct qd_kernel *kernel = NULL;

	memset(k, 0, sizeof *k);
	k->small = small;
	if (!unit_rig_open(t, &k->rig))
		return false;
	arena_init(&k->mem, &k->rig.ctx->pool);
	bool good = !qd_module_parse(k->rig.ctx, text, strlen(text), "kit.qdk", &m, &k->rig.e) &&
		    !qd_module_kernel(m, "twice", NULL, 0, &kernel, &k->rig.e) &&
		    add_targets(k, kernel, "twice", "", -1) && (small || add_tiles(k, m));
	UNIT_CHECK(t, good, "%s", k->rig.e.text);
	qd_kernel_free(kernel);
	qd_module_free(m);
	if (!good)
		fat_close(t, k);
	return good;
}

void
fat_close(struct unit_ctx *t, struct fat_kit *k)
{
	for (uint32_t i = 0; i < k->n; i++)
		qd_image_free(k->image[i]);
	arena_fini(&k->mem);
	unit_rig_close(t, &k->rig);
}

/* -- Forms -------------------------------------------------------------------------------- */

static struct fatbin_header *
header_of(uint8_t *index)
{
	return (struct fatbin_header *)(void *)index;
}

static size_t
distances_at(uint8_t *index)
{
	return header_of(index)->total_size - header_of(index)->n_groups * sizeof(int64_t);
}

uint8_t *
fat_link(const struct fatbin_made *m, size_t *size)
{
	size_t groups = (m->index.len + 15) & ~(size_t)15;
	uint8_t *all = malloc(groups + m->groups.len);

	if (!all)
		return NULL;
	memset(all, 0, groups);
	memcpy(all, buf_data(&m->index), m->index.len);
	memcpy(all + groups, buf_data(&m->groups), m->groups.len);
	*size = groups + m->groups.len;
	for (uint32_t i = 0; i < m->n_groups; i++) {
		size_t at = distances_at(all) + i * sizeof(int64_t);
		int64_t distance = (int64_t)(groups + m->group[i].at) - (int64_t)at;
		memcpy(all + at, &distance, sizeof distance);
	}
	return all;
}

uint8_t *
fat_linked(struct unit_ctx *t, struct fat_kit *k, const struct fatbin_options *o, size_t *size)
{
	struct fatbin_made m;
	struct arena mem;
	uint8_t *all = NULL;

	arena_init(&mem, &k->rig.ctx->pool);
	buf_init(&m.index, mem.pool);
	buf_init(&m.groups, mem.pool);
	if (fatbin_make(&m, &mem, k->item, k->n, o, &k->rig.e) == QD_OK)
		all = fat_link(&m, size);
	UNIT_CHECK(t, all, "%s", k->rig.e.text);
	buf_fini(&m.index);
	buf_fini(&m.groups);
	arena_fini(&mem);
	return all;
}

uint8_t *
fat_object(struct unit_ctx *t, struct fat_kit *k, const struct fatbin_options *o, size_t *size)
{
	struct buf out;
	uint8_t *all = NULL;

	buf_init(&out, &k->rig.ctx->pool);
	qd_status st = fatbin_write(&out, k->item, k->n, o, NULL, &k->rig.e);
	if (st == QD_OK && (all = malloc(out.len)))
		memcpy(all, buf_data(&out), *size = out.len);
	if (st == QD_E_UNAVAILABLE)
		unit_skip(t, k->rig.e.text);
	else
		UNIT_CHECK(t, all, "%s", k->rig.e.text);
	buf_fini(&out);
	return all;
}

void
fat_seal(uint8_t *index)
{
	size_t from = offsetof(struct fatbin_header, major);
	struct hash128 h = hash_bytes(index + from, distances_at(index) - from);

	memcpy(header_of(index)->hash, &h, sizeof h);
}

struct fatbin_row *
fat_row(uint8_t *index, uint32_t i)
{
	return (struct fatbin_row *)(void *)(index + header_of(index)->header_size +
					     (size_t)i * header_of(index)->row_size);
}

struct fatbin_group *
fat_group(uint8_t *index, uint32_t i)
{
	return (struct fatbin_group *)(void *)((uint8_t *)fat_row(index, header_of(index)->n_rows) +
					       (size_t)i * header_of(index)->group_size);
}

uint8_t *
fat_stored(uint8_t *index, uint32_t i)
{
	uint8_t *at = index + distances_at(index) + i * sizeof(int64_t);
	int64_t distance;

	memcpy(&distance, at, sizeof distance);
	return at + distance;
}

/* -- Contents -------------------------------------------------------------------------------- */

static const struct fatbin_item *
find(const struct fat_kit *k, const struct qd_fatbin_entry *e)
{
	for (uint32_t i = 0; i < k->n; i++) {
		const struct fatbin_item *x = &k->item[i];
		if (!strcmp(x->kernel, e->kernel) && !strcmp(x->variant, e->values) &&
		    !strcmp(x->target, e->target) && !strcmp(code_kind_name(x->kind), e->kind))
			return x;
	}
	return NULL;
}

static bool
same_text(const struct qd_kernel *kernel, const struct fatbin_item *want)
{
	char *have = malloc(want->code_size + 1);
	size_t len = 0;
	bool same = have && !qd_kernel_print(kernel, have, want->code_size + 1, &len, NULL) &&
		    len == want->code_size && !memcmp(have, want->code, len);

	free(have);
	return same;
}

/* Returns true if entry i equals the item. A rejection sets *refused. */
static bool
same_entry(struct qd_fatbin *f, uint32_t i, const struct fatbin_item *want, bool *refused,
	   struct qd_error *e)
{
	struct qd_image *img = NULL;
	struct qd_kernel *kernel = NULL;
	qd_status st = want->kind == CODE_IR ? qd_fatbin_kernel(f, i, &kernel, e) :
					       qd_fatbin_image(f, i, &img, e);
	bool same = false;

	*refused = st != QD_OK;
	if (st == QD_OK && kernel)
		same = same_text(kernel, want);
	else if (st == QD_OK)
		same = !strcmp(img->target->m.name, want->target) && img->kind == want->kind &&
		       !memcmp(&img->meta, want->meta, sizeof img->meta) &&
		       img->layout->size == want->layout->size &&
		       !memcmp(img->layout, want->layout, want->layout->size) &&
		       img->code_size == want->code_size &&
		       !memcmp(img->code, want->code, want->code_size);
	qd_kernel_free(kernel);
	qd_image_free(img);
	return same;
}

struct fat_seen
fat_compare(struct unit_ctx *t, const struct fat_kit *k, struct qd_fatbin *f, const char *what)
{
	struct fat_seen seen = { 0 };
	struct qd_fatbin_entry e;

	for (uint32_t i = 0; i < qd_fatbin_count(f); i++) {
		bool reported = !qd_fatbin_entry(f, i, &e, &seen.e), refused = false;
		const struct fatbin_item *want = reported ? find(k, &e) : NULL;
		UNIT_CHECK(t, want, "%s: entry %u belongs to no test: %s", what, i,
			   reported ? e.target : seen.e.text);
		bool same = want && same_entry(f, i, want, &refused, &seen.e);
		UNIT_CHECK(t, same || refused, "%s: entry %u, %s, is another image", what, i, e.target);
		seen.n_same += same;
		seen.n_refused += refused;
	}
	return seen;
}

/* -- Results ------------------------------------------------------------------------------------- */

/* Returns the bits of a small integer, which floats represent exactly. */
static uint32_t
bits_of(qd_type type, uint32_t v)
{
	float f = (float)v;
	uint32_t bits;

	memcpy(&bits, &f, sizeof bits);
	return type == QD_TYPE_F32 ? bits : v;
}

void
fat_launch(struct unit_ctx *t, struct qd_device *dev, struct qd_function *fn, qd_type type,
	   int log2_size, const char *what)
{
	uint32_t a[FAT_ELEMENTS], b[FAT_ELEMENTS] = { 0 }, n_wrong = 0;
	struct qd_buffer *in = NULL, *out = NULL;
	struct qd_stream *s = NULL;
	struct qd_error e = { 0 };

	for (uint32_t i = 0; i < FAT_ELEMENTS; i++)
		a[i] = bits_of(type, i);
	bool good = !qd_stream_create(dev, &s, &e) && !qd_buffer_create(dev, sizeof a, 0, &in, &e) &&
		    !qd_buffer_create(dev, sizeof b, 0, &out, &e) &&
		    !qd_buffer_upload(s, in, 0, a, sizeof a, &e);
	const struct qd_arg args[] = { qd_arg_buffer(in), qd_arg_buffer(out) };
	good = good && !qd_launch(s, fn, 2, args, 2, &e) &&
	       !qd_buffer_download(s, out, 0, b, sizeof b, &e);
	for (uint32_t i = 0; i < FAT_ELEMENTS; i++) {
		uint32_t size = log2_size < 0 ? 1 : 1u << log2_size, first = i / size * size, sum = 0;
		for (uint32_t j = 0; j < size; j++)
			sum += first + j;
		n_wrong += b[i] != bits_of(type, log2_size < 0 ? 2 * i : sum);
	}
	UNIT_CHECK(t, good && !n_wrong, "%s: %u elements are wrong; %s", what, n_wrong, e.text);
	qd_buffer_free(in);
	qd_buffer_free(out);
	qd_stream_free(s);
}
