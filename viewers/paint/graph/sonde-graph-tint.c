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
#define FAINT 0.35 /* of a kind's hue where next to nothing of the node is of it */
#define RAMP 29    /* px of a swatch from no share to all */

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
  g_free (tint->ranks);
  g_free (tint->shares);
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

void
sonde_graph_tint_set_ranked (SondeGraphTint *tint, guint node, guint kind, double rank,
                             double share)
{
  g_return_if_fail (node < tint->n_values && kind < tint->kinds->len);
  if (tint->ranks == NULL)
    {
      tint->ranks = g_new0 (double, tint->n_values);
      tint->shares = g_new (double, tint->n_values);
      for (guint i = 0; i < tint->n_values; i++)
        tint->shares[i] = NAN;
    }
  tint->values[node] = kind;
  tint->ranks[node] = rank;
  tint->shares[node] = share;
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

/* The box of a node of a higher rank than those before it takes its kind. @ranks: by box, of those so far */
static void
add_ranked (SondeGraphShades *shades, guint box, guint node, double *ranks)
{
  const SondeGraphTint *tint = shades->tint;

  if (!isnan (shades->values[box]) && ranks[box] >= tint->ranks[node])
    return;
  ranks[box] = tint->ranks[node];
  shades->values[box] = tint->values[node];
  if (shades->shares != NULL)
    shades->shares[box] = tint->shares[node];
}

static void
add_values (SondeGraphShades *shades, const SondeGraphScene *scene)
{
  const SondeGraph *graph = sonde_graph_scene_get_graph (scene);
  g_autoptr (GHashTable) counted
      = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autofree gboolean *mixed = g_new0 (gboolean, shades->n_boxes + 1);
  g_autofree double *ranks = g_new0 (double, shades->n_boxes + 1);

  for (guint i = 0; i < shades->tint->n_values && i < graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);
      int box = node != NULL ? sonde_graph_scene_find_node (scene, node) : -1;

      if (box < 0 || isnan (shades->tint->values[i]))
        continue;
      if (shades->tint->ranks != NULL)
        add_ranked (shades, (guint) box, i, ranks);
      else
        add_value (shades, (guint) box, i, counted, mixed);
    }
  for (guint b = 0; b < shades->n_boxes; b++)
    if (mixed[b] || sonde_graph_scene_get_box (scene, b)->is_open)
      shades->values[b] = NAN;
}

