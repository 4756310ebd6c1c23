/* SPDX-License-Identifier: Apache-2.0
 * Codecs of triage, counterfactuals, neighbours, scores and checks. */
#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-message-variant.h"
#include "explain/session/sonde-explain-codec.h"

#define MOST_BOXES 1000000

/* ---- triage -------------------------------------------------------------- */

#define CLUSTER_TYPE "(xxuuau)"

static GVariant *
clusters_to_list (GPtrArray *clusters, GPtrArray *tensors)
{
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a" CLUSTER_TYPE));

  for (guint i = 0; i < clusters->len; i++)
    {
      const SondeErrorCluster *cluster = g_ptr_array_index (clusters, i);
      GVariant *members = g_variant_new_fixed_array (G_VARIANT_TYPE_UINT32, cluster->members->data,
                                                     cluster->members->len, sizeof (guint));

      g_variant_builder_add (&builder, "(xxuu@au)", cluster->label, cluster->predicted,
                             cluster->medoid, tensors->len, members);
      g_ptr_array_add (tensors, sonde_tensor_ref (cluster->mean));
    }
  return g_variant_builder_end (&builder);
}

static GPtrArray *
clusters_from_list (GVariant *list, GPtrArray *tensors)
{
  g_autoptr (GPtrArray) clusters
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_error_cluster_free);

  for (gsize i = 0; i < g_variant_n_children (list); i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (list, i), members = NULL;
      SondeErrorCluster *cluster = g_new0 (SondeErrorCluster, 1);
      const SondeTensor *mean;
      const guint *samples;
      guint index;
      gsize n;

      g_ptr_array_add (clusters, cluster);
      g_variant_get (child, "(xxuu@au)", &cluster->label, &cluster->predicted, &cluster->medoid,
                     &index, &members);
      samples = g_variant_get_fixed_array (members, &n, sizeof (guint));
      cluster->members = g_array_new (FALSE, FALSE, sizeof (guint));
      if (n > 0)
        g_array_append_vals (cluster->members, samples, (guint) n);
      mean = tensors != NULL && index < tensors->len ? g_ptr_array_index (tensors, index) : NULL;
      if (mean == NULL || mean->dtype != SONDE_DTYPE_F32 || mean->shape.rank != 2 || n == 0)
        return NULL;
      cluster->mean = sonde_tensor_ref ((SondeTensor *) mean);
    }
  return g_steal_pointer (&clusters);
}

static GVariant *
pack_clusters (gconstpointer object, GPtrArray *tensors)
{
  GPtrArray *clusters = (GPtrArray *) object;
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "clusters", clusters_to_list (clusters, tensors));
  return g_variant_dict_end (&dict);
}

static gpointer
unpack_clusters (GVariant *variant, GPtrArray *tensors, GError **error)
{
  g_autoptr (GVariant) list = sonde_explain_lookup (variant, "clusters", "a" CLUSTER_TYPE, error);
  GPtrArray *clusters = list != NULL ? clusters_from_list (list, tensors) : NULL;

  if (list != NULL && clusters == NULL)
    sonde_explain_refuse (error, "clusters");
  return clusters;
}

const SondeExplainCodec sonde_explain_clusters_codec
    = { pack_clusters, unpack_clusters, (GDestroyNotify) g_ptr_array_unref, FALSE };

static GVariant *
pack_triage (gconstpointer object, GPtrArray *tensors)
{
  const SondeTriageResult *triage = object;
  g_autoptr (GVariant) rows
      = g_variant_ref_sink (sonde_explain_rows_codec.pack (triage->rows, tensors));
  GVariantDict dict;

  g_variant_dict_init (&dict, rows);
  g_variant_dict_insert_value (&dict, "notes", sonde_messages_to_variant (triage->notes));
  g_variant_dict_insert_value (&dict, "clusters", clusters_to_list (triage->clusters, tensors));
  return g_variant_dict_end (&dict);
}

static gpointer
unpack_triage (GVariant *variant, GPtrArray *tensors, GError **error)
{
  g_autoptr (SondeTriageResult) triage = g_new0 (SondeTriageResult, 1);
  g_autoptr (GVariant) notes
      = sonde_explain_lookup (variant, "notes", SONDE_MESSAGES_VARIANT, error);

  triage->clusters = notes != NULL ? unpack_clusters (variant, tensors, error) : NULL;
  triage->rows
      = triage->clusters != NULL ? sonde_explain_rows_codec.unpack (variant, tensors, error) : NULL;
  if (triage->rows == NULL)
    return NULL;
  triage->notes = sonde_messages_from_variant (notes);
  return g_steal_pointer (&triage);
}

