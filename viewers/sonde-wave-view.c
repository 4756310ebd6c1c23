/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/sonde-wave-view.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-wave.h"

struct _SondeWaveView
{
  SondeView parent_instance;
  SondeTensor *samples; /* (nullable) */
  float *blocks;
  double rate;
  double position; /* s; < 0: none */
  char *message;
};

enum
{
  SEEK,
  TOGGLE,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeWaveView, sonde_wave_view, SONDE_TYPE_VIEW)

static double
duration (SondeWaveView *view)
{
  return view->samples != NULL ? (double) view->samples->shape.dims[0] / view->rate : 0;
}

static SondeWave
describe_drawing (SondeWaveView *view, int width, int height)
{
  SondeViewport v;

  sonde_view_get_viewport_for (SONDE_VIEW (view), width, height, &v);
  return (SondeWave){
    .samples = view->samples != NULL ? (const float *) (const void *) view->samples->data : NULL,
    .n_frames = view->samples != NULL ? view->samples->shape.dims[0] : 0,
    .n_channels = view->samples != NULL ? (guint) view->samples->shape.dims[1] : 1,
    .rate = view->rate,
    .blocks = view->blocks,
    .low = v.x0,
    .high = v.x1,
    .color = sonde_theme_series (sonde_view_get_theme (SONDE_VIEW (view)), 0).color,
    .message = view->samples == NULL ? view->message : NULL,
  };
}

static void
sonde_wave_view_prepare (SondeView *base, int width, int height)
{
  double seconds = duration (SONDE_WAVE_VIEW (base));
  SondeViewport bounds = { 0, 1, seconds > 0 ? seconds : 1, -1 };

  sonde_view_set_bounds (base, &bounds);
}

static void
sonde_wave_view_paint (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeWave wave = describe_drawing (SONDE_WAVE_VIEW (base), width, height);

  sonde_paint_wave (cr, sonde_view_get_theme (base), &wave, width, height);
}

static void
sonde_wave_view_area (SondeView *base, int width, int height, SondeViewRect *area)
{
  sonde_wave_get_area (width, height, area);
}

/* ---- where it plays ------------------------------------------------------ */

static void
sonde_wave_view_paint_overlay (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeWaveView *view = SONDE_WAVE_VIEW (base);
  SondeViewRect area;
  double x, y;

  if (view->samples == NULL || view->position < 0)
    return;
  sonde_wave_get_area (width, height, &area);
  sonde_view_world_to_view (base, view->position, 0, &x, &y);
  if (x < area.x || x > area.x + area.width)
    return;
  sonde_paint_set_color (cr, &sonde_view_get_theme (base)->foreground);
  cairo_set_line_width (cr, 2);
  cairo_move_to (cr, x, area.y);
  cairo_line_to (cr, x, area.y + area.height);
  cairo_stroke (cr);
}

static void
seek (SondeWaveView *view, double seconds)
{
  g_signal_emit (view, signals[SEEK], 0, CLAMP (seconds, 0, duration (view)));
}

static gboolean
sonde_wave_view_move_cursor (SondeView *base, int count)
{
  SondeWaveView *view = SONDE_WAVE_VIEW (base);

  if (view->samples == NULL)
    return FALSE;
  if (count == G_MININT || count == G_MAXINT)
    seek (view, count < 0 ? 0 : duration (view));
  else
    seek (view, fmax (view->position, 0) + count * duration (view) / 100);
  return TRUE;
}

static void
on_picked (SondeWaveView *view, gint64 frame, int n_presses, double x, double y)
{
  if (frame != SONDE_VIEW_NOTHING && n_presses == 1)
    seek (view, (double) frame / view->rate);
}

void
sonde_wave_view_set_position (SondeWaveView *view, double seconds)
{
  g_return_if_fail (SONDE_IS_WAVE_VIEW (view));
  if (view->position == seconds)
    return;
  view->position = seconds;
  sonde_view_invalidate_overlay (SONDE_VIEW (view));
}

/* ---- what is under the pointer, in words --------------------------------- */

static gboolean
sonde_wave_view_pick (SondeView *base, double x, double y, SondeViewPick *pick)
{
  SondeWaveView *view = SONDE_WAVE_VIEW (base);
  double seconds, unused;
  gint64 frame;

  if (view->samples == NULL)
    return FALSE;
  sonde_view_view_to_world (base, x, y, &seconds, &unused);
  frame = (gint64) floor (CLAMP (seconds * view->rate, -1, 4e18));
  if (frame < 0 || frame >= view->samples->shape.dims[0])
    return FALSE;
  pick->id = frame;
  pick->area = (SondeViewRect){ x - 2, y - 2, 4, 4 };
  return TRUE;
}

static char *
sonde_wave_view_dup_tooltip (SondeView *base, const SondeViewPick *pick)
{
  SondeWaveView *view = SONDE_WAVE_VIEW (base);
  gint64 n_channels = view->samples->shape.dims[1];
  g_autofree char *time = sonde_format_number ((double) pick->id / view->rate);
  g_autofree char *frame = sonde_format_count (pick->id);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, _ ("%s s, sample %s"), time, frame);
  for (gint64 c = 0; c < MIN (n_channels, SONDE_WAVE_MAX_LANES); c++)
    {
      g_autofree char *value = sonde_format_number (
          sonde_tensor_get_double (view->samples, pick->id * n_channels + c));

      if (n_channels > 1)
        g_string_append_printf (text, _ ("\nch. %" PRIi64 ": %s"), c + 1, value);
      else
        g_string_append_printf (text, ": %s", value);
    }
  return g_string_free (text, FALSE);
}

