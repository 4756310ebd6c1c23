/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/runs/sonde-contents-table.h"

#include "app/widgets/sonde-column-view.h"
#include "data/base/sonde-format.h"
#include "data/records/sonde-record-title.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define MAX_MEASURED 1000 /* records of others that are read for their size */

/* ---- a line -------------------------------------------------------------- */

#define SONDE_TYPE_CONTENTS_LINE (sonde_contents_line_get_type ())
G_DECLARE_FINAL_TYPE (SondeContentsLine, sonde_contents_line, SONDE, CONTENTS_LINE, GObject)

struct _SondeContentsLine
{
  GObject parent_instance;
  SondeRunTag tag;
  guint64 bytes; /* of others; 0: not known */
};

G_DEFINE_FINAL_TYPE (SondeContentsLine, sonde_contents_line, G_TYPE_OBJECT)

static void
sonde_contents_line_class_init (SondeContentsLineClass *klass)
{
}

static void
sonde_contents_line_init (SondeContentsLine *line)
{
}

/* ---- columns ------------------------------------------------------------- */

struct _SondeContentsTable
{
  GtkBox parent_instance;
  GtkLabel *title;
  GtkColumnView *view;
  GtkColumnViewColumn *unsupported; /* in the view where something is */
  gboolean shows_unsupported;
  GListStore *lines;
  SondeRun *run;
  char *signature;           /* of the lines */
  GHashTable *bytes;         /* tag -> guint64: sizes of others of this run */
  GCancellable *cancellable; /* of the measuring under way */
};

G_DEFINE_FINAL_TYPE (SondeContentsTable, sonde_contents_table, GTK_TYPE_BOX)

/* The page that shows records of a kind. */
static const struct
{
  SondeRecordKind kind;
  const char *page;
} page_table[] = {
  { SONDE_RECORD_SCALARS, "scalars" },
  { SONDE_RECORD_HISTOGRAM, "distributions" },
  { SONDE_RECORD_IMAGE, "media" },
  { SONDE_RECORD_TEXT, "media" },
  { SONDE_RECORD_AUDIO, "media" },
  { SONDE_RECORD_GRAPH, "graph" },
  { SONDE_RECORD_TENSOR, "tensors" },
  { SONDE_RECORD_STATISTICS, "tensors" },
  { SONDE_RECORD_PR_CURVE, "pr-curves" },
  { SONDE_RECORD_HPARAMS, "lineage" },
  { SONDE_RECORD_LINEAGE, "lineage" },
  { SONDE_RECORD_LANDSCAPE, "landscape" },
  { SONDE_RECORD_EMBEDDING, "projector" },
  { SONDE_RECORD_SALIENCY, "explain" },
  { SONDE_RECORD_CUSTOM_SCALARS, "scalars" },
  { SONDE_RECORD_EXPLAIN, "explain" },
  { SONDE_RECORD_MESH, "media" },
  { SONDE_RECORD_COUNTERFACTUAL, "explain" },
};

const char *
sonde_contents_table_get_page (SondeRecordKind kind)
{
  for (gsize i = 0; i < G_N_ELEMENTS (page_table); i++)
    if (page_table[i].kind == kind)
      return page_table[i].page;
  return NULL;
}

static char *
format_tag (SondeContentsLine *line)
{
  return sonde_text_make_visible (line->tag.tag);
}

static char *
format_kind (SondeContentsLine *line)
{
  return g_strdup (sonde_record_kind_get_title (line->tag.kind));
}

static char *
format_records (SondeContentsLine *line)
{
  return sonde_format_count ((gint64) line->tag.count);
}

static char *
format_steps (SondeContentsLine *line)
{
  g_autofree char *first = sonde_format_count (line->tag.first_step),
                  *last = sonde_format_count (line->tag.last_step);

  return line->tag.first_step == line->tag.last_step ? g_steal_pointer (&first)
                                                     : g_strdup_printf ("%s – %s", first, last);
}

static char *
format_size (SondeContentsLine *line)
{
  return line->bytes > 0 ? sonde_format_bytes (line->bytes) : g_strdup ("");
}

static const struct
{
  const char *title;
  char *(*format) (SondeContentsLine *line);
  gboolean is_number;
} column_table[] = {
  { N_ ("Tag"), format_tag, FALSE },         { N_ ("Kind"), format_kind, FALSE },
  { N_ ("Records"), format_records, TRUE },  { N_ ("Steps"), format_steps, TRUE },
  { N_ ("Unsupported"), format_size, TRUE },
};

static void
on_setup (GtkListItemFactory *factory, GtkListItem *item, void *column)
{
  gsize i = GPOINTER_TO_SIZE (column);
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), column_table[i].is_number ? 1 : 0);
  gtk_label_set_ellipsize (GTK_LABEL (label),
                           i == 0 ? PANGO_ELLIPSIZE_MIDDLE : PANGO_ELLIPSIZE_NONE);
  gtk_widget_add_css_class (label, "numeric");
  gtk_list_item_set_child (item, label);
}

