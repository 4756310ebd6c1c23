/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files that read and write ONNX. Messages of protobuf-c do not leave this folder. */
#pragma once

#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"
#include "data/graph/sonde-graph.h"
#include "data/models/onnx/onnx.pb-c.h"

G_BEGIN_DECLS

/* ---- decoding ------------------------------------------------------------ */

/**
 * SondeOnnxReader: what all steps of reading one file need
 * @io: (nullable): file calls
 * @name: path or name of the file in messages
 * @folder: (nullable): where external data may lie; NULL refuses them
 * @allocator: memory of decoded messages, charged to @parse
 * @tensors: memory of tensors out of external files; its limit grows with each file that is opened
 * @dense: memory of what is stored as sparse
 * @external: (nullable): open external file, see sonde-onnx-external.c
 * @in_function: the nodes read now belong to a function body
 * @source: (nullable): the file that the bytes come from, with gaps where large weights are
 * @file, @file_bytes, @spans: (nullable): see sonde-onnx-large.c
 */
typedef struct _SondeOnnxExternal SondeOnnxExternal;

/* Bytes of one initialiser in the file; length 0: they are in the message. */
typedef struct
{
  gsize offset, length;
} SondeOnnxSpan;

/**
 * SondeOnnxFile: a file without its large weights (sonde-onnx-file.c)
 * @data: its bytes, each at its offset
 * @gaps: SondeOnnxSpan that were not read, in the order of the file
 * @filled, @window: how far reading came, and how much the next step reads at least
 */
typedef struct
{
  const SondeIo *io;
  const char *path;
  int fd;
  guint8 *data;
  gsize length;
  GArray *gaps;
  gsize filled, window;
} SondeOnnxFile;

typedef struct
{
  const SondeIo *io;
  const char *name;
  const char *folder;
  ProtobufCAllocator allocator;
  SondeBudget parse;
  SondeBudget tensors;
  SondeBudget dense;
  SondeOnnxExternal *external;
  gboolean in_function;
  SondeOnnxFile *source;
  const guint8 *file;
  gsize file_bytes;
  GArray *spans;
} SondeOnnxReader;

void sonde_onnx_reader_init (SondeOnnxReader *reader, const SondeIo *io, const char *name,
                             const char *folder);
void sonde_onnx_reader_clear (SondeOnnxReader *reader);

/* Scans, then decodes. Returns: a message to be freed with sonde_onnx_free_message(). */
void *sonde_onnx_decode (SondeOnnxReader *reader, const ProtobufCMessageDescriptor *descriptor,
                         const guint8 *data, gsize length, GError **error);
void sonde_onnx_free_message (SondeOnnxReader *reader, void *message); /* (nullable) */

/* The bytes of a scanned ModelProto without the large raw_data of its initialisers, whose places
 * @reader keeps. NULL: there is none. (sonde-onnx-large.c) */
GByteArray *sonde_onnx_large_leave_out (SondeOnnxReader *reader, const guint8 *data, gsize length);
/* Gives the decoded message its raw_data, as a loan; take_back() before it is freed. */
gboolean sonde_onnx_large_lend (SondeOnnxReader *reader, Onnx__ModelProto *model);
void sonde_onnx_large_take_back (SondeOnnxReader *reader, Onnx__ModelProto *model);
gboolean sonde_onnx_large_is_lent (const SondeOnnxReader *reader, const guint8 *bytes);
/* Lent bytes to where they are wanted, out of the file if they are not in memory. */
gboolean sonde_onnx_large_copy (const SondeOnnxReader *reader, const guint8 *bytes, gsize length,
                                void *to, GError **error);

#define SONDE_ONNX_GRAPH_FIELD 7
#define SONDE_ONNX_INITIALIZER_FIELD 5
#define SONDE_ONNX_RAW_DATA_FIELD 9
#define SONDE_ONNX_LARGE_BYTES 65536 /* of raw_data; smaller ones go through the message */

/* One field: its number, where its tag begins, where its content does; and where the next field
 * begins. */
typedef struct
{
  guint64 number;
  guint wire;
  gsize start, content, end;
} SondeOnnxField;

/* The field at @at of a message that ends at @end; FALSE: it is none. */
gboolean sonde_onnx_next_field (const guint8 *data, gsize end, gsize at, SondeOnnxField *field);

/* @io: (nullable); @path is lent. Close it after a failure too. */
gboolean sonde_onnx_file_open (SondeOnnxFile *file, const SondeIo *io, const char *path,
                               GError **error);
