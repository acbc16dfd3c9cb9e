/* What a back end is: one struct of functions and data, one row in isa.c.  A
 * pure function: same kernel, same target, same bytes, on every host; no files,
 * clocks, threads, environment. */
#ifndef QD_ISA_H
#define QD_ISA_H

#include "base.h"
#include "ir.h"
#include "pass.h"

/* A target is a value, not a device. */
struct target {
	const struct isa *isa;
	struct machine m;  /* m.name is the canonical text of the target */
	uint32_t arch;	   /* the back end's own */
};

/* Device features that an image uses, for back ends whose driver must be asked
 * for each before it sees the code. */
enum isa_need {
	ISA_NEED_I64 = 1,
	ISA_NEED_F64 = 2,
	ISA_NEED_STORE8 = 4,	 /* 8-bit elements in memory */
	ISA_NEED_STORE16 = 8,
	ISA_NEED_SUBGROUP = 16,	 /* lane numbers */
	ISA_NEED_SHUFFLE = 32,
	ISA_NEED_BALLOT = 64,	 /* ballot, broadcast */
	ISA_NEED_ARITHMETIC = 128, /* reductions and scans */
	ISA_NEED_CROSS64 = 256,	 /* any of these on 64-bit values */
	ISA_NEED_I8 = 512,	 /* 8-bit integers; comes with STORE8 */
	ISA_NEED_I16 = 1024,	 /* 16-bit integers; comes with STORE16 */
	ISA_NEED_CLUSTERED = 2048, /* reductions of tiles */
	/* Promises about floats, of 32 bits and of 64: zeros keep their sign, infinities
	 * and NaN are what they are; subnormals are kept; the nearest is rounded to. */
	ISA_NEED_ZEROS32 = 1 << 12,
	ISA_NEED_ZEROS64 = 1 << 13,
	ISA_NEED_DENORM32 = 1 << 14,
	ISA_NEED_DENORM64 = 1 << 15,
	ISA_NEED_RTE32 = 1 << 16,
	ISA_NEED_RTE64 = 1 << 17,
	ISA_NEED_UNIFORM_FLOW = 1 << 18 /* a subgroup that left as one meets again */
};

/* What the loader needs beside the bytes. */
struct isa_meta {
	uint32_t local_size;	/* threads the hardware block has: block_dim rounded up */
	uint32_t shared_size;
	bool args_by_address;	/* the launch passes the address of the argument block */
	uint64_t needs;		/* ISA_NEED_* */
};

struct isa_in {
	const struct qd_kernel *k;
	const struct body *body; /* legal for target->m */
	const struct target *target;
	struct arena *mem;
};

struct isa {
	const char *name;
	uint32_t number;  /* in keys, those on disk too: never another's, never changed */
	uint32_t version; /* of the emitter: bump it when bytes change (tests/golden tells) */
	bool runs_ir;	  /* the interpreter's: the image is the specialised IR */
	/* Text after the name ("", ":w16:-i64") to a target. */
	qd_status (*parse)(const char *options, struct target *out, struct qd_error *err);
	/* NULL where runs_ir. */
	qd_status (*emit)(const struct isa_in *in, struct buf *code, struct isa_meta *meta,
			  struct qd_error *err);
	/* Code of this target to text that the field's own assembler reads. */
	qd_status (*dis)(const struct target *t, const void *code, size_t size, struct buf *text,
			 struct qd_error *err);
	const char *extension; /* of files that hold its code; NULL: it has none */
	/* Is this file of this back end?  For qd-dis; may be NULL. */
	bool (*probe)(const void *code, size_t size);
};

extern const struct isa *const isa_table[];
extern const uint32_t isa_count;

qd_status isa_target(const char *name, struct target *out, struct qd_error *err);

/* For parse: adds to the canonical text, t->m.name; QD_E_LIMIT where that is full. */
qd_status isa_name(struct target *t, struct qd_error *err, const char *format, ...)
	QD_PRINTF(3, 4);
/* For parse: an option "b512", a limit in numbers, into m; false where it is none.
 * And those limits that are not the usual ones, as options of the canonical text.
 * isa.c lists them. */
bool isa_parse_limit(struct machine *m, const char *s, size_t len);
qd_status isa_name_limits(struct target *t, const struct machine *usual, struct qd_error *err);
extern const char isa_limits_help[];
/* "w16" to 16; 0 where it is no subgroup size. */
uint32_t isa_parse_size(const char *s, size_t len);

#endif
