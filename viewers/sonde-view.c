/* SPDX-License-Identifier: Apache-2.0
 * The base widget: class, properties, what a frame shows. The picture itself, zoom, gestures and export are
 * in the files beside. */
#include "viewers/sonde-view-private.h"

#include <math.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-strong-theme.h"
#include "viewers/sonde-high-contrast.h"
#include "viewers/sonde-text-scale.h"

enum
{
  PROP_0,
  PROP_TITLE,
  PROP_SELECTION,
  N_PROPERTIES
};

enum
{
  PICKED,
  MENU,
  VIEWPORT_CHANGED,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPERTIES];
static guint signals[N_SIGNALS];

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (SondeView, sonde_view, GTK_TYPE_WIDGET)

SondeViewPrivate *
sonde_view_get_private (SondeView *view)
{
  return sonde_view_get_instance_private (view);
}

/* ---- drawing ------------------------------------------------------------- */

void
sonde_view_get_area (SondeView *view, int width, int height, SondeViewRect *area)
{
  *area = (SondeViewRect){ 0, 0, width, height };
  if (SONDE_VIEW_GET_CLASS (view)->area != NULL)
    SONDE_VIEW_GET_CLASS (view)->area (view, width, height, area);
  area->width = MAX (area->width, 1);
  area->height = MAX (area->height, 1);
}

static void
paint_drag_box (SondeView *view, cairo_t *cr, int width, int height)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  const SondeTheme *theme = sonde_view_get_theme (view);
  SondeViewRect area;
  gboolean whole_height = priv->zoom == SONDE_VIEW_ZOOM_X || fabs (priv->drag_dy) < 12;

  sonde_view_get_area (view, width, height, &area);
  cairo_rectangle (cr, area.x, area.y, area.width, area.height);
  cairo_clip (cr);
  cairo_rectangle (cr, priv->drag_x, whole_height ? area.y : priv->drag_y, priv->drag_dx,
                   whole_height ? area.height : priv->drag_dy);
  sonde_paint_set_color_alpha (cr, &theme->selection, 0.15);
  cairo_fill_preserve (cr);
  sonde_paint_set_color (cr, &theme->selection);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

static void
sonde_view_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  SondeView *view = SONDE_VIEW (widget);
  SondeViewPrivate *priv = sonde_view_get_private (view);
  graphene_rect_t all
      = GRAPHENE_RECT_INIT (0, 0, gtk_widget_get_width (widget), gtk_widget_get_height (widget));
  int width = (int) (all.size.width / priv->text_scale),
      height = (int) (all.size.height / priv->text_scale);
  gboolean box = priv->dragging && priv->zoom != SONDE_VIEW_ZOOM_UNIFORM
                 && priv->zoom != SONDE_VIEW_ZOOM_ROWS;
  cairo_t *cr;

  if (width <= 0 || height <= 0)
    return;
  sonde_view_update_picture (view, priv, width, height);
  gtk_snapshot_push_clip (snapshot, &all);
  if (priv->node != NULL)
    gtk_snapshot_append_node (snapshot, priv->node);
  if (SONDE_VIEW_GET_CLASS (view)->paint_overlay != NULL || box)
    {
      cr = gtk_snapshot_append_cairo (snapshot, &all);
      cairo_scale (cr, priv->text_scale, priv->text_scale);
      if (SONDE_VIEW_GET_CLASS (view)->paint_overlay != NULL)
        SONDE_VIEW_GET_CLASS (view)->paint_overlay (view, cr, width, height);
      if (box)
        paint_drag_box (view, cr, width, height);
      cairo_destroy (cr);
    }
  gtk_snapshot_pop (snapshot);
  sonde_view_tell (view, priv);
}

