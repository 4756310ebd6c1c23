/* SPDX-License-Identifier: Apache-2.0
 * The training samples of a study, opened and classified when first needed. */
#include "data/base/sonde-error.h"
#include "explain/study/sonde-study-data.h"
#include "explain/study/sonde-study-private.h"

/* Keys of the cache: the folder is that of the data, so that the training data's own digest is part
 * of them. */
static char *
make_prefix (SondeStudy *study, GError **error)
{
  if (study->cache == NULL)
    return g_strdup ("");
  g_free (study->training_digest);
  study->training_digest
      = sonde_study_make_digest (study->settings, study->model, study->dataset,
                                 &study->training_split, study->training_data, error);
  return study->training_digest != NULL ? g_strdup_printf ("train-%.16s-", study->training_digest)
                                        : NULL;
}

GPtrArray *
sonde_study_get_training (SondeStudy *study, GError **error)
{
  const SondeExplanationSettings *settings = study->settings;
  g_autofree char *prefix = NULL;

  if (study->training != NULL)
    return study->training;
  if (settings->training == NULL)
    {
      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
          "No training pictures were named: they are those that the model was trained on.");
      return NULL;
    }
  if (study->training_data == NULL)
    study->training_data
        = sonde_study_open_data (settings, settings->training, TRUE, study->model, study->program,
                                 &study->training_split, study->notes, error);
  prefix = study->training_data != NULL ? make_prefix (study, error) : NULL;
  if (prefix == NULL)
    return NULL;
  sonde_study_begin (study, "predicting the training data", 0);
  study->training = sonde_study_classify_part (study, study->explainer, study->training_data,
                                               study->training_split.test,
                                               study->training_split.n_test, prefix, FALSE, error);
  if (study->training != NULL && settings->given_labels != NULL
      && !sonde_study_apply_given_labels (settings->given_labels, study->training_data,
                                          study->training, error))
    g_clear_pointer (&study->training, g_ptr_array_unref);
  return study->training;
}
