/* SPDX-License-Identifier: Apache-2.0
 * One curve of a scalar view: from a window on the x axis to buckets ready for the painter. */
#include "viewers/sonde-scalar-item-private.h"

#include <math.h>

#include "data/base/sonde-text.h"

#define OVERVIEW 512           /* buckets */
#define NEIGHBOURS 4096        /* points looked through for the one beside the window */
#define MAX_X_POINTS (1 << 20) /* of a metric on the x axis; of more, one of each stretch */
#define LOG_PIECES 12          /* stretches of a log axis that get buckets of their own */
#define METRIC_BUCKETS 4       /* a pixel: a curve over a metric may pass a column many times */

void
sonde_scalar_item_free (SondeScalarItem *item)
{
  g_signal_handler_disconnect (item->series, item->changed);
  g_object_unref (item->series);
  g_free (item->title);
  sonde_smoother_free (item->smoother);
  g_clear_pointer (&item->overview, g_array_unref);
  g_clear_pointer (&item->window, g_array_unref);
  g_clear_pointer (&item->raw, g_array_unref);
  g_clear_pointer (&item->smooth, g_array_unref);
  sonde_scalar_item_set_x_series (item, NULL, NULL, NULL);
  g_free (item);
}

/* ---- a metric as x ------------------------------------------------------- */

void
sonde_scalar_item_set_x_series (SondeScalarItem *item, SondeSeries *x_series, GCallback changed,
                                void *user_data)
{
  if (item->x_series != NULL)
    g_clear_signal_handler (&item->x_changed, item->x_series);
  g_set_object (&item->x_series, x_series);
  g_clear_pointer (&item->x_points, g_array_unref);
  if (x_series != NULL)
    item->x_changed = g_signal_connect (x_series, "changed", changed, user_data);
}

static void
append_last_points (SondeSeries *series, GArray *points)
{
  g_autoptr (GArray) buckets = sonde_series_query (series, G_MININT64, G_MAXINT64, MAX_X_POINTS);

  for (guint i = 0; i < buckets->len; i++)
    {
      const SondeBucket *bucket = &g_array_index (buckets, SondeBucket, i);
      SondePoint point = { bucket->last_step, bucket->last_wall_ns, bucket->last, bucket->session };

      g_array_append_val (points, point);
    }
}

/* Points of the series on the x axis, once. */
static GArray *
get_x_points (SondeScalarItem *item)
{
  guint64 n = item->x_series != NULL ? sonde_series_get_n_points (item->x_series) : 0;

  if (item->x_points != NULL)
    return item->x_points;
  item->x_points = g_array_new (FALSE, FALSE, sizeof (SondePoint));
  if (n > MAX_X_POINTS)
    append_last_points (item->x_series, item->x_points);
  else if (n > 0)
    {
      g_array_set_size (item->x_points, (guint) n);
      g_array_set_size (item->x_points,
                        (guint) sonde_series_copy_points (item->x_series, 0, (gsize) n,
                                                          (SondePoint *) item->x_points->data));
    }
  return item->x_points;
}

/* What it said at the step, or last before it; NaN before its first point. */
static double
metric_at (const SondeScalarItem *item, gint64 step)
{
  GArray *points = get_x_points ((SondeScalarItem *) item);
  guint low = 0, high = points->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (points, SondePoint, middle).step <= step)
        low = middle + 1;
      else
        high = middle;
    }
  return low > 0 ? g_array_index (points, SondePoint, low - 1).value : NAN;
}

/* A mean over many points is kept: it took its time. */
void
sonde_scalar_item_forget (SondeScalarItem *item)
{
  g_clear_pointer (&item->overview, g_array_unref);
  g_clear_pointer (&item->window, g_array_unref);
  g_clear_pointer (&item->raw, g_array_unref);
  g_clear_pointer (&item->smooth, g_array_unref);
  if (sonde_series_get_n_points (item->series) < SONDE_SCALAR_SHORT)
    g_clear_pointer (&item->smoother, sonde_smoother_free);
}

double
sonde_scalar_item_x_of (const SondeScalarItem *item, SondeScalarX x, gint64 step, gint64 wall_ns)
{
  SondeRun *run;

  if (x == SONDE_SCALAR_X_STEP)
    return (double) step;
  if (x == SONDE_SCALAR_X_METRIC)
    return metric_at (item, step);
  if (x == SONDE_SCALAR_X_WALL)
    return (double) wall_ns / 1e9;
  run = sonde_series_get_run (item->series);
  return (double) (wall_ns - (run != NULL ? sonde_run_get_start_ns (run) : 0)) / 1e9;
}

