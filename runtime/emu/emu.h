/* What the driver "emu" asks of a kind of code, and gives it.  A kind is a file beside this one
 * and a row in emu.c: what of its targets there is, images, launches.  Of the code's own rules
 * and of what it finds wrong only its interpreter knows. */
#ifndef QD_EMU_H
#define QD_EMU_H

#include "cpu_device.h"

struct emu_finding {
	struct qd_error e; /* what was found; line and col mean nothing */
	size_t at;	   /* the byte of the image's code */
	char where[40];	   /* "line 7 of": what stands before the code's name in the text */
};

struct emu_launch {
	struct pool *pool;
	struct arena *mem; /* the queue's, for the kind that wants it; what it kept is there again */
	const struct qd_image *image;
	const void *code; /* as the kind loaded it */
	const struct dispatch *dispatch;
	uint64_t max_steps, seed;
	struct meter *meter;
	struct emu_finding *finding;
	uint64_t *stored; /* NULL, or what amd.h says; other kinds leave it */
};

struct emu_kind {
	const char *name; /* of its devices */
	const char *code; /* "PTX" */
	const char *usual; /* the target of a selector without one, in qd-info's list */
	/* The text behind "emu:" as a target's name; false: it is none of this kind. */
	bool (*target)(const char *which, char *name, size_t cap);
	/* "emu:sm_NN, NN one of 50, 52"; "" where nothing is emitted for any. */
	void (*targets)(char *out, size_t cap);
	uint32_t (*sizes)(const struct target *t); /* a bit for each log2 of the hardware's lanes */
	const char *takes; /* "no later code than": what a device runs, before its target */
	/* Whether a device of this target runs code that was made for the other. */
	bool (*runs)(const struct target *device, const struct target *image);
	qd_status (*load)(struct pool *pool, const struct qd_image *image, void **code,
			  struct qd_function_info *info, struct qd_error *err);
	void (*unload)(struct pool *pool, void *code);
	/* QD_E_FINDING: it stands in l->finding.  QD_OK too where the meter ended it. */
	qd_status (*run)(const struct emu_launch *l, struct qd_error *err);
};

extern const struct emu_kind emu_ptx, emu_amd;

/* A device of this kind and target under this name. */
qd_status emu_open(struct qd_context *ctx, const struct emu_kind *kind, const struct target *t,
		   const char *selector, struct qd_device **out, struct qd_error *err);

#endif
