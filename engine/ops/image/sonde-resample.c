/* SPDX-License-Identifier: Apache-2.0
 * What a Resize reads and in which proportions: tables for each dimension. */
#include "engine/ops/image/sonde-resample.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define GATHER_COST 4 /* of an element, beside one of a row that is weighed at once */

/* ---- coordinates --------------------------------------------------------- */

/* One dimension's numbers. */
typedef struct
{
  double in, out, scale, start, end;
} Line;

typedef double (*Transform) (const Line *line, double x);

/* x / scale, without rounding twice when the scale is a quotient of sizes: places on a border stay
 * there. */
static double
shrink (const Line *line, double x)
{
  return line->scale == line->out / line->in ? x * line->in / line->out : x / line->scale;
}

static double
half_pixel (const Line *line, double x)
{
  return shrink (line, x + 0.5) - 0.5;
}

/* The exact output may be wider than the whole number of elements: their middles are laid on each
 * other. */
static double
half_pixel_symmetric (const Line *line, double x)
{
  return line->in / 2 + shrink (line, x + 0.5 - line->out / 2) - 0.5;
}

static double
pytorch_half_pixel (const Line *line, double x)
{
  return line->out > 1 ? half_pixel (line, x) : 0;
}

static double
tf_half_pixel (const Line *line, double x)
{
  return shrink (line, x + 0.5);
}

/* With a factor the last element of the exact, not of the rounded output lies on the input's
 * last. */
static double
align_corners (const Line *line, double x)
{
  double width = line->scale * line->in;

  return line->out <= 1 || width == 1 ? 0 : x * (line->in - 1) / (width - 1);
}

static double
asymmetric (const Line *line, double x)
{
  return shrink (line, x);
}

static double
tf_crop_and_resize (const Line *line, double x)
{
  double last = line->in - 1;

  if (line->out <= 1)
    return 0.5 * (line->start + line->end) * last;
  return line->start * last + x * (line->end - line->start) * last / (line->out - 1);
}

static const struct
{
  const char *name;
  Transform transform;
} transforms[] = {
  { "half_pixel", half_pixel },
  { "half_pixel_symmetric", half_pixel_symmetric },
  { "pytorch_half_pixel", pytorch_half_pixel },
  { "align_corners", align_corners },
  { "asymmetric", asymmetric },
  { "tf_half_pixel_for_nn", tf_half_pixel },
  { "tf_crop_and_resize", tf_crop_and_resize },
};

static Transform
find_transform (const SondeNode *node)
{
  const char *mode = sonde_node_get_string (node, "coordinate_transformation_mode", "half_pixel");

  for (gsize i = 0; i < G_N_ELEMENTS (transforms); i++)
    if (strcmp (transforms[i].name, mode) == 0)
      return transforms[i].transform;
  return half_pixel;
}

/* ---- taps ---------------------------------------------------------------- */

