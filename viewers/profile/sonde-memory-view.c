/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/profile/sonde-memory-view.h"

#include <string.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

struct _SondeMemoryView
{
  SondeView parent_instance;
  SondeProfileFacts *facts; /* (nullable): holds the timeline */
  SondeMemoryPlotKind kind;
  guint marked;    /* 1 + the step; 0: none */
  guint64 instead; /* bytes after a change; 0: none */
  char *message;
};

G_DEFINE_FINAL_TYPE (SondeMemoryView, sonde_memory_view, SONDE_TYPE_VIEW)

static guint value_selected;

static const SondeMemoryTimeline *
get_timeline (SondeMemoryView *self)
{
  return self->facts != NULL ? &self->facts->memory : NULL;
}

static SondeMemoryPlot
make_plot (SondeMemoryView *self, int width, int height)
{
  SondeViewport v;

  sonde_view_get_viewport_for (SONDE_VIEW (self), width, height, &v);
  return (SondeMemoryPlot){ .kind = self->kind,
                            .timeline = get_timeline (self),
                            .low = v.x0,
                            .high = v.x1,
                            .bottom = v.y1,
                            .top = v.y0,
                            .selected = -1,
                            .marked = self->marked,
                            .instead = self->instead,
                            .message = self->message };
}

const SondeLifetime *
sonde_memory_view_get_lifetime (SondeMemoryView *view, gint64 id)
{
  g_return_val_if_fail (SONDE_IS_MEMORY_VIEW (view), NULL);

  return view->facts != NULL && id >= 0 && id < view->facts->memory.lifetimes->len
             ? &g_array_index (view->facts->memory.lifetimes, SondeLifetime, id)
             : NULL;
}

/* ---- drawing ------------------------------------------------------------- */

static void
sonde_memory_view_prepare (SondeView *base, int width, int height)
{
  SondeMemoryView *self = SONDE_MEMORY_VIEW (base);
  SondeMemoryPlot plot = { .kind = self->kind, .timeline = get_timeline (self) };
  SondeViewport bounds;

  sonde_memory_plot_fit (&plot);
  bounds = (SondeViewport){ plot.low, plot.top, plot.high, plot.bottom };
  sonde_view_set_bounds (base, &bounds);
}

static void
sonde_memory_view_paint (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeMemoryPlot plot = make_plot (SONDE_MEMORY_VIEW (base), width, height);

  plot.selected = sonde_view_get_selection (base);
  sonde_paint_memory_plot (cr, sonde_view_get_theme (base), &plot, width, height);
}

static void
sonde_memory_view_area (SondeView *base, int width, int height, SondeViewRect *area)
{
  sonde_memory_plot_get_area (width, height, area);
}

static gboolean
sonde_memory_view_pick (SondeView *base, double x, double y, SondeViewPick *pick)
{
  const int width = sonde_view_get_width (base), height = sonde_view_get_height (base);
  SondeMemoryPlot plot = make_plot (SONDE_MEMORY_VIEW (base), width, height);

  pick->id = sonde_memory_plot_pick (&plot, width, height, x, y, &pick->area);
  return pick->id >= 0;
}

/* ---- words --------------------------------------------------------------- */

static void
append_reason (GString *text, const SondeLifetime *lifetime)
{
  if (lifetime->node != NULL)
    g_string_append_printf (text, _ ("\nmade by %s"), lifetime->node);
  if (lifetime->scope != NULL)
    g_string_append_printf (text, _ (" in %s"), lifetime->scope);
  if (lifetime->shares != NULL && lifetime->bytes == 0)
    g_string_append_printf (text, _ ("\nshows the memory of %s"), lifetime->shares);
  else if (lifetime->shares != NULL)
    g_string_append_printf (text, _ ("\ncomputed in place of %s"), lifetime->shares);
  if (lifetime->last_reader != NULL)
    g_string_append_printf (text, _ ("\nkept for %s"), lifetime->last_reader);
  else if (lifetime->kind == SONDE_MEMORY_OF_WORKSPACE)
    g_string_append (text, _ ("\nroom to compute in"));
  else
    g_string_append (text, _ ("\nkept to the end of the step"));
}

char *
sonde_memory_view_dup_sentences (SondeMemoryView *view, gint64 id)
{
  const SondeLifetime *lifetime = sonde_memory_view_get_lifetime (view, id);
  GString *text;
  g_autofree char *bytes = NULL;

  if (lifetime == NULL)
    return NULL;
  bytes = sonde_format_bytes (lifetime->bytes);
  text = g_string_new (lifetime->value);
  g_string_append_printf (text, "\n%s, %s\n", sonde_memory_kind_get_label (lifetime->kind), bytes);
  g_string_append_printf (text, _ ("from step %u (%s) to step %u (%s)"), lifetime->from,
                          view->facts->memory.steps[lifetime->from], lifetime->until,
                          view->facts->memory.steps[lifetime->until]);
  append_reason (text, lifetime);
  return g_string_free (text, FALSE);
}

