/* together [--skip KERNEL --because REASON]... ROOT DEVICE...: runs every kernel of
 * docs/examples/block.qdk and grid.qdk on each device and compares bit for bit with plain C.
 * Kernels without a row and rows without a kernel are failures. --skip omits a kernel and prints
 * the reason.
 *
 * QD_TEST_MUTATION: "bit" flips a bit of each result, "row" omits a row. Each must be
 * detected. */
#include "example.h"
#include "qd.h"
#include "ref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

enum {
	MAX_N = 512, /* elements of a buffer */
	GUARDS = 3,  /* elements after a result, which must not change */
	MAX_IN = 2,
	MAX_OUT = 4,
	MAX_DIM = 128,
	ROUNDS = 3,
	MAX_SKIP = 4
};

/* Inputs, outputs and expected outputs of a kernel. */
struct data {
	uint32_t n, dim, blocks;
	uint32_t in[MAX_IN][MAX_N], scalar;
	uint32_t got[MAX_OUT][MAX_N + GUARDS], want[MAX_OUT][MAX_N + GUARDS];
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

static void
fill_bits(uint32_t *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		v[i] = example_below(UINT32_MAX);
}

/* Floats whose sums round, so that the order matters. */
static void
fill_floats(uint32_t *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		float f = (float)(1 + example_below(1u << 20)) * (float)(1u << example_below(20));

		v[i] = bits_of(example_below(2) ? f : -f);
	}
}

/* Blocks in which all votes are true, none, or some. A true value is not always 1. */
static void
fill_votes(uint32_t *v, uint32_t n)
{
	static const uint32_t true_as[] = { 1, 2, 256, 0x80000000, UINT32_MAX };

	for (uint32_t i = 0; i < n; i++) {
		uint32_t kind = i / MAX_DIM % 3;

		v[i] = kind == 0 || (kind == 2 && example_below(2)) ? true_as[example_below(COUNT(true_as))]
								    : 0;
	}
}

static void
fill_small(uint32_t *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		v[i] = example_below(9);
}

/* -- Expected results, in plain C --------------------------------------------------------- */

/* Returns the first element of the block that contains i; end_of: the end of that block. */
static uint32_t
first_of(const struct data *d, uint32_t i)
{
	return i / d->dim * d->dim;
}

static uint32_t
end_of(const struct data *d, uint32_t i)
{
	uint32_t end = first_of(d, i) + d->dim;

	return end < d->n ? end : d->n;
}

static float
tree(const uint32_t *v, uint32_t n)
{
	uint64_t w[REF_MAX_LANES];

	for (uint32_t i = 0; i < n; i++)
		w[i] = v[i];
	return float_of((uint32_t)ref_tree(REF_ADD, QD_TYPE_F32, w, n, false));
}

static void
want_places(struct data *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		d->want[0][i] = i / d->dim;
		d->want[1][i] = i % d->dim;
		d->want[2][i] = i;
	}
}

static void
want_turn(struct data *d)
{
	for (uint32_t i = 0; i < d->n; i++)
		d->want[0][i] = d->in[0][first_of(d, i) + end_of(d, i) - 1 - i];
}

static void
want_publish(struct data *d)
{
	for (uint32_t i = 0; i < d->n; i++)
		d->want[0][i] = d->in[0][i] + d->in[0][first_of(d, i)] * 3;
}

static void
want_votes(struct data *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		uint32_t b = i / d->dim, holds = d->in[0][i] != 0;

		d->want[0][b] = holds && (i % d->dim == 0 || d->want[0][b]);
		d->want[1][b] |= holds;
		d->want[2][b] += holds;
	}
}

static void
want_sort_tile(struct data *d)
{
	for (uint32_t b = 0; b < d->n / d->dim; b++) {
		uint32_t *v = d->want[0] + b * d->dim;

		memcpy(v, d->in[0] + b * d->dim, d->dim * sizeof *v);
		for (bool moved = true; moved; d->want[1][b]++) {
			moved = false;
			for (uint32_t odd = 0; odd < 2; odd++) {
				for (uint32_t t = odd; t + 1 < d->dim; t += 2) {
					uint32_t low = v[t];

					if (low <= v[t + 1])
						continue;
					v[t] = v[t + 1];
					v[t + 1] = low;
					moved = true;
				}
			}
		}
	}
}

static void
want_block_sum(struct data *d)
{
	for (uint32_t i = 0; i < d->n; i += d->dim)
		d->want[0][i / d->dim] = bits_of(tree(d->in[0] + i, end_of(d, i) - i));
}

