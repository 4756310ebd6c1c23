/* SPDX-License-Identifier: Apache-2.0
 * Predictions, images and maps: what is asked of the child, and what becomes of its answers. */
#include "app/explain/sonde-explain-client-private.h"
#include "explain/session/sonde-explain-variant.h"

/* ---- predictions --------------------------------------------------------- */

static gpointer
parse_rows (GVariant *result, GPtrArray *tensors, GError **error)
{
  return sonde_explain_rows_from_variant (result, tensors, error);
}

void
sonde_explain_client_take_rows (SondeExplainClient *client, GTask *task,
                                const SondeSessionReply *reply)
{
  sonde_explain_client_give_parsed (task, reply, parse_rows, (GDestroyNotify) g_ptr_array_unref);
}

void
sonde_explain_client_predict_async (SondeExplainClient *client, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer data)
{
  sonde_explain_client_call (client, "study.predict", sonde_explain_client_no_arguments (), NULL,
                             sonde_explain_client_predict_async, sonde_explain_client_take_rows,
                             cancellable, callback, data);
}

GPtrArray *
sonde_explain_client_predict_finish (SondeExplainClient *client, GAsyncResult *result,
                                     GError **error)
{
  return sonde_explain_client_finish (client, result, sonde_explain_client_predict_async, error);
}

/* ---- images -------------------------------------------------------------- */

typedef struct
{
  SondeImage *image;
  SondeBox box;
} BoxedImage;

static void
boxed_free (void *data)
{
  sonde_image_unref (((BoxedImage *) data)->image);
  g_free (data);
}

static void
take_image (SondeExplainClient *client, GTask *task, const SondeSessionReply *reply)
{
  GError *error = NULL;
  BoxedImage *boxed = g_new0 (BoxedImage, 1);
  gboolean has_tensor = reply->tensors != NULL && reply->tensors->len == 1;

  g_variant_lookup (reply->result, "box", "(iiii)", &boxed->box.x, &boxed->box.y, &boxed->box.width,
                    &boxed->box.height);
  if (has_tensor)
    boxed->image = sonde_explain_image_from_tensor (g_ptr_array_index (reply->tensors, 0), &error);
  else
    sonde_set_error (&error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                     "The engine sent no picture.");
  if (boxed->image == NULL)
    g_clear_pointer (&boxed, boxed_free);
  sonde_explain_client_give (task, boxed, boxed_free, error);
}

void
sonde_explain_client_image_async (SondeExplainClient *client, guint sample, gboolean in_training,
                                  GCancellable *cancellable, GAsyncReadyCallback callback,
                                  gpointer data)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "sample", "u", sample);
  g_variant_dict_insert (&dict, "in-training", "b", in_training);
  sonde_explain_client_call (client, "study.picture", g_variant_dict_end (&dict), NULL,
                             sonde_explain_client_image_async, take_image, cancellable, callback,
                             data);
}

SondeImage *
sonde_explain_client_image_finish (SondeExplainClient *client, GAsyncResult *result, SondeBox *box,
                                   GError **error)
{
  BoxedImage *boxed
      = sonde_explain_client_finish (client, result, sonde_explain_client_image_async, error);
  SondeImage *image = boxed != NULL ? g_steal_pointer (&boxed->image) : NULL;

  if (box != NULL)
    *box = boxed != NULL ? boxed->box : (SondeBox){ 0 };
  if (boxed != NULL)
    boxed_free (boxed);
  return image;
}

/* ---- maps ---------------------------------------------------------------- */

static void
take_maps (SondeExplainClient *client, GTask *task, const SondeSessionReply *reply)
{
  GError *error = NULL;
  GPtrArray *maps = sonde_explain_maps_from_variant (reply->result, reply->tensors, &error);

  sonde_explain_client_give (task, maps, (GDestroyNotify) g_ptr_array_unref, error);
}

static void
take_map (SondeExplainClient *client, GTask *task, const SondeSessionReply *reply)
{
  GError *error = NULL;
  g_autoptr (GPtrArray) maps
      = sonde_explain_maps_from_variant (reply->result, reply->tensors, &error);

  if (maps != NULL && maps->len != 1)
    sonde_set_error (&error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                     "The engine sent no map.");
  sonde_explain_client_give (task, error == NULL ? g_ptr_array_steal_index (maps, 0) : NULL,
                             (GDestroyNotify) sonde_attribution_map_free, error);
}

