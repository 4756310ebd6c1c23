/* SPDX-License-Identifier: Apache-2.0
 * Recorded explanations whose pictures and maps lie in files: nothing is decoded that nobody looks
 * at. */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "app/explain/browser/sonde-explain-browser.h"
#include "app/explain/browser/sonde-explain-gallery.h"
#include "data/explanations/sonde-counterfactual.h"
#include "explain/recorded/sonde-explained-folder.h"
#include "explain/recorded/sonde-explained-log.h"
#include "data/explanations/sonde-explanation-settings.h"
#include "data/arrays/sonde-npy.h"
#include "data/images/sonde-png.h"
#include "tests/app/pages/window-fixture.h"
#include "viewers/sonde-saliency-view.h"

#define N_SAMPLES 3000
#define LOOKED_AT 1500
#define MAX_IN_SIGHT                                                                               \
  600 /* tiles that a list makes for one window, with what it keeps ready around it */

static const SondeExplanationSample *
recorded_of (SondeExplainedSample *sample)
{
  return sonde_explained_sample_get_recorded (sample);
}

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

static gboolean
says (WindowFixture *fixture, const void *data)
{
  return window_fixture_find_label (page_of (fixture), data) != NULL;
}

static void
write_bytes (const char *folder, const char *name, GBytes *bytes)
{
  g_autofree char *path = g_build_filename (folder, name, NULL),
                  *parent = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  g_assert_true (g_file_set_contents_full (path, g_bytes_get_data (bytes, NULL),
                                           (gssize) g_bytes_get_size (bytes),
                                           G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

static GBytes *
make_png (int width, int height, guint bright)
{
  g_autoptr (SondeImage) image = sonde_image_new (width, height, 1);

  image->pixels[bright] = 255;
  return sonde_png_encode (image);
}

static void
add_event (SondeTestRun *run, SondeExplanation *explanation)
{
  SondeRecord record = { .kind = SONDE_RECORD_EXPLAIN,
                         .step = 1,
                         .session = 1,
                         .tag = g_intern_static_string ("explain"),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS,
                         .u.explanation = explanation };

  sonde_test_run_record (run, &record);
}

/* Samples of two classes, all misclassified, with a map by each of two methods; the second map of sample
 * 1 is no picture, that of sample 2 is not there. */
static void
write_log (SondeTestRun *run, const char *folder)
{
  g_autoptr (GBytes) picture = make_png (8, 6, 3), heat_map = make_png (8, 6, 5),
                     nonsense = g_bytes_new_static ("nonsense", 8);
  char *labels[] = { (char *) "cat", (char *) "dog", NULL };

  add_event (run, &(SondeExplanation){ .labels = labels });
  for (guint i = 0; i < N_SAMPLES; i++)
    {
      g_autofree char *image = g_strdup_printf ("_explain_1/%u.png", i);
      g_autofree char *first = g_strdup_printf ("_explain_1/first/%u.png", i);
      g_autofree char *second = g_strdup_printf ("_explain_1/second/%u.png", i);
      SondeExplanationClass truth = { (int) i % 2, 0.25, NAN, NAN, NAN },
                            answer = { 1 - (int) i % 2, 0.75, NAN, NAN, NAN };
      SondeExplanationMap maps[] = { { (char *) "GradCAM", answer.label, first },
                                     { (char *) "RISE", answer.label, second } };

      add_event (run, &(SondeExplanation){ .has_sample = TRUE,
                                           .sample = i,
                                           .image = image,
                                           .truths = &truth,
                                           .n_truths = 1,
                                           .predictions = &answer,
                                           .n_predictions = 1,
                                           .maps = maps,
                                           .n_maps = 2 });
      write_bytes (folder, image, picture);
      if (i > 2 && i != LOOKED_AT)
        continue; /* of the others nobody asks for a map */
      write_bytes (folder, first, heat_map);
      if (i != 2)
        write_bytes (folder, second, i == 1 ? nonsense : heat_map);
    }
}

static guint
count_maps (GtkWidget *widget)
{
  guint n = 0;

  if (SONDE_IS_SALIENCY_VIEW (widget))
    {
      g_autofree char *text = sonde_view_describe (SONDE_VIEW (widget));

      return strstr (text, "scale ±") != NULL;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += count_maps (child);
  return n;
}

/* The list that scrolls below @widget. */
static GtkAdjustment *
find_scroll (GtkWidget *widget)
{
  GtkWidget *list = window_fixture_find (widget, GTK_TYPE_GRID_VIEW);

  g_assert_nonnull (list);
  return gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (list));
}

static SondeExplainedFiles *
files_of (WindowFixture *fixture)
{
  SondeExplainGallery *gallery
      = SONDE_EXPLAIN_GALLERY (window_fixture_find (page_of (fixture), SONDE_TYPE_EXPLAIN_GALLERY));
  g_autoptr (SondeExplainItem) item = sonde_explain_gallery_get_shown (gallery, 0);

  return sonde_explained_sample_get_map_files (sonde_explain_item_get_recorded (item));
}

/* A log of thousands: the list decodes what it shows, a sample its maps; where one cannot be read
 * stands why. */
static void
test_long_log (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *path = NULL;
  SondeExplainedFiles *files;
  SondeExplainBrowser *browser;
  GtkAdjustment *scroll;
  guint n, before;

  fixture.folder = g_dir_make_tmp ("sonde-explained-XXXXXX", NULL);
  path = g_build_filename (fixture.folder, "run", NULL);
  fixture.run_a = sonde_test_run_new (path);
  write_log (fixture.run_a, path);
  sonde_test_run_flush (fixture.run_a);
  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "explain", NULL);
  g_assert_cmpstr (sonde_page_get_status (SONDE_PAGE (page_of (&fixture))), ==,
                   "3,000 of 3,000 explained samples");
  files = files_of (&fixture);
  n = sonde_explained_files_get_n_decoded (files);
  g_assert_cmpuint (n, >, 0);
  g_assert_cmpuint (n, <, MAX_IN_SIGHT);
  /* to the end at once: what lies between is never decoded */
  scroll = find_scroll (page_of (&fixture));
  gtk_adjustment_set_value (scroll, gtk_adjustment_get_upper (scroll));
  window_fixture_settle (&fixture);
  g_assert_cmpuint (sonde_explained_files_get_n_decoded (files), >, n);
  g_assert_cmpuint (sonde_explained_files_get_n_decoded (files), <, n + MAX_IN_SIGHT);
  browser = SONDE_EXPLAIN_BROWSER (
      window_fixture_find (page_of (&fixture), SONDE_TYPE_EXPLAIN_BROWSER));
  before = sonde_explained_files_get_n_decoded (files);
  g_assert_true (sonde_explain_browser_go_to (browser, "sample:1500"));
  window_fixture_settle (&fixture);
  g_assert_cmpuint (count_maps (page_of (&fixture)), ==, 2);
  n = sonde_explained_files_get_n_decoded (files) - before;
  g_assert_cmpuint (n, >=, 3); /* the picture may be asked for by the list, too */
  g_assert_cmpuint (n, <=, 4);
  g_assert_true (sonde_explain_browser_go_to (browser, "sample:1"));
  window_fixture_settle (&fixture);
  g_assert_cmpuint (count_maps (page_of (&fixture)), ==, 1);
  g_assert_true (says (&fixture, "no map"));
  g_assert_true (says (&fixture, "“_explain_1/second/1.png”"));
  g_assert_true (sonde_explain_browser_go_to (browser, "sample:2"));
  window_fixture_settle (&fixture);
  g_assert_cmpuint (count_maps (page_of (&fixture)), ==, 1);
  g_assert_true (says (&fixture, "no map"));
  /* seen before: nothing is decoded again */
  before = sonde_explained_files_get_n_decoded (files);
  g_assert_true (sonde_explain_browser_go_to (browser, "sample:1500"));
  window_fixture_settle (&fixture);
  g_assert_cmpuint (count_maps (page_of (&fixture)), ==, 2);
  g_assert_cmpuint (sonde_explained_files_get_n_decoded (files), ==, before);
  window_fixture_clear (&fixture);
}

/* ---- the parts of it ----------------------------------------------------- */

/* Events become samples without a look at any file; of too many maps the last are left out, in
 * words. */
static void
test_join (void)
{
  g_autoptr (SondeExplainedFiles) files = sonde_explained_files_new ("/nowhere", "/bin/false");
  g_autoptr (GPtrArray) records = g_ptr_array_new (),
                        faults = g_ptr_array_new_with_free_func (g_free), samples = NULL;
  SondeExplanationMap maps[300];
  SondeExplanation one
      = { .has_sample = TRUE, .sample = 7, .image = (char *) "a.png", .maps = maps, .n_maps = 300 };
  SondeExplanation two = { .has_sample = TRUE, .sample = 9, .maps = maps, .n_maps = 1 };
  SondeRecord events[] = { { .kind = SONDE_RECORD_EXPLAIN, .u.explanation = &one },
                           { .kind = SONDE_RECORD_EXPLAIN, .u.explanation = &two } };
  const SondeAttributionMap *map;

  for (int i = 0; i < 300; i++)
    maps[i] = (SondeExplanationMap){ (char *) "RISE", i, (char *) "map.png" };
  g_ptr_array_add (records, &events[0]);
  g_ptr_array_add (records, &events[1]);
  samples = sonde_explained_log_join (records, files, faults);
  g_assert_cmpuint (samples->len, ==, 2);
  g_assert_cmpuint (recorded_of (samples->pdata[0])->maps->len, ==, 256);
  g_assert_cmpuint (faults->len, ==, 1);
  g_assert_cmpstr (faults->pdata[0], ==,
                   "Of the 300 heat maps of “a.png”, the last 44 are left out.");
  g_assert_true (sonde_explained_sample_has_image (samples->pdata[0]));
  g_assert_false (sonde_explained_sample_has_image (samples->pdata[1]));
  g_assert_cmpstr (recorded_of (samples->pdata[1])->result->name, ==, "sample 9");
  map = g_ptr_array_index (recorded_of (samples->pdata[1])->maps, 0);
  g_assert_null (map->map);
  g_assert_cmpstr (map->path, ==, "map.png");
  g_assert_cmpuint (sonde_explained_files_get_n_decoded (files), ==, 0);
}

typedef struct
{
  SondeTensor *map;
  GError *error;
  guint n;
} Answer;

static void
on_map (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;

  answer->map = sonde_explained_files_read_map_finish (SONDE_EXPLAINED_FILES (source), result,
                                                       &answer->error);
  answer->n++;
}

static SondeTensor *
read_map (SondeExplainedFiles *files, const char *path, GError **error)
{
  Answer answer = { 0 };

  sonde_explained_files_read_map_async (files, path, NULL, on_map, &answer);
  while (answer.n == 0)
    g_main_context_iteration (NULL, TRUE);
  if (answer.error != NULL)
    g_propagate_error (error, answer.error);
  return answer.map;
}

static void
write_array (const char *folder, const char *name, SondeTensor *tensor)
{
  g_autoptr (GBytes) bytes = sonde_npy_serialise (tensor);

  write_bytes (folder, name, bytes);
}

static void
remove_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_remove (path);
    }
  g_rmdir (folder);
}

