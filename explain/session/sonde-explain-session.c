/* SPDX-License-Identifier: Apache-2.0
 * Opening: the model, the images, how long passes take; telling how far it is. */
#include "explain/session/sonde-explain-session.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "explain/session/sonde-explain-session-data.h"
#include "explain/session/sonde-explain-session-digest.h"
#include "explain/session/sonde-explain-session-predictions.h"
#include "explain/session/sonde-explain-session-private.h"
#include "explain/session/sonde-explain-session-work.h"
#include "explain/sonde-note.h"

#define LOOKED_AT 64u /* samples whose labels and boxes are looked for */

/* ---- telling ------------------------------------------------------------- */

void
sonde_explain_session_begin (SondeExplainSession *session, const char *what, guint64 already)
{
  session->what = what;
  session->already = already;
  session->begun = g_get_monotonic_time ();
}

gboolean
sonde_explain_session_tick (SondeExplainSession *session, guint64 done, guint64 total,
                            GError **error)
{
  double seconds = (double) (g_get_monotonic_time () - session->begun) / 1e6;
  double fraction = total > 0 ? (double) done / (double) total : -1.0;
  double left = total > 0 && done > session->already
                    ? seconds * (double) (total - done) / (double) (done - session->already)
                    : -1.0;
  g_autoptr (GError) reason = NULL;

  if (session->listener.tick == NULL
      || session->listener.tick (session->what, fraction, left, session->listener.data, &reason))
    return TRUE;
  if (reason == NULL)
    sonde_set_error (&reason, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                     "The computation was cancelled.");
  g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

gboolean
sonde_explain_session_progress (guint done, guint total, gpointer data, GError **error)
{
  return sonde_explain_session_tick (data, done, total, error);
}

void
sonde_explain_session_tell_map (SondeExplainSession *session, const SondeAttributionMap *map)
{
  if (session->listener.map != NULL)
    session->listener.map (map, session->listener.data);
}

void
sonde_explain_session_set_listener (SondeExplainSession *session,
                                    const SondeExplainListener *listener)
{
  session->listener = listener != NULL ? *listener : (SondeExplainListener){ NULL };
}

/* ---- life ---------------------------------------------------------------- */

void
sonde_explain_session_free (SondeExplainSession *session)
{
  if (session == NULL)
    return;
  g_clear_pointer (&session->triage, sonde_triage_free);
  sonde_preprocessing_free (session->recorded);
  g_clear_pointer (&session->warning, sonde_message_free);
  g_clear_pointer (&session->trial, sonde_preprocessing_trial_free);
  g_clear_pointer (&session->randomised, g_ptr_array_unref);
  g_clear_pointer (&session->neighbours, sonde_neighbours_free);
  g_clear_pointer (&session->predictions, g_ptr_array_unref);
  g_clear_pointer (&session->training, g_ptr_array_unref);
  g_clear_pointer (&session->explainer, sonde_explainer_free);
  g_clear_pointer (&session->dataset, sonde_dataset_free);
  g_clear_pointer (&session->training_data, sonde_dataset_free);
  g_clear_pointer (&session->model, sonde_graph_unref);
  sonde_split_part_clear (&session->split);
  sonde_split_part_clear (&session->training_split);
  sonde_explain_cache_free (session->cache);
  sonde_explain_info_free (session->info);
  sonde_explanation_settings_free (session->settings);
  g_ptr_array_unref (session->notes);
  g_hash_table_unref (session->order);
  g_free (session->program);
  g_free (session->training_digest);
  g_free (session);
}

/* The numbers of the first image, or zeroes: what times are measured with. */
static SondeTensor *
make_inputs (SondeExplainSession *session, gint64 n, GError **error)
{
  const SondeDataset *dataset = session->dataset;
  SondeShape shape
      = sonde_shape_make (4, (int) n, dataset->channels, dataset->height, dataset->width);

  return sonde_tensor_try_new (SONDE_DTYPE_F32, &shape, NULL, N_ ("batch of images"), error);
}

/* ---- how long passes take ------------------------------------------------ */

static double
time_pass (SondeExplainSession *session, SondeTensor *inputs, SondeTensor *seeds, GError **error)
{
  gint64 begun = g_get_monotonic_time ();
  g_autoptr (SondeTensor) result
      = seeds != NULL ? sonde_explainer_gradient (session->explainer, inputs, seeds, NULL, error)
                      : sonde_explainer_forward (session->explainer, inputs, error);

  return result != NULL
             ? (double) (g_get_monotonic_time () - begun) / 1e6 / (double) inputs->shape.dims[0]
             : NAN;
}

/* Seconds an image at the best batch; NaN with @error set. The first pass plans, and counts only
 * when it was long anyway. */
static double
measure (SondeExplainSession *session, gboolean backward, GError **error)
{
  g_autoptr (SondeTensor) one = make_inputs (session, 1, error), inputs = NULL, seeds = NULL;
  gint64 n = one != NULL ? sonde_explainer_get_batch (session->explainer, one, backward) : 0;
  SondeShape shape = sonde_shape_make (2, (int) MAX (n, 1), (int) session->info->n_classes);
  double seconds;

  n = MIN (n, MAX (session->split.n_test, 1));
  shape.dims[0] = n;
  inputs = n > 0 ? make_inputs (session, n, error) : NULL;
  if (inputs == NULL)
    return NAN;
  seeds = backward ? sonde_tensor_new (SONDE_DTYPE_F32, &shape) : NULL;
  for (gint64 i = 0; seeds != NULL && i < n; i++)
    sonde_tensor_set_double (seeds, i * session->info->n_classes, 1.0);
  seconds = time_pass (session, inputs, seeds, error);
  if (isnan (seconds) || seconds * (double) n > 1.0)
    return seconds;
  return fmin (seconds, time_pass (session, inputs, seeds, NULL));
}

static gboolean
measure_all (SondeExplainSession *session, GError **error)
{
  g_autoptr (GError) reason = NULL;

  sonde_explain_session_begin (session, N_ ("Measuring"), 0);
  if (!sonde_explain_session_tick (session, 0, 0, error))
    return FALSE;
  session->info->forward_seconds = measure (session, FALSE, error);
  if (isnan (session->info->forward_seconds) || !sonde_explain_session_tick (session, 0, 0, error))
    return FALSE;
  session->info->backward_seconds = measure (session, TRUE, &reason);
  if (reason != NULL)
    sonde_notes_add_because (session->notes, reason,
                             "Methods that require gradients are not available: ");
  return TRUE;
}

/* ---- info ---------------------------------------------------------------- */

static char **
make_classes (const SondeDataset *dataset, guint n)
{
  char **classes = g_new0 (char *, n + 1);

  for (guint c = 0; c < n; c++)
    classes[c] = c < dataset->n_classes ? g_utf8_make_valid (dataset->classes[c], -1)
                                        : g_strdup_printf ("%u", c);
  return classes;
}

static gboolean
make_info (SondeExplainSession *session, gboolean measured, GError **error)
{
  SondeExplainInfo *info = session->info = g_new0 (SondeExplainInfo, 1);
  g_autofree char *base = g_path_get_basename (session->settings->model);
  g_autoptr (SondeTensor) one = NULL;
  gint64 classes;
  SondeBox box;

  info->model_name = g_utf8_make_valid (base, -1);
  info->forward_seconds = info->backward_seconds = NAN;
  if (!sonde_explain_check_size (session->explainer, session->dataset, error))
    return FALSE;
  one = make_inputs (session, 1, error);
  classes = one != NULL ? sonde_explainer_get_n_classes (session->explainer, one, error) : -1;
  if (classes < 0
      || !sonde_explain_session_check_classes (session->settings, session->dataset, (guint) classes,
                                               error))
    return FALSE;
  info->n_classes = (guint) classes;
  info->n_samples = session->split.n_test;
  info->classes = make_classes (session->dataset, info->n_classes);
  info->channels = session->dataset->channels;
  info->height = session->dataset->height;
  info->width = session->dataset->width;
  info->ends_in_softmax = sonde_explainer_ends_in_softmax (session->explainer);
  info->has_training = session->settings->training != NULL;
  for (guint i = 0; i < MIN (session->split.n_test, LOOKED_AT); i++)
    {
      guint sample = session->split.test[i];

      info->has_labels
          = info->has_labels || sonde_dataset_get_label (session->dataset, sample) >= 0;
      info->has_boxes
          = info->has_boxes || sonde_dataset_get_truth (session->dataset, sample, &box, NULL);
    }
  return !measured || measure_all (session, error);
}

/* With what the cache said since. */
const SondeExplainInfo *
sonde_explain_session_get_info (SondeExplainSession *session)
{
  SondeExplainInfo *info = session->info;
  GPtrArray *said = session->cache != NULL ? sonde_explain_cache_get_notes (session->cache) : NULL;

  if (info->notes != NULL
      && info->notes->len == session->notes->len + (said != NULL ? said->len : 0))
    return info;
  g_clear_pointer (&info->notes, g_ptr_array_unref);
  info->notes = sonde_notes_new ();
  sonde_notes_append (info->notes, session->notes);
  if (said != NULL)
    sonde_notes_append (info->notes, said);
  return info;
}

const SondeExplanationSettings *
sonde_explain_session_get_settings (SondeExplainSession *session)
{
  return session->settings;
}

const SondeSplitPart *
sonde_explain_session_get_split (SondeExplainSession *session)
{
  return &session->split;
}

SondeExplainCache *
sonde_explain_session_get_cache (SondeExplainSession *session)
{
  return session->cache;
}

SondeDataset *
sonde_explain_session_get_dataset (SondeExplainSession *session)
{
  return session->dataset;
}

SondeExplainer *
sonde_explain_session_get_explainer (SondeExplainSession *session)
{
  return session->explainer;
}

SondeGraph *
sonde_explain_session_get_model (SondeExplainSession *session)
{
  return session->model;
}

GPtrArray *
sonde_explain_session_get_notes (SondeExplainSession *session)
{
  return session->notes;
}

const SondePreprocessing *
sonde_explain_session_get_recorded (SondeExplainSession *session)
{
  return session->recorded;
}

const SondePreprocessingTrial *
sonde_explain_session_get_trial (SondeExplainSession *session)
{
  return session->trial;
}

void
sonde_explain_session_take_trial (SondeExplainSession *session, SondePreprocessingTrial *trial)
{
  session->trial = trial;
  if (sonde_preprocessing_trial_is_clear (trial))
    session->warning = sonde_preprocessing_trial_to_message (trial);
}

const SondeMessage *
sonde_explain_session_get_warning (SondeExplainSession *session)
{
  return session->warning;
}

guint
sonde_explain_session_get_n_asked (SondeExplainSession *session)
{
  return session->split.n_test;
}

/* ---- opening ------------------------------------------------------------- */

static gboolean
open_model (SondeExplainSession *session, SondeExplainOptions *opening, GError **error)
{
  session->model = opening->model != NULL
                       ? sonde_graph_ref (opening->model)
                       : sonde_model_load (NULL, session->settings->model, error);
  return session->model != NULL;
}

static gboolean
open_data (SondeExplainSession *session, SondeExplainOptions *opening, GError **error)
{
  if (session->settings->data != NULL)
    session->dataset = sonde_explain_session_open_data (session->settings, session->settings->data,
                                                        FALSE, session->model, session->program,
                                                        &session->split, session->notes, error);
  else
    {
      session->dataset = g_steal_pointer (&opening->dataset);
      session->split = opening->split;
      opening->split = (SondeSplitPart){ NULL };
      if (session->dataset == NULL)
        sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                         "No images were given: name a folder, a list FILE.tsv, “mnist:DIR”, "
                         "“cifar10:DIR”, “images:DIR” or “glyphs”.");
    }
  return session->dataset != NULL;
}

