/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/projector/sonde-projector-page.h"

#include <math.h>

#include "app/pages/projector/sonde-projector-options.h"
#include "app/pages/projector/sonde-projector-panel.h"
#include "app/pages/projector/sonde-sprite-task.h"
#include "data/base/sonde-format.h"
#include "viewers/paint/sonde-text-paint.h"

#define LOOK_MS 100 /* between looks at how far the computing is */

/* What the thread is given and gives back. */
typedef struct
{
  SondeTensor *points;
  SondeProjectionSettings settings;
  SondeProjectionWatch watch;
  SondeProjection *result; /* (nullable) */
  GError *problem;         /* (nullable): why there is none */
} Work;

struct _SondeProjectorPage
{
  SondeRecordPage parent_instance;
  SondeScatterView *view;
  SondeProjectorPanel *panel;
  SondeProjectorOptions *options;
  GtkDropDown *color;
  GtkStringList *color_names;
  GtkWidget *progress;
  GtkProgressBar *bar;
  SondeTensor *points, *labels; /* (nullable) each: of the record */
  char **columns;
  SondeProjection *result;          /* (nullable): what is shown */
  SondeProjectionSettings settings; /* of it */
  Work *running;                    /* owned by its task */
  guint look;
  GCancellable *decoding; /* (nullable): of the pictures */
  char *facts;            /* (nullable) */
};

G_DEFINE_FINAL_TYPE (SondeProjectorPage, sonde_projector_page, SONDE_TYPE_RECORD_PAGE)

static void
work_free (void *data)
{
  Work *work = data;

  sonde_tensor_unref (work->points);
  sonde_projection_free (work->result);
  g_clear_error (&work->problem);
  g_free (work);
}

static void
compute_in_thread (GTask *task, void *source, void *task_data, GCancellable *cancellable)
{
  Work *work = task_data;

  work->result = sonde_projection_new (work->points, &work->settings, &work->watch, &work->problem);
  g_task_return_boolean (task, TRUE);
}

/* ---- colours ------------------------------------------------------------- */

static void
on_color_chosen (SondeProjectorPage *page)
{
  guint selected = gtk_drop_down_get_selected (page->color);

  sonde_scatter_view_set_color_column (
      page->view, selected == GTK_INVALID_LIST_POSITION ? -1 : (int) selected - 1);
}

/* (transfer full): of the columns; one without a name is “label” */
static GPtrArray *
list_columns (SondeProjectorPage *page)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  if (page->labels != NULL && page->columns == NULL)
    g_ptr_array_add (names, g_strdup (_ ("label")));
  for (guint i = 0; page->labels != NULL && page->columns != NULL && page->columns[i] != NULL; i++)
    g_ptr_array_add (names, sonde_text_make_visible (page->columns[i]));
  return names;
}

/* The choices stay when the columns are the same; else the first ones. */
static void
fill_choices (SondeProjectorPage *page)
{
  g_autoptr (GPtrArray) columns = list_columns (page),
                        names = g_ptr_array_new_with_free_func (g_free);
  guint n_before = g_list_model_get_n_items (G_LIST_MODEL (page->color_names));
  gboolean same;

  g_ptr_array_add (names, g_strdup (_ ("Uniform colour")));
  for (guint i = 0; i < columns->len; i++)
    g_ptr_array_add (names, page->columns == NULL
                                ? g_strdup (_ ("By label"))
                                : g_strdup_printf (_ ("By %s"), (char *) columns->pdata[i]));
  same = names->len == n_before;
  for (guint i = 0; same && i < names->len; i++)
    same = g_str_equal (names->pdata[i], gtk_string_list_get_string (page->color_names, i));
  gtk_widget_set_visible (GTK_WIDGET (page->color), names->len > 1);
  if (same)
    return;
  g_ptr_array_add (names, NULL);
  g_ptr_array_add (columns, NULL);
  gtk_string_list_splice (page->color_names, 0, n_before, (const char *const *) names->pdata);
  gtk_drop_down_set_selected (page->color, names->len > 2 ? 1 : 0);
  sonde_projector_options_set_columns (page->options, (const char *const *) columns->pdata);
}

/* ---- points -------------------------------------------------------------- */

/* (transfer full): of axis @k of what is shown */
static char *
describe_axis (SondeProjectorPage *page, int component, int k)
{
  if (page->settings.method == SONDE_PROJECTION_PCA)
    return g_strdup_printf (_ ("component %d (%.1f %% of the variance)"), component + 1,
                            page->result->shares[component] * 100);
  return g_strdup_printf ("%s %d",
                          page->settings.method == SONDE_PROJECTION_TSNE ? "t-SNE" : "UMAP", k + 1);
}