void
sonde_view_render (SondeView *view, cairo_t *cr, int width, int height)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  SondeViewClass *class = SONDE_VIEW_GET_CLASS (view);
  int room = class->measure_appendix != NULL ? class->measure_appendix (view, width, height) : 0;

  sonde_view_prepare (view, priv, width, height - room);
  sonde_paint_set_color (cr, &sonde_view_get_theme (view)->card);
  cairo_rectangle (cr, 0, 0, width, height);
  cairo_fill (cr);
  cairo_save (cr);
  class->paint (view, cr, width, height - room);
  cairo_restore (cr);
  if (room > 0)
    class->paint_appendix (view, cr, width, height, room);
  /* What was prepared fits this size, not the widget's. */
  priv->dirty = TRUE;
  gtk_widget_queue_draw (GTK_WIDGET (view));
}

void
sonde_view_invalidate (SondeView *view)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);

  g_return_if_fail (SONDE_IS_VIEW (view));
  if (priv->preparing)
    return;
  priv->dirty = TRUE;
  priv->paced = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (view));
}

void
sonde_view_invalidate_paced (SondeView *view)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);

  g_return_if_fail (SONDE_IS_VIEW (view));
  if (priv->dirty)
    return;
  sonde_view_invalidate (view);
  priv->paced = TRUE;
}

gboolean
sonde_view_is_paced (SondeView *view)
{
  return sonde_view_get_private (view)->pace_source != 0;
}

void
sonde_view_invalidate_overlay (SondeView *view)
{
  g_return_if_fail (SONDE_IS_VIEW (view));
  sonde_view_get_private (view)->tells_reading = TRUE;
  gtk_widget_queue_draw (GTK_WIDGET (view));
}

/* Light or dark by the colour of text here, so that any parent's style counts. */
static void
update_theme (SondeView *view)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  GdkRGBA color;
  gboolean dark;

  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (view)), &color);
  dark = 0.2126 * color.red + 0.7152 * color.green + 0.0722 * color.blue > 0.5;
  if (dark == priv->dark && sonde_high_contrast_get () == priv->strong)
    return;
  priv->dark = dark;
  priv->strong = sonde_high_contrast_get ();
  sonde_view_invalidate (view);
}

/* Everything is measured and painted again where it is another. */
static void
update_text_scale (SondeView *view)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  double scale = sonde_text_scale_get (GTK_WIDGET (view));

  if (scale == priv->text_scale)
    return;
  priv->pointer_x *= priv->text_scale / scale;
  priv->pointer_y *= priv->text_scale / scale;
  priv->text_scale = scale;
  gtk_widget_queue_resize (GTK_WIDGET (view));
  sonde_view_invalidate (view);
}

static void
sonde_view_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (sonde_view_parent_class)->css_changed (widget, change);
  update_theme (SONDE_VIEW (widget));
}

static void
sonde_view_root (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (sonde_view_parent_class)->root (widget);
  update_text_scale (SONDE_VIEW (widget));
  update_theme (SONDE_VIEW (widget));
}

const SondeTheme *
sonde_view_get_theme (SondeView *view)
{
  const SondeViewPrivate *priv;

  g_return_val_if_fail (SONDE_IS_VIEW (view), sonde_theme_get (FALSE));
  priv = sonde_view_get_private (view);
  return priv->strong ? sonde_strong_theme_get (priv->dark) : sonde_theme_get (priv->dark);
}

static void
sonde_view_system_setting_changed (GtkWidget *widget, GtkSystemSetting setting)
{
  GTK_WIDGET_CLASS (sonde_view_parent_class)->system_setting_changed (widget, setting);
  if (setting == GTK_SYSTEM_SETTING_DPI)
    update_text_scale (SONDE_VIEW (widget));
}

static void
sonde_view_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                    int *natural, int *minimum_baseline, int *natural_baseline)
{
  SondeViewPrivate *priv = sonde_view_get_private (SONDE_VIEW (widget));
  int length
      = orientation == GTK_ORIENTATION_HORIZONTAL ? priv->minimum_width : priv->minimum_height;

  *minimum = *natural = (int) ceil (length * priv->text_scale);
  *minimum_baseline = *natural_baseline = -1;
}

void
sonde_view_set_minimum_size (SondeView *view, int width, int height)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);

  g_return_if_fail (SONDE_IS_VIEW (view));
  priv->minimum_width = width;
  priv->minimum_height = height;
  gtk_widget_queue_resize (GTK_WIDGET (view));
}

