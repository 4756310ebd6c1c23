/* SPDX-License-Identifier: Apache-2.0
 * Feature ablation: each segment taken away alone. Shapley values: of all subsets, or along drawn
 * orders. */
#include <math.h>
#include <string.h>

#include "data/base/sonde-random.h"
#include "explain/attribution/sonde-segments-private.h"

#define MOST_EXACT 12
#define STREAM "shapley-orders"

/* ---- feature ablation: row 0 whole, row 1 + j without segment j ---------- */

static void
all_but_one (gpointer data, gint64 row, guint8 *present)
{
  gint64 m = *(const gint64 *) data;

  memset (present, 1, (gsize) m);
  if (row > 0)
    present[row - 1] = 0;
}

static double
subtract (gpointer data, const double *values, double *map)
{
  gint64 m = *(const gint64 *) data;

  for (gint64 j = 0; j < m; j++)
    map[j] = values[0] - values[1 + j];
  return NAN;
}

static gboolean
ablation_compute (SondeExplainer *explainer, const SondeAttributionRequest *request,
                  SondeAttributionResult *result, GError **error)
{
  g_auto (SondeSegments) segments = { NULL };
  SondeDesign design = { .whole = 0, .none = -1, .subset = all_but_one, .solve = subtract };

  if (!sonde_segments_init (&segments, request, error))
    return FALSE;
  design.rows = 1 + segments.m;
  design.data = &segments.m;
  return sonde_segments_run (&segments, explainer, &design, result, error);
}

/* ---- exact Shapley values: row = set of bits ----------------------------- */

/**
 * Orders: what Shapley values are made of
 * @orders: [n, m] segments in the order in which they come
 * @weights: [m]: |S|! (m − |S| − 1)! / m! by |S|
 */
typedef struct
{
  gint64 m, n;
  guint32 *orders;
  double *weights;
} Orders;

static void
orders_clear (Orders *orders)
{
  g_free (orders->orders);
  g_free (orders->weights);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Orders, orders_clear)

static void
bits (gpointer data, gint64 row, guint8 *present)
{
  const Orders *orders = data;

  for (gint64 j = 0; j < orders->m; j++)
    present[j] = (row >> j) & 1;
}

/* Σ map − (whole − none): of rounding alone. */
static double
find_gap (const double *map, gint64 m, double whole, double none)
{
  double sum = 0.0;

  for (gint64 j = 0; j < m; j++)
    sum += map[j];
  return sum - (whole - none);
}

static double
weigh_all (gpointer data, const double *values, double *map)
{
  const Orders *orders = data;
  gint64 m = orders->m, sets = (gint64) 1 << m;

  memset (map, 0, sizeof (double) * (gsize) m);
  for (gint64 set = 0; set < sets; set++)
    {
      int size = __builtin_popcountll ((unsigned long long) set);

      for (gint64 j = 0; j < m; j++)
        if (((set >> j) & 1) == 0)
          map[j] += orders->weights[size] * (values[set | ((gint64) 1 << j)] - values[set]);
    }
  return find_gap (map, m, values[sets - 1], values[0]);
}

static void
make_weights (Orders *orders)
{
  orders->weights = g_new (double, orders->m);
  for (gint64 k = 0; k < orders->m; k++)
    orders->weights[k] = exp (lgamma ((double) k + 1.0) + lgamma ((double) (orders->m - k))
                              - lgamma ((double) orders->m + 1.0));
}

/* ---- along drawn orders: row 0 whole, 1 none, then order by order without both ---- */

/* Fisher and Yates; each second order is the one before it, backwards. */
static void
draw_orders (Orders *orders, guint64 seed)
{
  guint64 stream = sonde_random_stream (STREAM);

  orders->orders = g_new (guint32, orders->n * orders->m);
  for (gint64 o = 0; o < orders->n; o++)
    {
      guint32 *order = orders->orders + o * orders->m;

      for (gint64 j = 0; j < orders->m; j++)
        order[j] = o % 2 == 1 ? order[-1 - j] : (guint32) j;
      for (gint64 j = orders->m - 1; o % 2 == 0 && j > 0; j--)
        {
          gint64 k = (gint64) (sonde_random_uniform (seed, stream, (guint64) (o * orders->m + j))
                               * (double) (j + 1));
          guint32 kept = order[j];

          order[j] = order[k];
          order[k] = kept;
        }
    }
}

