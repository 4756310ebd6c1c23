/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sidebar/sonde-run-row.h"

#include "app/sidebar/sonde-damage-list.h"
#include "app/widgets/sonde-run-dialogs.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-badge.h"

#define RESOURCE "/org/sonde/Sonde/sidebar/sonde-run-row.ui"

struct _SondeRunRow
{
  GtkBox parent_instance;
  SondeWorkspace *workspace;
  SondeRunNode *node;
  GtkTreeExpander *expander;
  GtkCheckButton *box;
  SondeBadge *stroke, *state;
  GtkLabel *name, *tags, *progress;
  GtkWidget *chip, *pin, *note;
  GtkWidget *
      damage; /* (nullable): made for the first run that is damaged: rows are many, and few of those */
  gulong node_changed, run_changed;
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (SondeRunRow, sonde_run_row, GTK_TYPE_BOX)

static SondeRun *
get_run (SondeRunRow *self)
{
  return self->node != NULL ? sonde_run_node_get_run (self->node) : NULL;
}

/* Path, step, and what a person said. */
static char *
dup_tooltip (SondeRunRow *self, SondeRun *run)
{
  const char *note = sonde_workspace_get_run_mark (self->workspace, run, SONDE_RUN_MARK_NOTE);
  g_autofree char *step = sonde_format_count (sonde_run_get_last_step (run));
  g_autofree char *facts = NULL;

  if (sonde_run_get_last_step (run) < 0)
    facts = g_strdup_printf (_ ("%s\nno scalars yet"), sonde_run_get_path (run));
  else
    facts = g_strdup_printf (sonde_run_is_live (run) ? _ ("%s\nlast step %s, still being written")
                                                     : _ ("%s\nlast step %s"),
                             sonde_run_get_path (run), step);
  return note != NULL ? g_strdup_printf ("%s\n\n%s", facts, note) : g_steal_pointer (&facts);
}

/* A number while the run is read for the first time; nothing while a writer is ahead of us by a
 * record. */
static void
update_progress (SondeRunRow *self, SondeRun *run)
{
  gboolean loading = run != NULL
                     && sonde_run_store_is_loading (sonde_workspace_get_store (self->workspace))
                     && sonde_run_get_progress (run) < 1;
  g_autofree char *text = NULL;

  gtk_widget_set_visible (GTK_WIDGET (self->progress), loading);
  if (!loading)
    return;
  text = g_strdup_printf ("%d %%", (int) (sonde_run_get_progress (run) * 100));
  gtk_label_set_text (self->progress, text);
}

/* "#baseline #keep" */
static char *
dup_tags (SondeRunRow *self, SondeRun *run)
{
  g_auto (GStrv) tags = sonde_run_marks_split_tags (
      sonde_workspace_get_run_mark (self->workspace, run, SONDE_RUN_MARK_TAGS));
  g_autofree char *joined = g_strjoinv (" #", tags);

  return *joined != '\0' ? g_strconcat ("#", joined, NULL) : NULL;
}

/* What a person said of it. */
static void
update_marks (SondeRunRow *self, SondeRun *run)
{
  g_autofree char *tags = run != NULL ? dup_tags (self, run) : NULL;
  const char *pin = NULL, *note = NULL;

  if (run != NULL)
    {
      pin = sonde_workspace_get_run_mark (self->workspace, run, SONDE_RUN_MARK_PIN);
      note = sonde_workspace_get_run_mark (self->workspace, run, SONDE_RUN_MARK_NOTE);
    }
  gtk_label_set_text (self->tags, tags != NULL ? tags : "");
  gtk_widget_set_visible (GTK_WIDGET (self->tags), tags != NULL);
  gtk_widget_set_visible (self->pin, pin != NULL);
  gtk_widget_set_visible (self->note, note != NULL);
}

/* The box stands for all runs of the row: its own and those below it. */
static void
update_box (SondeRunRow *self, const char *name)
{
  guint n = sonde_run_node_get_n_runs (self->node),
        n_shown = sonde_run_node_get_n_shown (self->node);

  self->updating = TRUE;
  gtk_check_button_set_active (self->box, n_shown == n);
  gtk_check_button_set_inconsistent (self->box, n_shown > 0 && n_shown < n);
  gtk_widget_set_opacity (GTK_WIDGET (self->stroke), n_shown > 0 ? 1 : 0.3);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->box), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  -1);
  self->updating = FALSE;
}

