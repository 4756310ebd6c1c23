/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/landscape/sonde-landscape-page.h"

#include <math.h>

#include "app/pages/landscape/sonde-landscape-beside.h"
#include "app/pages/landscape/sonde-landscape-work.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

struct _SondeLandscapePage
{
  SondeRecordPage parent_instance;
  SondeLandscapeBeside *beside;
  SondeLandscapeWork *work;
  GtkToggleButton *logarithmic, *solid;
  gboolean has_scale, updating; /* somebody turned the switch; the page does */
  char *facts;                  /* (nullable): of what is shown */
};

G_DEFINE_FINAL_TYPE (SondeLandscapePage, sonde_landscape_page, SONDE_TYPE_RECORD_PAGE)

/* ---- computing one ------------------------------------------------------- */

/* The run that is chosen when the question is answered is the one that was asked about: the dialog is modal. */
static void
on_answered (const SondeLandscapeSettings *settings, gpointer data)
{
  SondeLandscapePage *page = data;
  SondeWorkspace *workspace = sonde_page_get_workspace (SONDE_PAGE (page));
  SondeRun *run = sonde_workspace_get_run (workspace);

  if (run != NULL)
    sonde_landscape_work_start (page->work, sonde_run_get_path (run),
                                sonde_workspace_get_run_title (workspace, run), settings);
}

static void
ask_to_compute (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeLandscapePage *page = SONDE_LANDSCAPE_PAGE (widget);
  SondeWorkspace *workspace = sonde_page_get_workspace (SONDE_PAGE (page));
  SondeRun *run = sonde_workspace_get_run (workspace);

  if (run != NULL && !sonde_landscape_work_is_on (page->work))
    sonde_landscape_dialog_ask (widget, workspace, sonde_workspace_get_run_title (workspace, run),
                                on_answered, G_OBJECT (page));
}

static void
on_work_changed (SondeLandscapePage *page)
{
  gtk_widget_action_set_enabled (GTK_WIDGET (page), "landscape.compute",
                                 !sonde_landscape_work_is_on (page->work));
  sonde_record_page_status_changed (SONDE_RECORD_PAGE (page));
}

static void
on_work_done (SondeLandscapePage *page, const char *title, const char *tag, gboolean reused)
{
  g_autofree char *sentence
      = g_strdup_printf (reused ? _ ("“%s” already has this landscape.")
                                : _ ("The loss landscape of “%s” is computed."),
                         title);

  sonde_page_toast (SONDE_PAGE (page), sentence);
  sonde_record_chooser_choose (sonde_record_page_get_chooser (SONDE_RECORD_PAGE (page)), tag);
}

/* Longer than a toast has room for. */
static void
on_work_failed (SondeLandscapePage *page, const char *sentence)
{
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (page))),
                                              _ ("Landscape Not Computed"), sentence);

  adw_message_dialog_add_response (ADW_MESSAGE_DIALOG (dialog), "close", _ ("_Close"));
  gtk_window_present (GTK_WINDOW (dialog));
}

static GtkWidget *
make_work (SondeLandscapePage *page)
{
  GtkWidget *work = sonde_landscape_work_new (
      sonde_workspace_get_program (sonde_page_get_workspace (SONDE_PAGE (page))));

  page->work = SONDE_LANDSCAPE_WORK (work);
  g_signal_connect_object (work, "changed", G_CALLBACK (on_work_changed), page, G_CONNECT_SWAPPED);
  g_signal_connect_object (work, "done", G_CALLBACK (on_work_done), page, G_CONNECT_SWAPPED);
  g_signal_connect_object (work, "failed", G_CALLBACK (on_work_failed), page, G_CONNECT_SWAPPED);
  return work;
}

static gboolean
sonde_landscape_page_has_more (SondeRecordPage *page)
{
  return sonde_landscape_work_is_on (SONDE_LANDSCAPE_PAGE (page)->work);
}

/* ---- content ------------------------------------------------------------- */

static void
add_button (SondeRecordPage *page)
{
  GtkWidget *button = gtk_button_new_with_mnemonic (_ ("C_ompute…"));

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "landscape.compute");
  gtk_widget_set_tooltip_text (button, _ ("Compute a loss landscape of this run"));
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  sonde_record_page_add_to_bar (page, button);
}

static void
on_scale (SondeLandscapePage *page)
{
  if (page->updating)
    return;
  page->has_scale = TRUE;
  sonde_landscape_beside_set_scale (page->beside, gtk_toggle_button_get_active (page->logarithmic)
                                                      ? SONDE_CONTOUR_LOGARITHMIC
                                                      : SONDE_CONTOUR_LINEAR);
}

static void
add_scale (SondeLandscapePage *page)
{
  GtkWidget *button = gtk_toggle_button_new_with_mnemonic (_ ("_Log"));

  page->logarithmic = GTK_TOGGLE_BUTTON (button);
  gtk_widget_set_tooltip_text (button, _ ("Logarithmic levels"));
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  g_signal_connect_object (button, "toggled", G_CALLBACK (on_scale), page, G_CONNECT_SWAPPED);
  sonde_record_page_add_to_bar (SONDE_RECORD_PAGE (page), button);
}

static void
on_solid (SondeLandscapePage *page)
{
  sonde_landscape_beside_set_solid (page->beside, gtk_toggle_button_get_active (page->solid));
}

