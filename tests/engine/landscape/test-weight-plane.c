/* SPDX-License-Identifier: Apache-2.0
 * Planes of weights: filters keep their lengths, the directions of a path are those of its
 * construction, places come back. */
#include "engine/landscape/sonde-weight-plane.h"

#include <math.h>
#include <string.h>

#include "engine/ops/sonde-engine-error.h"

/* ---- filters ------------------------------------------------------------- */

static SondeGraphValue *
add_parameter (SondeGraph *graph, const char *name, SondeShape shape)
{
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i, 0.25 * (double) (i % 7) - 0.5);
  return sonde_graph_add_initialiser (graph, name, tensor, SONDE_ROLE_PARAMETER);
}

/* One parameter of each kind, each read as the given input of one node. */
static const struct
{
  const char *name, *op;
  guint input;
  SondeShape shape;
  gsize outer, filters, inner; /* filters 0: it is none */
} parameters[] = {
  { "conv", "Conv", 1, { 4, { 3, 2, 2, 2 } }, 1, 3, 8 },
  { "turned", "ConvTranspose", 1, { 4, { 3, 2, 2, 2 } }, 3, 2, 4 },
  { "matmul", "MatMul", 1, { 2, { 4, 3 } }, 4, 3, 1 },
  { "left", "MatMul", 0, { 2, { 4, 3 } }, 1, 4, 3 },
  { "gemm", "Gemm", 1, { 2, { 4, 3 } }, 4, 3, 1 },
  { "lstm", "LSTM", 2, { 3, { 2, 8, 2 } }, 1, 16, 2 },
  { "lstm-bias", "LSTM", 3, { 2, { 2, 16 } }, 0, 0, 0 },
  { "words", "Gather", 0, { 2, { 5, 4 } }, 1, 5, 4 },
  { "added", "Add", 1, { 2, { 1, 4 } }, 0, 0, 0 },
  { "bias", "Conv", 2, { 1, { 3 } }, 0, 0, 0 },
};

static SondeWeightSpace *
make_space (SondeGraph *graph)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (parameters); i++)
    {
      SondeGraphValue *inputs[4] = { NULL };

      inputs[parameters[i].input] = add_parameter (graph, parameters[i].name, parameters[i].shape);
      g_ptr_array_add (values, inputs[parameters[i].input]);
      sonde_graph_add_node (graph, NULL, "", parameters[i].op, inputs, 4, 1);
    }
  return sonde_weight_space_new (values);
}

static void
test_filters (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("filters");
  g_autoptr (SondeWeightSpace) space = make_space (graph);
  gsize n = 0;

  g_assert_cmpuint (space->n_blocks, ==, G_N_ELEMENTS (parameters));
  for (guint i = 0; i < space->n_blocks; i++)
    {
      const SondeWeightBlock *block = &space->blocks[i];

      g_assert_cmpstr (block->name, ==, parameters[i].name);
      g_assert_cmpuint (block->first, ==, n);
      n += block->n;
      g_assert_cmpint (block->is_plain, ==, parameters[i].filters == 0);
      if (block->is_plain)
        continue;
      g_assert_cmpuint (block->outer, ==, parameters[i].outer);
      g_assert_cmpuint (block->filters, ==, parameters[i].filters);
      g_assert_cmpuint (block->inner, ==, parameters[i].inner);
    }
  g_assert_cmpuint (space->n, ==, n);
}

static double
filter_length (const SondeWeightBlock *block, gsize filter, const float *vector)
{
  double sum = 0;

  for (gsize k = 0; k < block->outer * block->inner; k++)
    {
      gsize at = (k / block->inner * block->filters + filter) * block->inner + k % block->inner;

      sum += (double) vector[block->first + at] * (double) vector[block->first + at];
    }
  return sqrt (sum);
}

static void
check_block (const SondeWeightBlock *block, const float *weights, const float *axis)
{
  for (gsize i = 0; block->is_plain && i < block->n; i++)
    g_assert_true (axis[block->first + i] == 0);
  for (gsize f = 0; f < block->filters; f++)
    g_assert_cmpfloat_with_epsilon (filter_length (block, f, axis),
                                    filter_length (block, f, weights), 1e-6);
}

