/* Kernels for code objects: real descriptions, with code that assembles for any target. */
#ifndef UNIT_HSA_MADE_H
#define UNIT_HSA_MADE_H

#include "gcn.h"
#include "hsa.h"
#include "unit.h"

enum { HSA_MADE = 40, HSA_MADE_CODE = 512 };

struct hsa_made {
	struct qd_context *ctx;
	struct qd_image *image[HSA_MADE]; /* they own the descriptions */
	struct isa_meta meta[HSA_MADE];
	uint32_t code[HSA_MADE][HSA_MADE_CODE / 4];
	struct hsa_kernel kernel[HSA_MADE];
	struct isa_object object;
	const struct gcn_target *target;
};

/* Returns false after a failed check. There is nothing to close then. */
bool hsa_made_open(struct unit_ctx *t, struct hsa_made *m);
void hsa_made_close(struct hsa_made *m);
/* Fills in the object and the kernels for this target. */
void hsa_made_for(struct unit_ctx *t, struct hsa_made *m, const struct gcn_target *target);

#endif
