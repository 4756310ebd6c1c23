/* SPDX-License-Identifier: Apache-2.0
 * The HTML report. */
#include "explain/report/sonde-explain-report.h"

#include <math.h>
#include <string.h>

#include "data/images/sonde-png.h"
#include "viewers/paint/sonde-color-map.h"

#define MAX_SAMPLES 60

/* One sample with its maps. */
typedef struct
{
  guint sample;
  char *heading;  /* HTML */
  char *picture;  /* data URI */
  GPtrArray *maps;   /* (element-type SondeTensor) */
  GPtrArray *labels; /* (element-type utf8): HTML */
} Card;

struct _SondeExplainReport
{
  char *title, *model;
  SondeDataset *dataset;
  GString *summary;
  GPtrArray *facts, *cards;
  GHashTable *left_out; /* sample numbers */
};

static void
card_free (void *data)
{
  Card *card = data;

  g_free (card->heading);
  g_free (card->picture);
  g_ptr_array_unref (card->maps);
  g_ptr_array_unref (card->labels);
  g_free (card);
}

SondeExplainReport *
sonde_explain_report_new (const char   *title,
                          const char   *model,
                          SondeDataset *dataset)
{
  SondeExplainReport *report = g_new0 (SondeExplainReport, 1);

  report->title = g_markup_escape_text (title, -1);
  report->model = g_markup_escape_text (model, -1);
  report->dataset = dataset;
  report->summary = g_string_new (NULL);
  report->facts = g_ptr_array_new_with_free_func (g_free);
  report->cards = g_ptr_array_new_with_free_func (card_free);
  report->left_out = g_hash_table_new (NULL, NULL);
  return report;
}

void
sonde_explain_report_free (SondeExplainReport *report)
{
  if (report == NULL)
    return;
  g_free (report->title);
  g_free (report->model);
  g_string_free (report->summary, TRUE);
  g_ptr_array_unref (report->facts);
  g_ptr_array_unref (report->cards);
  g_hash_table_unref (report->left_out);
  g_free (report);
}

static char *
class_name (SondeExplainReport *report,
            gint64              c)
{
  if (c >= 0 && (guint64) c < report->dataset->n_classes)
    return g_markup_escape_text (report->dataset->classes[c], -1);
  return c >= 0 ? g_strdup_printf ("class %" G_GINT64_FORMAT, c) : g_strdup ("unknown");
}

/* Counts; the diagonal is the right answers. Rows are true classes, columns predicted ones. */
static void
append_confusion (SondeExplainReport *report,
                  GPtrArray          *predictions,
                  guint               classes)
{
  g_autofree guint *counts = g_new0 (guint, (gsize) classes * classes);
  guint largest = 1;

  for (guint i = 0; i < predictions->len; i++)
    {
      const SondePrediction *prediction = g_ptr_array_index (predictions, i);
      guint count;

      if (prediction->label < 0 || prediction->label >= classes)
        continue;
      count = ++counts[prediction->label * classes + prediction->predicted];
      largest = MAX (largest, count);
    }
  g_string_append (report->summary, "<h2>Confusion matrix</h2><table class=\"confusion\"><tr><th>true ↓ predicted →</th>");
  for (guint c = 0; c < classes; c++)
    {
      g_autofree char *name = class_name (report, c);

      g_string_append_printf (report->summary, "<th>%s</th>", name);
    }
  g_string_append (report->summary, "</tr>");
  for (guint row = 0; row < classes; row++)
    {
      g_autofree char *name = class_name (report, row);

      g_string_append_printf (report->summary, "<tr><th>%s</th>", name);
      for (guint c = 0; c < classes; c++)
        {
          guint count = counts[row * classes + c];
          double share = sqrt ((double) count / largest);

          g_string_append_printf (report->summary, "<td style=\"background:rgba(%s,%.2f)\"%s>%u</td>",
                                  row == c ? "0,114,178" : "213,94,0", 0.75 * share, count == 0 ? " class=\"zero\"" : "",
                                  count);
        }
      g_string_append (report->summary, "</tr>");
    }
  g_string_append (report->summary, "</table>");
}

