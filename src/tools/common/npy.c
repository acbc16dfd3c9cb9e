/* .npy headers. A header is a Python dictionary of three keys, in any order: {'descr': '<f4',
 * 'fortran_order': False, 'shape': (3, 4), }, followed by blanks and a newline. The input is
 * untrusted. */
#include "npy.h"

#include <stdio.h>

#include "type.h"

enum { MAGIC = 6 };
static const char magic[] = "\x93NUMPY";

enum { MAX_DIM = 32 };

/* NumPy's type names: kind and bytes. NumPy has no bf16; ml_dtypes writes V2. */
static const struct {
	char kind, size;
} names[N_TYPE] = {
	[QD_TYPE_I8] = { 'i', 1 },  [QD_TYPE_U8] = { 'u', 1 },	[QD_TYPE_I16] = { 'i', 2 },
	[QD_TYPE_U16] = { 'u', 2 }, [QD_TYPE_I32] = { 'i', 4 }, [QD_TYPE_U32] = { 'u', 4 },
	[QD_TYPE_I64] = { 'i', 8 }, [QD_TYPE_U64] = { 'u', 8 }, [QD_TYPE_F16] = { 'f', 2 },
	[QD_TYPE_F32] = { 'f', 4 }, [QD_TYPE_F64] = { 'f', 8 }, [QD_TYPE_BF16] = { 'V', 2 },
};

static char
byte_order(qd_type type)
{
	return names[type].size == 1 ? '|' : '<';
}

/* -- Reading --------------------------------------------------------------------- */

struct reader {
	const char *at, *end;
	char descr[32];
	bool fortran, has_descr, has_fortran, has_shape;
	uint64_t n;	  /* elements */
	uint32_t n_dims;
	char *why;
};

static bool QD_PRINTF(2, 3)
wrong(char *why, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, NPY_WHY, fmt, ap);
	va_end(ap);
	return false;
}

static void
skip_blanks(struct reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n'))
		r->at++;
}

static bool
take(struct reader *r, const char *text)
{
	size_t len = strlen(text);
	skip_blanks(r);
	if ((size_t)(r->end - r->at) < len || memcmp(r->at, text, len) != 0)
		return false;
	r->at += len;
	return true;
}

/* Reads a string without escapes: no valid key or type contains any. */
static bool
take_string(struct reader *r, char *out, size_t cap)
{
	skip_blanks(r);
	if (r->at == r->end || (*r->at != '\'' && *r->at != '"'))
		return false;
	char quote = *r->at;
	size_t len = 0;
	const char *p = r->at + 1;
	while (p + len < r->end && p[len] != quote) {
		if (p[len] < ' ' || p[len] > '~' || p[len] == '\\' || len + 1 >= cap)
			return false;
		len++;
	}
	if (p + len == r->end)
		return false;
	memcpy(out, p, len);
	out[len] = '\0';
	r->at = p + len + 1;
	return true;
}

static bool
take_number(struct reader *r, uint64_t *out)
{
	uint64_t v = 0;
	skip_blanks(r);
	const char *start = r->at;
	for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
		if (v > (UINT64_MAX - 9) / 10)
			return false;
		v = 10 * v + (uint64_t)(*r->at - '0');
	}
	if (r->at == start)
		return false;
	take(r, "L"); /* Python 2 writes it */
	*out = v;
	return true;
}

/* Reads a shape: (), (n,), (n, m). */
static bool
take_shape(struct reader *r)
{
	bool comma = true, empty = false;
	uint64_t n = 1, dim;
	if (!take(r, "("))
		return wrong(r->why, "its header's shape is not a tuple");
	for (r->n_dims = 0; !take(r, ")"); r->n_dims++) {
		if (!comma || r->n_dims == MAX_DIM || !take_number(r, &dim))
			return wrong(r->why, "its header's shape is damaged");
		empty |= dim == 0;
		if (dim && n > UINT64_MAX / dim)
			return wrong(r->why, "its header's shape has more than 2^64 elements");
		n *= dim ? dim : 1;
		comma = take(r, ",");
	}
	if (r->n_dims == 1 && !comma)
		return wrong(r->why, "its header's shape is not a tuple");
	r->n = empty ? 0 : n;
	return true;
}

static bool
take_entry(struct reader *r)
{
	char key[32];
	bool *has;
	if (!take_string(r, key, sizeof key) || !take(r, ":"))
		return wrong(r->why, "its header is not a Python dictionary");
	if (strcmp(key, "descr") == 0) {
		skip_blanks(r);
		if (r->at < r->end && *r->at == '[')
			return wrong(r->why, "its elements are records; save one field of them");
		if (!take_string(r, r->descr, sizeof r->descr))
			return wrong(r->why, "its header's descr is not a short string");
		has = &r->has_descr;
	} else if (strcmp(key, "fortran_order") == 0) {
		r->fortran = take(r, "True");
		if (!r->fortran && !take(r, "False"))
			return wrong(r->why, "its header's fortran_order is not True or False");
		has = &r->has_fortran;
	} else if (strcmp(key, "shape") == 0) {
		if (!take_shape(r))
			return false;
		has = &r->has_shape;
	} else {
		return wrong(
			r->why,
			"its header has a key '%s'; the keys are descr, fortran_order and shape",
			key);
	}
	if (*has)
		return wrong(r->why, "its header has '%s' twice", key);
	*has = true;
	return true;
}