/* Ninety maps of 1 MiB: 64 MiB of them are kept, those used last. */
static void
test_kept (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-explained-XXXXXX", NULL);
  g_autoptr (SondeExplainedFiles) files = sonde_explained_files_new (folder, "/bin/false");
  SondeShape shape = sonde_shape_make (2, 512, 512);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (int i = 0; i < 90; i++)
    {
      g_autofree char *name = g_strdup_printf ("%d.npy", i);
      g_autoptr (SondeTensor) map = NULL;
      g_autoptr (GError) error = NULL;

      sonde_tensor_set_double (tensor, 3, i);
      write_array (folder, name, tensor);
      map = read_map (files, name, &error);
      g_assert_no_error (error);
      g_assert_cmpfloat (sonde_tensor_get_double (map, 3), ==, i);
      g_assert_cmpuint (sonde_explained_files_get_n_kept (files), <=, 64 << 20);
    }
  g_assert_cmpuint (sonde_explained_files_get_n_decoded (files), ==, 90);
  sonde_tensor_unref (read_map (files, "89.npy", NULL));
  sonde_tensor_unref (read_map (files, "26.npy", NULL));
  g_assert_cmpuint (sonde_explained_files_get_n_decoded (files), ==, 90);
  sonde_tensor_unref (read_map (files, "0.npy", NULL));
  g_assert_cmpuint (sonde_explained_files_get_n_decoded (files), ==, 91);
  sonde_tensor_unref (read_map (files, "26.npy", NULL)); /* used since: 27 went */
  g_assert_cmpuint (sonde_explained_files_get_n_decoded (files), ==, 91);
  sonde_tensor_unref (read_map (files, "27.npy", NULL));
  g_assert_cmpuint (sonde_explained_files_get_n_decoded (files), ==, 92);
  remove_files (folder);
}