/* What was written about the tag is the tip of its name. */
static char *
dup_tip (SondeRun *run, SondeContentsLine *line)
{
  g_autoptr (SondeRunNote) note = run != NULL ? sonde_run_dup_note (run, line->tag.tag) : NULL;
  GString *text = g_string_new (NULL);
  g_autofree char *tag = sonde_text_make_visible (line->tag.tag);

  g_string_append (text, tag);
  if (note != NULL && note->display_name != NULL)
    {
      g_autofree char *name = sonde_text_make_visible (note->display_name);

      g_string_append_printf (text, "\n%s", name);
    }
  if (note != NULL && note->description != NULL)
    {
      g_autofree char *words = sonde_text_make_visible (note->description);

      g_string_append_printf (text, "\n%s", words);
    }
  return g_string_free (text, FALSE);
}

static void
on_bind (GtkListItemFactory *factory, GtkListItem *item, void *column)
{
  gsize i = GPOINTER_TO_SIZE (column);
  SondeContentsLine *line = gtk_list_item_get_item (item);
  GtkWidget *label = gtk_list_item_get_child (item), *table;
  g_autofree char *text = column_table[i].format (line), *tip = NULL;

  gtk_label_set_text (GTK_LABEL (label), text);
  if (i > 0)
    return;
  table = gtk_widget_get_ancestor (label, SONDE_TYPE_CONTENTS_TABLE);
  tip = dup_tip (table != NULL ? SONDE_CONTENTS_TABLE (table)->run : NULL, line);
  gtk_widget_set_tooltip_text (label, tip);
}

static void
on_activate (GtkColumnView *view, guint position, SondeContentsTable *table)
{
  g_autoptr (SondeContentsLine) line
      = g_list_model_get_item (G_LIST_MODEL (table->lines), position);

  const char *page = line != NULL ? sonde_contents_table_get_page (line->tag.kind) : NULL;

  if (page != NULL)
    g_signal_emit_by_name (table, "open", page, line->tag.tag);
}

/* ---- sizes of others ----------------------------------------------------- */

static void
fill (SondeContentsTable *table)
{
  GPtrArray *tags = table->run != NULL ? sonde_run_get_tags (table->run) : NULL;
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_object_unref);
  gboolean any = FALSE;

  for (guint i = 0; tags != NULL && i < tags->len; i++)
    {
      SondeContentsLine *line = g_object_new (SONDE_TYPE_CONTENTS_LINE, NULL);
      guint64 *bytes;

      line->tag = *(const SondeRunTag *) tags->pdata[i];
      bytes = g_hash_table_lookup (table->bytes, line->tag.tag);
      line->bytes = line->tag.kind == SONDE_RECORD_OTHER && bytes != NULL ? *bytes : 0;
      any |= line->bytes > 0;
      g_ptr_array_add (lines, line);
    }
  g_list_store_splice (table->lines, 0, g_list_model_get_n_items (G_LIST_MODEL (table->lines)),
                       lines->pdata, lines->len);
  if (any && !table->shows_unsupported)
    gtk_column_view_append_column (table->view, table->unsupported);
  else if (!any && table->shows_unsupported)
    gtk_column_view_remove_column (table->view, table->unsupported);
  table->shows_unsupported = any;
}

static void
on_measured (GObject *source, GAsyncResult *result, void *user_data)
{
  g_autoptr (SondeContentsTable) table = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) records = sonde_run_read_blobs_finish (SONDE_RUN (source), result, &error);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  g_clear_object (&table->cancellable);
  for (guint i = 0; records != NULL && i < records->len; i++)
    {
      const SondeRecord *record = records->pdata[i];
      guint64 *bytes = record->tag != NULL ? g_hash_table_lookup (table->bytes, record->tag) : NULL;

      if (record->kind != SONDE_RECORD_OTHER || record->tag == NULL)
        continue;
      if (bytes == NULL)
        g_hash_table_insert (table->bytes, g_strdup (record->tag), bytes = g_new0 (guint64, 1));
      *bytes += record->u.other.bytes;
    }
  fill (table);
  g_signal_emit_by_name (table, "measured");
}

static void
measure (SondeContentsTable *table)
{
  GPtrArray *tags = sonde_run_get_tags (table->run);
  g_autoptr (GArray) refs = g_array_new (FALSE, FALSE, sizeof (SondeBlobRef));

  for (guint i = 0; i < tags->len; i++)
    {
      const SondeRunTag *tag = tags->pdata[i];
      g_autoptr (GArray) some = NULL;

      if (tag->kind != SONDE_RECORD_OTHER)
        continue;
      some = sonde_run_list_blobs (table->run, tag->tag, tag->kind);
      g_array_append_vals (refs, some->data, MIN (some->len, MAX_MEASURED - refs->len));
    }
  if (refs->len == 0)
    return;
  table->cancellable = g_cancellable_new ();
  sonde_run_read_blobs_async (table->run, refs, table->cancellable, on_measured,
                              g_object_ref (table));
}

/* ---- the rest ------------------------------------------------------------ */

