/* Step-down counts of a bootstrap: in how many samples the largest statistic so far reaches each pair's bar.

   Everything works on plain buffers that the caller owns, with the GIL released. Sums of squares are exact in double
   precision; what follows is written one operation a statement, so that no compiler fuses two of them, and the counts
   are those of the numpy twin, `stepped` in pure.py. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>

/* As in _core.c: a wider vector unit where the processor has one. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define VECTOR __attribute__((target_clones("avx2", "default")))
#else
#define VECTOR
#endif
#ifdef __GNUC__
#define HIDDEN __attribute__((visibility("hidden")))
#else
#define HIDDEN
#endif

#define WIDE 32 /* pairs summed together */
#define MOST (INT32_MAX / 4) /* trials, topics, systems: as bytes, products of two do not overflow */

typedef struct {
    const double *often, *sums, *squares, *bar; /* (trials, topics), (trials, systems), (topics, pairs), (pairs) */
    const int64_t *one, *other;
    double extra;
    int64_t trials, topics, systems, pairs;
    double *most;   /* of each trial */
    int64_t *count; /* of each pair */
} Steps;

VECTOR static void step(const Steps *s) {
    for (int64_t from = 0; from < s->pairs; from += WIDE) {
        int64_t wide = s->pairs - from < WIDE ? s->pairs - from : WIDE;
        for (int64_t b = 0; b < s->trials; b++) {
            const double *often = s->often + b * s->topics, *sums = s->sums + b * s->systems;
            double square[WIDE] = {0}, share[WIDE];
            for (int64_t t = 0; t < s->topics; t++) {
                double times = often[t];
                const double *row = s->squares + t * s->pairs + from;
                if (times == 0) continue;
                if (wide == WIDE) {
                    for (int k = 0; k < WIDE; k++) square[k] += times * row[k];
                } else {
                    for (int k = 0; k < wide; k++) square[k] += times * row[k];
                }
            }
            for (int k = 0; k < wide; k++) {
                double apart = sums[s->one[from + k]] - sums[s->other[from + k]];
                double size = apart * apart;
                double spread = (double)s->topics * square[k];
                spread -= size;
                if (spread < 0) spread = 0;
                spread += s->extra;
                share[k] = size / spread;
            }
            double most = s->most[b];
            for (int k = 0; k < wide; k++) {
                most = share[k] > most ? share[k] : most;
                s->count[from + k] += most >= s->bar[from + k];
            }
            s->most[b] = most;
        }
    }
}

PyDoc_STRVAR(stepped_doc,
             "stepped(often, sums, squares, one, other, bar, extra, trials, topics, systems, pairs, most, count)");
static PyObject *core_stepped(PyObject *self, PyObject *args) {
    Py_buffer b[8];
    Steps s;
    long long trials, topics, systems, pairs;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*dLLLLw*w*", b, b + 1, b + 2, b + 3, b + 4, b + 5, &s.extra, &trials,
                          &topics, &systems, &pairs, b + 6, b + 7))
        return NULL;
    s.often = b[0].buf, s.sums = b[1].buf, s.squares = b[2].buf, s.one = b[3].buf, s.other = b[4].buf;
    s.bar = b[5].buf, s.most = b[6].buf, s.count = b[7].buf;
    s.trials = trials, s.topics = topics, s.systems = systems, s.pairs = pairs;
    int fits = trials > 0 && topics > 0 && systems > 0 && pairs > 0 && trials <= MOST && topics <= MOST
        && systems <= MOST && pairs <= MOST && b[0].len == trials * topics * 8
        && b[1].len == trials * systems * 8 && b[2].len == topics * pairs * 8 && b[3].len == pairs * 8
        && b[4].len == pairs * 8 && b[5].len == pairs * 8 && b[6].len == trials * 8 && b[7].len == pairs * 8;
    for (int64_t p = 0; fits && p < pairs; p++)
        fits = s.one[p] >= 0 && s.one[p] < systems && s.other[p] >= 0 && s.other[p] < systems;
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        step(&s);
        Py_END_ALLOW_THREADS
    }
    for (int i = 0; i < 8; i++) PyBuffer_Release(b + i);
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "stepped: buffers and sizes do not fit");
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef STEPS[] = {
    {"stepped", core_stepped, METH_VARARGS, stepped_doc},
    {NULL, NULL, 0, NULL},
};

HIDDEN int add_steps(PyObject *module); /* called by _core.c when the module is made */
int add_steps(PyObject *module) { return PyModule_AddFunctions(module, STEPS); }
