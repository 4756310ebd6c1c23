/* SPDX-License-Identifier: Apache-2.0
 * State of the sample view, shared by its files only. */
#pragma once

#include "app/explain/sample/sonde-sample-edit.h"
#include "app/explain/sample/sonde-sample-counterfactual.h"
#include "app/explain/sample/sonde-sample-maps.h"
#include "app/explain/sample/sonde-sample-neighbours.h"
#include "app/explain/sample/sonde-sample-annotation.h"
#include "app/explain/sample/sonde-sample-view.h"

struct _SondeSampleView
{
  AdwBin parent_instance;

  SondeExplainClient *client;
  GtkWidget *content, *heading, *subheading, *image_view, *probabilities, *category, *evidence,
      *stack, *switcher;
  GtkWidget *maps, *counterfactual, *neighbours, *edit, *annotation, *door, *note;
  GtkWidget *category_box;

  SondeSampleResult *row; /* what is shown of a study; NULL: recorded, or nothing */
  SondeExplainedSample *recorded;
  gsize n_map_bytes; /* of its maps so far */
  SondeImage *image;
  GCancellable *cancellable; /* of all that is asked for this sample */
  guint n_asked;
  gboolean asked_neighbours;
  SondeAnnotations *annotations;
  char *annotations_path;
  gboolean filling;
};

/* Asks (sonde-sample-asks.c): each fills its part when the answer comes, unless another sample is
 * shown by then. */
void sonde_sample_view_request_image (SondeSampleView *self);
void sonde_sample_view_request_probabilities (SondeSampleView *self);
void sonde_sample_view_request_map (SondeSampleView *self, const char *spec, gint64 target);
void sonde_sample_view_request_rating (SondeSampleView *self, const char *spec, gint64 target);
void sonde_sample_view_request_boxes (SondeSampleView *self, const char *spec, gint64 target);
void sonde_sample_view_request_neighbours (SondeSampleView *self);
void sonde_sample_view_request_edited (SondeSampleView *self);
void sonde_sample_view_request_edited_map (SondeSampleView *self, const char *spec, gint64 target);
/* Of a recorded sample. */
void sonde_sample_view_request_recorded_image (SondeSampleView *self);
void sonde_sample_view_request_recorded_map (SondeSampleView *self, const char *spec,
                                             gint64 target);

/* Fills what the image is needed for. @box: width 0: none */
void sonde_sample_view_take_image (SondeSampleView *self, SondeImage *image, const SondeBox *box);
void sonde_sample_view_take_recorded_image (SondeSampleView *self,
                                            const SondeImage *image); /* (nullable) */
void sonde_sample_view_take_probabilities (SondeSampleView *self, const float *values, guint n);
const char *sonde_sample_view_get_class (SondeSampleView *self, gint64 class); /* "unknown" */
