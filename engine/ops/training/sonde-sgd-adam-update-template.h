/* SPDX-License-Identifier: Apache-2.0
 * Optimiser updates of one float type in one pass; included once a type with T and S (suffix)
 * defined. Outputs may be the inputs' memory. */

static void
SONDE_PASTE (sgd_update, S) (const SgdSettings *s, gint64 n, const void *weights,
                             const void *gradients, const void *velocities, /* (nullable) */
                             void *new_weights, void *new_velocities /* (nullable) */)
{
  const T *w = weights, *g = gradients, *v = velocities;
  T *w_out = new_weights, *v_out = new_velocities;
  const T rate = (T) s->rate, momentum = (T) s->momentum, decay = (T) s->decay,
          fresh = (T) s->fresh;

  if (v == NULL || v_out == NULL)
    {
#pragma GCC ivdep
      for (gint64 i = 0; i < n; i++)
        w_out[i] = w[i] - rate * (momentum * (v ? v[i] : 0) + fresh * (g[i] + decay * w[i]));
      return;
    }
#pragma GCC ivdep
  for (gint64 i = 0; i < n; i++)
    {
      const T slope = g[i] + decay * w[i];
      const T speed = momentum * v[i] + fresh * slope;

      v_out[i] = speed;
      w_out[i] = w[i] - rate * (s->nesterov ? slope + momentum * speed : speed);
    }
}

static void
SONDE_PASTE (adam_update, S) (const AdamSettings *s, gint64 n, const void *weights,
                              const void *gradients, const void *firsts, const void *seconds,
                              void *new_weights, void *new_firsts, void *new_seconds)
{
  const T *w = weights, *g = gradients, *m = firsts, *v = seconds;
  T *w_out = new_weights, *m_out = new_firsts, *v_out = new_seconds;
  const T beta1 = (T) s->beta1, beta2 = (T) s->beta2, epsilon = (T) s->epsilon;
  const T decay = (T) (s->decoupled ? 0 : s->decay),
          keep = (T) (s->decoupled ? 1 - s->rate * s->decay : 1);
  const T step = (T) (s->rate / (1 - pow (s->beta1, s->step)));
  const T root = (T) (1 / sqrt (1 - pow (s->beta2, s->step)));

#pragma GCC ivdep
  for (gint64 i = 0; i < n; i++)
    {
      const T slope = g[i] + decay * w[i];
      const T first = beta1 * m[i] + (1 - beta1) * slope;
      const T second = beta2 * v[i] + (1 - beta2) * slope * slope;

      m_out[i] = first;
      v_out[i] = second;
      w_out[i]
          = keep * w[i] - step * first / (SONDE_PASTE (square_root, S) (second) * root + epsilon);
    }
}

static double
SONDE_PASTE (sum_of_squares, S) (gint64 n, const void *from)
{
  const T *x = from;
  double lanes[8] = { 0 };
  gint64 i = 0;

  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; k++)
      lanes[k] += (double) x[i + k] * (double) x[i + k];
  for (; i < n; i++)
    lanes[0] += (double) x[i] * (double) x[i];
  for (int k = 1; k < 8; k++)
    lanes[0] += lanes[k];
  return lanes[0];
}

#undef T
#undef S
