/* SPDX-License-Identifier: Apache-2.0
 * Weights of whole numbers in the order that integer convolutions read: with channels that fill
 * blocks and that do not, every size of filter. Against sums in integers. */
#include <math.h>

#include "data/base/sonde-random.h"
#include "engine/nn/sonde-grad.h"
#include "engine/ops/sonde-build.h"

#define SCALE 0.0037f /* of results: no tie is near */

typedef struct
{
  gint64 filters, channels, rows, columns;
} PackCase;

static SondeTensor *
make_random (SondeDtype dtype, const SondeShape *shape, double least, guint64 seed)
{
  SondeTensor *tensor = sonde_tensor_new (dtype, shape);

  for (gint64 i = 0; i < sonde_shape_n_elements (shape); i++)
    sonde_tensor_set_double (tensor, i,
                             floor (least + 256.0 * sonde_random_uniform (seed, 1, (guint64) i)));
  return tensor;
}

static SondeGraphValue *
add_scalar (SondeGraph *graph, SondeDtype dtype, double number)
{
  SondeShape shape = sonde_shape_scalar ();
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (dtype, &shape);

  sonde_tensor_set_double (tensor, 0, number);
  return sonde_build_constant (graph, "scalar", tensor);
}

/* One place of the image, so large as the filter: one sum a filter. */
static void
check_sums (const PackCase *c, SondeTensor *x, SondeTensor *w, SondeTensor *y)
{
  gint64 n = c->channels * c->rows * c->columns;

  for (gint64 f = 0; f < c->filters; f++)
    {
      gint64 sum = 0;

      for (gint64 k = 0; k < n; k++)
        sum += sonde_tensor_get_int (x, k) * sonde_tensor_get_int (w, f * n + k);
      g_assert_cmpfloat_with_epsilon (CLAMP (rint ((double) sum * (double) SCALE), -128.0, 127.0),
                                      sonde_tensor_get_double (y, f), 1.0);
    }
}

static void
test_case (gconstpointer data)
{
  const PackCase *c = data;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("packed");
  SondeShape image = sonde_shape_from_array (4, (gint64[]){ 1, c->channels, c->rows, c->columns });
  SondeShape window
      = sonde_shape_from_array (4, (gint64[]){ c->filters, c->channels, c->rows, c->columns });
  g_autoptr (SondeTensor) x = make_random (SONDE_DTYPE_U8, &image, 0.0, 3),
                          w = make_random (SONDE_DTYPE_I8, &window, -128.0, 4);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_U8, &x->shape);
  g_autoptr (SondeTensor) y = NULL;
  g_autoptr (GError) error = NULL;
  const char *name = "x";
  SondeNode *node;

  sonde_graph_set_opset (graph, "", 17);
  node = sonde_graph_add_node (graph, NULL, "", "QLinearConv",
                               (SondeGraphValue *[]){
                                   sonde_graph_add_input (graph, name, &type),
                                   add_scalar (graph, SONDE_DTYPE_F32, 1.0),
                                   add_scalar (graph, SONDE_DTYPE_U8, 0.0),
                                   sonde_build_constant (graph, "w", w),
                                   add_scalar (graph, SONDE_DTYPE_F32, (double) SCALE),
                                   add_scalar (graph, SONDE_DTYPE_I8, 0.0),
                                   add_scalar (graph, SONDE_DTYPE_F32, 1.0),
                                   add_scalar (graph, SONDE_DTYPE_I8, 0.0),
                               },
                               8, 1);
  sonde_graph_add_output (graph, sonde_node_get_output (node, 0));
  sonde_graph_run (graph, NULL, &name, &x, 1, &y, &error);
  g_assert_no_error (error);
  check_sums (c, x, w, y);
}

int
main (int argc, char *argv[])
{
  static const PackCase cases[] = {
    { 64, 64, 1, 1 },  { 256, 64, 1, 1 }, { 128, 512, 1, 1 }, { 48, 96, 1, 1 },
    { 100, 40, 1, 1 }, { 37, 30, 1, 1 },  { 17, 1000, 1, 1 }, { 64, 64, 3, 3 },
    { 96, 200, 3, 3 }, { 50, 33, 3, 3 },  { 64, 32, 5, 2 },   { 33, 18, 1, 7 },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/engine/devices/packed-weights/%dx%dx%dx%d", (int) cases[i].filters,
                             (int) cases[i].channels, (int) cases[i].rows, (int) cases[i].columns);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  return g_test_run ();
}
