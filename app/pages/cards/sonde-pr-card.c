/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/cards/sonde-pr-card.h"

#include <math.h>

#include "app/pages/cards/sonde-run-reading.h"
#include "app/widgets/sonde-workspace-watch.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

struct _SondePrCard
{
  SondeTagCard parent_instance;
  SondeWorkspace *workspace;
  SondePrView *view;
  gboolean roc;
  SondeRunReading *reading;
};

G_DEFINE_FINAL_TYPE (SondePrCard, sonde_pr_card, SONDE_TYPE_TAG_CARD)

/* ---- what is shown ------------------------------------------------------- */

/* The area of a single curve. */
static void
update_value (SondePrCard *card)
{
  double area = sonde_pr_view_get_area (card->view, 0);
  g_autofree char *number = sonde_format_number (area), *text = NULL;

  if (isfinite (area) && sonde_pr_view_get_n_curves (card->view) == 1)
    text = g_strdup_printf (card->roc ? _ ("AUC %s") : _ ("AP %s"), number);
  else if (sonde_pr_view_get_n_curves (card->view) > 1)
    text = g_strdup_printf (_ ("%u runs"), sonde_pr_view_get_n_curves (card->view));
  sonde_tag_card_set_value (SONDE_TAG_CARD (card), text,
                            card->roc ? _ ("Area under the curve")
                                      : _ ("Average precision: area under the curve"));
}

static void
show (GArray *records, gpointer data)
{
  SondePrCard *card = data;

  sonde_pr_view_clear (card->view);
  sonde_pr_view_set_message (card->view, _ ("No threshold is reached by any sample"));
  for (guint i = 0; i < records->len; i++)
    {
      const SondeRunRecord *one = &g_array_index (records, SondeRunRecord, i);
      g_autofree char *title
          = sonde_text_make_visible (sonde_workspace_get_run_title (card->workspace, one->run));

      if (one->record != NULL && one->record->kind == SONDE_RECORD_PR_CURVE)
        sonde_pr_view_add (card->view, title, sonde_run_get_color_index (one->run),
                           one->record->step, one->record->u.pr_curve.rows);
    }
  update_value (card);
  g_signal_emit_by_name (card, "state-changed");
}

static void
update (SondePrCard *card)
{
  const char *tag = sonde_tag_card_get_tag (SONDE_TAG_CARD (card));

  if (tag != NULL && card->reading != NULL && sonde_run_reading_update (card->reading, tag))
    g_signal_emit_by_name (card, "state-changed");
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_pr_card_tag_changed (SondeTagCard *base)
{
  SondePrCard *card = SONDE_PR_CARD (base);

  sonde_run_reading_forget (card->reading);
  sonde_pr_view_clear (card->view);
  sonde_pr_view_set_message (card->view, _ ("Loading…"));
  update (card);
}

static gboolean
sonde_pr_card_is_settled (SondeTagCard *base)
{
  return !sonde_run_reading_is_busy (SONDE_PR_CARD (base)->reading);
}

SondePrView *
sonde_pr_card_get_view (SondePrCard *card)
{
  g_return_val_if_fail (SONDE_IS_PR_CARD (card), NULL);
  return card->view;
}

void
sonde_pr_card_set_roc (SondePrCard *card, gboolean roc)
{
  g_return_if_fail (SONDE_IS_PR_CARD (card));
  card->roc = roc;
  sonde_pr_view_set_roc (card->view, roc);
  update_value (card);
}

static void
sonde_pr_card_dispose (GObject *object)
{
  SondePrCard *card = SONDE_PR_CARD (object);

  g_clear_pointer (&card->reading, sonde_run_reading_free);
  G_OBJECT_CLASS (sonde_pr_card_parent_class)->dispose (object);
  g_clear_object (&card->workspace);
}

static void
sonde_pr_card_class_init (SondePrCardClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_pr_card_dispose;
  SONDE_TAG_CARD_CLASS (klass)->tag_changed = sonde_pr_card_tag_changed;
  SONDE_TAG_CARD_CLASS (klass)->is_settled = sonde_pr_card_is_settled;
  g_signal_new ("state-changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 0);
}

static void
sonde_pr_card_init (SondePrCard *card)
{
  card->view = SONDE_PR_VIEW (sonde_pr_view_new ());
  sonde_tag_card_set_content (SONDE_TAG_CARD (card), GTK_WIDGET (card->view));
}

GtkWidget *
sonde_pr_card_new (SondeWorkspace *workspace)
{
  SondePrCard *card = g_object_new (SONDE_TYPE_PR_CARD, NULL);

  card->workspace = g_object_ref (workspace);
  card->reading = sonde_run_reading_new (workspace, SONDE_RECORD_PR_CURVE, show, card);
  sonde_watch_workspace (GTK_WIDGET (card), workspace, G_CALLBACK (update));
  g_signal_connect_object (sonde_workspace_get_cursor (workspace), "notify::step",
                           G_CALLBACK (update), card, G_CONNECT_SWAPPED);
  return GTK_WIDGET (card);
}
