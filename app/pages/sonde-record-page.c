/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/sonde-record-page.h"

#include "app/widgets/sonde-bar-layout.h"
#include "data/base/sonde-text.h"

typedef struct
{
  SondeRecordChooser *chooser;
  GtkBox *bar;
  gboolean busy;
  char *problem; /* (nullable) */
} SondeRecordPagePrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (SondeRecordPage, sonde_record_page, SONDE_TYPE_PAGE)

static SondeRecordPagePrivate *
get_private (SondeRecordPage *page)
{
  return sonde_record_page_get_instance_private (page);
}

static gboolean
has_content (SondeRecordPage *page)
{
  SondeRecordPageClass *klass = SONDE_RECORD_PAGE_GET_CLASS (page);

  return sonde_record_chooser_get_n_tags (get_private (page)->chooser) > 0
         || (klass->has_more != NULL && klass->has_more (page));
}

static void
update_empty (SondePage *page)
{
  SondeRecordPageClass *klass = SONDE_RECORD_PAGE_GET_CLASS (page);

  if (has_content (SONDE_RECORD_PAGE (page)))
    sonde_page_set_filled (page);
  else if (sonde_workspace_get_run (sonde_page_get_workspace (page)) == NULL)
    sonde_page_set_empty_without_runs (page);
  else
    sonde_page_set_empty_of_run (
        page, klass->kinds, klass->n_kinds, klass->empty_icon, klass->empty_title,
        klass->empty_sentence,
        klass->empty_button != NULL ? klass->empty_button : _ ("View Its Contents"),
        klass->empty_action != NULL ? klass->empty_action : "win.page::runs");
}

void
sonde_record_page_status_changed (SondeRecordPage *page)
{
  SondeRecordPagePrivate *priv = get_private (page);
  SondeRecordPageClass *klass = SONDE_RECORD_PAGE_GET_CLASS (page);
  g_autofree char *text = NULL;

  update_empty (SONDE_PAGE (page));
  if (priv->problem != NULL)
    text = g_strdup (priv->problem);
  else if (klass->dup_status != NULL && has_content (page))
    text = klass->dup_status (page);
  sonde_page_set_status (SONDE_PAGE (page), text);
}

static void
on_changed (gpointer chooser, gpointer user_data)
{
  sonde_record_page_status_changed (user_data);
  sonde_page_settled_changed (user_data);
}

static void
on_records (GPtrArray *records, SondeRecordKind kind, const char *problem, void *user_data)
{
  SondeRecordPage *page = user_data;
  SondeRecordPagePrivate *priv = get_private (page);

  g_free (priv->problem);
  priv->problem = g_strdup (problem);
  priv->busy = !SONDE_RECORD_PAGE_GET_CLASS (page)->take (page, records, kind);
  sonde_page_settled_changed (SONDE_PAGE (page));
}

void
sonde_record_page_set_busy (SondeRecordPage *page, gboolean busy)
{
  g_return_if_fail (SONDE_IS_RECORD_PAGE (page));
  get_private (page)->busy = busy;
  sonde_page_settled_changed (SONDE_PAGE (page));
}

SondeRecordChooser *
sonde_record_page_get_chooser (SondeRecordPage *page)
{
  g_return_val_if_fail (SONDE_IS_RECORD_PAGE (page), NULL);
  return get_private (page)->chooser;
}

void
sonde_record_page_add_to_bar (SondeRecordPage *page, GtkWidget *widget)
{
  g_return_if_fail (SONDE_IS_RECORD_PAGE (page));
  gtk_box_append (get_private (page)->bar, widget);
}

static void
sonde_record_page_set_up (SondePage *base)
{
  SondeRecordPage *page = SONDE_RECORD_PAGE (base);
  SondeRecordPagePrivate *priv = get_private (page);
  SondeRecordPageClass *klass = SONDE_RECORD_PAGE_GET_CLASS (page);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *content;

  priv->bar = GTK_BOX (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0));
  gtk_widget_set_layout_manager (GTK_WIDGET (priv->bar),
                                 g_object_new (SONDE_TYPE_BAR_LAYOUT, NULL));
  gtk_widget_add_css_class (GTK_WIDGET (priv->bar), "page-bar");
  gtk_widget_set_hexpand (GTK_WIDGET (priv->chooser), TRUE);
  gtk_box_append (priv->bar, GTK_WIDGET (priv->chooser));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (priv->bar));
  gtk_box_append (GTK_BOX (box), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  content = klass->make_content (page);
  gtk_widget_set_vexpand (content, TRUE);
  gtk_box_append (GTK_BOX (box), content);
  sonde_page_set_content (base, box);
  sonde_record_chooser_set_up (priv->chooser, sonde_page_get_workspace (base), klass->kinds,
                               klass->n_kinds, klass->all, on_records, on_changed, page);
}

static void
sonde_record_page_show (SondePage *base, const SondePageRequest *request)
{
  if (request->has_step)
    sonde_step_cursor_set_step (sonde_page_get_cursor (base), request->step);
  if (request->tag != NULL)
    sonde_record_chooser_choose (get_private (SONDE_RECORD_PAGE (base))->chooser, request->tag);
}

static gboolean
sonde_record_page_is_settled (SondePage *base)
{
  SondeRecordPagePrivate *priv = get_private (SONDE_RECORD_PAGE (base));

  return !priv->busy && !sonde_record_chooser_is_busy (priv->chooser);
}

static void
sonde_record_page_finalize (GObject *object)
{
  SondeRecordPagePrivate *priv = get_private (SONDE_RECORD_PAGE (object));

  g_free (priv->problem);
  g_object_unref (priv->chooser);
  G_OBJECT_CLASS (sonde_record_page_parent_class)->finalize (object);
}

static void
sonde_record_page_class_init (SondeRecordPageClass *klass)
{
  SondePageClass *page_class = SONDE_PAGE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_record_page_finalize;
  page_class->set_up = sonde_record_page_set_up;
  page_class->show = sonde_record_page_show;
  page_class->is_settled = sonde_record_page_is_settled;
}

static void
sonde_record_page_init (SondeRecordPage *page)
{
  get_private (page)->chooser = g_object_ref_sink (g_object_new (SONDE_TYPE_RECORD_CHOOSER, NULL));
}
