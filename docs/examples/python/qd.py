"""qd from Python: kernels of .qdk text on numpy arrays.

    import numpy as np, qd
    text = "kernel axpy(a: f32, x: in f32[], y: f32[]) block(64) { for i in grid(y.len) { y[i] += a * x[i]; } }"
    x, y = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
    qd.Device("ref:8").run(text, 2.0, x, y)          # y is [1, 3, 5, 7] now

The library is found by its name, or by QD_LIBRARY; QD_LOG=warning shows remarks. Buffers are C-contiguous arrays of the
parameter's type (bf16: uint16), which the kernel changes if it writes them; scalars
are numbers. Template values are given by their names: L=5, T=np.float32 or T="f32".
"""
import ctypes as C
import os

import numpy as np

GRID = 2**32 - 1  # the blocks of the kernel's grid loop
VERSION = 0 * 1000000 + 2 * 1000 + 0  # version of the header with the structures below

TYPES = {"bool": 1, "i32": 2, "u32": 3, "i64": 4, "u64": 5, "f32": 6, "f64": 7,
         "i8": 8, "u8": 9, "i16": 10, "u16": 11, "f16": 12, "bf16": 13}
NAMES = {number: name for name, number in TYPES.items()}
DTYPES = {"i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64, "f32": np.float32,
          "f64": np.float64, "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16,
          "f16": np.float16, "bf16": np.uint16}
IN, OUT = 1, 2


class _Error(C.Structure):
    _fields_ = [("code", C.c_int32), ("line", C.c_uint32), ("col", C.c_uint32), ("text", C.c_char * 1024)]


class _Tmpl(C.Structure):
    _fields_ = [("name", C.c_char_p), ("value", C.c_int64), ("type", C.c_uint32)]


class _Param(C.Structure):
    _fields_ = [("name", C.c_char_p), ("type", C.c_uint32), ("is_buffer", C.c_bool), ("access", C.c_uint32)]


class _Arg(C.Structure):
    _fields_ = [("buffer", C.c_void_p), ("type", C.c_uint32), ("bits", C.c_uint64), ("host", C.c_void_p),
                ("size", C.c_size_t)]


class Error(Exception):
    """An error of the library. code is the status; line and col are 0 if the error has no position."""

    def __init__(self, e):
        super().__init__(e.text.decode())
        self.code, self.line, self.col = e.code, e.line, e.col


_lib = C.CDLL(os.environ.get("QD_LIBRARY", "libqdgpu.so.0"))
_P = C.c_void_p


def _declare(name, *args):
    """Returns a function that calls the library and raises its error, the last argument."""
    call = getattr(_lib, name)
    call.argtypes, call.restype = [*args, C.POINTER(_Error)], C.c_int32

    def checked(*values):
        e = _Error()
        if call(*values, C.byref(e)):
            raise Error(e)
    return checked


_context_create = _declare("qd_context_create", _P, C.POINTER(_P))
_device_open = _declare("qd_device_open", _P, C.c_char_p, C.POINTER(_P))
_module_parse = _declare("qd_module_parse", _P, C.c_char_p, C.c_size_t, C.c_char_p, C.POINTER(_P))
_module_kernel = _declare("qd_module_kernel", _P, C.c_char_p, C.POINTER(_Tmpl), C.c_uint32, C.POINTER(_P))
_kernel_param = _declare("qd_kernel_param", _P, C.c_uint32, C.POINTER(_Param))
_run = _declare("qd_run", _P, C.c_char_p, C.c_size_t, C.c_char_p, C.c_char_p, C.POINTER(_Tmpl), C.c_uint32,
                C.c_uint32, C.POINTER(_Arg), C.c_uint32)
for _name in ("qd_context_free", "qd_device_close", "qd_module_free", "qd_kernel_free"):
    getattr(_lib, _name).argtypes, getattr(_lib, _name).restype = [_P], None
for _name in ("qd_kernel_param_count", "qd_module_kernel_count"):
    getattr(_lib, _name).argtypes, getattr(_lib, _name).restype = [_P], C.c_uint32
_lib.qd_module_kernel_name.argtypes, _lib.qd_module_kernel_name.restype = [_P, C.c_uint32], C.c_char_p


def _type_name(value):
    """Returns the name of a type of numpy or Python, or None."""
    try:
        return next((n for n, d in DTYPES.items() if value is not None and np.dtype(value) == d), None)
    except TypeError:
        return None


