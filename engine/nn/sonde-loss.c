/* SPDX-License-Identifier: Apache-2.0
 * Losses, as ordinary nodes. */
#include "engine/nn/sonde-loss.h"

#include <float.h>

/* What the builders share. */
typedef struct
{
  SondeGraph *graph;
  const double *values;
  SondeTensor *class_weights; /* (nullable) */
  SondeGraphValue *x, *y;
} Loss;

#define TINY 1e-8 /* PyTorch's cosine_similarity */

/* ---- nodes; a NULL operand gives NULL: the first error stands ------------ */

static SondeGraphValue *
unary (const Loss *loss, const char *op, SondeGraphValue *x)
{
  return x != NULL ? sonde_build_unary (loss->graph, op, x) : NULL;
}

static SondeGraphValue *
binary (const Loss *loss, const char *op, SondeGraphValue *a, SondeGraphValue *b)
{
  return a != NULL && b != NULL ? sonde_build_binary (loss->graph, op, a, b) : NULL;
}

static SondeGraphValue *
scalar (const Loss *loss, double value)
{
  return sonde_build_scalar (loss->graph, loss->x->type.dtype, value);
}

static SondeGraphValue *
cast (const Loss *loss, SondeGraphValue *x)
{
  return x != NULL ? sonde_build_cast (loss->graph, x, loss->x->type.dtype) : NULL;
}

/* "ReduceSum" or "ReduceMean" over @axes, which go; over all of them: n 0. */
static SondeGraphValue *
reduce (const Loss *loss, const char *op, SondeGraphValue *x, const gint64 *axes, gsize n)
{
  SondeGraphValue *inputs[2] = { x };
  SondeGraphValue *y;

  if (x == NULL)
    return NULL;
  if (n > 0)
    inputs[1] = sonde_build_ints (loss->graph, axes, n);
  y = sonde_build_op (loss->graph, NULL, "", op, n > 0 ? 2 : 1, inputs);
  sonde_node_set_int (y->producer, "keepdims", 0);
  (void) sonde_build_infer (loss->graph, y->producer, NULL);
  return y;
}

static SondeGraphValue *
mean (const Loss *loss, SondeGraphValue *x)
{
  return reduce (loss, "ReduceMean", x, NULL, 0);
}

static SondeGraphValue *
sum (const Loss *loss, SondeGraphValue *x)
{
  return reduce (loss, "ReduceSum", x, NULL, 0);
}

/* ---- classes ------------------------------------------------------------- */

enum
{
  CROSS_SMOOTHING,
  CROSS_IGNORE,
};

static SondeGraphValue *
weights_of (const Loss *loss)
{
  g_autoptr (SondeTensor) weights = sonde_tensor_cast (loss->class_weights, loss->x->type.dtype);

  return sonde_build_constant (loss->graph, "class-weights", weights);
}

/* The standard's loss of classes; output 1 of a cross-entropy are the log-probabilities. */
static SondeGraphValue *
add_likelihood (const Loss *loss, const char *op, guint n_outputs, double ignore,
                SondeGraphValue *weights, GError **error)
{
  SondeGraphValue *inputs[] = { loss->x, loss->y, weights };
  SondeNode *node = sonde_graph_add_node (loss->graph, "loss", "", op, inputs,
                                          weights != NULL ? 3 : 2, n_outputs);

  sonde_node_set_string (node, "reduction", "mean");
  sonde_node_set_int (node, "ignore_index", (gint64) ignore);
  return sonde_build_infer (loss->graph, node, error) ? sonde_node_get_output (node, 0) : NULL;
}

/* Labels as a mask of those that count, in x's type. */
static SondeGraphValue *
mask_of (const Loss *loss)
{
  SondeGraphValue *ignore
      = sonde_build_scalar (loss->graph, loss->y->type.dtype, loss->values[CROSS_IGNORE]);

  return cast (loss, unary (loss, "Not", binary (loss, "Equal", loss->y, ignore)));
}

/* Σ w[y] over the labels that count; those that do not are looked up as class 0. */
static SondeGraphValue *
total_weight (const Loss *loss, SondeGraphValue *mask, SondeGraphValue *weights)
{
  SondeGraphValue *inputs[3] = { weights },
                  *zero = sonde_build_scalar (loss->graph, loss->y->type.dtype, 0);

  if (weights == NULL)
    return sum (loss, mask);
  inputs[1] = binary (loss, "Max", loss->y, zero);
  return sum (loss, binary (loss, "Mul",
                            sonde_build_op (loss->graph, NULL, "", "Gather", 2, inputs), mask));
}