static void
sonde_view_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  SondeViewPrivate *priv = sonde_view_get_private (SONDE_VIEW (widget));

  GTK_WIDGET_CLASS (sonde_view_parent_class)->size_allocate (widget, width, height, baseline);
  if (priv->menu != NULL)
    gtk_popover_present (GTK_POPOVER (priv->menu));
}

char *
sonde_view_dup_reading (SondeView *view)
{
  g_return_val_if_fail (SONDE_IS_VIEW (view), NULL);
  return sonde_view_read_cursor (view, sonde_view_get_private (view));
}

char *
sonde_view_dup_selected (SondeView *view)
{
  const SondeViewPick pick = { .id = sonde_view_get_selection (view) };

  return pick.id >= 0 ? SONDE_VIEW_GET_CLASS (view)->dup_tooltip (view, &pick) : NULL;
}

static gboolean
sonde_view_query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  SondeView *view = SONDE_VIEW (widget);
  SondeViewClass *class = SONDE_VIEW_GET_CLASS (view);
  double scale = sonde_view_get_private (view)->text_scale;
  SondeViewPick pick;
  g_autofree char *text = NULL;

  if (keyboard || class->pick == NULL || class->dup_tooltip == NULL
      || !class->pick (view, x / scale, y / scale, &pick))
    return FALSE;
  text = class->dup_tooltip (view, &pick);
  if (text == NULL)
    return FALSE;
  gtk_tooltip_set_text (tooltip, text);
  gtk_tooltip_set_tip_area (tooltip, &(GdkRectangle){ (int) (pick.area.x * scale),
                                                      (int) (pick.area.y * scale),
                                                      (int) ceil (pick.area.width * scale) + 1,
                                                      (int) ceil (pick.area.height * scale) + 1 });
  return TRUE;
}

/* ---- properties ---------------------------------------------------------- */

/* One that shows nothing yet is still something for who reads the window. */
static void
tell_name (SondeView *view, const char *title)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  title != NULL && *title != '\0' ? title : _ ("Image"), -1);
}

void
sonde_view_set_title (SondeView *view, const char *title)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);

  g_return_if_fail (SONDE_IS_VIEW (view));
  if (g_strcmp0 (title, priv->title) == 0)
    return;
  g_free (priv->title);
  priv->title = g_strdup (title);
  tell_name (view, title);
  g_object_notify_by_pspec (G_OBJECT (view), properties[PROP_TITLE]);
}

const char *
sonde_view_get_title (SondeView *view)
{
  g_return_val_if_fail (SONDE_IS_VIEW (view), NULL);
  return sonde_view_get_private (view)->title;
}

gint64
sonde_view_get_selection (SondeView *view)
{
  g_return_val_if_fail (SONDE_IS_VIEW (view), SONDE_VIEW_NOTHING);
  return sonde_view_get_private (view)->selection;
}

void
sonde_view_set_selection (SondeView *view, gint64 id)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);

  g_return_if_fail (SONDE_IS_VIEW (view));
  if (priv->selection == id)
    return;
  priv->selection = id;
  priv->tells_summary = TRUE;
  sonde_view_invalidate_overlay (view);
  g_object_notify_by_pspec (G_OBJECT (view), properties[PROP_SELECTION]);
}

gint64
sonde_view_get_hovered (SondeView *view)
{
  g_return_val_if_fail (SONDE_IS_VIEW (view), SONDE_VIEW_NOTHING);
  return sonde_view_get_private (view)->hovered;
}

void
sonde_view_set_hovered (SondeView *view, gint64 id)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  gboolean is_new = priv->hovered != id;

  priv->hovered = id;
  if (SONDE_VIEW_GET_CLASS (view)->hover_changed != NULL)
    SONDE_VIEW_GET_CLASS (view)->hover_changed (view);
  if (is_new || SONDE_VIEW_GET_CLASS (view)->paint_overlay != NULL)
    sonde_view_invalidate_overlay (view);
}

