/* SPDX-License-Identifier: Apache-2.0
 * What hidden windows show instead of the image. */
#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "explain/counterfactual/sonde-occlusion-settings.h"

/* One line of @n values, @step apart, convolved with the kernel of 2·@radius + 1 weights, ends
 * repeated. */
static void
blur_line (const float *from, float *to, gint64 n, gint64 step, const double *kernel, gint64 radius,
           double *line)
{
  for (gint64 i = -radius; i < n + radius; i++)
    line[i + radius] = from[CLAMP (i, 0, n - 1) * step];
  for (gint64 i = 0; i < n; i++)
    {
      double sum = 0.0;

      for (gint64 k = 0; k <= 2 * radius; k++)
        sum += kernel[k] * line[i + k];
      to[i * step] = (float) sum;
    }
}

static double *
make_kernel (double sigma, gint64 *radius)
{
  double *kernel, sum = 0.0;

  *radius = (gint64) (4.0 * sigma + 0.5);
  kernel = g_new (double, 2 * *radius + 1);
  for (gint64 k = -*radius; k <= *radius; k++)
    sum += kernel[k + *radius] = exp (-0.5 * (double) (k * k) / (sigma * sigma));
  for (gint64 k = 0; k <= 2 * *radius; k++)
    kernel[k] /= sum;
  return kernel;
}

SondeTensor *
sonde_occlusion_blur (SondeTensor *image, double sigma)
{
  g_autoptr (SondeTensor) from = sonde_tensor_contiguous (image);
  SondeTensor *result = sonde_tensor_new (SONDE_DTYPE_F32, &image->shape);
  gint64 channels = image->shape.dims[0], height = image->shape.dims[1],
         width = image->shape.dims[2], radius;
  g_autofree double *kernel = make_kernel (sigma, &radius);
  g_autofree double *line = g_new (double, MAX (height, width) + 2 * radius);

  for (gint64 c = 0; c < channels; c++)
    {
      const float *in = (const float *) (const void *) from->data + c * height * width;
      float *out = (float *) (void *) result->data + c * height * width;

      for (gint64 x = 0; x < width; x++)
        blur_line (in + x, out + x, height, width, kernel, radius, line);
      for (gint64 y = 0; y < height; y++)
        blur_line (out + y * width, out + y * width, width, 1, kernel, radius, line);
    }
  return result;
}

/* "V" or "R,G,B": one value a channel. */
static SondeTensor *
fill_mask (const char *text, SondeTensor *image, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  guint n = g_strv_length (parts);
  gint64 channels = image->shape.dims[0], pixels = image->shape.dims[1] * image->shape.dims[2];
  g_autoptr (SondeTensor) mask = sonde_tensor_new (SONDE_DTYPE_F32, &image->shape);
  gboolean good = n == 1 || n == (guint) channels;

  for (gint64 c = 0; good && c < channels; c++)
    {
      const char *part = parts[n == 1 ? 0 : c];
      char *end;
      double value = g_ascii_strtod (part, &end);

      good = end != part && *end == '\0' && isfinite (value);
      for (gint64 i = 0; i < pixels; i++)
        ((float *) (void *) mask->data)[c * pixels + i] = (float) value;
    }
  if (good)
    return g_steal_pointer (&mask);
  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
      "mask=%s: must be auto, gaussian:SIGMA, one number, or a number for each of the %" PRIi64
      " channels, separated by commas.",
      text, channels);
  return NULL;
}

SondeTensor *
sonde_occlusion_mask_new (const char *text, SondeTensor *image, char **name, GError **error)
{
  gint64 side = MIN (image->shape.dims[1], image->shape.dims[2]);
  char number[G_ASCII_DTOSTR_BUF_SIZE], *end = NULL;
  double sigma = 0.0;

  if (g_str_equal (text, "auto"))
    sigma = side < 56 ? fmax (1.0, (double) side / 16.0) : nearbyint ((double) side / 25.0);
  else if (g_str_has_prefix (text, "gaussian:"))
    {
      sigma = g_ascii_strtod (text + strlen ("gaussian:"), &end);
      if (end == text + strlen ("gaussian:") || *end != '\0' || !(sigma > 0 && sigma <= 4096))
        {
          sonde_set_error (
              error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
              "mask=%s: gaussian: must be followed by σ in pixels, above 0 and at most 4096.",
              text);
          return NULL;
        }
    }
  if (name != NULL)
    *name = sigma > 0 ? g_strconcat (
                "gaussian:", g_ascii_formatd (number, sizeof number, "%.9g", sigma), NULL)
                      : g_strdup (text);
  return sigma > 0 ? sonde_occlusion_blur (image, sigma) : fill_mask (text, image, error);
}
