/* Loads the library and ends: tests/scripts/library_size.py counts the instructions of its start.
 * With -DEMPTY it uses no library. */
#include "qd.h"

int
main(void)
{
#ifdef EMPTY
	return 0;
#else
	return qd_version() == 0;
#endif
}
