/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/graph/sonde-graph-tint.h"

#include <math.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-color-map.h"
#include "viewers/paint/sonde-text-paint.h"

#define LEAST 0.3 /* of the colour of no amount at all */
#define SOFT 0.7  /* of a kind's hue in its fill, the rest is the card */
#define GREY 0.25 /* of the theme's grey where nothing is known */
#define N_HUES 8
#define LINE 17 /* px of the key */
#define SWATCH 11
#define SWATCH_GAP 6
#define BAR_WIDTH 120
#define BAR_HEIGHT 9

/* ---- the tint ------------------------------------------------------------ */

static void
clear_kind (gpointer data)
{
  g_free (((SondeGraphKind *) data)->title);
}

SondeGraphTint *
sonde_graph_tint_new (const SondeGraph *graph, const char *title, SondeGraphFormat format)
{
  SondeGraphTint *tint = g_new0 (SondeGraphTint, 1);

  tint->graph = graph;
  tint->title = g_strdup (title);
  tint->format = format;
  tint->kinds = g_array_new (FALSE, FALSE, sizeof (SondeGraphKind));
  g_array_set_clear_func (tint->kinds, clear_kind);
  tint->n_values = graph->nodes->len;
  tint->values = g_new (double, MAX (tint->n_values, 1));
  tint->owners = g_new0 (guint, MAX (tint->n_values, 1));
  for (guint i = 0; i < tint->n_values; i++)
    tint->values[i] = NAN;
  return tint;
}

void
sonde_graph_tint_free (SondeGraphTint *tint)
{
  if (tint == NULL)
    return;
  g_free (tint->title);
  g_array_unref (tint->kinds);
  g_free (tint->values);
  g_free (tint->owners);
  g_free (tint);
}

guint
sonde_graph_tint_add_kind (SondeGraphTint *tint, const char *title, int hue)
{
  SondeGraphKind kind = { NULL, hue };

  for (guint i = 0; i < tint->kinds->len; i++)
    if (g_str_equal (g_array_index (tint->kinds, SondeGraphKind, i).title, title))
      return i;
  kind.title = g_strdup (title);
  if (hue < -1)
    kind.hue = (int) tint->kinds->len;
  g_array_append_val (tint->kinds, kind);
  return tint->kinds->len - 1;
}

gboolean
sonde_graph_tint_tells (const SondeGraphTint *tint)
{
  for (guint i = 0; i < tint->n_values; i++)
    if (!isnan (tint->values[i]))
      return TRUE;
  return FALSE;
}

/* ---- on a scene ---------------------------------------------------------- */

/* Adds the value of a node to that of the box it is in: amounts sum up, each once; a kind stays where all have
 * the same. @counted: (element-type gint64): owners and boxes so far; @mixed: by box */
static void
add_value (SondeGraphShades *shades, guint box, guint node, GHashTable *counted, gboolean *mixed)
{
  const SondeGraphTint *tint = shades->tint;
  double value = tint->values[node], *sum = &shades->values[box];
  gint64 key = (gint64) tint->owners[node] << 32 | box;

  if (tint->format == NULL)
    {
      mixed[box] |= !isnan (*sum) && *sum != value;
      *sum = value;
      return;
    }
  if (tint->owners[node] > 0 && !g_hash_table_add (counted, g_memdup2 (&key, sizeof key)))
    return;
  *sum = isnan (*sum) ? value : *sum + value;
}

static void
add_values (SondeGraphShades *shades, const SondeGraphScene *scene)
{
  const SondeGraph *graph = sonde_graph_scene_get_graph (scene);
  g_autoptr (GHashTable) counted
      = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autofree gboolean *mixed = g_new0 (gboolean, shades->n_boxes + 1);

  for (guint i = 0; i < shades->tint->n_values && i < graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);
      int box = node != NULL ? sonde_graph_scene_find_node (scene, node) : -1;

      if (box >= 0 && !isnan (shades->tint->values[i]))
        add_value (shades, (guint) box, i, counted, mixed);
    }
  for (guint b = 0; b < shades->n_boxes; b++)
    if (mixed[b] || sonde_graph_scene_get_box (scene, b)->is_open)
      shades->values[b] = NAN;
}