static void
test_random (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("filters");
  g_autoptr (SondeWeightSpace) space = make_space (graph);
  g_autofree float *weights = g_new (float, space->n);
  g_autoptr (SondeWeightPlane) plane = NULL, same = NULL, other = NULL;
  g_autoptr (GError) error = NULL;
  gsize bytes = space->n * sizeof (float);

  g_assert_true (sonde_weight_space_collect (space, graph, weights, &error));
  g_assert_no_error (error);
  plane = sonde_weight_plane_new_random (space, weights, 7);
  same = sonde_weight_plane_new_random (space, weights, 7);
  other = sonde_weight_plane_new_random (space, weights, 8);
  for (guint i = 0; i < 2 * space->n_blocks; i++)
    check_block (&space->blocks[i / 2], weights, plane->axes[i % 2]);
  for (int k = 0; k < 2; k++)
    {
      g_assert_cmpmem (plane->axes[k], bytes, same->axes[k], bytes);
      g_assert_cmpint (memcmp (plane->axes[k], other->axes[k], bytes), !=, 0);
    }
  /* Two of 150 numbers each hardly lean on each other. */
  g_assert_cmpfloat (fabs (plane->products[1]), <,
                     0.5 * sqrt (plane->products[0] * plane->products[2]));
}

static void
test_missing (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("filters"), empty = sonde_graph_new ("empty");
  g_autoptr (SondeWeightSpace) space = make_space (graph);
  g_autofree float *weights = g_new (float, space->n);
  g_autoptr (GError) error = NULL;

  g_assert_false (sonde_weight_space_collect (space, empty, weights, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "conv"));
}

/* ---- the directions of a path -------------------------------------------- */

#define N 4

/* Rows of a Hadamard matrix over 2 are of length 1 and stand upright on each other. */
static const double hadamard[4][N]
    = { { .5, .5, .5, .5 }, { .5, -.5, .5, -.5 }, { .5, .5, -.5, -.5 }, { .5, -.5, -.5, .5 } };
static const double lengths[3] = { 8, 4, 2 };
static const float end[N] = { 1, -2, 3, 0.5f };

/* path − end = Σ lengths[k] u[k] v[k]ᵀ: a singular value decomposition by construction. */
static void
make_path (float path[4][N])
{
  for (int t = 0; t < 4; t++)
    for (int i = 0; i < N; i++)
      {
        double sum = end[i];

        for (int k = 0; k < 3; k++)
          sum += lengths[k] * hadamard[k][t] * hadamard[3 - k][i];
        path[t][i] = (float) sum;
      }
}

static void
test_path (void)
{
  float path[4][N];
  const float *rows[] = { path[0], path[1], path[2], path[3] };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeWeightPlane) plane = NULL;
  double all = 0, left = 0;

  make_path (path);
  plane = sonde_weight_plane_new_of_path (rows, 4, end, N, &error);
  g_assert_no_error (error);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < N; i++)
      g_assert_cmpfloat_with_epsilon (plane->axes[k][i], hadamard[3 - k][i], 1e-6);
  for (int t = 0; t < 4; t++)
    {
      double place[2], outside;

      all += sonde_weight_plane_project (plane, end, rows[t], place, &outside);
      left += outside;
      for (int k = 0; k < 2; k++)
        g_assert_cmpfloat_with_epsilon (place[k], lengths[k] * hadamard[k][t], 1e-5);
    }
  g_assert_cmpfloat_with_epsilon (all, 64 + 16 + 4, 1e-4);
  g_assert_cmpfloat_with_epsilon (left, 4, 1e-4);
}

/* Points on a line, and one point, span no plane. */
static void
test_line (void)
{
  const float near[N] = { 2, -2, 3, 0.5f }, far[N] = { 5, -2, 3, 0.5f };
  const float *rows[] = { near, far };

  for (guint n = 0; n <= 2; n++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (sonde_weight_plane_new_of_path (rows, n, end, N, &error));
      g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
    }
}

/* On axes that lean on each other. */
static void
test_project (void)
{
  float first[N] = { 1, 0, 0, 0 }, second[N] = { 3, 4, 0, 0 };
  SondeWeightPlane plane = { N, { first, second }, { 1, 3, 25 } };
  const float point[N]
      = { 1 + 2 * 1 - 3, -2 - 4, 3 + 5, 0.5f }; /* 2 · first − second, and 5 beside */
  double place[2], outside;

  g_assert_cmpfloat_with_epsilon (sonde_weight_plane_project (&plane, end, point, place, &outside),
                                  1 + 16 + 25, 1e-9);
  g_assert_cmpfloat_with_epsilon (place[0], 2, 1e-9);
  g_assert_cmpfloat_with_epsilon (place[1], -1, 1e-9);
  g_assert_cmpfloat_with_epsilon (outside, 25, 1e-9);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/weight-plane/filters", test_filters);
  g_test_add_func ("/weight-plane/random", test_random);
  g_test_add_func ("/weight-plane/missing", test_missing);
  g_test_add_func ("/weight-plane/path", test_path);
  g_test_add_func ("/weight-plane/line", test_line);
  g_test_add_func ("/weight-plane/project", test_project);
  return g_test_run ();
}
