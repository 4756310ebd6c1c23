/* SPDX-License-Identifier: Apache-2.0
 * Codecs of settings, info, rows, maps, images and predictions. */
#include "explain/session/sonde-explain-codec.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-message-variant.h"

#define MAX_PROBABILITIES (4 << 20)

GVariant *
sonde_explain_lookup (GVariant *variant, const char *key, const char *type, GError **error)
{
  GVariant *value = g_variant_lookup_value (variant, key, G_VARIANT_TYPE (type));

  if (value == NULL)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "“%s” is missing or not of type “%s”.", key, type);
  return value;
}

gboolean
sonde_explain_refuse (GError **error, const char *key)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID, "“%s” has an invalid value.",
                   key);
  return FALSE;
}

/* ---- in the cache -------------------------------------------------------- */

gpointer
sonde_explain_codec_load (const SondeExplainCodec *codec, SondeExplainCache *cache, const char *key)
{
  g_autoptr (GVariant) value = NULL;
  g_autoptr (GPtrArray) tensors = NULL;

  return cache != NULL && sonde_explain_cache_load (cache, key, &value, &tensors)
             ? codec->unpack (value, tensors, NULL)
             : NULL;
}

void
sonde_explain_codec_store (const SondeExplainCodec *codec, SondeExplainCache *cache,
                           const char *key, gconstpointer object)
{
  g_autoptr (GPtrArray) tensors
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  GVariant *value;

  if (cache == NULL)
    return;
  value = codec->pack (object, tensors);
  sonde_explain_cache_store (cache, key, value, tensors);
}

/* ---- settings ------------------------------------------------------------ */

static const struct
{
  const char *name;
  gsize offset;
} settings_keys[] = {
  { "model", offsetof (SondeExplanationSettings, model) },
  { "signature", offsetof (SondeExplanationSettings, signature) },
  { "weights", offsetof (SondeExplanationSettings, weights) },
  { "shapes", offsetof (SondeExplanationSettings, shapes) },
  { "data", offsetof (SondeExplanationSettings, data) },
  { "labels", offsetof (SondeExplanationSettings, labels) },
  { "mean", offsetof (SondeExplanationSettings, mean) },
  { "std", offsetof (SondeExplanationSettings, std) },
  { "size", offsetof (SondeExplanationSettings, size) },
  { "channels", offsetof (SondeExplanationSettings, channels) },
  { "training", offsetof (SondeExplanationSettings, training) },
  { "given-labels", offsetof (SondeExplanationSettings, given_labels) },
  { "device", offsetof (SondeExplanationSettings, device) },
};

static GVariant *
pack_settings (gconstpointer object, GPtrArray *tensors)
{
  const SondeExplanationSettings *settings = object;
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (settings_keys); i++)
    {
      const char *text
          = *(char *const *) (const void *) ((const guint8 *) settings + settings_keys[i].offset);

      if (text != NULL) /* paths need not be UTF-8 */
        g_variant_dict_insert_value (&dict, settings_keys[i].name, g_variant_new_bytestring (text));
    }
  g_variant_dict_insert (&dict, "threads", "i", settings->threads);
  g_variant_dict_insert (&dict, "seed", "x", settings->seed);
  return g_variant_dict_end (&dict);
}

static gpointer
unpack_settings (GVariant *variant, GPtrArray *tensors, GError **error)
{
  g_autoptr (SondeExplanationSettings) settings = g_new0 (SondeExplanationSettings, 1);
  GVariantIter iter;
  const char *key;
  GVariant *value;
  gboolean good = TRUE;

  g_variant_iter_init (&iter, variant);
  while (good && g_variant_iter_next (&iter, "{&sv}", &key, &value))
    {
      gboolean known = FALSE;

      if (g_str_equal (key, "threads") && g_variant_is_of_type (value, G_VARIANT_TYPE_INT32))
        known = TRUE, settings->threads = CLAMP (g_variant_get_int32 (value), 0, 4096);
      else if (g_str_equal (key, "seed") && g_variant_is_of_type (value, G_VARIANT_TYPE_INT64))
        known = TRUE, settings->seed = g_variant_get_int64 (value);
      for (gsize i = 0; i < G_N_ELEMENTS (settings_keys)
                        && g_variant_is_of_type (value, G_VARIANT_TYPE_BYTESTRING);
           i++)
        if (g_str_equal (key, settings_keys[i].name))
          {
            char **text = (char **) (void *) ((guint8 *) settings + settings_keys[i].offset);

            known = TRUE;
            g_free (*text);
            *text = g_variant_dup_bytestring (value, NULL);
          }
      if (!known)
        {
          sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                           "There is no setting “%s” of type “%s”.", key,
                           g_variant_get_type_string (value));
          good = FALSE;
        }
      g_variant_unref (value);
    }
  return good ? g_steal_pointer (&settings) : NULL;
}

