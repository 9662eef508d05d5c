/* The Python frame that called: its code and the instruction it is at. CPython says so quickly to itself only; the
   public functions make an object for every frame. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#define Py_BUILD_CORE 1
#include <Python.h>

#include "frame.h"

#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030D0000
#include <internal/pycore_frame.h>

static struct PythonFrame described(struct _PyInterpreterFrame* frame) {
  while (frame && _PyFrame_IsIncomplete(frame)) frame = frame->previous;
  if (!frame) return (struct PythonFrame){0, 0, 0, 0};
  return (struct PythonFrame){frame, (PyObject*)frame->f_code, frame->prev_instr,
                              _PyInterpreterFrame_LASTI(frame) * (int)sizeof(_Py_CODEUNIT)};
}

struct PythonFrame python_frame(void) {
  return described(_PyThreadState_UncheckedGet()->cframe->current_frame);
}
struct PythonFrame python_frame_before(struct PythonFrame frame) {
  return described(((struct _PyInterpreterFrame*)frame.frame)->previous);
}

#else

static struct PythonFrame described(PyFrameObject* frame) {
  if (!frame) return (struct PythonFrame){0, 0, 0, 0};
  PyCodeObject* code = PyFrame_GetCode(frame);
  const int at = PyFrame_GetLasti(frame);
  Py_DECREF(code); /* the frame keeps it */
  return (struct PythonFrame){frame, (PyObject*)code, (const char*)code + at, at};
}

struct PythonFrame python_frame(void) { return described(PyEval_GetFrame()); }
struct PythonFrame python_frame_before(struct PythonFrame frame) {
  PyFrameObject* before = PyFrame_GetBack((PyFrameObject*)frame.frame);
  Py_XDECREF(before); /* the stack keeps it */
  return described(before);
}
#endif
