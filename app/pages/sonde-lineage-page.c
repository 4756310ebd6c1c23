/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/sonde-lineage-page.h"

#include "app/pages/cards/sonde-trial-table.h"
#include "data/base/sonde-text.h"
#include "data/records/sonde-record-facts.h"
#include "viewers/paint/sonde-text-paint.h"

#define TABLE_HEIGHT 200

struct _SondeLineagePage
{
  SondeRecordPage parent_instance;
  SondeTrialTable *table;
  GtkGrid *facts;
  GtkLabel *words; /* in place of facts */
};

G_DEFINE_FINAL_TYPE (SondeLineagePage, sonde_lineage_page, SONDE_TYPE_RECORD_PAGE)

/* ---- facts --------------------------------------------------------------- */

static GtkWidget *
make_cell (const char *text, gboolean is_name)
{
  g_autofree char *visible = sonde_text_make_visible (text);
  GtkWidget *label = gtk_label_new (visible);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_yalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_widget_set_can_focus (label, FALSE);
  gtk_widget_set_hexpand (label, !is_name);
  if (is_name)
    {
      gtk_label_set_width_chars (GTK_LABEL (label), 22);
      gtk_label_set_max_width_chars (GTK_LABEL (label), 32);
      gtk_widget_add_css_class (label, "dim-label");
    }
  else
    gtk_widget_add_css_class (label, "numeric");
  return label;
}

static void
clear_facts (SondeLineagePage *page)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (page->facts))) != NULL)
    gtk_grid_remove (page->facts, child);
}

#define MAX_SHOWN 400 /* labels are heavy; who needs more exports the record */

static gboolean
sonde_lineage_page_take (SondeRecordPage *base, GPtrArray *records, SondeRecordKind kind)
{
  SondeLineagePage *page = SONDE_LINEAGE_PAGE (base);
  g_autoptr (GPtrArray) facts
      = records->len > 0 ? sonde_record_list_facts (records->pdata[0]) : NULL;
  guint n = facts != NULL ? MIN (facts->len, MAX_SHOWN) : 0;

  clear_facts (page);
  for (guint i = 0; i < n; i++)
    {
      const SondeRecordFact *fact = facts->pdata[i];

      gtk_grid_attach (page->facts, make_cell (fact->name, TRUE), 0, (int) i, 1, 1);
      gtk_grid_attach (page->facts, make_cell (fact->text, FALSE), 1, (int) i, 1, 1);
    }
  if (facts != NULL && facts->len > n)
    {
      g_autofree char *text = g_strdup_printf (_ ("%u more"), facts->len - n);

      gtk_grid_attach (page->facts, make_cell (text, TRUE), 0, (int) n, 1, 1);
    }
  gtk_label_set_text (page->words, n > 0 ? ""
                                   : records->len > 0
                                       ? _ ("No more properties in this record")
                                       : _ ("No properties recorded in the selected run"));
  gtk_widget_set_visible (GTK_WIDGET (page->words), n == 0);
  return TRUE;
}

/* ---- widgets ------------------------------------------------------------- */

static void
on_table_changed (gpointer table, gpointer page)
{
  sonde_record_page_status_changed (page);
  sonde_page_settled_changed (page);
}

static GtkWidget *
sonde_lineage_page_make_content (SondeRecordPage *base)
{
  SondeLineagePage *page = SONDE_LINEAGE_PAGE (base);
  GtkWidget *paned = gtk_paned_new (GTK_ORIENTATION_VERTICAL),
            *scrolled = gtk_scrolled_window_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);

  page->facts = GTK_GRID (gtk_grid_new ());
  gtk_grid_set_column_spacing (page->facts, 18);
  gtk_grid_set_row_spacing (page->facts, 6);
  page->words = GTK_LABEL (gtk_label_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (page->words), "dim-label");
  gtk_label_set_xalign (page->words, 0);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (page->facts));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (page->words));
  gtk_widget_set_margin_start (box, 18);
  gtk_widget_set_margin_end (box, 18);
  gtk_widget_set_margin_top (box, 12);
  gtk_widget_set_margin_bottom (box, 12);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), box);
  page->table = SONDE_TRIAL_TABLE (
      sonde_trial_table_new (sonde_page_get_workspace (SONDE_PAGE (base)), on_table_changed, page));
  gtk_paned_set_start_child (GTK_PANED (paned), scrolled);
  gtk_paned_set_end_child (GTK_PANED (paned), GTK_WIDGET (page->table));
  gtk_paned_set_shrink_start_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_resize_end_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_shrink_end_child (GTK_PANED (paned), FALSE);
  gtk_widget_set_size_request (GTK_WIDGET (page->table), -1, TABLE_HEIGHT);
  return paned;
}

static gboolean
sonde_lineage_page_is_settled (SondePage *base)
{
  SondeLineagePage *page = SONDE_LINEAGE_PAGE (base);

  return SONDE_PAGE_CLASS (sonde_lineage_page_parent_class)->is_settled (base)
         && !sonde_trial_table_is_busy (page->table);
}

static gboolean
sonde_lineage_page_has_more (SondeRecordPage *base)
{
  SondeLineagePage *page = SONDE_LINEAGE_PAGE (base);

  return page->table != NULL && sonde_trial_table_get_n_parameters (page->table) > 0;
}

static char *
sonde_lineage_page_dup_status (SondeRecordPage *base)
{
  SondeLineagePage *page = SONDE_LINEAGE_PAGE (base);
  guint n = page->table != NULL ? sonde_trial_table_get_n_rows (page->table) : 0;
  guint parameters = page->table != NULL ? sonde_trial_table_get_n_parameters (page->table) : 0;

  return g_strdup_printf (P_ ("%u run, %u hyper-parameters and properties",
                              "%u runs, %u hyper-parameters and properties", n),
                          n, parameters);
}

static void
sonde_lineage_page_class_init (SondeLineagePageClass *klass)
{
  static const SondeRecordKind kinds[] = {
    SONDE_RECORD_LINEAGE,        SONDE_RECORD_HPARAMS,      SONDE_RECORD_SESSION_LOG,
    SONDE_RECORD_CUSTOM_SCALARS, SONDE_RECORD_RUN_METADATA, SONDE_RECORD_MESH,
    SONDE_RECORD_EMBEDDING,      SONDE_RECORD_EXPLAIN,      SONDE_RECORD_METRIC,
    SONDE_RECORD_SPAN,           SONDE_RECORD_MEMORY,       SONDE_RECORD_DEBUG_HIT,
    SONDE_RECORD_OTHER,          SONDE_RECORD_UNKNOWN,
  };
  SondeRecordPageClass *page_class = SONDE_RECORD_PAGE_CLASS (klass);

  SONDE_PAGE_CLASS (klass)->is_settled = sonde_lineage_page_is_settled;
  page_class->kinds = kinds;
  page_class->n_kinds = G_N_ELEMENTS (kinds);
  page_class->empty_icon = "sonde-lineage-symbolic";
  page_class->empty_title = _ ("No Lineage");
  page_class->empty_sentence
      = _ ("The selected run has no record of its hyper-parameters, data or sessions.");
  page_class->make_content = sonde_lineage_page_make_content;
  page_class->take = sonde_lineage_page_take;
  page_class->has_more = sonde_lineage_page_has_more;
  page_class->dup_status = sonde_lineage_page_dup_status;
}

static void
sonde_lineage_page_init (SondeLineagePage *page)
{
}
