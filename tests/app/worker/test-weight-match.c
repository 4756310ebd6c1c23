/* SPDX-License-Identifier: Apache-2.0
 * Which tensor of a file goes onto which parameter of a model, and what is told of the rest. */
#include "app/worker/models/sonde-weight-match.h"

#include "data/base/sonde-error.h"
#include "tests/support/sonde-test-tensor.h"

static SondeTensor *
make_tensor (gint64 rows, gint64 columns, double value)
{
  const SondeShape shape = sonde_shape_make (2, rows, columns);
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < rows * columns; i++)
    sonde_tensor_set_double (tensor, i, value);
  return tensor;
}

static void
add_parameter (SondeGraph *graph, const char *name, gint64 rows, gint64 columns,
               SondeValueRole role)
{
  g_autoptr (SondeTensor) tensor = make_tensor (rows, columns, 0);

  sonde_graph_add_initialiser (graph, name, tensor, role);
}

static SondeGraph *
make_model (void)
{
  SondeGraph *graph = sonde_graph_new (NULL);

  add_parameter (graph, "net.a.weight", 2, 3, SONDE_ROLE_PARAMETER);
  add_parameter (graph, "net.b.weight", 2, 3, SONDE_ROLE_PARAMETER);
  add_parameter (graph, "net.c.bias", 1, 4, SONDE_ROLE_PARAMETER);
  add_parameter (graph, "net.c.running_mean", 1, 4, SONDE_ROLE_STATE);
  add_parameter (graph, "axes", 1, 1, SONDE_ROLE_CONSTANT);
  return graph;
}

static void
add (SondeNamedTensors *tensors, const char *name, gint64 rows, gint64 columns, double value)
{
  g_autoptr (SondeTensor) tensor = make_tensor (rows, columns, value);

  sonde_named_tensors_set (tensors, name, tensor);
}

/* "PARAMETER=TENSOR" of all pairs, in the model's order. */
static char *
list_pairs (const SondeWeightReport *report)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < report->pairs->len; i++)
    {
      const SondeWeightPair *pair = report->pairs->pdata[i];

      g_string_append_printf (text, "%s%s=%s%s", i > 0 ? " " : "", pair->parameter, pair->tensor,
                              pair->by == SONDE_WEIGHT_BY_SHAPE ? "*" : "");
    }
  return g_string_free (text, FALSE);
}

static void
assert_match (const char *const *names, const gint64 (*sizes)[2], const char *expected,
              guint n_missing, guint n_unused)
{
  g_autoptr (SondeGraph) model = make_model ();
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();
  g_autoptr (SondeWeightReport) report = NULL;
  g_autofree char *pairs = NULL;

  for (guint i = 0; names[i] != NULL; i++)
    add (tensors, names[i], sizes[i][0], sizes[i][1], i + 1);
  report = sonde_weight_match (model, tensors, "w.npz");
  pairs = list_pairs (report);
  g_assert_cmpstr (pairs, ==, expected);
  g_assert_cmpuint (report->missing->len, ==, n_missing);
  g_assert_cmpuint (report->unused->len, ==, n_unused);
}

static const gint64 all_sizes[][2] = { { 2, 3 }, { 2, 3 }, { 1, 4 }, { 1, 4 }, { 9, 9 } };

static void
test_names (void)
{
  static const char *const own[]
      = { "net.a.weight", "net.b.weight", "net.c.bias", "net.c.running_mean", "more", NULL };
  static const char *const other[]
      = { "net.b.gamma", "net.a.weight", "net.c.beta", "net.c.moving_mean", NULL };
  static const char *const prefixed[]
      = { "module/b/weight:0", "module/a/weight:0", "module/c/bias:0", NULL };
  static const char *const bare[]
      = { "b.weight", "a/weight", "c.bias", "c.num_batches_tracked", NULL };

  assert_match (own, all_sizes,
                "net.a.weight=net.a.weight net.b.weight=net.b.weight net.c.bias=net.c.bias "
                "net.c.running_mean=net.c.running_mean",
                0, 1);
  assert_match (other, all_sizes,
                "net.a.weight=net.a.weight net.b.weight=net.b.gamma net.c.bias=net.c.beta "
                "net.c.running_mean=net.c.moving_mean",
                0, 0);
  assert_match (prefixed, all_sizes,
                "net.a.weight=module/a/weight:0 net.b.weight=module/b/weight:0 "
                "net.c.bias=module/c/bias:0",
                0, 0);
  assert_match (bare, all_sizes, "net.a.weight=a/weight net.b.weight=b.weight net.c.bias=c.bias", 0,
                0);
}

/* In the order of the file, and only where nothing of that shape is left over. */
static void
test_shapes (void)
{
  static const char *const strange[] = { "t0", "t1", "t2", "t3", "t4", NULL };
  static const char *const short_of_one[] = { "t0", "t1", "t2", NULL };
  static const char *const mixed[] = { "t0", "net.a.weight", "t2", "t3", NULL };

  assert_match (strange, all_sizes,
                "net.a.weight=t0* net.b.weight=t1* net.c.bias=t2* net.c.running_mean=t3*", 0, 1);
  assert_match (short_of_one, all_sizes, "net.a.weight=t0* net.b.weight=t1*", 1, 1);
  assert_match (mixed, all_sizes,
                "net.a.weight=net.a.weight net.b.weight=t0* net.c.bias=t2* "
                "net.c.running_mean=t3*",
                0, 0);
}

static void
test_put_on (void)
{
  g_autoptr (SondeGraph) model = make_model ();
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();
  g_autoptr (SondeWeightReport) report = NULL;
  g_autoptr (SondeMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  add (tensors, "net.a.weight", 2, 3, 1);
  add (tensors, "net.b.weight", 3, 2, 2);
  add (tensors, "more", 9, 9, 3);
  g_assert_false (sonde_weight_put_on (model, tensors, "w.npz", &report, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "“w.npz”"));
  g_assert_nonnull (strstr (error->message, "Missing tensors: net.c.bias."));
  g_assert_nonnull (strstr (
      error->message, "net.b.weight (float32 [3, 2] in the file, float32 [2, 3] in the model)"));
  g_assert_null (report);
  g_assert_cmpfloat (
      sonde_tensor_get_double (
          sonde_value_get_tensor (sonde_graph_find_value (model, "net.a.weight")->constant), 0),
      ==, 0); /* all or none */

  add (tensors, "net.b.weight", 2, 3, 2);
  add (tensors, "net.c.bias", 1, 4, 5);
  g_clear_error (&error);
  g_assert_true (sonde_weight_put_on (model, tensors, "w.npz", &report, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (
      sonde_tensor_get_double (
          sonde_value_get_tensor (sonde_graph_find_value (model, "net.c.bias")->constant), 3),
      ==, 5);
  message = sonde_weight_report_to_message (report);
  g_assert_cmpstr (sonde_message_get_english (message), ==,
                   "Weights from “w.npz”: 3 by name, 0 by shape. Not used: more.");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/worker/weight-match/names", test_names);
  g_test_add_func ("/app/worker/weight-match/shapes", test_shapes);
  g_test_add_func ("/app/worker/weight-match/put-on", test_put_on);
  return g_test_run ();
}
