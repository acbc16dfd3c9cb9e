/* Groups of a fatbin: unpacks them, verifies their checksums, and finds the parts of an image in
 * them. */
#include "fatbin.h"

#include "unpack.h"

#ifdef QD_HAVE_ZSTD
#include <zstd.h>
#endif

/* The group's offset in the file; 0 if the fatbin is linked, since only its distance from the
 * index is known then. */
static uint64_t
place_of(const struct fatbin_part *p, uint32_t group)
{
	return p->offset ? p->offset + ((uintptr_t)p->data[group] - (uintptr_t)p->index) : 0;
}

/* Fails with a message that begins with "offset 0x40: group 2 of a fatbin". */
static qd_status QD_PRINTF(5, 6)
group_fail(const struct fatbin_part *p, uint32_t group, qd_status st, struct qd_error *err, const char *fmt, ...)
{
	char at[40] = "", text[256];
	va_list ap;

	if (p->offset)
		snprintf(at, sizeof at, "offset 0x%llx: ", (unsigned long long)place_of(p, group));
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return qd_fail(err, st, "%sgroup %u of a fatbin%s", at, group, text);
}

#ifdef QD_HAVE_ZSTD
/* Checks the size that the zstd frame declares before memory is allocated for it. */
static qd_status
check_zstd(const struct fatbin_part *p, uint32_t group, const struct fatbin_group *g,
	   struct qd_error *err)
{
	unsigned long long n = ZSTD_getFrameContentSize(p->data[group], g->stored);

	if (n == ZSTD_CONTENTSIZE_ERROR || n == ZSTD_CONTENTSIZE_UNKNOWN)
		return group_fail(p, group, QD_E_INVALID, err, ": not a zstd frame of known size");
	if (n != g->raw)
		return group_fail(p, group, QD_E_INVALID, err,
				  " contains %llu bytes; its header states %llu", n,
				  (unsigned long long)g->raw);
	return QD_OK;
}

static qd_status
unzstd(const struct fatbin_part *p, uint32_t group, const struct fatbin_group *g, char *to,
       struct qd_error *err)
{
	size_t n = ZSTD_decompress(to, g->raw, p->data[group], g->stored);

	if (ZSTD_isError(n))
		return group_fail(p, group, unpack_zstd_status(n, QD_E_INVALID), err, ": zstd: %s",
				  ZSTD_getErrorName(n));
	return n == g->raw ? QD_OK :
			     group_fail(p, group, QD_E_INVALID, err, ": %zu bytes, but its frame states %llu", n,
					(unsigned long long)g->raw);
}
#else
static qd_status
check_zstd(const struct fatbin_part *p, uint32_t group, const struct fatbin_group *g,
	   struct qd_error *err)
{
	(void)p, (void)group, (void)g, (void)err;
	return QD_OK; /* unzstd reports the error */
}

static qd_status
unzstd(const struct fatbin_part *p, uint32_t group, const struct fatbin_group *g, char *to,
       struct qd_error *err)
{
	(void)g, (void)to;
	return group_fail(p, group, QD_E_UNAVAILABLE, err,
			  " is compressed by zstd, and this qd was built without it; build it with "
			  "-Dzstd=enabled");
}
#endif

qd_status
fatbin_unpack(const struct fatbin_part *p, uint32_t group, struct buf *out, struct qd_error *err)
{
	struct fatbin_group g;
	size_t start = out->len;

	fatbin_group_of(p, group, &g);
	if (g.codec >= FATBIN_N_CODEC)
		return group_fail(p, group, QD_E_UNAVAILABLE, err,
				  " is compressed by codec %u, which this library does not support", g.codec);
	if (g.codec == FATBIN_ZSTD)
		QD_TRY(check_zstd(p, group, &g, err));
	char *to = buf_extend(out, g.raw);
	if (!to)
		return qd_fail(err, QD_E_NOMEM, "out of memory for %llu bytes of a fatbin",
			       (unsigned long long)g.raw);
	qd_status st = QD_OK;
	if (g.codec == FATBIN_RAW)
		memcpy(to, p->data[group], g.raw);
	else
		st = unzstd(p, group, &g, to, err);
	struct hash128 h = hash_bytes(to, g.raw);
	if (st == QD_OK && memcmp(&h, g.hash, sizeof h) != 0)
		st = group_fail(p, group, QD_E_INVALID, err, " is damaged: its checksum is wrong");
	if (st != QD_OK)
		out->len = start;
	return st;
}

static bool
fits(uint32_t at, uint32_t size, uint32_t all)
{
	return at % FATBIN_GROUP_ALIGN == 0 && at >= sizeof(struct fatbin_entry) && at <= all &&
	       size <= all - at;
}

/* Returns true if the copies in the row equal the requirements of the image. */
static bool
agrees(const struct fatbin_row *r, const struct isa_meta *m, const struct launch_layout *d)
{
	uint32_t args = m->flags & ISA_ARGS_BY_ADDRESS ? 0 : d->args_size + isa_tables_args((enum code_kind)r->kind, m);

	return r->needs == m->needs && r->shared_size == m->shared_size &&
	       r->local_size == m->local_size && r->args_size == args &&
	       (r->flags & FATBIN_OPT) >> FATBIN_OPT_AT == m->opt_below &&
	       r->subgroup_size == d->subgroup_size;
}

static qd_status
read_entry(const struct fatbin_part *p, const struct fatbin_row *row, const uint8_t *raw, size_t raw_size,
	   struct image_parts *out, struct qd_error *err)
{
	const struct fatbin_entry *e = (const struct fatbin_entry *)(const void *)(raw + row->offset);

	if (row->size < sizeof *e || row->offset > raw_size || row->size > raw_size - row->offset ||
	    !fits(e->layout_at, e->layout_size, row->size) ||
	    !fits(e->code_at, e->code_size, row->size))
		return qd_fail(err, QD_E_INVALID, "an image with parts outside of its bounds");
	*out = (struct image_parts){ .target = fatbin_string(p, row->target),
				     .kind = (enum code_kind)row->kind,
				     .meta = &e->meta,
				     .layout = raw + row->offset + e->layout_at,
				     .layout_size = e->layout_size,
				     .code = raw + row->offset + e->code_at,
				     .code_size = e->code_size };
	QD_TRY(isa_meta_check(out->meta, err));
	QD_TRY(layout_check(out->layout, out->layout_size, err));
	return agrees(row, out->meta, out->layout)
		       ? QD_OK
		       : qd_fail(err, QD_E_INVALID, "the row differs from the image");
}

qd_status
fatbin_entry_of(const struct fatbin_part *p, const struct fatbin_row *row, const uint8_t *raw,
		size_t raw_size, struct image_parts *out, struct qd_error *err)
{
	const char *kernel = fatbin_string(p, row->kernel), *target = fatbin_string(p, row->target);
	struct fatbin_group g;
	struct qd_error why;
	char at[40] = "";
	qd_status st = read_entry(p, row, raw, raw_size, out, &why);

	if (st == QD_OK)
		return QD_OK;
	fatbin_group_of(p, row->group, &g);
	if (p->offset)
		snprintf(at, sizeof at, "offset 0x%llx: ",
			 (unsigned long long)place_of(p, row->group) + (g.codec == FATBIN_RAW ? row->offset : 0));
	return qd_fail(err, st, "%skernel '%.80s' for %.200s: %s", at, kernel, target, why.text);
}
