/* gcn_clang_same: checks that two codes of one kernel store the same data.
 *
 *  gcn_clang_same [--mutate] TARGET CODE CODE KERNEL BLOCK FROM TO SCALAR
 *
 * CODE is a code object or an image of qd's. The kernel takes buffers of the types FROM and TO,
 * in qd's argument layout. SCALAR, if not 0, is a scalar of 32 bits that follows them. Both codes
 * run on the wave emulator on six data patterns. The program prints the first difference and
 * then ends with 1. --mutate flips a bit of the data that the second code stored. gcn_size.py
 * --same calls this program for each of its kernels. */
#include "amd.h"
#include "codeobject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, N_PATTERNS = 6, N_SMALL = 200, N_LARGE = 700, EQUAL = 128, ENTRY_AT = 16 };

struct code {
	const struct gcn_target *target;
	const uint8_t *descriptor;
	uint32_t *words;
	size_t n_words;
	uint32_t entry;
};

struct memory {
	uint32_t from[MOST], to[MOST];
};

struct kernel {
	const char *name, *from, *to;
	uint32_t block, n, scalar;
};

static struct pool pool;
static struct arena mem;

static void
stop(const char *what, const char *why)
{
	fprintf(stderr, "gcn_clang_same: %s: %s\n", what, why);
	exit(2);
}

static uint8_t *
read_all(const char *path, size_t *size)
{
	enum { LARGEST = 1 << 22 };
	uint8_t *data = arena_alloc(&mem, LARGEST);
	FILE *f = fopen(path, "rb");

	if (!f || !data)
		stop(path, "cannot be read");
	*size = fread(data, 1, LARGEST, f);
	fclose(f);
	return data;
}

static void
take_object(struct code *c, const char *path, const uint8_t *data, size_t size, const char *name)
{
	struct qd_error e = { .text = "" };
	const struct elf_section *text;
	struct code_object o;

	if (code_object_read(&mem, data, size, 0, &o, &e) != QD_OK)
		stop(path, e.text);
	text = elf_section_named(&o.elf, ".text");
	for (uint32_t i = 0; text && i < o.n_kernels; i++) {
		const struct code_kernel *k = &o.kernels[i];
		if (strcmp(k->name, name))
			continue;
		c->descriptor = k->descriptor;
		c->entry = (uint32_t)((k->entry - text->addr) / 4);
		c->n_words = text->size / 4;
		c->words = arena_alloc(&mem, text->size);
		memcpy(c->words, text->data, text->size);
		return;
	}
	stop(path, "has no such kernel");
}

/* Reads an image: a descriptor, which contains the offset of the code, and the code. */
static void
take_image(struct code *c, const uint8_t *data, size_t size)
{
	uint64_t at;

	memcpy(&at, data + ENTRY_AT, sizeof at);
	c->descriptor = data;
	c->entry = 0;
	c->n_words = (size - at) / 4;
	c->words = arena_alloc(&mem, size - at);
	memcpy(c->words, data + at, size - at);
}

static struct code
read_code(const struct gcn_target *t, const char *path, const char *name)
{
	struct code c = { .target = t };
	size_t size;
	uint8_t *data = read_all(path, &size);

	if (code_object_is(data, size))
		take_object(&c, path, data, size, name);
	else if (size > ENTRY_AT + 8)
		take_image(&c, data, size);
	else
		stop(path, "is not code");
	return c;
}

/* -- Running -------------------------------------------------------------------------------------- */

static uint32_t
size_of(const char *type)
{
	return (uint32_t)atoi(type + 1) / 8;
}

static void
launch(const struct code *c, const struct kernel *k, struct memory *m, uint64_t seed)
{
	const uint64_t from = 0x200000000, to = 0x7ffff0000000;
	const struct amd_range ranges[] = { { from, (uint64_t)k->n * size_of(k->from), m->from, false },
					    { to, (uint64_t)k->n * size_of(k->to), m->to, false } };
	uint32_t blocks = (k->n + k->block - 1) / k->block, last = k->scalar ? 9 : 8;
	uint32_t args[16] = { (uint32_t)from, (uint32_t)(from >> 32), k->n, 0, (uint32_t)to, (uint32_t)(to >> 32), k->n, 0,
			      k->scalar };
	struct qd_error e = { .text = "" };
	struct amd_code *code = NULL;
	struct amd_start start;
	struct arena own;

	args[last] = blocks;
	if (amd_start_read(c->target, c->descriptor, &start, &e) != QD_OK ||
	    amd_code_create(&pool, c->target, c->words, c->n_words, &code, &e) != QD_OK)
		stop(k->name, e.text);
	arena_init(&own, &pool);
	const struct amd_launch l = { .code = code, .start = &start, .code_addr = 0x100000000, .entry = c->entry,
				      .grid = { blocks, 1, 1 }, .block = { k->block, 1, 1 }, .kernarg = args,
				      .kernarg_size = sizeof args, .ranges = ranges, .n_ranges = 2,
				      .max_steps = 100000, .seed = seed };
	if (amd_run(&own, &l, &e) != QD_OK)
		stop(k->name, e.text);
	arena_fini(&own);
	amd_code_free(code);
}

