/* Built-in functions that are composed of operations. The builder and the language share the
 * definitions: each supplies the calls that append an operation to its own kind of value. */
#ifndef QD_IR_COMPOSED_H
#define QD_IR_COMPOSED_H

#include "ir.h"

enum composed_id {
#define COMPOSED(name, ...) COMPOSED_##name,
#include "composed.def"
	N_COMPOSED
};

enum { COMPOSED_MAX_ARG = 4, COMPOSED_MAX_VALUE = 32 };

/* Values of one function: its operands first, then the results of its operations. The caller owns
 * the values and finds them by their index. */
struct composer {
	/* Stores the result of an operation on n values at index `to`. `type` is the result's. */
	void (*apply)(struct composer *c, uint32_t to, enum op op, qd_type type,
		      const uint32_t *from, uint32_t n);
	void (*constant)(struct composer *c, uint32_t to, qd_type type, uint64_t bits);
	uint32_t n;
	uint8_t type[COMPOSED_MAX_VALUE]; /* qd_type */
};

struct composed {
	const char *name;
	uint32_t types;
	uint8_t n_same, n_counts; /* operands of the type of x; counts, which follow them */
	bool other; /* the result has another type */
	uint32_t (*compose)(struct composer *c);
};
extern const struct composed composed[N_COMPOSED];

/* Returns the index of the result. The operands, counts as u32, are the first values. */
uint32_t composed_apply(enum composed_id id, struct composer *c);

#endif
