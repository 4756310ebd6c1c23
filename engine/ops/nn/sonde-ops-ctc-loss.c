/* SPDX-License-Identifier: Apache-2.0
 * Connectionist temporal classification: −log of the probability that a path of labels and blanks
 * reads as the target.
 * Source: Graves, Fernández, Gomez, Schmidhuber 2006, eq. 3 to 16, in logarithms.
 *
 * The target l₁ … lₛ is read as b l₁ b l₂ … lₛ b, 2·S + 1 states; a path stays, goes on by one, or
 * by two past a blank between different labels. α[t][s]: log of all ways to s at t, its own
 * emission included; β: from there to the end, likewise. */
#include "engine/ops/sonde-op-implement.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>

/* One sequence. @labels: target, @n of them; @stride between frames of @scores */
typedef struct
{
  SondeTensor *scores;
  gint64 frames, first, stride, classes, blank;
  const gint64 *labels;
  gint64 n;
} Sequence;

static double
log_add (double a, double b)
{
  double most = MAX (a, b);

  return most == -INFINITY ? most : most + log1p (exp (MIN (a, b) - most));
}

static gint64
class_of (const Sequence *sequence, gint64 state)
{
  return state % 2 == 0 ? sequence->blank : sequence->labels[state / 2];
}

static double
score (const Sequence *sequence, gint64 frame, gint64 class)
{
  return sonde_tensor_get_double (sequence->scores,
                                  sequence->first + frame * sequence->stride + class);
}

/* May a path go from @state − 2 to @state? */
static gboolean
may_skip (const Sequence *sequence, gint64 state)
{
  return state % 2 == 1 && state >= 2
         && sequence->labels[state / 2] != sequence->labels[state / 2 - 1];
}

static void
walk_forward (const Sequence *sequence, double *alpha)
{
  gint64 states = 2 * sequence->n + 1;

  for (gint64 t = 0; t < sequence->frames; t++)
    for (gint64 s = 0; s < states; s++)
      {
        const double *before = alpha + (t - 1) * states;
        double sum = t == 0 ? (s < 2 ? 0.0 : -INFINITY) : before[s];

        if (t > 0 && s > 0)
          sum = log_add (sum, before[s - 1]);
        if (t > 0 && may_skip (sequence, s))
          sum = log_add (sum, before[s - 2]);
        alpha[t * states + s] = sum + score (sequence, t, class_of (sequence, s));
      }
}

static void
walk_backward (const Sequence *sequence, double *beta)
{
  gint64 states = 2 * sequence->n + 1;

  for (gint64 t = sequence->frames - 1; t >= 0; t--)
    for (gint64 s = 0; s < states; s++)
      {
        const double *after = beta + (t + 1) * states;
        gboolean last = t == sequence->frames - 1;
        double sum = last ? (s >= states - 2 ? 0.0 : -INFINITY) : after[s];

        if (!last && s + 1 < states)
          sum = log_add (sum, after[s + 1]);
        if (!last && s + 2 < states && may_skip (sequence, s + 2))
          sum = log_add (sum, after[s + 2]);
        beta[t * states + s] = sum + score (sequence, t, class_of (sequence, s));
      }
}

static double
log_likelihood (const Sequence *sequence, const double *alpha)
{
  gint64 states = 2 * sequence->n + 1;
  const double *last = alpha + (sequence->frames - 1) * states;

  if (sequence->frames == 0)
    return sequence->n == 0 ? 0.0 : -INFINITY;
  return states > 1 ? log_add (last[states - 1], last[states - 2]) : last[0];
}

/* Sequence @n; its labels end at the first negative one. */
static Sequence
read_sequence (const SondeKernelContext *context, guint scores_at, gint64 n,
               const SondeTensor *labels)
{
  SondeTensor *scores = context->inputs[scores_at];
  gint64 batch = scores->shape.dims[1], classes = scores->shape.dims[2],
         most = labels->shape.dims[1];
  Sequence sequence = {
    .scores = scores,
    .frames = scores->shape.dims[0],
    .first = n * classes,
    .stride = batch * classes,
    .classes = classes,
    .blank = sonde_node_get_int (context->node, "blank", 0),
    .labels = (const gint64 *) (const void *) labels->data + n * most,
  };

  while (sequence.n < most && sequence.labels[sequence.n] >= 0)
    sequence.n++;
  return sequence;
}

static void
compute_ctc (const SondeKernelContext *context)
{
  g_autoptr (SondeTensor) labels = sonde_tensor_cast (context->inputs[1], SONDE_DTYPE_I64);

  for (gint64 n = 0; n < context->inputs[0]->shape.dims[1]; n++)
    {
      Sequence sequence = read_sequence (context, 0, n, labels);
      g_autofree double *alpha = g_new (double, MAX (sequence.frames, 1) * (2 * sequence.n + 1));

      walk_forward (&sequence, alpha);
      sonde_tensor_set_double (context->outputs[0], n, -log_likelihood (&sequence, alpha));
    }
}

