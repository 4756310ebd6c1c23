/* SPDX-License-Identifier: Apache-2.0
 * Buttons, state, menus. */
#include "app/debugger/sonde-debug-bar.h"

#include <string.h>

#include "app/widgets/sonde-record-panel.h"
#include "engine/frontend/sonde-debug-describe.h"
#include "viewers/sonde-badge.h"
#include "viewers/sonde-view.h"
#include "data/base/sonde-text.h"

#define RESOURCE "/org/sonde/Sonde/debugger/sonde-debug-bar.ui"
#define PREFIX "debug."

struct _SondeDebugBar
{
  GtkBox parent_instance;

  SondeDebugSession *session; /* borrowed from the page */
  SondeDebugActions *actions; /* borrowed */
  SondeRecordButton *recorder;
  GtkWidget *input;                      /* of an inference alone */
  GtkWidget *room, *line, *mark, *state; /* the line stands in the room, or below the bar */
  GPtrArray *buttons;                    /* of actions: "action-name" of debug. */
};

G_DEFINE_FINAL_TYPE (SondeDebugBar, sonde_debug_bar, GTK_TYPE_BOX)

/* "step" of a button with the action debug.step; NULL of others. */
static const char *
action_of (GtkWidget *button)
{
  const char *name
      = GTK_IS_BUTTON (button) ? gtk_actionable_get_action_name (GTK_ACTIONABLE (button)) : NULL;

  return name != NULL && g_str_has_prefix (name, PREFIX) ? name + strlen (PREFIX) : NULL;
}

/* ---- tool-tips ----------------------------------------------------------- */

static void
update_tooltips (SondeDebugBar *self)
{
  for (guint i = 0; i < self->buttons->len; i++)
    {
      GtkWidget *button = g_ptr_array_index (self->buttons, i);
      g_autofree char *text = sonde_debug_actions_dup_tooltip (self->actions, action_of (button));

      gtk_widget_set_tooltip_text (button, text);
    }
}

static SondeState
mark_of_state (const SondeSessionStatus *status)
{
  if (status->state == SONDE_SESSION_RUNNING || status->state == SONDE_SESSION_LOADING)
    return SONDE_STATE_RUNNING;
  if (status->state != SONDE_SESSION_ENDED)
    return SONDE_STATE_PAUSED;
  return status->end.result == SONDE_SESSION_FAILED ? SONDE_STATE_ERROR : SONDE_STATE_OK;
}

static void
update_state (SondeDebugBar *self)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);
  gboolean is_silent = sonde_debug_session_get_silence (self->session) != NULL;
  g_autofree char *state = NULL, *text = NULL;

  if (status == NULL || !sonde_debug_session_is_loaded (self->session))
    return;
  state = sonde_debug_describe_state (status, sonde_debug_session_get_pace (self->session));
  text = is_silent ? g_strdup_printf (_ ("Not responding · last state: %s"), state)
                   : g_steal_pointer (&state);
  gtk_widget_set_visible (self->input, status->facts.kind == SONDE_ACTIVITY_INFERENCE);
  gtk_label_set_text (GTK_LABEL (self->state), text);
  gtk_widget_set_tooltip_text (self->state, text);
  sonde_badge_set_state (SONDE_BADGE (self->mark),
                         is_silent ? SONDE_STATE_PAUSED : mark_of_state (status));
}

/* ---- buttons ------------------------------------------------------------- */

/* Beside its picture, to be shown where there is room. */
static void
add_word (GtkWidget *button, const char *word)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *label = gtk_label_new (word);
  const char *icon = gtk_button_get_icon_name (GTK_BUTTON (button));

  gtk_box_append (GTK_BOX (box), g_object_new (GTK_TYPE_IMAGE, "icon-name", icon, "accessible-role",
                                               GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL));
  gtk_box_append (GTK_BOX (box), label);
  gtk_widget_set_visible (label, FALSE);
  gtk_button_set_child (GTK_BUTTON (button), box);
  gtk_widget_add_css_class (button, "image-button");
}

/* Buttons are called as their action is; a row of a menu shows that. Menus are rows of buttons and no
 * GtkPopoverMenu: those that cannot be used say why. */
static void
name_buttons (SondeDebugBar *self, GtkWidget *widget)
{
  const char *action = action_of (widget), *title;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && action == NULL;
       child = gtk_widget_get_next_sibling (child))
    name_buttons (self, child);
  if (action == NULL)
    return;
  title = sonde_debug_actions_get_title (action);
  if (gtk_widget_has_css_class (widget, "menu-row"))
    {
      GtkWidget *label = gtk_label_new (title);

      gtk_label_set_xalign (GTK_LABEL (label), 0);
      gtk_button_set_child (GTK_BUTTON (widget), label);
    }
  else if (sonde_debug_actions_get_word (action) != NULL)
    add_word (widget, sonde_debug_actions_get_word (action));
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
  g_ptr_array_add (self->buttons, widget);
}

