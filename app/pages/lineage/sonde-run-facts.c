/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/lineage/sonde-run-facts.h"

#include "data/base/sonde-text.h"
#include "data/records/sonde-record-facts.h"
#include "viewers/paint/sonde-text-paint.h"

#define MAX_SHOWN 400 /* labels are heavy; who needs more exports the record */

struct _SondeRunFacts
{
  GtkBox parent_instance;
  SondeRecordChooser *chooser;
  GtkGrid *grid;
  GtkLabel *words; /* in place of facts */
  GFunc changed;
  void *user_data;
};

G_DEFINE_FINAL_TYPE (SondeRunFacts, sonde_run_facts, GTK_TYPE_BOX)

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
      gtk_label_set_width_chars (GTK_LABEL (label), 12);
      gtk_label_set_max_width_chars (GTK_LABEL (label), 18);
      gtk_widget_add_css_class (label, "dim-label");
    }
  else
    gtk_widget_add_css_class (label, "numeric");
  return label;
}

/* Of a number that arithmetic left seventeen digits of, six; the others as recorded. */
static char *
shorten (const char *text)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE], *end;
  double number = g_ascii_strtod (text, &end);

  if (end == text || *end != '\0' || strchr (text, '.') == NULL || end - text < 16)
    return g_strdup (text);
  return g_strdup (g_ascii_formatd (buffer, sizeof buffer, "%.6g", number));
}

static void
clear_facts (SondeRunFacts *facts)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (facts->grid))) != NULL)
    gtk_grid_remove (facts->grid, child);
}

static void
show_facts (SondeRunFacts *facts, GPtrArray *list)
{
  guint n = MIN (list->len, MAX_SHOWN);

  for (guint i = 0; i < n; i++)
    {
      const SondeRecordFact *fact = list->pdata[i];
      g_autofree char *text = shorten (fact->text);

      gtk_grid_attach (facts->grid, make_cell (fact->name, TRUE), 0, (int) i, 1, 1);
      gtk_grid_attach (facts->grid, make_cell (text, FALSE), 1, (int) i, 1, 1);
    }
  if (list->len > n)
    {
      g_autofree char *text = g_strdup_printf (_ ("%u more"), list->len - n);

      gtk_grid_attach (facts->grid, make_cell (text, TRUE), 0, (int) n, 1, 1);
    }
}

static void
on_records (GPtrArray *records, SondeRecordKind kind, const char *problem, void *user_data)
{
  SondeRunFacts *facts = user_data;
  g_autoptr (GPtrArray) list
      = records->len > 0 ? sonde_record_list_facts (records->pdata[0]) : NULL;

  clear_facts (facts);
  if (list != NULL)
    show_facts (facts, list);
  gtk_label_set_text (facts->words, problem != NULL ? problem
                                    : list == NULL
                                        ? _ ("No properties recorded in the selected run")
                                    : list->len == 0 ? _ ("No more properties in this record")
                                                     : "");
  gtk_widget_set_visible (GTK_WIDGET (facts->words), *gtk_label_get_text (facts->words) != '\0');
}

static void
on_changed (gpointer chooser, gpointer user_data)
{
  SondeRunFacts *facts = user_data;

  /* A run that says nothing has nothing to choose. */
  gtk_widget_set_visible (chooser, sonde_record_chooser_get_n_tags (chooser) > 0);
  facts->changed (facts, facts->user_data);
}

/* ---- making -------------------------------------------------------------- */

SondeRecordChooser *
sonde_run_facts_get_chooser (SondeRunFacts *facts)
{
  g_return_val_if_fail (SONDE_IS_RUN_FACTS (facts), NULL);
  return facts->chooser;
}

static void
sonde_run_facts_class_init (SondeRunFactsClass *klass)
{
}

static void
sonde_run_facts_init (SondeRunFacts *facts)
{
  GtkWidget *scrolled = gtk_scrolled_window_new (),
            *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);

  gtk_orientable_set_orientation (GTK_ORIENTABLE (facts), GTK_ORIENTATION_VERTICAL);
  facts->chooser = g_object_new (SONDE_TYPE_RECORD_CHOOSER, "orientation", GTK_ORIENTATION_VERTICAL,
                                 "margin-start", 12, "margin-end", 12, "margin-top", 12, NULL);
  facts->grid = g_object_new (GTK_TYPE_GRID, "column-spacing", 12, "row-spacing", 6, NULL);
  facts->words = g_object_new (GTK_TYPE_LABEL, "xalign", 0.0, "wrap", TRUE, "label",
                               _ ("No properties recorded in the selected run"), NULL);
  gtk_widget_add_css_class (GTK_WIDGET (facts->words), "dim-label");
  g_object_set (box, "margin-start", 12, "margin-end", 12, "margin-top", 12, "margin-bottom", 12,
                NULL);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (facts->grid));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (facts->words));
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), box);
  gtk_widget_set_vexpand (scrolled, TRUE);
  gtk_box_append (GTK_BOX (facts), GTK_WIDGET (facts->chooser));
  gtk_box_append (GTK_BOX (facts), scrolled);
}

GtkWidget *
sonde_run_facts_new (SondeWorkspace *workspace, GFunc changed, void *user_data)
{
  static const SondeRecordKind kinds[] = {
    SONDE_RECORD_HPARAMS,        SONDE_RECORD_LINEAGE,      SONDE_RECORD_SESSION_LOG,
    SONDE_RECORD_CUSTOM_SCALARS, SONDE_RECORD_RUN_METADATA, SONDE_RECORD_MESH,
    SONDE_RECORD_EMBEDDING,      SONDE_RECORD_EXPLAIN,      SONDE_RECORD_METRIC,
    SONDE_RECORD_SPAN,           SONDE_RECORD_MEMORY,       SONDE_RECORD_DEBUG_HIT,
    SONDE_RECORD_OTHER,          SONDE_RECORD_UNKNOWN,
  };
  SondeRunFacts *facts = g_object_new (SONDE_TYPE_RUN_FACTS, NULL);

  facts->changed = changed;
  facts->user_data = user_data;
  sonde_record_chooser_set_up (facts->chooser, workspace, kinds, G_N_ELEMENTS (kinds), FALSE,
                               on_records, on_changed, facts);
  return GTK_WIDGET (facts);
}