static bool
take_header(struct reader *r)
{
	bool comma = true;
	if (!take(r, "{"))
		return wrong(r->why, "its header is not a Python dictionary");
	while (!take(r, "}")) {
		if (!comma)
			return wrong(r->why, "its header is not a Python dictionary");
		if (!take_entry(r))
			return false;
		comma = take(r, ",");
	}
	skip_blanks(r);
	if (r->at != r->end)
		return wrong(r->why, "its header has text after the dictionary");
	if (!r->has_descr || !r->has_fortran || !r->has_shape)
		return wrong(r->why, "its header has no '%s'",
			     !r->has_descr ? "descr" : !r->has_shape ? "shape" : "fortran_order");
	return true;
}

/* Returns a type name such as "f32", or words for an unsupported type. */
static const char *
type_words(char kind, const char *size)
{
	for (uint32_t t = 0; t < N_TYPE; t++) {
		if (names[t].kind == kind && size[0] == '0' + names[t].size && !size[1])
			return qd_type_name(t);
	}
	switch (kind) {
	case 'b': return "booleans";
	case 'c': return "complex numbers";
	case 'S':
	case 'U': return "strings";
	case 'O': return "objects";
	case 'M':
	case 'm': return "dates";
	default: return "another type";
	}
}

static bool
check_descr(const struct reader *r, qd_type type)
{
	char order = r->descr[0], kind = order ? r->descr[1] : '\0';
	const char *size = kind ? r->descr + 2 : "";
	char want[8];
	snprintf(want, sizeof want, "%c%c%d", byte_order(type), names[type].kind, names[type].size);
	bool same = kind == names[type].kind && size[0] == '0' + names[type].size && !size[1];
	bool one = names[type].size == 1, blind = kind == 'V';
	if (same && order == '>' && !one && !blind)
		return wrong(r->why,
			     "its elements are '%s', big-endian; expected '%s': save it with "
			     "a.astype('%s')",
			     r->descr, want, want);
	if (same && (order == '<' || order == '=' || (order == '|' && (one || blind)) || one))
		return true;
	return wrong(r->why, "its elements are '%s' (%s), the parameter's are '%s' (%s)", r->descr,
		     type_words(kind, size), want, qd_type_name(type));
}

bool
npy_parse(const void *bytes, size_t size, qd_type type, struct npy *out, char why[NPY_WHY])
{
	const unsigned char *p = bytes;
	if (size < MAGIC || memcmp(p, magic, MAGIC) != 0)
		return wrong(why, "it is not a .npy file, it does not begin with \\x93NUMPY");
	if (size < 12)
		return wrong(why, "it is cut off in its header, after %zu bytes", size);
	uint32_t major = p[6], minor = p[7];
	if (major < 1 || major > 3 || minor)
		return wrong(why, "its format is version %u.%u; 1.0, 2.0 and 3.0 are supported",
			     major, minor);
	size_t start = major == 1 ? 10 : 12;
	size_t len = p[8] | (size_t)p[9] << 8;
	if (major > 1)
		len |= (size_t)p[10] << 16 | (size_t)p[11] << 24;
	if (len > size - start)
		return wrong(why, "it is cut off in its header, which has %zu bytes; there are %zu",
			     len, size - start);
	struct reader r = { .at = (const char *)p + start, .end = (const char *)p + start + len,
			    .why = why };
	if (!take_header(&r) || !check_descr(&r, type))
		return false;
	if (r.fortran && r.n_dims > 1)
		return wrong(why, "its %u dimensions are in Fortran's order; save it with "
				  "numpy.ascontiguousarray(a)", r.n_dims);
	size_t there = size - start - len, each = (size_t)names[type].size;
	if (r.n > there / each || r.n * each != there)
		return wrong(
			why,
			"its shape has %llu elements of %zu bytes; %zu bytes follow the header",
			(unsigned long long)r.n, each, there);
	*out = (struct npy){ .offset = start + len, .n = (size_t)r.n };
	return true;
}

/* -- Writing ------------------------------------------------------------------------ */

size_t
npy_header(qd_type type, size_t n, char out[NPY_HEADER])
{
	enum { START = 10, ALIGN = 64 };
	char text[NPY_HEADER];
	int len = snprintf(text, sizeof text,
			   "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (%zu,), }",
			   byte_order(type), names[type].kind, names[type].size, n);
	/* The size, newline included, is a multiple of 64. */
	size_t size = (START + (size_t)len + 1 + ALIGN - 1) / ALIGN * ALIGN;
	memset(out, ' ', size);
	memcpy(out, magic, MAGIC);
	out[6] = 1;
	out[7] = 0;
	out[8] = (char)(size - START);
	out[9] = 0;
	memcpy(out + START, text, (size_t)len);
	out[size - 1] = '\n';
	return size;
}
