/* SPDX-License-Identifier: Apache-2.0
 * One or more records of every kind with fixed content. The fixture v1.sonde was made from them, so
 * they do not change: new fields get new samples in a new file. */
#pragma once

#include "data/records/sonde-record.h"

#define N_SAMPLE_RECORDS 25

/* @i < N_SAMPLE_RECORDS; the caller clears @record. */
void make_sample_record (guint i, SondeRecord *record);

/* Asserts that both are the same, floats by their bits. */
void assert_records_equal (const SondeRecord *a, const SondeRecord *b);
