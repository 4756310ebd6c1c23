/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/cards/sonde-card-strip.h"

#include "data/base/sonde-format.h"
#include "viewers/paint/sonde-text-paint.h"

#define GAP 18 /* px between cards */

struct _SondeCardStrip
{
  AdwBin parent_instance;
  SondeCardStripFunc make;
  void *user_data;
  GtkWidget *heading, *arrow;
  GtkLabel *title, *count;
  GtkBox *cells;     /* of AdwBin */
  SondeCardRow *row; /* (nullable) */
  gulong changed;
};

enum
{
  TOGGLED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeCardStrip, sonde_card_strip, ADW_TYPE_BIN)

/* ---- heading ------------------------------------------------------------- */

static void
on_clicked (SondeCardStrip *strip)
{
  g_autofree char *section = g_strdup (sonde_card_row_get_section (strip->row));

  g_signal_emit (strip, signals[TOGGLED], 0, section);
}

static GtkWidget *
make_heading (SondeCardStrip *strip)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *button = gtk_button_new ();

  strip->arrow = gtk_image_new ();
  strip->title = GTK_LABEL (gtk_label_new (NULL));
  strip->count = GTK_LABEL (gtk_label_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (strip->title), "heading");
  gtk_widget_add_css_class (GTK_WIDGET (strip->count), "dim-label");
  gtk_widget_add_css_class (GTK_WIDGET (strip->count), "numeric");
  gtk_label_set_ellipsize (strip->title, PANGO_ELLIPSIZE_MIDDLE);
  gtk_box_append (GTK_BOX (box), strip->arrow);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (strip->title));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (strip->count));
  gtk_button_set_child (GTK_BUTTON (button), box);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "section-heading");
  gtk_widget_set_halign (button, GTK_ALIGN_START);
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (on_clicked), strip);
  return button;
}

static void
show_heading (SondeCardStrip *strip)
{
  g_autofree char *name = sonde_text_make_visible (sonde_card_row_get_section (strip->row));
  g_autofree char *count = sonde_format_count (sonde_card_row_get_n_cards (strip->row));
  gboolean closed = sonde_card_row_is_closed (strip->row);

  gtk_image_set_from_icon_name (GTK_IMAGE (strip->arrow),
                                closed ? "pan-end-symbolic" : "pan-down-symbolic");
  gtk_label_set_label (strip->title, name);
  gtk_label_set_label (strip->count, count);
  gtk_accessible_update_property (GTK_ACCESSIBLE (strip->heading), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  name, -1);
  gtk_accessible_update_state (GTK_ACCESSIBLE (strip->heading), GTK_ACCESSIBLE_STATE_EXPANDED,
                               !closed, -1);
}

/* ---- cells --------------------------------------------------------------- */

static void
set_n_cells (SondeCardStrip *strip, guint n)
{
  GtkWidget *last;
  guint have = 0;

  for (GtkWidget *cell = gtk_widget_get_first_child (GTK_WIDGET (strip->cells)); cell != NULL;
       cell = gtk_widget_get_next_sibling (cell))
    have++;
  for (; have < n; have++)
    {
      GtkWidget *cell = adw_bin_new ();

      gtk_widget_set_hexpand (cell, TRUE);
      gtk_box_append (strip->cells, cell);
    }
  for (; have > n; have--)
    {
      last = gtk_widget_get_last_child (GTK_WIDGET (strip->cells));
      gtk_box_remove (strip->cells, last);
    }
}

static void
show_cards (SondeCardStrip *strip, SondeCardRow *row)
{
  guint i = 0;

  if (row != NULL)
    set_n_cells (strip, sonde_card_row_get_n_columns (row));
  for (GtkWidget *cell = gtk_widget_get_first_child (GTK_WIDGET (strip->cells)); cell != NULL;
       cell = gtk_widget_get_next_sibling (cell), i++)
    {
      const char *tag = row != NULL ? sonde_card_row_get_tag (row, i) : NULL;
      GtkWidget *card = adw_bin_get_child (ADW_BIN (cell));

      if (tag != NULL && card == NULL)
        {
          card = GTK_WIDGET (strip->make (strip->user_data));
          adw_bin_set_child (ADW_BIN (cell), card);
        }
      if (card == NULL)
        continue;
      sonde_tag_card_set_tag (SONDE_TAG_CARD (card), tag);
      gtk_widget_set_visible (card, tag != NULL);
    }
}

static void
take_row (SondeCardStrip *strip, SondeCardRow *row)
{
  if (strip->row != NULL)
    g_clear_signal_handler (&strip->changed, strip->row);
  g_set_object (&strip->row, row);
  if (row != NULL)
    strip->changed = g_signal_connect_swapped (row, "changed", G_CALLBACK (show_heading), strip);
}

void
sonde_card_strip_set_row (SondeCardStrip *strip, SondeCardRow *row)
{
  gboolean is_heading = row != NULL && sonde_card_row_get_section (row) != NULL;

  g_return_if_fail (SONDE_IS_CARD_STRIP (strip));
  take_row (strip, row);
  gtk_widget_set_visible (strip->heading, is_heading);
  gtk_widget_set_visible (GTK_WIDGET (strip->cells), !is_heading);
  if (is_heading)
    show_heading (strip);
  show_cards (strip, is_heading ? NULL : row);
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_card_strip_dispose (GObject *object)
{
  take_row (SONDE_CARD_STRIP (object), NULL);
  G_OBJECT_CLASS (sonde_card_strip_parent_class)->dispose (object);
}

static void
sonde_card_strip_class_init (SondeCardStripClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_card_strip_dispose;
  signals[TOGGLED] = g_signal_new ("toggled", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sonde_card_strip_init (SondeCardStrip *strip)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  strip->heading = make_heading (strip);
  strip->cells = GTK_BOX (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, GAP));
  gtk_box_set_homogeneous (strip->cells, TRUE);
  gtk_box_append (GTK_BOX (box), strip->heading);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (strip->cells));
  adw_bin_set_child (ADW_BIN (strip), box);
}

GtkWidget *
sonde_card_strip_new (SondeCardStripFunc make, void *user_data)
{
  SondeCardStrip *strip = g_object_new (SONDE_TYPE_CARD_STRIP, NULL);

  strip->make = make;
  strip->user_data = user_data;
  return GTK_WIDGET (strip);
}
