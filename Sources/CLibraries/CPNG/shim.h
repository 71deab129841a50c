/* As in CPlatform: the C library's types must look the same in every module. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <png.h>
