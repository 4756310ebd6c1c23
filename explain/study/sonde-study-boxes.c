/* SPDX-License-Identifier: Apache-2.0
 * Counterfactual boxes of a sample, with the steps that lead there. */
#include <math.h>

#include "explain/counterfactual/sonde-occlusion-run.h"
#include "explain/study/sonde-study-private.h"
#include "explain/study/sonde-study-variant.h"

typedef struct
{
  SondeNetworkScore network;
  SondeStudy *study;
} Score;

static gboolean
score_pictures (SondeTensor *pictures,
                double      *scores,
                gpointer     data,
                GError     **error)
{
  Score *score = data;

  return sonde_study_tick (score->study, 0, 0, error) && sonde_network_score (pictures, scores, &score->network, error);
}

/* ---- steps ---------------------------------------------------------------------------------- */

static int
compare_order (gconstpointer a,
               gconstpointer b)
{
  const SondeOcclusionStep *one = *(SondeOcclusionStep *const *) a, *other = *(SondeOcclusionStep *const *) b;

  return one->order < other->order ? -1 : one->order > other->order;
}

/* The steps of the tree, by the time they were taken. A tree is at most SONDE_OCCLUSION_MAX_LAYERS deep. */
static void
collect (GPtrArray  *steps,
         GHashTable *parents,
         GPtrArray  *all)
{
  for (guint i = 0; steps != NULL && i < steps->len; i++)
    {
      SondeOcclusionStep *step = g_ptr_array_index (steps, i);

      g_ptr_array_add (all, step);
      for (guint k = 0; step->children != NULL && k < step->children->len; k++)
        g_hash_table_insert (parents, g_ptr_array_index (step->children, k), step);
      collect (step->children, parents, all);
    }
}

static GArray *
make_steps (const SondeOcclusionResult *result)
{
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (SondeStudyStep));
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  g_autoptr (GHashTable) parents = g_hash_table_new (NULL, NULL), indices = g_hash_table_new (NULL, NULL);

  collect (result->roots, parents, all);
  g_ptr_array_sort (all, compare_order);
  for (guint i = 0; i < all->len; i++)
    g_hash_table_insert (indices, g_ptr_array_index (all, i), GUINT_TO_POINTER (i + 1));
  for (guint i = 0; i < all->len; i++)
    {
      const SondeOcclusionStep *from = g_ptr_array_index (all, i);
      const void *parent = g_hash_table_lookup (parents, from);
      SondeStudyStep step = { .layer = from->layer, .parent = -1, .box = from->box, .after = from->out };

      if (parent != NULL)
        step.parent = (int) GPOINTER_TO_UINT (g_hash_table_lookup (indices, parent)) - 1;
      g_array_append_val (steps, step);
    }
  return steps;
}

/* ---- the result ----------------------------------------------------------------------------- */

static GArray *
copy_boxes (const GArray *boxes)
{
  GArray *copy = g_array_new (FALSE, FALSE, sizeof (SondeOcclusionBox));

  g_array_append_vals (copy, boxes->data, boxes->len);
  return copy;
}

static SondeStudyBoxes *
make_boxes (const SondeOcclusionResult *result,
            const SondeTensor          *image)
{
  SondeStudyBoxes *boxes = g_new0 (SondeStudyBoxes, 1);

  boxes->status = result->status;
  boxes->goal = result->goal;
  boxes->threshold = result->threshold;
  boxes->original = result->original;
  boxes->masked = result->masked;
  boxes->layers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  for (guint i = 0; i < result->n_layers; i++)
    {
      g_ptr_array_add (boxes->layers, copy_boxes (result->boxes[i]));
      boxes->layer_out[i] = result->layer_out[i];
    }
  boxes->pruned = result->pruned != NULL ? copy_boxes (result->pruned) : NULL;
  boxes->pruned_out = result->pruned_out;
  boxes->steps = make_steps (result);
  boxes->area = sonde_occlusion_result_get_area (result, image->shape.dims[1], image->shape.dims[2]);
  boxes->n_candidates = result->n_candidates;
  boxes->note = g_strdup (result->note);
  return boxes;
}

/* ---- what is kept --------------------------------------------------------------------------- */

static char *
make_key (guint       sample,
          const char *text,
          gint64      target)
{
  g_autofree char *hash = sonde_study_hash_texts (text, NULL);

  return g_strdup_printf ("boxes-%u-%" G_GINT64_FORMAT "-%.16s", sample, target, hash);
}

/* (nullable): those of another picture or SPEC count as none. */
static SondeStudyBoxes *
load_boxes (SondeStudy *study,
            guint       sample,
            const char *text,
            gint64      target)
{
  g_autofree char *key = make_key (sample, text, target);
  g_autoptr (GVariant) value = NULL;
  g_autoptr (GPtrArray) tensors = NULL;
  g_autoptr (SondeStudyBoxes) boxes = NULL;

  if (study->cache == NULL || !sonde_study_cache_load (study->cache, key, &value, &tensors))
    return NULL;
  boxes = sonde_study_boxes_from_variant (value, NULL);
  return boxes != NULL && boxes->sample == sample && boxes->target == target && g_str_equal (boxes->spec, text) ? g_steal_pointer (&boxes)
                                                                                                                : NULL;
}

/* ---- looking for them ----------------------------------------------------------------------- */

static SondeStudyBoxes *
compute_boxes (SondeStudy               *study,
               guint                     sample,
               const SondeOcclusionSpec *spec,
               gint64                    target,
               GError                  **error)
{
  g_autoptr (SondeTensor) inputs = sonde_study_load (study, &sample, 1, error);
  SondeShape shape = sonde_shape_make (3, study->dataset->channels, study->dataset->height, study->dataset->width);
  g_autoptr (SondeTensor) image = inputs != NULL ? sonde_tensor_reshape (inputs, &shape) : NULL;
  Score score = { { .explainer = study->explainer, .kind = spec->score, .target = target }, study };
  g_autofree char *name = NULL;
  g_autoptr (GPtrArray) results = NULL;
  SondeOcclusionSettings settings;
  SondeOcclusionSpec first = *spec; /* lent */
  SondeStudyBoxes *boxes;

  if (image == NULL)
    return NULL;
  sonde_study_begin (study, "looking for boxes", 0);
  first.n_thresholds = MIN (spec->n_thresholds, 1);
  results = sonde_occlusion_run (&first, image, score_pictures, &score, &settings, &name, error);
  if (results == NULL)
    return NULL;
  boxes = make_boxes (g_ptr_array_index (results, 0), image);
  boxes->mask = g_strdup (name != NULL ? name : spec->mask);
  return boxes;
}

SondeStudyBoxes *
sonde_study_find_boxes (SondeStudy *study,
                        guint       sample,
                        const char *text,
                        gint64      target,
                        GError    **error)
{
  g_autoptr (SondeOcclusionSpec) spec = sonde_occlusion_spec_parse (text, error);
  SondeStudyBoxes *boxes;

  if (spec == NULL || !sonde_study_check_target (study, target, error))
    return NULL;
  boxes = load_boxes (study, sample, text, target);
  if (boxes != NULL)
    return boxes;
  boxes = compute_boxes (study, sample, spec, target, error);
  if (boxes == NULL)
    return NULL;
  boxes->sample = sample;
  boxes->spec = g_strdup (text);
  boxes->target = target;
  if (study->cache != NULL)
    {
      g_autofree char *key = make_key (sample, text, target);

      sonde_study_cache_store (study->cache, key, sonde_study_boxes_to_variant (boxes), NULL);
    }
  return boxes;
}
