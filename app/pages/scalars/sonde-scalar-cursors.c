/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/scalars/sonde-scalar-cursors.h"

#include "app/pages/cards/sonde-scalar-card.h"
#include "data/base/sonde-text.h"

struct _SondeScalarCursors
{
  GObject parent_instance;
  SondeWorkspace *workspace;
  SondeCardGrid *grid;
  SondeValueTable *table;
  GtkToggleButton *button;
  char *tag;     /* of the chart that the table is about; (nullable) */
  gint64 second; /* B; SONDE_SCALAR_NO_STEP: none */
  gboolean linked;
  gboolean is_answer; /* the table came with B, and goes with it */
};

G_DEFINE_FINAL_TYPE (SondeScalarCursors, sonde_scalar_cursors, G_TYPE_OBJECT)

static SondeScalarView *
get_view (SondeTagCard *card)
{
  return sonde_scalar_card_get_view (SONDE_SCALAR_CARD (card));
}

static gboolean
is_of_table (SondeScalarCursors *cursors, SondeTagCard *card)
{
  return cursors->tag != NULL && g_strcmp0 (sonde_tag_card_get_tag (card), cursors->tag) == 0;
}

/* ---- table --------------------------------------------------------------- */

static void
take_curves (SondeTagCard *card, void *user_data)
{
  SondeScalarCursors *cursors = user_data;
  const char *tag = sonde_tag_card_get_tag (card);

  if (cursors->tag == NULL)
    cursors->tag = g_strdup (tag);
  if (is_of_table (cursors, card))
    sonde_value_table_take_curves (cursors->table, tag, get_view (card));
}

static void
update_steps (SondeScalarCursors *cursors)
{
  SondeStepCursor *cursor = sonde_workspace_get_cursor (cursors->workspace);

  if (gtk_widget_get_visible (GTK_WIDGET (cursors->table)))
    sonde_value_table_set_steps (cursors->table,
                                 sonde_step_cursor_is_following (cursor)
                                     ? SONDE_SCALAR_NO_STEP
                                     : sonde_step_cursor_get_step (cursor),
                                 cursors->second);
}

/* A card that is scrolled away shows another tag; what the table has of its curves stays. */
static void
update_table (SondeScalarCursors *cursors)
{
  if (!gtk_widget_get_visible (GTK_WIDGET (cursors->table)))
    return;
  sonde_card_grid_foreach (cursors->grid, take_curves, cursors);
  update_steps (cursors);
}

static void
on_toggled (SondeScalarCursors *cursors)
{
  gtk_widget_set_visible (GTK_WIDGET (cursors->table),
                          gtk_toggle_button_get_active (cursors->button));
  cursors->is_answer = FALSE;
  update_table (cursors);
}

static void
on_close (SondeScalarCursors *cursors)
{
  gtk_toggle_button_set_active (cursors->button, FALSE);
  gtk_widget_grab_focus (GTK_WIDGET (cursors->button));
}

/* ---- the second cursor --------------------------------------------------- */

static void
show_second (SondeTagCard *card, void *user_data)
{
  SondeScalarCursors *cursors = user_data;

  sonde_scalar_view_set_second (get_view (card), cursors->linked || is_of_table (cursors, card)
                                                     ? cursors->second
                                                     : SONDE_SCALAR_NO_STEP);
}

static void
set_tag (SondeScalarCursors *cursors, SondeScalarView *view)
{
  GtkWidget *card = gtk_widget_get_ancestor (GTK_WIDGET (view), SONDE_TYPE_TAG_CARD);
  const char *tag = card != NULL ? sonde_tag_card_get_tag (SONDE_TAG_CARD (card)) : NULL;

  if (tag == NULL || g_strcmp0 (tag, cursors->tag) == 0)
    return;
  g_free (cursors->tag);
  cursors->tag = g_strdup (tag);
}

/* The table comes by itself with the first B, and goes with it. */
static void
reveal (SondeScalarCursors *cursors)
{
  gboolean shown = gtk_toggle_button_get_active (cursors->button),
           wanted = cursors->second != SONDE_SCALAR_NO_STEP;

  if (wanted && !shown)
    {
      gtk_toggle_button_set_active (cursors->button, TRUE);
      cursors->is_answer = TRUE;
    }
  else if (!wanted && shown && cursors->is_answer)
    gtk_toggle_button_set_active (cursors->button, FALSE);
}

