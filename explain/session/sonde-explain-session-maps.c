/* SPDX-License-Identifier: Apache-2.0
 * Maps of samples and of edited images. */
#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "explain/session/sonde-explain-session-digest.h"
#include "explain/session/sonde-explain-session-maps.h"
#include "explain/session/sonde-explain-session-predictions.h"
#include "explain/session/sonde-explain-session-work.h"
#include "explain/session/sonde-explain-codec.h"

#define BATCH 64u /* images that are loaded together */

/* ---- what is kept -------------------------------------------------------- */

gboolean
sonde_explain_session_reads_file (const SondeAttributionSpec *spec)
{
  static const char *const keys[] = { "noise", "background", "masks", "ood", "weights" };
  const SondeAttribution *method = sonde_attribution_spec_get_method (spec);

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    for (gsize k = 0; method->parameters[k].name != NULL; k++)
      if (g_str_equal (method->parameters[k].name, keys[i])
          && sonde_attribution_spec_has (spec, keys[i]))
        return TRUE;
  return FALSE;
}

/* (nullable): that of methods that read a file keeps nothing */
static SondeExplainCache *
get_cache (SondeExplainSession *session, const SondeAttributionSpec *spec)
{
  return sonde_explain_session_reads_file (spec) ? NULL : sonde_explain_session_get_cache (session);
}

static char *
make_key (const SondeAttributionMap *map, const SondeAttributionSpec *spec)
{
  g_autofree char *parameters = sonde_attribution_spec_dup_parameters (spec);
  g_autofree char *hash
      = sonde_explain_hash_texts (sonde_attribution_spec_get_method (spec)->name, parameters, NULL);

  hash[16] = '\0';
  return g_strdup_printf ("map-%u-%" PRIi64 "-%" PRIi64 "-%s", map->sample, map->target,
                          map->other + 1, hash);
}

static gboolean
load_map (SondeAttributionMap *map, const SondeAttributionSpec *spec, gpointer data)
{
  const SondeExplainInfo *info = sonde_explain_session_get_info (data);
  g_autofree char *key = make_key (map, spec);
  g_autoptr (GPtrArray) maps
      = sonde_explain_codec_load (&sonde_explain_maps_codec, get_cache (data, spec), key);
  const SondeAttributionMap *kept;

  kept = maps != NULL && maps->len == 1 ? g_ptr_array_index (maps, 0) : NULL;
  if (kept == NULL || kept->map->shape.dims[0] != info->height
      || kept->map->shape.dims[1] != info->width)
    return FALSE;
  map->map = sonde_tensor_ref (kept->map);
  map->score = kept->score;
  map->rating.gap = kept->rating.gap;
  map->note = sonde_message_copy (kept->note);
  return TRUE;
}

static void
store_map (const SondeAttributionMap *map, const SondeAttributionSpec *spec, gpointer data)
{
  g_autofree char *key = make_key (map, spec);
  g_autoptr (GPtrArray) maps = g_ptr_array_new ();

  g_ptr_array_add (maps, (SondeAttributionMap *) map);
  sonde_explain_codec_store (&sonde_explain_maps_codec, get_cache (data, spec), key, maps);
}

static guint64
get_seed (SondeExplainSession *session)
{
  return (guint64) sonde_explain_session_get_settings (session)->seed;
}

/* ---- one map ------------------------------------------------------------- */

/* Fills @maps by one call of the method. */
static gboolean
compute (SondeExplainSession *session, GPtrArray *maps, SondeTensor *inputs,
         const SondeAttributionSpec *spec, SondeExplainProgress progress, gpointer data,
         GError **error)
{
  return sonde_explain_fill_maps (sonde_explain_session_get_explainer (session), inputs, maps, spec,
                                  get_seed (session), FALSE, progress, data, error);
}

gboolean
sonde_explain_session_attribute (SondeExplainSession *session, SondeExplainer *explainer,
                                 const SondeAttributionSpec *spec, guint sample, gint64 target,
                                 gint64 other, SondeTensor *inputs, SondeAttributionResult *result,
                                 GError **error)
{
  g_autoptr (SondeTensor) targets = sonde_attribution_make_targets (
      sonde_attribution_spec_get_method (spec), &target, &other, 1);
  const guint64 number = sample;
  SondeAttributionRequest request = { .inputs = inputs,
                                      .targets = targets,
                                      .samples = &number,
                                      .spec = spec,
                                      .seed = get_seed (session) };

  return sonde_attribution_compute (explainer, &request, result, error);
}

/* ---- many maps ----------------------------------------------------------- */

/* Progress of a batch within all. */
typedef struct
{
  SondeExplainSession *session;
  guint before, count, total;
} Batch;

static gboolean
tick_batch (guint done, guint total, gpointer data, GError **error)
{
  const Batch *batch = data;
  guint64 thousandths
      = (guint64) batch->before * 1000 + (guint64) batch->count * 1000 * done / MAX (total, 1);

  return sonde_explain_session_tick (batch->session, thousandths, (guint64) batch->total * 1000,
                                     error);
}

