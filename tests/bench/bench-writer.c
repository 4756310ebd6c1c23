/* SPDX-License-Identifier: Apache-2.0
 * What recording costs the thread that trains, and bytes on the disk. `--json`: one object a line,
 * for tests/bench/writer-peers.py. */
#include "collector/writer/sonde-summary-writer.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#define N_ROUNDS 5
#define MANY 1000000 /* floats of the histogram */
#define SIDE 224

/* @calls: of a round; @pause_every: calls after which the queue is emptied, as a training that
 * computes between;
 * @scalars: of a call, for the bytes */
typedef struct
{
  const char *name;
  void (*call) (SondeSummaryWriter *writer, gint64 step);
  guint calls, pause_every, scalars;
} Way;

static float *numbers;
static SondeScalar scalars[20];

static void
add_one (SondeSummaryWriter *writer, gint64 step)
{
  sonde_summary_writer_add_scalar (writer, scalars[0].tag, step, 1.5);
}

static void
add_ten_one_by_one (SondeSummaryWriter *writer, gint64 step)
{
  sonde_summary_writer_add_scalar (writer, scalars[step % 10].tag, step / 10, 1.5);
}

static void
add_ten (SondeSummaryWriter *writer, gint64 step)
{
  sonde_summary_writer_add_scalars (writer, step, scalars, 10);
}

static void
add_values (SondeSummaryWriter *writer, gint64 step)
{
  sonde_summary_writer_add_values (writer, "h", step, SONDE_DTYPE_F32, numbers, MANY);
}

static void
add_pixels (SondeSummaryWriter *writer, gint64 step)
{
  sonde_summary_writer_add_pixels (writer, "i", step, 0, SONDE_DTYPE_F32, SONDE_PIXELS_CHW, numbers,
                                   3, SIDE, SIDE, NULL);
}

static const Way ways[] = {
  { "scalar", add_one, 200000, 2000, 1 },
  { "scalar_without_a_pause", add_one, 200000, 200000, 1 },
  { "ten_scalars_one_by_one", add_ten_one_by_one, 200000, 2000, 1 },
  { "ten_scalars_at_once", add_ten, 50000, 500, 10 },
  { "histogram_1e6", add_values, 20, 1, 0 },
  { "histograms_in_a_row", add_values, 10, 10, 0 },
  { "image_3x224x224", add_pixels, 40, 1, 0 },
};

typedef struct
{
  double mean_ns, p999_ns, bytes;
} Cost;

static int
compare (const void *a, const void *b)
{
  return (*(const gint64 *) a > *(const gint64 *) b) - (*(const gint64 *) a < *(const gint64 *) b);
}

/* Mean of calls in a row and, in a second pass, each call by itself: the clock costs as much as a
 * scalar. */
static Cost
measure_once (const Way *way, const char *run)
{
  g_autoptr (GError) error = NULL;
  SondeSummaryWriter *writer = sonde_summary_writer_open (run, NULL, &error);
  g_autofree gint64 *single = g_new (gint64, way->calls);
  gint64 step = 0, sum = 0, start;
  SondeSummaryWriterState state;
  Cost cost;

  if (writer == NULL)
    g_error ("%s", error->message);
  way->call (writer, step++);
  sonde_summary_writer_flush (writer);
  for (guint i = 0; i < way->calls; i += way->pause_every)
    {
      start = sonde_clock_monotonic_ns (NULL);
      for (guint k = 0; k < way->pause_every; k++)
        way->call (writer, step++);
      sum += sonde_clock_monotonic_ns (NULL) - start;
      sonde_summary_writer_flush (writer);
    }
  for (guint i = 0; i < way->calls; i++)
    {
      start = sonde_clock_monotonic_ns (NULL);
      way->call (writer, step++);
      single[i] = sonde_clock_monotonic_ns (NULL) - start;
      if (i % way->pause_every == 0)
        sonde_summary_writer_flush (writer);
    }
  sonde_summary_writer_flush (writer);
  sonde_summary_writer_get_state (writer, &state);
  if (state.lost_records > 0)
    g_printerr ("%s: %" G_GUINT64_FORMAT " records lost\n", way->name, state.lost_records);
  qsort (single, way->calls, sizeof *single, compare);
  cost.mean_ns = (double) sum / way->calls;
  cost.p999_ns = (double) single[MIN (way->calls * 999 / 1000, way->calls - 1)];
  cost.bytes = (double) state.written_bytes / (double) step / MAX (way->scalars, 1);
  sonde_summary_writer_close (writer, NULL);
  return cost;
}

static void
measure (const Way *way, const char *folder, gboolean json)
{
  Cost best = { G_MAXDOUBLE, G_MAXDOUBLE, 0 };

  /* Best of the rounds: the machine has other work, too. */
  for (guint round = 0; round < N_ROUNDS; round++)
    {
      g_autofree char *run = g_strdup_printf ("%s/%s-%u", folder, way->name, round);
      Cost cost = measure_once (way, run);

      best.mean_ns = MIN (best.mean_ns, cost.mean_ns);
      best.p999_ns = MIN (best.p999_ns, cost.p999_ns);
      best.bytes = cost.bytes;
    }
  if (json)
    g_print ("{\"what\": \"%s\", \"mean_us\": %.4f, \"p999_us\": %.3f, \"bytes\": %.1f}\n",
             way->name, best.mean_ns / 1e3, best.p999_ns / 1e3, best.bytes);
  else
    g_print ("%-26s %10.3f us a call, p99.9 %9.3f us, %10.1f bytes\n", way->name,
             best.mean_ns / 1e3, best.p999_ns / 1e3, best.bytes);
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      remove_tree (child);
    }
  g_remove (path);
}

int
main (int argc, char *argv[])
{
  gboolean json = argc > 1 && g_str_equal (argv[1], "--json");
  g_autofree char *folder = g_dir_make_tmp ("sonde-bench-writer-XXXXXX", NULL);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);

  numbers = g_new (float, MANY);
  for (gsize i = 0; i < MANY; i++)
    numbers[i] = (float) g_rand_double (random);
  for (guint i = 0; i < G_N_ELEMENTS (scalars); i++)
    {
      g_autofree char *name = g_strdup_printf ("train/metric-%02u", i);

      scalars[i] = (SondeScalar){ g_intern_string (name), i };
    }
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    measure (&ways[i], folder, json);
  g_free (numbers);
  remove_tree (folder);
  return 0;
}
