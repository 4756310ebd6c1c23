/* SPDX-License-Identifier: Apache-2.0
 * What a view's child paints, kept as pixels until something changes; and the same in words. */
#include "viewers/sonde-view-private.h"

#include <math.h>

void
sonde_view_prepare (SondeView *view, SondeViewPrivate *priv, int width, int height)
{
  if (SONDE_VIEW_GET_CLASS (view)->prepare == NULL)
    return;
  priv->preparing = TRUE;
  SONDE_VIEW_GET_CLASS (view)->prepare (view, width, height);
  priv->preparing = FALSE;
}

static guint picture_scale = 1;

void
sonde_view_set_picture_scale (guint scale)
{
  picture_scale = MAX (scale, 1);
}

static void
keep_pixels (SondeViewPrivate *priv, cairo_surface_t *pixels)
{
  g_clear_pointer (&priv->older_pixels, cairo_surface_destroy);
  priv->older_pixels = priv->old_pixels;
  priv->old_pixels = priv->pixels;
  priv->pixels = pixels;
}

void
sonde_view_clear_picture (SondeViewPrivate *priv)
{
  g_clear_handle_id (&priv->pace_source, g_source_remove);
  g_clear_pointer (&priv->node, gsk_render_node_unref);
  for (int i = 0; i < 3; i++)
    keep_pixels (priv, NULL);
}

/* Pixels that nobody draws any more, or new ones: fresh memory costs more than what is drawn into it.
 * (transfer full) */
static cairo_surface_t *
take_pixels (SondeViewPrivate *priv, int width, int height)
{
  cairo_surface_t *pixels = g_steal_pointer (&priv->older_pixels);

  if (pixels != NULL && cairo_surface_get_reference_count (pixels) == 1
      && cairo_image_surface_get_width (pixels) == width
      && cairo_image_surface_get_height (pixels) == height)
    {
      cairo_surface_flush (pixels);
      memset (cairo_image_surface_get_data (pixels), 0,
              (gsize) cairo_image_surface_get_stride (pixels) * (gsize) height);
      cairo_surface_mark_dirty (pixels);
      return pixels;
    }
  g_clear_pointer (&pixels, cairo_surface_destroy);
  return cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
}

/* In as many pixels as the widget has on the screen. (transfer full) */
static GskRenderNode *
paint_pixels (SondeView *view, SondeViewPrivate *priv, int width, int height, int scale)
{
  int widget_width = (int) ceil (width * priv->text_scale),
      widget_height = (int) ceil (height * priv->text_scale);
  GskRenderNode *node
      = gsk_cairo_node_new (&GRAPHENE_RECT_INIT (0, 0, widget_width, widget_height));
  cairo_surface_t *surface = take_pixels (priv, widget_width * scale, widget_height * scale);
  double dots = scale * priv->text_scale;
  cairo_t *cr;

  cairo_surface_set_device_scale (surface, dots, dots);
  cr = cairo_create (surface);
  SONDE_VIEW_GET_CLASS (view)->paint (view, cr, width, height);
  cairo_destroy (cr);
  cairo_surface_set_device_scale (surface, scale, scale);
  cr = gsk_cairo_node_get_draw_context (node);
  cairo_set_source_surface (cr, surface, 0, 0);
  cairo_paint (cr);
  cairo_destroy (cr);
  keep_pixels (priv, surface);
  return node;
}

/* ---- pace ---------------------------------------------------------------- */

#define FREE_US 4000   /* a picture that takes no longer need not wait */
#define PACE 5         /* a longer one is followed by so much time for everything else */
#define FIRST_US 50000 /* at most between two pictures of views that have none yet */

/* When a view may be painted again for data alone, and when one that was never painted. */
static gint64 again_us, first_us;

static const SondeClock *pace_clock; /* (nullable): the system's */

void
sonde_view_set_clock (const SondeClock *clock)
{
  pace_clock = clock;
  again_us = first_us = 0;
}

static gint64
get_time_us (void)
{
  return sonde_clock_monotonic_ns (pace_clock) / 1000;
}

