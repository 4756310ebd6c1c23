/* SPDX-License-Identifier: Apache-2.0
 * What the files of this folder that read share; nothing outside includes it. */
#pragma once

#include "data/models/mindir/mindir.pb-c.h"
#include "data/models/mindir/sonde-mindir-file.h"
#include "data/wire/sonde-wire-decode.h"

G_BEGIN_DECLS

/* What lives as long as the file: texts are lent from the message. */
typedef struct _SondeMindirMemory
{
  GBytes *bytes; /* (nullable) */
  SondeWireArena arena;
  GPtrArray *blocks;
  GPtrArray *tensors;
} SondeMindirMemory;

/**
 * SondeMindirReader:
 * @folder: (nullable): where weights may lie
 * @location, @data: (nullable): the file of weights that was read last
 */
typedef struct
{
  const SondeIo *io;
  const char *name;
  const char *folder;
  SondeMindirFile *file;
  SondeBudget budget;
  char *location;
  GBytes *data;
} SondeMindirReader;

/* Zeroed, for @n things; lives as long as the file. */
gpointer sonde_mindir_reader_take (SondeMindirReader *reader, gsize n, gsize size, GError **error);

/* The type that a tensor of the file says to have; without its sizes FALSE with @error when they make
 * no sense. Sizes below zero are unknown. */
gboolean sonde_mindir_read_type (SondeMindirReader *reader, const MindIr__TensorProto *proto,
                                 const char *what, SondeType *type, GError **error);
/* (transfer none) */
SondeTensor *sonde_mindir_read_tensor (SondeMindirReader *reader, const MindIr__TensorProto *proto,
                                       const char *what, GError **error);
/* @described: tensors have no elements. */
gboolean sonde_mindir_read_value (SondeMindirReader *reader, const MindIr__AttributeProto *proto,
                                  const char *what, gboolean described, SondeMindirValue *value,
                                  GError **error);

G_END_DECLS
