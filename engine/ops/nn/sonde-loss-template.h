/* SPDX-License-Identifier: Apache-2.0
 * Losses of one float type; included once a type with T and S (suffix) defined. Scores are
 * [batch, classes, inner], labels [batch, inner]. */

static void
SONDE_PASTE (log_softmax, S) (const LossSizes *sizes, const void *from, void *to)
{
  const gint64 step = sizes->inner;

  for (gint64 line = 0; line < sizes->batch * sizes->inner; line++)
    {
      const gint64 offset = line / step * sizes->classes * step + line % step;
      const T *x = (const T *) from + offset;
      T *y = (T *) to + offset;
      T top = x[0];
      double sum = 0;

      for (gint64 c = 1; c < sizes->classes; c++)
        top = x[c * step] > top ? x[c * step] : top;
      for (gint64 c = 0; c < sizes->classes; c++)
        sum += (double) exp (x[c * step] - top);

      const T shift = (T) ((double) top + log (sum));

      for (gint64 c = 0; c < sizes->classes; c++)
        y[c * step] = x[c * step] - shift;
    }
}

/* loss = −w·log p of the label, per element or joined. A label outside of the classes makes NaN. */
static void
SONDE_PASTE (likelihood, S) (const LossSizes *sizes, const void *log_prob, const gint64 *labels,
                             const void *weights, void *to)
{
  const T *w = weights;
  double sum = 0, total = 0;

  for (gint64 line = 0; line < sizes->batch * sizes->inner; line++)
    {
      const T *y = (const T *) log_prob + line / sizes->inner * sizes->classes * sizes->inner
                   + line % sizes->inner;
      const gint64 label = labels[line];
      const gboolean ignored = sizes->ignores && label == sizes->ignore;
      const gboolean outside = !ignored && (label < 0 || label >= sizes->classes);
      const double weight = ignored ? 0 : outside ? NAN : w ? (double) w[label] : 1;
      const double loss = ignored ? 0 : outside ? NAN : -weight * (double) y[label * sizes->inner];

      sum += loss;
      total += weight;
      if (sizes->reduction == REDUCTION_NONE)
        ((T *) to)[line] = (T) loss;
    }
  if (sizes->reduction != REDUCTION_NONE)
    *(T *) to = (T) (sizes->reduction == REDUCTION_MEAN ? sum / total : sum);
}

/* d/dscores = (softmax − one-hot)·factor, or −one-hot·factor for the plain likelihood. */
static void
SONDE_PASTE (likelihood_grad, S) (const LossSizes *sizes, const void *loss_gradient,
                                  const void *log_prob, /* (nullable) */
                                  const gint64 *labels, const void *weights, void *to)
{
  const T *w = weights, *dloss = loss_gradient;
  const gint64 step = sizes->inner;
  double total = 0;

  for (gint64 line = 0; line < sizes->batch * step; line++)
    if (labels[line] >= 0 && labels[line] < sizes->classes
        && !(sizes->ignores && labels[line] == sizes->ignore))
      total += w ? (double) w[labels[line]] : 1;
  for (gint64 line = 0; line < sizes->batch * step; line++)
    {
      const gint64 offset = line / step * sizes->classes * step + line % step;
      const gint64 label = labels[line];
      const gboolean used
          = label >= 0 && label < sizes->classes && !(sizes->ignores && label == sizes->ignore);
      const double each = (double) dloss[sizes->reduction == REDUCTION_NONE ? line : 0];
      const double share = sizes->reduction == REDUCTION_MEAN ? each / total : each;
      const T factor = used ? (T) (share * (w ? (double) w[label] : 1)) : 0;
      T *dx = (T *) to + offset;

      for (gint64 c = 0; c < sizes->classes; c++)
        dx[c * step]
            = log_prob && used ? exp (((const T *) log_prob)[offset + c * step]) * factor : 0;
      if (used)
        dx[label * step] -= factor;
    }
}

static void
SONDE_PASTE (squares, S) (gint64 n, LossReduction reduction, const void *x_data, const void *target,
                          void *to)
{
  const T *x = x_data, *t = target;
  double sum = 0;

  for (gint64 i = 0; i < n && reduction == REDUCTION_NONE; i++)
    ((T *) to)[i] = (x[i] - t[i]) * (x[i] - t[i]);
  if (reduction == REDUCTION_NONE)
    return;
  for (gint64 i = 0; i < n; i++)
    sum += ((double) x[i] - (double) t[i]) * ((double) x[i] - (double) t[i]);
  *(T *) to = (T) (reduction == REDUCTION_MEAN ? sum / (double) n : sum);
}

static void
SONDE_PASTE (squares_grad, S) (gint64 n, LossReduction reduction, const void *loss_gradient,
                               const void *x_data, const void *target, void *to)
{
  const T *x = x_data, *t = target, *dloss = loss_gradient;
  T *dx = to;
  const T factor = (T) (2 * (reduction == REDUCTION_NONE ? 1 : (double) *dloss)
                        / (reduction == REDUCTION_MEAN ? (double) n : 1));

#pragma GCC ivdep
  for (gint64 i = 0; i < n; i++)
    dx[i] = factor * (x[i] - t[i]);
  for (gint64 i = 0; i < n && reduction == REDUCTION_NONE; i++)
    dx[i] *= dloss[i];
}

#undef T
#undef S
