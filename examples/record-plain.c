/* SPDX-License-Identifier: Apache-2.0
 * Records a logistic regression with the plain C interface alone: one header, one library
 *   (libsonde-record). cc record-plain.c -lsonde-record -lm && ./a.out runs/plain && sonde
 *   runs/plain
 * Use: record-plain RUN [FORMAT] */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/writer/sonde-recorder.h" /* installed as <sonde/sonde-recorder.h> */

#define N_POINTS 400
#define N_STEPS 150
#define RATE 0.5
#define SIDE 64

/* Points of two classes in the plane, and what the model makes of them. */
static float x[N_POINTS][2], predictions[N_POINTS], errors[N_POINTS];
static uint8_t labels[N_POINTS];
static double weights[3];

static double
uniform (uint32_t *state)
{
  *state = *state * 1664525u + 1013904223u;
  return (double) *state / 4294967296.0;
}

static void
make_points (void)
{
  uint32_t state = 1;

  for (int i = 0; i < N_POINTS; i++)
    {
      labels[i] = (uint8_t) (i % 2);
      for (int k = 0; k < 2; k++)
        x[i][k]
            = (float) (2 * uniform (&state) + 2 * uniform (&state) - 2 + (labels[i] ? 0.7 : -0.7));
    }
}

static double
predict (double a, double b)
{
  return 1 / (1 + exp (-(weights[0] * a + weights[1] * b + weights[2])));
}

/* One step of gradient descent. Returns the loss before it. */
static double
step_once (double *accuracy)
{
  double gradient[3] = { 0 }, loss = 0;
  int right = 0;

  for (int i = 0; i < N_POINTS; i++)
    {
      double p = predict (x[i][0], x[i][1]);

      predictions[i] = (float) p;
      errors[i] = (float) (p - labels[i]);
      loss -= log (labels[i] ? p : 1 - p) / N_POINTS;
      right += (p > 0.5) == labels[i];
      gradient[0] += errors[i] * x[i][0] / N_POINTS;
      gradient[1] += errors[i] * x[i][1] / N_POINTS;
      gradient[2] += errors[i] / N_POINTS;
    }
  for (int k = 0; k < 3; k++)
    weights[k] -= RATE * gradient[k];
  *accuracy = (double) right / N_POINTS;
  return loss;
}

/* The plane as the model sees it: [3, SIDE, SIDE] in [0, 1]. */
static void
record_plane (SondeRecorder *recorder, int64_t step)
{
  static float pixels[3][SIDE][SIDE];

  for (int row = 0; row < SIDE; row++)
    for (int column = 0; column < SIDE; column++)
      {
        float p = (float) predict (column * 6.0 / SIDE - 3, 3 - row * 6.0 / SIDE);

        pixels[0][row][column] = p;
        pixels[1][row][column] = 0.3f;
        pixels[2][row][column] = 1 - p;
      }
  sonde_recorder_add_image (recorder, "plane", step, 0, 0, SONDE_RECORDER_F32, pixels, 3, SIDE,
                            SIDE, 0);
}

static void
train (SondeRecorder *recorder)
{
  const char *const tags[] = { "loss", "accuracy" };

  for (int64_t step = 0; step < N_STEPS; step++)
    {
      double values[2];

      values[0] = step_once (&values[1]);
      sonde_recorder_add_scalars (recorder, step, 0, tags, values, 2);
      sonde_recorder_add_histogram (recorder, "errors", step, 0, SONDE_RECORDER_F32, errors,
                                    N_POINTS);
      sonde_recorder_add_statistics (recorder, "weights", step, 0, SONDE_RECORDER_F64, weights, 3);
      if (step % 50 == 0)
        record_plane (recorder, step);
    }
  sonde_recorder_add_pr_curve (recorder, "test", N_STEPS, 0, labels, predictions, NULL, N_POINTS,
                               101);
}

int
main (int argc, char *argv[])
{
  const char *const keys[] = { "rate", "optimiser" }, *const texts[]
                                                      = { "0.5", "gradient descent" };
  const SondeRecorderItemType types[] = { SONDE_RECORDER_NUMBER, SONDE_RECORDER_TEXT };
  const SondeRecorderOptions options
      = { .program = "record-plain", .format = argc > 2 ? argv[2] : "sonde" };
  char *error = NULL;
  SondeRecorder *recorder;
  int status;

  if (argc < 2)
    {
      fprintf (stderr, "Use: %s RUN [sonde|tensorboard|mindspore]\n", argv[0]);
      return 2;
    }
  recorder = sonde_recorder_open (argv[1], &options, &error);
  if (recorder == NULL)
    {
      fprintf (stderr, "%s\n", error);
      sonde_recorder_free_text (error);
      return 1;
    }
  printf ("%s\n", sonde_recorder_get_path (recorder));
  sonde_recorder_describe (recorder, "loss", "Loss", "Cross entropy of all points", "nats",
                           "quality");
  sonde_recorder_add_hparams (recorder, 0, keys, texts, types, 2, NULL);
  /* of the errors each tenth step is enough; scalars are recorded at every step */
  sonde_recorder_set_policy (recorder, "errors", 10, 0, 0);
  make_points ();
  train (recorder);
  status = sonde_recorder_close (recorder, &error);
  if (status != 0)
    fprintf (stderr, "%s\n", error);
  sonde_recorder_free_text (error);
  return status;
}