static double
first_x (const SondeScalarItem *item, SondeScalarX x, const SondeBucket *bucket)
{
  return sonde_scalar_item_x_of (item, x, bucket->first_step, bucket->first_wall_ns);
}

static double
last_x (const SondeScalarItem *item, SondeScalarX x, const SondeBucket *bucket)
{
  return sonde_scalar_item_x_of (item, x, bucket->last_step, bucket->last_wall_ns);
}

static GArray *
get_overview (SondeScalarItem *item)
{
  if (item->overview == NULL)
    item->overview = sonde_series_query (item->series, G_MININT64, G_MAXINT64, OVERVIEW);
  return item->overview;
}

/* On a log axis of steps the first place is 1, whatever came before. */
static void
take_into_range (const SondeScalarItem *item, SondeScalarX x, double value, double *low,
                 double *high)
{
  if (item->log_x && x == SONDE_SCALAR_X_STEP && value < 1)
    value = 1;
  if (!isfinite (value) || (item->log_x && value <= 0))
    return;
  *low = fmin (*low, value);
  *high = fmax (*high, value);
}

/* Steps are known without looking at points. */
static void
take_step_range (const SondeScalarItem *item, double *low, double *high)
{
  gint64 first = G_MAXINT64, last = G_MININT64;
  double min, max;

  sonde_series_get_range (item->series, &first, &last, &min, &max);
  if (first > last)
    return;
  take_into_range (item, SONDE_SCALAR_X_STEP, (double) first, low, high);
  take_into_range (item, SONDE_SCALAR_X_STEP, (double) last, low, high);
}

static void
take_overview_range (SondeScalarItem *item, SondeScalarX x, double *low, double *high)
{
  GArray *overview = get_overview (item);

  for (guint i = 0; i < overview->len; i++)
    {
      const SondeBucket *bucket = &g_array_index (overview, SondeBucket, i);
      take_into_range (item, x, first_x (item, x, bucket), low, high);
      take_into_range (item, x, last_x (item, x, bucket), low, high);
    }
}

gboolean
sonde_scalar_item_get_x_range (SondeScalarItem *item, SondeScalarX x, double *low, double *high)
{
  *low = INFINITY;
  *high = -INFINITY;
  if (x == SONDE_SCALAR_X_STEP)
    take_step_range (item, low, high);
  else
    take_overview_range (item, x, low, high);
  item->x_low = *low;
  item->x_high = *high;
  return *low <= *high;
}

static gint64
to_step (double value)
{
  if (value <= -9.2e18)
    return G_MININT64;
  if (value >= 9.2e18)
    return G_MAXINT64;
  return (gint64) value;
}

/* Steps of a window on the x axis; times are looked up in the overview, a bucket too many rather
 * than one too few. FALSE when nothing lies in it. */
static gboolean
find_steps (SondeScalarItem *item, SondeScalarX x, double low, double high, gint64 *from,
            gint64 *to)
{
  GArray *overview;
  gboolean found = FALSE;

  if (x == SONDE_SCALAR_X_STEP)
    {
      *from = to_step (ceil (low));
      *to = to_step (floor (high));
      return *from <= *to;
    }
  overview = get_overview (item);
  if (x == SONDE_SCALAR_X_METRIC)
    {
      *from = G_MININT64;
      *to = G_MAXINT64;
      return overview->len > 0;
    }
  *from = G_MAXINT64;
  *to = G_MININT64;
  for (guint i = 0; i < overview->len; i++)
    {
      const SondeBucket *bucket = &g_array_index (overview, SondeBucket, i);
      double a = first_x (item, x, bucket);
      double b = i + 1 < overview->len ? first_x (item, x, bucket + 1) : last_x (item, x, bucket);

      if (MAX (a, b) < low || MIN (a, b) > high)
        continue;
      *from = MIN (*from, MIN (bucket->first_step, bucket->last_step));
      *to = MAX (*to, MAX (bucket->first_step, bucket->last_step));
      found = TRUE;
    }
  return found;
}

static void
append (const SondeScalarItem *item, SondeScalarX x, GArray *chart, const SondeBucket *bucket,
        const SondeBucket *before)
{
  SondeChartBucket b = {
    .x0 = first_x (item, x, bucket),
    .x1 = last_x (item, x, bucket),
    .min = bucket->min,
    .max = bucket->max,
    .first = bucket->first,
    .last = bucket->last,
    .count = bucket->count,
    .n_nan = bucket->n_nan,
    /* A resumed run goes back: no line to there. */
    .starts = before == NULL || before->session != bucket->session
              || (x == SONDE_SCALAR_X_STEP && bucket->first_step < before->last_step),
  };

  if (isnan (b.x0) || isnan (b.x1) || (item->log_x && b.x1 <= 0))
    return;
  if (item->log_x && b.x0 <= 0)
    b.x0 = b.x1;
  g_array_append_val (chart, b);
}

