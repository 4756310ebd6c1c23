/* SPDX-License-Identifier: Apache-2.0 */
#include "app/debugger/dialogs/sonde-debug-name-completion.h"

#include <string.h>

#include "engine/frontend/sonde-debug-word.h"

enum
{
  COLUMN_NAME,
  N_COLUMNS
};

static void
add (GtkListStore *names, GHashTable *known, const char *name)
{
  if (name != NULL && g_hash_table_add (known, (gpointer) name))
    gtk_list_store_insert_with_values (names, NULL, -1, COLUMN_NAME, name, -1);
}

/* In the order in which they are computed. (transfer full) */
static GtkListStore *
list_names (SondeDebugSession *session)
{
  GtkListStore *names = gtk_list_store_new (N_COLUMNS, G_TYPE_STRING);
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  SondeDebugSteps *steps = sonde_debug_session_get_steps (session);
  SondeGraph *graph = sonde_debug_session_get_graph (session);

  for (guint i = 0; i < sonde_debug_steps_get_n (steps); i++)
    {
      const SondeStepInfo *step = sonde_debug_steps_get (steps, i);

      for (gsize n = 0; step->nodes != NULL && step->nodes[n] != NULL; n++)
        add (names, known, step->nodes[n]);
    }
  for (guint i = 0; graph != NULL && i < graph->values->len; i++)
    if (graph->values->pdata[i] != NULL)
      add (names, known, ((SondeGraphValue *) graph->values->pdata[i])->name);
  return names;
}

/* Bytes of the word that ends at the cursor. */
static void
find_word (GtkEditable *entry, gsize *start, gsize *end)
{
  const char *text = gtk_editable_get_text (entry);

  *end = (gsize) (g_utf8_offset_to_pointer (text, gtk_editable_get_position (entry)) - text);
  *start = sonde_debug_word_start (text, *end);
}

static gboolean
is_match (GtkEntryCompletion *completion, const char *key, GtkTreeIter *iter, gpointer data)
{
  GtkEditable *entry = GTK_EDITABLE (gtk_entry_completion_get_entry (completion));
  g_autofree char *name = NULL;
  gsize start, end;

  gtk_tree_model_get (gtk_entry_completion_get_model (completion), iter, COLUMN_NAME, &name, -1);
  find_word (entry, &start, &end);
  return name != NULL && sonde_debug_word_matches (gtk_editable_get_text (entry), start, end, name);
}

/* The name takes the place of the word alone. */
static gboolean
on_match_selected (GtkEntryCompletion *completion, GtkTreeModel *model, GtkTreeIter *iter)
{
  GtkEditable *entry = GTK_EDITABLE (gtk_entry_completion_get_entry (completion));
  const char *text = gtk_editable_get_text (entry);
  g_autofree char *name = NULL;
  gsize start, end;
  int at;

  gtk_tree_model_get (model, iter, COLUMN_NAME, &name, -1);
  find_word (entry, &start, &end);
  at = (int) g_utf8_pointer_to_offset (text, text + start);
  gtk_editable_delete_text (entry, at, (int) g_utf8_pointer_to_offset (text, text + end));
  gtk_editable_insert_text (entry, name, -1, &at);
  gtk_editable_set_position (entry, at);
  return TRUE;
}

void
sonde_debug_complete_names (GtkWidget *entry, SondeDebugSession *session)
{
  g_autoptr (GtkEntryCompletion) completion = gtk_entry_completion_new ();
  g_autoptr (GtkListStore) names = list_names (session);

  gtk_entry_completion_set_model (completion, GTK_TREE_MODEL (names));
  gtk_entry_completion_set_text_column (completion, COLUMN_NAME);
  gtk_entry_completion_set_match_func (completion, is_match, NULL, NULL);
  g_signal_connect (completion, "match-selected", G_CALLBACK (on_match_selected), NULL);
  gtk_entry_set_completion (GTK_ENTRY (entry), completion);
}