/* d(−log p)/d(score[t][k]) = −Σ over states s of class k: exp (α + β − score − log p). */
static void
add_slopes (const Sequence *sequence, const double *alpha, const double *beta, double dy,
            SondeTensor *dx)
{
  gint64 states = 2 * sequence->n + 1;
  double likelihood = log_likelihood (sequence, alpha);

  for (gint64 t = 0; t < sequence->frames; t++)
    for (gint64 s = 0; s < states; s++)
      {
        gint64 class = class_of (sequence, s), at = sequence->first + t * sequence->stride + class;
        double share = alpha[t * states + s] + beta[t * states + s] - score (sequence, t, class)
                       - likelihood;

        if (alpha[t * states + s] != -INFINITY && beta[t * states + s] != -INFINITY)
          sonde_tensor_set_double (dx, at, sonde_tensor_get_double (dx, at) - dy * exp (share));
      }
}

static void
compute_ctc_grad (const SondeKernelContext *context)
{
  g_autoptr (SondeTensor) labels = sonde_tensor_cast (context->inputs[2], SONDE_DTYPE_I64);
  SondeTensor *dx = context->outputs[0];

  for (gint64 i = 0; i < sonde_tensor_n_elements (dx); i++)
    sonde_tensor_set_double (dx, i, 0.0);
  for (gint64 n = 0; n < context->inputs[1]->shape.dims[1]; n++)
    {
      Sequence sequence = read_sequence (context, 1, n, labels);
      gint64 size = MAX (sequence.frames, 1) * (2 * sequence.n + 1);
      g_autofree double *alpha = g_new (double, size), *beta = g_new (double, size);

      walk_forward (&sequence, alpha);
      walk_backward (&sequence, beta);
      add_slopes (&sequence, alpha, beta, sonde_tensor_get_double (context->inputs[0], n), dx);
    }
}

/* ---- rules --------------------------------------------------------------- */

static gboolean
check_labels (const SondeKernelContext *context, GError **error)
{
  g_autoptr (SondeTensor) labels = sonde_tensor_cast (context->inputs[1], SONDE_DTYPE_I64);
  gint64 classes = context->inputs[0]->shape.dims[2],
         blank = sonde_node_get_int (context->node, "blank", 0);

  for (gint64 i = 0; i < sonde_tensor_n_elements (labels); i++)
    {
      gint64 label = sonde_tensor_get_int (labels, i);

      if (label >= classes || label == blank)
        {
          gint64 sequence = i / MAX (labels->shape.dims[1], 1);

          if (label == blank)
            sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                             "label %" PRIi64 " of sequence %" PRIi64 " is the blank %" PRIi64,
                             label, sequence, blank);
          else
            sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                             "label %" PRIi64 " of sequence %" PRIi64
                             " is not below the number of classes, %" PRIi64,
                             label, sequence, classes);
          return FALSE;
        }
    }
  return TRUE;
}

/* @scores and @labels: their inputs. */
static gboolean
check_types (SondeInferContext *context, guint scores, guint labels, GError **error)
{
  const SondeType *x = sonde_infer_input (context, scores),
                  *y = sonde_infer_input (context, labels);
  gint64 blank = sonde_node_get_int (context->node, "blank", 0);

  if (!sonde_infer_need_float (context, scores, error)
      || !sonde_infer_need_rank (context, scores, 3, error)
      || !sonde_infer_need_integer (context, labels, error)
      || !sonde_infer_need_rank (context, labels, 2, error))
    return FALSE;
  if (x->rank == 3 && y->rank == 2 && x->dims[1].size >= 0 && y->dims[0].size >= 0
      && x->dims[1].size != y->dims[0].size)
    return sonde_infer_fail (error, "has %" PRIi64 " sequences of scores, but labels of %" PRIi64,
                             x->dims[1].size, y->dims[0].size);
  if (x->rank == 3 && x->dims[2].size >= 0 && (blank < 0 || blank >= x->dims[2].size))
    return sonde_infer_fail (error, "has blank %" PRIi64 ", which is none of %" PRIi64 " classes",
                             blank, x->dims[2].size);
  return TRUE;
}

static gboolean
infer_ctc (SondeInferContext *context, GError **error)
{
  const SondeType *x = sonde_infer_input (context, 0);

  if (!check_types (context, 0, 1, error))
    return FALSE;
  context->outputs[0] = sonde_infer_type (x->dtype, 1);
  if (x->rank == 3)
    context->outputs[0].dims[0] = x->dims[1];
  return TRUE;
}

static gboolean
infer_ctc_grad (SondeInferContext *context, GError **error)
{
  context->outputs[0] = context->inputs[1];
  return check_types (context, 1, 2, error);
}

static gboolean
gradient_ctc (SondeGradientContext *context, GError **error)
{
  context->input_gradients[0]
      = sonde_rule_own_copying (context, "CtcLossGrad", sonde_rule_dy (context),
                                sonde_rule_x (context, 0), sonde_rule_x (context, 1), NULL);
  return TRUE;
}

static const SondeAttributeRule ctc_rules[] = { { "blank", SONDE_ATTRIBUTE_INT }, { NULL } };

const SondeOpClass sonde_ops_ctc_loss[] = {
  {
      .domain = SONDE_DOMAIN,
      .name = "CtcLoss",
      .since = 1,
      .min_inputs = 2,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_REDUCTION,
      .attributes = ctc_rules,
      .infer = infer_ctc,
      .compute = compute_ctc,
      .check = check_labels,
      .gradient = gradient_ctc,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  {
      .domain = SONDE_DOMAIN,
      .name = "CtcLossGrad",
      .since = 1,
      .min_inputs = 3,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_GRADIENT,
      .attributes = ctc_rules,
      .infer = infer_ctc_grad,
      .compute = compute_ctc_grad,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  { .name = NULL },
};
