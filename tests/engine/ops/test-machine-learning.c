/* SPDX-License-Identifier: Apache-2.0
 * ai.onnx.ml beyond its table of cases: trees that nobody should believe, long ones, maps, old
 * forms. */
#include "data/base/sonde-random.h"
#include "engine/ops/ml/sonde-tree-forest-private.h"
#include "engine/passes/sonde-passes.h"
#include "tests/engine/ops/op-case.h"

#include <math.h>
#include <string.h>

#define ML "ai.onnx.ml"

/* ---- trees --------------------------------------------------------------- */

/**
 * Trees: lists of a regressor
 * @modes: 'L' a leaf, '<' BRANCH_LT
 */
typedef struct
{
  const char *modes;
  gint64 trees[8], ids[8], yes[8], no[8], features[8];
  gint64 vote_tree, vote_id, target;
} Trees;

static SondeNode *
add_trees (SondeGraph *graph, const Trees *trees)
{
  gsize n = strlen (trees->modes);
  SondeShape shape = sonde_shape_make (2, 1, 2);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", &type);
  SondeNode *node = sonde_graph_add_node (graph, "trees", ML, "TreeEnsembleRegressor", &x, 1, 1);
  SondeAttribute *modes = sonde_attribute_new ("nodes_modes", SONDE_ATTRIBUTE_STRINGS);
  double zeros[8] = { 0 }, one = 1;

  modes->n = n;
  modes->u.strings = g_new0 (char *, n + 1);
  for (gsize i = 0; i < n; i++)
    modes->u.strings[i] = g_strdup (trees->modes[i] == 'L'   ? "LEAF"
                                    : trees->modes[i] == '<' ? "BRANCH_LT"
                                                             : "BRANCH");
  sonde_node_take_attribute (node, modes);
  sonde_node_set_ints (node, "nodes_treeids", trees->trees, n);
  sonde_node_set_ints (node, "nodes_nodeids", trees->ids, n);
  sonde_node_set_ints (node, "nodes_truenodeids", trees->yes, n);
  sonde_node_set_ints (node, "nodes_falsenodeids", trees->no, n);
  sonde_node_set_ints (node, "nodes_featureids", trees->features, n);
  sonde_node_set_floats (node, "nodes_values", zeros, n);
  sonde_node_set_ints (node, "target_treeids", &trees->vote_tree, 1);
  sonde_node_set_ints (node, "target_nodeids", &trees->vote_id, 1);
  sonde_node_set_ints (node, "target_ids", &trees->target, 1);
  sonde_node_set_floats (node, "target_weights", &one, 1);
  sonde_node_set_int (node, "n_targets", 2);
  return node;
}

