/* SPDX-License-Identifier: Apache-2.0
 * SondeLowering: names, layouts, provenance and the report of a model of another format. */
#include "data/models/lowering/sonde-lowering.h"
#include "data/models/sonde-model-file.h"

static SondeType
image_type (gint64 height, gint64 width, gint64 channels)
{
  const SondeShape shape = { .rank = 4, .dims = { 1, height, width, channels } };

  return sonde_type_tensor (SONDE_DTYPE_F32, &shape);
}

/* A one by one convolution as formats with channels last have it; its output is called @name. */
static SondeGraphValue *
add_convolution (SondeLowering *lowering, SondeGraphValue *x, const char *name)
{
  const SondeShape shape = { .rank = 4, .dims = { 3, 3, 1, 1 } };
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autofree char *weights = g_strconcat (name, "/weights", NULL);
  SondeGraphValue *y = NULL;

  sonde_lowering_begin (lowering, name, "CONV_2D", "net.py:7");
  y = sonde_lowering_op (lowering, "Conv",
                         SONDE_VALUES (sonde_lowering_channels_first (lowering, x),
                                       sonde_lowering_constant (lowering, weights, tensor)));
  y->type = image_type (3, 4, 4);
  y = sonde_lowering_name (lowering, sonde_lowering_channels_last (lowering, y), name);
  sonde_lowering_end (lowering);
  return y;
}

static guint
count_nodes (const SondeGraph *graph, const char *op)
{
  guint count = 0;

  for (guint i = 0; i < graph->nodes->len; i++)
    count += g_str_equal (((SondeNode *) graph->nodes->pdata[i])->op, op) ? 1 : 0;
  return count;
}

/* Two convolutions: the value between them has the source's name and layout, and the second one reads
 * the first one's own layout. */
static void
test_twins_cancel (void)
{
  g_autoptr (SondeLowering) lowering = sonde_lowering_new ("tflite", "net.tflite", NULL);
  g_autoptr (GError) error = NULL;
  SondeType type = image_type (4, 4, 3);
  SondeGraphValue *x = sonde_lowering_add_input (lowering, "image", &type);
  SondeGraphValue *a = add_convolution (lowering, x, "a"), *b = add_convolution (lowering, a, "b");
  g_autoptr (SondeGraph) graph = NULL;
  SondeNode *second = NULL;

  sonde_lowering_add_output (lowering, b, "probability");
  graph = sonde_lowering_finish (lowering, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (count_nodes (graph, "Transpose"), ==, 3);
  second = sonde_graph_find_node (graph, "b");
  g_assert_cmpstr (second->op, ==, "Conv");
  g_assert_cmpstr (sonde_node_get_input (second, 0)->producer->op, ==, "Conv");
  g_assert_cmpint (sonde_graph_find_value (graph, "a")->type.dims[3].size, ==, 3);
  g_assert_cmpstr (sonde_graph_find_value (graph, "probability")->producer->op, ==, "Identity");
  g_assert_cmpint (sonde_graph_find_value (graph, "a/weights")->role, ==, SONDE_ROLE_PARAMETER);
}

static void
test_source_of_nodes (void)
{
  g_autoptr (SondeLowering) lowering = sonde_lowering_new ("tflite", "net.tflite", NULL);
  g_autoptr (SondeConversion) conversion = NULL;
  g_autoptr (SondeGraph) graph = NULL, again = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  SondeType type = image_type (4, 4, 3);
  SondeGraphValue *x = sonde_lowering_add_input (lowering, "image", &type);
  const SondeConvertedNode *converted = NULL;
  const SondeNode *node = NULL;

  sonde_lowering_add_output (lowering, add_convolution (lowering, x, "a"), "a");
  graph = sonde_lowering_finish (lowering, &conversion, &error);
  g_assert_no_error (error);
  converted = conversion->nodes->pdata[0];
  g_assert_cmpstr (converted->op, ==, "CONV_2D");
  g_assert_cmpint (converted->how, ==, SONDE_LOWERED_DIRECT);
  g_assert_cmpuint (converted->to->len, ==, 1);

  bytes = sonde_model_serialise (graph, &error);
  g_assert_no_error (error);
  again = sonde_model_parse (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "again",
                             &error);
  g_assert_no_error (error);
  node = sonde_graph_find_node (again, "a");
  g_assert_cmpstr (node->source->op, ==, "CONV_2D");
  g_assert_cmpstr (node->source->name, ==, "a");
  g_assert_cmpstr (node->source->place, ==, "net.py:7");
  node = sonde_graph_find_node (again, "a.Transpose");
  g_assert_cmpint (node->origin_kind, ==, SONDE_ORIGIN_INSERTED);
}

static void
refuse (SondeLowering *lowering, SondeGraphValue *x, const char *name, const char *op)
{
  sonde_lowering_begin (lowering, name, op, NULL);
  sonde_lowering_refuse (lowering, SONDE_VALUES (x), 1, sonde_message_new ("it is not known"),
                         sonde_message_new ("Write it with known operators"));
  sonde_lowering_end (lowering);
}

static SondeGraph *
lower_unknown (const SondeModelOptions *options, SondeConversion **conversion, GError **error)
{
  g_autoptr (SondeLowering) lowering = sonde_lowering_new ("tflite", "net.tflite", options);
  SondeType type = image_type (4, 4, 3);
  SondeGraphValue *x = sonde_lowering_add_input (lowering, "image", &type);

  refuse (lowering, x, "first", "CUSTOM_A");
  refuse (lowering, x, "second", "CUSTOM_B");
  refuse (lowering, x, "third", "CUSTOM_A");
  sonde_lowering_add_output (lowering, x, "out");
  return sonde_lowering_finish (lowering, conversion, error);
}

static void
test_all_that_is_missing (void)
{
  const SondeModelOptions partial = { .partial = TRUE };
  g_autoptr (SondeConversion) conversion = NULL, kept = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = lower_unknown (NULL, &conversion, &error);

  g_assert_null (graph);
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED);
  g_assert_cmpstr (
      error->message, ==,
      "“net.tflite” has 2 operators that cannot be converted:\n"
      "  CUSTOM_A (2×, first “first”): it is not known. Write it with known operators\n"
      "  CUSTOM_B (1×, first “second”): it is not known. Write it with known operators");
  g_assert_cmpuint (conversion->nodes->len, ==, 3);
  g_clear_error (&error);

  graph = lower_unknown (&partial, &kept, &error);
  g_assert_no_error (error);
  g_assert_false (sonde_conversion_is_complete (kept));
  g_assert_cmpstr (sonde_graph_find_node (graph, "second")->domain, ==, SONDE_DOMAIN_UNCONVERTED);
}

