/* SPDX-License-Identifier: Apache-2.0
 * Opening: the model, the pictures, how long passes take; telling how far it is. */
#include "explain/study/sonde-study.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "explain/study/sonde-study-data.h"
#include "explain/study/sonde-study-private.h"

#define LOOKED_AT 64u /* samples whose labels and boxes are looked for */

/* ---- telling ------------------------------------------------------------- */

void
sonde_study_begin (SondeStudy *study, const char *what, guint64 already)
{
  study->what = what;
  study->already = already;
  study->begun = g_get_monotonic_time ();
}

gboolean
sonde_study_tick (SondeStudy *study, guint64 done, guint64 total, GError **error)
{
  double seconds = (double) (g_get_monotonic_time () - study->begun) / 1e6;
  double fraction = total > 0 ? (double) done / (double) total : -1.0;
  double left = total > 0 && done > study->already
                    ? seconds * (double) (total - done) / (double) (done - study->already)
                    : -1.0;
  g_autoptr (GError) reason = NULL;

  if (study->listener.tick == NULL
      || study->listener.tick (study->what, fraction, left, study->listener.data, &reason))
    return TRUE;
  if (reason == NULL)
    sonde_set_error (&reason, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE, "It was cancelled.");
  g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

gboolean
sonde_study_progress (guint done, guint total, gpointer data, GError **error)
{
  return sonde_study_tick (data, done, total, error);
}

void
sonde_study_set_listener (SondeStudy *study, const SondeStudyListener *listener)
{
  study->listener = listener != NULL ? *listener : (SondeStudyListener){ NULL };
}

/* ---- life ---------------------------------------------------------------- */

void
sonde_study_free (SondeStudy *study)
{
  if (study == NULL)
    return;
  g_clear_pointer (&study->triage, sonde_triage_free);
  g_clear_pointer (&study->randomised, g_ptr_array_unref);
  g_clear_pointer (&study->neighbours, sonde_neighbours_free);
  g_clear_pointer (&study->predictions, g_ptr_array_unref);
  g_clear_pointer (&study->training, g_ptr_array_unref);
  g_clear_pointer (&study->explainer, sonde_explainer_free);
  g_clear_pointer (&study->dataset, sonde_dataset_free);
  g_clear_pointer (&study->training_data, sonde_dataset_free);
  g_clear_pointer (&study->model, sonde_graph_unref);
  sonde_split_part_clear (&study->split);
  sonde_split_part_clear (&study->training_split);
  sonde_study_cache_free (study->cache);
  sonde_study_facts_free (study->facts);
  sonde_explanation_settings_free (study->settings);
  g_ptr_array_unref (study->notes);
  g_hash_table_unref (study->order);
  g_free (study->program);
  g_free (study->training_digest);
  g_free (study);
}

/* The numbers of the first picture, or zeroes: what times are measured with. */
static SondeTensor *
make_inputs (SondeStudy *study, gint64 n, GError **error)
{
  const SondeDataset *dataset = study->dataset;
  SondeShape shape
      = sonde_shape_make (4, (int) n, dataset->channels, dataset->height, dataset->width);

  return sonde_tensor_try_new (SONDE_DTYPE_F32, &shape, NULL, "batch of pictures", error);
}

/* ---- how long passes take ------------------------------------------------ */

static double
time_pass (SondeStudy *study, SondeTensor *inputs, SondeTensor *seeds, GError **error)
{
  gint64 begun = g_get_monotonic_time ();
  g_autoptr (SondeTensor) result
      = seeds != NULL ? sonde_explainer_gradient (study->explainer, inputs, seeds, NULL, error)
                      : sonde_explainer_forward (study->explainer, inputs, error);

  return result != NULL
             ? (double) (g_get_monotonic_time () - begun) / 1e6 / (double) inputs->shape.dims[0]
             : NAN;
}

/* Seconds a picture at the best batch; NaN with @error set. The first pass plans, and counts only
 * when it was long anyway. */
static double
measure (SondeStudy *study, gboolean backward, GError **error)
{
  g_autoptr (SondeTensor) one = make_inputs (study, 1, error), inputs = NULL, seeds = NULL;
  gint64 n = one != NULL ? sonde_explainer_get_batch (study->explainer, one, backward) : 0;
  SondeShape shape = sonde_shape_make (2, (int) MAX (n, 1), (int) study->facts->n_classes);
  double seconds;

  n = MIN (n, MAX (study->split.n_test, 1));
  shape.dims[0] = n;
  inputs = n > 0 ? make_inputs (study, n, error) : NULL;
  if (inputs == NULL)
    return NAN;
  seeds = backward ? sonde_tensor_new (SONDE_DTYPE_F32, &shape) : NULL;
  for (gint64 i = 0; seeds != NULL && i < n; i++)
    sonde_tensor_set_double (seeds, i * study->facts->n_classes, 1.0);
  seconds = time_pass (study, inputs, seeds, error);
  if (isnan (seconds) || seconds * (double) n > 1.0)
    return seconds;
  return fmin (seconds, time_pass (study, inputs, seeds, NULL));
}

static gboolean
measure_all (SondeStudy *study, GError **error)
{
  g_autoptr (GError) reason = NULL;

  sonde_study_begin (study, "measuring", 0);
  if (!sonde_study_tick (study, 0, 0, error))
    return FALSE;
  study->facts->forward_seconds = measure (study, FALSE, error);
  if (isnan (study->facts->forward_seconds) || !sonde_study_tick (study, 0, 0, error))
    return FALSE;
  study->facts->backward_seconds = measure (study, TRUE, &reason);
  if (reason != NULL)
    g_ptr_array_add (study->notes,
                     g_strdup_printf ("Methods that need gradients cannot run, the others can: %s",
                                      reason->message));
  return TRUE;
}

/* ---- facts --------------------------------------------------------------- */

static char **
make_classes (const SondeDataset *dataset, guint n)
{
  char **classes = g_new0 (char *, n + 1);

  for (guint c = 0; c < n; c++)
    classes[c] = c < dataset->n_classes ? g_utf8_make_valid (dataset->classes[c], -1)
                                        : g_strdup_printf ("%u", c);
  return classes;
}

static char *
make_data_name (const SondeExplanationSettings *settings)
{
  const char *colon = settings->data != NULL ? strchr (settings->data, ':') : NULL;
  g_autofree char *base = settings->data == NULL ? g_strdup ("its own test data")
                          : colon != NULL && colon[1] != '\0' && strpbrk (colon, "=;") == NULL
                              ? g_path_get_basename (colon + 1)
                              : g_path_get_basename (settings->data);

  return g_utf8_make_valid (base, -1);
}

static gboolean
make_facts (SondeStudy *study, gboolean measured, GError **error)
{
  SondeStudyFacts *facts = study->facts = g_new0 (SondeStudyFacts, 1);
  g_autofree char *base = g_path_get_basename (study->settings->model);
  g_autoptr (SondeTensor) one = NULL;
  gint64 classes;
  SondeBox box;

  facts->model_name = g_utf8_make_valid (base, -1);
  facts->data_name = make_data_name (study->settings);
  facts->forward_seconds = facts->backward_seconds = NAN;
  if (!sonde_explain_check_size (study->explainer, study->dataset, error))
    return FALSE;
  one = make_inputs (study, 1, error);
  classes = one != NULL ? sonde_explainer_get_n_classes (study->explainer, one, error) : -1;
  if (classes < 0
      || !sonde_study_check_classes (study->settings, study->dataset, (guint) classes, error))
    return FALSE;
  facts->n_classes = (guint) classes;
  facts->n_samples = study->split.n_test;
  facts->classes = make_classes (study->dataset, facts->n_classes);
  facts->channels = study->dataset->channels;
  facts->height = study->dataset->height;
  facts->width = study->dataset->width;
  facts->ends_in_softmax = sonde_explainer_ends_in_softmax (study->explainer);
  facts->has_training = study->settings->training != NULL;
  for (guint i = 0; i < MIN (study->split.n_test, LOOKED_AT); i++)
    {
      guint sample = study->split.test[i];

      facts->has_labels
          = facts->has_labels || sonde_dataset_get_label (study->dataset, sample) >= 0;
      facts->has_boxes
          = facts->has_boxes || sonde_dataset_get_truth (study->dataset, sample, &box, NULL);
    }
  return !measured || measure_all (study, error);
}

/* With what the cache said since. */
const SondeStudyFacts *
sonde_study_get_facts (SondeStudy *study)
{
  SondeStudyFacts *facts = study->facts;
  GPtrArray *said = study->cache != NULL ? sonde_study_cache_get_notes (study->cache) : NULL;

  g_clear_pointer (&facts->notes, g_ptr_array_unref);
  facts->notes = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < study->notes->len; i++)
    g_ptr_array_add (facts->notes, g_strdup (g_ptr_array_index (study->notes, i)));
  for (guint i = 0; said != NULL && i < said->len; i++)
    g_ptr_array_add (facts->notes, g_strdup (g_ptr_array_index (said, i)));
  return facts;
}

