/* SPDX-License-Identifier: Apache-2.0
 * One row a call: reads its arguments, asks the session, packs what it says. */
#include "app/worker/sonde-explain-service.h"

#include <string.h>

#include "app/worker/sonde-explain-open.h"
#include "data/base/sonde-error.h"
#include "engine/ops/sonde-engine-error.h"
#include "explain/session/sonde-explain-variant.h"

#define MAX_MAPS 65536

struct _SondeExplainService
{
  char *program;
  SondeExplainSession *session; /* NULL: nothing is open */
  guint n_notes;                /* that the client knows */
};

/**
 * Work: one call
 * @tensors: of the result
 */
typedef struct
{
  SondeExplainService *service;
  SondeSessionCall *call;
  GPtrArray *tensors;
} Work;

/* ---- telling ------------------------------------------------------------- */

static gboolean
tick (const char *what, double fraction, double seconds_left, gpointer data, GError **error)
{
  Work *work = data;

  if (work->call->is_cancelled (work->call))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE, "It was cancelled.");
      return FALSE;
    }
  work->call->progress (work->call, what, fraction, seconds_left);
  return TRUE;
}

static void
hand_out_rows (GPtrArray *rows, gpointer data)
{
  Work *work = data;
  g_autoptr (GPtrArray) tensors
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  GVariant *part = sonde_explain_rows_to_variant (rows, tensors);

  work->call->part (work->call, part, tensors);
}

static void
hand_out_map (const SondeAttributionMap *map, gpointer data)
{
  Work *work = data;
  g_autoptr (GPtrArray) tensors
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  g_autoptr (GPtrArray) maps = g_ptr_array_new ();
  GVariant *part;

  g_ptr_array_add (maps, (gpointer) map);
  part = sonde_explain_maps_to_variant (maps, tensors);
  work->call->part (work->call, part, tensors);
}

/* ---- arguments ----------------------------------------------------------- */

static gboolean
get (Work *work, const char *key, const char *type, void *into, GError **error)
{
  g_autoptr (GVariant) value
      = sonde_explain_lookup (work->call->arguments, key, type + (*type == '^'), error);

  if (value != NULL)
    g_variant_get (value, type, into);
  return value != NULL;
}

static char *
get_path (Work *work, const char *key, GError **error)
{
  g_autoptr (GVariant) value = sonde_explain_lookup (work->call->arguments, key, "ay", error);
  g_autofree char *path = value != NULL ? g_variant_dup_bytestring (value, NULL) : NULL;

  if (path == NULL || g_path_is_absolute (path))
    return g_steal_pointer (&path);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“%s” must be an absolute path: the engine may run in another folder.", path);
  return NULL;
}

/* The image that came along; NULL without @error: none did. */
static SondeImage *
get_image (Work *work, GError **error)
{
  GPtrArray *tensors = work->call->tensors;

  return tensors != NULL && tensors->len > 0
             ? sonde_explain_image_from_tensor (g_ptr_array_index (tensors, 0), error)
             : NULL;
}

static GVariant *
empty (void)
{
  return g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0);
}

/* ---- calls --------------------------------------------------------------- */

static GVariant *
call_open (Work *work, GError **error)
{
  g_autoptr (GVariant) variant
      = sonde_explain_lookup (work->call->arguments, "settings", "a{sv}", error);
  g_autoptr (SondeExplanationSettings) settings
      = variant != NULL ? sonde_explain_settings_from_variant (variant, error) : NULL;
  gboolean keep = FALSE;
  g_autofree char *cache = NULL;
  SondeExplainListener listener = { .tick = tick, .data = work };

  if (settings == NULL || !get (work, "keep", "b", &keep, error)
      || (keep && (cache = get_path (work, "cache", error)) == NULL))
    return NULL;
  g_clear_pointer (&work->service->session, sonde_explain_session_free);
  work->service->session = sonde_explain_session_open_settings (settings, work->service->program,
                                                                cache, &listener, TRUE, error);
  return work->service->session != NULL ? sonde_explain_info_to_variant (
             sonde_explain_session_get_info (work->service->session))
                                        : NULL;
}

static GVariant *
call_info (Work *work, GError **error)
{
  return sonde_explain_info_to_variant (sonde_explain_session_get_info (work->service->session));
}

static GVariant *
call_predict (Work *work, GError **error)
{
  g_autoptr (GPtrArray) rows = sonde_explain_session_predict (work->service->session, error);

  return rows != NULL ? sonde_explain_rows_to_variant (rows, work->tensors) : NULL;
}

static GVariant *
call_image (Work *work, GError **error)
{
  g_autoptr (SondeImage) image = NULL;
  gboolean in_training;
  GVariantDict dict;
  SondeBox box;
  guint sample;

  if (!get (work, "sample", "u", &sample, error)
      || !get (work, "in-training", "b", &in_training, error))
    return NULL;
  image
      = sonde_explain_session_dup_image (work->service->session, sample, in_training, &box, error);
  if (image == NULL)
    return NULL;
  g_ptr_array_add (work->tensors, sonde_explain_image_to_tensor (image));
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "box", "(iiii)", box.x, box.y, box.width, box.height);
  return g_variant_dict_end (&dict);
}

