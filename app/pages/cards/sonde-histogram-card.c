/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/cards/sonde-histogram-card.h"

#include "app/pages/cards/sonde-run-reading.h"
#include "app/widgets/sonde-workspace-watch.h"
#include "data/browsing/sonde-blob-loader.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define MAX_HISTOGRAMS 100 /* drawn a tag */

struct _SondeHistogramCard
{
  SondeTagCard parent_instance;
  SondeWorkspace *workspace;
  SondeHistogramView *view;
  SondeBlobLoader *loader;
  SondeRunReading *reading; /* of the overlay */
  GArray *steps;            /* gint64; (nullable): of the overlay, else it is of runs */
  gboolean overlays;
};

G_DEFINE_FINAL_TYPE (SondeHistogramCard, sonde_histogram_card, SONDE_TYPE_TAG_CARD)

/* (transfer full) (nullable) */
static SondeBins *
dup_bins (const SondeRecord *record)
{
  if (record->u.bins != NULL)
    return sonde_bins_copy (record->u.bins);
  return record->u.histogram != NULL ? sonde_bins_from_histogram (record->u.histogram) : NULL;
}

static void
take (const SondeRecord *record, gboolean restart, void *user_data)
{
  SondeHistogramCard *card = user_data;
  g_autoptr (SondeBins) bins = dup_bins (record);

  if (restart)
    sonde_histogram_view_clear (card->view);
  if (bins != NULL)
    sonde_histogram_view_add (card->view, record->step, bins);
}

/* What an outline of the overlay is called: by its run, or by its own step. (transfer full) */
static char *
dup_title (SondeHistogramCard *card, const SondeRunRecord *one)
{
  g_autofree char *step = NULL;

  if (card->steps == NULL)
    return sonde_text_make_visible (sonde_workspace_get_run_title (card->workspace, one->run));
  step = sonde_format_count (one->record->step);
  return g_strdup_printf (_ ("Step %s"), step);
}

/* Those of the overlay. Steps of one run have colours of their own. */
static void
take_runs (GArray *records, gpointer user_data)
{
  SondeHistogramCard *card = user_data;

  sonde_histogram_view_clear_runs (card->view);
  for (guint i = 0; i < records->len; i++)
    {
      const SondeRunRecord *one = &g_array_index (records, SondeRunRecord, i);
      g_autoptr (SondeBins) bins = one->record != NULL ? dup_bins (one->record) : NULL;
      g_autofree char *title = bins != NULL ? dup_title (card, one) : NULL;

      if (bins != NULL)
        sonde_histogram_view_add_run (
            card->view, title, card->steps != NULL ? i : sonde_run_get_color_index (one->run),
            one->record->step, bins);
    }
  g_signal_emit_by_name (card, "state-changed");
}

static void
on_state (void *user_data)
{
  SondeHistogramCard *card = user_data;
  guint n = sonde_blob_loader_get_n_held (card->loader);
  g_autofree char *count = sonde_format_count (n);
  g_autofree char *text = g_strdup_printf (P_ ("%s step", "%s steps", n), count);

  sonde_tag_card_set_value (SONDE_TAG_CARD (card), text, NULL);
  sonde_histogram_view_set_message (card->view,
                                    sonde_blob_loader_is_busy (card->loader)
                                            && sonde_histogram_view_get_n_rows (card->view) == 0
                                        ? _ ("Loading…")
                                        : NULL);
  g_signal_emit_by_name (card, "state-changed");
}

/* Only while they are looked at. */
static void
update_runs (SondeHistogramCard *card)
{
  if (card->reading != NULL
      && sonde_run_reading_update (
          card->reading, card->overlays ? sonde_tag_card_get_tag (SONDE_TAG_CARD (card)) : NULL))
    g_signal_emit_by_name (card, "state-changed");
}

static void
update (SondeHistogramCard *card)
{
  SondeRun *run = sonde_workspace_get_run (card->workspace);

  if (run != NULL)
    sonde_histogram_view_set_color (card->view, sonde_run_get_color_index (run));
  sonde_tag_card_take_note (SONDE_TAG_CARD (card), run);
  sonde_blob_loader_update (card->loader, run, sonde_tag_card_get_tag (SONDE_TAG_CARD (card)));
  update_runs (card);
}

static void
on_cursor (SondeHistogramCard *card)
{
  SondeStepCursor *cursor = sonde_workspace_get_cursor (card->workspace);

  sonde_histogram_view_set_cursor (card->view, sonde_step_cursor_is_following (cursor)
                                                   ? G_MININT64
                                                   : sonde_step_cursor_get_step (cursor));
  update_runs (card);
}

