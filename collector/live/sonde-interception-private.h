/* SPDX-License-Identifier: Apache-2.0
 * Inside of the module sonde_interception: what its files share. Python's limited interface of 3.10; nothing of
 * PyTorch but attributes, and the numbers of a tensor by DLPack. Python's lock is held throughout, but while a large
 * value is looked at. References are lent unless said otherwise. */
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#include <structmember.h>

#include <stdint.h>

#include "collector/live/sonde-program.h"

/* ---- what both sides read and write -------------------------------------- */

#define MAX_OBJECTS 8
#define MAX_NUMBERS 5
#define MAX_OUTPUTS 16

/* Attributes of a class in Python that are read here all the time: their places depend on the class. */
typedef struct
{
  PyObject_HEAD Py_ssize_t numbers[MAX_NUMBERS];
  PyObject *objects[MAX_OBJECTS];
} Record;

#define NUMBER(name, place)                                                                        \
  {                                                                                                \
    name, T_PYSSIZET, offsetof (Record, numbers) + (place) * sizeof (Py_ssize_t), 0, NULL          \
  }
#define OBJECT(name, place)                                                                        \
  {                                                                                                \
    name, T_OBJECT_EX, offsetof (Record, objects) + (place) * sizeof (PyObject *), 0, NULL         \
  }
#define NUMBER_OF(record, place) (((Record *) (record))->numbers[place])
#define OBJECT_OF(record, place) (((Record *) (record))->objects[place])
enum
{
  SESSION_ARMED,
  SESSION_BUSY,
  SESSION_OWNER,
  SESSION_PHASE
};

enum
{
  SESSION_STACK
};

enum
{
  OPERATORS_STAMP,
  OPERATORS_NUMBER,
  OPERATORS_DEPTH
};

enum
{
  OPERATORS_ENTERED,
  OPERATORS_NODE,
  OPERATORS_NODE_SCOPE,
  OPERATORS_FORWARD,
  OPERATORS_KNOWN_UPDATES,
  OPERATORS_OTHER_UPDATES,
  OPERATORS_PARAMETERS,
  OPERATORS_ACCUMULATES
};

enum
{
  VALUES_HOLDS
};

enum
{
  VALUES_WRITTEN,
  VALUES_KEPT,
  VALUES_MADE
};

enum
{
  NODES_NOW
};

enum
{
  SCOPE_STAMP,
  SCOPE_PLACE
};

enum
{
  SCOPE_ROUTE,
  SCOPE_BACKWARDS
};

enum
{
  NODE_NUMBER,
  NODE_PHASE,
  NODE_HAS_TYPES,
  NODE_IS_BESIDE,
  NODE_UNJUDGED
};

enum
{
  NODE_NAME,
  NODE_MADE,
  NODE_VERSION,
  NODE_WRITES,
  NODE_HOME,
  NODE_OUTPUTS
};

/* Attributes of PyTorch's, as strings. */
enum
{
  NAME_VERSION,
  NAME_FIX_WEAKREF,
  NAME_SEQUENCE_NR,
  NAME_VARIABLE,
  NAME_IS_NEG,
  N_NAMES
};
extern PyObject *sonde_interception_names[N_NAMES];

/* In place of what is there. */
void sonde_record_set (PyObject *record, int place, PyObject *value);

/* ---- DLPack -------------------------------------------------------------- */

/* As its specification lays them out. */
typedef struct
{
  void *data;
  struct
  {
    int32_t type, id;
  } device;
  int32_t rank;
  struct
  {
    uint8_t code, bits;
    uint16_t lanes;
  } type;
  int64_t *dims, *strides;
  uint64_t byte_offset;
} DlTensor;

typedef struct
{
  struct
  {
    uint32_t major, minor;
  } version;
  void *previous;
  void *unused[3];
  int (*get_tensor) (void *object, DlTensor *tensor);
} DlExchange;

#define DL_CPU 1
#define DL_MAJOR 1

/* ---- the mode ------------------------------------------------------------ */

/* Called, or asked, again and again. */
enum
{
  SESSION, /* records */
  OPERATORS,
  VALUES,
  NODES,
  CURRENT_NODE, /* of PyTorch */
  SEQUENCE_NUMBER,
  TENSOR,
  PARAMETER,
  ACCUMULATE,     /* the type of autograd's nodes that add to a gradient */
  BACKWARD_SCOPE, /* of Operators: (node of autograd) → scope */
  UPDATE_SCOPE,   /* (args) → scope */
  SCOPE_BESIDE,   /* () → scope */
  FIND,           /* (scope, place, func, args, node of autograd) → node or None */
  MADE,           /* (node, out, args, kwargs) */
  SEE_BESIDE,     /* (node, args) */
  GIVE_UP,        /* (problem) */
  STAND,          /* (node, moment) */
  FAILED,         /* (node, problem, args, kwargs) */
  STAND_BEHIND,   /* (node, args, kwargs) */
  IS_SOUND,       /* (node, out) → bool */
  N_PARTS,
};
typedef int (*Look) (void *program, uint32_t place, const void *data, size_t n);

/* @exchange: (nullable): how to get at numbers */
typedef struct
{
  PyObject_HEAD PyObject *parts[N_PARTS];
  const volatile unsigned char *flags;
  Look look;
  void *program;
  const DlExchange *exchange;
} Interception;

/* A tensor as PyTorch makes them, not somebody's subclass. */
static inline int
is_plain (const Interception *way, PyObject *out)
{
  PyObject *type = (PyObject *) Py_TYPE (out);

  return type == way->parts[TENSOR] || type == way->parts[PARAMETER];
}

/* The end of an object whose references are cleared. */
static inline void
free_object (PyObject *self)
{
  PyTypeObject *type = Py_TYPE (self);
  freefunc release = (freefunc) PyType_GetSlot (type, Py_tp_free);

  release (self);
  Py_DECREF (type);
}

/* ---- sonde-interception-records.c ---------------------------------------- */

int sonde_interception_add_type (PyObject *module, const char *name, const char *full_name,
                                 int size, PyType_Slot *slots);
/* Classes of what both sides read and write. −1: failed. */
int sonde_interception_add_records (PyObject *module);

/* ---- sonde-interception-place.c ------------------------------------------ */

/* The node of an operator that is about to run: None for one that is noise, NULL: failed. (transfer full)
 * @call: (transfer full): set to what calls it */
PyObject *sonde_interception_come_to (Interception *way, PyObject *func, PyObject *args,
                                      PyObject **call);

/* ---- sonde-interception-made.c ------------------------------------------- */

/* What @node gave, and of what; @kwargs may be NULL. −1: failed. */
int sonde_interception_see_made (Interception *way, PyObject *node, PyObject *out, PyObject *args,
                                 PyObject *kwargs);

/* ---- sonde-interception-look.c ------------------------------------------- */

/* 1: conditions alone would let it pass; −1: failed. */
int sonde_interception_is_sound (Interception *way, PyObject *node, PyObject *out);
