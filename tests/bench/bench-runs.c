/* SPDX-License-Identifier: Apache-2.0
 * The run store on a large run: first opening (read, check, index), second opening (index only),
 * and the queries of a chart's frame. */
#include <stdio.h>

#include "data/base/sonde-clock.h"
#include "tests/data/runs/run-files.h"

#define MAX_TAGS 10u
#define WIDTH 1200 /* pixels of the chart */

typedef struct
{
  guint n_steps, n_tags;
} Size;

static const Size sizes[] = { { 1000000, 1 }, { 1000000, 10 } };

static double
ms_since (gint64 start)
{
  return (double) (sonde_clock_monotonic_ns (NULL) - start) / 1e6;
}

static const char *
tag_name (guint tag)
{
  g_autofree char *name = g_strdup_printf ("train/metric-%02u", tag);

  return g_intern_string (name);
}

/* Random values that a float32 training would write, times that jitter. */
static double
write_run (const char *folder, const Size *size)
{
  RunFile *file = run_file_new (1, "%s/run/records/000001.sonde", folder);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  SondeScalar scalars[MAX_TAGS];
  guint64 written = 0;

  for (guint i = 0; i < size->n_tags; i++)
    scalars[i].tag = tag_name (i);
  for (guint step = 0; step < size->n_steps; step++)
    {
      SondeRecord record = { .kind = SONDE_RECORD_SCALARS, .step = step };
      g_autoptr (GByteArray) frame = NULL;

      record.wall_time_ns
          = 1700000000000000000 + step * (gint64) 1000003 + g_rand_int_range (rand, 0, 9999);
      for (guint i = 0; i < size->n_tags; i++)
        scalars[i].value = (float) g_rand_double (rand);
      record.u.scalars.items = scalars;
      record.u.scalars.n = size->n_tags;
      frame = run_file_frame (file, &record);
      g_byte_array_append (bytes, frame->data, frame->len);
      if (bytes->len > 1 << 24 || step + 1 == size->n_steps)
        {
          run_file_write (file, bytes->data, bytes->len);
          written += bytes->len;
          g_byte_array_set_size (bytes, 0);
        }
    }
  run_file_free (file);
  return (double) written / 1e6;
}

/* All series over a part of the steps, as one frame of panning asks for them. */
static double
query_frame (SondeRun *run, const Size *size, double from, double to)
{
  gint64 start = sonde_clock_monotonic_ns (NULL);

  for (guint i = 0; i < size->n_tags; i++)
    {
      g_autoptr (GArray) buckets = sonde_series_query (sonde_run_get_series (run, tag_name (i)),
                                                       (gint64) (from * size->n_steps),
                                                       (gint64) (to * size->n_steps), WIDTH);

      g_assert (buckets->len > 0);
    }
  return ms_since (start);
}

static void
measure (const Size *size)
{
  char *folder = run_folder_new ();
  g_autofree char *index = g_build_filename (folder, "index", NULL);
  double megabytes = write_run (folder, size);

  printf ("%u points, %.0f MB of records\n", size->n_steps * size->n_tags, megabytes);
  for (int opening = 1; opening <= 2; opening++)
    {
      gint64 start = sonde_clock_monotonic_ns (NULL);
      g_autoptr (SondeRunStore) store = run_store_open (NULL, folder, index);
      double opened = ms_since (start);
      SondeRun *run = run_store_item (store, 0);
      double first = query_frame (run, size, 0, 1);
      double zoomed = query_frame (run, size, 0.2, 0.7);

      printf ("  opening %d: %.1f ms; first frame's queries %.2f ms, next %.2f ms\n", opening,
              opened, first, zoomed);
    }
  run_folder_remove (folder);
}

int
main (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    measure (&sizes[i]);
  return 0;
}
