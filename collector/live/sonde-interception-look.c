/* SPDX-License-Identifier: Apache-2.0
 * A look at the numbers of what an operator made, got at by DLPack's exchange between libraries in C. */
#include "collector/live/sonde-interception-private.h"

#define GIL_BYTES 65536 /* Python's lock is given up for a look at more */

/* ---- DLPack -------------------------------------------------------------- */

/* As SondeProgramTensor has it; 0: none of those. */
static int
type_of (const DlTensor *tensor)
{
  const int size = tensor->type.bits == 8    ? 0
                   : tensor->type.bits == 16 ? 1
                   : tensor->type.bits == 32 ? 2
                                             : 3;

  if (tensor->type.lanes != 1 || (8 << size) != tensor->type.bits)
    return 0;
  switch (tensor->type.code)
    {
    case 0: /* int */
      return 5 + size;
    case 1: /* unsigned */
      return 9 + size;
    case 2: /* float */
      return size > 0 ? 4 - size : 0;
    case 4: /* bfloat16 */
      return size == 1 ? 4 : 0;
    case 6: /* bool */
      return size == 0 ? 13 : 0;
    default:
      return 0;
    }
}

/* How many elements; −1: they do not lie one after the other. */
static int64_t
count_dense (const DlTensor *tensor)
{
  int64_t n = 1;

  for (int i = tensor->rank - 1; i >= 0; i--)
    {
      if (tensor->dims[i] != 1 && tensor->strides != NULL && tensor->strides[i] != n)
        return -1;
      n *= tensor->dims[i];
    }
  return n;
}

/* Its numbers are those in memory with the other sign; DLPack does not tell. */
static int
is_negated (PyObject *tensor)
{
  PyObject *answer
      = PyObject_CallMethodObjArgs (tensor, sonde_interception_names[NAME_IS_NEG], NULL);
  int negated = answer != Py_False;

  Py_XDECREF (answer);
  PyErr_Clear ();
  return negated;
}

/* Whether conditions would let it pass. −1: what is asked here cannot tell. */
static int
look_here (Interception *way, PyObject *node, uint32_t output, PyObject *out)
{
  DlTensor tensor;
  int type;
  int64_t n;
  const char *data;
  uint32_t place;
  int met;

  if (way->exchange == NULL || !is_plain (way, out) || is_negated (out))
    return -1;
  if (way->exchange->get_tensor (out, &tensor) != 0)
    {
      PyErr_Clear ();
      return -1;
    }
  type = type_of (&tensor);
  n = count_dense (&tensor);
  if (tensor.device.type != DL_CPU || type == 0 || n < 0)
    return -1;
  data = (const char *) tensor.data + tensor.byte_offset;
  place = SONDE_PROGRAM_PLACE ((uint32_t) NUMBER_OF (node, NODE_NUMBER), output, (uint32_t) type);
  if (n * tensor.type.bits / 8 < GIL_BYTES)
    return !way->look (way->program, place, data, (size_t) n);
  Py_BEGIN_ALLOW_THREADS met = way->look (way->program, place, data, (size_t) n);
  Py_END_ALLOW_THREADS return !met;
}

/* At all outputs; None is none of them. */
static int
look_at_all (Interception *way, PyObject *node, PyObject *out)
{
  uint32_t output = 0;
  int sound = 1;

  if (!PyTuple_Check (out))
    return look_here (way, node, 0, out);
  for (Py_ssize_t i = 0; i < PyTuple_Size (out) && sound > 0; i++)
    {
      PyObject *tensor = PyTuple_GetItem (out, i);

      if (tensor != Py_None)
        sound = output < MAX_OUTPUTS ? look_here (way, node, output++, tensor) : -1;
    }
  return sound;
}

int
sonde_interception_is_sound (Interception *way, PyObject *node, PyObject *out)
{
  PyObject *answer;
  int sound = look_at_all (way, node, out);

  if (sound >= 0)
    return sound;
  answer = PyObject_CallFunctionObjArgs (way->parts[IS_SOUND], node, out, NULL);
  sound = answer != NULL ? PyObject_IsTrue (answer) : -1;
  Py_XDECREF (answer);
  return sound;
}
