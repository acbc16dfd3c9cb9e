/* Fatbins: code of many kernels for many targets in one ELF object that links into a
 * program. docs/fatbin.md specifies the format. Files contain the structures below
 * unchanged: little-endian, fixed widths, no padding, unused bytes zero.
 *
 *	header | rows | groups | strings | distances
 *
 * A row is an image of a kernel for a target. The metadata of an image precedes its code.
 * Similar images form a group, which is compressed as a whole and is a section of the file.
 * The linker fills in only the distances, each from its own word in the index to the first
 * byte of a group. */
#ifndef JIT_FATBIN_H
#define JIT_FATBIN_H

#include "jit.h"

#define FATBIN_MAGIC "QDFB\r\n\x1a\n" /* detects line-end conversion */
enum { FATBIN_MAJOR = 1, FATBIN_MINOR = 0, FATBIN_ALIGN = 64, FATBIN_GROUP_ALIGN = 16,
       FATBIN_MAX_TEXT = 8191 /* bytes of a kernel's name, of its template values, of a target */ };

enum fatbin_codec { FATBIN_RAW = 0, FATBIN_ZSTD = 1, FATBIN_N_CODEC };
/* Default codec for writing: zstd if the library was built with it. */
extern const enum fatbin_codec fatbin_auto;
enum fatbin_flag {
	FATBIN_SIZE_DEMANDED = 1, /* the kernel itself names its subgroup size */
	FATBIN_OPT_AT = 1,	  /* copy of isa_meta's opt_below, shifted */
	FATBIN_OPT = 3 << FATBIN_OPT_AT
};

enum { FATBIN_N_EMITTER = 16 };

struct fatbin_header {
	char magic[8];
	uint8_t hash[16]; /* XXH3-128 of the following bytes except the distances */
	uint16_t major, minor;
	uint16_t header_size, row_size, group_size, zero;
	uint32_t n_rows, n_groups, strings_size; /* a multiple of 8 */
	uint64_t total_size;
	uint8_t emitters[FATBIN_N_EMITTER]; /* version of each back end's emitter, by its number */
	uint64_t reserved;
};
_Static_assert(sizeof(struct fatbin_header) == 80, "no padding: its bytes are written to files");

struct fatbin_row {
	uint64_t name_hash;		  /* fatbin_hash of kernel and variant; rows ascend by it */
	uint32_t kernel, variant, target; /* strings: "sum", "T=f32;L=5", "gfx1100" */
	uint32_t group;
	uint32_t offset, size; /* of the entry in the unpacked group */
	uint64_t needs;	       /* copy of isa_meta's, so that selection needs no unpacking */
	uint32_t shared_size;  /* same; bytes */
	uint16_t local_size;   /* same; threads */
	uint16_t args_size;    /* bytes of arguments passed by value; 0: passed by address */
	uint16_t subgroup_size;
	uint8_t kind, flags; /* enum code_kind, enum fatbin_flag */
	uint32_t zero;
	uint64_t reserved;
};
_Static_assert(sizeof(struct fatbin_row) == 64, "no padding");

struct fatbin_group {
	uint64_t stored, raw; /* bytes */
	uint32_t codec, zero;
	uint8_t hash[16]; /* XXH3-128 of the raw bytes */
};
_Static_assert(sizeof(struct fatbin_group) == 40, "no padding");

/* Header of an image in an unpacked group; the description (jit/launch_layout.h) and the code follow.
 * Each part begins at a multiple of FATBIN_GROUP_ALIGN. */
struct fatbin_entry {
	uint32_t layout_at, layout_size, code_at, code_size;
	struct isa_meta meta;
};
_Static_assert(sizeof(struct fatbin_entry) == 112, "no padding");

uint64_t fatbin_hash(const char *kernel, const char *variant);
/* Validates the strings of a row, for readers and the writer. Returns the error, or NULL. A
 * kernel's name has 1 to MAX_TEXT_NAME bytes without control characters, values follow the grammar
 * of fatbin_values, and a target has only characters of target names. */
const char *fatbin_wrong_text(const char *kernel, const char *variant, const char *target);

/* -- Writing: fatbin_index.c, fatbin_write.c ---------------------------------------------- */

/* An image to write, as a view. */
struct fatbin_item {
	const char *kernel, *variant, *target;
	enum code_kind kind;
	uint32_t flags;
	const struct isa_meta *meta;
	const struct launch_layout *layout;
	const void *code;
	size_t code_size;
};

struct fatbin_options {
	const char *stem;    /* of the symbol qd_fatbin_<stem> */
	uint16_t machine;    /* e_machine of the output; 0: this host's */
	enum fatbin_codec codec;
	int level;	     /* of zstd; 0: default */
	uint32_t group_size; /* approximate bytes of a group; 0: default. Raw: an image per group */
};

struct fatbin_sum {
	uint32_t n_rows, n_images, n_groups; /* n_images: distinct images */
	uint64_t raw, stored; /* bytes of the groups before and after compression */
};

/* Appends the object file to out; on failure out keeps its length. The bytes do not depend on the
 * order of items. Equal items with the same (kernel, variant, target) are merged; different ones
 * are QD_E_INVALID. */
qd_status fatbin_write(struct buf *out, const struct fatbin_item *items, uint32_t n,
		       const struct fatbin_options *o, struct fatbin_sum *sum, struct qd_error *err);