const SondeExplainCodec sonde_explain_triage_codec
    = { pack_triage, unpack_triage, (GDestroyNotify) sonde_triage_result_free, TRUE };

/* ---- boxes --------------------------------------------------------------- */

#define FACTS_TYPE "(usxuudddddts" SONDE_MESSAGE_VARIANT ")"
#define FACTS_FORMAT "(usxuudddddts@" SONDE_MESSAGE_VARIANT ")"

static GVariant *
boxes_to_array (const GArray *boxes)
{
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a(iiii)"));

  for (guint i = 0; i < boxes->len; i++)
    {
      const SondeBox *box = &g_array_index (boxes, SondeBox, i);

      g_variant_builder_add (&builder, "(iiii)", box->x, box->y, box->width, box->height);
    }
  return g_variant_builder_end (&builder);
}

static GArray *
boxes_from_array (GVariant *list)
{
  GArray *boxes = g_array_new (FALSE, FALSE, sizeof (SondeBox));

  for (gsize i = 0; i < g_variant_n_children (list) && i < MOST_BOXES; i++)
    {
      SondeBox box;

      g_variant_get_child (list, i, "(iiii)", &box.x, &box.y, &box.width, &box.height);
      g_array_append_val (boxes, box);
    }
  return boxes;
}

static GVariant *
pack_counterfactual (gconstpointer object, GPtrArray *tensors)
{
  const SondeCounterfactual *boxes = object;
  g_auto (GVariantBuilder) layers = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a(da(iiii))"));
  g_auto (GVariantBuilder) steps = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a(ui(iiii)d)"));
  g_autofree char *spec = g_utf8_make_valid (boxes->spec, -1);
  GVariantDict dict;

  for (guint i = 0; i < boxes->layers->len; i++)
    g_variant_builder_add (&layers, "(d@a(iiii))", boxes->layer_out[i],
                           boxes_to_array (g_ptr_array_index (boxes->layers, i)));
  for (guint i = 0; i < boxes->steps->len; i++)
    {
      const SondeCounterfactualWindow *step
          = &g_array_index (boxes->steps, SondeCounterfactualWindow, i);

      g_variant_builder_add (&steps, "(ui(iiii)d)", step->layer, step->parent, step->box.x,
                             step->box.y, step->box.width, step->box.height, step->after);
    }
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "boxes", FACTS_FORMAT, boxes->sample, spec, boxes->target,
                         (guint) boxes->status, (guint) boxes->goal, boxes->threshold,
                         boxes->original, boxes->masked, boxes->pruned_out, boxes->area,
                         boxes->n_candidates, boxes->mask != NULL ? boxes->mask : "",
                         sonde_message_to_variant (boxes->note));
  g_variant_dict_insert_value (&dict, "layers", g_variant_builder_end (&layers));
  g_variant_dict_insert_value (&dict, "steps", g_variant_builder_end (&steps));
  if (boxes->pruned != NULL)
    g_variant_dict_insert_value (&dict, "pruned", boxes_to_array (boxes->pruned));
  return g_variant_dict_end (&dict);
}

static gboolean
set_layers (SondeCounterfactual *boxes, GVariant *list)
{
  boxes->layers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  if (g_variant_n_children (list) > SONDE_OCCLUSION_MAX_LAYERS)
    return FALSE;
  for (gsize i = 0; i < g_variant_n_children (list); i++)
    {
      g_autoptr (GVariant) inner = NULL;

      g_variant_get_child (list, i, "(d@a(iiii))", &boxes->layer_out[i], &inner);
      g_ptr_array_add (boxes->layers, boxes_from_array (inner));
    }
  return TRUE;
}

static gboolean
set_steps (SondeCounterfactual *boxes, GVariant *list)
{
  boxes->steps = g_array_new (FALSE, FALSE, sizeof (SondeCounterfactualWindow));
  for (gsize i = 0; i < g_variant_n_children (list); i++)
    {
      SondeCounterfactualWindow step;

      g_variant_get_child (list, i, "(ui(iiii)d)", &step.layer, &step.parent, &step.box.x,
                           &step.box.y, &step.box.width, &step.box.height, &step.after);
      if (step.layer >= SONDE_OCCLUSION_MAX_LAYERS || step.parent < -1
          || step.parent >= (gint64) g_variant_n_children (list))
        return FALSE;
      g_array_append_val (boxes->steps, step);
    }
  return TRUE;
}

