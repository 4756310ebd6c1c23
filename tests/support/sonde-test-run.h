/* SPDX-License-Identifier: Apache-2.0
 * A run folder written by hand, record by record, for tests of what reads runs. */
#pragma once

#include "data/records/sonde-record.h"
#include "data/values/sonde-image.h"

G_BEGIN_DECLS

typedef struct _SondeTestRun SondeTestRun;

/* Wall time of step 0; steps are 10 ms apart. */
#define SONDE_TEST_RUN_START_NS G_GINT64_CONSTANT (1750000000000000000)

/* @folder: made if missing; the records go to @folder/records/000001.sonde. */
SondeTestRun *sonde_test_run_new (const char *folder);
/* The same, live from its beginning: it begins after all that are not. */
SondeTestRun *sonde_test_run_new_now (const char *folder);
void sonde_test_run_free (SondeTestRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTestRun, sonde_test_run_free)

/* Later records get the time of now instead of SONDE_TEST_RUN_START_NS and so on: a run that is
 * live. */
void sonde_test_run_set_live (SondeTestRun *run);
/* A resumed writer: the next number in the same file. */
void sonde_test_run_next_session (SondeTestRun *run);

/* Pairs of const char * and double, ended by NULL: one record. */
void sonde_test_run_scalars (SondeTestRun *run, gint64 step, const char *tag,
                             ...) G_GNUC_NULL_TERMINATED;
/* @n normally distributed values around @mean. */
void sonde_test_run_histogram (SondeTestRun *run, gint64 step, const char *tag, double mean,
                               double deviation, int n);
/* A made-up digit; @label, @predicted: 0…9 */
void sonde_test_run_image (SondeTestRun *run, gint64 step, const char *tag, int index, int label,
                           int predicted);
/* Any record; step, time and session are those given. */
void sonde_test_run_record (SondeTestRun *run, const SondeRecord *record);
/* Bytes as they are: damage. */
void sonde_test_run_bytes (SondeTestRun *run, const void *data, gsize length);
/* Appends what was collected to the file. */
void sonde_test_run_flush (SondeTestRun *run);

G_END_DECLS
