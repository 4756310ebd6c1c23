/* SPDX-License-Identifier: Apache-2.0
 * Initialisers: each fills an array of doubles, which is rounded once to the parameter's type. */
#include "engine/nn/sonde-initialiser.h"

#include <math.h>

#include "data/base/sonde-random.h"
#include "engine/nn/sonde-settings.h"

#define SQRT2 1.4142135623730951
#define MOST_REDRAWS 64

/**
 * Draw: what an initialiser knows
 * @rows, @columns: of the tensor as a matrix [d0, rest]
 */
typedef struct
{
  const double *settings;
  guint64 seed, stream;
  double fan_in, fan_out;
  gint64 rows, columns, n;
  double *into;
} Draw;

static void
fill_constant (Draw *draw, double value)
{
  for (gint64 i = 0; i < draw->n; i++)
    draw->into[i] = value;
}

static void
fill_uniform (Draw *draw, double low, double high)
{
  for (gint64 i = 0; i < draw->n; i++)
    draw->into[i]
        = low + (high - low) * sonde_random_uniform (draw->seed, draw->stream, (guint64) i);
}

static void
fill_normal (Draw *draw, double mean, double std)
{
  for (gint64 i = 0; i < draw->n; i++)
    draw->into[i] = mean + std * sonde_random_normal (draw->seed, draw->stream, (guint64) i);
}

static void
make_zeros (Draw *draw)
{
  fill_constant (draw, 0.0);
}

static void
make_ones (Draw *draw)
{
  fill_constant (draw, 1.0);
}

static void
make_constant (Draw *draw)
{
  fill_constant (draw, draw->settings[0]);
}

static void
make_normal (Draw *draw)
{
  fill_normal (draw, draw->settings[0], draw->settings[1]);
}

/* A draw beyond two deviations (one of 22) is made again from the next stream. */
static void
make_truncated_normal (Draw *draw)
{
  for (gint64 i = 0; i < draw->n; i++)
    {
      double x = sonde_random_normal (draw->seed, draw->stream, (guint64) i);

      for (guint64 again = 1; fabs (x) > 2.0 && again < MOST_REDRAWS; again++)
        x = sonde_random_normal (draw->seed, draw->stream + again, (guint64) i);
      draw->into[i] = draw->settings[0] + draw->settings[1] * CLAMP (x, -2.0, 2.0);
    }
}

static void
make_uniform (Draw *draw)
{
  fill_uniform (draw, draw->settings[0], draw->settings[1]);
}

static void
make_torch (Draw *draw)
{
  double bound = 1.0 / sqrt (draw->fan_in);

  fill_uniform (draw, -bound, bound);
}

static void
make_xavier_uniform (Draw *draw)
{
  double bound = draw->settings[0] * sqrt (6.0 / (draw->fan_in + draw->fan_out));

  fill_uniform (draw, -bound, bound);
}

static void
make_xavier_normal (Draw *draw)
{
  fill_normal (draw, 0.0, draw->settings[0] * sqrt (2.0 / (draw->fan_in + draw->fan_out)));
}

static double
he_fan (const Draw *draw)
{
  return draw->settings[1] != 0.0 ? draw->fan_out : draw->fan_in;
}

static void
make_he_uniform (Draw *draw)
{
  double bound = draw->settings[0] * sqrt (3.0 / he_fan (draw));

  fill_uniform (draw, -bound, bound);
}

static void
make_he_normal (Draw *draw)
{
  fill_normal (draw, 0.0, draw->settings[0] / sqrt (he_fan (draw)));
}

/* Vector @k (its elements @step apart) made orthogonal to those before it, twice against rounding,
 * and of length 1. */
static void
orthonormalise (double *matrix, gint64 k, gint64 length, gint64 between, gint64 step)
{
  double *v = matrix + k * between, norm = 0.0;

  for (int pass = 0; pass < 2; pass++)
    for (gint64 j = 0; j < k; j++)
      {
        const double *q = matrix + j * between;
        double product = 0.0;

        for (gint64 i = 0; i < length; i++)
          product += q[i * step] * v[i * step];
        for (gint64 i = 0; i < length; i++)
          v[i * step] -= product * q[i * step];
      }
  for (gint64 i = 0; i < length; i++)
    norm += v[i * step] * v[i * step];
  norm = norm > 0.0 ? 1.0 / sqrt (norm) : 0.0;
  for (gint64 i = 0; i < length; i++)
    v[i * step] *= norm;
}

