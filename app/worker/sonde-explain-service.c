/* SPDX-License-Identifier: Apache-2.0
 * A handler a call: asks the session what the arguments say. */
#include "app/worker/sonde-explain-service.h"

#include "app/worker/sonde-explain-open.h"
#include "data/base/sonde-error.h"
#include "engine/ops/sonde-engine-error.h"
#include "explain/session/sonde-explain-call.h"

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
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "The computation was cancelled.");
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
  GVariant *part = sonde_explain_rows_codec.pack (rows, tensors);

  work->call->part (work->call, part, tensors);
}

static void
hand_out_map (const SondeAttributionMap *map, gpointer data)
{
  Work *work = data;
  g_autoptr (GPtrArray) tensors
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  GVariant *part = sonde_explain_map_codec.pack (map, tensors);

  work->call->part (work->call, part, tensors);
}

/* ---- handlers ------------------------------------------------------------ */

/* Each returns its row's result, (transfer full), or NULL with @error. */
typedef gpointer Handler (Work *work, const SondeExplainArguments *arguments, GError **error);

static gpointer
handle_open (Work *work, const SondeExplainArguments *arguments, GError **error)
{
  SondeExplainService *service = work->service;
  SondeExplainListener listener = { .tick = tick, .data = work };

  if (arguments->keep && arguments->cache == NULL)
    {
      sonde_explain_refuse (error, "cache");
      return NULL;
    }
  g_clear_pointer (&service->session, sonde_explain_session_free);
  service->session = sonde_explain_session_open_settings (arguments->settings, service->program,
                                                          arguments->keep ? arguments->cache : NULL,
                                                          &listener, TRUE, error);
  return service->session != NULL
             ? sonde_explain_info_copy (sonde_explain_session_get_info (service->session))
             : NULL;
}

static gpointer
handle_info (Work *work, const SondeExplainArguments *arguments, GError **error)
{
  return sonde_explain_info_copy (sonde_explain_session_get_info (work->service->session));
}

static gpointer
handle_preprocessings (Work *work, const SondeExplainArguments *arguments, GError **error)
{
  const SondePreprocessingTrial *trial
      = sonde_explain_session_try_preprocessings (work->service->session, error);

  return trial != NULL ? sonde_preprocessing_trial_copy (trial) : NULL;
}

static gpointer
handle_predict (Work *work, const SondeExplainArguments *arguments, GError **error)
{
  GPtrArray *predictions = sonde_explain_session_classify (work->service->session, error);

  return predictions != NULL ? g_ptr_array_ref (predictions) : NULL;
}

static gpointer
handle_image (Work *work, const SondeExplainArguments *arguments, GError **error)
{
  g_autoptr (SondeBoxedImage) boxed = g_new0 (SondeBoxedImage, 1);

  boxed->image = sonde_explain_session_dup_image (work->service->session, arguments->sample,
                                                  arguments->in_training, &boxed->box, error);
  return boxed->image != NULL ? g_steal_pointer (&boxed) : NULL;
}

static gpointer
handle_map (Work *work, const SondeExplainArguments *arguments, GError **error)
{
  SondeExplainSession *session = work->service->session;

  if (arguments->image == NULL)
    return sonde_explain_session_compute_map (session, arguments->sample, arguments->spec,
                                              arguments->target, error);
  return sonde_explain_session_compute_map_of_image (session, arguments->sample, arguments->image,
                                                     arguments->spec, arguments->target, error);
}

static gpointer
handle_maps (Work *work, const SondeExplainArguments *arguments, GError **error)
{
  const GArray *samples = arguments->samples, *targets = arguments->targets;

  if (samples->len != targets->len || samples->len > MAX_MAPS)
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
          "“samples” has %u entries and “targets” has %u; both need the same number, at most %d.",
          samples->len, targets->len, MAX_MAPS);
      return NULL;
    }
  return sonde_explain_session_compute_maps (
      work->service->session, (const guint *) (const void *) samples->data,
      (const gint64 *) (const void *) targets->data, samples->len, arguments->spec, error);
}

static gpointer
handle_infer (Work *work, const SondeExplainArguments *arguments, GError **error)
{
  return sonde_explain_session_infer (work->service->session, arguments->sample, arguments->image,
                                      error);
}

static gpointer
handle_triage (Work *work, const SondeExplainArguments *arguments, GError **error)
{
  return sonde_explain_session_categorise (work->service->session, error);
}

static gpointer
handle_rate (Work *work, const SondeExplainArguments *arguments, GError **error)
{
  g_autofree SondeMapRating *rating = g_new0 (SondeMapRating, 1);

  return sonde_explain_session_rate (work->service->session, arguments->sample, arguments->spec,
                                     arguments->target, rating, error)
             ? g_steal_pointer (&rating)
             : NULL;
}

static gpointer
handle_counterfactual (Work *work, const SondeExplainArguments *arguments, GError **error)
{
  return sonde_explain_session_find_counterfactual (work->service->session, arguments->sample,
                                                    arguments->spec, arguments->target, error);
}

static gpointer
handle_neighbours (Work *work, const SondeExplainArguments *arguments, GError **error)
{
  return sonde_explain_session_find_neighbours (work->service->session, arguments->sample,
                                                arguments->k, error);
}

