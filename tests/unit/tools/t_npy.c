/* Headers of .npy files. Written headers must read back, and headers that NumPy may write must be
 * accepted. Damaged ones are rejected with a reason, without reads past the end. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "npy.h"
#include "type.h"

/* -- Files that end before an inaccessible page --------------------------------------- */

struct page {
	char *map, *end;
	size_t size;
};

static bool
page_open(struct unit_ctx *t, struct page *p)
{
	long size = sysconf(_SC_PAGESIZE);
	*p = (struct page){ .size = (size_t)size };
	p->map =
		mmap(NULL, 2 * p->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool good = p->map != MAP_FAILED && mprotect(p->map + p->size, p->size, PROT_NONE) == 0;
	UNIT_CHECK(t, good, "no memory");
	p->end = p->map + p->size;
	return good;
}

static void
page_close(struct page *p)
{
	munmap(p->map, 2 * p->size);
}

/* Parses a copy that ends at the end of the page. */
static bool
parse(const struct page *p, const void *bytes, size_t size, qd_type type, struct npy *out,
      char why[NPY_WHY])
{
	memcpy(p->end - size, bytes, size);
	*why = '\0';
	return npy_parse(p->end - size, size, type, out, why);
}

/* Writes a file of this version with this header and n_bytes of elements. */
static size_t
make(char *out, int version, const char *header, size_t n_bytes)
{
	size_t len = strlen(header), start = version == 1 ? 10 : 12;
	memcpy(out, "\x93NUMPY", 6);
	out[6] = (char)version;
	out[7] = 0;
	out[8] = (char)(len & 0xff);
	out[9] = (char)(len >> 8);
	if (version > 1)
		out[10] = out[11] = 0;
	memcpy(out + start, header, len);
	memset(out + start + len, 0x5a, n_bytes);
	return start + len + n_bytes;
}

/* -- Units ----------------------------------------------------------------------------- */

/* Checks that written headers have NumPy's alignment and read back. */
static void
npy_round_trip(struct unit_ctx *t)
{
	static const size_t counts[] = { 0, 1, 7, 100000, UINT32_MAX };
	struct page page;
	char header[NPY_HEADER], why[NPY_WHY];
	struct npy npy;
	if (!page_open(t, &page))
		return;
	for (uint32_t type = QD_TYPE_I32; type < N_TYPE; type++) {
		for (size_t i = 0; i < QD_COUNT(counts); i++) {
			size_t len = npy_header(type, counts[i], header);
			size_t bytes = counts[i] * qd_type_size(type);
			char file[512] = "";
			UNIT_CHECK(t,
				   len % 64 == 0 && len <= sizeof header && header[len - 1] == '\n',
				   "%s: a header of %zu bytes", qd_type_name(type), len);
			memcpy(file, header, len);
			if (bytes > 100)
				continue;
			bool good = parse(&page, file, len + bytes, type, &npy, why);
			UNIT_CHECK(t, good && npy.offset == len && npy.n == counts[i], "%s: %s",
				   qd_type_name(type), why);
			uint32_t other = type == QD_TYPE_U8 ? QD_TYPE_I8 : QD_TYPE_U8;
			UNIT_CHECK(t, !parse(&page, file, len + bytes, other, &npy, why),
				   "%s taken for %s", qd_type_name(type), qd_type_name(other));
		}
	}
	npy_header(QD_TYPE_F32, 3, header);
	static const char want[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } ";
	UNIT_CHECK(t,
		   memcmp(header, "\x93NUMPY\1\0\x76\0", 10) == 0 &&
			   memcmp(header + 10, want, sizeof want - 1) == 0,
		   "'%.60s'", header + 10);
	page_close(&page);
}

static const struct {
	const char *header;
	size_t n_bytes, n; /* number of elements */
	qd_type type;
	int version;
} good[] = {
	{ "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }   \n", 12, 3, QD_TYPE_F32, 1 },
	{ "{'shape': (2, 3), 'fortran_order': False, 'descr': '<f4'}", 24, 6, QD_TYPE_F32, 2 },
	{ "{\"descr\":\"<i8\",\"fortran_order\":False,\"shape\":()}\n", 8, 1, QD_TYPE_I64, 3 },
	{ "{'descr': '=u2', 'fortran_order': True, 'shape': (4,), }", 8, 4, QD_TYPE_U16, 1 },
	{ "{'descr': '|i1', 'fortran_order': False, 'shape': (5L,), }", 5, 5, QD_TYPE_I8, 1 },
	{ "{'descr': '>u1', 'fortran_order': False, 'shape': (5,), }", 5, 5, QD_TYPE_U8, 1 },
	{ "{'descr': '<V2', 'fortran_order': False, 'shape': (2,), }", 4, 2, QD_TYPE_BF16, 1 },
	{ "{'descr': '|V2', 'fortran_order': False, 'shape': (2,), }", 4, 2, QD_TYPE_BF16, 1 },
	{ "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4611686018427387904), }", 0, 0,
	  QD_TYPE_F64, 1 },
};

static void
npy_read(struct unit_ctx *t)
{
	struct page page;
	char file[512], why[NPY_WHY];
	struct npy npy;
	if (!page_open(t, &page))
		return;
	for (size_t i = 0; i < QD_COUNT(good); i++) {
		size_t size = make(file, good[i].version, good[i].header, good[i].n_bytes);
		bool taken = parse(&page, file, size, good[i].type, &npy, why);
		UNIT_CHECK(t, taken && npy.n == good[i].n && npy.offset == size - good[i].n_bytes,
			   "%s: %s", good[i].header, why);
		/* Every truncated file is rejected. */
		for (size_t cut = 0; cut < size; cut++)
			UNIT_CHECK(t, !parse(&page, file, cut, good[i].type, &npy, why) && *why,
				   "%s: taken without its end, %zu of %zu", good[i].header, cut,
				   size);
	}
	page_close(&page);
}

#define OF(descr, order, shape)                                                                    \
	"{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }"

/* Errors for a parameter of type f32, with 12 bytes of elements. */
static const struct {
	const char *header, *why;
} bad[] = {
	{ OF("<f8", "False", "(3,)"),
	  "its elements are '<f8' (f64), the parameter's are '<f4' (f32)" },
	{ OF("<i4", "False", "(3,)"),
	  "its elements are '<i4' (i32), the parameter's are '<f4' (f32)" },
	{ OF("<c8", "False", "(3,)"),
	  "its elements are '<c8' (complex numbers), the parameter's are '<f4' (f32)" },
	{ OF("|b1", "False", "(3,)"),
	  "its elements are '|b1' (booleans), the parameter's are '<f4' (f32)" },
	{ OF("", "False", "(3,)"),
	  "its elements are '' (another type), the parameter's are '<f4' (f32)" },
	{ OF(">f4", "False", "(3,)"),
	  "its elements are '>f4', big-endian; expected '<f4': save it with a.astype('<f4')" },
	{ OF("<f4", "True", "(3, 1)"),
	  "its 2 dimensions are in Fortran's order; save it with numpy.ascontiguousarray(a)" },
	{ OF("<f4", "False", "(4,)"),
	  "its shape has 4 elements of 4 bytes; 12 bytes follow the header" },
	{ OF("<f4", "False", "(2,)"),
	  "its shape has 2 elements of 4 bytes; 12 bytes follow the header" },
	{ OF("<f4", "False", "(4611686018427387907,)"), /* times four overflows to 12 */
	  "its shape has 4611686018427387907 elements of 4 bytes; 12 bytes follow the header" },
	{ OF("<f4", "False", "(4294967296, 4294967296, 3)"),
	  "its header's shape has more than 2^64 elements" },
	{ OF("<f4", "False", "(3)"), "its header's shape is not a tuple" },
	{ OF("<f4", "False", "3"), "its header's shape is not a tuple" },
	{ OF("<f4", "False", "(-3,)"), "its header's shape is damaged" },
	{ OF("<f4", "False", "(3 1)"), "its header's shape is damaged" },
	{ OF("<f4", "False", "(99999999999999999999,)"), "its header's shape is damaged" },
	{ OF("<f4", "0", "(3,)"), "its header's fortran_order is not True or False" },
	{ "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (3,), }",
	  "its elements are records; save one field of them" },
	{ "{'descr': '<f4', 'shape': (3,), }", "its header has no 'fortran_order'" },
	{ "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,), }",
	  "its header has 'descr' twice" },
	{ "{'color': '<f4'}",
	  "its header has a key 'color'; the keys are descr, fortran_order and shape" },
	{ OF("<f4", "False", "(3,)") "x", "its header has text after the dictionary" },
	{ "{'descr': '<f4' 'fortran_order': False, 'shape': (3,), }",
	  "its header is not a Python dictionary" },
	{ "{'descr': '<f4\\'', }", "its header's descr is not a short string" },
	{ "", "its header is not a Python dictionary" },
	{ "__import__('os').system('true')", "its header is not a Python dictionary" },
};

static void
npy_refused(struct unit_ctx *t)
{
	struct page page;
	char file[512], why[NPY_WHY];
	struct npy npy;
	if (!page_open(t, &page))
		return;
	for (size_t i = 0; i < QD_COUNT(bad); i++) {
		size_t size = make(file, 1, bad[i].header, 12);
		bool taken = parse(&page, file, size, QD_TYPE_F32, &npy, why);
		UNIT_CHECK(t, !taken && !strcmp(why, bad[i].why), "%s: '%s', not '%s'",
			   bad[i].header, why, bad[i].why);
	}
	size_t size = make(file, 4, good[0].header, 12);
	parse(&page, file, size, QD_TYPE_F32, &npy, why);
	UNIT_CHECK(t, !strcmp(why, "its format is version 4.0; 1.0, 2.0 and 3.0 are supported"), "'%s'",
		   why);
	parse(&page, "PK\3\4 an archive", 15, QD_TYPE_F32, &npy, why);
	UNIT_CHECK(t, !strcmp(why, "it is not a .npy file, it does not begin with \\x93NUMPY"), "'%s'",
		   why);
	size = make(file, 2, good[0].header, 0);
	memset(file + 8, 0xff, 4);
	parse(&page, file, size, QD_TYPE_F32, &npy, why);
	UNIT_CHECK(t, strstr(why, "cut off in its header, which has 4294967295 bytes"), "'%s'",
		   why);
	page_close(&page);
}

/* Checks that files with bytes changed, inserted or removed are rejected or have their elements
 * within the file. */
static void
npy_damage(struct unit_ctx *t)
{
	static const char tokens[] = "(){}',:0123456789 TrueFalse\n\\\x93\xff";
	struct unit_rng rng = { 19 };
	struct page page;
	char file[1024], why[NPY_WHY];
	unsigned n_taken = 0, n_refused = 0;
	if (!page_open(t, &page))
		return;
	for (uint32_t round = 0; round < 60000; round++) {
		size_t i = unit_random(&rng) % QD_COUNT(good);
		size_t size = make(file, good[i].version, good[i].header, good[i].n_bytes);
		size_t n = 1 + unit_random(&rng) % 3, each = qd_type_size(good[i].type);
		struct npy npy = { 0 };
		for (; n; n--) {
			size_t at = unit_random(&rng) % size, kind = unit_random(&rng) % 4;
			char c = tokens[unit_random(&rng) % (sizeof tokens - 1)];
			if (kind == 0) {
				file[at] = (char)unit_random(&rng);
			} else if (kind == 1) {
				file[at] = c;
			} else if (kind == 2) {
				memmove(file + at + 1, file + at, size - at);
				file[at] = c;
				size++;
			} else if (size > 1) {
				memmove(file + at, file + at + 1, size - at - 1);
				size--;
			}
		}
		bool taken = parse(&page, file, size, good[i].type, &npy, why);
		n_taken += taken;
		n_refused += !taken;
		UNIT_CHECK(t,
			   taken ? npy.offset <= size && (size - npy.offset) / each == npy.n &&
					   (size - npy.offset) % each == 0
				 : *why && strlen(why) < NPY_WHY - 1,
			   "round %u: %zu elements at %zu of %zu, '%s'", round, npy.n, npy.offset,
			   size, why);
	}
	UNIT_CHECK(t, n_taken > 1000 && n_refused > 10000, "%u taken, %u refused", n_taken,
		   n_refused);
	page_close(&page);
}

const struct unit units_npy[] = {
	{ "npy.round_trip", npy_round_trip },
	{ "npy.read", npy_read },
	{ "npy.refused", npy_refused },
	{ "npy.damage", npy_damage },
};
const unsigned n_units_npy = QD_COUNT(units_npy);
