// Conversion from words to LLVM's machine instructions. LLVM decodes the words; then
// each opcode is mapped, operand by operand, to the one of the code generator. An
// opcode that the code generator knows only by the name of another generation
// (v_add_nc_u32 is its V_ADD_U32) stays as it is decoded: the descriptions are equal,
// and the passes look up names that are the same on all generations.
#include "hazard_llvm.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include <llvm/CodeGen/MachineBasicBlock.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineInstr.h>
#include <llvm/CodeGen/MachineInstrBuilder.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/InitializePasses.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/PassRegistry.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

using namespace llvm;

extern "C" {
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

void
hz_llvm_init()
{
	LLVMInitializeAMDGPUTargetInfo();
	LLVMInitializeAMDGPUTargetMC();
	LLVMInitializeAMDGPUTarget();
	LLVMInitializeAMDGPUDisassembler();
	initializeCore(*PassRegistry::getPassRegistry());
	initializeCodeGen(*PassRegistry::getPassRegistry());
}

struct hz_llvm::impl {
	struct hz *z;
	Triple triple{ "amdgcn-amd-amdhsa" };
	LLVMContext context;
	std::unique_ptr<TargetMachine> machine;
	std::unique_ptr<MCSubtargetInfo> sub;
	std::unique_ptr<MCContext> mc;
	std::unique_ptr<MCDisassembler> dis;
	const MCInstrInfo *insns;
	const MCRegisterInfo *regs;
	std::map<std::string, unsigned> by_name, reg_by_name;
	std::map<unsigned, unsigned> general; // by decoded opcode
	std::map<unsigned, unsigned> general_reg;
	bool wave32, gfx12;

	bool decode(const struct hz_insn &in, MCInst &out);
	unsigned opcode(unsigned real);
	unsigned reg(unsigned real);
	MachineInstr *make(MachineFunction &mf, const MCInst &in, const struct hz_insn &from,
			   ArrayRef<MachineBasicBlock *> blocks);
	void fill(MachineFunction &mf, const struct hz_code &c);
	bool take(MachineFunction &mf, const struct hz_code &c, struct hz_fixed &out);
};

bool
hz_llvm::impl::decode(const struct hz_insn &in, MCInst &out)
{
	uint64_t size;
	ArrayRef<uint8_t> bytes((const uint8_t *)in.word, (size_t)in.n_words * 4);

	return dis->getInstruction(out, size, bytes, 0, nulls()) == MCDisassembler::Success &&
	       size == bytes.size();
}

// Removes the suffixes of a generation.
static std::string
stem(std::string s)
{
	for (;;) {
		size_t at = s.rfind('_');
		if (at == std::string::npos)
			return s;
		std::string end = s.substr(at + 1);
		if (end != "vi" && end != "ci" && end != "si" && end.compare(0, 3, "gfx"))
			return s;
		s.resize(at);
	}
}

static bool
alike(const MCInstrDesc &a, const MCInstrDesc &b)
{
	auto same = [](ArrayRef<MCPhysReg> x, ArrayRef<MCPhysReg> y) {
		return std::set<MCPhysReg>(x.begin(), x.end()) == std::set<MCPhysReg>(y.begin(), y.end());
	};

	// registers and constants must be in the same positions
	for (unsigned i = 0; i < a.getNumOperands() && i < b.getNumOperands(); i++) {
		if ((a.operands()[i].RegClass < 0) != (b.operands()[i].RegClass < 0))
			return false;
	}
	return a.getNumDefs() == b.getNumDefs() && same(a.implicit_uses(), b.implicit_uses()) &&
	       same(a.implicit_defs(), b.implicit_defs());
}

unsigned
hz_llvm::impl::opcode(unsigned real)
{
	auto known = general.find(real);

	if (known != general.end())
		return known->second;
	std::string full = insns->getName(real).str();
	for (size_t i = 1; i + 1 < full.size(); i++) { // V_COS_F16V_COS_F16_t16_e32_gfx11
		if (full[i] == 'V' && full[i + 1] == '_' && full[i - 1] >= '0' && full[i - 1] <= '9')
			full.erase(0, i);
	}
	// suffixes mark accumulation registers: _gfx90a_acd, _vi_agpr
	bool vcd = full.size() > 4 && !full.compare(full.size() - 4, 4, "_vcd");
	for (const char *end : { "_vcd", "_acd", "_agpr" }) {
		if (full.size() > strlen(end) && !full.compare(full.size() - strlen(end), strlen(end), end))
			full.resize(full.size() - strlen(end));
	}
	std::string name = stem(full), base = name;
	// names of the carry instructions, by generation
	static const char *const renamed[][2] = {
		{ "_ADD_CO_CI_", "_ADDC_" },	   { "_SUB_CO_CI_", "_SUBB_" },
		{ "_SUBREV_CO_CI_", "_SUBBREV_" }, { "_ADDC_CO_", "_ADDC_" },
		{ "_SUBB_CO_", "_SUBB_" },	   { "_SUBBREV_CO_", "_SUBBREV_" },
		{ "_NC_", "_" },
	};
	for (const auto &r : renamed) {
		size_t at = name.find(r[0]);
		if (at != std::string::npos && !by_name.count(name))
			name.replace(at, strlen(r[0]), r[1]);
	}
	unsigned found = real;
	auto try_name = [&](const std::string &n) {
		auto i = by_name.find(n);
		if (found == real && i != by_name.end() && alike(insns->get(i->second), insns->get(real)))
			found = i->second;
	};
	if (vcd)
		try_name(name + "_vgprcd_e64");
	try_name(full.substr(0, full.rfind('_')) + "_e64"); // V_DIV_FIXUP_F16_gfx9_gfx9
	try_name(name);
	try_name(name + "_gfx9"); // LDS instructions that do not use m0
	base = name;
	for (const char *form : { "_e32", "_e64", "_sdwa", "_dpp" }) {
		size_t at = name.rfind(form);
		if (at != std::string::npos) {
			try_name(name.substr(0, at) + "_nosdst" + name.substr(at));
			base = name.substr(0, at);
		}
	}
	if (insns->getName(real) != name)
		try_name(base);
	for (const char *form : { "_e64", "_vgprcd_e64", "_threeaddr" })
		try_name(base + form);
	return general[real] = found;
}

unsigned
hz_llvm::impl::reg(unsigned real)
{
	auto known = general_reg.find(real);

	if (known != general_reg.end())
		return known->second;
	std::string name = regs->getName(real);
	unsigned found = real;
	for (const char *end : { "_gfx9plus", "_gfx11plus", "_gfxpre11", "_gfx1250", "_vi", "_ci" }) {
		for (size_t at; (at = name.find(end)) != std::string::npos;)
			name.erase(at, strlen(end));
	}
	auto i = reg_by_name.find(name);
	if (i != reg_by_name.end())
		found = i->second;
	return general_reg[real] = found;
}

MachineInstr *
hz_llvm::impl::make(MachineFunction &mf, const MCInst &in, const struct hz_insn &from,
		    ArrayRef<MachineBasicBlock *> blocks)
{
	const TargetInstrInfo &tii = *mf.getSubtarget().getInstrInfo();
	const MCInstrDesc &d = tii.get(opcode(in.getOpcode()));
	MachineInstr *mi = mf.CreateMachineInstr(d, DebugLoc());
	unsigned n_tied = 0, at = 0;
	bool is_dpp = tii.getName(d.getOpcode()).contains("_dpp");

	// operands that are tied to a result are not always decoded
	for (unsigned i = 0; i < d.getNumOperands(); i++)
		n_tied += d.getOperandConstraint(i, MCOI::TIED_TO) >= 0;
	bool tied_left_out = in.getNumOperands() + n_tied <= d.getNumOperands() &&
			     !tii.getName(d.getOpcode()).contains("WMMA") &&
			     !tii.getName(d.getOpcode()).contains("SWMMAC");
	for (unsigned i = 0; i < d.getNumOperands(); i++) {
		if (from.branch) {
			mi->addOperand(mf, MachineOperand::CreateMBB(blocks[(size_t)from.to]));
			break;
		}
		int tied = d.getOperandConstraint(i, MCOI::TIED_TO);
		bool dual = tied >= 0 && tii.getName(d.getOpcode()).contains("V_DUAL_");
		const MCOperand *o = at < in.getNumOperands() ? &in.getOperand(at) : nullptr;
		if (tied >= 0 && tied_left_out)
			o = &in.getOperand((unsigned)tied);
		else
			at++;
		// this operand is decoded without its lowest bit
		if (dual)
			o = &in.getOperand((unsigned)tied);
		// Old value of a DPP result. Inactive lanes keep it; the instruction does not read
		// it, but LLVM's rules count it as a source. A reserved register avoids this.
		if (is_dpp && i == d.getNumDefs() && tied >= 0) {
			mi->addOperand(mf, MachineOperand::CreateReg(reg_by_name["VGPR255"], false));
			continue;
		}
		if (!o || o->isImm())
			mi->addOperand(mf, MachineOperand::CreateImm(o ? o->getImm() : 0));
		else if (o->isReg())
			mi->addOperand(mf, MachineOperand::CreateReg(reg(o->getReg()), i < d.getNumDefs()));
		else if (o->isExpr())
			mi->addOperand(mf, MachineOperand::CreateImm(0x12345));
		else
			mi->addOperand(mf, MachineOperand::CreateImm(0));
	}
	// a lane mask is one register in waves of 32
	if (wave32) {
		for (MachineOperand &o : mi->implicit_operands()) {
			if (o.isReg() && o.getReg() == reg_by_name["VCC"])
				o.setReg(reg_by_name["VCC_LO"]);
		}
	}
	mi->setDebugInstrNum((unsigned)from.tag);
	return mi;
}

void
hz_llvm::impl::fill(MachineFunction &mf, const struct hz_code &c)
{
	std::vector<MachineBasicBlock *> blocks;

	for (int b = 0; b < c.n_block; b++) {
		blocks.push_back(mf.CreateMachineBasicBlock());
		mf.push_back(blocks.back());
	}
	for (int b = 0; b < c.n_block; b++) {
		bool next = b + 1 < c.n_block;
		for (int i = c.block[b].first; i < c.block[b].first + c.block[b].n; i++) {
			MCInst in;
			if (!decode(c.insn[i], in)) {
				fprintf(stderr, "not decoded: 0x%08x\n", c.insn[i].word[0]);
				abort();
			}
			MachineInstr *mi = make(mf, in, c.insn[i], blocks);
			blocks[(size_t)b]->push_back(mi);
			if (c.insn[i].branch)
				blocks[(size_t)b]->addSuccessor(blocks[(size_t)c.insn[i].to]);
			if (c.insn[i].branch == HZ_BRANCH)
				next = false;
		}
		if (next && !blocks[(size_t)b]->isSuccessor(blocks[(size_t)b + 1]))
			blocks[(size_t)b]->addSuccessor(blocks[(size_t)b + 1]);
	}
	if (getenv("HZ_MIR"))
		mf.print(errs());
	mf.getProperties().setNoPHIs().setNoVRegs().setTracksLiveness();
}

// Returns an inserted instruction as text for qd's assembler, or an empty string if it is not known
// here.
static std::string
text_of(const TargetInstrInfo &tii, const TargetRegisterInfo &tri, const MachineInstr &mi, bool gfx12)
{
	std::string name = tii.getName(mi.getOpcode()).str();
	char text[100] = "";
	auto imm = [&](unsigned i) { return (unsigned)mi.getOperand(i).getImm() & 0xffff; };

	if (name == "S_NOP")
		snprintf(text, sizeof text, "s_nop %u", imm(0));
	else if (name == "S_WAITCNT_DEPCTR")
		snprintf(text, sizeof text, gfx12 ? "s_wait_alu 0x%x" : "s_waitcnt_depctr 0x%x", imm(0));
	else if (name == "V_NOP_e32")
		snprintf(text, sizeof text, "v_nop");
	else if (name == "S_MOV_B32")
		snprintf(text, sizeof text, "s_mov_b32 null, 0");
	else if (name == "S_WAITCNT_VSCNT")
		snprintf(text, sizeof text, "s_waitcnt_vscnt null, 0x%x", imm(1));
	else if (name == "V_MOV_B32_e32")
		snprintf(text, sizeof text, "v_mov_b32_e32 v%u, v%u",
			 tri.getEncodingValue(mi.getOperand(0).getReg()) & 255u,
			 tri.getEncodingValue(mi.getOperand(1).getReg()) & 255u);
	return text;
}

bool
hz_llvm::impl::take(MachineFunction &mf, const struct hz_code &c, struct hz_fixed &out)
{
	const TargetInstrInfo &tii = *mf.getSubtarget().getInstrInfo();
	const TargetRegisterInfo &tri = *mf.getSubtarget().getRegisterInfo();

	out.code.n_block = 0;
	out.code.n_insn = 0;
	out.inserted = 0;
	out.odd = false;
	for (MachineBasicBlock &b : mf) {
		struct hz_block *to = &out.code.block[out.code.n_block++];
		*to = { out.code.n_insn, 0 };
		for (MachineInstr &mi : b) {
			unsigned tag = mi.peekDebugInstrNum();
			bool depctr = tii.getName(mi.getOpcode()) == "S_WAITCNT_DEPCTR";
			struct hz_insn in;
			if (out.code.n_insn == HZ_MAX_INSN)
				return false;
			if (tag && !depctr) {
				in = c.insn[tag - 1];
			} else {
				std::string text = text_of(tii, tri, mi, gfx12);
				if (text.empty() || !hz_assemble(z, text.c_str(), &in)) {
					out.odd = true;
					fprintf(stderr, "put in: %s\n", tii.getName(mi.getOpcode()).str().c_str());
					continue;
				}
				if (tag && in.word[0] == c.insn[tag - 1].word[0])
					in.tag = (int)tag;
				else
					out.inserted++;
			}
			out.code.insn[out.code.n_insn++] = in;
			to->n++;
		}
	}
	return true;
}

hz_llvm::hz_llvm(struct hz *z) : exact(0), other(0), p(new impl)
{
	std::string error, features;
	const Target *target = TargetRegistry::lookupTarget(p->triple, error);

	p->z = z;
	p->wave32 = hz_wave(z) == 32;
	p->gfx12 = !strncmp(hz_cpu(z), "gfx12", 5);
	if (strncmp(hz_cpu(z), "gfx9", 4))
		features = p->wave32 ? "+wavefrontsize32" : "+wavefrontsize64,-wavefrontsize32";
	if (p->gfx12)
		features += ",+real-true16"; // halves of registers
	p->machine.reset(target->createTargetMachine(p->triple, hz_cpu(z), features, TargetOptions(),
						     std::nullopt));
	p->insns = p->machine->getMCInstrInfo();
	p->regs = p->machine->getMCRegisterInfo();
	p->sub.reset(target->createMCSubtargetInfo(p->triple, hz_cpu(z), features));
	p->mc.reset(new MCContext(p->triple, p->machine->getMCAsmInfo(), p->regs, p->sub.get()));
	p->dis.reset(target->createMCDisassembler(*p->sub, *p->mc));
	for (unsigned i = 0; i < p->insns->getNumOpcodes(); i++)
		p->by_name[p->insns->getName(i).str()] = i;
	for (unsigned i = 1; i < p->regs->getNumRegs(); i++)
		p->reg_by_name[p->regs->getName(i)] = i;
}

hz_llvm::~hz_llvm() = default;

bool
hz_llvm::knows(const struct hz_insn &in)
{
	MCInst mc;

	if (!p->decode(in, mc))
		return false;
	bool as_decoded = p->opcode(mc.getOpcode()) == mc.getOpcode();
	// LLVM's descriptions of this form are incomplete
	if (p->insns->getName(mc.getOpcode()).contains("_dpp8"))
		return false;
	if (as_decoded) {
		other++;
		if (getenv("HZ_NAMES"))
			fprintf(stderr, "as decoded: %s\n", p->insns->getName(mc.getOpcode()).str().c_str());
	} else {
		exact++;
	}
	return true;
}

bool
hz_llvm::is_early(const struct hz_insn &in)
{
	MCInst mc;

	if (!p->decode(in, mc) || !mc.getNumOperands() || !mc.getOperand(0).isReg())
		return false;
	const MCInstrDesc &d = p->insns->get(p->opcode(mc.getOpcode()));
	// early clobbers of matrix and SAD instructions do not describe hazards
	if (!p->sub->checkFeatures("+mad-intra-fwd-bug") ||
	    !p->insns->getName(d.getOpcode()).starts_with("V_MAD_"))
		return false;
	if (!d.getNumOperands() || d.getOperandConstraint(0, MCOI::EARLY_CLOBBER) < 0)
		return false;
	// the factors only: the allocator considers only those parts of an addend that are used
	for (unsigned i = d.getNumDefs(); i < d.getNumDefs() + 2u && i < mc.getNumOperands(); i++) {
		if (mc.getOperand(i).isReg() &&
		    p->regs->regsOverlap(mc.getOperand(0).getReg(), mc.getOperand(i).getReg()))
			return true;
	}
	return false;
}

// Runs the passes over the codes, as functions of one module.
template <typename Take>
static void
run_passes(hz_llvm::impl &p, const std::vector<hz_code> &codes, ArrayRef<const char *> passes, Take take)
{
	Module module("m", p.context);
	legacy::PassManager pm;
	std::vector<Function *> functions;
	MachineModuleInfoWrapperPass *mmi = new MachineModuleInfoWrapperPass(p.machine.get());

	module.setTargetTriple(p.triple);
	module.setDataLayout(p.machine->createDataLayout());
	for (size_t i = 0; i < codes.size(); i++) {
		FunctionType *type = FunctionType::get(Type::getVoidTy(p.context), false);
		Function *f = Function::Create(type, GlobalValue::ExternalLinkage, "f" + std::to_string(i),
					       module);
		f->setCallingConv(CallingConv::AMDGPU_KERNEL);
		IRBuilder<>(BasicBlock::Create(p.context, "", f)).CreateRetVoid();
		functions.push_back(f);
		p.fill(mmi->getMMI().getOrCreateMachineFunction(*f), codes[i]);
	}
	pm.add(mmi);
	pm.add(p.machine->createPassConfig(pm));
	for (const char *name : passes) {
		const PassInfo *info = PassRegistry::getPassRegistry()->getPassInfo(StringRef(name));
		if (!info) {
			fprintf(stderr, "no pass %s\n", name);
			exit(2);
		}
		pm.add(info->createPass());
	}
	pm.run(module);
	for (size_t i = 0; i < codes.size(); i++)
		take(i, *mmi->getMMI().getMachineFunction(*functions[i]));
}

std::vector<hz_fixed>
hz_llvm::fix(const std::vector<hz_code> &codes)
{
	std::vector<hz_fixed> out(codes.size());

	run_passes(*p, codes, { "post-RA-hazard-rec", "amdgpu-wait-sgpr-hazards" },
		   [&](size_t i, MachineFunction &mf) {
			   if (!p->take(mf, codes[i], out[i]))
				   out[i].odd = true;
		   });
	return out;
}

std::vector<int>
hz_llvm::waits(const std::vector<hz_code> &codes)
{
	std::vector<int> out(codes.size(), -1);

	run_passes(*p, codes, { "si-insert-waitcnts" }, [&](size_t i, MachineFunction &mf) {
		const TargetInstrInfo &tii = *mf.getSubtarget().getInstrInfo();
		bool put = false;
		for (MachineInstr &mi : mf.front()) {
			int tag = (int)mi.peekDebugInstrNum();
			StringRef name = tii.getName(mi.getOpcode());
			// qd's waits do not follow operands of accesses that may be retried.
			if (!tag)
				put |= name.contains("WAIT") && name != "S_WAIT_XCNT";
			else if (put && out[i] < 0)
				out[i] = tag - 1;
		}
	});
	return out;
}