static gpointer
unpack_counterfactual (GVariant *variant, GPtrArray *tensors, GError **error)
{
  g_autoptr (SondeCounterfactual) boxes = g_new0 (SondeCounterfactual, 1);
  g_autoptr (GVariant) info = sonde_explain_lookup (variant, "boxes", FACTS_TYPE, error);
  g_autoptr (GVariant) layers
      = info != NULL ? sonde_explain_lookup (variant, "layers", "a(da(iiii))", error) : NULL;
  g_autoptr (GVariant) steps
      = layers != NULL ? sonde_explain_lookup (variant, "steps", "a(ui(iiii)d)", error) : NULL;
  g_autoptr (GVariant) pruned
      = g_variant_lookup_value (variant, "pruned", G_VARIANT_TYPE ("a(iiii)"));
  g_autoptr (GVariant) note = NULL;
  guint status, goal;

  if (steps == NULL)
    return NULL;
  g_variant_get (info, FACTS_FORMAT, &boxes->sample, &boxes->spec, &boxes->target, &status, &goal,
                 &boxes->threshold, &boxes->original, &boxes->masked, &boxes->pruned_out,
                 &boxes->area, &boxes->n_candidates, &boxes->mask, &note);
  boxes->status = (SondeOcclusionStatus) MIN (status, SONDE_OCCLUSION_BELOW_THRESHOLD);
  boxes->goal = (SondeOcclusionGoal) MIN (goal, SONDE_OCCLUSION_FLIP);
  boxes->note = sonde_message_from_variant (note);
  boxes->pruned = pruned != NULL ? boxes_from_array (pruned) : NULL;
  if (set_layers (boxes, layers) && set_steps (boxes, steps))
    return g_steal_pointer (&boxes);
  sonde_explain_refuse (error, "layers");
  return NULL;
}

const SondeExplainCodec sonde_explain_counterfactual_codec
    = { pack_counterfactual, unpack_counterfactual, (GDestroyNotify) sonde_counterfactual_free,
        FALSE };

/* ---- neighbours ---------------------------------------------------------- */

#define NEIGHBOUR_TYPE "(udxxbbsi)"

static GVariant *
pack_neighbours (gconstpointer object, GPtrArray *tensors)
{
  GPtrArray *neighbours = (GPtrArray *) object;
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a" NEIGHBOUR_TYPE));
  GVariantDict dict;

  for (guint i = 0; i < neighbours->len; i++)
    {
      const SondeNeighbourSample *neighbour = g_ptr_array_index (neighbours, i);
      const SondeSampleResult *result = neighbour->result;
      g_autofree char *name = g_utf8_make_valid (result->name, -1);

      g_variant_builder_add (&builder, NEIGHBOUR_TYPE, result->sample, neighbour->distance,
                             result->label, result->predicted, neighbour->in_training,
                             neighbour->counterexample, name,
                             neighbour->image != NULL ? (int) tensors->len : -1);
      if (neighbour->image != NULL)
        g_ptr_array_add (tensors, sonde_explain_image_to_tensor (neighbour->image));
    }
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "neighbours", g_variant_builder_end (&builder));
  return g_variant_dict_end (&dict);
}

static gpointer
unpack_neighbours (GVariant *variant, GPtrArray *tensors, GError **error)
{
  g_autoptr (GVariant) list
      = sonde_explain_lookup (variant, "neighbours", "a" NEIGHBOUR_TYPE, error);
  g_autoptr (GPtrArray) neighbours
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_neighbour_sample_free);

  for (gsize i = 0; list != NULL && i < g_variant_n_children (list); i++)
    {
      SondeNeighbourSample *neighbour = g_new0 (SondeNeighbourSample, 1);
      SondeSampleResult *result = sonde_sample_result_new (0, NULL);
      int index;

      neighbour->result = result;
      g_ptr_array_add (neighbours, neighbour);
      g_variant_get_child (list, i, NEIGHBOUR_TYPE, &result->sample, &neighbour->distance,
                           &result->label, &result->predicted, &neighbour->in_training,
                           &neighbour->counterexample, &result->name, &index);
      if (index >= 0 && tensors != NULL && (guint) index < tensors->len)
        neighbour->image
            = sonde_explain_image_from_tensor (g_ptr_array_index (tensors, (guint) index), error);
      if (index >= 0 && neighbour->image == NULL)
        {
          if (error != NULL && *error == NULL)
            sonde_explain_refuse (error, "neighbours");
          return NULL;
        }
    }
  return list != NULL ? g_steal_pointer (&neighbours) : NULL;
}

