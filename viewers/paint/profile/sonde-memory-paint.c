/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/profile/sonde-memory-paint.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define LEGEND_HEIGHT 22
#define SWATCH 10
#define HEADROOM 1.08
#define FILL 0.6      /* of the kind's colour, the rest is the card */
#define LEAST_PX 0.4  /* lower blocks are not seen */
#define NAME_WIDTH 44 /* of a block that has its name in it */
#define NAME_HEIGHT 14.0

/* From the bottom of the stack: what is there all the time first. */
static const SondeMemoryKind order[SONDE_MEMORY_N_KINDS]
    = { SONDE_MEMORY_OF_WEIGHT,   SONDE_MEMORY_OF_OPTIMISER,  SONDE_MEMORY_OF_INPUT,
        SONDE_MEMORY_OF_GRADIENT, SONDE_MEMORY_OF_ACTIVATION, SONDE_MEMORY_OF_WORKSPACE };

const char *
sonde_memory_kind_get_label (SondeMemoryKind kind)
{
  static const char *const labels[SONDE_MEMORY_N_KINDS]
      = { N_ ("weights"),   N_ ("gradients"), N_ ("activations"),
          N_ ("optimiser"), N_ ("inputs"),    N_ ("workspace") };

  return _ (labels[kind]);
}

static SondeColor
get_color (const SondeTheme *theme, SondeMemoryKind kind)
{
  static const guint hues[SONDE_MEMORY_N_KINDS] = { 0, 1, 2, 3, 4, 0 };

  return kind == SONDE_MEMORY_OF_WORKSPACE ? theme->masked
                                           : sonde_theme_series (theme, hues[kind]).color;
}

static const SondeLifetime *
lifetime_at (const SondeMemoryTimeline *timeline, guint i)
{
  return &g_array_index (timeline->lifetimes, SondeLifetime, i);
}

static gboolean
is_empty (const SondeMemoryPlot *plot)
{
  return plot->message != NULL || plot->timeline == NULL || plot->timeline->lifetimes == NULL
         || plot->timeline->n_steps == 0;
}

void
sonde_memory_plot_fit (SondeMemoryPlot *plot)
{
  guint64 top = 0;

  plot->low = plot->bottom = 0;
  plot->high = plot->top = 1;
  if (is_empty (plot))
    return;

  top = plot->timeline->peak_bytes;
  for (guint i = 0; plot->kind == SONDE_MEMORY_BLOCKS && i < plot->timeline->lifetimes->len; i++)
    top = MAX (top,
               lifetime_at (plot->timeline, i)->offset + lifetime_at (plot->timeline, i)->bytes);
  plot->high = plot->timeline->n_steps;
  plot->top = MAX ((double) top, 1) * HEADROOM;
}

/* ---- places -------------------------------------------------------------- */

void
sonde_memory_plot_get_area (int width, int height, cairo_rectangle_t *area)
{
  const double top = SONDE_AXIS_TOP + LEGEND_HEIGHT;

  *area = (cairo_rectangle_t){ SONDE_AXIS_LEFT, top,
                               MAX (width - SONDE_AXIS_LEFT - SONDE_AXIS_RIGHT, 1),
                               MAX (height - top - SONDE_AXIS_BOTTOM, 1) };
}

static double
get_x (const SondeMemoryPlot *plot, const cairo_rectangle_t *area, double step)
{
  return area->x + (step - plot->low) / (plot->high - plot->low) * area->width;
}

static double
get_y (const SondeMemoryPlot *plot, const cairo_rectangle_t *area, double bytes)
{
  return area->y + area->height
         - (bytes - plot->bottom) / (plot->top - plot->bottom) * area->height;
}

static cairo_rectangle_t
make_block (const SondeMemoryPlot *plot, const cairo_rectangle_t *area, double first, double last,
            double bottom, double top)
{
  const double x = get_x (plot, area, first), y = get_y (plot, area, top);

  return (cairo_rectangle_t){ x, y, get_x (plot, area, last) - x, get_y (plot, area, bottom) - y };
}

