/* SPDX-License-Identifier: Apache-2.0
 * A counterfactual step by step. */
#include "viewers/sonde-counterfactual-view.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define GAP 18
#define MIN_TRACE 220 /* px; narrower views have the curve below */
#define TRACE_HEIGHT 130
#define MAX_SIDE 320

struct _SondeCounterfactualView
{
  SondeView parent_instance;

  SondeImage *image, *mask;
  gboolean reveal;
  GPtrArray *steps;
  double *outputs;
  double threshold;
  char *output;
  guint step;
};

enum
{
  STEP_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeCounterfactualView, sonde_counterfactual_view, SONDE_TYPE_VIEW)

void
sonde_counterfactual_step_free (SondeCounterfactualStep *step)
{
  g_free (step->boxes);
  g_free (step->caption);
  g_free (step);
}

/* The image left or above, the curve right or below. */
static gboolean
place (SondeCounterfactualView *self, int width, int height, SondeViewRect *drawing,
       SondeViewRect *trace)
{
  double scale, room_x, room_y;
  gboolean beside = width >= MIN_TRACE + GAP + 160;

  if (self->image == NULL)
    return FALSE;
  room_x = fmin (beside ? width - MIN_TRACE - GAP : width, MAX_SIDE);
  room_y = fmin (beside ? height : height - TRACE_HEIGHT - GAP, MAX_SIDE);
  scale = fmin (room_x / self->image->width, fmax (room_y, 20) / self->image->height);
  if (scale > 1)
    scale = floor (scale);
  *drawing = (SondeViewRect){ 0, 0, scale * self->image->width, scale * self->image->height };
  if (beside)
    *trace = (SondeViewRect){ drawing->width + GAP, 0, width - drawing->width - GAP,
                              fmin (height, 200) };
  else
    *trace = (SondeViewRect){ 0, drawing->height + GAP, width, height - drawing->height - GAP };
  return TRUE;
}

static SondeBoxTrace
trace_of (SondeCounterfactualView *self)
{
  return (SondeBoxTrace){ self->outputs, self->steps->len, self->step, self->threshold,
                          self->output };
}

static void
sonde_counterfactual_view_paint (SondeView *view, cairo_t *cr, int width, int height)
{
  SondeCounterfactualView *self = SONDE_COUNTERFACTUAL_VIEW (view);
  const SondeTheme *theme = sonde_view_get_theme (view);
  const SondeCounterfactualStep *step = sonde_counterfactual_view_get_nth (self, self->step);
  SondeViewRect drawing, trace;
  SondeBoxImage boxes = { self->image, self->mask, self->reveal, NULL, 0, -1 };
  SondeBoxTrace line = trace_of (self);

  if (!place (self, width, height, &drawing, &trace))
    return;
  if (step != NULL)
    {
      boxes.boxes = step->boxes;
      boxes.n_boxes = step->n_boxes;
      boxes.newest = step->newest;
    }
  sonde_paint_boxes (cr, theme, &boxes, drawing.x, drawing.y, drawing.width, drawing.height);
  sonde_paint_box_trace (cr, theme, &line, trace.x, trace.y, trace.width, trace.height);
}

/* The nearest step anywhere over the curve. */
static gboolean
sonde_counterfactual_view_pick (SondeView *view, double x, double y, SondeViewPick *pick)
{
  SondeCounterfactualView *self = SONDE_COUNTERFACTUAL_VIEW (view);
  SondeBoxTrace line = trace_of (self);
  SondeViewRect drawing, trace;
  double nearest = G_MAXDOUBLE;

  if (!place (self, sonde_view_get_width (view), sonde_view_get_height (view), &drawing, &trace)
      || x < trace.x || y < trace.y || x >= trace.x + trace.width || y >= trace.y + trace.height
      || line.n == 0)
    return FALSE;
  for (guint i = 0; i < line.n; i++)
    {
      double at = sonde_box_trace_get_x (&line, trace.x, trace.width, i);

      if (fabs (at - x) >= nearest)
        continue;
      nearest = fabs (at - x);
      pick->id = i;
      pick->area = (SondeViewRect){ at - 4, trace.y, 8, trace.height };
    }
  return TRUE;
}

static char *
step_text (SondeCounterfactualView *self, guint i)
{
  const SondeCounterfactualStep *step = g_ptr_array_index (self->steps, i);
  g_autofree char *output = sonde_format_number (step->output);

  return g_strdup_printf ("%s: %s %s", step->caption != NULL ? step->caption : _ ("Step"),
                          self->output != NULL ? self->output : "output", output);
}

static char *
sonde_counterfactual_view_dup_tooltip (SondeView *view, const SondeViewPick *pick)
{
  SondeCounterfactualView *self = SONDE_COUNTERFACTUAL_VIEW (view);

  return pick->id >= 0 && pick->id < self->steps->len ? step_text (self, (guint) pick->id) : NULL;
}

static char *
sonde_counterfactual_view_describe (SondeView *view)
{
  SondeCounterfactualView *self = SONDE_COUNTERFACTUAL_VIEW (view);
  const SondeCounterfactualStep *step = sonde_counterfactual_view_get_nth (self, self->step);
  g_autofree char *text = NULL;

  if (step == NULL)
    return g_strdup (_ ("No counterfactual."));
  text = step_text (self, self->step);
  return g_strdup_printf (self->reveal
                              ? _ ("Step %u of %u, %u regions shown on the occluded image. %s.")
                              : _ ("Step %u of %u, %u regions occluded. %s."),
                          self->step, self->steps->len - 1, step->n_boxes, text);
}