static void
want_spread(struct data *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		float low = float_of(d->in[0][i]), high = low, own = low;

		for (uint32_t j = first_of(d, i); j < end_of(d, i); j++) {
			float f = float_of(d->in[0][j]);

			low = f < low ? f : low;
			high = f > high ? f : high;
		}
		d->want[0][i] = bits_of(own - low);
		d->want[1][i] = bits_of(high - own);
	}
}

/* Composes the affine maps of elements `from` to `to` into a slope and an offset. */
static void
maps(const struct data *d, uint32_t from, uint32_t to, uint32_t *slope, uint32_t *offset)
{
	*slope = 1;
	*offset = 0;
	for (uint32_t i = from; i < to; i++) {
		*slope *= d->in[0][i];
		*offset = *offset * d->in[0][i] + d->in[1][i];
	}
}

static void
want_chain(struct data *d)
{
	for (uint32_t i = 0; i < d->n; i += d->dim)
		maps(d, i, end_of(d, i), &d->want[0][i / d->dim], &d->want[1][i / d->dim]);
}

static void
want_maps_before(struct data *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		uint32_t slope, offset;

		maps(d, first_of(d, i), i, &slope, &offset);
		d->want[0][i] = slope + offset;
	}
}

static void
want_running(struct data *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		bool first = i % d->dim == 0;
		int32_t own = (int32_t)d->in[0][i], most = first ? own : (int32_t)d->want[1][i - 1];

		d->want[0][i] = d->in[0][i] + (first ? 0 : d->want[0][i - 1]);
		d->want[1][i] = (uint32_t)(own > most ? own : most);
	}
}

static void
want_before(struct data *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		bool first = i % d->dim == 0;
		int32_t least = first ? INT32_MAX : (int32_t)d->want[1][i - 1];
		int32_t last = first ? INT32_MAX : (int32_t)d->in[0][i - 1];

		d->want[0][i] = first ? 0 : d->in[0][i - 1] + d->want[0][i - 1];
		d->want[1][i] = (uint32_t)(last < least ? last : least);
	}
}

static void
want_compact(struct data *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		uint32_t *kept = &d->want[1][i / d->dim];

		if (d->in[0][i])
			d->want[0][first_of(d, i) + (*kept)++] = d->in[0][i];
	}
}

static void
want_ranks(struct data *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		uint32_t first = first_of(d, i), rank = 0, own = d->in[0][i] & 0xff;

		for (uint32_t j = first; j < end_of(d, i); j++) {
			uint32_t other = d->in[0][j] & 0xff;

			rank += other < own || (other == own && j < i);
		}
		d->want[0][i] = rank;
		d->want[1][first + rank] = d->in[0][i];
	}
}

static void
want_above_first(struct data *d)
{
	d->scalar = 1 + example_below(d->dim);
	for (uint32_t i = 0; i < d->n; i++) {
		uint32_t end = first_of(d, i) + d->scalar;
		float low = float_of(d->in[0][first_of(d, i)]);

		for (uint32_t j = first_of(d, i); j < end && j < end_of(d, i); j++) {
			float f = float_of(d->in[0][j]);

			low = f < low ? f : low;
		}
		d->want[0][i] = bits_of(float_of(d->in[0][i]) - low);
	}
}

static void
want_totals(struct data *d)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < d->n; i++) {
		sum += d->in[0][i];
		d->want[0][i / d->dim] = sum;
		d->want[1][i / d->dim] = 1;
	}
	d->want[2][0] = d->blocks;
}

static void
want_grid_running(struct data *d)
{
	want_totals(d);
	memmove(d->want[1], d->want[0], sizeof d->want - sizeof d->want[0]);
	for (uint32_t i = 0; i < d->n; i++)
		d->want[0][i] = d->in[0][i] + (i ? d->want[0][i - 1] : 0);
}

static void
want_sum_all(struct data *d)
{
	want_block_sum(d);
	d->want[1][0] = bits_of(0 + tree(d->want[0], d->blocks));
	d->want[2][0] = d->blocks;
}

static void
want_squares(struct data *d)
{
	for (uint32_t i = 0; i < d->n; i++)
		d->want[0][i] = d->in[0][i] * d->in[0][i];
	d->want[1][0] = (d->n + d->dim - 1) / d->dim + d->blocks;
}

static void
want_find(struct data *d)
{
	d->scalar = example_below(12);
	d->got[0][0] = d->want[0][0] = UINT32_MAX;
	for (uint32_t i = d->n; i-- > 0;) {
		if (d->in[0][i] == d->scalar)
			d->want[0][0] = i;
	}
}

/* -- The table ------------------------------------------------------------------------------- */

