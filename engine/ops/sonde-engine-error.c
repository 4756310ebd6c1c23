/* SPDX-License-Identifier: Apache-2.0
 * The error domain of engine/. */
#include "engine/ops/sonde-engine-error.h"

#include "data/base/sonde-error.h"

GQuark
sonde_engine_error_quark (void)
{
  static gsize quark;

  if (g_once_init_enter (&quark))
    g_once_init_leave (&quark, sonde_error_register_domain ("sonde-engine-error-quark"));
  return (GQuark) quark;
}