const SondeExplainCodec sonde_explain_settings_codec
    = { pack_settings, unpack_settings, (GDestroyNotify) sonde_explanation_settings_free, FALSE };

/* ---- info ---------------------------------------------------------------- */

static GVariant *
classes_to_variant (const SondeExplainInfo *info)
{
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("as"));

  for (guint c = 0; c < info->n_classes; c++)
    g_variant_builder_add_value (
        &builder, g_variant_new_take_string (g_utf8_make_valid (info->classes[c], -1)));
  return g_variant_builder_end (&builder);
}

#define FACTS_TYPE "(uuxxxsbbbbdduu)"

static GVariant *
pack_info (gconstpointer object, GPtrArray *tensors)
{
  const SondeExplainInfo *info = object;
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "classes", classes_to_variant (info));
  g_variant_dict_insert_value (&dict, "notes", sonde_messages_to_variant (info->notes));
  g_variant_dict_insert (&dict, "facts", FACTS_TYPE, info->n_samples, info->n_classes,
                         info->channels, info->height, info->width, info->model_name,
                         info->has_labels, info->has_boxes, info->ends_in_softmax,
                         info->has_training, info->forward_seconds, info->backward_seconds,
                         info->n_cached_rows, info->n_cached_maps);
  return g_variant_dict_end (&dict);
}

static gpointer
unpack_info (GVariant *variant, GPtrArray *tensors, GError **error)
{
  g_autoptr (SondeExplainInfo) info = g_new0 (SondeExplainInfo, 1);
  g_autoptr (GVariant) classes = sonde_explain_lookup (variant, "classes", "as", error);
  g_autoptr (GVariant) notes
      = classes != NULL ? sonde_explain_lookup (variant, "notes", SONDE_MESSAGES_VARIANT, error)
                        : NULL;
  g_autoptr (GVariant) numbers
      = notes != NULL ? sonde_explain_lookup (variant, "facts", FACTS_TYPE, error) : NULL;

  if (numbers == NULL)
    return NULL;
  g_variant_get (numbers, FACTS_TYPE, &info->n_samples, &info->n_classes, &info->channels,
                 &info->height, &info->width, &info->model_name, &info->has_labels,
                 &info->has_boxes, &info->ends_in_softmax, &info->has_training,
                 &info->forward_seconds, &info->backward_seconds, &info->n_cached_rows,
                 &info->n_cached_maps);
  info->classes = g_variant_dup_strv (classes, NULL);
  info->notes = sonde_messages_from_variant (notes);
  if (info->n_classes == g_strv_length (info->classes))
    return g_steal_pointer (&info);
  sonde_explain_refuse (error, "classes");
  return NULL;
}

const SondeExplainCodec sonde_explain_info_codec
    = { pack_info, unpack_info, (GDestroyNotify) sonde_explain_info_free, FALSE };

/* ---- rows ---------------------------------------------------------------- */

#define ROW_TYPE "(usxxddduu" SONDE_MESSAGE_VARIANT ")"

static GVariant *
row_to_variant (const SondeSampleResult *row)
{
  g_autofree char *name = g_utf8_make_valid (row->name, -1);

  return g_variant_new ("(usxxddduu@" SONDE_MESSAGE_VARIANT ")", row->sample, name, row->label,
                        row->predicted, row->p_label, row->p_predicted, row->margin,
                        (guint) row->category, row->categories,
                        sonde_message_to_variant (row->evidence));
}

static SondeSampleResult *
row_from_variant (GVariant *variant)
{
  SondeSampleResult *row = g_new0 (SondeSampleResult, 1);
  g_autoptr (GVariant) evidence = NULL;
  guint reason;

  g_variant_get (variant, "(usxxddduu@" SONDE_MESSAGE_VARIANT ")", &row->sample, &row->name,
                 &row->label, &row->predicted, &row->p_label, &row->p_predicted, &row->margin,
                 &reason, &row->categories, &evidence);
  row->category = (SondeErrorCategory) MIN (reason, SONDE_N_CATEGORIES);
  row->label = MAX (row->label, -1);
  row->evidence = sonde_message_from_variant (evidence);
  return row;
}

