/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/media/sonde-mesh-list.h"

#include "app/widgets/sonde-tile-flow.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-mesh-view.h"

#define MAX_SHOWN 12 /* of a batch */
#define SMALL_PX 240
#define LARGE_PX 560
#define NARROW_PX 160 /* where its room is limited, the width follows it */

struct _SondeMeshList
{
  GtkBox parent_instance;
  GtkFlowBox *flow;
  GCancellable *cancellable; /* of the reading under way */
  char *name, *facts;        /* (nullable): of the mesh */
  gint64 step;
  int max_size;                             /* px; 0: no limit */
  SondeTensor *parts[SONDE_MESH_COLOR + 1]; /* (nullable) */
};

enum
{
  STATE_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeMeshList, sonde_mesh_list, GTK_TYPE_BOX)

gboolean
sonde_mesh_list_is_busy (SondeMeshList *list)
{
  return list->cancellable != NULL;
}

const char *
sonde_mesh_list_get_facts (SondeMeshList *list)
{
  return list->facts;
}

static void
forget (SondeMeshList *list)
{
  g_cancellable_cancel (list->cancellable);
  g_clear_object (&list->cancellable);
  g_clear_pointer (&list->name, g_free);
  g_clear_pointer (&list->facts, g_free);
  for (gsize i = 0; i < G_N_ELEMENTS (list->parts); i++)
    g_clear_pointer (&list->parts[i], sonde_tensor_unref);
}

/* ---- what is seen -------------------------------------------------------- */

static void
describe (SondeMeshList *list, gint64 n)
{
  const SondeTensor *vertices = list->parts[SONDE_MESH_VERTEX],
                    *faces = list->parts[SONDE_MESH_FACE];
  GString *text = g_string_new (NULL);

  g_free (list->facts);
  if (vertices == NULL)
    g_string_append (text, _ ("No vertices of the mesh at this step"));
  else
    {
      g_autofree char *n_vertices = sonde_format_count (vertices->shape.dims[1]);

      g_string_append_printf (text, P_ ("%" PRIi64 " mesh", "%" PRIi64 " meshes", n), n);
      if (n > MAX_SHOWN)
        g_string_append_printf (text, _ (" (the first %d are shown)"), MAX_SHOWN);
      g_string_append_printf (text, _ (" · vertices: %s"), n_vertices);
    }
  if (vertices != NULL && faces != NULL)
    {
      g_autofree char *n_faces = sonde_format_count (faces->shape.dims[1]);

      g_string_append_printf (text, _ (" · faces: %s"), n_faces);
    }
  if (vertices != NULL && list->parts[SONDE_MESH_COLOR] != NULL)
    g_string_append (text, _ (" · coloured"));
  list->facts = g_string_free (text, FALSE);
}

static void
set_size (SondeMeshList *list, GtkWidget *view, gint64 n)
{
  int size = n > 2 ? SMALL_PX : LARGE_PX;

  if (list->max_size > 0)
    size = MIN (size, list->max_size);
  sonde_view_set_minimum_size (SONDE_VIEW (view), list->max_size > 0 ? MIN (size, NARROW_PX) : size,
                               size);
}

void
sonde_mesh_list_set_max_size (SondeMeshList *list, int size)
{
  guint n = 0;
  GtkFlowBoxChild *child;

  g_return_if_fail (SONDE_IS_MESH_LIST (list));
  list->max_size = size;
  while (gtk_flow_box_get_child_at_index (list->flow, (int) n) != NULL)
    n++;
  for (guint i = 0; i < n; i++)
    {
      child = gtk_flow_box_get_child_at_index (list->flow, (int) i);
      set_size (list, gtk_flow_box_child_get_child (child), n);
    }
}

static void
show (SondeMeshList *list)
{
  const SondeTensor *vertices = list->parts[SONDE_MESH_VERTEX];
  const gint64 n = vertices != NULL ? vertices->shape.dims[0] : 0;
  g_autofree char *name = sonde_text_make_visible (list->name != NULL ? list->name : "");
  GtkFlowBoxChild *child;

  describe (list, n);
  gtk_flow_box_set_max_children_per_line (list->flow, (guint) CLAMP (n, 1, MAX_SHOWN));
  while ((child = gtk_flow_box_get_child_at_index (list->flow, (int) MIN (n, MAX_SHOWN))) != NULL)
    gtk_flow_box_remove (list->flow, GTK_WIDGET (child));
  for (int i = 0; i < MIN (n, MAX_SHOWN); i++)
    {
      g_autofree char *title
          = n > 1 ? g_strdup_printf (_ ("%s, No. %d"), name, i + 1) : g_strdup (name);
      GtkWidget *view;

      child = gtk_flow_box_get_child_at_index (list->flow, i);
      if (child == NULL)
        {
          view = sonde_mesh_view_new ();
          gtk_widget_set_tooltip_text (
              view,
              _ ("Drag or use the arrow keys to rotate, Ctrl and the wheel, + and − to zoom"));
          gtk_widget_set_hexpand (view, TRUE);
          gtk_flow_box_append (list->flow, view);
          /* the arrow keys are the view's: they turn it */
          gtk_widget_set_focusable (gtk_widget_get_parent (view), FALSE);
        }
      else
        view = gtk_flow_box_child_get_child (child);
      set_size (list, view, n);
      sonde_view_set_title (SONDE_VIEW (view), title);
      sonde_mesh_view_set_mesh (SONDE_MESH_VIEW (view), list->parts[SONDE_MESH_VERTEX],
                                list->parts[SONDE_MESH_FACE], list->parts[SONDE_MESH_COLOR], i);
    }
}

