/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/live/sonde-recommended.h"

static const SondeRecommendedActivation activations[] = {
  { "Tanh", "preset activation_range range_start_inclusive=-0.9999999545590812 "
            "range_end_inclusive=0.9999999545590812 "
            "range_percentage_lt=0.1 on op:Tanh" },
  { "Sigmoid", "preset activation_range range_start_inclusive=9.21359998566181e-08 "
               "range_end_inclusive=0.9999999078640001 range_percentage_lt=0.1 on op:Sigmoid" },
  { "Relu", "preset activation_range range_start_inclusive=-1 range_end_inclusive=0 "
            "range_percentage_gt=99.9 on op:Relu" },
  { "ReLU", "preset activation_range range_start_inclusive=-1 range_end_inclusive=0 "
            "range_percentage_gt=99.9 on op:ReLU" },
  { "ReLUV2", "preset activation_range range_start_inclusive=-1 range_end_inclusive=0 "
              "range_percentage_gt=99.9 on op:ReLUV2" },
};

const SondeRecommendedActivation *
sonde_recommended_activation (gsize i)
{
  return i < G_N_ELEMENTS (activations) ? &activations[i] : NULL;
}