static GVariant *
pack_map (Work *work, SondeAttributionMap *map)
{
  g_autoptr (GPtrArray) maps
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_attribution_map_free);

  if (map == NULL)
    return NULL;
  g_ptr_array_add (maps, map);
  return sonde_explain_maps_to_variant (maps, work->tensors);
}

static GVariant *
call_map (Work *work, GError **error)
{
  SondeExplainSession *session = work->service->session;
  g_autofree char *spec = NULL;
  g_autoptr (SondeImage) image = NULL;
  g_autoptr (GError) reason = NULL;
  guint sample;
  gint64 target;

  if (!get (work, "sample", "u", &sample, error) || !get (work, "spec", "s", &spec, error)
      || !get (work, "target", "x", &target, error))
    return NULL;
  image = get_image (work, &reason);
  if (reason != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return NULL;
    }
  return pack_map (work, image != NULL ? sonde_explain_session_compute_map_of_image (
                             session, sample, image, spec, target, error)
                                       : sonde_explain_session_compute_map (session, sample, spec,
                                                                            target, error));
}

static GVariant *
call_maps (Work *work, GError **error)
{
  g_autoptr (GVariant) samples
      = sonde_explain_lookup (work->call->arguments, "samples", "au", error);
  g_autoptr (GVariant) targets
      = samples != NULL ? sonde_explain_lookup (work->call->arguments, "targets", "ax", error)
                        : NULL;
  g_autofree char *spec = NULL;
  g_autoptr (GPtrArray) maps = NULL;
  const guint *numbers;
  const gint64 *classes;
  gsize n, n_targets;

  if (targets == NULL || !get (work, "spec", "s", &spec, error))
    return NULL;
  numbers = g_variant_get_fixed_array (samples, &n, sizeof (guint));
  classes = g_variant_get_fixed_array (targets, &n_targets, sizeof (gint64));
  if (n != n_targets || n > MAX_MAPS)
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
          "“samples” has %zu and “targets” %zu entries; as many are needed, at most %d.", n,
          n_targets, MAX_MAPS);
      return NULL;
    }
  maps = sonde_explain_session_compute_maps (work->service->session, numbers, classes, (guint) n,
                                             spec, error);
  return maps != NULL ? sonde_explain_maps_to_variant (maps, work->tensors) : NULL;
}

static GVariant *
call_infer (Work *work, GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autoptr (SondeImage) image = get_image (work, &reason);
  g_autoptr (SondeImagePrediction) prediction = NULL;
  guint sample;

  if (reason != NULL)
    g_propagate_error (error, g_steal_pointer (&reason));
  else if (get (work, "sample", "u", &sample, error))
    prediction = sonde_explain_session_infer (work->service->session, sample, image, error);
  return prediction != NULL ? sonde_explain_prediction_to_variant (prediction, work->tensors)
                            : NULL;
}

static GVariant *
call_triage (Work *work, GError **error)
{
  g_autoptr (SondeTriageResult) triage
      = sonde_explain_session_categorise (work->service->session, error);

  return triage != NULL ? sonde_explain_triage_to_variant (triage, work->tensors) : NULL;
}

static GVariant *
call_rate (Work *work, GError **error)
{
  g_autofree char *spec = NULL;
  SondeMapRating rating;
  guint sample;
  gint64 target;

  if (!get (work, "sample", "u", &sample, error) || !get (work, "spec", "s", &spec, error)
      || !get (work, "target", "x", &target, error)
      || !sonde_explain_session_rate (work->service->session, sample, spec, target, &rating, error))
    return NULL;
  return sonde_explain_rating_to_variant (&rating);
}

static GVariant *
call_boxes (Work *work, GError **error)
{
  g_autofree char *spec = NULL;
  g_autoptr (SondeCounterfactual) boxes = NULL;
  guint sample;
  gint64 target;

  if (get (work, "sample", "u", &sample, error) && get (work, "spec", "s", &spec, error)
      && get (work, "target", "x", &target, error))
    boxes = sonde_explain_session_find_counterfactual (work->service->session, sample, spec, target,
                                                       error);
  return boxes != NULL ? sonde_explain_counterfactual_to_variant (boxes) : NULL;
}

static GVariant *
call_neighbours (Work *work, GError **error)
{
  g_autoptr (GPtrArray) neighbours = NULL;
  guint sample, k;

  if (get (work, "sample", "u", &sample, error) && get (work, "k", "u", &k, error))
    neighbours = sonde_explain_session_find_neighbours (work->service->session, sample, k, error);
  return neighbours != NULL ? sonde_explain_neighbours_to_variant (neighbours, work->tensors)
                            : NULL;
}

static GVariant *
call_compare (Work *work, GError **error)
{
  g_autofree char *path = get_path (work, "model", error);
  g_autoptr (GPtrArray) rows
      = path != NULL ? sonde_explain_session_compare (work->service->session, path, error) : NULL;

  return rows != NULL ? sonde_explain_rows_to_variant (rows, work->tensors) : NULL;
}

