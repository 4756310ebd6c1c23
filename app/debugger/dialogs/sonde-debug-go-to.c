/* SPDX-License-Identifier: Apache-2.0
 * Going to a node by its name. */
#include "app/debugger/dialogs/sonde-debug-go-to.h"

#include "app/debugger/sonde-debug-widgets.h"
#include "app/widgets/sonde-page.h"
#include "data/base/sonde-text.h"

#define MAX_ROWS 50

typedef struct
{
  SondeDebugSession *session;
  GtkWidget *popover, *entry, *list;
} GoTo;

/* Score of the best of the step's names. */
static int
score_of (const SondeStepInfo *step, const char *query)
{
  int best = sonde_search_score (step->name, query);

  for (gsize i = 0; step->nodes != NULL && step->nodes[i] != NULL; i++)
    best = MAX (best, sonde_search_score (step->nodes[i], query));
  for (gsize i = 0; step->outputs != NULL && step->outputs[i] != NULL; i++)
    best = MAX (best, sonde_search_score (step->outputs[i], query));
  for (gsize i = 0; step->originals != NULL && step->originals[i] != NULL; i++)
    best = MAX (best, sonde_search_score (step->originals[i], query));
  return MAX (best, sonde_search_score (step->op, query) - 1);
}

static void
add_step (GoTo *self, guint position)
{
  const SondeStepInfo *step
      = sonde_debug_steps_get (sonde_debug_session_get_steps (self->session), position);
  GtkWidget *box = sonde_debug_list_add (self->list), *row = sonde_debug_row_of (box);
  GtkWidget *name = sonde_debug_name_label (
      sonde_debug_steps_get_name (sonde_debug_session_get_steps (self->session), position), NULL);

  gtk_widget_set_hexpand (name, TRUE);
  gtk_box_append (GTK_BOX (box), name);
  gtk_box_append (GTK_BOX (box), sonde_debug_label (step->op, "dim-label"));
  g_object_set_data (G_OBJECT (row), "position", GUINT_TO_POINTER (position));
}

static void
on_changed (GoTo *self)
{
  g_autofree char *query = g_utf8_strdown (gtk_editable_get_text (GTK_EDITABLE (self->entry)), -1);
  SondeDebugSteps *steps = sonde_debug_session_get_steps (self->session);
  guint n = 0;

  sonde_debug_list_clear (self->list);
  /* The exact ones first. */
  for (int least = 50; least >= 1 && n < MAX_ROWS; least -= 49)
    for (guint i = 0; i < sonde_debug_steps_get_n (steps) && n < MAX_ROWS; i++)
      {
        int score = *query == '\0' ? 50 : score_of (sonde_debug_steps_get (steps, i), query);

        if (score < least || (least == 1 && score >= 50))
          continue;
        add_step (self, i);
        n++;
      }
  gtk_list_box_select_row (GTK_LIST_BOX (self->list),
                           gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->list), 0));
}

static void
go (GoTo *self, GtkListBoxRow *row)
{
  if (row == NULL)
    return;
  sonde_debug_session_set_focus (self->session,
                                 GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (row), "position")));
  gtk_popover_popdown (GTK_POPOVER (self->popover));
}

static void
on_activate (GoTo *self)
{
  go (self, gtk_list_box_get_selected_row (GTK_LIST_BOX (self->list)));
}

static void
go_to_free (gpointer data)
{
  GoTo *self = data;

  g_object_unref (self->session);
  g_free (self);
}

GtkWidget *
sonde_debug_go_to_new (SondeDebugSession *session)
{
  GoTo *self = g_new0 (GoTo, 1);
  GtkWidget *column = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *scrolled;

  self->session = g_object_ref (session);
  self->popover = gtk_popover_new ();
  self->entry = gtk_search_entry_new ();
  g_object_set (self->entry, "placeholder-text", _ ("Node, Value or Operator"), NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Go to node"), -1);
  scrolled = sonde_debug_list (_ ("Nodes"), _ ("No matching nodes"), &self->list);
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (self->list), GTK_SELECTION_BROWSE);
  gtk_widget_set_size_request (scrolled, 360, 260);
  gtk_box_append (GTK_BOX (column), self->entry);
  gtk_box_append (GTK_BOX (column), scrolled);
  gtk_popover_set_child (GTK_POPOVER (self->popover), column);
  g_object_set_data_full (G_OBJECT (self->popover), "go-to", self, go_to_free);
  g_signal_connect_swapped (self->entry, "search-changed", G_CALLBACK (on_changed), self);
  g_signal_connect_swapped (self->entry, "activate", G_CALLBACK (on_activate), self);
  g_signal_connect_swapped (self->list, "row-activated", G_CALLBACK (go), self);
  on_changed (self);
  return self->popover;
}
