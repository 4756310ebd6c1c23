/* SPDX-License-Identifier: Apache-2.0
 * Bicubic resizing as two products with matrices: TensorFlow takes its weights from a table of 1024
 * places, which no attribute of ONNX's Resize says. */
#include "data/models/tensorflow/sonde-tensorflow-cubic.h"

#include <float.h>
#include <math.h>

#define PLACES 1024

/* Weights of the elements within 1 and within 2 of a point that lies @place / 1024 beside. */
static float
weigh (float a, int place, gboolean far)
{
  double x = (double) place / PLACES;

  if (!far)
    return (float) ((((double) a + 2) * x - ((double) a + 3)) * x * x + 1);
  x += 1;
  return (float) ((((double) a * x - 5 * (double) a) * x + 8 * (double) a) * x - 4 * (double) a);
}

/* Row of the matrix for output @i: four elements. Those beyond the border count as it in the old
 * form; in the new one they do not count, and the others make up for them. */
static void
fill_row (float *row, gint64 in, gint64 i, float scale, gboolean half_pixel)
{
  float a = half_pixel ? -0.5f : -0.75f;
  float at = half_pixel ? ((float) i + 0.5f) * scale - 0.5f : (float) i * scale;
  gint64 first = (gint64) floorf (at);
  int place = (int) lrintf ((at - (float) first) * PLACES);
  const float weights[] = { weigh (a, place, TRUE), weigh (a, place, FALSE),
                            weigh (a, PLACES - place, FALSE), weigh (a, PLACES - place, TRUE) };
  float sum = 0;

  for (gint64 k = 0; k < 4; k++)
    {
      gint64 index = first - 1 + k;

      if (half_pixel && (index < 0 || index >= in))
        continue;
      row[CLAMP (index, 0, in - 1)] += weights[k];
      sum += weights[k];
    }
  for (gint64 k = 0; half_pixel && fabsf (sum) >= 1000 * FLT_MIN && k < in; k++)
    row[k] /= sum;
}

SondeTensor *
sonde_tensorflow_cubic_weights (gint64 in, gint64 out, gboolean align_corners, gboolean half_pixel)
{
  const SondeShape shape = sonde_shape_make (2, out, in);
  SondeTensor *weights = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  float scale
      = align_corners && out > 1 ? (float) (in - 1) / (float) (out - 1) : (float) in / (float) out;

  for (gint64 i = 0; i < out; i++)
    fill_row ((float *) (gpointer) weights->data + i * in, in, i, scale, half_pixel);
  return weights;
}
