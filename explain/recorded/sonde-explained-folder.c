/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/recorded/sonde-explained-folder.h"

/* Is there a file of that name below the folder of images? */
static gboolean
has_image (const SondeExplanationSample *sample, const char *folder)
{
  g_autofree char *path = folder != NULL && !g_path_is_absolute (sample->image)
                              ? g_build_filename (folder, sample->image, NULL)
                              : NULL;

  return path != NULL && g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

GPtrArray *
sonde_explained_folder_list (const char *folder, SondeExplanationFolder *read, const char *program)
{
  g_autoptr (SondeExplainedFiles) files = sonde_explained_files_new (folder, program);
  g_autoptr (SondeExplainedFiles) images
      = read->images != NULL ? sonde_explained_files_new (read->images, program) : NULL;
  GPtrArray *samples = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_set_free_func (read->samples, NULL);
  for (guint i = 0; i < read->samples->len; i++)
    {
      SondeExplanationSample *sample = g_ptr_array_index (read->samples, i);

      g_ptr_array_add (samples,
                       sonde_explained_sample_new (
                           sample, has_image (sample, read->images) ? images : NULL, files));
    }
  g_ptr_array_set_size (read->samples, 0);
  return samples;
}
