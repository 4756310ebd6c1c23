/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/trace/sonde-trace-paint.h"

#include <math.h>

/* Lines that are kept; then all are forgotten. */
#define MAX_LINES 4096
/* Widths that are cut are multiples of this, so that zooming does not need each. */
#define GRAIN 6

/* ---- colours ------------------------------------------------------------- */

static double
to_srgb (double linear)
{
  linear = CLAMP (linear, 0, 1);
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow (linear, 1 / 2.4) - 0.055;
}

/* Oklab: lightness 0 to 1, chroma, hue in turns. Source: B. Ottosson, “A perceptual color space for image
 * processing”, 2020. */
static SondeColor
from_oklch (double lightness, double chroma, double turn)
{
  double a = chroma * cos (2 * G_PI * turn), b = chroma * sin (2 * G_PI * turn);
  double l = pow (lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  double m = pow (lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  double s = pow (lightness - 0.0894841775 * a - 1.2914855480 * b, 3);

  return (SondeColor){ to_srgb (4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                       to_srgb (-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                       to_srgb (-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s), 1 };
}

const SondeColor *
sonde_trace_get_color (const SondeTheme *theme, guint hue)
{
  static SondeColor colors[2][SONDE_TRACE_N_COLORS];
  static gsize made = 0;

  if (g_once_init_enter (&made))
    {
      for (guint i = 0; i < SONDE_TRACE_N_COLORS; i++)
        {
          /* Neighbours in number lie far apart in hue; every other one a little deeper. */
          double turn = (i * 7 % SONDE_TRACE_N_COLORS) / (double) SONDE_TRACE_N_COLORS;
          double shade = i % 2 == 0 ? 0 : 0.05;

          colors[0][i] = from_oklch (0.85 - shade, 0.085, turn);
          colors[1][i] = from_oklch (0.43 + shade, 0.085, turn);
        }
      g_once_init_leave (&made, 1);
    }
  return &colors[theme->dark][hue % SONDE_TRACE_N_COLORS];
}

guint32
sonde_trace_get_pixel (const SondeTheme *theme, guint hue, double alpha)
{
  const SondeColor *color = sonde_trace_get_color (theme, hue);
  guint32 a = (guint32) lround (alpha * 255);

  return a << 24 | (guint32) lround (color->red * alpha * 255) << 16
         | (guint32) lround (color->green * alpha * 255) << 8
         | (guint32) lround (color->blue * alpha * 255);
}

SondeColor
sonde_trace_get_ink (const SondeTheme *theme)
{
  return theme->dark ? (SondeColor){ 1, 1, 1, 0.95 } : (SondeColor){ 0, 0, 0, 0.87 };
}

/* ---- labels -------------------------------------------------------------- */

typedef struct
{
  const char *text;
  int width; /* that it was cut to; 0: whole */
} Key;

/* A line, and how wide it is in px. */
typedef struct
{
  Key key;
  PangoLayout *layout;
  double width;
} Line;

struct _SondeLabelCache
{
  GHashTable *lines; /* Line -> itself */
  Line *dots;        /* (nullable): what stands for what is left out */
};

static guint
hash_key (gconstpointer key)
{
  const Key *k = key;

  return g_direct_hash (k->text) * 31 + (guint) k->width;
}

static gboolean
equal_keys (gconstpointer a, gconstpointer b)
{
  const Key *x = a, *y = b;

  return x->text == y->text && x->width == y->width;
}

static void
free_line (gpointer data)
{
  Line *line = data;

  g_object_unref (line->layout);
  g_free (line);
}

SondeLabelCache *
sonde_label_cache_new (void)
{
  SondeLabelCache *cache = g_new0 (SondeLabelCache, 1);

  cache->lines = g_hash_table_new_full (hash_key, equal_keys, NULL, free_line);
  return cache;
}

void
sonde_label_cache_free (SondeLabelCache *cache)
{
  if (cache == NULL)
    return;
  g_hash_table_unref (cache->lines);
  g_clear_pointer (&cache->dots, free_line);
  g_free (cache);
}

static Line *
make_line (cairo_t *cr, const Key *key)
{
  Line *line = g_new0 (Line, 1);

  line->key = *key;
  line->layout = sonde_text_layout_new (cr, SONDE_FONT_SMALL, key->width, key->text, &line->width);
  return line;
}

static const Line *
look_up (cairo_t *cr, SondeLabelCache *cache, const Key *key)
{
  Line *line = g_hash_table_lookup (cache->lines, key);

  if (line != NULL)
    return line;
  if (g_hash_table_size (cache->lines) >= MAX_LINES)
    g_hash_table_remove_all (cache->lines);
  line = make_line (cr, key);
  g_hash_table_add (cache->lines, line);
  return line;
}

/* ---- lines without their middle ------------------------------------------ */

/* The glyphs of a line, when they are of one font and run from left to right; else NULL. */
static const PangoGlyphItem *
get_glyphs (const Line *line)
{
  const PangoLayoutLine *first = pango_layout_get_line_readonly (line->layout, 0);
  const PangoGlyphItem *run;

  if (first == NULL || first->runs == NULL || first->runs->next != NULL)
    return NULL;
  run = first->runs->data;
  return run->item->analysis.level % 2 == 0 ? run : NULL;
}

/* How many glyphs from the begin (or the end) take at most @room, whole letters only. @taken: (out) */
static int
count_glyphs (const PangoGlyphString *glyphs, gboolean from_end, int room, int *taken)
{
  int n = 0, width = 0;

  *taken = 0;
  for (int k = 0; k < glyphs->num_glyphs; k++)
    {
      int at = from_end ? glyphs->num_glyphs - 1 - k : k;
      int border = from_end ? at : k + 1;

      width += glyphs->glyphs[at].geometry.width;
      if (width > room)
        break;
      if (border == glyphs->num_glyphs || glyphs->glyphs[border].attr.is_cluster_start)
        {
          n = k + 1;
          *taken = width;
        }
    }
  return n;
}

static int
show_glyphs (cairo_t *cr, const PangoGlyphItem *run, int first, int n, double x, double y)
{
  PangoGlyphString part = *run->glyphs;
  int width = 0;

  part.num_glyphs = n;
  part.glyphs += first;
  part.log_clusters += first;
  for (int i = 0; i < n; i++)
    width += part.glyphs[i].geometry.width;
  cairo_move_to (cr, x, y);
  pango_cairo_show_glyph_string (cr, run->item->analysis.font, &part);
  return width;
}

/* The begin and the end of a line around dots: no layout is made, as there would be one for each width while
 * somebody zooms. FALSE when this cannot be done. */
static gboolean
paint_ends (cairo_t *cr, SondeLabelCache *cache, const Line *line, double x, double y,
            double max_width)
{
  const PangoGlyphItem *run = get_glyphs (line), *dots;
  int room, before, after, n_before, n_after;

  if (cache->dots == NULL)
    cache->dots = make_line (cr, &(Key){ "…", 0 });
  dots = get_glyphs (cache->dots);
  if (run == NULL || dots == NULL)
    return FALSE;
  room = (int) ((max_width - cache->dots->width) * PANGO_SCALE);
  n_before = count_glyphs (run->glyphs, FALSE, room - room / 2, &before);
  n_after = count_glyphs (run->glyphs, TRUE, room - before, &after);
  if (n_before == 0 || n_after == 0)
    return FALSE;
  y += (double) pango_layout_get_baseline (line->layout) / PANGO_SCALE;
  x += (double) show_glyphs (cr, run, 0, n_before, x, y) / PANGO_SCALE;
  x += (double) show_glyphs (cr, dots, 0, dots->glyphs->num_glyphs, x, y) / PANGO_SCALE;
  show_glyphs (cr, run, run->glyphs->num_glyphs - n_after, n_after, x, y);
  return TRUE;
}

void
sonde_trace_paint_label (cairo_t *cr, SondeLabelCache *cache, double x, double y, double max_width,
                         const char *text)
{
  const Line *line;
  PangoRectangle logical;

  if (cache == NULL)
    {
      sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, y, max_width, text);
      return;
    }
  line = look_up (cr, cache, &(Key){ text, 0 });
  pango_layout_get_pixel_extents (line->layout, NULL, &logical);
  y = round (y - logical.height / 2.0);
  if (line->width > max_width)
    {
      if (paint_ends (cr, cache, line, x, y, max_width))
        {
          cairo_new_path (cr);
          return;
        }
      line = look_up (cr, cache, &(Key){ text, MAX ((int) max_width / GRAIN * GRAIN, GRAIN) });
    }
  cairo_move_to (cr, x, y);
  pango_cairo_show_layout (cr, line->layout);
  cairo_new_path (cr);
}