/* A body that reads a value of the graph around it. */
static void
test_subgraph_captures (void)
{
  g_autoptr (SondeLowering) lowering = sonde_lowering_new ("tflite", "net.tflite", NULL);
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  SondeType type = image_type (4, 4, 3);
  SondeGraphValue *x = sonde_lowering_add_input (lowering, "image", &type), *y = NULL;
  SondeGraph *branch = NULL;

  sonde_lowering_push_graph (lowering, "then");
  y = sonde_lowering_op (lowering, "Relu",
                         SONDE_VALUES (sonde_lowering_channels_first (lowering, x)));
  sonde_lowering_add_output (lowering, y, "branch_output");
  branch = sonde_lowering_pop_graph (lowering);
  g_assert_nonnull (sonde_graph_find_value (branch, "branch_output"));
  g_assert_null (sonde_lowering_find_channels_first (lowering, x));

  y = sonde_lowering_op (lowering, "If",
                         SONDE_VALUES (sonde_lowering_number (lowering, SONDE_DTYPE_BOOL, 1)));
  sonde_node_take_graph (y->producer, "then_branch", branch);
  sonde_lowering_add_output (lowering, y, "out");
  graph = sonde_lowering_finish (lowering, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (x->captures->len, ==, 1);
}

static void
test_shapes_of_inputs (void)
{
  SondeModelShape given = { (char *) "image", { .rank = 4, .dims = { 1, 4, 4, 3 } } };
  g_autoptr (GPtrArray) shapes = g_ptr_array_new ();
  const SondeModelOptions options = { .shapes = shapes };
  g_autoptr (SondeLowering) lowering = NULL, wrong = NULL, other = NULL;
  g_autoptr (GError) error = NULL;
  SondeType open = image_type (4, 4, 3), closed = image_type (5, 4, 3);

  g_ptr_array_add (shapes, &given);
  open.dims[0].size = -1;
  lowering = sonde_lowering_new ("tflite", "net.tflite", &options);
  g_assert_cmpint (sonde_lowering_add_input (lowering, "image", &open)->type.dims[0].size, ==, 1);
  g_assert_false (sonde_lowering_has_failed (lowering));

  wrong = sonde_lowering_new ("tflite", "net.tflite", &options);
  sonde_lowering_add_input (wrong, "image", &closed);
  g_assert_null (sonde_lowering_finish (wrong, NULL, &error));
  g_assert_cmpstr (error->message, ==,
                   "“net.tflite”: dimension 1 of input “image” is 5 in the model; the given shape "
                   "has 4");
  g_clear_error (&error);

  other = sonde_lowering_new ("tflite", "net.tflite", &options);
  sonde_lowering_add_input (other, "picture", &open);
  g_assert_null (sonde_lowering_finish (other, NULL, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lowering/twins-cancel", test_twins_cancel);
  g_test_add_func ("/lowering/source-of-nodes", test_source_of_nodes);
  g_test_add_func ("/lowering/all-that-is-missing", test_all_that_is_missing);
  g_test_add_func ("/lowering/subgraph-captures", test_subgraph_captures);
  g_test_add_func ("/lowering/shapes-of-inputs", test_shapes_of_inputs);
  return g_test_run ();
}
