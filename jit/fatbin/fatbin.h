/* Fatbins: code of many kernels for many targets in one ELF object that links into a
 * program.  docs/fatbin.md has the format byte by byte; here are its structures, which
 * stand in files as they are: little-endian, fixed widths, no padding, zeros where
 * nothing is said.
 *
 *	header | rows | groups | strings | distances
 *
 * A row is an image of a kernel for a target.  What an image has beside its code stands
 * before it, and images that are alike are compressed together: a group, a section of the
 * file each.  Where a group lies is all that a linker fills in: the distance from the
 * index's own word to the group's first byte. */
#ifndef JIT_FATBIN_H
#define JIT_FATBIN_H

#include "jit.h"

#define FATBIN_MAGIC "QDFB\r\n\x1a\n" /* text that was converted on its way is told */
enum { FATBIN_MAJOR = 1, FATBIN_MINOR = 0, FATBIN_ALIGN = 64, FATBIN_GROUP_ALIGN = 16,
       FATBIN_MAX_TEXT = 8191 /* bytes of a kernel's name, of its values, of a target */ };

enum fatbin_codec { FATBIN_RAW = 0, FATBIN_ZSTD = 1, FATBIN_N_CODEC };
/* For writing: by zstd, where the library was built with it. */
extern const enum fatbin_codec fatbin_auto;
enum fatbin_flag { FATBIN_SIZE_DEMANDED = 1 /* the kernel itself names its subgroup size */ };

enum { FATBIN_N_EMITTER = 16 };

struct fatbin_header {
	char magic[8];
	uint8_t hash[16]; /* XXH3-128 of all behind it, without the distances */
	uint16_t major, minor;
	uint16_t header_size, row_size, group_size, zero;
	uint32_t n_rows, n_groups, strings_size; /* a multiple of 8 */
	uint64_t total_size;
	uint8_t emitters[FATBIN_N_EMITTER]; /* by the number of a back end: its emitter's version */
	uint64_t reserved;
};
_Static_assert(sizeof(struct fatbin_header) == 80, "no padding: its bytes are written to files");