static gboolean
on_pace (void *user_data)
{
  SondeViewPrivate *priv = user_data;

  priv->pace_source = 0;
  gtk_widget_queue_draw (priv->widget);
  return G_SOURCE_REMOVE;
}

/* Of several views that take long each gets a frame of its own. */
static gboolean
must_wait (SondeView *view, SondeViewPrivate *priv)
{
  gint64 wait = (priv->node != NULL ? again_us : first_us) - get_time_us ();

  if (wait <= 0 || (priv->node != NULL && !priv->paced))
    return FALSE;
  priv->widget = GTK_WIDGET (view);
  if (priv->pace_source == 0)
    priv->pace_source = g_timeout_add ((guint) (wait / 1000) + 1, on_pace, priv);
  return TRUE;
}

static void
count_cost (gint64 begun_us)
{
  gint64 now = get_time_us (), cost = now - begun_us - FREE_US;

  if (cost <= 0)
    return;
  again_us = MAX (again_us, now) + PACE * cost;
  first_us = now + MIN (cost, FIRST_US);
}

/* ---- the picture --------------------------------------------------------- */

/* Pixels rather than drawing commands: whatever moves over them, a crosshair or a neighbour, costs the
 * same for one curve and for a thousand. */
void
sonde_view_update_picture (SondeView *view, SondeViewPrivate *priv, int width, int height)
{
  int scale = MAX (gtk_widget_get_scale_factor (GTK_WIDGET (view)), (int) picture_scale);
  gint64 begun = get_time_us ();

  if (!priv->dirty && priv->node != NULL && priv->node_width == width && priv->node_height == height
      && priv->node_scale == scale)
    return;
  if (must_wait (view, priv))
    return;
  sonde_view_prepare (view, priv, width, height);
  g_clear_pointer (&priv->node, gsk_render_node_unref);
  priv->node = paint_pixels (view, priv, width, height, scale);
  priv->node_width = width;
  priv->node_height = height;
  priv->node_scale = scale;
  priv->dirty = priv->paced = FALSE;
  g_clear_handle_id (&priv->pace_source, g_source_remove);
  priv->tells_summary = TRUE;
  count_cost (begun);
}

/* ---- in words ------------------------------------------------------------ */

/* (transfer full) (nullable): the pointer is beside everything, or keys moved after it did */
static char *
dup_under_pointer (SondeView *view, SondeViewPrivate *priv, SondeViewClass *class)
{
  SondeViewPick pick;

  if (!priv->has_pointer || priv->reads_keys || class->pick == NULL || class->dup_tooltip == NULL
      || !class->pick (view, priv->pointer_x, priv->pointer_y, &pick))
    return NULL;
  return class->dup_tooltip (view, &pick);
}

char *
sonde_view_read_cursor (SondeView *view, SondeViewPrivate *priv)
{
  SondeViewClass *class = SONDE_VIEW_GET_CLASS (view);
  char *text = dup_under_pointer (view, priv, class);

  return text != NULL || class->dup_reading == NULL ? text : class->dup_reading (view);
}

/* Takes @now. TRUE: it is another one than before. */
static gboolean
replace_text (char **text, char *now)
{
  if (g_strcmp0 (*text, now) == 0)
    {
      g_free (now);
      return FALSE;
    }
  g_free (*text);
  *text = now;
  return TRUE;
}

void
sonde_view_tell (SondeView *view, SondeViewPrivate *priv)
{
  g_autofree char *both = NULL;
  gboolean is_new = FALSE;

  if (priv->tells_summary)
    is_new = replace_text (&priv->summary, SONDE_VIEW_GET_CLASS (view)->describe (view));
  if (priv->tells_summary || priv->tells_reading)
    is_new |= replace_text (&priv->reading, sonde_view_read_cursor (view, priv));
  priv->tells_summary = priv->tells_reading = FALSE;
  if (!is_new)
    return;
  both = g_strconcat (priv->summary != NULL ? priv->summary : "", priv->reading != NULL ? "\n" : "",
                      priv->reading, NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (view), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, both,
                                  -1);
}
