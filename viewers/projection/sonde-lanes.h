/* SPDX-License-Identifier: Apache-2.0
 * Sixteen floats at a time, for the machine it runs on. */
#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)                                \
    && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SONDE_LANES_CLONES                                                                         \
  __attribute__ ((target_clones ("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SONDE_LANES_CLONES
#endif

#define SONDE_LANES 16
typedef float SondeLanes __attribute__ ((vector_size (64)));

/* Macros, since a function that takes such a vector is called differently on each machine. */
#define SONDE_LANES_LOAD(lanes, from) memcpy (&(lanes), (from), sizeof (SondeLanes))
#define SONDE_LANES_STORE(to, lanes) memcpy ((to), &(lanes), sizeof (SondeLanes))

G_END_DECLS
