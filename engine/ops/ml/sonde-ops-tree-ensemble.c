/* SPDX-License-Identifier: Apache-2.0
 * TreeEnsemble and its two predecessors. Each tree leads a row to a leaf, whose votes are put
 * together target by target: SUM, AVERAGE (over the trees), MIN, MAX; then base values are added,
 * then the scores transformed. A classifier of two classes whose votes are all for one of them has
 * a single score s: the second class wins when s > 0.5, or when s > 0 if some weights are negative;
 * the first class's score is then 1 − s or −s. Source: the operator texts; ONNX Runtime. */
#include "engine/ops/ml/sonde-tree-forest-private.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <string.h>

#define MOST_TARGETS (1 << 20)

typedef enum
{
  AGGREGATE_AVERAGE,
  AGGREGATE_SUM,
  AGGREGATE_MIN,
  AGGREGATE_MAX,
} Aggregate;

static const char *const aggregate_names[] = { "AVERAGE", "SUM", "MIN", "MAX", NULL };

static gboolean
is_newer (const SondeNode *node)
{
  return strcmp (node->op, "TreeEnsemble") == 0;
}

static Aggregate
aggregate_of (const SondeNode *node)
{
  const char *name = sonde_node_get_string (node, "aggregate_function", "SUM");

  if (is_newer (node))
    return (Aggregate) sonde_node_get_int (node, "aggregate_function", AGGREGATE_SUM);
  for (int a = 0; aggregate_names[a] != NULL; a++)
    if (strcmp (aggregate_names[a], name) == 0)
      return (Aggregate) a;
  return AGGREGATE_SUM;
}

/* ---- scores of a row ----------------------------------------------------- */

/**
 * Scores: of one row
 * @voted: whether a tree voted for the target
 * @row: its features; @leaves: by tree, where it falls
 */
typedef struct
{
  double *values;
  guint8 *voted;
  gsize n;
  double *row;
  const SondeTreeNode **leaves;
} Scores;

static void
scores_init (Scores *scores, const SondeForest *forest, gsize n, gint64 columns)
{
  *scores = (Scores){ g_new (double, n + 1), g_new (guint8, n + 1), n, g_new0 (double, columns + 1),
                      g_new (const SondeTreeNode *, forest->n_roots + 1) };
}

static void
scores_clear (Scores *scores)
{
  g_free (scores->values);
  g_free (scores->voted);
  g_free (scores->row);
  g_free (scores->leaves);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scores, scores_clear)

static void
add_extreme (Scores *scores, gboolean least, const SondeVote *vote)
{
  double *value = &scores->values[vote->target];

  if (!scores->voted[vote->target] || (least ? vote->weight < *value : vote->weight > *value))
    *value = vote->weight;
  scores->voted[vote->target] = 1;
}

static void
score_row (const SondeForest *forest, Aggregate aggregate, Scores *scores)
{
  gboolean sum = aggregate == AGGREGATE_SUM || aggregate == AGGREGATE_AVERAGE;

  memset (scores->values, 0, scores->n * sizeof *scores->values);
  memset (scores->voted, 0, scores->n);
  sonde_forest_walk (forest, scores->row, scores->leaves);
  for (gint64 t = 0; t < forest->n_roots; t++)
    {
      const SondeVote *vote = &forest->votes[scores->leaves[t]->first],
                      *end = &forest->votes[scores->leaves[t]->end];

      for (; vote < end && sum; vote++)
        {
          scores->values[vote->target] += vote->weight;
          scores->voted[vote->target] = 1;
        }
      for (; vote < end; vote++)
        add_extreme (scores, aggregate == AGGREGATE_MIN, vote);
    }
  for (gsize k = 0; k < scores->n && aggregate == AGGREGATE_AVERAGE && forest->n_roots > 0; k++)
    scores->values[k] /= (double) forest->n_roots;
}

