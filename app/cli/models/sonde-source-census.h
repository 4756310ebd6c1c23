/* SPDX-License-Identifier: Apache-2.0
 * What a model file consists of in its own words: the counterpart of SondeModelCensus for formats whose
 * operators are not those of the graph. */
#pragma once

#include "data/models/lowering/sonde-conversion.h"
#include "engine/passes/sonde-model-census.h"

G_BEGIN_DECLS

/**
 * sonde_source_census_new:
 * @conversion: of @model
 *
 * Operators by the source's names, and those that nothing of ours stands for; parameters are the
 * model's. Returns: (transfer full)
 */
SondeModelCensus *sonde_source_census_new (const SondeConversion *conversion,
                                           const SondeGraph *model);

G_END_DECLS