static double *
new_unknown (guint n)
{
  double *values = g_new (double, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    values[i] = NAN;
  return values;
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
  shades->values = new_unknown (shades->n_boxes);
  if (tint->shares != NULL)
    shades->shares = new_unknown (shades->n_boxes);
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
  g_free (shades->shares);
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

/* @share: NaN: all */
static SondeColor
color_of_kind (const SondeTheme *theme, const SondeGraphKind *kind, double share)
{
  SondeColor hue = theme->masked;
  double strength = SOFT / (1 + MAX (kind->hue, 0) / N_HUES);

  if (kind->hue >= 0)
    hue = sonde_theme_series (theme, (guint) kind->hue).color;
  if (!isnan (share))
    strength *= FAINT + (1 - FAINT) * share;
  return sonde_color_mix (&theme->card, &hue, strength);
}

static SondeColor
color_of_unknown (const SondeTheme *theme)
{
  return sonde_color_mix (&theme->card, &theme->masked, GREY);
}

static SondeColor
color_of_box (const SondeGraphShades *shades, const SondeTheme *theme, guint box)
{
  const GArray *kinds = shades->tint->kinds;
  double value = shades->values[box];

  if (isnan (value))
    return color_of_unknown (theme);
  if (shades->tint->format != NULL)
    return color_of_part (theme, shades->high > 0 ? value / shades->high : 0);
  return color_of_kind (theme, &g_array_index (kinds, SondeGraphKind, (guint) value),
                        shades->shares != NULL ? shades->shares[box] : NAN);
}

SondeColor
sonde_graph_shades_get_fill (const SondeGraphShades *shades, const SondeTheme *theme, guint box,
                             SondeColor *ink)
{
  static const SondeColor black = { 0, 0, 0, 1 }, white = { 1, 1, 1, 1 };
  SondeColor fill = color_of_box (shades, theme, box);

  *ink = sonde_color_contrast (&black, &fill) >= sonde_color_contrast (&white, &fill) ? black
                                                                                      : white;
  return fill;
}

/* ---- in words ------------------------------------------------------------ */

static char *
format_share (double share)
{
  return g_strdup_printf ("%.3g %%", 100 * share);
}

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
  g_autofree char *value = describe_value (shades->tint, shades->values[box]), *share = NULL;

  if (shades->shares == NULL || isnan (shades->shares[box]))
    return g_strdup_printf ("%s: %s", shades->tint->title, value);
  share = format_share (shades->shares[box]);
  return g_strdup_printf ("%s: %s, %s", shades->tint->title, value, share);
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

/* One line of the key. @ramp: its swatch goes from no share to all */
typedef struct
{
  const SondeGraphKind *kind; /* (nullable): what is not known */
  gboolean ramp;
  char *title; /* owned */
} Entry;

static void
clear_entry (gpointer data)
{
  g_free (((Entry *) data)->title);
}

/* The greatest share of a kind; NaN: no box has one. */
static double
find_share (const SondeGraphShades *shades, guint kind)
{
  double greatest = NAN;

  for (guint b = 0; shades->shares != NULL && b < shades->n_boxes; b++)
    if (shades->values[b] == kind)
      greatest = fmax (greatest, shades->shares[b]);
  return greatest;
}

static gboolean
is_present (const SondeGraphShades *shades, guint kind)
{
  for (guint b = 0; b < shades->n_boxes; b++)
    if (shades->values[b] == kind)
      return TRUE;
  return FALSE;
}

static Entry
make_entry (const SondeGraphShades *shades, guint index)
{
  const SondeGraphKind *kind = &g_array_index (shades->tint->kinds, SondeGraphKind, index);
  double share = find_share (shades, index);
  g_autofree char *percent = isnan (share) ? NULL : format_share (share);

  return (Entry){ kind, percent != NULL,
                  percent != NULL ? g_strdup_printf (_ ("%s, up to %s"), kind->title, percent)
                                  : g_strdup (kind->title) };
}

/* Of the kinds that some box has, and of what is not known. Entry. (transfer full) */
static GArray *
list_entries (const SondeGraphShades *shades)
{
  GArray *entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  const GArray *kinds = shades->tint->kinds;

  g_array_set_clear_func (entries, clear_entry);
  for (guint i = 0; shades->tint->format == NULL && i < kinds->len; i++)
    if (is_present (shades, i))
      {
        Entry entry = make_entry (shades, i);

        g_array_append_val (entries, entry);
      }
  if (shades->has_unknown)
    {
      Entry entry = { NULL, FALSE, g_strdup (_ ("not known")) };

      g_array_append_val (entries, entry);
    }
  return entries;
}

static double
swatch_width (const Entry *entry)
{
  return entry->ramp ? RAMP : SWATCH;
}

void
sonde_graph_key_get_size (const SondeGraphShades *shades, double *width, double *height)
{
  g_autoptr (GArray) entries = list_entries (shades);

  *width = sonde_text_measure (SONDE_FONT_SMALL, shades->tint->title, NULL);
  *height = LINE;
  if (shades->tint->format != NULL)
    {
      *width = fmax (*width, BAR_WIDTH);
      *height += BAR_HEIGHT + LINE;
    }
  for (guint i = 0; i < entries->len; i++)
    {
      const Entry *entry = &g_array_index (entries, Entry, i);

      *width = fmax (*width, swatch_width (entry) + SWATCH_GAP
                                 + sonde_text_measure (SONDE_FONT_SMALL, entry->title, NULL));
      *height += LINE;
    }
}

/* From the faintest to the full colour. */
static void
paint_ramp (cairo_t *cr, const SondeTheme *theme, const SondeGraphKind *kind, double x, double y)
{
  for (int i = 0; i < RAMP; i++)
    {
      SondeColor color = color_of_kind (theme, kind, (i + 0.5) / RAMP);

      sonde_paint_set_color (cr, &color);
      cairo_rectangle (cr, x + i, y - SWATCH / 2.0, 1, SWATCH);
      cairo_fill (cr);
    }
}

static void
paint_swatch (cairo_t *cr, const SondeTheme *theme, const SondeGraphKind *kind, double x, double y)
{
  SondeColor color = kind != NULL ? color_of_kind (theme, kind, NAN) : color_of_unknown (theme);

  sonde_paint_round_rectangle (cr, x + 0.5, y - SWATCH / 2.0, SWATCH, SWATCH, 3);
  sonde_paint_set_color (cr, &color);
  cairo_fill_preserve (cr);
  sonde_paint_set_color (cr, &theme->axis);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

static void
paint_entry (cairo_t *cr, const SondeTheme *theme, const Entry *entry, double x, double y)
{
  if (entry->ramp)
    paint_ramp (cr, theme, entry->kind, x, y);
  else
    paint_swatch (cr, theme, entry->kind, x, y);
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x + swatch_width (entry) + SWATCH_GAP,
                    y, 0, entry->title);
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
  g_autoptr (GArray) entries = list_entries (shades);

  sonde_paint_set_color (cr, &theme->foreground);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, y + LINE / 2.0, 0,
                    shades->tint->title);
  y += LINE;
  if (shades->tint->format != NULL)
    {
      paint_bar (cr, theme, shades, x, y);
      y += BAR_HEIGHT + LINE;
    }
  for (guint i = 0; i < entries->len; i++, y += LINE)
    paint_entry (cr, theme, &g_array_index (entries, Entry, i), x, y + LINE / 2.0);
}