/* Which number of a place stands along axis @k. */
static int
get_component (SondeProjectorPage *page, int k)
{
  int component = sonde_projector_options_get_component (page->options, k);

  if (page->settings.method != SONDE_PROJECTION_PCA)
    return k;
  return MIN (component, page->result->dims - 1);
}

static char *
describe_components (SondeProjectorPage *page, int dims)
{
  double share = 0;
  g_autofree char *error = NULL, *text = NULL;
  guint seen = 0;

  for (int k = 0; k < dims; k++)
    {
      int component = get_component (page, k);

      share += seen & 1u << component ? 0 : page->result->shares[component];
      seen |= 1u << component;
    }
  text = g_strdup_printf (dims == 2 ? _ ("%.1f %% of the variance in this plane")
                                    : _ ("%.1f %% of the variance in this space"),
                          share * 100);
  if (page->result->residual == 0)
    return g_steal_pointer (&text);
  error = g_strdup_printf (_ ("components to an error of %.0e"), page->result->residual);
  return g_strdup_printf ("%s · %s", text, error);
}

static char *
describe_method (SondeProjectorPage *page)
{
  SondeProjection *result = page->result;
  g_autofree char *iterations = sonde_format_count (result->n_iterations),
                  *divergence = sonde_format_number (result->divergence);
  GString *text = g_string_new (NULL);

  if (page->settings.method == SONDE_PROJECTION_TSNE)
    g_string_append_printf (text, _ ("t-SNE, %s iterations, divergence %s"), iterations,
                            divergence);
  else
    g_string_append_printf (text, _ ("UMAP, %zu neighbours"), result->n_neighbours);
  if (result->approximate)
    g_string_append_printf (text, " · %s", _ ("neighbours approximate: more than 100,000 points"));
  if (isfinite (result->trustworthiness))
    {
      g_autofree char *count = sonde_format_count ((gint64) result->n_trusted);

      g_string_append_c (text, ' ');
      g_string_append_printf (text, _ ("· trustworthiness %.3f at %s points"),
                              result->trustworthiness, count);
    }
  return g_string_free (text, FALSE);
}

static void
update_facts (SondeProjectorPage *page, int dims)
{
  g_autofree char *count = sonde_format_count ((gint64) page->result->n),
                  *method = page->settings.method == SONDE_PROJECTION_PCA
                                ? describe_components (page, dims)
                                : describe_method (page);

  g_free (page->facts);
  page->facts = g_strdup_printf (_ ("%s points of %" PRIi64 " dimensions, %s"), count,
                                 page->points->shape.dims[1], method);
}

/* What is there, along the axes that are chosen. */
static void
show (SondeProjectorPage *page)
{
  SondeProjection *result = page->result;
  SondeProjectionSettings wanted;
  char *titles[3] = { NULL };
  double *places;
  int dims = page->settings.dims;

  if (result == NULL)
    return;
  sonde_projector_options_get (page->options, &wanted);
  if (page->settings.method == SONDE_PROJECTION_PCA)
    dims = wanted.dims;
  places = g_new (double, result->n *(gsize) dims);
  for (int k = 0; k < dims; k++)
    {
      int component = get_component (page, k);

      titles[k] = describe_axis (page, component, k);
      for (gsize i = 0; i < result->n; i++)
        places[i * (gsize) dims + (gsize) k]
            = result->places[i * (gsize) result->dims + (gsize) component];
    }
  update_facts (page, dims);
  sonde_scatter_view_set_points (page->view, places, result->n, dims, page->labels,
                                 (const char *const *) page->columns, (const char *const *) titles);
  sonde_scatter_view_set_name_column (page->view,
                                      sonde_projector_options_get_name_column (page->options));
  sonde_scatter_view_set_show_sprite (page->view,
                                      sonde_projector_options_get_pictures (page->options));
  for (int k = 0; k < 3; k++)
    g_free (titles[k]);
  sonde_record_page_status_changed (SONDE_RECORD_PAGE (page));
}

static void
show_nothing (SondeProjectorPage *page, const char *facts)
{
  g_clear_pointer (&page->result, sonde_projection_free);
  g_free (page->facts);
  page->facts = g_strdup (facts);
  sonde_scatter_view_set_points (page->view, NULL, 0, 2, NULL, NULL, NULL);
  sonde_projector_panel_set_points (page->panel, NULL, NULL, FALSE);
}

