/* LLVM's disassembler, protected against its own crashes. */
#include "llvm.h"

#include <signal.h>

#include <llvm-c/Disassembler.h>

void LLVMInitializeAMDGPUTargetInfo(void);
void LLVMInitializeAMDGPUTargetMC(void);
void LLVMInitializeAMDGPUDisassembler(void);

sigjmp_buf llvm_crashed;

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
	struct sigaction a = { .sa_handler = on_crash };

	LLVMInitializeAMDGPUTargetInfo();
	LLVMInitializeAMDGPUTargetMC();
	LLVMInitializeAMDGPUDisassembler();
	for (size_t i = 0; i < sizeof sigs / sizeof *sigs; i++)
		sigaction(sigs[i], &a, NULL);
}

bool
llvm_open(struct llvm *x, const struct gcn_target *t)
{
	x->target = t;
	x->context = LLVMCreateDisasmCPUFeatures("amdgcn-amd-amdhsa", t->name,
						 t->wave == 64 && t->other_wave ? "+wavefrontsize64" : "",
						 NULL, 0, NULL, NULL);
	return x->context != NULL;
}

void
llvm_close(struct llvm *x)
{
	LLVMDisasmDispose(x->context);
}

int
llvm_text(struct llvm *x, const uint32_t *w, size_t n_words, char text[TEXT_CAP])
{
	char raw[TEXT_CAP] = "";
	size_t bytes, n = 0;

	text[0] = '\0';
	if (sigsetjmp(llvm_crashed, 1)) {
		/* Abandons the old context: its state after the crash is undefined. */
		llvm_open(x, x->target);
		return -1;
	}
	bytes = LLVMDisasmInstruction(x->context, (uint8_t *)(uintptr_t)w, n_words * 4, 0, raw,
				      sizeof raw);
	for (const char *p = raw + strspn(raw, " \t"); *p; p++)
		text[n++] = *p == '\t' ? ' ' : *p;
	text[n] = '\0';
	if (strstr(text, "/*") || strstr(text, "; Warning"))
		return 0;
	return (int)bytes;
}