static gboolean
have_probabilities (GPtrArray *rows)
{
  guint n = rows->len > 0 ? ((SondeSampleResult *) g_ptr_array_index (rows, 0))->n_classes : 0;

  for (guint i = 0; i < rows->len; i++)
    {
      const SondeSampleResult *row = g_ptr_array_index (rows, i);

      if (row->probabilities == NULL || row->n_classes != n)
        return FALSE;
    }
  return n > 0 && (guint64) rows->len * n <= MAX_PROBABILITIES;
}

static GVariant *
pack_rows (gconstpointer object, GPtrArray *tensors)
{
  GPtrArray *rows = (GPtrArray *) object;
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a" ROW_TYPE));
  GVariantDict dict;

  for (guint i = 0; i < rows->len; i++)
    g_variant_builder_add_value (&builder, row_to_variant (g_ptr_array_index (rows, i)));
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "rows", g_variant_builder_end (&builder));
  if (have_probabilities (rows))
    {
      guint n = ((SondeSampleResult *) g_ptr_array_index (rows, 0))->n_classes;
      SondeShape shape = sonde_shape_make (2, (int) rows->len, (int) n);
      SondeTensor *p = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

      for (guint i = 0; i < rows->len; i++)
        memcpy (p->data + (gsize) i * n * sizeof (float),
                ((SondeSampleResult *) g_ptr_array_index (rows, i))->probabilities,
                n * sizeof (float));
      g_variant_dict_insert (&dict, "probabilities", "u", tensors->len);
      g_ptr_array_add (tensors, p);
    }
  return g_variant_dict_end (&dict);
}

static gboolean
set_probabilities (GVariant *variant, GPtrArray *rows, GPtrArray *tensors)
{
  SondeTensor *p;
  guint index;
  gint64 n;

  if (!g_variant_lookup (variant, "probabilities", "u", &index))
    return TRUE;
  p = tensors != NULL && index < tensors->len ? g_ptr_array_index (tensors, index) : NULL;
  if (p == NULL || p->dtype != SONDE_DTYPE_F32 || p->shape.rank != 2
      || p->shape.dims[0] != rows->len || p->shape.dims[1] < 1)
    return FALSE;
  n = p->shape.dims[1];
  for (guint i = 0; i < rows->len; i++)
    {
      SondeSampleResult *row = g_ptr_array_index (rows, i);

      row->n_classes = (guint) n;
      row->probabilities
          = g_memdup2 (p->data + (gsize) (i * n) * sizeof (float), (gsize) n * sizeof (float));
      if (row->predicted < 0 || row->predicted >= n)
        return FALSE;
    }
  return TRUE;
}

static gpointer
unpack_rows (GVariant *variant, GPtrArray *tensors, GError **error)
{
  g_autoptr (GVariant) list = sonde_explain_lookup (variant, "rows", "a" ROW_TYPE, error);
  g_autoptr (GPtrArray) rows
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_sample_result_free);

  for (gsize i = 0; list != NULL && i < g_variant_n_children (list); i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (list, i);

      g_ptr_array_add (rows, row_from_variant (child));
    }
  if (list != NULL && set_probabilities (variant, rows, tensors))
    return g_steal_pointer (&rows);
  if (list != NULL)
    sonde_explain_refuse (error, "probabilities");
  return NULL;
}

const SondeExplainCodec sonde_explain_rows_codec
    = { pack_rows, unpack_rows, (GDestroyNotify) g_ptr_array_unref, TRUE };

/* ---- maps ---------------------------------------------------------------- */

#define MAP_TYPE "(ussxxd" SONDE_MESSAGE_VARIANT "ud)"

static GVariant *
pack_maps (gconstpointer object, GPtrArray *tensors)
{
  GPtrArray *maps = (GPtrArray *) object;
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a" MAP_TYPE));
  GVariantDict dict;

  for (guint i = 0; i < maps->len; i++)
    {
      const SondeAttributionMap *map = g_ptr_array_index (maps, i);
      g_autofree char *spec = g_utf8_make_valid (map->spec, -1);

      g_variant_builder_add (&builder, "(ussxxd@" SONDE_MESSAGE_VARIANT "ud)", map->sample, spec,
                             map->title, map->target, map->other, map->score,
                             sonde_message_to_variant (map->note), tensors->len, map->rating.gap);
      g_ptr_array_add (tensors, sonde_tensor_ref (map->map));
    }
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "maps", g_variant_builder_end (&builder));
  return g_variant_dict_end (&dict);
}

