// Compares the reads, writes and counters of the tables with the instruction
// descriptions of LLVM 22. LLVM decodes random instances of every row in every
// form on every target. This is C++ because only LLVM's own classes give access
// to the descriptions. Use: effects [instances per row and form] [seed] [target]
#include "effect_rows.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
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
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

// Bits of the descriptions' target flags.
enum { B_SALU = 0, B_VALU = 1, B_TRANS = 16, B_MUBUF = 17, B_MTBUF = 18, B_SMRD = 19, B_EXP = 23,
       B_FLAT = 24, B_DS = 25, B_VM = 32, B_LGKM = 34, B_GLOBAL = 51, B_MAI = 54, B_DOT = 55,
       B_SCRATCH = 56, B_WMMA = 59, B_SWMMAC = 63 };

static const char *const file_name[] = { "s", "v", "a", "x" };
static const char *const special_name[] = { "scc", "m0", "mode", "flat_scratch", "vcc", "exec" };

static std::string
name_of(uint32_t r)
{
	unsigned file = r >> 16, n = r & 0xffff;

	return file == 3 ? special_name[n] : file_name[file] + std::to_string(n);
}

// Adds the numbers of one of LLVM's registers. Splits tuples and halves.
static void
add_register(const MCRegisterInfo &info, MCRegister reg, bool gfx10, std::set<uint32_t> &out)
{
	if (!reg)
		return;
	for (MCPhysReg part : info.subregs_inclusive(reg)) {
		std::string n = info.getName(part);
		auto is = [&](const char *s) { return n.compare(0, strlen(s), s) == 0; };
		auto number = [&](size_t at) { return (uint32_t)atoi(n.c_str() + at); };
		bool one = n.find('_') == std::string::npos || n.find("_LO16") != std::string::npos ||
			   n.find("_HI16") != std::string::npos || n.find("gfx") != std::string::npos ||
			   n.find("_vi") != std::string::npos;
		if (is("SGPR_NULL"))
			continue;
		if (is("VCC_LO"))
			out.insert(106);
		else if (is("VCC_HI"))
			out.insert(107);
		else if (is("EXEC_LO"))
			out.insert(126);
		else if (is("EXEC_HI"))
			out.insert(127);
		else if (is("SRC_FLAT_SCRATCH") || (is("FLAT_SCR") && gfx10))
			out.insert(3u << 16 | 3);
		else if (is("FLAT_SCR_LO"))
			out.insert(102);
		else if (is("FLAT_SCR_HI"))
			out.insert(103);
		else if (is("XNACK_MASK_LO"))
			out.insert(104);
		else if (is("XNACK_MASK_HI"))
			out.insert(105);
		else if (is("M0"))
			out.insert(3u << 16 | 1);
		else if (is("SCC") || is("SRC_SCC"))
			out.insert(3u << 16 | 0);
		else if (is("MODE"))
			out.insert(3u << 16 | 2);
		else if (is("SRC_VCCZ"))
			out.insert({ 106, 107 });
		else if (is("SRC_EXECZ"))
			out.insert({ 126, 127 });
		else if (is("LDS_DIRECT"))
			out.insert(3u << 16 | 1);
		else if (is("VGPR") && one)
			out.insert(1u << 16 | number(4));
		else if (is("AGPR") && one)
			out.insert(2u << 16 | number(4));
		else if (is("SGPR") && one)
			out.insert(number(4));
		else if (is("TTMP") && one && n.find('_') == n.rfind('_'))
			out.insert(108 + number(4));
	}
}

struct seen {
	unsigned n = 0;
	std::string example;
};

// Known differences between LLVM's descriptions and the hardware, with their reasons. `text` is a
// part of the row's text.
static const struct {
	const char *text, *what, *why;
} known[] = {
	{ "", "+mode", "arithmetic on floats depends on the mode; some descriptions leave it out" },
	{ "ds_", "+m0", "GDS reads base and size from it" },
	{ "ds_", "-m0", "the limit that older generations have in m0 does not exist" },
	{ "v_dual_", "-v", "the tied source is decoded without its lowest bit" },
	{ "v_dual_", "+tied", "the same" },
	{ "v_dual_", "dot", "has no operands of half size" },
	{ "_inv", "vmcnt", "an invalidation has no counter" },
	{ "wbinvl1", "vmcnt", "the same" },
	{ "param_load", "class", "counts as exports do" },
	{ "direct_load", "class", "the same" },
	{ "v_interp_p2_f32_e64", "+tied", "adds to the destination, as in its short form" },
	{ "v_interp_p2_f16", "+m0", "the address of the parameters, as in the others" },
	{ "_lds_", "lgkmcnt", "loads to LDS are waited for by vmcnt" },
	{ "scratch_load_lds_", "+s", "scratch addresses" },
	{ "d16", "+tied", "loads half a register and keeps the other" },
	{ "v_fmac_f64_e64", "+v", "with DPP, the tied source is not decoded" },
	{ "tensor_", "class", "LLVM does not describe them as vector memory" },
	{ "tensor_stop", "vmcnt", "transfers of tensors have a counter of their own" },
	{ "s_bitset", "+tied", "the other bits are kept" },
	{ "s_cmov", "+tied", "the old value is kept if scc is 0" },
	{ "s_movrel", "+m0", "adds m0 to a register index" },
	{ "s_movrel", "+s", "writes some register from the one named on" },
	{ "v_movrel", "+v", "writes some register from the one named on" },
	{ "s_subvector_loop", "+s", "keeps half of the mask" },
	{ "s_atomic", "+tied", "the operand is both data and the returned old value" },
	{ "s_buffer_atomic", "+tied", "the operand is both data and the returned old value" },
	{ "s_scratch_", "+flat_scratch", "scratch addresses" },
};

