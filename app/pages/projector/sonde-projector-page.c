/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/sonde-projector-page.h"

#include "data/base/sonde-error.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/projection/sonde-pca.h"
#include "viewers/sonde-scatter-view.h"

/* What the thread is given and gives back. */
typedef struct
{
  SondeTensor *points, *labels;
  char **columns;
  SondeProjectionWatch watch;
  double *xy;      /* NULL: there is nothing to show */
  GError *problem; /* (nullable): why */
  double shares[2];
} Projection;

struct _SondeProjectorPage
{
  SondeRecordPage parent_instance;
  SondeScatterView *view;
  GtkDropDown *color;
  GtkStringList *color_names;
  Projection *running; /* owned by its task */
  char *facts;         /* (nullable) */
};

G_DEFINE_FINAL_TYPE (SondeProjectorPage, sonde_projector_page, SONDE_TYPE_RECORD_PAGE)

static void
projection_free (void *data)
{
  Projection *projection = data;

  sonde_tensor_unref (projection->points);
  sonde_tensor_unref (projection->labels);
  g_strfreev (projection->columns);
  g_free (projection->xy);
  g_clear_error (&projection->problem);
  g_free (projection);
}

static void
project_in_thread (GTask *task, void *source, void *task_data, GCancellable *cancellable)
{
  Projection *projection = task_data;
  g_autoptr (SondeWorkTeam) team = sonde_work_team_new (0);
  double residual;

  if (projection->points->shape.rank == 2)
    projection->xy = g_new (double, (gsize) MAX (projection->points->shape.dims[0], 1) * 2);
  if (projection->xy != NULL
      && !sonde_pca_project (projection->points, 2, projection->xy, projection->shares, &residual,
                             team, &projection->watch, &projection->problem))
    g_clear_pointer (&projection->xy, g_free);
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

/* The choice stays when the columns are the same; else the first one. */
static void
fill_colors (SondeProjectorPage *page, const Projection *projection)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  guint n_before = g_list_model_get_n_items (G_LIST_MODEL (page->color_names));
  gboolean same;

  g_ptr_array_add (names, g_strdup (_ ("Uniform colour")));
  if (projection->labels != NULL && projection->columns == NULL)
    g_ptr_array_add (names, g_strdup (_ ("By label")));
  for (guint i = 0;
       projection->labels != NULL && projection->columns != NULL && projection->columns[i] != NULL;
       i++)
    {
      g_autofree char *name = sonde_text_make_visible (projection->columns[i]);

      g_ptr_array_add (names, g_strdup_printf (_ ("By %s"), name));
    }
  same = names->len == n_before;
  for (guint i = 0; same && i < names->len; i++)
    same = g_str_equal (names->pdata[i], gtk_string_list_get_string (page->color_names, i));
  gtk_widget_set_visible (GTK_WIDGET (page->color), names->len > 1);
  if (same)
    return;
  g_ptr_array_add (names, NULL);
  gtk_string_list_splice (page->color_names, 0, n_before, (const char *const *) names->pdata);
  gtk_drop_down_set_selected (page->color, names->len > 2 ? 1 : 0);
}

/* ---- points -------------------------------------------------------------- */

static char *
describe_axis (int number, double share)
{
  return g_strdup_printf (_ ("component %d (%.1f %% of the variance)"), number, share * 100);
}

