/* SPDX-License-Identifier: Apache-2.0
 * Losses against PyTorch's numbers (torch.nn.functional, double), their gradients against
 * differences, what is refused. */
#include <glib.h>
#include <math.h>

#include "engine/nn/sonde-loss.h"
#include "engine/plan/sonde-execution.h"
#include "tests/support/sonde-test-gradient.h"

/* What the prediction is made of 2·sin (1.3·i + 0.5). */
typedef enum
{
  RAW,
  LOG_SOFTMAX, /* over the class dimension: the last of three, else the second */
} Prediction;

/* What the labels are made of 2·sin (0.7·i + 0.1). */
typedef enum
{
  CLASSES,
  VALUES,
  SIGMOID,
  SOFTMAX_FIRST_0, /* over the last dimension; then the first element 0 */
} Labels;

typedef struct
{
  const char *text;
  int rank, dims[4];
  Prediction prediction;
  Labels labels;
  gint64 classes[8];
  float weights[5]; /* the first 0: none */
  double value;
} Case;

#define MINUS -100

static const Case cases[] = {
  { "cross-entropy", 2, { 4, 5 }, RAW, CLASSES, { 0, 4, MINUS, 2 }, { 0 }, 2.7198375310205734 },
  { "cross-entropy:0.1", 2, { 4, 5 }, RAW, CLASSES, { 0, 4, MINUS, 2 }, { 0 }, 2.6881091562554054 },
  { "cross-entropy",
    2,
    { 4, 5 },
    RAW,
    CLASSES,
    { 0, 4, MINUS, 2 },
    { 1, 2, 0.5f, 3, 0.25f },
    2.3007677471813457 },
  { "cross-entropy:label-smoothing=0.2",
    2,
    { 4, 5 },
    RAW,
    CLASSES,
    { 0, 4, MINUS, 2 },
    { 1, 2, 0.5f, 3, 0.25f },
    3.0590723487088107 },
  { "cross-entropy:label-smoothing=0.2",
    4,
    { 2, 3, 2, 2 },
    RAW,
    CLASSES,
    { 0, 1, 2, MINUS, 1, 1, 0, 2 },
    { 1, 2, 0.5f },
    1.3387948149534457 },
  { "cross-entropy:ignore=4",
    2,
    { 4, 5 },
    RAW,
    CLASSES,
    { 0, 4, 1, 2 },
    { 0 },
    1.9569050409691167 },
  { "nll",
    2,
    { 4, 5 },
    LOG_SOFTMAX,
    CLASSES,
    { 0, 4, MINUS, 2 },
    { 1, 2, 0.5f, 3, 0.25f },
    2.3007677471813457 },
  { "mse", 2, { 3, 4 }, RAW, VALUES, { 0 }, { 0 }, 3.4831642723829925 },
  { "l1", 2, { 3, 4 }, RAW, VALUES, { 0 }, { 0 }, 1.5081849173013631 },
  { "smooth-l1:beta=0.5", 2, { 3, 4 }, RAW, VALUES, { 0 }, { 0 }, 1.2689403944467266 },
  { "huber:0.75", 2, { 3, 4 }, RAW, VALUES, { 0 }, { 0 }, 0.87176935804709876 },
  { "bce", 2, { 3, 4 }, RAW, SIGMOID, { 0 }, { 0 }, 0.86330950850694543 },
  { "kl", 2, { 3, 4 }, LOG_SOFTMAX, SOFTMAX_FIRST_0, { 0 }, { 0 }, 1.0513855453098175 },
  { "cosine", 2, { 3, 4 }, RAW, VALUES, { 0 }, { 0 }, 0.90087792840614311 },
  { "ctc",
    3,
    { 6, 2, 4 },
    LOG_SOFTMAX,
    CLASSES,
    { 1, 2, 2, 3, -1, -1 },
    { 0 },
    4.7813993022799544 },
  { "ctc:blank=1",
    3,
    { 6, 2, 4 },
    LOG_SOFTMAX,
    CLASSES,
    { 0, 2, 2, 3, -1, -1 },
    { 0 },
    5.1492029439994766 },
};

