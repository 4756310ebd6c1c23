/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/cards/sonde-pr-card.h"

#include "app/widgets/sonde-workspace-watch.h"
#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

/* One curve that is wanted. */
typedef struct
{
  SondeRun *run;
  SondeBlobRef ref;
  SondeRecord *record; /* once it was read; owned by @records */
  GPtrArray *records;
} Wanted;

/* All curves of one look, shown together when the last has come. */
typedef struct
{
  SondePrCard *card; /* held */
  GCancellable *cancellable;
  GPtrArray *wanted; /* Wanted */
  guint n_read;
} Reading;

struct _SondePrCard
{
  SondeTagCard parent_instance;
  SondeWorkspace *workspace;
  SondePrView *view;
  gboolean roc;
  char *signature;           /* of what is shown or read */
  GCancellable *cancellable; /* of the reading under way */
};

G_DEFINE_FINAL_TYPE (SondePrCard, sonde_pr_card, SONDE_TYPE_TAG_CARD)

static void
wanted_free (void *data)
{
  Wanted *wanted = data;

  g_object_unref (wanted->run);
  g_clear_pointer (&wanted->records, g_ptr_array_unref);
  g_free (wanted);
}

static void
reading_free (Reading *reading)
{
  g_object_unref (reading->card);
  g_object_unref (reading->cancellable);
  g_ptr_array_unref (reading->wanted);
  g_free (reading);
}

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
show (SondePrCard *card, GPtrArray *all)
{
  sonde_pr_view_clear (card->view);
  sonde_pr_view_set_message (card->view, _ ("No threshold is reached by any sample"));
  for (guint i = 0; i < all->len; i++)
    {
      const Wanted *wanted = all->pdata[i];
      g_autofree char *title
          = sonde_text_make_visible (sonde_workspace_get_run_title (card->workspace, wanted->run));

      if (wanted->record != NULL && wanted->record->kind == SONDE_RECORD_PR_CURVE)
        sonde_pr_view_add (card->view, title, sonde_run_get_color_index (wanted->run),
                           wanted->record->step, wanted->record->u.pr_curve.rows);
    }
  update_value (card);
}

static void
on_read (GObject *source, GAsyncResult *result, void *user_data)
{
  Reading *reading = user_data;
  GPtrArray *records = sonde_run_read_blobs_finish (SONDE_RUN (source), result, NULL);

  for (guint i = 0; records != NULL && i < reading->wanted->len; i++)
    {
      Wanted *wanted = reading->wanted->pdata[i];

      if (wanted->run != SONDE_RUN (source))
        continue;
      wanted->records = g_ptr_array_ref (records);
      wanted->record = records->len > 0 ? records->pdata[0] : NULL;
    }
  g_clear_pointer (&records, g_ptr_array_unref);
  if (++reading->n_read < reading->wanted->len)
    return;
  if (reading->card->cancellable == reading->cancellable)
    {
      g_clear_object (&reading->card->cancellable);
      show (reading->card, reading->wanted);
      g_signal_emit_by_name (reading->card, "state-changed");
    }
  reading_free (reading);
}

/* ---- what is wanted ------------------------------------------------------ */

/* The last record at or before the cursor, else the first one. */
static gboolean
choose_ref (SondePrCard *card, SondeRun *run, SondeBlobRef *ref)
{
  gint64 step = sonde_step_cursor_get_step (sonde_workspace_get_cursor (card->workspace));
  g_autoptr (GArray) refs = sonde_run_list_blobs (
      run, sonde_tag_card_get_tag (SONDE_TAG_CARD (card)), SONDE_RECORD_PR_CURVE);
  const SondeBlobRef *best = NULL;

  for (guint i = 0; i < refs->len; i++)
    {
      const SondeBlobRef *other = &g_array_index (refs, SondeBlobRef, i);
      gboolean before = other->step <= step, best_before = best != NULL && best->step <= step;

      if (best == NULL || (before && (!best_before || other->step >= best->step))
          || (!before && !best_before && other->step < best->step))
        best = other;
    }
  if (best != NULL)
    *ref = *best;
  return best != NULL;
}

static GPtrArray *
list_wanted (SondePrCard *card, GString *signature)
{
  GListModel *runs = sonde_workspace_get_shown_runs (card->workspace);
  GPtrArray *all = g_ptr_array_new_with_free_func (wanted_free);
  SondeBlobRef ref;

  g_string_append (signature, sonde_tag_card_get_tag (SONDE_TAG_CARD (card)));
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);
      Wanted *wanted;

      if (!choose_ref (card, run, &ref))
        continue;
      wanted = g_new0 (Wanted, 1);
      wanted->run = g_object_ref (run);
      wanted->ref = ref;
      g_ptr_array_add (all, wanted);
      g_string_append_printf (signature, "\n%s %u %" PRIu64 " %s", sonde_run_get_path (run),
                              ref.file, ref.place,
                              sonde_workspace_get_run_title (card->workspace, run));
    }
  return all;
}

static void
cancel (SondePrCard *card)
{
  g_cancellable_cancel (card->cancellable);
  g_clear_object (&card->cancellable);
}

static void
update (SondePrCard *card)
{
  g_autoptr (GString) signature = g_string_new (NULL);
  g_autoptr (GPtrArray) all = NULL;
  Reading *reading;

  if (sonde_tag_card_get_tag (SONDE_TAG_CARD (card)) == NULL)
    return;
  all = list_wanted (card, signature);
  if (g_strcmp0 (signature->str, card->signature) == 0)
    return;
  g_free (card->signature);
  card->signature = g_strdup (signature->str);
  cancel (card);
  if (all->len == 0)
    {
      show (card, all);
      return;
    }
  reading = g_new0 (Reading, 1);
  reading->card = g_object_ref (card);
  reading->cancellable = g_cancellable_new ();
  reading->wanted = g_ptr_array_ref (all);
  card->cancellable = g_object_ref (reading->cancellable);
  for (guint i = 0; i < all->len; i++)
    {
      const Wanted *wanted = all->pdata[i];
      g_autoptr (GArray) refs = g_array_new (FALSE, FALSE, sizeof (SondeBlobRef));

      g_array_append_val (refs, wanted->ref);
      sonde_run_read_blobs_async (wanted->run, refs, reading->cancellable, on_read, reading);
    }
  g_signal_emit_by_name (card, "state-changed");
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_pr_card_tag_changed (SondeTagCard *base)
{
  SondePrCard *card = SONDE_PR_CARD (base);

  cancel (card);
  g_clear_pointer (&card->signature, g_free);
  sonde_pr_view_clear (card->view);
  sonde_pr_view_set_message (card->view, _ ("Loading…"));
  update (card);
}

static gboolean
sonde_pr_card_is_settled (SondeTagCard *base)
{
  return SONDE_PR_CARD (base)->cancellable == NULL;
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

  cancel (card);
  G_OBJECT_CLASS (sonde_pr_card_parent_class)->dispose (object);
  g_clear_object (&card->workspace);
}

static void
sonde_pr_card_finalize (GObject *object)
{
  g_free (SONDE_PR_CARD (object)->signature);
  G_OBJECT_CLASS (sonde_pr_card_parent_class)->finalize (object);
}

static void
sonde_pr_card_class_init (SondePrCardClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_pr_card_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_pr_card_finalize;
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
  sonde_watch_workspace (GTK_WIDGET (card), workspace, G_CALLBACK (update));
  g_signal_connect_object (sonde_workspace_get_cursor (workspace), "notify::step",
                           G_CALLBACK (update), card, G_CONNECT_SWAPPED);
  return GTK_WIDGET (card);
}
