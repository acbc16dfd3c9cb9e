// scale [DEVICE]: y = a x + y, in C++: qd's objects free themselves, its errors are thrown.
//
//	c++ -std=c++17 scale.cpp $(pkg-config --cflags --libs qdgpu) -o scale && ./scale
#include <qdgpu/qd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

namespace {

const char text[] = "kernel axpy(a: f32, x: in f32[], y: f32[]) block(64) {\n"
		    "  for i in grid(y.len) { y[i] = a * x[i] + y[i]; }\n"
		    "}\n";

// Deleter of a qd object.
template <auto Free> struct freed {
	template <class T> void operator()(T *object) const { Free(object); }
};
template <class T, auto Free> using owned = std::unique_ptr<T, freed<Free>>;

using context = owned<qd_context, qd_context_free>;
using module_of = owned<qd_module, qd_module_free>;
using kernel = owned<qd_kernel, qd_kernel_free>;
using device = owned<qd_device, qd_device_close>;
using function = owned<qd_function, qd_function_free>;
using stream = owned<qd_stream, qd_stream_free>;
using buffer = owned<qd_buffer, qd_buffer_free>;

// made<buffer>(qd_buffer_create, dev, bytes, 0): calls a function whose last arguments are the new
// object and the error.
template <class Owner, class Call, class... Args> Owner made(Call call, Args... args)
{
	typename Owner::pointer object = nullptr;
	qd_error e;
	if (call(args..., &object, &e) != QD_OK)
		throw std::runtime_error(e.text);
	return Owner(object);
}

template <class Call, class... Args> void done(Call call, Args... args)
{
	qd_error e;
	if (call(args..., &e) != QD_OK)
		throw std::runtime_error(e.text);
}

std::vector<float> axpy(const char *selector, float a, const std::vector<float> &x, std::vector<float> y)
{
	qd_context_desc desc = {};
	desc.version = QD_VERSION;
	// Objects are freed in reverse order.
	auto ctx = made<context>(qd_context_create, &desc);
	auto m = made<module_of>(qd_module_parse, ctx.get(), text, std::strlen(text), "scale.qdk");
	auto k = made<kernel>(qd_module_kernel, m.get(), "axpy", nullptr, 0u);
	auto dev = made<device>(qd_device_open, ctx.get(), selector);
	auto fn = made<function>(qd_function_get, dev.get(), k.get(), nullptr, 0u);
	auto s = made<stream>(qd_stream_create, dev.get());
	auto bx = made<buffer>(qd_buffer_create, dev.get(), x.size() * sizeof x[0], 0u);
	auto by = made<buffer>(qd_buffer_create, dev.get(), y.size() * sizeof y[0], 0u);
	const qd_arg args[] = { qd_arg_f32(a), qd_arg_buffer(bx.get()), qd_arg_buffer(by.get()) };

	done(qd_buffer_upload, s.get(), bx.get(), 0u, x.data(), x.size() * sizeof x[0]);
	done(qd_buffer_upload, s.get(), by.get(), 0u, y.data(), y.size() * sizeof y[0]);
	done(qd_launch, s.get(), fn.get(), QD_GRID, args, 3u);
	done(qd_buffer_download, s.get(), by.get(), 0u, y.data(), y.size() * sizeof y[0]);
	return y;
}

} // namespace

int main(int argc, char **argv)
{
	try {
		for (float v : axpy(argc > 1 ? argv[1] : "ref:8", 2, { 1, 2, 3, 4 }, { 10, 20, 30, 40 }))
			std::printf("%g ", v); // 12 24 36 48
		std::puts("");
	} catch (const std::exception &e) {
		std::fprintf(stderr, "%s\n", e.what());
		return 1;
	}
}
