/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/sonde-scalar-card.h"

#include "viewers/layout/sonde-ticks.h"
#include "viewers/paint/sonde-text.h"

#define RESOURCE "/org/sonde/Sonde/pages/sonde-scalar-card.ui"

struct _SondeScalarCard
{
  GtkBox parent_instance;
  SondeWorkspace *workspace;
  char *tag;
  GtkLabel *title, *value;
  GtkButton *expand;
  SondeScalarView *view;
  GHashTable *series; /* SondeSeries shown now -> itself */
};

G_DEFINE_FINAL_TYPE (SondeScalarCard, sonde_scalar_card, GTK_TYPE_BOX)

/* ---- which runs ----------------------------------------------------------------------------- */

static void
update_series (SondeScalarCard *card)
{
  GListModel *runs = sonde_workspace_get_shown_runs (card->workspace);
  g_autoptr (GHashTable) shown = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
  GHashTableIter iter;
  void *series;

  for (guint i = 0; card->tag != NULL && i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      series = sonde_run_get_series (run, card->tag);
      if (series == NULL)
        continue;
      g_hash_table_add (shown, g_object_ref (series));
      sonde_scalar_view_add (card->view, series, sonde_workspace_get_run_title (card->workspace, run),
                             sonde_run_get_color_index (run));
    }
  g_hash_table_iter_init (&iter, card->series);
  while (g_hash_table_iter_next (&iter, &series, NULL))
    if (!g_hash_table_contains (shown, series))
      sonde_scalar_view_remove (card->view, series);
  g_hash_table_unref (card->series);
  card->series = g_steal_pointer (&shown);
}

/* The value of the chosen run at the cursor. */
static void
update_value (SondeScalarCard *card)
{
  SondeRun *run = sonde_workspace_get_run (card->workspace);
  SondeStepCursor *cursor = sonde_workspace_get_cursor (card->workspace);
  SondeSeries *series = run != NULL && card->tag != NULL ? sonde_run_get_series (run, card->tag) : NULL;
  gint64 step = sonde_step_cursor_get_step (cursor);
  g_autofree char *text = NULL, *exact = NULL;
  SondePoint point;
  gboolean found = FALSE;

  if (series != NULL && sonde_step_cursor_is_following (cursor))
    found = sonde_series_get_last (series, &point);
  else if (series != NULL)
    {
      g_autoptr (GArray) at = sonde_series_query (series, step, step, 1);

      found = at->len > 0;
      if (found)
        point.value = g_array_index (at, SondeBucket, at->len - 1).last;
    }
  if (found)
    {
      text = sonde_format_number (point.value);
      exact = sonde_format_exact (point.value);
    }
  gtk_label_set_label (card->value, text != NULL ? text : "");
  gtk_widget_set_tooltip_text (GTK_WIDGET (card->value), exact);
}

static void
update (SondeScalarCard *card)
{
  if (card->tag == NULL)
    return;
  update_series (card);
  update_value (card);
}

static void
on_cursor (SondeScalarCard *card)
{
  SondeStepCursor *cursor = sonde_workspace_get_cursor (card->workspace);

  /* A cursor that follows stands on the right edge of every chart and would say nothing. */
  sonde_scalar_view_set_cursor (card->view, sonde_step_cursor_is_following (cursor)
                                              ? SONDE_SCALAR_NO_STEP
                                              : sonde_step_cursor_get_step (cursor));
  update_value (card);
}

static void
on_cursor_moved (SondeScalarCard *card,
                 gint64           step)
{
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (card->workspace), step);
}

/* ---- buttons -------------------------------------------------------------------------------- */

static void
on_fit (SondeScalarCard *card)
{
  sonde_view_zoom_fit (SONDE_VIEW (card->view));
}

static void
on_export (SondeScalarCard *card)
{
  gtk_widget_activate_action (GTK_WIDGET (card->view), "view.export", NULL);
}

static void
on_expand (SondeScalarCard *card)
{
  g_signal_emit_by_name (card, "expand", card->tag);
}

