/* examples ROOT DEVICE...: runs every kernel of docs/examples/subgroup.qdk on each device and
 * compares bit for bit with plain C. A kernel that needs more lanes than the device has must be
 * rejected at the position in its text that determines the number. Kernels without a row and rows
 * without a kernel are failures.
 *
 * QD_TEST_MUTATION: "bit" flips a bit of each result, "row" omits a row, "place" expects each
 * rejection one column further on. Each must be detected. */
#include "example.h"
#include "qd.h"
#include "ref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "docs/examples/subgroup.qdk"
#define COUNT(a)  (sizeof(a) / sizeof(a)[0])

enum {
	MAX_N = 256,  /* elements of a buffer */
	BLOCK = 64,   /* of kernels that depend on the first lane of a subgroup */
	SORTED = 32,  /* pairs of sort_contacts */
	GUARDS = 3,   /* elements after a result, which must not change */
	ROUNDS = 12
};

/* -- Numbers -------------------------------------------------------------------------- */

static uint32_t
bits_of(float f)
{
	return (uint32_t)ref_bits(QD_TYPE_F32, (double)f);
}

static float
float_of(uint32_t u)
{
	return (float)ref_number(QD_TYPE_F32, u);
}

/* Any bits, including NaNs, infinities and zeros of both signs. */
static void
fill_bits(uint32_t *v, uint32_t n)
{
	static const uint32_t special[] = { 0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc12345 };

	for (uint32_t i = 0; i < n; i++)
		v[i] = example_below(8) ? example_below(1u << 16) << 16 | example_below(1u << 16)
				       : special[example_below(COUNT(special))];
}

/* The same without subnormal floats, which some devices flush to zero. */
static void
fill_normal(uint32_t *v, uint32_t n)
{
	fill_bits(v, n);
	for (uint32_t i = 0; i < n; i++)
		v[i] |= v[i] & 0x7fffff && !(v[i] & 0x7f800000) ? 0x00800000u : 0;
}

/* Floats whose sums round, so that the order matters; none near the subnormal range. */
static void
fill_floats(uint32_t *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		float f = 1 + (float)example_below(1u << 23) / (1u << 23);

		for (uint32_t e = example_below(20); e > 0; e--)
			f *= 2;
		v[i] = bits_of(example_below(2) ? f : -f);
	}
}

/* Multiples of 1/4; each 32 have the sum 64, so that every quotient is exact on any device. */
static void
fill_parts(uint32_t *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 32) {
		float rest = 64;

		for (uint32_t j = 0; j < 31; j++) {
			float f = ((float)example_below(17) - 8) / 4;

			v[i + j] = bits_of(f);
			rest -= f;
		}
		v[i + 31] = bits_of(rest);
	}
}

/* -- Expected results, in plain C ---------------------------------------------------------- */

/* The expected results for n elements at a, on subgroups of s lanes. */

static void
want_first(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = a[i / BLOCK * BLOCK + i % BLOCK / s * s];
}

static void
want_same(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	(void)s;
	memcpy(out, a, n * sizeof *a);
}

static void
want_swapped(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	(void)s;
	for (uint32_t i = 0; i < n; i++)
		out[i] = a[i ^ 1];
}

static void
want_reversed(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	(void)s;
	for (uint32_t i = 0; i < n; i++)
		out[i] = a[i / 4 * 4 + 3 - i % 4];
}

static void
want_positive(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	(void)s;
	for (uint32_t i = 0; i < n; i++)
		out[i / 32] |= (uint32_t)(float_of(a[i]) > 0) << i % 32;
}

/* The order that the kernel's text prescribes, not the canonical order. */
static void
want_tree_by_hand(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	(void)s;
	for (uint32_t i = 0; i < n; i += 4) {
		float even = float_of(a[i]) + float_of(a[i + 2]);
		float odd = float_of(a[i + 1]) + float_of(a[i + 3]);

		out[i / 4] = bits_of(even + odd);
	}
}

static uint32_t
tile_sum(const uint32_t *a, uint32_t n)
{
	uint64_t v[REF_MAX_LANES];

	for (uint32_t i = 0; i < n; i++)
		v[i] = a[i];
	return (uint32_t)ref_tree(REF_ADD, QD_TYPE_F32, v, n, false);
}

