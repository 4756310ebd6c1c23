/* SPDX-License-Identifier: Apache-2.0
 * Attribution methods: one row a method. A map is float32, signed, unscaled. Definitions: docs/explain.md. */
#pragma once

#include "explain/sonde-explainer.h"

G_BEGIN_DECLS

typedef struct _SondeAttribution SondeAttribution;

/**
 * SondeAttribution:
 * @name: as in --method
 * @title: for people
 * @summary: one sentence: what a high value means
 * @parameters: text of what it was computed with, stored with each map
 * @compute: @inputs float32 [n, C, H, W], @targets int64 [n] classes -> float32 [n, C, H, W] per channel;
 *   @scores: (out) (transfer full): float32 [n], the target's logit. Errors: of the engine.
 */
struct _SondeAttribution
{
  const char *name;
  const char *title;
  const char *summary;
  const char *parameters;
  SondeTensor *(*compute) (SondeExplainer *explainer, SondeTensor *inputs, SondeTensor *targets, SondeTensor **scores,
                           GError **error);
};

const SondeAttribution *sonde_attribution_find (const char *name); /* (nullable) */
/* (array length=n) */
const SondeAttribution *sonde_attribution_list (gsize *n);

/**
 * sonde_attribution_aggregate:
 * @channels: float32 [C, H, W]
 *
 * One map from the channels: at each pixel the value of the channel with the largest magnitude, sign kept (ties:
 * the first). Its magnitude is the abs_max aggregation; one channel stays as it is.
 * Returns: (transfer full): float32 [H, W]
 */
SondeTensor *sonde_attribution_aggregate (SondeTensor *channels);

G_END_DECLS