gboolean
sonde_view_get_pointer (SondeView *view, double *x, double *y)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);

  *x = priv->pointer_x;
  *y = priv->pointer_y;
  return priv->has_pointer;
}

GdkModifierType
sonde_view_get_click_state (SondeView *view)
{
  g_return_val_if_fail (SONDE_IS_VIEW (view), 0);
  return sonde_view_get_private (view)->click_state;
}

char *
sonde_view_describe (SondeView *view)
{
  g_return_val_if_fail (SONDE_IS_VIEW (view), NULL);
  return SONDE_VIEW_GET_CLASS (view)->describe (view);
}

void
sonde_view_emit_viewport_changed (SondeView *view)
{
  g_signal_emit (view, signals[VIEWPORT_CHANGED], 0);
}

static void
sonde_view_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  SondeView *view = SONDE_VIEW (object);

  if (id == PROP_TITLE)
    g_value_set_string (value, sonde_view_get_title (view));
  else if (id == PROP_SELECTION)
    g_value_set_int64 (value, sonde_view_get_selection (view));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
sonde_view_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  SondeView *view = SONDE_VIEW (object);

  if (id == PROP_TITLE)
    sonde_view_set_title (view, g_value_get_string (value));
  else if (id == PROP_SELECTION)
    sonde_view_set_selection (view, g_value_get_int64 (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
sonde_view_dispose (GObject *object)
{
  SondeViewPrivate *priv = sonde_view_get_private (SONDE_VIEW (object));
  GtkWidget *child;

  priv->menu = NULL;
  g_clear_object (&priv->menu_model);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  g_clear_handle_id (&priv->menu_source, g_source_remove);
  sonde_view_clear_picture (priv);
  G_OBJECT_CLASS (sonde_view_parent_class)->dispose (object);
}

/* Nobody sees it: its pixels, 4 bytes each and up to three times, are painted again when somebody does. */
static void
sonde_view_unmap (GtkWidget *widget)
{
  SondeViewPrivate *priv = sonde_view_get_private (SONDE_VIEW (widget));

  GTK_WIDGET_CLASS (sonde_view_parent_class)->unmap (widget);
  if (priv->menu != NULL)
    gtk_popover_popdown (GTK_POPOVER (priv->menu));
  sonde_view_clear_picture (priv);
}

static void
sonde_view_finalize (GObject *object)
{
  SondeViewPrivate *priv = sonde_view_get_private (SONDE_VIEW (object));

  g_free (priv->title);
  g_free (priv->summary);
  g_free (priv->reading);
  g_array_unref (priv->history);
  G_OBJECT_CLASS (sonde_view_parent_class)->finalize (object);
}

static void
sonde_view_constructed (GObject *object)
{
  G_OBJECT_CLASS (sonde_view_parent_class)->constructed (object);
  gtk_widget_set_has_tooltip (GTK_WIDGET (object),
                              SONDE_VIEW_GET_CLASS (object)->dup_tooltip != NULL);
}

void
sonde_view_keys_moved (SondeView *view)
{
  g_return_if_fail (SONDE_IS_VIEW (view));
  sonde_view_get_private (view)->reads_keys = TRUE;
  sonde_view_invalidate_overlay (view);
}

static gboolean
move_cursor (GtkWidget *widget, GVariant *arguments, void *user_data)
{
  SondeViewClass *class = SONDE_VIEW_GET_CLASS (widget);
  SondeView *view = SONDE_VIEW (widget);

  if (class->move_cursor == NULL || !class->move_cursor (view, g_variant_get_int32 (arguments)))
    return FALSE;
  sonde_view_keys_moved (view);
  return TRUE;
}

static void
install_actions (GtkWidgetClass *widget_class)
{
  for (const SondeViewAction *row = sonde_view_actions; row->name != NULL; row++)
    gtk_widget_class_install_action (widget_class, row->name, row->parameter_type, row->activate);
  for (const SondeViewKey *row = sonde_view_keys; row->key != 0; row++)
    if (row->action == NULL)
      gtk_widget_class_add_binding (widget_class, row->key, row->modifiers, move_cursor, "i",
                                    row->count);
    else if (row->factor != 0)
      gtk_widget_class_add_binding_action (widget_class, row->key, row->modifiers, row->action, "d",
                                           row->factor);
    else
      gtk_widget_class_add_binding_action (widget_class, row->key, row->modifiers, row->action,
                                           NULL);
}

static void
sonde_view_class_init (SondeViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->constructed = sonde_view_constructed;
  object_class->dispose = sonde_view_dispose;
  object_class->finalize = sonde_view_finalize;
  object_class->get_property = sonde_view_get_property;
  object_class->set_property = sonde_view_set_property;
  widget_class->snapshot = sonde_view_snapshot;
  widget_class->unmap = sonde_view_unmap;
  widget_class->measure = sonde_view_measure;
  widget_class->size_allocate = sonde_view_size_allocate;
  widget_class->css_changed = sonde_view_css_changed;
  widget_class->root = sonde_view_root;
  widget_class->system_setting_changed = sonde_view_system_setting_changed;
  widget_class->query_tooltip = sonde_view_query_tooltip;

  properties[PROP_TITLE]
      = g_param_spec_string ("title", NULL, NULL, NULL,
                             G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  properties[PROP_SELECTION] = g_param_spec_int64 (
      "selection", NULL, NULL, SONDE_VIEW_NOTHING, G_MAXINT64, SONDE_VIEW_NOTHING,
      G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);

  signals[PICKED]
      = g_signal_new ("picked", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                      G_TYPE_NONE, 4, G_TYPE_INT64, G_TYPE_INT, G_TYPE_DOUBLE, G_TYPE_DOUBLE);
  signals[MENU] = g_signal_new ("menu", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 1, G_TYPE_INT64);
  signals[VIEWPORT_CHANGED] = g_signal_new ("viewport-changed", G_TYPE_FROM_CLASS (klass),
                                            G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);

  install_actions (widget_class);
  gtk_widget_class_set_css_name (widget_class, "sondeview");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
add_gestures (SondeView *view)
{
  GtkEventController *controllers[SONDE_VIEW_N_CONTROLLERS] = {
    [SONDE_VIEW_MOTION] = gtk_event_controller_motion_new (),
    [SONDE_VIEW_SCROLL] = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES),
    [SONDE_VIEW_CLICK] = GTK_EVENT_CONTROLLER (gtk_gesture_click_new ()),
    [SONDE_VIEW_DRAG] = GTK_EVENT_CONTROLLER (gtk_gesture_drag_new ()),
    [SONDE_VIEW_SECONDARY] = GTK_EVENT_CONTROLLER (gtk_gesture_click_new ()),
    [SONDE_VIEW_PINCH] = GTK_EVENT_CONTROLLER (gtk_gesture_zoom_new ()),
  };

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (controllers[SONDE_VIEW_SECONDARY]),
                                 GDK_BUTTON_SECONDARY);
  for (const SondeViewHandler *row = sonde_view_handlers; row->signal != NULL; row++)
    g_signal_connect (controllers[row->controller], row->signal, row->callback, view);
  for (gsize i = 0; i < G_N_ELEMENTS (controllers); i++)
    gtk_widget_add_controller (GTK_WIDGET (view), controllers[i]);
}

static void
sonde_view_init (SondeView *view)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);

  priv->selection = priv->hovered = SONDE_VIEW_NOTHING;
  priv->minimum_width = 120;
  priv->minimum_height = 90;
  priv->text_scale = 1;
  priv->dirty = TRUE;
  priv->bounds = (SondeViewport){ 0, 0, 1, 1 };
  priv->fit_x = priv->fit_y = TRUE;
  priv->min_scale = 0.02;
  priv->max_scale = 4;
  priv->max_fit_scale = 1;
  priv->min_extent = 1;
  priv->history = g_array_new (FALSE, FALSE, sizeof (SondeViewPlace));
  gtk_widget_set_focusable (GTK_WIDGET (view), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (view), GTK_OVERFLOW_HIDDEN);
  tell_name (view, NULL);
  add_gestures (view);
}