/* -- Data ------------------------------------------------------------------------------------------ */

static uint32_t
dice(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

/* Returns small or arbitrary integers, by the pattern. For votes, those of the first waves are all
 * equal, or none is above 7. */
static uint64_t
integer(uint64_t *state, unsigned pattern, uint32_t i)
{
	uint64_t any = (uint64_t)dice(state) << 32 ^ (uint64_t)dice(state) << 1;

	if (pattern == 3 && i < EQUAL)
		return 9;
	if (pattern == 4 && i < EQUAL)
		return any >> 32 & 7;
	return pattern % 2 ? any >> 32 & 15 : any;
}

static double
fraction(uint64_t *state, unsigned pattern, uint32_t i)
{
	double x = (double)dice(state) - 0x1p30;

	return pattern == 3 && i < EQUAL ? 9 : x / (1 + dice(state) % 1000);
}

static void
fill(uint32_t *to, const char *type, uint32_t n, unsigned pattern, uint64_t state)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t whole = integer(&state, pattern, i);
		double x = fraction(&state, pattern, i);
		float half = (float)x;
		if (!strcmp(type, "f32"))
			memcpy(&to[i], &half, 4);
		else if (!strcmp(type, "f64"))
			memcpy(&to[2 * i], &x, 8);
		else
			memcpy(&to[i * size_of(type) / 4], &whole, size_of(type));
	}
}

/* Compares the stored data. Reports the first difference, and that nothing was stored. */
static int
compare(const struct kernel *k, const struct code *a, const struct code *b, unsigned pattern,
	bool inject)
{
	static struct memory begin, one, two;

	fill(begin.from, k->from, k->n, pattern, pattern * 77u);
	fill(begin.to, k->to, k->n, 2, pattern * 99u);
	/* Large values take this loop too many steps. */
	for (uint32_t i = 0; !strcmp(k->name, "collatz") && i < k->n; i++)
		begin.from[i] %= 1000;
	one = two = begin;
	launch(a, k, &one, pattern);
	launch(b, k, &two, pattern);
	two.to[3] ^= inject;
	if (!memcmp(&one, &begin, sizeof one)) {
		printf("%s: nothing is stored\n", k->name);
		return 1;
	}
	for (uint32_t i = 0; i < 2 * MOST; i++) {
		const uint32_t *x = i < MOST ? &one.to[i] : &one.from[i - MOST], *y = i < MOST ? &two.to[i] : &two.from[i - MOST];
		if (*x != *y) {
			printf("%s: pattern %u, word %u: 0x%x and 0x%x\n", k->name, pattern, i, *x, *y);
			return 1;
		}
	}
	return 0;
}

int
main(int argc, char **argv)
{
	bool inject = argc > 1 && !strcmp(argv[1], "--mutate");
	char **arg = argv + 1 + inject;

	if (argc != 9 + inject)
		stop("wants", "TARGET CODE CODE KERNEL BLOCK FROM TO SCALAR");
	pool_init(&pool, &pool_malloc);
	arena_init(&mem, &pool);
	const struct gcn_target *t = gcn_target_find(arg[0], 0);
	struct kernel k = { .name = arg[3], .from = arg[5], .to = arg[6], .block = (uint32_t)atoi(arg[4]),
			    .scalar = (uint32_t)strtoul(arg[7], NULL, 0) };
	int bad = 0;
	if (!t || !k.block)
		stop(arg[0], "no such target, or an empty block");
	k.n = k.block > 64 ? N_LARGE : N_SMALL;
	struct code a = read_code(t, arg[1], k.name), b = read_code(t, arg[2], k.name);
	for (unsigned p = 1; p <= N_PATTERNS && !bad; p++)
		bad = compare(&k, &a, &b, p, inject);
	arena_fini(&mem);
	pool_fini(&pool);
	return bad;
}
