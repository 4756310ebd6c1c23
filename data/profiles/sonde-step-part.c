/* SPDX-License-Identifier: Apache-2.0 */
#include "data/profiles/sonde-step-part.h"

#include "data/base/sonde-text.h"

const char *
sonde_step_part_get_name (SondeStepPart part)
{
  static const char *const names[] = {
    [SONDE_STEP_PART_DATA_WAIT] = "data_wait",
    [SONDE_STEP_PART_FORWARD] = "forward",
    [SONDE_STEP_PART_BACKWARD] = "backward",
    [SONDE_STEP_PART_OPTIMISER] = "optimiser",
    [SONDE_STEP_PART_COMMUNICATION] = "communication",
    [SONDE_STEP_PART_RECORDING] = "recording",
    [SONDE_STEP_PART_COPY] = "copy",
    [SONDE_STEP_PART_OTHER] = "other",
  };

  return names[part];
}

const char *
sonde_step_part_get_title (SondeStepPart part)
{
  static const char *const titles[SONDE_STEP_N_PARTS]
      = { N_ ("data wait"),     N_ ("forward"),   N_ ("backward"), N_ ("optimiser"),
          N_ ("communication"), N_ ("recording"), N_ ("copies"),   N_ ("other") };

  return titles[part];
}