gboolean
sonde_memory_plot_get_block (const SondeMemoryPlot *plot, int width, int height, guint index,
                             cairo_rectangle_t *block)
{
  const SondeLifetime *lifetime = lifetime_at (plot->timeline, index);
  cairo_rectangle_t area;

  sonde_memory_plot_get_area (width, height, &area);
  *block = make_block (plot, &area, lifetime->from, lifetime->until + 1.0,
                       (double) lifetime->offset, (double) (lifetime->offset + lifetime->bytes));
  return lifetime->bytes > 0;
}

/* ---- stack --------------------------------------------------------------- */

/* Bytes of each kind in all steps: [n_steps, kinds]. What is free is workspace. */
static double *
count_steps (const SondeMemoryTimeline *timeline)
{
  const guint n = timeline->n_steps;
  double *bytes = g_new0 (double, ((gsize) n + 1) * SONDE_MEMORY_N_KINDS);

  for (guint i = 0; i < timeline->lifetimes->len; i++)
    {
      const SondeLifetime *lifetime = lifetime_at (timeline, i);

      bytes[(gsize) lifetime->from * SONDE_MEMORY_N_KINDS + lifetime->kind]
          += (double) lifetime->bytes;
      bytes[((gsize) lifetime->until + 1) * SONDE_MEMORY_N_KINDS + lifetime->kind]
          -= (double) lifetime->bytes;
    }
  for (gsize i = SONDE_MEMORY_N_KINDS; i < (gsize) n * SONDE_MEMORY_N_KINDS; i++)
    bytes[i] += bytes[i - SONDE_MEMORY_N_KINDS];
  for (guint k = 0; k < n; k++)
    {
      double *row = &bytes[(gsize) k * SONDE_MEMORY_N_KINDS], sum = 0;

      for (guint i = 0; i < SONDE_MEMORY_N_KINDS; i++)
        sum += row[i];
      row[SONDE_MEMORY_OF_WORKSPACE] += MAX ((double) timeline->held_bytes[k] - sum, 0);
    }
  return bytes;
}

/* The step of [first, last) in which the least is free: a peak is never lost between two px. */
static guint
find_fullest (const SondeMemoryTimeline *timeline, const double *bytes, guint first, guint last)
{
  guint best = first;
  double most = -1;

  for (guint k = first; k < last; k++)
    {
      const double *row = &bytes[(gsize) k * SONDE_MEMORY_N_KINDS];
      const double lives = (double) timeline->held_bytes[k] - row[SONDE_MEMORY_OF_WORKSPACE];

      if (lives > most)
        {
          most = lives;
          best = k;
        }
    }
  return best;
}

/* A column that is drawn: px and the bytes of its step. */
typedef struct
{
  double x, width;
  const double *bytes;
} Column;

/* One a step, or one a px where there are more steps. */
static GArray *
make_columns (const SondeMemoryPlot *plot, const cairo_rectangle_t *area, const double *bytes)
{
  GArray *columns = g_array_new (FALSE, FALSE, sizeof (Column));
  const guint n = plot->timeline->n_steps;
  guint k = (guint) CLAMP (floor (plot->low), 0, n);

  while (k < n && k < plot->high)
    {
      const double x = MAX (get_x (plot, area, k), area->x);
      guint next = k + 1;
      Column column = { .x = x };

      while (next < n && next < plot->high && get_x (plot, area, next) < floor (x) + 1)
        next++;
      column.width = MIN (get_x (plot, area, next), area->x + area->width) - x;
      column.bytes
          = &bytes[(gsize) find_fullest (plot->timeline, bytes, k, next) * SONDE_MEMORY_N_KINDS];
      g_array_append_val (columns, column);
      k = next;
    }
  return columns;
}

/* A name in a block or band, where it is readable. */
static void
paint_name (cairo_t *cr, const SondeTheme *theme, const char *name, const cairo_rectangle_t *room)
{
  if (room->height < NAME_HEIGHT || room->width < NAME_WIDTH)
    return;
  sonde_paint_set_color (cr, &theme->foreground);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, room->x + 6,
                    room->y + room->height / 2, room->width - 10, name);
}

