/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/types/sonde-frame.h"

const char *
sonde_frame_kind_name (SondeFrameKind kind)
{
  static const char *const names[] = {
    [SONDE_FRAME_GRAPH] = "graph",   [SONDE_FRAME_BODY] = "body",     [SONDE_FRAME_FUSED] = "fused",
    [SONDE_FRAME_MODULE] = "module", [SONDE_FRAME_PYTHON] = "python",
  };

  return (guint) kind < G_N_ELEMENTS (names) ? names[kind] : "graph";
}

gboolean
sonde_frame_kind_has_position (SondeFrameKind kind)
{
  return kind != SONDE_FRAME_MODULE && kind != SONDE_FRAME_PYTHON;
}

void
sonde_frame_scope_free (SondeFrameScope *scope)
{
  g_free (scope->scope);
  g_free (scope->call);
  g_free (scope->function);
  g_free (scope);
}

void
sonde_frame_free (SondeFrame *frame)
{
  if (frame == NULL)
    return;
  g_free (frame->node);
  g_free (frame->op);
  g_free (frame->body);
  g_free (frame->at);
  g_free (frame->at_op);
  g_free (frame->scope);
  g_strfreev (frame->originals);
  g_clear_pointer (&frame->scopes, g_ptr_array_unref);
  g_free (frame);
}
