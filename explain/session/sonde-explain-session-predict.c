/* SPDX-License-Identifier: Apache-2.0
 * Predictions of samples: computed in chunks, kept in the cache, and made into rows. */
#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "explain/session/sonde-explain-session-data.h"
#include "explain/session/sonde-explain-session-predictions.h"
#include "explain/session/sonde-explain-session-private.h"
#include "explain/session/sonde-explain-session-work.h"
#include "explain/session/sonde-explain-codec.h"

/* ---- predictions as files ------------------------------------------------ */

static SondeTensor *
gather (GPtrArray *predictions, gsize offset, guint width)
{
  SondeShape shape = sonde_shape_make (2, (int) predictions->len, (int) width);
  SondeTensor *all = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (guint i = 0; i < predictions->len; i++)
    memcpy (all->data + (gsize) i * width * sizeof (float),
            *(float *const *) (const void *) ((const guint8 *) g_ptr_array_index (predictions, i)
                                              + offset),
            width * sizeof (float));
  return all;
}

static void
store_predictions (SondeExplainCache *cache, const char *key, GPtrArray *predictions)
{
  const SondeSampleResult *first = g_ptr_array_index (predictions, 0);
  g_autoptr (GPtrArray) tensors
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a(uayx)"));
  GVariantDict dict;

  for (guint i = 0; i < predictions->len; i++)
    {
      const SondeSampleResult *prediction = g_ptr_array_index (predictions, i);

      g_variant_builder_add (&builder, "(u@ayx)", prediction->sample,
                             g_variant_new_bytestring (prediction->name), prediction->label);
    }
  g_ptr_array_add (tensors,
                   gather (predictions, offsetof (SondeSampleResult, logits), first->n_classes));
  g_ptr_array_add (
      tensors, gather (predictions, offsetof (SondeSampleResult, probabilities), first->n_classes));
  if (first->features != NULL)
    g_ptr_array_add (
        tensors, gather (predictions, offsetof (SondeSampleResult, features), first->n_features));
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "samples", g_variant_builder_end (&builder));
  sonde_explain_cache_store (cache, key, g_variant_dict_end (&dict), tensors);
}

/* The rows of a matrix of @n rows; 0: it is none. */
static guint
get_width (GPtrArray *tensors, guint i, guint n)
{
  const SondeTensor *tensor = i < tensors->len ? g_ptr_array_index (tensors, i) : NULL;

  return tensor != NULL && tensor->dtype == SONDE_DTYPE_F32 && tensor->shape.rank == 2
                 && tensor->shape.dims[0] == n && tensor->shape.dims[1] > 0
             ? (guint) tensor->shape.dims[1]
             : 0;
}

static float *
dup_row (GPtrArray *tensors, guint i, guint row, guint width)
{
  const SondeTensor *tensor = g_ptr_array_index (tensors, i);

  return g_memdup2 (tensor->data + (gsize) row * width * sizeof (float), width * sizeof (float));
}

static SondeSampleResult *
restore_prediction (GVariant *entry, GPtrArray *tensors, guint row, guint n_classes,
                    guint n_features)
{
  SondeSampleResult *prediction = sonde_sample_result_new (0, NULL);
  g_autoptr (GVariant) name = NULL;

  g_variant_get (entry, "(u@ayx)", &prediction->sample, &name, &prediction->label);
  prediction->name = g_variant_dup_bytestring (name, NULL);
  prediction->n_classes = n_classes;
  prediction->logits = dup_row (tensors, 0, row, n_classes);
  prediction->probabilities = dup_row (tensors, 1, row, n_classes);
  prediction->n_features = n_features;
  prediction->features = n_features > 0 ? dup_row (tensors, 2, row, n_features) : NULL;
  prediction->predicted = 0;
  for (guint c = 1; c < n_classes; c++)
    if (prediction->logits[c] > prediction->logits[prediction->predicted])
      prediction->predicted = c;
  sonde_sample_result_measure (prediction);
  return prediction;
}

/* NULL: computed again. What was kept must be of these samples. */
static GPtrArray *
load_predictions (SondeExplainSession *session, const char *key, const guint *samples, guint n)
{
  g_autoptr (GVariant) value = NULL, list = NULL;
  g_autoptr (GPtrArray) tensors
      = NULL,
      predictions = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_sample_result_free);
  guint n_classes, n_features;

  if (session->cache == NULL || !sonde_explain_cache_load (session->cache, key, &value, &tensors))
    return NULL;
  list = g_variant_lookup_value (value, "samples", G_VARIANT_TYPE ("a(uayx)"));
  n_classes = get_width (tensors, 0, n);
  n_features = get_width (tensors, 2, n);
  if (list == NULL || g_variant_n_children (list) != n || n_classes == 0
      || get_width (tensors, 1, n) != n_classes)
    return NULL;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (list, i);
      SondeSampleResult *prediction = restore_prediction (entry, tensors, i, n_classes, n_features);

      g_ptr_array_add (predictions, prediction);
      if (prediction->sample != samples[i])
        return NULL;
    }
  return g_steal_pointer (&predictions);
}

