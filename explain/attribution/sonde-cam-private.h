/* SPDX-License-Identifier: Apache-2.0
 * What all class-activation maps share: the layer, images in batches, and the way from a map at
 * the layer to the result. */
#pragma once

#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/attribution/sonde-cam.h"
#include "explain/attribution/sonde-targets.h"
#include "explain/sonde-explainer-layer.h"

G_BEGIN_DECLS

/* Rows of the parameter tables; the score stands beside them. */
#define SONDE_CAM_PARAMETERS                                                                       \
  { "layer",                                                                                       \
    NULL,                                                                                          \
    SONDE_PARAMETER_TEXT,                                                                          \
    0,                                                                                             \
    0,                                                                                             \
    NULL,                                                                                          \
    "value or node; else the last value with height and width" },                                  \
      { "relu",                                                                                    \
        "yes",                                                                                     \
        SONDE_PARAMETER_CHOICE,                                                                    \
        0,                                                                                         \
        0,                                                                                         \
        "yes|no",                                                                                  \
        "negative evidence becomes 0, before resizing" },                                          \
  {                                                                                                \
    "size", "input", SONDE_PARAMETER_CHOICE, 0, 0, "input|layer",                                  \
        "resized to the image, or as the layer has it"                                             \
  }

/**
 * SondeCam: one request
 * @low: (array length=n × h × w): signed maps at the layer, by row of the request
 * @batch: images of one pass
 * @scores: logit or probability of a row's target
 */
typedef struct
{
  SondeExplainer *explainer;
  const SondeAttributionRequest *request;
  SondeTargets targets;
  SondeExplainerLayer *layer;
  gint64 channels, height, width, batch;
  float *low;
  SondeTensor *scores;
} SondeCam;

gboolean sonde_cam_init (SondeCam *cam, SondeExplainer *explainer,
                         const SondeAttributionRequest *request, GError **error);
void sonde_cam_clear (SondeCam *cam);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeCam, sonde_cam_clear)

/* Sets the scores of rows from the logits of theirs: row i of @logits belongs to row rows[i] of the
 * request. */
void sonde_cam_set_scores (SondeCam *cam, SondeTensor *logits, const gint64 *rows, gint64 n);
/* @done of the request's rows. */
gboolean sonde_cam_tell (const SondeCam *cam, gint64 done, GError **error);
/* ReLU, size, what there is to say. */
void sonde_cam_finish (SondeCam *cam, SondeAttributionResult *result);

G_END_DECLS
