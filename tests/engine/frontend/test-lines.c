/* SPDX-License-Identifier: Apache-2.0
 * Lines of the listing as a narrow column has them. */
#include "engine/frontend/sonde-debug-lines.h"

static const SondeDebugLine *
nth (GPtrArray *lines, guint i)
{
  return g_ptr_array_index (lines, i);
}

static void
assert_span (const SondeDebugLine *line, SondeDebugSpan span, const char *expected)
{
  g_autofree char *text = g_strndup (line->text + span.start, span.end - span.start);

  g_assert_cmpstr (text, ==, expected);
}

/* x → conv1 → relu */
static SondeGraph *
make_graph (void)
{
  SondeGraph *graph = sonde_graph_new ("small");
  SondeShape shape = sonde_shape_make (1, 4);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", &type), *inputs[2];
  g_autoptr (SondeTensor) weight = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  SondeNode *conv;

  inputs[0] = x;
  inputs[1] = sonde_graph_add_initialiser (graph, "w", weight, SONDE_ROLE_PARAMETER);
  conv = sonde_graph_add_node (graph, "/conv1/Conv", "", "Conv", inputs, 2, 1);
  inputs[0] = sonde_node_get_output (conv, 0);
  sonde_graph_add_node (graph, "/Relu", "", "Relu", inputs, 1, 1);
  return graph;
}

static void
test_short (void)
{
  g_autoptr (SondeGraph) graph = make_graph ();
  SondeNode *conv = sonde_graph_find_node (graph, "/conv1/Conv");
  const char *made = sonde_node_get_output (conv, 0)->name;
  g_autofree char *listing = g_strdup_printf (
      "/conv1/Conv: %s = Conv (x, w) {group=1, pads=[2, 2]}  # float32 1×6×28×28\n"
      "/Relu: y = Relu (%s)  # float32 1×6×28×28\n",
      made, made);
  g_autoptr (GPtrArray) lines = sonde_debug_lines_new (listing, graph);

  g_assert_cmpuint (lines->len, ==, 2);
  g_assert_cmpstr (nth (lines, 0)->text, ==, "Conv      conv1 ← x  1×6×28×28");
  g_assert_cmpstr (nth (lines, 0)->name, ==, "/conv1/Conv");
  g_assert_true (g_str_has_prefix (nth (lines, 0)->whole, "/conv1/Conv: "));
  g_assert_cmpstr (nth (lines, 1)->text, ==, "Relu      Relu ← conv1  1×6×28×28");
  assert_span (nth (lines, 0), nth (lines, 0)->op, "Conv");
  assert_span (nth (lines, 0), nth (lines, 0)->label, "conv1");
  assert_span (nth (lines, 0), nth (lines, 0)->type, "1×6×28×28");
}

/* Without a graph, in bodies, with names that look like punctuation, with other types. */
static void
test_plain (void)
{
  static const struct
  {
    const char *whole, *text, *name;
  } rows[] = {
    { "loop: h, trace = Loop (trip, x) {body=graph of 8 nodes}  # float32 1×6, int64 ?×1×6",
      "Loop      loop ← trip, x  1×6, int64 ?×1×6", "loop" },
    { "  body (it, c, h_in) -> (go, h_out):", "  body (it, c, h_in) -> (go, h_out):", NULL },
    { "    add: y = Add (a, b)", "    Add       add ← a, b", "add" },
    { "g: grad(w) = sonde.ConvGradWeight (grad(y), x)  # float32 6",
      "ConvGradWeight g ← grad(y), x  6", "g" },
    { "c: y = Constant ()  # int64 scalar", "Constant  c  int64 scalar", "c" },
    { "", "", NULL },
    { "a: b =", "a: b =", NULL },
    { "a: b = C (", "a: b = C (", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GPtrArray) lines = sonde_debug_lines_new (rows[i].whole, NULL);

      g_assert_cmpuint (lines->len, ==, *rows[i].whole != '\0' ? 1 : 0);
      if (lines->len == 0)
        continue;
      g_assert_cmpstr (nth (lines, 0)->name, ==, rows[i].name);
      g_assert_cmpstr (nth (lines, 0)->text, ==, rows[i].text);
    }
}

/* A node that reads parameters alone names them. */
static void
test_parameters_alone (void)
{
  g_autoptr (SondeGraph) graph = make_graph ();
  g_autoptr (GPtrArray) lines = sonde_debug_lines_new ("n: y = Neg (w)  # float32 4", graph);

  g_assert_cmpstr (nth (lines, 0)->text, ==, "Neg       n ← w  4");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/frontend/lines/short", test_short);
  g_test_add_func ("/engine/frontend/lines/plain", test_plain);
  g_test_add_func ("/engine/frontend/lines/parameters-alone", test_parameters_alone);
  return g_test_run ();
}