void
sonde_explain_report_set_predictions (SondeExplainReport *report,
                                      GPtrArray          *predictions)
{
  guint known = 0, right = 0, classes = 0;

  for (guint i = 0; i < predictions->len; i++)
    {
      const SondePrediction *prediction = g_ptr_array_index (predictions, i);

      classes = MAX (classes, prediction->n_classes);
      known += prediction->label >= 0;
      right += prediction->label >= 0 && prediction->label == prediction->predicted;
    }
  g_string_append_printf (report->summary,
                          "<p class=\"numbers\"><b>%u</b> pictures · <b>%.2f %%</b> right · <b>%u</b> errors</p>",
                          predictions->len, known > 0 ? 100.0 * right / known : 0.0, known - right);
  if (known > 0 && classes <= 50)
    append_confusion (report, predictions, classes);
}

void
sonde_explain_report_add_fact (SondeExplainReport *report,
                               const char         *sentence)
{
  g_ptr_array_add (report->facts, g_markup_escape_text (sentence, -1));
}

static char *
make_data_uri (const SondeImage *image)
{
  g_autoptr (GBytes) png = sonde_png_encode (image);
  g_autofree char *text = g_base64_encode (g_bytes_get_data (png, NULL), g_bytes_get_size (png));

  return g_strconcat ("data:image/png;base64,", text, NULL);
}

static Card *
find_card (SondeExplainReport      *report,
           const SondeExplainedMap *map,
           GError                 **error)
{
  const SondePrediction *prediction = map->prediction;
  g_autoptr (SondeImage) image = NULL;
  g_autofree char *name = NULL, *label = NULL, *predicted = NULL;
  Card *card;

  for (guint i = 0; i < report->cards->len; i++)
    {
      card = g_ptr_array_index (report->cards, i);
      if (card->sample == prediction->sample)
        return card;
    }
  image = sonde_dataset_dup_image (report->dataset, prediction->sample, error);
  if (image == NULL)
    return NULL;
  name = g_markup_escape_text (prediction->name, -1);
  label = class_name (report, prediction->label);
  predicted = class_name (report, prediction->predicted);
  card = g_new0 (Card, 1);
  card->sample = prediction->sample;
  card->heading = g_strdup_printf ("<b>%s</b> taken for <b>%s</b><br><small>%s · p(%s) = %.3f · p(%s) = %.3f</small>",
                                   label, predicted, name, predicted,
                                   sonde_prediction_get_probability (prediction, prediction->predicted), label,
                                   sonde_prediction_get_probability (prediction, prediction->label));
  card->picture = make_data_uri (image);
  card->maps = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  card->labels = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (report->cards, card);
  return card;
}

gboolean
sonde_explain_report_add_map (SondeExplainReport      *report,
                              const SondeExplainedMap *map,
                              GError                 **error)
{
  gpointer key = GUINT_TO_POINTER (map->prediction->sample + 1);
  g_autofree char *target = class_name (report, map->target);
  gboolean known = FALSE;
  Card *card;

  for (guint i = 0; i < report->cards->len; i++)
    known |= ((Card *) g_ptr_array_index (report->cards, i))->sample == map->prediction->sample;
  if (!known && report->cards->len >= MAX_SAMPLES)
    {
      g_hash_table_add (report->left_out, key);
      return TRUE;
    }
  card = find_card (report, map, error);
  if (card == NULL)
    return FALSE;
  g_ptr_array_add (card->maps, sonde_tensor_ref (map->map));
  g_ptr_array_add (card->labels, g_strdup_printf ("%s for %s <b>%s</b>", sonde_attribution_spec_get_method (map->spec)->title, map->target_is, target));
  return TRUE;
}

/* Maps of one card share one scale: the largest magnitude of all of them. */
static double
largest_magnitude (const Card *card)
{
  double largest = 0.0;

  for (guint i = 0; i < card->maps->len; i++)
    {
      SondeStatistics statistics;

      sonde_statistics_compute (g_ptr_array_index (card->maps, i), &statistics);
      if (!isnan (statistics.max))
        largest = fmax (largest, fmax (fabs (statistics.min), fabs (statistics.max)));
    }
  return largest;
}