static void
beginning (gpointer data, gint64 row, guint8 *present)
{
  const Orders *orders = data;
  gint64 steps = orders->m - 1;
  const guint32 *order;

  memset (present, row == 0, (gsize) orders->m);
  if (row < 2)
    return;
  order = orders->orders + (row - 2) / steps * orders->m;
  for (gint64 j = 0; j <= (row - 2) % steps; j++)
    present[order[j]] = 1;
}

static double
follow (gpointer data, const double *values, double *map)
{
  const Orders *orders = data;
  gint64 m = orders->m;

  memset (map, 0, sizeof (double) * (gsize) m);
  for (gint64 o = 0; o < orders->n; o++)
    for (gint64 j = 0; j < m; j++)
      {
        const double *own = values + 2 + o * (m - 1);
        double before = j == 0 ? values[1] : own[j - 1], after = j == m - 1 ? values[0] : own[j];

        map[orders->orders[o * m + j]] += (after - before) / (double) orders->n;
      }
  return find_gap (map, m, values[0], values[1]);
}

static gboolean
shapley_compute (SondeExplainer *explainer, const SondeAttributionRequest *request,
                 SondeAttributionResult *result, GError **error)
{
  g_auto (SondeSegments) segments = { NULL };
  g_auto (Orders) orders = { 0 };
  SondeDesign design = { .data = &orders };

  if (!sonde_segments_init (&segments, request, error))
    return FALSE;
  orders.m = segments.m;
  if (orders.m <= MOST_EXACT)
    {
      make_weights (&orders);
      design.rows = (gint64) 1 << orders.m;
      design.whole = design.rows - 1;
      design.subset = bits;
      design.solve = weigh_all;
      return sonde_segments_run (&segments, explainer, &design, result, error);
    }
  orders.n = sonde_attribution_spec_get_count (request->spec, "samples");
  draw_orders (&orders, request->seed);
  design.rows = 2 + orders.n * (orders.m - 1);
  design.none = 1;
  design.subset = beginning;
  design.solve = follow;
  sonde_note_add (&result->note,
                  "%" PRIi64 " segments are too many for all subsets: %" PRIi64
                  " orders were drawn.",
                  orders.m, orders.n);
  return sonde_segments_run (&segments, explainer, &design, result, error);
}

static const SondeAttributionParameter ablation_parameters[]
    = { SONDE_SEGMENT_PARAMETERS,
        SONDE_PARAMETER_SCORE ("probability"),
        SONDE_PARAMETER_TARGET,
        SONDE_PARAMETER_NEURON,
        { NULL } };
static const SondeAttributionParameter shapley_parameters[]
    = { SONDE_SEGMENT_PARAMETERS,
        { "samples", "26", SONDE_PARAMETER_COUNT, 1, 1 << 16, NULL,
          "orders that are drawn, of more than 12 segments" },
        SONDE_PARAMETER_SCORE ("probability"),
        SONDE_PARAMETER_TARGET,
        SONDE_PARAMETER_NEURON,
        { NULL } };

const SondeAttribution sonde_attribution_feature_ablation = {
  .name = "feature-ablation",
  .title = "Feature ablation",
  .summary = N_ ("How much the score of the class falls when only this segment is removed."),
  .parameters = ablation_parameters,
  .compute = ablation_compute,
};

const SondeAttribution sonde_attribution_shapley = {
  .name = "shapley",
  .title = "Shapley values",
  .summary = N_ ("The segment's share of the score of the class: its average contribution over all "
                 "orders of the segments."),
  .parameters = shapley_parameters,
  .compute = shapley_compute,
};
