/* A fuzz target without libFuzzer.
 *
 *	fuzz_gcn_plain FILE...       replays inputs
 *	fuzz_gcn_plain --random N [SEED]   N seeds, each with some damage
 *	fuzz_gcn_plain --seeds DIR   writes the seeds, for libFuzzer to begin from */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { CAP = 1 << 16 };
static uint64_t state = 1;

static uint64_t
random_number(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

/* Numbers at which sizes and offsets go wrong. */
static const uint64_t edges[] = { 0, 1, 2, 7, 8, 0x7f, 0x80, 0xff, 0x100, 0xfff, 0xffff, 0x10000,
				  0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
				  0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff };

static size_t
damage(uint8_t *p, size_t size)
{
	uint64_t n = 1 + random_number(6);

	while (n-- && size) {
		size_t at = (size_t)random_number(size), left = size - at;
		uint64_t edge = edges[random_number(sizeof edges / sizeof *edges)];
		size_t width = (size_t)1 << random_number(4);
		switch (random_number(6)) {
		case 0: p[at] ^= (uint8_t)(1u << random_number(8)); break;
		case 1: p[at] = (uint8_t)random_number(256); break;
		case 2: /* little-endian, as everything here but MessagePack */
			memcpy(p + at, &edge, left < width ? left : width);
			break;
		case 3: p[at] = (uint8_t)(p[at] + 1 - random_number(3)); break;
		case 4: {
			size_t from = (size_t)random_number(size), len = (size_t)random_number(64);
			len = len < left ? len : left;
			len = len < size - from ? len : size - from;
			memmove(p + at, p + from, len);
			break;
		}
		default:
			if (!random_number(8))
				size = at;
			break;
		}
	}
	return size;
}

/* In a block of its own, so that a sanitizer sees a byte too far. */
static void
run(const uint8_t *p, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		exit(3);
	memcpy(copy, p, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void
run_random(uint64_t n)
{
	static uint8_t input[CAP];
	size_t n_seeds = 0;

	while (fuzz_seed(n_seeds, input, sizeof input))
		n_seeds++;
	for (uint64_t i = 0; i < n; i++) {
		size_t size = fuzz_seed((size_t)random_number(n_seeds), input, sizeof input);
		run(input, damage(input, size));
	}
	printf("%llu inputs from %zu seeds\n", (unsigned long long)n, n_seeds);
}

static void
replay(const char *path)
{
	static uint8_t input[1 << 20];
	FILE *f = fopen(path, "rb");

	if (!f) {
		fprintf(stderr, "cannot open %s\n", path);
		exit(3);
	}
	run(input, fread(input, 1, sizeof input, f));
	fclose(f);
}

static void
write_seeds(const char *folder)
{
	static uint8_t input[CAP];
	size_t size;

	for (size_t i = 0; (size = fuzz_seed(i, input, sizeof input)) != 0; i++) {
		char path[512];
		snprintf(path, sizeof path, "%s/seed%zu", folder, i);
		FILE *f = fopen(path, "wb");
		if (!f || fwrite(input, 1, size, f) != size || fclose(f) != 0) {
			fprintf(stderr, "cannot write %s\n", path);
			exit(3);
		}
	}
}

int
main(int argc, char **argv)
{
	if (argc >= 3 && strcmp(argv[1], "--random") == 0) {
		state = argc > 3 ? strtoull(argv[3], NULL, 0) | 1 : 1;
		run_random(strtoull(argv[2], NULL, 0));
	} else if (argc == 3 && strcmp(argv[1], "--seeds") == 0) {
		write_seeds(argv[2]);
	} else {
		for (int i = 1; i < argc; i++)
			replay(argv[i]);
	}
	return 0;
}
