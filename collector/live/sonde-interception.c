/* SPDX-License-Identifier: Apache-2.0
 * What every operator of PyTorch pays for while something is armed, as a module of Python: who comes by where it
 * came by last time is recognised, kept and looked at without a line of Python. What is new or stopped at is left to the
 * methods of collector/python/sonde/debug, which do all of it where this module is absent. */
#include "collector/live/sonde-interception-private.h"

static const char *const part_names[N_PARTS]
    = { "session",         "operators",    "values",    "nodes",        "current_node",
        "sequence_number", "tensor",       "parameter", "accumulate",   "backward_scope",
        "update_scope",    "scope_beside", "find",      "made",         "see_beside",
        "give_up",         "stand",        "failed",    "stand_behind", "is_sound" };

static int
traverse_interception (PyObject *self, visitproc visit, void *arg)
{
  Py_VISIT (Py_TYPE (self));
  for (int i = 0; i < N_PARTS; i++)
    Py_VISIT (((Interception *) self)->parts[i]);
  return 0;
}

static int
clear_interception (PyObject *self)
{
  for (int i = 0; i < N_PARTS; i++)
    Py_CLEAR (((Interception *) self)->parts[i]);
  return 0;
}

static void
dealloc_interception (PyObject *self)
{
  PyObject_GC_UnTrack (self);
  clear_interception (self);
  free_object (self);
}

static void *
address_in (PyObject *options, const char *name)
{
  PyObject *number = PyDict_GetItemString (options, name);

  return number != NULL ? PyLong_AsVoidPtr (number) : NULL;
}

/* begin (parts: dict, flags, look, program: addresses, exchange: a capsule or None) */
static PyObject *
begin (PyObject *self, PyObject *options)
{
  Interception *way = (Interception *) self;
  PyObject *exchange;

  if (!PyDict_Check (options))
    return PyErr_Format (PyExc_TypeError, "begin() takes a dictionary");
  for (int i = 0; i < N_PARTS; i++)
    {
      PyObject *part = PyDict_GetItemString (options, part_names[i]), *old = way->parts[i];

      if (part == NULL)
        return PyErr_Format (PyExc_KeyError, "%s", part_names[i]);
      Py_INCREF (part);
      way->parts[i] = part;
      Py_XDECREF (old);
    }
  way->flags = address_in (options, "flags");
  way->look = (Look) address_in (options, "look");
  way->program = address_in (options, "program");
  exchange = PyDict_GetItemString (options, "exchange");
  if (exchange != NULL && PyCapsule_IsValid (exchange, "dlpack_exchange_api"))
    way->exchange = PyCapsule_GetPointer (exchange, "dlpack_exchange_api");
  if (way->exchange != NULL && way->exchange->version.major != DL_MAJOR)
    way->exchange = NULL;
  if (PyErr_Occurred ())
    return NULL;
  if (way->flags == NULL || way->look == NULL)
    return PyErr_Format (PyExc_ValueError, "begin() needs flags and look");
  Py_RETURN_NONE;
}
/* ---- an operator --------------------------------------------------------- */

/* A fault of ours is the end of debugging. 0: it is; −1: it was the program's own, and goes on. */
static int
give_up (Interception *way)
{
  PyObject *type, *problem, *trace, *done;

  if (!PyErr_ExceptionMatches (PyExc_Exception))
    return -1;
  PyErr_Fetch (&type, &problem, &trace);
  PyErr_NormalizeException (&type, &problem, &trace);
  if (trace != NULL)
    PyException_SetTraceback (problem, trace);
  done = PyObject_CallFunctionObjArgs (way->parts[GIVE_UP], problem, NULL);
  Py_XDECREF (type);
  Py_XDECREF (problem);
  Py_XDECREF (trace);
  Py_XDECREF (done);
  return done != NULL ? 0 : -1;
}

static int
stand (Interception *way, PyObject *node, int moment)
{
  PyObject *number = PyLong_FromLong (moment);
  PyObject *done = number != NULL
                       ? PyObject_CallFunctionObjArgs (way->parts[STAND], node, number, NULL)
                       : NULL;

  Py_XDECREF (number);
  Py_XDECREF (done);
  return done != NULL ? 0 : -1;
}

/* The operator's error is told, and stays what is raised unless who stands raises another one. */
static void
tell_error (Interception *way, PyObject *node, PyObject *args, PyObject *kwargs)
{
  PyObject *type, *problem, *trace, *done;

  if (!PyErr_ExceptionMatches (PyExc_Exception))
    return;
  PyErr_Fetch (&type, &problem, &trace);
  PyErr_NormalizeException (&type, &problem, &trace);
  done = PyObject_CallFunctionObjArgs (way->parts[FAILED], node, problem, args,
                                       kwargs != NULL ? kwargs : Py_None, NULL);
  if (done != NULL)
    {
      Py_DECREF (done);
      PyErr_Restore (type, problem, trace);
      return;
    }
  Py_XDECREF (type);
  Py_XDECREF (problem);
  Py_XDECREF (trace);
}

