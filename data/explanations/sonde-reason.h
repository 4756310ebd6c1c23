/* SPDX-License-Identifier: Apache-2.0
 * Categories of misclassifications, as files name them. How they are found: explain/triage. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* In the order in which the first that matches is the category of an error. */
typedef enum
{
  SONDE_REASON_NEAR_DUPLICATE,
  SONDE_REASON_REPEATED_CUE,
  SONDE_REASON_LABEL_ERROR,
  SONDE_REASON_OUT_OF_DISTRIBUTION,
  SONDE_REASON_BOUNDARY,
  SONDE_REASON_WRONG_EVIDENCE,
  SONDE_REASON_CONFIDENT_WRONG,
  SONDE_REASON_UNKNOWN,
  SONDE_N_REASONS, /* no error, or not categorised */
} SondeReason;

const char *sonde_reason_name (SondeReason reason);  /* "near-duplicate"; "" of SONDE_N_REASONS */
const char *sonde_reason_title (SondeReason reason); /* for people */
/* SONDE_N_REASONS where it is no such name. */
SondeReason sonde_reason_from_name (const char *name);

G_END_DECLS
