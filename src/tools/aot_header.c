/* The C header beside a fatbin: its symbol, the kernels' names, and their argument blocks. */
#include "aot.h"


static void
put_upper(struct buf *out, const char *s)
{
	for (; *s; s++) {
		char c = *s >= 'a' && *s <= 'z' ? (char)(*s - 'a' + 'A') : *s;
		buf_put(out, &c, 1);
	}
}

/* Letters that a C name may have. */
static void
put_name(struct buf *out, const char *s)
{
	for (; *s; s++) {
		bool good = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
			    (*s >= '0' && *s <= '9');
		buf_put(out, good ? s : "_", 1);
	}
}

static const char *
c_type(const struct description_param *p)
{
	switch (p->type) {
	case QD_TYPE_I32: return "int32_t";
	case QD_TYPE_U32: return "uint32_t";
	case QD_TYPE_I64: return "int64_t";
	case QD_TYPE_U64: return "uint64_t";
	case QD_TYPE_F32: return "float";
	default: return "double";
	}
}

static bool
same_block(const struct description *a, const struct description *b)
{
	bool same = a->version == b->version && a->n_params == b->n_params &&
		    a->args_size == b->args_size;

	for (uint32_t i = 0; same && i < a->n_params; i++) {
		const struct description_param *x = describe_params(a) + i, *y = describe_params(b) + i;
		same = x->offset == y->offset && !x->align == !y->align &&
		       (x->align || x->type == y->type) &&
		       strcmp(describe_param_name(a, i), describe_param_name(b, i)) == 0;
	}
	return same;
}

/* Items of one kernel stand together, and so do those of one set of values. */
static uint32_t
end_of(const struct fatbin_item *items, uint32_t n, uint32_t i, bool of_variant)
{
	uint32_t end = i + 1;

	while (end < n && strcmp(items[end].kernel, items[i].kernel) == 0 &&
	       (!of_variant || strcmp(items[end].variant, items[i].variant) == 0))
		end++;
	return end;
}

/* Do all variants of the kernel have one argument block? */
static bool
is_one_block(const struct fatbin_item *items, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		if (!same_block(items[i].description, items[0].description))
			return false;
	}
	return true;
}

static void
put_pad(struct buf *out, uint32_t from, uint32_t to, uint32_t *n_pads)
{
	if (to > from)
		buf_printf(out, "\tuint8_t pad%u[%u];\n", (*n_pads)++, to - from);
}

static void
put_block(struct buf *out, const struct fatbin_item *i, bool whole)
{
	const struct description *d = i->description;
	uint32_t at = 0, n_pads = 0;

	if (describe_by_slots(d)) {
		buf_printf(out, "\n/* %s is another compiler's: launches lay out its arguments. */\n", i->kernel);
		return;
	}
	buf_printf(out, "\n/* The argument block of %s%s%s%s: %u bytes, as every target takes it. */\nstruct qd_args_",
		   i->kernel, whole ? "" : " (", whole ? "" : i->variant, whole ? "" : ")", d->args_size);
	put_name(out, i->kernel);
	if (!whole) {
		buf_put(out, "_", 1);
		put_name(out, i->variant);
	}
	buf_printf(out, " {\n");
	for (uint32_t j = 0; j < d->n_params; j++) {
		const struct description_param *p = describe_params(d) + j;
		const char *name = describe_param_name(d, j);
		put_pad(out, at, p->offset, &n_pads);
		if (p->align)
			buf_printf(out, "\tuint64_t %s, %s_len; /* address, elements of %s */\n", name, name,
				   qd_type_name(p->type));
		else
			buf_printf(out, "\t%s %s;\n", c_type(p), name);
		at = p->offset + (p->align ? 16u : p->size);
	}
	put_pad(out, at, d->tail, &n_pads);
	buf_printf(out, "\tuint32_t n_blocks, block_base, zero, reserved;\n");
	put_pad(out, d->tail + 16u, d->args_size, &n_pads);
	buf_printf(out, "};\nQD_FATBIN_ASSERT(sizeof(struct qd_args_");
	put_name(out, i->kernel);
	if (!whole) {
		buf_put(out, "_", 1);
		put_name(out, i->variant);
	}
	buf_printf(out, ") == %u, \"%s\");\n", d->args_size, i->kernel);
}

/* One block of a kernel, or one of each set of its values. */
static void
put_blocks(struct buf *out, const struct fatbin_item *items, uint32_t n)
{
	bool whole = is_one_block(items, n);

	for (uint32_t i = 0; i < n; i = whole ? n : end_of(items, n, i, true))
		put_block(out, &items[i], whole);
}

void
aot_write_header(struct buf *out, const struct fatbin_item *items, uint32_t n, const char *stem)
{
	uint32_t v = qd_version();

	buf_printf(out, "/* Made by qd-aot %u.%u.%u; do not edit. */\n#ifndef QD_FATBIN_", v / 1000000,
		   v / 1000 % 1000, v % 1000);
	put_upper(out, stem);
	buf_printf(out, "_H\n#define QD_FATBIN_");
	put_upper(out, stem);
	buf_printf(out, "_H\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n"
			"#define QD_FATBIN_ASSERT(x, text) static_assert(x, text)\n#else\n"
			"#define QD_FATBIN_ASSERT(x, text) _Static_assert(x, text)\n#endif\n\n"
			"/* What qd_fatbin_open takes, with QD_LINKED. */\n"
			"extern const unsigned char qd_fatbin_%s[];\n\n/* The kernels. */\n",
		   stem);
	for (uint32_t i = 0; i < n; i = end_of(items, n, i, false)) {
		buf_printf(out, "#define QD_");
		put_upper(out, stem);
		buf_put(out, "_", 1);
		put_upper(out, items[i].kernel);
		buf_printf(out, " \"%s\"\n", items[i].kernel);
	}
	for (uint32_t i = 0, end; i < n; i = end) {
		end = end_of(items, n, i, false);
		put_blocks(out, items + i, end - i);
	}
	buf_printf(out, "\n#undef QD_FATBIN_ASSERT\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}