static char *
make_signature (SondeRun *run, const char *title)
{
  GPtrArray *tags = run != NULL ? sonde_run_get_tags (run) : NULL;
  GString *text = g_string_new (title);

  if (run != NULL)
    g_string_append (text, sonde_run_get_path (run));
  for (guint i = 0; tags != NULL && i < tags->len; i++)
    {
      const SondeRunTag *tag = tags->pdata[i];

      g_string_append_printf (text, "\n%d %" PRIu64 " %s", tag->kind, tag->count, tag->tag);
    }
  return g_string_free (text, FALSE);
}

void
sonde_contents_table_set_run (SondeContentsTable *table, SondeRun *run, const char *title)
{
  g_autofree char *signature = NULL, *text = NULL, *visible = NULL;

  g_return_if_fail (SONDE_IS_CONTENTS_TABLE (table));
  signature = make_signature (run, title);
  if (g_strcmp0 (signature, table->signature) == 0)
    return;
  g_free (table->signature);
  table->signature = g_steal_pointer (&signature);
  g_set_object (&table->run, run);
  g_hash_table_remove_all (table->bytes);
  g_cancellable_cancel (table->cancellable);
  g_clear_object (&table->cancellable);
  visible = sonde_text_make_visible (title != NULL ? title : "");
  text = run != NULL ? g_strdup_printf (_ ("Contents of %s"), visible)
                     : g_strdup (_ ("Contents of a Run"));
  gtk_label_set_text (table->title, text);
  fill (table);
  if (run != NULL)
    measure (table);
}

guint
sonde_contents_table_get_n_lines (SondeContentsTable *table)
{
  g_return_val_if_fail (SONDE_IS_CONTENTS_TABLE (table), 0);
  return g_list_model_get_n_items (G_LIST_MODEL (table->lines));
}

gboolean
sonde_contents_table_is_busy (SondeContentsTable *table)
{
  g_return_val_if_fail (SONDE_IS_CONTENTS_TABLE (table), FALSE);
  return table->cancellable != NULL;
}

static void
sonde_contents_table_dispose (GObject *object)
{
  SondeContentsTable *table = SONDE_CONTENTS_TABLE (object);

  g_cancellable_cancel (table->cancellable);
  g_clear_object (&table->cancellable);
  g_clear_object (&table->run);
  G_OBJECT_CLASS (sonde_contents_table_parent_class)->dispose (object);
}

static void
sonde_contents_table_finalize (GObject *object)
{
  SondeContentsTable *table = SONDE_CONTENTS_TABLE (object);

  g_object_unref (table->lines);
  g_clear_object (&table->unsupported);
  g_hash_table_unref (table->bytes);
  g_free (table->signature);
  G_OBJECT_CLASS (sonde_contents_table_parent_class)->finalize (object);
}

static void
sonde_contents_table_class_init (SondeContentsTableClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_contents_table_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_contents_table_finalize;
  g_signal_new ("open", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_STRING);
  g_signal_new ("measured", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 0);
}

static void
add_columns (SondeContentsTable *table)
{
  for (gsize i = 0; i < G_N_ELEMENTS (column_table); i++)
    {
      GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
      g_autoptr (GtkColumnViewColumn) column
          = gtk_column_view_column_new (_ (column_table[i].title), factory);

      g_signal_connect (factory, "setup", G_CALLBACK (on_setup), GSIZE_TO_POINTER (i));
      g_signal_connect (factory, "bind", G_CALLBACK (on_bind), GSIZE_TO_POINTER (i));
      gtk_column_view_column_set_expand (column, i == 0);
      gtk_column_view_column_set_resizable (column, TRUE);
      if (column_table[i].format == format_size)
        table->unsupported = g_steal_pointer (&column);
      else
        sonde_column_view_insert (table->view, (guint) i, column, column_table[i].is_number);
    }
}

static void
sonde_contents_table_init (SondeContentsTable *table)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  GtkSelectionModel *selection;

  gtk_orientable_set_orientation (GTK_ORIENTABLE (table), GTK_ORIENTATION_VERTICAL);
  table->bytes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  table->lines = g_list_store_new (SONDE_TYPE_CONTENTS_LINE);
  selection
      = GTK_SELECTION_MODEL (gtk_single_selection_new (g_object_ref (G_LIST_MODEL (table->lines))));
  gtk_single_selection_set_autoselect (GTK_SINGLE_SELECTION (selection), FALSE);
  gtk_single_selection_set_can_unselect (GTK_SINGLE_SELECTION (selection), TRUE);
  table->view = GTK_COLUMN_VIEW (gtk_column_view_new (selection));
  gtk_column_view_set_show_row_separators (table->view, TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (table->view), "data-table");
  gtk_accessible_update_property (GTK_ACCESSIBLE (table->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Tags of the run"), -1);
  g_signal_connect (table->view, "activate", G_CALLBACK (on_activate), table);
  add_columns (table);
  table->title = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (table->title, 0);
  gtk_label_set_ellipsize (table->title, PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_add_css_class (GTK_WIDGET (table->title), "heading");
  gtk_widget_add_css_class (GTK_WIDGET (table->title), "page-bar");
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (table->view));
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_box_append (GTK_BOX (table), GTK_WIDGET (table->title));
  gtk_box_append (GTK_BOX (table), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append (GTK_BOX (table), scrolled);
}