/* ε/C · Σ (mask · Σ_c w[c]·−log p[c]) / Σ w[y]; the mask as part of the sum keeps what does not
 * count out of it. */
static SondeGraphValue *
add_smoothing (const Loss *loss, SondeGraphValue *log_probabilities, SondeGraphValue *weights)
{
  static const gint64 axis[] = { 1 };
  double smoothing = loss->values[CROSS_SMOOTHING], classes = (double) loss->x->type.dims[1].size;
  SondeGraphValue *all = log_probabilities, *mask = mask_of (loss);

  if (weights != NULL)
    {
      /* [C] against [N, C, …]: one dimension for each that follows the classes. */
      g_autofree gint64 *dims = g_new (gint64, loss->x->type.rank);
      gsize n = 0;

      dims[n++] = -1;
      for (int d = 2; d < loss->x->type.rank; d++)
        dims[n++] = 1;
      all = binary (loss, "Mul", all,
                    binary (loss, "Reshape", weights, sonde_build_ints (loss->graph, dims, n)));
    }
  all = binary (loss, "Mul", reduce (loss, "ReduceSum", all, axis, 1), mask);
  return binary (loss, "Div",
                 binary (loss, "Mul", sum (loss, all), scalar (loss, -smoothing / classes)),
                 total_weight (loss, mask, weights));
}

static SondeGraphValue *
build_cross_entropy (const Loss *loss, GError **error)
{
  double smoothing = loss->values[CROSS_SMOOTHING];
  SondeGraphValue *weights = loss->class_weights != NULL ? weights_of (loss) : NULL;
  SondeGraphValue *hard = add_likelihood (loss, "SoftmaxCrossEntropyLoss", smoothing > 0 ? 2 : 1,
                                          loss->values[CROSS_IGNORE], weights, error);

  if (hard == NULL || smoothing <= 0)
    return hard;
  return binary (loss, "Add", binary (loss, "Mul", hard, scalar (loss, 1 - smoothing)),
                 add_smoothing (loss, sonde_node_get_output (hard->producer, 1), weights));
}

static SondeGraphValue *
build_nll (const Loss *loss, GError **error)
{
  return add_likelihood (loss, "NegativeLogLikelihoodLoss", 1, loss->values[0],
                         loss->class_weights != NULL ? weights_of (loss) : NULL, error);
}

/* ---- values -------------------------------------------------------------- */

static SondeGraphValue *
difference (const Loss *loss, GError **error)
{
  SondeGraphValue *inputs[] = { loss->x, loss->y };
  SondeNode *node = sonde_graph_add_node (loss->graph, "loss_difference", "", "Sub", inputs, 2, 1);

  return sonde_build_infer (loss->graph, node, error) ? sonde_node_get_output (node, 0) : NULL;
}

static SondeGraphValue *
build_mse (const Loss *loss, GError **error)
{
  SondeGraphValue *d = difference (loss, error);

  return mean (loss, binary (loss, "Mul", d, d));
}

static SondeGraphValue *
build_l1 (const Loss *loss, GError **error)
{
  return mean (loss, unary (loss, "Abs", difference (loss, error)));
}

/* With m = min (|d|, δ): m²/2 + δ·(|d| − m). */
static SondeGraphValue *
add_huber (const Loss *loss, double delta, GError **error)
{
  SondeGraphValue *d = unary (loss, "Abs", difference (loss, error));
  SondeGraphValue *m = d != NULL ? binary (loss, "Min", d, scalar (loss, delta)) : NULL;
  SondeGraphValue *square
      = m != NULL ? binary (loss, "Mul", binary (loss, "Mul", m, m), scalar (loss, 0.5)) : NULL;

  if (m == NULL)
    return NULL;
  return mean (loss,
               binary (loss, "Add", square,
                       binary (loss, "Mul", binary (loss, "Sub", d, m), scalar (loss, delta))));
}

static SondeGraphValue *
build_huber (const Loss *loss, GError **error)
{
  return add_huber (loss, loss->values[0], error);
}

static SondeGraphValue *
build_smooth_l1 (const Loss *loss, GError **error)
{
  SondeGraphValue *huber;

  if (loss->values[0] == 0.0)
    return build_l1 (loss, error);
  huber = add_huber (loss, loss->values[0], error);
  return huber != NULL ? binary (loss, "Div", huber, scalar (loss, loss->values[0])) : NULL;
}

