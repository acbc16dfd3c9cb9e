/* Numbers between the command line and memory: elements as text, buffers from a description,
 * template values. */
#ifndef QD_TOOLS_VALUE_H
#define QD_TOOLS_VALUE_H

#include "tool.h"
#include "type.h"

/* -- Elements: value.c ------------------------------------------------------------ */

enum { VALUE_TEXT = 40 }; /* exceeds the longest text, quotes and NUL included */

/* Parses an element to its bits in memory, low bits first. Returns NULL, or the error: "is no
 * number", "does not fit". */
const char *value_parse(qd_type type, const char *text, size_t len, uint64_t *bits);
/* Describes the values of a type: "u8 takes whole numbers from 0 to 255". */
void value_takes(qd_type type, char *out, size_t cap);
/* Formats an element as the shortest decimal that reads back to the same bits. Returns the
 * length. */
int value_format(qd_type type, uint64_t bits, char out[VALUE_TEXT]);
/* Formats a JSON value: 64-bit integers, nan and infinities are strings. */
int value_json(qd_type type, uint64_t bits, char out[VALUE_TEXT]);
/* Truncates, and makes an inexact result odd. A second rounding to fewer bits then gives the
 * correctly rounded d. */
float value_round_to_odd(double d);

uint64_t value_get(const void *memory, qd_type type, size_t i);
void value_put(void *memory, qd_type type, size_t i, uint64_t bits);
/* Compares bits; all NaNs are equal. */
bool value_same(qd_type type, uint64_t a, uint64_t b);

/* -- Buffers from a description: fill.c ---------------------------------------------- */

#define FILL_FORMS "a buffer takes iota:N, zero:N, rand:N:SEED, @FILE or 1,2,3"

enum fill_kind { FILL_IOTA, FILL_ZERO, FILL_RAND, FILL_GIVEN };

struct fill {
	enum fill_kind kind;
	bool counted;	/* n is known; zero and iota may omit it */
	size_t n;
	uint64_t seed;
	void *memory; /* owned: the elements of a list or a file */
};
/* Parses iota[:N], zero[:N], rand:N:SEED, @FILE, @FILE.npy or 1,2,3. name is used in messages.
 * Exits on an error. */
void fill_parse(const char *name, qd_type type, const char *text, struct fill *out);
/* Returns the elements once their number is known; the caller frees them. */
void *fill_make(const char *name, qd_type type, struct fill *f);

/* -- Templates: template.c -------------------------------------------------------------- */

/* Template values given by -D NAME=VALUE. */
struct tmpl_list {
	struct qd_tmpl v[64];
	bool used[64];
	uint32_t n;
	const char *known[64]; /* names of templates in the kernels seen so far */
	uint32_t n_known;
};
void tmpl_add(struct tmpl_list *l, const char *text);
/* Selects the values for kernel i of the module, checks them against its ranges, and marks them
 * used. want_all: each parameter must have one. Exits on an error. */
uint32_t tmpl_choose(struct tmpl_list *l, const struct qd_module *m, uint32_t i, bool want_all,
		     struct qd_tmpl *out);
/* Exits if a value belongs to no kernel seen so far. */
void tmpl_check_used(struct tmpl_list *l);
/* Exits if a value belongs to no parameter of this kernel. */
void tmpl_check_known(struct tmpl_list *l, const struct qd_module *m, uint32_t kernel);
/* tmpl_know adds the names of the kernel's parameters. tmpl_unknown exits for a name that is none
 * of them. none: the message if there are no names. */
void tmpl_know(struct tmpl_list *l, const struct qd_module *m, uint32_t kernel);
TOOL_NORETURN void tmpl_unknown(struct tmpl_list *l, const char *name, const char *none);
/* Describes a template parameter: "one of the types f32, i32", "an integer 0..=5". */
void tmpl_describe(const struct qd_tmpl_info *info, char *out, size_t cap);

#endif
