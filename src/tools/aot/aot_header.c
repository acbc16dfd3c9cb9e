/* Writes the C header of a fatbin: its symbol, the kernels' names, and their argument blocks. */
#include "aot.h"

/* -- Names ---------------------------------------------------------------------------------- */

/* Appends s as letters of a C name, optionally in upper case. */
static void
put_letters(struct buf *out, const char *s, bool large)
{
	for (; *s; s++) {
		bool small = *s >= 'a' && *s <= 'z';
		bool good = small || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9');
		char c = !good ? '_' : small && large ? (char)(*s - 'a' + 'A') : *s;
		buf_put(out, &c, 1);
	}
}

static void
put_upper(struct buf *out, const char *s)
{
	put_letters(out, s, true);
}

static void
put_name(struct buf *out, const char *s)
{
	put_letters(out, s, false);
}

/* Appends a string literal. Kernels built from C or printed IR can have any name. */
static void
put_string(struct buf *out, const char *s)
{
	buf_put(out, "\"", 1);
	for (; *s; s++) {
		if (*s < ' ' || *s > '~' || strchr("\"\\?", *s))
			buf_printf(out, "\\%03o", (unsigned)(unsigned char)*s);
		else
			buf_put(out, s, 1);
	}
	buf_put(out, "\"", 1);
}

/* Appends a fatbin's text for a comment, with characters that could end it replaced. */
static void
put_remark(struct buf *out, const char *s)
{
	for (; *s; s++) {
		bool plain = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
			     strchr("_=;-", *s);
		buf_put(out, plain ? s : "_", 1);
	}
}

/* Reserved member names: keywords of C and C++, macros of compilers, and the block's own last
 * members. Each is between two newlines, like the names in `given`. */
static const char words[] =
	"\nn_blocks\nblock_base\nzero\nreserved\nalignas\nalignof\nand\nand_eq\nasm\nauto\nbitand\nbitor\nbool"
	"\nbreak\ncase\ncatch\nchar\nchar8_t\nchar16_t\nchar32_t\nclass\ncompl\nconcept\nconst\nconsteval"
	"\nconstexpr\nconstinit\nconst_cast\ncontinue\nco_await\nco_return\nco_yield\ndecltype\ndefault\ndelete"
	"\ndo\ndouble\ndynamic_cast\nelse\nenum\nexplicit\nexport\nextern\nfalse\nfloat\nfor\nfriend\ngoto"
	"\nif\ninline\nint\nlong\nmutable\nnamespace\nnew\nnoexcept\nnot\nnot_eq\nnullptr\noperator\nor\nor_eq"
	"\nprivate\nprotected\npublic\nregister\nreinterpret_cast\nrequires\nrestrict\nreturn\nshort\nsigned"
	"\nsizeof\nstatic\nstatic_assert\nstatic_cast\nstruct\nswitch\ntemplate\nthis\nthread_local\nthrow"
	"\ntrue\ntry\ntypedef\ntypeid\ntypename\ntypeof\ntypeof_unqual\nunion\nunsigned\nusing\nvirtual\nvoid"
	"\nvolatile\nwchar_t\nwhile\nxor\nxor_eq\nlinux\nunix\ni386\n";

static bool
is_given(const struct buf *given, const char *name, const char *end)
{
	char line[MAX_TEXT_NAME + 80];

	snprintf(line, sizeof line, "\n%s%s\n", name, end);
	return !given->nomem && strstr(buf_data(given), line) != NULL;
}

/* Creates a unique name by appending underscores. end: suffix of a second name that must be
 * unique too, also in `declared`; or "". */
static void
give_name(struct buf *given, const struct buf *declared, const char *name, bool large, const char *end,
	  char out[MAX_TEXT_NAME + 64])
{
	struct buf text;

	buf_init(&text, given->pool);
	put_letters(&text, name, large);
	buf_put(&text, "", 1);
	snprintf(out, MAX_TEXT_NAME + 32, "%s", text.nomem ? "" : buf_data(&text));
	buf_fini(&text);
	for (size_t n = 0; n < 31; n++) {
		bool twice = *end && (is_given(given, out, end) || is_given(declared, out, end));
		if (!twice && !is_given(given, out, ""))
			break;
		strcat(out, "_");
	}
	if (given->nomem)
		return;
	given->len--; /* drop the NUL */
	buf_printf(given, "%s\n", out);
	if (*end)
		buf_printf(given, "%s%s\n", out, end);
	buf_put(given, "", 1);
}

static void
given_start(struct buf *given, struct pool *pool, const char *first)
{
	buf_init(given, pool);
	buf_printf(given, "%s", first);
	buf_put(given, "", 1);
}

/* -- Argument blocks -------------------------------------------------------------------------- */

static const char *
c_type(const struct layout_param *p)
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

/* Returns the size without the report buffer's slot, which is last and not on every target. */
static uint32_t
block_size(const struct launch_layout *d)
{
	uint32_t report_at = layout_report_at(d);

	return report_at ? report_at : d->args_size;
}

static bool
same_block(const struct launch_layout *a, const struct launch_layout *b)
{
	bool same = layout_by_slots(a) == layout_by_slots(b) && a->n_params == b->n_params &&
		    block_size(a) == block_size(b);

	for (uint32_t i = 0; same && i < a->n_params; i++) {
		const struct layout_param *x = layout_params(a) + i, *y = layout_params(b) + i;
		same = x->offset == y->offset && !x->align == !y->align &&
		       (x->align || x->type == y->type) &&
		       strcmp(layout_param_name(a, i), layout_param_name(b, i)) == 0;
	}
	return same;
}