/* ---- reading ------------------------------------------------------------- */

static void
take_part (SondeMeshList *list, const SondeRecord *record)
{
  const guint part = (guint) record->u.mesh.part;

  if (record->kind != SONDE_RECORD_MESH || part >= G_N_ELEMENTS (list->parts)
      || record->u.mesh.values == NULL || g_strcmp0 (record->u.mesh.name, list->name) != 0)
    return;
  g_clear_pointer (&list->parts[part], sonde_tensor_unref);
  list->parts[part] = sonde_tensor_ref (record->u.mesh.values);
}

static void
on_read (GObject *source, GAsyncResult *result, void *user_data)
{
  g_autoptr (SondeMeshList) list = user_data;
  GCancellable *cancellable = g_task_get_cancellable (G_TASK (result));
  g_autoptr (GPtrArray) records = sonde_run_read_blobs_finish (SONDE_RUN (source), result, NULL);

  if (list->cancellable == NULL || list->cancellable != cancellable)
    return; /* another one took its place */
  g_clear_object (&list->cancellable);
  for (guint i = 0; records != NULL && i < records->len; i++)
    take_part (list, records->pdata[i]);
  show (list);
  g_signal_emit (list, signals[STATE_CHANGED], 0);
}

/* The last record of each tag of meshes at or before the step: parts that do not change are written
 * once. */
static GArray *
find_parts (SondeRun *run, const char *name, gint64 step)
{
  GPtrArray *tags = sonde_run_get_tags (run);
  GArray *refs = g_array_new (FALSE, FALSE, sizeof (SondeBlobRef));

  for (guint i = 0; i < tags->len; i++)
    {
      const SondeRunTag *tag = tags->pdata[i];
      g_autoptr (GArray) blobs = NULL;
      const SondeBlobRef *last = NULL;

      if (tag->kind != SONDE_RECORD_MESH || !g_str_has_prefix (tag->tag, name))
        continue;
      blobs = sonde_run_list_blobs (run, tag->tag, SONDE_RECORD_MESH);
      for (guint k = 0; k < blobs->len; k++)
        if (g_array_index (blobs, SondeBlobRef, k).step <= step)
          last = &g_array_index (blobs, SondeBlobRef, k);
      if (last != NULL)
        g_array_append_val (refs, *last);
    }
  return refs;
}

void
sonde_mesh_list_take (SondeMeshList *list, SondeRun *run, const SondeRecord *record)
{
  g_autoptr (GArray) refs = NULL;

  g_return_if_fail (SONDE_IS_MESH_LIST (list));
  forget (list);
  if (run == NULL || record == NULL || record->kind != SONDE_RECORD_MESH
      || record->u.mesh.name == NULL)
    {
      show (list);
      return;
    }
  list->name = g_strdup (record->u.mesh.name);
  list->step = record->step;
  list->cancellable = g_cancellable_new ();
  refs = find_parts (run, list->name, list->step);
  sonde_run_read_blobs_async (run, refs, list->cancellable, on_read, g_object_ref (list));
}

/* ---- widget -------------------------------------------------------------- */

static void
sonde_mesh_list_dispose (GObject *object)
{
  SondeMeshList *list = SONDE_MESH_LIST (object);

  forget (list);
  if (list->flow != NULL)
    gtk_box_remove (GTK_BOX (list), GTK_WIDGET (list->flow));
  list->flow = NULL;
  G_OBJECT_CLASS (sonde_mesh_list_parent_class)->dispose (object);
}

static void
sonde_mesh_list_class_init (SondeMeshListClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_mesh_list_dispose;
  signals[STATE_CHANGED] = g_signal_new ("state-changed", SONDE_TYPE_MESH_LIST, G_SIGNAL_RUN_LAST,
                                         0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_mesh_list_init (SondeMeshList *list)
{
  list->flow = GTK_FLOW_BOX (gtk_flow_box_new ());
  sonde_tile_flow_set_up (list->flow);
  gtk_flow_box_set_homogeneous (list->flow, TRUE);
  gtk_flow_box_set_row_spacing (list->flow, 12);
  gtk_flow_box_set_column_spacing (list->flow, 12);
  gtk_widget_set_valign (GTK_WIDGET (list->flow), GTK_ALIGN_START);
  gtk_widget_set_hexpand (GTK_WIDGET (list->flow), TRUE);
  gtk_box_append (GTK_BOX (list), GTK_WIDGET (list->flow));
}
