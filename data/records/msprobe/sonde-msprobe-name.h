/* SPDX-License-Identifier: Apache-2.0
 * Names of entries in dumps of msprobe: what ran, and which call of it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  SONDE_MSPROBE_MODULE,   /* Module., Cell.: PATH.CLASS.forward.K */
  SONDE_MSPROBE_FUNCTION, /* Functional., Tensor., Primitive., …: NAME.K.forward */
  SONDE_MSPROBE_SAVED,    /* what the program saved by hand: NAME.K.debug */
  SONDE_MSPROBE_OTHER,
} SondeMsprobeKind;

typedef enum
{
  SONDE_MSPROBE_FORWARD,
  SONDE_MSPROBE_BACKWARD,
  SONDE_MSPROBE_PARAMETERS_GRAD,
} SondeMsprobeDirection;

/**
 * SondeMsprobeName:
 * @path: of a module, with dots as in named_modules(): "layers.0"; else NULL
 * @op: its class, the function's name, what was saved; of any other name all of it
 * @call: which call of it, from 0; 0 of any other name
 */
typedef struct
{
  SondeMsprobeKind kind;
  SondeMsprobeDirection direction;
  char *path, *op;
  guint64 call;
} SondeMsprobeName;

/* Any text has a meaning. */
void sonde_msprobe_name_parse (const char *entry, SondeMsprobeName *name);
void sonde_msprobe_name_clear (SondeMsprobeName *name);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeMsprobeName, sonde_msprobe_name_clear)

/* "Functional.relu.2.forward" of "Functional.relu.2.backward", "Module.fc.Linear.forward.0" of
 * "Module.fc.Linear.backward.0" and of its parameters_grad. (transfer full) (nullable): NULL of
 * what is forward itself */
char *sonde_msprobe_name_dup_forward (const char *entry);

G_END_DECLS