/* Base values as doubles, from floats or a tensor. Returns: (transfer full) (nullable) */
static double *
base_values (const SondeNode *node, gsize *n)
{
  const double *floats = sonde_ml_floats (node, "base_values", n);
  SondeTensor *tensor = sonde_node_get_tensor (node, "base_values_as_tensor");
  double *values = NULL;

  if (floats != NULL && *n > 0)
    return g_memdup2 (floats, *n * sizeof *floats);
  *n = tensor && tensor->dtype != SONDE_DTYPE_STRING ? (gsize) sonde_tensor_n_elements (tensor) : 0;
  values = g_new (double, *n + 1);
  for (gsize i = 0; i < *n; i++)
    values[i] = sonde_tensor_get_double (tensor, (gint64) i);
  return values;
}

static gboolean
check_base_values (const SondeNode *node, gint64 targets, gboolean one_is_enough, GError **error)
{
  gsize n = 0;
  g_autofree double *values = base_values (node, &n);

  if (n == 0 || (gint64) n == targets || (one_is_enough && n == 1))
    return TRUE;
  return sonde_infer_fail (error, "has %zu base values for %" PRIi64 " targets", n, targets);
}

/* ---- regressors ---------------------------------------------------------- */

static gboolean
infer_regressor (SondeInferContext *context, GError **error)
{
  gint64 targets = sonde_node_get_int (context->node, "n_targets", 1), columns = -1;
  g_auto (SondeForest) forest = { 0 };
  SondeDimension rows;

  if (targets < 1 || targets > MOST_TARGETS)
    return sonde_infer_fail (error, "n_targets = %" PRIi64, targets);
  if (!sonde_ml_need_rows (context, error))
    return FALSE;
  if (!sonde_ml_get_rows (context, &rows, &columns))
    return TRUE;
  context->outputs[0]
      = sonde_infer_type (is_newer (context->node) ? context->inputs[0].dtype : SONDE_DTYPE_F32, 2);
  context->outputs[0].dims[0] = rows;
  context->outputs[0].dims[1] = sonde_dimension (targets);
  if (is_newer (context->node) && !sonde_infer_need_float (context, 0, error))
    return FALSE;
  return sonde_forest_init (&forest, context->node, columns, targets, error)
         && check_base_values (context->node, targets, FALSE, error);
}

/**
 * Classes: how votes become a label
 * @only: the class that all votes are for; -1: they are for several
 * @positive: no weight is negative
 * @columns: of the scores
 */
typedef struct
{
  SondeMlLabels labels;
  gint64 only;
  gboolean positive;
  gsize columns;
} Classes;

/**
 * Ensemble: what the attributes say, read once
 * @classes: of a classifier
 */
typedef struct
{
  SondeForest forest;
  Aggregate aggregate;
  SondePostTransform transform;
  double *base;
  gsize n_base, n_targets;
  Classes classes;
} Ensemble;

static void
ensemble_free (gpointer data)
{
  Ensemble *ensemble = data;

  if (ensemble == NULL)
    return;

  sonde_forest_clear (&ensemble->forest);
  g_free (ensemble->base);
  g_free (ensemble);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Ensemble, ensemble_free)

/* How many rows there are; each is worth a visit to all trees. Labels of text are made on one
 * thread. */
static gint64
count_rows (const SondeKernelContext *context, gint64 *cost)
{
  const Ensemble *ensemble = context->prepared;
  gint64 rows = 0, columns = 0;

  sonde_ml_rows_of (context->inputs[0], &rows, &columns);
  *cost = ensemble != NULL ? ensemble->forest.n_roots * 32 : 1;
  return rows;
}

static gpointer
prepare_regressor (const SondeNode *node)
{
  gsize targets = (gsize) sonde_node_get_int (node, "n_targets", 1);
  g_autoptr (Ensemble) ensemble = g_new0 (Ensemble, 1);

  ensemble->n_targets = targets;
  ensemble->aggregate = aggregate_of (node);
  ensemble->transform = is_newer (node)
                            ? (SondePostTransform) sonde_node_get_int (node, "post_transform", 0)
                            : sonde_post_transform_of (node);
  ensemble->base = base_values (node, &ensemble->n_base);
  if (!sonde_forest_init (&ensemble->forest, node, -1, (gint64) targets, NULL))
    return NULL;
  return g_steal_pointer (&ensemble);
}

