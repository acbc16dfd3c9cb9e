// LLVM's disassembler, protected against its own crashes. This is C++ because LLVM's C
// interface rejects words that have unexpected values in ignored bits
// (MCDisassembler::SoftFail); llvm-objdump prints them.
#include "llvm.h"

#include <csignal>
#include <cstring>
#include <memory>
#include <string>

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>

using namespace llvm;

extern "C" {
void LLVMInitializeAMDGPUTargetInfo(void);
void LLVMInitializeAMDGPUTargetMC(void);
void LLVMInitializeAMDGPUDisassembler(void);
}

sigjmp_buf llvm_crashed;

struct llvm_context {
	std::unique_ptr<MCRegisterInfo> regs;
	std::unique_ptr<MCAsmInfo> info;
	std::unique_ptr<MCInstrInfo> insns;
	std::unique_ptr<MCSubtargetInfo> sub;
	std::unique_ptr<MCContext> context;
	std::unique_ptr<MCDisassembler> dis;
	std::unique_ptr<MCInstPrinter> printer;
};

static void
on_crash(int sig)
{
	(void)sig;
	siglongjmp(llvm_crashed, 1);
}

void
llvm_init(void)
{
	static const int sigs[] = { SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGALRM };
	struct sigaction a = {};

	a.sa_handler = on_crash;
	LLVMInitializeAMDGPUTargetInfo();
	LLVMInitializeAMDGPUTargetMC();
	LLVMInitializeAMDGPUDisassembler();
	for (int sig : sigs)
		sigaction(sig, &a, nullptr);
}

bool
llvm_open(struct llvm_dis *x)
{
	static const Triple triple("amdgcn-amd-amdhsa");
	std::string error;
	MCTargetOptions options;
	const Target *target = TargetRegistry::lookupTarget(triple, error);
	llvm_context *c = new llvm_context;

	x->context = c;
	if (!target)
		return false;
	c->regs.reset(target->createMCRegInfo(triple));
	c->info.reset(target->createMCAsmInfo(*c->regs, triple, options));
	c->insns.reset(target->createMCInstrInfo());
	c->sub.reset(target->createMCSubtargetInfo(triple, x->cpu, x->features));
	if (!c->sub || !c->sub->isCPUStringValid(x->cpu))
		return false;
	c->context.reset(new MCContext(triple, c->info.get(), c->regs.get(), c->sub.get()));
	c->dis.reset(target->createMCDisassembler(*c->sub, *c->context));
	c->printer.reset(target->createMCInstPrinter(triple, 0, *c->info, *c->insns, *c->regs));
	return c->dis && c->printer;
}

void
llvm_close(struct llvm_dis *x)
{
	delete x->context;
}

// Prints the instruction. Returns its size in bytes, or 0 if the words are not an instruction.
static uint64_t
text_of(const struct llvm_dis *x, const uint32_t *w, size_t n_words, std::string &out, bool *soft)
{
	llvm_context *c = x->context;
	ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t *>(w), n_words * 4);
	std::string comments;
	raw_string_ostream os(out), notes(comments);
	uint64_t size = 0;
	MCInst in;

	auto status = c->dis->getInstruction(in, size, bytes, 0, notes);
	*soft = status == MCDisassembler::SoftFail;
	if (status == MCDisassembler::Fail)
		return 0;
	c->printer->printInst(&in, 0, "", *c->sub, os);
	if (!comments.empty())
		os << " ; " << comments;
	return size;
}

int
llvm_text(struct llvm_dis *x, const uint32_t *w, size_t n_words, char text[TEXT_CAP])
{
	static std::string raw;
	uint64_t bytes;
	size_t n = 0;

	text[0] = '\0';
	raw.clear();
	if (sigsetjmp(llvm_crashed, 1)) {
		// Abandons the old context: its state after the crash is undefined.
		llvm_open(x);
		return -1;
	}
	bytes = text_of(x, w, n_words, raw, &x->soft);
	// LLVM prints more blanks than one where it omits an operand.
	for (const char *p = raw.c_str() + strspn(raw.c_str(), " \t"); *p && n + 1 < TEXT_CAP; p++) {
		if (strchr(" \t", *p) && (!p[1] || strchr(" \t", p[1])))
			continue;
		text[n++] = *p == '\t' ? ' ' : *p;
	}
	text[n] = '\0';
	if (strstr(text, "/*") || strstr(text, "; Warning"))
		return 0;
	return (int)bytes;
}
