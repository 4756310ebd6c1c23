/* SPDX-License-Identifier: Apache-2.0
 * `sonde explain` on raw tensors: --input X.npy --targets T.npy. */
#pragma once

#include "app/worker/models/sonde-model-choice.h"
#include "explain/attribution/sonde-attribution-spec.h"

G_BEGIN_DECLS

/**
 * SondeExplainBatch: the request; borrowed
 * @model: path; @choice: how it is opened
 * @input: .npy float32 [N, C, H, W]; @targets: .npy int64 [N] or [N, K]
 * @methods: (nullable) (array zero-terminated=1): SPECs; NULL: saliency, or nothing with @hoc
 * @hoc: (nullable): SPEC of hierarchical occlusion, for hoc/N-K.json
 * @output: folder for maps/LABEL.npy and settings.json
 * @device: (nullable)
 */
typedef struct
{
  const char *model, *input, *targets, *output, *device, *hoc;
  const SondeModelChoice *choice;
  char **methods;
  int threads;
  gint64 seed;
} SondeExplainBatch;

/* Computes and writes everything; no image is aggregated. Errors: SHAPE naming both shapes; of
 * SPEC; of the methods. */
gboolean sonde_explain_batch_run (const SondeExplainBatch *batch, GError **error);

/* Whether the call goes on without the method of @spec, which the network or what SPEC asks for
 * forbids (an operator without a gradient, no such layer): the reason is said on stderr, @error
 * cleared, the label added to @failed. FALSE for other errors, and where it is the only one of
 * @n_methods: @error stays. */
gboolean sonde_explain_skip_method (GPtrArray *failed, guint n_methods,
                                    const SondeAttributionSpec *spec, GError **error);
/* FALSE where methods failed, naming them: what the others gave is written. */
gboolean sonde_explain_check_methods (const GPtrArray *failed, guint n_methods, GError **error);

/* (element-type SondeAttributionSpec) (transfer full). @methods: (nullable): saliency. Errors: of
 * SPEC, with the option; INVALID for a label that two have. */
GPtrArray *sonde_explain_parse_methods (char **methods, GError **error);

G_END_DECLS
