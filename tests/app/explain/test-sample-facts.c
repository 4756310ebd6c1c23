/* SPDX-License-Identifier: Apache-2.0
 * What the sample view says before any widget: trust in maps, steps of a counterfactual, verdicts
 * on disk. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "app/explain/sample/sonde-counterfactual-steps.h"
#include "explain/metrics/sonde-map-trust.h"
#include "data/explanations/sonde-annotations.h"
#include "tests/support/sonde-test-program.h"

/* ---- trust --------------------------------------------------------------- */

static SondeAttributionMap
make_map (SondeTensor *tensor, double faithfulness, double random, double randomisation, double gap,
          double agreement)
{
  return (SondeAttributionMap){ .map = tensor,
                                .score = 10,
                                .rating = { faithfulness, random, randomisation, agreement, gap } };
}

static void
test_trust (void)
{
  static const struct
  {
    double faithfulness, random, randomisation, gap, agreement;
    SondeTrust trust;
  } cases[] = {
    { NAN, NAN, NAN, NAN, NAN, SONDE_TRUST_UNCHECKED },
    { NAN, NAN, NAN, 0.01, NAN, SONDE_TRUST_UNCHECKED },
    { 0.4, 0.1, 0.2, NAN, 0.5, SONDE_TRUST_GOOD },
    { 0.4, 0.1, 0.2, 0.05, 0.5, SONDE_TRUST_GOOD },
    { 0.4, 0.1, 0.2, 5, 0.5, SONDE_TRUST_MIXED },       /* half of the score is missing */
    { 0.05, 0.1, 0.2, NAN, 0.5, SONDE_TRUST_DOUBTFUL }, /* worse than a random order */
    { 0.11, 0.1, 0.2, NAN, 0.5, SONDE_TRUST_MIXED },    /* hardly better */
    { 0.4, 0.1, 0.9, NAN, 0.5, SONDE_TRUST_DOUBTFUL },  /* the weights do not matter */
    { 0.4, 0.1, 0.45, NAN, 0.5, SONDE_TRUST_MIXED },
    { 0.4, 0.1, 0.3, NAN, 0.5, SONDE_TRUST_GOOD },
    { 0.4, 0.1, 0.2, NAN, -0.2, SONDE_TRUST_MIXED },
    { 0.4, 0.1, NAN, NAN, NAN, SONDE_TRUST_MIXED },
  };
  SondeShape shape = sonde_shape_make (2, 2, 2);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  sonde_tensor_set_double (tensor, 2, -1);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SondeAttributionMap map = make_map (tensor, cases[i].faithfulness, cases[i].random,
                                          cases[i].randomisation, cases[i].gap, cases[i].agreement);
      g_autoptr (GPtrArray) lines = NULL;

      g_test_message ("case %" G_GSIZE_FORMAT, i);
      g_assert_cmpint (sonde_map_trust_judge (&map, &lines), ==, cases[i].trust);
      g_assert_cmpuint (lines->len, ==, 4);
      for (guint k = 0; k < lines->len; k++)
        g_assert_cmpuint (strlen (((SondeTrustLine *) g_ptr_array_index (lines, k))->meaning), >,
                          40);
    }
}

static void
test_emptiness (void)
{
  SondeShape shape = sonde_shape_make (2, 2, 2);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  SondeAttributionMap map = make_map (tensor, 0.5, 0, 0, NAN, 1);

  g_assert_true (
      g_str_has_prefix (sonde_map_describe_emptiness (tensor), "The map is zero everywhere"));
  g_assert_cmpint (sonde_map_trust_judge (&map, NULL), ==, SONDE_TRUST_EMPTY);
  for (int i = 0; i < 4; i++)
    sonde_tensor_set_double (tensor, i, 3);
  g_assert_true (
      g_str_has_prefix (sonde_map_describe_emptiness (tensor), "The map has the same value"));
  sonde_tensor_set_double (tensor, 3, 4);
  g_assert_null (sonde_map_describe_emptiness (tensor));
}

