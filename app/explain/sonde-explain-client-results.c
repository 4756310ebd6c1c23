/* SPDX-License-Identifier: Apache-2.0
 * Triage, ratings, boxes, neighbours, comparisons, scores, the self-test and the report: what is
 * asked of the child, and what becomes of its answers. */
#include "app/explain/sonde-explain-client-private.h"
#include "explain/session/sonde-explain-variant.h"

/* NULL: an empty list. */
static GVariant *
texts (const char *const *list)
{
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("as"));

  for (gsize i = 0; list != NULL && list[i] != NULL; i++)
    {
      g_autofree char *valid = g_utf8_make_valid (list[i], -1);

      g_variant_builder_add (&builder, "s", valid);
    }
  return g_variant_builder_end (&builder);
}

/* ---- reasons ------------------------------------------------------------- */

static gpointer
parse_triage (GVariant *result, GPtrArray *tensors, GError **error)
{
  return sonde_explain_triage_from_variant (result, tensors, error);
}

static void
take_triage (SondeExplainClient *client, GTask *task, const SondeSessionReply *reply)
{
  sonde_explain_client_give_parsed (task, reply, parse_triage,
                                    (GDestroyNotify) sonde_triage_result_free);
}

void
sonde_explain_client_triage_async (SondeExplainClient *client, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer data)
{
  sonde_explain_client_call (client, "study.triage", sonde_explain_client_no_arguments (), NULL,
                             sonde_explain_client_triage_async, take_triage, cancellable, callback,
                             data);
}

SondeTriageResult *
sonde_explain_client_triage_finish (SondeExplainClient *client, GAsyncResult *result,
                                    GError **error)
{
  return sonde_explain_client_finish (client, result, sonde_explain_client_triage_async, error);
}

/* ---- ratings ------------------------------------------------------------- */

static void
take_rating (SondeExplainClient *client, GTask *task, const SondeSessionReply *reply)
{
  GError *error = NULL;
  SondeMapRating *rating = g_new0 (SondeMapRating, 1);

  if (!sonde_explain_rating_from_variant (reply->result, rating, &error))
    g_clear_pointer (&rating, g_free);
  sonde_explain_client_give (task, rating, g_free, error);
}

void
sonde_explain_client_rate_async (SondeExplainClient *client, guint sample, const char *spec,
                                 gint64 target, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer data)
{
  sonde_explain_client_call (
      client, "study.rate", sonde_explain_client_map_arguments (sample, spec, target), NULL,
      sonde_explain_client_rate_async, take_rating, cancellable, callback, data);
}

gboolean
sonde_explain_client_rate_finish (SondeExplainClient *client, GAsyncResult *result,
                                  SondeMapRating *rating, GError **error)
{
  g_autofree SondeMapRating *taken
      = sonde_explain_client_finish (client, result, sonde_explain_client_rate_async, error);

  if (taken != NULL)
    *rating = *taken;
  return taken != NULL;
}

/* ---- boxes --------------------------------------------------------------- */

static void
take_boxes (SondeExplainClient *client, GTask *task, const SondeSessionReply *reply)
{
  GError *error = NULL;
  SondeCounterfactual *boxes = sonde_explain_counterfactual_from_variant (reply->result, &error);

  sonde_explain_client_give (task, boxes, (GDestroyNotify) sonde_counterfactual_free, error);
}

void
sonde_explain_client_counterfactual_async (SondeExplainClient *client, guint sample,
                                           const char *spec, gint64 target,
                                           GCancellable *cancellable, GAsyncReadyCallback callback,
                                           gpointer data)
{
  sonde_explain_client_call (
      client, "study.boxes", sonde_explain_client_map_arguments (sample, spec, target), NULL,
      sonde_explain_client_counterfactual_async, take_boxes, cancellable, callback, data);
}

SondeCounterfactual *
sonde_explain_client_counterfactual_finish (SondeExplainClient *client, GAsyncResult *result,
                                            GError **error)
{
  return sonde_explain_client_finish (client, result, sonde_explain_client_counterfactual_async,
                                      error);
}

/* ---- neighbours ---------------------------------------------------------- */

static void
take_neighbours (SondeExplainClient *client, GTask *task, const SondeSessionReply *reply)
{
  GError *error = NULL;
  GPtrArray *neighbours
      = sonde_explain_neighbours_from_variant (reply->result, reply->tensors, &error);

  sonde_explain_client_give (task, neighbours, (GDestroyNotify) g_ptr_array_unref, error);
}

