/* The Python frame that called. */
#pragma once
#ifdef __cplusplus
extern "C" {
#endif

struct PythonFrame {
  void* frame;     /* null: there is none */
  PyObject* code;  /* borrowed */
  const void* key; /* of the instruction, as long as the code lives */
  int instruction; /* as PyCode_Addr2Line takes it */
};
struct PythonFrame python_frame(void);
struct PythonFrame python_frame_before(struct PythonFrame frame);

#ifdef __cplusplus
}
#endif