/* Gram and Schmidt's Q: R has a positive diagonal. */
static void
make_orthogonal (Draw *draw)
{
  gboolean wide = draw->rows <= draw->columns;
  gint64 n = wide ? draw->rows : draw->columns, length = wide ? draw->columns : draw->rows;

  fill_normal (draw, 0.0, 1.0);
  for (gint64 k = 0; k < n; k++)
    orthonormalise (draw->into, k, length, wide ? draw->columns : 1, wide ? 1 : draw->columns);
  for (gint64 i = 0; i < draw->n; i++)
    draw->into[i] *= draw->settings[0];
}

#define ANY -HUGE_VAL, HUGE_VAL

static const SondeSettingRule constant_rules[] = { { "value", NAN, ANY }, { NULL } };
static const SondeSettingRule normal_rules[]
    = { { "mean", 0, ANY }, { "std", 1, 0, HUGE_VAL }, { NULL } };
static const SondeSettingRule uniform_rules[] = { { "low", 0, ANY }, { "high", 1, ANY }, { NULL } };
static const SondeSettingRule gain_rules[] = { { "gain", 1, 0, HUGE_VAL }, { NULL } };
static const SondeSettingRule he_rules[]
    = { { "gain", SQRT2, 0, HUGE_VAL }, { "fan-out", 0, 0, 1 }, { NULL } };

typedef struct
{
  const char *name;
  const SondeSettingRule *rules;
  void (*make) (Draw *draw);
} InitialiserRow;

static const InitialiserRow rows[] = {
  { "zeros", NULL, make_zeros },
  { "ones", NULL, make_ones },
  { "constant", constant_rules, make_constant },
  { "normal", normal_rules, make_normal },
  { "truncated-normal", normal_rules, make_truncated_normal },
  { "uniform", uniform_rules, make_uniform },
  { "torch", NULL, make_torch },
  { "xavier-uniform", gain_rules, make_xavier_uniform },
  { "xavier-normal", gain_rules, make_xavier_normal },
  { "he-uniform", he_rules, make_he_uniform },
  { "he-normal", he_rules, make_he_normal },
  { "orthogonal", gain_rules, make_orthogonal },
};

char *
sonde_initialiser_list (void)
{
  return SONDE_LIST_CHOICES (rows);
}

static SondeTensor *
round_to (SondeDtype dtype, const SondeShape *shape, const double *numbers)
{
  SondeTensor *tensor = sonde_tensor_new (dtype, shape);
  gint64 n = sonde_shape_n_elements (shape);

  for (gint64 i = 0; i < n; i++)
    if (dtype == SONDE_DTYPE_F64)
      ((double *) (void *) tensor->data)[i] = numbers[i];
    else
      ((float *) (void *) tensor->data)[i] = (float) numbers[i];
  return tensor;
}

static Draw
describe (const SondeShape *shape, gint64 fan_in, gint64 fan_out)
{
  gint64 kernel = 1;
  Draw draw = { .n = sonde_shape_n_elements (shape), .rows = shape->rank > 0 ? shape->dims[0] : 1 };

  for (int i = 2; i < shape->rank; i++)
    kernel *= shape->dims[i];
  if (fan_in == 0)
    fan_in = shape->rank > 1 ? shape->dims[1] * kernel : draw.rows;
  if (fan_out == 0)
    fan_out = draw.rows * kernel;
  draw.columns = draw.rows > 0 ? draw.n / draw.rows : 0;
  draw.fan_in = MAX (fan_in, 1);
  draw.fan_out = MAX (fan_out, 1);
  return draw;
}

SondeTensor *
sonde_initialiser_make (const char *text, SondeDtype dtype, const SondeShape *shape, gint64 fan_in,
                        gint64 fan_out, guint64 seed, const char *name, GError **error)
{
  const InitialiserRow *row = SONDE_FIND_CHOICE (N_ ("initialiser"), text, rows, error);
  g_auto (SondeSettings) settings = { 0 };
  g_autofree double *numbers = NULL;
  Draw draw = describe (shape, fan_in, fan_out);

  if (row == NULL || !sonde_settings_parse (N_ ("initialiser"), text, row->rules, &settings, error))
    return NULL;
  numbers = g_try_new (double, MAX (draw.n, 1));
  if (numbers == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                       "Not enough memory for the %" PRIi64 " initial values of “%s”.", draw.n,
                       name);
      return NULL;
    }
  draw.settings = settings.values;
  draw.seed = seed;
  draw.stream = sonde_random_stream (name);
  draw.into = numbers;
  row->make (&draw);
  return round_to (dtype, shape, numbers);
}
