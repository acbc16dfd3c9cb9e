#include "example.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
example_read(const char *root, const char *file, char *text, size_t size)
{
	char path[4096];
	size_t n;
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", root, file);
	f = fopen(path, "r");
	n = f ? fread(text, 1, size, f) : 0;
	if (f)
		fclose(f);
	if (!n || n == size) {
		fprintf(stderr, "%s: %s\n", path, n ? "is too long" : "cannot be read");
		return false;
	}
	text[n] = '\0';
	return true;
}

bool
example_injected(const char *what)
{
	const char *inject = getenv("QD_TEST_MUTATION");

	return inject && strcmp(inject, what) == 0;
}

static uint64_t state;

void
example_seed(uint64_t seed)
{
	state = seed;
}

uint32_t
example_u32(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 32);
}

uint32_t
example_below(uint32_t n)
{
	return example_u32() % n;
}
