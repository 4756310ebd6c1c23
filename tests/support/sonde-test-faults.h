/* SPDX-License-Identifier: Apache-2.0
 * Faults on purpose: call number k of one kind fails, once or from there on, for every k until the
 * operation ends untouched. The .c file is a source beside a test's own: it replaces GLib's
 * g_try_*() in that program. */
#pragma once

#include "data/base/sonde-io.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_TEST_FAULT_IO,       /* a call of sonde_test_faults_io() */
  SONDE_TEST_FAULT_MEMORY,   /* g_try_malloc() and its like, so sonde_try_alloc(), too */
  SONDE_TEST_FAULT_DATABASE, /* for the test's own shims */
  SONDE_TEST_FAULT_DATABASE_MEMORY,
} SondeTestFault;

/* Is this call to fail? Counts it; any thread. */
gboolean sonde_test_fault (SondeTestFault kind);

/* The system's table with faults: opening, reading, writing, syncing, renaming, asking; closing
 * works always. */
const SondeIo *sonde_test_faults_io (void);
void sonde_test_faults_set_errno (int number); /* EIO at first */

/**
 * sonde_test_faults_loop:
 * @round: runs the operation, calls sonde_test_faults_end() and then checks what came of it
 *
 * Calls @round with call 1, 2, 3 … failing, until none was reached; then again with all calls from
 * there on. Past 16 the steps grow, so that the test stays short; the environment's
 * SONDE_TEST_FAULTS=all tries each. Says and returns how many rounds had a fault.
 */
guint sonde_test_faults_loop (SondeTestFault kind, void (*round) (gpointer data), gpointer data);
/* No more faults. TRUE: there was one in this round. */
gboolean sonde_test_faults_end (void);

G_END_DECLS
