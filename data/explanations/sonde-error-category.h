/* SPDX-License-Identifier: Apache-2.0
 * Categories of misclassifications, as files name them. How they are found: explain/triage. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* In the order in which the first that matches is the category of an error. */
typedef enum
{
  SONDE_CATEGORY_NEAR_DUPLICATE,
  SONDE_CATEGORY_REPEATED_CUE,
  SONDE_CATEGORY_LABEL_ERROR,
  SONDE_CATEGORY_OUT_OF_DISTRIBUTION,
  SONDE_CATEGORY_BOUNDARY,
  SONDE_CATEGORY_WRONG_EVIDENCE,
  SONDE_CATEGORY_CONFIDENT_WRONG,
  SONDE_CATEGORY_UNKNOWN,
  SONDE_N_CATEGORIES, /* no error, or not categorised */
} SondeErrorCategory;

const char *sonde_error_category_get_name (
    SondeErrorCategory category); /* "near-duplicate"; "" of SONDE_N_CATEGORIES */
const char *sonde_error_category_get_title (
    SondeErrorCategory category); /* for people: English, marked for _() */
/* SONDE_N_CATEGORIES where it is no such name. */
SondeErrorCategory sonde_error_category_from_name (const char *name);

G_END_DECLS
