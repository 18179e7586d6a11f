/* The module. Everything in it has a Python twin that does the same, which tests hold it to. */
#include "markdown.h"

void object_free(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    freefunc give_back = (freefunc)PyType_GetSlot(type, Py_tp_free);
    give_back(object);
    Py_DECREF(type);
}

static int add_type(PyObject *module, PyType_Spec *spec, const char *name) {
    PyObject *type = PyType_FromSpec(spec);
    int result = type == NULL ? -1 : PyModule_AddObjectRef(module, name, type);
    Py_XDECREF(type);
    return result;
}

static int execute(PyObject *module) {
    make_kinds();
    if (PyModule_AddIntConstant(module, "SOURCES", SOURCES) < 0) return -1; /* their checksum: from the build, by -D */
    if (add_type(module, &speller_spec, "Speller") < 0) return -1;
    return add_type(module, &lists_spec, "Lists");
}

static PyMethodDef methods[] = {
    {"blocks", markdown_blocks, METH_VARARGS, "The blocks of a text, as markdown.scan finds them."},
    {"chunks", markdown_chunks, METH_VARARGS, "A text in chunks; see chunks.py."},
    {NULL},
};
static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute}, {0, NULL}};
static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_speed",
    .m_doc = "Compiled parts of indexing.",
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__speed(void) { return PyModuleDef_Init(&definition); }
