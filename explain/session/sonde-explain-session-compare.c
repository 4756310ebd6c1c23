/* SPDX-License-Identifier: Apache-2.0
 * Another model on the same images. */
#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "explain/session/sonde-explain-session-private.h"

SondeExplainer *
sonde_explain_session_open_other (SondeExplainSession *session, const char *path, char **digest,
                                  GError **error)
{
  g_autoptr (SondeGraph) model = sonde_model_load (NULL, path, error);
  SondeExplanationSettings settings = *session->settings; /* lent */
  SondeShape shape = sonde_shape_make (4, 1, session->dataset->channels, session->dataset->height,
                                       session->dataset->width);
  g_autoptr (SondeTensor) one = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeExplainer) explainer
      = model != NULL ? sonde_explainer_new (model, session->settings->device,
                                             session->settings->threads, error)
                      : NULL;
  gint64 n;

  if (explainer == NULL || !sonde_explain_check_size (explainer, session->dataset, error)
      || (n = sonde_explainer_get_n_classes (explainer, one, error)) < 0)
    return NULL;
  if (n != session->info->n_classes)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "“%s” has %" PRIi64 " classes but “%s” has %u, so they cannot be compared.",
                       path, n, session->info->model_name, session->info->n_classes);
      return NULL;
    }
  settings.model = (char *) path;
  *digest = sonde_explain_session_make_digest (&settings, model, session->dataset, &session->split,
                                               NULL, error);
  return *digest != NULL ? g_steal_pointer (&explainer) : NULL;
}

GPtrArray *
sonde_explain_session_compare (SondeExplainSession *session, const char *path, GError **error)
{
  g_autofree char *digest = NULL, *prefix = NULL;
  g_autoptr (SondeExplainer) other = NULL;
  g_autoptr (GPtrArray) predictions = NULL;

  sonde_explain_session_begin (session, N_ ("Predicting with the other model"), 0);
  other = sonde_explain_session_open_other (session, path, &digest, error);
  if (other == NULL)
    return NULL;
  prefix = g_strdup_printf ("other-%.16s-", digest);
  predictions
      = sonde_explain_session_classify_part (session, other, session->dataset, session->split.test,
                                             session->split.n_test, prefix, FALSE, error);
  return predictions != NULL ? sonde_explain_session_make_rows (session, predictions) : NULL;
}
