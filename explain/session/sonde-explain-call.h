/* SPDX-License-Identifier: Apache-2.0
 * The calls by which an explanation session is asked from another process: one row each with name,
 * arguments and result. Both ends follow the table: a client packs what a row says, the service
 * unpacks it, runs the handler of the row and packs the result. A further call is a row here and a
 * handler in app/worker/sonde-explain-service.c. What does not live here: how objects become
 * variants (sonde-explain-codec.h), how these cross (engine/session). */
#pragma once

#include "explain/session/sonde-explain-codec.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_EXPLAIN_OPEN,
  SONDE_EXPLAIN_CLOSE,
  SONDE_EXPLAIN_INFO,
  SONDE_EXPLAIN_PREPROCESSINGS,
  SONDE_EXPLAIN_PREDICT,
  SONDE_EXPLAIN_IMAGE,
  SONDE_EXPLAIN_MAP, /* of an edited image where one is given; that is not cached */
  SONDE_EXPLAIN_MAPS,
  SONDE_EXPLAIN_INFER, /* of an edited image where one is given */
  SONDE_EXPLAIN_TRIAGE,
  SONDE_EXPLAIN_RATE,
  SONDE_EXPLAIN_COUNTERFACTUAL,
  SONDE_EXPLAIN_NEIGHBOURS,
  SONDE_EXPLAIN_COMPARE,
  SONDE_EXPLAIN_SCORES,
  SONDE_EXPLAIN_SELF_TEST,
  SONDE_EXPLAIN_REPORT,
  SONDE_N_EXPLAIN_CALLS,
} SondeExplainCall;

/**
 * SondeExplainArguments: of any call; each reads those its row names
 * @settings, @keep, @cache: of the session to open; @cache: (nullable): needed where @keep
 * @sample: number in the dataset, of the training data where @in_training; also by which random
 *   numbers for an edited image are drawn
 * @spec: "[LABEL=]name:key=value…" (sonde-attribution-spec.h), of counterfactuals that of
 *   hierarchical occlusion (sonde-occlusion-settings.h), whose first threshold counts
 * @target: class; of methods that take pairs it is less the true label (of an edited image and of
 *   right predictions: less the runner-up)
 * @samples, @targets: (element-type guint32) and (element-type gint64), of one length
 * @k: nearest neighbours
 * @model, @path: files, absolute
 * @specs: (array zero-terminated=1) (nullable): of a report NULL is the session's own choice
 * @metrics: "all", or names between commas; @max_samples: errors that are scored, all samples where
 *   there are fewer errors than 8
 * @image: (nullable): an edited image of the size of the sample's
 */
typedef struct
{
  const SondeExplanationSettings *settings;
  gboolean keep, in_training;
  const char *cache, *model, *path, *spec, *metrics;
  const char *const *specs;
  guint sample, k, max_samples;
  gint64 target;
  const GArray *samples, *targets;
  const SondeImage *image;
} SondeExplainArguments;

/* "study.map". */
const char *sonde_explain_call_get_name (SondeExplainCall call);
/* SONDE_N_EXPLAIN_CALLS: no such call. */
SondeExplainCall sonde_explain_call_from_name (const char *name);
/* Of its result. */
const SondeExplainCodec *sonde_explain_call_get_codec (SondeExplainCall call);
/* Must a session be open? */
gboolean sonde_explain_call_needs_session (SondeExplainCall call);

/* Floating a{sv}; @tensors: (element-type SondeTensor): gets the image. */
GVariant *sonde_explain_arguments_pack (SondeExplainCall call,
                                        const SondeExplainArguments *arguments, GPtrArray *tensors);
/* @tensors: (nullable); @arguments: (out): to be cleared, whatever is returned. Errors: INVALID
 * naming the argument that is missing, of another type or out of range. */
gboolean sonde_explain_arguments_unpack (SondeExplainCall call, GVariant *variant,
                                         GPtrArray *tensors, SondeExplainArguments *arguments,
                                         GError **error);
/* Of unpacked arguments, which own what they hold. */
void sonde_explain_arguments_clear (SondeExplainArguments *arguments);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeExplainArguments, sonde_explain_arguments_clear)

G_END_DECLS
