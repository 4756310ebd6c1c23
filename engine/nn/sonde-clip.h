/* SPDX-License-Identifier: Apache-2.0
 * Gradients cut to size before the update, as nodes. */
#pragma once

#include "engine/ops/sonde-build.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_CLIP_NONE,
  SONDE_CLIP_VALUE, /* each element into ±limit */
  SONDE_CLIP_NORM,  /* each gradient to an L2 norm of at most limit */
  /* all together: times min (1, limit / (norm + 1e-6)), as PyTorch's clip_grad_norm_ */
  SONDE_CLIP_GLOBAL_NORM,
} SondeClipKind;

typedef struct
{
  SondeClipKind kind;
  double limit;
} SondeClip;

/* "none", "value:0.5", "norm:1", "global-norm:1". Errors: INVALID */
gboolean sonde_clip_parse (const char *text, SondeClip *clip, GError **error);

/**
 * sonde_clip_build:
 * @gradients: (inout) (array length=n): replaced by "clipped(GRADIENT)", nodes of phase OPTIMISER
 * @norm: (nullable): the global norm where the graph has it already
 *
 * Errors: SHAPE
 */
gboolean sonde_clip_build (const SondeClip *clip, SondeGraph *graph, SondeGraphValue **gradients,
                           guint n, SondeGraphValue *norm, GError **error);

G_END_DECLS
