/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/app/whole/random-input.h"

#include <glib/gstdio.h>

#include "tests/support/sonde-test-hands.h"

/* The last actions are told before a warning that nobody knows. */
#define TOLD 40

/* A dialog may keep all that comes on one page; it is closed with the page. */
#define MOST_PAGES_UNHEARD 3

struct _RandomInput
{
  SondeWindow *window; /* not owned */
  SondeTestHands *hands;
  GRand *random;
  char **pages;
  guint events_on_a_page, n_events, n_pages;
  GtkEventController *heard; /* of the window, which owns it */
  guint n_heard;             /* events that reached the window on this page */
  guint n_unheard;           /* pages on which none did, one after another */
  guint tick;
  char *told[TOLD]; /* a ring; each a sentence or NULL */
  guint n_told;
};

/* Whose actions are told; one at a time. */
static RandomInput *acting;

/* Keys that leave the window alone: none closes it. */
static const guint keys[]
    = { GDK_KEY_Tab,       GDK_KEY_Left, GDK_KEY_Right,  GDK_KEY_Up,    GDK_KEY_Down,
        GDK_KEY_Home,      GDK_KEY_End,  GDK_KEY_Return, GDK_KEY_space, GDK_KEY_Escape,
        GDK_KEY_BackSpace, GDK_KEY_plus, GDK_KEY_minus,  GDK_KEY_0,     GDK_KEY_a,
        GDK_KEY_e,         GDK_KEY_1,    GDK_KEY_F6,     GDK_KEY_Menu };

/* Of GTK 4.8 and GLib, by their exact text; at most ten, each with what brings it about. */
static const char *const known_warnings[] = {
  /* Shift and an arrow in an entry whose cursor blinks; GTK mends it itself */
  "GtkText - unexpected blinking selection. Removing",
  /* the wheel over a list whose rows are new and have no places before the next frame; it stays where it was */
  "GtkColumnListView failed to scroll to given position. Ignoring...",
  "GtkListView failed to scroll to given position. Ignoring...",
  /* a training that was started ends where no desktop shows notifications */
  "unable to send notifications through org.freedesktop.Notifications: "
  "GDBus.Error:org.freedesktop.DBus.Error.ServiceUnknown: "
  "The name org.freedesktop.Notifications was not provided by any .service files",
};

static gboolean
is_known (const GLogField *fields, gsize n)
{
  for (gsize i = 0; i < n; i++)
    for (gsize k = 0; k < G_N_ELEMENTS (known_warnings); k++)
      if (g_str_equal (fields[i].key, "MESSAGE")
          && g_strcmp0 (fields[i].value, known_warnings[k]) == 0)
        return TRUE;
  return FALSE;
}

static void
tell_actions (RandomInput *self)
{
  for (guint i = 0; i < TOLD; i++)
    {
      const char *action = self->told[(self->n_told + i) % TOLD];

      if (action != NULL)
        g_printerr ("%s\n", action);
    }
}

static GLogWriterOutput
write_log (GLogLevelFlags level, const GLogField *fields, gsize n, gpointer data)
{
  if (level <= G_LOG_LEVEL_WARNING && acting != NULL && !is_known (fields, n))
    tell_actions (acting);
  return is_known (fields, n) ? G_LOG_WRITER_HANDLED
                              : g_log_writer_default (level, fields, n, NULL);
}

void
random_input_know_warnings (void)
{
  g_log_set_writer_func (write_log, NULL, NULL);
}

/* What was done, and what had the keyboard then. */
static void note_action (RandomInput *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
note_action (RandomInput *self, const char *format, ...)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self->window));
  char **place = &self->told[self->n_told++ % TOLD];
  g_autofree char *action = NULL;
  va_list values;

  va_start (values, format);
  action = g_strdup_vprintf (format, values);
  va_end (values);
  g_free (*place);
  *place = g_strdup_printf ("event %u, %s, focus %s: %s", self->n_events,
                            G_OBJECT_TYPE_NAME (sonde_window_get_page (self->window)),
                            focus != NULL ? G_OBJECT_TYPE_NAME (focus) : "nowhere", action);
}

static guint
pick (RandomInput *self, const guint *table, gsize n)
{
  return table[g_rand_int_range (self->random, 0, (int) n)];
}

static void
press_key (RandomInput *self)
{
  guint key = pick (self, keys, G_N_ELEMENTS (keys));
  gboolean shift = g_rand_int_range (self->random, 0, 4) == 0;

  note_action (self, "%s%s", shift ? "Shift+" : "", gdk_keyval_name (key));
  if (shift)
    sonde_test_hands_key (self->hands, GDK_KEY_Shift_L, TRUE);
  sonde_test_hands_key (self->hands, key, TRUE);
  sonde_test_hands_key (self->hands, key, FALSE);
  if (shift)
    sonde_test_hands_key (self->hands, GDK_KEY_Shift_L, FALSE);
}