/* Number of elements of an output: as many as the input, one per block, or one. */
enum size { EACH, BLOCKS, ONE };
/* Number of blocks: that of the grid loop, one per dim whole elements, or three. */
enum launch { GRID, WHOLE, THREE };

static const char block_file[] = "docs/examples/block.qdk", grid_file[] = "docs/examples/grid.qdk";

static const struct row {
	const char *file, *name;
	uint32_t dim;
	enum launch launch;
	void (*fill)(uint32_t *v, uint32_t n);
	void (*want)(struct data *d);
	uint32_t n_in, n_out;
	enum size size[MAX_OUT];
	bool has_scalar;
} rows[] = {
	{ block_file, "places", 48, GRID, NULL, want_places, 0, 3, { EACH, EACH, EACH }, false },
	{ block_file, "turn", 100, GRID, fill_bits, want_turn, 1, 1, { EACH }, false },
	{ block_file, "publish", 100, WHOLE, fill_bits, want_publish, 1, 1, { EACH }, false },
	{ block_file, "votes", 128, GRID, fill_votes, want_votes, 1, 3, { BLOCKS, BLOCKS, BLOCKS }, false },
	{ block_file, "sort_tile", 64, WHOLE, fill_bits, want_sort_tile, 1, 2, { EACH, BLOCKS }, false },
	{ block_file, "block_sum", 128, GRID, fill_floats, want_block_sum, 1, 1, { BLOCKS }, false },
	{ block_file, "spread", 96, GRID, fill_floats, want_spread, 1, 2, { EACH, EACH }, false },
	{ block_file, "chain", 80, GRID, fill_bits, want_chain, 2, 2, { BLOCKS, BLOCKS }, false },
	{ block_file, "running", 128, GRID, fill_bits, want_running, 1, 2, { EACH, EACH }, false },
	{ block_file, "before", 128, GRID, fill_bits, want_before, 1, 2, { EACH, EACH }, false },
	{ block_file, "maps_before", 80, GRID, fill_bits, want_maps_before, 2, 1, { EACH }, false },
	{ block_file, "compact", 128, GRID, fill_votes, want_compact, 1, 2, { EACH, BLOCKS }, false },
	{ block_file, "ranks", 256, GRID, fill_bits, want_ranks, 1, 2, { EACH, EACH }, false },
	{ block_file, "above_first", 96, GRID, fill_floats, want_above_first, 1, 1, { EACH }, true },
	{ grid_file, "totals", 64, WHOLE, fill_bits, want_totals, 1, 3, { BLOCKS, BLOCKS, ONE }, false },
	{ grid_file, "running", 64, WHOLE, fill_bits, want_grid_running, 1, 4, { EACH, BLOCKS, BLOCKS, ONE }, false },
	{ grid_file, "sum_all", 64, WHOLE, fill_floats, want_sum_all, 1, 3, { BLOCKS, ONE, ONE }, false },
	{ grid_file, "squares", 64, THREE, fill_bits, want_squares, 1, 2, { EACH, ONE }, false },
	{ grid_file, "find", 64, GRID, fill_small, want_find, 1, 1, { ONE }, true },
};

struct run {
	struct qd_context *ctx;
	struct qd_device *dev;
	const char *device;
	char text[2][8192];
	const char *skip[MAX_SKIP];
	uint32_t n_skip, n_ran, n_bad;
};

static const char *
text_of(const struct run *r, const char *file)
{
	return r->text[file == grid_file];
}

/* -- Running ------------------------------------------------------------------------------ */

static uint32_t
size_of(const struct data *d, enum size size)
{
	return size == EACH ? d->n : size == ONE ? 1 : (d->n + d->dim - 1) / d->dim;
}

static bool
compare(const struct run *r, const struct row *row, struct data *d)
{
	if (example_injected("bit"))
		d->got[0][0] ^= 1;
	for (uint32_t k = 0; k < row->n_out; k++) {
		uint32_t n = size_of(d, row->size[k]) + GUARDS;

		for (uint32_t i = 0; i < n; i++) {
			if (d->got[k][i] == d->want[k][i])
				continue;
			fprintf(stderr, "%s: %s of %u elements: output %u has 0x%08x at %u, not 0x%08x\n",
				r->device, row->name, d->n, k, d->got[k][i], i, d->want[k][i]);
			return false;
		}
	}
	return true;
}

