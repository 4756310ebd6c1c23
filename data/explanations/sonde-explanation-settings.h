/* SPDX-License-Identifier: Apache-2.0
 * Which model is explained on which data, and both ends of FOLDER/settings.json, which holds it with
 * the rest of a call of `sonde explain`. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeExplanationSettings: texts as given on the command line; owned
 * @model: ONNX file, or run folder (its final model, and without @data the test part of its own
 * data)
 * @signature, @weights, @shapes: how the model is opened: one of its signatures, a file of weights,
 * "NAME=D,D,…" separated by “;”
 * @data, @training: folder or source, see sonde_dataset_open()
 * @labels: file of class names; @mean, @std: "R,G,B"; @size: "WxH"; @channels: "rgb", "bgr", "grey"
 * @given_labels: file of labels to check
 * @device: nullable as all the others: "cpu"
 * @threads: 0: all; @seed: of random numbers
 */
typedef struct
{
  char *signature, *weights, *shapes;
  char *model, *data, *labels, *mean, *std, *size, *channels, *training, *given_labels, *device;
  int threads;
  gint64 seed;
} SondeExplanationSettings;

SondeExplanationSettings *
sonde_explanation_settings_copy (const SondeExplanationSettings *settings);
void sonde_explanation_settings_clear (SondeExplanationSettings *settings);
void sonde_explanation_settings_free (SondeExplanationSettings *settings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeExplanationSettings, sonde_explanation_settings_free)

/**
 * SondeExplanationCall: everything needed to repeat one call of `sonde explain`; lent
 * @model: as given; @probabilities, @images: (nullable): texts of their options
 * @methods, @targets: (nullable) (array zero-terminated=1): as given
 * @channels, @height, @width: of an image as the network takes it
 * @triage, @map_channels: were they asked for?
 * @notes: (element-type SondeMessage): how images were changed to fit the model
 * @version: of the program
 */
typedef struct
{
  const SondeExplanationSettings *settings;
  const char *model, *probabilities, *images, *version;
  char **methods, **targets;
  int channels, height, width;
  gboolean triage, map_channels;
  GPtrArray *notes;
} SondeExplanationCall;

/* FOLDER/settings.json, with the folder the command runs in, from which relative paths count. */
gboolean sonde_explanation_settings_write (const char *folder, const SondeExplanationCall *call,
                                           GError **error);

/**
 * sonde_explanation_settings_read:
 * @folder: in which settings.json lies
 * @target: (out) (transfer full) (nullable): the one class for which maps were asked by name
 * @missing: (out) (transfer full) (nullable): a sentence, in the user's language, on
 * what of the settings no longer exists; NULL: nothing
 *
 * Relative paths are resolved from where the command ran. Any thread. Never fails: what cannot be
 * read is in @missing, and the settings are empty. Returns: (transfer full)
 */
SondeExplanationSettings *sonde_explanation_settings_read (const char *folder, char **target,
                                                           char **missing);

/* The folder that names of samples are relative to. (transfer full) (nullable): the data are no
 * folder and no list of files, or do not exist */
char *sonde_explanation_settings_find_images (const SondeExplanationSettings *settings);

G_END_DECLS