static gpointer
handle_compare (Work *work, const SondeExplainArguments *arguments, GError **error)
{
  return sonde_explain_session_compare (work->service->session, arguments->model, error);
}

static gpointer
handle_scores (Work *work, const SondeExplainArguments *arguments, GError **error)
{
  return sonde_explain_session_score (work->service->session, arguments->specs, arguments->metrics,
                                      arguments->max_samples, error);
}

static gpointer
handle_self_test (Work *work, const SondeExplainArguments *arguments, GError **error)
{
  const SondeExplainListener listener = { .tick = tick, .data = work };

  return sonde_self_test (&listener, error);
}

/* No specs: the session's own choice. */
static gpointer
handle_report (Work *work, const SondeExplainArguments *arguments, GError **error)
{
  return GINT_TO_POINTER (sonde_explain_session_write_report (
      work->service->session, arguments->path,
      arguments->specs[0] != NULL ? arguments->specs : NULL, error));
}

static gpointer
handle_close (Work *work, const SondeExplainArguments *arguments, GError **error)
{
  g_clear_pointer (&work->service->session, sonde_explain_session_free);
  return GINT_TO_POINTER (TRUE);
}

static Handler *const handlers[SONDE_N_EXPLAIN_CALLS] = {
  [SONDE_EXPLAIN_OPEN] = handle_open,
  [SONDE_EXPLAIN_CLOSE] = handle_close,
  [SONDE_EXPLAIN_INFO] = handle_info,
  [SONDE_EXPLAIN_PREPROCESSINGS] = handle_preprocessings,
  [SONDE_EXPLAIN_PREDICT] = handle_predict,
  [SONDE_EXPLAIN_IMAGE] = handle_image,
  [SONDE_EXPLAIN_MAP] = handle_map,
  [SONDE_EXPLAIN_MAPS] = handle_maps,
  [SONDE_EXPLAIN_INFER] = handle_infer,
  [SONDE_EXPLAIN_TRIAGE] = handle_triage,
  [SONDE_EXPLAIN_RATE] = handle_rate,
  [SONDE_EXPLAIN_COUNTERFACTUAL] = handle_counterfactual,
  [SONDE_EXPLAIN_NEIGHBOURS] = handle_neighbours,
  [SONDE_EXPLAIN_COMPARE] = handle_compare,
  [SONDE_EXPLAIN_SCORES] = handle_scores,
  [SONDE_EXPLAIN_SELF_TEST] = handle_self_test,
  [SONDE_EXPLAIN_REPORT] = handle_report,
};

/* ---- calls --------------------------------------------------------------- */

/* What was noted since, as on the cache, goes along. (floating) */
static GVariant *
add_notes (SondeExplainService *service, GVariant *result)
{
  const SondeExplainInfo *info
      = service->session != NULL ? sonde_explain_session_get_info (service->session) : NULL;
  g_autoptr (GVariant) own = g_variant_ref_sink (result);
  GVariantDict dict;

  g_variant_dict_init (&dict, own);
  if (info != NULL && info->notes->len != service->n_notes)
    {
      g_variant_dict_insert_value (&dict, "facts-now", sonde_explain_info_codec.pack (info, NULL));
      service->n_notes = info->notes->len;
    }
  return g_variant_dict_end (&dict);
}

static gboolean
set_unknown (const char *name, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  g_autofree char *valid = g_utf8_make_valid (name, -1);

  for (SondeExplainCall call = 0; call < SONDE_N_EXPLAIN_CALLS; call++)
    g_string_append_printf (names, "%s%s", call > 0 ? ", " : "",
                            sonde_explain_call_get_name (call));
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "This engine has no call “%s”; its calls are: %s.", valid, names->str);
  return FALSE;
}

/* (floating) */
static GVariant *
run_handler (Work *work, SondeExplainCall call, GError **error)
{
  const SondeExplainCodec *codec = sonde_explain_call_get_codec (call);
  g_auto (SondeExplainArguments) arguments = { 0 };
  GVariant *packed;
  gpointer result;

  if (!sonde_explain_arguments_unpack (call, work->call->arguments, work->call->tensors, &arguments,
                                       error))
    return NULL;
  result = handlers[call](work, &arguments, error);
  if (result == NULL)
    return NULL;
  packed = codec->pack (result, work->tensors);
  if (codec->free != NULL)
    codec->free (result);
  return add_notes (work->service, packed);
}

gboolean
sonde_explain_service_call (SondeExplainService *service, SondeSessionCall *call, GVariant **result,
                            GPtrArray **tensors, GError **error)
{
  Work work = { .service = service, .call = call };
  const SondeExplainListener listener
      = { .tick = tick, .rows = hand_out_rows, .map = hand_out_map, .data = &work };
  SondeExplainCall which = sonde_explain_call_from_name (call->name);

  if (which == SONDE_N_EXPLAIN_CALLS)
    return set_unknown (call->name, error);
  if (sonde_explain_call_needs_session (which) && service->session == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "No explanation session is open; study.open opens one.");
      return FALSE;
    }
  work.tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  if (service->session != NULL)
    sonde_explain_session_set_listener (service->session, &listener);
  *result = run_handler (&work, which, error);
  if (service->session != NULL)
    sonde_explain_session_set_listener (service->session, NULL); /* it points into this call */
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
