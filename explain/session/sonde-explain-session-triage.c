/* SPDX-License-Identifier: Apache-2.0
 * Reasons of errors, and errors of a cell that look alike. */
#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "explain/session/sonde-explain-session-data.h"
#include "explain/session/sonde-explain-session-predictions.h"
#include "explain/session/sonde-explain-session-private.h"
#include "explain/session/sonde-explain-session-triage-cache.h"
#include "explain/session/sonde-explain-session-work.h"
#include "explain/session/sonde-explain-codec.h"
#include "explain/sonde-note.h"
#include "explain/triage/sonde-clusters.h"

#define LEAST_MEMBERS 4u /* of a cell that is parted */
#define MOST_CLUSTERS 3u
#define FINDING N_ ("Categorising errors")
#define POOLED (SONDE_CLUSTER_MAP * SONDE_CLUSTER_MAP)

/* The errors' maps by way of the cache, so that what was stopped goes on. */
static GPtrArray *
make_maps (GPtrArray *errors, gpointer data, GError **error)
{
  SondeExplainSession *session = data;
  g_autofree guint *samples = g_new (guint, errors->len);
  g_autofree gint64 *targets = g_new (gint64, errors->len);
  SondeExplainListener listener = session->listener;
  g_autoptr (GPtrArray) maps = NULL;
  GPtrArray *tensors;

  for (guint i = 0; i < errors->len; i++)
    {
      const SondeSampleResult *prediction = g_ptr_array_index (errors, i);

      samples[i] = prediction->sample;
      targets[i] = prediction->predicted;
    }
  session->listener.map = NULL; /* nobody asked for these */
  maps = sonde_explain_session_compute_maps (session, samples, targets, errors->len,
                                             "input-x-gradient", error);
  session->listener = listener;
  sonde_explain_session_begin (session, FINDING, 0);
  session->lacks_maps = maps == NULL;
  if (maps == NULL)
    return NULL;
  tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  for (guint i = 0; i < maps->len; i++)
    g_ptr_array_add (tensors,
                     sonde_tensor_ref (((SondeAttributionMap *) g_ptr_array_index (maps, i))->map));
  return tensors;
}

const SondeTriage *
sonde_explain_session_get_triage (SondeExplainSession *session, GError **error)
{
  const SondeExplanationSettings *settings = session->settings;
  GPtrArray *predictions = sonde_explain_session_classify (session, error), *training = NULL;

  if (predictions == NULL || session->triage != NULL)
    return predictions != NULL ? session->triage : NULL;
  if (settings->training != NULL
      && (training = sonde_explain_session_get_training (session, error)) == NULL)
    return NULL;
  if (settings->training == NULL && settings->given_labels != NULL
      && !sonde_explain_session_apply_given_labels (settings->given_labels, session->dataset,
                                                    predictions, error))
    return NULL;
  if (session->cache != NULL
      && (session->triage = sonde_explain_session_load_triage (session, predictions, training))
             != NULL)
    return session->triage;
  sonde_explain_session_begin (session, FINDING, 0);
  session->triage = sonde_triage_new_watched (
      session->explainer, session->dataset, predictions, session->training_data, training,
      session->cache != NULL ? make_maps : NULL, sonde_explain_session_progress, session, error);
  if (session->triage != NULL && session->cache != NULL && !session->lacks_maps)
    sonde_explain_session_store_triage (session, predictions, session->triage);
  return session->triage;
}

/* ---- clusters ------------------------------------------------------------ */

/* Maps of all errors for the class they got: what the network looks at; NULL with @error only when
 * it was stopped. */
