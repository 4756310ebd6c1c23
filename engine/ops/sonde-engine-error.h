/* SPDX-License-Identifier: Apache-2.0
 * The error domain of engine/. NaN, overflow and dead units are findings, never errors. */
#pragma once

#include <glib.h>

#include "data/base/sonde-error.h"

G_BEGIN_DECLS

#define SONDE_ENGINE_ERROR (sonde_engine_error_quark ())

/**
 * SondeEngineError:
 * @SONDE_ENGINE_ERROR_UNSUPPORTED: an operator, type or form nobody implements; names all of them
 * @SONDE_ENGINE_ERROR_SHAPE: shapes, types or attributes do not fit; names node and value
 * @SONDE_ENGINE_ERROR_INVALID: the graph itself is wrong; lists the problems
 * @SONDE_ENGINE_ERROR_NOT_FOUND: no such node, value or device
 * @SONDE_ENGINE_ERROR_MEMORY: the device has too little memory
 * @SONDE_ENGINE_ERROR_DEVICE: the device failed; names the node
 * @SONDE_ENGINE_ERROR_STATE: not possible in this state (stepping when nothing runs)
 * @SONDE_ENGINE_ERROR_PROTOCOL: the other end of a session sent what it may not, or went away
 */
typedef enum
{
  SONDE_ENGINE_ERROR_UNSUPPORTED,
  SONDE_ENGINE_ERROR_SHAPE,
  SONDE_ENGINE_ERROR_INVALID,
  SONDE_ENGINE_ERROR_NOT_FOUND,
  SONDE_ENGINE_ERROR_MEMORY,
  SONDE_ENGINE_ERROR_DEVICE,
  SONDE_ENGINE_ERROR_STATE,
  SONDE_ENGINE_ERROR_PROTOCOL,
} SondeEngineError;

GQuark sonde_engine_error_quark (void);

G_END_DECLS