static char *
sonde_memory_view_dup_tooltip (SondeView *base, const SondeViewPick *pick)
{
  return sonde_memory_view_dup_sentences (SONDE_MEMORY_VIEW (base), pick->id);
}

static char *
sonde_memory_view_describe (SondeView *base)
{
  SondeMemoryView *self = SONDE_MEMORY_VIEW (base);
  const SondeMemoryTimeline *timeline = get_timeline (self);
  const char *title = sonde_view_get_title (base);
  g_autofree char *selected
      = sonde_memory_view_dup_sentences (self, sonde_view_get_selection (base));
  g_autofree char *peak = NULL;
  GString *text = g_string_new (title != NULL ? title : _ ("Memory"));

  if (timeline == NULL)
    {
      g_string_append_printf (text, ": %s.",
                              self->message != NULL ? self->message : _ ("No memory plan"));
      return g_string_free (text, FALSE);
    }
  peak = sonde_format_bytes (timeline->peak_bytes);
  g_string_append_printf (text, _ (": peak %s in %s, step %u of %u"), peak,
                          timeline->steps[timeline->peak_step], timeline->peak_step,
                          timeline->n_steps);
  for (guint i = 0; i < SONDE_MEMORY_N_KINDS; i++)
    if (timeline->by_kind[i] > 0)
      {
        g_autofree char *bytes = sonde_format_bytes (timeline->by_kind[i]);

        g_string_append_printf (text, "; %s %s", sonde_memory_kind_get_label (i), bytes);
      }
  g_string_append (text, ".");
  if (self->instead > 0)
    {
      g_autofree char *instead = sonde_format_bytes (self->instead);

      g_string_append_printf (text, _ (" After the change: %s."), instead);
    }
  if (selected != NULL)
    g_string_append_printf (text, _ (" Selected: %s."), g_strdelimit (selected, "\n", ' '));
  return g_string_free (text, FALSE);
}

/* Quoted where CSV asks for it. */
static void
append_name (GString *text, const char *name, char separator)
{
  const gboolean quoted = separator == ',' && name != NULL && strpbrk (name, ",\"\n\r") != NULL;
  g_auto (GStrv) parts = g_strsplit (name != NULL ? name : "", quoted ? "\"" : "\t", -1);
  g_autofree char *joined = g_strjoinv (quoted ? "\"\"" : " ", parts);

  g_string_append_c (text, separator);
  g_string_append_printf (text, quoted ? "\"%s\"" : "%s", joined);
}