/* Of each column the place of kind number @index, on whole px, so that no column covers a part of
 * the next one. (array length=columns) (transfer full) */
static cairo_rectangle_t *
place_band (const SondeMemoryPlot *plot, const cairo_rectangle_t *area, const GArray *columns,
            guint index)
{
  cairo_rectangle_t *band = g_new (cairo_rectangle_t, columns->len + 1);

  for (guint c = 0; c < columns->len; c++)
    {
      const Column *column = &g_array_index (columns, Column, c);
      const double left = floor (column->x),
                   right = MAX (floor (column->x + column->width), left + 1);
      double below = 0, bottom, top;

      for (guint i = 0; i < index; i++)
        below += column->bytes[order[i]];
      bottom = get_y (plot, area, below);
      top = get_y (plot, area, below + column->bytes[order[index]]);
      band[c] = (cairo_rectangle_t){ left, top, right - left, bottom - top };
    }
  return band;
}

/* The name of a kind stands where its band is highest, if it fits between the columns beside. */
static void
name_band (cairo_t *cr, const SondeTheme *theme, const cairo_rectangle_t *band, guint n,
           const char *name)
{
  const double room = sonde_text_measure (SONDE_FONT_SMALL, name, NULL) + 12;
  guint best = 0, first, last;
  double middle;

  for (guint c = 1; c < n; c++)
    if (band[c].height > band[best].height + 0.5)
      best = c;
  if (n == 0 || band[best].height < NAME_HEIGHT)
    return;

  middle = band[best].y + band[best].height / 2;
  for (first = last = best; first > 0; first--)
    if (band[first - 1].y > middle - NAME_HEIGHT / 2
        || band[first - 1].y + band[first - 1].height < middle + NAME_HEIGHT / 2)
      break;
  for (; last + 1 < n; last++)
    if (band[last + 1].y > middle - NAME_HEIGHT / 2
        || band[last + 1].y + band[last + 1].height < middle + NAME_HEIGHT / 2)
      break;
  if (band[last].x + band[last].width - band[first].x < room)
    return;
  sonde_paint_set_color (cr, &theme->foreground);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, band[first].x + 6, middle, room, name);
}

static void
paint_band (cairo_t *cr, const SondeTheme *theme, const SondeMemoryPlot *plot,
            const cairo_rectangle_t *area, const GArray *columns, guint index)
{
  const SondeColor color = get_color (theme, order[index]);
  const SondeColor fill = sonde_color_mix (&theme->card, &color, FILL);
  g_autofree cairo_rectangle_t *band = place_band (plot, area, columns, index);

  sonde_paint_set_color (cr, &fill);
  for (guint c = 0; c < columns->len; c++)
    if (band[c].height >= LEAST_PX / 4)
      cairo_rectangle (cr, band[c].x, band[c].y, band[c].width, band[c].height);
  cairo_fill (cr);
  name_band (cr, theme, band, columns->len, sonde_memory_kind_get_label (order[index]));
}

static void
paint_stack (cairo_t *cr, const SondeTheme *theme, const SondeMemoryPlot *plot,
             const cairo_rectangle_t *area)
{
  g_autofree double *bytes = count_steps (plot->timeline);
  g_autoptr (GArray) columns = make_columns (plot, area, bytes);

  for (guint i = 0; i < SONDE_MEMORY_N_KINDS; i++)
    paint_band (cr, theme, plot, area, columns, i);
}

/* ---- blocks -------------------------------------------------------------- */

static void
paint_block (cairo_t *cr, const SondeTheme *theme, const SondeLifetime *lifetime,
             const cairo_rectangle_t *block)
{
  const SondeColor color = get_color (theme, lifetime->kind);
  const SondeColor fill = sonde_color_mix (&theme->card, &color, FILL);

  cairo_rectangle (cr, block->x, block->y, MAX (block->width, 1), block->height);
  sonde_paint_set_color (cr, &fill);
  cairo_fill (cr);
  if (block->height < 3 || block->width < 3)
    return;

  cairo_rectangle (cr, block->x + 0.5, block->y + 0.5, block->width - 1, block->height - 1);
  cairo_set_line_width (cr, 1);
  sonde_paint_set_color (cr, &theme->card);
  cairo_stroke (cr);
  paint_name (cr, theme, lifetime->value, block);
}

