/* Kinds of files by their content, and which program reads each. */
#ifndef QD_TOOLS_KIND_H
#define QD_TOOLS_KIND_H

#include "tool.h"

enum file_kind {
#define KIND(id, readers, name, advice) KIND_##id,
#include "kind.def"
	N_KIND_OF_FILE
};

/* Programs that read a kind. KIND_COMPILE is qd-aot, KIND_LIST its commands for fatbins. */
enum kind_reader { KIND_DIS = 1, KIND_RUN = 2, KIND_COMPILE = 4, KIND_LIST = 8 };

enum file_kind kind_probe(const void *bytes, size_t size);
/* Returns true if the program reads files of this kind. */
bool kind_is_for(enum file_kind kind, enum kind_reader reader);
/* Return the name, and the advice that follows it: both complete "'FILE' is ...". */
const char *kind_name(enum file_kind kind);
const char *kind_advice(enum file_kind kind);
/* Ends a program that takes no file: the message names the kind of the operand. */
TOOL_NORETURN QD_COLD void kind_unexpected(const char *operand);

#endif