void sonde_onnx_file_close (SondeOnnxFile *file);
/* Reads all gaps. */
gboolean sonde_onnx_file_fill (SondeOnnxFile *file, GError **error);
/* Is every gap one of @spans ((nullable): none)? */
gboolean sonde_onnx_file_has_gaps_only_at (const SondeOnnxFile *file, const GArray *spans);
/* @place: where in @data the bytes would be. */
gboolean sonde_onnx_file_read (const SondeOnnxFile *file, const guint8 *place, gsize length,
                               void *to, GError **error);

/* Large blocks of @allocator are aligned as tensors are and may be kept: taken out of the message
 * and freed with free(). */
#define SONDE_ONNX_KEEP_BYTES 4096

/* "“FILE”: MESSAGE". Returns FALSE. */
gboolean sonde_onnx_fail (const SondeOnnxReader *reader, GError **error, SondeDataError code,
                          const char *format, ...) G_GNUC_PRINTF (4, 5);

/* A name, an operator, a symbol: UTF-8, since it will be shown. @text: (nullable) is fine. */
gboolean sonde_onnx_check_text (const SondeOnnxReader *reader, const char *what, const char *text,
                                GError **error);
/* Documentation: bytes that are no UTF-8 are replaced; NULL when empty. Returns: (transfer full) */
char *sonde_onnx_dup_doc (const char *text);

/* ---- element types, types ------------------------------------------------ */

/* Which list of a TensorProto holds the elements when raw_data does not. */
typedef enum
{
  SONDE_ONNX_FLOAT_DATA,
  SONDE_ONNX_INT32_DATA,
  SONDE_ONNX_INT64_DATA,
  SONDE_ONNX_DOUBLE_DATA,
  SONDE_ONNX_UINT64_DATA,
  SONDE_ONNX_STRING_DATA,
  SONDE_ONNX_N_PAYLOADS
} SondeOnnxPayload;

/**
 * SondeOnnxElement: one row for each TensorProto.DataType
 * @name: ONNX's name
 * @dtype: ours; INVALID when the type is not supported
 * @min: @max: smallest and greatest entry of int32_data for the narrow types
 * @ir_version: of the format that has it, where that is later than what is written by default; 0
 */
typedef struct
{
  const char *name;
  SondeDtype dtype;
  SondeOnnxPayload payload;
  gint32 min, max;
  int ir_version;
} SondeOnnxElement;

const SondeOnnxElement *sonde_onnx_element (int data_type); /* NULL for 0 and unknown numbers */
int sonde_onnx_data_type (SondeDtype dtype);                /* 0 when there is none */

/* @proto: (nullable): unknown. Errors name @what. */
gboolean sonde_onnx_read_type (const SondeOnnxReader *reader, const Onnx__TypeProto *proto,
                               const char *what, SondeType *type, GError **error);

/* ---- tensors ------------------------------------------------------------- */

/* @where: for messages, as "tensor" or "attribute “value” of node “c”"; the tensor's name is added.
 * May take raw_data out of @proto. Returns: (transfer full) */
SondeTensor *sonde_onnx_read_tensor (SondeOnnxReader *reader, Onnx__TensorProto *proto,
                                     const char *where, GError **error);

/* As a dense tensor. @where: as above. Errors: LIMIT when it would be too large. */
SondeTensor *sonde_onnx_read_sparse (SondeOnnxReader *reader, Onnx__SparseTensorProto *proto,
                                     const char *where, GError **error);

/* Elements of 4 and 2 bits in a file: the first in the lowest bits of a byte. @n: elements */
gsize sonde_onnx_packed_bytes (SondeDtype dtype, gint64 n);
void sonde_onnx_unpack (SondeDtype dtype, const guint8 *from, gint64 n, guint8 *to);
void sonde_onnx_pack (SondeDtype dtype, const guint8 *from, gint64 n, guint8 *to);

/* A tensor, sequence or optional of a test's data set, as deep as it is nested. */
SondeValue *sonde_onnx_read_tensor_value (SondeOnnxReader *reader, Onnx__TensorProto *proto,
                                          GError **error);
SondeValue *sonde_onnx_read_sequence (SondeOnnxReader *reader, Onnx__SequenceProto *proto,
                                      GError **error);
SondeValue *sonde_onnx_read_optional (SondeOnnxReader *reader, Onnx__OptionalProto *proto,
                                      GError **error);

/* Fills @tensor (contiguous, no strings) from the file that @proto names. */
gboolean sonde_onnx_read_external (SondeOnnxReader *reader, const Onnx__TensorProto *proto,
                                   const char *where, SondeDtype dtype, const SondeShape *shape,
                                   SondeTensor **tensor, GError **error);
void sonde_onnx_external_free (SondeOnnxExternal *external, const SondeIo *io);

/* ---- graphs -------------------------------------------------------------- */

gboolean sonde_onnx_read_graph (SondeOnnxReader *reader, Onnx__GraphProto *proto, SondeGraph *graph,
                                GError **error);
