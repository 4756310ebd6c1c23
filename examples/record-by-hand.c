/* SPDX-License-Identifier: Apache-2.0
 * Any C program can record for Sonde: this one fits a line to noisy points by gradient descent and
 * writes its loss, its parameters, the residuals' distribution and a picture. No engine is
 * involved.
 *
 *   record-by-hand [RUN]      writes RUN (default: runs/by-hand)
 *   sonde RUN                 shows it; while it runs, too
 */
#include <locale.h>
#include <math.h>

#include "collector/writer/sonde-policy.h"
#include "collector/writer/sonde-summary-writer.h"

#define N_POINTS 256
#define N_STEPS 200
#define LEARNING_RATE 0.1
#define SIDE 64

/* y = 2x − 1 with a little noise that is the same each time. */
static void
make_points (double *x, double *y)
{
  for (int i = 0; i < N_POINTS; i++)
    {
      x[i] = 2.0 * i / (N_POINTS - 1) - 1;
      y[i] = 2 * x[i] - 1 + 0.1 * sin (i * 12.9898) * cos (i * 78.233);
    }
}

/* The points and the line through them, bottom left (−1, −3), top right (1, 1). */
static SondeImage *
draw (const double *x, const double *y, double slope, double offset)
{
  SondeImage *image = sonde_image_new (SIDE, SIDE, 1);

  for (int i = 0; i < N_POINTS; i++)
    {
      int column = (int) ((x[i] + 1) / 2 * (SIDE - 1));
      int point = (int) ((1 - y[i]) / 4 * (SIDE - 1));
      int line = (int) ((1 - (slope * x[i] + offset)) / 4 * (SIDE - 1));

      image->pixels[CLAMP (point, 0, SIDE - 1) * SIDE + column] = 128;
      image->pixels[CLAMP (line, 0, SIDE - 1) * SIDE + column] = 255;
    }
  return image;
}

static void
record_distribution (SondeSummaryWriter *writer, gint64 step, const double *residuals)
{
  const SondeShape shape = sonde_shape_make (1, N_POINTS);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_F64, &shape, residuals);
  SondeHistogram histogram;

  sonde_histogram_init (&histogram);
  sonde_histogram_add (&histogram, tensor);
  sonde_summary_writer_add_histogram (writer, "residuals", step, &histogram);
}

static void
fit (SondeSummaryWriter *writer)
{
  double x[N_POINTS], y[N_POINTS], residuals[N_POINTS];
  double slope = 0, offset = 0;
  SondePolicy policy;

  make_points (x, y);
  sonde_policy_init (&policy, 20, 0);
  for (gint64 step = 1; step <= N_STEPS; step++)
    {
      double loss = 0, slope_gradient = 0, offset_gradient = 0;

      for (int i = 0; i < N_POINTS; i++)
        {
          residuals[i] = slope * x[i] + offset - y[i];
          loss += residuals[i] * residuals[i] / N_POINTS;
          slope_gradient += 2 * residuals[i] * x[i] / N_POINTS;
          offset_gradient += 2 * residuals[i] / N_POINTS;
        }
      slope -= LEARNING_RATE * slope_gradient;
      offset -= LEARNING_RATE * offset_gradient;

      /* All scalars of a step at once: they travel in one record. */
      sonde_summary_writer_add_scalars (writer, step,
                                        (const SondeScalar[]){ { "loss", loss },
                                                               { "line/slope", slope },
                                                               { "line/offset", offset } },
                                        3);
      if (sonde_policy_wants (&policy, step, sonde_clock_monotonic_ns (NULL)))
        {
          g_autoptr (SondeImage) image = draw (x, y, slope, offset);

          record_distribution (writer, step, residuals);
          sonde_summary_writer_add_image (writer, "fit", step, 0, image, NULL);
        }
    }
}

int
main (int argc, char *argv[])
{
  const SondeSummaryWriterOptions options = { .program = "record-by-hand" };
  const SondeHparam hparams[]
      = { { (char *) "learning-rate", (char *) "0.1" }, { (char *) "steps", (char *) "200" } };
  g_autoptr (GError) error = NULL;
  SondeSummaryWriter *writer;
  g_autofree char *path = NULL;

  setlocale (LC_ALL, "");
  writer = sonde_summary_writer_open (argc > 1 ? argv[1] : "runs/by-hand", &options, &error);
  if (writer != NULL)
    {
      path = g_strdup (sonde_summary_writer_get_path (writer));
      sonde_summary_writer_add_hparams (writer, hparams, G_N_ELEMENTS (hparams));
      sonde_summary_writer_add_text (writer, "about", 0,
                                     "A line fitted to 256 points by gradient descent.");
      fit (writer);
      sonde_summary_writer_close (writer, &error);
    }
  if (error != NULL)
    {
      g_printerr ("%s\n", error->message);
      return 1;
    }
  g_print ("Recorded %s\n", path);
  return 0;
}
