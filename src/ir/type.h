/* Scalar and storage types: sizes, names, classes. */
#ifndef QD_IR_TYPE_H
#define QD_IR_TYPE_H

#include <assert.h>

#include "base.h"

enum { N_TYPE = 14 };

/* Type sets, for tables. */
#define TM(name) (1u << QD_TYPE_##name)
enum {
	TM_BOOL = 1u << QD_TYPE_BOOL,
	TM_I32 = 1u << QD_TYPE_I32 | 1u << QD_TYPE_U32,
	TM_I64 = 1u << QD_TYPE_I64 | 1u << QD_TYPE_U64,
	TM_INT = TM_I32 | TM_I64,
	TM_FLT = 1u << QD_TYPE_F32 | 1u << QD_TYPE_F64,
	TM_64 = TM_I64 | 1u << QD_TYPE_F64,
	TM_NUM = TM_INT | TM_FLT,
	TM_BITS = TM_INT | TM_BOOL,
	TM_ALL = TM_NUM | TM_BOOL,
	TM_NONE = 1u << QD_TYPE_NONE
};

struct type_info {
	const char *name;
	uint8_t size;	 /* bytes in memory; 0 for bool, none */
	uint8_t wide;	 /* the value type it widens to; itself for value types */
	bool is_signed;	 /* signed integer */
	bool is_float;
};
extern const struct type_info type_info[N_TYPE];

/* Returns whether t, a valid type or NONE, is in the set. */
static inline bool
type_is(qd_type t, uint32_t mask)
{
	assert(t < N_TYPE);
	return mask >> t & 1;
}
/* Returns whether a type from outside, which may be any number, is in the set. */
static inline bool
type_given(qd_type t, uint32_t mask)
{
	return t < N_TYPE && type_is(t, mask);
}
static inline uint32_t
type_bits(qd_type t)
{
	return t == QD_TYPE_BOOL ? 1 : 8u * type_info[t].size;
}
/* Returns the unsigned type of the same width: u32 for f32, u64 for i64. */
static inline qd_type
type_unsigned(qd_type t)
{
	return type_info[t].size == 8 ? QD_TYPE_U64 : QD_TYPE_U32;
}
static inline qd_type
type_signed(qd_type t)
{
	return type_info[t].size == 8 ? QD_TYPE_I64 : QD_TYPE_I32;
}

/* Formats the types of a set as text, "i32, u32 or f32", in s. */
const char *type_list(char *s, size_t size, uint32_t mask);
qd_type type_by_name(const char *s, size_t len); /* NONE if there is no such type */

#endif
