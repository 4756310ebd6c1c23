/* SPDX-License-Identifier: Apache-2.0
 * Tables of layers: counts against published ones, sums of scopes, FLOPs by hand, the text. */
#include "engine/nn/sonde-model-summary.h"

#include <string.h>

#include "engine/nn/sonde-layers.h"
#include "engine/nn/sonde-zoo.h"

static SondeModelSummary *
summarise (SondeGraph *graph, gint64 batch)
{
  g_autoptr (GError) error = NULL;
  SondeBinding binding = { "input", ((SondeGraphValue *) graph->inputs->pdata[0])->type };
  SondeModelSummary *summary;

  binding.type.dims[0].size = batch;
  summary = sonde_model_summary_new (graph, &binding, 1, &error);
  g_assert_no_error (error);
  return summary;
}

static const SondeModelRow *
find_row (const SondeModelSummary *summary, const char *name)
{
  for (guint i = 0; i < summary->rows->len; i++)
    if (g_str_equal (g_array_index (summary->rows, SondeModelRow, i).name, name))
      return &g_array_index (summary->rows, SondeModelRow, i);
  g_error ("there is no row “%s”", name);
}

/* conv1: 2·5·5·6·28·28 multiplications and additions a sample, its bias not counted; fc1:
 * 2·400·120. */
static void
test_lenet (void)
{
  g_autoptr (SondeGraph) graph = sonde_zoo_build ("lenet", 1, 28, 28, 10, 1, NULL);
  g_autoptr (SondeModelSummary) one = summarise (graph, 1), four = summarise (graph, 4);
  const SondeModelRow *row = find_row (four, "conv1");

  g_assert_cmpuint (one->parameters, ==, 61706);
  g_assert_cmpuint (one->trainable, ==, 61706);
  g_assert_cmpuint (one->rows->len, ==, 12);
  g_assert_cmpstr (row->op, ==, "Conv");
  g_assert_cmpstr (row->shape, ==, "4×6×28×28");
  g_assert_cmpuint (row->parameters, ==, 156);
  g_assert_cmpfloat_with_epsilon (row->flops, 4 * 2 * 25.0 * 6 * 784, 4 * 6 * 784);
  g_assert_cmpfloat_with_epsilon (find_row (one, "fc1")->flops, 2 * 400.0 * 120, 120);
  g_assert_cmpfloat (four->flops, >, 3.9 * one->flops);
}

static SondeGraph *
build_nested (void)
{
  g_autoptr (GError) error = NULL;
  SondeLayers *layers = sonde_layers_new ("nested", 1);
  SondeGraphValue *x
      = sonde_layers_input (layers, "input", SONDE_DTYPE_F32, 4, (gint64[]){ -1, 2, 4, 4 });
  SondeGraph *graph;

  sonde_layers_open (layers, "body");
  sonde_layers_open_index (layers, 0);
  x = sonde_layers_convolution_block (
      layers, "block", x, &(SondeConvolution){ .outputs = 3, .kernel = 3, .pad = 1 }, "relu");
  sonde_layers_close (layers);
  sonde_layers_close (layers);
  sonde_layers_output (layers, "y", x);
  graph = sonde_layers_finish (layers, &error);
  g_assert_no_error (error);
  return graph;
}

/* A convolution of 54 weights, 6 trained numbers of the norm and 6 of its state. */
static void
test_scopes (void)
{
  static const char *const names[] = { "body", "0", "block", "0", "1", "2" };
  g_autoptr (SondeGraph) graph = build_nested ();
  g_autoptr (SondeModelSummary) summary = summarise (graph, 1);
  const SondeModelRow *rows = &g_array_index (summary->rows, SondeModelRow, 0);

  g_assert_cmpuint (summary->rows->len, ==, G_N_ELEMENTS (names));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_assert_cmpstr (rows[i].name, ==, names[i]);
      g_assert_cmpuint (rows[i].depth, ==, MIN (i, 3));
      g_assert_cmpint (rows[i].is_scope, ==, i < 3);
    }
  for (guint i = 0; i < 3; i++)
    {
      g_assert_cmpuint (rows[i].parameters, ==, 66);
      g_assert_cmpfloat (rows[i].flops, ==, summary->flops);
    }
  g_assert_cmpuint (summary->parameters, ==, 66);
  g_assert_cmpuint (summary->trainable, ==, 60);
  g_assert_cmpuint (rows[3].parameters, ==, 54);
}

static void
test_text (void)
{
  g_autoptr (SondeGraph) graph = build_nested ();
  g_autoptr (SondeModelSummary) summary = summarise (graph, 1);
  g_autofree char *text = sonde_model_summary_to_text (summary);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  g_assert_cmpstr (lines[0], ==, "layer       operator            output   parameters    FLOP");
  g_assert_cmpstr (lines[1], ==, "body/                                            66  2.06 k");
  g_assert_cmpstr (lines[4], ==, "      0     Conv                1×3×4×4          54  1.73 k");
  g_assert_cmpstr (lines[7], ==, "66 parameters, 60 of them trained; 2.06 kFLOP forward");
  g_assert_cmpstr (lines[8], ==, "");
}

/* A parameter that two nodes read counts once. */
static void
test_shared (void)
{
  SondeLayers *layers = sonde_layers_new ("shared", 1);
  SondeGraphValue *x
      = sonde_layers_input (layers, "input", SONDE_DTYPE_F32, 2, (gint64[]){ -1, 3 });
  SondeShape shape = sonde_shape_make (1, 3);
  SondeGraphValue *weight = sonde_layers_parameter (layers, "weight", &shape, "ones", 0, 0);
  g_autoptr (SondeModelSummary) summary = NULL;
  g_autoptr (SondeGraph) graph = NULL;

  x = sonde_layers_add (layers, "a", x, weight);
  x = sonde_layers_add (layers, "b", x, weight);
  sonde_layers_output (layers, "y", x);
  graph = sonde_layers_finish (layers, NULL);
  summary = summarise (graph, 2);
  g_assert_cmpuint (summary->parameters, ==, 3);
  g_assert_cmpuint (find_row (summary, "a")->parameters, ==, 3);
  g_assert_cmpuint (find_row (summary, "b")->parameters, ==, 0);
}

static void
test_errors (void)
{
  g_autoptr (SondeGraph) graph = sonde_zoo_build ("lenet", 1, 28, 28, 10, 1, NULL);
  SondeBinding binding = { "input", ((SondeGraphValue *) graph->inputs->pdata[0])->type };
  g_autoptr (GError) error = NULL;

  binding.type.dims[2].size = 4;
  g_assert_null (sonde_model_summary_new (graph, &binding, 1, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/nn/model-summary/lenet", test_lenet);
  g_test_add_func ("/engine/nn/model-summary/scopes", test_scopes);
  g_test_add_func ("/engine/nn/model-summary/text", test_text);
  g_test_add_func ("/engine/nn/model-summary/shared", test_shared);
  g_test_add_func ("/engine/nn/model-summary/errors", test_errors);
  return g_test_run ();
}