/* ---- boxes --------------------------------------------------------------- */

static SondeCounterfactual *
make_boxes (const SondeCounterfactualWindow *steps, guint n)
{
  SondeCounterfactual *boxes = g_new0 (SondeCounterfactual, 1);

  boxes->original = 0.9;
  boxes->masked = 0.1;
  boxes->threshold = 0.5;
  boxes->layers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  boxes->steps = g_array_new (FALSE, FALSE, sizeof (SondeCounterfactualWindow));
  g_array_append_vals (boxes->steps, steps, n);
  return boxes;
}

static void
assert_boxes (const SondeCounterfactualStep *step, const int *xs, guint n)
{
  g_assert_cmpuint (step->n_boxes, ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (step->boxes[i].x, ==, xs[i]);
}

/* Two large windows; the first is refined by two small ones, the second by one; what stands before
 * a parent is refined by then, the parent's own children begin anew. */
static void
test_steps (void)
{
  static const SondeCounterfactualWindow tree[] = {
    { 0, -1, { 0, 0, 8, 8 }, 0.3 }, { 0, -1, { 100, 0, 8, 8 }, 0.6 }, { 1, 0, { 1, 0, 4, 4 }, 0.2 },
    { 1, 0, { 2, 0, 4, 4 }, 0.31 }, { 1, 1, { 101, 0, 4, 4 }, 0.55 },
  };
  g_autoptr (SondeCounterfactual) boxes = make_boxes (tree, 5);
  g_autoptr (GPtrArray) steps = NULL;
  GArray *last = g_array_new (FALSE, FALSE, sizeof (SondeBox));
  SondeBox box = { 7, 0, 4, 4 };
  g_autofree char *sentence = NULL;

  g_array_append_val (last, box);
  g_ptr_array_add (boxes->layers, last);
  boxes->layer_out[0] = 0.55;
  boxes->area = 0.125;
  steps = sonde_counterfactual_steps_new (boxes);
  g_assert_cmpuint (steps->len, ==, 7);
  g_assert_cmpfloat (((SondeCounterfactualStep *) g_ptr_array_index (steps, 0))->output, ==, 0.1);
  assert_boxes (g_ptr_array_index (steps, 0), NULL, 0);
  assert_boxes (g_ptr_array_index (steps, 1), (const int[]){ 0 }, 1);
  assert_boxes (g_ptr_array_index (steps, 2), (const int[]){ 0, 100 }, 2);
  assert_boxes (g_ptr_array_index (steps, 3), (const int[]){ 1 }, 1);
  assert_boxes (g_ptr_array_index (steps, 4), (const int[]){ 1, 2 }, 2);
  assert_boxes (g_ptr_array_index (steps, 5), (const int[]){ 1, 2, 101 }, 3);
  assert_boxes (g_ptr_array_index (steps, 6), (const int[]){ 7 }, 1);
  g_assert_cmpint (((SondeCounterfactualStep *) g_ptr_array_index (steps, 5))->newest, ==, 2);
  sentence = sonde_counterfactual_dup_sentence (boxes, "cat");
  g_assert_cmpstr (sentence, ==,
                   "12.5 % of the image (1 region) is enough: p(“cat”) = 0.55, threshold 0.5; the "
                   "whole image has 0.9.");
}

/* A tree that a file might hold: parents that are none, children before parents. */
static void
test_odd_tree (void)
{
  static const SondeCounterfactualWindow tree[]
      = { { 0, 7, { 0, 0, 1, 1 }, 0 }, { 5, 1, { 0, 0, 1, 1 }, 0 }, { 1, -9, { 0, 0, 1, 1 }, 0 } };
  g_autoptr (SondeCounterfactual) boxes = make_boxes (tree, 3);
  g_autoptr (GPtrArray) steps = sonde_counterfactual_steps_new (boxes);

  g_assert_cmpuint (steps->len, ==, 4);
}

static void
test_failures (void)
{
  g_autoptr (SondeCounterfactual) boxes = make_boxes (NULL, 0);
  g_autofree char *none = NULL, *below = NULL, *flip = NULL, *margin = NULL;

  boxes->goal = SONDE_OCCLUSION_DESTROY;
  boxes->status = SONDE_OCCLUSION_NO_VALID_RESULT;
  none = sonde_counterfactual_dup_sentence (boxes, "cat");
  g_assert_true (
      g_str_has_prefix (none, "No set of windows was found that removes the prediction:"));
  boxes->goal = SONDE_OCCLUSION_KEEP;
  boxes->status = SONDE_OCCLUSION_BELOW_THRESHOLD;
  below = sonde_counterfactual_dup_sentence (boxes, "cat");
  g_assert_true (g_str_has_prefix (below, "Below threshold:"));
  boxes->goal = SONDE_OCCLUSION_FLIP;
  boxes->status = SONDE_OCCLUSION_NO_VALID_RESULT;
  boxes->masked = NAN;
  flip = sonde_counterfactual_dup_sentence (boxes, "cat");
  g_assert_nonnull (strstr (flip, "margin of “cat”"));
  boxes->spec = g_strdup ("by=flip:score=probability");
  margin = sonde_counterfactual_dup_output (boxes, "cat");
  g_assert_cmpstr (margin, ==, "p(“cat”)");
}

/* The cover is what the network saw: blurred, or a number of network space back in colours. */
static void
test_masks (void)
{
  g_autoptr (SondeImage) image = sonde_image_new (12, 12, 3);
  SondeExplanationSettings settings = { .mean = (char *) "0.5,0.25,0", .std = (char *) "0.5,1,1" };
  g_autoptr (SondeImage) blur = NULL, zero = NULL, three = NULL;

  image->pixels[(6 * 12 + 6) * 3] = 255;
  blur = sonde_counterfactual_mask_new (image, "gaussian:1", NULL);
  g_assert_cmpint (blur->pixels[(6 * 12 + 6) * 3], >, 20);
  g_assert_cmpint (blur->pixels[(6 * 12 + 6) * 3], <, 60);
  g_assert_cmpint (blur->pixels[(6 * 12 + 5) * 3], >, 5);
  zero = sonde_counterfactual_mask_new (image, "0", &settings);
  g_assert_cmpint (zero->pixels[0], ==, 128);
  g_assert_cmpint (zero->pixels[1], ==, 64);
  g_assert_cmpint (zero->pixels[2], ==, 0);
  three = sonde_counterfactual_mask_new (image, "1,0,2", &settings);
  g_assert_cmpint (three->pixels[0], ==, 255);
  g_assert_cmpint (three->pixels[2], ==, 255);
  g_assert_null (sonde_counterfactual_mask_new (image, "1,2", NULL));
  g_assert_null (sonde_counterfactual_mask_new (image, "gaussian:-3", NULL));
  g_assert_null (sonde_counterfactual_mask_new (image, "gaussian:nan", NULL));
  g_assert_null (sonde_counterfactual_mask_new (image, "fog", NULL));
  g_assert_null (sonde_counterfactual_mask_new (image, NULL, NULL));
}

/* ---- annotations ------------------------------------------------------------ */

/* What is written is read again, whatever the names and notes hold; nothing is left of what was
 * taken back. */
static void
test_verdicts (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "new", "verdicts.tsv", NULL), *text = NULL;
  SondeAnnotations *annotations = sonde_annotations_new (path);
  const SondeAnnotation *annotation;

  g_assert_cmpuint (sonde_annotations_get_n (annotations), ==, 0);
  sonde_annotations_set (annotations, "a\tb\\c.png", SONDE_ANNOTATION_OTHER,
                         SONDE_CATEGORY_LABEL_ERROR, "two\nlines\tand \\ more");
  sonde_annotations_set (annotations, "d.png", SONDE_ANNOTATION_AGREE, SONDE_N_CATEGORIES, NULL);
  sonde_annotations_set (annotations, "e.png", SONDE_ANNOTATION_NONE, SONDE_N_CATEGORIES,
                         "only a note");
  sonde_annotations_set (annotations, "gone.png", SONDE_ANNOTATION_NO_ERROR, SONDE_N_CATEGORIES,
                         NULL);
  sonde_annotations_set (annotations, "gone.png", SONDE_ANNOTATION_NONE, SONDE_N_CATEGORIES, "");
  sonde_annotations_free (annotations); /* writes */
  annotations = sonde_annotations_new (path);
  g_assert_cmpuint (sonde_annotations_get_n (annotations), ==, 3);
  annotation = sonde_annotations_get (annotations, "a\tb\\c.png");
  g_assert_nonnull (annotation);
  g_assert_cmpint (annotation->kind, ==, SONDE_ANNOTATION_OTHER);
  g_assert_cmpint (annotation->category, ==, SONDE_CATEGORY_LABEL_ERROR);
  g_assert_cmpstr (annotation->note, ==, "two\nlines\tand \\ more");
  g_assert_cmpint (sonde_annotations_get (annotations, "d.png")->kind, ==, SONDE_ANNOTATION_AGREE);
  g_assert_cmpstr (sonde_annotations_get (annotations, "e.png")->note, ==, "only a note");
  g_assert_null (sonde_annotations_get (annotations, "gone.png"));
  text = sonde_annotations_dup_tsv (annotations);
  g_assert_true (
      g_str_has_prefix (text, "file\tverdict\treason\tnote\na\\tb\\\\c.png\tother\tlabel-error\t"));
  sonde_annotations_free (annotations);
  sonde_test_folder_free (folder);
}

