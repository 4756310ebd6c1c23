/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/cards/sonde-graph-card.h"

#include "app/widgets/sonde-workspace-watch.h"
#include "data/browsing/sonde-blob-loader.h"
#include "app/workspace/sonde-graph-reading.h"
#include "data/base/sonde-text.h"
#include "viewers/graph/sonde-graph-view.h"

struct _SondeGraphCard
{
  SondeTagCard parent_instance;
  SondeWorkspace *workspace;
  SondeGraphView *view;
  SondeBlobLoader *loader;
  GCancellable *parsing; /* the reading of the model's bytes under way */
};

G_DEFINE_FINAL_TYPE (SondeGraphCard, sonde_graph_card, SONDE_TYPE_TAG_CARD)

static void
tell_state (SondeGraphCard *card)
{
  g_signal_emit_by_name (card, "state-changed");
}

static void
on_parsed (GObject *source, GAsyncResult *result, void *user_data)
{
  SondeGraphCard *card = SONDE_GRAPH_CARD (source);
  g_autoptr (SondeGraph) graph = sonde_graph_read_finish (result, NULL);
  g_autofree char *text = NULL;

  /* A graph that cannot be read is explained on its page. */
  if (card->parsing != g_task_get_cancellable (G_TASK (result)))
    return;
  g_clear_object (&card->parsing);
  if (graph != NULL)
    {
      text = g_strdup_printf (_ ("%u nodes"), sonde_graph_count_nodes (graph));
      sonde_graph_view_set_graph (card->view, graph, SONDE_GRAPH_SCENE_FORWARD);
    }
  sonde_tag_card_set_value (SONDE_TAG_CARD (card), text, NULL);
  tell_state (card);
}

static void
take (const SondeRecord *record, gboolean restart, void *user_data)
{
  SondeGraphCard *card = user_data;

  if (record->kind != SONDE_RECORD_GRAPH)
    return;
  if (card->parsing != NULL)
    g_cancellable_cancel (card->parsing);
  g_clear_object (&card->parsing);
  card->parsing = g_cancellable_new ();
  sonde_graph_read_async (G_OBJECT (card), NULL, record, FALSE, card->parsing, on_parsed);
}

static void
on_state (void *user_data)
{
  tell_state (user_data);
}

static void
update (SondeGraphCard *card)
{
  sonde_blob_loader_update (card->loader, sonde_workspace_get_run (card->workspace),
                            sonde_tag_card_get_tag (SONDE_TAG_CARD (card)));
}

static void
sonde_graph_card_tag_changed (SondeTagCard *base)
{
  SondeGraphCard *card = SONDE_GRAPH_CARD (base);

  if (sonde_tag_card_get_tag (base) == NULL)
    sonde_graph_view_set_graph (card->view, NULL, SONDE_GRAPH_SCENE_FORWARD);
  update (card);
}

static gboolean
sonde_graph_card_is_settled (SondeTagCard *base)
{
  SondeGraphCard *card = SONDE_GRAPH_CARD (base);

  return !sonde_blob_loader_is_busy (card->loader) && card->parsing == NULL
         && sonde_graph_view_is_ready (card->view);
}

static void
sonde_graph_card_dispose (GObject *object)
{
  SondeGraphCard *card = SONDE_GRAPH_CARD (object);

  g_clear_pointer (&card->loader, sonde_blob_loader_free);
  if (card->parsing != NULL)
    g_cancellable_cancel (card->parsing);
  g_clear_object (&card->parsing);
  G_OBJECT_CLASS (sonde_graph_card_parent_class)->dispose (object);
  g_clear_object (&card->workspace);
}

static void
sonde_graph_card_class_init (SondeGraphCardClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_graph_card_dispose;
  SONDE_TAG_CARD_CLASS (klass)->tag_changed = sonde_graph_card_tag_changed;
  SONDE_TAG_CARD_CLASS (klass)->is_settled = sonde_graph_card_is_settled;
  g_signal_new ("state-changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 0);
}

static void
sonde_graph_card_init (SondeGraphCard *card)
{
  card->view = SONDE_GRAPH_VIEW (sonde_graph_view_new ());
  sonde_graph_view_set_nested (card->view, TRUE);
  card->loader = sonde_blob_loader_new (SONDE_RECORD_GRAPH, 1, take, on_state, card);
  sonde_tag_card_set_content (SONDE_TAG_CARD (card), GTK_WIDGET (card->view));
  g_signal_connect_object (card->view, "ready", G_CALLBACK (tell_state), card, G_CONNECT_SWAPPED);
}

GtkWidget *
sonde_graph_card_new (SondeWorkspace *workspace)
{
  SondeGraphCard *card = g_object_new (SONDE_TYPE_GRAPH_CARD, NULL);

  card->workspace = g_object_ref (workspace);
  sonde_watch_workspace (GTK_WIDGET (card), workspace, G_CALLBACK (update));
  return GTK_WIDGET (card);
}