/* In the page, where nothing ends the program. */
static void
move (RandomInput *self)
{
  GtkWidget *page = GTK_WIDGET (sonde_window_get_page (self->window));
  int x = g_rand_int_range (self->random, 0, MAX (gtk_widget_get_width (page), 2)),
      y = g_rand_int_range (self->random, 0, MAX (gtk_widget_get_height (page), 2));

  note_action (self, "pointer to %d, %d of the page", x, y);
  sonde_test_hands_point (self->hands, page, x, y);
}

static void
press_button (RandomInput *self)
{
  static const guint buttons[] = { 1, 1, 1, 3, 4, 5, 4, 5 };
  guint button = pick (self, buttons, G_N_ELEMENTS (buttons));

  note_action (self, "button %u down", button);
  sonde_test_hands_button (self->hands, button, TRUE);
  if (button == 1 && g_rand_int_range (self->random, 0, 3) == 0)
    move (self);
  note_action (self, "button %u up", button);
  sonde_test_hands_button (self->hands, button, FALSE);
}

/* All but ours, or GTK's file choosers alone. */
static void
close_dialogs (RandomInput *self, gboolean choosers_only)
{
  g_autoptr (GList) windows = gtk_window_list_toplevels ();

  for (GList *i = windows; i != NULL; i = i->next)
    if (i->data != self->window && gtk_widget_get_mapped (i->data)
        && (GTK_IS_FILE_CHOOSER (i->data) || !choosers_only))
      gtk_window_close (i->data);
}

static gboolean
on_heard (GtkEventController *controller, GdkEvent *event, RandomInput *self)
{
  self->n_heard++;
  return GDK_EVENT_PROPAGATE;
}

/* Input that reaches nobody would find nothing. */
static void
check_heard (RandomInput *self)
{
  self->n_unheard = self->n_heard == 0 ? self->n_unheard + 1 : 0;
  self->n_heard = 0;
  if (self->n_unheard == MOST_PAGES_UNHEARD)
    g_warning ("The window gets no input any more.");
}

static void
next_page (RandomInput *self)
{
  const char *page = self->pages[self->n_pages++ % g_strv_length (self->pages)];

  check_heard (self);
  close_dialogs (self, FALSE);
  note_action (self, "page %s", page);
  sonde_window_show_page (self->window, page, NULL);
  sonde_test_hands_focus (self->hands, GTK_WINDOW (self->window));
}

static gboolean
on_frame (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  RandomInput *self = data;

  if (self->n_events++ % self->events_on_a_page == 0)
    next_page (self);
  /* No file is written or opened, and the choosers of GTK 4.8 have faults of their own. */
  close_dialogs (self, TRUE);
  switch (g_rand_int_range (self->random, 0, 4))
    {
    case 0:
      press_key (self);
      break;
    case 1:
      press_button (self);
      break;
    default:
      move (self);
    }
  gtk_widget_queue_draw (widget);
  return G_SOURCE_CONTINUE;
}

static char **
list_pages (void)
{
  g_autoptr (GStrvBuilder) pages = g_strv_builder_new ();

  for (guint i = 0; sonde_page_table[i].name != NULL; i++)
    g_strv_builder_add (pages, sonde_page_table[i].name);
  return g_strv_builder_end (pages);
}

RandomInput *
random_input_new (WindowFixture *fixture, guint32 seed, guint events_on_a_page,
                  const char *const *pages)
{
  SondeTestHands *hands = sonde_test_hands_new ();
  RandomInput *self;

  if (hands == NULL)
    return NULL;
  g_assert_cmpint (g_chdir (fixture->folder), ==, 0);
  self = g_new0 (RandomInput, 1);
  self->window = fixture->window;
  self->hands = hands;
  self->random = g_rand_new_with_seed (seed);
  self->events_on_a_page = events_on_a_page;
  self->pages = pages != NULL ? g_strdupv ((char **) pages) : list_pages ();
  self->heard = gtk_event_controller_legacy_new ();
  gtk_event_controller_set_propagation_phase (self->heard, GTK_PHASE_CAPTURE);
  g_signal_connect (self->heard, "event", G_CALLBACK (on_heard), self);
  gtk_widget_add_controller (GTK_WIDGET (self->window), self->heard);
  acting = self;
  self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self->window), on_frame, self, NULL);
  return self;
}

void
random_input_free (RandomInput *input)
{
  acting = NULL;
  for (guint i = 0; i < TOLD; i++)
    g_free (input->told[i]);
  gtk_widget_remove_controller (GTK_WIDGET (input->window), input->heard);
  close_dialogs (input, FALSE);
  gtk_widget_remove_tick_callback (GTK_WIDGET (input->window), input->tick);
  g_rand_free (input->random);
  g_strfreev (input->pages);
  sonde_test_hands_free (input->hands);
  g_free (input);
}

guint
random_input_get_n_events (RandomInput *input)
{
  return input->n_events;
}

guint
random_input_get_n_pages (RandomInput *input)
{
  return input->n_pages;
}

guint
random_input_get_n_rounds (RandomInput *input)
{
  return input->n_pages == 0 ? 0 : (input->n_pages - 1) / g_strv_length (input->pages);
}
