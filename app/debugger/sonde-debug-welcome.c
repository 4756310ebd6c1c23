/* SPDX-License-Identifier: Apache-2.0
 * Launch targets. */
#include "app/debugger/sonde-debug-welcome.h"

#include "app/widgets/sonde-tooltip.h"
#include "engine/frontend/sonde-debug-launch-targets.h"
#include "data/base/sonde-text.h"

#define RESOURCE "/org/sonde/Sonde/debugger/sonde-debug-welcome.ui"

struct _SondeDebugWelcome
{
  AdwBin parent_instance;

  GtkWidget *status, *box;
  char *shown; /* (nullable): the targets that are shown, as list_targets() has them */
};

G_DEFINE_FINAL_TYPE (SondeDebugWelcome, sonde_debug_welcome, ADW_TYPE_BIN)

static guint chosen_signal;

void
sonde_debug_welcome_say (SondeDebugWelcome *welcome, const char *icon, const char *title,
                         const char *sentence)
{
  g_autofree char *escaped = g_markup_escape_text (sentence, -1);

  adw_status_page_set_icon_name (ADW_STATUS_PAGE (welcome->status), icon);
  adw_status_page_set_title (ADW_STATUS_PAGE (welcome->status), title);
  adw_status_page_set_description (ADW_STATUS_PAGE (welcome->status), escaped);
}

static void
on_clicked (GtkButton *button, SondeDebugWelcome *self)
{
  g_autofree char *subject = g_strdup (g_object_get_data (G_OBJECT (button), "subject"));

  g_signal_emit (self, chosen_signal, 0, subject,
                 GPOINTER_TO_INT (g_object_get_data (G_OBJECT (button), "pid")));
}

static void
clear (SondeDebugWelcome *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (self->box)) != NULL)
    gtk_box_remove (GTK_BOX (self->box), child);
  g_clear_pointer (&self->shown, g_free);
}

static void
say_on_button (GtkWidget *button, const char *title, const char *detail)
{
  GtkWidget *label;

  gtk_button_set_label (GTK_BUTTON (button), title);
  label = gtk_button_get_child (GTK_BUTTON (button));
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  sonde_set_tooltip (button, detail);
}

static GtkWidget *
add_button (SondeDebugWelcome *self)
{
  GtkWidget *button = gtk_button_new ();

  gtk_widget_add_css_class (button, "pill");
  gtk_box_append (GTK_BOX (self->box), button);
  return button;
}

static void
add_target (SondeDebugWelcome *self, const SondeDebugLaunchTarget *target)
{
  GtkWidget *button = add_button (self);

  if (gtk_widget_get_prev_sibling (button) == NULL)
    gtk_widget_add_css_class (button, "suggested-action");
  g_object_set_data_full (G_OBJECT (button), "subject", g_strdup (target->subject), g_free);
  g_object_set_data (G_OBJECT (button), "pid", GINT_TO_POINTER (target->pid));
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_clicked), self, 0);
}

/* What the buttons do, whatever they say: the step of a training that runs is another each time. */
static char *
list_targets (GPtrArray *targets)
{
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < targets->len; i++)
    {
      const SondeDebugLaunchTarget *target = g_ptr_array_index (targets, i);

      g_string_append_printf (list, "%d %s\n", target->pid,
                              target->subject != NULL ? target->subject : "");
    }
  return g_string_free (list, FALSE);
}

/* Buttons stay where they can, so that one keeps the focus. */
static void
make_buttons (SondeDebugWelcome *self, GPtrArray *targets)
{
  g_autofree char *list = list_targets (targets);
  GtkWidget *open, *attach;

  if (g_strcmp0 (list, self->shown) == 0)
    return;
  clear (self);
  self->shown = g_steal_pointer (&list);
  for (guint i = 0; i < targets->len; i++)
    add_target (self, g_ptr_array_index (targets, i));
  attach = add_button (self);
  say_on_button (attach, _ ("Attach to a Process…"), NULL);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (attach), "win.attach");
  open = add_button (self);
  say_on_button (open, _ ("Open File…"), NULL);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (open), "win.open-file");
}

void
sonde_debug_welcome_set_targets (SondeDebugWelcome *welcome, GPtrArray *targets)
{
  GtkWidget *button;

  if (targets == NULL)
    {
      clear (welcome);
      return;
    }
  make_buttons (welcome, targets);
  button = gtk_widget_get_first_child (welcome->box);
  for (guint i = 0; i < targets->len; i++)
    {
      const SondeDebugLaunchTarget *target = g_ptr_array_index (targets, i);

      say_on_button (button, target->title, target->detail);
      button = gtk_widget_get_next_sibling (button);
    }
}

static void
sonde_debug_welcome_dispose (GObject *object)
{
  SondeDebugWelcome *self = SONDE_DEBUG_WELCOME (object);

  g_clear_pointer (&self->shown, g_free);
  G_OBJECT_CLASS (sonde_debug_welcome_parent_class)->dispose (object);
}

static void
sonde_debug_welcome_class_init (SondeDebugWelcomeClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_welcome_dispose;
  chosen_signal = g_signal_new ("chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_INT);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugWelcome, status);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugWelcome, box);
}

static void
sonde_debug_welcome_init (SondeDebugWelcome *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
