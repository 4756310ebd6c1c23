/* SPDX-License-Identifier: Apache-2.0
 * The shared library is the writer's static one; Meson wants a source of its own. */
#include "collector/writer/sonde-recorder.h"

_Static_assert(SONDE_RECORDER_VERSION >= 1, "the version rises with every function");
