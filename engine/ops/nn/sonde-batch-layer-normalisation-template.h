/* SPDX-License-Identifier: Apache-2.0
 * Normalisation of one float type; included once a type with T and S (suffix) defined. Statistics
 * are made in double, in two passes. x is [batch, channels, inner] for batch normalisation and
 * [outer, n] for layer normalisation. */

static double
SONDE_PASTE (sum_of, S) (gint64 n, const T *x)
{
  double lanes[8] = { 0 };
  gint64 i = 0;

  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; k++)
      lanes[k] += (double) x[i + k];
  for (; i < n; i++)
    lanes[0] += (double) x[i];
  for (int k = 1; k < 8; k++)
    lanes[0] += lanes[k];
  return lanes[0];
}

/* Σ (x − a)·(y − b) */
static double
SONDE_PASTE (sum_of_products, S) (gint64 n, const T *x, double a, const T *y, double b)
{
  double lanes[8] = { 0 };
  gint64 i = 0;

  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; k++)
      lanes[k] += ((double) x[i + k] - a) * ((double) y[i + k] - b);
  for (; i < n; i++)
    lanes[0] += ((double) x[i] - a) * ((double) y[i] - b);
  for (int k = 1; k < 8; k++)
    lanes[0] += lanes[k];
  return lanes[0];
}

/* y = x·a + b */
static void
SONDE_PASTE (scale_and_shift, S) (gint64 n, const T *x, T a, T b, T *y)
{
#pragma GCC ivdep
  for (gint64 i = 0; i < n; i++)
    y[i] = x[i] * a + b;
}

/* Mean and biased variance of each channel. */
static void
SONDE_PASTE (batch_statistics, S) (const BatchSizes *sizes, const void *from, void *means,
                                   void *variances)
{
  const gint64 count = sizes->batch * sizes->inner;

  for (gint64 c = 0; c < sizes->channels; c++)
    {
      const T *x = (const T *) from + c * sizes->inner;
      const gint64 step = sizes->channels * sizes->inner;
      double mean = 0, squares = 0;

      for (gint64 n = 0; n < sizes->batch; n++)
        mean += SONDE_PASTE (sum_of, S) (sizes->inner, x + n * step);
      mean /= (double) count;
      for (gint64 n = 0; n < sizes->batch; n++)
        squares += SONDE_PASTE (sum_of_products, S) (sizes->inner, x + n * step, mean, x + n * step,
                                                     mean);
      ((T *) means)[c] = (T) mean;
      ((T *) variances)[c] = (T) (squares / (double) count);
    }
}

static void
SONDE_PASTE (batch_normalise, S) (const BatchSizes *sizes, const void *from, const void *scales,
                                  const void *biases, const void *means, const void *variances,
                                  void *to)
{
  for (gint64 p = 0; p < sizes->batch * sizes->channels; p++)
    {
      const gint64 c = p % sizes->channels;
      const double a = (double) ((const T *) scales)[c]
                       / sqrt ((double) ((const T *) variances)[c] + sizes->epsilon);
      const double b = (double) ((const T *) biases)[c] - (double) ((const T *) means)[c] * a;

      SONDE_PASTE (scale_and_shift, S)
      (sizes->inner, (const T *) from + p * sizes->inner, (T) a, (T) b,
       (T *) to + p * sizes->inner);
    }
}

/* With x̂ = (x − mean)/σ: dscale = Σ dy·x̂, dbias = Σ dy; dx = scale/σ · dy, in training less the
 * share that goes through the batch's own mean and variance: scale/σ · (dy − dbias/m −
 * x̂·dscale/m).
 * Source: Ioffe and Szegedy, "Batch Normalization" (2015), section 3. */
