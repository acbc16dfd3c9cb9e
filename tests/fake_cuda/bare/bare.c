/* A libcuda.so.1 that lacks most functions. */
#define FAKE_EXPORT __attribute__((visibility("default")))

FAKE_EXPORT int cuInit(unsigned flags);
FAKE_EXPORT int cuDriverGetVersion(int *version);

int
cuInit(unsigned flags)
{
	return (int)flags;
}

int
cuDriverGetVersion(int *version)
{
	*version = 12000;
	return 0;
}
