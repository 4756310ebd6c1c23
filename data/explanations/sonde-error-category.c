/* SPDX-License-Identifier: Apache-2.0 */
#include "data/explanations/sonde-error-category.h"

#include "data/base/sonde-text.h"

static const struct
{
  const char *name, *title;
} categories[SONDE_N_CATEGORIES] = {
  { "near-duplicate", N_ ("Near duplicate with another label") },
  { "repeated-cue", N_ ("Repeated cue") },
  { "label-error", N_ ("Suspected label error") },
  { "out-of-distribution", N_ ("Out of distribution") },
  { "boundary", N_ ("Boundary case") },
  { "wrong-evidence", N_ ("Wrong evidence") },
  { "confident-wrong", N_ ("Confident and wrong") },
  { "unknown", N_ ("Unknown") },
};

const char *
sonde_error_category_get_name (SondeErrorCategory category)
{
  return category < SONDE_N_CATEGORIES ? categories[category].name : "";
}

const char *
sonde_error_category_get_title (SondeErrorCategory category)
{
  return category < SONDE_N_CATEGORIES ? categories[category].title : "";
}

SondeErrorCategory
sonde_error_category_from_name (const char *name)
{
  for (SondeErrorCategory category = 0; category < SONDE_N_CATEGORIES; category++)
    if (g_str_equal (name, categories[category].name))
      return category;
  return SONDE_N_CATEGORIES;
}