void
sonde_scalar_card_set_expanded (SondeScalarCard *card,
                                gboolean         expanded)
{
  g_return_if_fail (SONDE_IS_SCALAR_CARD (card));
  gtk_button_set_icon_name (card->expand, expanded ? "view-restore-symbolic" : "view-fullscreen-symbolic");
  gtk_widget_set_tooltip_text (GTK_WIDGET (card->expand),
                               expanded ? "Back to all charts" : "Fill the page with this chart");
}

void
sonde_scalar_card_set_can_expand (SondeScalarCard *card,
                                  gboolean         can_expand)
{
  g_return_if_fail (SONDE_IS_SCALAR_CARD (card));
  gtk_widget_set_visible (GTK_WIDGET (card->expand), can_expand);
}

void
sonde_scalar_card_set_tag (SondeScalarCard *card,
                           const char      *tag)
{
  g_autofree char *visible = NULL;

  g_return_if_fail (SONDE_IS_SCALAR_CARD (card));
  if (g_strcmp0 (tag, card->tag) == 0)
    return;
  g_free (card->tag);
  card->tag = g_strdup (tag);
  sonde_scalar_view_clear (card->view);
  g_hash_table_remove_all (card->series);
  visible = sonde_text_make_visible (tag);
  gtk_label_set_text (card->title, visible);
  gtk_widget_set_tooltip_text (GTK_WIDGET (card->title), visible);
  sonde_view_set_title (SONDE_VIEW (card->view), visible);
  sonde_view_zoom_fit (SONDE_VIEW (card->view));
  on_cursor (card);
  update (card);
}

const char *
sonde_scalar_card_get_tag (SondeScalarCard *card)
{
  g_return_val_if_fail (SONDE_IS_SCALAR_CARD (card), NULL);
  return card->tag;
}

SondeScalarView *
sonde_scalar_card_get_view (SondeScalarCard *card)
{
  g_return_val_if_fail (SONDE_IS_SCALAR_CARD (card), NULL);
  return card->view;
}

/* ---- object --------------------------------------------------------------------------------- */

static void
sonde_scalar_card_dispose (GObject *object)
{
  SondeScalarCard *card = SONDE_SCALAR_CARD (object);

  gtk_widget_dispose_template (GTK_WIDGET (card), SONDE_TYPE_SCALAR_CARD);
  g_clear_pointer (&card->series, g_hash_table_unref);
  g_clear_object (&card->workspace);
  G_OBJECT_CLASS (sonde_scalar_card_parent_class)->dispose (object);
}

static void
sonde_scalar_card_finalize (GObject *object)
{
  g_free (SONDE_SCALAR_CARD (object)->tag);
  G_OBJECT_CLASS (sonde_scalar_card_parent_class)->finalize (object);
}

static void
sonde_scalar_card_class_init (SondeScalarCardClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = sonde_scalar_card_dispose;
  object_class->finalize = sonde_scalar_card_finalize;
  g_signal_new ("expand", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                G_TYPE_STRING);
  g_type_ensure (SONDE_TYPE_SCALAR_VIEW);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarCard, title);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarCard, value);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarCard, expand);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarCard, view);
  gtk_widget_class_bind_template_callback (widget_class, on_fit);
  gtk_widget_class_bind_template_callback (widget_class, on_export);
  gtk_widget_class_bind_template_callback (widget_class, on_expand);
}

static void
sonde_scalar_card_init (SondeScalarCard *card)
{
  card->series = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
  gtk_widget_init_template (GTK_WIDGET (card));
  g_signal_connect_object (card->view, "cursor-moved", G_CALLBACK (on_cursor_moved), card, G_CONNECT_SWAPPED);
}

GtkWidget *
sonde_scalar_card_new (SondeWorkspace *workspace)
{
  SondeScalarCard *card = g_object_new (SONDE_TYPE_SCALAR_CARD, NULL);

  card->workspace = g_object_ref (workspace);
  g_signal_connect_object (workspace, "changed", G_CALLBACK (update), card, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "notify::run", G_CALLBACK (update), card, G_CONNECT_SWAPPED);
  g_signal_connect_object (sonde_workspace_get_cursor (workspace), "notify", G_CALLBACK (on_cursor), card,
                           G_CONNECT_SWAPPED);
  return GTK_WIDGET (card);
}