static SondeGraphValue *
build_bce (const Loss *loss, GError **error)
{
  SondeGraphValue *inputs[] = { loss->x, loss->y };
  SondeNode *product = sonde_graph_add_node (loss->graph, "loss_product", "", "Mul", inputs, 2, 1);

  if (!sonde_build_infer (loss->graph, product, error))
    return NULL;
  return mean (loss, binary (loss, "Sub", unary (loss, "Softplus", loss->x),
                             sonde_node_get_output (product, 0)));
}

/* 0·log 0 is 0: the logarithm is taken of what is not below the smallest number. */
static SondeGraphValue *
build_kl (const Loss *loss, GError **error)
{
  SondeGraphValue *inputs[] = { loss->y, loss->x };
  SondeNode *cross = sonde_graph_add_node (loss->graph, "loss_cross", "", "Mul", inputs, 2, 1);
  SondeGraphValue *entropy, *batch, *shape, *first;
  static const gint64 zero[] = { 0 };

  if (!sonde_build_infer (loss->graph, cross, error))
    return NULL;
  entropy = binary (loss, "Mul", loss->y,
                    unary (loss, "Log", binary (loss, "Max", loss->y, scalar (loss, FLT_MIN))));
  shape = unary (loss, "Shape", loss->x);
  first = binary (loss, "Gather", shape, sonde_build_ints (loss->graph, zero, 1));
  batch = sum (loss, cast (loss, first));
  return binary (loss, "Div",
                 sum (loss, binary (loss, "Sub", entropy, sonde_node_get_output (cross, 0))),
                 batch);
}

/* √(max (Σ v², ε²)) over the last dimension. */
static SondeGraphValue *
length_of (const Loss *loss, SondeGraphValue *v)
{
  static const gint64 last[] = { -1 };
  SondeGraphValue *square = reduce (loss, "ReduceSum", binary (loss, "Mul", v, v), last, 1);

  return unary (loss, "Sqrt", binary (loss, "Max", square, scalar (loss, TINY * TINY)));
}

static SondeGraphValue *
build_cosine (const Loss *loss, GError **error)
{
  static const gint64 last[] = { -1 };
  SondeGraphValue *inputs[] = { loss->x, loss->y };
  SondeNode *product = sonde_graph_add_node (loss->graph, "loss_product", "", "Mul", inputs, 2, 1);
  SondeGraphValue *lengths;

  if (!sonde_build_infer (loss->graph, product, error))
    return NULL;
  lengths = binary (loss, "Mul", length_of (loss, loss->x), length_of (loss, loss->y));
  return binary (
      loss, "Sub", scalar (loss, 1),
      mean (loss, binary (loss, "Div",
                          reduce (loss, "ReduceSum", sonde_node_get_output (product, 0), last, 1),
                          lengths)));
}

static SondeGraphValue *
build_ctc (const Loss *loss, GError **error)
{
  static const gint64 last[] = { -1 };
  SondeGraphValue *inputs[] = { loss->x, loss->y }, *lengths, *there;
  SondeNode *node
      = sonde_graph_add_node (loss->graph, "loss_ctc", SONDE_DOMAIN, "CtcLoss", inputs, 2, 1);

  sonde_node_set_int (node, "blank", (gint64) loss->values[0]);
  if (!sonde_build_infer (loss->graph, node, error))
    return NULL;
  there = binary (loss, "GreaterOrEqual", loss->y,
                  sonde_build_scalar (loss->graph, loss->y->type.dtype, 0));
  lengths = binary (loss, "Max", reduce (loss, "ReduceSum", cast (loss, there), last, 1),
                    scalar (loss, 1));
  return mean (loss, binary (loss, "Div", sonde_node_get_output (node, 0), lengths));
}

/* ---- label types --------------------------------------------------------- */

/* Class indices: the prediction's sizes without the class dimension. */
static void
class_labels (const SondeType *prediction, SondeType *labels)
{
  *labels = *prediction;
  labels->dtype = SONDE_DTYPE_I64;
  if (prediction->rank < 2)
    return;
  labels->rank = prediction->rank - 1;
  for (int i = 1; i < labels->rank; i++)
    labels->dims[i] = prediction->dims[i + 1];
}

static void
same_labels (const SondeType *prediction, SondeType *labels)
{
  *labels = *prediction;
}

