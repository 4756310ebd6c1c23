/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/explain/session/colour-net.h"

#include "data/arrays/sonde-npy.h"
#include "data/models/sonde-model-file.h"
#include "engine/ops/sonde-build.h"
#include "tests/support/sonde-test-tensor.h"

#define SIDE 4

const guint8 dark_or_bright[2][3] = { { 60, 60, 60 }, { 150, 150, 150 } };

char *
colour_net_write (const char *folder, const char *weights)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("net");
  SondeShape shape = sonde_shape_make (4, 1, 3, SIDE, SIDE);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeTensor) w = sonde_test_tensor (SONDE_DTYPE_F32, weights),
                          b = sonde_test_tensor (SONDE_DTYPE_F32, "2: 0 0");
  char *path = g_build_filename (folder, "net.onnx", NULL);
  g_autoptr (GError) error = NULL;
  SondeGraphValue *x, *flat;

  sonde_graph_set_opset (graph, "", 17);
  type.dims[0].size = -1;
  x = sonde_graph_add_input (graph, "x", &type);
  flat = sonde_build_unary (graph, "Flatten", sonde_build_unary (graph, "GlobalAveragePool", x));
  sonde_graph_add_output (
      graph, sonde_build_op (graph, NULL, "", "Gemm", 3,
                             (SondeGraphValue *[]){ flat, sonde_build_constant (graph, NULL, w),
                                                    sonde_build_constant (graph, NULL, b) }));
  g_assert_true (sonde_model_save (NULL, path, graph, &error));
  g_assert_no_error (error);
  return path;
}

char *
colour_images_write (const char *folder, const guint8 colours[2][3])
{
  const guint n = COLOUR_IMAGES, area = SIDE * SIDE;
  SondeShape shape = sonde_shape_make (4, (int) n, SIDE, SIDE, 3),
             labels = sonde_shape_make (1, (int) n);
  g_autoptr (SondeTensor) x = sonde_tensor_new (SONDE_DTYPE_U8, &shape),
                          y = sonde_tensor_new (SONDE_DTYPE_I64, &labels);
  g_autofree char *images = g_build_filename (folder, "x.npy", NULL),
                  *names = g_build_filename (folder, "y.npy", NULL);

  for (guint i = 0; i < n; i++)
    {
      sonde_tensor_set_double (y, i, i % 2);
      for (guint k = 0; k < area * 3; k++)
        x->data[i * area * 3 + k] = (guint8) (colours[i % 2][k % 3] + i / 2);
    }
  g_assert_true (sonde_npy_write (NULL, images, x, NULL));
  g_assert_true (sonde_npy_write (NULL, names, y, NULL));
  return g_strdup_printf ("npy:%s;labels=%s", images, names);
}
