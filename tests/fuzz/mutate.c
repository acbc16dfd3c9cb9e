/* libFuzzer's mutator for texts: half of the changes are libFuzzer's own, half are aware of
 * tokens. */
#include "fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	struct fuzz_dice d = { seed * UINT64_C(0x9e3779b97f4a7c15) | 1 };

	if (size == 0 || fuzz_random(&d, 2))
		return LLVMFuzzerMutate(data, size, max_size);
	return fuzz_damage(data, size, max_size, &d);
}