const SondeExplainCodec sonde_explain_neighbours_codec
    = { pack_neighbours, unpack_neighbours, (GDestroyNotify) g_ptr_array_unref, FALSE };

/* ---- scores and checks --------------------------------------------------- */

#define SCORE_TYPE "(sssxbddddduu)"

static GVariant *
pack_scores (gconstpointer object, GPtrArray *tensors)
{
  GPtrArray *scores = (GPtrArray *) object;
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a" SCORE_TYPE));
  GVariantDict dict;

  for (guint i = 0; i < scores->len; i++)
    {
      const SondeMetricScore *s = g_ptr_array_index (scores, i);

      g_variant_builder_add (&builder, SCORE_TYPE, s->method, s->metric, s->metric_title, s->label,
                             s->rises, s->best, s->mean, s->low, s->high, s->rating, s->n,
                             s->n_valid);
    }
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "scores", g_variant_builder_end (&builder));
  return g_variant_dict_end (&dict);
}

static gpointer
unpack_scores (GVariant *variant, GPtrArray *tensors, GError **error)
{
  g_autoptr (GVariant) list = sonde_explain_lookup (variant, "scores", "a" SCORE_TYPE, error);
  GPtrArray *scores
      = list != NULL ? g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_metric_score_free)
                     : NULL;

  for (gsize i = 0; list != NULL && i < g_variant_n_children (list); i++)
    {
      SondeMetricScore *s = g_new0 (SondeMetricScore, 1);

      g_variant_get_child (list, i, SCORE_TYPE, &s->method, &s->metric, &s->metric_title, &s->label,
                           &s->rises, &s->best, &s->mean, &s->low, &s->high, &s->rating, &s->n,
                           &s->n_valid);
      g_ptr_array_add (scores, s);
    }
  return scores;
}

const SondeExplainCodec sonde_explain_scores_codec
    = { pack_scores, unpack_scores, (GDestroyNotify) g_ptr_array_unref, FALSE };

#define CHECK_TYPE "(s" SONDE_MESSAGE_VARIANT SONDE_MESSAGE_VARIANT SONDE_MESSAGE_VARIANT "db)"
#define CHECK_FORMAT                                                                               \
  "(s@" SONDE_MESSAGE_VARIANT "@" SONDE_MESSAGE_VARIANT "@" SONDE_MESSAGE_VARIANT "db)"

static GVariant *
pack_checks (gconstpointer object, GPtrArray *tensors)
{
  GPtrArray *checks = (GPtrArray *) object;
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a" CHECK_TYPE));
  GVariantDict dict;

  for (guint i = 0; i < checks->len; i++)
    {
      const SondeSelfTestCheck *check = g_ptr_array_index (checks, i);

      g_variant_builder_add (&builder, CHECK_FORMAT, check->name,
                             sonde_message_to_variant (check->expected),
                             sonde_message_to_variant (check->got),
                             sonde_message_to_variant (check->sentence), check->error, check->good);
    }
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "checks", g_variant_builder_end (&builder));
  return g_variant_dict_end (&dict);
}

static gpointer
unpack_checks (GVariant *variant, GPtrArray *tensors, GError **error)
{
  g_autoptr (GVariant) list = sonde_explain_lookup (variant, "checks", "a" CHECK_TYPE, error);
  GPtrArray *checks
      = list != NULL ? g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_self_test_check_free)
                     : NULL;

  for (gsize i = 0; list != NULL && i < g_variant_n_children (list); i++)
    {
      g_autoptr (GVariant) expected = NULL, got = NULL, sentence = NULL;
      SondeSelfTestCheck *check = g_new0 (SondeSelfTestCheck, 1);

      g_ptr_array_add (checks, check);
      g_variant_get_child (list, i, CHECK_FORMAT, &check->name, &expected, &got, &sentence,
                           &check->error, &check->good);
      check->expected = sonde_message_from_variant (expected);
      check->got = sonde_message_from_variant (got);
      check->sentence = sonde_message_from_variant (sentence);
    }
  return checks;
}

const SondeExplainCodec sonde_explain_checks_codec
    = { pack_checks, unpack_checks, (GDestroyNotify) g_ptr_array_unref, FALSE };