static GVariant *
call_scores (Work *work, GError **error)
{
  g_auto (GStrv) specs = NULL;
  g_autofree char *metrics = NULL;
  g_autoptr (GPtrArray) scores = NULL;
  guint most;

  if (get (work, "specs", "^as", &specs, error) && get (work, "metrics", "s", &metrics, error)
      && get (work, "max-samples", "u", &most, error))
    scores = sonde_explain_session_score (work->service->session, (const char *const *) specs,
                                          metrics, most, error);
  return scores != NULL ? sonde_explain_scores_to_variant (scores) : NULL;
}

static GVariant *
call_self_test (Work *work, GError **error)
{
  const SondeExplainListener listener = { .tick = tick, .data = work };
  g_autoptr (GPtrArray) checks = sonde_self_test (&listener, error);

  return checks != NULL ? sonde_explain_checks_to_variant (checks) : NULL;
}

/* No specs: the session's own choice. */
static GVariant *
call_report (Work *work, GError **error)
{
  g_autofree char *path = get_path (work, "path", error);
  g_auto (GStrv) specs = NULL;

  if (path == NULL || !get (work, "specs", "^as", &specs, error)
      || !sonde_explain_session_write_report (work->service->session, path,
                                              specs[0] != NULL ? (const char *const *) specs : NULL,
                                              error))
    return NULL;
  return empty ();
}

static GVariant *
call_close (Work *work, GError **error)
{
  g_clear_pointer (&work->service->session, sonde_explain_session_free);
  return empty ();
}

/* What was noted since, as on the cache, goes along. (floating) */
static GVariant *
add_notes (SondeExplainService *service, GVariant *result)
{
  const SondeExplainInfo *info
      = service->session != NULL ? sonde_explain_session_get_info (service->session) : NULL;
  g_autoptr (GVariant) own = g_variant_ref_sink (result);
  g_autoptr (GVariant) packed = NULL;
  GVariantDict dict;

  g_variant_dict_init (&dict, own);
  if (info != NULL && info->notes->len != service->n_notes)
    {
      packed = g_variant_ref_sink (sonde_explain_info_to_variant (info));
      g_variant_dict_insert_value (&dict, "facts-now", packed);
      service->n_notes = info->notes->len;
    }
  return g_variant_dict_end (&dict);
}

/* ---- the table ----------------------------------------------------------- */

/* @open: something must be open. */
static const struct
{
  const char *name;
  GVariant *(*call) (Work *work, GError **error);
  gboolean open;
} calls[] = {
  { "study.open", call_open, FALSE },
  { "study.close", call_close, FALSE },
  { "study.facts", call_info, TRUE },
  { "study.predict", call_predict, TRUE },
  { "study.picture", call_image, TRUE },
  { "study.map", call_map, TRUE },
  { "study.maps", call_maps, TRUE },
  { "study.infer", call_infer, TRUE },
  { "study.triage", call_triage, TRUE },
  { "study.rate", call_rate, TRUE },
  { "study.boxes", call_boxes, TRUE },
  { "study.neighbours", call_neighbours, TRUE },
  { "study.compare", call_compare, TRUE },
  { "study.scores", call_scores, TRUE },
  { "study.self-test", call_self_test, FALSE },
  { "study.report", call_report, TRUE },
};

static gboolean
set_unknown (const char *name, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  g_autofree char *valid = g_utf8_make_valid (name, -1);

  for (gsize i = 0; i < G_N_ELEMENTS (calls); i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", calls[i].name);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "This engine has no call “%s”; it has: %s.", valid, names->str);
  return FALSE;
}

gboolean
sonde_explain_service_call (SondeExplainService *service, SondeSessionCall *call, GVariant **result,
                            GPtrArray **tensors, GError **error)
{
  Work work = { .service = service, .call = call };
  const SondeExplainListener listener
      = { .tick = tick, .rows = hand_out_rows, .map = hand_out_map, .data = &work };
  gsize i = 0;

  while (i < G_N_ELEMENTS (calls) && !g_str_equal (calls[i].name, call->name))
    i++;
  if (i == G_N_ELEMENTS (calls))
    return set_unknown (call->name, error);
  if (calls[i].open && service->session == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "No study is open; study.open opens one.");
      return FALSE;
    }
  work.tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  if (service->session != NULL)
    sonde_explain_session_set_listener (service->session, &listener);
  *result = calls[i].call (&work, error);
  if (service->session != NULL)
    sonde_explain_session_set_listener (service->session, NULL); /* it points into this call */
  *result = *result != NULL ? add_notes (service, *result) : NULL;
  *tensors = work.tensors;
  return *result != NULL;
}

SondeExplainService *
sonde_explain_service_new (const char *program)
{
  SondeExplainService *service = g_new0 (SondeExplainService, 1);

  service->program = g_strdup (program);
  return service;
}

void
sonde_explain_service_free (SondeExplainService *service)
{
  if (service == NULL)
    return;
  sonde_explain_session_free (service->session);
  g_free (service->program);
  g_free (service);
}