static void
want_sums(const uint32_t *a, uint32_t n, uint32_t tile, uint32_t *out)
{
	for (uint32_t i = 0; i < n; i += tile)
		out[i / tile] = tile_sum(a + i, n - i < tile ? n - i : tile);
}

static void
want_sums32(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	(void)s;
	want_sums(a, n, 32, out);
}

static void
want_sums16(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	(void)s;
	want_sums(a, n, 16, out);
}

static void
want_sums8(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	(void)s;
	want_sums(a, n, 8, out);
}

static void
want_parts(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	(void)s;
	for (uint32_t i = 0; i < n; i++)
		out[i] = bits_of(float_of(a[i]) / float_of(tile_sum(a + i / 32 * 32, 32)));
}

static void
want_running(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out)
{
	(void)s;
	for (uint32_t i = 0; i < n; i++)
		out[i] = a[i] + (i % 32 ? out[i - 1] : 0);
}

/* The first n pairs sorted, the others unchanged. */
static void
want_sorted(uint32_t *key, uint32_t *value, uint32_t n)
{
	uint64_t k[SORTED], v[SORTED], out_k[SORTED], out_v[SORTED];
	struct ref_subgroup s = { .type = QD_TYPE_F32, .size = SORTED, .n = n, .v = k };

	for (uint32_t i = 0; i < n; i++) {
		k[i] = key[i];
		v[i] = value[i];
	}
	if (n)
		ref_sort(&s, QD_TYPE_I32, v, 5, out_k, out_v);
	for (uint32_t i = 0; i < n; i++) {
		key[i] = (uint32_t)out_k[i];
		value[i] = (uint32_t)out_v[i];
	}
}

/* -- The table --------------------------------------------------------------------------------- */

enum form { IN_PLACE, TO_ANOTHER, PAIRS };

static const struct row {
	const char *name;
	enum form form;
	uint32_t lanes;	    /* minimum for its tile */
	uint32_t step, n;   /* sizes to test: some multiples of step, and n */
	uint32_t per;	    /* elements per result */
	void (*fill)(uint32_t *v, uint32_t n);
	void (*want)(const uint32_t *a, uint32_t n, uint32_t s, uint32_t *out);
} rows[] = {
	{ "broadcast", IN_PLACE, 1, 1, 200, 1, fill_bits, want_first },
	{ "identity", TO_ANOTHER, 1, 1, 75, 1, fill_bits, want_same },
	{ "swap_pairs", TO_ANOTHER, 1, 2, 90, 1, fill_bits, want_swapped },
	{ "reverse4", TO_ANOTHER, 1, 4, 92, 1, fill_bits, want_reversed },
	{ "count_positive", TO_ANOTHER, 1, 1, 75, 32, fill_normal, want_positive },
	{ "reduce4", TO_ANOTHER, 1, 4, 92, 4, fill_floats, want_tree_by_hand },
	{ "sum32", TO_ANOTHER, 1, 1, 75, 32, fill_floats, want_sums32 },
	{ "sum16", TO_ANOTHER, 16, 1, 75, 16, fill_floats, want_sums16 },
	{ "sum8", TO_ANOTHER, 8, 1, 75, 8, fill_floats, want_sums8 },
	{ "normalize32", IN_PLACE, 1, 32, 96, 1, fill_parts, want_parts },
	{ "cumsum32", IN_PLACE, 1, 1, 75, 1, fill_bits, want_running },
	{ "sort_contacts", PAIRS, 1, 1, 19, 1, NULL, NULL },
};

struct run {
	struct qd_context *ctx;
	struct qd_device *dev;
	const char *device;
	uint32_t s;
	char text[8192];
	uint32_t n_ran, n_refused, n_bad;
};

/* -- Rejections ---------------------------------------------------------------------------------- */

/* The pattern's only * matches one word. */
static bool
matches(const char *pattern, const char *text)
{
	const char *star = strchr(pattern, '*');
	size_t n = (size_t)(star - pattern);

	if (strncmp(pattern, text, n) != 0)
		return false;
	text += n;
	return strcmp(text + strcspn(text, " \n"), star + 1) == 0;
}

