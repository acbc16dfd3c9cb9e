/* Fuzz target: bytes as device code of other compilers: a CUDA fatbin or an offload binary if they
 * begin like one, else an LZ4 block after two bytes with its decompressed size. A read must not
 * crash or go out of bounds, and every rejection must name an offset. */
#include <stdio.h>
#include <stdlib.h>

#include "device_fixture.h"
#include "fuzz.h"
#include "nvfatbin.h"
#include "offload.h"

static uint64_t sum;

static void
check_refusal(const struct qd_error *e)
{
	if (e->code != QD_E_NOMEM && strncmp(e->text, "offset 0x", 9) != 0) {
		fprintf(stderr, "fuzz: an error without an offset: %s\n", e->text);
		abort();
	}
}

static void
look(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		sum += data[i];
}

static void
read_fatbin(struct arena *mem, const uint8_t *data, size_t size)
{
	struct qd_error e = { 0 };
	struct nvfatbin b;

	if (nvfatbin_read(mem, data, size, 0, &b, &e)) {
		check_refusal(&e);
		return;
	}
	for (uint32_t i = 0; i < b.n_entries; i++) {
		const uint8_t *bytes;
		/* A large claimed size only costs time. */
		if (b.entries[i].size > 1 << 20)
			continue;
		if (nvfatbin_unpack(mem, &b.entries[i], &bytes, &e))
			check_refusal(&e);
		else
			look(bytes, (size_t)b.entries[i].size);
	}
}

static void
read_offload(struct arena *mem, const uint8_t *data, size_t size)
{
	struct qd_error e = { 0 };
	struct offload o;

	if (offload_read(mem, data, size, 0, &o, &e)) {
		check_refusal(&e);
		return;
	}
	/* Images may overlap. */
	for (uint32_t i = 0; i < o.n_images && i < 16; i++) {
		sum += strlen(o.images[i].triple) + strlen(o.images[i].arch);
		look(o.images[i].data, o.images[i].size);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct qd_error e = { 0 };
	struct pool pool;
	struct arena mem;

	pool_init(&pool, &pool_malloc);
	arena_init(&mem, &pool);
	if (nvfatbin_is(data, size)) {
		read_fatbin(&mem, data, size);
	} else if (offload_is(data, size)) {
		read_offload(&mem, data, size);
	} else if (size > 2) {
		size_t n = (size_t)data[0] | (size_t)data[1] << 8;
		uint8_t *out = malloc(n + 1);
		if (out && unpack(PACK_LZ4, data + 2, size - 2, 2, out, n, &e))
			check_refusal(&e);
		else if (out)
			look(out, n);
		free(out);
	}
	arena_fini(&mem);
	pool_fini(&pool);
	return 0;
}

size_t
fuzz_seed(size_t i, uint8_t *out, size_t cap)
{
	static const uint8_t block[] = { 10, 0, 0x31, 'a', 'b', 'c', 3, 0, 0x20, 'y', 'z' };
	static const struct {
		const uint8_t *data;
		size_t size;
	} seeds[] = {
		{ device_nvfatbin_lz4, sizeof device_nvfatbin_lz4 },
		{ device_nvfatbin_zstd, sizeof device_nvfatbin_zstd },
		{ device_offload, sizeof device_offload },
		{ block, sizeof block },
	};

	if (i >= QD_COUNT(seeds))
		return 0;
	size_t size = seeds[i].size < cap ? seeds[i].size : cap;
	memcpy(out, seeds[i].data, size);
	return size;
}