/* What a screen reader says of the row: GTK 4.8 reads nothing out of a row by itself. */
static void
name_row (SondeRunRow *self, const char *name)
{
  GtkWidget *row = gtk_widget_get_parent (GTK_WIDGET (self));
  SondeRun *run = get_run (self);
  g_autofree char *full = NULL;

  if (row == NULL)
    return;
  if (run == NULL)
    {
      g_autofree char *shown = sonde_format_count (sonde_run_node_get_n_shown (self->node)),
                      *all = sonde_format_count (sonde_run_node_get_n_runs (self->node));

      full = g_strdup_printf (_ ("Folder %s, %s of %s runs shown"), name, shown, all);
    }
  else
    full = g_strdup_printf (sonde_workspace_is_shown (self->workspace, run) ? _ ("Run %s, shown")
                                                                            : _ ("Run %s, hidden"),
                            name);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, full, -1);
}

/* ---- damage -------------------------------------------------------------- */

static void
on_damage_shown (GtkPopover *popover, SondeRunRow *self)
{
  g_autoptr (GPtrArray) runs = g_ptr_array_new ();

  if (get_run (self) == NULL)
    return;
  g_ptr_array_add (runs, get_run (self));
  gtk_popover_set_child (popover, sonde_damage_list_new (self->workspace, runs));
}

static void
make_damage (SondeRunRow *self)
{
  GtkWidget *popover = gtk_popover_new ();

  self->damage = gtk_menu_button_new ();
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (self->damage), "dialog-warning-symbolic");
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (self->damage), popover);
  gtk_widget_add_css_class (self->damage, "flat");
  gtk_widget_add_css_class (self->damage, "damage");
  gtk_widget_add_css_class (self->damage, "small-button");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->damage), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Damage of this run"), -1);
  gtk_box_insert_child_after (GTK_BOX (self), self->damage, GTK_WIDGET (self->progress));
  g_signal_connect (popover, "show", G_CALLBACK (on_damage_shown), self);
}

static void
show_damage (SondeRunRow *self, gboolean is_damaged)
{
  if (is_damaged && self->damage == NULL)
    make_damage (self);
  if (self->damage != NULL)
    gtk_widget_set_visible (self->damage, is_damaged);
}

static void
update (SondeRunRow *self)
{
  SondeRun *run = get_run (self);
  g_autofree char *name = NULL;

  if (self->node == NULL)
    return;
  name = sonde_text_make_visible (sonde_run_node_get_label (self->node));
  gtk_label_set_text (self->name, name);
  gtk_widget_set_visible (self->chip, run != NULL);
  if (run != NULL)
    sonde_badge_set_series (self->stroke, sonde_run_get_color_index (run));
  update_box (self, name);
  update_marks (self, run);
  update_progress (self, run);
  name_row (self, name);
  if (run != NULL && sonde_run_is_live (run))
    sonde_badge_set_state (self->state, sonde_workspace_is_running (self->workspace, run)
                                            ? SONDE_STATE_RUNNING
                                            : SONDE_STATE_PAUSED);
  else
    sonde_badge_set_nothing (self->state);
  show_damage (self, run != NULL && sonde_run_get_damage_count (run) > 0);
}

/* From "some" and "none" to all, from all to none. */
static void
on_toggled (SondeRunRow *self)
{
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func (g_object_unref);

  if (self->updating || self->node == NULL)
    return;
  sonde_run_node_collect (self->node, runs);
  sonde_workspace_show_runs (self->workspace, runs,
                             sonde_run_node_get_n_shown (self->node)
                                 < sonde_run_node_get_n_runs (self->node));
  /* The press has moved the box; what it says is the workspace's. */
  update (self);
}

static void
on_chip_clicked (SondeRunRow *self)
{
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func (g_object_unref);

  if (get_run (self) == NULL)
    return;
  g_ptr_array_add (runs, g_object_ref (get_run (self)));
  sonde_run_dialogs_ask_color (GTK_WIDGET (self), self->workspace, runs);
}

static void
let_go (SondeRunRow *self)
{
  SondeRun *run = get_run (self);

  if (run != NULL && self->run_changed != 0)
    g_signal_handler_disconnect (run, self->run_changed);
  if (self->node != NULL && self->node_changed != 0)
    g_signal_handler_disconnect (self->node, self->node_changed);
  self->run_changed = self->node_changed = 0;
  g_clear_object (&self->node);
}

SondeRunNode *
sonde_run_row_get_node (SondeRunRow *self)
{
  g_return_val_if_fail (SONDE_IS_RUN_ROW (self), NULL);
  return self->node;
}