static SondeImage *
color_map_image (SondeTensor *map,
                 double       limit)
{
  SondeImage *image = sonde_image_new ((int) map->shape.dims[1], (int) map->shape.dims[0], 3);

  for (gint64 i = 0; i < sonde_tensor_n_elements (map); i++)
    {
      double value = sonde_tensor_get_double (map, i);
      SondeColor color
          = sonde_color_map_get (SONDE_COLOR_MAP_DIVERGING, limit > 0 ? 0.5 + 0.5 * value / limit : isnan (value) ? NAN : 0.5);

      image->pixels[3 * i] = (guint8) (255.0 * color.red + 0.5);
      image->pixels[3 * i + 1] = (guint8) (255.0 * color.green + 0.5);
      image->pixels[3 * i + 2] = (guint8) (255.0 * color.blue + 0.5);
    }
  return image;
}

static void
append_card (GString    *html,
             const Card *card)
{
  double limit = largest_magnitude (card);

  g_string_append_printf (html, "<section><p>%s</p><div><figure><img src=\"%s\" alt=\"picture\"><figcaption>picture</figcaption></figure>",
                          card->heading, card->picture);
  for (guint i = 0; i < card->maps->len; i++)
    {
      g_autoptr (SondeImage) image = color_map_image (g_ptr_array_index (card->maps, i), limit);
      g_autofree char *uri = make_data_uri (image);

      g_string_append_printf (html, "<figure><img src=\"%s\" alt=\"map\"><figcaption>%s</figcaption></figure>", uri,
                              (const char *) g_ptr_array_index (card->labels, i));
    }
  g_string_append_printf (html, "</div><small>%s −%.3g … +%.3g (blue … red)</small></section>",
                          limit > 0 ? "scale" : "constant map, scale", limit, limit);
}

static const char style[]
    = "body{font:15px/1.45 Cantarell,system-ui,sans-serif;max-width:1100px;margin:24px auto;padding:0 18px;color:#222;"
      "background:#fafafa}h1{font-weight:700}.numbers b{font-size:22px}table.confusion{border-collapse:collapse;"
      "font-variant-numeric:tabular-nums}table.confusion th{font-weight:400;padding:3px 8px;text-align:right;color:#555}"
      "table.confusion td{padding:3px 8px;text-align:right;border:1px solid #fff}td.zero{color:#bbb}"
      "section{background:#fff;border-radius:12px;padding:12px;margin:18px 0;display:inline-block;margin-right:18px;"
      "vertical-align:top;box-shadow:0 1px 3px #0002}section p{margin:0 0 6px}section div{display:flex;gap:12px}"
      "figure{margin:0;width:112px}figcaption{font-size:12px;color:#555}"
      "img{width:112px;height:112px;image-rendering:pixelated;border-radius:3px}small{color:#666}";

gboolean
sonde_explain_report_write (SondeExplainReport *report,
                            const SondeIo      *io,
                            const char         *path,
                            GError            **error)
{
  g_autoptr (GString) html = g_string_new (NULL);
  guint left_out = g_hash_table_size (report->left_out);

  g_string_append_printf (html,
                          "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title>"
                          "<style>%s</style></head><body><h1>%s</h1><p>Model: %s</p>%s",
                          report->title, style, report->title, report->model, report->summary->str);
  if (report->facts->len > 0)
    g_string_append (html, "<h2>Measured</h2><ul>");
  for (guint i = 0; i < report->facts->len; i++)
    g_string_append_printf (html, "<li>%s</li>", (const char *) g_ptr_array_index (report->facts, i));
  if (report->facts->len > 0)
    g_string_append (html, "</ul>");
  g_string_append_printf (html, "<h2>Errors</h2><p>%u of %u explained samples are shown.</p>", report->cards->len,
                          report->cards->len + left_out);
  for (guint i = 0; i < report->cards->len; i++)
    append_card (html, g_ptr_array_index (report->cards, i));
  g_string_append (html, "</body></html>\n");
  return sonde_io_replace_file (io, path, html->str, html->len, error);
}
