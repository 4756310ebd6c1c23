/* SPDX-License-Identifier: Apache-2.0
 * Random pointer and keys with a fixed seed over all pages of the window: no critical, no warning (the caller sets
 * G_DEBUG), and how its memory grows from a sixth of the time to the end.
 *   bench-random SECONDS [SEED] */
#include <stdio.h>
#include <stdlib.h>

#include "tests/app/pages/window-fixture.h"
#include "tests/support/sonde-test-hands.h"

#define PAGE_EVENTS 60 /* then another page */

typedef struct
{
  WindowFixture fixture;
  SondeTestHands *hands;
  GRand *random;
  guint n_events, n_pages;
} Monkey;

/* Keys that leave the window alone: none closes it or opens a file chooser. */
static const guint keys[]
    = { GDK_KEY_Tab, GDK_KEY_Left,  GDK_KEY_Right,  GDK_KEY_Up,        GDK_KEY_Down, GDK_KEY_Home,
        GDK_KEY_End, GDK_KEY_space, GDK_KEY_Escape, GDK_KEY_BackSpace, GDK_KEY_plus, GDK_KEY_minus,
        GDK_KEY_0,   GDK_KEY_a,     GDK_KEY_e,      GDK_KEY_1 };

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

static void
press_key (Monkey *monkey)
{
  guint key = keys[g_rand_int_range (monkey->random, 0, (int) G_N_ELEMENTS (keys))];
  gboolean shift = g_rand_int_range (monkey->random, 0, 4) == 0;

  if (shift)
    sonde_test_hands_key (monkey->hands, GDK_KEY_Shift_L, TRUE);
  sonde_test_hands_key (monkey->hands, key, TRUE);
  sonde_test_hands_key (monkey->hands, key, FALSE);
  if (shift)
    sonde_test_hands_key (monkey->hands, GDK_KEY_Shift_L, FALSE);
}

/* In the page, where nothing ends the program. */
static void
move (Monkey *monkey)
{
  GtkWidget *page = GTK_WIDGET (sonde_window_get_page (monkey->fixture.window));
  int width = MAX (gtk_widget_get_width (page), 2), height = MAX (gtk_widget_get_height (page), 2);

  sonde_test_hands_point (monkey->hands, page, g_rand_int_range (monkey->random, 0, width),
                          g_rand_int_range (monkey->random, 0, height));
}

static void
press_button (Monkey *monkey)
{
  static const guint buttons[] = { 1, 1, 1, 3, 4, 5, 4, 5 };
  guint button = buttons[g_rand_int_range (monkey->random, 0, (int) G_N_ELEMENTS (buttons))];

  sonde_test_hands_button (monkey->hands, button, TRUE);
  if (button == 1 && g_rand_int_range (monkey->random, 0, 3) == 0)
    move (monkey);
  sonde_test_hands_button (monkey->hands, button, FALSE);
}

static void
next_page (Monkey *monkey)
{
  guint n = 0;

  while (sonde_page_table[n].name != NULL)
    n++;
  sonde_window_show_page (monkey->fixture.window,
                          sonde_page_table[g_rand_int_range (monkey->random, 0, (int) n)].name,
                          NULL);
  sonde_test_hands_focus (monkey->hands, GTK_WINDOW (monkey->fixture.window));
  monkey->n_pages++;
}

static void
act (Monkey *monkey)
{
  if (monkey->n_events++ % PAGE_EVENTS == 0)
    next_page (monkey);
  switch (g_rand_int_range (monkey->random, 0, 4))
    {
    case 0:
      press_key (monkey);
      break;
    case 1:
      press_button (monkey);
      break;
    default:
      move (monkey);
    }
}

static gboolean
on_frame (GtkWidget *widget, GdkFrameClock *clock, void *user_data)
{
  act (user_data);
  gtk_widget_queue_draw (widget);
  return G_SOURCE_CONTINUE;
}

int
main (int argc, char **argv)
{
  Monkey monkey = { 0 };
  gint64 begun = g_get_monotonic_time (), time = argc > 1 ? atoi (argv[1]) * G_USEC_PER_SEC : 0;
  double early = 0;

  if (time <= 0 || !window_fixture_prepare ())
    {
      g_printerr ("Use: bench-random SECONDS [SEED], on an X server\n");
      return 2;
    }
  monkey.hands = sonde_test_hands_new ();
  if (monkey.hands == NULL)
    {
      g_printerr ("bench-random: there is no libXtst\n");
      return 2;
    }
  monkey.random = g_rand_new_with_seed (argc > 2 ? (guint32) atoi (argv[2]) : 1);
  window_fixture_init (&monkey.fixture);
  window_fixture_open (&monkey.fixture, "scalars");
  gtk_widget_add_tick_callback (GTK_WIDGET (monkey.fixture.window), on_frame, &monkey, NULL);
  while (g_get_monotonic_time () - begun < time)
    {
      g_main_context_iteration (NULL, TRUE);
      if (early == 0 && g_get_monotonic_time () - begun > time / 6)
        early = memory_mb ();
    }
  printf ("events %u\npages %u\nearly_mb %.1f\nend_mb %.1f\ngrowth %.3f\n", monkey.n_events,
          monkey.n_pages, early, memory_mb (), memory_mb () / early);
  return 0;
}