static char *
sonde_memory_view_dup_table (SondeView *base, char separator)
{
  SondeMemoryView *self = SONDE_MEMORY_VIEW (base);
  static const char *const columns[] = { "from",  "until", "offset", "bytes",       "kind",
                                         "value", "node",  "scope",  "last_reader", "shares" };
  GString *text = g_string_new (columns[0]);
  const SondeLifetime *lifetime;

  for (gsize c = 1; c < G_N_ELEMENTS (columns); c++)
    g_string_append_printf (text, "%c%s", separator, columns[c]);
  g_string_append_c (text, '\n');
  for (gint64 i = 0; (lifetime = sonde_memory_view_get_lifetime (self, i)) != NULL; i++)
    {
      g_string_append_printf (text, "%u%c%u%c%" G_GUINT64_FORMAT "%c%" G_GUINT64_FORMAT,
                              lifetime->from, separator, lifetime->until, separator,
                              lifetime->offset, separator, lifetime->bytes);
      append_name (text, sonde_memory_kind_get_name (lifetime->kind), separator);
      append_name (text, lifetime->value, separator);
      append_name (text, lifetime->node, separator);
      append_name (text, lifetime->scope, separator);
      append_name (text, lifetime->last_reader, separator);
      append_name (text, lifetime->shares, separator);
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

/* ---- selection ----------------------------------------------------------- */

static gboolean
sonde_memory_view_move_cursor (SondeView *base, int count)
{
  SondeMemoryView *self = SONDE_MEMORY_VIEW (base);
  const gint64 n = self->facts != NULL ? self->facts->memory.lifetimes->len : 0;
  const gint64 from = sonde_view_get_selection (base);

  if (n == 0)
    return FALSE;
  sonde_view_set_selection (
      base, from < 0 && count > 0 && count != G_MAXINT ? 0 : CLAMP (from + count, 0, n - 1));
  return TRUE;
}

static void
on_picked (SondeMemoryView *self, gint64 id, int n_presses, double x, double y)
{
  SondeView *view = SONDE_VIEW (self);

  if (n_presses == 1)
    sonde_view_set_selection (view,
                              id == sonde_view_get_selection (view) ? SONDE_VIEW_NOTHING : id);
}

static void
on_selection (SondeMemoryView *self)
{
  const SondeLifetime *lifetime
      = sonde_memory_view_get_lifetime (self, sonde_view_get_selection (SONDE_VIEW (self)));

  sonde_view_invalidate (SONDE_VIEW (self));
  g_signal_emit (self, value_selected, 0, lifetime != NULL ? lifetime->value : NULL,
                 lifetime != NULL ? lifetime->node : NULL);
}

gboolean
sonde_memory_view_select_value (SondeMemoryView *view, const char *value)
{
  const SondeLifetime *lifetime;

  g_return_val_if_fail (SONDE_IS_MEMORY_VIEW (view) && value != NULL, FALSE);

  for (gint64 i = 0; (lifetime = sonde_memory_view_get_lifetime (view, i)) != NULL; i++)
    if (strcmp (lifetime->value, value) == 0)
      {
        sonde_view_set_selection (SONDE_VIEW (view), i);
        return TRUE;
      }
  return FALSE;
}

/* ---- what it holds ------------------------------------------------------- */

void
sonde_memory_view_set_timeline (SondeMemoryView *view, const SondeMemoryTimeline *timeline,
                                const char *message)
{
  g_autofree char *kept = g_strdup (message);

  g_return_if_fail (SONDE_IS_MEMORY_VIEW (view));

  sonde_view_set_selection (SONDE_VIEW (view), SONDE_VIEW_NOTHING);
  g_clear_pointer (&view->facts, sonde_profile_facts_free);
  g_free (view->message);
  view->message = NULL;
  if (timeline != NULL && timeline->lifetimes != NULL && timeline->n_steps > 0)
    {
      view->facts = sonde_profile_facts_new ("model");
      sonde_profile_facts_copy_memory (view->facts, timeline);
    }
  else
    view->message = g_steal_pointer (&kept);
  sonde_view_zoom_fit (SONDE_VIEW (view));
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_memory_view_set_kind (SondeMemoryView *view, SondeMemoryPlotKind kind)
{
  g_return_if_fail (SONDE_IS_MEMORY_VIEW (view));

  if (view->kind == kind)
    return;
  view->kind = kind;
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_memory_view_set_instead (SondeMemoryView *view, guint64 peak_bytes)
{
  g_return_if_fail (SONDE_IS_MEMORY_VIEW (view));

  view->instead = peak_bytes;
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_memory_view_set_step (SondeMemoryView *view, gint64 step)
{
  g_return_if_fail (SONDE_IS_MEMORY_VIEW (view));

  view->marked = (guint) CLAMP (step + 1, 0, G_MAXUINT);
  sonde_view_invalidate (SONDE_VIEW (view));
}

SondeMemoryPlotKind
sonde_memory_view_get_kind (SondeMemoryView *view)
{
  g_return_val_if_fail (SONDE_IS_MEMORY_VIEW (view), SONDE_MEMORY_STACK);

  return view->kind;
}

static void
sonde_memory_view_finalize (GObject *object)
{
  SondeMemoryView *self = SONDE_MEMORY_VIEW (object);

  sonde_profile_facts_free (self->facts);
  g_free (self->message);
  G_OBJECT_CLASS (sonde_memory_view_parent_class)->finalize (object);
}

static void
sonde_memory_view_class_init (SondeMemoryViewClass *klass)
{
  SondeViewClass *view_class = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_memory_view_finalize;
  view_class->prepare = sonde_memory_view_prepare;
  view_class->paint = sonde_memory_view_paint;
  view_class->area = sonde_memory_view_area;
  view_class->pick = sonde_memory_view_pick;
  view_class->dup_tooltip = sonde_memory_view_dup_tooltip;
  view_class->describe = sonde_memory_view_describe;
  view_class->dup_table = sonde_memory_view_dup_table;
  view_class->move_cursor = sonde_memory_view_move_cursor;
  value_selected = g_signal_new ("value-selected", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                 NULL, NULL, NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_STRING);
}

static void
sonde_memory_view_init (SondeMemoryView *self)
{
  sonde_view_set_zoom (SONDE_VIEW (self), SONDE_VIEW_ZOOM_XY);
  sonde_view_set_minimum_size (SONDE_VIEW (self), 280, 180);
  g_signal_connect (self, "picked", G_CALLBACK (on_picked), NULL);
  g_signal_connect (self, "notify::selection", G_CALLBACK (on_selection), NULL);
}

GtkWidget *
sonde_memory_view_new (void)
{
  return g_object_new (SONDE_TYPE_MEMORY_VIEW, NULL);
}
