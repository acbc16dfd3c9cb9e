// Functions of hazard_code.h as LLVM's machine code, and the passes of LLVM 22 that resolve
// hazards.
#ifndef HAZARD_LLVM_H
#define HAZARD_LLVM_H

#include "hazard_code.h"

#include <memory>
#include <vector>

// Result of the passes. Every instruction has the tag of the original instruction, or 0 with its
// text if it is new or changed.
struct hz_fixed {
	struct hz_code code;
	int inserted;   // number of new or changed instructions
	bool odd;       // the passes changed something other than by insertion
};

class hz_llvm {
public:
	explicit hz_llvm(struct hz *z);
	~hz_llvm();
	// Returns whether LLVM has a machine instruction for it.
	bool knows(const struct hz_insn &in);
	// Returns whether the destination is one of the factors and must not be.
	bool is_early(const struct hz_insn &in);
	std::vector<hz_fixed> fix(const std::vector<hz_code> &codes);
	// Returns for each code the instruction before which LLVM inserts the first wait for a
	// counter, or -1.
	std::vector<int> waits(const std::vector<hz_code> &codes);
	unsigned exact, other; // pool instructions with their own opcode, or with another one

	struct impl;

private:
	std::unique_ptr<impl> p;
};

void hz_llvm_init();

#endif
