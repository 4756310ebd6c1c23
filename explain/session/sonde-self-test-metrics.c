/* SPDX-License-Identifier: Apache-2.0
 * Metrics, calibration and label errors on examples small enough for paper, and hierarchical
 * occlusion on a formula. */
#include <math.h>
#include <string.h>

#include "data/base/sonde-text.h"
#include "explain/counterfactual/sonde-hierarchical-occlusion.h"
#include "explain/metrics/sonde-deletion.h"
#include "explain/metrics/sonde-localisation.h"
#include "explain/metrics/sonde-map-order.h"
#include "explain/session/sonde-self-test-private.h"
#include "explain/triage/sonde-calibration.h"
#include "explain/triage/sonde-label-errors.h"

#define SIDE 8
#define FROM 2
#define TO 5

/* ---- toy T: f is the mean of the 3 × 3 block at rows and columns 2…4 of 8 × 8 ---- */

static gboolean
is_in_block (gint64 i)
{
  gint64 y = i % (SIDE * SIDE) / SIDE, x = i % SIDE;

  return y >= FROM && y < TO && x >= FROM && x < TO;
}

static gboolean
score_block (SondeTensor *images, double *scores, gpointer data, GError **error)
{
  for (gint64 n = 0; n < images->shape.dims[0]; n++)
    {
      scores[n] = 0;
      for (gint64 i = 0; i < SIDE * SIDE; i++)
        if (is_in_block (i))
          scores[n] += sonde_tensor_get_double (images, n * SIDE * SIDE + i) / 9.0;
    }
  return TRUE;
}

static SondeTensor *
make_map (gboolean block, double inside, double outside)
{
  SondeShape shape = sonde_shape_make (2, SIDE, SIDE);
  SondeTensor *map = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < SIDE * SIDE; i++)
    sonde_tensor_set_double (map, i, !block || is_in_block (i) ? inside : outside);
  return map;
}

static SondeTensor *
make_image (double value)
{
  SondeShape shape = sonde_shape_make (3, 1, SIDE, SIDE);
  g_autoptr (SondeTensor) map = make_map (FALSE, value, value);

  return sonde_tensor_reshape (map, &shape);
}

static void
check_curves (GPtrArray *checks)
{
  static const double expected[] = { 4.5 / 64, 1 - 4.5 / 64 };
  const char *name = "deletion, insertion";
  SondeMessage *sentence = sonde_message_new (
      "f is the mean of a 3×3 block of an image of ones and the map is that block: the "
      "area under 64 steps of one pixel is 4.5/64, and its complement for insertion.");
  g_autoptr (SondeTensor) ones = make_image (1), zeros = make_image (0),
                          map = make_map (TRUE, 1, 0);
  g_autofree guint *order = sonde_map_order (map);
  double curve[SIDE * SIDE + 1], got[2];
  g_autoptr (GError) error = NULL;

  if (!sonde_deletion_curve (ones, zeros, order, SIDE * SIDE, score_block, NULL, curve, &error))
    {
      g_ptr_array_add (checks, sonde_self_test_check_new_failed (name, sentence, error));
      return;
    }
  got[0] = sonde_curve_area (curve, SIDE * SIDE);
  if (!sonde_deletion_curve (zeros, ones, order, SIDE * SIDE, score_block, NULL, curve, &error))
    {
      g_ptr_array_add (checks, sonde_self_test_check_new_failed (name, sentence, error));
      return;
    }
  got[1] = sonde_curve_area (curve, SIDE * SIDE);
  g_ptr_array_add (checks, sonde_self_test_check_new (name, sentence, expected, got, 2, 1e-6));
}

static SondeTensor *
make_mask (gint64 columns)
{
  SondeShape shape = sonde_shape_make (2, SIDE, SIDE);
  SondeTensor *mask = sonde_tensor_new (SONDE_DTYPE_U8, &shape);

  for (gint64 i = 0; i < SIDE * SIDE; i++)
    mask->data[i] = is_in_block (i) && i % SIDE < FROM + columns;
  return mask;
}

static void
check_localisation (GPtrArray *checks)
{
  static const double expected[] = { 1, 6.0 / 9, 9.0 / 64, 1 };
  g_autoptr (SondeTensor) block = make_map (TRUE, 1, 0), flat = make_map (FALSE, 1, 1),
                          whole = make_mask (3), part = make_mask (2);
  const double got[]
      = { sonde_localisation_iosr (block, whole, 0.5), sonde_localisation_iosr (block, part, 0.5),
          sonde_localisation_iosr (flat, whole, 0.5), sonde_localisation_points (block, whole) };

  g_ptr_array_add (
      checks, sonde_self_test_check_new (
                  "iosr, pointing",
                  sonde_message_new ("The map is a 3×3 block: all of it lies in that block and 6/9 "
                                     "of it in two of its columns; a uniform map has the block's "
                                     "share of the image, and the block points at itself."),
                  expected, got, 4, 1e-9));
}

