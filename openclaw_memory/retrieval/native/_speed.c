/* The module of the extension: its functions, and the number of the interface that __init__.py asks for. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define INTERFACE 1

/* lengths(texts): the characters of each text. Raises TypeError for what is not a list of str. */
static PyObject *lengths(PyObject *module, PyObject *texts)
{
    (void)module;
    if (!PyList_Check(texts)) {
        PyErr_SetString(PyExc_TypeError, "lengths() takes a list of str");
        return NULL;
    }
    Py_ssize_t count = PyList_Size(texts);
    PyObject *found = PyList_New(count);
    if (found == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *text = PyList_GetItem(texts, i);
        if (text == NULL || !PyUnicode_Check(text)) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_TypeError, "lengths() takes a list of str");
            Py_DECREF(found);
            return NULL;
        }
        PyObject *number = PyLong_FromSsize_t(PyUnicode_GetLength(text));
        if (number == NULL || PyList_SetItem(found, i, number) < 0) {
            Py_DECREF(found);
            return NULL;
        }
    }
    return found;
}

static PyMethodDef methods[] = {
    {"lengths", lengths, METH_O, "The characters of each text."},
    {NULL, NULL, 0, NULL},
};

static int fill(PyObject *module)
{
    return PyModule_AddIntConstant(module, "INTERFACE", INTERFACE);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, fill},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_speed",
    .m_doc = "What indexing runs in C.",
    .m_size = 0,
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__speed(void)
{
    return PyModuleDef_Init(&definition);
}