SondeGraphShades *
sonde_graph_shades_new (const SondeGraphTint *tint, const SondeGraphScene *scene)
{
  SondeGraphShades *shades = NULL;

  if (sonde_graph_scene_get_graph (scene) != tint->graph)
    return NULL;
  shades = g_new0 (SondeGraphShades, 1);
  shades->tint = tint;
  shades->n_boxes = sonde_graph_scene_get_n_boxes (scene);
  shades->values = g_new (double, MAX (shades->n_boxes, 1));
  for (guint b = 0; b < shades->n_boxes; b++)
    shades->values[b] = NAN;
  add_values (shades, scene);
  for (guint b = 0; b < shades->n_boxes; b++)
    {
      const SondeGraphBox *box = sonde_graph_scene_get_box (scene, b);
      double value = shades->values[b];

      shades->has_unknown |= box->value == NULL && !box->is_open && isnan (value);
      if (tint->format != NULL && !isnan (value))
        shades->high = fmax (shades->high, value);
    }
  return shades;
}

void
sonde_graph_shades_free (SondeGraphShades *shades)
{
  if (shades == NULL)
    return;
  g_free (shades->values);
  g_free (shades);
}

/* ---- colours ------------------------------------------------------------- */

/* More stands out more from the card, in both styles; nothing nearly is the card. */
static SondeColor
color_of_part (const SondeTheme *theme, double part)
{
  SondeColor color = sonde_color_map_get (SONDE_COLOR_MAP_VIRIDIS, theme->dark ? part : 1 - part);

  return sonde_color_mix (&theme->card, &color, LEAST + (1 - LEAST) * part);
}

static SondeColor
color_of_kind (const SondeTheme *theme, const SondeGraphKind *kind)
{
  SondeColor hue = theme->masked;

  if (kind->hue >= 0)
    hue = sonde_theme_series (theme, (guint) kind->hue).color;
  return sonde_color_mix (&theme->card, &hue, SOFT / (1 + MAX (kind->hue, 0) / N_HUES));
}

static SondeColor
color_of_unknown (const SondeTheme *theme)
{
  return sonde_color_mix (&theme->card, &theme->masked, GREY);
}

static SondeColor
color_of_value (const SondeGraphShades *shades, const SondeTheme *theme, double value)
{
  const GArray *kinds = shades->tint->kinds;

  if (isnan (value))
    return color_of_unknown (theme);
  if (shades->tint->format != NULL)
    return color_of_part (theme, shades->high > 0 ? value / shades->high : 0);
  return color_of_kind (theme, &g_array_index (kinds, SondeGraphKind, (guint) value));
}

SondeColor
sonde_graph_shades_get_fill (const SondeGraphShades *shades, const SondeTheme *theme, guint box,
                             SondeColor *ink)
{
  static const SondeColor black = { 0, 0, 0, 1 }, white = { 1, 1, 1, 1 };
  SondeColor fill = color_of_value (shades, theme, shades->values[box]);

  *ink = sonde_color_contrast (&black, &fill) >= sonde_color_contrast (&white, &fill) ? black
                                                                                      : white;
  return fill;
}

/* ---- in words ------------------------------------------------------------ */

static char *
describe_value (const SondeGraphTint *tint, double value)
{
  if (isnan (value))
    return g_strdup (_ ("not known"));
  if (tint->format != NULL)
    return tint->format (value);
  return g_strdup (g_array_index (tint->kinds, SondeGraphKind, (guint) value).title);
}

char *
sonde_graph_shades_describe_box (const SondeGraphShades *shades, guint box)
{
  g_autofree char *value = describe_value (shades->tint, shades->values[box]);

  return g_strdup_printf ("%s: %s", shades->tint->title, value);
}