/* What is no map, lies elsewhere, or is not wanted any more. */
static void
test_faults (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-explained-XXXXXX", NULL);
  g_autoptr (SondeExplainedFiles) files = sonde_explained_files_new (folder, "/bin/false");
  SondeShape deep = sonde_shape_make (3, 3, 4, 5), flat = sonde_shape_make (2, 4, 5);
  g_autoptr (SondeTensor) channels = sonde_tensor_new (SONDE_DTYPE_F32, &deep),
                          whole = sonde_tensor_new (SONDE_DTYPE_F64, &flat);
  g_autoptr (SondeTensor) map = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  Answer answers[8] = { 0 };

  write_array (folder, "channels.npy", channels);
  sonde_tensor_set_double (whole, 7, -2.5);
  write_array (folder, "whole.npy", whole);
  g_assert_null (read_map (files, "channels.npy", &error));
  g_assert_nonnull (strstr (error->message, "--map-channels"));
  g_clear_error (&error);
  g_assert_null (read_map (files, "/etc/hostname.npy", &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  g_assert_null (read_map (files, "../x.npy", &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  map = read_map (files, "whole.npy", &error);
  g_assert_no_error (error);
  g_assert_cmpint (map->dtype, ==, SONDE_DTYPE_F32);
  g_assert_cmpfloat (sonde_tensor_get_double (map, 7), ==, -2.5);
  /* no map of an array that is not there */
  for (guint i = 0; i < G_N_ELEMENTS (answers); i++)
    sonde_explained_files_read_map_async (files, "channels.npy", cancellable, on_map, &answers[i]);
  g_cancellable_cancel (cancellable);
  for (guint i = 0; i < G_N_ELEMENTS (answers); i++)
    {
      while (answers[i].n == 0)
        g_main_context_iteration (NULL, TRUE);
      g_assert_error (answers[i].error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_clear_error (&answers[i].error);
    }
  remove_files (folder);
}

/* ---- a folder of explanations -------------------------------------------- */

static void
write_text (const char *folder, const char *name, const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));

  write_bytes (folder, name, bytes);
}

#define BOXES                                                                                      \
  "{\"by\":\"unmasking\",\"target\":1,\"mask\":\"gaussian:1\",\"result\":\"ok\",\"threshold\":0."  \
  "5,\"original\":0.7,"                                                                            \
  "\"layer_out\":[0.75,0.625],\"boxes\":[[[0,0,4,4]],[[1,1,2,2]]],\"tree\":[{\"layer\":0,"         \
  "\"order\":0,\"box\":[0,0,4,4],"                                                                 \
  "\"out\":0.75,\"children\":[{\"layer\":1,\"order\":1,\"box\":[1,1,2,2],\"out\":0.625,"           \
  "\"children\":[]}]}],\"area\":0.0833}"

/* Three pictures of two classes as `sonde explain --triage --hoc auto --output` leaves them; the
 * model is not there. */
static void
write_explained (const char *folder, const char *settings)
{
  g_autoptr (GBytes) picture = make_png (8, 6, 3);
  SondeShape shape = sonde_shape_make (2, 6, 8);
  g_autoptr (SondeTensor) map = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  write_text (folder, "out/predictions.tsv",
              "file\ttrue\tpredicted\tp_true\tp_predicted\tmargin\treason\n"
              "big cat/1.png\tbig cat\tdog\t0.25\t0.75\t0.5\tboundary\n"
              "dog/1.png\tdog\tbig cat\tnan\t7\t0.5\tnonsense\n"
              "dog/2.png\tdog\tdog\t0.5\t0.5\t0.1\t\n"
              "dog/2.png\tdog\tdog\t0.5\t0.5\t0.1\t\n"
              "twin/3.png\tdog\tdog\t0.5\t0.5\t0.1\t\n"
              "twin/3.jpg\tdog\tdog\t0.5\t0.5\t0.1\t\n");
  write_text (folder, "out/triage.tsv",
              "file\ttrue\tpredicted\treason\tothers\tevidence\nbig cat/1.png\tbig "
              "cat\tdog\tboundary\t\tclose\n");
  write_text (folder, "out/settings.json", settings);
  write_bytes (folder, "data/big cat/1.png", picture);
  sonde_tensor_set_double (map, 5, -4);
  for (int k = 0; k < 2; k++)
    {
      g_autoptr (GBytes) bytes = sonde_npy_serialise (map);

      write_bytes (folder,
                   k == 0 ? "out/maps/saliency/predicted/big_cat/1.npy"
                          : "out/maps/saliency/predicted/dog/3.npy",
                   bytes);
    }
  write_text (folder, "out/maps/saliency/true/big_cat/1.npy", "nonsense");
  write_text (folder, "out/hoc/unmasking/big_cat/1.json", BOXES);
  write_text (folder, "out/hoc/flip/big_cat/1.json", "{\"by\":\"flip\"}");
}

static void
remove_tree (const char *folder)
{
  g_autofree char *quoted = g_shell_quote (folder),
                  *command = g_strconcat ("rm -rf ", quoted, NULL);

  g_assert_true (g_spawn_command_line_sync (command, NULL, NULL, NULL, NULL));
}

static void
test_folder (void)
{
  g_autofree char *top = g_dir_make_tmp ("sonde-explained-XXXXXX", NULL),
                  *folder = g_build_filename (top, "out", NULL);
  g_autofree char *settings
      = g_strdup_printf ("{\"folder\":\"%s\",\"model\":\"gone.onnx\",\"data\":\"images:data\","
                         "\"mean\":\"1,2,3\",\"seed\":-4}",
                         top);
  g_autofree char *model = g_build_filename (top, "gone.onnx", NULL),
                  *data = g_strdup_printf ("images:%s/data", top);
  g_autoptr (SondeExplanationFolder) read = NULL;
  g_autoptr (GPtrArray) samples = NULL;
  g_autoptr (GError) error = NULL;
  SondeExplainedSample *cat, *dog;
  const SondeAttributionMap *map;
  const SondeCounterfactual *boxes;
  g_autofree char *target = NULL;

  g_assert_false (sonde_explanation_folder_is (top));
  g_assert_false (sonde_explanation_folder_is (folder));
  write_explained (top, settings);
  g_assert_true (sonde_explanation_folder_is (folder));
  g_assert_false (sonde_explanation_folder_is (top));
  read = sonde_explanation_folder_read (folder, &error);
  g_assert_no_error (error);
  samples = sonde_explained_folder_list (folder, read, "/bin/false");
  g_assert_cmpstr (read->settings->model, ==, model);
  g_assert_cmpstr (read->settings->data, ==, data);
  g_assert_cmpstr (read->settings->mean, ==, "1,2,3");
  g_assert_cmpint (read->settings->seed, ==, 0);
  g_assert_true (g_str_has_prefix (read->missing, "The model “"));
  g_assert_cmpuint (samples->len, ==, 5);
  cat = g_ptr_array_index (samples, 0);
  dog = g_ptr_array_index (samples, 1);
  g_assert_cmpstr (recorded_of (cat)->result->label_name, ==, "big cat");
  g_assert_cmpfloat (recorded_of (cat)->result->p_predicted, ==, 0.75);
  g_assert_cmpint (recorded_of (cat)->result->category, ==, SONDE_CATEGORY_BOUNDARY);
  g_assert_cmpstr (sonde_message_get_english (recorded_of (cat)->result->evidence), ==, "close");
  g_assert_true (sonde_explained_sample_has_image (cat));
  g_assert_false (sonde_explained_sample_has_image (dog));
  g_assert_true (isnan (recorded_of (dog)->result->p_predicted));
  g_assert_cmpint (recorded_of (dog)->result->category, ==, SONDE_N_CATEGORIES);
  g_assert_cmpuint (recorded_of (dog)->maps->len, ==, 0);
  g_assert_cmpuint (recorded_of (cat)->maps->len, ==, 2);
  map = g_ptr_array_index (recorded_of (cat)->maps, 1);
  g_assert_cmpstr (map->target_is, ==, "true");
  g_assert_cmpint (map->target, ==, recorded_of (cat)->result->label);
  g_assert_cmpuint (recorded_of (cat)->counterfactuals->len, ==, 1);
  boxes = g_ptr_array_index (recorded_of (cat)->counterfactuals, 0);
  target = sonde_explanation_sample_dup_class (recorded_of (cat), boxes->target);
  g_assert_cmpstr (target, ==, "dog");
  g_assert_cmpuint (boxes->steps->len, ==, 2);
  g_assert_cmpint (g_array_index (boxes->steps, SondeCounterfactualWindow, 1).parent, ==, 0);
  g_assert_cmpfloat (boxes->layer_out[1], ==, 0.625);
  /* the second row of a name, a map of two samples, boxes without a result */
  g_assert_cmpuint (read->faults->len, ==, 3);
  g_assert_nonnull (strstr (read->faults->pdata[0], "dog/2.png"));
  g_assert_nonnull (strstr (read->faults->pdata[1], "maps/saliency/predicted/dog/3.npy"));
  g_assert_nonnull (strstr (read->faults->pdata[2], "hoc/flip/big_cat/1.json"));
  remove_tree (top);
}

/* Settings that are none, and JSON that is made to harm. */
static void
test_hostile (void)
{
  static const char *const settings[]
      = { "", "[]", "{\"model\":[1],\"data\":{}}", "{\"model\":\"\"}", "nonsense" };
  static const char *const boxes[] = {
    "",
    "[]",
    "{}",
    "{\"by\":\"flip\",\"result\":\"ok\",\"layer_out\":[1],\"boxes\":[[[0,0,-1,4]]]}",
    "{\"by\":\"flip\",\"result\":\"ok\",\"layer_out\":[1,1,1,1,1,1,1,1,1]}",
    "{\"by\":\"flip\",\"result\":\"ok\",\"layer_out\":[1],\"boxes\":[[[0,0,1e300,4]]]}",
    "{\"by\":\"flip\",\"result\":\"ok\",\"layer_out\":[1],\"boxes\":[[7,null,[1]]]}",
    "{\"by\":\"flip\",\"result\":\"ok\",\"tree\":[{\"layer\":9,\"box\":[0,0,1,1]}]}",
    "{\"by\":\"flip\",\"result\":\"ok\",\"tree\":[{\"layer\":0,\"order\":5,\"box\":[0,0,1,1],"
    "\"children\":"
    "[{\"layer\":1,\"order\":1,\"box\":[0,0,1,1]}]}]}",
  };
  g_autofree char *top = g_dir_make_tmp ("sonde-explained-XXXXXX", NULL),
                  *deep = g_strnfill (100000, '[');
  g_autoptr (GBytes) nested = g_bytes_new_static (deep, strlen (deep));
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (settings) + 1; i++)
    {
      g_autofree char *target = NULL, *missing = NULL;
      g_autoptr (SondeExplanationSettings) read = NULL;

      write_text (top, "settings.json", i < G_N_ELEMENTS (settings) ? settings[i] : deep);
      read = sonde_explanation_settings_read (top, &target, &missing);
      g_assert_nonnull (missing);
      g_assert_null (read->model);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (boxes); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (boxes[i], strlen (boxes[i]));

      g_assert_null (sonde_counterfactual_parse_json (bytes, "x.json", &error));
      g_assert_true (g_str_has_prefix (error->message, "x.json"));
      g_clear_error (&error);
    }
  g_assert_null (sonde_counterfactual_parse_json (nested, "x.json", &error));
  g_assert_nonnull (strstr (error->message, "nested"));
  remove_tree (top);
}

/* The window on it: the page of explanations, the rows with their categories, and what is missing in
 * words. */
static void
test_folder_page (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *path = NULL;
  SondePageRequest request = { .at = "big cat/1.png" };

  fixture.folder = g_dir_make_tmp ("sonde-explained-XXXXXX", NULL);
  path = g_build_filename (fixture.folder, "out", NULL);
  write_explained (fixture.folder, "{\"model\":\"/nowhere/gone.onnx\",\"data\":\"../data\"}");
  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "explain", &request);
  window_fixture_settle (&fixture);
  g_assert_true (
      says (&fixture,
            "The model “/nowhere/gone.onnx” is not there any more: what was written is shown."));
  g_assert_true (says (&fixture, "“big cat” classified as “dog”"));
  g_assert_true (says (&fixture, "Category: "));
  g_assert_true (says (&fixture, "close"));
  g_assert_cmpuint (count_maps (page_of (&fixture)), ==, 1);
  g_assert_true (says (&fixture, "no map"));
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_autofree char *runtime = g_dir_make_tmp ("sonde-runtime-XXXXXX", NULL);

  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE);
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/explained/join", test_join);
  g_test_add_func ("/app/pages/explained/kept", test_kept);
  g_test_add_func ("/app/pages/explained/faults", test_faults);
  g_test_add_func ("/app/pages/explained/folder", test_folder);
  g_test_add_func ("/app/pages/explained/hostile", test_hostile);
  g_test_add_func ("/app/pages/explained/folder-page", test_folder_page);
  g_test_add_func ("/app/pages/explained/long-log", test_long_log);
  return g_test_run ();
}