static bool
is_known(const char *text, const std::string &what)
{
	for (const auto &k : known) {
		if (strstr(text, k.text) && what == k.what)
			return true;
	}
	return false;
}

static bool
bit(uint64_t flags, unsigned n)
{
	return flags >> n & 1;
}

// The registers that LLVM's description of an instruction names, by kind.
struct sides {
	std::set<uint32_t> reads, writes;
	std::set<uint32_t> old;  // tied to a result
	std::set<uint32_t> half; // written in part
};

static struct sides
sides_of(const MCInst &in, const MCInstrDesc &d, const MCRegisterInfo &regs, bool gfx10)
{
	struct sides s;

	for (unsigned i = 0; i < in.getNumOperands() && i < d.getNumOperands(); i++) {
		if (!in.getOperand(i).isReg())
			continue;
		MCRegister reg = in.getOperand(i).getReg();
		if (i < d.getNumDefs()) {
			add_register(regs, reg, gfx10, s.writes);
			if (strstr(regs.getName(reg), "16"))
				add_register(regs, reg, gfx10, s.half);
			continue;
		}
		add_register(regs, reg, gfx10, s.reads);
		if (d.getOperandConstraint(i, MCOI::TIED_TO) >= 0)
			add_register(regs, reg, gfx10, s.old);
	}
	for (MCPhysReg r : d.implicit_uses())
		add_register(regs, r, gfx10, s.reads);
	for (MCPhysReg r : d.implicit_defs())
		add_register(regs, r, gfx10, s.writes);
	return s;
}

// Returns the name of a difference: the special register, or the register file.
static std::string
reported(uint32_t r)
{
	return r >> 16 == 3 || r == 106 || r == 126 ? name_of(r) : file_name[r >> 16];
}

static std::set<std::string>
register_differences(const struct effect_case &c, const struct sides &llvm, const char *text,
		     bool wave32)
{
	std::set<uint32_t> reads(c.reads, c.reads + c.n_reads), writes(c.writes, c.writes + c.n_writes);
	std::set<std::string> what;

	// the upper half of masks means nothing in wave32
	auto mask_half = [&](uint32_t r, const std::set<uint32_t> &ours) {
		return wave32 && (r == 107 || r == 127) && ours.count(r - 1);
	};
	for (uint32_t r : llvm.reads) {
		// the modifiers, not the row, determine whether a form reads the old result
		if (!reads.count(r) && !mask_half(r, reads) && !(c.form && llvm.old.count(r)) &&
		    !is_known(text, "-" + reported(r)))
			what.insert("reads not " + reported(r));
	}
	for (uint32_t r : llvm.writes) {
		if (!writes.count(r) && !mask_half(r, writes) && !is_known(text, "-" + reported(r)))
			what.insert("writes not " + reported(r));
	}
	for (uint32_t r : reads) {
		// the other half is preserved; SDWA can preserve bits
		bool keeps = llvm.half.count(r) || (c.form == 3 && writes.count(r)) ||
			     (writes.count(r) && is_known(text, "+tied"));
		if (!llvm.reads.count(r) && !keeps && !is_known(text, "+" + reported(r)))
			what.insert("reads too much " + reported(r));
	}
	for (uint32_t r : writes) {
		if (!llvm.writes.count(r) && !is_known(text, "+" + reported(r)))
			what.insert("writes too much " + reported(r));
	}
	return what;
}

