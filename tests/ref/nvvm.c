/* Warp operations with a member mask, lane by lane from the definitions. */
#include "ref.h"

/* Returns whether lane j is in lane l's warp, is not a padding thread, and is in l's mask. */
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

bool
ref_vote_members(const struct ref_subgroup *s, enum ref_member_vote vote, uint32_t mask, uint32_t l)
{
	uint32_t n = 0, yes = 0;

	for (uint32_t j = 0; j < s->n; j++) {
		n += is_member(s, mask, l, j);
		yes += is_member(s, mask, l, j) && ref_truth(s->type, s->v[j]);
	}
	return vote == REF_VOTE_ALL ? yes == n : vote == REF_VOTE_ANY ? yes > 0 : yes == n || yes == 0;
}

uint32_t
ref_ballot_members(const struct ref_subgroup *s, uint32_t mask, uint32_t l)
{
	uint32_t bits = 0;

	for (uint32_t j = 0; j < s->n; j++)
		if (is_member(s, mask, l, j) && ref_truth(s->type, s->v[j]))
			bits |= 1u << j % 32;
	return bits;
}

bool
ref_elect(const struct ref_subgroup *s, uint32_t mask, uint32_t l)
{
	for (uint32_t j = 0; j < l; j++)
		if (is_member(s, mask, l, j))
			return false;
	return true;
}

/* Uses the control word of PTX: c = (32 - width) << 8 | clamp. */
bool
ref_shfl(const struct ref_subgroup *s, enum ref_shfl how, uint32_t width, uint32_t mask, uint32_t x,
	 uint32_t l, uint64_t *out, bool *defined)
{
	uint32_t c = (32 - width) << 8 | (how == REF_SHFL_UP ? 0 : 31), seg = c >> 8 & 31, clamp = c & 31;
	uint32_t lane = l % 32, b = x & 31;
	int32_t max = (int32_t)((lane & seg) | (clamp & ~seg)), from;
	bool in;

	switch (how) {
	case REF_SHFL_UP: from = (int32_t)lane - (int32_t)b; break;
	case REF_SHFL_DOWN: from = (int32_t)(lane + b); break;
	case REF_SHFL_BFLY: from = (int32_t)(lane ^ b); break;
	default: from = (int32_t)((lane & seg) | (b & ~seg)); break;
	}
	in = how == REF_SHFL_UP ? from >= max : from <= max;
	if (!in)
		from = (int32_t)lane;
	from += (int32_t)(l - lane);
	*defined = is_member(s, mask, l, (uint32_t)from);
	*out = *defined ? s->v[from] : 0;
	return in;
}

uint64_t
ref_redux(const struct ref_subgroup *s, enum ref_reduction op, uint32_t mask, uint32_t l)
{
	uint64_t v[32];
	uint32_t n = 0;

	for (uint32_t j = 0; j < s->n; j++)
		if (is_member(s, mask, l, j))
			v[n++] = s->v[j];
	return ref_tree(op, s->type, v, n, false);
}
