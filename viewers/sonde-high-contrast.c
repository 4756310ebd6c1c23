/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/sonde-high-contrast.h"

static gboolean is_wanted;

void
sonde_high_contrast_set (gboolean wanted)
{
  is_wanted = wanted;
}

gboolean
sonde_high_contrast_get (void)
{
  return is_wanted;
}
