/* SPDX-License-Identifier: Apache-2.0
 * What msprobe dumped of one step in one rank: a folder with dump.json (or debug.json), stack.json,
 * construct.json and dump_tensor_data. Texts and numbers are read at once, tensors one by one. What
 * the files say is checked, never trusted: files are looked for beside dump.json alone. One
 * thread. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/records/msprobe/sonde-msprobe-name.h"
#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_MSPROBE_INPUT, /* arguments; in backward the gradients that came, those of the outputs */
  SONDE_MSPROBE_OUTPUT,
  SONDE_MSPROBE_PARAMETER,
  SONDE_MSPROBE_GRADIENT, /* of a parameter */
  SONDE_MSPROBE_VALUE,    /* saved by hand */
} SondeMsprobeRole;

/* A number that may not have been kept. */
typedef struct
{
  gboolean known;
  double number;
} SondeMsprobeNumber;

/**
 * SondeMsprobeTensor: texts live as long as the dump
 * @name: its file's without suffix, also where there is no file:
 *   "Module.mlp.1.Linear.forward.0.output.0"
 * @entry: index of it
 * @dtype: INVALID where Sonde has no such; @dtype_name: as it is written: "torch.float32"
 * @norm: L2
 * @is_nan: (task nan_check): whether there was a NaN, 0 or 1
 * @file: (nullable): in dump_tensor_data; NULL: only numbers were kept
 * @checksum: (nullable): 8 digits of a CRC-32, or 16 behind 0x of a sum by exclusive or
 */
typedef struct
{
  const char *name;
  guint entry;
  SondeMsprobeRole role;
  gboolean requires_grad;
  SondeDtype dtype;
  SondeShape shape;
  const char *dtype_name;
  SondeMsprobeNumber min, max, mean, norm, is_nan;
  const char *file, *checksum;
} SondeMsprobeTensor;

/* An argument that is no tensor: @text is "int 3", "slice [1, 3, null]". */
typedef struct
{
  const char *name, *text;
  guint entry;
} SondeMsprobeArgument;

/**
 * SondeMsprobeEntry: something that ran
 * @tensors: index of its first tensor, @n_tensors follow each other; so with arguments
 * @parent: (nullable): entry that it ran in, as construct.json says. In backward it follows the
 *   gradient, not the modules
 * @stack: index in the dump's stacks; -1: none was kept
 */
typedef struct
{
  const char *name;
  guint tensors, n_tensors, arguments, n_arguments;
  const char *parent;
  int stack;
} SondeMsprobeEntry;

/* @file, @function, @source: (nullable); a text that is no frame is a @source alone. */
typedef struct
{
  const char *file, *function, *source;
  guint line;
} SondeMsprobeFrame;

/**
 * SondeMsprobeDump:
 * @path: of the folder
 * @task, @level, @framework: (nullable): "tensor", "mix", "pytorch"
 * @entries: (element-type SondeMsprobeEntry): in the order in which they ran; in task structure as
 *   construct.json has them
 * @stacks: (element-type GArray of SondeMsprobeFrame): from the innermost outwards
 * @problems: (element-type GError): of files beside dump.json that could not be read
 */
typedef struct
{
  const SondeIo *io;
  char *path;
  const char *task, *level, *framework;
  GArray *entries, *tensors, *arguments;
  GPtrArray *stacks, *problems;
  GHashTable *by_entry, *by_name; /* name -> index + 1 */
  GStringChunk *texts;
} SondeMsprobeDump;

/* Whether @path is a folder with a dump.json or debug.json that begins as msprobe writes it. */
gboolean sonde_msprobe_dump_sniff (const SondeIo *io, const char *path);

/* Errors: IO; DAMAGED with the byte; LIMIT. */
SondeMsprobeDump *sonde_msprobe_dump_open (const SondeIo *io, const char *path, GError **error);
void sonde_msprobe_dump_free (SondeMsprobeDump *dump);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeMsprobeDump, sonde_msprobe_dump_free)

/* (nullable) */
const SondeMsprobeEntry *sonde_msprobe_dump_find_entry (const SondeMsprobeDump *dump,
                                                        const char *name);
const SondeMsprobeTensor *sonde_msprobe_dump_find (const SondeMsprobeDump *dump, const char *name);

/**
 * sonde_msprobe_dump_read:
 *
 * The tensor of its file, compared with what dump.json says of type, shape and checksum.
 *
 * Returns: (transfer full). Errors: NOT_FOUND where only numbers were kept, naming them; of
 * its file; FORBIDDEN for a name that leads out of the folder; DAMAGED where the file is another.
 */
SondeTensor *sonde_msprobe_dump_read (SondeMsprobeDump *dump, const SondeMsprobeTensor *tensor,
                                      GError **error);

G_END_DECLS
