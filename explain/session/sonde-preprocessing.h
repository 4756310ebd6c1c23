/* SPDX-License-Identifier: Apache-2.0
 * Preprocessings: how pixels become a network's numbers, those in use everywhere, and what came of
 * trying them. A wrong one makes a good network look bad without any error. What does not live here:
 * running the network (sonde-explain-session-preprocessing.c). */
#pragma once

#include "data/base/sonde-message.h"
#include "data/graph/sonde-graph.h"
#include "explain/session/sonde-explain-codec.h"

G_BEGIN_DECLS

/**
 * SondePreprocessing: (v − mean) / std of pixels v from 0 to 1
 * @title: message id: "ImageNet's mean and standard deviation"
 * @mean, @std: texts of the settings of the same names
 * @bgr: the planes in the opposite order: settings.channels is "bgr"
 * @n_right: of the images tried, those classified correctly; @loss: mean −ln p of their labels
 */
typedef struct
{
  char *title, *mean, *std;
  gboolean bgr;
  guint n_right;
  double loss;
} SondePreprocessing;

SondePreprocessing *sonde_preprocessing_new (const char *title, const char *mean, const char *std);
void sonde_preprocessing_free (SondePreprocessing *preprocessing);

/* As a recipe's list of transforms says it. (transfer full) (nullable): it does not, or @transforms
 * (nullable) is none */
SondePreprocessing *sonde_preprocessing_from_transforms (const char *const *transforms);

/* Plain pixels first, then @recorded (nullable), what the model's file says of itself, and what is in
 * common use for images of so many channels. (transfer full) (element-type SondePreprocessing) */
GPtrArray *sonde_preprocessing_list (const SondePreprocessing *recorded, const SondeGraph *model,
                                     int channels);
/* @mean, @std: (out) (array fixed-size=4): one number a channel. FALSE: the texts do not say so many
 * numbers, or deviations that are not above 0. */
gboolean sonde_preprocessing_parse (const SondePreprocessing *preprocessing, int channels,
                                    double mean[4], double std[4]);
/* Settings with this one in the place of theirs. (transfer full) */
SondeExplanationSettings *sonde_preprocessing_apply (const SondePreprocessing *preprocessing,
                                                     const SondeExplanationSettings *settings);

/**
 * SondePreprocessingTrial:
 * @tried: (element-type SondePreprocessing): the session's own first
 * @n_images: labelled images they were tried on; 0: there are none, or one was chosen: nothing was
 *   tried
 * @n_only_best, @n_only_own: images that only the best, or only the session's own, gets right
 */
typedef struct
{
  GPtrArray *tried;
  guint n_images, best, n_only_best, n_only_own;
} SondePreprocessingTrial;

SondePreprocessingTrial *sonde_preprocessing_trial_new (void);
SondePreprocessingTrial *sonde_preprocessing_trial_copy (const SondePreprocessingTrial *trial);
void sonde_preprocessing_trial_free (SondePreprocessingTrial *trial);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondePreprocessingTrial, sonde_preprocessing_trial_free)

/* The session's own, and the best. NULL: nothing was tried. (transfer none) */
const SondePreprocessing *sonde_preprocessing_trial_get_own (const SondePreprocessingTrial *trial);
const SondePreprocessing *sonde_preprocessing_trial_get_best (const SondePreprocessingTrial *trial);
/* Whether the best is better than the session's own beyond chance: McNemar's test, p < 0.001. */
gboolean sonde_preprocessing_trial_is_clear (const SondePreprocessingTrial *trial);
/* Percent of the images. */
double sonde_preprocessing_trial_get_accuracy (const SondePreprocessingTrial *trial,
                                               const SondePreprocessing *preprocessing);
/* For people who can choose on the spot: "78.1 % correct with …, 33.4 % with … (320 labelled images
 * tried)", translated. (transfer full) */
char *sonde_preprocessing_trial_to_text (const SondePreprocessingTrial *trial);
/* For files and the terminal, naming the options of `sonde explain`; only of trials that are clear.
 * (transfer full) */
SondeMessage *sonde_preprocessing_trial_to_message (const SondePreprocessingTrial *trial);

extern const SondeExplainCodec sonde_preprocessing_trial_codec;

G_END_DECLS