/* ---- computing ----------------------------------------------------------- */

static gboolean
look_at_progress (void *data)
{
  SondeProjectorPage *page = data;
  const char *const stages[] = { _ ("Reading points"), _ ("Finding components"),
                                 _ ("Finding neighbours"), _ ("Placing points") };
  g_autofree char *text = NULL;
  int done = page->running->watch.done;

  text = g_strdup_printf ("%s · %d %%", stages[page->running->watch.stage], done / 10);
  gtk_progress_bar_set_text (page->bar, text);
  gtk_progress_bar_set_fraction (page->bar, done / 1000.0);
  gtk_widget_set_visible (page->progress, TRUE);
  return G_SOURCE_CONTINUE;
}

static void
stop (SondeProjectorPage *page)
{
  if (page->running != NULL)
    page->running->watch.cancelled = TRUE;
  page->running = NULL;
  g_clear_handle_id (&page->look, g_source_remove);
  if (page->progress != NULL)
    gtk_widget_set_visible (page->progress, FALSE);
}

static void
take_result (SondeProjectorPage *page, Work *work)
{
  if (work->result == NULL)
    {
      show_nothing (page,
                    g_error_matches (work->problem, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID)
                            && work->settings.method == SONDE_PROJECTION_PCA
                        ? _ ("This embedding is not a table of finite points")
                        : sonde_error_get_text (work->problem));
      return;
    }
  sonde_projection_free (page->result);
  page->result = g_steal_pointer (&work->result);
  page->settings = work->settings;
  show (page);
}

static void
on_computed (GObject *source, GAsyncResult *result, void *user_data)
{
  SondeProjectorPage *page = SONDE_PROJECTOR_PAGE (source);
  Work *work = g_task_get_task_data (G_TASK (result));

  /* Another one took its place, or the page goes. */
  if (page->running != work)
    return;
  stop (page);
  take_result (page, work);
  sonde_record_page_set_busy (SONDE_RECORD_PAGE (page), FALSE);
  sonde_record_page_status_changed (SONDE_RECORD_PAGE (page));
}

static void
start (SondeProjectorPage *page)
{
  g_autoptr (GTask) task = NULL;
  Work *work;

  stop (page);
  if (page->points == NULL)
    return;
  work = g_new0 (Work, 1);
  work->points = sonde_tensor_ref (page->points);
  sonde_projector_options_get (page->options, &work->settings);
  page->running = work;
  task = g_task_new (page, NULL, on_computed, NULL);
  g_task_set_task_data (task, work, work_free);
  g_task_run_in_thread (task, compute_in_thread);
  page->look = g_timeout_add (LOOK_MS, look_at_progress, page);
  sonde_record_page_set_busy (SONDE_RECORD_PAGE (page), TRUE);
}

/* The one before stays, and the choice goes back to it. */
static void
on_cancel (SondeProjectorPage *page)
{
  stop (page);
  sonde_record_page_set_busy (SONDE_RECORD_PAGE (page), FALSE);
  if (page->result != NULL)
    sonde_projector_options_choose (page->options, page->settings.method, page->settings.dims == 3);
}

/* Components are all there already; so is what a cancelled choice goes back to. */
static void
on_options_changed (SondeProjectorPage *page)
{
  SondeProjectionSettings wanted;

  sonde_projector_options_get (page->options, &wanted);
  if (page->result == NULL || !sonde_projection_settings_equal (&wanted, &page->settings))
    start (page);
  else
    {
      stop (page);
      sonde_record_page_set_busy (SONDE_RECORD_PAGE (page), FALSE);
      show (page);
    }
}

/* ---- record -------------------------------------------------------------- */

static void
stop_decoding (SondeProjectorPage *page)
{
  if (page->decoding != NULL)
    g_cancellable_cancel (page->decoding);
  g_clear_object (&page->decoding);
}

static void
on_sprite (gpointer view, gpointer user_data)
{
  SondeProjectorPage *page = user_data;

  g_clear_object (&page->decoding);
  sonde_page_settled_changed (SONDE_PAGE (page));
}

