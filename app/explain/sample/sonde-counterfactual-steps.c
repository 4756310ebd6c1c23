/* SPDX-License-Identifier: Apache-2.0
 * From a counterfactual's tree to images. */
#include "app/explain/sample/sonde-counterfactual-steps.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "explain/counterfactual/sonde-occlusion-settings.h"

static const SondeCounterfactualWindow *
step_at (const SondeCounterfactual *boxes, int i)
{
  return &g_array_index (boxes->steps, SondeCounterfactualWindow, i);
}

static void
add_box (GArray *to, const SondeBox *box)
{
  SondeBox rect = { box->x, box->y, box->width, box->height };

  g_array_append_val (to, rect);
}

/* What the window became down to @layer: its children, theirs, or itself. Parents come before their
 * children. */
static void
add_leaves (const SondeCounterfactual *boxes, int root, guint layer, GArray *to)
{
  guint n = boxes->steps->len;
  g_autofree gboolean *inside = g_new0 (gboolean, n), *refined = g_new0 (gboolean, n);

  inside[root] = TRUE;
  for (guint i = (guint) root + 1; i < n; i++)
    {
      const SondeCounterfactualWindow *step = step_at (boxes, (int) i);

      if (step->layer > layer || step->parent < root || step->parent >= (int) i
          || !inside[step->parent])
        continue;
      inside[i] = TRUE;
      refined[step->parent] = TRUE;
    }
  for (guint i = (guint) root; i < n; i++)
    if (inside[i] && !refined[i])
      add_box (to, &step_at (boxes, (int) i)->box);
}

/* Windows edited when step @k was taken, itself last. */
static GArray *
boxes_at (const SondeCounterfactual *boxes, int k)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (SondeBox));
  guint layer = step_at (boxes, k)->layer;

  for (int a = k; a >= 0; a = step_at (boxes, a)->parent < a ? step_at (boxes, a)->parent : -1)
    for (int j = 0; j < a; j++)
      if (step_at (boxes, j)->parent == step_at (boxes, a)->parent)
        {
          /* Of the search itself windows are whole; those before a parent were refined by then. */
          if (a == k)
            add_box (list, &step_at (boxes, j)->box);
          else
            add_leaves (boxes, j, layer, list);
        }
  add_box (list, &step_at (boxes, k)->box);
  return list;
}

static void
add_step (GPtrArray *to, GArray *list, int newest, double output, char *caption)
{
  SondeCounterfactualStep *step = g_new0 (SondeCounterfactualStep, 1);

  step->n_boxes = list != NULL ? list->len : 0;
  step->boxes = list != NULL ? g_memdup2 (list->data, (gsize) list->len * sizeof (SondeBox)) : NULL;
  step->newest = newest;
  step->output = output;
  step->caption = caption;
  g_ptr_array_add (to, step);
}

static void
add_result (GPtrArray *to, const GArray *rects, double output, const char *caption)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (SondeBox));

  for (guint i = 0; i < rects->len; i++)
    add_box (list, &g_array_index (rects, SondeBox, i));
  add_step (to, list, -1, output, g_strdup (caption));
}

GPtrArray *
sonde_counterfactual_steps_new (const SondeCounterfactual *boxes)
{
  GPtrArray *steps
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_counterfactual_step_free);
  gboolean keep = boxes->goal == SONDE_OCCLUSION_KEEP;

  add_step (steps, NULL, -1, keep ? boxes->masked : boxes->original,
            g_strdup (keep ? _ ("Covered image") : _ ("Original image")));
  for (guint i = 0; i < boxes->steps->len; i++)
    {
      const SondeCounterfactualWindow *step = step_at (boxes, (int) i);
      g_autoptr (GArray) list = boxes_at (boxes, (int) i);

      add_step (steps, list, (int) list->len - 1, step->after,
                g_strdup_printf (_ ("%d × %d pixels"), step->box.width, step->box.height));
    }
  /* whoever wrote no steps wrote what each layer came to */
  for (guint l = 0; boxes->steps->len == 0 && l + 1 < boxes->layers->len; l++)
    add_result (steps, g_ptr_array_index (boxes->layers, l), boxes->layer_out[l],
                _ ("Larger windows"));
  if (boxes->layers != NULL && boxes->layers->len > 0)
    add_result (steps, g_ptr_array_index (boxes->layers, boxes->layers->len - 1),
                boxes->layer_out[boxes->layers->len - 1], _ ("Result"));
  if (boxes->pruned != NULL)
    add_result (steps, boxes->pruned, boxes->pruned_out, _ ("Required regions only"));
  return steps;
}

