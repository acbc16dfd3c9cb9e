/* Primitives and built-in functions. docs/language.md, `qd-info --primitives` and bench-compile
 * use this table. */
#ifndef QD_TOOLS_PRIMITIVE_H
#define QD_TOOLS_PRIMITIVE_H

#include "ir.h"
#include "tool.h"

enum { MAX_PRIMITIVES = 256 };

struct primitive {
	enum op op; /* NONE: the language composes it of other operations */
	const char *name, *operands, *meaning, *result;
	uint32_t types;	 /* of the operands, or of the result if there are none */
	bool field;	 /* written without parentheses */
	bool tiled, all; /* NAME_tiled and reduce_all_NAME exist too */
};

/* Fills out[MAX_PRIMITIVES] in the order of the language reference. Returns the number. */
uint32_t primitive_table(struct primitive *out);

#endif