static GArray *
to_chart (const SondeScalarItem *item, SondeScalarX x, GArray *window)
{
  GArray *chart = g_array_sized_new (FALSE, FALSE, sizeof (SondeChartBucket), window->len);

  for (guint i = 0; i < window->len; i++)
    {
      const SondeBucket *bucket = &g_array_index (window, SondeBucket, i);
      append (item, x, chart, bucket, i > 0 ? bucket - 1 : NULL);
    }
  return chart;
}

/* The overview's last step before @step, or first one after it. */
static gboolean
step_beside (SondeScalarItem *item, gint64 step, gboolean before, gint64 *beside)
{
  GArray *overview = get_overview (item);
  gboolean found = FALSE;

  *beside = 0;
  for (guint i = 0; i < overview->len; i++)
    {
      const SondeBucket *bucket = &g_array_index (overview, SondeBucket, i);

      if (before && bucket->first_step < step && (!found || bucket->first_step > *beside))
        {
          *beside = bucket->first_step;
          found = TRUE;
        }
      if (!before && bucket->last_step > step && (!found || bucket->last_step < *beside))
        {
          *beside = bucket->last_step;
          found = TRUE;
        }
    }
  return found;
}

/* One bucket on each side, so that lines reach the edges. */
static void
add_neighbours (SondeScalarItem *item, gint64 from, gint64 to, GArray *window)
{
  gint64 beside;

  if (from > G_MININT64 && step_beside (item, from, TRUE, &beside))
    {
      g_autoptr (GArray) before = sonde_series_query (item->series, beside, from - 1, NEIGHBOURS);
      if (before->len > 0)
        g_array_prepend_val (window, g_array_index (before, SondeBucket, before->len - 1));
    }
  if (to < G_MAXINT64 && step_beside (item, to, FALSE, &beside))
    {
      g_autoptr (GArray) after = sonde_series_query (item->series, to + 1, beside, NEIGHBOURS);
      if (after->len > 0)
        g_array_append_val (window, g_array_index (after, SondeBucket, 0));
    }
}

typedef GArray *(*SondeScalarItemQuery) (SondeScalarItem *item, gint64 from, gint64 to, guint max);

/* (transfer full): what @query finds from @from to @to in about @max buckets; those of a log axis come by stretches of
 * the same width on the screen, or its left half would be one bucket. */
static GArray *
query_pieces (SondeScalarItem *item, SondeScalarX x, double low, double high, gint64 from,
              gint64 to, guint max, SondeScalarItemQuery query)
{
  GArray *all;
  gint64 begin = MAX (from, 1);

  if (!item->log_x || x != SONDE_SCALAR_X_STEP)
    return query (item, from, to, x == SONDE_SCALAR_X_METRIC ? max * METRIC_BUCKETS : max);
  all = g_array_new (FALSE, FALSE, sizeof (SondeBucket));
  for (guint i = 1; i <= LOG_PIECES && begin <= to; i++)
    {
      double edge = low * pow (high / low, (double) i / LOG_PIECES);
      gint64 end = i == LOG_PIECES ? to : MIN (to_step (floor (edge)), to);
      g_autoptr (GArray) piece
          = end >= begin ? query (item, begin, end, max / LOG_PIECES + 1) : NULL;

      if (piece != NULL)
        g_array_append_vals (all, piece->data, piece->len);
      begin = MAX (begin, end + 1);
    }
  return all;
}

static GArray *
query_raw (SondeScalarItem *item, gint64 from, gint64 to, guint max)
{
  return sonde_series_query (item->series, from, to, max);
}

static GArray *
query_mean (SondeScalarItem *item, gint64 from, gint64 to, guint max)
{
  return sonde_smoother_query (item->smoother, from, to, max);
}

