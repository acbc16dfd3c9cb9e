/* Open fatbins: their parts as one list of rows, the unpacked groups, and the requested images and
 * kernels, each created once. A single lock is held while a group is unpacked or a kernel read,
 * because concurrent callers usually need the same one. */
#include "fatbin.h"
#include "show.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elffile.h"
#include "suggest.h"

enum { MAX_FILE = 1 << 30 };

struct kept {
	struct qd_image *image;
	struct qd_kernel *kernel;
};

struct qd_fatbin {
	struct qd_context *ctx;
	struct arena mem; /* contains the parts and this struct */
	pthread_mutex_t lock;
	struct buf file; /* contents of the file; empty if there is none */
	const char *name; /* in messages */
	struct fatbin_part *parts;
	uint32_t n_parts, n_rows;
	struct kept *kept;	  /* by row */
	struct buf **groups; /* unpacked groups, by part and group */
};

/* -- Opening --------------------------------------------------------------------------------- */

static struct qd_fatbin *
fatbin_new(struct qd_context *ctx, const char *name)
{
	struct arena mem;
	struct qd_fatbin *f;
	const char *shown;
	char *copy;

	arena_init(&mem, &ctx->pool);
	f = arena_zalloc(&mem, sizeof *f);
	copy = f ? arena_strdup(&mem, name, strlen(name)) : NULL;
	if (!copy || !(shown = show_in(&mem, copy))) {
		arena_fini(&mem);
		return NULL;
	}
	f->ctx = ctx;
	f->name = shown;
	f->mem = mem;
	buf_init(&f->file, &ctx->pool);
	pthread_mutex_init(&f->lock, NULL);
	ctx_born(ctx, LIVE_FATBIN);
	return f;
}

/* Allocates the tables of images, kernels and unpacked groups, which are filled in later. */
static qd_status
make_room(struct qd_fatbin *f, struct qd_error *err)
{
	bool good = true;

	for (uint32_t i = 0; i < f->n_parts; i++) {
		f->parts[i].first_row = f->n_rows;
		f->n_rows += f->parts[i].header->n_rows;
	}
	f->kept = arena_zalloc(&f->mem, f->n_rows * sizeof *f->kept);
	f->groups = arena_zalloc(&f->mem, f->n_parts * sizeof *f->groups);
	good = f->kept && f->groups;
	for (uint32_t i = 0; good && i < f->n_parts; i++) {
		uint32_t n = f->parts[i].header->n_groups;
		f->groups[i] = arena_alloc(&f->mem, n * sizeof **f->groups);
		good = f->groups[i] != NULL;
		for (uint32_t j = 0; good && j < n; j++)
			buf_init(&f->groups[i][j], &f->ctx->pool);
	}
	if (good)
		return QD_OK;
	/* Nothing is unpacked yet, so that freeing must not access the groups. */
	f->n_rows = f->n_parts = 0;
	return qd_fail(err, QD_E_NOMEM, "%s: out of memory", f->name);
}

/* Prefixes a message of the reader with the file's name. */
static qd_status
with_name(const struct qd_fatbin *f, qd_status st, const struct qd_error *why, struct qd_error *err)
{
	return st == QD_OK ? QD_OK : qd_fail(err, st, "%s: %s", f->name, why->text);
}

static qd_status
open_elf(struct qd_fatbin *f, const void *data, size_t size, struct qd_error *err)
{
	struct qd_error why;
	qd_status st = fatbin_parts_of_file(&f->mem, data, size, 0, &f->parts, &f->n_parts, &why);

	if (st != QD_OK)
		f->n_parts = 0;
	QD_TRY(with_name(f, st, &why, err));
	return make_room(f, err);
}

static qd_status
open_linked(struct qd_fatbin *f, const void *index, struct qd_error *err)
{
	struct qd_error why = { .text = "out of memory" };
	qd_status st = QD_E_NOMEM;

	f->parts = arena_zalloc(&f->mem, sizeof *f->parts);
	if (f->parts)
		st = fatbin_part_linked(&f->mem, index, f->parts, &why);
	QD_TRY(with_name(f, st, &why, err));
	f->n_parts = 1;
	return make_room(f, err);
}

