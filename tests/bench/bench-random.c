/* SPDX-License-Identifier: Apache-2.0
 * Random pointer and keys with a fixed seed over all pages of the window: no critical, no warning (the caller sets
 * G_DEBUG), and how its memory grows from a sixth of the time to the end, both times when a round of the pages begins:
 * what a page holds while it is in sight is not what stays. On standard error each minute of what it is.
 *   bench-random SECONDS [SEED [PAGE…]] */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/app/whole/random-input.h"
#include "tests/app/whole/whole-fixture.h"

#define EVENTS_ON_A_PAGE 60
#define MEBI (1024.0 * 1024)

static double
memory_mb (void)
{
  g_autofree char *text = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &text, NULL, NULL))
    return 0;
  line = strstr (text, "VmRSS:");
  return line != NULL ? g_ascii_strtod (line + strlen ("VmRSS:"), NULL) / 1024 : 0;
}

static gboolean
tell_memory (gpointer data)
{
  guint *minute = data;
  struct mallinfo2 heap = mallinfo2 ();

  g_printerr ("minute %u: %.1f MB, of the heap %.1f MB in use, %.1f MB free\n", ++*minute,
              memory_mb (), (double) (heap.uordblks + heap.hblkhd) / MEBI,
              (double) heap.fordblks / MEBI);
  return G_SOURCE_CONTINUE;
}

typedef struct
{
  guint n_rounds;
  double early_mb, end_mb; /* 0: not yet */
} Growth;

static void
look (Growth *growth, RandomInput *input, gboolean is_early)
{
  guint n_rounds = random_input_get_n_rounds (input);

  if (n_rounds == growth->n_rounds)
    return;
  growth->n_rounds = n_rounds;
  if (is_early)
    return;
  growth->end_mb = memory_mb ();
  if (growth->early_mb == 0)
    growth->early_mb = growth->end_mb;
}

/* All are pages. */
static gboolean
are_pages (char **names)
{
  for (; *names != NULL; names++)
    if (sonde_page_info_find (*names) == NULL)
      return FALSE;
  return TRUE;
}

int
main (int argc, char **argv)
{
  WindowFixture fixture = { 0 };
  g_autoptr (RandomInput) input = NULL;
  gint64 begun = g_get_monotonic_time (),
         time = argc > 1 ? g_ascii_strtoll (argv[1], NULL, 10) * G_USEC_PER_SEC : 0;
  guint minute = 0, source;
  Growth growth = { 0 };

  if (time <= 0 || (argc > 3 && !are_pages (argv + 3)) || !window_fixture_prepare ())
    {
      g_printerr ("Use: bench-random SECONDS [SEED [PAGE…]], on an X server\n");
      return 2;
    }
  random_input_know_warnings ();
  whole_fixture_open (&fixture, "overview");
  input = random_input_new (&fixture, argc > 2 ? (guint32) atoi (argv[2]) : 1, EVENTS_ON_A_PAGE,
                            argc > 3 ? (const char *const *) argv + 3 : NULL);
  if (input == NULL)
    {
      g_printerr ("bench-random: there is no libXtst\n");
      return 2;
    }
  source = g_timeout_add_seconds (60, tell_memory, &minute);
  while (g_get_monotonic_time () - begun < time)
    {
      g_main_context_iteration (NULL, TRUE);
      look (&growth, input, g_get_monotonic_time () - begun < time / 6);
    }
  if (growth.early_mb == growth.end_mb)
    g_printerr ("bench-random: too short for two rounds of the pages\n");
  printf ("events %u\npages %u\nearly_mb %.1f\nend_mb %.1f\ngrowth %.3f\n",
          random_input_get_n_events (input), random_input_get_n_pages (input), growth.early_mb,
          growth.end_mb, growth.end_mb / MAX (growth.early_mb, 1));
  g_source_remove (source);
  g_clear_pointer (&input, random_input_free);
  window_fixture_clear (&fixture);
  return 0;
}
