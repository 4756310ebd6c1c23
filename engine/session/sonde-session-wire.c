/* SPDX-License-Identifier: Apache-2.0
 * Packing, scanning, unpacking; memory that travels as a descriptor. */
#include "engine/session/sonde-session-wire-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-wire.h"

const guint8 sonde_session_preamble[SONDE_SESSION_PREAMBLE_BYTES] = {
  'S', 'O', 'N', 'D', 'E', 0, SONDE_SESSION_VERSION, '\n',
};

GBytes *
sonde_session_pack (const ProtobufCMessage *message)
{
  gsize length = protobuf_c_message_get_packed_size (message);
  guint8 *frame = g_malloc (SONDE_SESSION_LENGTH_BYTES + length);
  guint32 little = GUINT32_TO_LE ((guint32) length);

  memcpy (frame, &little, sizeof little);
  protobuf_c_message_pack (message, frame + SONDE_SESSION_LENGTH_BYTES);
  return g_bytes_new_take (frame, SONDE_SESSION_LENGTH_BYTES + length);
}

/* ---- scanning ------------------------------------------------------------ */

/* What the scan asks, answered from protobuf-c's own description: no table to be kept in step. */
static gboolean
find_field (const void *message, guint32 number, SondeWireField *field)
{
  static const struct
  {
    SondeWireType type;
    gsize bytes;
  } kinds[] = {
    [PROTOBUF_C_TYPE_INT32] = { SONDE_WIRE_VARINT, 4 },
    [PROTOBUF_C_TYPE_SINT32] = { SONDE_WIRE_VARINT, 4 },
    [PROTOBUF_C_TYPE_SFIXED32] = { SONDE_WIRE_FIXED32, 4 },
    [PROTOBUF_C_TYPE_INT64] = { SONDE_WIRE_VARINT, 8 },
    [PROTOBUF_C_TYPE_SINT64] = { SONDE_WIRE_VARINT, 8 },
    [PROTOBUF_C_TYPE_SFIXED64] = { SONDE_WIRE_FIXED64, 8 },
    [PROTOBUF_C_TYPE_UINT32] = { SONDE_WIRE_VARINT, 4 },
    [PROTOBUF_C_TYPE_FIXED32] = { SONDE_WIRE_FIXED32, 4 },
    [PROTOBUF_C_TYPE_UINT64] = { SONDE_WIRE_VARINT, 8 },
    [PROTOBUF_C_TYPE_FIXED64] = { SONDE_WIRE_FIXED64, 8 },
    [PROTOBUF_C_TYPE_FLOAT] = { SONDE_WIRE_FIXED32, 4 },
    [PROTOBUF_C_TYPE_DOUBLE] = { SONDE_WIRE_FIXED64, 8 },
    [PROTOBUF_C_TYPE_BOOL] = { SONDE_WIRE_VARINT, sizeof (protobuf_c_boolean) },
    [PROTOBUF_C_TYPE_ENUM] = { SONDE_WIRE_VARINT, sizeof (int) },
    [PROTOBUF_C_TYPE_STRING] = { SONDE_WIRE_BYTES, sizeof (char *) },
    [PROTOBUF_C_TYPE_BYTES] = { SONDE_WIRE_BYTES, sizeof (ProtobufCBinaryData) },
    [PROTOBUF_C_TYPE_MESSAGE] = { SONDE_WIRE_BYTES, sizeof (void *) },
  };
  const ProtobufCFieldDescriptor *found = protobuf_c_message_descriptor_get_field (message, number);

  if (found == NULL || found->type >= G_N_ELEMENTS (kinds))
    return FALSE;
  *field = (SondeWireField){
    .name = found->name,
    .type = kinds[found->type].type,
    .repeated = found->label == PROTOBUF_C_LABEL_REPEATED,
    .text = found->type == PROTOBUF_C_TYPE_STRING,
    .element_bytes = kinds[found->type].bytes,
  };
  if (found->type == PROTOBUF_C_TYPE_MESSAGE)
    {
      field->message = found->descriptor;
      field->message_bytes
          = ((const ProtobufCMessageDescriptor *) found->descriptor)->sizeof_message;
    }
  return TRUE;
}

void *
sonde_session_unpack (const ProtobufCMessageDescriptor *descriptor, const guint8 *data,
                      gsize length, const char *what, GError **error)
{
  SondeWireSchema schema = {
    .find_field = find_field,
    .root = descriptor,
    .root_name = descriptor->short_name,
    .root_bytes = descriptor->sizeof_message,
  };
  g_autoptr (GError) local = NULL;
  ProtobufCMessage *message;

  if (!sonde_wire_scan (data, length, &schema, what, NULL, NULL, &local))
    {
      sonde_set_error_from (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL, local);
      return NULL;
    }
  message = protobuf_c_message_unpack (descriptor, NULL, length, data);
  if (message == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                     "A %s of %zu bytes is damaged.", what, length);
  return message;
}

/* ---- memory -------------------------------------------------------------- */

/* Written, not mapped: pages are neither cleared nor faulted in before they are filled. */
static gboolean
fill_memfd (int fd, const guint8 *data, gsize length)
{
  for (gsize done = 0; done < length;)
    {
      ssize_t written = write (fd, data + done, length - done);

      if (written < 0 && errno != EINTR)
        return FALSE;
      done += (gsize) MAX (written, 0);
    }
  return fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0;
}

int
sonde_session_make_memfd (const void *data, gsize length, GError **error)
{
  int fd = memfd_create ("sonde-value", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  if (fd >= 0 && fill_memfd (fd, data, length))
    return fd;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                   "There is no memory for %zu bytes on their way to a client: %s", length,
                   g_strerror (errno));
  if (fd >= 0)
    close (fd);
  return -1;
}

void *
sonde_session_map_memfd (int fd, guint64 bytes, GError **error)
{
  int seals = fcntl (fd, F_GET_SEALS);
  struct stat info;
  void *memory;

  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat (fd, &info) != 0
      || (guint64) info.st_size < bytes || bytes == 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                       "The engine sent a descriptor that does not hold %" PRIu64 " sealed bytes.",
                       bytes);
      return NULL;
    }
  memory = mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  if (memory == MAP_FAILED)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                       "cannot map %" PRIu64 " bytes: %s", bytes, g_strerror (errno));
      return NULL;
    }
  return memory;
}