static qd_status
read_whole(struct qd_fatbin *f, const char *path, struct qd_error *err)
{
	struct stat s;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &s) != 0) {
		int why = errno;
		if (fd >= 0)
			close(fd);
		return qd_fail(err, why == ENOENT ? QD_E_NOT_FOUND : QD_E_IO, "cannot open '%.200s': %s",
			       SHOWN(path), strerror(why));
	}
	qd_status st = QD_OK;
	size_t size = (size_t)s.st_size;
	if (!S_ISREG(s.st_mode) || s.st_size > MAX_FILE)
		st = qd_fail(err, QD_E_INVALID, "'%.200s' is %s", SHOWN(path),
			     S_ISREG(s.st_mode) ? "larger than 1 GiB" : "not a regular file");
	char *to = st == QD_OK ? buf_extend(&f->file, size) : NULL;
	if (st == QD_OK && !to)
		st = qd_fail(err, QD_E_NOMEM, "%.200s: out of memory", SHOWN(path));
	for (size_t done = 0; st == QD_OK && done < size;) {
		ssize_t n = read(fd, to + done, size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			st = qd_fail(err, QD_E_IO, "cannot read '%.200s': %s", SHOWN(path),
				     n ? strerror(errno) : "it became shorter");
		done += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	return st;
}

qd_status
qd_fatbin_open(struct qd_context *ctx, const void *data, size_t size, const char *name,
	       struct qd_fatbin **out, struct qd_error *err)
{
	QD_CHECK_ARG(ctx, err, "the context is NULL");
	QD_CHECK_ARG(data, err, "the fatbin is NULL");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	*out = NULL;
	QD_CHECK_CTX(ctx, err);
	if (size != QD_LINKED && size >= sizeof(struct fatbin_header) && memcmp(data, FATBIN_MAGIC, 8) == 0)
		return qd_fail(err, QD_E_INVALID,
			       "%s: the bytes are a linked fatbin: pass QD_LINKED as the size",
			       name ? name : "fatbin");
	struct qd_fatbin *f = fatbin_new(ctx, name ? name : "fatbin");
	if (!f)
		return qd_fail(err, QD_E_NOMEM, "%s: out of memory", __func__);
	qd_status st = size == QD_LINKED ? open_linked(f, data, err) : open_elf(f, data, size, err);
	if (st == QD_OK)
		*out = f;
	else
		qd_fatbin_free(f);
	return st;
}

qd_status
qd_fatbin_open_file(struct qd_context *ctx, const char *path, struct qd_fatbin **out,
		    struct qd_error *err)
{
	QD_CHECK_ARG(ctx, err, "the context is NULL");
	QD_CHECK_ARG(path, err, "the path is NULL");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	*out = NULL;
	QD_CHECK_CTX(ctx, err);
	struct qd_fatbin *f = fatbin_new(ctx, path);
	if (!f)
		return qd_fail(err, QD_E_NOMEM, "%s: out of memory", __func__);
	qd_status st = read_whole(f, path, err);
	if (st == QD_OK)
		st = open_elf(f, buf_data(&f->file), f->file.len, err);
	if (st == QD_OK)
		*out = f;
	else
		qd_fatbin_free(f);
	return st;
}

void
qd_fatbin_free(struct qd_fatbin *f)
{
	if (!f || forked_since(f->ctx->forks))
		return;
	struct qd_context *ctx = f->ctx;
	for (uint32_t i = 0; i < f->n_rows; i++) {
		qd_image_free(f->kept[i].image);
		qd_kernel_free(f->kept[i].kernel);
	}
	for (uint32_t i = 0; i < f->n_parts; i++) {
		for (uint32_t j = 0; j < f->parts[i].header->n_groups; j++)
			buf_fini(&f->groups[i][j]);
	}
	buf_fini(&f->file);
	pthread_mutex_destroy(&f->lock);
	struct arena mem = f->mem; /* a copy, because f is in the arena */
	arena_fini(&mem);
	ctx_gone(ctx, LIVE_FATBIN);
}

/* -- Rows --------------------------------------------------------------------------------------- */

uint32_t
fatbin_count(const struct qd_fatbin *f)
{
	return f->n_rows;
}

const char *
fatbin_name(const struct qd_fatbin *f)
{
	return f->name;
}

struct qd_context *
fatbin_ctx(const struct qd_fatbin *f)
{
	return f->ctx;
}

void
fatbin_at(const struct qd_fatbin *f, uint32_t i, struct fatbin_place *out)
{
	uint32_t lo = 0, hi = f->n_parts;

	/* Binary search for the last part with first_row <= i; no part is empty. */
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (f->parts[mid].first_row <= i)
			lo = mid;
		else
			hi = mid;
	}
	const struct fatbin_part *p = &f->parts[lo];
	out->part = p;
	fatbin_row_of(p, i - p->first_row, &out->row);
	out->kernel = fatbin_string(p, out->row.kernel);
	out->variant = fatbin_string(p, out->row.variant);
	out->target = fatbin_string(p, out->row.target);
}

