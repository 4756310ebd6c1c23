/* SPDX-License-Identifier: Apache-2.0
 * What an operator made, by names that lead to it as long as PyTorch keeps it alive. */
#include "collector/live/sonde-interception-private.h"

/* None of an inference tensor. (transfer full) */
static PyObject *
version_of (PyObject *tensor)
{
  PyObject *version = PyObject_GetAttr (tensor, sonde_interception_names[NAME_VERSION]);

  if (version != NULL || !PyErr_ExceptionMatches (PyExc_RuntimeError))
    return version;
  PyErr_Clear ();
  return Py_NewRef (Py_None);
}

/* ---- versions that are counted later ------------------------------------- */

/* Python's object of a tensor may have died before the tensor: it is made good for a weak reference. */
static int
revive (PyObject *tensor)
{
  PyObject *fixed
      = PyObject_CallMethodObjArgs (tensor, sonde_interception_names[NAME_FIX_WEAKREF], NULL);

  Py_XDECREF (fixed);
  return fixed != NULL ? 0 : -1;
}

/* Of what is kept of a value, itself or a weak reference to it: @version where it is gone. (transfer full) */
static PyObject *
settle (PyObject *kept, PyObject *version)
{
  PyObject *tensor = PyWeakref_Check (kept) ? PyObject_CallNoArgs (kept) : Py_NewRef (kept);
  PyObject *settled = NULL;

  if (tensor == Py_None)
    settled = Py_NewRef (version);
  else if (tensor != NULL && (tensor == kept || revive (tensor) == 0))
    settled = version_of (tensor);
  Py_XDECREF (tensor);
  return settled;
}

/* (transfer full) */
static PyObject *
settle_all (PyObject *kept, PyObject *versions)
{
  const Py_ssize_t n = PyList_Size (kept);
  PyObject *settled = PyList_New (n);

  for (Py_ssize_t i = 0; i < n && settled != NULL; i++)
    {
      PyObject *version = settle (PyList_GetItem (kept, i), PyList_GetItem (versions, i));

      if (version == NULL || PyList_SetItem (settled, i, version) < 0)
        Py_CLEAR (settled);
    }
  return settled;
}

/* What wrote in place is counted as a version, and a view counts those of its base, only after it came by. */
static int
settle_written (PyObject *values)
{
  PyObject *node = Py_NewRef (OBJECT_OF (values, VALUES_WRITTEN));
  PyObject *kept = OBJECT_OF (node, NODE_MADE), *version = OBJECT_OF (node, NODE_VERSION);
  PyObject *settled = PyList_Check (kept) ? settle_all (kept, version) : settle (kept, version);

  sonde_record_set (values, VALUES_WRITTEN, Py_None);
  if (settled != NULL)
    sonde_record_set (node, NODE_VERSION, settled);
  Py_XDECREF (settled);
  Py_DECREF (node);
  return settled != NULL ? 0 : -1;
}

/* ---- what came ----------------------------------------------------------- */

static int
remember_name (PyObject *values, PyObject *tensor, PyObject *name)
{
  PyObject *id = PyLong_FromVoidPtr (tensor);
  int failed = id == NULL || PyDict_SetItem (OBJECT_OF (values, VALUES_MADE), id, name) < 0;

  Py_XDECREF (id);
  return failed ? -1 : 0;
}

/* @made, @version: (transfer full) (nullable): what failed before. */
static int
keep (PyObject *values, PyObject *node, PyObject *made, PyObject *version)
{
  int failed = made == NULL || version == NULL
               || PyDict_SetItem (OBJECT_OF (values, VALUES_KEPT), node, Py_True) < 0;

  if (!failed)
    {
      sonde_record_set (node, NODE_MADE, made);
      sonde_record_set (node, NODE_VERSION, version);
    }
  Py_XDECREF (made);
  Py_XDECREF (version);
  return failed ? -1 : 0;
}

static int
keep_one (PyObject *values, PyObject *node, PyObject *tensor)
{
  if (remember_name (values, tensor, OBJECT_OF (node, NODE_NAME)) < 0)
    return -1;
  return keep (values, node, PyWeakref_NewRef (tensor, NULL), version_of (tensor));
}

/* (transfer full) */
static int
append (PyObject *list, PyObject *item)
{
  int failed = item == NULL || PyList_Append (list, item) < 0;

  Py_XDECREF (item);
  return failed ? -1 : 0;
}