/* exp (x)/Σ over @classes elements @step apart; @log: its logarithm. */
static void
soften (double *x, gint64 classes, gint64 step, gboolean log_of)
{
  double all = 0;

  for (gint64 c = 0; c < classes; c++)
    all += exp (x[c * step]);
  for (gint64 c = 0; c < classes; c++)
    x[c * step] = log_of ? x[c * step] - log (all) : exp (x[c * step]) / all;
}

static SondeTensor *
draw (const Case *row, double speed, double phase)
{
  SondeShape shape = { .rank = row->rank };
  SondeTensor *tensor;

  for (int d = 0; d < row->rank; d++)
    shape.dims[d] = row->dims[d];
  tensor = sonde_tensor_new (SONDE_DTYPE_F64, &shape);
  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i, 2 * sin ((double) i * speed + phase));
  return tensor;
}

static void
soften_rows (SondeTensor *tensor, gboolean log_of)
{
  gint64 classes = tensor->shape.dims[tensor->shape.rank - 1];

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i += classes)
    soften ((double *) (void *) tensor->data + i, classes, 1, log_of);
}

static SondeTensor *
make_labels (const Case *row, const SondeType *type)
{
  SondeTensor *labels;
  SondeShape shape = { .rank = type->rank };

  if (row->labels != CLASSES)
    {
      labels = draw (row, 0.7, 0.1);
      for (gint64 i = 0; i < sonde_tensor_n_elements (labels) && row->labels == SIGMOID; i++)
        sonde_tensor_set_double (labels, i, 1 / (1 + exp (-sonde_tensor_get_double (labels, i))));
      if (row->labels == SOFTMAX_FIRST_0)
        {
          soften_rows (labels, FALSE);
          sonde_tensor_set_double (labels, 0, 0);
        }
      return labels;
    }
  for (int d = 0; d < type->rank; d++)
    shape.dims[d] = type->dims[d].size >= 0 ? type->dims[d].size : 3;
  labels = sonde_tensor_new (SONDE_DTYPE_I64, &shape);
  for (gint64 i = 0; i < sonde_tensor_n_elements (labels); i++)
    ((gint64 *) (void *) labels->data)[i] = row->classes[i];
  return labels;
}

static double
run (SondeGraph *graph, GHashTable *feeds)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 1, &error);
  SondePlanOptions options = { 0 };
  g_autoptr (SondePlan) plan = sonde_plan_new (graph, device, &options, &error);
  g_autoptr (SondeExecution) execution = NULL;
  g_autoptr (SondeTensor) result = NULL;

  g_assert_no_error (error);
  execution = sonde_execution_new (plan, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const char *name = ((SondeGraphValue *) g_ptr_array_index (graph->inputs, i))->name;

      sonde_execution_set_input (execution, name, g_hash_table_lookup (feeds, name), &error);
      g_assert_no_error (error);
    }
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
  result = sonde_execution_read (execution, g_ptr_array_index (graph->outputs, 0), &error);
  g_assert_no_error (error);
  g_assert_cmpint (sonde_tensor_n_elements (result), ==, 1);
  return sonde_tensor_get_double (result, 0);
}

static SondeLoss *
make (const Case *row)
{
  g_autoptr (GError) error = NULL;
  SondeShape shape = sonde_shape_make (1, row->dims[1]);
  g_autoptr (SondeTensor) weights
      = row->weights[0] != 0 ? sonde_tensor_new (SONDE_DTYPE_F32, &shape) : NULL;
  SondeLoss *loss;

  for (gint64 i = 0; weights != NULL && i < row->dims[1]; i++)
    sonde_tensor_set_double (weights, i, row->weights[i]);
  loss = sonde_loss_new (row->text, weights, &error);
  g_assert_no_error (error);
  return loss;
}

