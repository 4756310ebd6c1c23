/* SPDX-License-Identifier: Apache-2.0 */
#include "app/debugger/value/sonde-debug-deltas.h"

#include "data/base/sonde-text.h"
#include "engine/live/sonde-watch-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define RESOURCE "/org/sonde/Sonde/debugger/value/sonde-debug-deltas.ui"
#define MAX_BRANCHES 3 /* with a button, the newest */

/* What a value is compared with: a branch by its number, or one of these. */
#define AGAINST_NOTHING 0
#define AGAINST_STEP G_MAXUINT

struct _SondeDebugDeltas
{
  GtkBox parent_instance;
  GtkWidget *step;
  guint against;
};

G_DEFINE_FINAL_TYPE (SondeDebugDeltas, sonde_debug_deltas, GTK_TYPE_BOX)

char *
sonde_debug_deltas_dup_difference (SondeDebugDeltas *deltas, const char *name, const char *slice)
{
  g_autofree char *value = NULL, *branch = NULL, *other = NULL;

  g_return_val_if_fail (SONDE_IS_DEBUG_DELTAS (deltas), NULL);
  if (deltas->against == AGAINST_NOTHING)
    return NULL;
  value = sonde_expression_quote (name, slice);
  if (deltas->against == AGAINST_STEP)
    {
      g_autofree char *whole = sonde_expression_quote (name, NULL);

      other = *slice != '\0' ? g_strdup_printf ("prev(%s)[%s]", whole, slice)
                             : g_strdup_printf ("prev(%s)", whole);
    }
  else
    {
      branch = g_strdup_printf ("%s@%u", name, deltas->against);
      other = sonde_expression_quote (branch, slice);
    }
  return g_strdup_printf ("%s - %s", value, other);
}

static void
on_toggled (GtkToggleButton *button, SondeDebugDeltas *self)
{
  guint against = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "against"));

  if (gtk_toggle_button_get_active (button))
    {
      self->against = against;
      for (GtkWidget *other = gtk_widget_get_first_child (GTK_WIDGET (self)); other != NULL;
           other = gtk_widget_get_next_sibling (other))
        if (other != GTK_WIDGET (button))
          gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (other), FALSE);
    }
  else if (self->against == against)
    self->against = AGAINST_NOTHING;
  else
    return;
  g_signal_emit_by_name (self, "changed");
}

static void
add_branch (SondeDebugDeltas *self, const SondeBranch *info)
{
  g_autofree char *name = sonde_text_make_visible (info->name),
                  *words = g_strdup_printf ("Δ %u", info->number);
  g_autofree char *tip = g_strdup_printf (_ ("Difference from branch %u, “%s”: x − x@%u"),
                                          info->number, name, info->number);
  GtkWidget *button = gtk_toggle_button_new_with_label (words);

  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (button, tip);
  gtk_widget_add_css_class (button, "small-toggle");
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, tip, -1);
  g_object_set_data (G_OBJECT (button), "against", GUINT_TO_POINTER (info->number));
  g_signal_connect_object (button, "toggled", G_CALLBACK (on_toggled), self, 0);
  gtk_box_append (GTK_BOX (self), button);
}

void
sonde_debug_deltas_update (SondeDebugDeltas *deltas, SondeDebugSession *session)
{
  GPtrArray *branches = sonde_debug_session_get_branches (session);
  const SondeSessionStatus *status = sonde_debug_session_get_status (session);
  guint n = 0;
  GtkWidget *child;

  g_return_if_fail (SONDE_IS_DEBUG_DELTAS (deltas));
  gtk_widget_set_visible (deltas->step,
                          status == NULL || status->facts.kind != SONDE_ACTIVITY_INFERENCE);
  while ((child = gtk_widget_get_last_child (GTK_WIDGET (deltas))) != deltas->step)
    gtk_box_remove (GTK_BOX (deltas), child);
  if (deltas->against != AGAINST_STEP)
    deltas->against = AGAINST_NOTHING;
  for (guint i = branches != NULL ? branches->len : 0; i > 0 && n < MAX_BRANCHES; i--)
    {
      const SondeBranch *info = g_ptr_array_index (branches, i - 1);

      if (info->current)
        continue;
      add_branch (deltas, info);
      n++;
    }
}

static void
sonde_debug_deltas_dispose (GObject *object)
{
  GtkWidget *child;

  /* Not only the template's. */
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_box_remove (GTK_BOX (object), child);
  G_OBJECT_CLASS (sonde_debug_deltas_parent_class)->dispose (object);
}

static void
sonde_debug_deltas_class_init (SondeDebugDeltasClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_deltas_dispose;
  g_signal_new ("changed", SONDE_TYPE_DEBUG_DELTAS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugDeltas, step);
  gtk_widget_class_bind_template_callback (widget_class, on_toggled);
}

static void
sonde_debug_deltas_init (SondeDebugDeltas *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_object_set_data (G_OBJECT (self->step), "against", GUINT_TO_POINTER (AGAINST_STEP));
}
