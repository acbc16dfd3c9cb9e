/* Selection of the entry of a fatbin that a device runs, with the reasons against the others. */
#ifndef JIT_SELECT_H
#define JIT_SELECT_H

#include "fatbin.h"

/* Properties of a device that the selection depends on; the device need not exist. */
struct select_device {
	const char *name;	/* in messages: "vulkan:0 (llvmpipe)" */
	const struct target *target; /* target of code compiled for it */
	uint32_t sizes;		/* subgroup sizes of the hardware: bit log2(size) of each */
	bool size_asked;	/* opened for the target's subgroup size: no other size is allowed */
	bool no_facts;		/* code that relies on launch facts is not allowed */
	bool jit;		/* code may be compiled for it */
	const char *only;	/* target of the only allowed entries; "": any */
};

/* Kinds of entries, in ascending order of preference. Entries are tried by descending rank,
 * equal ranks in the order of the fatbin. */
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
	uint32_t foreign; /* rejected: 1: for another back end, 2: not the requested target */
	char why[SELECT_WHY]; /* reason for the rejection */
};

/* Fills out with n rows and sorts them by rank. */
qd_status select_rows(const struct qd_fatbin *f, const struct select_device *dev,
		      const uint32_t *rows, uint32_t n, struct select_row *out,
		      struct qd_error *err);
/* Append the text of an error: select_explain_device a line on the device, select_explain a line
 * for each reason, with the entries that it applies to. */
void select_explain_device(const struct select_device *dev, struct buf *text);
void select_explain(const struct qd_fatbin *f, const struct select_row *rows, uint32_t n, struct buf *text);

#endif