void
sonde_scalar_item_fetch (SondeScalarItem *item, SondeScalarX x, double low, double high, int width)
{
  gint64 from, to;
  guint max = (guint) MAX (width, 1);

  g_clear_pointer (&item->window, g_array_unref);
  g_clear_pointer (&item->raw, g_array_unref);
  g_clear_pointer (&item->smooth, g_array_unref);
  item->shown = 0;
  if (find_steps (item, x, low, high, &from, &to))
    item->window = query_pieces (item, x, low, high, from, to, max, query_raw);
  else
    item->window = g_array_new (FALSE, FALSE, sizeof (SondeBucket));
  for (guint i = 0; i < item->window->len; i++)
    item->shown += g_array_index (item->window, SondeBucket, i).count;
  if (x == SONDE_SCALAR_X_STEP && !(low <= item->x_low && high >= item->x_high))
    add_neighbours (item, to_step (ceil (low)), to_step (floor (high)), item->window);
  item->raw = to_chart (item, x, item->window);
  if (item->smoother != NULL && item->window->len > 0)
    {
      const SondeBucket *first = &g_array_index (item->window, SondeBucket, 0);
      const SondeBucket *last = &g_array_index (item->window, SondeBucket, item->window->len - 1);
      g_autoptr (GArray) means
          = query_pieces (item, x, low, high, MIN (from, MIN (first->first_step, last->first_step)),
                          MAX (to, MAX (first->last_step, last->last_step)), max, query_mean);
      item->smooth = to_chart (item, x, means);
    }
}

gboolean
sonde_scalar_item_get_y_range (const SondeScalarItem *item, double low, double high, gboolean log_y,
                               double *min, double *max)
{
  *min = INFINITY;
  *max = -INFINITY;
  for (guint i = 0; item->raw != NULL && i < item->raw->len; i++)
    {
      const SondeChartBucket *bucket = &g_array_index (item->raw, SondeChartBucket, i);
      const double values[] = { bucket->min, bucket->max, bucket->first, bucket->last };

      if (fmax (bucket->x0, bucket->x1) < low || fmin (bucket->x0, bucket->x1) > high)
        continue;
      for (gsize k = 0; k < G_N_ELEMENTS (values); k++)
        if (isfinite (values[k]) && (!log_y || values[k] > 0))
          {
            *min = fmin (*min, values[k]);
            *max = fmax (*max, values[k]);
          }
    }
  return *min <= *max;
}

double
sonde_scalar_item_x_of_step (const SondeScalarItem *item, SondeScalarX x, gint64 step)
{
  if (x == SONDE_SCALAR_X_STEP)
    return (double) step;
  if (x == SONDE_SCALAR_X_METRIC)
    return metric_at (item, step);
  for (guint i = 0; item->overview != NULL && i < item->overview->len; i++)
    {
      const SondeBucket *bucket = &g_array_index (item->overview, SondeBucket, i);
      double share;

      if (step < bucket->first_step || (step > bucket->last_step && i + 1 < item->overview->len))
        continue;
      if (step > bucket->last_step)
        return NAN;
      share = bucket->last_step > bucket->first_step
                  ? (double) (step - bucket->first_step)
                        / (double) (bucket->last_step - bucket->first_step)
                  : 0;
      return first_x (item, x, bucket)
             + share * (last_x (item, x, bucket) - first_x (item, x, bucket));
    }
  return NAN;
}

static double
distance (const SondeScalarItem *item, SondeScalarX x, const SondeBucket *bucket, double value)
{
  double a = first_x (item, x, bucket), b = last_x (item, x, bucket);

  if (value >= fmin (a, b) && value <= fmax (a, b))
    return 0;
  return fmin (fabs (a - value), fabs (b - value));
}

static const SondeBucket *
nearest_bucket (const SondeScalarItem *item, SondeScalarX x, GArray *buckets, double value)
{
  const SondeBucket *best = NULL;
  double best_distance = INFINITY;

  for (guint i = 0; i < buckets->len; i++)
    {
      const SondeBucket *bucket = &g_array_index (buckets, SondeBucket, i);
      double d = distance (item, x, bucket, value);

      /* The later one of two: what a resumed run wrote last. */
      if (d <= best_distance)
        {
          best = bucket;
          best_distance = d;
        }
    }
  return best;
}

gboolean
sonde_scalar_item_nearest (const SondeScalarItem *item, SondeScalarX x, double value,
                           SondePoint *point)
{
  g_autoptr (GArray) inside = NULL;
  const SondeBucket *bucket;

  if (item->window == NULL)
    return FALSE;
  bucket = nearest_bucket (item, x, item->window, value);
  if (bucket != NULL && bucket->count > 1)
    {
      inside = sonde_series_query (item->series, MIN (bucket->first_step, bucket->last_step),
                                   MAX (bucket->first_step, bucket->last_step), NEIGHBOURS);
      if (inside->len > 0)
        bucket = nearest_bucket (item, x, inside, value);
    }
  if (bucket == NULL)
    return FALSE;
  *point
      = (SondePoint){ bucket->first_step, bucket->first_wall_ns, bucket->first, bucket->session };
  return TRUE;
}