/* Index and groups before they are written to a file. */
struct fatbin_made {
	struct buf index;  /* the distances are zero */
	struct buf groups; /* concatenated, at multiples of FATBIN_GROUP_ALIGN */
	struct fatbin_made_group {
		uint64_t at, size; /* in groups */
		const struct fatbin_item *first, *last; /* first and last image of the group */
		uint32_t n;
	} *group;
	uint32_t n_groups;
	struct fatbin_sum sum;
};
/* Creates index and groups in mem and in the buffers, which the caller has initialized. */
qd_status fatbin_make(struct fatbin_made *m, struct arena *mem, const struct fatbin_item *items,
		      uint32_t n, const struct fatbin_options *o, struct qd_error *err);

/* -- Reading: fatbin_read.c ---------------------------------------------------------------- */

/* A validated index and its groups, as views. */
struct fatbin_part {
	const uint8_t *index;
	uint64_t offset; /* of the index in the file; 0 if linked */
	const struct fatbin_header *header;
	const uint8_t *rows, *groups;
	const char *strings;
	uint32_t strings_size;
	uint32_t first_row; /* number of rows in earlier parts of the fatbin */
	const uint8_t **data; /* stored bytes of each group */
};

/* Reads all indices of an ELF file: an object, several linked objects, or a program. The parts are
 * views of data. Returns QD_E_NOT_FOUND if there are none. */
qd_status fatbin_parts_of_file(struct arena *mem, const void *data, size_t size, uint64_t base,
			       struct fatbin_part **out, uint32_t *n, struct qd_error *err);
/* Reads an index that is linked into the program. */
qd_status fatbin_part_linked(struct arena *mem, const void *index, struct fatbin_part *out,
			     struct qd_error *err);
void fatbin_row_of(const struct fatbin_part *p, uint32_t i, struct fatbin_row *out);
void fatbin_group_of(const struct fatbin_part *p, uint32_t i, struct fatbin_group *out);
static inline const char *
fatbin_string(const struct fatbin_part *p, uint32_t at)
{
	return p->strings + at; /* its NUL has been checked */
}
/* -- Groups and entries: fatbin_group.c ------------------------------------------------------- */

/* Appends the unpacked group to out and checks its hash. */
qd_status fatbin_unpack(const struct fatbin_part *p, uint32_t group, struct buf *out,
			struct qd_error *err);
/* Finds the parts of a row's entry in its unpacked group. */
qd_status fatbin_entry_of(const struct fatbin_part *p, const struct fatbin_row *row,
			  const uint8_t *raw, size_t raw_size, struct image_parts *out,
			  struct qd_error *err);

/* -- Open fatbins: fatbin.c ------------------------------------------------------------------ */

/* A row with its part and strings. */
struct fatbin_place {
	const struct fatbin_part *part;
	struct fatbin_row row;
	const char *kernel, *variant, *target;
};
struct qd_fatbin;
/* Return the target in its usual spelling as two strings: for a cubin "cubin:" and "sm_90", else
 * "" and the row's text. The row of a cubin contains the target that it was compiled from. */
const char *fatbin_target_front(const struct fatbin_place *at);
const char *fatbin_target_rest(const struct fatbin_place *at);
uint32_t fatbin_count(const struct qd_fatbin *f);
void fatbin_at(const struct qd_fatbin *f, uint32_t i, struct fatbin_place *out);
const char *fatbin_name(const struct qd_fatbin *f);
struct qd_context *fatbin_ctx(const struct qd_fatbin *f);
/* Returns a new reference to the image of row i, which the fatbin keeps. QD_E_INVALID for an IR
 * row. */
qd_status fatbin_image(struct qd_fatbin *f, uint32_t i, struct qd_image **out, struct qd_error *err);
/* Returns the kernel of an IR row. The fatbin owns it. */
qd_status fatbin_kernel(struct qd_fatbin *f, uint32_t i, const struct qd_kernel **out,
			struct qd_error *err);
/* Returns the description of any row, valid for the lifetime of the fatbin. */
qd_status fatbin_layout(struct qd_fatbin *f, uint32_t i, struct image_parts *out,
			     struct qd_error *err);
/* Finds the rows of a kernel with these template values; *out, in mem, contains their indices. The
 * message of QD_E_NOT_FOUND lists the existing variants. */
qd_status fatbin_find(struct qd_fatbin *f, struct arena *mem, const char *kernel,
		      const struct qd_tmpl *tmpl, uint32_t n_tmpl, uint32_t **out, uint32_t *n,
		      struct qd_error *err);
/* Parses a variant's text: at most MAX_TMPL values, integers or types. Stores the names in `names`,
 * which is large enough for every kernel. */
enum { FATBIN_NAMES = MAX_TMPL * (MAX_TEXT_NAME + 1) };
qd_status fatbin_values(const char *variant, struct qd_tmpl *out, uint32_t *n,
			char names[FATBIN_NAMES], struct qd_error *err);
/* Appends a variant's text, "T=f32;L=5", with the values in the given order. */
void fatbin_variant(struct buf *out, const struct qd_tmpl *tmpl, uint32_t n);

/* Returns true if the variant has exactly these values, in any order. */
bool fatbin_has_values(const char *variant, const struct qd_tmpl *tmpl, uint32_t n_tmpl);

#endif
