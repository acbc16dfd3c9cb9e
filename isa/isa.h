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

/* What the loader needs beside the bytes of code.  Its own bytes are defined: fixed
 * widths, little-endian as every host is, no padding, zeros where nothing is said.
 * What is private to a back end only it and its drivers read. */
enum { ISA_META_VERSION = 1, ISA_N_OWN = 4, ISA_ENTRY = 32 };
enum isa_meta_flag { ISA_ARGS_BY_ADDRESS = 1 /* the launch passes the argument block's address */ };

/* AMD's: where an image has constants beside its code, the bytes of it that are code; both 0
 * where all is from the entry point on.  Where the record of its variables is
 * (jit/variables.h); 0: it has none.  And what it needs of modes that devices are in. */
enum { ISA_AMD_TEXT_AT, ISA_AMD_TEXT_SIZE, ISA_AMD_VARIABLES_AT };
enum isa_amd_need { ISA_AMD_XNACK_OFF = 1, ISA_AMD_SRAMECC_ON = 2, ISA_AMD_SRAMECC_OFF = 4 };

struct isa_meta {
	uint32_t version;
	uint32_t flags;
	uint32_t local_size;   /* threads the hardware block has: block_dim rounded up */
	uint32_t wave_size;    /* lanes of the hardware's subgroup */
	uint32_t registers;    /* of a thread; 0: the driver decides */
	uint32_t wave_registers; /* of a wave, where it has some of its own */
	uint32_t scratch_size; /* bytes of a thread */
	uint32_t shared_size;  /* bytes of a block */
	uint32_t barriers;     /* in the code, at which threads wait for each other */
	uint32_t reserved;
	uint64_t needs;	       /* device features; the bits are the back end's own */
	uint32_t own[ISA_N_OWN]; /* the back end's own */
	char entry[ISA_ENTRY]; /* name of the entry point; "" where there is none */
};
_Static_assert(sizeof(struct isa_meta) == 10 * 4 + 8 + 4 * ISA_N_OWN + ISA_ENTRY,
	       "no padding: its bytes are written to files");

/* Checks metadata from a file: QD_E_VERSION, or QD_E_INVALID for values that no back end
 * writes. */
qd_status isa_meta_check(const struct isa_meta *m, struct qd_error *err);

/* The place in the code at which the text of an instruction begins. */
struct isa_mark {
	uint32_t at, pos;
};

struct isa_in {
	const struct qd_kernel *k;
	const struct body *body; /* legal for target->m */
	const struct target *target;
	struct arena *mem;
	struct buf *marks; /* of struct isa_mark, ascending, for back ends that know; NULL:
			    * nobody asks */
};

enum code_kind {
#define CODE_KIND(kind, number, text) CODE_##kind = number,
#include "code.def"
	N_CODE_KIND /* the last one's and 1 */
};
bool code_kind_known(unsigned kind);
const char *code_kind_name(unsigned kind); /* "unknown" for other numbers */

/* The processor of an HSA code object, from its header and notes. */
enum isa_object_has { ISA_OBJECT_AGPRS = 1, ISA_OBJECT_WGP = 2 };
struct isa_object {
	const char *processor; /* "gfx1100" */
	uint32_t flags;	       /* e_flags, those of a mode that may be either among them */
	uint32_t has;	       /* accumulation registers; blocks over two compute units */
	uint32_t filler;       /* the word that stands where code is fetched, but not run */
};

enum { ISA_WHY = 400, ISA_NEAR = 1 << 16 }; /* near is below ISA_NEAR */

struct isa {
	const char *name;
	enum code_kind code;
	uint32_t number;  /* in keys, those on disk too: never another's, never changed */
	uint32_t version; /* of the emitter: bump it when bytes change (tests/golden tells) */
	bool runs_ir;	  /* the interpreter's: the image is the specialized IR */
	/* Names of targets that are this back end's, beside `name`; or NULL. */
	bool (*names)(const char *name, size_t len);
	/* Text after the name ("", ":w16:-i64") to a target; of those others all of it. */
	qd_status (*parse)(const char *options, struct target *out, struct qd_error *err);
	const char *remark; /* begins a comment in the text of dis; NULL where runs_ir */
	/* NULL where runs_ir. */
	qd_status (*emit)(const struct isa_in *in, struct buf *code, struct isa_meta *meta,
			  struct qd_error *err);
	/* Code of this target to text that the field's own assembler reads; marks of the code
	 * become those of the text (NULL: there are none). */
	qd_status (*dis)(const struct target *t, const void *code, size_t size, struct buf *marks,
			 struct buf *text, struct qd_error *err);
	/* Does code for the target `code` that needs this compute on a device whose target is
	 * `device` what it was written to?  Else why not, as the rest of a sentence.  *near: the
	 * higher, the more it is what would be compiled for the device.  Subgroups and limits
	 * are asked for elsewhere.  NULL where runs_ir. */
	bool (*runs)(const struct target *device, const struct target *code, uint64_t needs,
		     uint32_t *near, char why[ISA_WHY]);
	/* Targets that together have code for whatever device there is, from i = 0 on; NULL: no
	 * more.  NULL where runs_ir. */
	const char *(*all)(uint32_t i);
	/* The i-th of the targets that people choose from, as text; false: there are no more. */
	bool (*choice)(uint32_t i, char *text, size_t cap);
	const char *extension; /* of files that hold its code; NULL: it has none */
	/* Is this file of this back end?  For qd-dis; may be NULL. */
	bool (*probe)(const void *code, size_t size);
	/* Of back ends whose images are a kernel descriptor and code, which stand in code
	 * objects when they go to files (jit/file/hsa.h).  NULL: code is a file as it is. */
	void (*object)(const struct target *t, struct isa_object *out);
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
/* The same of option hN, lanes of a hardware subgroup. */
uint32_t isa_parse_lanes(const char *s, size_t len);
/* From size, and lanes where they are said, what follows; they must fit into a block. */
qd_status isa_finish_sizes(struct target *t, struct qd_error *err);

#endif