static void
regress_rows (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  const Ensemble *ensemble = context->prepared;
  gint64 rows = 0, columns = 0;
  g_auto (Scores) scores = { NULL };

  sonde_ml_rows_of (context->inputs[0], &rows, &columns);
  if (ensemble == NULL || ensemble->forest.columns > columns)
    return;
  scores_init (&scores, &ensemble->forest, ensemble->n_targets, columns);
  for (gint64 r = begin; r < end; r++)
    {
      sonde_ml_read_row (context->inputs[0], r, scores.row);
      score_row (&ensemble->forest, ensemble->aggregate, &scores);
      for (gsize k = 0; k < scores.n && ensemble->n_base > 0; k++)
        scores.values[k] += ensemble->base[k];
      sonde_post_transform (ensemble->transform, scores.values, scores.n);
      sonde_ml_give_scores (context, 0, r, scores.values, scores.n);
    }
}

static void
compute_regressor (const SondeKernelContext *context)
{
  gint64 cost;

  regress_rows (context, 0, count_rows (context, &cost));
}

/* ---- classifier ---------------------------------------------------------- */

static gboolean
classes_init (Classes *classes, const SondeNode *node, GError **error)
{
  *classes = (Classes){ .only = -1, .positive = TRUE };
  if (!sonde_ml_find_labels (node, "classlabels_int64s", "classlabels_strings", &classes->labels,
                             error))
    return FALSE;
  classes->columns = classes->labels.n;
  return TRUE;
}

static void
classes_look_at_votes (Classes *classes, const SondeForest *forest)
{
  classes->only = forest->n_votes > 0 ? forest->votes[0].target : -1;
  for (gint64 v = 0; v < forest->n_votes; v++)
    {
      classes->positive = classes->positive && forest->votes[v].weight >= 0;
      if (forest->votes[v].target != classes->only)
        classes->only = -1;
    }
}

static gboolean
infer_classifier (SondeInferContext *context, GError **error)
{
  g_auto (SondeForest) forest = { 0 };
  SondeDimension rows;
  gint64 columns = -1;
  Classes classes;

  if (!classes_init (&classes, context->node, error) || !sonde_ml_need_rows (context, error))
    return FALSE;
  if (!sonde_ml_get_rows (context, &rows, &columns))
    return TRUE;
  sonde_ml_infer_classes (context, &classes.labels, rows, (gint64) classes.columns);
  return sonde_forest_init (&forest, context->node, columns, (gint64) classes.labels.n, error)
         && check_base_values (context->node, (gint64) classes.labels.n, classes.labels.n == 2,
                               error);
}

/* Of several classes: the greatest score among those that got votes or a base value. */
static gsize
best_class (const Scores *scores, gboolean all)
{
  gsize best = 0;
  gboolean found = FALSE;

  for (gsize k = 0; k < scores->n; k++)
    if ((all || scores->voted[k]) && (!found || scores->values[k] > scores->values[best]))
      {
        best = k;
        found = TRUE;
      }
  return best;
}

/* Base values in, label out; @scores become what is shown. */
static gsize
finish_row (const Classes *classes, SondePostTransform transform, const double *base, gsize n_base,
            Scores *scores)
{
  gboolean binary = scores->n == 2 && classes->only >= 0;
  gsize class;
  double score;

  for (gsize k = 0; k < scores->n && n_base == scores->n; k++)
    scores->values[k] += base[k];
  if (n_base == 1 && scores->n == 2)
    scores->values[binary ? classes->only : 1] += base[0];
  if (!binary)
    {
      class = best_class (scores, n_base == scores->n);
      sonde_post_transform (transform, scores->values, scores->n);
      return class;
    }
  score = scores->values[classes->only];
  class = score > (classes->positive ? 0.5 : 0);
  if (classes->only == 0)
    sonde_post_transform_binary (transform, score, classes->positive, scores->values);
  else
    sonde_post_transform (transform, scores->values, 2);
  return class;
}

