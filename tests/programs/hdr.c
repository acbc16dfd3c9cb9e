/* The public header without the library, as C and as C++: it includes what it needs, and its types
 * have the sizes that bindings rely on. */
#include "qd.h"

#define HOLDS(name, cond) typedef char name[(cond) ? 1 : -1]

HOLDS(status_is_32_bits, sizeof(qd_status) == 4 && (qd_status)-1 < 0);
HOLDS(type_is_32_bits, sizeof(qd_type) == 4 && sizeof(qd_access) == 4);
HOLDS(value_is_one_word, sizeof(struct qd_val) == 4 && sizeof(struct qd_var) == 4);
HOLDS(error_has_no_padding, sizeof(struct qd_error) == 12 + 1024);
HOLDS(version_is_three_parts, QD_VERSION / 1000000 == QD_VERSION_MAJOR);

int
main(void)
{
	struct qd_context_desc desc = { QD_VERSION, { NULL, NULL, NULL }, NULL, NULL,
					0, 0, 0, QD_CACHE_DEFAULT, 0, { 0, 0, 0, 0, 0, 0, 0 },
					QD_OPT_DEFAULT, QD_FACTS_DEFAULT };

	return desc.version != QD_VERSION;
}
