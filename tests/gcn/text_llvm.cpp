// LLVM's assembler inside this process: a streamer stores the words of each
// instruction by the position of its line. This is C++ because LLVM's C interface
// has no assembler.
#include "text_llvm.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>
#include <unistd.h>

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCFixup.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>

using namespace llvm;

extern "C" void LLVMInitializeAMDGPUAsmParser();

static const Target *target;
static Triple triple("amdgcn-amd-amdhsa");
enum { LONGEST = 3 }; // seconds that a batch may take

// Positions of the lines in one buffer.
struct lines {
	std::string text;
	std::vector<size_t> start;
	struct verdict *out;

	struct verdict *
	of(const char *at) const
	{
		size_t offset = (size_t)(at - base);
		size_t i = (size_t)(std::upper_bound(start.begin(), start.end(), offset) -
				    start.begin());
		return i ? &out[i - 1] : nullptr;
	}
	const char *base;
};

class Keeper : public MCStreamer {
public:
	Keeper(MCContext &c, const MCCodeEmitter &e, const lines &l)
		: MCStreamer(c), emitter(e), all(l)
	{
	}
	bool
	emitSymbolAttribute(MCSymbol *, MCSymbolAttr) override
	{
		return true;
	}
	void emitCommonSymbol(MCSymbol *, uint64_t, Align) override {}
	void
	emitInstruction(const MCInst &in, const MCSubtargetInfo &sub) override
	{
		struct verdict *v = all.of(in.getLoc().getPointer());
		SmallVector<char, 32> bytes;
		SmallVector<MCFixup, 4> fixups;

		emitter.encodeInstruction(in, bytes, fixups, sub);
		if (!v || v->n_words + bytes.size() / 4 > ORACLE_WORDS)
			return;
		memcpy(v->w + v->n_words, bytes.data(), bytes.size());
		v->n_words = (uint8_t)(v->n_words + bytes.size() / 4);
		if (v->kind != REFUSED || !v->why[0])
			v->kind = fixups.empty() ? TAKEN : SYMBOL;
	}

private:
	const MCCodeEmitter &emitter;
	const lines &all;
};

static void
note(const SMDiagnostic &d, void *context)
{
	struct verdict *v = ((const lines *)context)->of(d.getLoc().getPointer());

	if (d.getKind() != SourceMgr::DK_Error || !v)
		return;
	if (!v->why[0])
		snprintf(v->why, ORACLE_WHY, "%s", d.getMessage().str().c_str());
	v->kind = REFUSED;
}

static void
run(const char *cpu, const char *features, const char *const *line, unsigned n, struct verdict *out)
{
	lines all;
	SourceMgr sources;
	MCTargetOptions options;
	std::unique_ptr<MCRegisterInfo> regs(target->createMCRegInfo(triple));
	std::unique_ptr<MCAsmInfo> info(target->createMCAsmInfo(*regs, triple, options));
	std::unique_ptr<MCInstrInfo> insns(target->createMCInstrInfo());
	std::unique_ptr<MCSubtargetInfo> sub(
		target->createMCSubtargetInfo(triple, cpu, features));

	memset(out, 0, n * sizeof *out);
	all.out = out;
	for (unsigned i = 0; i < n; i++) {
		all.start.push_back(all.text.size());
		all.text += line[i];
		all.text += '\n';
	}
	sources.AddNewSourceBuffer(MemoryBuffer::getMemBuffer(all.text), SMLoc());
	all.base = all.text.data();
	sources.setDiagHandler(note, &all);
	MCContext context(triple, info.get(), regs.get(), sub.get(), &sources, &options);
	std::unique_ptr<MCObjectFileInfo> object(target->createMCObjectFileInfo(context, true));
	context.setObjectFileInfo(object.get());
	context.setDiagnosticHandler(
		[](const SMDiagnostic &, bool, const SourceMgr &, std::vector<const MDNode *> &) {});
	std::unique_ptr<MCCodeEmitter> emitter(target->createMCCodeEmitter(*insns, context));
	Keeper keeper(context, *emitter, all);
	target->createNullTargetStreamer(keeper);
	std::unique_ptr<MCAsmParser> parser(createMCAsmParser(sources, context, keeper, *info));
	std::unique_ptr<MCTargetAsmParser> of_target(
		target->createMCAsmParser(*sub, *parser, *insns, options));
	parser->setTargetParser(*of_target);
	parser->Run(false, true);
	for (unsigned i = 0; i < n; i++) {
		if (out[i].kind == REFUSED && !out[i].why[0])
			out[i].kind = TAKEN; // an empty line
	}
}

void
oracle_init(void)
{
	std::string error;

	LLVMInitializeAMDGPUAsmParser();
	target = TargetRegistry::lookupTarget(triple, error);
}

// Returns whether a string or comment may continue after the line. It would include the next
// lines, and LLVM itself might not terminate, so such lines are skipped.
static bool
is_open(const char *line)
{
	unsigned quotes = 0;

	for (const char *p = line; *p; p++)
		quotes += *p == '"';
	return quotes % 2 || strstr(line, "/*") || strchr(line, '\'');
}

static bool
guarded(const char *cpu, const char *features, const char *const *line, unsigned n, struct verdict *out)
{
	if (sigsetjmp(llvm_crashed, 1))
		return false;
	alarm(LONGEST);
	run(cpu, features, line, n, out);
	alarm(0);
	return true;
}

// Assembles the lines together. After a crash, assembles each line separately to find the one
// that crashes. The state after a crash is leaked.
void
oracle_lines(const char *cpu, const char *features, const char *const *line, unsigned n, struct verdict *out)
{
	std::vector<const char *> closed(line, line + n);
	bool ok;

	for (unsigned i = 0; i < n; i++) {
		if (is_open(line[i]))
			closed[i] = "";
	}
	ok = guarded(cpu, features, closed.data(), n, out);
	for (unsigned i = 0; i < n; i++) {
		if (is_open(line[i]) || (!ok && !guarded(cpu, features, &line[i], 1, &out[i])))
			out[i].kind = CRASHED;
	}
}