/* As lists; an output that is None has no place in them. */
static int
keep_several (PyObject *values, PyObject *node, PyObject *out)
{
  PyObject *names = OBJECT_OF (node, NODE_OUTPUTS), *made = PyList_New (0),
           *versions = PyList_New (0);
  int failed = made == NULL || versions == NULL;

  for (Py_ssize_t i = 0; i < PyTuple_Size (out) && !failed; i++)
    {
      PyObject *tensor = PyTuple_GetItem (out, i);

      if (tensor != Py_None)
        failed = remember_name (values, tensor, PyList_GetItem (names, PyList_Size (made))) < 0
                 || append (made, PyWeakref_NewRef (tensor, NULL)) < 0
                 || append (versions, version_of (tensor)) < 0;
    }
  if (!failed)
    return keep (values, node, made, versions);
  Py_XDECREF (made);
  Py_XDECREF (versions);
  return -1;
}

/* An autograd node was made, by the first operator that sees its number. */
static int
note_sequence (Interception *way, PyObject *node)
{
  PyObject *operators = way->parts[OPERATORS], *key = NULL;
  PyObject *number = PyObject_CallNoArgs (way->parts[SEQUENCE_NUMBER]);
  Py_ssize_t now = number != NULL ? PyLong_AsSsize_t (number) : -1;
  int failed = PyErr_Occurred () != NULL;

  if (!failed && now != NUMBER_OF (operators, OPERATORS_NUMBER))
    {
      PyObject *forward = OBJECT_OF (operators, OPERATORS_FORWARD);

      NUMBER_OF (operators, OPERATORS_NUMBER) = now;
      key = PyLong_FromSsize_t (now - 1);
      failed = key == NULL
               || (PyDict_GetItemWithError (forward, key) == NULL
                   && (PyErr_Occurred () || PyDict_SetItem (forward, key, node) < 0));
    }
  Py_XDECREF (key);
  Py_XDECREF (number);
  return failed ? -1 : 0;
}

/* A tuple of tensors and None, for each of which there is a name. */
static int
are_plain (const Interception *way, PyObject *out, PyObject *names)
{
  const Py_ssize_t n = PyTuple_Check (out) ? PyTuple_Size (out) : 0;
  int some = 0;

  if (n > PyList_Size (names))
    return 0;
  for (Py_ssize_t i = 0; i < n; i++)
    {
      PyObject *one = PyTuple_GetItem (out, i);

      if (one != Py_None && !is_plain (way, one))
        return 0;
      some |= one != Py_None;
    }
  return some;
}

/* Of the usual kind: not held, described before, and one tensor or several. */
static int
is_usual (Interception *way, PyObject *node, PyObject *out)
{
  return NUMBER_OF (way->parts[VALUES], VALUES_HOLDS) == 0 && NUMBER_OF (node, NODE_HAS_TYPES) != 0
         && (is_plain (way, out) || are_plain (way, out, OBJECT_OF (node, NODE_OUTPUTS)));
}

static int
see_usual (Interception *way, PyObject *node, PyObject *out)
{
  PyObject *values = way->parts[VALUES];

  if (OBJECT_OF (values, VALUES_WRITTEN) != Py_None && settle_written (values) < 0)
    return -1;
  if ((is_plain (way, out) ? keep_one (values, node, out) : keep_several (values, node, out)) < 0)
    return -1;
  if (NUMBER_OF (node, NODE_UNJUDGED) != 0 || PyTuple_Size (OBJECT_OF (node, NODE_WRITES)) > 0)
    sonde_record_set (values, VALUES_WRITTEN, node);
  return NUMBER_OF (node, NODE_PHASE) == SONDE_PROGRAM_FORWARD ? note_sequence (way, node) : 0;
}

int
sonde_interception_see_made (Interception *way, PyObject *node, PyObject *out, PyObject *args,
                             PyObject *kwargs)
{
  PyObject *done;

  if (is_usual (way, node, out))
    return see_usual (way, node, out);
  done = PyObject_CallFunctionObjArgs (way->parts[MADE], node, out, args,
                                       kwargs != NULL ? kwargs : Py_None, NULL);
  Py_XDECREF (done);
  return done != NULL ? 0 : -1;
}
