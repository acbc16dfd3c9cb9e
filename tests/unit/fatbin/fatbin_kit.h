/* Fatbins for tests: kernels compiled for several targets, and their fatbin in each form. */
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
	bool small; /* only `twice`, which has no template values */
};

/* Kernel `tiles` (T f32 or u32, L 0, 2 or 5) and kernel `twice`, each for all fat_targets. The
 * small kit has only `twice`. */
extern const char *const fat_targets[];
extern const uint32_t fat_n_targets;
bool fat_open(struct unit_ctx *t, struct fat_kit *k, bool small);
void fat_close(struct unit_ctx *t, struct fat_kit *k);

/* Combines index and groups as a linker does. The caller frees the result. */
uint8_t *fat_link(const struct fatbin_made *m, size_t *size);
/* Builds a linked fatbin from the kit's items. Returns NULL after a failed check. */
uint8_t *fat_linked(struct unit_ctx *t, struct fat_kit *k, const struct fatbin_options *o, size_t *size);
/* Builds an object file, which the caller frees. Returns NULL after a failed check. Without
 * libelf it skips the test. */
uint8_t *fat_object(struct unit_ctx *t, struct fat_kit *k, const struct fatbin_options *o, size_t *size);
/* Recomputes the checksum of a modified linked index. */
void fat_seal(uint8_t *index);
/* Return group i and row i of a linked index. */
struct fatbin_group *fat_group(uint8_t *index, uint32_t i);
struct fatbin_row *fat_row(uint8_t *index, uint32_t i);
/* Returns the stored bytes of group i. */
uint8_t *fat_stored(uint8_t *index, uint32_t i);

/* Number of entries that equal their items, byte for byte, and of entries that are rejected, with
 * the last error. Any other entry fails a check of fat_compare. */
struct fat_seen {
	uint32_t n_same, n_refused;
	struct qd_error e;
};
struct fat_seen fat_compare(struct unit_ctx *t, const struct fat_kit *k, struct qd_fatbin *f,
			    const char *what);
/* Checks that the function computes the results of the kernel and its template values. */
void fat_launch(struct unit_ctx *t, struct qd_device *dev, struct qd_function *fn, qd_type type,
		int log2_size, const char *what);

#endif