void
sonde_explain_client_neighbours_async (SondeExplainClient *client, guint sample, guint k,
                                       GCancellable *cancellable, GAsyncReadyCallback callback,
                                       gpointer data)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "sample", "u", sample);
  g_variant_dict_insert (&dict, "k", "u", k);
  sonde_explain_client_call (client, "study.neighbours", g_variant_dict_end (&dict), NULL,
                             sonde_explain_client_neighbours_async, take_neighbours, cancellable,
                             callback, data);
}

GPtrArray *
sonde_explain_client_neighbours_finish (SondeExplainClient *client, GAsyncResult *result,
                                        GError **error)
{
  return sonde_explain_client_finish (client, result, sonde_explain_client_neighbours_async, error);
}

/* ---- another model ------------------------------------------------------- */

void
sonde_explain_client_compare_async (SondeExplainClient *client, const char *model,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer data)
{
  g_autofree char *path = g_canonicalize_filename (model, NULL);
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "model", g_variant_new_bytestring (path));
  sonde_explain_client_call (client, "study.compare", g_variant_dict_end (&dict), NULL,
                             sonde_explain_client_compare_async, sonde_explain_client_take_rows,
                             cancellable, callback, data);
}

GPtrArray *
sonde_explain_client_compare_finish (SondeExplainClient *client, GAsyncResult *result,
                                     GError **error)
{
  return sonde_explain_client_finish (client, result, sonde_explain_client_compare_async, error);
}

/* ---- scores -------------------------------------------------------------- */

static void
take_scores (SondeExplainClient *client, GTask *task, const SondeSessionReply *reply)
{
  GError *error = NULL;
  GPtrArray *scores = sonde_explain_scores_from_variant (reply->result, &error);

  sonde_explain_client_give (task, scores, (GDestroyNotify) g_ptr_array_unref, error);
}

void
sonde_explain_client_scores_async (SondeExplainClient *client, const char *const *specs,
                                   const char *metrics, guint max_samples,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer data)
{
  g_autofree char *valid = g_utf8_make_valid (metrics, -1);
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "specs", texts (specs));
  g_variant_dict_insert (&dict, "metrics", "s", valid);
  g_variant_dict_insert (&dict, "max-samples", "u", max_samples);
  sonde_explain_client_call (client, "study.scores", g_variant_dict_end (&dict), NULL,
                             sonde_explain_client_scores_async, take_scores, cancellable, callback,
                             data);
}

GPtrArray *
sonde_explain_client_scores_finish (SondeExplainClient *client, GAsyncResult *result,
                                    GError **error)
{
  return sonde_explain_client_finish (client, result, sonde_explain_client_scores_async, error);
}

/* ---- the self-test ------------------------------------------------------- */

static void
take_checks (SondeExplainClient *client, GTask *task, const SondeSessionReply *reply)
{
  GError *error = NULL;
  GPtrArray *checks = sonde_explain_checks_from_variant (reply->result, &error);

  sonde_explain_client_give (task, checks, (GDestroyNotify) g_ptr_array_unref, error);
}

void
sonde_explain_client_self_test_async (SondeExplainClient *client, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer data)
{
  sonde_explain_client_call_closed (client, "study.self-test", sonde_explain_client_no_arguments (),
                                    sonde_explain_client_self_test_async, take_checks, cancellable,
                                    callback, data);
}

GPtrArray *
sonde_explain_client_self_test_finish (SondeExplainClient *client, GAsyncResult *result,
                                       GError **error)
{
  return sonde_explain_client_finish (client, result, sonde_explain_client_self_test_async, error);
}

/* ---- the report ---------------------------------------------------------- */

static void
take_nothing (SondeExplainClient *client, GTask *task, const SondeSessionReply *reply)
{
  g_task_return_pointer (task, client, NULL);
}

void
sonde_explain_client_report_async (SondeExplainClient *client, const char *path,
                                   const char *const *specs, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer data)
{
  g_autofree char *whole = g_canonicalize_filename (path, NULL);
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "path", g_variant_new_bytestring (whole));
  g_variant_dict_insert_value (&dict, "specs", texts (specs));
  sonde_explain_client_call (client, "study.report", g_variant_dict_end (&dict), NULL,
                             sonde_explain_client_report_async, take_nothing, cancellable, callback,
                             data);
}

gboolean
sonde_explain_client_report_finish (SondeExplainClient *client, GAsyncResult *result,
                                    GError **error)
{
  return sonde_explain_client_finish (client, result, sonde_explain_client_report_async, error)
         != NULL;
}