static void
test_broken_verdicts (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "verdicts.tsv", NULL);
  g_autoptr (SondeAnnotations) annotations = NULL;

  g_assert_true (g_file_set_contents (
      path,
      "file\tverdict\treason\tnote\nx\tagree\t\t\nshort\tagree\nz\tother\tno-such-reason\t\n"
      "y\tmaybe\t\t\n\xff\tagree\t\t\n\tagree\t\t\n",
      -1, NULL));
  annotations = sonde_annotations_new (path);
  g_assert_cmpuint (sonde_annotations_get_n (annotations), ==, 1);
  g_assert_cmpuint (sonde_annotations_get_n_unread (annotations), ==, 5);
  g_clear_pointer (&annotations, sonde_annotations_free);
  sonde_test_folder_free (folder);
}

/* A folder that cannot be made is said, not lost silently. */
static void
test_unwritable_verdicts (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *file = g_build_filename (folder, "file", NULL),
                  *path = g_build_filename (file, "below", "verdicts.tsv", NULL);
  SondeAnnotations *annotations;

  g_assert_true (g_file_set_contents (file, "no folder", -1, NULL));
  annotations = sonde_annotations_new (path);
  sonde_annotations_set (annotations, "a", SONDE_ANNOTATION_AGREE, SONDE_N_CATEGORIES, NULL);
  while (sonde_annotations_get_problem (annotations) == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_nonnull (strstr (sonde_annotations_get_problem (annotations), "could not be written"));
  sonde_annotations_free (annotations);
  sonde_test_folder_free (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/explain/trust/judge", test_trust);
  g_test_add_func ("/app/explain/trust/empty-map", test_emptiness);
  g_test_add_func ("/app/explain/boxes/steps", test_steps);
  g_test_add_func ("/app/explain/boxes/odd-tree", test_odd_tree);
  g_test_add_func ("/app/explain/boxes/failures", test_failures);
  g_test_add_func ("/app/explain/boxes/masks", test_masks);
  g_test_add_func ("/app/explain/verdicts/round-trip", test_verdicts);
  g_test_add_func ("/app/explain/verdicts/broken", test_broken_verdicts);
  g_test_add_func ("/app/explain/verdicts/unwritable", test_unwritable_verdicts);
  return g_test_run ();
}