SondeDataset *
sonde_study_get_dataset (SondeStudy *study)
{
  return study->dataset;
}

SondeExplainer *
sonde_study_get_explainer (SondeStudy *study)
{
  return study->explainer;
}

SondeGraph *
sonde_study_get_model (SondeStudy *study)
{
  return study->model;
}

GPtrArray *
sonde_study_get_notes (SondeStudy *study)
{
  return study->notes;
}

guint
sonde_study_get_n_asked (SondeStudy *study)
{
  return study->split.n_test;
}

/* ---- opening ------------------------------------------------------------- */

static gboolean
open_model (SondeStudy *study, SondeStudyOpening *opening, GError **error)
{
  study->model = opening->model != NULL ? sonde_graph_ref (opening->model)
                                        : sonde_model_load (NULL, study->settings->model, error);
  return study->model != NULL;
}

static gboolean
open_data (SondeStudy *study, SondeStudyOpening *opening, GError **error)
{
  if (study->settings->data != NULL)
    study->dataset
        = sonde_study_open_data (study->settings, study->settings->data, FALSE, study->model,
                                 study->program, &study->split, study->notes, error);
  else
    {
      study->dataset = g_steal_pointer (&opening->dataset);
      study->split = opening->split;
      opening->split = (SondeSplitPart){ NULL };
      if (study->dataset == NULL)
        sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                         "No pictures were named: a folder, a list FILE.tsv, “mnist:DIR”, "
                         "“cifar10:DIR”, “images:DIR” or “glyphs”.");
    }
  return study->dataset != NULL;
}