/* With one label there is one score, and the label tells its sign: 1 or 0. */
static void
give_sign (const SondeKernelContext *context, const Classes *classes, gint64 row, gboolean positive)
{
  char *names[] = { (char *) "0", (char *) "1" };
  gint64 numbers[] = { 0, 1 };
  SondeMlLabels signs
      = { 2, classes->labels.strings ? names : NULL, classes->labels.strings ? NULL : numbers };

  sonde_ml_give_label (context, &signs, row, positive);
}

static gpointer
prepare_classifier (const SondeNode *node)
{
  g_autoptr (Ensemble) ensemble = g_new0 (Ensemble, 1);

  if (!classes_init (&ensemble->classes, node, NULL)
      || !sonde_forest_init (&ensemble->forest, node, -1, (gint64) ensemble->classes.labels.n,
                             NULL))
    return NULL;
  ensemble->n_targets = ensemble->classes.labels.n;
  ensemble->transform = sonde_post_transform_of (node);
  ensemble->base = base_values (node, &ensemble->n_base);
  classes_look_at_votes (&ensemble->classes, &ensemble->forest);
  return g_steal_pointer (&ensemble);
}

static void
classify_rows (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  const Ensemble *ensemble = context->prepared;
  gint64 rows = 0, columns = 0;
  g_auto (Scores) scores = { NULL };

  sonde_ml_rows_of (context->inputs[0], &rows, &columns);
  if (ensemble == NULL || ensemble->forest.columns > columns)
    return;
  scores_init (&scores, &ensemble->forest, ensemble->n_targets, columns);
  for (gint64 r = begin; r < end; r++)
    {
      gsize class;
      gboolean positive;

      sonde_ml_read_row (context->inputs[0], r, scores.row);
      score_row (&ensemble->forest, AGGREGATE_SUM, &scores);
      positive = scores.values[0] + (ensemble->n_base > 0 ? ensemble->base[0] : 0) > 0;
      class = finish_row (&ensemble->classes, ensemble->transform, ensemble->base, ensemble->n_base,
                          &scores);
      if (scores.n == 1)
        give_sign (context, &ensemble->classes, r, positive);
      else
        sonde_ml_give_label (context, &ensemble->classes.labels, r, class);
      sonde_ml_give_scores (context, 1, r, scores.values, scores.n);
    }
}

static void
compute_classifier (const SondeKernelContext *context)
{
  gint64 cost;

  classify_rows (context, 0, count_rows (context, &cost));
}

/* ---- rows ---------------------------------------------------------------- */

#define OLD_NODES                                                                                  \
  { "base_values", SONDE_ATTRIBUTE_FLOATS }, { "base_values_as_tensor", SONDE_ATTRIBUTE_TENSOR },  \
      { "nodes_falsenodeids", SONDE_ATTRIBUTE_INTS, TRUE },                                        \
      { "nodes_featureids", SONDE_ATTRIBUTE_INTS, TRUE },                                          \
      { "nodes_hitrates", SONDE_ATTRIBUTE_FLOATS },                                                \
      { "nodes_hitrates_as_tensor", SONDE_ATTRIBUTE_TENSOR },                                      \
      { "nodes_missing_value_tracks_true", SONDE_ATTRIBUTE_INTS },                                 \
      { "nodes_modes", SONDE_ATTRIBUTE_STRINGS, TRUE },                                            \
      { "nodes_nodeids", SONDE_ATTRIBUTE_INTS, TRUE },                                             \
      { "nodes_treeids", SONDE_ATTRIBUTE_INTS, TRUE },                                             \
      { "nodes_truenodeids", SONDE_ATTRIBUTE_INTS, TRUE },                                         \
      { "nodes_values", SONDE_ATTRIBUTE_FLOATS },                                                  \
      { "nodes_values_as_tensor", SONDE_ATTRIBUTE_TENSOR },                                        \
  {                                                                                                \
    "post_transform", SONDE_ATTRIBUTE_STRING, FALSE, 0, 0, sonde_post_transform_names              \
  }

