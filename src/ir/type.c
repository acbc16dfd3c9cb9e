/* The table of types, and its public queries. */
#include <stdio.h>

#include "type.h"

/* clang-format off */
const struct type_info type_info[N_TYPE] = {
	/*                  name    size wide           signed float */
	[QD_TYPE_NONE] = { "none",  0,   QD_TYPE_NONE,  false, false },
	[QD_TYPE_BOOL] = { "bool",  0,   QD_TYPE_BOOL,  false, false },
	[QD_TYPE_I32]  = { "i32",   4,   QD_TYPE_I32,   true,  false },
	[QD_TYPE_U32]  = { "u32",   4,   QD_TYPE_U32,   false, false },
	[QD_TYPE_I64]  = { "i64",   8,   QD_TYPE_I64,   true,  false },
	[QD_TYPE_U64]  = { "u64",   8,   QD_TYPE_U64,   false, false },
	[QD_TYPE_F32]  = { "f32",   4,   QD_TYPE_F32,   false, true  },
	[QD_TYPE_F64]  = { "f64",   8,   QD_TYPE_F64,   false, true  },
	[QD_TYPE_I8]   = { "i8",    1,   QD_TYPE_I32,   true,  false },
	[QD_TYPE_U8]   = { "u8",    1,   QD_TYPE_U32,   false, false },
	[QD_TYPE_I16]  = { "i16",   2,   QD_TYPE_I32,   true,  false },
	[QD_TYPE_U16]  = { "u16",   2,   QD_TYPE_U32,   false, false },
	[QD_TYPE_F16]  = { "f16",   2,   QD_TYPE_F32,   false, true  },
	[QD_TYPE_BF16] = { "bf16",  2,   QD_TYPE_F32,   false, true  },
};
/* clang-format on */
_Static_assert(QD_TYPE_BF16 == N_TYPE - 1, "N_TYPE counts the types of qd.h");

qd_type
type_by_name(const char *s, size_t len)
{
	for (qd_type t = QD_TYPE_NONE + 1; t < N_TYPE; t++)
		if (strlen(type_info[t].name) == len && !memcmp(type_info[t].name, s, len))
			return t;
	return QD_TYPE_NONE;
}

const char *
qd_type_name(qd_type type)
{
	return type_info[type < N_TYPE ? type : QD_TYPE_NONE].name;
}

size_t
qd_type_size(qd_type type)
{
	return type < N_TYPE ? type_info[type].size : 0;
}

const char *
type_list(char *s, size_t size, uint32_t mask)
{
	size_t at = 0;

	s[0] = 0;
	for (qd_type t = 1; t < N_TYPE; t++) {
		if (!(mask >> t & 1))
			continue;
		mask &= ~(1u << t);
		at += (size_t)snprintf(s + at, size - at, "%s%s",
				       at == 0 ? ""
				       : mask  ? ", "
					       : " or ",
				       type_info[t].name);
		if (at >= size)
			break;
	}
	return s;
}