static void
SONDE_PASTE (batch_normalise_grad, S) (const BatchSizes *sizes, const void *gradient,
                                       const void *input, const void *scales, const void *means,
                                       const void *variances, void *dx_out, void *dscale_out,
                                       void *dbias_out)
{
  const gint64 step = sizes->channels * sizes->inner;
  const double m = (double) (sizes->batch * sizes->inner);

  for (gint64 c = 0; c < sizes->channels; c++)
    {
      const T *dy = (const T *) gradient + c * sizes->inner;
      const T *x = (const T *) input + c * sizes->inner;
      T *dx = dx_out ? (T *) dx_out + c * sizes->inner : NULL;
      const double mean = (double) ((const T *) means)[c];
      const double inverse = 1 / sqrt ((double) ((const T *) variances)[c] + sizes->epsilon);
      const double factor = (double) ((const T *) scales)[c] * inverse;
      double dscale = 0, dbias = 0;

      for (gint64 n = 0; n < sizes->batch; n++)
        {
          dbias += SONDE_PASTE (sum_of, S) (sizes->inner, dy + n * step);
          dscale += SONDE_PASTE (sum_of_products, S) (sizes->inner, dy + n * step, 0, x + n * step,
                                                      mean);
        }
      dscale *= inverse;
      if (dscale_out != NULL)
        ((T *) dscale_out)[c] = (T) dscale;
      if (dbias_out != NULL)
        ((T *) dbias_out)[c] = (T) dbias;
      if (dx == NULL)
        continue;

      const T a = (T) factor;
      const T b = sizes->training ? (T) (-factor * inverse * dscale / m) : 0;
      const T d = sizes->training ? (T) (factor * (inverse * mean * dscale - dbias) / m) : 0;

      for (gint64 n = 0; n < sizes->batch; n++)
        {
          const T *dy_row = dy + n * step, *x_row = x + n * step;
          T *dx_row = dx + n * step;

#pragma GCC ivdep
          for (gint64 i = 0; i < sizes->inner; i++)
            dx_row[i] = a * dy_row[i] + b * x_row[i] + d;
        }
    }
}

static void
SONDE_PASTE (layer_normalise, S) (gint64 outer, gint64 n, double epsilon, const void *from,
                                  const void *scales, const void *biases, void *to, void *means,
                                  void *inverses)
{
  const T *scale = scales, *bias = biases;

  for (gint64 o = 0; o < outer; o++)
    {
      const T *x = (const T *) from + o * n;
      T *y = (T *) to + o * n;
      const double mean = SONDE_PASTE (sum_of, S) (n, x) / (double) n;
      const double variance = SONDE_PASTE (sum_of_products, S) (n, x, mean, x, mean) / (double) n;
      const double inverse = 1 / sqrt (variance + epsilon);
      const T a = (T) inverse, b = (T) (-mean * inverse);

#pragma GCC ivdep
      for (gint64 i = 0; i < n; i++)
        y[i] = (x[i] * a + b) * scale[i];
      for (gint64 i = 0; i < n && bias != NULL; i++)
        y[i] += bias[i];
      if (means != NULL)
        ((T *) means)[o] = (T) mean;
      if (inverses != NULL)
        ((T *) inverses)[o] = (T) inverse;
    }
}

/* With x̂ = (x − mean)·inverse and g = dy·scale: dx = inverse·(g − mean (g) − x̂·mean (g·x̂)).
 * dscale and dbias are summed over rows in double: @sums has room for 2·n. */
static void
SONDE_PASTE (layer_normalise_grad, S) (gint64 outer, gint64 n, const void *gradient,
                                       const void *input, const void *scales, const void *means,
                                       const void *inverses, void *dx_out, double *sums)
{
  const T *scale = scales;

  for (gint64 o = 0; o < outer; o++)
    {
      const T *dy = (const T *) gradient + o * n;
      const T *x = (const T *) input + o * n;
      T *dx = dx_out ? (T *) dx_out + o * n : NULL;
      const double mean = (double) ((const T *) means)[o];
      const double inverse = (double) ((const T *) inverses)[o];
      double plain = 0, slanted = 0;

      for (gint64 i = 0; i < n; i++)
        {
          const double normal = ((double) x[i] - mean) * inverse;
          const double g = (double) dy[i] * (double) scale[i];

          plain += g;
          slanted += g * normal;
          sums[i] += (double) dy[i] * normal;
          sums[n + i] += (double) dy[i];
        }
      plain /= (double) n;
      slanted /= (double) n;
      for (gint64 i = 0; i < n && dx != NULL; i++)
        {
          const double normal = ((double) x[i] - mean) * inverse;

          dx[i] = (T) (inverse * ((double) dy[i] * (double) scale[i] - plain - normal * slanted));
        }
    }
}

#undef T
#undef S