/* Where it plays. */
static char *
sonde_wave_view_dup_reading (SondeView *base)
{
  SondeWaveView *view = SONDE_WAVE_VIEW (base);
  const SondeViewPick pick = { .id = (gint64) (view->position * view->rate) };

  return view->samples != NULL && view->position >= 0 && pick.id < view->samples->shape.dims[0]
             ? sonde_wave_view_dup_tooltip (base, &pick)
             : NULL;
}

static char *
sonde_wave_view_describe (SondeView *base)
{
  SondeWaveView *view = SONDE_WAVE_VIEW (base);
  const char *title = sonde_view_get_title (base);
  g_autofree char *seconds = sonde_format_number (duration (view));
  SondeWave wave = describe_drawing (view, 1, 1);
  g_autofree char *low_text = NULL, *high_text = NULL;
  float low = INFINITY, high = -INFINITY;

  if (view->samples == NULL)
    return g_strdup_printf ("%s: %s.", title != NULL ? title : _ ("Sound"),
                            view->message != NULL ? view->message : _ ("no sound"));
  for (guint c = 0; c < wave.n_channels; c++)
    {
      float min, max;

      if (sonde_wave_find_range (&wave, c, 0, wave.n_frames, &min, &max))
        {
          low = fminf (low, min);
          high = fmaxf (high, max);
        }
    }
  low_text = sonde_format_number (low);
  high_text = sonde_format_number (high);
  return g_strdup_printf (
      P_ ("%s: %s seconds of sound in %u channel, values from %s to %s.",
          "%s: %s seconds of sound in %u channels, values from %s to %s.", wave.n_channels),
      title != NULL ? title : _ ("Sound"), seconds, wave.n_channels, low_text, high_text);
}

static char *
sonde_wave_view_dup_table (SondeView *base, char separator)
{
  SondeWaveView *view = SONDE_WAVE_VIEW (base);
  GString *text = g_string_new ("seconds");
  gint64 n_channels;

  if (view->samples == NULL)
    return g_string_free (text, TRUE);
  n_channels = view->samples->shape.dims[1];
  for (gint64 c = 0; c < n_channels; c++)
    g_string_append_printf (text, "%cchannel %" PRIi64, separator, c + 1);
  g_string_append_c (text, '\n');
  for (gint64 i = 0; i < view->samples->shape.dims[0]; i++)
    {
      g_string_append_printf (text, "%.17g", (double) i / view->rate);
      for (gint64 c = 0; c < n_channels; c++)
        g_string_append_printf (text, "%c%.9g", separator,
                                sonde_tensor_get_double (view->samples, i * n_channels + c));
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

void
sonde_wave_view_set_sound (SondeWaveView *view, SondeTensor *samples, double sample_rate,
                           const char *message)
{
  g_return_if_fail (SONDE_IS_WAVE_VIEW (view));
  g_clear_pointer (&view->samples, sonde_tensor_unref);
  g_clear_pointer (&view->blocks, g_free);
  g_free (view->message);
  view->message = g_strdup (message);
  if (samples != NULL && samples->shape.rank == 2 && samples->shape.dims[1] > 0
      && samples->dtype == SONDE_DTYPE_F32 && sample_rate > 0)
    {
      view->samples = sonde_tensor_ref (samples);
      view->rate = sample_rate;
      view->blocks
          = sonde_wave_make_blocks ((const float *) (const void *) samples->data,
                                    samples->shape.dims[0], (guint) samples->shape.dims[1]);
    }
  sonde_view_invalidate (SONDE_VIEW (view));
}

static void
sonde_wave_view_finalize (GObject *object)
{
  SondeWaveView *view = SONDE_WAVE_VIEW (object);

  g_clear_pointer (&view->samples, sonde_tensor_unref);
  g_free (view->blocks);
  g_free (view->message);
  G_OBJECT_CLASS (sonde_wave_view_parent_class)->finalize (object);
}

static void
sonde_wave_view_class_init (SondeWaveViewClass *klass)
{
  SondeViewClass *view_class = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_wave_view_finalize;
  view_class->prepare = sonde_wave_view_prepare;
  view_class->paint = sonde_wave_view_paint;
  view_class->paint_overlay = sonde_wave_view_paint_overlay;
  view_class->move_cursor = sonde_wave_view_move_cursor;
  view_class->area = sonde_wave_view_area;
  view_class->pick = sonde_wave_view_pick;
  view_class->dup_tooltip = sonde_wave_view_dup_tooltip;
  view_class->describe = sonde_wave_view_describe;
  view_class->dup_reading = sonde_wave_view_dup_reading;
  view_class->dup_table = sonde_wave_view_dup_table;
  signals[SEEK] = g_signal_new ("seek", SONDE_TYPE_WAVE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 1, G_TYPE_DOUBLE);
  signals[TOGGLE]
      = g_signal_new ("toggle", SONDE_TYPE_WAVE_VIEW, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, 0, NULL,
                      NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_add_binding_signal (GTK_WIDGET_CLASS (klass), GDK_KEY_space, 0, "toggle", NULL);
}

static void
sonde_wave_view_init (SondeWaveView *view)
{
  view->rate = 1;
  view->position = -1;
  sonde_view_set_zoom (SONDE_VIEW (view), SONDE_VIEW_ZOOM_X);
  sonde_view_set_minimum_size (SONDE_VIEW (view), 240, 150);
  g_signal_connect (view, "picked", G_CALLBACK (on_picked), NULL);
}

GtkWidget *
sonde_wave_view_new (void)
{
  return g_object_new (SONDE_TYPE_WAVE_VIEW, NULL);
}
