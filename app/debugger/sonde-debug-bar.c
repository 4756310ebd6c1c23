/* SPDX-License-Identifier: Apache-2.0
 * Buttons, state, menus. */
#include "app/debugger/sonde-debug-bar.h"

#include "app/debugger/sonde-debug-describe.h"
#include "viewers/sonde-badge.h"
#include "data/base/sonde-text.h"

struct _SondeDebugBar
{
  GtkBox parent_instance;

  SondeDebugSession *session;            /* lent by the page */
  SondeDebugActions *actions;            /* lent */
  GtkWidget *room, *line, *mark, *state; /* the line stands in the room, or below the bar */
  GPtrArray *buttons;                    /* of actions: "action-name" of debug. */
};

G_DEFINE_FINAL_TYPE (SondeDebugBar, sonde_debug_bar, GTK_TYPE_BOX)

static const struct
{
  const char *action, *icon;
  gboolean gap; /* before it */
} button_table[] = {
  { "continue", "media-playback-start-symbolic", FALSE },
  { "pause", "media-playback-pause-symbolic", FALSE },
  { "back", "sonde-step-back-symbolic", TRUE },
  { "next", "sonde-step-over-symbolic", FALSE },
  { "step", "sonde-step-into-symbolic", FALSE },
  { "out", "sonde-step-out-symbolic", FALSE },
  { "until", "sonde-run-to-symbolic", FALSE },
  { "restart", "view-refresh-symbolic", FALSE },
  { "breakpoint", "media-record-symbolic", TRUE },
  { "watch", "sonde-watch-symbolic", FALSE },
};

/* NULL: a line between groups. */
static const char *const find_menu[] = { "origin", "diverge", "reduce", "precision" };
static const char *const more_menu[]
    = { "go-to",  NULL,    "reverse", "restart-node", "rewind", NULL,   "attr",
        "bypass", "rerun", "branch",  "diff",         NULL,     "input" };

/* ---- tool-tips ----------------------------------------------------------- */

static void
update_tooltips (SondeDebugBar *self)
{
  for (guint i = 0; i < self->buttons->len; i++)
    {
      GtkWidget *button = g_ptr_array_index (self->buttons, i);
      g_autofree char *text = sonde_debug_actions_dup_tooltip (
          self->actions, g_object_get_data (G_OBJECT (button), "action"));

      gtk_widget_set_tooltip_text (button, text);
    }
}

static void
update_state (SondeDebugBar *self)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);
  gboolean is_silent = sonde_debug_session_get_silence (self->session) != NULL;
  g_autofree char *state = NULL, *text = NULL;

  if (status == NULL || !sonde_debug_session_is_loaded (self->session))
    return;
  state = sonde_debug_describe_state (status);
  text = is_silent ? g_strdup_printf (_ ("Not responding · last state: %s"), state)
                   : g_steal_pointer (&state);
  gtk_label_set_text (GTK_LABEL (self->state), text);
  gtk_widget_set_tooltip_text (self->state, text);
  sonde_badge_set_state (SONDE_BADGE (self->mark),
                         is_silent ? SONDE_STATE_PAUSED : sonde_debug_mark_of_state (status));
}

/* ---- buttons ------------------------------------------------------------- */

static void
bind_action (SondeDebugBar *self, GtkWidget *button, const char *action)
{
  g_autofree char *full = g_strdup_printf ("debug.%s", action);
  const char *title = sonde_debug_actions_get_title (action);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), full);
  g_object_set_data (G_OBJECT (button), "action", (char *) action);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
  g_ptr_array_add (self->buttons, button);
}

static GtkWidget *
make_button (SondeDebugBar *self, const char *action, const char *icon)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_widget_add_css_class (button, "flat");
  bind_action (self, button, action);
  return button;
}

static void
on_chosen (GtkButton *button, GtkPopover *popover)
{
  gtk_popover_popdown (popover);
}

