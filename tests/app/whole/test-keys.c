/* SPDX-License-Identifier: Apache-2.0
 * Every page by the keyboard alone: Tab leads through all that can be pressed, out of the page and round the window,
 * and Shift+Tab leads back. */
#include "app/sidebar/sonde-page-list.h"
#include "tests/app/whole/whole-fixture.h"
#include "tests/support/sonde-test-hands.h"

/* More stops than any page has; who needs more is caught somewhere. */
#define MOST_STOPS 150

typedef struct
{
  WindowFixture fixture;
  SondeTestHands *hands;
} Keys;

static gboolean
has_moved (WindowFixture *fixture, const void *before)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (fixture->window));

  return focus != NULL && focus != before;
}

static GtkWidget *
press_tab (Keys *keys, gboolean back)
{
  GtkWindow *window = GTK_WINDOW (keys->fixture.window);
  GtkWidget *before = gtk_window_get_focus (window);

  if (back)
    sonde_test_hands_key (keys->hands, GDK_KEY_Shift_L, TRUE);
  sonde_test_hands_key (keys->hands, GDK_KEY_Tab, TRUE);
  sonde_test_hands_key (keys->hands, GDK_KEY_Tab, FALSE);
  if (back)
    sonde_test_hands_key (keys->hands, GDK_KEY_Shift_L, FALSE);
  window_fixture_wait (&keys->fixture, has_moved, before);
  return gtk_window_get_focus (window);
}

/* Presses until the focus is inside the page, or a part of the window, or outside. */
static guint
walk_until (Keys *keys, GtkWidget *page, gboolean inside, gboolean back)
{
  GtkWidget *focus = NULL;
  guint n = 0;

  do
    focus = press_tab (keys, back);
  while (gtk_widget_is_ancestor (focus, page) != inside && ++n < MOST_STOPS);
  if (n == MOST_STOPS)
    g_error ("%s%s: the focus stays in %s", G_OBJECT_TYPE_NAME (page), back ? ", back" : "",
             G_OBJECT_TYPE_NAME (focus));
  return n + 1;
}

/* From nothing, as when what had the focus has gone: the first press leads into the page. */
static void
walk_page (Keys *keys, GtkWidget *page)
{
  guint n_forth, n_back;

  gtk_window_set_focus (GTK_WINDOW (keys->fixture.window), NULL);
  g_assert_cmpuint (walk_until (keys, page, TRUE, FALSE), ==, 1);
  n_forth = walk_until (keys, page, FALSE, FALSE);
  walk_until (keys, page, TRUE, TRUE);
  n_back = walk_until (keys, page, FALSE, TRUE);
  walk_until (keys, window_fixture_find (GTK_WIDGET (keys->fixture.window), SONDE_TYPE_PAGE_LIST),
              TRUE, FALSE);
  g_test_message ("%u stops, %u back", n_forth, n_back);
}

static void
test_page (gconstpointer data)
{
  const SondePageInfo *info = data;
  Keys keys = { 0 };

  whole_fixture_open (&keys.fixture, info->name);
  keys.hands = sonde_test_hands_new ();
  if (keys.hands == NULL)
    g_test_skip ("There is no libXtst.");
  else
    {
      sonde_test_hands_focus (keys.hands, GTK_WINDOW (keys.fixture.window));
      walk_page (&keys, GTK_WIDGET (sonde_window_get_page (keys.fixture.window)));
      sonde_test_hands_free (keys.hands);
    }
  window_fixture_clear (&keys.fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  for (const SondePageInfo *info = sonde_page_table; info->name != NULL; info++)
    {
      g_autofree char *path = g_strdup_printf ("/app/whole/keys/%s", info->name);

      g_test_add_data_func (path, info, test_page);
    }
  return g_test_run ();
}