/* Opens the cache and counts what is in it. */
static gboolean
open_cache (SondeExplainSession *session, const SondeExplainOptions *opening, GError **error)
{
  g_autofree char *digest = sonde_explain_session_make_digest (
      session->settings, session->model, session->dataset, &session->split, NULL, error);

  if (digest == NULL)
    return FALSE;
  session->cache = sonde_explain_cache_open (opening->cache, digest,
                                             opening->most_cached > 0 ? opening->most_cached
                                                                      : SONDE_EXPLAIN_CACHE_BYTES);
  session->info->n_cached_rows
      = MIN (sonde_explain_cache_count (session->cache, "rows-") * SONDE_EXPLAIN_CHUNK,
             session->split.n_test);
  session->info->n_cached_maps = sonde_explain_cache_count (session->cache, "map-");
  return TRUE;
}

static gboolean
open_parts (SondeExplainSession *session, SondeExplainOptions *opening, GError **error)
{
  sonde_explain_session_begin (session, N_ ("Loading"), 0);
  if (!sonde_explain_session_tick (session, 0, 0, error) || !open_model (session, opening, error)
      || !open_data (session, opening, error))
    return FALSE;
  session->explainer = sonde_explainer_new (session->model, session->settings->device,
                                            session->settings->threads, error);
  return session->explainer != NULL && make_info (session, opening->measure, error)
         && (opening->cache == NULL || open_cache (session, opening, error));
}

SondeExplainSession *
sonde_explain_session_open (SondeExplainOptions *opening, GError **error)
{
  g_autoptr (SondeExplainSession) session = g_new0 (SondeExplainSession, 1);
  gboolean good;

  session->settings = sonde_explanation_settings_copy (opening->settings);
  session->program = g_strdup (opening->program);
  session->recorded = g_steal_pointer (&opening->recorded);
  session->notes = sonde_notes_new ();
  session->order = g_hash_table_new (NULL, NULL);
  sonde_explain_session_set_listener (session, opening->listener);
  good = open_parts (session, opening, error);
  g_clear_pointer (&opening->dataset, sonde_dataset_free);
  sonde_split_part_clear (&opening->split);
  return good ? g_steal_pointer (&session) : NULL;
}