static char *
sonde_counterfactual_view_dup_table (SondeView *view, char separator)
{
  SondeCounterfactualView *self = SONDE_COUNTERFACTUAL_VIEW (view);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "step%coutput%cx%cy%cwidth%cheight\n", separator, separator,
                          separator, separator, separator);
  for (guint i = 0; i < self->steps->len; i++)
    {
      const SondeCounterfactualStep *step = g_ptr_array_index (self->steps, i);
      const SondeBox *box = step->newest >= 0 ? &step->boxes[step->newest] : &(SondeBox){ 0 };

      g_string_append_printf (text, "%u%c%.9g%c%d%c%d%c%d%c%d\n", i, separator, step->output,
                              separator, box->x, separator, box->y, separator, box->width,
                              separator, box->height);
    }
  return g_string_free (text, FALSE);
}

static gboolean
sonde_counterfactual_view_move_cursor (SondeView *view, int count)
{
  SondeCounterfactualView *self = SONDE_COUNTERFACTUAL_VIEW (view);
  int last = (int) self->steps->len - 1;

  if (last < 0)
    return FALSE;
  sonde_counterfactual_view_set_step (
      self, (guint) (count == G_MININT   ? 0
                     : count == G_MAXINT ? last
                                         : CLAMP ((int) self->step + count, 0, last)));
  return TRUE;
}

static void
on_picked (SondeCounterfactualView *self, gint64 id, int n_presses, double x, double y)
{
  if (id >= 0)
    sonde_counterfactual_view_set_step (self, (guint) id);
}

void
sonde_counterfactual_view_set_step (SondeCounterfactualView *view, guint step)
{
  g_return_if_fail (SONDE_IS_COUNTERFACTUAL_VIEW (view));
  step = MIN (step, MAX (view->steps->len, 1) - 1);
  if (step == view->step)
    return;
  view->step = step;
  sonde_view_invalidate (SONDE_VIEW (view));
  g_signal_emit (view, signals[STEP_CHANGED], 0, step);
}

guint
sonde_counterfactual_view_get_step (SondeCounterfactualView *view)
{
  return view->step;
}

guint
sonde_counterfactual_view_get_n_steps (SondeCounterfactualView *view)
{
  return view->steps->len;
}

const SondeCounterfactualStep *
sonde_counterfactual_view_get_nth (SondeCounterfactualView *view, guint step)
{
  return step < view->steps->len ? g_ptr_array_index (view->steps, step) : NULL;
}

static void
clear_content (SondeCounterfactualView *self)
{
  g_clear_pointer (&self->image, sonde_image_unref);
  g_clear_pointer (&self->mask, sonde_image_unref);
  g_clear_pointer (&self->outputs, g_free);
  g_clear_pointer (&self->output, g_free);
  g_clear_pointer (&self->steps, g_ptr_array_unref);
}

void
sonde_counterfactual_view_set_content (SondeCounterfactualView *view, SondeImage *image,
                                       SondeImage *mask, gboolean reveal, GPtrArray *steps,
                                       double threshold, const char *output)
{
  g_return_if_fail (SONDE_IS_COUNTERFACTUAL_VIEW (view));
  clear_content (view);
  view->image = image;
  view->mask = mask;
  view->reveal = reveal;
  view->steps = steps;
  view->threshold = threshold;
  view->output = g_strdup (output);
  view->outputs = g_new0 (double, MAX (steps->len, 1));
  for (guint i = 0; i < steps->len; i++)
    view->outputs[i] = ((SondeCounterfactualStep *) g_ptr_array_index (steps, i))->output;
  view->step = MAX (steps->len, 1) - 1;
  sonde_view_invalidate (SONDE_VIEW (view));
  g_signal_emit (view, signals[STEP_CHANGED], 0, view->step);
}

static void
sonde_counterfactual_view_finalize (GObject *object)
{
  clear_content (SONDE_COUNTERFACTUAL_VIEW (object));
  G_OBJECT_CLASS (sonde_counterfactual_view_parent_class)->finalize (object);
}

static void
sonde_counterfactual_view_class_init (SondeCounterfactualViewClass *klass)
{
  SondeViewClass *view = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_counterfactual_view_finalize;
  signals[STEP_CHANGED]
      = g_signal_new ("step-changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                      NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  view->paint = sonde_counterfactual_view_paint;
  view->pick = sonde_counterfactual_view_pick;
  view->dup_tooltip = sonde_counterfactual_view_dup_tooltip;
  view->describe = sonde_counterfactual_view_describe;
  view->dup_table = sonde_counterfactual_view_dup_table;
  view->move_cursor = sonde_counterfactual_view_move_cursor;
}

static void
sonde_counterfactual_view_init (SondeCounterfactualView *self)
{
  self->steps = g_ptr_array_new ();
  self->threshold = NAN;
  sonde_view_set_zoom (SONDE_VIEW (self), SONDE_VIEW_ZOOM_NONE);
  sonde_view_set_title (SONDE_VIEW (self), _ ("Counterfactual"));
  sonde_view_set_minimum_size (SONDE_VIEW (self), 240, 260);
  g_signal_connect (self, "picked", G_CALLBACK (on_picked), NULL);
}