static GPtrArray *
explain_errors (SondeExplainSession *session, GPtrArray *notes, GError **error)
{
  static const char *const specs[] = { "gradcam", "saliency" };
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (guint)),
                     targets = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; i < session->predictions->len; i++)
    {
      const SondeSampleResult *prediction = g_ptr_array_index (session->predictions, i);

      if (!sonde_sample_result_is_error (prediction))
        continue;
      g_array_append_val (samples, prediction->sample);
      g_array_append_val (targets, prediction->predicted);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (specs); i++)
    {
      g_autoptr (GError) reason = NULL;
      GPtrArray *maps = sonde_explain_session_compute_maps (
          session, (const guint *) (const void *) samples->data,
          (const gint64 *) (const void *) targets->data, samples->len, specs[i], &reason);

      if (maps != NULL)
        return maps;
      if (!sonde_explain_session_tick (session, 0, 0, error))
        return NULL;
      if (i + 1 == G_N_ELEMENTS (specs))
        sonde_notes_add_because (notes, reason, "Maps could not be clustered: ");
    }
  return g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_attribution_map_free);
}

static double
largest_magnitude (const SondeTensor *map)
{
  double largest = 0.0;

  for (gint64 i = 0; i < sonde_tensor_n_elements (map); i++)
    largest = fmax (largest, fabs (sonde_tensor_get_double (map, i)));
  return isfinite (largest) ? largest : 0.0;
}

/* Sum of the maps, each scaled to the largest magnitude 1, over their number. */
static void
add_to_mean (SondeErrorCluster *cluster, const SondeTensor *map)
{
  double limit = largest_magnitude (map);
  float *to = (float *) (void *) cluster->mean->data;

  for (gint64 i = 0; limit > 0 && i < sonde_tensor_n_elements (map); i++)
    to[i] += (float) (sonde_tensor_get_double (map, i) / limit);
}

/* Makes means of the sums; maps that are all the same leave clusters without members. */
static void
finish_clusters (GPtrArray *clusters, guint first)
{
  for (guint c = clusters->len; c > first; c--)
    {
      SondeErrorCluster *cluster = g_ptr_array_index (clusters, c - 1);
      float *mean = (float *) (void *) cluster->mean->data;

      if (cluster->members->len == 0)
        {
          g_ptr_array_remove_index (clusters, c - 1);
          continue;
        }
      for (gint64 i = 0; i < sonde_tensor_n_elements (cluster->mean); i++)
        mean[i] /= (float) cluster->members->len;
    }
}

static void
add_clusters (GPtrArray *clusters, GPtrArray *members, /* maps of a cell */
              gint64 label)
{
  guint n = members->len, k = CLAMP (n / 4, 1, MOST_CLUSTERS), medoids[MOST_CLUSTERS];
  g_autofree float *vectors = g_new (float, (gsize) n *POOLED);
  g_autofree guint *cluster_of = g_new (guint, n);
  guint first = clusters->len;

  for (guint i = 0; i < n; i++)
    {
      const SondeTensor *map = ((SondeAttributionMap *) g_ptr_array_index (members, i))->map;

      sonde_clusters_pool ((const float *) (const void *) map->data, (int) map->shape.dims[0],
                           (int) map->shape.dims[1], vectors + (gsize) i * POOLED);
    }
  sonde_clusters_find (vectors, n, POOLED, k, cluster_of, medoids);
  for (guint c = 0; c < k; c++)
    {
      const SondeAttributionMap *medoid = g_ptr_array_index (members, medoids[c]);
      SondeErrorCluster *cluster = g_new0 (SondeErrorCluster, 1);

      cluster->label = label;
      cluster->predicted = medoid->target;
      cluster->medoid = medoid->sample;
      cluster->members = g_array_new (FALSE, FALSE, sizeof (guint));
      cluster->mean = sonde_tensor_new (SONDE_DTYPE_F32, &medoid->map->shape);
      g_ptr_array_add (clusters, cluster);
    }
  for (guint i = 0; i < n; i++)
    {
      const SondeAttributionMap *map = g_ptr_array_index (members, i);
      SondeErrorCluster *cluster = g_ptr_array_index (clusters, first + cluster_of[i]);

      g_array_append_val (cluster->members, map->sample);
      add_to_mean (cluster, map->map);
    }
  finish_clusters (clusters, first);
}