/* Computes the expected message, with line and column, from the kernel's own text. */
static void
refusal(const struct run *r, const struct row *row, char *out, size_t size, uint32_t *line,
	uint32_t *col)
{
	char start[64], says[160];
	const char *at, *begin;
	int width;

	snprintf(start, sizeof start, "kernel %s(", row->name);
	at = strchr(strstr(strstr(r->text, start), "_tiled("), ')') - 1; /* its last operand */
	*line = 1;
	begin = r->text;
	for (const char *p = r->text; p < at; p++) {
		if (*p == '\n') {
			++*line;
			begin = p + 1;
		}
	}
	*col = (uint32_t)(at - begin) + 1 + example_injected("place");
	width = (int)strcspn(begin, "\n");
	snprintf(says, sizeof says, "log2_size %c needs %u lanes but * has %u [E0210]", *at,
		 row->lanes, r->s);
	snprintf(out, size, "%s:%u:%u: error: %s\n%5u | %.*s\n      | %*s^\n"
			    "help: write subgroup(%u) after the parameters, or a smaller tile",
		 FILE_NAME, *line, *col, says, *line, width, begin, (int)*col - 1, "", row->lanes);
}

static bool
is_refused(const struct run *r, const struct row *row, const struct qd_error *err)
{
	char want[1024];
	uint32_t line, col;

	refusal(r, row, want, sizeof want, &line, &col);
	if (err->line == line && err->col == col && matches(want, err->text))
		return true;
	fprintf(stderr, "%s: %s is reported at %u:%u\n%s\nexpected at %u:%u\n%s\n", r->device,
		row->name, err->line, err->col, err->text, line, col, want);
	return false;
}

/* -- Running ----------------------------------------------------------------------------------------- */

static qd_status
launch(struct run *r, const char *kernel, const struct qd_arg *args, uint32_t n, struct qd_error *err)
{
	*err = (struct qd_error){ .code = QD_OK };
	return qd_run(r->dev, r->text, strlen(r->text), FILE_NAME, kernel, NULL, 0, QD_GRID, args, n, err);
}

static bool
compare(struct run *r, const char *name, uint32_t n, uint32_t *got, const uint32_t *want,
	uint32_t n_want)
{
	if (example_injected("bit"))
		got[n_want / 2] ^= 1;
	for (uint32_t i = 0; i < n_want; i++) {
		if (got[i] != want[i]) {
			fprintf(stderr,
				"%s with %u lanes: %s of %u elements gives 0x%08x at %u, not 0x%08x\n",
				r->device, r->s, name, n, got[i], i, want[i]);
			return false;
		}
	}
	return true;
}

/* Returns the status of the launch; *good: whether the results are correct. */
static qd_status
once(struct run *r, const struct row *row, uint32_t n, bool *good, struct qd_error *err)
{
	uint32_t a[MAX_N], got[MAX_N + GUARDS] = { 0 }, want[MAX_N + GUARDS] = { 0 };
	uint32_t n_out = (n + row->per - 1) / row->per;
	struct qd_arg args[2] = { qd_arg_host(a, n * sizeof *a),
				  qd_arg_host(got, (n_out + GUARDS) * sizeof *got) };
	bool in_place = row->form == IN_PLACE;
	qd_status st;

	row->fill(a, n);
	row->want(a, n, r->s, want);
	st = launch(r, row->name, args, in_place ? 1 : 2, err);
	if (!st)
		*good = compare(r, row->name, n, in_place ? a : got, want,
				n_out + (in_place ? 0 : GUARDS));
	return st;
}

/* The same for the sort, which has two buffers and a number. */
static qd_status
sort_once(struct run *r, const struct row *row, uint32_t n, bool *good, struct qd_error *err)
{
	static const float some[] = { -3.5f, -1, -0.0f, 0, 0.25f, 2, 7.5f };
	uint32_t key[SORTED], value[SORTED], want_key[SORTED], want_value[SORTED];
	struct qd_arg args[3] = { qd_arg_host(key, sizeof key), qd_arg_host(value, sizeof value),
				  qd_arg_i32((int32_t)n) };
	qd_status st;

	for (uint32_t i = 0; i < SORTED; i++) {
		want_key[i] = key[i] = bits_of(some[example_below(COUNT(some))]);
		want_value[i] = value[i] = example_below(100) - 50;
	}
	want_sorted(want_key, want_value, n);
	st = launch(r, row->name, args, 3, err);
	if (!st)
		*good = compare(r, row->name, n, key, want_key, SORTED) &&
			compare(r, row->name, n, value, want_value, SORTED);
	return st;
}

