/* SPDX-License-Identifier: Apache-2.0
 * Old forms of operators on pictures, from legalising to the numbers. */
#include "engine/ops/sonde-build.h"
#include "engine/passes/sonde-passes.h"
#include "tests/support/sonde-test-gradient.h"
#include "tests/support/sonde-test-tensor.h"

#include <string.h>

typedef struct
{
  const char *name;
  int version;
  const char *op;
  const char *x, *second; /* inputs; @second may be NULL */
  void (*set) (SondeNode *node);
  const char *want;
  const char *source;
} OldForm;

static void
set_nothing (SondeNode *node)
{
}

static void
set_linear (SondeNode *node)
{
  sonde_node_set_string (node, "mode", "linear");
}

static void
set_scales (SondeNode *node)
{
  const double scales[] = { 1, 1, 2, 1 };

  set_linear (node);
  sonde_node_set_floats (node, "scales", scales, 4);
}

static void
set_two_scales (SondeNode *node)
{
  sonde_node_set_string (node, "mode", "bilinear");
  sonde_node_set_float (node, "height_scale", 2);
  sonde_node_set_float (node, "width_scale", 1);
}

static void
set_bilinear (SondeNode *node)
{
  sonde_node_set_string (node, "mode", "bilinear");
  sonde_node_set_int (node, "align_corners", 1);
}

static void
set_fraction (SondeNode *node)
{
  sonde_node_set_float (node, "p", 1);
}

#define PICTURE "1x1x3x4: 0 20 40 60 80 100 120 140 160 180 200 220"
#define ROWS_DOUBLED                                                                               \
  "1x1x6x4: 0 20 40 60 40 60 80 100 80 100 120 140 120 140 160 180 160 180 200 220 160 180 200 "   \
  "220"
#define ORT "ONNX Runtime 1.31"

static const OldForm old_forms[] = {
  { "resize-10/nearest-down", 10, "Resize", PICTURE, "4: 1 1 0.6 0.6", set_nothing, "1x1x1x2: 0 40",
    ORT },
  { "resize-10/nearest-up", 10, "Resize", "1x1x1x3: 1 2 3", "4: 1 1 1 1.5", set_nothing,
    "1x1x1x4: 1 1 2 3", ORT },
  { "resize-10/linear", 10, "Resize", PICTURE, "4: 1 1 2 0.6", set_linear,
    "1x1x6x2: 0 33.3333321 40 73.3333282 80 113.333328 120 153.333344 160 193.333344 160 "
    "193.333344",
    ORT },
  { "upsample-9/nearest", 9, "Upsample", "1x1x2x2: 1 2 3 4", "4: 1 1 2 1.5", set_nothing,
    "1x1x4x3: 1 1 2 1 1 2 3 3 4 3 3 4", ORT },
  { "upsample-13/nearest", 13, "Upsample", "1x1x2x1: 1 2", "4: 1 1 2 1", set_nothing,
    "1x1x4x1: 1 1 2 2", "as in version 9" },
  { "upsample-7/linear", 7, "Upsample", PICTURE, NULL, set_scales, ROWS_DOUBLED, ORT },
  { "upsample-1/bilinear", 1, "Upsample", PICTURE, NULL, set_two_scales, ROWS_DOUBLED,
    "as in version 7" },
  { "grid-sample-16/bilinear", 16, "GridSample", "1x1x1x3: 1 2 4", "1x1x2x2: -0.5 0 0.5 0",
    set_bilinear, "1x1x1x2: 1.5 3", "closed form" },
  { "global-lp-pool-1", 1, "GlobalLpPool", "1x1x3: -1 2 -3", NULL, set_fraction, "1x1x1: 6",
    "closed form" },
};

static void
test_old_form (gconstpointer data)
{
  const OldForm *row = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("old");
  g_autoptr (GHashTable) feeds = sonde_test_feeds_new (), values = NULL;
  g_autoptr (SondeTensor) x = sonde_test_tensor (SONDE_DTYPE_F32, row->x);
  g_autoptr (SondeTensor) second
      = row->second ? sonde_test_tensor (SONDE_DTYPE_F32, row->second) : NULL;
  g_autoptr (SondeTensor) want = sonde_test_tensor (SONDE_DTYPE_F32, row->want);
  SondeGraphValue *inputs[2] = { NULL };
  SondeNode *node;
  SondeType type = sonde_type_tensor (x->dtype, &x->shape);

  sonde_graph_set_opset (graph, "", row->version);
  inputs[0] = sonde_graph_add_input (graph, "x", &type);
  inputs[1] = second ? sonde_build_constant (graph, "second", second) : NULL;
  node = sonde_graph_add_node (graph, "node", "", row->op, inputs, second ? 2 : 1, 1);
  node->version = row->version;
  row->set (node);
  sonde_graph_add_output (graph, sonde_node_get_output (node, 0));
  sonde_test_feeds_set (feeds, "x", x);
  g_assert_true (sonde_pass_legalise (graph, &error));
  g_assert_no_error (error);
  g_assert_true (sonde_pass_infer (graph, NULL, 0, &error));
  g_assert_no_error (error);
  values = sonde_test_evaluate (graph, feeds, &error);
  g_assert_no_error (error);
  sonde_test_assert_close (g_hash_table_lookup (values, graph->outputs->pdata[0]), want, 1e-6, 1e-6,
                           row->source);
}

static void
test_decoder (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("decoder");
  SondeShape shape = { .rank = 1, .dims = { 9 } };
  SondeType type = sonde_type_tensor (SONDE_DTYPE_U8, &shape);
  SondeGraphValue *bytes = sonde_graph_add_input (graph, "bytes", &type);
  SondeNode *node = sonde_graph_add_node (graph, "decode", "", "ImageDecoder", &bytes, 1, 1);

  sonde_graph_add_output (graph, sonde_node_get_output (node, 0));
  g_assert_false (sonde_pass_legalise (graph, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "“decode”"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (old_forms); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/engine/passes/legalise-image/%s", old_forms[i].name);

      g_test_add_data_func (path, &old_forms[i], test_old_form);
    }
  g_test_add_func ("/engine/passes/legalise-image/decoder", test_decoder);
  return g_test_run ();
}