const char *
fatbin_target_front(const struct fatbin_place *at)
{
	return at->row.kind == CODE_CUBIN ? "cubin:" : "";
}

const char *
fatbin_target_rest(const struct fatbin_place *at)
{
	bool made = at->row.kind == CODE_CUBIN && strncmp(at->target, "ptx:", 4) == 0;

	return at->target + (made ? 4 : 0);
}

/* Unpacks the row's group if necessary and finds its entry. The caller holds the lock. */
static qd_status
entry(struct qd_fatbin *f, const struct fatbin_place *at, struct image_parts *out,
      struct qd_error *err)
{
	struct buf *group = &f->groups[at->part - f->parts][at->row.group];

	if (!group->len)
		QD_TRY(fatbin_unpack(at->part, at->row.group, group, err));
	return fatbin_entry_of(at->part, &at->row, (const uint8_t *)buf_data(group), group->len, out,
			       err);
}

/* Like entry, with the fatbin's name in messages. The caller holds the lock. */
static qd_status
entry_named(struct qd_fatbin *f, const struct fatbin_place *at, struct image_parts *out,
	    struct qd_error *err)
{
	struct qd_error why;

	return with_name(f, entry(f, at, out, &why), &why, err);
}

qd_status
fatbin_layout(struct qd_fatbin *f, uint32_t i, struct image_parts *out, struct qd_error *err)
{
	struct fatbin_place at;

	fatbin_at(f, i, &at);
	pthread_mutex_lock(&f->lock);
	qd_status st = entry_named(f, &at, out, err);
	pthread_mutex_unlock(&f->lock);
	return st;
}

static qd_status
make_image(struct qd_fatbin *f, const struct fatbin_place *at, struct qd_image **out,
	   struct qd_error *err)
{
	struct image_parts parts;
	struct qd_error why;

	if (at->row.kind == CODE_IR)
		return qd_fail(err, QD_E_INVALID,
			       "%s: the entry of kernel '%s' is IR; it has no code", f->name,
			       at->kernel);
	QD_TRY(entry_named(f, at, &parts, err));
	return with_name(f, jit_image_of_parts(f->ctx, &parts, out, &why), &why, err);
}

/* Returns whether `text` is the target of an image without launch facts. */
static bool
is_general(const struct target *facts, const char *text)
{
	const struct jit_target *other = jit_target_of(facts)->other;
	struct target t;

	return other && isa_target(text, &t, QD_IGNORE_ERROR) == QD_OK && strcmp(t.m.name, other->t.m.name) == 0;
}

/* Returns the image of row i, which the fatbin keeps. */
static qd_status
kept_image(struct qd_fatbin *f, uint32_t i, struct qd_image **out, struct qd_error *err)
{
	struct fatbin_place at;

	fatbin_at(f, i, &at);
	if (!f->kept[i].image)
		QD_TRY(make_image(f, &at, &f->kept[i].image, err));
	*out = f->kept[i].image;
	return QD_OK;
}

/* Finds the general variant of the image of row i, which relies on launch facts, if the fatbin has one.
 * Rows of a kernel with the same values are adjacent. Both variants take the same arguments. */
static qd_status
find_general(struct qd_fatbin *f, uint32_t i, struct qd_image *img, struct qd_error *err)
{
	struct fatbin_place like, at;
	struct qd_image *other;

	fatbin_at(f, i, &like);
	for (; i > 0; i--) {
		fatbin_at(f, i - 1, &at);
		if (at.row.name_hash != like.row.name_hash)
			break;
	}
	for (; i < f->n_rows && !img->general; i++) {
		fatbin_at(f, i, &at);
		if (at.row.name_hash != like.row.name_hash)
			break;
		if (at.row.kind != like.row.kind || strcmp(at.kernel, like.kernel) != 0 ||
		    strcmp(at.variant, like.variant) != 0 || !is_general(img->target, at.target))
			continue;
		QD_TRY(kept_image(f, i, &other, err));
		if (other->layout->size == img->layout->size &&
		    memcmp(other->layout, img->layout, img->layout->size) == 0)
			img->general = image_ref(other);
	}
	return QD_OK;
}

qd_status
fatbin_image(struct qd_fatbin *f, uint32_t i, struct qd_image **out, struct qd_error *err)
{
	struct qd_image *img;

	pthread_mutex_lock(&f->lock);
	qd_status st = kept_image(f, i, &img, err);
	if (st == QD_OK && jit_relies(img) && !img->general)
		st = find_general(f, i, img, err);
	if (st == QD_OK)
		*out = image_ref(img);
	pthread_mutex_unlock(&f->lock);
	return st;
}

