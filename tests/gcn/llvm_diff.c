/* Compares the tables with LLVM 22: random words of every format through LLVM's
 * disassembler and ours, both ways, then encode(decode(w)) and parse(text).
 * Use: llvm_diff [words per format and target] [seed] [target] [differences shown] [format]
 * A text of LLVM with a comment in it ("Invalid register" and the like; "Warning: unaligned") is not
 * something an assembler takes: it counts as rejected. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <llvm-c/Disassembler.h>

#include "table.h"

void LLVMInitializeAMDGPUTargetInfo(void);
void LLVMInitializeAMDGPUTargetMC(void);
void LLVMInitializeAMDGPUDisassembler(void);

static uint64_t rng = 88172645463325252u;
static sigjmp_buf crashed;

static uint32_t
random32(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (uint32_t)(rng >> 16);
}

static void
on_segv(int sig)
{
	(void)sig;
	siglongjmp(crashed, 1);
}

static const char *const format_name[] = { "SOP1", "SOP2", "SOPC", "SOPK", "SOPP", "SMEM",
					   "VOP1", "VOP2", "VOPC", "DS", "VOP3P", "VOP3" };

struct count {
	unsigned n, same, both_reject, differ, only_llvm, only_us, crash, unstable, bytes, parse;
};

int
main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 2000;
	const char *only = argc > 3 && *argv[3] ? argv[3] : NULL;
	unsigned show = argc > 4 ? (unsigned)atoi(argv[4]) : 0;
	const char *only_format = argc > 5 ? argv[5] : NULL;

	if (argc > 2)
		rng ^= (uint64_t)atoi(argv[2]) * 0x9e3779b97f4a7c15u;
	LLVMInitializeAMDGPUTargetInfo();
	LLVMInitializeAMDGPUTargetMC();
	LLVMInitializeAMDGPUDisassembler();
	signal(SIGSEGV, on_segv);
	for (size_t ti = 0; gcn_target_at(ti); ti++) {
		const struct gcn_target *t = gcn_target_at(ti);
		if (only && strcmp(only, t->name))
			continue;
		LLVMDisasmContextRef dc = LLVMCreateDisasmCPU("amdgcn-amd-amdhsa", t->name, NULL, 0,
							      NULL, NULL);
		for (volatile unsigned f = 0; f < GCN_N_FORMAT; f++) {
			const struct gcn_layout *l = gcn_layout_of(t, f);
			struct count c = { 0 };
			if (!l || (only_format && strcmp(only_format, format_name[f])))
				continue;
			for (volatile unsigned k = 0; k < n; k++) {
				uint32_t w[5], back[GCN_MAX_WORDS];
				char them[512] = "", us[512] = "";
				struct gcn_insn in, again;
				volatile size_t len = 0;
				int words, m;
				for (int i = 0; i < 5; i++)
					w[i] = random32();
				unsigned mode = random32() % 8;
				if (gcn_is_valu(f) && mode < 4) {
					static const uint32_t key[] = { 250, 249, 233, 255 };
					uint32_t at = f == VOP3;
					w[at] = (w[at] & ~511u) | key[mode];
				} else if (mode == 4) {
					w[1] &= random32() & random32();
				} else if (mode == 5) {
					w[1] = (w[1] & 0x1c0ff) | 0x04020100;
					w[0] &= 0xff1080ff | random32();
				} else if (mode == 6 && f == SMEM) {
					w[1] = (w[1] & 0xffffff) | (t->gen >= G11 ? 124u : 125u) << 25;
				} else if (f == SMEM) {
					w[1] &= 0xfe1fffff;
				}
				w[0] = (w[0] & ~l->mask) | l->match;
				/* other formats share the first bits of some: skip those */
				words = 0;
				for (size_t i = 0; i < gcn_n_layouts; i++) {
					if ((gcn_layouts[i].gens & 1u << t->gen) &&
					    (w[0] & gcn_layouts[i].mask) == gcn_layouts[i].match) {
						words = gcn_layouts[i].format == f;
						break;
					}
				}
				if (!words || (f == VOP3 && t->gen < G10 && (w[0] >> 23 & 7) == 7))
					continue;
				c.n++;
				if (sigsetjmp(crashed, 1)) {
					c.crash++;
					continue;
				}
				len = LLVMDisasmInstruction(dc, (uint8_t *)w, 20, 0, them, sizeof them);
				char *text = them;
				while (*text == '\t' || *text == ' ')
					text++;
				for (char *p = text; *p; p++) {
					if (*p == '\t')
						*p = ' ';
				}
				if (strstr(text, "/*") || strstr(text, "; Warning"))
					len = 0;
				words = gcn_decode(t, w, 5, &in);
				if (words) {
					gcn_print(t, &in, us, sizeof us);
					if (gcn_words(t, &in, back, &m, NULL) ||
					    gcn_decode(t, back, (size_t)m, &again) != words ||
					    memcmp(&in, &again, sizeof in))
						c.unstable++;
					else if (memcmp(back, w, (size_t)words * 4))
						c.bytes++;
					if (len && !strcmp(us, text)) {
						uint32_t w2[GCN_MAX_WORDS];
						char us2[512] = "";
						struct qd_error err;
						int ok = !gcn_parse(t, us, &again, &err) &&
							 !gcn_words(t, &again, w2, &m, &err);
						if (ok)
							ok = gcn_decode(t, w2, (size_t)m, &again) == m;
						if (ok) {
							gcn_print(t, &again, us2, sizeof us2);
							ok = !strcmp(us, us2) && m == words;
						}
						if (!ok) {
							c.parse++;
							if (show && c.parse <= show)
								printf("  parse %s: %s | %s %s\n", t->name, us, us2, err.text);
						}
					}
				}
				if (!words && !len) {
					c.both_reject++;
				} else if (words && len && !strcmp(us, text) && (size_t)words * 4 == len) {
					c.same++;
				} else {
					if (words && len)
						c.differ++;
					else if (len)
						c.only_llvm++;
					else
						c.only_us++;
					if (show && c.differ + c.only_llvm + c.only_us <= show)
						printf("  %08x %08x %08x\n    llvm %s\n    ours %s\n", w[0],
						       w[1], w[2], len ? text : them, us);
				}
			}
			/* Words that both reject say nothing about the tables. */
			unsigned decoded = c.same + c.differ + c.only_llvm + c.only_us;
			printf("%-8s %-5s %7u words %8.4f %% of decoded, same %u reject %u differ %u "
			       "only-llvm %u only-us %u crash %u unstable %u bytes %u parse %u\n",
			       t->name, format_name[f], c.n,
			       decoded ? 100.0 * c.same / decoded : 100.0, c.same,
			       c.both_reject, c.differ, c.only_llvm, c.only_us, c.crash, c.unstable, c.bytes, c.parse);
		}
		LLVMDisasmDispose(dc);
	}
	return 0;
}