static uint32_t
elements(const struct row *row, uint32_t round)
{
	static const uint32_t pairs[] = { 0, 1, SORTED };
	uint32_t most = row->form == PAIRS ? SORTED : 200;

	if (!round)
		return row->n;
	if (row->form == PAIRS && round <= COUNT(pairs))
		return pairs[round - 1];
	return row->step * (1 + example_below(most / row->step));
}

static void
check(struct run *r, const struct row *row)
{
	/* A kernel that requests subgroups of 32 lanes gets them on every device. */
	bool has = r->s >= row->lanes;
	bool good = true;

	for (uint32_t i = 0; i < ROUNDS && good; i++) {
		struct qd_error err;
		uint32_t n = elements(row, i);
		qd_status st = (row->form == PAIRS ? sort_once : once)(r, row, n, &good, &err);

		if (!has && st) {
			good = is_refused(r, row, &err);
		} else if (!has || st) {
			good = false;
			fprintf(stderr, "%s with %u lanes: %s %s\n", r->device, r->s, row->name,
				st ? err.text : "runs");
		}
	}
	r->n_bad += !good;
	r->n_ran += good && has;
	r->n_refused += good && !has;
}

/* -- Main --------------------------------------------------------------------------------------------- */

/* Checks that each kernel has a row and each row a kernel. */
static bool
same_kernels(struct run *r)
{
	uint32_t n_rows = COUNT(rows) - example_injected("row"), n, found = 0;
	struct qd_module *m;
	struct qd_error err;

	if (qd_module_parse(r->ctx, r->text, strlen(r->text), FILE_NAME, &m, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return false;
	}
	n = qd_module_kernel_count(m);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = 0;

		while (i < n_rows && strcmp(rows[i].name, qd_module_kernel_name(m, k)) != 0)
			i++;
		if (i == n_rows)
			fprintf(stderr, "%s: kernel %s has no row in tests/programs/examples.c\n", FILE_NAME,
				qd_module_kernel_name(m, k));
		found += i < n_rows;
	}
	qd_module_free(m);
	if (found < n_rows)
		fprintf(stderr, "%s has %u of the %u kernels of tests/programs/examples.c\n", FILE_NAME, found,
			n_rows);
	return found == n && found == n_rows;
}

int
main(int argc, char **argv)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_device_info info;
	struct qd_error err;
	static struct run r;

	if (argc < 3) {
		fprintf(stderr, "usage: examples ROOT DEVICE...\n");
		return 2;
	}
	if (!example_read(argv[1], FILE_NAME, r.text, sizeof r.text))
		return 1;
	if (qd_context_create(&desc, &r.ctx, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	if (!same_kernels(&r)) {
		qd_context_free(r.ctx);
		return 1;
	}
	for (int i = 2; i < argc; i++) {
		r.device = argv[i];
		if (qd_device_open(r.ctx, r.device, &r.dev, &err)) {
			fprintf(stderr, "%s\n", err.text);
			r.n_bad++;
			continue;
		}
		if (qd_device_info(r.dev, &info, &err)) {
			fprintf(stderr, "%s\n", err.text);
			r.n_bad++;
		} else {
			r.s = info.subgroup_size;
			example_seed(r.s);
			printf("%s%s with %u", i > 2 ? ", " : "", r.device, r.s);
			for (size_t k = 0; k < COUNT(rows); k++)
				check(&r, &rows[k]);
		}
		qd_device_close(r.dev);
	}
	printf(": %u ran, %u were refused, each %u times\n", r.n_ran, r.n_refused, (unsigned)ROUNDS);
	qd_context_free(r.ctx);
	return r.n_bad != 0;
}