static double
cubic_weight (double distance, double a)
{
  double x = fabs (distance);

  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

static double
linear_weight (double distance, double a)
{
  return fmax (1 - fabs (distance), 0);
}

/* A factor of 0.8 comes as float32: what it moves off a place or off the middle of two is taken
 * back. */
static double
snap (double x)
{
  double near = rint (2 * x) / 2;

  return fabs (x - near) <= 4 * (double) FLT_EPSILON * fmax (fabs (x), 1) ? near : x;
}

/* x - 0.5 would round for places near a half; the fraction is exact. */
static double
nearest_place (const char *mode, double coordinate, double scale)
{
  double x = snap (coordinate);
  double low = floor (x);
  double fraction = x - low;

  if (strcmp (mode, "floor") == 0)
    return low;
  if (strcmp (mode, "ceil") == 0)
    return ceil (x);
  if (strcmp (mode, "round_prefer_ceil") == 0)
    return fraction >= 0.5 ? low + 1 : low;
  if (strcmp (mode, "simple") == 0) /* of version 10: see the legalise rule */
    return scale < 1 ? ceil (x) : trunc (x);
  return fraction > 0.5 ? low + 1 : low;
}

typedef struct
{
  const char *nearest_mode;
  gboolean nearest, cubic, antialias, exclude_outside, crop;
  double a;
  Transform transform;
} Modes;

static void
read_modes (const SondeNode *node, Modes *modes)
{
  const char *mode = sonde_node_get_string (node, "mode", "nearest");

  modes->nearest_mode = sonde_node_get_string (node, "nearest_mode", "round_prefer_floor");
  modes->cubic = strcmp (mode, "cubic") == 0;
  modes->nearest = !modes->cubic && strcmp (mode, "linear") != 0;
  modes->antialias = sonde_node_get_int (node, "antialias", 0) != 0 && !modes->nearest;
  modes->exclude_outside = sonde_node_get_int (node, "exclude_outside", 0) != 0 && !modes->nearest;
  modes->a = sonde_node_get_float (node, "cubic_coeff_a", -0.75);
  modes->transform = find_transform (node);
  modes->crop = modes->transform == tf_crop_and_resize;
}

/* The filter is stretched when the image shrinks and antialiasing is wanted. */
static double
filter_scale (const Modes *modes, const Line *line)
{
  return modes->antialias ? fmin (line->scale, 1) : 1;
}

/* First tap relative to the place left of the coordinate; as many behind it as before. */
static int
first_tap (const Modes *modes, const Line *line)
{
  double support = (modes->cubic ? 2 : 1) / filter_scale (modes, line);

  return (int) floor (-fmin (support, 2 * line->in + 2)) + 1;
}

static void
set_weights (SondeResamplePass *pass, const Modes *modes, const Line *line, gint64 j, double x)
{
  double left = ceil (x) - 1; /* a whole coordinate is the right neighbour */
  double stretch = filter_scale (modes, line);
  double sum = 0;
  int first = first_tap (modes, line);

  for (int t = 0; t < pass->taps; t++)
    {
      double place = left + first + t;
      double distance = (place - x) * stretch;
      double weight
          = modes->cubic ? cubic_weight (distance, modes->a) : linear_weight (distance, 0);

      if (modes->exclude_outside && (place < 0 || place > line->in - 1))
        weight = 0;
      pass->at[t * pass->out + j] = (gint32) CLAMP (place, 0, line->in - 1);
      pass->weight[t * pass->out + j] = weight;
      sum += weight;
    }
  if (!(modes->exclude_outside || modes->antialias) || sum == 0)
    return;
  for (int t = 0; t < pass->taps; t++)
    pass->weight[t * pass->out + j] /= sum;
}

static int
count_repeats (const SondeResamplePass *pass)
{
  gint64 repeats = pass->out / pass->in;

  if (pass->outside != NULL || pass->out % pass->in != 0 || repeats > 64)
    return 0;
  for (gint64 j = 0; j < pass->out; j++)
    if (pass->at[j] != j / repeats)
      return 0;
  return (int) repeats;
}

static void
fill_pass (SondeResamplePass *pass, const Modes *modes, const Line *line)
{
  gsize n;

  pass->taps = modes->nearest ? 1 : 2 - 2 * first_tap (modes, line);
  n = (gsize) pass->out * (gsize) pass->taps;
  pass->at = g_new (gint32, n + 1);
  pass->weight = modes->nearest ? NULL : g_new (double, n + 1);
  pass->weight_f32 = modes->nearest ? NULL : g_new (float, n + 1);
  pass->outside = modes->crop ? g_new0 (guint8, pass->out + 1) : NULL;
  for (gint64 j = 0; j < pass->out; j++)
    {
      double x = modes->transform (line, (double) j);

      if (modes->crop)
        pass->outside[j] = !(x >= 0 && x <= line->in - 1);
      x = isnan (x) ? 0 : CLAMP (x, -4 * line->in - 8, 5 * line->in + 8);
      if (modes->nearest)
        pass->at[j]
            = (gint32) CLAMP (nearest_place (modes->nearest_mode, x, line->scale), 0, line->in - 1);
      else
        set_weights (pass, modes, line, j, x);
    }
  for (gsize i = 0; i < n && !modes->nearest; i++)
    pass->weight_f32[i] = (float) pass->weight[i];
  pass->repeats = modes->nearest ? count_repeats (pass) : 0;
}

static gboolean
is_identity (const Line *line)
{
  return line->in == line->out && fabs (line->scale - 1) <= 1e-9 && line->start == 0
         && line->end == 1;
}

/* Elements that passes in this order touch; those along the innermost dimension are gathered one by
 * one. */
static double
order_cost (const SondeResample *resample)
{
  double cost = 0;
  SondeShape now = resample->in;

  for (int i = 0; i < resample->n_passes; i++)
    {
      const SondeResamplePass *pass = &resample->passes[i];
      double elements = 1;

      now.dims[pass->axis] = pass->out;
      for (int d = 0; d < now.rank; d++)
        elements *= (double) now.dims[d];
      cost += elements * pass->taps * (pass->axis == now.rank - 1 ? GATHER_COST : 1);
    }
  return cost;
}

static void
swap_passes (SondeResample *resample, int a, int b)
{
  SondeResamplePass pass = resample->passes[a];

  resample->passes[a] = resample->passes[b];
  resample->passes[b] = pass;
}

/* Neighbours change places as long as that makes it cheaper. */
static void
sort_passes (SondeResample *resample)
{
  double best = order_cost (resample);
  gboolean better = TRUE;

  while (better)
    {
      better = FALSE;
      for (int i = 1; i < resample->n_passes; i++)
        {
          double cost;

          swap_passes (resample, i - 1, i);
          cost = order_cost (resample);
          if (cost < best)
            {
              best = cost;
              better = TRUE;
            }
          else
            swap_passes (resample, i - 1, i);
        }
    }
}

static void
place_passes (SondeResample *resample)
{
  SondeShape now = resample->in;

  resample->largest = sonde_shape_n_elements (&now);
  for (int i = 0; i < resample->n_passes; i++)
    {
      SondeResamplePass *pass = &resample->passes[i];

      pass->outer = pass->inner = 1;
      for (int d = 0; d < pass->axis; d++)
        pass->outer *= now.dims[d];
      for (int d = pass->axis + 1; d < now.rank; d++)
        pass->inner *= now.dims[d];
      now.dims[pass->axis] = pass->out;
      resample->largest = MAX (resample->largest, sonde_shape_n_elements (&now));
    }
}

void
sonde_resample_init (SondeResample *resample, const SondeNode *node, const SondeShape *in,
                     const SondeShape *out, const SondeResampleSizes *sizes)
{
  Modes modes;

  memset (resample, 0, sizeof *resample);
  read_modes (node, &modes);
  resample->nearest = modes.nearest;
  resample->extrapolation = sonde_node_get_float (node, "extrapolation_value", 0);
  resample->in = *in;
  resample->out = *out;
  for (int d = 0; d < in->rank; d++)
    {
      Line line = { (double) in->dims[d], (double) out->dims[d], sizes->scale[d], sizes->start[d],
                    sizes->end[d] };
      SondeResamplePass *pass = &resample->passes[resample->n_passes];

      /* Numbers of this run that do not lead to the planned size. */
      if (!(line.scale > 0) || fabs (line.scale * line.in - line.out) > 1.5)
        line.scale = line.out / line.in;
      if (is_identity (&line))
        continue;
      pass->axis = d;
      pass->in = in->dims[d];
      pass->out = out->dims[d];
      fill_pass (pass, &modes, &line);
      resample->n_passes++;
    }
  sort_passes (resample);
  place_passes (resample);
}

void
sonde_resample_clear (SondeResample *resample)
{
  for (int i = 0; i < resample->n_passes; i++)
    {
      g_free (resample->passes[i].at);
      g_free (resample->passes[i].weight);
      g_free (resample->passes[i].weight_f32);
      g_free (resample->passes[i].outside);
    }
  resample->n_passes = 0;
}
