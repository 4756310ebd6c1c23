/* SPDX-License-Identifier: Apache-2.0
 * Sample images of one tag at one step: found in the index, read and decoded in the
 * background. */
#pragma once

#include "data/runs/sonde-run-store.h"
#include "data/values/sonde-animation.h"

G_BEGIN_DECLS

/* One image. */
typedef struct
{
  int index; /* among those of the step */
  SondeSampleNote note;
  /* (nullable): could not be decoded; (problem) says why. Of many large ones a smaller copy */
  SondeImage *image;
  SondeAnimation *animation; /* (nullable): of several frames; @image is the first */
  int width, height;         /* as recorded */
  char *problem;             /* (nullable) */
} SondeSample;

typedef struct _SondeSampleLoader SondeSampleLoader;

/* @samples: (transfer none) (element-type SondeSample): in order of index; images may be stolen */
typedef void (*SondeSamplesFunc) (GPtrArray *samples, gint64 step, void *user_data);

/* What decodes for the loaders of a page: one helper process. @program: path of `sonde` */
typedef struct _SondeSampleDecoder SondeSampleDecoder;
SondeSampleDecoder *sonde_sample_decoder_new (const char *program);
SondeSampleDecoder *sonde_sample_decoder_ref (SondeSampleDecoder *decoder);
void sonde_sample_decoder_unref (SondeSampleDecoder *decoder); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSampleDecoder, sonde_sample_decoder_unref)

/* @decoder: referenced; @done is called on the main thread */
SondeSampleLoader *sonde_sample_loader_new (SondeSampleDecoder *decoder, SondeSamplesFunc done,
                                            void *user_data);
/* Bytes of all images of a step from the next loading on: larger ones become smaller copies. 192
 * MiB. */
void sonde_sample_loader_set_max_bytes (SondeSampleLoader *loader, gsize max_bytes);
void sonde_sample_loader_free (SondeSampleLoader *loader); /* @done is not called any more */

/* Sorted steps of which there are images. (transfer full) (element-type gint64) */
GArray *sonde_sample_loader_list_steps (SondeRun *run, const char *tag);

/* The step whose images sonde_sample_loader_load() would load; 0 when there are none. */
gint64 sonde_sample_loader_choose_step (SondeRun *run, const char *tag, gint64 step);

/* Loads the images of the last step that is ≤ @step (else the first). Nothing happens when they
 * are the ones of the last call. */
void sonde_sample_loader_load (SondeSampleLoader *loader, SondeRun *run, const char *tag,
                               gint64 step);
/* What was asked for last is not wanted any more: it is not told, and asked for again it is loaded
 * again. */
void sonde_sample_loader_forget (SondeSampleLoader *loader);
gboolean sonde_sample_loader_is_busy (SondeSampleLoader *loader);

G_END_DECLS