static void
take_sprite (SondeProjectorPage *page, const SondeRecord *record)
{
  SondeWorkspace *workspace = sonde_page_get_workspace (SONDE_PAGE (page));

  stop_decoding (page);
  sonde_scatter_view_set_sprite (page->view, NULL);
  sonde_projector_options_set_has_pictures (page->options, record->u.embedding.sprite != NULL);
  if (record->u.embedding.sprite == NULL)
    return;
  page->decoding = g_cancellable_new ();
  sonde_sprite_task_start (page->view, sonde_workspace_get_program (workspace),
                           record->u.embedding.sprite, record->u.embedding.tile_width,
                           record->u.embedding.tile_height, page->decoding, on_sprite, page);
}

static gboolean
sonde_projector_page_is_settled (SondePage *base)
{
  SondeProjectorPage *page = SONDE_PROJECTOR_PAGE (base);

  return page->decoding == NULL
         && SONDE_PAGE_CLASS (sonde_projector_page_parent_class)->is_settled (base);
}

static void
clear_record (SondeProjectorPage *page)
{
  stop_decoding (page);
  g_clear_pointer (&page->points, sonde_tensor_unref);
  g_clear_pointer (&page->labels, sonde_tensor_unref);
  g_clear_pointer (&page->columns, g_strfreev);
}

static gboolean
sonde_projector_page_take (SondeRecordPage *base, GPtrArray *records, SondeRecordKind kind)
{
  SondeProjectorPage *page = SONDE_PROJECTOR_PAGE (base);
  const SondeRecord *record = records->len > 0 ? records->pdata[0] : NULL;

  stop (page);
  clear_record (page);
  if (record == NULL || record->u.embedding.points == NULL)
    {
      show_nothing (page, NULL);
      return TRUE;
    }
  page->points = sonde_tensor_ref (record->u.embedding.points);
  page->labels
      = record->u.embedding.labels != NULL ? sonde_tensor_ref (record->u.embedding.labels) : NULL;
  page->columns = g_strdupv (record->u.embedding.columns);
  sonde_view_set_title (SONDE_VIEW (page->view),
                        sonde_record_chooser_get_tag (sonde_record_page_get_chooser (base)));
  take_sprite (page, record);
  fill_choices (page);
  on_color_chosen (page);
  sonde_projector_panel_set_points (page->panel, page->points, (const char *const *) page->columns,
                                    page->labels != NULL);
  start (page);
  return FALSE;
}

/* ---- page ---------------------------------------------------------------- */