static qd_status
make_kernel(struct qd_fatbin *f, const struct fatbin_place *at, struct qd_kernel **out,
	    struct qd_error *err)
{
	struct image_parts parts;

	if (at->row.kind != CODE_IR)
		return qd_fail(err, QD_E_INVALID,
			       "%s: the entry of kernel '%s' for %s is code; it has no IR", f->name,
			       at->kernel, at->target);
	QD_TRY(entry_named(f, at, &parts, err));
	return qd_kernel_read(f->ctx, parts.code, parts.code_size, f->name, out, err);
}

qd_status
fatbin_kernel(struct qd_fatbin *f, uint32_t i, const struct qd_kernel **out, struct qd_error *err)
{
	struct fatbin_place at;
	qd_status st = QD_OK;

	fatbin_at(f, i, &at);
	pthread_mutex_lock(&f->lock);
	if (!f->kept[i].kernel)
		st = make_kernel(f, &at, &f->kept[i].kernel, err);
	if (st == QD_OK)
		*out = f->kept[i].kernel;
	pthread_mutex_unlock(&f->lock);
	return st;
}

/* -- Public interface ------------------------------------------------------------------------------ */

uint32_t
qd_fatbin_count(const struct qd_fatbin *f)
{
	return f ? f->n_rows : 0;
}

qd_status
qd_fatbin_entry(const struct qd_fatbin *f, uint32_t i, struct qd_fatbin_entry *out,
		struct qd_error *err)
{
	struct fatbin_place at;

	QD_CHECK_ARG(f && out, err, "fatbin or result pointer is NULL");
	QD_CHECK_ARG(i < f->n_rows, err, "the fatbin has fewer entries");
	fatbin_at(f, i, &at);
	*out = (struct qd_fatbin_entry){
		.kernel = at.kernel,
		.values = at.variant,
		.target = at.target,
		.kind = code_kind_name(at.row.kind),
		.subgroup_size = at.row.subgroup_size,
		.block_dim = at.row.local_size,
		.shared_size = at.row.shared_size,
		.size = at.row.size,
	};
	return QD_OK;
}

qd_status
qd_fatbin_image(struct qd_fatbin *f, uint32_t i, struct qd_image **out, struct qd_error *err)
{
	QD_CHECK_ARG(f, err, "the fatbin is NULL");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	*out = NULL;
	QD_CHECK_CTX(f->ctx, err);
	QD_CHECK_ARG(i < f->n_rows, err, "the fatbin has fewer entries");
	return fatbin_image(f, i, out, err);
}

qd_status
qd_fatbin_kernel(struct qd_fatbin *f, uint32_t i, struct qd_kernel **out, struct qd_error *err)
{
	const struct qd_kernel *k;

	QD_CHECK_ARG(f, err, "the fatbin is NULL");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	*out = NULL;
	QD_CHECK_CTX(f->ctx, err);
	QD_CHECK_ARG(i < f->n_rows, err, "the fatbin has fewer entries");
	QD_TRY(fatbin_kernel(f, i, &k, err));
	*out = kernel_ref(k);
	return QD_OK;
}

/* -- Finding ------------------------------------------------------------------------------------------ */

/* Returns the kernel's next variant after `last` in alphabetical order, or NULL. */
static const char *
next_variant(const struct qd_fatbin *f, const char *kernel, const char *last)
{
	const char *next = NULL;

	for (uint32_t i = 0; i < f->n_rows; i++) {
		struct fatbin_place at;
		fatbin_at(f, i, &at);
		if (strcmp(at.kernel, kernel) == 0 && (!last || strcmp(at.variant, last) > 0) &&
		    (!next || strcmp(at.variant, next) < 0))
			next = at.variant;
	}
	return next;
}

/* Appends up to SHOWN different variants of the kernel. */
static void
name_variants(const struct qd_fatbin *f, const char *kernel, struct buf *out)
{
	enum { SHOWN = 8 };
	const char *last = NULL;
	uint32_t n = 0;

	/* Rows of the same variant are adjacent. */
	for (uint32_t i = 0; i < f->n_rows; i++) {
		struct fatbin_place at;
		fatbin_at(f, i, &at);
		if (strcmp(at.kernel, kernel) != 0 || (last && strcmp(last, at.variant) == 0))
			continue;
		last = at.variant;
		n++;
	}
	last = NULL;
	for (uint32_t i = 0; i < SHOWN && (last = next_variant(f, kernel, last)); i++)
		buf_printf(out, "%s%s", i ? ", " : "", *last ? last : "none");
	if (n > SHOWN)
		buf_printf(out, " and %u more", n - SHOWN);
	buf_put(out, "", 1);
}

