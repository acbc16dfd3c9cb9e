/* Kernels for code objects: real descriptions, and code that an assembler could have
 * made for any target. */
#ifndef UNIT_HSA_MADE_H
#define UNIT_HSA_MADE_H

#include "gcn.h"
#include "hsa.h"
#include "unit.h"

enum { HSA_MADE = 40, HSA_MADE_CODE = 512 };

struct hsa_made {
	struct qd_context *ctx;
	struct qd_image *image[HSA_MADE]; /* the descriptions' owners */
	struct isa_meta meta[HSA_MADE];
	uint32_t code[HSA_MADE][HSA_MADE_CODE / 4];
	struct hsa_kernel kernel[HSA_MADE];
	struct isa_object object;
	const struct gcn_target *target;
};

/* false after a failed check; then there is nothing to close. */
bool hsa_made_open(struct unit_ctx *t, struct hsa_made *m);
void hsa_made_close(struct hsa_made *m);
/* Object and kernels for this target. */
void hsa_made_for(struct unit_ctx *t, struct hsa_made *m, const struct gcn_target *target);

#endif
