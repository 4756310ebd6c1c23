/* SPDX-License-Identifier: Apache-2.0 */
#include "data/explanations/sonde-error-category.h"

static const struct
{
  const char *name, *title;
} reasons[SONDE_N_CATEGORIES] = {
  { "near-duplicate", "Near duplicate with another label" },
  { "repeated-cue", "Repeated cue" },
  { "label-error", "Suspected label error" },
  { "out-of-distribution", "Out of distribution" },
  { "boundary", "Boundary case" },
  { "wrong-evidence", "Wrong evidence" },
  { "confident-wrong", "Confident and wrong" },
  { "unknown", "Unknown" },
};

const char *
sonde_error_category_get_name (SondeErrorCategory reason)
{
  return reason < SONDE_N_CATEGORIES ? reasons[reason].name : "";
}

const char *
sonde_error_category_get_title (SondeErrorCategory reason)
{
  return reason < SONDE_N_CATEGORIES ? reasons[reason].title : "";
}

SondeErrorCategory
sonde_error_category_from_name (const char *name)
{
  for (SondeErrorCategory reason = 0; reason < SONDE_N_CATEGORIES; reason++)
    if (g_str_equal (name, reasons[reason].name))
      return reason;
  return SONDE_N_CATEGORIES;
}
