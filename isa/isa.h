/* Interface of a back end: one struct of functions and data, with one row in isa.c. A back end
 * is a pure function. The same kernel and target give the same bytes on every host; it uses no
 * files, clocks, threads or environment. */
#ifndef QD_ISA_H
#define QD_ISA_H

#include "base.h"
#include "ir.h"
#include "pass.h"

/* A compilation target. It is a value, not a device. */
struct target {
	const struct isa *isa;
	struct machine m;  /* m.name is the canonical name of the target */
	uint32_t arch;	   /* private to the back end */
};

/* Rows of tables of atomics, which follow each other in op.def. */
#define ATOMIC_ROW(op) ((op) - OP_ATOMIC_LOAD)
enum { N_ATOMIC = ATOMIC_ROW(OP_ATOMIC_CAS) + 1 };
_Static_assert(N_ATOMIC == 11, "an atomic is not between the others in op.def");

/* Metadata that the loader needs in addition to the code. Its bytes are defined: fixed widths,
 * little-endian like every supported host, no padding, zero if unspecified. Only the back end
 * and its drivers read the private fields. */
enum { ISA_META_VERSION = 1, ISA_N_OWN = 4, ISA_ENTRY = 32 };
enum isa_meta_flag {
	ISA_ARGS_BY_ADDRESS = 1, /* the launch passes the argument block's address */
	ISA_FACTS_DIFFER = 2 /* the code with launch facts differs from the code without */
};

enum code_kind {
#define CODE_KIND(kind, number, text) CODE_##kind = number,
#include "code.def"
	N_CODE_KIND /* highest number + 1 */
};
bool code_kind_known(unsigned kind);
const char *code_kind_name(unsigned kind); /* "unknown" for other numbers */

/* AMD's `own` words. If an image has constants besides its code: offset and size of the code in
 * bytes; both 0 if everything from the entry point on is code. Then the offset of the record of
 * variables (jit/variables.h), or 0. Then, in an image of qd, the bytes of the tables that follow the
 * code. isa_amd_need: device modes that the code requires. */
enum { ISA_AMD_TEXT_AT, ISA_AMD_TEXT_SIZE, ISA_AMD_VARIABLES_AT, ISA_AMD_TABLES_SIZE };
enum isa_amd_need { ISA_AMD_XNACK_OFF = 1, ISA_AMD_SRAMECC_ON = 2, ISA_AMD_SRAMECC_OFF = 4 };

/* SPIR-V's `own` words. If the kernel reads constant tables: the offset in the module of their bytes, as
 * hexadecimal digits, and their number. A launch passes the address of a buffer with these bytes after the
 * argument block, or after the block's address. */
enum { ISA_SPIRV_TABLES_AT, ISA_SPIRV_TABLES_SIZE };

struct isa_meta {
	uint32_t version;
	uint32_t flags;
	uint32_t local_size;   /* threads of the hardware's block: block_dim rounded up */
	uint32_t wave_size;    /* lanes of the hardware's subgroup */
	uint32_t registers;    /* of each thread; 0: the driver decides */
	uint32_t wave_registers; /* of each wave, if waves have registers of their own */
	uint32_t scratch_size; /* bytes for each thread */
	uint32_t shared_size;  /* bytes for each block */
	uint32_t barriers;     /* number of barriers in the code at which threads wait */
	uint32_t opt_below;    /* optimization level, counted down from OPT_FULL: 0 is full */
	uint64_t needs;	       /* device features; the back end defines the bits */
	uint32_t own[ISA_N_OWN]; /* private to the back end */
	char entry[ISA_ENTRY]; /* name of the entry point, or "" */
};
/* Returns the bytes of the address of the tables that follows the arguments. */
static inline uint32_t
isa_tables_args(enum code_kind kind, const struct isa_meta *m)
{
	return kind == CODE_SPIRV && m->own[ISA_SPIRV_TABLES_SIZE] ? 8 : 0;
}
_Static_assert(sizeof(struct isa_meta) == 10 * 4 + 8 + 4 * ISA_N_OWN + ISA_ENTRY,
	       "no padding: its bytes are written to files");

/* Checks metadata from a file. Fails with QD_E_VERSION, or with QD_E_INVALID for values that no
 * back end writes. */
qd_status isa_meta_check(const struct isa_meta *m, struct qd_error *err);

/* Maps an offset in the code, at which an instruction begins, to its source position. */
struct isa_mark {
	uint32_t at, pos;
};

