/* Probes of the kinds of files. The table is kind.def. */
#include "kind.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codeobject.h"
#include "elffile.h"

enum { DIS = KIND_DIS, RUN = KIND_RUN, COMPILE = KIND_COMPILE, LIST = KIND_LIST };

static const struct {
	const char *name, *advice;
	uint32_t readers;
} kinds[] = {
#define KIND(id, readers, name, advice) [KIND_##id] = { name, advice, readers },
#include "kind.def"
};

/* First bytes of a file. */
static const struct {
	const char *bytes;
	uint8_t size;
	uint8_t kind;
} magics[] = {
	{ "qdcache\n", 8, KIND_CACHE },
	{ "__CLANG_OFFLOAD_BUNDLE__", 24, KIND_BUNDLE },
	{ "CCOB", 4, KIND_BUNDLE },
	{ "\x10\xff\x10\xad", 4, KIND_OFFLOAD },
	{ "\x50\xed\x55\xba", 4, KIND_CUDA },
	{ "\x03\x02\x23\x07", 4, KIND_SPIRV },
	{ "\x07\x23\x02\x03", 4, KIND_SPIRV_SWAPPED },
	{ "BC\xc0\xde", 4, KIND_BITCODE },
	{ "\xde\xc0\x17\x0b", 4, KIND_BITCODE }, /* with a header for Apple's linker */
	{ "!<arch>\n", 8, KIND_ARCHIVE },
	{ "!<thin>\n", 8, KIND_ARCHIVE },
	{ "\x93NUMPY", 6, KIND_NPY },
};

/* First words of a text, after white space and comments. */
static const struct {
	const char *text;
	uint8_t kind;
} words[] = {
	{ ".version", KIND_PTX },
	{ "qdk ", KIND_QDK },
	{ "kernel \"", KIND_IR },
	{ "OpCapability", KIND_SPIRV_TEXT },
	{ "; SPIR-V", KIND_SPIRV_TEXT },
	{ "; ModuleID", KIND_LLVM_TEXT },
	{ "target datalayout", KIND_LLVM_TEXT },
	{ "target triple", KIND_LLVM_TEXT },
	{ "source_filename", KIND_LLVM_TEXT },
};

static const struct {
	const char *name;
	uint8_t kind;
} sections[] = {
#define SECTION(id, name) { name, KIND_##id },
#include "kind.def"
};

static enum file_kind
kind_of_program(const void *bytes, size_t size)
{
	enum file_kind kind = KIND_ELF;
	struct elf_file elf;
	struct pool pool;
	struct arena mem;

	pool_init(&pool, &pool_malloc);
	arena_init(&mem, &pool);
	if (elf_read(&mem, bytes, size, 0, &elf, QD_IGNORE_ERROR) == QD_OK) {
		kind = KIND_HOST;
		for (size_t i = 0; i < QD_COUNT(sections) && kind == KIND_HOST; i++) {
			if (elf_section_begins(&elf, sections[i].name))
				kind = (enum file_kind)sections[i].kind;
		}
	}
	arena_fini(&mem);
	pool_fini(&pool);
	return kind;
}

static enum file_kind
kind_of_elf(const uint8_t *p, size_t size)
{
	const uint32_t type = size >= 20 ? p[16] : 0, machine = size >= 20 ? p[18] | (uint32_t)p[19] << 8 : 0;

	if (machine == EM_CUDA)
		return KIND_CUBIN;
	if (!code_object_is(p, size))
		return kind_of_program(p, size);
	return type == ET_REL ? KIND_AMD_OBJECT : KIND_CODE_OBJECT;
}

/* Returns whether the text declares a kernel of C++ or OpenCL. */
static bool
is_source(const char *text, size_t size)
{
	static const char *const kernels[] = { "__global__ ", "__kernel ", "kernel void " };

	for (size_t i = 0; i < QD_COUNT(kernels); i++) {
		if (memmem(text, size, kernels[i], strlen(kernels[i])))
			return true;
	}
	return false;
}

static enum file_kind
kind_of_text(const char *text, size_t size)
{
	size_t at = tool_skip_blank(text, size);

	for (size_t i = 0; i < QD_COUNT(words); i++) {
		size_t len = strlen(words[i].text);
		if (size - at >= len && memcmp(text + at, words[i].text, len) == 0)
			return (enum file_kind)words[i].kind;
	}
	if (at < size && text[at] == '#' && is_source(text, size))
		return KIND_SOURCE;
	return memmem(text, size, ".amdgcn_target", 14) || memmem(text, size, ".amdhsa_kernel", 14) ? KIND_AMD_TEXT : KIND_TEXT;
}

enum file_kind
kind_probe(const void *bytes, size_t size)
{
	for (size_t i = 0; i < QD_COUNT(magics); i++) {
		if (size >= magics[i].size && memcmp(bytes, magics[i].bytes, magics[i].size) == 0)
			return (enum file_kind)magics[i].kind;
	}
	if (elf_is(bytes, size))
		return kind_of_elf(bytes, size);
	return memchr(bytes, '\0', size) ? KIND_BINARY : kind_of_text(bytes, size);
}

bool
kind_is_for(enum file_kind kind, enum kind_reader reader)
{
	return kinds[kind].readers & reader;
}

const char *
kind_name(enum file_kind kind)
{
	return kinds[kind].name;
}

const char *
kind_advice(enum file_kind kind)
{
	return kinds[kind].advice;
}

void
kind_unexpected(const char *operand)
{
	size_t size;
	struct stat st;

	if (access(operand, R_OK) != 0 || stat(operand, &st) != 0 || !S_ISREG(st.st_mode))
		tool_usage("unexpected '%s'", operand);
	const char *bytes = tool_read(operand, &size);
	enum file_kind kind = kind_probe(bytes, size);
	tool_usage("unexpected '%s'; it is %s%s", operand, kind_name(kind), kind_advice(kind));
}
