/* SPDX-License-Identifier: Apache-2.0
 * Vectors that are registers. GCC keeps one that is wider than a register in memory from one step of
 * a loop to the next; so a loop that adds up is written for a WIDTH, compiled for both, and chosen
 * with sonde_cpu_has_wide_vectors(): the same lanes in the same order, and so the same bits. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-kernel.h"

typedef float SondeCpuFloats16 __attribute__ ((vector_size (64), aligned (4), may_alias));
typedef float SondeCpuFloats8 __attribute__ ((vector_size (32), aligned (4), may_alias));
typedef float SondeCpuFloats4 __attribute__ ((vector_size (16), aligned (4), may_alias));

/* The lanes of a register that holds WIDTH floats, as doubles: half as many. */
typedef double SondeCpuDoubles8 __attribute__ ((vector_size (64)));
typedef double SondeCpuDoubles4 __attribute__ ((vector_size (32)));
typedef float SondeCpuHalf8 __attribute__ ((vector_size (32), aligned (4), may_alias));
typedef float SondeCpuHalf4 __attribute__ ((vector_size (16), aligned (4), may_alias));

typedef guint32 SondeCpuWords16 __attribute__ ((vector_size (64), aligned (2), may_alias));
typedef guint32 SondeCpuWords8 __attribute__ ((vector_size (32), aligned (2), may_alias));

/* The vector of WIDTH floats at @at, which can be written too. */
#define SONDE_CPU_LOAD(WIDTH, at) (*(SondeCpuFloats##WIDTH *) (at))
/* WIDTH floats at @at as doubles. */
#define SONDE_CPU_WIDEN(WIDTH, at)                                                                 \
  __builtin_convertvector(*(const SondeCpuHalf##WIDTH *) (at), SondeCpuDoubles##WIDTH)