static SondeAttributionMap *
map_from_variant (GVariant *variant, GPtrArray *tensors)
{
  SondeAttributionMap *map = g_new0 (SondeAttributionMap, 1);
  g_autoptr (GVariant) note = NULL;
  SondeTensor *tensor;
  guint index;

  map->rating = (SondeMapRating){ NAN, NAN, NAN, NAN, NAN };
  g_variant_get (variant, "(ussxxd@" SONDE_MESSAGE_VARIANT "ud)", &map->sample, &map->spec,
                 &map->title, &map->target, &map->other, &map->score, &note, &index,
                 &map->rating.gap);
  map->note = sonde_message_from_variant (note);
  tensor = tensors != NULL && index < tensors->len ? g_ptr_array_index (tensors, index) : NULL;
  if (tensor != NULL && tensor->dtype == SONDE_DTYPE_F32 && tensor->shape.rank == 2
      && sonde_tensor_n_elements (tensor) > 0)
    map->map = sonde_tensor_ref (tensor);
  else
    g_clear_pointer (&map, sonde_attribution_map_free);
  return map;
}

static gpointer
unpack_maps (GVariant *variant, GPtrArray *tensors, GError **error)
{
  g_autoptr (GVariant) list = sonde_explain_lookup (variant, "maps", "a" MAP_TYPE, error);
  g_autoptr (GPtrArray) maps
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_attribution_map_free);

  for (gsize i = 0; list != NULL && i < g_variant_n_children (list); i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (list, i);
      SondeAttributionMap *map = map_from_variant (child, tensors);

      if (map == NULL)
        {
          sonde_explain_refuse (error, "maps");
          return NULL;
        }
      g_ptr_array_add (maps, map);
    }
  return list != NULL ? g_steal_pointer (&maps) : NULL;
}

const SondeExplainCodec sonde_explain_maps_codec
    = { pack_maps, unpack_maps, (GDestroyNotify) g_ptr_array_unref, FALSE };

static GVariant *
pack_map (gconstpointer object, GPtrArray *tensors)
{
  g_autoptr (GPtrArray) maps = g_ptr_array_new ();

  g_ptr_array_add (maps, (gpointer) object);
  return pack_maps (maps, tensors);
}

static gpointer
unpack_map (GVariant *variant, GPtrArray *tensors, GError **error)
{
  g_autoptr (GPtrArray) maps = unpack_maps (variant, tensors, error);

  if (maps == NULL)
    return NULL;
  if (maps->len == 1)
    return g_ptr_array_steal_index (maps, 0);
  sonde_explain_refuse (error, "maps");
  return NULL;
}

const SondeExplainCodec sonde_explain_map_codec
    = { pack_map, unpack_map, (GDestroyNotify) sonde_attribution_map_free, FALSE };

static GVariant *
pack_rating (gconstpointer object, GPtrArray *tensors)
{
  const SondeMapRating *rating = object;
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "rating", "(ddddd)", rating->faithfulness,
                         rating->faithfulness_random, rating->randomisation, rating->agreement,
                         rating->gap);
  return g_variant_dict_end (&dict);
}

static gpointer
unpack_rating (GVariant *variant, GPtrArray *tensors, GError **error)
{
  g_autoptr (GVariant) numbers = sonde_explain_lookup (variant, "rating", "(ddddd)", error);
  SondeMapRating *rating = numbers != NULL ? g_new0 (SondeMapRating, 1) : NULL;

  if (numbers != NULL)
    g_variant_get (numbers, "(ddddd)", &rating->faithfulness, &rating->faithfulness_random,
                   &rating->randomisation, &rating->agreement, &rating->gap);
  return rating;
}

const SondeExplainCodec sonde_explain_rating_codec = { pack_rating, unpack_rating, g_free, FALSE };

/* ---- images and predictions -------------------------------------------------- */

SondeTensor *
sonde_explain_image_to_tensor (const SondeImage *image)
{
  SondeShape shape = sonde_shape_make (3, image->height, image->width, image->channels);
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_U8, &shape);

  memcpy (tensor->data, image->pixels, sonde_tensor_n_bytes (tensor));
  return tensor;
}