static void
add_color_choice (SondeProjectorPage *page)
{
  page->color_names = gtk_string_list_new (NULL);
  page->color
      = GTK_DROP_DOWN (gtk_drop_down_new (G_LIST_MODEL (g_object_ref (page->color_names)), NULL));
  gtk_widget_set_valign (GTK_WIDGET (page->color), GTK_ALIGN_CENTER);
  gtk_widget_set_visible (GTK_WIDGET (page->color), FALSE);
  gtk_widget_set_tooltip_text (GTK_WIDGET (page->color),
                               _ ("Meaning of the colour and shape of points"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (page->color), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Colour"), -1);
  g_signal_connect_object (page->color, "notify::selected", G_CALLBACK (on_color_chosen), page,
                           G_CONNECT_SWAPPED);
  sonde_record_page_add_to_bar (SONDE_RECORD_PAGE (page), GTK_WIDGET (page->color));
}

static void
on_lasso (GtkToggleButton *button, SondeProjectorPage *page)
{
  sonde_scatter_view_set_lasso (page->view, gtk_toggle_button_get_active (button));
}

static void
add_bar (SondeProjectorPage *page)
{
  GtkWidget *lasso = gtk_toggle_button_new_with_label (_ ("Lasso")),
            *points = gtk_toggle_button_new_with_label (_ ("Points"));

  page->options = SONDE_PROJECTOR_OPTIONS (sonde_projector_options_new ());
  g_signal_connect_object (page->options, "changed", G_CALLBACK (on_options_changed), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (page->options, "shown-changed", G_CALLBACK (show), page,
                           G_CONNECT_SWAPPED);
  sonde_record_page_add_to_bar (SONDE_RECORD_PAGE (page), GTK_WIDGET (page->options));
  add_color_choice (page);
  gtk_widget_set_valign (lasso, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (lasso, _ ("Drag around points to mark them (always: Ctrl + drag)"));
  g_signal_connect (lasso, "toggled", G_CALLBACK (on_lasso), page);
  sonde_record_page_add_to_bar (SONDE_RECORD_PAGE (page), lasso);
  gtk_widget_set_valign (points, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (points, _ ("Search, neighbours and marked points"));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (points), TRUE);
  g_object_bind_property (points, "active", page->panel, "visible", G_BINDING_SYNC_CREATE);
  sonde_record_page_add_to_bar (SONDE_RECORD_PAGE (page), points);
}

static GtkWidget *
make_progress (SondeProjectorPage *page)
{
  GtkWidget *cancel = gtk_button_new_with_label (_ ("Cancel"));

  page->progress = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  page->bar = GTK_PROGRESS_BAR (gtk_progress_bar_new ());
  gtk_progress_bar_set_show_text (page->bar, TRUE);
  gtk_widget_set_hexpand (GTK_WIDGET (page->bar), TRUE);
  gtk_widget_set_valign (GTK_WIDGET (page->bar), GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (page->bar), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Progress of the projection"), -1);
  gtk_box_append (GTK_BOX (page->progress), GTK_WIDGET (page->bar));
  gtk_box_append (GTK_BOX (page->progress), cancel);
  gtk_widget_add_css_class (page->progress, "page-bar");
  gtk_widget_set_visible (page->progress, FALSE);
  g_signal_connect_object (cancel, "clicked", G_CALLBACK (on_cancel), page, G_CONNECT_SWAPPED);
  return page->progress;
}

static GtkWidget *
sonde_projector_page_make_content (SondeRecordPage *base)
{
  SondeProjectorPage *page = SONDE_PROJECTOR_PAGE (base);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0),
            *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 18);

  page->view = SONDE_SCATTER_VIEW (sonde_scatter_view_new ());
  page->panel = SONDE_PROJECTOR_PANEL (sonde_projector_panel_new (page->view));
  add_bar (page);
  gtk_widget_set_hexpand (GTK_WIDGET (page->view), TRUE);
  gtk_box_append (GTK_BOX (row), GTK_WIDGET (page->view));
  gtk_box_append (GTK_BOX (row), GTK_WIDGET (page->panel));
  gtk_widget_set_margin_start (row, 18);
  gtk_widget_set_margin_end (row, 18);
  gtk_widget_set_margin_top (row, 18);
  gtk_widget_set_margin_bottom (row, 18);
  gtk_widget_set_vexpand (row, TRUE);
  gtk_box_append (GTK_BOX (box), make_progress (page));
  gtk_box_append (GTK_BOX (box), row);
  return box;
}

static char *
sonde_projector_page_dup_status (SondeRecordPage *page)
{
  return g_strdup (SONDE_PROJECTOR_PAGE (page)->facts);
}

static void
sonde_projector_page_show (SondePage *base, const SondePageRequest *request)
{
  SondeProjectionMethod method;
  gboolean space;

  SONDE_PAGE_CLASS (sonde_projector_page_parent_class)->show (base, request);
  if (request->view != NULL && sonde_projector_options_parse (request->view, &method, &space))
    sonde_projector_options_choose (SONDE_PROJECTOR_PAGE (base)->options, method, space);
}

static void
sonde_projector_page_dispose (GObject *object)
{
  SondeProjectorPage *page = SONDE_PROJECTOR_PAGE (object);

  page->progress = NULL;
  stop (page);
  clear_record (page);
  g_clear_pointer (&page->result, sonde_projection_free);
  g_clear_object (&page->color_names);
  G_OBJECT_CLASS (sonde_projector_page_parent_class)->dispose (object);
}

static void
sonde_projector_page_finalize (GObject *object)
{
  g_free (SONDE_PROJECTOR_PAGE (object)->facts);
  G_OBJECT_CLASS (sonde_projector_page_parent_class)->finalize (object);
}

static void
sonde_projector_page_class_init (SondeProjectorPageClass *klass)
{
  static const SondeRecordKind kinds[] = { SONDE_RECORD_EMBEDDING };
  SondeRecordPageClass *page_class = SONDE_RECORD_PAGE_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_projector_page_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_projector_page_finalize;
  SONDE_PAGE_CLASS (klass)->show = sonde_projector_page_show;
  SONDE_PAGE_CLASS (klass)->is_settled = sonde_projector_page_is_settled;
  page_class->kinds = kinds;
  page_class->n_kinds = G_N_ELEMENTS (kinds);
  page_class->empty_icon = "sonde-projector-symbolic";
  page_class->empty_title = _ ("No Embedding");
  page_class->empty_sentence = _ ("The selected run has no embedding.");
  page_class->make_content = sonde_projector_page_make_content;
  page_class->take = sonde_projector_page_take;
  page_class->dup_status = sonde_projector_page_dup_status;
}

static void
sonde_projector_page_init (SondeProjectorPage *page)
{
}