gboolean
sonde_run_row_set_expanded (SondeRunRow *self, gboolean expanded)
{
  GtkTreeListRow *row;

  g_return_val_if_fail (SONDE_IS_RUN_ROW (self), FALSE);
  row = gtk_tree_expander_get_list_row (self->expander);
  if (row == NULL || !gtk_tree_list_row_is_expandable (row))
    return FALSE;
  gtk_tree_list_row_set_expanded (row, expanded);
  return TRUE;
}

void
sonde_run_row_update (SondeRunRow *self)
{
  g_return_if_fail (SONDE_IS_RUN_ROW (self));
  update (self);
}

void
sonde_run_row_bind (SondeRunRow *self, GtkTreeListRow *row, SondeRunNode *node)
{
  g_return_if_fail (SONDE_IS_RUN_ROW (self));
  let_go (self);
  gtk_tree_expander_set_list_row (self->expander, row);
  if (node == NULL)
    return;
  self->node = g_object_ref (node);
  /* Only folders need room for an arrow. */
  gtk_tree_expander_set_indent_for_icon (
      self->expander, g_list_model_get_n_items (sonde_run_node_get_children (node)) > 0);
  self->node_changed = g_signal_connect_swapped (node, "changed", G_CALLBACK (update), self);
  if (get_run (self) != NULL)
    self->run_changed
        = g_signal_connect_swapped (get_run (self), "changed", G_CALLBACK (update), self);
  update (self);
}

/* One for the row rather than one a part: GTK asks the X server for the pointer for each text that it is given. */
static gboolean
sonde_run_row_query_tooltip (GtkWidget *widget, int x, int y, gboolean by_keyboard,
                             GtkTooltip *tooltip)
{
  SondeRunRow *self = SONDE_RUN_ROW (widget);
  const struct
  {
    GtkWidget *part;
    const char *text;
  } parts[] = {
    { GTK_WIDGET (self->box), _ ("Show in charts") },
    { self->chip, _ ("Choose a Colour") },
    { self->note, _ ("Has a note") },
    { self->pin, _ ("Pinned") },
    { GTK_WIDGET (self->progress), _ ("Reading progress of this run") },
    { self->damage, _ ("Parts of this run are unreadable") },
  };
  GtkWidget *picked = gtk_widget_pick (widget, x, y, GTK_PICK_DEFAULT);
  g_autofree char *facts = NULL;

  for (gsize i = 0; picked != NULL && i < G_N_ELEMENTS (parts); i++)
    if (parts[i].part != NULL
        && (picked == parts[i].part || gtk_widget_is_ancestor (picked, parts[i].part)))
      {
        gtk_tooltip_set_text (tooltip, parts[i].text);
        return TRUE;
      }
  if (get_run (self) == NULL)
    return FALSE;
  facts = dup_tooltip (self, get_run (self));
  gtk_tooltip_set_text (tooltip, facts);
  return TRUE;
}

static void
sonde_run_row_dispose (GObject *object)
{
  SondeRunRow *self = SONDE_RUN_ROW (object);

  let_go (self);
  gtk_widget_dispose_template (GTK_WIDGET (self), SONDE_TYPE_RUN_ROW);
  g_clear_object (&self->workspace);
  G_OBJECT_CLASS (sonde_run_row_parent_class)->dispose (object);
}

static void
sonde_run_row_class_init (SondeRunRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_run_row_dispose;
  widget_class->query_tooltip = sonde_run_row_query_tooltip;
  g_type_ensure (SONDE_TYPE_BADGE);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeRunRow, expander);
  gtk_widget_class_bind_template_child (widget_class, SondeRunRow, box);
  gtk_widget_class_bind_template_child (widget_class, SondeRunRow, stroke);
  gtk_widget_class_bind_template_child (widget_class, SondeRunRow, state);
  gtk_widget_class_bind_template_child (widget_class, SondeRunRow, name);
  gtk_widget_class_bind_template_child (widget_class, SondeRunRow, progress);
  gtk_widget_class_bind_template_child (widget_class, SondeRunRow, tags);
  gtk_widget_class_bind_template_child (widget_class, SondeRunRow, chip);
  gtk_widget_class_bind_template_child (widget_class, SondeRunRow, pin);
  gtk_widget_class_bind_template_child (widget_class, SondeRunRow, note);
  gtk_widget_class_bind_template_callback (widget_class, on_toggled);
  gtk_widget_class_bind_template_callback (widget_class, on_chip_clicked);
}

static void
sonde_run_row_init (SondeRunRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
sonde_run_row_new (SondeWorkspace *workspace)
{
  SondeRunRow *self = g_object_new (SONDE_TYPE_RUN_ROW, NULL);

  self->workspace = g_object_ref (workspace);
  return GTK_WIDGET (self);
}
