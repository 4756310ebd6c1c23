/* SPDX-License-Identifier: Apache-2.0
 * The user's annotations of a session's samples, a verdict and a note each: a small TSV file in the
 * user's data folder, so that they survive when caches are emptied. */
#pragma once

#include <glib.h>

#include "data/explanations/sonde-explanation-settings.h"
#include "data/explanations/sonde-error-category.h"

G_BEGIN_DECLS

/* What the user says of the category that was given. */
typedef enum
{
  SONDE_ANNOTATION_NONE,
  SONDE_ANNOTATION_AGREE,
  SONDE_ANNOTATION_OTHER,    /* another category, in SondeAnnotation.category */
  SONDE_ANNOTATION_NO_ERROR, /* the prediction is right, or as good as the label */
} SondeAnnotationKind;

/* @category: of OTHER, else SONDE_N_CATEGORIES; @note: (nullable) */
typedef struct
{
  SondeAnnotationKind kind;
  SondeErrorCategory category;
  char *note;
} SondeAnnotation;

typedef struct _SondeAnnotations SondeAnnotations;

/* Where those of a session are kept. (transfer full) */
char *sonde_annotations_dup_path (const SondeExplanationSettings *settings);

/* @path: need not be there. Lines that cannot be read are left out and counted. */
SondeAnnotations *sonde_annotations_new (const char *path);
/* What was not written yet is written first. */
void sonde_annotations_free (SondeAnnotations *annotations);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeAnnotations, sonde_annotations_free)

guint sonde_annotations_get_n (SondeAnnotations *annotations);
guint sonde_annotations_get_n_unread (SondeAnnotations *annotations);
/* @sample: its name. (nullable) (transfer none) */
const SondeAnnotation *sonde_annotations_get (SondeAnnotations *annotations, const char *sample);
/* @note: (nullable). Neither verdict nor note: forgotten. Written in a moment, all changes at once;
 * a failed write is reported by sonde_annotations_get_problem(). */
void sonde_annotations_set (SondeAnnotations *annotations, const char *sample,
                            SondeAnnotationKind kind, SondeErrorCategory category,
                            const char *note);
const char *sonde_annotations_get_problem (SondeAnnotations *annotations); /* (nullable) */

/* "file verdict reason note", sorted by file; tabs, line ends and backslashes escaped. (transfer
 * full) */
char *sonde_annotations_dup_tsv (SondeAnnotations *annotations);

G_END_DECLS
