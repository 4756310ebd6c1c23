/* SPDX-License-Identifier: Apache-2.0
 * The parsed header of an .npy file, shared by its reader, its writer and .npz. */
#pragma once

#include "data/values/sonde-tensor.h"

#define SONDE_NPY_PREAMBLE 12 /* magic, version, and the longer of the two lengths */
#define SONDE_NPY_MAX_HEADER (64 << 10)

/**
 * SondeNpyHeader:
 * @item_size: bytes of one element in the file
 * @wide_characters: of a STRING: UTF-32 ('U'), else bytes ('S')
 * @data_offset: where the elements begin
 */
typedef struct
{
  SondeDtype dtype;
  gsize item_size;
  gboolean wide_characters;
  gboolean big_endian;
  gboolean fortran_order;
  SondeShape shape;
  gsize data_offset;
} SondeNpyHeader;

/* @length bytes are the start of a file, or all of it. */
gboolean sonde_npy_parse_header (const guint8 *data, gsize length, const char *name,
                                 SondeNpyHeader *header, GError **error);