static void
on_second_moved (SondeScalarView *view, gint64 step, SondeScalarCursors *cursors)
{
  cursors->second = step;
  set_tag (cursors, view);
  sonde_card_grid_foreach (cursors->grid, show_second, cursors);
  reveal (cursors);
  update_table (cursors);
}

/* B stays with its chart, unless it is that of all. */
static void
on_cursor_moved (SondeScalarView *view, gint64 step, SondeScalarCursors *cursors)
{
  if (cursors->second == SONDE_SCALAR_NO_STEP || cursors->linked)
    set_tag (cursors, view);
  update_table (cursors);
}

static void
on_counts_changed (SondeScalarView *view, SondeScalarCursors *cursors)
{
  GtkWidget *card = gtk_widget_get_ancestor (GTK_WIDGET (view), SONDE_TYPE_TAG_CARD);

  if (card != NULL && is_of_table (cursors, SONDE_TAG_CARD (card)))
    update_table (cursors);
}

void
sonde_scalar_cursors_set_linked (SondeScalarCursors *cursors, gboolean linked)
{
  if (cursors->linked == linked)
    return;
  cursors->linked = linked;
  sonde_card_grid_foreach (cursors->grid, show_second, cursors);
}

/* ---- asked for by name --------------------------------------------------- */

gboolean
sonde_scalar_cursors_parse (const char *text, gint64 *a, gint64 *b)
{
  const char *dots = text != NULL ? strstr (text, "..") : NULL;
  g_autofree char *first = dots != NULL ? g_strndup (text, (gsize) (dots - text)) : NULL;

  return dots != NULL && g_ascii_string_to_signed (first, 10, G_MININT64 + 1, G_MAXINT64, a, NULL)
         && g_ascii_string_to_signed (dots + 2, 10, G_MININT64 + 1, G_MAXINT64, b, NULL);
}

void
sonde_scalar_cursors_compare (SondeScalarCursors *cursors, gint64 a, gint64 b)
{
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (cursors->workspace), a);
  cursors->second = b;
  reveal (cursors);
  update_table (cursors);
  sonde_card_grid_foreach (cursors->grid, show_second, cursors);
}

/* ---- object -------------------------------------------------------------- */

static void
on_tag_changed (SondeTagCard *card, SondeScalarCursors *cursors)
{
  update_table (cursors); /* it may have waited for a chart */
  show_second (card, cursors);
}

void
sonde_scalar_cursors_add_card (SondeScalarCursors *cursors, SondeTagCard *card)
{
  SondeScalarView *view = get_view (card);

  g_signal_connect_object (view, "second-moved", G_CALLBACK (on_second_moved), cursors, 0);
  g_signal_connect_object (view, "cursor-moved", G_CALLBACK (on_cursor_moved), cursors,
                           G_CONNECT_AFTER);
  g_signal_connect_object (view, "counts-changed", G_CALLBACK (on_counts_changed), cursors, 0);
  g_signal_connect_object (card, "tag-changed", G_CALLBACK (on_tag_changed), cursors,
                           G_CONNECT_AFTER);
}

static void
sonde_scalar_cursors_finalize (GObject *object)
{
  SondeScalarCursors *cursors = SONDE_SCALAR_CURSORS (object);

  g_clear_object (&cursors->workspace);
  g_free (cursors->tag);
  G_OBJECT_CLASS (sonde_scalar_cursors_parent_class)->finalize (object);
}

static void
sonde_scalar_cursors_class_init (SondeScalarCursorsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_scalar_cursors_finalize;
}

static void
sonde_scalar_cursors_init (SondeScalarCursors *cursors)
{
  cursors->second = SONDE_SCALAR_NO_STEP;
}

SondeScalarCursors *
sonde_scalar_cursors_new (SondeWorkspace *workspace, SondeCardGrid *grid, SondeValueTable *table,
                          GtkToggleButton *button)
{
  SondeScalarCursors *cursors = g_object_new (SONDE_TYPE_SCALAR_CURSORS, NULL);

  cursors->workspace = g_object_ref (workspace);
  cursors->grid = grid;
  cursors->table = table;
  cursors->button = button;
  gtk_widget_set_visible (GTK_WIDGET (table), FALSE);
  g_signal_connect_object (button, "toggled", G_CALLBACK (on_toggled), cursors, G_CONNECT_SWAPPED);
  g_signal_connect_object (table, "close", G_CALLBACK (on_close), cursors, G_CONNECT_SWAPPED);
  g_signal_connect_object (sonde_workspace_get_cursor (workspace), "notify",
                           G_CALLBACK (update_steps), cursors, G_CONNECT_SWAPPED);
  return cursors;
}
