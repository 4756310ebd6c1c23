/* SPDX-License-Identifier: Apache-2.0
 * Updates of elements @begin to before @end in one float type; included once a type with T and S
 * (suffix) defined. Outputs may be the inputs' memory. */

static void
SONDE_PASTE (rms_prop, S) (const UpdateCall *c, gint64 begin, gint64 end)
{
  const T *w = c->in[0], *g = c->in[1], *square = c->in[2], *speed = c->in[3], *mean = c->in[4];
  T *new_w = c->out[0], *new_square = c->out[1], *new_speed = c->out[2], *new_mean = c->out[3];
  const T alpha = (T) c->a, rest = (T) (1 - c->a), epsilon = (T) c->epsilon, decay = (T) c->decay,
          rate = (T) c->rate;
  const T momentum = (T) c->momentum;

#pragma GCC ivdep
  for (gint64 i = begin; i < end; i++)
    {
      const T slope = g[i] + decay * w[i];
      const T s = alpha * square[i] + rest * slope * slope;
      T spread = s, move;

      new_square[i] = s;
      if (mean != NULL)
        {
          const T m = alpha * mean[i] + rest * slope;

          new_mean[i] = m;
          spread = s - m * m;
        }
      move = slope / (SONDE_PASTE (square_root, S) (spread) + epsilon);
      if (speed != NULL)
        new_speed[i] = move = momentum * speed[i] + move;
      new_w[i] = w[i] - rate * move;
    }
}

static void
SONDE_PASTE (adagrad, S) (const UpdateCall *c, gint64 begin, gint64 end)
{
  const T *w = c->in[0], *g = c->in[1], *sum = c->in[2];
  T *new_w = c->out[0], *new_sum = c->out[1];
  const T epsilon = (T) c->epsilon, decay = (T) c->decay,
          rate = (T) (c->rate / (1 + (c->step - 1) * c->a));

#pragma GCC ivdep
  for (gint64 i = begin; i < end; i++)
    {
      const T slope = g[i] + decay * w[i];
      const T s = sum[i] + slope * slope;

      new_sum[i] = s;
      new_w[i] = w[i] - rate * slope / (SONDE_PASTE (square_root, S) (s) + epsilon);
    }
}

static void
SONDE_PASTE (adadelta, S) (const UpdateCall *c, gint64 begin, gint64 end)
{
  const T *w = c->in[0], *g = c->in[1], *square = c->in[2], *moved = c->in[3];
  T *new_w = c->out[0], *new_square = c->out[1], *new_moved = c->out[2];
  const T rho = (T) c->a, rest = (T) (1 - c->a), epsilon = (T) c->epsilon, decay = (T) c->decay,
          rate = (T) c->rate;

#pragma GCC ivdep
  for (gint64 i = begin; i < end; i++)
    {
      const T slope = g[i] + decay * w[i];
      const T s = rho * square[i] + rest * slope * slope;
      const T move = SONDE_PASTE (square_root, S) (moved[i] + epsilon)
                     / SONDE_PASTE (square_root, S) (s + epsilon) * slope;

      new_square[i] = s;
      new_moved[i] = rho * moved[i] + rest * move * move;
      new_w[i] = w[i] - rate * move;
    }
}

static void
SONDE_PASTE (lion, S) (const UpdateCall *c, gint64 begin, gint64 end)
{
  const T *w = c->in[0], *g = c->in[1], *mean = c->in[2];
  T *new_w = c->out[0], *new_mean = c->out[1];
  const T a = (T) c->a, b = (T) c->b, rate = (T) c->rate, keep = (T) (1 - c->rate * c->decay);

#pragma GCC ivdep
  for (gint64 i = begin; i < end; i++)
    {
      const T slope = g[i], m = mean[i];
      const T direction = a * m + (1 - a) * slope;

      new_mean[i] = b * m + (1 - b) * slope;
      new_w[i] = keep * w[i] - (direction > 0 ? rate : direction < 0 ? -rate : direction);
    }
}

static void
SONDE_PASTE (adam_direction, S) (const UpdateCall *c, gint64 begin, gint64 end)
{
  const T *w = c->in[0], *g = c->in[1], *first = c->in[2], *second = c->in[3];
  T *direction = c->out[0], *new_first = c->out[1], *new_second = c->out[2];
  const T a = (T) c->a, b = (T) c->b, epsilon = (T) c->epsilon, decay = (T) c->decay;
  const T scale = (T) (1 / (1 - pow (c->a, c->step))),
          root = (T) (1 / sqrt (1 - pow (c->b, c->step)));

#pragma GCC ivdep
  for (gint64 i = begin; i < end; i++)
    {
      const T m = a * first[i] + (1 - a) * g[i];
      const T v = b * second[i] + (1 - b) * g[i] * g[i];

      new_first[i] = m;
      new_second[i] = v;
      direction[i] = scale * m / (SONDE_PASTE (square_root, S) (v) * root + epsilon) + decay * w[i];
    }
}

#undef T
#undef S