static QD_COLD qd_status
no_variant(struct qd_fatbin *f, const char *kernel, const struct qd_tmpl *tmpl, uint32_t n_tmpl,
	   struct qd_error *err)
{
	struct buf want, have;
	qd_status st;

	buf_init(&want, &f->ctx->pool);
	buf_init(&have, &f->ctx->pool);
	fatbin_variant(&want, tmpl, n_tmpl);
	buf_put(&want, "", 1);
	name_variants(f, kernel, &have);
	if (want.nomem || have.nomem)
		st = qd_fail(err, QD_E_NOMEM, "%s: out of memory", f->name);
	else
		st = qd_fail(err, QD_E_NOT_FOUND,
			     "%s: kernel '%s' is not available with %s%s; available: %.600s",
			     f->name, kernel, n_tmpl ? "template values " : "no template values",
			     buf_data(&want), buf_data(&have));
	buf_fini(&want);
	buf_fini(&have);
	return st;
}

static QD_COLD qd_status
no_kernel_named(const struct qd_fatbin *f, const char *kernel, struct qd_error *err)
{
	struct suggest near;

	suggest_init(&near, kernel, (uint32_t)strlen(kernel));
	for (uint32_t i = 0; i < f->n_rows; i++) {
		struct fatbin_place at;
		fatbin_at(f, i, &at);
		suggest_offer(&near, at.kernel, (uint32_t)strlen(at.kernel));
	}
	return qd_fail(err, QD_E_NOT_FOUND, "%s: no kernel is named '%.80s'; %s", f->name, kernel,
		       suggest_text(&near, "qd-aot list shows the kernels"));
}

/* Finds the rows of a part with this kernel and exactly this variant text. */
static void
find_in(const struct fatbin_part *p, const char *kernel, const char *variant, uint32_t *out,
	uint32_t *n)
{
	uint64_t hash = fatbin_hash(kernel, variant);
	uint32_t lo = 0, hi = p->header->n_rows;
	struct fatbin_row r;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		fatbin_row_of(p, mid, &r);
		if (r.name_hash < hash)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < p->header->n_rows; lo++) {
		fatbin_row_of(p, lo, &r);
		if (r.name_hash != hash)
			break;
		if (strcmp(fatbin_string(p, r.kernel), kernel) == 0 &&
		    strcmp(fatbin_string(p, r.variant), variant) == 0)
			out[(*n)++] = p->first_row + lo;
	}
}

/* Finds the rows if the values are given in the order in which the kernel declares them, which is
 * the usual case. */
static qd_status
find_as_given(struct qd_fatbin *f, const char *kernel, const struct qd_tmpl *tmpl, uint32_t n_tmpl,
	      uint32_t *out, uint32_t *n, struct qd_error *err)
{
	struct buf variant;

	buf_init(&variant, &f->ctx->pool);
	fatbin_variant(&variant, tmpl, n_tmpl);
	buf_put(&variant, "", 1);
	for (uint32_t i = 0; i < f->n_parts && !variant.nomem; i++)
		find_in(&f->parts[i], kernel, buf_data(&variant), out, n);
	bool nomem = variant.nomem;
	buf_fini(&variant);
	return nomem ? qd_fail(err, QD_E_NOMEM, "%s: out of memory", f->name) : QD_OK;
}

qd_status
fatbin_find(struct qd_fatbin *f, struct arena *mem, const char *kernel, const struct qd_tmpl *tmpl,
	    uint32_t n_tmpl, uint32_t **out, uint32_t *n, struct qd_error *err)
{
	bool named = false;

	*n = 0;
	*out = arena_alloc(mem, f->n_rows * sizeof **out);
	if (!*out)
		return qd_fail(err, QD_E_NOMEM, "%s: out of memory", f->name);
	QD_TRY(find_as_given(f, kernel, tmpl, n_tmpl, *out, n, err));
	for (uint32_t i = 0; i < f->n_rows && !*n; i++) {
		struct fatbin_place at;
		fatbin_at(f, i, &at);
		bool same = strcmp(at.kernel, kernel) == 0;
		named |= same;
		if (same && fatbin_has_values(at.variant, tmpl, n_tmpl)) {
			const char *variant = at.variant;
			for (; i < f->n_rows; i++) {
				fatbin_at(f, i, &at);
				if (strcmp(at.kernel, kernel) == 0 && strcmp(at.variant, variant) == 0)
					(*out)[(*n)++] = i;
			}
		}
	}
	if (*n)
		return QD_OK;
	return named ? no_variant(f, kernel, tmpl, n_tmpl, err) : no_kernel_named(f, kernel, err);
}