/* [N, S] of [T, N, C]; S comes with the labels. */
static void
sequence_labels (const SondeType *prediction, SondeType *labels)
{
  *labels = *prediction;
  labels->dtype = SONDE_DTYPE_I64;
  labels->rank = 2;
  if (prediction->rank == 3)
    labels->dims[0] = prediction->dims[1];
  labels->dims[1] = (SondeDimension){ -1, g_intern_string ("S") };
}

/* ---- table --------------------------------------------------------------- */

typedef struct
{
  const char *name;
  const SondeSettingRule *settings;
  gboolean has_classes;
  void (*label_type) (const SondeType *prediction, SondeType *labels);
  SondeGraphValue *(*build) (const Loss *loss, GError **error);
} LossRow;

struct _SondeLoss
{
  const LossRow *row;
  SondeSettings settings;
  SondeTensor *class_weights;
};

#define IGNORE                                                                                     \
  {                                                                                                \
    "ignore", -100, -1e9, 1e9                                                                      \
  }

static const SondeSettingRule cross_settings[]
    = { { "label-smoothing", 0, 0, 1 }, IGNORE, { NULL } };
static const SondeSettingRule nll_settings[] = { IGNORE, { NULL } };
static const SondeSettingRule huber_settings[] = { { "delta", 1, 1e-12, 1e12 }, { NULL } };
static const SondeSettingRule smooth_settings[] = { { "beta", 1, 0, 1e12 }, { NULL } };
static const SondeSettingRule ctc_settings[] = { { "blank", 0, 0, 1e9 }, { NULL } };

static const LossRow rows[] = {
  { "cross-entropy", cross_settings, TRUE, class_labels, build_cross_entropy },
  { "nll", nll_settings, TRUE, class_labels, build_nll },
  { "mse", NULL, FALSE, same_labels, build_mse },
  { "l1", NULL, FALSE, same_labels, build_l1 },
  { "smooth-l1", smooth_settings, FALSE, same_labels, build_smooth_l1 },
  { "huber", huber_settings, FALSE, same_labels, build_huber },
  { "bce", NULL, FALSE, same_labels, build_bce },
  { "kl", NULL, FALSE, same_labels, build_kl },
  { "cosine", NULL, FALSE, same_labels, build_cosine },
  { "ctc", ctc_settings, FALSE, sequence_labels, build_ctc },
};

char *
sonde_loss_list (void)
{
  return SONDE_LIST_CHOICES (rows);
}

SondeLoss *
sonde_loss_new (const char *text, SondeTensor *class_weights, GError **error)
{
  const LossRow *row = SONDE_FIND_CHOICE (N_ ("loss"), text, rows, error);
  g_autoptr (SondeLoss) loss = NULL;

  if (row == NULL)
    return NULL;
  if (class_weights != NULL && (!row->has_classes || class_weights->shape.rank != 1))
    {
      if (row->has_classes)
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                         "The loss “%s” needs class weights of one number for each class.",
                         row->name);
      else
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                         "The loss “%s” takes no class weights.", row->name);
      return NULL;
    }
  loss = g_new0 (SondeLoss, 1);
  loss->row = row;
  if (!sonde_settings_parse (N_ ("loss"), text, row->settings, &loss->settings, error))
    return NULL;
  loss->class_weights = class_weights != NULL ? sonde_tensor_ref (class_weights) : NULL;
  return g_steal_pointer (&loss);
}

void
sonde_loss_free (SondeLoss *loss)
{
  if (loss == NULL)
    return;
  sonde_settings_clear (&loss->settings);
  g_clear_pointer (&loss->class_weights, sonde_tensor_unref);
  g_free (loss);
}

gboolean
sonde_loss_has_classes (const SondeLoss *loss)
{
  return loss->row->has_classes;
}

void
sonde_loss_get_label_type (const SondeLoss *loss, const SondeType *prediction, SondeType *labels)
{
  loss->row->label_type (prediction, labels);
}

SondeGraphValue *
sonde_loss_build (const SondeLoss *loss, SondeGraph *graph, SondeGraphValue *prediction,
                  SondeGraphValue *labels, GError **error)
{
  Loss build = { graph, loss->settings.values, loss->class_weights, prediction, labels };
  guint first = graph->nodes->len;
  SondeGraphValue *value = loss->row->build (&build, error);

  for (guint id = first; value != NULL && id < graph->nodes->len; id++)
    {
      SondeNode *node = g_ptr_array_index (graph->nodes, id);

      node->origin_kind = SONDE_ORIGIN_LOSS;
    }
  return value;
}