SondeImage *
sonde_explain_image_from_tensor (SondeTensor *tensor, GError **error)
{
  const gint64 *dims = tensor->shape.dims;
  SondeImage *image;

  if (tensor->dtype != SONDE_DTYPE_U8 || tensor->shape.rank != 3 || dims[0] < 1 || dims[0] > 16384
      || dims[1] < 1 || dims[1] > 16384 || (dims[2] != 1 && dims[2] != 3 && dims[2] != 4))
    {
      sonde_explain_refuse (error, "picture");
      return NULL;
    }
  image = sonde_image_new ((int) dims[1], (int) dims[0], (int) dims[2]);
  memcpy (image->pixels, tensor->data, sonde_tensor_n_bytes (tensor));
  return image;
}

static GVariant *
pack_image (gconstpointer object, GPtrArray *tensors)
{
  const SondeBoxedImage *boxed = object;
  GVariantDict dict;

  g_ptr_array_add (tensors, sonde_explain_image_to_tensor (boxed->image));
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "box", "(iiii)", boxed->box.x, boxed->box.y, boxed->box.width,
                         boxed->box.height);
  return g_variant_dict_end (&dict);
}

static gpointer
unpack_image (GVariant *variant, GPtrArray *tensors, GError **error)
{
  g_autoptr (SondeBoxedImage) boxed = g_new0 (SondeBoxedImage, 1);

  if (tensors == NULL || tensors->len != 1)
    {
      sonde_explain_refuse (error, "picture");
      return NULL;
    }
  g_variant_lookup (variant, "box", "(iiii)", &boxed->box.x, &boxed->box.y, &boxed->box.width,
                    &boxed->box.height);
  boxed->image = sonde_explain_image_from_tensor (g_ptr_array_index (tensors, 0), error);
  return boxed->image != NULL ? g_steal_pointer (&boxed) : NULL;
}

const SondeExplainCodec sonde_explain_image_codec
    = { pack_image, unpack_image, (GDestroyNotify) sonde_boxed_image_free, FALSE };

static GVariant *
pack_prediction (gconstpointer object, GPtrArray *tensors)
{
  const SondeSampleResult *prediction = object;
  SondeShape shape = sonde_shape_make (2, 2, (int) prediction->n_classes);
  SondeTensor *numbers = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  GVariantDict dict;

  memcpy (numbers->data, prediction->probabilities, prediction->n_classes * sizeof (float));
  memcpy (numbers->data + prediction->n_classes * sizeof (float), prediction->logits,
          prediction->n_classes * sizeof (float));
  g_ptr_array_add (tensors, numbers);
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "predicted", "x", prediction->predicted);
  return g_variant_dict_end (&dict);
}

static gpointer
unpack_prediction (GVariant *variant, GPtrArray *tensors, GError **error)
{
  g_autoptr (SondeSampleResult) prediction = sonde_sample_result_new (0, NULL);
  SondeTensor *numbers
      = tensors != NULL && tensors->len == 1 ? g_ptr_array_index (tensors, 0) : NULL;
  gsize bytes;

  if (numbers == NULL || numbers->dtype != SONDE_DTYPE_F32 || numbers->shape.rank != 2
      || numbers->shape.dims[0] != 2
      || !g_variant_lookup (variant, "predicted", "x", &prediction->predicted)
      || prediction->predicted < 0 || prediction->predicted >= numbers->shape.dims[1])
    {
      sonde_explain_refuse (error, "predicted");
      return NULL;
    }
  prediction->n_classes = (guint) numbers->shape.dims[1];
  bytes = prediction->n_classes * sizeof (float);
  prediction->probabilities = g_memdup2 (numbers->data, bytes);
  prediction->logits = g_memdup2 (numbers->data + bytes, bytes);
  return g_steal_pointer (&prediction);
}

const SondeExplainCodec sonde_explain_prediction_codec
    = { pack_prediction, unpack_prediction, (GDestroyNotify) sonde_sample_result_free, FALSE };

/* ---- nothing ------------------------------------------------------------- */

static GVariant *
pack_nothing (gconstpointer object, GPtrArray *tensors)
{
  return g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0);
}

static gpointer
unpack_nothing (GVariant *variant, GPtrArray *tensors, GError **error)
{
  return GINT_TO_POINTER (TRUE);
}

const SondeExplainCodec sonde_explain_nothing_codec = { pack_nothing, unpack_nothing, NULL, FALSE };
