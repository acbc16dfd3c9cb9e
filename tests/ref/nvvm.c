/* What members of a warp do together, lane by lane from the definitions. */
#include "ref.h"

/* Is lane j a member of lane l's warp that is there, and that l names? */
static bool
is_member(const struct ref_subgroup *s, uint32_t mask, uint32_t l, uint32_t j)
{
	return j < s->n && j / 32 == l / 32 && (mask >> j % 32 & 1);
}

uint32_t
ref_match_any(const struct ref_subgroup *s, uint32_t mask, uint32_t l)
{
	uint32_t bits = 0;

	for (uint32_t j = 0; j < s->n; j++)
		if (is_member(s, mask, l, j) && s->v[j] == s->v[l])
			bits |= 1u << j % 32;
	return bits;
}

bool
ref_match_all(const struct ref_subgroup *s, uint32_t mask, uint32_t l, uint32_t *members)
{
	*members = 0;
	for (uint32_t j = 0; j < s->n; j++) {
		if (is_member(s, mask, l, j) && s->v[j] != s->v[l]) {
			*members = 0;
			return false;
		}
		*members |= (uint32_t)is_member(s, mask, l, j) << j % 32;
	}
	return true;
}
