/* Fuzz target: entries of the disk cache. Each input is read twice: unchanged, which the
 * checksum nearly always rejects, and with a correct checksum, as an attacker could write it. A
 * read must not crash or go out of bounds. An accepted entry has all its parts within the input,
 * and writing it again gives the same bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disk_entry.h"
#include "fuzz.h"

static void
broken(const char *what)
{
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

static void
check_inside(const struct entry *e, const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;
	bool injected = getenv("QD_FUZZ_MUTATION") != NULL;

	if (e->key < data || e->key + e->head.key_size > e->log ||
	    e->log + e->head.log_size > e->payload ||
	    e->payload + e->head.payload_size + injected != end)
		broken("parts that extend beyond the entry");
	for (int f = 0; f < N_FIELD; f++)
		if (e->field[f].at < e->key || e->field[f].at + e->field[f].size > e->log)
			broken("a field outside the key");
	if (strlen((const char *)e->field[FIELD_KERNEL].at) + 1 != e->field[FIELD_KERNEL].size)
		broken("a string without a terminator");
}

/* The writer takes the log as a NUL-terminated string. */
static void
check_again(struct pool *pool, const struct entry *e, const uint8_t *data, size_t size)
{
	char *log = calloc(1, (size_t)e->head.log_size + 1);
	struct buf key, again;

	if (!log)
		exit(3);
	memcpy(log, e->log, e->head.log_size);
	buf_init(&key, pool);
	buf_init(&again, pool);
	buf_put(&key, e->key, e->head.key_size);
	entry_write(&again, &key, (enum disk_kind)e->head.kind, log, e->payload,
		    (size_t)e->head.payload_size, e->head.created);
	if (!again.nomem && strlen(log) == e->head.log_size) {
		entry_seal(buf_data(&again), again.len);
		if (again.len != size || memcmp(buf_data(&again), data, size) != 0)
			broken("an entry that differs when it is written again");
	}
	buf_fini(&again);
	buf_fini(&key);
	free(log);
}

static void
read_one(struct pool *pool, const uint8_t *data, size_t size)
{
	struct entry e;

	if (entry_read(data, size, &e)) {
		if (e.wrong_at > size || strncmp(e.wrong, "offset 0x", 9) != 0)
			broken("rejected without a position");
		return;
	}
	check_inside(&e, data, size);
	check_again(pool, &e, data, size);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pool pool;
	uint8_t *copy;

	pool_init(&pool, &pool_malloc);
	read_one(&pool, data, size);
	if (size >= sizeof(struct entry_header)) {
		copy = malloc(size);
		if (!copy)
			exit(3);
		memcpy(copy, data, size);
		entry_seal(copy, size);
		read_one(&pool, copy, size);
		free(copy);
	}
	pool_fini(&pool);
	return 0;
}

/* Seeds: entries of two kinds, with and without values and logs. */
size_t
fuzz_seed(size_t i, uint8_t *out, size_t cap)
{
	static const struct {
		enum disk_kind kind;
		const char *name, *log, *payload;
		uint32_t n_values;
	} seeds[] = {
		{ DISK_CUBIN, "sum32", "", "payload", 0 },
		{ DISK_CUBIN, "a", "ptxas info : used 8 registers", "\177ELF and more", 2 },
		{ DISK_PIPELINE, "tile_sum", "", "a blob of a driver", 1 },
	};
	struct pool pool;
	struct buf key, b;
	size_t size = 0;

	if (i >= sizeof seeds / sizeof *seeds)
		return 0;
	const char *const texts[] = { seeds[i].name, "kernel bytes", "ptx:sm_90", "driver", "1.0", "device" };
	struct isa_meta meta = { .version = ISA_META_VERSION };
	uint32_t words[8] = { seeds[i].kind, 1, 2, 3 };
	pool_init(&pool, &pool_malloc);
	buf_init(&key, &pool);
	buf_init(&b, &pool);
	for (int f = 0, text = 0; f < N_FIELD; f++) {
		bool is_text = f == FIELD_KERNEL || f == FIELD_IR || f == FIELD_TARGET || f >= FIELD_DRIVER;
		const void *p = f == FIELD_META ? (const void *)&meta : words;
		uint32_t n = f == FIELD_KIND ? 4 : f == FIELD_EMITTER ? 8 : f == FIELD_CODE ? 24 :
			     f == FIELD_META ? (uint32_t)sizeof meta : 4 * seeds[i].n_values;
		if (is_text) {
			p = texts[text++];
			n = (uint32_t)strlen(p) + 1;
		}
		buf_put(&key, &n, sizeof n);
		buf_put(&key, p, n);
	}
	entry_write(&b, &key, seeds[i].kind, seeds[i].log, seeds[i].payload, strlen(seeds[i].payload), 1);
	if (!b.nomem && b.len <= cap) {
		entry_seal(buf_data(&b), b.len);
		memcpy(out, buf_data(&b), size = b.len);
	}
	buf_fini(&b);
	buf_fini(&key);
	pool_fini(&pool);
	return size;
}