struct fatbin_row {
	uint64_t name_hash;		  /* fatbin_hash of kernel and variant; rows ascend by it */
	uint32_t kernel, variant, target; /* strings: "sum", "T=f32;L=5", "gfx1100" */
	uint32_t group;
	uint32_t offset, size; /* of its entry, in what the group holds */
	uint64_t needs;	       /* as in isa_meta, for a choice that unpacks nothing */
	uint32_t shared_size;  /* likewise, bytes */
	uint16_t local_size;   /* likewise, threads */
	uint16_t args_size;    /* bytes that a launch carries itself; 0: it passes an address */
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

/* An image in what a group holds: this, the description (jit/describe.h), the code; each
 * part at a multiple of FATBIN_GROUP_ALIGN. */
struct fatbin_entry {
	uint32_t description_at, description_size, code_at, code_size;
	struct isa_meta meta;
};
_Static_assert(sizeof(struct fatbin_entry) == 112, "no padding");

uint64_t fatbin_hash(const char *kernel, const char *variant);
/* NULL, or what is wrong with a row's texts: readers and the writer demand the same of them.  A
 * kernel's name has 1 to MAX_TEXT_NAME bytes without control characters, values have their grammar
 * (fatbin_values), a target has the characters of targets' names. */
const char *fatbin_wrong_text(const char *kernel, const char *variant, const char *target);

/* -- Writing: fatbin_index.c, fatbin_write.c ---------------------------------------------- */

/* What goes in: a view. */
struct fatbin_item {
	const char *kernel, *variant, *target;
	enum code_kind kind;
	uint32_t flags;
	const struct isa_meta *meta;
	const struct description *description;
	const void *code;
	size_t code_size;
};

struct fatbin_options {
	const char *stem;    /* of the symbol qd_fatbin_<stem> */
	uint16_t machine;    /* e_machine of the objects that it is linked with; 0: this host's */
	enum fatbin_codec codec;
	int level;	     /* of zstd; 0: what is usual here */
	uint32_t group_size; /* bytes of a group, about; 0: what is usual.  Raw: one image each */
};

struct fatbin_sum {
	uint32_t n_rows, n_images, n_groups; /* images: that differ */
	uint64_t raw, stored; /* bytes of these, before compression and behind it */
};

/* The object file, behind what out has; where it fails out is as long as it was.  Items in
 * any order give the same bytes; two for one (kernel, variant, target) are one where they
 * are equal, and QD_E_INVALID where not. */
qd_status fatbin_write(struct buf *out, const struct fatbin_item *items, uint32_t n,
		       const struct fatbin_options *o, struct fatbin_sum *sum, struct qd_error *err);

/* Index and groups, before they become a file. */
struct fatbin_made {
	struct buf index;  /* the distances are zero */
	struct buf groups; /* one behind the other, at multiples of FATBIN_GROUP_ALIGN */
	struct fatbin_made_group {
		uint64_t at, size; /* in groups */
		const struct fatbin_item *first, *last; /* of those it holds */
		uint32_t n;
	} *group;
	uint32_t n_groups;
	struct fatbin_sum sum;
};
/* What is made lives in mem, and in the buffers, which the caller has initialised. */
qd_status fatbin_make(struct fatbin_made *m, struct arena *mem, const struct fatbin_item *items,
		      uint32_t n, const struct fatbin_options *o, struct qd_error *err);

/* -- Reading: fatbin_read.c ---------------------------------------------------------------- */

/* One index and what it leads to, as views; nothing of it has been believed unchecked. */
struct fatbin_part {
	const uint8_t *index;
	uint64_t offset; /* of the index in the file; 0 where it was linked */
	const struct fatbin_header *header;
	const uint8_t *rows, *groups;
	const char *strings;
	uint32_t strings_size;
	uint32_t first_row; /* of all rows of the fatbin */
	const uint8_t **data; /* of each group: its stored bytes */
};

/* All indices of an ELF file: an object, what a linker made of several, a program.  They
 * stay views of data.  QD_E_NOT_FOUND: it has none. */
qd_status fatbin_parts_of_file(struct arena *mem, const void *data, size_t size, uint64_t base,
			       struct fatbin_part **out, uint32_t *n, struct qd_error *err);
/* The one that a program is linked with. */
qd_status fatbin_part_linked(struct arena *mem, const void *index, struct fatbin_part *out,
			     struct qd_error *err);
void fatbin_row_of(const struct fatbin_part *p, uint32_t i, struct fatbin_row *out);
void fatbin_group_of(const struct fatbin_part *p, uint32_t i, struct fatbin_group *out);
static inline const char *
fatbin_string(const struct fatbin_part *p, uint32_t at)
{
	return p->strings + at; /* it was found to end */
}
/* -- Groups and entries: fatbin_group.c ------------------------------------------------------- */

/* What the group holds, checked by its hash, in mem where it is compressed. */
qd_status fatbin_unpack(const struct fatbin_part *p, uint32_t group, struct buf *out,
			struct qd_error *err);
/* The parts of a row's entry within what its group holds. */
qd_status fatbin_entry_of(const struct fatbin_part *p, const struct fatbin_row *row,
			  const uint8_t *raw, size_t raw_size, struct image_parts *out,
			  struct qd_error *err);

/* -- The object: fatbin.c -------------------------------------------------------------------- */

/* A row of any part. */
struct fatbin_place {
	const struct fatbin_part *part;
	struct fatbin_row row;
	const char *kernel, *variant, *target;
};
struct qd_fatbin;
/* The target as people write it: of a cubin, whose row has the text that it was made of,
 * "cubin:" and then "sm_90"; else "" and the row's. */
const char *fatbin_target_front(const struct fatbin_place *at);
const char *fatbin_target_rest(const struct fatbin_place *at);
uint32_t fatbin_count(const struct qd_fatbin *f);
void fatbin_at(const struct qd_fatbin *f, uint32_t i, struct fatbin_place *out);
const char *fatbin_name(const struct qd_fatbin *f);
struct qd_context *fatbin_ctx(const struct qd_fatbin *f);
/* Its image, kept from the first call on; a new reference.  Of an IR row QD_E_INVALID. */
qd_status fatbin_image(struct qd_fatbin *f, uint32_t i, struct qd_image **out, struct qd_error *err);
/* Of an IR row: its kernel, kept likewise; it goes with the fatbin. */
qd_status fatbin_kernel(struct qd_fatbin *f, uint32_t i, const struct qd_kernel **out,
			struct qd_error *err);
/* The description of any row, good while the fatbin lives. */
qd_status fatbin_description(struct qd_fatbin *f, uint32_t i, struct image_parts *out,
			     struct qd_error *err);
/* The rows of a kernel with these values: their places in *out, from mem.  QD_E_NOT_FOUND
 * says what there is. */
qd_status fatbin_find(struct qd_fatbin *f, struct arena *mem, const char *kernel,
		      const struct qd_tmpl *tmpl, uint32_t n_tmpl, uint32_t **out, uint32_t *n,
		      struct qd_error *err);
/* The values of a variant's text, integers and types, at most MAX_TMPL of them; the names
 * are in `names`, where those of every kernel have room. */
enum { FATBIN_NAMES = MAX_TMPL * (MAX_TEXT_NAME + 1) };
qd_status fatbin_values(const char *variant, struct qd_tmpl *out, uint32_t *n,
			char names[FATBIN_NAMES], struct qd_error *err);
/* "T=f32;L=5" of values in the order in which they are given. */
void fatbin_variant(struct buf *out, const struct qd_tmpl *tmpl, uint32_t n);

#endif