static gboolean
compute_batch (SondeExplainSession *session, GPtrArray *maps, const SondeAttributionSpec *spec,
               Batch *batch, GError **error)
{
  g_autofree guint *samples = g_new (guint, maps->len + 1);
  g_autoptr (SondeTensor) inputs = NULL;

  for (guint i = 0; i < maps->len; i++)
    samples[i] = ((SondeAttributionMap *) g_ptr_array_index (maps, i))->sample;
  batch->count = maps->len;
  inputs = sonde_explain_session_load (session, samples, maps->len, error);
  if (inputs == NULL || !compute (session, maps, inputs, spec, tick_batch, batch, error))
    return FALSE;
  for (guint i = 0; i < maps->len; i++)
    {
      SondeAttributionMap *map = g_ptr_array_index (maps, i);

      store_map (map, spec, session);
      sonde_explain_session_tell_map (session, map);
    }
  batch->before += maps->len;
  return sonde_explain_session_tick (session, (guint64) batch->before * 1000,
                                     (guint64) batch->total * 1000, error);
}

/* Sets the class that pairs take away. */
static gboolean
set_other (SondeExplainSession *session, SondeAttributionMap *map, const SondeAttributionSpec *spec,
           GError **error)
{
  g_autoptr (GPtrArray) own = NULL;
  const SondeSampleResult *prediction;

  if (!sonde_explain_session_check_target (session, map->target, error))
    return FALSE;
  if (!sonde_attribution_spec_get_method (spec)->takes_pair)
    return TRUE;
  prediction = sonde_explain_session_find_prediction (session, map->sample, &own, error);
  if (prediction != NULL)
    map->other = sonde_explain_choose_other (prediction->probabilities, prediction->n_classes,
                                             map->target, prediction->label);
  return prediction != NULL;
}

GPtrArray *
sonde_explain_session_compute_maps (SondeExplainSession *session, const guint *samples,
                                    const gint64 *targets, guint n, const char *text,
                                    GError **error)
{
  g_autoptr (SondeAttributionSpec) spec = sonde_attribution_spec_parse (text, error);
  g_autoptr (GPtrArray) all
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_attribution_map_free);
  g_autoptr (GPtrArray) some = g_ptr_array_new ();
  Batch batch = { .session = session, .total = n };

  for (guint i = 0; spec != NULL && i < n; i++)
    {
      SondeAttributionMap *map = sonde_explain_new_map (samples[i], text, spec, targets[i]);

      g_ptr_array_add (all, map);
      if (!set_other (session, map, spec, error))
        return NULL;
      if (!load_map (map, spec, session))
        g_ptr_array_add (some, map);
      else
        sonde_explain_session_tell_map (session, map);
    }
  batch.before = n - some->len;
  sonde_explain_session_begin (session, N_ ("Explaining"), (guint64) batch.before * 1000);
  for (guint done = 0; spec != NULL && done < some->len; done += BATCH)
    {
      g_autoptr (GPtrArray) part = g_ptr_array_new ();

      for (guint i = done; i < MIN (done + BATCH, some->len); i++)
        g_ptr_array_add (part, g_ptr_array_index (some, i));
      if (!compute_batch (session, part, spec, &batch, error))
        return NULL;
    }
  return spec != NULL ? g_steal_pointer (&all) : NULL;
}

SondeAttributionMap *
sonde_explain_session_compute_map (SondeExplainSession *session, guint sample, const char *spec,
                                   gint64 target, GError **error)
{
  g_autoptr (GPtrArray) maps
      = sonde_explain_session_compute_maps (session, &sample, &target, 1, spec, error);

  return maps != NULL ? g_ptr_array_steal_index (maps, 0) : NULL;
}

gboolean
sonde_explain_session_explain (SondeExplainSession *session, GPtrArray *chosen,
                               const SondeAttributionSpec *spec, const char *target_is,
                               gint64 target, gboolean channels, SondeExplainSink sink,
                               gpointer data, GError **error)
{
  const SondeMapStore store = { load_map, store_map, session };
  SondeExplainRequest request = { .spec = spec,
                                  .target_is = target_is,
                                  .target = target,
                                  .seed = get_seed (session),
                                  .channels = channels,
                                  .store = &store };

  return sonde_explain_maps (sonde_explain_session_get_explainer (session),
                             sonde_explain_session_get_dataset (session), chosen, &request, sink,
                             data, error);
}

SondeAttributionMap *
sonde_explain_session_compute_map_of_image (SondeExplainSession *session, guint sample,
                                            const SondeImage *image, const char *text,
                                            gint64 target, GError **error)
{
  g_autoptr (SondeAttributionSpec) spec = sonde_attribution_spec_parse (text, error);
  g_autoptr (SondeTensor) inputs
      = spec != NULL && sonde_explain_session_check_target (session, target, error)
            ? sonde_explain_session_load_image (session, sample, image, error)
            : NULL;
  g_autoptr (GPtrArray) maps
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_attribution_map_free);
  SondeAttributionMap *map;

  if (inputs == NULL)
    return NULL;
  map = sonde_explain_new_map (sample, text, spec, target);
  g_ptr_array_add (maps, map);
  if (sonde_attribution_spec_get_method (spec)->takes_pair)
    {
      g_autoptr (SondeSampleResult) prediction
          = sonde_explain_session_infer (session, sample, image, error);

      if (prediction == NULL)
        return NULL;
      map->other = sonde_explain_choose_other (
          prediction->probabilities, prediction->n_classes, target,
          sonde_dataset_get_label (sonde_explain_session_get_dataset (session), sample));
    }
  sonde_explain_session_begin (session, N_ ("Explaining"), 0);
  return compute (session, maps, inputs, spec, sonde_explain_session_progress, session, error)
             ? g_ptr_array_steal_index (maps, 0)
             : NULL;
}
