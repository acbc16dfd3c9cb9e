/* Packs a finished kernel into one block of its exact size. The builder's arena returns to the
 * pool with its spare capacity.
 *
 * qd_kernel | params mems tmpls texts calls files places | pos, grid steps | key | reasons, file
 *
 * The key contains every byte that determines the code, in a fixed order. It is the only copy of
 * the instructions and of the names, and the kernel points into it. It excludes positions, reasons
 * and source. */
#include <assert.h>

#include "ir.h"

/* The key begins with numbers, followed by log2 of the subgroup sizes in the declared order,
 * instructions, name, parameters, templates, texts. The numbers include the count of each, so that
 * different kernels have different bytes. */
struct key_head {
	uint32_t n_params, n_mems, n_tmpls, n_texts, block[3], sizes, grid, n_ins, assume_uniform,
		assume_in_bounds, n_sizes;
	uint8_t size_order[8];
};
/* Marks the type of a constant table, whose elements follow. */
enum { KEY_TABLE = 0x80 };
_Static_assert((int)N_TYPE <= (int)KEY_TABLE, "a type fits below the mark");
_Static_assert(sizeof(struct key_head) == 13 * 4 + 8, "no padding: its bytes are the key");
_Static_assert(sizeof(((struct qd_kernel *)0)->size_order) == 8, "size_order fits the head");
_Static_assert(_Alignof(struct ins) <= 4, "the preceding fields consist of words");

static size_t
text_size(const char *s)
{
	return s ? strlen(s) + 1 : 0;
}

static size_t
files_size(const struct qd_kernel *k)
{
	size_t size = 0;

	for (uint32_t i = 0; i < k->n_files; i++)
		size += text_size(k->files[i]);
	return size;
}

/* Returns the size of the parts of a text that has no source. */
static size_t
lines_size(const struct qd_kernel *k)
{
	size_t size = k->source ? 0 : k->lines.n * sizeof *k->lines.part;

	for (uint32_t i = 0; i < k->lines.n && !k->source; i++)
		size += text_size(k->lines.part[i].file);
	return size;
}

/* Returns the size of a list of NUL-terminated names, which ends with an empty one. */
static size_t
list_size(const char *s)
{
	const char *at = s;

	while (at && *at)
		at += strlen(at) + 1;
	return s ? (size_t)(at - s) + 1 : 0;
}

static size_t
key_size(const struct qd_kernel *k)
{
	size_t size = sizeof(struct key_head) + k->ir.n * sizeof *k->ir.ins + text_size(k->name);

	for (uint32_t i = 0; i < k->n_params; i++)
		size += 2 + text_size(k->params[i].name);
	for (uint32_t i = k->n_params; i < k->n_mems; i++)
		size += 1 + sizeof k->mems[i].len + ir_table_size(&k->mems[i]) + text_size(k->mems[i].name);
	for (uint32_t i = 0; i < k->n_tmpls; i++)
		size += 2 * sizeof(int32_t) + text_size(k->tmpls[i].name) + text_size(k->tmpls[i].choices);
	for (uint32_t i = 0; i < k->n_texts; i++)
		size += text_size(k->texts[i]);
	return size;
}

/* Copies to *at and advances it. */
static void *
put(char **at, const void *from, size_t size)
{
	char *to = *at;

	if (size)
		memcpy(to, from, size);
	*at = to + size;
	return to;
}

static const char *
put_text(char **at, const char *s)
{
	return s ? put(at, s, strlen(s) + 1) : NULL;
}