static gboolean
is_seen (const cairo_rectangle_t *block, const cairo_rectangle_t *area)
{
  return block->height >= LEAST_PX && block->x < area->x + area->width
         && block->x + block->width > area->x && block->y < area->y + area->height
         && block->y + block->height > area->y;
}

/* Names begin where the block comes into sight. */
static void
cut (cairo_rectangle_t *block, const cairo_rectangle_t *area)
{
  const double right = MIN (block->x + block->width, area->x + area->width);

  block->x = MAX (block->x, area->x);
  block->width = right - block->x;
}

static void
paint_blocks (cairo_t *cr, const SondeTheme *theme, const SondeMemoryPlot *plot,
              const cairo_rectangle_t *area, int width, int height)
{
  for (guint i = 0; i < plot->timeline->lifetimes->len; i++)
    {
      cairo_rectangle_t block;

      if (!sonde_memory_plot_get_block (plot, width, height, i, &block) || !is_seen (&block, area))
        continue;
      cut (&block, area);
      paint_block (cr, theme, lifetime_at (plot->timeline, i), &block);
    }
}

/* ---- around it ----------------------------------------------------------- */

#define LEGEND_SWATCH (SWATCH + 4)
#define LEGEND_GAP 10

static gboolean
has_kind (const SondeMemoryTimeline *timeline, SondeMemoryKind kind)
{
  if (kind == SONDE_MEMORY_OF_WORKSPACE) /* what is free is in the stack, too */
    return TRUE;
  for (guint i = 0; i < timeline->lifetimes->len; i++)
    if (lifetime_at (timeline, i)->kind == kind && lifetime_at (timeline, i)->bytes > 0)
      return TRUE;
  return FALSE;
}

/* With the bytes at the peak, where there is room for them. (transfer full) */
static char *
make_label (const SondeMemoryTimeline *timeline, SondeMemoryKind kind, gboolean whole)
{
  g_autofree char *bytes = sonde_format_bytes (timeline->by_kind[kind]);

  return whole ? g_strdup_printf ("%s %s", sonde_memory_kind_get_label (kind), bytes)
               : g_strdup (sonde_memory_kind_get_label (kind));
}

static gboolean
fits_whole (const SondeMemoryTimeline *timeline, double width)
{
  double room = 0;

  for (guint i = 0; i < SONDE_MEMORY_N_KINDS; i++)
    {
      g_autofree char *label = make_label (timeline, order[i], TRUE);

      if (has_kind (timeline, order[i]))
        room += LEGEND_SWATCH + sonde_text_measure (SONDE_FONT_SMALL, label, NULL) + LEGEND_GAP;
    }
  return room - LEGEND_GAP <= width;
}

static void
paint_legend (cairo_t *cr, const SondeTheme *theme, const SondeMemoryPlot *plot, int width)
{
  const double y = SONDE_AXIS_TOP + LEGEND_HEIGHT / 2.0 - 4;
  const gboolean whole = fits_whole (plot->timeline, width - SONDE_AXIS_LEFT - SONDE_AXIS_RIGHT);
  double x = SONDE_AXIS_LEFT;

  for (guint i = 0; i < SONDE_MEMORY_N_KINDS && x < width - LEGEND_SWATCH; i++)
    {
      const SondeColor color = get_color (theme, order[i]);
      g_autofree char *label = make_label (plot->timeline, order[i], whole);

      if (!has_kind (plot->timeline, order[i]))
        continue;
      sonde_paint_set_color (cr, &color);
      cairo_rectangle (cr, x, y - SWATCH / 2.0, SWATCH, SWATCH);
      cairo_fill (cr);
      sonde_paint_set_color (cr, &theme->foreground);
      x += LEGEND_SWATCH;
      x += sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, y, MAX (width - x - 4, 1),
                             label)
           + LEGEND_GAP;
    }
}

