/* SPDX-License-Identifier: Apache-2.0
 * Recorded samples: which of their maps count, what their classes are called, and what is said of
 * them. */
#include <math.h>
#include <string.h>

#include "explain/recorded/sonde-explained-reading.h"
#include "explain/recorded/sonde-explained-records.h"
#include "explain/recorded/sonde-explained-text.h"

static SondeTensor *
make_plane (float value)
{
  SondeShape shape = sonde_shape_make (2, 1, 2);
  SondeTensor *plane = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  sonde_tensor_set_double (plane, 0, value);
  return plane;
}

static SondeRecord
make_record (const char *method, const char *target_is, int target, SondeTensor *map)
{
  SondeRecord record = { .kind = SONDE_RECORD_SALIENCY };

  record.u.saliency.note = (SondeSampleNote){ .sample = (char *) "a.png",
                                              .label = 3,
                                              .predicted = 5,
                                              .label_probability = 0.25,
                                              .predicted_probability = 0.5,
                                              .label_name = (char *) "cat" };
  record.u.saliency.method = (char *) method;
  record.u.saliency.target_is = (char *) target_is;
  record.u.saliency.target = target;
  record.u.saliency.score = 1.5;
  record.u.saliency.parameters = (char *) "steps=8";
  record.u.saliency.map = map;
  return record;
}

/* Six records of one sample; the later of two maps for one reason counts, of two for chosen classes only
 * where the class is the same. */
static void
test_records (void)
{
  g_autoptr (SondeTensor) zero = make_plane (0), one = make_plane (1);
  SondeRecord records[] = {
    make_record ("saliency", "predicted", 4, zero), make_record ("saliency", "predicted", 5, one),
    make_record ("saliency", "true", 3, one),       make_record ("saliency", "class", 7, zero),
    make_record ("saliency", "class", 8, one),      make_record ("saliency", "class", 7, one)
  };
  g_autoptr (GPtrArray) list = g_ptr_array_new (), samples = NULL;
  const SondeExplanationSample *sample;
  const SondeAttributionMap *map;

  for (gsize i = 0; i < G_N_ELEMENTS (records); i++)
    g_ptr_array_add (list, &records[i]);
  samples = sonde_explained_records_list (list, NULL);
  g_assert_cmpuint (samples->len, ==, 1);
  g_assert_false (sonde_explained_sample_has_image (samples->pdata[0]));
  sample = sonde_explained_sample_get_recorded (samples->pdata[0]);
  g_assert_cmpstr (sample->result->name, ==, "a.png");
  g_assert_cmpfloat (sample->result->margin, ==, 0.25);
  g_assert_cmpint (sample->result->category, ==, SONDE_N_CATEGORIES);
  g_assert_cmpuint (sample->maps->len, ==, 4);
  map = sample->maps->pdata[0];
  g_assert_cmpint (map->target, ==, 5);
  g_assert_cmpfloat (map->score, ==, 1.5);
  g_assert_true (isnan (map->rating.gap) && map->other == -1);
  map = sample->maps->pdata[3];
  g_assert_cmpint (map->target, ==, 7);
  g_assert_true (map->map == one);
}

static void
on_reading (GObject *source, GAsyncResult *result, gpointer data)
{
  g_object_set_data_full (source, "result", g_object_ref (result), g_object_unref);
}

static SondeExplainedReading *
wait_for_reading (GObject *owner, GError **error)
{
  g_autoptr (GAsyncResult) result = NULL;

  while ((result = g_object_steal_data (owner, "result")) == NULL)
    g_main_context_iteration (NULL, TRUE);
  return sonde_explained_read_finish (result, error);
}

