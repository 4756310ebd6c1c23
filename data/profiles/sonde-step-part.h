/* SPDX-License-Identifier: Apache-2.0
 * What an instant of a step is spent on. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  SONDE_STEP_PART_DATA_WAIT,
  SONDE_STEP_PART_FORWARD,
  SONDE_STEP_PART_BACKWARD,
  SONDE_STEP_PART_OPTIMISER,
  SONDE_STEP_PART_COMMUNICATION,
  SONDE_STEP_PART_RECORDING,
  SONDE_STEP_PART_COPY,
  SONDE_STEP_PART_OTHER,
  SONDE_STEP_N_PARTS,
} SondeStepPart;

/* As in JSON, without the unit: "data_wait". */
const char *sonde_step_part_get_name (SondeStepPart part);
/* For the user, to be translated with _(): "data wait". */
const char *sonde_step_part_get_title (SondeStepPart part);

G_END_DECLS
