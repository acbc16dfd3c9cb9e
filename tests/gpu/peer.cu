// peer [LOG2]: the work of bench.c in CUDA C++ and CUB, with arrays of 2^LOG2 words (28), as a JSON object a line.
// Rows have the names of bench.c's.  Built by: nvcc -O3 -std=c++17 -arch=native -cudart static
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <cuda.h>
#include <dlfcn.h>
#include <vector>

#define CHECK(call)                                                                                                    \
	do {                                                                                                           \
		cudaError_t e_ = (call);                                                                               \
		if (e_ != cudaSuccess) {                                                                               \
			printf("{\"who\":\"peer\",\"error\":\"%s: %s\"}\n", #call, cudaGetErrorString(e_));            \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

enum { WARM_UP = 3, REPEATS = 15, BLOCK = 256 };

static cudaStream_t stream;

static double
now_us()
{
	return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static void
print_row(const char *name, size_t n, std::vector<double> us, double bytes = 0)
{
	std::sort(us.begin(), us.end());
	double median = us[us.size() / 2];
	printf("{\"who\":\"peer\",\"name\":\"%s\",\"n\":%zu,\"us\":%.3f,\"least\":%.3f", name, n, median, us[0]);
	if (bytes > 0)
		printf(",\"gbps\":%.1f", bytes / median / 1000);
	puts("}");
	fflush(stdout);
}

// Measures work on the device with events.
template <class F>
static void
time_work(const char *name, size_t n, double bytes, F work)
{
	cudaEvent_t from, to;
	std::vector<double> us;
	CHECK(cudaEventCreate(&from));
	CHECK(cudaEventCreate(&to));
	for (int i = 0; i < WARM_UP + REPEATS; i++) {
		float ms;
		CHECK(cudaEventRecord(from, stream));
		work();
		CHECK(cudaEventRecord(to, stream));
		CHECK(cudaGetLastError());
		CHECK(cudaEventSynchronize(to));
		CHECK(cudaEventElapsedTime(&ms, from, to));
		if (i >= WARM_UP)
			us.push_back(ms * 1000.0);
	}
	CHECK(cudaEventDestroy(from));
	CHECK(cudaEventDestroy(to));
	print_row(name, n, us, bytes);
}

// -- Kernels ------------------------------------------------------------------------------

__global__ void
empty(unsigned *a, size_t n)
{
	if (n > 4000000000u)
		a[0] = 1;
}

template <class T>
__global__ void
__launch_bounds__(BLOCK) copy1(const T *__restrict__ src, T *__restrict__ dst, size_t n)
{
	size_t i = blockIdx.x * size_t(BLOCK) + threadIdx.x;
	if (i < n)
		dst[i] = src[i];
}

template <class T>
__global__ void
__launch_bounds__(BLOCK) copy4(const T *__restrict__ src, T *__restrict__ dst, size_t n)
{
	size_t i = blockIdx.x * size_t(4 * BLOCK) + threadIdx.x;
	T v[4];
	for (int k = 0; k < 4; k++)
		v[k] = i + BLOCK * k < n ? src[i + BLOCK * k] : T(0);
	for (int k = 0; k < 4; k++)
		if (i + BLOCK * k < n)
			dst[i + BLOCK * k] = v[k];
}

template <class T>
__global__ void
__launch_bounds__(BLOCK) warp_sum(const T *__restrict__ src, T *__restrict__ dst, size_t n)
{
	using Reduce = cub::WarpReduce<T>;
	__shared__ typename Reduce::TempStorage tmp[BLOCK / 32];
	size_t i = blockIdx.x * size_t(BLOCK) + threadIdx.x;
	T sum = Reduce(tmp[threadIdx.x / 32]).Sum(i < n ? src[i] : T(0));
	if (threadIdx.x % 32 == 0 && i < n)
		dst[i / 32] = sum;
}

template <class T>
__global__ void
__launch_bounds__(BLOCK) block_sum(const T *__restrict__ src, T *__restrict__ dst, size_t n)
{
	using Reduce = cub::BlockReduce<T, BLOCK>;
	__shared__ typename Reduce::TempStorage tmp;
	size_t i = blockIdx.x * size_t(BLOCK) + threadIdx.x;
	T sum = Reduce(tmp).Sum(i < n ? src[i] : T(0));
	if (threadIdx.x == 0)
		dst[i / BLOCK] = sum;
}

template <class T>
__global__ void
__launch_bounds__(BLOCK) block_scan(const T *__restrict__ src, T *__restrict__ dst, size_t n)
{
	using Scan = cub::BlockScan<T, BLOCK>;
	__shared__ typename Scan::TempStorage tmp;
	size_t i = blockIdx.x * size_t(BLOCK) + threadIdx.x;
	T v = i < n ? src[i] : T(0), sum;
	Scan(tmp).InclusiveSum(v, sum);
	if (i < n)
		dst[i] = sum;
}

// -- Launches, transfers --------------------------------------------------------------------

template <class F>
static void
time_launches(const char *wait, const char *many, const char *host, F launch)
{
	enum { ONE_BY_ONE = 300, MANY = 10000, ROUNDS = 7 };
	std::vector<double> one, all, given;
	for (int i = 0; i < ONE_BY_ONE; i++) {
		double start = now_us();
		launch();
		CHECK(cudaStreamSynchronize(stream));
		one.push_back(now_us() - start);
	}
	for (int r = 0; r < ROUNDS; r++) {
		double start = now_us();
		for (int i = 0; i < MANY; i++)
			launch();
		given.push_back((now_us() - start) / MANY);
		CHECK(cudaStreamSynchronize(stream));
		all.push_back((now_us() - start) / MANY);
	}
	print_row(wait, 1, one);
	print_row(many, MANY, all);
	print_row(host, MANY, given);
}

// Measures the driver's own call, since qd uses it too; <<<>>> adds the runtime's overhead.
static void
time_both_launches(unsigned *a)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	auto launch = library ? (decltype(&cuLaunchKernel))dlsym(library, "cuLaunchKernel") : nullptr;
	cudaFunction_t fn;
	size_t n = 1;
	void *args[] = { &a, &n };

	if (!launch) {
		printf("{\"who\":\"peer\",\"error\":\"cuLaunchKernel is not found\"}\n");
		exit(1);
	}
	CHECK(cudaGetFuncBySymbol(&fn, (const void *)empty));
	time_launches("launch and wait", "launch, of 10000", "launch, host part", [&] {
		if (launch((CUfunction)fn, 1, 1, 1, 32, 1, 1, 0, (CUstream)stream, args, nullptr) != CUDA_SUCCESS) {
			printf("{\"who\":\"peer\",\"error\":\"cuLaunchKernel failed\"}\n");
			exit(1);
		}
	});
	time_launches("<<<>>> and wait", "<<<>>>, of 10000", "<<<>>>, host part", [&] { empty<<<1, 32, 0, stream>>>(a, 1); });
}

// Transfers from ordinary (pageable) host memory and back.
static void
time_transfers(uint32_t *a, size_t size)
{
	std::vector<char> host(size, 1);
	for (int up = 1; up >= 0; up--) {
		std::vector<double> us;
		for (int i = 0; i < 5; i++) {
			double start = now_us();
			CHECK(up ? cudaMemcpy(a, host.data(), size, cudaMemcpyHostToDevice)
				 : cudaMemcpy(host.data(), a, size, cudaMemcpyDeviceToHost));
			CHECK(cudaDeviceSynchronize());
			us.push_back(now_us() - start);
		}
		print_row(up ? "upload" : "download", size / 4, us, double(size));
	}
}

// -- The rows of bench.c ---------------------------------------------------------------------

int
main(int argc, char **argv)
{
	size_t n = size_t(1) << (argc > 1 ? atoi(argv[1]) : 28), blocks = (n + BLOCK - 1) / BLOCK, half = n / 2;
	cudaDeviceProp p;
	uint32_t *a, *b;

	CHECK(cudaGetDeviceProperties(&p, 0));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	printf("{\"who\":\"peer\",\"name\":\"card\",\"card\":\"%s\",\"processors\":%d,\"l2\":%d,\"cub\":%d}\n", p.name,
	       p.multiProcessorCount, p.l2CacheSize, CUB_VERSION);
	CHECK(cudaMalloc(&a, n * 4));
	CHECK(cudaMalloc(&b, n * 4));
	time_both_launches(b);
	time_transfers(a, std::min(n * 4, size_t(256) << 20));

	std::vector<uint32_t> host(n);
	uint64_t x = 1;
	for (auto &v : host) { // random words, because hardware compresses zeros
		x = x * 6364136223846793005u + 1442695040888963407u;
		v = uint32_t(x >> 32);
	}
	CHECK(cudaMemcpy(a, host.data(), n * 4, cudaMemcpyHostToDevice));

	auto *a64 = (uint64_t *)a, *b64 = (uint64_t *)b;
	auto *af = (float *)a, *bf = (float *)b;
	time_work("memcpy device to device", n, 8.0 * n, [&] { CHECK(cudaMemcpyAsync(b, a, n * 4, cudaMemcpyDeviceToDevice, stream)); });
	time_work("copy1 u32", n, 8.0 * n, [&] { copy1<<<blocks, BLOCK, 0, stream>>>(a, b, n); });
	time_work("copy1 u64", half, 8.0 * n, [&] { copy1<<<(half + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(a64, b64, half); });
	time_work("copy4 u32", n, 8.0 * n, [&] { copy4<<<(n + 4 * BLOCK - 1) / (4 * BLOCK), BLOCK, 0, stream>>>(a, b, n); });
	time_work("copy4 u64", half, 8.0 * n, [&] { copy4<<<(half + 4 * BLOCK - 1) / (4 * BLOCK), BLOCK, 0, stream>>>(a64, b64, half); });
	time_work("warp_sum u32", n, 4.125 * n, [&] { warp_sum<<<blocks, BLOCK, 0, stream>>>(a, b, n); });
	time_work("warp_sum f32", n, 4.125 * n, [&] { warp_sum<<<blocks, BLOCK, 0, stream>>>(af, bf, n); });
	time_work("block_sum u32", n, 4.015625 * n, [&] { block_sum<<<blocks, BLOCK, 0, stream>>>(a, b, n); });
	time_work("block_sum f32", n, 4.015625 * n, [&] { block_sum<<<blocks, BLOCK, 0, stream>>>(af, bf, n); });
	time_work("block_scan u32", n, 8.0 * n, [&] { block_scan<<<blocks, BLOCK, 0, stream>>>(a, b, n); });
	time_work("block_scan f32", n, 8.0 * n, [&] { block_scan<<<blocks, BLOCK, 0, stream>>>(af, bf, n); });

	size_t size = 0, most = 0;
	CHECK(cub::DeviceReduce::Sum(nullptr, size, a, b, n, stream));
	most = std::max(most, size);
	CHECK(cub::DeviceScan::InclusiveSum(nullptr, size, a, b, n, stream));
	most = std::max(most, size);
	CHECK(cub::DeviceRadixSort::SortKeys(nullptr, size, a, b, n, 0, 32, stream));
	most = std::max(most, size);
	void *tmp;
	CHECK(cudaMalloc(&tmp, most));
	time_work("sum of all", n, 4.0 * n, [&] { size = most; CHECK(cub::DeviceReduce::Sum(tmp, size, a, b, n, stream)); });
	time_work("scan of all", n, 8.0 * n, [&] { size = most; CHECK(cub::DeviceScan::InclusiveSum(tmp, size, a, b, n, stream)); });
	time_work("radix pass of 8 bits", n, 8.0 * n, [&] { size = most; CHECK(cub::DeviceRadixSort::SortKeys(tmp, size, a, b, n, 0, 8, stream)); });
	time_work("radix sort of 32 bits", n, 32.0 * n, [&] { size = most; CHECK(cub::DeviceRadixSort::SortKeys(tmp, size, a, b, n, 0, 32, stream)); });
	return 0;
}