static void
show (SondeProjectorPage *page, Projection *projection)
{
  SondeTensor *points = projection->points;
  g_autofree char *x = describe_axis (1, projection->shares[0]),
                  *y = describe_axis (2, projection->shares[1]);
  g_autofree char *count = NULL;
  SondeRecordChooser *chooser = sonde_record_page_get_chooser (SONDE_RECORD_PAGE (page));

  g_free (page->facts);
  if (projection->xy == NULL)
    {
      page->facts = g_strdup (projection->problem == NULL
                                      || g_error_matches (projection->problem, SONDE_DATA_ERROR,
                                                          SONDE_DATA_ERROR_INVALID)
                                  ? _ ("This embedding is not a table of finite points")
                                  : sonde_error_get_text (projection->problem));
      sonde_scatter_view_set_points (page->view, NULL, 0, NULL, NULL, NULL, NULL);
      return;
    }
  count = sonde_format_count (points->shape.dims[0]);
  page->facts = g_strdup_printf (
      _ ("%s points of %" PRIi64 " dimensions, %.1f %% of the variance in this plane"), count,
      points->shape.dims[1], (projection->shares[0] + projection->shares[1]) * 100);
  sonde_scatter_view_set_points (page->view, g_steal_pointer (&projection->xy),
                                 (gsize) points->shape.dims[0], projection->labels,
                                 (const char *const *) projection->columns, x, y);
  sonde_view_set_title (SONDE_VIEW (page->view), sonde_record_chooser_get_tag (chooser));
  fill_colors (page, projection);
  on_color_chosen (page);
}

static void
on_projected (GObject *source, GAsyncResult *result, void *user_data)
{
  SondeProjectorPage *page = SONDE_PROJECTOR_PAGE (source);
  Projection *projection = g_task_get_task_data (G_TASK (result));

  /* A newer record took this one's place, or the page goes. */
  if (page->running != projection)
    return;
  page->running = NULL;
  show (page, projection);
  sonde_record_page_set_busy (SONDE_RECORD_PAGE (page), FALSE);
  sonde_record_page_status_changed (SONDE_RECORD_PAGE (page));
}

static void
stop (SondeProjectorPage *page)
{
  if (page->running != NULL)
    page->running->watch.cancelled = TRUE;
  page->running = NULL;
}

static gboolean
sonde_projector_page_take (SondeRecordPage *base, GPtrArray *records, SondeRecordKind kind)
{
  SondeProjectorPage *page = SONDE_PROJECTOR_PAGE (base);
  const SondeRecord *record = records->len > 0 ? records->pdata[0] : NULL;
  g_autoptr (GTask) task = NULL;
  Projection *projection;

  stop (page);
  if (record == NULL || record->u.embedding.points == NULL)
    {
      g_clear_pointer (&page->facts, g_free);
      sonde_scatter_view_set_points (page->view, NULL, 0, NULL, NULL, NULL, NULL);
      return TRUE;
    }
  projection = g_new0 (Projection, 1);
  projection->points = sonde_tensor_ref (record->u.embedding.points);
  projection->labels
      = record->u.embedding.labels != NULL ? sonde_tensor_ref (record->u.embedding.labels) : NULL;
  projection->columns = g_strdupv (record->u.embedding.columns);
  page->running = projection;
  task = g_task_new (page, NULL, on_projected, NULL);
  g_task_set_task_data (task, projection, projection_free);
  g_task_run_in_thread (task, project_in_thread);
  return FALSE;
}

/* ---- page ---------------------------------------------------------------- */

static GtkWidget *
sonde_projector_page_make_content (SondeRecordPage *base)
{
  SondeProjectorPage *page = SONDE_PROJECTOR_PAGE (base);

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
  sonde_record_page_add_to_bar (base, GTK_WIDGET (page->color));
  page->view = SONDE_SCATTER_VIEW (sonde_scatter_view_new ());
  gtk_widget_set_margin_start (GTK_WIDGET (page->view), 18);
  gtk_widget_set_margin_end (GTK_WIDGET (page->view), 18);
  gtk_widget_set_margin_top (GTK_WIDGET (page->view), 18);
  gtk_widget_set_margin_bottom (GTK_WIDGET (page->view), 18);
  return GTK_WIDGET (page->view);
}

static char *
sonde_projector_page_dup_status (SondeRecordPage *page)
{
  return g_strdup (SONDE_PROJECTOR_PAGE (page)->facts);
}

static void
sonde_projector_page_dispose (GObject *object)
{
  SondeProjectorPage *page = SONDE_PROJECTOR_PAGE (object);

  stop (page);
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
