/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/sonde-mesh-view.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-mesh.h"

#define DEGREES_PER_PX 0.5
#define DEGREES_PER_KEY 15.0
#define FIRST_YAW (-30)
#define FIRST_PITCH 22
#define WHEEL_STEP 0.15

struct _SondeMeshView
{
  SondeView parent_instance;
  SondeTensor *vertices, *faces, *colors; /* (nullable) */
  gint64 index;
  double yaw, pitch, zoom;
  double begin_yaw, begin_pitch; /* of the drag */
};

G_DEFINE_FINAL_TYPE (SondeMeshView, sonde_mesh_view, SONDE_TYPE_VIEW)

/* The part of one mesh of the batch; NULL when there is none. */
static const void *
find_part (const SondeTensor *tensor, gint64 index, gsize *n)
{
  gint64 one;

  *n = 0;
  if (tensor == NULL || tensor->shape.dims[0] == 0)
    return NULL;
  one = tensor->shape.dims[1] * 3;
  *n = (gsize) tensor->shape.dims[1];
  return tensor->data
         + MIN (index, tensor->shape.dims[0] - 1) * one * (gint64) sonde_dtype_size (tensor->dtype);
}

static SondeMesh
describe_mesh (SondeMeshView *view)
{
  SondeMesh mesh = { .yaw = view->yaw, .pitch = view->pitch, .zoom = view->zoom };
  gsize n_colors;

  mesh.vertices = find_part (view->vertices, view->index, &mesh.n_vertices);
  mesh.faces = find_part (view->faces, view->index, &mesh.n_faces);
  mesh.colors = find_part (view->colors, view->index, &n_colors);
  if (n_colors != mesh.n_vertices)
    mesh.colors = NULL;
  if (mesh.n_faces == 0)
    mesh.faces = NULL;
  if (mesh.n_vertices == 0)
    mesh.message = _ ("This mesh has no vertices.");
  return mesh;
}

static void
sonde_mesh_view_paint (SondeView *base, cairo_t *cr, int width, int height)
{
  const SondeMesh mesh = describe_mesh (SONDE_MESH_VIEW (base));

  sonde_paint_mesh (cr, sonde_view_get_theme (base), &mesh, width, height);
}

static char *
sonde_mesh_view_describe (SondeView *base)
{
  const SondeMesh mesh = describe_mesh (SONDE_MESH_VIEW (base));
  const char *title = sonde_view_get_title (base);
  g_autofree char *n_vertices = sonde_format_count ((gint64) mesh.n_vertices),
                  *n_faces = sonde_format_count ((gint64) mesh.n_faces);
  g_auto (GStrv) ends = NULL;
  double low[3], high[3];

  if (mesh.message != NULL || !sonde_mesh_get_bounds (&mesh, low, high))
    return g_strdup_printf (_ ("%s: no points."), title != NULL ? title : _ ("Mesh"));
  ends = g_new0 (char *, 7);
  for (int i = 0; i < 6; i++)
    ends[i] = sonde_format_number (i % 2 == 0 ? low[i / 2] : high[i / 2]);
  return g_strdup_printf (_ ("%s: %s vertices, %s faces; x from %s to %s, y from %s to %s, "
                             "z from %s to %s."),
                          title != NULL ? title : _ ("Mesh"), n_vertices, n_faces, ends[0], ends[1],
                          ends[2], ends[3], ends[4], ends[5]);
}

static char *
sonde_mesh_view_dup_table (SondeView *base, char separator)
{
  const SondeMesh mesh = describe_mesh (SONDE_MESH_VIEW (base));
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "x%cy%cz\n", separator, separator);
  for (gsize i = 0; i < mesh.n_vertices; i++)
    g_string_append_printf (text, "%.9g%c%.9g%c%.9g\n", (double) mesh.vertices[3 * i], separator,
                            (double) mesh.vertices[3 * i + 1], separator,
                            (double) mesh.vertices[3 * i + 2]);
  return g_string_free (text, FALSE);
}

void
sonde_mesh_view_turn (SondeMeshView *view, double yaw, double pitch)
{
  g_return_if_fail (SONDE_IS_MESH_VIEW (view));
  view->yaw = fmod (view->yaw + yaw, 360);
  view->pitch = CLAMP (view->pitch + pitch, -90, 90);
  sonde_view_invalidate (SONDE_VIEW (view));
}

static gboolean
sonde_mesh_view_move_cursor (SondeView *view, int count)
{
  sonde_mesh_view_turn (SONDE_MESH_VIEW (view), CLAMP (count, -12, 12) * DEGREES_PER_KEY, 0);
  return TRUE;
}

static gboolean
is_part (const SondeTensor *tensor, SondeDtype dtype)
{
  return tensor != NULL && tensor->dtype == dtype && tensor->shape.rank == 3
         && tensor->shape.dims[2] == 3;
}

