/* SPDX-License-Identifier: Apache-2.0
 * Another model on the same pictures. */
#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "explain/study/sonde-study-private.h"

SondeExplainer *
sonde_study_open_other (SondeStudy *study, const char *path, char **digest, GError **error)
{
  g_autoptr (SondeGraph) model = sonde_model_load (NULL, path, error);
  SondeExplanationSettings settings = *study->settings; /* lent */
  SondeShape shape = sonde_shape_make (4, 1, study->dataset->channels, study->dataset->height,
                                       study->dataset->width);
  g_autoptr (SondeTensor) one = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeExplainer) explainer
      = model != NULL
            ? sonde_explainer_new (model, study->settings->device, study->settings->threads, error)
            : NULL;
  gint64 n;

  if (explainer == NULL || !sonde_explain_check_size (explainer, study->dataset, error)
      || (n = sonde_explainer_get_n_classes (explainer, one, error)) < 0)
    return NULL;
  if (n != study->facts->n_classes)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "“%s” has %" PRIi64 " classes and “%s” %u: they cannot be compared.", path,
                       n, study->facts->model_name, study->facts->n_classes);
      return NULL;
    }
  settings.model = (char *) path;
  *digest = sonde_study_make_digest (&settings, model, study->dataset, &study->split, NULL, error);
  return *digest != NULL ? g_steal_pointer (&explainer) : NULL;
}

GPtrArray *
sonde_study_compare (SondeStudy *study, const char *path, GError **error)
{
  g_autofree char *digest = NULL, *prefix = NULL;
  g_autoptr (SondeExplainer) other = NULL;
  g_autoptr (GPtrArray) predictions = NULL;

  sonde_study_begin (study, "predicting with the other model", 0);
  other = sonde_study_open_other (study, path, &digest, error);
  if (other == NULL)
    return NULL;
  prefix = g_strdup_printf ("other-%.16s-", digest);
  predictions = sonde_study_classify_part (study, other, study->dataset, study->split.test,
                                           study->split.n_test, prefix, FALSE, error);
  return predictions != NULL ? sonde_study_make_rows (study, predictions) : NULL;
}