char *
sonde_graph_shades_describe (const SondeGraphShades *shades)
{
  g_autofree char *low = NULL, *high = NULL;

  if (shades->tint->format == NULL)
    return g_strdup (shades->tint->title);
  low = shades->tint->format (0);
  high = shades->tint->format (shades->high);
  return g_strdup_printf (_ ("%s, %s to %s"), shades->tint->title, low, high);
}

/* ---- the key ------------------------------------------------------------- */

/* Kinds that some box has. */
static gboolean *
find_kinds (const SondeGraphShades *shades)
{
  gboolean *present = g_new0 (gboolean, shades->tint->kinds->len + 1);

  for (guint b = 0; shades->tint->format == NULL && b < shades->n_boxes; b++)
    if (!isnan (shades->values[b]))
      present[(guint) shades->values[b]] = TRUE;
  return present;
}

static double
measure_entry (const char *title)
{
  return SWATCH + SWATCH_GAP + sonde_text_measure (SONDE_FONT_SMALL, title, NULL);
}

void
sonde_graph_key_get_size (const SondeGraphShades *shades, double *width, double *height)
{
  g_autofree gboolean *present = find_kinds (shades);
  const GArray *kinds = shades->tint->kinds;

  *width = sonde_text_measure (SONDE_FONT_SMALL, shades->tint->title, NULL);
  *height = LINE;
  if (shades->tint->format != NULL)
    {
      *width = fmax (*width, BAR_WIDTH);
      *height += BAR_HEIGHT + LINE;
    }
  for (guint i = 0; i < kinds->len; i++)
    if (present[i])
      {
        *width = fmax (*width, measure_entry (g_array_index (kinds, SondeGraphKind, i).title));
        *height += LINE;
      }
  if (!shades->has_unknown)
    return;
  *width = fmax (*width, measure_entry (_ ("not known")));
  *height += LINE;
}

static void
paint_entry (cairo_t *cr, const SondeTheme *theme, const SondeColor *color, double x, double y,
             const char *title)
{
  sonde_paint_round_rectangle (cr, x + 0.5, y - SWATCH / 2.0, SWATCH, SWATCH, 3);
  sonde_paint_set_color (cr, color);
  cairo_fill_preserve (cr);
  sonde_paint_set_color (cr, &theme->axis);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x + SWATCH + SWATCH_GAP, y, 0, title);
}

static void
paint_bar (cairo_t *cr, const SondeTheme *theme, const SondeGraphShades *shades, double x, double y)
{
  g_autofree char *low = shades->tint->format (0), *high = shades->tint->format (shades->high);

  for (int i = 0; i < BAR_WIDTH; i++)
    {
      SondeColor color = color_of_part (theme, (i + 0.5) / BAR_WIDTH);

      sonde_paint_set_color (cr, &color);
      cairo_rectangle (cr, x + i, y, 1, BAR_HEIGHT);
      cairo_fill (cr);
    }
  sonde_paint_set_color (cr, &theme->dim);
  y += BAR_HEIGHT + LINE / 2.0;
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, y, 0, low);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, x + BAR_WIDTH, y, 0, high);
}

void
sonde_paint_graph_key (cairo_t *cr, const SondeTheme *theme, const SondeGraphShades *shades,
                       double x, double y)
{
  g_autofree gboolean *present = find_kinds (shades);
  const GArray *kinds = shades->tint->kinds;

  sonde_paint_set_color (cr, &theme->foreground);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, y + LINE / 2.0, 0,
                    shades->tint->title);
  y += LINE;
  if (shades->tint->format != NULL)
    {
      paint_bar (cr, theme, shades, x, y);
      y += BAR_HEIGHT + LINE;
    }
  for (guint i = 0; i < kinds->len; i++)
    if (present[i])
      {
        const SondeGraphKind *kind = &g_array_index (kinds, SondeGraphKind, i);
        SondeColor color = color_of_kind (theme, kind);

        paint_entry (cr, theme, &color, x, y + LINE / 2.0, kind->title);
        y += LINE;
      }
  if (shades->has_unknown)
    {
      SondeColor color = color_of_unknown (theme);

      paint_entry (cr, theme, &color, x, y + LINE / 2.0, _ ("not known"));
    }
}
