/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/cards/sonde-contents-card.h"

#include "app/pages/runs/sonde-contents-table.h"
#include "data/base/sonde-format.h"
#include "data/records/sonde-record-title.h"
#include "data/base/sonde-text.h"

/* What is known of one kind. */
typedef struct
{
  guint n_tags;
  guint64 n_records;
  const char *tag; /* the first one's, interned */
} Content;

struct _SondeContentsCard
{
  GtkBox parent_instance;
  GtkWidget *lines;
  Content contents[SONDE_N_RECORD_KINDS]; /* as the lines say */
};

G_DEFINE_FINAL_TYPE (SondeContentsCard, sonde_contents_card, GTK_TYPE_BOX)

static void
on_clicked (GtkWidget *button, SondeContentsCard *card)
{
  int kind = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (button), "kind"));

  g_signal_emit_by_name (card, "open", sonde_contents_table_get_page ((SondeRecordKind) kind),
                         card->contents[kind].tag);
}

/* "audio", "1,200 in 3 tags" */
static GtkWidget *
new_line (SondeRecordKind kind, const Content *content)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *name, *count;
  const char *title = sonde_record_kind_get_title (kind);
  g_autofree char *tags = sonde_format_count (content->n_tags);
  g_autofree char *records = sonde_format_count ((gint64) content->n_records);
  g_autofree char *text
      = g_strdup_printf (P_ ("%s in %s tag", "%s in %s tags", content->n_tags), records, tags);

  name = gtk_label_new (title);
  count = gtk_label_new (text);
  gtk_label_set_xalign (GTK_LABEL (name), 0);
  gtk_label_set_ellipsize (GTK_LABEL (count), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (count), 14);
  gtk_label_set_xalign (GTK_LABEL (count), 1);
  gtk_widget_set_hexpand (count, TRUE);
  gtk_widget_add_css_class (count, "numeric");
  gtk_widget_add_css_class (count, "dim-label");
  gtk_box_append (GTK_BOX (box), name);
  gtk_box_append (GTK_BOX (box), count);
  return box;
}

static void
append_line (SondeContentsCard *card, SondeRecordKind kind)
{
  GtkWidget *line = new_line (kind, &card->contents[kind]);
  GtkWidget *button;
  g_autofree char *tip = NULL;

  if (sonde_contents_table_get_page (kind) == NULL)
    {
      gtk_widget_add_css_class (line, "contents-line");
      gtk_box_append (GTK_BOX (card->lines), line);
      return;
    }
  button = gtk_button_new ();
  tip = g_strdup_printf (_ ("Open the page for %s"), card->contents[kind].n_tags == 1
                                                         ? card->contents[kind].tag
                                                         : sonde_record_kind_get_title (kind));
  gtk_box_append (GTK_BOX (line),
                  g_object_new (GTK_TYPE_IMAGE, "icon-name", "go-next-symbolic", "accessible-role",
                                GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL));
  gtk_button_set_child (GTK_BUTTON (button), line);
  gtk_widget_set_tooltip_text (button, tip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, tip, -1);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "contents-line");
  g_object_set_data (G_OBJECT (button), "kind", GINT_TO_POINTER (kind));
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_clicked), card, 0);
  gtk_box_append (GTK_BOX (card->lines), button);
}

void
sonde_contents_card_set_run (SondeContentsCard *card, SondeRun *run)
{
  GPtrArray *tags = sonde_run_get_tags (run);
  Content contents[SONDE_N_RECORD_KINDS] = { 0 };
  GtkWidget *child;

  for (guint i = 0; i < tags->len; i++)
    {
      const SondeRunTag *tag = tags->pdata[i];
      Content *content = &contents[tag->kind];

      content->tag = content->tag != NULL ? content->tag : tag->tag;
      content->n_tags++;
      content->n_records += tag->count;
    }
  if (memcmp (contents, card->contents, sizeof contents) == 0
      && gtk_widget_get_first_child (card->lines) != NULL)
    return;
  memcpy (card->contents, contents, sizeof contents);
  while ((child = gtk_widget_get_first_child (card->lines)) != NULL)
    gtk_box_remove (GTK_BOX (card->lines), child);
  for (int kind = 0; kind < SONDE_N_RECORD_KINDS; kind++)
    if (contents[kind].n_tags > 0)
      append_line (card, (SondeRecordKind) kind);
  if (tags->len == 0)
    {
      GtkWidget *label = gtk_label_new (_ ("Nothing has been recorded in this run yet."));

      gtk_label_set_wrap (GTK_LABEL (label), TRUE);
      gtk_label_set_xalign (GTK_LABEL (label), 0);
      gtk_widget_add_css_class (label, "dim-label");
      gtk_box_append (GTK_BOX (card->lines), label);
    }
}

static void
sonde_contents_card_class_init (SondeContentsCardClass *klass)
{
  g_signal_new ("open", SONDE_TYPE_CONTENTS_CARD, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_STRING);
}

static void
sonde_contents_card_init (SondeContentsCard *card)
{
  GtkWidget *title = gtk_label_new (_ ("Contents"));

  gtk_orientable_set_orientation (GTK_ORIENTABLE (card), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (card), 6);
  gtk_widget_set_valign (GTK_WIDGET (card), GTK_ALIGN_START);
  gtk_widget_add_css_class (GTK_WIDGET (card), "card");
  gtk_widget_add_css_class (GTK_WIDGET (card), "view-card");
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_widget_set_size_request (title, -1, 26);
  gtk_widget_add_css_class (title, "card-title");
  card->lines = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_accessible_update_property (GTK_ACCESSIBLE (card->lines), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Kinds of records"), -1);
  gtk_box_append (GTK_BOX (card), title);
  gtk_box_append (GTK_BOX (card), card->lines);
}
