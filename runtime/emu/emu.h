/* The interface between the driver "emu" and a kind of code. A kind is a file in this directory
 * and a row in emu.c; it provides targets, images and launches. Only its interpreter knows the
 * code's rules and detects findings. */
#ifndef QD_EMU_H
#define QD_EMU_H

#include "cpu_device.h"
#include "profile.h"

struct emu_finding {
	struct qd_error e; /* the finding; line and col are unused */
	size_t at;	   /* byte offset in the image's code */
	char where[40];	   /* "line 7 of": precedes the code's name in the message */
};

/* Where an instruction comes from: the line of the kernel's text, or of PTX of another compiler;
 * 0: unknown, only the offset in the image's code. */
struct emu_place {
	uint32_t line;
	size_t at;
};

struct emu_launch {
	struct pool *pool;
	struct arena *mem; /* of the queue; a kind may keep memory in it between launches */
	const struct qd_image *image;
	const void *code; /* from load */
	const struct dispatch *dispatch;
	uint64_t max_steps, seed;
	struct meter *meter;
	struct emu_finding *finding;
	uint64_t *stored; /* NULL, or see amd.h; other kinds ignore it */
	struct profile *profile; /* NULL: not profiled */
};

struct emu_kind {
	const char *name; /* of the kind's devices */
	const char *code; /* "PTX" */
	const char *usual; /* default target, listed by qd-info */
	/* Converts the text after "emu:" to a target's name; returns false if it is not of this
	 * kind. */
	bool (*target)(const char *which, char *name, size_t cap);
	/* Writes "emu:sm_NN, NN one of 50, 52"; "" if nothing is emitted for any target. */
	void (*targets)(char *out, size_t cap);
	uint32_t (*sizes)(const struct target *t); /* a bit per log2 of the hardware's lanes */
	const char *takes; /* "no later code than": the code a device accepts, precedes its
			    * target */
	/* Returns whether a device of this target runs code of the other. */
	bool (*runs)(const struct target *device, const struct target *image);
	qd_status (*load)(struct pool *pool, const struct qd_image *image, void **code,
			  struct qd_function_info *info, struct qd_error *err);
	void (*unload)(struct pool *pool, void *code);
	/* Creates a profile of the function's code on its device. */
	qd_status (*profile)(const struct qd_function *f, const void *code, struct profile **out, struct qd_error *err);
	/* Fills the n places of the profile; line: in a text that is the code. */
	void (*places)(const struct qd_image *image, const void *code, uint32_t n, struct emu_place *out);
	/* QD_E_FINDING: the finding is in l->finding. QD_OK also if the meter ended the launch. */
	qd_status (*run)(const struct emu_launch *l, struct qd_error *err);
};

extern const struct emu_kind emu_ptx, emu_amd;

/* Counts what later launches of the function execute, which must not overlap. The profile belongs
 * to the function. latency: by class, 0 for the model's own. QD_E_UNAVAILABLE: not a device
 * "emu". */
qd_status emu_profile(struct qd_function *f, const uint32_t latency[PROFILE_N_CLASS], struct profile **out,
		      struct qd_error *err);
/* Fills the places of the function's profile. */
qd_status emu_profile_places(struct qd_function *f, struct emu_place *out, struct qd_error *err);

/* Opens a device of this kind and target under this name. */
qd_status emu_open(struct qd_context *ctx, const struct emu_kind *kind, const struct target *t,
		   const char *selector, struct qd_device **out, struct qd_error *err);

#endif