static void
check_case (const Case *row)
{
  static const char *const names[] = { "x" };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeLoss) loss = make (row);
  g_autoptr (SondeGraph) graph = sonde_graph_new ("loss");
  g_autoptr (SondeTensor) x = draw (row, 1.3, 0.5), labels = NULL;
  g_autoptr (GHashTable) feeds = sonde_test_feeds_new ();
  g_autofree char *problem = NULL;
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F64, &x->shape), label_type;
  SondeGraphValue *prediction, *value;
  double got;

  if (row->prediction == LOG_SOFTMAX)
    soften_rows (x, TRUE);
  sonde_graph_set_opset (graph, "", 17);
  prediction = sonde_graph_add_input (graph, "x", &type);
  sonde_loss_get_label_type (loss, &type, &label_type);
  labels = make_labels (row, &label_type);
  label_type = sonde_type_tensor (labels->dtype, &labels->shape);
  value = sonde_loss_build (loss, graph, prediction,
                            sonde_graph_add_input (graph, "y", &label_type), &error);
  g_assert_no_error (error);
  sonde_graph_add_output (graph, value);
  sonde_test_feeds_set (feeds, "x", x);
  sonde_test_feeds_set (feeds, "y", labels);
  got = run (graph, feeds);
  if (!(fabs (got - row->value) <= 1e-12 * fabs (row->value)))
    g_error ("%s: %.17g, not %.17g", row->text, got, row->value);
  problem = sonde_test_check_gradient (graph, feeds, names, 1);
  if (problem != NULL)
    g_error ("%s: %s", row->text, problem);
}

static void
test_cases (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    check_case (&cases[i]);
}

/* A target that does not fit into the frames has probability 0. */
static void
test_impossible (void)
{
  static const Case row = { "ctc", 3, { 2, 1, 3 }, LOG_SOFTMAX, CLASSES, { 1, 1, 2 }, { 0 }, 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeLoss) loss = make (&row);
  g_autoptr (SondeGraph) graph = sonde_graph_new ("loss");
  g_autoptr (SondeTensor) x = draw (&row, 1, 0), labels = NULL;
  g_autoptr (GHashTable) feeds = sonde_test_feeds_new ();
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F64, &x->shape), label_type;
  SondeGraphValue *prediction = sonde_graph_add_input (graph, "x", &type);

  sonde_graph_set_opset (graph, "", 17);
  sonde_loss_get_label_type (loss, &type, &label_type);
  labels = make_labels (&row, &label_type);
  label_type = sonde_type_tensor (labels->dtype, &labels->shape);
  sonde_graph_add_output (graph, sonde_loss_build (loss, graph, prediction,
                                                   sonde_graph_add_input (graph, "y", &label_type),
                                                   &error));
  sonde_test_feeds_set (feeds, "x", x);
  sonde_test_feeds_set (feeds, "y", labels);
  g_assert_true (isinf (run (graph, feeds)));
}

static void
test_refusals (void)
{
  SondeShape shape = sonde_shape_make (1, 3);
  g_autoptr (SondeTensor) weights = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (GError) unknown = NULL, setting = NULL, classes = NULL;

  g_assert_null (sonde_loss_new ("crossentropy", NULL, &unknown));
  g_assert_nonnull (g_strrstr (unknown->message, "cross-entropy, nll"));
  g_assert_null (sonde_loss_new ("cross-entropy:label-smoothing=2", NULL, &setting));
  g_assert_nonnull (g_strrstr (setting->message, "from 0 to 1"));
  g_assert_null (sonde_loss_new ("mse", weights, &classes));
  g_assert_nonnull (g_strrstr (classes->message, "no class weights"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/nn/loss/cases", test_cases);
  g_test_add_func ("/engine/nn/loss/impossible", test_impossible);
  g_test_add_func ("/engine/nn/loss/refusals", test_refusals);
  return g_test_run ();
}
