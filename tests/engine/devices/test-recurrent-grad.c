/* SPDX-License-Identifier: Apache-2.0
 * Gradients of LSTM, GRU and RNN on the cpu device against the reference device, for states that
 * the forward node gave; on one and two threads, with the same bits. */
#include "engine/devices/sonde-device.h"
#include "engine/ops/sonde-build.h"

#include <math.h>
#include <string.h>

#define MAX_INPUTS 13
#define N_FORWARD 4
#define MAX_OUTPUTS 6

/**
 * Case:
 * @given: a letter an operand that is there: "b" bias, "h" and "c" first states, "y", "n", "m" what
 *   comes back through Y, Y_h, Y_c; "s" the gates' sums
 */
typedef struct
{
  const char *op;
  int gates, directions;
  gint64 steps, batch, inputs, hidden;
  const char *direction, *given;
  gboolean linear_before_reset;
} Case;

static const Case cases[] = {
  { "LSTM", 4, 1, 7, 3, 5, 4, "forward", "by", FALSE },
  { "LSTM", 4, 1, 6, 5, 9, 33, "forward", "bhcynm", FALSE },
  { "LSTM", 4, 1, 6, 5, 9, 33, "reverse", "bhcynms", FALSE },
  { "LSTM", 4, 1, 1, 2, 3, 17, "reverse", "n", FALSE },
  { "LSTM", 4, 2, 9, 4, 16, 48, "bidirectional", "bhcym", FALSE },
  { "LSTM", 4, 2, 9, 4, 16, 48, "bidirectional", "bhcyms", FALSE },
  { "LSTM", 4, 1, 12, 32, 64, 128, "forward", "bns", FALSE },
  { "GRU", 3, 1, 7, 3, 5, 4, "forward", "by", TRUE },
  { "GRU", 3, 2, 9, 4, 16, 48, "bidirectional", "bhyn", TRUE },
  { "GRU", 3, 1, 7, 3, 5, 20, "reverse", "bhy", FALSE },
  { "RNN", 1, 1, 7, 3, 5, 17, "reverse", "bhyn", FALSE },
  { "RNN", 1, 2, 5, 6, 8, 32, "bidirectional", "y", FALSE },
};

static SondeTensor *
new_random (GRand *random, int rank, gint64 a, gint64 b, gint64 c, gint64 d)
{
  const SondeShape shape = rank == 4   ? sonde_shape_make (4, a, b, c, d)
                           : rank == 3 ? sonde_shape_make (3, a, b, c)
                                       : sonde_shape_make (2, a, b);
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i, g_rand_double_range (random, -0.5, 0.5));
  return tensor;
}

static gboolean
has (const Case *row, char letter)
{
  return strchr (row->given, letter) != NULL;
}

/* The forward operands, then what comes back. */
static void
make_inputs (const Case *row, SondeTensor *inputs[MAX_INPUTS])
{
  g_autoptr (GRand) random = g_rand_new_with_seed (20260202);
  const gint64 rows = row->gates * row->hidden, d = row->directions;
  const struct
  {
    int place;
    char letter;
  } states[] = { { 5, 'h' }, { 6, 'c' }, { 9, 'n' }, { 10, 'm' } };

  inputs[0] = new_random (random, 3, row->steps, row->batch, row->inputs, 0);
  inputs[1] = new_random (random, 3, d, rows, row->inputs, 0);
  inputs[2] = new_random (random, 3, d, rows, row->hidden, 0);
  if (has (row, 'b'))
    inputs[3] = new_random (random, 2, d, 2 * rows, 0, 0);
  if (has (row, 'y'))
    inputs[8] = new_random (random, 4, row->steps, d, row->batch, row->hidden);
  for (gsize i = 0; i < G_N_ELEMENTS (states); i++)
    if (has (row, states[i].letter))
      inputs[states[i].place] = new_random (random, 3, d, row->batch, row->hidden, 0);
}

