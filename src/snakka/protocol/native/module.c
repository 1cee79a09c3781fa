/* The module itself: its functions, its types, and the exception that they raise. */

#include "records.h"

PyObject *
refuse(PyObject *module, const char *reason)
{
    State *state = PyModule_GetState(module);
    PyErr_SetString(state->protocol_error, reason);
    return NULL;
}

static int
add_type(PyObject *module, PyType_Spec *spec)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    if (type == NULL)
        return -1;
    int added = PyModule_AddType(module, (PyTypeObject *)type);
    Py_DECREF(type);
    return added;
}

static int
start(PyObject *module)
{
    State *state = PyModule_GetState(module);
    PyObject *errors = PyImport_ImportModule("snakka.protocol.errors");
    if (errors == NULL)
        return -1;
    state->protocol_error = PyObject_GetAttrString(errors, "ProtocolError");
    Py_DECREF(errors);
    if (state->protocol_error == NULL || PyModule_AddIntMacro(module, INTERFACE) < 0)
        return -1;
    if (PyModule_AddIntConstant(module, "HAS_CRC32C", has_checksum()) < 0)
        return -1;
    return add_type(module, &encoder_spec) < 0 ? -1 : add_type(module, &column_builder_spec);
}

static int
visit(PyObject *module, visitproc visit, void *arg)
{
    State *state = PyModule_GetState(module);
    Py_VISIT(state->protocol_error);
    return 0;
}

static int
clear(PyObject *module)
{
    State *state = PyModule_GetState(module);
    Py_CLEAR(state->protocol_error);
    return 0;
}

static PyObject *
fresh_memory(PyObject *module, PyObject *size)
{
    (void)module;
    Py_ssize_t count = PyLong_AsSsize_t(size);
    return PyErr_Occurred() ? NULL : PyByteArray_FromStringAndSize(NULL, count);
}

static PyMethodDef functions[] = {
    {"read_messages", read_messages, METH_VARARGS, "A message of each wanted record of a batch."},
    {"crc32c", crc32c, METH_O, "CRC-32C of a buffer; only if HAS_CRC32C is not 0."},
    {"fresh_memory", fresh_memory, METH_O, "A bytearray of this size with anything in it, to be written over."},
    {"murmur2", murmur2, METH_O, "Kafka's hash of a key, unsigned."},
    {"partition_keys", partition_keys, METH_VARARGS, "The partition of each key of a column, -1 for a null."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{Py_mod_exec, start}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "snakka.protocol._records",
    .m_doc = "Records decoded and encoded in C.",
    .m_size = sizeof(State),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = visit,
    .m_clear = clear,
};

PyMODINIT_FUNC
PyInit__records(void)
{
    return PyModuleDef_Init(&definition);
}
