/* SPDX-License-Identifier: Apache-2.0
 * Numbers that encoder and decoder must agree on and that are not in the .proto. */
#pragma once

#include "data/records/sonde-record.h"

#if G_BYTE_ORDER != G_LITTLE_ENDIAN
#error "tensors are stored little-endian: a big-endian machine needs a swap in the tensor codec"
#endif

G_BEGIN_DECLS

/* The element types of the format; numbers are never used again. */
static const struct
{
  guint32 number;
  SondeDtype dtype;
} sonde_record_dtypes[] = {
  { 1, SONDE_DTYPE_F64 },         { 2, SONDE_DTYPE_F32 },     { 3, SONDE_DTYPE_F16 },
  { 4, SONDE_DTYPE_BF16 },        { 5, SONDE_DTYPE_I8 },      { 6, SONDE_DTYPE_I16 },
  { 7, SONDE_DTYPE_I32 },         { 8, SONDE_DTYPE_I64 },     { 9, SONDE_DTYPE_U8 },
  { 10, SONDE_DTYPE_U16 },        { 11, SONDE_DTYPE_U32 },    { 12, SONDE_DTYPE_U64 },
  { 13, SONDE_DTYPE_BOOL },       { 14, SONDE_DTYPE_STRING }, { 15, SONDE_DTYPE_F8E4M3FN },
  { 16, SONDE_DTYPE_F8E4M3FNUZ }, { 17, SONDE_DTYPE_F8E5M2 }, { 18, SONDE_DTYPE_F8E5M2FNUZ },
  { 19, SONDE_DTYPE_F8E8M0 },     { 20, SONDE_DTYPE_F4E2M1 }, { 21, SONDE_DTYPE_I4 },
  { 22, SONDE_DTYPE_U4 },         { 23, SONDE_DTYPE_I2 },     { 24, SONDE_DTYPE_U2 },
};

typedef enum
{
  SONDE_COMPRESSION_NONE = 0,
  SONDE_COMPRESSION_ZSTD = 1,
} SondeCompression;

#define SONDE_COMPRESSION_LEVEL 1
#define SONDE_COMPRESSION_MIN_BYTES ((gsize) 4096)

G_END_DECLS