static void
add_flag_differences(const struct effect_case &c, uint64_t f, std::set<std::string> &what)
{
	static const unsigned class_of[][2] = { { B_DS, 7 }, { B_SMRD, 4 }, { B_EXP, 8 } };
	bool lgkm = c.events & (1 << 4 | 1 << 5), vm = c.events & 0xf;

	// LLVM describes these properties of DPP and similar forms only at the plain form
	if (!c.form && bit(f, B_TRANS) != (c.trans != 0))
		what.insert("transcendental");
	if (!c.form && bit(f, B_DOT) != (c.dot != 0))
		what.insert("dot");
	if (bit(f, B_WMMA) != (c.wmma != 0))
		what.insert("wmma");
	if (bit(f, B_SWMMAC) != (c.swmmac != 0))
		what.insert("swmmac");
	if (bit(f, B_LGKM) != lgkm && !bit(f, B_SALU))
		what.insert("lgkmcnt");
	if (bit(f, B_VM) != vm && !bit(f, B_SALU))
		what.insert("vmcnt");
	for (const auto &p : class_of) {
		if (bit(f, p[0]) != (c.class_ == p[1]))
			what.insert("class");
	}
	if ((bit(f, B_MUBUF) || bit(f, B_MTBUF) || bit(f, B_GLOBAL) || bit(f, B_SCRATCH)) !=
	    (c.class_ == 5))
		what.insert("class");
}

struct totals {
	unsigned n, undecoded, missing, differ;
};

// Compares every row in every form on one target.
static void
one_target(int t, int n_each, uint64_t seed, const Target &target, const Triple &triple,
	   const MCRegisterInfo &regs, const MCAsmInfo &asm_info, const MCInstrInfo &insns,
	   struct totals &sum)
{
	std::string cpu = effect_target(t);
	std::unique_ptr<MCSubtargetInfo> sub(target.createMCSubtargetInfo(
		triple, cpu, StringRef(cpu).starts_with("gfx12") ? "+real-true16" : ""));
	MCContext context(triple, &asm_info, &regs, sub.get());
	std::unique_ptr<MCDisassembler> dis(target.createMCDisassembler(*sub, context));
	std::unique_ptr<MCInstPrinter> printer(
		target.createMCInstPrinter(triple, 0, asm_info, insns, regs));
	bool gfx10 = cpu.compare(0, 4, "gfx9");
	std::map<std::string, seen> differ;
	unsigned n = 0;

	for (int i = 0; effect_row(i / (N_FORM * n_each)); i++) {
		int row = i / (N_FORM * n_each), k = i % (N_FORM * n_each), form = k % N_FORM;
		struct effect_case c;
		MCInst in;
		uint64_t size;
		if (!effect_has(t, row, form))
			continue;
		if (!effect_make(t, row, form, seed + (uint64_t)(row * 64 + k), &c)) {
			if (!k) {
				sum.missing++;
				differ["no instance of " + std::string(effect_row(row))].n++;
			}
			continue;
		}
		ArrayRef<uint8_t> bytes((const uint8_t *)c.words, sizeof c.words);
		if (dis->getInstruction(in, size, bytes, 0, nulls()) != MCDisassembler::Success) {
			sum.undecoded++;
			continue;
		}
		n++;
		const MCInstrDesc &d = insns.get(in.getOpcode());
		std::set<std::string> what = register_differences(
			c, sides_of(in, d, regs, gfx10), effect_text(row), gfx10);
		add_flag_differences(c, d.TSFlags, what);
		for (const std::string &s : what) {
			if (is_known(effect_text(row), s))
				continue;
			seen &e = differ[s + " " + effect_row(row)];
			if (!e.n++) {
				raw_string_ostream os(e.example);
				printer->printInst(&in, 0, "", *sub, os);
			}
		}
	}
	sum.n += n;
	sum.differ += (unsigned)differ.size();
	printf("%-10s %6u instances, %zu differences\n", cpu.c_str(), n, differ.size());
	for (const auto &e : differ)
		printf("  %s (%u):%s\n", e.first.c_str(), e.second.n, e.second.example.c_str());
}

int
main(int argc, char **argv)
{
	int n_each = argc > 1 ? atoi(argv[1]) : 3;
	uint64_t seed = argc > 2 ? strtoull(argv[2], nullptr, 0) : 1;
	struct totals sum = {};
	std::string error;
	Triple triple("amdgcn-amd-amdhsa");
	MCTargetOptions options;

	LLVMInitializeAMDGPUTargetInfo();
	LLVMInitializeAMDGPUTargetMC();
	LLVMInitializeAMDGPUDisassembler();
	const Target *target = TargetRegistry::lookupTarget(triple, error);
	std::unique_ptr<MCRegisterInfo> regs(target->createMCRegInfo(triple));
	std::unique_ptr<MCAsmInfo> asm_info(target->createMCAsmInfo(*regs, triple, options));
	std::unique_ptr<MCInstrInfo> insns(target->createMCInstrInfo());
	for (int t = 0; effect_target(t); t++) {
		if (argc <= 3 || !strcmp(effect_target(t), argv[3]))
			one_target(t, n_each, seed, *target, triple, *regs, *asm_info, *insns, sum);
	}
	printf("total: %u instances, %u that LLVM does not decode, %u rows without one, %u differences\n",
	       sum.n, sum.undecoded, sum.missing, sum.differ);
	return sum.differ != 0;
}
