/* SPDX-License-Identifier: Apache-2.0
 * What a scalar costs the thread that trains. Prints nanoseconds a scalar. */
#include "collector/writer/sonde-summary-writer.h"

#include <glib/gstdio.h>

#define N_STEPS 200000
#define N_ROUNDS 5

typedef struct
{
  const char *name;
  guint n_tags;       /* scalars a step */
  gboolean one_by_one;
  gint64 pause_every; /* steps after which the queue is emptied, as a training that computes between */
} Way;

static const Way ways[] = {
  { "one scalar a step", 1, TRUE, 2000 },
  { "four scalars a step, one by one", 4, TRUE, 2000 },
  { "four scalars a step, at once", 4, FALSE, 2000 },
  { "twenty scalars a step, at once", 20, FALSE, 2000 },
  { "one scalar a step, without a pause", 1, TRUE, N_STEPS },
};

/* Best of the rounds: the machine has other work, too. */
static void
measure (const Way  *way,
         const char *folder)
{
  SondeScalar scalars[20];
  double best = G_MAXDOUBLE;
  guint64 lost = 0;

  for (guint i = 0; i < G_N_ELEMENTS (scalars); i++)
    {
      g_autofree char *name = g_strdup_printf ("train/metric-%02u", i);

      scalars[i] = (SondeScalar) { g_intern_string (name), i };
    }
  for (guint round = 0; round < N_ROUNDS; round++)
    {
      g_autofree char *run = g_strdup_printf ("%s/%s-%u", folder, way->name, round);
      g_autoptr (GError) error = NULL;
      SondeSummaryWriter *writer = sonde_summary_writer_open (run, NULL, &error);
      SondeSummaryWriterState state;
      gint64 start, sum = 0;

      if (writer == NULL)
        g_error ("%s", error->message);
      sonde_summary_writer_flush (writer);
      for (gint64 step = 0; step < N_STEPS; step += way->pause_every)
        {
          start = sonde_clock_monotonic_ns (NULL);
          for (gint64 i = step; i < step + way->pause_every; i++)
            {
              if (!way->one_by_one)
                sonde_summary_writer_add_scalars (writer, i, scalars, way->n_tags);
              else
                for (guint k = 0; k < way->n_tags; k++)
                  sonde_summary_writer_add_scalar (writer, scalars[k].tag, i, scalars[k].value);
            }
          sum += sonde_clock_monotonic_ns (NULL) - start;
          sonde_summary_writer_flush (writer);
        }
      sonde_summary_writer_get_state (writer, &state);
      lost += state.lost_records;
      sonde_summary_writer_close (writer, NULL);
      best = MIN (best, (double) sum / (N_STEPS * way->n_tags));
    }
  g_print ("%-40s %7.1f ns a scalar, %" G_GUINT64_FORMAT " records lost\n", way->name, best, lost);
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
main (int   argc,
      char *argv[])
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-bench-writer-XXXXXX", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    measure (&ways[i], folder);
  remove_tree (folder);
  return 0;
}