static bool
once(struct run *r, const struct row *row, uint32_t n)
{
	static struct data d;
	struct qd_arg args[MAX_IN + 1 + MAX_OUT];
	struct qd_error err = { .code = QD_OK };
	const char *text = text_of(r, row->file);
	uint32_t n_args = 0;

	memset(&d, 0, sizeof d);
	d.n = row->launch == WHOLE ? (n + row->dim - 1) / row->dim * row->dim : n;
	d.dim = row->dim;
	d.blocks = row->launch == THREE ? 3 : size_of(&d, BLOCKS);
	for (uint32_t i = 0; i < row->n_in; i++) {
		row->fill(d.in[i], d.n);
		args[n_args++] = qd_arg_host(d.in[i], d.n * sizeof *d.in[i]);
	}
	row->want(&d);
	if (row->has_scalar)
		args[n_args++] = qd_arg_u32(d.scalar);
	for (uint32_t i = 0; i < row->n_out; i++)
		args[n_args++] = qd_arg_host(d.got[i], size_of(&d, row->size[i]) * sizeof *d.got[i]);
	if (qd_run(r->dev, text, strlen(text), row->file, row->name, NULL, 0,
		   row->launch == GRID ? QD_GRID : d.blocks, args, n_args, &err)) {
		fprintf(stderr, "%s: %s: %s\n", r->device, row->name, err.text);
		return false;
	}
	return compare(r, row, &d);
}

static void
check(struct run *r, const struct row *row)
{
	bool good = true;

	for (uint32_t i = 0; i < r->n_skip; i++)
		if (strcmp(r->skip[i], row->name) == 0)
			return;
	for (uint32_t i = 0; i < ROUNDS && good; i++)
		good = once(r, row, i ? 1 + example_below(400) : 384);
	r->n_ran += good;
	r->n_bad += !good;
}

/* -- Main --------------------------------------------------------------------------------- */

/* Checks that each kernel of a file has a row and each row a kernel. */
static bool
same_kernels(struct run *r, const char *file)
{
	const char *text = text_of(r, file);
	uint32_t n_rows = COUNT(rows) - example_injected("row"), n, found = 0, of_file = 0;
	struct qd_module *m;
	struct qd_error err;

	if (qd_module_parse(r->ctx, text, strlen(text), file, &m, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return false;
	}
	n = qd_module_kernel_count(m);
	for (uint32_t i = 0; i < n_rows; i++)
		of_file += rows[i].file == file;
	for (uint32_t k = 0; k < n; k++) {
		const char *name = qd_module_kernel_name(m, k);
		uint32_t i = 0;

		while (i < n_rows && (rows[i].file != file || strcmp(rows[i].name, name) != 0))
			i++;
		if (i == n_rows)
			fprintf(stderr, "%s: kernel %s has no row in tests/programs/together.c\n", file, name);
		found += i < n_rows;
	}
	qd_module_free(m);
	if (found < of_file)
		fprintf(stderr, "%s has %u of the %u kernels of tests/programs/together.c\n", file, found, of_file);
	return found == n && found == of_file;
}

/* Reads a --skip with its reason. Returns false if it is invalid or names no kernel. */
static bool
read_skip(struct run *r, char **argv)
{
	if (strcmp(argv[0], "--skip") != 0 || strcmp(argv[2], "--because") != 0 || r->n_skip == MAX_SKIP)
		return false;
	for (size_t k = 0; k < COUNT(rows); k++) {
		if (strcmp(rows[k].name, argv[1]) != 0)
			continue;
		printf("%s is left out: %s\n", argv[1], argv[3]);
		r->skip[r->n_skip++] = argv[1];
		return true;
	}
	fprintf(stderr, "--skip: no kernel is named '%s'\n", argv[1]);
	return false;
}

int
main(int argc, char **argv)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_error err;
	static struct run r;
	bool good = true;

	while (argc > 4 && argv[1][0] == '-' && (good = read_skip(&r, argv + 1))) {
		argc -= 4;
		argv += 4;
	}
	if (argc < 3 || !good || argv[1][0] == '-') {
		fprintf(stderr, "usage: together [--skip KERNEL --because REASON]... ROOT DEVICE...\n");
		return 2;
	}
	if (!example_read(argv[1], block_file, r.text[0], sizeof r.text[0]) ||
	    !example_read(argv[1], grid_file, r.text[1], sizeof r.text[1]))
		return 1;
	if (qd_context_create(&desc, &r.ctx, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	if (!same_kernels(&r, block_file) || !same_kernels(&r, grid_file)) {
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
		example_seed(1);
		printf("%s%s", i > 2 ? ", " : "", r.device);
		for (size_t k = 0; k < COUNT(rows); k++)
			check(&r, &rows[k]);
		qd_device_close(r.dev);
	}
	printf(": %u ran, each %u times\n", r.n_ran, (unsigned)ROUNDS);
	qd_context_free(r.ctx);
	return r.n_bad != 0;
}
