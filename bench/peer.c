/* Other compilers on the same kernel (peer.h). NVRTC is loaded with dlopen, so that the bench
 * builds and runs without it. ptxas is a program, so the time of a process that does nothing is
 * printed for comparison. */
#include "peer.h"

#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>

#include "qd.h"

#include "bench.h"

extern char **environ;

/* -- NVRTC ---------------------------------------------------------------------------- */

static const char source[] =
	"extern \"C\" __global__ void __launch_bounds__(64) reduce_add(const float *src,\n"
	"\tunsigned n, float *dst, unsigned m)\n"
	"{\n"
	"\tunsigned i = blockIdx.x * 64 + threadIdx.x;\n"
	"\tfloat v = i < n ? src[i] : -0.0f;\n"
	"\tfor (int d = 1; d < 32; d *= 2)\n"
	"\t\tv += __shfl_xor_sync(~0u, v, d);\n"
	"\tif (threadIdx.x % 32 == 0 && i < n && i / 32 < m)\n"
	"\t\tdst[i / 32] = v;\n"
	"}\n";

typedef void *program;
static struct {
	int (*create)(program *, const char *, const char *, int, const char *const *,
		      const char *const *);
	int (*compile)(program, int, const char *const *);
	int (*destroy)(program *);
} nvrtc;

static bool
nvrtc_open(void)
{
	static const char *const names[] = { "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
					     "/usr/local/cuda/lib64/libnvrtc.so" };
	void *lib = NULL;

	for (size_t i = 0; i < sizeof names / sizeof *names && !lib; i++)
		lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!lib)
		return false;
	*(void **)&nvrtc.create = dlsym(lib, "nvrtcCreateProgram");
	*(void **)&nvrtc.compile = dlsym(lib, "nvrtcCompileProgram");
	*(void **)&nvrtc.destroy = dlsym(lib, "nvrtcDestroyProgram");
	return nvrtc.create && nvrtc.compile && nvrtc.destroy;
}

static bool
nvrtc_once(void *user)
{
	static const char *const options[] = { "--gpu-architecture=compute_90" };
	program p = NULL;

	(void)user;
	if (nvrtc.create(&p, source, "reduce_add.cu", 0, NULL, NULL))
		return false;
	bool ok = nvrtc.compile(p, 1, options) == 0;
	nvrtc.destroy(&p);
	return ok;
}

/* -- ptxas ------------------------------------------------------------------------------ */

struct process {
	const char *path;
	char file[64];
	bool nothing; /* runs a program that does nothing, to time process creation */
};

static bool
process_once(void *user)
{
	const struct process *p = user;
	char *const assemble[] = { (char *)(uintptr_t)p->path, (char[]){ "-arch=sm_90" },
				   (char *)(uintptr_t)p->file, (char[]){ "-o" },
				   (char[]){ "/dev/null" }, NULL };
	char *const nothing[] = { (char[]){ "/bin/true" }, NULL };
	char *const *argv = p->nothing ? nothing : assemble;
	int status = 1;
	pid_t pid;

	return posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) == 0 &&
	       waitpid(pid, &status, 0) == pid && status == 0;
}

static const char *
find_ptxas(char *out, size_t cap)
{
	const char *path = getenv("PATH");

	for (const char *s = path ? path : ""; *s;) {
		size_t len = strcspn(s, ":");
		snprintf(out, cap, "%.*s/ptxas", (int)len, s);
		if (access(out, X_OK) == 0)
			return out;
		s += len + (s[len] == ':');
	}
	snprintf(out, cap, "/usr/local/cuda/bin/ptxas");
	return access(out, X_OK) == 0 ? out : NULL;
}

static bool
write_file(struct process *p, const char *ptx, size_t size)
{
	snprintf(p->file, sizeof p->file, "/tmp/qd-bench-XXXXXX");
	int fd = mkstemp(p->file);
	bool good = fd >= 0 && write(fd, ptx, size) == (ssize_t)size;

	if (fd >= 0)
		close(fd);
	return good;
}

/* -- Both --------------------------------------------------------------------------------- */

void
peer_compare(const char *ptx, size_t size, bool json)
{
	static struct bench r;
	struct process p = { .nothing = false };
	char path[4096];

	if (!nvrtc_open())
		printf("%-44s skipped: libnvrtc is not installed\n", "compile/nvrtc:sm_90/reduce_add.f32");
	else if (bench_run(&r, "compile/nvrtc:sm_90/reduce_add.f32", 10, nvrtc_once, NULL))
		bench_print(&r, json);
	if (!(p.path = find_ptxas(path, sizeof path))) {
		printf("%-44s skipped: ptxas is not installed\n", "assemble/ptxas:sm_90/reduce_add.f32");
		return;
	}
	if (write_file(&p, ptx, size) &&
	    bench_run(&r, "assemble/ptxas:sm_90/reduce_add.f32", 10, process_once, &p))
		bench_print(&r, json);
	unlink(p.file);
	p.nothing = true;
	if (bench_run(&r, "a process that does nothing", 10, process_once, &p))
		bench_print(&r, json);
}