def _templates(values):
    """Converts template values: numbers, and types by name or as numpy types."""
    out = (_Tmpl * len(values))()
    for t, (name, value) in zip(out, values.items()):
        t.name = name.encode()
        if isinstance(value, (int, np.integer)):
            t.value = int(value)
        else:
            own = value if isinstance(value, str) else _type_name(value)
            if own not in TYPES:
                raise TypeError(f"{name}={value!r} is not a type of qd: {' '.join(TYPES)}")
            t.type = TYPES[own]
    return out


def _argument(name, number, is_buffer, access, value):
    """Converts an argument for the library, which takes bits. Rejects values that would change."""
    dtype = np.dtype(DTYPES[NAMES[number]])
    if not is_buffer:
        given = np.asarray(value)
        if given.ndim or given.dtype.kind not in "biufO" or given.dtype.kind == "O" and not isinstance(value, int):
            raise TypeError(f"{name} is {NAMES[number]}: a number, not {value!r}")
        lo, hi = (np.iinfo(dtype).min, np.iinfo(dtype).max) if dtype.kind in "iu" else (-np.inf, np.inf)
        if dtype.kind in "iu" and not (lo <= value <= hi and value == int(value)):
            raise TypeError(f"{name} is {NAMES[number]}, which does not hold {value!r}")
        with np.errstate(over="ignore"):  # 1e40 becomes inf in f32
            bits = np.array(int(value) if dtype.kind in "iu" else value).astype(dtype)
        return _Arg(type=number, bits=int.from_bytes(bits.tobytes(), "little"))
    if not isinstance(value, np.ndarray) or value.dtype != dtype:
        got = value.dtype if isinstance(value, np.ndarray) else type(value).__name__
        raise TypeError(f"{name} is {NAMES[number]}[]: a numpy array of {dtype}, not of {got}")
    if not value.flags.c_contiguous or (access & OUT and not value.flags.writeable):
        raise TypeError(f"{name} must be a contiguous array, and a writeable one if the kernel writes it")
    return _Arg(host=value.ctypes.data, size=value.nbytes)


class Device:
    """A device, selected by text such as "vulkan:0" or "ref:32"; None selects the best one."""

    def __init__(self, selector=None):
        self._ctx, self._dev, self._params = _P(), _P(), {}
        if selector is not None and not isinstance(selector, str):
            raise TypeError(f'a selector is text, as "vulkan:0" or "ref:32", not {selector!r}')
        # struct qd_context_desc: the version, and zeros for all other members.
        _context_create(C.byref((C.c_uint64 * 32)(VERSION)), C.byref(self._ctx))
        _device_open(self._ctx, selector.encode() if selector is not None else None, C.byref(self._dev))

    def close(self):
        _lib.qd_device_close(self._dev)
        _lib.qd_context_free(self._ctx)
        self._dev, self._ctx = _P(), _P()

    __del__ = close

    def _parameters(self, text, name, kernel, tmpl):
        """Returns name, type, is_buffer and access of each parameter; cached."""
        key = (text, kernel, tuple((t.name, t.value, t.type) for t in tmpl))
        if key not in self._params:
            module, k, p = _P(), _P(), _Param()
            try:
                _module_parse(self._ctx, text, len(text), name, C.byref(module))
                names = [_lib.qd_module_kernel_name(module, i) for i in range(_lib.qd_module_kernel_count(module))]
                if not kernel and len(names) != 1:
                    raise TypeError("name one of the kernels of the text: " + (b", ".join(names).decode() or "none"))
                _module_kernel(module, kernel or names[0], tmpl, len(tmpl), C.byref(k))
                out = []
                for i in range(_lib.qd_kernel_param_count(k)):
                    _kernel_param(k, i, C.byref(p))
                    out.append((p.name.decode(), p.type, p.is_buffer, p.access))
                self._params[key] = out
            finally:
                _lib.qd_kernel_free(k)
                _lib.qd_module_free(module)
        return self._params[key]

    def run(self, text, *args, kernel=None, name="text", blocks=GRID, **templates):
        """Runs a kernel (None: the only one of the text) on the arrays, and changes them in place."""
        code, tmpl = text.encode(), _templates(templates)
        params = self._parameters(code, name.encode(), kernel.encode() if kernel else None, tmpl)
        if len(args) != len(params):
            raise TypeError(f"expected {len(params)} arguments ({', '.join(p[0] for p in params)}), found {len(args)}")
        given = (_Arg * len(args))(*(_argument(*p, v) for p, v in zip(params, args)))
        _run(self._dev, code, len(code), name.encode(), kernel.encode() if kernel else None, tmpl, len(tmpl),
             blocks, given, len(args))
