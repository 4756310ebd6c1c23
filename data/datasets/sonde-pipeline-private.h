/* SPDX-License-Identifier: Apache-2.0
 * What the files with stages share. */
#pragma once

#include "data/datasets/sonde-pipeline.h"

#include <stdatomic.h>

/* Makes @stage one behind @before, with its count, dtypes and shapes. */
void sonde_stage_follow (SondeStage *stage, const SondeStageClass *klass, SondeStage *before);

gsize sonde_stage_sample_bytes (const SondeStage *stage);
gsize sonde_stage_label_bytes (const SondeStage *stage);