struct isa_in {
	const struct qd_kernel *k;
	const struct body *body; /* legal for target->m */
	const struct target *target;
	struct arena *mem;
	struct buf *marks; /* of struct isa_mark, ascending, from back ends that support it; NULL: not requested */
};

/* Processor of an HSA code object, for its header and notes. */
enum isa_object_has { ISA_OBJECT_AGPRS = 1, ISA_OBJECT_WGP = 2 };
struct isa_object {
	const char *processor; /* "gfx1100" */
	uint32_t flags;	       /* e_flags, including those for modes that may be either on or off */
	uint32_t has;	       /* enum isa_object_has: accumulation registers; blocks that use two compute units */
	uint32_t filler;       /* padding word where code is fetched but not executed */
};

enum { ISA_USUAL_BLOCK = 1024 }; /* threads of a block, if the target's text has no bN */
enum { ISA_WHY = 400, ISA_NEAR = 1 << 16 }; /* `near` is less than ISA_NEAR */

struct isa {
	const char *name;
	enum code_kind code;
	uint32_t number;  /* part of keys, including those on disk: unique, and never changed */
	uint32_t version; /* of the emitter: increase it when the emitted bytes change (tests/golden detects this) */
	bool facts;	  /* its code may rely on launch facts: option `facts` */
	bool runs_ir;	  /* interpreter: the image is the specialized IR */
	/* Returns true for target names of this back end other than `name`. May be NULL. */
	bool (*names)(const char *name, size_t len);
	/* Parses the text after the name ("", ":w16:-i64"), or the whole text for names that
	 * `names` accepts. */
	qd_status (*parse)(const char *options, struct target *out, struct qd_error *err);
	const char *remark; /* start of a comment in the text of its code; NULL if runs_ir */
	bool is_text; /* its code is the text that the assembler reads; isa/dis has the text of other code */
	/* NULL if runs_ir. */
	qd_status (*emit)(const struct isa_in *in, struct buf *code, struct isa_meta *meta,
			  struct qd_error *err);
	/* Returns true if code for the target `code` that needs `needs` runs correctly on a
	 * device whose target is `device`. Otherwise `why` gives the reason, as the rest of a
	 * sentence. *near increases with the similarity to code compiled for the device.
	 * Subgroups and limits are checked elsewhere. NULL if runs_ir. */
	bool (*runs)(const struct target *device, const struct target *code, uint64_t needs,
		     uint32_t *near, char why[ISA_WHY]);
	/* Returns the i-th of the targets that together cover every device, or NULL after the
	 * last. NULL if runs_ir. */
	const char *(*all)(uint32_t i);
	/* Writes the i-th of the targets that users choose from. Returns false after the last. */
	bool (*choice)(uint32_t i, char *text, size_t cap);
	const char *extension; /* of files with its code, or NULL */
	/* Returns true if the file belongs to this back end. For qd-dis; may be NULL. */
	bool (*probe)(const void *code, size_t size);
	/* For back ends whose images are a kernel descriptor and code, which files store in
	 * code objects (jit/file/hsa.h). NULL: files contain the image as it is. */
	void (*object)(const struct target *t, struct isa_object *out);
};

extern const struct isa *const isa_table[];
extern const uint32_t isa_count;

qd_status isa_target(const char *name, struct target *out, struct qd_error *err);

/* For parse: appends to the canonical name, t->m.name. Fails with QD_E_LIMIT if it is full. */
qd_status isa_name(struct target *t, struct qd_error *err, const char *format, ...)
	QD_PRINTF(3, 4);
/* For parse: isa_parse_limit parses an option such as "b512", a numeric limit, or "facts" into m
 * and returns false for other options. isa_name_limits appends the limits that differ from the
 * usual ones, and the facts, to the canonical name. Back ends without isa->facts ignore the facts.
 * option.c lists the limits. */
bool isa_parse_limit(struct machine *m, const char *s, size_t len);
qd_status isa_name_limits(struct target *t, const struct machine *usual, struct qd_error *err);
#define ISA_FACTS_OPTION "facts"
extern const char isa_limits_help[];
/* Returns 16 for "w16", or 0 if the text is not a subgroup size. */
uint32_t isa_parse_size(const char *s, size_t len);
/* Parses the option hN, lanes of a hardware subgroup, in the same way. */
uint32_t isa_parse_lanes(const char *s, size_t len);
/* Derives the sizes that follow from the subgroup size, and from the lanes if specified. They
 * must fit into a block. */
qd_status isa_finish_sizes(struct target *t, struct qd_error *err);

#endif
