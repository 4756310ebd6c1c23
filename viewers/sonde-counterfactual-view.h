/* SPDX-License-Identifier: Apache-2.0
 * A counterfactual step by step: which boxes of the image the network was shown, and what it said
 * after each. */
#pragma once

#include "data/values/sonde-image.h"
#include "viewers/paint/sonde-box-paint.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_COUNTERFACTUAL_VIEW (sonde_counterfactual_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeCounterfactualView, sonde_counterfactual_view, SONDE,
                      COUNTERFACTUAL_VIEW, SondeView)

/**
 * SondeCounterfactualStep: what the network was shown
 * @boxes: (array length=n_boxes): revealed or hidden at this step
 * @newest: index of the box that came with it, -1 none
 * @output: the score then; NaN not known
 * @caption: (nullable): "Large windows, step 2"
 */
typedef struct
{
  SondeBox *boxes;
  guint n_boxes;
  int newest;
  double output;
  char *caption;
} SondeCounterfactualStep;

void sonde_counterfactual_step_free (SondeCounterfactualStep *step);

/**
 * sonde_counterfactual_view_set_content:
 * @image, @mask: (nullable) (transfer full): image, and what covers it; NULL image: empty
 * @reveal: boxes of the image on the mask, else boxes of the mask on the image
 * @steps: (element-type SondeCounterfactualStep) (transfer full): the first is the start, usually
 * without boxes
 * @threshold: NaN none
 * @output: name of the score: "p(“cat”)"
 *
 * Shows the last step.
 */
void sonde_counterfactual_view_set_content (SondeCounterfactualView *view, SondeImage *image,
                                            SondeImage *mask, gboolean reveal, GPtrArray *steps,
                                            double threshold, const char *output);

/* A click into the curve, or the arrow keys, go to a step too; emits "step-changed" (guint)
 * whenever it changes. */
void sonde_counterfactual_view_set_step (SondeCounterfactualView *view, guint step);
guint sonde_counterfactual_view_get_step (SondeCounterfactualView *view);
guint sonde_counterfactual_view_get_n_steps (SondeCounterfactualView *view); /* the start counts */
/* (nullable) (transfer none) */
const SondeCounterfactualStep *sonde_counterfactual_view_get_nth (SondeCounterfactualView *view,
                                                                  guint step);

G_END_DECLS