/* ---- cover --------------------------------------------------------------- */

/* One number, or one a channel. */
static gboolean
parse_numbers (const char *text, int n, double *numbers)
{
  g_auto (GStrv) words = g_strsplit (text != NULL ? text : "", ",", -1);
  guint count = g_strv_length (words);

  if (count != 1 && count != (guint) n)
    return FALSE;
  for (int c = 0; c < n; c++)
    {
      char *end;

      numbers[c] = g_ascii_strtod (words[count == 1 ? 0 : c], &end);
      if (end == words[count == 1 ? 0 : c] || *end != '\0' || !isfinite (numbers[c]))
        return FALSE;
    }
  return TRUE;
}

static SondeImage *
blurred (const SondeImage *image, double sigma)
{
  g_autoptr (SondeTensor) tensor = sonde_image_to_tensor (image), blur = NULL;

  blur = sonde_occlusion_blur (tensor, sigma);
  return sonde_image_from_tensor (blur);
}

SondeImage *
sonde_counterfactual_mask_new (const SondeImage *image, const char *mask,
                               const SondeExplanationSettings *settings)
{
  double values[4], mean[4] = { 0 }, deviation[4] = { 1, 1, 1, 1 };
  SondeImage *cover;

  if (mask == NULL || image == NULL)
    return NULL;
  if (g_str_has_prefix (mask, "gaussian:"))
    {
      double sigma = g_ascii_strtod (mask + strlen ("gaussian:"), NULL);

      return sigma > 0 && sigma <= MAX (image->width, image->height) ? blurred (image, sigma)
                                                                     : NULL;
    }
  if (!parse_numbers (mask, image->channels, values))
    return NULL;
  if (settings != NULL && settings->mean != NULL)
    parse_numbers (settings->mean, image->channels, mean);
  if (settings != NULL && settings->std != NULL)
    parse_numbers (settings->std, image->channels, deviation);
  cover = sonde_image_new (image->width, image->height, image->channels);
  for (gsize i = 0; i < (gsize) image->width * (gsize) image->height; i++)
    for (int c = 0; c < image->channels; c++)
      cover->pixels[i * (gsize) image->channels + (gsize) c]
          = (guint8) lround (255 * CLAMP (values[c] * deviation[c] + mean[c], 0, 1));
  return cover;
}

/* ---- words --------------------------------------------------------------- */

/* Is the score a margin? Flips are, by default. */
static gboolean
speaks_of_margin (const SondeCounterfactual *boxes)
{
  if (boxes->spec != NULL && strstr (boxes->spec, "score=") != NULL)
    return strstr (boxes->spec, "score=margin") != NULL;
  return boxes->goal == SONDE_OCCLUSION_FLIP;
}

char *
sonde_counterfactual_dup_output (const SondeCounterfactual *boxes, const char *target)
{
  return speaks_of_margin (boxes) ? g_strdup_printf (_ ("margin of “%s”"), target)
                                  : g_strdup_printf ("p(“%s”)", target);
}

/* What the sentences say, as text. */
typedef struct
{
  char *masked, *threshold, *original, *after;
} Numbers;

static void
clear_numbers (Numbers *numbers)
{
  g_free (numbers->masked);
  g_free (numbers->threshold);
  g_free (numbers->original);
  g_free (numbers->after);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Numbers, clear_numbers)

/* No set of windows reached the threshold. */
static char *
sentence_of_no_result (const SondeCounterfactual *boxes, const char *output, const Numbers *numbers)
{
  gboolean knows = isfinite (boxes->masked);

  switch (boxes->goal)
    {
    case SONDE_OCCLUSION_KEEP:
      return knows ? g_strdup_printf (_ ("No set of windows was found that keeps the prediction: "
                                         "the fully masked image has %s = %s, the threshold is "
                                         "%s."),
                                      output, numbers->masked, numbers->threshold)
                   : g_strdup_printf (_ ("No set of windows was found that keeps the prediction: "
                                         "%s does not reach %s."),
                                      output, numbers->threshold);
    case SONDE_OCCLUSION_DESTROY:
      return knows ? g_strdup_printf (_ ("No set of windows was found that removes the "
                                         "prediction: the fully masked image still has %s = %s, "
                                         "the threshold is %s."),
                                      output, numbers->masked, numbers->threshold)
                   : g_strdup_printf (_ ("No set of windows was found that removes the "
                                         "prediction: %s does not fall to %s."),
                                      output, numbers->threshold);
    default:
      return knows ? g_strdup_printf (_ ("No set of windows was found that flips the prediction: "
                                         "the fully masked image has %s = %s, the threshold is "
                                         "%s."),
                                      output, numbers->masked, numbers->threshold)
                   : g_strdup_printf (_ ("No set of windows was found that flips the prediction: "
                                         "%s does not reach %s."),
                                      output, numbers->threshold);
    }
}

