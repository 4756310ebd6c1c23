/* SPDX-License-Identifier: Apache-2.0
 * The arguments of `sonde debug` as the window takes them. */
#pragma once

#include "engine/session/sonde-open-request.h"

G_BEGIN_DECLS

/**
 * SondeDebugArguments:
 * @request: what to open; its strings live as long as the struct
 * @attach: attach instead; @target: (nullable): to it, as sonde_session_client_attach_target() takes
 *   it; NULL: to one that is chosen
 */
typedef struct
{
  SondeOpenRequest request;
  gboolean attach;
  const char *target;                          /* borrowed from the operands */
  char **inputs, **sets, **shapes, **operands; /* private */
  char *run, *device, *signature, *weights;    /* private */
  SondeSessionInput *session_inputs;           /* private */
} SondeDebugArguments;

/* @arguments: (array zero-terminated=1): argv of the command, its name first. Errors:
 * G_OPTION_ERROR. */
SondeDebugArguments *sonde_debug_arguments_parse (const char *const *arguments, GError **error);
void sonde_debug_arguments_free (SondeDebugArguments *arguments);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeDebugArguments, sonde_debug_arguments_free)

G_END_DECLS
