/* SPDX-License-Identifier: Apache-2.0
 * Where model and images come from. */
#include "app/worker/sonde-explain-open.h"

#include "app/worker/sonde-training-job.h"
#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"

/* A run folder stands for its final model, on the test part of its own data. */
static gboolean
open_run (const char *run, SondeExplainOptions *opening, GError **error)
{
  g_autofree char *recipe_path = g_build_filename (run, "run.ini", NULL);
  g_autoptr (SondeRecipe) recipe = sonde_recipe_load (NULL, recipe_path, error);
  g_autofree char *path = NULL;

  if (recipe == NULL)
    return FALSE;
  path = g_path_is_absolute (recipe->checkpoint_directory)
             ? g_build_filename (recipe->checkpoint_directory, "final.onnx", NULL)
             : g_build_filename (run, recipe->checkpoint_directory, "final.onnx", NULL);
  opening->model = sonde_model_load (NULL, path, error);
  if (opening->model == NULL)
    {
      sonde_prefix_error (error, "The run has no trained model yet: ");
      return FALSE;
    }
  if (opening->settings->data == NULL)
    opening->dataset
        = sonde_training_job_open_dataset (recipe, opening->program, &opening->split, error);
  return opening->settings->data != NULL || opening->dataset != NULL;
}

SondeExplainSession *
sonde_explain_session_open_settings (const SondeExplanationSettings *settings, const char *program,
                                     const char *cache, const SondeExplainListener *listener,
                                     gboolean measure, GError **error)
{
  SondeExplainOptions opening = { .settings = settings,
                                  .program = program,
                                  .cache = cache,
                                  .listener = listener,
                                  .measure = measure };
  SondeExplainSession *session = NULL;

  if (settings->model == NULL)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "No model given: specify an ONNX file or a run folder.");
  else if (!g_file_test (settings->model, G_FILE_TEST_IS_DIR)
           || open_run (settings->model, &opening, error))
    session = sonde_explain_session_open (&opening, error);
  g_clear_pointer (&opening.model, sonde_graph_unref);
  return session;
}
