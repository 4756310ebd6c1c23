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

/* What a model was trained with: run.ini beside it, or one folder up where it is a checkpoint.
 * (transfer full) (nullable): there is none, or it cannot be read: that it is a run's is a guess */
static SondePreprocessing *
find_recorded (const char *model)
{
  g_autofree char *folder
      = g_file_test (model, G_FILE_TEST_IS_DIR) ? g_strdup (model) : g_path_get_dirname (model);
  g_autofree char *beside = g_build_filename (folder, "run.ini", NULL),
                  *above = g_build_filename (folder, "..", "run.ini", NULL);
  g_autoptr (SondeRecipe) recipe
      = sonde_recipe_load (NULL, g_file_test (beside, G_FILE_TEST_EXISTS) ? beside : above, NULL);

  return recipe != NULL
             ? sonde_preprocessing_from_transforms ((const char *const *) recipe->data_transforms)
             : NULL;
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
    {
      opening.recorded = find_recorded (settings->model);
      session = sonde_explain_session_open (&opening, error);
    }
  g_clear_pointer (&opening.model, sonde_graph_unref);
  return session;
}