GVariant *
sonde_explain_client_map_arguments (guint sample, const char *spec, gint64 target)
{
  g_autofree char *valid = g_utf8_make_valid (spec, -1);
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "sample", "u", sample);
  g_variant_dict_insert (&dict, "spec", "s", valid);
  g_variant_dict_insert (&dict, "target", "x", target);
  return g_variant_dict_end (&dict);
}

void
sonde_explain_client_map_async (SondeExplainClient *client, guint sample, const char *spec,
                                gint64 target, GCancellable *cancellable,
                                GAsyncReadyCallback callback, gpointer data)
{
  sonde_explain_client_call (client, "study.map",
                             sonde_explain_client_map_arguments (sample, spec, target), NULL,
                             sonde_explain_client_map_async, take_map, cancellable, callback, data);
}

SondeAttributionMap *
sonde_explain_client_map_finish (SondeExplainClient *client, GAsyncResult *result, GError **error)
{
  return sonde_explain_client_finish (client, result, sonde_explain_client_map_async, error);
}

void
sonde_explain_client_maps_async (SondeExplainClient *client, const guint *samples,
                                 const gint64 *targets, guint n, const char *spec,
                                 GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer data)
{
  g_autofree char *valid = g_utf8_make_valid (spec, -1);
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (
      &dict, "samples",
      g_variant_new_fixed_array (G_VARIANT_TYPE_UINT32, samples, n, sizeof (guint)));
  g_variant_dict_insert_value (
      &dict, "targets",
      g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, targets, n, sizeof (gint64)));
  g_variant_dict_insert (&dict, "spec", "s", valid);
  sonde_explain_client_call (client, "study.maps", g_variant_dict_end (&dict), NULL,
                             sonde_explain_client_maps_async, take_maps, cancellable, callback,
                             data);
}

GPtrArray *
sonde_explain_client_maps_finish (SondeExplainClient *client, GAsyncResult *result, GError **error)
{
  return sonde_explain_client_finish (client, result, sonde_explain_client_maps_async, error);
}

/* ---- edited images ------------------------------------------------------- */

/* (transfer full) (nullable) */
static GPtrArray *
image_tensors (const SondeImage *image)
{
  GPtrArray *tensors = image != NULL ? sonde_explain_client_new_tensors () : NULL;

  if (tensors != NULL)
    g_ptr_array_add (tensors, sonde_explain_image_to_tensor (image));
  return tensors;
}

static void
take_answer (SondeExplainClient *client, GTask *task, const SondeSessionReply *reply)
{
  GError *error = NULL;
  SondeImagePrediction *prediction
      = sonde_explain_prediction_from_variant (reply->result, reply->tensors, &error);

  sonde_explain_client_give (task, prediction, (GDestroyNotify) sonde_image_prediction_free, error);
}

void
sonde_explain_client_infer_async (SondeExplainClient *client, guint sample, const SondeImage *image,
                                  GCancellable *cancellable, GAsyncReadyCallback callback,
                                  gpointer data)
{
  g_autoptr (GPtrArray) tensors = image_tensors (image);
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "sample", "u", sample);
  sonde_explain_client_call (client, "study.infer", g_variant_dict_end (&dict), tensors,
                             sonde_explain_client_infer_async, take_answer, cancellable, callback,
                             data);
}

SondeImagePrediction *
sonde_explain_client_infer_finish (SondeExplainClient *client, GAsyncResult *result, GError **error)
{
  return sonde_explain_client_finish (client, result, sonde_explain_client_infer_async, error);
}

void
sonde_explain_client_map_of_image_async (SondeExplainClient *client, guint sample,
                                         const SondeImage *image, const char *spec, gint64 target,
                                         GCancellable *cancellable, GAsyncReadyCallback callback,
                                         gpointer data)
{
  g_autoptr (GPtrArray) tensors = image_tensors (image);

  sonde_explain_client_call (
      client, "study.map", sonde_explain_client_map_arguments (sample, spec, target), tensors,
      sonde_explain_client_map_of_image_async, take_map, cancellable, callback, data);
}

SondeAttributionMap *
sonde_explain_client_map_of_image_finish (SondeExplainClient *client, GAsyncResult *result,
                                          GError **error)
{
  return sonde_explain_client_finish (client, result, sonde_explain_client_map_of_image_async,
                                      error);
}
