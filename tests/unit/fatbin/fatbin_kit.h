/* Fatbins for tests: a few kernels compiled for a few targets, the fatbin that they make,
 * and its forms. */
#ifndef FATBIN_KIT_H
#define FATBIN_KIT_H

#include "fatbin.h"
#include "unit.h"

enum { FAT_MAX = 64, FAT_ELEMENTS = 128 };

struct fat_kit {
	struct unit_rig rig;
	struct arena mem;
	struct fatbin_item item[FAT_MAX];
	struct qd_image *image[FAT_MAX];
	uint32_t n;
	bool small; /* one kernel of no template values */
};

/* Kernel `tiles`, T one of f32 and u32 and L one of 0, 2, 5, and kernel `twice`: each for
 * fat_targets.  The small one has `twice` alone. */
extern const char *const fat_targets[];
extern const uint32_t fat_n_targets;
bool fat_open(struct unit_ctx *t, struct fat_kit *k, bool small);
void fat_close(struct unit_ctx *t, struct fat_kit *k);

/* What a linker makes of index and groups, in a block that the caller frees. */
uint8_t *fat_link(const struct fatbin_made *m, size_t *size);
/* The same of items; NULL is a failed check. */
uint8_t *fat_linked(struct unit_ctx *t, struct fat_kit *k, const struct fatbin_options *o, size_t *size);
/* The object, in a block that the caller frees; NULL is a failed check.  Without libelf
 * it has skipped the test. */
uint8_t *fat_object(struct unit_ctx *t, struct fat_kit *k, const struct fatbin_options *o, size_t *size);
/* A linked index that was changed gets the checksum that it has. */
void fat_seal(uint8_t *index);
/* Of a linked index: group i, and its row i. */
struct fatbin_group *fat_group(uint8_t *index, uint32_t i);
struct fatbin_row *fat_row(uint8_t *index, uint32_t i);
/* Where the stored bytes of group i are. */
uint8_t *fat_stored(uint8_t *index, uint32_t i);

/* Entries of the fatbin that are what the items are, byte by byte; an entry that is read
 * and is no item's, or another, is a failed check, and one that is refused is counted.  The
 * last refusal's text is in e. */
struct fat_seen {
	uint32_t n_same, n_refused;
	struct qd_error e;
};
struct fat_seen fat_compare(struct unit_ctx *t, const struct fat_kit *k, struct qd_fatbin *f,
			    const char *what);
/* Does the function compute what kernel and values say? */
void fat_launch(struct unit_ctx *t, struct qd_device *dev, struct qd_function *fn, qd_type type,
		int log2_size, const char *what);

#endif
