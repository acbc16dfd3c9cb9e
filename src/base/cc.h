/* All compiler extensions in use, each wrapped in a macro. Other files must not use any directly. */
#ifndef QD_BASE_CC_H
#define QD_BASE_CC_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define QD_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define QD_UNUSED	     __attribute__((unused))
#define QD_COLD		     __attribute__((cold, noinline))
#define QD_APART	     __attribute__((noinline))
#define QD_LIKELY(x)	     __builtin_expect(!!(x), 1)
#define QD_UNLIKELY(x)	     __builtin_expect(!!(x), 0)
#else
#define QD_PRINTF(fmt, args)
#define QD_UNUSED
#define QD_COLD
#define QD_APART
#define QD_LIKELY(x)   (x)
#define QD_UNLIKELY(x) (x)
#endif

/* Returns whether the thread's float environment (rounding, flushing, traps) may differ from the
 * default. Cheap on SSE2; always true elsewhere. */
#if defined(__GNUC__) && defined(__SSE2__)
#define QD_FLOAT_ENV_CHANGED() ((__builtin_ia32_stmxcsr() & 0xffc0) != 0x1f80)
#else
#define QD_FLOAT_ENV_CHANGED() true
#endif

/* Returns the logarithm to base 2 of x, rounded down. x must not be 0. */
static inline unsigned
qd_log2(size_t x)
{
#if defined(__GNUC__)
	return 63u - (unsigned)__builtin_clzll(x);
#else
	unsigned n = 0;

	while (x >>= 1)
		n++;
	return n;
#endif
}

/* Returns the index of the lowest set bit of x. x must not be 0. */
static inline unsigned
qd_lowest_bit(uint64_t x)
{
#if defined(__GNUC__)
	return (unsigned)__builtin_ctzll(x);
#else
	unsigned n = 0;

	while (!(x >> n & 1))
		n++;
	return n;
#endif
}

/* A single access to an object of this type at p, which is aligned for it. Other threads may
 * access it at the same time, also as another type. */
#if defined(__GNUC__)
#define QD_SHARED_LOAD(type, p)     __atomic_load_n((const type QD_ALIAS *)(p), __ATOMIC_RELAXED)
#define QD_SHARED_STORE(type, p, v) __atomic_store_n((type QD_ALIAS *)(p), (v), __ATOMIC_RELAXED)
#define QD_ALIAS		    __attribute__((may_alias))
#else
#define QD_SHARED_LOAD(type, p)     (*(const volatile type *)(p))
#define QD_SHARED_STORE(type, p, v) ((void)(*(volatile type *)(p) = (v)))
#endif

/* Completes this thread's earlier writes to memory before its later accesses, also for
 * write-combining memory. */
#if defined(__GNUC__) && defined(__SSE2__)
#define QD_WRITES_DONE() __builtin_ia32_sfence()
#else
#define QD_WRITES_DONE() atomic_thread_fence(memory_order_seq_cst)
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define QD_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define QD_TSAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define QD_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define QD_TSAN 1
#endif

/* A function that is inlined into each call, so that it is specialized for the call's constants.
 * Not with sanitizers, because they would instrument each copy and compilation would take
 * minutes. Not without optimization, because the copies would not shrink. */
#if defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(QD_ASAN) && !defined(QD_TSAN)
#define QD_INLINE static inline __attribute__((always_inline))
#else
#define QD_INLINE static inline
#endif

/* Mark memory as inaccessible for the address sanitizer. */
#ifdef QD_ASAN
/* Declarations from <sanitizer/asan_interface.h>, which some compilers lack. */
void __asan_poison_memory_region(void const volatile *addr, size_t size);
void __asan_unpoison_memory_region(void const volatile *addr, size_t size);
#define QD_POISON(p, size)   __asan_poison_memory_region(p, size)
#define QD_UNPOISON(p, size) __asan_unpoison_memory_region(p, size)
#else
#define QD_POISON(p, size)   ((void)(p), (void)(size))
#define QD_UNPOISON(p, size) ((void)(p), (void)(size))
#endif

#define QD_COUNT(a) (sizeof(a) / sizeof((a)[0]))
/* The value of a macro as a string. */
#define QD_TEXT(macro)	QD_TEXT_(macro)
#define QD_TEXT_(value) #value

#endif