static void
check_similarity (GPtrArray *checks)
{
  static const double expected[] = { 1, 1, -1 };
  g_autoptr (SondeTensor) map = make_map (TRUE, 1, 0), cubed = make_map (TRUE, 1, 0),
                          inverse = make_map (TRUE, 0, 1);
  double got[3];

  for (gint64 i = 0; i < SIDE * SIDE; i++)
    {
      sonde_tensor_set_double (map, i, (double) i);
      sonde_tensor_set_double (cubed, i, (double) (i * i * i));
      sonde_tensor_set_double (inverse, i, (double) -i);
    }
  got[0] = sonde_map_ssim (map, map, FALSE);
  got[1] = sonde_map_spearman (map, cubed, FALSE);
  got[2] = sonde_map_spearman (map, inverse, FALSE);
  g_ptr_array_add (checks,
                   sonde_self_test_check_new (
                       N_ ("similarity of maps"),
                       sonde_message_new ("A map equals itself, ranks are invariant under monotone "
                                          "transformations and are reversed by a minus sign."),
                       expected, got, 3, 1e-6));
}

/* ---- eight answers on paper ---------------------------------------------- */

static const float answers[8][3]
    = { { .9f, .05f, .05f }, { .8f, .1f, .1f }, { .2f, .7f, .1f }, { .1f, .85f, .05f },
        { .05f, .9f, .05f }, { .1f, .2f, .7f }, { .3f, .1f, .6f }, { .05f, .05f, .9f } };
static const gint64 labels[8] = { 0, 0, 0, 1, 1, 2, 2, 1 };

static void
check_calibration (GPtrArray *checks)
{
  static const double expected[] = { .75, .4225, .758632, .14375, .4 };
  SondeCalibration calibration;
  double got[5];

  sonde_calibration_measure (&calibration, &answers[0][0], labels, 8, 3, 5);
  got[0] = calibration.accuracy;
  got[1] = calibration.brier;
  got[2] = calibration.nll;
  got[3] = calibration.ece;
  got[4] = calibration.mce;
  g_ptr_array_add (checks,
                   sonde_self_test_check_new (
                       N_ ("calibration"),
                       sonde_message_new ("Accuracy, Brier score, NLL, ECE and MCE with five "
                                          "bins for eight predictions of three classes."),
                       expected, got, 5, 2e-5));
}

static void
check_labels (GPtrArray *checks)
{
  static const double expected[] = { .633333, .6, .65, 2, 1, 0, 0, 2, 1, 0, 0, 1 };
  g_autoptr (SondeLabelErrors) errors = sonde_label_errors_new (&answers[0][0], labels, 8, 3);
  double got[12];

  for (guint i = 0; i < 3; i++)
    got[i] = errors->thresholds[i];
  for (guint i = 0; i < 9; i++)
    got[3 + i] = errors->joint[i];
  g_ptr_array_add (checks,
                   sonde_self_test_check_new (
                       N_ ("label errors"),
                       sonde_message_new ("Confident learning on the same eight predictions: "
                                          "class thresholds, then joint counts."),
                       expected, got, 12, 2e-5));
}

/* ---- boxes --------------------------------------------------------------- */

static void
check_boxes (GPtrArray *checks)
{
  const char *name = N_ ("hierarchical occlusion");
  SondeMessage *sentence = sonde_message_new (
      "f is the mean of a 3×3 block. Revealed windows reach 0.5, hidden ones fall "
      "below it, and f of the composed image equals the reported score.");
  static const double thresholds[] = { 0.5 }, expected[] = { 0, 1, 1, 0, 1, 1 };
  g_autoptr (SondeTensor) ones = make_image (1), zeros = make_image (0);
  double got[6];

  for (guint goal = 0; goal < 2; goal++)
    {
      SondeOcclusionSettings settings
          = { .goal = goal == 0 ? SONDE_OCCLUSION_KEEP : SONDE_OCCLUSION_DESTROY,
              .n_layers = 2,
              .windows = { 4, 2 },
              .strides = { 1, 1 },
              .thresholds = thresholds,
              .n_thresholds = 1 };
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) results
          = sonde_hierarchical_occlusion_run (ones, zeros, &settings, score_block, NULL, &error);
      const SondeOcclusionResult *result = results != NULL ? g_ptr_array_index (results, 0) : NULL;
      g_autoptr (SondeTensor) image = goal == 0 ? make_image (0) : make_image (1);
      double out = NAN, said;

      if (result == NULL || result->n_layers == 0)
        {
          g_ptr_array_add (checks, sonde_self_test_check_new_failed (name, sentence, error));
          return;
        }
      for (guint i = 0; i < result->boxes[result->n_layers - 1]->len; i++)
        {
          SondeBox box = g_array_index (result->boxes[result->n_layers - 1], SondeBox, i);

          for (int y = box.y; y < box.y + box.height; y++)
            for (int x = box.x; x < box.x + box.width; x++)
              sonde_tensor_set_double (image, y * SIDE + x, goal == 0 ? 1 : 0);
        }
      said = result->layer_out[result->n_layers - 1];
      if (!score_block (image, &out, NULL, NULL))
        out = NAN;
      got[goal * 3] = result->status;
      got[goal * 3 + 1] = goal == 0 ? said >= 0.5 : said <= 0.5;
      got[goal * 3 + 2] = fabs (out - said) < 1e-6;
    }
  g_ptr_array_add (checks, sonde_self_test_check_new (name, sentence, expected, got, 6, 0));
}

void
sonde_self_test_add_metrics (GPtrArray *checks)
{
  check_curves (checks);
  check_localisation (checks);
  check_similarity (checks);
  check_calibration (checks);
  check_labels (checks);
  check_boxes (checks);
}