static void
on_cursor_moved (SondeHistogramCard *card, gint64 step)
{
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (card->workspace), step);
}

static void
on_step_marked (SondeHistogramCard *card, gint64 step)
{
  g_signal_emit_by_name (card, "step-marked", step);
}

static void
sonde_histogram_card_tag_changed (SondeTagCard *base)
{
  SondeHistogramCard *card = SONDE_HISTOGRAM_CARD (base);

  sonde_histogram_view_clear (card->view);
  on_cursor (card);
  update (card);
}

static gboolean
sonde_histogram_card_is_settled (SondeTagCard *card)
{
  SondeHistogramCard *histograms = SONDE_HISTOGRAM_CARD (card);

  return !sonde_blob_loader_is_busy (histograms->loader)
         && !sonde_run_reading_is_busy (histograms->reading);
}

void
sonde_histogram_card_set_kind (SondeHistogramCard *card, SondeDistributionKind kind)
{
  g_return_if_fail (SONDE_IS_HISTOGRAM_CARD (card));
  card->overlays = kind == SONDE_DISTRIBUTION_OVERLAY;
  sonde_histogram_view_set_kind (card->view, kind);
  update_runs (card);
}

void
sonde_histogram_card_set_steps (SondeHistogramCard *card, GArray *steps)
{
  g_return_if_fail (SONDE_IS_HISTOGRAM_CARD (card));
  g_clear_pointer (&card->steps, g_array_unref);
  card->steps = steps != NULL ? g_array_ref (steps) : NULL;
  sonde_run_reading_set_steps (card->reading, steps);
  sonde_histogram_view_set_overlay_of_steps (card->view, steps != NULL);
}

SondeHistogramView *
sonde_histogram_card_get_view (SondeHistogramCard *card)
{
  g_return_val_if_fail (SONDE_IS_HISTOGRAM_CARD (card), NULL);
  return card->view;
}

void
sonde_histogram_card_get_counts (SondeHistogramCard *card, guint *shown, guint *held)
{
  g_return_if_fail (SONDE_IS_HISTOGRAM_CARD (card));
  *shown = sonde_histogram_view_get_n_rows (card->view);
  *held = sonde_blob_loader_get_n_held (card->loader);
}

static void
sonde_histogram_card_dispose (GObject *object)
{
  SondeHistogramCard *card = SONDE_HISTOGRAM_CARD (object);

  g_clear_pointer (&card->loader, sonde_blob_loader_free);
  g_clear_pointer (&card->reading, sonde_run_reading_free);
  g_clear_pointer (&card->steps, g_array_unref);
  G_OBJECT_CLASS (sonde_histogram_card_parent_class)->dispose (object);
  g_clear_object (&card->workspace);
}

static void
sonde_histogram_card_class_init (SondeHistogramCardClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_histogram_card_dispose;
  SONDE_TAG_CARD_CLASS (klass)->tag_changed = sonde_histogram_card_tag_changed;
  SONDE_TAG_CARD_CLASS (klass)->is_settled = sonde_histogram_card_is_settled;
  g_signal_new ("state-changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 0);
  g_signal_new ("step-marked", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 1, G_TYPE_INT64);
}

static void
sonde_histogram_card_init (SondeHistogramCard *card)
{
  card->view = SONDE_HISTOGRAM_VIEW (sonde_histogram_view_new ());
  card->loader
      = sonde_blob_loader_new (SONDE_RECORD_HISTOGRAM, MAX_HISTOGRAMS, take, on_state, card);
  sonde_tag_card_set_content (SONDE_TAG_CARD (card), GTK_WIDGET (card->view));
  g_signal_connect_object (card->view, "cursor-moved", G_CALLBACK (on_cursor_moved), card,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (card->view, "step-marked", G_CALLBACK (on_step_marked), card,
                           G_CONNECT_SWAPPED);
}

GtkWidget *
sonde_histogram_card_new (SondeWorkspace *workspace)
{
  SondeHistogramCard *card = g_object_new (SONDE_TYPE_HISTOGRAM_CARD, NULL);

  card->workspace = g_object_ref (workspace);
  card->reading = sonde_run_reading_new (workspace, SONDE_RECORD_HISTOGRAM, take_runs, card);
  sonde_watch_workspace (GTK_WIDGET (card), workspace, G_CALLBACK (update));
  g_signal_connect_object (sonde_workspace_get_cursor (workspace), "notify", G_CALLBACK (on_cursor),
                           card, G_CONNECT_SWAPPED);
  return GTK_WIDGET (card);
}