/* Maps by cell: label · classes + predicted -> GPtrArray of maps. */
static GHashTable *
sort_by_cell (SondeExplainSession *session, GPtrArray *maps)
{
  GHashTable *cells = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                             (GDestroyNotify) g_ptr_array_unref);

  for (guint i = 0; i < maps->len; i++)
    {
      SondeAttributionMap *map = g_ptr_array_index (maps, i);
      g_autoptr (GPtrArray) own = NULL;
      const SondeSampleResult *prediction
          = sonde_explain_session_find_prediction (session, map->sample, &own, NULL);
      gint64 cell
          = prediction != NULL ? prediction->label * session->info->n_classes + map->target : -1;
      GPtrArray *members = g_hash_table_lookup (cells, &cell);

      if (cell < 0)
        continue;
      if (members == NULL)
        {
          members = g_ptr_array_new ();
          g_hash_table_insert (cells, g_memdup2 (&cell, sizeof cell), members);
        }
      g_ptr_array_add (members, map);
    }
  return cells;
}

static int
compare_clusters (gconstpointer a, gconstpointer b)
{
  const SondeErrorCluster *one = *(SondeErrorCluster *const *) a,
                          *other = *(SondeErrorCluster *const *) b;

  if (one->label != other->label)
    return one->label < other->label ? -1 : 1;
  if (one->predicted != other->predicted)
    return one->predicted < other->predicted ? -1 : 1;
  if (one->members->len != other->members->len)
    return one->members->len > other->members->len ? -1 : 1;
  return one->medoid < other->medoid ? -1 : one->medoid > other->medoid;
}

static GPtrArray *
compute_clusters (SondeExplainSession *session, GPtrArray *notes, GError **error)
{
  g_autoptr (GPtrArray) maps = explain_errors (session, notes, error);
  g_autoptr (GPtrArray) clusters
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_error_cluster_free);
  g_autoptr (GHashTable) cells = maps != NULL ? sort_by_cell (session, maps) : NULL;
  GHashTableIter iter;
  gpointer cell, members;

  if (cells == NULL)
    return NULL;
  g_hash_table_iter_init (&iter, cells);
  while (g_hash_table_iter_next (&iter, &cell, &members))
    if (((GPtrArray *) members)->len >= LEAST_MEMBERS)
      add_clusters (clusters, members, *(const gint64 *) cell / session->info->n_classes);
  g_ptr_array_sort (clusters, compare_clusters);
  return g_steal_pointer (&clusters);
}

/* Where there are none because of something, it is tried again each time. */
static GPtrArray *
find_clusters (SondeExplainSession *session, GPtrArray *notes, GError **error)
{
  g_autofree char *hash = sonde_explain_session_hash_labels (session),
                  *key = g_strdup_printf ("clusters-%.32s", hash);
  GPtrArray *clusters
      = sonde_explain_codec_load (&sonde_explain_clusters_codec, session->cache, key);
  guint n_notes = notes->len;

  if (clusters != NULL)
    return clusters;
  clusters = compute_clusters (session, notes, error);
  if (clusters != NULL && notes->len == n_notes)
    sonde_explain_codec_store (&sonde_explain_clusters_codec, session->cache, key, clusters);
  return clusters;
}

SondeTriageResult *
sonde_explain_session_categorise (SondeExplainSession *session, GError **error)
{
  const SondeTriage *told = sonde_explain_session_get_triage (session, error);
  g_autoptr (SondeTriageResult) triage = told != NULL ? g_new0 (SondeTriageResult, 1) : NULL;

  if (triage == NULL)
    return NULL;
  triage->rows = g_ptr_array_ref (session->predictions);
  triage->notes = sonde_notes_new ();
  sonde_notes_append (triage->notes, told->notes);
  triage->clusters = find_clusters (session, triage->notes, error);
  return triage->clusters != NULL ? g_steal_pointer (&triage) : NULL;
}