static void
test_trees_refused (void)
{
  static const struct
  {
    Trees trees;
    const char *sentence;
  } rows[] = {
    { { "<L", { 0, 0 }, { 0, 1 }, { 0, 0 }, { 1, 0 }, { 0 }, 0, 1, 0 },
      "the root of tree 0 is a child" },
    { { "<<L", { 0, 0, 0 }, { 0, 1, 2 }, { 1, 0, 0 }, { 2, 2, 0 }, { 0 }, 0, 2, 0 },
      "the root of tree 0 is a child" },
    { { "<<<<L",
        { 0, 0, 0, 0, 0 },
        { 0, 1, 2, 3, 4 },
        { 1, 3, 3, 4, 0 },
        { 2, 4, 4, 4, 0 },
        { 0 },
        0,
        4,
        0 },
      "node 3 of the trees has two parents" },
    { { "<L", { 0, 0 }, { 0, 1 }, { 1, 0 }, { 5, 0 }, { 0 }, 0, 1, 0 },
      "a child that is not in its tree" },
    { { "<L", { 0, 0 }, { 0, 1 }, { 1, 0 }, { -1, 0 }, { 0 }, 0, 1, 0 },
      "a child that is not in its tree" },
    { { "<LL", { 0, 0, 1 }, { 0, 1, 0 }, { 1, 0, 0 }, { 2, 0, 0 }, { 0 }, 0, 1, 0 },
      "a child that is not in its tree" },
    { { "<LL", { 0, 0, 0 }, { 0, 1, 1 }, { 1, 0, 0 }, { 1, 0, 0 }, { 0 }, 0, 1, 0 },
      "node 1 twice" },
    { { "<L", { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 0 }, { 2, 0 }, 0, 1, 0 }, "feature 2 of 2" },
    { { "<L", { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 0 }, { -1, 0 }, 0, 1, 0 }, "feature -1 of 2" },
    { { "<L", { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 0 }, { 0 }, 0, 7, 0 },
      "of a node that is not there" },
    { { "<L", { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 0 }, { 0 }, 0, 1, 2 }, "for target 2 of 2" },
    { { "?L", { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 0 }, { 0 }, 0, 1, 0 }, "has the mode “BRANCH”" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (SondeGraph) graph = sonde_graph_new ("test");
      g_autoptr (GError) error = NULL;
      SondeType type;

      g_assert_false (
          sonde_op_infer_node (add_trees (graph, &rows[i].trees), NULL, &type, NULL, &error));
      if (strstr (error->message, rows[i].sentence) == NULL)
        g_error ("“%s” lacks “%s”", error->message, rows[i].sentence);
    }
}

/* A tree that is one long path, with ids in any order: neither recursion nor a search for every
 * node. */
static void
test_long_tree (void)
{
  enum
  {
    N = 200001
  };
  g_autoptr (SondeGraph) graph = sonde_graph_new ("test");
  Trees first = { "<L", { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 0 }, { 0 }, 0, 1, 0 };
  SondeNode *node = add_trees (graph, &first);
  SondeAttribute *modes = sonde_node_find_attribute (node, "nodes_modes");
  g_autofree gint64 *zeros = g_new0 (gint64, N), *ids = g_new0 (gint64, N),
                    *next = g_new0 (gint64, N), *last = g_new0 (gint64, N);
  g_autofree double *thresholds = g_new0 (double, N);
  g_autoptr (SondeTensor) x = sonde_test_tensor (SONDE_DTYPE_F32, "1x2: -1 0"), y = NULL;
  g_autoptr (GError) error = NULL;

  g_strfreev (modes->u.strings);
  modes->u.strings = g_new0 (char *, N + 1);
  modes->n = N;
  for (gint64 i = 0; i < N; i++)
    {
      modes->u.strings[i] = g_strdup (i == N - 1 ? "LEAF" : "BRANCH_LT");
      ids[i] = 7 * i + 3;
      next[i] = 7 * (i + 1) + 3;
      last[i] = 7 * (N - 1) + 3;
    }
  sonde_node_set_ints (node, "nodes_treeids", zeros, N);
  sonde_node_set_ints (node, "nodes_nodeids", ids, N);
  sonde_node_set_ints (node, "nodes_truenodeids", next, N);
  sonde_node_set_ints (node, "nodes_falsenodeids", last, N);
  sonde_node_set_ints (node, "nodes_featureids", zeros, N);
  sonde_node_set_floats (node, "nodes_values", thresholds, N);
  sonde_node_set_ints (node, "target_nodeids", &ids[N - 1], 1);
  sonde_op_run_reference (node, &x, 1, &y, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (sonde_tensor_get_double (y, 0), ==, 1);
  g_assert_cmpfloat (sonde_tensor_get_double (y, 1), ==, 0);
}

/* Trees of several depths side by side lead to the same leaves as one after the other. */
static void
test_walks (void)
{
  enum
  {
    TREES = 19,
    NODES = 31
  };
  static const SondeBranchMode modes[]
      = { SONDE_BRANCH_LEQ, SONDE_BRANCH_LT, SONDE_BRANCH_GTE, SONDE_BRANCH_GT };
  g_autofree SondeTreeNode *nodes = g_new0 (SondeTreeNode, TREES * NODES);
  gint64 roots[TREES];
  SondeForest forest
      = { .nodes = nodes, .n_nodes = TREES * NODES, .roots = roots, .n_roots = TREES };

  for (gsize m = 0; m < G_N_ELEMENTS (modes); m++)
    for (guint64 r = 0; r < 50; r++)
      {
        double row[] = { r == 0 ? NAN : 0, (double) (sonde_random_bits (r, 1, 0) % 8), -INFINITY };
        const SondeTreeNode *quick[TREES], *plain[TREES];

        for (gint32 i = 0; i < TREES * NODES; i++)
          {
            gint32 tree = i / NODES, at = i % NODES, depth = 1 << (tree % 5);
            gboolean leaf = at >= depth - 1 || at >= NODES / 2;
            gint32 no = tree * NODES + 2 * at + 1;

            roots[tree] = tree * NODES;
            nodes[i]
                = (SondeTreeNode){ .threshold = (double) (sonde_random_bits (r, i, 1) % 8),
                                   .next = { leaf ? i : no, leaf ? i : no + 1 },
                                   .feature = leaf ? 0 : (gint32) (sonde_random_bits (r, i, 2) % 3),
                                   .mode = leaf ? SONDE_BRANCH_LEAF : (guint8) modes[m] };
          }
        forest.mode = modes[m];
        sonde_forest_walk (&forest, row, quick);
        forest.mode = SONDE_BRANCH_LEAF;
        sonde_forest_walk (&forest, row, plain);
        for (gsize t = 0; t < TREES; t++)
          g_assert_true (quick[t] == plain[t]);
      }
}

/* ---- maps ---------------------------------------------------------------- */

static SondeValue *
run_values (SondeNode *node, SondeValue *input, /* (transfer full) */
            GError **error)
{
  SondeValue *output = NULL;

  (void) sonde_op_run_reference_values (node, &input, 1, 0, 0, &output, 1, error);
  sonde_value_unref (input);
  return output;
}

static SondeNode *
add_node (SondeGraph *graph, const char *op)
{
  SondeGraphValue *x = sonde_graph_add_value (graph, "x", NULL);

  return sonde_graph_add_node (graph, op, ML, op, &x, 1, 1);
}

static void
set_words (SondeNode *node, const char *name, const char *words)
{
  SondeAttribute *attribute = sonde_attribute_new (name, SONDE_ATTRIBUTE_STRINGS);

  attribute->u.strings = g_strsplit (words, " ", -1);
  attribute->n = g_strv_length (attribute->u.strings);
  sonde_node_take_attribute (node, attribute);
}

/* Rows become maps, each map a row again, in the vocabulary's order. */
static void
test_maps (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("test");
  g_autoptr (SondeTensor) scores = sonde_test_tensor (SONDE_DTYPE_F32, "2x2: 1 2 3 4");
  g_autoptr (SondeTensor) want = sonde_test_tensor (SONDE_DTYPE_F32, "3: 4 0 3");
  SondeNode *zip = add_node (graph, "ZipMap"), *vectorize = add_node (graph, "DictVectorizer");
  g_autoptr (SondeValue) maps = NULL, row = NULL;
  g_autoptr (GError) error = NULL;

  set_words (zip, "classlabels_strings", "a b");
  maps = run_values (zip, sonde_value_new_tensor (scores), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sonde_value_get_n_items (maps), ==, 2);
  g_assert_cmpint (sonde_value_get_kind (sonde_value_get_item (maps, 1)), ==, SONDE_VALUE_MAP);
  set_words (vectorize, "string_vocabulary", "b q a");
  row = run_values (vectorize, sonde_value_ref (sonde_value_get_item (maps, 1)), &error);
  g_assert_no_error (error);
  sonde_test_assert_close (sonde_value_get_tensor (row), want, 0, 0, "row");
  set_words (vectorize, "string_vocabulary", "b");
  g_assert_null (run_values (vectorize, sonde_value_ref (sonde_value_get_item (maps, 1)), &error));
  g_assert_nonnull (strstr (error->message, "not in the vocabulary"));
}

static void
test_cast_map (void)
{
  static const struct
  {
    const char *form, *to, *want;
    SondeDtype dtype;
  } rows[] = {
    { "DENSE", "TO_FLOAT", "1x2: 2.5 1.5", SONDE_DTYPE_F32 },
    { "SPARSE", "TO_FLOAT", "1x4: 0 2.5 0 1.5", SONDE_DTYPE_F32 },
    { "DENSE", "TO_INT64", "1x2: 2 1", SONDE_DTYPE_I64 },
    { "DENSE", "TO_STRING", "1x2: 2.5 1.5", SONDE_DTYPE_STRING },
  };
  g_autoptr (SondeTensor) keys = sonde_test_tensor (SONDE_DTYPE_I64, "2: 3 1");
  g_autoptr (SondeTensor) values = sonde_test_tensor (SONDE_DTYPE_F32, "2: 1.5 2.5");

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (SondeGraph) graph = sonde_graph_new ("test");
      SondeNode *node = add_node (graph, "CastMap");
      g_autoptr (SondeTensor) want = sonde_test_tensor (rows[i].dtype, rows[i].want);
      g_autoptr (SondeValue) got = NULL;
      g_autoptr (GError) error = NULL;

      sonde_node_set_string (node, "map_form", rows[i].form);
      sonde_node_set_string (node, "cast_to", rows[i].to);
      sonde_node_set_int (node, "max_map", 4);
      got = run_values (node, sonde_value_new_map (keys, values), &error);
      g_assert_no_error (error);
      sonde_test_assert_close (sonde_value_get_tensor (got), want, 0, 0, rows[i].form);
    }
}

/* ---- old forms ----------------------------------------------------------- */

/* Version 1 had one list for both ways. */
static void
test_label_encoder_1 (void)
{
  static const struct
  {
    SondeDtype from, to;
    const char *input, *want;
  } rows[] = {
    { SONDE_DTYPE_STRING, SONDE_DTYPE_I64, "3: a z b", "3: 1 -3 0" },
    { SONDE_DTYPE_I64, SONDE_DTYPE_STRING, "3: 0 5 1", "3: b q a" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (SondeGraph) graph = sonde_graph_new ("test");
      g_autoptr (SondeTensor) x = sonde_test_tensor (rows[i].from, rows[i].input);
      g_autoptr (SondeTensor) want = sonde_test_tensor (rows[i].to, rows[i].want), y = NULL;
      SondeNode *node = add_node (graph, "LabelEncoder");
      g_autoptr (GError) error = NULL;

      sonde_node_get_input (node, 0)->type = sonde_type_tensor (x->dtype, &x->shape);
      sonde_node_get_input (node, 0)->role = SONDE_ROLE_INPUT;
      node->version = 1;
      set_words (node, "classes_strings", "b a");
      sonde_node_set_string (node, "default_string", "q");
      sonde_node_set_int (node, "default_int64", -3);
      sonde_pass_legalise (graph, &error);
      g_assert_no_error (error);
      sonde_op_run_reference (node, &x, 1, &y, 1, &error);
      g_assert_no_error (error);
      sonde_test_assert_close (y, want, 0, 0, "labels");
    }
}

static void
test_one_hot_refused (void)
{
  static const gint64 categories[] = { 1, 2 };
  g_autoptr (SondeGraph) graph = sonde_graph_new ("test");
  SondeNode *node = add_node (graph, "OneHotEncoder");
  g_autoptr (SondeTensor) x = sonde_test_tensor (SONDE_DTYPE_I64, "2: 1 3"), y = NULL;
  g_autoptr (GError) error = NULL;

  sonde_node_set_ints (node, "cats_int64s", categories, 2);
  sonde_node_set_int (node, "zeros", 0);
  g_assert_false (sonde_op_run_reference (node, &x, 1, &y, 1, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "element 1 is in none"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/ops/machine-learning/trees-refused", test_trees_refused);
  g_test_add_func ("/engine/ops/machine-learning/long-tree", test_long_tree);
  g_test_add_func ("/engine/ops/machine-learning/walks", test_walks);
  g_test_add_func ("/engine/ops/machine-learning/maps", test_maps);
  g_test_add_func ("/engine/ops/machine-learning/cast-map", test_cast_map);
  g_test_add_func ("/engine/ops/machine-learning/label-encoder-1", test_label_encoder_1);
  g_test_add_func ("/engine/ops/machine-learning/one-hot-refused", test_one_hot_refused);
  return g_test_run ();
}
