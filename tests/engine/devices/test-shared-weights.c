/* SPDX-License-Identifier: Apache-2.0
 * One constant matrix that several products read, as it is and transposed: each packs its own copy
 * where copies differ. Against sums in double. */
#include <math.h>

#include "data/base/sonde-random.h"
#include "engine/nn/sonde-grad.h"
#include "engine/ops/sonde-build.h"

static SondeTensor *
make_random (gint64 rows, gint64 columns, guint64 seed)
{
  SondeShape shape = sonde_shape_from_array (2, (gint64[]){ rows, columns });
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < rows * columns; i++)
    sonde_tensor_set_double (tensor, i, 2.0 * sonde_random_uniform (seed, 1, (guint64) i) - 1.0);
  return tensor;
}

static void
check_product (SondeTensor *x, SondeTensor *w, gboolean transposed, SondeTensor *got)
{
  gint64 rows = x->shape.dims[0], n = w->shape.dims[0];

  for (gint64 i = 0; i < rows; i++)
    for (gint64 j = 0; j < n; j++)
      {
        double sum = 0.0;

        for (gint64 k = 0; k < n; k++)
          sum += sonde_tensor_get_double (x, i * n + k)
                 * sonde_tensor_get_double (w, transposed ? j * n + k : k * n + j);
        g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (got, i * n + j), sum,
                                        1e-4 * sqrt ((double) n));
      }
}

/* @order: bit k: product k is the transposed one */
static void
check_pair (gint64 rows, gint64 n, guint order)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("shared");
  g_autoptr (SondeTensor) x = make_random (rows, n, 3), w = make_random (n, n, 4);
  g_autoptr (GError) error = NULL;
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &x->shape);
  SondeGraphValue *input, *weight;
  SondeTensor *outputs[2] = { NULL };
  const char *name = "x";

  sonde_graph_set_opset (graph, "", 17);
  input = sonde_graph_add_input (graph, "x", &type);
  weight = sonde_build_constant (graph, "w", w);
  for (guint k = 0; k < 2; k++)
    {
      SondeNode *node = sonde_graph_add_node (graph, NULL, "", "Gemm",
                                              (SondeGraphValue *[]){ input, weight }, 2, 1);

      sonde_node_set_int (node, "transB", order >> k & 1);
      sonde_graph_add_output (graph, sonde_node_get_output (node, 0));
    }
  sonde_graph_run (graph, NULL, &name, &x, 1, outputs, &error);
  g_assert_no_error (error);
  for (guint k = 0; k < 2; k++)
    {
      check_product (x, w, order >> k & 1, outputs[k]);
      sonde_tensor_unref (outputs[k]);
    }
}

static void
test_square (void)
{
  static const gint64 sides[] = { 16, 48, 64, 128, 256 }, rows[] = { 1, 8, 33 };

  for (gsize s = 0; s < G_N_ELEMENTS (sides); s++)
    for (gsize r = 0; r < G_N_ELEMENTS (rows); r++)
      for (guint order = 0; order < 4; order++)
        check_pair (rows[r], sides[s], order);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/devices/shared-weights/square", test_square);
  return g_test_run ();
}
