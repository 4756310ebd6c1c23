/* SPDX-License-Identifier: Apache-2.0
 * Which node an operator is: that which came here last time, else whatever Python's side says. */
#include "collector/live/sonde-interception-private.h"

static PyObject *
last_of_stack (PyObject *stack)
{
  Py_ssize_t n = PyList_Size (stack);

  return n > 0 ? PyList_GetItem (stack, n - 1) : NULL; /* lent */
}

/* Of a node that adds to the gradient of a parameter, the same. */
static PyObject *
recall_accumulation (PyObject *operators, PyObject *current)
{
  PyObject *parameter = PyObject_GetAttr (current, sonde_interception_names[NAME_VARIABLE]);
  PyObject *id = parameter != NULL ? PyLong_FromVoidPtr (parameter) : NULL, *found = NULL;

  if (id != NULL)
    found = PyDict_GetItemWithError (OBJECT_OF (operators, OPERATORS_ACCUMULATES), id);
  Py_XDECREF (id);
  Py_XDECREF (parameter);
  return found;
}

/* Of autograd's node @current: the scope in backward of the forward operator that made it, if one was seen and that
 * was asked for before; NULL without an error: not so. */
static PyObject *
recall_forward (PyObject *operators, PyObject *current)
{
  PyObject *number
      = PyObject_CallMethodObjArgs (current, sonde_interception_names[NAME_SEQUENCE_NR], NULL),
      *forward;

  if (number == NULL)
    return NULL;
  forward = PyDict_GetItemWithError (OBJECT_OF (operators, OPERATORS_FORWARD), number);
  Py_DECREF (number);
  if (forward == NULL)
    return NULL;
  return PyDict_GetItemWithError (OBJECT_OF (OBJECT_OF (forward, NODE_HOME), SCOPE_BACKWARDS),
                                  (PyObject *) Py_TYPE (current));
}

/* (transfer full) */
static PyObject *
recall_backward (Interception *way, PyObject *current)
{
  PyObject *operators = way->parts[OPERATORS];
  PyObject *found = (PyObject *) Py_TYPE (current) == way->parts[ACCUMULATE]
                        ? recall_accumulation (operators, current)
                        : recall_forward (operators, current);

  if (found == NULL)
    return NULL;
  sonde_record_set (operators, OPERATORS_NODE, current);
  sonde_record_set (operators, OPERATORS_NODE_SCOPE, found);
  return Py_NewRef (found);
}

static PyObject *
find_backward (Interception *way, PyObject *current)
{
  PyObject *operators = way->parts[OPERATORS], *found;
  const Py_ssize_t depth = PyList_Size (OBJECT_OF (way->parts[SESSION], SESSION_STACK));

  if (NUMBER_OF (operators, OPERATORS_DEPTH) < 0)
    NUMBER_OF (operators, OPERATORS_DEPTH) = depth;
  if (NUMBER_OF (operators, OPERATORS_DEPTH) != depth)
    return PyObject_CallFunctionObjArgs (way->parts[BACKWARD_SCOPE], current, NULL);
  if (OBJECT_OF (operators, OPERATORS_NODE) == current)
    return Py_NewRef (OBJECT_OF (operators, OPERATORS_NODE_SCOPE));
  found = recall_backward (way, current);
  if (found != NULL || PyErr_Occurred ())
    return found;
  return PyObject_CallFunctionObjArgs (way->parts[BACKWARD_SCOPE], current, NULL);
}

/* Of a parameter that was updated before, or of what is none. */
static PyObject *
find_update (Interception *way, PyObject *args)
{
  PyObject *operators = way->parts[OPERATORS];
  PyObject *known = OBJECT_OF (operators, OPERATORS_KNOWN_UPDATES), *found = NULL;

  if (PyTuple_Size (args) > 0)
    {
      PyObject *id = PyLong_FromVoidPtr (PyTuple_GetItem (args, 0));

      found = id != NULL ? PyDict_GetItemWithError (known, id) : NULL;
      if (id != NULL && found == NULL && OBJECT_OF (operators, OPERATORS_OTHER_UPDATES) != Py_None
          && PyDict_Contains (OBJECT_OF (operators, OPERATORS_PARAMETERS), id) == 0)
        found = OBJECT_OF (operators, OPERATORS_OTHER_UPDATES);
      Py_XDECREF (id);
    }
  if (found != NULL)
    return Py_NewRef (found);
  return PyErr_Occurred () ? NULL
                           : PyObject_CallFunctionObjArgs (way->parts[UPDATE_SCOPE], args, NULL);
}

