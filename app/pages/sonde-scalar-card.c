/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/sonde-scalar-card.h"

#include "viewers/layout/sonde-ticks.h"

struct _SondeScalarCard
{
  SondePictureCard parent_instance;
  SondeWorkspace *workspace;
  SondeScalarView *view;
  GHashTable *series; /* SondeSeries shown now -> itself */
};

G_DEFINE_FINAL_TYPE (SondeScalarCard, sonde_scalar_card, SONDE_TYPE_PICTURE_CARD)

static const char *
get_tag (SondeScalarCard *card)
{
  return sonde_picture_card_get_tag (SONDE_PICTURE_CARD (card));
}

/* ---- which runs ----------------------------------------------------------------------------- */

static void
update_series (SondeScalarCard *card)
{
  GListModel *runs = sonde_workspace_get_shown_runs (card->workspace);
  g_autoptr (GHashTable) shown = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
  GHashTableIter iter;
  void *series;

  for (guint i = 0; get_tag (card) != NULL && i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      series = sonde_run_get_series (run, get_tag (card));
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
  SondeSeries *series = run != NULL && get_tag (card) != NULL ? sonde_run_get_series (run, get_tag (card)) : NULL;
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
  sonde_picture_card_set_value (SONDE_PICTURE_CARD (card), text, exact);
}

static void
update (SondeScalarCard *card)
{
  if (get_tag (card) == NULL)
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

/* ---- object --------------------------------------------------------------------------------- */

static void
sonde_scalar_card_tag_changed (SondePictureCard *base)
{
  SondeScalarCard *card = SONDE_SCALAR_CARD (base);

  sonde_scalar_view_clear (card->view);
  g_hash_table_remove_all (card->series);
  on_cursor (card);
  update (card);
}

static gboolean
sonde_scalar_card_is_settled (SondePictureCard *base)
{
  return sonde_scalar_view_is_settled (SONDE_SCALAR_CARD (base)->view);
}

SondeScalarView *
sonde_scalar_card_get_view (SondeScalarCard *card)
{
  g_return_val_if_fail (SONDE_IS_SCALAR_CARD (card), NULL);
  return card->view;
}

static void
sonde_scalar_card_dispose (GObject *object)
{
  SondeScalarCard *card = SONDE_SCALAR_CARD (object);

  G_OBJECT_CLASS (sonde_scalar_card_parent_class)->dispose (object);
  g_clear_pointer (&card->series, g_hash_table_unref);
  g_clear_object (&card->workspace);
}

static void
sonde_scalar_card_class_init (SondeScalarCardClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_scalar_card_dispose;
  SONDE_PICTURE_CARD_CLASS (klass)->tag_changed = sonde_scalar_card_tag_changed;
  SONDE_PICTURE_CARD_CLASS (klass)->is_settled = sonde_scalar_card_is_settled;
}

static void
sonde_scalar_card_init (SondeScalarCard *card)
{
  card->series = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
  card->view = SONDE_SCALAR_VIEW (sonde_scalar_view_new ());
  sonde_picture_card_set_view (SONDE_PICTURE_CARD (card), SONDE_VIEW (card->view));
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
