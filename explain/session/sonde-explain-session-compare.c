/* SPDX-License-Identifier: Apache-2.0
 * Another model on the same images. */
#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "explain/session/sonde-explain-session-digest.h"
#include "explain/session/sonde-explain-session-predictions.h"
#include "explain/session/sonde-explain-session-work.h"

/* The model in @path, where it takes the same images. @digest: (out) (transfer full): of it */
static SondeExplainer *
open_other (SondeExplainSession *session, const char *path, char **digest, GError **error)
{
  const SondeExplanationSettings *own = sonde_explain_session_get_settings (session);
  const SondeExplainInfo *info = sonde_explain_session_get_info (session);
  SondeDataset *dataset = sonde_explain_session_get_dataset (session);
  g_autoptr (SondeGraph) model = sonde_model_load (NULL, path, error);
  SondeExplanationSettings settings = *own; /* lent */
  SondeShape shape = sonde_shape_make (4, 1, dataset->channels, dataset->height, dataset->width);
  g_autoptr (SondeTensor) one = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeExplainer) explainer
      = model != NULL ? sonde_explainer_new (model, own->device, own->threads, error) : NULL;
  gint64 n;

  if (explainer == NULL || !sonde_explain_check_size (explainer, dataset, error)
      || (n = sonde_explainer_get_n_classes (explainer, one, error)) < 0)
    return NULL;
  if (n != info->n_classes)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "“%s” has %" PRIi64 " classes but “%s” has %u, so they cannot be compared.",
                       path, n, info->model_name, info->n_classes);
      return NULL;
    }
  settings.model = (char *) path;
  settings.signature = settings.weights = settings.shapes = NULL; /* of the first */
  *digest = sonde_explain_session_make_digest (
      &settings, model, dataset, sonde_explain_session_get_split (session), NULL, error);
  return *digest != NULL ? g_steal_pointer (&explainer) : NULL;
}

GPtrArray *
sonde_explain_session_compare (SondeExplainSession *session, const char *path, GError **error)
{
  SondeDataset *dataset = sonde_explain_session_get_dataset (session);
  const SondeSplitPart *split = sonde_explain_session_get_split (session);
  g_autofree char *digest = NULL, *prefix = NULL;
  g_autoptr (SondeExplainer) other = NULL;

  sonde_explain_session_begin (session, N_ ("Predicting with the other model"), 0);
  other = open_other (session, path, &digest, error);
  if (other == NULL)
    return NULL;
  prefix = g_strdup_printf ("other-%.16s-", digest);
  return sonde_explain_session_classify_part (session, other, dataset, split->test, split->n_test,
                                              prefix, FALSE, error);
}
