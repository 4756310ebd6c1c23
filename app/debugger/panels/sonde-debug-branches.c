/* SPDX-License-Identifier: Apache-2.0
 * Branches. */
#include "app/debugger/panels/sonde-debug-branches.h"

#include "app/debugger/sonde-debug-widgets.h"
#include "app/debugger/dialogs/sonde-debug-analysis.h"
#include "app/widgets/sonde-accessible.h"
#include "engine/frontend/sonde-debug-describe.h"
#include "data/base/sonde-format.h"
#include "viewers/sonde-badge.h"
#include "data/base/sonde-text.h"

struct _SondeDebugBranches
{
  GtkBox parent_instance;

  SondeDebugSession *session; /* borrowed from the page */
  GtkWidget *list;
};

G_DEFINE_FINAL_TYPE (SondeDebugBranches, sonde_debug_branches, GTK_TYPE_BOX)

static char *
number_text (gpointer object)
{
  return g_strdup_printf ("%u", GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (object), "number")));
}

static void
on_compare (GtkButton *button, SondeDebugBranches *self)
{
  g_autofree char *number = number_text (button);

  sonde_debug_analysis_open (GTK_WIDGET (self), self->session, "diff", number);
}

static void
on_row_activated (SondeDebugBranches *self, GtkListBoxRow *row)
{
  g_autofree char *number = number_text (row);
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);

  if (status != NULL
      && status->branch != GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (row), "number")))
    sonde_debug_session_branch (self->session, SONDE_BRANCH_SWITCH, number);
}

static void
add_branch (SondeDebugBranches *self, const SondeBranch *info)
{
  GtkWidget *box = sonde_debug_list_add (self->list), *row = sonde_debug_row_of (box),
            *mark = sonde_badge_new (), *label;
  g_autofree char *name = g_strdup_printf ("%u: %s", info->number, info->name);
  g_autofree char *origin = info->parent > 0
                                ? g_strdup_printf (_ ("from %u by “%s”"), info->parent, info->text)
                                : g_strdup (_ ("original run"));
  g_autofree char *size = sonde_format_bytes (info->bytes);
  g_autofree char *place = info->current ? g_strdup (_ ("current"))
                           : *info->node != '\0'
                               ? g_strdup_printf (_ ("before %s · %s"), info->node, size)
                               : g_strdup_printf (_ ("ended · %s"), size);
  GtkWidget *compare = gtk_button_new_with_label (_ ("Compare…"));

  if (info->current)
    sonde_badge_set_state (SONDE_BADGE (mark), SONDE_STATE_PAUSED);
  gtk_box_append (GTK_BOX (box), mark);
  gtk_box_append (GTK_BOX (box), sonde_debug_name_label (name, "heading"));
  label = sonde_debug_name_label (origin, "dim-label");
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), sonde_debug_name_label (place, "dim-label"));
  sonde_name_by_text (row);
  gtk_widget_add_css_class (compare, "small-link");
  gtk_widget_set_valign (compare, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (compare, _ ("Compare All Values with the Current Branch"));
  gtk_widget_set_opacity (compare, info->current ? 0 : 1); /* its room stays */
  gtk_widget_set_sensitive (compare, !info->current);
  g_object_set_data (G_OBJECT (compare), "number", GUINT_TO_POINTER (info->number));
  g_object_set_data (G_OBJECT (row), "number", GUINT_TO_POINTER (info->number));
  g_signal_connect_object (compare, "clicked", G_CALLBACK (on_compare), self, 0);
  gtk_box_append (GTK_BOX (box), compare);
}

static void
update (SondeDebugBranches *self)
{
  GPtrArray *branches = sonde_debug_session_get_branches (self->session);

  sonde_debug_list_clear (self->list);
  for (guint i = 0; branches != NULL && branches->len > 1 && i < branches->len; i++)
    add_branch (self, g_ptr_array_index (branches, i));
}

static void
sonde_debug_branches_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_DEBUG_BRANCHES);
  G_OBJECT_CLASS (sonde_debug_branches_parent_class)->dispose (object);
}

static void
sonde_debug_branches_class_init (SondeDebugBranchesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_branches_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/sonde/Sonde/debugger/panels/sonde-debug-branches.ui");
  gtk_widget_class_bind_template_child (widget_class, SondeDebugBranches, list);
  gtk_widget_class_bind_template_callback (widget_class, on_row_activated);
}

static void
sonde_debug_branches_init (SondeDebugBranches *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
sonde_debug_branches_new (SondeDebugSession *session)
{
  SondeDebugBranches *self = g_object_new (SONDE_TYPE_DEBUG_BRANCHES, NULL);

  self->session = session;
  g_signal_connect_object (session, "loaded", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "over", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
