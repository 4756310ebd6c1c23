/* SPDX-License-Identifier: Apache-2.0
 * Which processors a thread may run on. libgomp binds the first thread of a program that computes
 * to one processor, and every thread made later inherits that; threads that do not compute undo it
 * here. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Holds the mask the program inherited, as "0,1,5"; set by whoever starts a program that
 * computes. */
#define SONDE_AFFINITY_VARIABLE "SONDE_AFFINITY"

/* The calling thread's mask as "0,1,5"; @n: (out): how many. Returns: (transfer full) (nullable) */
char *sonde_affinity_describe (int *n);

/* Gives the calling thread the mask of SONDE_AFFINITY_VARIABLE; does nothing where that is absent.
 * Threads that write files or serve sockets call it first. */
void sonde_affinity_restore (void);

G_END_DECLS
