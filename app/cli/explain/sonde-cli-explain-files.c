/* SPDX-License-Identifier: Apache-2.0
 * `sonde explain --output DIR`: what goes into the files of data/explanations. */
#include "app/cli/explain/sonde-cli-explain-private.h"
#include "data/arrays/sonde-npy.h"
#include "data/explanations/sonde-explanation-folder.h"

/* ---- maps ---------------------------------------------------------------- */

char *
sonde_explain_make_sample_path (Explain *explain, const SondeSampleResult *prediction,
                                const char *inside, const char *ending, GError **error)
{
  const SondeDataset *dataset = explain->dataset;
  gboolean is_known = prediction->label >= 0 && (guint64) prediction->label < dataset->n_classes;

  return sonde_explanation_make_path (explain->options->output, inside,
                                      is_known ? dataset->classes[prediction->label] : NULL,
                                      prediction->name, ending, error);
}

gboolean
sonde_explain_write_map (Explain *explain, const SondeAttributionMap *map,
                         const SondeSampleResult *sample, GError **error)
{
  g_autofree char *inside = g_build_filename ("maps", map->spec, map->target_is, NULL);
  g_autofree char *path = sonde_explain_make_sample_path (explain, sample, inside, ".npy", error);

  return path != NULL
         && sonde_npy_write (
             sonde_io_hasty (), path,
             explain->options->channels && map->channels != NULL ? map->channels : map->map, error);
}

/* ---- settings ------------------------------------------------------------ */

gboolean
sonde_explain_write_settings (Explain *explain, GError **error)
{
  const ExplainOptions *options = explain->options;
  const SondeExplanationCall call = { .settings = &options->settings,
                                      .model = explain->subject,
                                      .probabilities = options->probabilities,
                                      .images = options->images,
                                      .version = SONDE_VERSION,
                                      .methods = options->methods,
                                      .targets = options->targets,
                                      .channels = explain->dataset->channels,
                                      .height = explain->dataset->height,
                                      .width = explain->dataset->width,
                                      .triage = options->triage,
                                      .map_channels = options->channels,
                                      .notes = sonde_explain_session_get_notes (explain->session) };

  return sonde_explanation_settings_write (options->output, &call, error);
}
