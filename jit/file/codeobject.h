/* AMD's code objects of every version (v2 to v6), as views over the caller's
 * bytes: for which processor, its kernels with descriptor, code and metadata,
 * its functions.  Knows no instruction. */
#ifndef JIT_CODEOBJECT_H
#define JIT_CODEOBJECT_H

#include "elffile.h"
#include "msgpack.h"

/* What the code demands of a mode of the device. */
enum code_mode { CODE_MODE_NONE, CODE_MODE_ANY, CODE_MODE_OFF, CODE_MODE_ON };

/* Numbers of one kernel's metadata; 0 where it says nothing. */
struct code_meta {
#define META(key, field) uint64_t field;
#include "metadata.def"
	uint64_t workgroup[3]; /* .reqd_workgroup_size */
};

enum { CODE_DESCRIPTOR_SIZE = 64, CODE_DESCRIPTOR_V2_SIZE = 256 };
#define CODE_NO_PLACE UINT32_MAX

struct code_kernel {
	const char *name;
	uint32_t name_len;
	uint32_t function;	   /* place in functions, or CODE_NO_PLACE */
	const uint8_t *descriptor; /* 64 bytes; of v2, 256 */
	uint64_t descriptor_addr, descriptor_offset; /* offset in the file */
	uint64_t entry;	     /* address of the first instruction */
	size_t meta_at;	     /* of its map in the metadata; SIZE_MAX: there is none */
	struct code_meta meta;
};

/* Code from one symbol, or a descriptor's entry, to its end: what its size says, but no
 * further than the next function begins.  Symbols without a type are labels within. */
struct code_function {
	const char *name;
	uint32_t section;
	uint32_t kernel; /* place in kernels, or CODE_NO_PLACE */
	uint64_t addr, size;
	bool has_size; /* else it goes on to what follows, with what fills the space between */
	const uint8_t *code;
};

struct code_object {
	struct elf_file elf;
	const char *processor; /* "gfx1100"; NULL: a number that is not known */
	uint32_t version;      /* 2 to 6; 0: not made for HSA */
	uint32_t generic_version;
	enum code_mode xnack, sramecc;
	uint32_t n_symbols, n_kernels, n_functions;
	struct elf_symbol *symbols; /* by section, address, name, type; none without a name */
	struct code_kernel *kernels; /* by address of their code */
	struct code_function *functions; /* by section, address */
	struct msgpack metadata; /* size 0: none, or that of v2 */
	const char *metadata_text; /* v2's, which is YAML */
	size_t metadata_text_size;
};

/* Is it an ELF file for an AMD GPU? */
bool code_object_is(const void *data, size_t size);
/* base: where data lies in the file that the user named.  The views live as long
 * as data and mem do. */
qd_status code_object_read(struct arena *mem, const void *data, size_t size, uint64_t base,
			   struct code_object *out, struct qd_error *err);
/* "gfx90a:sramecc+:xnack-", as a target is written. */
void code_object_target(const struct code_object *o, char text[64]);

#endif