void
sonde_mesh_view_set_mesh (SondeMeshView *view, SondeTensor *vertices, SondeTensor *faces,
                          SondeTensor *colors, gint64 index)
{
  g_return_if_fail (SONDE_IS_MESH_VIEW (view));
  g_clear_pointer (&view->vertices, sonde_tensor_unref);
  g_clear_pointer (&view->faces, sonde_tensor_unref);
  g_clear_pointer (&view->colors, sonde_tensor_unref);
  view->vertices = is_part (vertices, SONDE_DTYPE_F32) ? sonde_tensor_ref (vertices) : NULL;
  view->faces = is_part (faces, SONDE_DTYPE_I32) ? sonde_tensor_ref (faces) : NULL;
  view->colors = is_part (colors, SONDE_DTYPE_U8) ? sonde_tensor_ref (colors) : NULL;
  view->index = index;
  sonde_view_invalidate (SONDE_VIEW (view));
}

/* ---- gestures ------------------------------------------------------------ */

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, SondeMeshView *view)
{
  view->begin_yaw = view->yaw;
  view->begin_pitch = view->pitch;
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, SondeMeshView *view)
{
  if (hypot (dx, dy) > 3)
    gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  view->yaw = view->begin_yaw;
  view->pitch = view->begin_pitch;
  sonde_mesh_view_turn (view, sonde_view_from_widget (SONDE_VIEW (view), dx) * DEGREES_PER_PX,
                        sonde_view_from_widget (SONDE_VIEW (view), dy) * DEGREES_PER_PX);
}

static void
zoom_by (SondeMeshView *view, double factor)
{
  view->zoom = CLAMP (view->zoom * factor, 0.1, 50);
  sonde_view_invalidate (SONDE_VIEW (view));
}

/* With Ctrl: the plain wheel scrolls the page that the meshes are on. */
static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, SondeMeshView *view)
{
  if ((gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller))
       & GDK_CONTROL_MASK)
      == 0)
    return GDK_EVENT_PROPAGATE;
  zoom_by (view, exp (-dy * WHEEL_STEP));
  return GDK_EVENT_STOP;
}

/* ---- keys ---------------------------------------------------------------- */

static gboolean
tilt_by_key (GtkWidget *widget, GVariant *degrees, void *unused)
{
  sonde_mesh_view_turn (SONDE_MESH_VIEW (widget), 0, g_variant_get_double (degrees));
  return TRUE;
}

static void
zoom_by_key (GtkWidget *widget, const char *action, GVariant *factor)
{
  zoom_by (SONDE_MESH_VIEW (widget), g_variant_get_double (factor));
}

/* As it stood at first. */
static void
reset (GtkWidget *widget, const char *action, GVariant *unused)
{
  SondeMeshView *view = SONDE_MESH_VIEW (widget);

  view->yaw = FIRST_YAW;
  view->pitch = FIRST_PITCH;
  view->zoom = 1;
  sonde_view_invalidate (SONDE_VIEW (view));
}

static void
sonde_mesh_view_finalize (GObject *object)
{
  SondeMeshView *view = SONDE_MESH_VIEW (object);

  g_clear_pointer (&view->vertices, sonde_tensor_unref);
  g_clear_pointer (&view->faces, sonde_tensor_unref);
  g_clear_pointer (&view->colors, sonde_tensor_unref);
  G_OBJECT_CLASS (sonde_mesh_view_parent_class)->finalize (object);
}

static void
sonde_mesh_view_class_init (SondeMeshViewClass *klass)
{
  SondeViewClass *view_class = SONDE_VIEW_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_mesh_view_finalize;
  view_class->paint = sonde_mesh_view_paint;
  view_class->describe = sonde_mesh_view_describe;
  view_class->dup_table = sonde_mesh_view_dup_table;
  view_class->move_cursor = sonde_mesh_view_move_cursor;
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Up, 0, tilt_by_key, "d", DEGREES_PER_KEY);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Down, 0, tilt_by_key, "d", -DEGREES_PER_KEY);
  /* in place of those of the base, which has no world to zoom in here */
  gtk_widget_class_install_action (widget_class, "view.zoom", "d", zoom_by_key);
  gtk_widget_class_install_action (widget_class, "view.fit", NULL, reset);
}

static void
sonde_mesh_view_init (SondeMeshView *view)
{
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkEventController *scroll
      = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);

  view->yaw = FIRST_YAW;
  view->pitch = FIRST_PITCH;
  view->zoom = 1;
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), view);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), view);
  gtk_widget_add_controller (GTK_WIDGET (view), GTK_EVENT_CONTROLLER (drag));
  g_signal_connect (scroll, "scroll", G_CALLBACK (on_scroll), view);
  gtk_widget_add_controller (GTK_WIDGET (view), scroll);
  sonde_view_set_zoom (SONDE_VIEW (view), SONDE_VIEW_ZOOM_NONE);
  sonde_view_set_minimum_size (SONDE_VIEW (view), 320, 320);
}

GtkWidget *
sonde_mesh_view_new (void)
{
  return g_object_new (SONDE_TYPE_MESH_VIEW, NULL);
}