/* Returns the end of the run of items with the same kernel, or the same kernel and values. */
static uint32_t
end_of(const struct fatbin_item *items, uint32_t n, uint32_t i, bool of_variant)
{
	uint32_t end = i + 1;

	while (end < n && strcmp(items[end].kernel, items[i].kernel) == 0 &&
	       (!of_variant || strcmp(items[end].variant, items[i].variant) == 0))
		end++;
	return end;
}

/* Returns whether all variants of the kernel have the same argument block. */
static bool
is_one_block(const struct fatbin_item *items, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		if (!same_block(items[i].layout, items[0].layout))
			return false;
	}
	return true;
}

static void
put_pad(struct buf *out, struct buf *given, uint32_t from, uint32_t to)
{
	char name[MAX_TEXT_NAME + 64];

	if (to <= from)
		return;
	give_name(given, given, "pad", false, "", name);
	buf_printf(out, "\tuint8_t %s[%u];\n", name, to - from);
}

static void
put_members(struct buf *out, const struct launch_layout *d)
{
	char name[MAX_TEXT_NAME + 64];
	struct buf given, declared;
	uint32_t at = 0;

	given_start(&given, out->pool, words);
	buf_init(&declared, out->pool);
	for (uint32_t j = 0; j < d->n_params; j++)
		buf_printf(&declared, "\n%s", layout_param_name(d, j));
	buf_put(&declared, "\n", 2);
	for (uint32_t j = 0; j < d->n_params; j++) {
		const struct layout_param *p = layout_params(d) + j;
		put_pad(out, &given, at, p->offset);
		give_name(&given, &declared, layout_param_name(d, j), false, p->align ? "_len" : "",
			  name);
		if (p->align)
			buf_printf(out, "\tuint64_t %s, %s_len; /* address, elements of %s */\n", name, name,
				   qd_type_name(p->type));
		else
			buf_printf(out, "\t%s %s;\n", c_type(p), name);
		at = p->offset + (p->align ? 16u : p->size);
	}
	put_pad(out, &given, at, d->tail);
	buf_printf(out, "\tuint32_t n_blocks, block_base, zero, reserved;\n");
	put_pad(out, &given, d->tail + 16u, block_size(d));
	out->nomem |= given.nomem || declared.nomem;
	buf_fini(&declared);
	buf_fini(&given);
}

static void
put_block_name(struct buf *out, const struct fatbin_item *i, bool whole)
{
	put_name(out, i->kernel);
	if (whole)
		return;
	buf_put(out, "_", 1);
	put_name(out, i->variant);
}

static void
put_struct(struct buf *out, const struct fatbin_item *i, bool whole)
{
	const struct launch_layout *d = i->layout;

	if (layout_by_slots(d)) {
		buf_printf(out, "/* ");
		put_name(out, i->kernel);
		buf_printf(out, " is another compiler's: launches lay out its arguments. */\n");
		return;
	}
	buf_printf(out, "/* The argument block of ");
	put_name(out, i->kernel);
	if (!whole) {
		buf_printf(out, " (");
		put_remark(out, i->variant);
		buf_printf(out, ")");
	}
	buf_printf(out, ": %u bytes, as every target takes it. */\nstruct qd_args_", block_size(d));
	put_block_name(out, i, whole);
	buf_printf(out, " {\n");
	put_members(out, d);
	buf_printf(out, "};\nQD_FATBIN_ASSERT(sizeof(struct qd_args_");
	put_block_name(out, i, whole);
	buf_printf(out, ") == %u, \"", block_size(d));
	put_name(out, i->kernel);
	buf_printf(out, "\");\n");
}

/* Declares a block once per program: several included headers can contain the same kernel, so a
 * guard is named after the block's hash. */
static void
put_block(struct buf *out, const struct fatbin_item *i, bool whole)
{
	struct buf text;

	buf_init(&text, out->pool);
	put_struct(&text, i, whole);
	unsigned long long hash = text.nomem ? 0 : hash_bytes(buf_data(&text), text.len).lo;
	buf_printf(out, "\n#ifndef QD_ARGS_%016llx\n#define QD_ARGS_%016llx\n", hash, hash);
	buf_put(out, buf_data(&text), text.len);
	buf_printf(out, "#endif\n");
	out->nomem |= text.nomem;
	buf_fini(&text);
}

/* Declares one block for the kernel, or one for each set of values. */
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
	char name[MAX_TEXT_NAME + 64];
	uint32_t v = qd_version();
	struct buf given;

	buf_printf(out, "/* Made by qd-aot %u.%u.%u; do not edit. */\n#ifndef QD_FATBIN_", v / 1000000,
		   v / 1000 % 1000, v % 1000);
	put_upper(out, stem);
	buf_printf(out, "_H\n#define QD_FATBIN_");
	put_upper(out, stem);
	buf_printf(out, "_H\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n"
			"#define QD_FATBIN_ASSERT(x, text) static_assert(x, text)\n#else\n"
			"#define QD_FATBIN_ASSERT(x, text) _Static_assert(x, text)\n#endif\n\n"
			"/* The argument of qd_fatbin_open, with QD_LINKED. */\n"
			"extern const unsigned char qd_fatbin_%s[];\n\n/* The kernels. */\n",
		   stem);
	given_start(&given, out->pool, "\n");
	for (uint32_t i = 0; i < n; i = end_of(items, n, i, false)) {
		give_name(&given, &given, items[i].kernel, true, "", name);
		buf_printf(out, "#define QD_");
		put_upper(out, stem);
		buf_printf(out, "_%s ", name);
		put_string(out, items[i].kernel);
		buf_put(out, "\n", 1);
	}
	out->nomem |= given.nomem;
	buf_fini(&given);
	for (uint32_t i = 0, end; i < n; i = end) {
		end = end_of(items, n, i, false);
		put_blocks(out, items + i, end - i);
	}
	buf_printf(out, "\n#undef QD_FATBIN_ASSERT\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}
