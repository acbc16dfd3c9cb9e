/* Primitives and built-in functions as the product knows them: docs/language.md's table,
 * `qd-info --primitives` and the rows of bench-compile are this one. */
#ifndef QD_TOOLS_PRIMITIVE_H
#define QD_TOOLS_PRIMITIVE_H

#include "ir.h"
#include "tool.h"

enum { MAX_PRIMITIVES = 256 };

struct primitive {
	enum op op; /* NONE: the language makes it of others */
	const char *name, *operands, *meaning, *result;
	uint32_t types;	 /* of the operands; of the result where there are none */
	bool field;	 /* written without parentheses */
	bool tiled, all; /* NAME_tiled and reduce_all_NAME are there too */
};

/* Fills out[MAX_PRIMITIVES], in the order of the language's reference; how many. */
uint32_t primitive_table(struct primitive *out);

#endif