static void
paint_peak (cairo_t *cr, const SondeTheme *theme, const SondeMemoryPlot *plot,
            const cairo_rectangle_t *area)
{
  static const double dashes[] = { 4, 3 };
  const SondeMemoryTimeline *timeline = plot->timeline;
  const double y = floor (get_y (plot, area, (double) timeline->peak_bytes)) + 0.5;
  const double x = floor (get_x (plot, area, timeline->peak_step + 0.5)) + 0.5;
  g_autofree char *bytes = sonde_format_bytes (timeline->peak_bytes);
  g_autofree char *text
      = g_strdup_printf (_ ("peak %s in %s"), bytes, timeline->steps[timeline->peak_step]);
  const double room = sonde_text_measure (SONDE_FONT_SMALL, text, NULL);
  /* beside the line, where there is room */
  const double left = x + 5 + room <= area->x + area->width ? MAX (x + 5, area->x + 4)
                                                            : MAX (x - 5 - room, area->x + 4);

  sonde_paint_set_color (cr, &theme->foreground);
  cairo_set_line_width (cr, 1);
  cairo_set_dash (cr, dashes, 2, 0);
  cairo_move_to (cr, area->x, y);
  cairo_line_to (cr, area->x + area->width, y);
  cairo_move_to (cr, x, area->y);
  cairo_line_to (cr, x, area->y + area->height);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, left, y - 8, area->width - 8, text);
}

/* Where the peak would be after a change. */
static void
paint_instead (cairo_t *cr, const SondeTheme *theme, const SondeMemoryPlot *plot,
               const cairo_rectangle_t *area)
{
  static const double dashes[] = { 2, 2 };
  const double y = floor (get_y (plot, area, (double) plot->instead)) + 0.5;
  g_autofree char *bytes = sonde_format_bytes (plot->instead);
  g_autofree char *text = g_strdup_printf (_ ("%s after the change"), bytes);

  if (plot->instead == 0)
    return;
  sonde_paint_set_color (cr, &theme->selection);
  cairo_set_line_width (cr, 2);
  cairo_set_dash (cr, dashes, 2, 0);
  cairo_move_to (cr, area->x, y);
  cairo_line_to (cr, area->x + area->width, y);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
  sonde_paint_set_color (cr, &theme->foreground);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, area->x + 4, y + 9, area->width - 8,
                    text);
}

/* Bytes in the unit of the largest. */
static SondeAxis
make_axis (const SondeMemoryPlot *plot)
{
  static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
  double scale = 1;
  guint unit = 0;

  for (; unit + 1 < G_N_ELEMENTS (units) && plot->top / scale >= 1024; unit++)
    scale *= 1024;
  return (SondeAxis){ SONDE_AXIS_LINEAR, plot->bottom / scale, plot->top / scale, units[unit] };
}

static void
paint_selected (cairo_t *cr, const SondeTheme *theme, const SondeMemoryPlot *plot, int width,
                int height)
{
  cairo_rectangle_t block;

  if (plot->kind != SONDE_MEMORY_BLOCKS || plot->selected < 0
      || plot->selected >= plot->timeline->lifetimes->len
      || !sonde_memory_plot_get_block (plot, width, height, (guint) plot->selected, &block))
    return;
  sonde_paint_set_color (cr, &theme->selection);
  cairo_set_line_width (cr, 2.5);
  cairo_rectangle (cr, block.x, block.y, MAX (block.width, 2), MAX (block.height, 2));
  cairo_stroke (cr);
}

static void
paint_marked (cairo_t *cr, const SondeTheme *theme, const SondeMemoryPlot *plot,
              const cairo_rectangle_t *area)
{
  double x;

  if (plot->marked == 0 || plot->marked > plot->timeline->n_steps)
    return;
  x = floor (get_x (plot, area, plot->marked - 0.5)) + 0.5;
  sonde_paint_set_color (cr, &theme->selection);
  cairo_set_line_width (cr, 1.5);
  cairo_move_to (cr, x, area->y);
  cairo_line_to (cr, x, area->y + area->height);
  cairo_stroke (cr);
}