/* Nodes of a graph or a function body: outputs are declared first, so that order does not
 * matter. */
gboolean sonde_onnx_read_nodes (SondeOnnxReader *reader, Onnx__NodeProto **protos, gsize n,
                                SondeGraph *graph, GError **error);
gboolean sonde_onnx_read_value_infos (SondeOnnxReader *reader, Onnx__ValueInfoProto **protos,
                                      gsize n, SondeGraph *graph, GError **error);
/* Local, or captured from an enclosing graph; NULL when nothing has that name. */
SondeGraphValue *sonde_onnx_find_value (SondeGraph *graph, const char *name);
/* @owner_kind: @owner: for messages: "node", its name; @node_graph: where the node lies: the parent
 * of graphs among its attributes.
 * Returns: (transfer full) */
SondeAttribute *sonde_onnx_read_attribute (SondeOnnxReader *reader, Onnx__AttributeProto *proto,
                                           const char *owner_kind, const char *owner,
                                           SondeGraph *node_graph, GError **error);
gboolean sonde_onnx_read_functions (SondeOnnxReader *reader, Onnx__ModelProto *proto,
                                    SondeGraph *graph, GError **error);
gboolean sonde_onnx_read_opsets (SondeOnnxReader *reader, Onnx__OperatorSetIdProto **protos,
                                 gsize n, SondeGraph *graph, GError **error);
SondeGraph *sonde_onnx_read_model (SondeOnnxReader *reader, Onnx__ModelProto *proto,
                                   GError **error);

/* What an initialiser is by the nodes that read it, also inside subgraphs. */
SondeValueRole sonde_onnx_initialiser_role (const SondeGraphValue *value);

/* ---- our own facts as metadata ------------------------------------------- */

/* Phase, origins, roles, which ONNX has no field for, travel in metadata_props under "sonde.";
 * a plain model has none of them. Visits the entries to write. */
typedef void (*SondeOnnxEntry) (const char *key, const char *value, gpointer data);
void sonde_onnx_describe_node (const SondeGraph *graph, const SondeNode *node, SondeOnnxEntry entry,
                               gpointer data);
void sonde_onnx_describe_value (const SondeGraph *graph, const SondeGraphValue *value,
                                SondeOnnxEntry entry, gpointer data);
/* Unknown keys and values are ignored: they are notes, not the model. */
void sonde_onnx_apply_to_node (SondeNode *node, Onnx__StringStringEntryProto **entries, gsize n);
void sonde_onnx_apply_to_value (SondeGraph *graph, SondeGraphValue *value,
                                Onnx__StringStringEntryProto **entries, gsize n);

/* ---- writing ------------------------------------------------------------- */

/* Everything that a message under construction points to. */
typedef struct
{
  GPtrArray *blocks; /* freed with g_free() */
  GPtrArray *kept;   /* tensors */
  int ir_version;    /* that what was written so far needs */
} SondeOnnxWriter;

void sonde_onnx_need_element (SondeOnnxWriter *writer, SondeDtype dtype);

void *sonde_onnx_alloc (SondeOnnxWriter *writer, gsize bytes);    /* zeroed */
char *sonde_onnx_take_text (SondeOnnxWriter *writer, char *text); /* (transfer full) (nullable) */
/* An array of @n pointers to zeroed structs of @bytes, each initialised from @init. */
void *sonde_onnx_alloc_messages (SondeOnnxWriter *writer, gsize n, const void *init, gsize bytes);
Onnx__StringStringEntryProto **sonde_onnx_new_entries (SondeOnnxWriter *writer,
                                                       GPtrArray *texts, /* key, value, key, … */
                                                       size_t *n);
Onnx__TypeProto *sonde_onnx_write_type (SondeOnnxWriter *writer,
                                        const SondeType *type); /* NULL when unknown */
gboolean sonde_onnx_write_tensor (SondeOnnxWriter *writer, SondeTensor *tensor,
                                  const char *name, /* (nullable) */
                                  Onnx__TensorProto *proto, GError **error);
gboolean sonde_onnx_write_attribute (SondeOnnxWriter *writer, const SondeAttribute *attribute,
                                     guint depth, Onnx__AttributeProto *proto, GError **error);
gboolean sonde_onnx_write_graph (SondeOnnxWriter *writer, SondeGraph *graph, guint depth,
                                 Onnx__GraphProto *proto, GError **error);
gboolean sonde_onnx_write_nodes (SondeOnnxWriter *writer, SondeGraph *graph, guint depth,
                                 Onnx__NodeProto ***protos, size_t *n, GError **error);
GBytes *sonde_onnx_serialise (SondeGraph *graph, GError **error);

G_END_DECLS
