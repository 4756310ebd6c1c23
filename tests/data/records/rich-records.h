/* SPDX-License-Identifier: Apache-2.0
 * Records of the kinds and fields that came after v1.sonde. The fixture v2.sonde was made from
 * the first N_VERSION_2_RECORDS: like the samples before them, they do not change. */
#pragma once

#include "data/records/sonde-record.h"

#define N_VERSION_2_RECORDS 23
#define N_RICH_RECORDS 25

/* @i < N_RICH_RECORDS; the caller clears @record. */
void make_rich_record (guint i, SondeRecord *record);

/* What @record, of the first N_VERSION_2_RECORDS, was before fields were added to its kind. */
void forget_fields_after_version_2 (SondeRecord *record);

/* Asserts that both are the same, floats by their bits. */
void assert_rich_records_equal (const SondeRecord *a, const SondeRecord *b);
