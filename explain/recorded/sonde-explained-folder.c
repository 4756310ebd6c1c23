/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/recorded/sonde-explained-folder.h"

#include <math.h>

static void
find_image (SondeExplainedSample *sample, const char *name, const char *folder,
            SondeExplainedFiles *images)
{
  g_autofree char *path
      = images != NULL && !g_path_is_absolute (name) ? g_build_filename (folder, name, NULL) : NULL;

  if (path != NULL && g_file_test (path, G_FILE_TEST_IS_REGULAR))
    sonde_explained_sample_set_image (sample, images, name, NULL);
}

static void
add_maps (SondeExplainedSample *sample, const SondeExplanationSample *from, const char *target)
{
  for (guint i = 0; i < from->maps->len; i++)
    {
      const SondeExplanationMapFile *file = g_ptr_array_index (from->maps, i);
      gboolean of_class = g_str_equal (file->target_is, "class");
      const SondeRecordedMap map
          = { .method = file->method,
              .target_is = (char *) file->target_is,
              .target_name = !of_class        ? NULL
                             : target != NULL ? (char *) target
                                              : (char *) "the class that was asked for",
              .target = (int) file->target,
              .score = NAN,
              .path = file->path };

      sonde_explained_sample_add_map (sample, &map);
    }
}

static SondeExplainedSample *
make_sample (SondeExplanationSample *from, const char *target)
{
  const SondeSampleResult *result = from->result;
  const SondeSampleNote note = { .sample = result->name,
                                 .label = (int) result->label,
                                 .predicted = (int) result->predicted,
                                 .label_probability = result->p_label,
                                 .predicted_probability = result->p_predicted,
                                 .label_name = from->label_name,
                                 .predicted_name = from->predicted_name };
  SondeExplainedSample *sample = sonde_explained_sample_new (&note);

  sonde_explained_sample_set_category (sample, result->category, result->evidence);
  add_maps (sample, from, target);
  g_ptr_array_set_free_func (from->counterfactuals, NULL);
  for (guint i = 0; i < from->counterfactuals->len; i++)
    sonde_explained_sample_take_boxes (sample, g_ptr_array_index (from->counterfactuals, i));
  g_ptr_array_set_size (from->counterfactuals, 0);
  return sample;
}

GPtrArray *
sonde_explained_folder_list (const char *folder, SondeExplanationFolder *read, const char *program)
{
  g_autoptr (SondeExplainedFiles) files = sonde_explained_files_new (folder, program);
  g_autoptr (SondeExplainedFiles) images
      = read->images != NULL ? sonde_explained_files_new (read->images, program) : NULL;
  GPtrArray *samples = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < read->samples->len; i++)
    {
      SondeExplanationSample *from = g_ptr_array_index (read->samples, i);
      SondeExplainedSample *sample = make_sample (from, read->target);

      sonde_explained_sample_set_map_files (sample, files);
      find_image (sample, from->file, read->images, images);
      g_ptr_array_add (samples, sample);
    }
  return samples;
}
