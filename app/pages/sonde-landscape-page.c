/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/sonde-landscape-page.h"

#include "data/base/sonde-text.h"
#include "viewers/sonde-landscape-view.h"

struct _SondeLandscapePage
{
  SondeRecordPage parent_instance;
  SondeLandscapeView *view;
  char *facts; /* (nullable): of what is shown */
};

G_DEFINE_FINAL_TYPE (SondeLandscapePage, sonde_landscape_page, SONDE_TYPE_RECORD_PAGE)

static GtkWidget *
sonde_landscape_page_make_content (SondeRecordPage *base)
{
  SondeLandscapePage *page = SONDE_LANDSCAPE_PAGE (base);

  page->view = SONDE_LANDSCAPE_VIEW (sonde_landscape_view_new ());
  gtk_widget_set_margin_start (GTK_WIDGET (page->view), 18);
  gtk_widget_set_margin_end (GTK_WIDGET (page->view), 18);
  gtk_widget_set_margin_top (GTK_WIDGET (page->view), 18);
  gtk_widget_set_margin_bottom (GTK_WIDGET (page->view), 18);
  return GTK_WIDGET (page->view);
}

/* Units that files name get words of their own; another one is the file's. */
static void
append_path (GString *text, gint64 n, const char *unit)
{
  if (g_strcmp0 (unit, "step") == 0)
    g_string_append_printf (text, _ (" · path of %" PRIi64 " points, one per step"), n);
  else if (g_strcmp0 (unit, "epoch") == 0)
    g_string_append_printf (text, _ (" · path of %" PRIi64 " points, one per epoch"), n);
  else if (unit != NULL)
    g_string_append_printf (text, _ (" · path of %" PRIi64 " points, one per %s"), n, unit);
  else
    g_string_append_printf (text, _ (" · path of %" PRIi64 " points, one per interval"), n);
}

static char *
describe_facts (const SondeRecord *record)
{
  gint64 n_path = record->u.landscape.path_x != NULL
                      ? sonde_tensor_n_elements (record->u.landscape.path_x)
                      : 0;
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, _ ("%" PRIi64 " × %" PRIi64 " points"),
                          sonde_tensor_n_elements (record->u.landscape.x),
                          sonde_tensor_n_elements (record->u.landscape.y));
  if (record->u.landscape.decomposition != NULL)
    g_string_append_printf (text, _ (" · directions by %s"), record->u.landscape.decomposition);
  if (n_path > 0)
    append_path (text, n_path, record->u.landscape.unit);
  return g_string_free (text, FALSE);
}

static gboolean
sonde_landscape_page_take (SondeRecordPage *base, GPtrArray *records, SondeRecordKind kind)
{
  SondeLandscapePage *page = SONDE_LANDSCAPE_PAGE (base);
  const SondeRecord *record = records->len > 0 ? records->pdata[0] : NULL;
  gboolean shown = record != NULL
                   && sonde_landscape_view_set_surface (
                       page->view, record->u.landscape.x, record->u.landscape.y,
                       record->u.landscape.z, _ ("direction 1"), _ ("direction 2"));

  g_clear_pointer (&page->facts, g_free);
  if (shown)
    {
      sonde_landscape_view_set_path (page->view, record->u.landscape.path_x,
                                     record->u.landscape.path_y, record->u.landscape.path_z,
                                     record->u.landscape.found[0], record->u.landscape.found[1]);
      page->facts = describe_facts (record);
    }
  else
    {
      sonde_landscape_view_set_surface (page->view, NULL, NULL, NULL, NULL, NULL);
      page->facts = g_strdup (
          record != NULL ? _ ("The axes and heights of this landscape do not match") : NULL);
    }
  sonde_view_set_title (SONDE_VIEW (page->view),
                        sonde_record_chooser_get_tag (sonde_record_page_get_chooser (base)));
  return TRUE;
}

static char *
sonde_landscape_page_dup_status (SondeRecordPage *page)
{
  return g_strdup (SONDE_LANDSCAPE_PAGE (page)->facts);
}

static void
sonde_landscape_page_finalize (GObject *object)
{
  g_free (SONDE_LANDSCAPE_PAGE (object)->facts);
  G_OBJECT_CLASS (sonde_landscape_page_parent_class)->finalize (object);
}

static void
sonde_landscape_page_class_init (SondeLandscapePageClass *klass)
{
  static const SondeRecordKind kinds[] = { SONDE_RECORD_LANDSCAPE };
  SondeRecordPageClass *page_class = SONDE_RECORD_PAGE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_landscape_page_finalize;
  page_class->kinds = kinds;
  page_class->n_kinds = G_N_ELEMENTS (kinds);
  page_class->empty_icon = "sonde-landscape-symbolic";
  page_class->empty_title = _ ("No Landscape");
  page_class->empty_sentence
      = _ ("The selected run has no loss landscape; MindSpore's SummaryLandscape records one.");
  page_class->make_content = sonde_landscape_page_make_content;
  page_class->take = sonde_landscape_page_take;
  page_class->dup_status = sonde_landscape_page_dup_status;
}

static void
sonde_landscape_page_init (SondeLandscapePage *page)
{
}
