// Functions of hazard_code.h as LLVM's machine code, through the passes of LLVM 22
// that resolve hazards.
#ifndef HAZARD_LLVM_H
#define HAZARD_LLVM_H

#include "hazard_code.h"

#include <memory>
#include <vector>

// What the passes leave: per instruction of the result `after` the tag of the one it
// was or 0, with the text of what is new or changed.
struct hz_fixed {
	struct hz_code code;
	int inserted;   // how many are new or changed
	bool odd;       // something was done that is not told by an instruction put in
};

class hz_llvm {
public:
	explicit hz_llvm(struct hz *z);
	~hz_llvm();
	// Whether LLVM has it as one of its machine instructions.
	bool knows(const struct hz_insn &in);
	// Its destination may not be one of its factors, and is.
	bool is_early(const struct hz_insn &in);
	std::vector<hz_fixed> fix(const std::vector<hz_code> &codes);
	// Per code: before which instruction LLVM puts in the first wait for a counter, -1 none.
	std::vector<int> waits(const std::vector<hz_code> &codes);
	unsigned exact, other; // pool instructions under their own name, or another's

	struct impl;

private:
	std::unique_ptr<impl> p;
};

void hz_llvm_init();

#endif
