/* SPDX-License-Identifier: Apache-2.0
 * Attributes that Python's side and this one read all the time, at fixed places. */
#include "collector/live/sonde-interception-private.h"

static const char *const names[N_NAMES]
    = { "_version", "_fix_weakref", "_sequence_nr", "variable", "is_neg" };
PyObject *sonde_interception_names[N_NAMES];

static PyMemberDef session_members[]
    = { NUMBER ("armed", SESSION_ARMED), NUMBER ("busy", SESSION_BUSY),
        NUMBER ("owner", SESSION_OWNER), NUMBER ("phase", SESSION_PHASE),
        OBJECT ("stack", SESSION_STACK), { 0 } };

static PyMemberDef operators_members[] = { NUMBER ("stamp", OPERATORS_STAMP),
                                           NUMBER ("number", OPERATORS_NUMBER),
                                           NUMBER ("depth", OPERATORS_DEPTH),
                                           OBJECT ("entered", OPERATORS_ENTERED),
                                           OBJECT ("node", OPERATORS_NODE),
                                           OBJECT ("node_scope", OPERATORS_NODE_SCOPE),
                                           OBJECT ("forward", OPERATORS_FORWARD),
                                           OBJECT ("known_updates", OPERATORS_KNOWN_UPDATES),
                                           OBJECT ("other_updates", OPERATORS_OTHER_UPDATES),
                                           OBJECT ("parameters", OPERATORS_PARAMETERS),
                                           OBJECT ("known_accumulates", OPERATORS_ACCUMULATES),
                                           { 0 } };

static PyMemberDef values_members[] = { NUMBER ("holds", VALUES_HOLDS),
                                        OBJECT ("written", VALUES_WRITTEN),
                                        OBJECT ("kept", VALUES_KEPT),
                                        OBJECT ("made", VALUES_MADE),
                                        { 0 } };

static PyMemberDef nodes_members[] = { OBJECT ("now", NODES_NOW), { 0 } };

static PyMemberDef scope_members[] = { NUMBER ("stamp", SCOPE_STAMP),
                                       NUMBER ("place", SCOPE_PLACE),
                                       OBJECT ("route", SCOPE_ROUTE),
                                       OBJECT ("backwards", SCOPE_BACKWARDS),
                                       { 0 } };

static PyMemberDef node_members[]
    = { NUMBER ("number", NODE_NUMBER),       NUMBER ("phase", NODE_PHASE),
        NUMBER ("has_types", NODE_HAS_TYPES), NUMBER ("is_beside", NODE_IS_BESIDE),
        NUMBER ("unjudged", NODE_UNJUDGED),   OBJECT ("name", NODE_NAME),
        OBJECT ("made", NODE_MADE),           OBJECT ("version", NODE_VERSION),
        OBJECT ("writes", NODE_WRITES),       OBJECT ("home", NODE_HOME),
        OBJECT ("outputs", NODE_OUTPUTS),     { 0 } };

static int
traverse_record (PyObject *self, visitproc visit, void *arg)
{
  Py_VISIT (Py_TYPE (self));
  for (int i = 0; i < MAX_OBJECTS; i++)
    Py_VISIT (OBJECT_OF (self, i));
  return 0;
}

static int
clear_record (PyObject *self)
{
  for (int i = 0; i < MAX_OBJECTS; i++)
    Py_CLEAR (OBJECT_OF (self, i));
  return 0;
}

static void
dealloc_record (PyObject *self)
{
  PyObject_GC_UnTrack (self);
  clear_record (self);
  free_object (self);
}

void
sonde_record_set (PyObject *record, int place, PyObject *value)
{
  PyObject *old = OBJECT_OF (record, place);

  Py_INCREF (value);
  OBJECT_OF (record, place) = value;
  Py_XDECREF (old);
}
static const unsigned int type_flags
    = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;

int
sonde_interception_add_type (PyObject *module, const char *name, const char *full_name, int size,
                             PyType_Slot *slots)
{
  PyType_Spec spec = { full_name, size, 0, type_flags, slots };
  PyObject *type = PyType_FromSpec (&spec);
  int failed = type == NULL || PyModule_AddObjectRef (module, name, type) < 0;

  Py_XDECREF (type);
  return failed ? -1 : 0;
}

static int
add_record (PyObject *module, const char *name, const char *full_name, PyMemberDef *members)
{
  PyType_Slot slots[] = { { Py_tp_members, members },
                          { Py_tp_traverse, traverse_record },
                          { Py_tp_clear, clear_record },
                          { Py_tp_dealloc, dealloc_record },
                          { 0, NULL } };

  return sonde_interception_add_type (module, name, full_name, sizeof (Record), slots);
}

int
sonde_interception_add_records (PyObject *module)
{
  static const struct
  {
    const char *name, *full_name;
    PyMemberDef *members;
  } records[] = { { "SessionRecord", "sonde_interception.SessionRecord", session_members },
                  { "OperatorsRecord", "sonde_interception.OperatorsRecord", operators_members },
                  { "ValuesRecord", "sonde_interception.ValuesRecord", values_members },
                  { "NodesRecord", "sonde_interception.NodesRecord", nodes_members },
                  { "ScopeRecord", "sonde_interception.ScopeRecord", scope_members },
                  { "NodeRecord", "sonde_interception.NodeRecord", node_members } };

  for (int i = 0; i < N_NAMES; i++)
    if ((sonde_interception_names[i] = PyUnicode_InternFromString (names[i])) == NULL)
      return -1;
  for (size_t i = 0; i < sizeof records / sizeof *records; i++)
    if (add_record (module, records[i].name, records[i].full_name, records[i].members) < 0)
      return -1;
  return 0;
}