static SondeNode *
add_node (const Case *row, SondeGraph *graph, const char *domain, const char *op,
          SondeTensor *const *tensors, guint n_inputs, guint n_outputs)
{
  SondeGraphValue *values[MAX_INPUTS] = { NULL };
  g_autoptr (GError) error = NULL;
  SondeNode *node;

  for (guint i = 0; i < n_inputs; i++)
    if (tensors[i] != NULL)
      {
        SondeType type = sonde_type_tensor (tensors[i]->dtype, &tensors[i]->shape);

        values[i] = sonde_graph_add_input (graph, NULL, &type);
      }
  node = sonde_graph_add_node (graph, NULL, domain, op, values, n_inputs, n_outputs);
  sonde_node_set_string (node, "direction", row->direction);
  sonde_node_set_int (node, "hidden_size", row->hidden);
  if (row->linear_before_reset)
    sonde_node_set_int (node, "linear_before_reset", 1);
  sonde_build_infer (graph, node, &error);
  g_assert_no_error (error);
  return node;
}

static void
run_node (const char *device_name, int threads, SondeNode *node, SondeTensor *const *inputs,
          SondeTensor **outputs)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open (device_name, threads, &error);

  sonde_device_run_node (device, node, inputs, 1, 2, outputs, &error);
  g_assert_no_error (error);
}

static void
compare (const Case *row, guint output, const SondeTensor *ours, const SondeTensor *again,
         const SondeTensor *reference)
{
  double scale = 1;

  for (gint64 i = 0; i < sonde_tensor_n_elements (reference); i++)
    scale = MAX (scale, fabs (sonde_tensor_get_double (reference, i)));
  for (gint64 i = 0; i < sonde_tensor_n_elements (reference); i++)
    {
      double a = sonde_tensor_get_double (ours, i), b = sonde_tensor_get_double (reference, i);

      if (!(fabs (a - b) <= 3e-6 * scale))
        g_error ("%sGrad %s, output %u: element %" G_GINT64_FORMAT
                 " is %.9g, the reference says %.9g",
                 row->op, row->direction, output, i, a, b);
      g_assert_cmpfloat (a, ==, sonde_tensor_get_double (again, i));
    }
}

static void
test_case (gconstpointer data)
{
  const Case *row = data;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("case");
  g_autofree char *op = g_strconcat (row->op, "Grad", NULL);
  SondeTensor *inputs[MAX_INPUTS] = { NULL }, *ours[MAX_OUTPUTS] = { NULL },
              *again[MAX_OUTPUTS] = { NULL }, *theirs[MAX_OUTPUTS] = { NULL },
              *forward[N_FORWARD] = { NULL };
  const gboolean lstm = g_str_equal (row->op, "LSTM");
  guint n_outputs = lstm && has (row, 'c') ? 6 : has (row, 'h') ? 5 : has (row, 'b') ? 4 : 3;

  make_inputs (row, inputs);
  SondeNode *forward_node
      = add_node (row, graph, "", row->op, inputs, lstm ? 7 : 6, has (row, 's') ? N_FORWARD : 1);

  run_node ("reference", 0, forward_node, inputs, forward);
  run_node ("cpu", 2, forward_node, inputs, again);
  for (guint k = 0; k < N_FORWARD && forward[k] != NULL; k++)
    {
      compare (row, k, again[k], again[k], forward[k]);
      g_clear_pointer (&again[k], sonde_tensor_unref);
    }
  inputs[11] = forward[0];
  inputs[12] = forward[3];
  sonde_tensor_unref (forward[1]);
  sonde_tensor_unref (forward[2]);

  SondeNode *node = add_node (row, graph, SONDE_DOMAIN, op, inputs, lstm ? 13 : 12, n_outputs);

  run_node ("cpu", 1, node, inputs, ours);
  run_node ("cpu", 2, node, inputs, again);
  run_node ("reference", 0, node, inputs, theirs);
  for (guint k = 0; k < n_outputs; k++)
    {
      compare (row, k, ours[k], again[k], theirs[k]);
      sonde_tensor_unref (ours[k]);
      sonde_tensor_unref (again[k]);
      sonde_tensor_unref (theirs[k]);
    }
  for (guint k = 0; k < MAX_INPUTS; k++)
    sonde_tensor_unref (inputs[k]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/engine/devices/recurrent-grad/%s/%s/%" G_GSIZE_FORMAT, cases[i].op,
                             cases[i].direction, i);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  return g_test_run ();
}
