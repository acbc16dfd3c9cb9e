/* Output of a program: expressions (program_text.c), statements and the file (program_write.c). */
#ifndef QD_TESTS_PROGRAM_TEXT_H
#define QD_TESTS_PROGRAM_TEXT_H

#include "program.h"

/* Precedence levels; UNARY and above never need parentheses on the right. */
enum { LOOSEST, OR, AND, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, UNARY, POSTFIX };

struct out {
	char *s;
	size_t len, cap;
	int depth;
	const struct program *p;
	const struct function *f;
};

/* program_text.c: a literal, as a number of its type. */
void text_put_literal(struct out *o, const struct expr *x);
void text_put(struct out *o, const char *fmt, ...);
const char *text_array(const struct out *o, uint32_t id);
void text_put_var(struct out *o, uint32_t id);
void text_put_shared(struct out *o, uint32_t id);
void text_put_element(struct out *o, uint32_t id, struct expr *const *index);
void text_put_expr(struct out *o, const struct expr *x, int level);
void text_put_args(struct out *o, struct expr *const *arg, uint32_t n);
/* Returns the operator of an assignment, or an empty string. */
const char *text_operator(uint32_t op);

#endif