void
sonde_paint_memory_plot (cairo_t *cr, const SondeTheme *theme, const SondeMemoryPlot *plot,
                         int width, int height)
{
  const SondeAxis x = { SONDE_AXIS_STEP, plot->low, plot->high, _ ("step of the plan") };
  const SondeAxis y = make_axis (plot);
  cairo_rectangle_t area;

  sonde_memory_plot_get_area (width, height, &area);
  if (is_empty (plot))
    {
      sonde_paint_set_color (cr, &theme->dim);
      sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_CENTER, width / 2.0, height / 2.0,
                        width - 12, plot->message != NULL ? plot->message : _ ("No memory plan"));
      return;
    }
  sonde_paint_axes (cr, theme, &area, &x, &y);
  paint_legend (cr, theme, plot, width);
  cairo_save (cr);
  cairo_rectangle (cr, area.x, area.y, area.width, area.height);
  cairo_clip (cr);
  if (plot->kind == SONDE_MEMORY_BLOCKS)
    paint_blocks (cr, theme, plot, &area, width, height);
  else
    paint_stack (cr, theme, plot, &area);
  paint_selected (cr, theme, plot, width, height);
  paint_peak (cr, theme, plot, &area);
  paint_instead (cr, theme, plot, &area);
  paint_marked (cr, theme, plot, &area);
  cairo_restore (cr);
}

/* ---- picking ------------------------------------------------------------- */

static gint64
pick_block (const SondeMemoryTimeline *timeline, guint step, double bytes)
{
  for (guint i = 0; i < timeline->lifetimes->len; i++)
    {
      const SondeLifetime *lifetime = lifetime_at (timeline, i);

      if (lifetime->from > step)
        break;
      if (lifetime->until >= step && bytes >= (double) lifetime->offset
          && bytes < (double) (lifetime->offset + lifetime->bytes))
        return i;
    }
  return -1;
}

/* @below: (out): of the value, in the stack */
static gint64
pick_stacked (const SondeMemoryTimeline *timeline, guint step, double bytes, double *below)
{
  double sum = 0;

  for (guint k = 0; k < SONDE_MEMORY_N_KINDS; k++)
    for (guint i = 0; i < timeline->lifetimes->len; i++)
      {
        const SondeLifetime *lifetime = lifetime_at (timeline, i);

        if (lifetime->from > step)
          break;
        if (lifetime->until < step || lifetime->kind != order[k])
          continue;
        if (bytes >= sum && bytes < sum + (double) lifetime->bytes)
          {
            *below = sum;
            return i;
          }
        sum += (double) lifetime->bytes;
      }
  return -1;
}

gint64
sonde_memory_plot_pick (const SondeMemoryPlot *plot, int width, int height, double x, double y,
                        cairo_rectangle_t *block)
{
  const SondeMemoryTimeline *timeline = plot->timeline;
  cairo_rectangle_t area, place;
  double at, bytes, below = 0;
  gint64 index;

  sonde_memory_plot_get_area (width, height, &area);
  if (is_empty (plot) || x < area.x || y < area.y || x >= area.x + area.width
      || y >= area.y + area.height)
    return -1;

  at = plot->low + (x - area.x) / area.width * (plot->high - plot->low);
  bytes = plot->bottom + (area.y + area.height - y) / area.height * (plot->top - plot->bottom);
  if (at < 0 || at >= timeline->n_steps || bytes < 0)
    return -1;
  index = plot->kind == SONDE_MEMORY_BLOCKS ? pick_block (timeline, (guint) at, bytes)
                                            : pick_stacked (timeline, (guint) at, bytes, &below);
  if (index >= 0 && plot->kind == SONDE_MEMORY_BLOCKS)
    sonde_memory_plot_get_block (plot, width, height, (guint) index, &place);
  else if (index >= 0)
    place = make_block (plot, &area, floor (at), floor (at) + 1, below,
                        below + (double) lifetime_at (timeline, (guint) index)->bytes);
  if (index >= 0 && block != NULL)
    *block = place;
  return index;
}
