/* Which of a fatbin's entries a device runs, and why not the others. */
#ifndef JIT_SELECT_H
#define JIT_SELECT_H

#include "fatbin.h"

/* A device as far as a choice goes; none need be there. */
struct select_device {
	const char *name;	/* of messages: "vulkan:0 (llvmpipe)" */
	const struct target *target; /* what would be compiled for it */
	uint32_t sizes;		/* subgroups of the hardware: bit log2 of each */
	bool size_asked;	/* it was opened for the target's subgroup size: no other will do */
	bool jit;		/* code may be compiled for it */
	const char *only;	/* an entry's target, and no other entry; "": any */
};

/* In the order in which they are tried: the greater rank first, among equals the first in
 * the fatbin.  Each is a step of its own: */
enum select_step {
	SELECT_REJECTED,
	SELECT_IR,	   /* the kernel, to be compiled or interpreted */
	SELECT_PORTABLE,   /* PTX, SPIR-V */
	SELECT_COMPATIBLE, /* machine code for an earlier processor of the family */
	SELECT_EXACT	   /* machine code for this one */
};

enum { SELECT_WHY = 256 };
struct select_row {
	uint32_t row;  /* of the fatbin */
	uint32_t rank; /* 0: rejected */
	enum select_step step;
	uint32_t foreign; /* rejected: 1 another back end's, 2 not what was asked for */
	char why[SELECT_WHY]; /* it was rejected */
};

/* Fills and sorts out, of n rows. */
qd_status select_rows(const struct qd_fatbin *f, const struct select_device *dev,
		      const uint32_t *rows, uint32_t n, struct select_row *out,
		      struct qd_error *err);
/* All that was found out, as the text of an error: a line on the device, and one for each
 * reason, with the entries that it goes for. */
void select_explain_device(const struct select_device *dev, struct buf *text);
void select_explain(const struct qd_fatbin *f, const struct select_row *rows, uint32_t n, struct buf *text);

#endif