/* Rows of buttons and no GtkPopoverMenu: those that cannot be used say why. */
static GtkWidget *
make_menu (SondeDebugBar *self, const char *const *names, gsize n, const char *icon,
           const char *words)
{
  GtkWidget *menu = gtk_menu_button_new (), *popover = gtk_popover_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  for (gsize i = 0; i < n; i++)
    {
      GtkWidget *button, *label;

      if (names[i] == NULL)
        {
          gtk_box_append (GTK_BOX (box), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
          continue;
        }
      button = gtk_button_new ();
      label = gtk_label_new (sonde_debug_actions_get_title (names[i]));
      gtk_label_set_xalign (GTK_LABEL (label), 0);
      gtk_button_set_child (GTK_BUTTON (button), label);
      gtk_widget_add_css_class (button, "flat");
      gtk_widget_add_css_class (button, "menu-row");
      bind_action (self, button, names[i]);
      g_signal_connect_object (button, "clicked", G_CALLBACK (on_chosen), popover, 0);
      gtk_box_append (GTK_BOX (box), button);
    }
  gtk_widget_add_css_class (popover, "menu");
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (menu), popover);
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (menu), icon);
  gtk_widget_set_tooltip_text (menu, words);
  gtk_accessible_update_property (GTK_ACCESSIBLE (menu), GTK_ACCESSIBLE_PROPERTY_LABEL, words, -1);
  gtk_widget_add_css_class (menu, "flat");
  return menu;
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
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, forget_popover, g_object_ref (popover), g_object_unref);
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
      if (g_str_equal (g_object_get_data (G_OBJECT (button), "action"), action))
        own = button;
      else if (!g_str_equal (g_object_get_data (G_OBJECT (button), "action"), "end"))
        last = button;
    }
  parent = own != NULL ? own : last != NULL ? last : GTK_WIDGET (bar);
  g_signal_connect (popover, "closed", G_CALLBACK (on_popover_closed), NULL);
  gtk_widget_set_parent (popover, parent);
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
sonde_debug_bar_set_up (SondeDebugBar *bar, SondeDebugSession *session, SondeDebugActions *actions)
{
  bar->session = session;
  bar->actions = actions;
  g_signal_connect_object (actions, "updated", G_CALLBACK (update_tooltips), bar,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "changed", G_CALLBACK (update_state), bar, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "loaded", G_CALLBACK (update_state), bar, G_CONNECT_SWAPPED);
  update_tooltips (bar);
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_debug_bar_dispose (GObject *object)
{
  SondeDebugBar *self = SONDE_DEBUG_BAR (object);

  g_clear_pointer (&self->buttons, g_ptr_array_unref);
  G_OBJECT_CLASS (sonde_debug_bar_parent_class)->dispose (object);
}

static void
sonde_debug_bar_class_init (SondeDebugBarClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_debug_bar_dispose;
}

static void
sonde_debug_bar_init (SondeDebugBar *self)
{
  self->room = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  self->line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  self->buttons = g_ptr_array_new ();
  gtk_box_set_spacing (GTK_BOX (self), 0);
  gtk_widget_add_css_class (GTK_WIDGET (self), "debug-bar");
  for (gsize i = 0; i < G_N_ELEMENTS (button_table); i++)
    {
      GtkWidget *button = make_button (self, button_table[i].action, button_table[i].icon);

      if (button_table[i].gap)
        gtk_widget_set_margin_start (button, 9);
      gtk_box_append (GTK_BOX (self), button);
    }
  self->mark = sonde_badge_new ();
  gtk_widget_set_valign (self->mark, GTK_ALIGN_CENTER);
  self->state = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->state), 0);
  gtk_label_set_ellipsize (GTK_LABEL (self->state), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (self->state, "numeric");
  gtk_widget_set_hexpand (self->room, TRUE);
  gtk_widget_set_margin_start (self->line, 12);
  gtk_box_append (GTK_BOX (self->line), self->mark);
  gtk_box_append (GTK_BOX (self->line), self->state);
  gtk_box_append (GTK_BOX (self->room), self->line);
  gtk_box_append (GTK_BOX (self), self->room);
  gtk_box_append (GTK_BOX (self), make_menu (self, find_menu, G_N_ELEMENTS (find_menu),
                                             "edit-find-symbolic", _ ("Find the Cause")));
  gtk_box_append (GTK_BOX (self), make_menu (self, more_menu, G_N_ELEMENTS (more_menu),
                                             "view-more-symbolic", _ ("More")));
  gtk_box_append (GTK_BOX (self), make_button (self, "end", "window-close-symbolic"));
}