static void
put_key(char **at, const struct qd_kernel *k, struct qd_kernel *to)
{
	struct key_head head = { .n_params = k->n_params,
				 .n_mems = k->n_mems,
				 .n_tmpls = k->n_tmpls,
				 .n_texts = k->n_texts,
				 .block = { k->block[0], k->block[1], k->block[2] },
				 .sizes = k->sizes,
				 .grid = k->grid,
				 .n_ins = k->ir.n,
				 .assume_uniform = k->assume_uniform != NULL,
				 .assume_in_bounds = k->assume_in_bounds != NULL,
				 .n_sizes = k->n_sizes };

	memcpy(head.size_order, k->size_order, sizeof head.size_order);
	to->key = put(at, &head, sizeof head);
	to->ir.ins = put(at, k->ir.ins, k->ir.n * sizeof *k->ir.ins);
	to->name = put_text(at, k->name);
	for (uint32_t i = 0; i < k->n_params; i++) {
		put(at, &k->params[i].type, 1);
		put(at, &k->params[i].access, 1);
		to->params[i].name = to->mems[i].name = put_text(at, k->params[i].name);
	}
	for (uint32_t i = k->n_params; i < k->n_mems; i++) {
		const struct memory *m = &k->mems[i];
		uint8_t kind = m->space == SPACE_TABLE ? m->type | KEY_TABLE : m->type;

		put(at, &kind, 1);
		put(at, &m->len, sizeof m->len);
		if (m->data)
			to->mems[i].data = put(at, m->data, ir_table_size(m));
		to->mems[i].name = put_text(at, m->name);
	}
	for (uint32_t i = 0; i < k->n_tmpls; i++) {
		put(at, &k->tmpls[i].lo, sizeof k->tmpls[i].lo);
		put(at, &k->tmpls[i].hi, sizeof k->tmpls[i].hi);
		to->tmpls[i].name = put_text(at, k->tmpls[i].name);
		if (k->tmpls[i].choices)
			to->tmpls[i].choices = put_text(at, k->tmpls[i].choices);
	}
	for (uint32_t i = 0; i < k->n_texts; i++)
		to->texts[i] = put_text(at, k->texts[i]);
	to->key_size = (size_t)(*at - (const char *)to->key);
	to->hash = hash_bytes(to->key, to->key_size);
}

qd_status
kernel_pack(struct qd_kernel **kernel, struct qd_error *err)
{
	const struct qd_kernel *k = *kernel;
	const char *own_file = k->source ? NULL : k->file;
	size_t size = sizeof *k + k->n_params * sizeof *k->params + k->n_mems * sizeof *k->mems +
		      k->n_tmpls * sizeof *k->tmpls +
		      k->n_texts * sizeof *k->texts + k->n_calls * sizeof *k->calls +
		      k->n_places * sizeof *k->places + k->n_files * sizeof *k->files +
		      k->ir.n * sizeof *k->ir.pos + k->n_grid_steps * sizeof *k->grid_steps +
		      key_size(k) + text_size(k->assume_uniform) + text_size(k->assume_in_bounds) +
		      text_size(own_file) + lines_size(k) + list_size(k->given) + files_size(k);
	struct pool_block *block = pool_get(&k->ctx->pool, size);
	struct arena builder = k->arena; /* which owns k */
	struct qd_kernel *to;
	char *at;

	if (!block)
		return qd_fail(err, QD_E_NOMEM, "kernel '%s': out of memory", k->name);
	at = pool_data(block);
	to = put(&at, k, sizeof *k);
	to->arena = (struct arena){ .pool = &k->ctx->pool, .blocks = block };
	to->params = put(&at, k->params, k->n_params * sizeof *k->params);
	to->mems = put(&at, k->mems, k->n_mems * sizeof *k->mems);
	to->tmpls = put(&at, k->tmpls, k->n_tmpls * sizeof *k->tmpls);
	to->texts = put(&at, k->texts, k->n_texts * sizeof *k->texts);
	to->calls = put(&at, k->calls, k->n_calls * sizeof *k->calls);
	to->files = put(&at, k->files, k->n_files * sizeof *k->files);
	if (!k->source)
		to->lines.part = put(&at, k->lines.part, k->lines.n * sizeof *k->lines.part);
	to->places = put(&at, k->places, k->n_places * sizeof *k->places);
	to->ir.pos = put(&at, k->ir.pos, k->ir.n * sizeof *k->ir.pos);
	to->ir.cap = k->ir.n;
	to->grid_steps = put(&at, k->grid_steps, k->n_grid_steps * sizeof *k->grid_steps);
	put_key(&at, k, to);
	to->assume_uniform = put_text(&at, k->assume_uniform);
	to->assume_in_bounds = put_text(&at, k->assume_in_bounds);
	if (k->given)
		to->given = put(&at, k->given, list_size(k->given));
	for (uint32_t i = 0; i < k->lines.n && !k->source; i++)
		((struct line_part *)(uintptr_t)to->lines.part)[i].file = put_text(&at, k->lines.part[i].file);
	if (own_file)
		to->file = put_text(&at, own_file);
	for (uint32_t i = 0; i < k->n_files; i++)
		to->files[i] = put_text(&at, k->files[i]);
	assert(at == (char *)pool_data(block) + size);
	arena_fini(&builder);
	*kernel = to;
	return QD_OK;
}