/* The same in a thread; a folder that is none is an error. */
static void
test_reading (void)
{
  g_autoptr (SondeTensor) zero = make_plane (0);
  SondeRecord record = make_record ("saliency", "predicted", 4, zero);
  g_autoptr (GPtrArray) list = g_ptr_array_new ();
  g_autoptr (GObject) owner = g_object_new (G_TYPE_OBJECT, NULL);
  g_autoptr (SondeExplainedReading) reading = NULL;
  g_autoptr (GError) error = NULL;

  g_ptr_array_add (list, &record);
  sonde_explained_read_records_async (owner, list, "/nowhere", "sonde", NULL, on_reading);
  reading = wait_for_reading (owner, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (reading->samples->len, ==, 1);
  g_assert_cmpuint (reading->faults->len, ==, 0);
  g_assert_null (reading->folder);
  sonde_explained_read_folder_async (owner, "/nowhere", "sonde", NULL, on_reading);
  g_assert_null (wait_for_reading (owner, &error));
  g_assert_nonnull (error);
}

static void
test_classes (void)
{
  g_autoptr (SondeTensor) one = make_plane (1);
  SondeRecord record = make_record ("saliency", "predicted", 5, one);
  g_autoptr (GPtrArray) list = g_ptr_array_new (), samples = NULL;
  const SondeExplanationSample *sample;
  g_autoptr (SondeAttributionMap) chosen = sonde_attribution_map_new (0, "saliency", -1);
  const struct
  {
    gint64 class;
    const char *name;
  } cases[] = { { 3, "cat" }, { 5, "class 5" }, { 9, "class 9" }, { -1, "unknown" } };

  g_ptr_array_add (list, &record);
  samples = sonde_explained_records_list (list, NULL);
  sample = sonde_explained_sample_get_recorded (samples->pdata[0]);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = sonde_explanation_sample_dup_class (sample, cases[i].class);

      g_assert_cmpstr (name, ==, cases[i].name);
    }
  chosen->target_is = g_strdup ("class");
  {
    g_autofree char *name = sonde_explanation_sample_dup_target (sample, chosen);

    g_assert_cmpstr (name, ==, "the class that was asked for");
  }
  chosen->target_name = g_strdup ("dog");
  {
    g_autofree char *name = sonde_explanation_sample_dup_target (sample, chosen);
    g_autofree char *caption = sonde_explained_dup_caption (chosen, name);

    g_assert_cmpstr (caption, ==, "For “dog” · chosen");
  }
  g_clear_pointer (&chosen->target_is, g_free);
  {
    g_autofree char *caption = sonde_explained_dup_caption (chosen, "dog");

    g_assert_cmpstr (caption, ==, "For “dog”");
  }
}

static void
check_texts (const SondeExplanationSample *sample, const char *heading, const char *note)
{
  g_autofree char *own_heading = sonde_explained_dup_heading (sample),
                  *own_note = sonde_explained_dup_note (sample),
                  *detail = sonde_explained_dup_detail (sample);

  g_assert_cmpstr (own_heading, ==, heading);
  g_assert_cmpstr (own_note, ==, note);
  g_assert_cmpstr (detail, ==, "a.png · p(class 5) = 0.500 · p(cat) = 0.250");
}

/* What is said of a map that is there, of one that is empty, of none, and of the object. */
static void
test_texts (void)
{
  SondeSampleResult *result = sonde_sample_result_new (0, "a.png");
  g_autoptr (SondeExplanationSample) sample = NULL;
  SondeAttributionMap *map = sonde_attribution_map_new (0, "saliency", 5);

  result->label = 3;
  result->predicted = 5;
  result->label_name = g_strdup ("cat");
  result->p_label = 0.25;
  result->p_predicted = 0.5;
  sample = sonde_explanation_sample_new (result);
  check_texts (sample, "“cat” classified as “class 5”", "No map of this image was recorded.");
  map->map = make_plane (0);
  map->parameters = g_strdup ("steps=8");
  sonde_explanation_sample_take_map (sample, map);
  check_texts (
      sample, "“cat” classified as “class 5”",
      "Recorded with: steps=8. The maps are zero everywhere: the prediction does not depend "
      "on small changes of this image.");
  sonde_tensor_set_double (map->map, 1, -1);
  sample->mask = make_plane (0);
  check_texts (sample, "“cat” classified as “class 5”",
               "Recorded with: steps=8. The outline is the object as it was drawn.");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explain/recorded/records", test_records);
  g_test_add_func ("/explain/recorded/reading", test_reading);
  g_test_add_func ("/explain/recorded/classes", test_classes);
  g_test_add_func ("/explain/recorded/texts", test_texts);
  return g_test_run ();
}
