/* SPDX-License-Identifier: Apache-2.0
 * Going to a node by its name. */
#include "app/debugger/dialogs/sonde-debug-go-to.h"

#include "app/debugger/sonde-debug-widgets.h"
#include "app/widgets/sonde-accessible.h"
#include "app/widgets/sonde-page.h"

#define MAX_ROWS 50

#define RESOURCE "/org/sonde/Sonde/debugger/dialogs/sonde-debug-go-to.ui"

#define SONDE_TYPE_DEBUG_GO_TO (sonde_debug_go_to_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugGoTo, sonde_debug_go_to, SONDE, DEBUG_GO_TO, GtkPopover)

struct _SondeDebugGoTo
{
  GtkPopover parent_instance;

  SondeDebugSession *session;
  GtkWidget *entry, *list;
};

G_DEFINE_FINAL_TYPE (SondeDebugGoTo, sonde_debug_go_to, GTK_TYPE_POPOVER)

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
add_step (SondeDebugGoTo *self, guint position)
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
  sonde_name_by_text (row);
}

static void
on_changed (SondeDebugGoTo *self)
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
go (SondeDebugGoTo *self, GtkListBoxRow *row)
{
  if (row == NULL)
    return;
  sonde_debug_session_set_focus (self->session,
                                 GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (row), "position")));
  gtk_popover_popdown (GTK_POPOVER (self));
}

static void
on_activate (SondeDebugGoTo *self)
{
  go (self, gtk_list_box_get_selected_row (GTK_LIST_BOX (self->list)));
}

static void
sonde_debug_go_to_dispose (GObject *object)
{
  g_clear_object (&SONDE_DEBUG_GO_TO (object)->session);
  G_OBJECT_CLASS (sonde_debug_go_to_parent_class)->dispose (object);
}

static void
sonde_debug_go_to_class_init (SondeDebugGoToClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_go_to_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugGoTo, entry);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugGoTo, list);
  gtk_widget_class_bind_template_callback (widget_class, on_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_activate);
  gtk_widget_class_bind_template_callback (widget_class, go);
}

static void
sonde_debug_go_to_init (SondeDebugGoTo *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
sonde_debug_go_to_new (SondeDebugSession *session)
{
  SondeDebugGoTo *self = g_object_new (SONDE_TYPE_DEBUG_GO_TO, NULL);

  self->session = g_object_ref (session);
  on_changed (self);
  return GTK_WIDGET (self);
}