static PyObject *
find_scope (Interception *way, PyObject *current, PyObject *args)
{
  PyObject *operators = way->parts[OPERATORS], *session = way->parts[SESSION], *scope;

  if (current != Py_None)
    return find_backward (way, current);
  NUMBER_OF (operators, OPERATORS_DEPTH) = -1;
  sonde_record_set (operators, OPERATORS_NODE, Py_None);
  if (NUMBER_OF (session, SESSION_PHASE) == SONDE_PROGRAM_OPTIMISER)
    return find_update (way, args);
  scope = last_of_stack (OBJECT_OF (session, SESSION_STACK));
  return scope != NULL ? Py_NewRef (scope) : PyObject_CallNoArgs (way->parts[SCOPE_BESIDE]);
}

/* As it went last time: function, node and what calls it; NULL without an error: another way. */
static PyObject *
follow (PyObject *scope, Py_ssize_t place, PyObject *func)
{
  PyObject *route = OBJECT_OF (scope, SCOPE_ROUTE), *turn;

  if (place >= PyList_Size (route))
    return NULL;
  turn = PyList_GetItem (route, place);
  return PyTuple_GetItem (turn, 0) == func ? turn : NULL;
}

/* Another way than last time. (transfer full) */
static PyObject *
find_way (Interception *way, PyObject *scope, Py_ssize_t place, PyObject *func, PyObject *args,
          PyObject *current)
{
  PyObject *number = PyLong_FromSsize_t (place), *node = NULL;

  if (number != NULL)
    node
        = PyObject_CallFunctionObjArgs (way->parts[FIND], scope, number, func, args, current, NULL);
  Py_XDECREF (number);
  return node;
}

static int
note_passing (Interception *way, PyObject *node)
{
  PyObject *number = PyLong_FromSsize_t (NUMBER_OF (node, NODE_NUMBER));
  int failed
      = number == NULL || PyList_Append (OBJECT_OF (way->parts[NODES], NODES_NOW), number) < 0;

  Py_XDECREF (number);
  sonde_record_set (way->parts[OPERATORS], OPERATORS_ENTERED, Py_None);
  return failed ? -1 : 0;
}

static int
see_beside (Interception *way, PyObject *node, PyObject *args)
{
  PyObject *done = PyObject_CallFunctionObjArgs (way->parts[SEE_BESIDE], node, args, NULL);

  Py_XDECREF (done);
  return done != NULL ? 0 : -1;
}

static PyObject *
come_to_in (Interception *way, PyObject *scope, PyObject *current, PyObject *func, PyObject *args,
            PyObject **call)
{
  const Py_ssize_t stamp = NUMBER_OF (way->parts[OPERATORS], OPERATORS_STAMP);
  const Py_ssize_t place
      = NUMBER_OF (scope, SCOPE_STAMP) == stamp ? NUMBER_OF (scope, SCOPE_PLACE) : 0;
  PyObject *turn = follow (scope, place, func), *node;

  NUMBER_OF (scope, SCOPE_STAMP) = stamp;
  NUMBER_OF (scope, SCOPE_PLACE) = place + 1;
  *call = Py_NewRef (turn != NULL ? PyTuple_GetItem (turn, 2) : func);
  node = turn != NULL ? Py_NewRef (PyTuple_GetItem (turn, 1))
                      : find_way (way, scope, place, func, args, current);
  if (node == NULL || node == Py_None)
    return node;
  if (note_passing (way, node) < 0
      || (NUMBER_OF (node, NODE_IS_BESIDE) != 0 && current == Py_None
          && see_beside (way, node, args) < 0))
    Py_CLEAR (node);
  return node;
}

PyObject *
sonde_interception_come_to (Interception *way, PyObject *func, PyObject *args, PyObject **call)
{
  PyObject *current = PyObject_CallNoArgs (way->parts[CURRENT_NODE]);
  PyObject *scope = current != NULL ? find_scope (way, current, args) : NULL;
  PyObject *node = scope != NULL ? come_to_in (way, scope, current, func, args, call) : NULL;

  Py_XDECREF (scope);
  Py_XDECREF (current);
  return node;
}