/* ---- classifying --------------------------------------------------------- */

/* Progress of a chunk within all. */
typedef struct
{
  SondeExplainSession *session;
  guint64 before, total;
} Chunk;

static gboolean
tick_chunk (guint done, guint total, gpointer data, GError **error)
{
  Chunk *chunk = data;

  return sonde_explain_session_tick (chunk->session, chunk->before + done, chunk->total, error);
}

static void
tell_rows (SondeExplainSession *session, GPtrArray *rows)
{
  if (session->listener.rows != NULL && rows->len > 0)
    session->listener.rows (rows, session->listener.data);
}

static GPtrArray *
classify_chunk (SondeExplainSession *session, SondeExplainer *explainer, SondeDataset *dataset,
                const guint *samples, guint n, const char *key, Chunk *chunk, GError **error)
{
  g_autoptr (GPtrArray) predictions = load_predictions (session, key, samples, n);

  if (predictions != NULL)
    {
      session->already += n;
      return sonde_explain_session_tick (session, chunk->before + n, chunk->total, error)
                 ? g_steal_pointer (&predictions)
                 : NULL;
    }
  predictions = sonde_explain_classify (explainer, dataset, samples, n, tick_chunk, chunk, error);
  /* unreadable images are told each time */
  if (predictions != NULL && predictions->len == n && session->cache != NULL)
    store_predictions (session->cache, key, predictions);
  return g_steal_pointer (&predictions);
}

GPtrArray *
sonde_explain_session_classify_part (SondeExplainSession *session, SondeExplainer *explainer,
                                     SondeDataset *dataset, const guint *samples, guint n,
                                     const char *prefix, gboolean tell, GError **error)
{
  g_autoptr (GPtrArray) all
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_sample_result_free);
  Chunk chunk = { .session = session, .total = n };

  if (!sonde_explain_check_size (explainer, dataset, error))
    return NULL;
  for (guint done = 0; done < n; done += SONDE_EXPLAIN_CHUNK)
    {
      guint count = MIN (SONDE_EXPLAIN_CHUNK, n - done);
      g_autofree char *key = g_strdup_printf ("%s%08u", prefix, done);
      g_autoptr (GPtrArray) some = NULL;

      chunk.before = done;
      some
          = classify_chunk (session, explainer, dataset, samples + done, count, key, &chunk, error);
      if (some == NULL)
        return NULL;
      if (tell)
        tell_rows (session, some);
      g_ptr_array_extend_and_steal (all, g_steal_pointer (&some));
    }
  return g_steal_pointer (&all);
}

GPtrArray *
sonde_explain_session_classify (SondeExplainSession *session, GError **error)
{
  if (session->predictions != NULL)
    return session->predictions;
  sonde_explain_session_begin (session, N_ ("Predicting"), 0);
  session->predictions = sonde_explain_session_classify_part (
      session, session->explainer, session->dataset, session->split.test, session->split.n_test,
      "rows-", TRUE, error);
  for (guint i = 0; session->predictions != NULL && i < session->predictions->len; i++)
    g_hash_table_insert (
        session->order,
        GUINT_TO_POINTER (
            ((SondeSampleResult *) g_ptr_array_index (session->predictions, i))->sample + 1),
        GUINT_TO_POINTER (i + 1));
  return session->predictions;
}

/* ---- one sample ---------------------------------------------------------- */

static gboolean
check_sample (SondeDataset *dataset, guint sample, GError **error)
{
  if (sample < dataset->n)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                   "There is no sample %u; the data have %u samples, counted from 0.", sample,
                   dataset->n);
  return FALSE;
}

gboolean
sonde_explain_session_check_target (SondeExplainSession *session, gint64 target, GError **error)
{
  if (target >= 0 && target < session->info->n_classes)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "There is no class %" PRIi64 "; the model has %u classes, counted from 0.",
                   target, session->info->n_classes);
  return FALSE;
}

const SondeSampleResult *
sonde_explain_session_find_prediction (SondeExplainSession *session, guint sample, GPtrArray **own,
                                       GError **error)
{
  guint position
      = GPOINTER_TO_UINT (g_hash_table_lookup (session->order, GUINT_TO_POINTER (sample + 1)));

  *own = NULL;
  if (position > 0 && session->predictions != NULL)
    return g_ptr_array_index (session->predictions, position - 1);
  if (!check_sample (session->dataset, sample, error))
    return NULL;
  *own = sonde_explain_classify (session->explainer, session->dataset, &sample, 1, NULL, NULL,
                                 error);
  if (*own != NULL && (*own)->len == 1)
    return g_ptr_array_index (*own, 0);
  if (*own != NULL)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                     "The image of sample %u cannot be read.", sample);
  g_clear_pointer (own, g_ptr_array_unref);
  return NULL;
}

SondeTensor *
sonde_explain_session_load (SondeExplainSession *session, const guint *samples, guint n,
                            GError **error)
{
  for (guint i = 0; i < n; i++)
    if (!check_sample (session->dataset, samples[i], error))
      return NULL;
  return sonde_explain_load (session->dataset, samples, n, error);
}
