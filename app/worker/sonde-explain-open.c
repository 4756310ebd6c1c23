/* SPDX-License-Identifier: Apache-2.0
 * Where model and images come from. */
#include "app/worker/sonde-explain-open.h"

#include "app/worker/models/sonde-model-choice.h"
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

/* A model file, or a folder that is one. */
static gboolean
open_file (SondeExplainOptions *opening, SondeWeightReport **report, GError **error)
{
  const SondeExplanationSettings *settings = opening->settings;
  g_auto (GStrv) shapes = settings->shapes != NULL ? g_strsplit (settings->shapes, ";", -1) : NULL;
  const SondeModelChoice choice = { settings->signature, settings->weights, shapes };

  opening->model = sonde_model_choice_open (&choice, settings->model, report, error);
  return opening->model != NULL;
}

static gboolean
open_subject (SondeExplainOptions *opening, SondeWeightReport **report, GError **error)
{
  const SondeExplanationSettings *settings = opening->settings;

  if (!g_file_test (settings->model, G_FILE_TEST_IS_DIR)
      || sonde_model_sniff (NULL, settings->model, NULL) != NULL)
    return open_file (opening, report, error);
  if (settings->signature == NULL && settings->weights == NULL && settings->shapes == NULL)
    return open_run (settings->model, opening, error);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "--signature, --weights and --shape are for model files; “%s” is a run, whose "
                   "final model is taken as it is.",
                   settings->model);
  return FALSE;
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
  g_autoptr (SondeWeightReport) report = NULL;
  SondeExplainSession *session = NULL;

  if (settings->model == NULL)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "No model given: specify a model file or a run folder.");
  else if (open_subject (&opening, &report, error))
    {
      opening.recorded = find_recorded (settings->model);
      session = sonde_explain_session_open (&opening, error);
    }
  if (session != NULL && report != NULL)
    g_ptr_array_add (sonde_explain_session_get_notes (session),
                     sonde_weight_report_to_message (report));
  g_clear_pointer (&opening.model, sonde_graph_unref);
  return session;
}
