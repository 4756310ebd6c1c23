/* SPDX-License-Identifier: Apache-2.0
 * All commands, in the order of `help`; topics of one word (info, capture) stand together. */
#pragma once

#include "engine/commands/sonde-command-class.h"

G_BEGIN_DECLS

#define SONDE_COMMANDS(X)                                                                          \
  X (break)                                                                                        \
  X (tbreak)                                                                                       \
  X (log)                                                                                          \
  X (info_breakpoints)                                                                             \
  X (info_watches)                                                                                 \
  X (info_hits)                                                                                    \
  X (info_values)                                                                                  \
  X (info_edits)                                                                                   \
  X (info_stack)                                                                                   \
  X (info_state)                                                                                   \
  X (watch)                                                                                        \
  X (recheck)                                                                                      \
  X (enable)                                                                                       \
  X (disable)                                                                                      \
  X (ignore)                                                                                       \
  X (clear)                                                                                        \
  X (run)                                                                                          \
  X (continue)                                                                                     \
  X (pause)                                                                                        \
  X (step)                                                                                         \
  X (next)                                                                                         \
  X (into)                                                                                         \
  X (out)                                                                                          \
  X (until)                                                                                        \
  X (back)                                                                                         \
  X (reverse)                                                                                      \
  X (restart)                                                                                      \
  X (rewind)                                                                                       \
  X (up)                                                                                           \
  X (down)                                                                                         \
  X (list)                                                                                         \
  X (print)                                                                                        \
  X (stats)                                                                                        \
  X (save)                                                                                         \
  X (display)                                                                                      \
  X (undisplay)                                                                                    \
  X (set)                                                                                          \
  X (attr)                                                                                         \
  X (bypass)                                                                                       \
  X (branch)                                                                                       \
  X (origin)                                                                                       \
  X (diverge)                                                                                      \
  X (precision)                                                                                    \
  X (rerun)                                                                                        \
  X (diff)                                                                                         \
  X (capture_save)                                                                                 \
  X (capture_open)                                                                                 \
  X (reduce)                                                                                       \
  X (detach)                                                                                       \
  X (help)                                                                                         \
  X (quit)

#define SONDE_COMMAND_DECLARE(name) extern const SondeCommandClass sonde_command_class_##name;
SONDE_COMMANDS (SONDE_COMMAND_DECLARE)
#undef SONDE_COMMAND_DECLARE

/* Class @k of the table, NULL behind the last. */
const SondeCommandClass *sonde_command_table_get (guint k);

G_END_DECLS