static char *
sentence_of_failure (const SondeCounterfactual *boxes, const char *output, const Numbers *numbers)
{
  if (boxes->status == SONDE_OCCLUSION_NO_VALID_RESULT)
    return sentence_of_no_result (boxes, output, numbers);
  if (boxes->goal == SONDE_OCCLUSION_FLIP)
    return g_strdup_printf (_ ("No search needed: the original image already has %s = %s, which "
                               "is not below %s."),
                            output, numbers->original, numbers->threshold);
  return g_strdup_printf (_ ("Below threshold: the original image has %s = %s, which is not above "
                             "%s. Choose a lower threshold, or 0.9p, which is a share of that "
                             "value."),
                          output, numbers->original, numbers->threshold);
}

static char *
sentence_of_keep (const SondeCounterfactual *boxes, guint n, const char *output,
                  const Numbers *numbers)
{
  if (isfinite (boxes->threshold))
    return g_strdup_printf (P_ ("%.3g %% of the image (%u region) is enough: %s = %s, threshold "
                                "%s; the whole image has %s.",
                                "%.3g %% of the image (%u regions) is enough: %s = %s, threshold "
                                "%s; the whole image has %s.",
                                n),
                            100 * boxes->area, n, output, numbers->after, numbers->threshold,
                            numbers->original);
  return g_strdup_printf (
      P_ ("%.3g %% of the image (%u region) is enough: %s = %s; the whole image has %s.",
          "%.3g %% of the image (%u regions) is enough: %s = %s; the whole image has %s.", n),
      100 * boxes->area, n, output, numbers->after, numbers->original);
}

static char *
sentence_of_destroy (const SondeCounterfactual *boxes, guint n, const char *output,
                     const Numbers *numbers)
{
  if (isfinite (boxes->threshold))
    return g_strdup_printf (P_ ("Covering %.3g %% of the image (%u region) lowers %s from %s to "
                                "%s, threshold %s.",
                                "Covering %.3g %% of the image (%u regions) lowers %s from %s to "
                                "%s, threshold %s.",
                                n),
                            100 * boxes->area, n, output, numbers->original, numbers->after,
                            numbers->threshold);
  return g_strdup_printf (P_ ("Covering %.3g %% of the image (%u region) lowers %s from %s to %s.",
                              "Covering %.3g %% of the image (%u regions) lowers %s from %s to %s.",
                              n),
                          100 * boxes->area, n, output, numbers->original, numbers->after);
}

char *
sonde_counterfactual_dup_sentence (const SondeCounterfactual *boxes, const char *target)
{
  g_autofree char *output = sonde_counterfactual_dup_output (boxes, target);
  guint last = boxes->layers != NULL ? boxes->layers->len : 0;
  g_auto (Numbers) numbers = { 0 };
  const GArray *list;

  numbers.masked = sonde_format_number (boxes->masked);
  numbers.threshold = sonde_format_number (boxes->threshold);
  numbers.original = sonde_format_number (boxes->original);
  if (boxes->status != SONDE_OCCLUSION_OK || last == 0)
    return sentence_of_failure (boxes, output, &numbers);
  list = boxes->pruned != NULL ? boxes->pruned : g_ptr_array_index (boxes->layers, last - 1);
  numbers.after = sonde_format_number (boxes->pruned != NULL ? boxes->pruned_out
                                                             : boxes->layer_out[last - 1]);
  if (boxes->goal == SONDE_OCCLUSION_KEEP)
    return sentence_of_keep (boxes, list->len, output, &numbers);
  if (boxes->goal == SONDE_OCCLUSION_DESTROY)
    return sentence_of_destroy (boxes, list->len, output, &numbers);
  return g_strdup_printf (P_ ("Covering %.3g %% of the image (%u region) changes the prediction to "
                              "“%s”: %s goes from %s to %s.",
                              "Covering %.3g %% of the image (%u regions) changes the prediction "
                              "to “%s”: %s goes from %s to %s.",
                              list->len),
                          100 * boxes->area, list->len, target, output, numbers.original,
                          numbers.after);
}
