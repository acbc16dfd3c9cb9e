/* AMD's code objects of versions 2 to 6, as views over the caller's bytes: processor, kernels with
 * descriptor, code and metadata, functions. Does not decode instructions. */
#ifndef JIT_CODEOBJECT_H
#define JIT_CODEOBJECT_H

#include "amd_abi.h"
#include "elffile.h"
#include "msgpack.h"

/* Setting of a device mode that the code requires. */
enum code_mode { CODE_MODE_NONE, CODE_MODE_ANY, CODE_MODE_OFF, CODE_MODE_ON };

/* Numbers in the metadata of a kernel; 0 if absent. */
struct code_meta {
#define META(key, field) uint64_t field;
#include "metadata.def"
	uint64_t workgroup[3]; /* .reqd_workgroup_size */
};

#define CODE_NO_PLACE UINT32_MAX

struct code_kernel {
	const char *name;
	uint32_t name_len;
	uint32_t function;	   /* index in functions, or CODE_NO_PLACE */
	const uint8_t *descriptor; /* 64 bytes; 256 in v2 */
	uint64_t descriptor_addr, descriptor_offset; /* offset in the file */
	uint64_t entry;	     /* address of the first instruction */
	struct msgpack metadata; /* the note that describes it; size 0: none */
	size_t meta_at;	     /* offset of its map in the note, or SIZE_MAX */
	struct code_meta meta;
};

/* Code that begins at a symbol or at a descriptor's entry. It ends after the symbol's size, and at
 * the latest at the next function. A symbol without a type is a label in a function. */
struct code_function {
	const char *name;
	uint32_t section;
	uint32_t kernel; /* index in kernels, or CODE_NO_PLACE */
	uint64_t addr, size;
	bool has_size; /* false: extends to the next function and includes padding */
	const uint8_t *code;
};

struct code_object {
	struct elf_file elf;
	const char *processor; /* "gfx1100"; NULL: unknown number */
	uint32_t version;      /* 2 to 6; 0: not for HSA */
	uint32_t generic_version;
	enum code_mode xnack, sramecc;
	uint32_t n_symbols, n_kernels, n_functions;
	struct elf_symbol *symbols; /* sorted by section, address, name, type; all have names */
	struct code_kernel *kernels; /* sorted by address of their code */
	struct code_function *functions; /* sorted by section, address */
	/* The first note; a linker of several objects (-fgpu-rdc) keeps the note of each. Size 0: none,
	 * or version 2. */
	struct msgpack metadata;
	const char *metadata_text; /* YAML of version 2 */
	size_t metadata_text_size;
};

/* Returns whether the bytes are an ELF file for an AMD GPU. */
bool code_object_is(const void *data, size_t size);
/* Reads a code object. base: offset of data in the user's file. The views are valid as long as
 * data and mem. */
qd_status code_object_read(struct arena *mem, const void *data, size_t size, uint64_t base,
			   struct code_object *out, struct qd_error *err);
/* Writes the target: "gfx90a:sramecc+:xnack-". */
void code_object_target(const struct code_object *o, char text[64]);

#endif