static void
on_chosen (GtkWidget *button)
{
  gtk_popover_popdown (GTK_POPOVER (gtk_widget_get_ancestor (button, GTK_TYPE_POPOVER)));
}

static gboolean
forget_popover (gpointer popover)
{
  gtk_widget_unparent (popover);
  return G_SOURCE_REMOVE;
}

static void
on_popover_closed (GtkWidget *popover)
{
  g_timeout_add_full (G_PRIORITY_DEFAULT, SONDE_POPOVER_REST, forget_popover,
                      g_object_ref (popover), g_object_unref);
}

void
sonde_debug_bar_popup (SondeDebugBar *bar, GtkWidget *popover, const char *action)
{
  GtkWidget *parent, *own = NULL, *last = NULL; /* an action of a menu has no button here */

  for (guint i = 0; i < bar->buttons->len; i++)
    {
      GtkWidget *button = g_ptr_array_index (bar->buttons, i);

      if (!gtk_widget_get_mapped (button) || gtk_widget_get_parent (button) != GTK_WIDGET (bar))
        continue;
      if (g_str_equal (action_of (button), action))
        own = button;
      else if (!g_str_equal (action_of (button), "end"))
        last = button;
    }
  parent = own != NULL ? own : last != NULL ? last : GTK_WIDGET (bar);
  g_signal_connect (popover, "closed", G_CALLBACK (on_popover_closed), NULL);
  gtk_widget_set_parent (popover, parent);
  /* The window may go while it is open. */
  g_signal_connect_object (parent, "destroy", G_CALLBACK (gtk_widget_unparent), popover,
                           G_CONNECT_SWAPPED);
  gtk_popover_set_position (GTK_POPOVER (popover), GTK_POS_BOTTOM);
  gtk_popover_popup (GTK_POPOVER (popover));
}

void
sonde_debug_bar_move_state (SondeDebugBar *bar, GtkWidget *below)
{
  GtkWidget *parent = below != NULL ? below : bar->room;

  if (gtk_widget_get_parent (bar->line) == parent)
    return;
  g_object_ref (bar->line);
  gtk_box_remove (GTK_BOX (gtk_widget_get_parent (bar->line)), bar->line);
  gtk_box_append (GTK_BOX (parent), bar->line);
  g_object_unref (bar->line);
}

void
sonde_debug_bar_set_words (SondeDebugBar *bar, gboolean words)
{
  for (guint i = 0; i < bar->buttons->len; i++)
    {
      GtkWidget *content = gtk_button_get_child (g_ptr_array_index (bar->buttons, i));

      if (GTK_IS_BOX (content))
        gtk_widget_set_visible (gtk_widget_get_last_child (content), words);
    }
  if (words)
    gtk_widget_add_css_class (GTK_WIDGET (bar), "words");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (bar), "words");
}

/* The tool-tip of a menu's button would hang over the menu. */
static void
on_menu_toggled (GtkWidget *popover)
{
  gtk_widget_set_has_tooltip (gtk_widget_get_parent (popover), !gtk_widget_get_visible (popover));
}

void
sonde_debug_bar_set_up (SondeDebugBar *bar, SondeDebugSession *session, SondeDebugActions *actions,
                        SondeWorkspace *workspace)
{
  bar->session = session;
  bar->actions = actions;
  g_signal_connect_object (actions, "updated", G_CALLBACK (update_tooltips), bar,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "changed", G_CALLBACK (update_state), bar, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "loaded", G_CALLBACK (update_state), bar, G_CONNECT_SWAPPED);
  sonde_record_button_set_workspace (bar->recorder, workspace);
  update_tooltips (bar);
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_debug_bar_dispose (GObject *object)
{
  SondeDebugBar *self = SONDE_DEBUG_BAR (object);

  g_clear_pointer (&self->buttons, g_ptr_array_unref);
  gtk_widget_dispose_template (GTK_WIDGET (self), SONDE_TYPE_DEBUG_BAR);
  G_OBJECT_CLASS (sonde_debug_bar_parent_class)->dispose (object);
}

static void
sonde_debug_bar_class_init (SondeDebugBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_bar_dispose;
  g_type_ensure (SONDE_TYPE_BADGE);
  g_type_ensure (SONDE_TYPE_RECORD_BUTTON);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugBar, room);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugBar, recorder);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugBar, line);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugBar, mark);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugBar, state);
  gtk_widget_class_bind_template_callback (widget_class, on_chosen);
  gtk_widget_class_bind_template_callback (widget_class, on_menu_toggled);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugBar, input);
}

static void
sonde_debug_bar_init (SondeDebugBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->buttons = g_ptr_array_new ();
  name_buttons (self, GTK_WIDGET (self));
}
