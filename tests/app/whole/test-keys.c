/* SPDX-License-Identifier: Apache-2.0
 * Every page by the keyboard alone: Tab leads through all that can be pressed, out of the page and round the window,
 * and Shift+Tab leads back; F6 leads from pane to pane, and arrows move inside them. */
#include "app/sidebar/sonde-page-list.h"
#include "app/sidebar/sonde-run-list.h"
#include "app/sonde-status-bar.h"
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

/* Waits until something else has the focus. @modifier: another key, or 0 */
static GtkWidget *
press_moving (Keys *keys, guint key, guint modifier, gboolean back)
{
  GtkWindow *window = GTK_WINDOW (keys->fixture.window);
  GtkWidget *before = gtk_window_get_focus (window);

  if (modifier != 0)
    sonde_test_hands_key (keys->hands, modifier, TRUE);
  if (back)
    sonde_test_hands_key (keys->hands, GDK_KEY_Shift_L, TRUE);
  sonde_test_hands_key (keys->hands, key, TRUE);
  sonde_test_hands_key (keys->hands, key, FALSE);
  if (back)
    sonde_test_hands_key (keys->hands, GDK_KEY_Shift_L, FALSE);
  if (modifier != 0)
    sonde_test_hands_key (keys->hands, modifier, FALSE);
  window_fixture_wait (&keys->fixture, has_moved, before);
  return gtk_window_get_focus (window);
}

static GtkWidget *
press_tab (Keys *keys, gboolean back)
{
  return press_moving (keys, GDK_KEY_Tab, 0, back);
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

/* ---- panes --------------------------------------------------------------- */

typedef enum
{
  PANE_PAGES,
  PANE_RUNS,
  PANE_PAGE,
  PANE_STATUS,
  PANE_NONE,
} Pane;

static Pane
find_pane (Keys *keys)
{
  GtkWidget *window = GTK_WIDGET (keys->fixture.window),
            *focus = gtk_window_get_focus (GTK_WINDOW (window));
  GtkWidget *panes[] = { [PANE_PAGES] = window_fixture_find (window, SONDE_TYPE_PAGE_LIST),
                         [PANE_RUNS] = window_fixture_find (window, SONDE_TYPE_RUN_LIST),
                         [PANE_PAGE] = GTK_WIDGET (sonde_window_get_page (keys->fixture.window)),
                         [PANE_STATUS] = window_fixture_find (window, SONDE_TYPE_STATUS_BAR) };

  for (Pane i = 0; i < PANE_NONE; i++)
    if (gtk_widget_is_ancestor (focus, panes[i]))
      return i;
  return PANE_NONE;
}

/* In the list of pages an arrow goes to the row beside, and back; Tab leaves the rows at once. */
static void
walk_rows (Keys *keys)
{
  GtkWidget *row = gtk_window_get_focus (GTK_WINDOW (keys->fixture.window));
  gboolean is_last = gtk_widget_get_next_sibling (row) == NULL;

  g_assert_true (GTK_IS_LIST_BOX_ROW (row));
  g_assert_true (
      GTK_IS_LIST_BOX_ROW (press_moving (keys, is_last ? GDK_KEY_Up : GDK_KEY_Down, 0, FALSE)));
  g_assert_cmpint (find_pane (keys), ==, PANE_PAGES);
  g_assert_true (press_moving (keys, is_last ? GDK_KEY_Down : GDK_KEY_Up, 0, FALSE) == row);
  g_assert_false (GTK_IS_LIST_BOX_ROW (press_tab (keys, FALSE)) && find_pane (keys) == PANE_PAGES);
  g_assert_true (press_tab (keys, TRUE) == row);
}

/* Round the window and back again; each pane once. @modifier: Ctrl, or 0 */
static void
walk_panes (Keys *keys, guint modifier)
{
  Pane round[PANE_NONE + 1], pane;
  guint n = 0, visits[PANE_NONE + 1] = { 0 };

  gtk_widget_child_focus (GTK_WIDGET (sonde_window_get_page (keys->fixture.window)),
                          GTK_DIR_TAB_FORWARD);
  g_assert_cmpint (find_pane (keys), ==, PANE_PAGE);
  do
    {
      press_moving (keys, GDK_KEY_F6, modifier, FALSE);
      round[n++] = pane = find_pane (keys);
      visits[pane]++;
      if (pane == PANE_PAGES)
        walk_rows (keys);
    }
  while (pane != PANE_PAGE && n < PANE_NONE);
  g_assert_cmpuint (visits[PANE_PAGES], ==, 1);
  g_assert_cmpuint (visits[PANE_RUNS], ==, 1);
  g_assert_cmpuint (visits[PANE_PAGE], ==, 1);
  g_assert_cmpuint (visits[PANE_NONE], ==, 0);
  for (guint i = n; i-- > 0;)
    {
      press_moving (keys, GDK_KEY_F6, modifier, TRUE);
      g_assert_cmpint (find_pane (keys), ==, i > 0 ? round[i - 1] : PANE_PAGE);
    }
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
      walk_panes (&keys, GDK_KEY_Control_L);
      /* There F6 pauses. */
      if (!g_str_equal (info->name, "debugger"))
        walk_panes (&keys, 0);
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
