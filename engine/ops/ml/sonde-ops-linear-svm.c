/* SPDX-License-Identifier: Apache-2.0
 * LinearRegressor, LinearClassifier, SVMRegressor, SVMClassifier. x: a row of features. Linear: s =
 * W·x + b. Kernels of support vectors v: v·x, (γ·v·x + c)^d, tanh (γ·v·x + c), exp (−γ‖v − x‖²). A
 * classifier of k classes with support vectors has a decision between each two, s_ij = ρ_ij + Σ
 * coefficient·kernel over the vectors of i and of j; the class with most votes wins; with prob_a
 * and prob_b the scores are probabilities, coupled as in libsvm. Source: the operator texts; ONNX
 * Runtime; Wu, Lin, Weng, "Probability Estimates for Multi-class Classification by Pairwise
 * Coupling", 2004, algorithm 2. */
#include "engine/ops/ml/sonde-machine-learning-private.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>
#include <string.h>

#define MOST_CLASSES 10000

static double
dot (const double *a, const double *b, gint64 n)
{
  double sum = 0;

  for (gint64 i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* ---- linear -------------------------------------------------------------- */

/* Coefficients are [targets, columns]; intercepts one for each target, or none. */
static gboolean
check_linear (const SondeInferContext *context, gint64 targets, gint64 columns, GError **error)
{
  gsize n_coefficients = 0, n_intercepts = 0;

  (void) sonde_ml_floats (context->node, "coefficients", &n_coefficients);
  (void) sonde_ml_floats (context->node, "intercepts", &n_intercepts);
  if (targets < 1 || targets > (gint64) n_coefficients || n_coefficients % (gsize) targets != 0
      || (columns >= 0 && (gint64) n_coefficients / targets != columns))
    return sonde_infer_fail (error,
                             "has %zu coefficients for %" PRIi64 " targets and %" PRIi64 " columns",
                             n_coefficients, targets, columns);
  if (n_intercepts != 0 && (gint64) n_intercepts != targets)
    return sonde_infer_fail (error, "has %zu intercepts for %" PRIi64 " targets", n_intercepts,
                             targets);
  return TRUE;
}

/* @intercepts: (nullable) */
typedef struct
{
  const double *coefficients, *intercepts;
} Linear;

static Linear
linear_of (const SondeNode *node)
{
  gsize n = 0;
  Linear linear = { sonde_ml_floats (node, "coefficients", &n), NULL };
  const double *intercepts = sonde_ml_floats (node, "intercepts", &n);

  linear.intercepts = n > 0 ? intercepts : NULL;
  return linear;
}

static void
linear_scores (const Linear *linear, const double *row, gint64 columns, gint64 targets,
               double *scores)
{
  for (gint64 t = 0; t < targets; t++)
    scores[t] = dot (linear->coefficients + t * columns, row, columns)
                + (linear->intercepts ? linear->intercepts[t] : 0);
}

/* Rows are parts; each costs all numbers that the attributes have for it. */
static gint64
count_rows (const SondeKernelContext *context, gint64 *cost)
{
  gint64 rows = 0, columns = 0;
  gsize n = 0, n_vectors = 0;

  sonde_ml_rows_of (context->inputs[0], &rows, &columns);
  (void) sonde_ml_floats (context->node, "coefficients", &n);
  (void) sonde_ml_floats (context->node, "support_vectors", &n_vectors);
  *cost = (gint64) MAX (n + n_vectors, 1);
  return rows;
}

/* Float scores [N, @targets] as output 0. */
static void
infer_scores (SondeInferContext *context, SondeDimension rows, gint64 targets)
{
  context->outputs[0] = sonde_infer_type (SONDE_DTYPE_F32, 2);
  context->outputs[0].dims[0] = rows;
  context->outputs[0].dims[1] = sonde_dimension (targets);
}

static gboolean
infer_linear_regressor (SondeInferContext *context, GError **error)
{
  gint64 targets = sonde_node_get_int (context->node, "targets", 1), columns = -1;
  SondeDimension rows;

  if (!sonde_ml_need_rows (context, error))
    return FALSE;
  if (!sonde_ml_get_rows (context, &rows, &columns))
    return TRUE;
  infer_scores (context, rows, targets);
  return check_linear (context, targets, columns, error);
}

static void
linear_regressor_rows (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  const Linear linear = linear_of (context->node);
  SondePostTransform transform = sonde_post_transform_of (context->node);
  gint64 targets = sonde_node_get_int (context->node, "targets", 1), rows = 0, columns = 0;
  g_autofree double *row = NULL, *scores = g_new (double, targets);

  sonde_ml_rows_of (context->inputs[0], &rows, &columns);
  row = g_new (double, columns + 1);
  for (gint64 r = begin; r < end; r++)
    {
      sonde_ml_read_row (context->inputs[0], r, row);
      linear_scores (&linear, row, columns, targets, scores);
      sonde_post_transform (transform, scores, (gsize) targets);
      sonde_ml_give_scores (context, 0, r, scores, (gsize) targets);
    }
}

static void
compute_linear_regressor (const SondeKernelContext *context)
{
  gint64 cost;

  linear_regressor_rows (context, 0, count_rows (context, &cost));
}

/* Scores that the coefficients make: one for each class, or one for both of two. */
static gint64
n_linear_scores (const SondeNode *node, const SondeMlLabels *labels, gint64 columns)
{
  gsize n = 0;

  (void) sonde_ml_floats (node, "coefficients", &n);
  return labels->n == 2 && columns >= 0 && (gint64) n == columns ? 1 : (gint64) labels->n;
}

static gboolean
infer_linear_classifier (SondeInferContext *context, GError **error)
{
  SondeDimension rows;
  gint64 columns = -1;
  SondeMlLabels labels;

  if (!sonde_ml_find_labels (context->node, "classlabels_ints", "classlabels_strings", &labels,
                             error)
      || !sonde_ml_need_rows (context, error))
    return FALSE;
  if (!sonde_ml_get_rows (context, &rows, &columns))
    return TRUE;
  sonde_ml_infer_classes (context, &labels, rows, (gint64) labels.n);
  return columns < 0
         || check_linear (context, n_linear_scores (context->node, &labels, columns), columns,
                          error);
}

static void
linear_classifier_rows (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  const Linear linear = linear_of (context->node);
  SondePostTransform transform = sonde_post_transform_of (context->node);
  gint64 rows = 0, columns = 0, targets;
  g_autofree double *row = NULL, *scores = NULL;
  SondeMlLabels labels;

  if (!sonde_ml_find_labels (context->node, "classlabels_ints", "classlabels_strings", &labels,
                             NULL))
    return;
  sonde_ml_rows_of (context->inputs[0], &rows, &columns);
  targets = n_linear_scores (context->node, &labels, columns);
  row = g_new (double, columns + 1);
  scores = g_new (double, labels.n + 1);
  for (gint64 r = begin; r < end; r++)
    {
      gsize class;

      sonde_ml_read_row (context->inputs[0], r, row);
      linear_scores (&linear, row, columns, targets, scores);
      class = targets < (gint64) labels.n ? scores[0] > 0 : sonde_ml_argmax (scores, labels.n);
      if (targets < (gint64) labels.n)
        sonde_post_transform_binary (transform, scores[0], TRUE, scores);
      else
        sonde_post_transform (transform, scores, labels.n);
      sonde_ml_give_label (context, &labels, r, class);
      sonde_ml_give_scores (context, 1, r, scores, labels.n);
    }
}

static void
compute_linear_classifier (const SondeKernelContext *context)
{
  gint64 cost;

  linear_classifier_rows (context, 0, count_rows (context, &cost));
}

/* ---- kernels of support vectors ------------------------------------------ */

typedef enum
{
  KERNEL_LINEAR,
  KERNEL_POLY,
  KERNEL_RBF,
  KERNEL_SIGMOID,
} KernelKind;

static const char *const kernel_names[] = { "LINEAR", "POLY", "RBF", "SIGMOID", NULL };

/**
 * Machine: what the attributes of an SVM say
 * @vectors: [n_vectors, columns]; none: the coefficients are weights of the columns
 */
typedef struct
{
  KernelKind kernel;
  double gamma, offset, degree;
  const double *vectors, *coefficients, *rho;
  gsize n_vectors, n_coefficients, n_rho;
} Machine;

static gboolean
machine_init (Machine *machine, const SondeNode *node, gint64 n_vectors, gint64 columns,
              GError **error)
{
  const char *kernel = sonde_node_get_string (node, "kernel_type", "LINEAR");
  gsize n_values = 0, n_parameters = 0;
  const double *parameters = sonde_ml_floats (node, "kernel_params", &n_parameters);

  *machine = (Machine){ .n_vectors = (gsize) MAX (n_vectors, 0) };
  for (int k = 0; kernel_names[k] != NULL; k++)
    if (strcmp (kernel_names[k], kernel) == 0)
      machine->kernel = (KernelKind) k;
  machine->vectors = sonde_ml_floats (node, "support_vectors", &n_values);
  machine->coefficients = sonde_ml_floats (node, "coefficients", &machine->n_coefficients);
  machine->rho = sonde_ml_floats (node, "rho", &machine->n_rho);
  if (n_vectors == 0)
    machine->kernel = KERNEL_LINEAR;
  if (n_parameters != 0 && n_parameters != 3)
    return sonde_infer_fail (error, "kernel_params has %zu numbers instead of 3", n_parameters);
  if (n_parameters == 3)
    machine->gamma = parameters[0], machine->offset = parameters[1],
    machine->degree = parameters[2];
  if (n_vectors < 0 || machine->n_rho == 0
      || (n_vectors > 0
          && (n_values % (gsize) n_vectors != 0
              || (columns >= 0 && (gint64) (n_values / (gsize) n_vectors) != columns))))
    return sonde_infer_fail (error,
                             "has %zu numbers of support vectors and %zu of rho for %" PRIi64
                             " vectors of %" PRIi64 " columns",
                             n_values, machine->n_rho, n_vectors, columns);
  return TRUE;
}

static double
kernel_of (const Machine *machine, const double *a, const double *b, gint64 n)
{
  double sum = 0;

  if (machine->kernel == KERNEL_RBF)
    {
      for (gint64 i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
      return exp (-machine->gamma * sum);
    }
  sum = dot (a, b, n);
  if (machine->kernel == KERNEL_LINEAR)
    return sum;
  sum = sum * machine->gamma + machine->offset;
  return machine->kernel == KERNEL_POLY ? pow (sum, machine->degree) : tanh (sum);
}

/* ---- SVMRegressor -------------------------------------------------------- */

static gboolean
infer_svm_regressor (SondeInferContext *context, GError **error)
{
  gint64 n_vectors = sonde_node_get_int (context->node, "n_supports", 0), columns = -1;
  SondeDimension rows;
  Machine machine;

  if (!sonde_ml_need_rows (context, error))
    return FALSE;
  if (!sonde_ml_get_rows (context, &rows, &columns))
    return TRUE;
  infer_scores (context, rows, 1);
  if (!machine_init (&machine, context->node, n_vectors, columns, error))
    return FALSE;
  if (n_vectors > 0 ? (gint64) machine.n_coefficients == n_vectors
                    : columns < 0 || (gint64) machine.n_coefficients == columns)
    return TRUE;
  return sonde_infer_fail (
      error, "has %zu coefficients for %" PRIi64 " support vectors and %" PRIi64 " columns",
      machine.n_coefficients, n_vectors, columns);
}

/* ONNX Runtime does not look at post_transform here, neither do we. */
static void
svm_regressor_rows (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  gboolean one_class = sonde_node_get_int (context->node, "one_class", 0) != 0;
  gint64 rows = 0, columns = 0;
  g_autofree double *row = NULL;
  Machine machine;

  sonde_ml_rows_of (context->inputs[0], &rows, &columns);
  if (!machine_init (&machine, context->node, sonde_node_get_int (context->node, "n_supports", 0),
                     columns, NULL))
    return;
  row = g_new (double, columns + 1);
  for (gint64 r = begin; r < end; r++)
    {
      double score = machine.rho[0];

      sonde_ml_read_row (context->inputs[0], r, row);
      for (gsize v = 0; v < machine.n_vectors; v++)
        score += machine.coefficients[v]
                 * kernel_of (&machine, row, machine.vectors + v * (gsize) columns, columns);
      if (machine.n_vectors == 0)
        score += dot (machine.coefficients, row, columns);
      if (one_class)
        score = score > 0 ? 1 : -1;
      sonde_ml_give_scores (context, 0, r, &score, 1);
    }
}

static void
compute_svm_regressor (const SondeKernelContext *context)
{
  gint64 cost;

  svm_regressor_rows (context, 0, count_rows (context, &cost));
}

/* ---- SVMClassifier ------------------------------------------------------- */

/**
 * Pairs: a machine that decides between each two classes
 * @starts: first vector of each class, and the number of all
 * @prob_a, @prob_b: (nullable)
 */
typedef struct
{
  Machine machine;
  SondeMlLabels labels;
  gint64 *starts;
  const double *prob_a, *prob_b;
} Pairs;

static void
pairs_clear (Pairs *pairs)
{
  g_clear_pointer (&pairs->starts, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pairs, pairs_clear)

static gboolean
check_pairs (const Pairs *pairs, const SondeNode *node, gint64 columns, GError **error)
{
  gsize k = pairs->labels.n, n_pairs = k * (k - 1) / 2, n_a = 0, n_b = 0;
  const Machine *machine = &pairs->machine;

  (void) sonde_ml_floats (node, "prob_a", &n_a);
  (void) sonde_ml_floats (node, "prob_b", &n_b);
  if (machine->n_vectors == 0)
    return (columns < 0 || machine->n_coefficients == k * (gsize) columns)
           || sonde_infer_fail (error,
                                "has %zu coefficients for %zu classes and %" PRIi64 " columns",
                                machine->n_coefficients, k, columns);
  if (k < 2 || machine->n_rho != n_pairs || machine->n_coefficients != machine->n_vectors * (k - 1)
      || n_a != n_b || (n_a != 0 && n_a != n_pairs))
    return sonde_infer_fail (
        error,
        "has %zu classes and %zu support vectors, but %zu coefficients, %zu of rho, %zu of prob_a",
        k, machine->n_vectors, machine->n_coefficients, machine->n_rho, n_a);
  return TRUE;
}

static gboolean
pairs_init (Pairs *pairs, const SondeNode *node, gint64 columns, GError **error)
{
  gsize n = 0, n_probabilities = 0;
  const gint64 *per_class = sonde_node_get_ints (node, "vectors_per_class", &n);
  gint64 all = 0;

  if (!sonde_ml_find_labels (node, "classlabels_ints", "classlabels_strings", &pairs->labels,
                             error))
    return FALSE;
  if (pairs->labels.n > MOST_CLASSES || (n != 0 && n != pairs->labels.n))
    return sonde_infer_fail (error,
                             "vectors_per_class has %zu numbers for %zu classes (at most %d)", n,
                             pairs->labels.n, MOST_CLASSES);
  pairs->starts = g_new0 (gint64, n + 1);
  for (gsize i = 0; i < n; i++)
    {
      pairs->starts[i] = all;
      if (per_class[i] < 0 || per_class[i] > G_MAXINT)
        return sonde_infer_fail (error, "vectors_per_class has %" PRIi64, per_class[i]);
      all += per_class[i];
    }
  pairs->starts[n] = all;
  if (!machine_init (&pairs->machine, node, all, columns, error)
      || !check_pairs (pairs, node, columns, error))
    return FALSE;
  pairs->prob_a = sonde_ml_floats (node, "prob_a", &n_probabilities);
  pairs->prob_b = sonde_ml_floats (node, "prob_b", &n_probabilities);
  if (n_probabilities == 0)
    pairs->prob_a = pairs->prob_b = NULL;
  return TRUE;
}

/* Columns of the scores: probabilities or weights have one a class, decisions one a pair, two for
 * one pair. */
static gsize
n_scores (const Pairs *pairs)
{
  gsize k = pairs->labels.n;

  return pairs->machine.n_vectors == 0 || pairs->prob_a != NULL || k == 2 ? k : k * (k - 1) / 2;
}

static gboolean
infer_svm_classifier (SondeInferContext *context, GError **error)
{
  g_auto (Pairs) pairs = { 0 };
  SondeDimension rows;
  gint64 columns = -1;

  if (!sonde_ml_need_rows (context, error))
    return FALSE;
  if (!sonde_ml_get_rows (context, &rows, &columns))
    return TRUE;
  if (!pairs_init (&pairs, context->node, columns, error))
    return FALSE;
  sonde_ml_infer_classes (context, &pairs.labels, rows, (gint64) n_scores (&pairs));
  return TRUE;
}

/* Σ over the vectors of class @of of their coefficients in row @row. */
static double
sum_of_class (const Pairs *pairs, const double *kernels, gsize row, gsize of)
{
  const double *coefficients = pairs->machine.coefficients + row * pairs->machine.n_vectors;
  gint64 start = pairs->starts[of];

  return dot (coefficients + start, kernels + start, pairs->starts[of + 1] - start);
}

/* Decisions of all pairs, and the class that wins most of them. @kernels: of all vectors */
static gsize
decide (const Pairs *pairs, const double *kernels, double *decisions, double *votes)
{
  gsize k = pairs->labels.n, pair = 0;

  memset (votes, 0, k * sizeof *votes);
  for (gsize i = 0; i < k; i++)
    for (gsize j = i + 1; j < k; j++, pair++)
      {
        decisions[pair] = pairs->machine.rho[pair] + sum_of_class (pairs, kernels, j - 1, i)
                          + sum_of_class (pairs, kernels, i, j);
        votes[decisions[pair] > 0 ? i : j] += 1;
      }
  return sonde_ml_argmax (votes, k);
}

/* One round of the coupling: each probability moves towards what its row of @q asks. Returns: the
 * largest miss before */
static double
couple_once (const double *q, gsize k, double *p, double *qp)
{
  double pqp = 0, worst = 0;

  for (gsize t = 0; t < k; t++)
    {
      qp[t] = dot (q + t * k, p, (gint64) k);
      pqp += p[t] * qp[t];
    }
  for (gsize t = 0; t < k; t++)
    worst = MAX (worst, fabs (qp[t] - pqp));
  if (worst < 0.005 / (double) k)
    return worst;
  for (gsize t = 0; t < k; t++)
    {
      double diff = (pqp - qp[t]) / q[t * k + t];

      p[t] += diff;
      pqp = (pqp + diff * (diff * q[t * k + t] + 2 * qp[t])) / (1 + diff) / (1 + diff);
      for (gsize j = 0; j < k; j++)
        {
          qp[j] = (qp[j] + diff * q[t * k + j]) / (1 + diff);
          p[j] /= 1 + diff;
        }
    }
  return worst;
}

/* Probabilities of the classes from those of the pairs. */
static void
couple (const Pairs *pairs, const double *decisions, double *p)
{
  gsize k = pairs->labels.n, pair = 0;
  g_autofree double *r = g_new0 (double, k *k), *q = g_new0 (double, k *k), *qp = g_new (double, k);

  for (gsize i = 0; i < k; i++)
    for (gsize j = i + 1; j < k; j++, pair++)
      {
        double one = 1 / (1 + exp (decisions[pair] * pairs->prob_a[pair] + pairs->prob_b[pair]));

        r[i * k + j] = CLAMP (one, 1e-7, 1 - 1e-7);
        r[j * k + i] = 1 - r[i * k + j];
      }
  for (gsize t = 0; t < k; t++)
    {
      p[t] = 1 / (double) k;
      for (gsize j = 0; j < k; j++)
        if (j != t)
          {
            q[t * k + t] += r[j * k + t] * r[j * k + t];
            q[t * k + j] = -r[j * k + t] * r[t * k + j];
          }
    }
  for (gsize round = 0; round < MAX (100, k) && couple_once (q, k, p, qp) >= 0.005 / (double) k;
       round++)
    ;
}

static gsize
score_row (const Pairs *pairs, SondePostTransform transform, const double *row, gint64 columns,
           double *kernels, double *decisions, double *scores)
{
  gsize k = pairs->labels.n, class;

  if (pairs->machine.n_vectors == 0)
    {
      for (gsize c = 0; c < k; c++)
        scores[c] = pairs->machine.rho[0]
                    + dot (pairs->machine.coefficients + c * (gsize) columns, row, columns);
      class = sonde_ml_argmax (scores, k);
      sonde_post_transform (transform, scores, k);
      return class;
    }
  for (gsize v = 0; v < pairs->machine.n_vectors; v++)
    kernels[v]
        = kernel_of (&pairs->machine, row, pairs->machine.vectors + v * (gsize) columns, columns);
  class = decide (pairs, kernels, decisions, scores);
  if (pairs->prob_a != NULL)
    couple (pairs, decisions, scores);
  else if (k > 2)
    memcpy (scores, decisions, n_scores (pairs) * sizeof *scores);
  else
    {
      sonde_post_transform_binary (transform, decisions[0], transform != SONDE_POST_NONE, scores);
      return class;
    }
  sonde_post_transform (transform, scores, n_scores (pairs));
  return class;
}

static void
svm_classifier_rows (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  SondePostTransform transform = sonde_post_transform_of (context->node);
  gint64 rows = 0, columns = 0;
  g_auto (Pairs) pairs = { 0 };
  g_autofree double *row = NULL, *kernels = NULL, *decisions = NULL, *scores = NULL;
  gsize k;

  sonde_ml_rows_of (context->inputs[0], &rows, &columns);
  if (!pairs_init (&pairs, context->node, columns, NULL))
    return;
  k = pairs.labels.n;
  row = g_new (double, columns + 1);
  kernels = g_new (double, pairs.machine.n_vectors + 1);
  decisions = g_new (double, k *(k - 1) / 2 + 1);
  scores = g_new (double, MAX (k, n_scores (&pairs)) + 1);
  for (gint64 r = begin; r < end; r++)
    {
      gsize class;

      sonde_ml_read_row (context->inputs[0], r, row);
      class = score_row (&pairs, transform, row, columns, kernels, decisions, scores);
      sonde_ml_give_label (context, &pairs.labels, r, class);
      sonde_ml_give_scores (context, 1, r, scores, n_scores (&pairs));
    }
}

static void
compute_svm_classifier (const SondeKernelContext *context)
{
  gint64 cost;

  svm_classifier_rows (context, 0, count_rows (context, &cost));
}

/* ---- rows ---------------------------------------------------------------- */

#define POST_TRANSFORM                                                                             \
  {                                                                                                \
    "post_transform", SONDE_ATTRIBUTE_STRING, FALSE, 0, 0, sonde_post_transform_names              \
  }
#define KERNEL                                                                                     \
  { "coefficients", SONDE_ATTRIBUTE_FLOATS, TRUE }, { "kernel_params", SONDE_ATTRIBUTE_FLOATS },   \
      { "kernel_type", SONDE_ATTRIBUTE_STRING, FALSE, 0, 0, kernel_names },                        \
      { "rho", SONDE_ATTRIBUTE_FLOATS, TRUE },                                                     \
  {                                                                                                \
    "support_vectors", SONDE_ATTRIBUTE_FLOATS                                                      \
  }
#define LABELS                                                                                     \
  { "classlabels_ints", SONDE_ATTRIBUTE_INTS }, { "classlabels_strings", SONDE_ATTRIBUTE_STRINGS }

static const SondeAttributeRule linear_classifier_rules[] = {
  LABELS,
  { "coefficients", SONDE_ATTRIBUTE_FLOATS, TRUE },
  { "intercepts", SONDE_ATTRIBUTE_FLOATS },
  { "multi_class", SONDE_ATTRIBUTE_INT },
  POST_TRANSFORM,
  { NULL },
};
static const SondeAttributeRule linear_regressor_rules[] = {
  { "coefficients", SONDE_ATTRIBUTE_FLOATS, TRUE },
  { "intercepts", SONDE_ATTRIBUTE_FLOATS },
  { "targets", SONDE_ATTRIBUTE_INT, FALSE, 1, G_MAXINT },
  POST_TRANSFORM,
  { NULL },
};
static const SondeAttributeRule svm_classifier_rules[] = {
  LABELS,
  KERNEL,
  { "prob_a", SONDE_ATTRIBUTE_FLOATS },
  { "prob_b", SONDE_ATTRIBUTE_FLOATS },
  { "vectors_per_class", SONDE_ATTRIBUTE_INTS },
  POST_TRANSFORM,
  { NULL },
};
static const SondeAttributeRule svm_regressor_rules[] = {
  KERNEL,
  { "n_supports", SONDE_ATTRIBUTE_INT, FALSE, 0, G_MAXINT },
  { "one_class", SONDE_ATTRIBUTE_INT },
  POST_TRANSFORM,
  { NULL },
};

#define MODEL(onnx, outputs, rules, rule, kernel, part)                                            \
  {                                                                                                \
    .domain = SONDE_ML_DOMAIN, .name = onnx, .since = 1, .min_inputs = 1, .max_inputs = 1,         \
    .min_outputs = 1, .max_outputs = outputs, .family = SONDE_FAMILY_MATRIX, .attributes = rules,  \
    .infer = rule, .compute = kernel, .count_parts = count_rows, .compute_part = part,             \
    .reach = { sonde_reach_everything, 0 }, .typing = SONDE_TYPING_OWN,                            \
  }

const SondeOpClass sonde_ops_linear_svm[] = {
  MODEL ("LinearClassifier", 2, linear_classifier_rules, infer_linear_classifier,
         compute_linear_classifier, linear_classifier_rows),
  MODEL ("LinearRegressor", 1, linear_regressor_rules, infer_linear_regressor,
         compute_linear_regressor, linear_regressor_rows),
  MODEL ("SVMClassifier", 2, svm_classifier_rules, infer_svm_classifier, compute_svm_classifier,
         svm_classifier_rows),
  MODEL ("SVMRegressor", 1, svm_regressor_rules, infer_svm_regressor, compute_svm_regressor,
         svm_regressor_rows),
  { .name = NULL },
};