/* Behind the operator: kept, looked at, and stood at. −1: who stands raises. */
static int
look_behind (Interception *way, PyObject *node, int wanted, PyObject *out, PyObject *args,
             PyObject *kwargs)
{
  int sound = 0;
  PyObject *done;

  if (sonde_interception_see_made (way, node, out, args, kwargs) < 0)
    return give_up (way);
  if ((wanted & SONDE_PROGRAM_AFTER) == 0)
    return 0;
  if ((wanted & SONDE_PROGRAM_LOOK) != 0)
    sound = sonde_interception_is_sound (way, node, out);
  if (sound != 0)
    return sound < 0 ? give_up (way) : 0;
  done = PyObject_CallFunctionObjArgs (way->parts[STAND_BEHIND], node, args,
                                       kwargs != NULL ? kwargs : Py_None, NULL);
  Py_XDECREF (done);
  return done != NULL ? 0 : -1;
}

static PyObject *
pass (Interception *way, PyObject *node, PyObject *call, PyObject *args, PyObject *kwargs)
{
  const Py_ssize_t number = NUMBER_OF (node, NODE_NUMBER);
  int wanted = way->flags[number] | way->flags[0];
  PyObject *out;

  if ((wanted & SONDE_PROGRAM_BEFORE) != 0)
    {
      if (stand (way, node, 0) < 0)
        return NULL;
      wanted = way->flags[number] | way->flags[0];
    }
  out = PyObject_Call (call, args, kwargs);
  if (out == NULL)
    tell_error (way, node, args, kwargs);
  else if (look_behind (way, node, wanted, out, args, kwargs) < 0)
    Py_CLEAR (out);
  return out;
}

/* Somebody asks, and this thread is the one that is debugged. */
static int
is_meant (PyObject *session)
{
  return session != NULL && NUMBER_OF (session, SESSION_ARMED) != 0
         && NUMBER_OF (session, SESSION_BUSY) == 0
         && (Py_ssize_t) PyThread_get_thread_ident () == NUMBER_OF (session, SESSION_OWNER);
}

static PyObject *
dispatch_in (Interception *way, PyObject *func, PyObject *args, PyObject *kwargs)
{
  PyObject *call = NULL, *out = NULL;
  PyObject *node = sonde_interception_come_to (way, func, args, &call);

  if (node == NULL && give_up (way) == 0)
    node = Py_NewRef (Py_None);
  if (node == Py_None)
    out = PyObject_Call (call != NULL ? call : func, args, kwargs);
  else if (node != NULL)
    out = pass (way, node, call, args, kwargs);
  Py_XDECREF (node);
  Py_XDECREF (call);
  return out;
}

/* __torch_dispatch__ (func, types, args, kwargs) */
static PyObject *
dispatch (PyObject *self, PyObject *const *given, Py_ssize_t n)
{
  Interception *way = (Interception *) self;
  PyObject *args, *out;
  PyObject *kwargs = n > 3 && given[3] != Py_None ? given[3] : NULL;

  if (n < 2)
    return PyErr_Format (PyExc_TypeError, "__torch_dispatch__() takes a function and types");
  args = n > 2 ? Py_NewRef (given[2]) : PyTuple_New (0);
  if (args == NULL)
    return NULL;
  out = is_meant (way->parts[SESSION]) ? dispatch_in (way, given[0], args, kwargs)
                                       : PyObject_Call (given[0], args, kwargs);
  Py_DECREF (args);
  return out;
}

/* pass_value (node, tensor): numbers of @node that are complete, where somebody waits for them */
static PyObject *
pass_value (PyObject *self, PyObject *const *given, Py_ssize_t n)
{
  Interception *way = (Interception *) self;
  Py_ssize_t number;
  int wanted, sound = 0;

  if (n != 2)
    return PyErr_Format (PyExc_TypeError, "pass_value() takes a node and a tensor");
  number = NUMBER_OF (given[0], NODE_NUMBER);
  wanted = way->flags[number] | way->flags[0];
  if ((wanted & SONDE_PROGRAM_AFTER) == 0)
    Py_RETURN_NONE;
  if ((wanted & SONDE_PROGRAM_LOOK) != 0)
    sound = sonde_interception_is_sound (way, given[0], given[1]);
  if (sound < 0 || (sound == 0 && stand (way, given[0], 1) < 0))
    return NULL;
  Py_RETURN_NONE;
}

/* ---- the module ---------------------------------------------------------- */

static PyMethodDef interception_methods[]
    = { { "__torch_dispatch__", (PyCFunction) (void (*) (void)) dispatch, METH_FASTCALL, NULL },
        { "pass_value", (PyCFunction) (void (*) (void)) pass_value, METH_FASTCALL, NULL },
        { "begin", begin, METH_O, NULL },
        { 0 } };

static PyType_Slot interception_slots[] = { { Py_tp_methods, interception_methods },
                                            { Py_tp_traverse, traverse_interception },
                                            { Py_tp_clear, clear_interception },
                                            { Py_tp_dealloc, dealloc_interception },
                                            { 0, NULL } };

static int
add_all (PyObject *module)
{
  return sonde_interception_add_records (module) < 0
                 || sonde_interception_add_type (module, "Interception",
                                                 "sonde_interception.Interception",
                                                 sizeof (Interception), interception_slots)
                        < 0
             ? -1
             : 0;
}

static PyModuleDef definition
    = { PyModuleDef_HEAD_INIT, "sonde_interception", NULL, -1, NULL, NULL, NULL, NULL, NULL };

PyMODINIT_FUNC PyInit_sonde_interception (void);

PyMODINIT_FUNC
PyInit_sonde_interception (void)
{
  PyObject *module = PyModule_Create (&definition);

  if (module != NULL && add_all (module) < 0)
    Py_CLEAR (module);
  return module;
}
