/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sonde-status-bar.h"

#include "app/sidebar/sonde-damage-list.h"
#include "app/widgets/sonde-tooltip.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define RESOURCE "/org/sonde/Sonde/sonde-status-bar.ui"
#define RATE_SECONDS 2 /* between two looks at the number of points */

struct _SondeStatusBar
{
  GtkBox parent_instance;
  SondeWorkspace *workspace;
  GtkLabel *text, *rate, *cursor_label, *damage_label;
  GtkMenuButton *damage;
  GtkPopover *damage_popover;
  GtkWidget *cursor;
  guint rate_source;
  guint64 last_points;
  gint64 last_time; /* µs, monotonic; 0: none yet */
};

G_DEFINE_FINAL_TYPE (SondeStatusBar, sonde_status_bar, GTK_TYPE_BOX)

/* (transfer full) (element-type SondeRun) */
static GPtrArray *
list_runs (SondeStatusBar *bar)
{
  GListModel *model = G_LIST_MODEL (sonde_workspace_get_store (bar->workspace));
  GPtrArray *runs = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    g_ptr_array_add (runs, g_list_model_get_item (model, i));
  return runs;
}

static void
update_damage (SondeStatusBar *bar)
{
  SondeRunStore *store = sonde_workspace_get_store (bar->workspace);
  guint64 n = sonde_run_store_get_problems (store)->len + sonde_run_store_get_damage_count (store);
  g_autofree char *count = NULL, *text = NULL;

  gtk_widget_set_visible (GTK_WIDGET (bar->damage), n > 0);
  count = sonde_format_count ((gint64) n);
  text = g_strdup_printf (_ ("%s damaged"), count);
  gtk_label_set_label (bar->damage_label, text);
}

static void
on_damage_shown (GtkWidget *popover, SondeStatusBar *bar)
{
  g_autoptr (GPtrArray) runs = list_runs (bar);

  gtk_popover_set_child (bar->damage_popover, sonde_damage_list_new (bar->workspace, runs));
}

/* Without runs there are no steps. */
static void
update_cursor (SondeStatusBar *bar)
{
  GListModel *runs = G_LIST_MODEL (sonde_workspace_get_store (bar->workspace));
  SondeStepCursor *cursor = sonde_workspace_get_cursor (bar->workspace);
  g_autofree char *step = sonde_format_count (sonde_step_cursor_get_step (cursor));
  gboolean following = sonde_step_cursor_is_following (cursor);
  g_autofree char *text = g_strdup_printf (following ? _ ("Step %s, last") : _ ("Step %s"), step);

  gtk_label_set_label (bar->cursor_label, text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (bar->cursor), GTK_ACCESSIBLE_PROPERTY_LABEL, text,
                                  -1);
  sonde_set_tooltip (
      bar->cursor,
      following ? _ ("The step cursor follows the last step")
                : _ ("The step cursor of all pages; press to follow the last step (Ctrl+L)"));
  gtk_widget_set_sensitive (bar->cursor, !following);
  gtk_widget_set_visible (bar->cursor, g_list_model_get_n_items (runs) > 0);
}

static guint64
count_points (SondeStatusBar *bar, gboolean *live)
{
  g_autoptr (GPtrArray) runs = list_runs (bar);
  guint64 n = 0;

  *live = sonde_workspace_count_running (bar->workspace) > 0;
  for (guint i = 0; i < runs->len; i++)
    {
      GPtrArray *tags = sonde_run_get_tags (runs->pdata[i]);

      for (guint k = 0; k < tags->len; k++)
        {
          const SondeRunTag *tag = tags->pdata[k];
          n += tag->kind == SONDE_RECORD_SCALARS ? tag->count : 0;
        }
    }
  return n;
}

static gboolean
on_rate (void *user_data)
{
  SondeStatusBar *bar = user_data;
  gint64 now = g_get_monotonic_time ();
  gboolean live, loading = sonde_run_store_is_loading (sonde_workspace_get_store (bar->workspace));
  guint64 n = count_points (bar, &live);
  g_autofree char *number = NULL, *text = NULL;

  if (live && !loading && bar->last_time != 0 && n >= bar->last_points)
    {
      double rate
          = (double) (n - bar->last_points) * G_USEC_PER_SEC / (double) (now - bar->last_time);
      number = sonde_format_number (rate < 10 ? rate : (double) (gint64) rate);
      text = g_strdup_printf (_ ("%s points/s"), number);
    }
  gtk_label_set_label (bar->rate, text != NULL ? text : "");
  gtk_widget_set_visible (GTK_WIDGET (bar->rate), live); /* its room stays while a run is live */
  bar->last_points = n;
  bar->last_time = loading ? 0 : now;
  if (live || loading)
    return G_SOURCE_CONTINUE;
  bar->rate_source = 0;
  bar->last_time = 0;
  return G_SOURCE_REMOVE;
}

static void
on_changed (SondeStatusBar *bar)
{
  update_damage (bar);
  update_cursor (bar);
  if (bar->rate_source == 0)
    bar->rate_source = g_timeout_add_seconds (RATE_SECONDS, on_rate, bar);
}

void
sonde_status_bar_set_text (SondeStatusBar *bar, const char *text)
{
  g_return_if_fail (SONDE_IS_STATUS_BAR (bar));
  gtk_label_set_label (bar->text, text != NULL ? text : "");
  sonde_set_tooltip (GTK_WIDGET (bar->text), text);
}

void
sonde_status_bar_set_workspace (SondeStatusBar *bar, SondeWorkspace *workspace)
{
  g_return_if_fail (SONDE_IS_STATUS_BAR (bar) && bar->workspace == NULL);
  bar->workspace = g_object_ref (workspace);
  g_signal_connect_object (workspace, "changed", G_CALLBACK (on_changed), bar, G_CONNECT_SWAPPED);
  g_signal_connect_object (sonde_workspace_get_cursor (workspace), "notify",
                           G_CALLBACK (update_cursor), bar, G_CONNECT_SWAPPED);
  on_changed (bar);
}

static void
sonde_status_bar_dispose (GObject *object)
{
  SondeStatusBar *bar = SONDE_STATUS_BAR (object);

  g_clear_handle_id (&bar->rate_source, g_source_remove);
  gtk_widget_dispose_template (GTK_WIDGET (bar), SONDE_TYPE_STATUS_BAR);
  g_clear_object (&bar->workspace);
  G_OBJECT_CLASS (sonde_status_bar_parent_class)->dispose (object);
}

static void
sonde_status_bar_class_init (SondeStatusBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_status_bar_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeStatusBar, text);
  gtk_widget_class_bind_template_child (widget_class, SondeStatusBar, rate);
  gtk_widget_class_bind_template_child (widget_class, SondeStatusBar, cursor);
  gtk_widget_class_bind_template_child (widget_class, SondeStatusBar, cursor_label);
  gtk_widget_class_bind_template_child (widget_class, SondeStatusBar, damage);
  gtk_widget_class_bind_template_child (widget_class, SondeStatusBar, damage_label);
  gtk_widget_class_bind_template_child (widget_class, SondeStatusBar, damage_popover);
}

static void
sonde_status_bar_init (SondeStatusBar *bar)
{
  gtk_widget_init_template (GTK_WIDGET (bar));
  g_signal_connect (bar->damage_popover, "show", G_CALLBACK (on_damage_shown), bar);
}
