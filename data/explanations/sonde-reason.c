/* SPDX-License-Identifier: Apache-2.0 */
#include "data/explanations/sonde-reason.h"

static const struct
{
  const char *name, *title;
} reasons[SONDE_N_REASONS] = {
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
sonde_reason_name (SondeReason reason)
{
  return reason < SONDE_N_REASONS ? reasons[reason].name : "";
}

const char *
sonde_reason_title (SondeReason reason)
{
  return reason < SONDE_N_REASONS ? reasons[reason].title : "";
}

SondeReason
sonde_reason_from_name (const char *name)
{
  for (SondeReason reason = 0; reason < SONDE_N_REASONS; reason++)
    if (g_str_equal (name, reasons[reason].name))
      return reason;
  return SONDE_N_REASONS;
}