static const SondeAttributeRule classifier_rules[] = {
  OLD_NODES,
  { "class_ids", SONDE_ATTRIBUTE_INTS, TRUE },
  { "class_nodeids", SONDE_ATTRIBUTE_INTS, TRUE },
  { "class_treeids", SONDE_ATTRIBUTE_INTS, TRUE },
  { "class_weights", SONDE_ATTRIBUTE_FLOATS },
  { "class_weights_as_tensor", SONDE_ATTRIBUTE_TENSOR },
  { "classlabels_int64s", SONDE_ATTRIBUTE_INTS },
  { "classlabels_strings", SONDE_ATTRIBUTE_STRINGS },
  { NULL },
};
static const SondeAttributeRule regressor_rules[] = {
  OLD_NODES,
  { "aggregate_function", SONDE_ATTRIBUTE_STRING, FALSE, 0, 0, aggregate_names },
  { "n_targets", SONDE_ATTRIBUTE_INT, FALSE, 1, MOST_TARGETS },
  { "target_ids", SONDE_ATTRIBUTE_INTS, TRUE },
  { "target_nodeids", SONDE_ATTRIBUTE_INTS, TRUE },
  { "target_treeids", SONDE_ATTRIBUTE_INTS, TRUE },
  { "target_weights", SONDE_ATTRIBUTE_FLOATS },
  { "target_weights_as_tensor", SONDE_ATTRIBUTE_TENSOR },
  { NULL },
};
static const SondeAttributeRule ensemble_rules[] = {
  { "aggregate_function", SONDE_ATTRIBUTE_INT, FALSE, 0, 3 },
  { "leaf_targetids", SONDE_ATTRIBUTE_INTS, TRUE },
  { "leaf_weights", SONDE_ATTRIBUTE_TENSOR, TRUE },
  { "membership_values", SONDE_ATTRIBUTE_TENSOR },
  { "n_targets", SONDE_ATTRIBUTE_INT, FALSE, 1, MOST_TARGETS },
  { "nodes_falseleafs", SONDE_ATTRIBUTE_INTS, TRUE },
  { "nodes_falsenodeids", SONDE_ATTRIBUTE_INTS, TRUE },
  { "nodes_featureids", SONDE_ATTRIBUTE_INTS, TRUE },
  { "nodes_hitrates", SONDE_ATTRIBUTE_TENSOR },
  { "nodes_missing_value_tracks_true", SONDE_ATTRIBUTE_INTS },
  { "nodes_modes", SONDE_ATTRIBUTE_TENSOR, TRUE },
  { "nodes_splits", SONDE_ATTRIBUTE_TENSOR, TRUE },
  { "nodes_trueleafs", SONDE_ATTRIBUTE_INTS, TRUE },
  { "nodes_truenodeids", SONDE_ATTRIBUTE_INTS, TRUE },
  { "post_transform", SONDE_ATTRIBUTE_INT, FALSE, 0, 4 },
  { "tree_roots", SONDE_ATTRIBUTE_INTS, TRUE },
  { NULL },
};

#define TREES(onnx, opset, outputs, rules, rule, kernel, part, reading)                            \
  {                                                                                                \
    .domain = SONDE_ML_DOMAIN, .name = onnx, .since = opset, .min_inputs = 1, .max_inputs = 1,     \
    .min_outputs = 1, .max_outputs = outputs, .family = SONDE_FAMILY_OTHER, .attributes = rules,   \
    .infer = rule, .compute = kernel, .count_parts = count_rows, .compute_part = part,             \
    .prepare = reading, .prepared_free = ensemble_free, .reach = { sonde_reach_everything, 0 },    \
    .typing = SONDE_TYPING_OWN,                                                                    \
  }

const SondeOpClass sonde_ops_tree_ensemble[] = {
  TREES ("TreeEnsemble", 5, 1, ensemble_rules, infer_regressor, compute_regressor, regress_rows,
         prepare_regressor),
  TREES ("TreeEnsembleClassifier", 1, 2, classifier_rules, infer_classifier, compute_classifier,
         classify_rows, prepare_classifier),
  TREES ("TreeEnsembleRegressor", 1, 1, regressor_rules, infer_regressor, compute_regressor,
         regress_rows, prepare_regressor),
  { .name = NULL },
};
