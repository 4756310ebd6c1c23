/* SPDX-License-Identifier: Apache-2.0
 * Counterfactual boxes of a sample, with the steps that lead there. */
#include "data/base/sonde-text.h"
#include "explain/counterfactual/sonde-occlusion-run.h"
#include "explain/session/sonde-explain-session-digest.h"
#include "explain/session/sonde-explain-session-predictions.h"
#include "explain/session/sonde-explain-session-work.h"
#include "explain/session/sonde-counterfactual-record.h"
#include "explain/session/sonde-explain-codec.h"

typedef struct
{
  SondeNetworkScore network;
  SondeExplainSession *session;
} Score;

static gboolean
score_images (SondeTensor *images, double *scores, gpointer data, GError **error)
{
  Score *score = data;

  return sonde_explain_session_tick (score->session, 0, 0, error)
         && sonde_network_score (images, scores, &score->network, error);
}

/* ---- what is kept -------------------------------------------------------- */

static char *
make_key (guint sample, const char *text, gint64 target)
{
  g_autofree char *hash = sonde_explain_hash_texts (text, NULL);

  return g_strdup_printf ("boxes-%u-%" PRIi64 "-%.16s", sample, target, hash);
}

/* (nullable): those of another image or SPEC count as none. */
static SondeCounterfactual *
load_boxes (SondeExplainSession *session, guint sample, const char *text, gint64 target)
{
  g_autofree char *key = make_key (sample, text, target);
  g_autoptr (SondeCounterfactual) boxes = sonde_explain_codec_load (
      &sonde_explain_counterfactual_codec, sonde_explain_session_get_cache (session), key);

  return boxes != NULL && boxes->sample == sample && boxes->target == target
                 && g_str_equal (boxes->spec, text)
             ? g_steal_pointer (&boxes)
             : NULL;
}

/* ---- looking for them ---------------------------------------------------- */

static SondeCounterfactual *
compute_boxes (SondeExplainSession *session, guint sample, const SondeOcclusionSpec *spec,
               gint64 target, GError **error)
{
  SondeDataset *dataset = sonde_explain_session_get_dataset (session);
  g_autoptr (SondeTensor) inputs = sonde_explain_session_load (session, &sample, 1, error);
  SondeShape shape = sonde_shape_make (3, dataset->channels, dataset->height, dataset->width);
  g_autoptr (SondeTensor) image = inputs != NULL ? sonde_tensor_reshape (inputs, &shape) : NULL;
  Score score = { { .explainer = sonde_explain_session_get_explainer (session),
                    .kind = spec->score,
                    .target = target },
                  session };
  g_autofree char *name = NULL;
  g_autoptr (GPtrArray) results = NULL;
  SondeOcclusionSettings settings;
  SondeOcclusionSpec first = *spec; /* lent */

  if (image == NULL)
    return NULL;
  sonde_explain_session_begin (session, N_ ("Searching for counterfactual regions"), 0);
  first.n_thresholds = MIN (spec->n_thresholds, 1);
  results = sonde_occlusion_run (&first, image, score_images, &score, &settings, &name, error);
  return results != NULL ? sonde_counterfactual_from_occlusion (
             g_ptr_array_index (results, 0), image, name != NULL ? name : spec->mask)
                         : NULL;
}

SondeCounterfactual *
sonde_explain_session_find_counterfactual (SondeExplainSession *session, guint sample,
                                           const char *text, gint64 target, GError **error)
{
  g_autoptr (SondeOcclusionSpec) spec = sonde_occlusion_spec_parse (text, error);
  g_autofree char *key = NULL;
  SondeCounterfactual *boxes;

  if (spec == NULL || !sonde_explain_session_check_target (session, target, error))
    return NULL;
  boxes = load_boxes (session, sample, text, target);
  if (boxes != NULL)
    return boxes;
  boxes = compute_boxes (session, sample, spec, target, error);
  if (boxes == NULL)
    return NULL;
  boxes->sample = sample;
  boxes->spec = g_strdup (text);
  boxes->target = target;
  key = make_key (sample, text, target);
  sonde_explain_codec_store (&sonde_explain_counterfactual_codec,
                             sonde_explain_session_get_cache (session), key, boxes);
  return boxes;
}