static void
add_solid (SondeLandscapePage *page)
{
  GtkWidget *button = gtk_toggle_button_new_with_mnemonic (_ ("_3-D"));

  page->solid = GTK_TOGGLE_BUTTON (button);
  gtk_widget_set_tooltip_text (button, _ ("Show the surface in space"));
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  g_signal_connect_object (button, "toggled", G_CALLBACK (on_solid), page, G_CONNECT_SWAPPED);
  sonde_record_page_add_to_bar (SONDE_RECORD_PAGE (page), button);
}

static GtkWidget *
sonde_landscape_page_make_content (SondeRecordPage *base)
{
  SondeLandscapePage *page = SONDE_LANDSCAPE_PAGE (base);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *beside = sonde_landscape_beside_new (sonde_page_get_workspace (SONDE_PAGE (base)));

  page->beside = SONDE_LANDSCAPE_BESIDE (beside);
  gtk_widget_set_margin_start (beside, 18);
  gtk_widget_set_margin_end (beside, 18);
  gtk_widget_set_margin_top (beside, 18);
  gtk_widget_set_margin_bottom (beside, 18);
  gtk_widget_set_vexpand (beside, TRUE);
  add_solid (page);
  add_scale (page);
  add_button (base);
  gtk_box_append (GTK_BOX (box), make_work (page));
  gtk_box_append (GTK_BOX (box), beside);
  return box;
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

static void
append_samples (GString *text, const SondeRecord *record)
{
  g_autofree char *count = sonde_format_count ((gint64) record->u.landscape.samples);

  g_string_append_printf (text,
                          g_strcmp0 (record->u.landscape.part, "test") == 0
                              ? _ (" · %s test samples")
                              : _ (" · %s training samples"),
                          count);
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
  if (record->u.landscape.samples > 0)
    append_samples (text, record);
  if (n_path > 0 && record->u.landscape.digest != NULL)
    g_string_append_printf (text, _ (" · path of %" PRIi64 " checkpoints"), n_path);
  else if (n_path > 0)
    append_path (text, n_path, record->u.landscape.unit);
  if (record->u.landscape.samples > 0 && !isnan (record->u.landscape.shares[0]))
    g_string_append_printf (text, _ (" · %.1f %% of the path in this plane"),
                            100 * (record->u.landscape.shares[0] + record->u.landscape.shares[1]));
  return g_string_free (text, FALSE);
}

/* The switch stands as the levels do until somebody turns it. */
static void
show_scale (SondeLandscapePage *page)
{
  page->updating = TRUE;
  if (!page->has_scale)
    gtk_toggle_button_set_active (page->logarithmic,
                                  sonde_landscape_beside_is_logarithmic (page->beside));
  page->updating = FALSE;
}

static gboolean
sonde_landscape_page_take (SondeRecordPage *base, GPtrArray *records, SondeRecordKind kind)
{
  SondeLandscapePage *page = SONDE_LANDSCAPE_PAGE (base);
  const SondeRecord *record = records->len > 0 ? records->pdata[0] : NULL;
  gboolean shown = sonde_landscape_beside_take (
      page->beside, sonde_workspace_get_run (sonde_page_get_workspace (SONDE_PAGE (base))),
      sonde_record_chooser_get_tag (sonde_record_page_get_chooser (base)), record);

  g_clear_pointer (&page->facts, g_free);
  if (shown)
    show_scale (page);
  if (shown)
    page->facts = describe_facts (record);
  else if (record != NULL)
    page->facts = g_strdup (_ ("The axes and heights of this landscape do not match"));
  return TRUE;
}

/* "3d": the surface */
static void
sonde_landscape_page_show (SondePage *base, const SondePageRequest *request)
{
  SondeLandscapePage *page = SONDE_LANDSCAPE_PAGE (base);

  SONDE_PAGE_CLASS (sonde_landscape_page_parent_class)->show (base, request);
  if (request->view != NULL)
    gtk_toggle_button_set_active (page->solid, g_str_equal (request->view, "3d"));
  if (request->at != NULL)
    sonde_landscape_beside_choose (page->beside, request->at);
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
  SONDE_PAGE_CLASS (klass)->show = sonde_landscape_page_show;
  page_class->kinds = kinds;
  page_class->n_kinds = G_N_ELEMENTS (kinds);
  page_class->empty_icon = "sonde-landscape-symbolic";
  page_class->empty_title = _ ("No Landscape");
  page_class->empty_sentence = _ (
      "The selected run has no loss landscape. Sonde computes one from the checkpoints of a run "
      "that “sonde train” made; MindSpore's SummaryLandscape records one, too.");
  page_class->empty_button = _ ("Compute a Landscape…");
  page_class->empty_action = "landscape.compute";
  page_class->has_more = sonde_landscape_page_has_more;
  page_class->make_content = sonde_landscape_page_make_content;
  page_class->take = sonde_landscape_page_take;
  page_class->dup_status = sonde_landscape_page_dup_status;
  gtk_widget_class_install_action (GTK_WIDGET_CLASS (klass), "landscape.compute", NULL,
                                   ask_to_compute);
}

static void
sonde_landscape_page_init (SondeLandscapePage *page)
{
}