/* Opens the cache and counts what is in it. */
static gboolean
open_cache (SondeStudy *study, const SondeStudyOpening *opening, GError **error)
{
  g_autofree char *digest = sonde_study_make_digest (study->settings, study->model, study->dataset,
                                                     &study->split, NULL, error);

  if (digest == NULL)
    return FALSE;
  study->cache = sonde_study_cache_open (opening->cache, digest,
                                         opening->most_cached > 0 ? opening->most_cached
                                                                  : SONDE_STUDY_CACHE_BYTES);
  study->facts->n_cached_rows = MIN (
      sonde_study_cache_count (study->cache, "rows-") * SONDE_STUDY_CHUNK, study->split.n_test);
  study->facts->n_cached_maps = sonde_study_cache_count (study->cache, "map-");
  return TRUE;
}

static gboolean
open_parts (SondeStudy *study, SondeStudyOpening *opening, GError **error)
{
  sonde_study_begin (study, "loading", 0);
  if (!sonde_study_tick (study, 0, 0, error) || !open_model (study, opening, error)
      || !open_data (study, opening, error))
    return FALSE;
  study->explainer = sonde_explainer_new (study->model, study->settings->device,
                                          study->settings->threads, error);
  return study->explainer != NULL && make_facts (study, opening->measure, error)
         && (opening->cache == NULL || open_cache (study, opening, error));
}

SondeStudy *
sonde_study_open (SondeStudyOpening *opening, GError **error)
{
  g_autoptr (SondeStudy) study = g_new0 (SondeStudy, 1);
  gboolean good;

  study->settings = sonde_explanation_settings_copy (opening->settings);
  study->program = g_strdup (opening->program);
  study->notes = g_ptr_array_new_with_free_func (g_free);
  study->order = g_hash_table_new (NULL, NULL);
  sonde_study_set_listener (study, opening->listener);
  good = open_parts (study, opening, error);
  g_clear_pointer (&opening->dataset, sonde_dataset_free);
  sonde_split_part_clear (&opening->split);
  return good ? g_steal_pointer (&study) : NULL;
}
