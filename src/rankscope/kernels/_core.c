/* The hot loops of rankscope: text to spans, ids to numbers, run lines to ordered grade codes.

   Everything works on plain buffers that the caller owns, with the GIL released. Text buffers end in at
   least 8 zero bytes, so a word may be read at any id. Nothing here explains what is wrong with an input:
   it only notices, and Python, which has the time, says what and where. Each function has a numpy twin of
   equal results in pure.py.

   A *span* is two int64: start and length of an id in a text. A *table* is an open-addressing hash table
   of pairs of uint64: hash, and (row + 1) << 16 | code; equal hashes are settled by comparing bytes. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words are masked in little-endian order; use the numpy twin here"
#endif
#if FLT_EVAL_METHOD != 0
#error "decimal() relies on plain double arithmetic; use the numpy twin here"
#endif

typedef uint8_t byte;

#ifdef FAILING_ALLOCATIONS
/* For tests: one allocation of the next ones fails, and what is not freed is counted. */
static long long until_failure = -1, failed_line, not_freed;
static int fails(int line) {
    if (until_failure < 0 || until_failure--) return 0;
    failed_line = line;
    return 1;
}
static void *counted(void *block) { not_freed += block != NULL; return block; }
#define malloc(size) (fails(__LINE__) ? NULL : counted(malloc(size)))
#define calloc(count, size) (fails(__LINE__) ? NULL : counted(calloc(count, size)))
#define realloc(block, size) (fails(__LINE__) ? NULL : realloc(block, size))
#define free(block) (not_freed -= (block) != NULL, free(block))
#endif

/* Loops worth a wider vector unit where the processor has one; found out when the module is loaded. WIDER is for those
   that multiply 64-bit numbers, which takes AVX-512; named by level, since a named processor is one maker's alone. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define VECTOR __attribute__((target_clones("avx2", "default")))
#if __GNUC__ >= 12
#define WIDER __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define WIDER __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#endif
#else
#define VECTOR
#define WIDER
#endif
#if defined(__GNUC__) && !defined(__clang__)
#define AS_A_LOOP _Pragma("GCC unroll 1") /* unrolled first, it would not become vectors */
#else
#define AS_A_LOOP
#endif

/* ---- words and hashes -------------------------------------------------------------------------- */

#ifdef _MSC_VER
#include <intrin.h>
#define inline __inline
#define likely(x) (x)
#define unlikely(x) (x)
#define prefetch(p) _mm_prefetch((const char *)(p), _MM_HINT_T0)
static inline unsigned low_bit(uint64_t x) { unsigned long i; _BitScanForward64(&i, x); return i; }
static inline uint64_t mix(uint64_t h, uint64_t w) {
    uint64_t high, low = _umul128(h ^ w, 0x9E3779B97F4A7C15ull, &high);
    return low ^ high;
}
#else
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define prefetch(p) __builtin_prefetch(p)
static inline unsigned low_bit(uint64_t x) { return (unsigned)__builtin_ctzll(x); }
static inline uint64_t mix(uint64_t h, uint64_t w) {
    unsigned __int128 m = (unsigned __int128)(h ^ w) * 0x9E3779B97F4A7C15ull;
    return (uint64_t)m ^ (uint64_t)(m >> 64);
}
#endif

static inline uint64_t word(const byte *s) { uint64_t w; memcpy(&w, s, 8); return w; }
static inline uint64_t tail(const byte *s, size_t n) { return word(s) & (~0ull >> (64 - 8 * n)); } /* 0 < n < 8 */

static inline uint64_t hash(const byte *s, size_t n) {
    uint64_t h = (n + 1) * 0xD6E8FEB86659FD93ull;
    for (; n >= 8; s += 8, n -= 8) h = mix(h, word(s));
    return n ? mix(h, tail(s, n)) : h;
}

static inline int same(const byte *a, const byte *b, size_t n) {
    for (; n >= 8; a += 8, b += 8, n -= 8) if (word(a) != word(b)) return 0;
    return !n || tail(a, n) == tail(b, n);
}

/* ---- fields ------------------------------------------------------------------------------------ */

/* Spaces and tabs separate fields; LF or CRLF ends a line. Every other byte belongs to an id. */
static inline int is_blank(byte c) { return c == ' ' || c == '\t'; }
static inline int ends_line(const byte *p, const byte *end) {
    return p >= end || *p == '\n' || (*p == '\r' && (p + 1 == end || p[1] == '\n'));
}

/* First byte at or after p that is no part of the field. */
static inline const byte *field_end(const byte *p, const byte *end) {
    for (;;) {
        uint64_t w = word(p);
        uint64_t low = (w - 0x2121212121212121ull) & ~w & 0x8080808080808080ull; /* bytes up to ' ' */
        if (!low) { p += 8; if (p >= end) return end; continue; }
        p += low_bit(low) >> 3;
        if (p >= end) return end;
        if (is_blank(*p) || ends_line(p, end)) return p;
        p++; /* another control character: part of the id */
        if (p >= end) return end;
    }
}

typedef struct { const byte *s; size_t n; } Field;

/* Fields of the line at *p, at most `most` of them, and *p behind the line. -1 when there are more. */
static inline int split(const byte **p, const byte *end, Field *field, int most) {
    const byte *q = *p;
    int n = 0;
    for (;;) {
        while (q < end && is_blank(*q)) q++;
        if (ends_line(q, end)) break;
        if (unlikely(n == most)) return -1;
        field[n].s = q;
        q = field_end(q, end);
        field[n].n = (size_t)(q - field[n].s);
        n++;
    }
    if (q < end && *q == '\r') q++;
    *p = q < end ? q + 1 : end;
    return n;
}

/* ---- decimal numbers --------------------------------------------------------------------------- */

enum { NOT_A_NUMBER = 0, NUMBER = 1, HARD = 2, NO_ROOM = 3 };

static const double POWER[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#ifdef __SIZEOF_INT128__
/* m / 10^k, correctly rounded: an exact quotient of at least 64 bits whose last bit also stands for the rest. */
static double quotient(uint64_t m, int k) {
    uint64_t d = 1;
    for (int i = 0; i < k; i++) d *= 10;
    int up = __builtin_clzll(m);
    unsigned __int128 n = (unsigned __int128)(m << up) << 64, q = n / d;
    int inexact = q * d != n;
    uint64_t high = (uint64_t)(q >> 64), low = (uint64_t)q;
    int down = high ? 64 - __builtin_clzll(high) : 0;
    uint64_t top = (uint64_t)(q >> down);
    inexact |= down && low << (64 - down) != 0;
    return ldexp((double)(top | (uint64_t)inexact), down - up - 64);
}
#endif

/* The value of [+-]digits[.digits][e[+-]digits], correctly rounded; HARD leaves it to the caller. */
static inline int decimal(const byte *s, size_t n, double *value) {
    size_t i = 0;
    int negative = 0, digits = 0, significant = 0, dropped = 0;
    int64_t exponent = 0; /* as long as the text may be */
    uint64_t m = 0;
    if (n && (s[0] == '-' || s[0] == '+')) { negative = s[0] == '-'; i = 1; }
    for (int point = 0; i < n; i++) {
        unsigned c = (unsigned)s[i] - '0';
        if (c < 10) {
            digits = 1;
            if (likely(significant < 19)) { m = m * 10 + c; significant += m != 0; exponent -= point; }
            else { dropped |= c != 0; exponent += !point; }
        } else if (s[i] == '.' && !point) point = 1;
        else break;
    }
    if (!digits) return NOT_A_NUMBER;
    if (i < n) {
        if (s[i] != 'e' && s[i] != 'E') return NOT_A_NUMBER;
        i++;
        int down = 0;
        int64_t e = 0;
        if (i < n && (s[i] == '-' || s[i] == '+')) down = s[i++] == '-';
        if (i == n) return NOT_A_NUMBER;
        for (; i < n; i++) {
            unsigned c = (unsigned)s[i] - '0';
            if (c >= 10) return NOT_A_NUMBER;
            if (e < (int64_t)1 << 56) e = e * 10 + (int64_t)c; /* beyond what any number of zeros makes up for */
        }
        exponent += down ? -e : e;
    }
    double v;
    if (m == 0 && !dropped) v = 0.0;
    else if (dropped) return HARD;
    else if (m <= 1ull << 53 && exponent >= -22 && exponent <= 22)
        v = exponent < 0 ? (double)m / POWER[-exponent] : (double)m * POWER[exponent];
#ifdef __SIZEOF_INT128__
    else if (exponent < 0 && exponent >= -19) v = quotient(m, (int)-exponent);
#endif
    else return HARD;
    *value = negative ? -v : v;
    return NUMBER;
}

/* A number that decimal() left: Python's own parser, which needs the GIL. NO_ROOM where memory does not suffice. */
static int hard_decimal(const byte *s, size_t n, double *value) {
    char here[512], *copy = n < sizeof here ? here : malloc(n + 1);
    if (!copy) return NO_ROOM;
    memcpy(copy, s, n);
    copy[n] = 0;
    int kind = NUMBER;
    PyGILState_STATE gil = PyGILState_Ensure();
    *value = PyOS_string_to_double(copy, NULL, NULL);
    if (PyErr_Occurred()) {
        kind = PyErr_ExceptionMatches(PyExc_MemoryError) ? NO_ROOM : NOT_A_NUMBER;
        PyErr_Clear();
    }
    PyGILState_Release(gil);
    if (copy != here) free(copy);
    return kind != NUMBER || isfinite(*value) ? kind : NOT_A_NUMBER;
}

static inline int number(const byte *s, size_t n, double *value) {
    int kind = decimal(s, n, value);
    return likely(kind != HARD) ? kind : hard_decimal(s, n, value);
}

/* ---- JSON -------------------------------------------------------------------------------------- */

/* Only what {"topic": {"document": number, ...}, ...} and {"topic": ["document", ...], ...} need. Anything else,
   strings with escapes among it, is left to the caller's own reader. */
static inline const byte *json_blank(const byte *p, const byte *end) {
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')) p++;
    return p;
}

/* A string without escapes, and p behind it; NULL for anything else. */
static inline const byte *json_string(const byte *p, const byte *end, Field *out) {
    if (p >= end || *p != '"') return NULL;
    out->s = ++p;
    while (p < end && *p != '"') {
        if (*p == '\\' || *p < 0x20) return NULL;
        p++;
    }
    if (p >= end) return NULL;
    out->n = (size_t)(p - out->s);
    return p + 1;
}

/* A number by JSON's grammar, which is narrower than decimal()'s; one without room for it is left to the caller, too. */
static inline const byte *json_number(const byte *p, const byte *end, double *value) {
    const byte *s = p;
    if (p < end && *p == '-') p++;
    if (p >= end || *p < '0' || *p > '9') return NULL;
    if (*p == '0' && p + 1 < end && p[1] >= '0' && p[1] <= '9') return NULL;
    for (; p < end && ((*p >= '0' && *p <= '9') || *p == '.' || *p == 'e' || *p == 'E' || *p == '+' || *p == '-'); p++)
        if (*p == '.' && !(p + 1 < end && p[1] >= '0' && p[1] <= '9')) return NULL;
    return number(s, (size_t)(p - s), value) == NUMBER ? p : NULL;
}

/* Rows of the object at p; -1 for what is not read here. */
static int64_t read_json(const byte *text, const byte *p, const byte *end, int64_t *topic, int64_t *doc, double *value,
                         int *lists) {
    int64_t rows = 0;
    byte kind = 0; /* what closes the first topic: all have to be of one kind */
    Field name, id;
    p = json_blank(p, end);
    if (p >= end || *p++ != '{') return -1;
    p = json_blank(p, end);
    if (p < end && *p == '}') return json_blank(p + 1, end) == end ? 0 : -1;
    for (;;) {
        if (!(p = json_string(json_blank(p, end), end, &name))) return -1;
        p = json_blank(p, end);
        if (p >= end || *p++ != ':') return -1;
        p = json_blank(p, end);
        if (p >= end || (*p != '{' && *p != '[')) return -1;
        byte close = *p++ == '{' ? '}' : ']';
        int64_t rank = 0;
        if (kind && kind != close) return -1;
        kind = close;
        p = json_blank(p, end);
        if (p < end && *p == close) p++;
        else for (;;) {
            if (!(p = json_string(json_blank(p, end), end, &id))) return -1;
            p = json_blank(p, end);
            value[rows] = (double)++rank;
            if (close == '}') {
                if (p >= end || *p++ != ':') return -1;
                if (!(p = json_number(json_blank(p, end), end, value + rows))) return -1;
                p = json_blank(p, end);
            }
            topic[2 * rows] = name.s - text;
            topic[2 * rows + 1] = (int64_t)name.n;
            doc[2 * rows] = id.s - text;
            doc[2 * rows + 1] = (int64_t)id.n;
            rows++;
            if (p >= end) return -1;
            if (*p == close) { p++; break; }
            if (*p++ != ',') return -1;
        }
        p = json_blank(p, end);
        if (p >= end) return -1;
        if (*p == '}') break;
        if (*p++ != ',') return -1;
    }
    *lists = kind == ']';
    return json_blank(p + 1, end) == end ? rows : -1;
}

/* ---- tables ------------------------------------------------------------------------------------ */

/* Payload of an id in a table, 0 when it is not there. */
static inline uint64_t find(const uint64_t *table, uint64_t mask, const byte *text, const int64_t *span,
                            uint64_t h, const byte *s, size_t n) {
    for (uint64_t i = (h >> 20) & mask;; i = (i + 1) & mask) {
        uint64_t found = table[2 * i + 1];
        if (!found) return 0;
        if (table[2 * i] == h) {
            const int64_t *it = span + 2 * ((found >> 16) - 1);
            if (it[1] == (int64_t)n && same(text + it[0], s, n)) return found;
        }
    }
}

static inline void put(uint64_t *table, uint64_t mask, uint64_t h, uint64_t payload) {
    uint64_t i = (h >> 20) & mask;
    while (table[2 * i + 1]) i = (i + 1) & mask;
    table[2 * i] = h;
    table[2 * i + 1] = payload;
}

/* A table of twice the room with the same content; NULL without memory. The old one is freed in both cases. */
static uint64_t *doubled(uint64_t *table, uint64_t room) {
    uint64_t *larger = calloc(4 * room, sizeof *larger);
    for (uint64_t k = 0; larger && k < room; k++)
        if (table[2 * k + 1]) put(larger, 2 * room - 1, table[2 * k], table[2 * k + 1]);
    free(table);
    return larger;
}

/* ---- one topic of a run ------------------------------------------------------------------------ */

typedef struct { /* the judgments, as index() laid them out */
    const byte *text;
    const int64_t *topic_span, *doc_span, *base, *mask; /* a topic's table: pairs from base, mask */
    const uint64_t *topic_table, *doc_table;
    uint64_t topic_mask;
    const double *value; /* grade of each code, 0 for unjudged */
} Judgments;

enum { TREC, BY_RANK, BY_FILE, BEST, WORST };

typedef struct { double score, key; const byte *doc; uint64_t hash; uint32_t length, code; } Row;
typedef struct { uint64_t hash; uint32_t row, stamp; } Seen;

typedef struct {
    const Judgments *judged;
    const byte *text; /* what document spans are relative to */
    int ties, single, first, wide;
    int64_t depth, doc_depth;

    int64_t topic; /* the topic being read: its number, or -1 when it has no judgments */
    const uint64_t *table;
    uint64_t mask;
    Row *row;
    uint64_t *found; /* beside row: what the table has for it */
    size_t n, room;
    int sorted, tied;
    Seen *seen;
    size_t seen_room;
    uint32_t stamp;

    byte *code; /* what comes out: codes of judged topics in rank order, and numbers of their documents if wanted */
    int32_t *number;
    int64_t *doc; /* the span of each numbered document, and a table of these documents */
    uint64_t *known, known_room;
    byte *extreme; /* if wanted, codes with ties at their best, and from code number `room_out` on at their worst */
    int64_t room_out;
    int64_t coded, numbered, distinct, dropped;
} Reader;

enum { FINE = 0, BAD = 1, NO_MEMORY = 2 };

static int compare(const void *a, const void *b) {
    const Row *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? 1 : -1;
    if (x->key != y->key) return x->key < y->key ? 1 : -1;
    int c = memcmp(y->doc, x->doc, x->length < y->length ? x->length : y->length);
    return c ? c : (x->length < y->length) - (x->length > y->length);
}

static void begin_topic(Reader *r, int64_t topic) {
    r->topic = topic;
    if (topic >= 0) {
        r->table = r->judged->doc_table + 2 * r->judged->base[topic];
        r->mask = (uint64_t)r->judged->mask[topic];
    }
    r->n = 0;
    r->sorted = 1;
    r->tied = 0;
    if (!++r->stamp) { /* stamps used up: start over with clean slots */
        memset(r->seen, 0, r->seen_room * sizeof *r->seen);
        r->stamp = 1;
    }
}

static int grow_seen(Reader *r) {
    size_t room = 2 * r->seen_room;
    Seen *seen = calloc(room, sizeof *seen);
    if (!seen) return NO_MEMORY;
    for (size_t k = 0; k < r->seen_room; k++) {
        if (r->seen[k].stamp != r->stamp) continue;
        size_t i = (r->seen[k].hash >> 20) & (room - 1);
        while (seen[i].stamp) i = (i + 1) & (room - 1);
        seen[i] = r->seen[k];
    }
    free(r->seen);
    r->seen = seen;
    r->seen_room = room;
    return FINE;
}

static inline int add_row(Reader *r, const byte *doc, size_t length, double score, double rank) {
    if (unlikely(length > UINT32_MAX)) return BAD; /* 4 GiB and more, or no length at all */
    uint64_t h = hash(doc, length);
    if (unlikely(2 * r->n >= r->seen_room) && grow_seen(r)) return NO_MEMORY;
    size_t i = (h >> 20) & (r->seen_room - 1);
    for (; r->seen[i].stamp == r->stamp; i = (i + 1) & (r->seen_room - 1)) {
        const Row *it = r->row + r->seen[i].row;
        if (unlikely(r->seen[i].hash == h) && it->length == length && same(it->doc, doc, length)) {
            if (!r->first) return BAD;
            r->dropped++;
            return FINE;
        }
    }
    r->seen[i].hash = h;
    r->seen[i].row = (uint32_t)r->n;
    r->seen[i].stamp = r->stamp;

    if (unlikely(r->n == r->room)) {
        if (r->n >= UINT32_MAX / 2) return NO_MEMORY;
        Row *row = realloc(r->row, 2 * r->room * sizeof *row);
        if (!row) return NO_MEMORY;
        r->row = row;
        uint64_t *found = realloc(r->found, 2 * r->room * sizeof *found);
        if (!found) return NO_MEMORY;
        r->found = found;
        r->room *= 2;
    }
    if (r->topic >= 0) prefetch(r->table + 2 * ((h >> 20) & r->mask));
    if (r->single) score = (double)(float)score;
    if (r->n) {
        double above = r->row[r->n - 1].score;
        r->sorted &= above >= score;
        r->tied |= above == score;
    }
    Row *it = r->row + r->n++;
    it->score = score;
    it->key = r->ties == BY_RANK ? -rank : r->ties == BY_FILE ? -(double)r->n : 0.0;
    it->doc = doc;
    it->hash = h;
    it->length = (uint32_t)length;
    return FINE;
}

/* Codes of the topic's documents. Each look-up is three loads that miss the cache, one after the other;
   taken one step at a time for all rows they overlap, which more than doubles the speed of the whole. */
static void judge(Reader *r) {
    const Judgments *j = r->judged;
    for (size_t k = 0; k < r->n; k++) {
        Row *it = r->row + k;
        uint64_t i = (it->hash >> 20) & r->mask;
        while (r->table[2 * i + 1] && r->table[2 * i] != it->hash) i = (i + 1) & r->mask;
        r->found[k] = r->table[2 * i + 1];
        if (r->found[k]) prefetch(j->doc_span + 2 * ((r->found[k] >> 16) - 1));
    }
    for (size_t k = 0; k < r->n; k++)
        if (r->found[k]) prefetch(j->text + j->doc_span[2 * ((r->found[k] >> 16) - 1)]);
    for (size_t k = 0; k < r->n; k++) {
        Row *it = r->row + k;
        uint64_t found = r->found[k];
        if (found) {
            const int64_t *span = j->doc_span + 2 * ((found >> 16) - 1);
            if (unlikely(span[1] != it->length || !same(j->text + span[0], it->doc, it->length)))
                found = find(r->table, r->mask, j->text, j->doc_span, it->hash, it->doc, it->length);
        }
        it->code = found ? (uint32_t)(found & 0xFFFF) : 1; /* 1: unjudged */
        if (r->ties >= BEST) it->key = r->ties == BEST ? j->value[it->code] : -j->value[it->code];
    }
}

/* Orders the rows inside groups of equal scores. */
static void order_ties(Reader *r) {
    for (size_t i = 0, j; i < r->n; i = j) {
        for (j = i + 1; j < r->n && r->row[j].score == r->row[i].score; j++) {}
        if (j - i > 24) qsort(r->row + i, j - i, sizeof *r->row, compare);
        else for (size_t a = i + 1; a < j; a++) {
            Row it = r->row[a];
            size_t b = a;
            for (; b > i && compare(r->row + b - 1, &it) > 0; b--) r->row[b] = r->row[b - 1];
            r->row[b] = it;
        }
    }
}

/* Writes the codes of the first n rows from code number `at` on. */
static void write_codes(const Reader *r, byte *out, int64_t at, int64_t n) {
    if (r->wide) {
        uint16_t *code = (uint16_t *)out + at;
        for (int64_t i = 0; i < n; i++) code[i] = (uint16_t)r->row[i].code;
    } else
        for (int64_t i = 0; i < n; i++) out[at + i] = (byte)r->row[i].code;
}

/* Writes the numbers of the documents of the first n rows, in order of first appearance. */
static int number_docs(Reader *r, int64_t n) {
    for (int64_t i = 0; i < n; i++) prefetch(r->known + 2 * ((r->row[i].hash >> 20) & (r->known_room - 1)));
    for (int64_t i = 0; i < n; i++) {
        const Row *it = r->row + i;
        uint64_t found = find(r->known, r->known_room - 1, r->text, r->doc, it->hash, it->doc, it->length);
        if (!found) {
            if (unlikely(r->distinct == INT32_MAX)) return NO_MEMORY;
            if (2 * (uint64_t)r->distinct >= r->known_room) {
                if (!(r->known = doubled(r->known, r->known_room))) return NO_MEMORY;
                r->known_room *= 2;
            }
            r->doc[2 * r->distinct] = it->doc - r->text;
            r->doc[2 * r->distinct + 1] = it->length;
            found = (uint64_t)++r->distinct << 16;
            put(r->known, r->known_room - 1, it->hash, found);
        }
        r->number[r->numbered++] = (int32_t)((found >> 16) - 1);
    }
    return FINE;
}

/* Orders the rows of the topic and writes their codes; returns how many, or -1 without memory. */
static int64_t end_topic(Reader *r) {
    if (r->topic < 0) return 0;
    judge(r);
    if (!r->sorted) qsort(r->row, r->n, sizeof *r->row, compare);
    else if (r->tied) order_ties(r);
    int64_t n = (int64_t)r->n < r->depth ? (int64_t)r->n : r->depth;
    write_codes(r, r->code, r->coded, n);
    if (number_docs(r, n < r->doc_depth ? n : r->doc_depth)) return -1;
    for (int worst = 0; r->extreme && worst < 2; worst++) {
        if (r->tied || !r->sorted) {
            const double *value = r->judged->value;
            for (size_t k = 0; k < r->n; k++) r->row[k].key = worst ? -value[r->row[k].code] : value[r->row[k].code];
            order_ties(r);
        }
        write_codes(r, r->extreme, worst * r->room_out + r->coded, n);
    }
    r->coded += n;
    return n;
}

static int open_reader(Reader *r) {
    r->room = 1024;
    r->seen_room = 2048;
    r->row = malloc(r->room * sizeof *r->row);
    r->found = malloc(r->room * sizeof *r->found);
    r->seen = calloc(r->seen_room, sizeof *r->seen);
    r->known_room = 1024;
    r->known = calloc(2 * r->known_room, sizeof *r->known);
    return r->row && r->found && r->seen && r->known ? FINE : NO_MEMORY;
}

static void close_reader(Reader *r) { free(r->row); free(r->found); free(r->seen); free(r->known); }

/* ---- a run, from text or from columns ----------------------------------------------------------- */

/* If wanted, `apart` has for each segment bits of what its lines do not keep to: scores that fall as 32-bit floats, too,
   and ranks that do not fall. `lowest` is the lowest rank of judged topics, NaN where a rank is no number. */
enum { SCORES_APART = 1, RANKS_APART = 2 };
typedef struct { int64_t *topic, *start, *length; uint64_t *hash; byte *apart; double lowest; int64_t n; } Segments;

/* Lines from p to end. A new segment begins wherever the topic changes. */
static int order_lines(Reader *r, const byte *p, const byte *end, Segments *out, int64_t *lines) {
    Field f[6];
    float single_before = 0;
    double rank_before = 0.0;
    const byte *topic = NULL;
    size_t topic_n = 0;
    const Judgments *j = r->judged;
    while (p < end) {
        const byte *line = p;
        int n = split(&p, end, f, 6);
        if (n == 0) continue;
        double score, rank = 0.0;
        if (unlikely(n != 6)) return BAD;
        int kind = number(f[4].s, f[4].n, &score), rank_kind = NUMBER;
        if (likely(kind == NUMBER) && (out->apart || r->ties == BY_RANK)) rank_kind = number(f[3].s, f[3].n, &rank);
        if (unlikely(kind == NO_ROOM || rank_kind == NO_ROOM)) return NO_MEMORY;
        if (unlikely(kind != NUMBER || (rank_kind != NUMBER && r->ties == BY_RANK))) return BAD;
        if (unlikely(!topic || f[0].n != topic_n || !same(f[0].s, topic, topic_n))) {
            if (topic && unlikely((out->length[out->n++] = end_topic(r)) < 0)) return NO_MEMORY;
            topic = f[0].s;
            topic_n = f[0].n;
            uint64_t h = hash(topic, topic_n);
            uint64_t found = find(j->topic_table, j->topic_mask, j->text, j->topic_span, h, topic, topic_n);
            begin_topic(r, (int64_t)(found >> 16) - 1);
            out->topic[out->n] = r->topic;
            out->start[out->n] = line - r->text;
            out->hash[out->n] = h;
            if (out->apart) out->apart[out->n] = 0;
        } else if (out->apart)
            out->apart[out->n] |= ((float)score < single_before ? 0 : SCORES_APART) | (rank >= rank_before ? 0 : RANKS_APART);
        single_before = (float)score;
        rank_before = rank;
        if (out->apart && r->topic >= 0 && rank < out->lowest) out->lowest = rank; /* never, where lowest is NaN */
        if (unlikely(rank_kind != NUMBER)) out->lowest = NAN;
        int status = add_row(r, f[2].s, f[2].n, score, rank);
        if (unlikely(status)) return status;
        ++*lines;
    }
    return topic && (out->length[out->n++] = end_topic(r)) < 0 ? NO_MEMORY : FINE;
}

/* ---- resampling ---------------------------------------------------------------------------------- */

/* Every draw is a function of (seed, trial, topic, position), so that it does not matter who makes it, when, or
   on what kind of machine: SplitMix64's finaliser (Steele, Lea and Flood 2014) over a counter for each. */
static inline uint64_t scramble(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}
static inline uint64_t trial_key(uint64_t seed, uint64_t trial) {
    return scramble(scramble(seed ^ 0x9E3779B97F4A7C15ull) + trial * 0xD1B54A32D192ED03ull);
}
static inline uint64_t topic_key(uint64_t trial, uint64_t topic) { return scramble(trial + topic * 0x8CB92BA72F3D8DD7ull); }
/* 64 bits at an even position and the one after it: the low half is the first's. */
static inline uint64_t draw_two(uint64_t topic, uint64_t position) {
    return scramble(topic + (position / 2 + 1) * 0x9E3779B97F4A7C15ull);
}

/* Where Fisher-Yates takes each position's value from, for ABREAST topics of a trial from the one given: words of two
   positions, the even one in the low half, topics side by side. */
enum { ABREAST = 8 };
WIDER static void pick_swaps(uint64_t trial, int64_t topic, int64_t systems, uint64_t *pick) {
    uint64_t key[ABREAST];
    for (int k = 0; k < ABREAST; k++) key[k] = topic_key(trial, (uint64_t)topic + (uint64_t)k);
    for (int64_t i = 0; i < (systems + 1) / 2; i++, pick += ABREAST) {
        uint64_t n = 2 * (uint64_t)i + 1;
        AS_A_LOOP
        for (int k = 0; k < ABREAST; k++) {
            uint64_t w = draw_two(key[k], 2 * (uint64_t)i);
            pick[k] = ((w & 0xFFFFFFFFull) * n) >> 32 | (((w >> 32) * (n + 1)) & 0xFFFFFFFF00000000ull);
        }
    }
}

/* A coin for each trial and topic: the lowest bit of the draw at position 0. */
WIDER static void toss(uint64_t seed, int64_t first, int64_t trials, int64_t topics, byte *heads) {
    for (int64_t b = 0; b < trials; b++, heads += topics) {
        uint64_t trial = trial_key(seed, (uint64_t)(first + b));
        AS_A_LOOP
        for (int64_t t = 0; t < topics; t++) heads[t] = draw_two(topic_key(trial, (uint64_t)t), 0) & 1;
    }
}

/* Topics drawn with replacement, (trials, topics), or how often each was drawn; positions first, for they do not
   depend on each other. */
#define AT_ONCE 256
WIDER static void draw_topics(uint64_t seed, int64_t first, int64_t trials, int64_t topics, int64_t *drawn,
                              double *counts) {
    uint32_t at[AT_ONCE];
    for (int64_t t = 0; t < trials; t++) {
        uint64_t trial = trial_key(seed, (uint64_t)(first + t));
        for (int64_t k = 0; counts && k < topics; k++) counts[k] = 0;
        for (int64_t start = 0; start < topics; start += AT_ONCE) {
            int64_t several = topics - start < AT_ONCE ? topics - start : AT_ONCE;
            AS_A_LOOP
            for (int64_t k = 0; k < several; k++) {
                uint64_t bits = draw_two(topic_key(trial, (uint64_t)(start + k)), 0) & UINT32_MAX;
                at[k] = (uint32_t)((bits * (uint64_t)topics) >> 32);
            }
            if (counts)
                for (int64_t k = 0; k < several; k++) counts[at[k]] += 1;
            else
                for (int64_t k = 0; k < several; k++) drawn[start + k] = at[k];
        }
        if (counts) counts += topics;
        else drawn += topics;
    }
}

/* One position of interleaved rows: the sum of what is drawn for it; what stood there takes the place of that. */
static inline int64_t take(int64_t *row, int64_t i, const uint64_t *pick, int half) {
    int64_t sum = 0;
    for (int k = 0; k < ABREAST; k++) {
        int64_t *drawn = row + (int64_t)(uint32_t)(pick[k] >> half) * ABREAST + k;
        sum += *drawn;
        *drawn = row[i * ABREAST + k];
    }
    return sum;
}

/* For each trial, the column sums after the values of every row (topic) have been shuffled. The swaps of a row wait
   for each other, so rows are shuffled side by side, their values interleaved; rows of zeros fill up the last ones. */
static int permute_sums(const int64_t *value, int64_t topics, int64_t systems, uint64_t seed, int64_t first,
                        int64_t trials, int64_t *sums) {
    int64_t groups = (topics + ABREAST - 1) / ABREAST, cells = systems * ABREAST;
    int64_t *whole = calloc((size_t)(groups * cells), sizeof *whole), *row = malloc((size_t)cells * sizeof *row);
    uint64_t *pick = malloc((size_t)(systems + 1) / 2 * ABREAST * sizeof *pick);
    if (!whole || !row || !pick) { free(whole); free(row); free(pick); return NO_MEMORY; }
    for (int64_t t = 0; t < topics; t++)
        for (int64_t i = 0; i < systems; i++)
            whole[t / ABREAST * cells + i * ABREAST + t % ABREAST] = value[t * systems + i];
    for (int64_t b = 0; b < trials; b++, sums += systems) {
        uint64_t trial = trial_key(seed, (uint64_t)(first + b));
        memset(sums, 0, (size_t)systems * sizeof *sums);
        for (int64_t g = 0; g < groups; g++) {
            memcpy(row, whole + g * cells, (size_t)cells * sizeof *row);
            pick_swaps(trial, g * ABREAST, systems, pick);
            int64_t i = systems - 1; /* from the end; position 0 takes what is left */
            if (i % 2 == 0) { sums[i] += take(row, i, pick + i / 2 * ABREAST, 0); i--; }
            for (; i > 0; i -= 2) {
                sums[i] += take(row, i, pick + i / 2 * ABREAST, 32);
                sums[i - 1] += take(row, i - 1, pick + i / 2 * ABREAST, 0);
            }
        }
    }
    free(whole);
    free(row);
    free(pick);
    return FINE;
}

/* The rows themselves, shuffled as above: trials x topics x systems of whatever has 64 bits. */
static int shuffle_rows(const uint64_t *value, int64_t topics, int64_t systems, uint64_t seed, int64_t first,
                        int64_t trials, uint64_t *out) {
    uint64_t *pick = malloc((size_t)(systems + 1) / 2 * ABREAST * sizeof *pick);
    if (!pick) return NO_MEMORY;
    for (int64_t b = 0; b < trials; b++) {
        uint64_t trial = trial_key(seed, (uint64_t)(first + b));
        memcpy(out, value, (size_t)(topics * systems) * sizeof *out);
        for (int64_t t = 0; t < topics; t++, out += systems) {
            if (t % ABREAST == 0) pick_swaps(trial, t, systems, pick);
            for (int64_t i = systems - 1; i > 0; i--) {
                uint64_t *from = out + (uint32_t)(pick[i / 2 * ABREAST + t % ABREAST] >> (i % 2 * 32)), drawn = *from;
                *from = out[i];
                out[i] = drawn;
            }
        }
    }
    free(pick);
    return FINE;
}

/* Pairs of columns that two rows of scores order alike, and differently; equal scores are ties.
   Counts are as wide as the scores, so that nothing has to be narrowed in the loop. */
VECTOR static void concord(const double *x, const double *y, int64_t rows, int64_t n, int64_t *alike,
                    int64_t *apart, int64_t *tied_x, int64_t *tied_y) {
    int64_t pairs = n * (n - 1) / 2;
    for (int64_t r = 0; r < rows; r++, x += n, y += n) {
        int64_t same = 0, ordered = 0, in_x = 0, in_y = 0;
        for (int64_t i = 1; i < n; i++) {
            double xi = x[i], yi = y[i];
            for (int64_t j = 0; j < i; j++) {
                int64_t ox = xi != x[j], oy = yi != y[j];
                same += ox & oy & ((xi > x[j]) == (yi > y[j]));
                ordered += ox & oy;
                in_x += ox;
                in_y += oy;
            }
        }
        alike[r] = same;
        apart[r] = ordered - same;
        tied_x[r] = pairs - in_x;
        tied_y[r] = pairs - in_y;
    }
}

/* ---- Python's side ------------------------------------------------------------------------------ */

static PyObject *outcome(int status, const char *format, ...) {
    if (status == NO_MEMORY) return PyErr_NoMemory();
    va_list values;
    va_start(values, format);
    PyObject *result = Py_VaBuildValue(format, values);
    va_end(values);
    return result;
}

static void release(Py_buffer *first, int n) { for (int i = 0; i < n; i++) PyBuffer_Release(first + i); }

PyDoc_STRVAR(scan_doc, "scan(text, size, fields, spans) -> rows, or -1 where a line has another number of fields");
static PyObject *core_scan(PyObject *self, PyObject *args) {
    Py_buffer b[2];
    long long size;
    int fields;
    if (!PyArg_ParseTuple(args, "y*Liw*", b, &size, &fields, b + 1)) return NULL;
    const byte *text = b[0].buf, *p = text, *end = text + size;
    int64_t *span = b[1].buf, rows = 0, room = (int64_t)(b[1].len / (16 * fields)); /* field by field */
    Field f[16];
    Py_BEGIN_ALLOW_THREADS
    while (p < end) {
        int n = split(&p, end, f, fields);
        if (n == 0) continue;
        if (n != fields) { rows = -1; break; }
        for (int i = 0; i < n; i++) {
            int64_t *it = span + 2 * (i * room + rows);
            it[0] = f[i].s - text;
            it[1] = (int64_t)f[i].n;
        }
        rows++;
    }
    Py_END_ALLOW_THREADS
    release(b, 2);
    return PyLong_FromLongLong(rows);
}

PyDoc_STRVAR(decimals_doc, "decimals(text, spans, rows, values) -> whether all are finite decimal numbers");
static PyObject *core_decimals(PyObject *self, PyObject *args) {
    Py_buffer b[3];
    long long rows;
    if (!PyArg_ParseTuple(args, "y*y*Lw*", b, b + 1, &rows, b + 2)) return NULL;
    const byte *text = b[0].buf;
    const int64_t *span = b[1].buf;
    double *value = b[2].buf;
    int kind = NUMBER;
    Py_BEGIN_ALLOW_THREADS
    for (int64_t i = 0; i < rows && kind == NUMBER; i++)
        kind = number(text + span[2 * i], (size_t)span[2 * i + 1], value + i);
    Py_END_ALLOW_THREADS
    release(b, 3);
    return kind == NO_ROOM ? PyErr_NoMemory() : PyBool_FromLong(kind == NUMBER);
}

PyDoc_STRVAR(scan_json_doc, "scan_json(text, size, topics, docs, values) -> (rows or -1, whether topics hold lists)");
static PyObject *core_scan_json(PyObject *self, PyObject *args) {
    Py_buffer b[4];
    long long size;
    if (!PyArg_ParseTuple(args, "y*Lw*w*w*", b, &size, b + 1, b + 2, b + 3)) return NULL;
    const byte *text = b[0].buf;
    int64_t rows;
    int lists = 0;
    Py_BEGIN_ALLOW_THREADS
    rows = read_json(text, text, text + size, b[1].buf, b[2].buf, b[3].buf, &lists);
    Py_END_ALLOW_THREADS
    release(b, 4);
    return Py_BuildValue("Li", (long long)rows, lists);
}

/* Numbers of ids in order of first appearance; how many there are, or -1 without memory. */
static int64_t number_ids(const byte *text, const int64_t *span, int64_t rows, int64_t *code, int64_t *first) {
    uint64_t room = 1024, *table = calloc(2 * room, sizeof *table);
    int64_t distinct = 0;
    if (!table) return -1;
    for (int64_t i = 0; i < rows; i++) {
        const byte *s = text + span[2 * i];
        size_t n = (size_t)span[2 * i + 1];
        const int64_t *above = span + 2 * (i - 1);
        if (i && above[1] == (int64_t)n && same(text + above[0], s, n)) { code[i] = code[i - 1]; continue; }
        uint64_t h = hash(s, n), found = find(table, room - 1, text, span, h, s, n);
        if (found) { code[i] = code[(found >> 16) - 1]; continue; }
        if (2 * (uint64_t)distinct >= room) {
            if (!(table = doubled(table, room))) return -1;
            room *= 2;
        }
        put(table, room - 1, h, (uint64_t)(i + 1) << 16);
        first[distinct] = i;
        code[i] = distinct++;
    }
    free(table);
    return distinct;
}

/* Judgments of a text: spans of the distinct topics, and for each line the number of its topic, the span of its
   document and its grade. FINE, BAD or NO_MEMORY. */
static int read_qrels(const byte *text, const byte *end, int64_t *topic_span, int64_t *topic, int64_t *doc,
                      double *grade, int64_t *rows, int64_t *topics) {
    uint64_t room = 1024, *table = calloc(2 * room, sizeof *table);
    int64_t i = 0, distinct = 0, here = 0; /* line, topics so far, topic of the line before */
    int kind = NUMBER;
    Field f[4];
    if (!table) return NO_MEMORY;
    for (const byte *p = text; p < end;) {
        int n = split(&p, end, f, 4);
        if (n == 0) continue;
        kind = n == 4 ? number(f[3].s, f[3].n, grade + i) : NOT_A_NUMBER;
        if (kind != NUMBER) break;
        const int64_t *it = topic_span + 2 * here;
        if (!i || it[1] != (int64_t)f[0].n || !same(text + it[0], f[0].s, f[0].n)) {
            uint64_t h = hash(f[0].s, f[0].n), found = find(table, room - 1, text, topic_span, h, f[0].s, f[0].n);
            here = found ? (int64_t)(found >> 16) - 1 : distinct;
            if (!found) {
                if (2 * (uint64_t)distinct >= room) {
                    if (!(table = doubled(table, room))) return NO_MEMORY;
                    room *= 2;
                }
                topic_span[2 * distinct] = f[0].s - text;
                topic_span[2 * distinct + 1] = (int64_t)f[0].n;
                put(table, room - 1, h, (uint64_t)++distinct << 16);
            }
        }
        topic[i] = here;
        doc[2 * i] = f[2].s - text;
        doc[2 * i + 1] = (int64_t)f[2].n;
        i++;
    }
    free(table);
    *rows = i;
    *topics = distinct;
    return kind == NUMBER ? FINE : kind == NO_ROOM ? NO_MEMORY : BAD;
}

PyDoc_STRVAR(scan_qrels_doc, "scan_qrels(text, size, topics, topic, docs, grade) -> (rows or -1, topics)");
static PyObject *core_scan_qrels(PyObject *self, PyObject *args) {
    Py_buffer b[5];
    long long size;
    if (!PyArg_ParseTuple(args, "y*Lw*w*w*w*", b, &size, b + 1, b + 2, b + 3, b + 4)) return NULL;
    const byte *text = b[0].buf;
    int64_t rows = 0, topics = 0;
    int state;
    Py_BEGIN_ALLOW_THREADS
    state = read_qrels(text, text + size, b[1].buf, b[2].buf, b[3].buf, b[4].buf, &rows, &topics);
    Py_END_ALLOW_THREADS
    release(b, 5);
    if (state == NO_MEMORY) return PyErr_NoMemory();
    return Py_BuildValue("LL", state == FINE ? (long long)rows : -1LL, (long long)topics);
}

PyDoc_STRVAR(intern_doc, "intern(text, spans, rows, codes, first) -> number of distinct ids");
static PyObject *core_intern(PyObject *self, PyObject *args) {
    Py_buffer b[4];
    long long rows;
    if (!PyArg_ParseTuple(args, "y*y*Lw*w*", b, b + 1, &rows, b + 2, b + 3)) return NULL;
    int64_t distinct;
    Py_BEGIN_ALLOW_THREADS
    distinct = number_ids(b[0].buf, b[1].buf, rows, b[2].buf, b[3].buf);
    Py_END_ALLOW_THREADS
    release(b, 4);
    return distinct < 0 ? PyErr_NoMemory() : PyLong_FromLongLong(distinct);
}

PyDoc_STRVAR(pack_doc, "pack(text, spans, rows, packed, places): the ids end to end, and where");
static PyObject *core_pack(PyObject *self, PyObject *args) {
    Py_buffer b[4];
    long long rows;
    if (!PyArg_ParseTuple(args, "y*y*Lw*w*", b, b + 1, &rows, b + 2, b + 3)) return NULL;
    const byte *text = b[0].buf;
    const int64_t *span = b[1].buf;
    byte *out = b[2].buf;
    int64_t *place = b[3].buf, end = 0;
    Py_BEGIN_ALLOW_THREADS
    for (int64_t i = 0; i < rows; i++) {
        int64_t length = span[2 * i + 1];
        memcpy(out + end, text + span[2 * i], (size_t)length);
        place[2 * i] = end, place[2 * i + 1] = length;
        end += length;
    }
    Py_END_ALLOW_THREADS
    release(b, 4);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(fill_doc, "fill(text, spans, rows, group, code, base, mask, table, repeated) -> number of repeated rows");
static PyObject *core_fill(PyObject *self, PyObject *args) {
    Py_buffer b[8];
    long long rows;
    if (!PyArg_ParseTuple(args, "y*y*Ly*y*y*y*w*w*", b, b + 1, &rows, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7))
        return NULL;
    const byte *text = b[0].buf;
    const int64_t *span = b[1].buf, *group = b[2].buf, *code = b[3].buf, *base = b[4].buf, *mask = b[5].buf;
    uint64_t *tables = b[6].buf;
    byte *repeated = b[7].buf;
    int64_t repeats = 0;
    Py_BEGIN_ALLOW_THREADS
    for (int64_t i = 0; i < rows; i++) {
        const byte *s = text + span[2 * i];
        size_t n = (size_t)span[2 * i + 1];
        uint64_t h = hash(s, n), *table = tables + 2 * base[group[i]], m = (uint64_t)mask[group[i]];
        repeated[i] = find(table, m, text, span, h, s, n) != 0;
        if (repeated[i]) repeats++;
        else put(table, m, h, (uint64_t)(i + 1) << 16 | (uint64_t)code[i]);
    }
    Py_END_ALLOW_THREADS
    release(b, 8);
    return PyLong_FromLongLong(repeats);
}

PyDoc_STRVAR(lookup_doc, "lookup(text, spans, rows, ids, id_spans, table, mask, found): row of each id among ids, or -1");
static PyObject *core_lookup(PyObject *self, PyObject *args) {
    Py_buffer b[6];
    long long rows, mask;
    if (!PyArg_ParseTuple(args, "y*y*Ly*y*y*Lw*", b, b + 1, &rows, b + 2, b + 3, b + 4, &mask, b + 5)) return NULL;
    const byte *text = b[0].buf, *ids = b[2].buf;
    const int64_t *span = b[1].buf, *id_span = b[3].buf;
    const uint64_t *table = b[4].buf;
    int64_t *out = b[5].buf;
    Py_BEGIN_ALLOW_THREADS
    for (int64_t i = 0; i < rows; i++) {
        const byte *s = text + span[2 * i];
        size_t n = (size_t)span[2 * i + 1];
        out[i] = (int64_t)(find(table, (uint64_t)mask, ids, id_span, hash(s, n), s, n) >> 16) - 1;
    }
    Py_END_ALLOW_THREADS
    release(b, 6);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(topic_edge_doc, "topic_edge(text, position, size) -> start of the first line of another topic");
static PyObject *core_topic_edge(PyObject *self, PyObject *args) {
    Py_buffer b[1];
    long long position, size;
    if (!PyArg_ParseTuple(args, "y*LL", b, &position, &size)) return NULL;
    const byte *text = b[0].buf, *p = text + position, *end = text + size, *edge = end;
    Field topic = {NULL, 0};
    Py_BEGIN_ALLOW_THREADS
    if (position) { /* to the start of a line */
        const byte *line = p < end ? memchr(p - 1, '\n', (size_t)(end - p + 1)) : NULL;
        p = line ? line + 1 : end;
    }
    while (p < end) {
        const byte *line = p;
        while (p < end && is_blank(*p)) p++;
        if (!ends_line(p, end)) {
            Field f = {p, (size_t)(field_end(p, end) - p)};
            if (topic.s && (f.n != topic.n || !same(f.s, topic.s, f.n))) { edge = line; break; }
            topic = f;
        }
        p = memchr(p, '\n', (size_t)(end - p));
        if (!p) break;
        p++;
    }
    Py_END_ALLOW_THREADS
    release(b, 1);
    return PyLong_FromLongLong(edge - text);
}

/* What order_text and order_rows share: the judgments, the rules and the codes that come out. */
#define JUDGED 8
static int parse_judged(PyObject *tuple, Py_buffer *b, Judgments *j) {
    long long mask;
    if (!PyArg_ParseTuple(tuple, "y*y*y*Ly*y*y*y*y*", b, b + 1, b + 2, &mask, b + 3, b + 4, b + 5, b + 6, b + 7))
        return 0;
    j->text = b[0].buf;
    j->topic_span = b[1].buf;
    j->topic_table = b[2].buf;
    j->topic_mask = (uint64_t)mask;
    j->doc_span = b[3].buf;
    j->base = b[4].buf;
    j->mask = b[5].buf;
    j->doc_table = b[6].buf;
    j->value = b[7].buf;
    return 1;
}

static int parse_rules(PyObject *tuple, Reader *r) {
    long long depth, doc_depth;
    if (!PyArg_ParseTuple(tuple, "iiiLiL", &r->ties, &r->single, &r->first, &depth, &r->wide, &doc_depth)) return 0;
    r->depth = depth;
    r->doc_depth = doc_depth;
    return 1;
}

/* Room for codes, numbers of documents, their spans and codes of extreme ties; the last three may be empty. */
static void give_room(Reader *r, const Py_buffer *b) {
    r->code = b[0].buf;
    r->number = b[1].buf;
    r->doc = b[2].buf;
    r->extreme = b[3].len ? b[3].buf : NULL;
    r->room_out = b[3].len / (r->wide ? 4 : 2);
}

PyDoc_STRVAR(order_text_doc,
    "order_text(text, begin, end, judged, rules, topic, start, length, hash, code, number, doc, extreme, apart)"
    " -> (status, lines, segments, codes, documents, dropped, lowest)");
static PyObject *core_order_text(PyObject *self, PyObject *args) {
    Py_buffer b[10], held[JUDGED];
    long long begin, end;
    PyObject *judged, *rules;
    Judgments j;
    Reader r = {0};
    if (!PyArg_ParseTuple(args, "y*LLOOw*w*w*w*w*w*w*w*w*", b, &begin, &end, &judged, &rules,
                          b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7, b + 8, b + 9)) return NULL;
    if (!parse_rules(rules, &r) || !parse_judged(judged, held, &j)) { release(b, 10); return NULL; }
    Segments out = {b[1].buf, b[2].buf, b[3].buf, b[4].buf, b[9].len ? b[9].buf : NULL, INFINITY, 0};
    r.judged = &j;
    r.text = b[0].buf;
    give_room(&r, b + 5);
    int64_t lines = 0;
    int status;
    Py_BEGIN_ALLOW_THREADS
    status = open_reader(&r);
    if (!status) status = order_lines(&r, r.text + begin, r.text + end, &out, &lines);
    close_reader(&r);
    Py_END_ALLOW_THREADS
    release(b, 10);
    release(held, JUDGED);
    return outcome(status, "iLLLLLd", status, (long long)lines, (long long)out.n, (long long)r.coded,
                   (long long)r.distinct, (long long)r.dropped, out.lowest);
}

PyDoc_STRVAR(order_rows_doc,
    "order_rows(text, docs, scores, ranks, topic, first, segments, judged, rules, length, code, number, doc, extreme)"
    " -> (status, codes, documents, dropped)");
static PyObject *core_order_rows(PyObject *self, PyObject *args) {
    Py_buffer b[11], held[JUDGED];
    long long segments;
    PyObject *judged, *rules;
    Judgments j;
    Reader r = {0};
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*LOOw*w*w*w*w*", b, b + 1, b + 2, b + 3, b + 4, b + 5, &segments,
                          &judged, &rules, b + 6, b + 7, b + 8, b + 9, b + 10)) return NULL;
    if (!parse_rules(rules, &r) || !parse_judged(judged, held, &j)) { release(b, 11); return NULL; }
    const int64_t *span = b[1].buf, *topic = b[4].buf, *first = b[5].buf;
    const double *score = b[2].buf, *rank = b[3].len ? b[3].buf : NULL;
    int64_t *length = b[6].buf;
    r.judged = &j;
    r.text = b[0].buf;
    give_room(&r, b + 7);
    int status;
    Py_BEGIN_ALLOW_THREADS
    status = open_reader(&r);
    for (int64_t s = 0; s < segments && !status; s++) {
        begin_topic(&r, topic[s]);
        for (int64_t i = first[s]; i < first[s + 1] && !status; i++)
            status = add_row(&r, r.text + span[2 * i], (size_t)span[2 * i + 1], score[i], rank ? rank[i] : 0.0);
        if (!status && (length[s] = end_topic(&r)) < 0) status = NO_MEMORY;
    }
    close_reader(&r);
    Py_END_ALLOW_THREADS
    release(b, 11);
    release(held, JUDGED);
    return outcome(status, "iLLL", status, (long long)r.coded, (long long)r.distinct, (long long)r.dropped);
}

PyDoc_STRVAR(permuted_sums_doc, "permuted_sums(values, topics, systems, seed, first, trials, sums)");
static PyObject *core_permuted_sums(PyObject *self, PyObject *args) {
    Py_buffer b[2];
    long long topics, systems, first, trials;
    unsigned long long seed;
    if (!PyArg_ParseTuple(args, "y*LLKLLw*", b, &topics, &systems, &seed, &first, &trials, b + 1)) return NULL;
    int status;
    Py_BEGIN_ALLOW_THREADS
    status = permute_sums(b[0].buf, topics, systems, seed, first, trials, b[1].buf);
    Py_END_ALLOW_THREADS
    release(b, 2);
    if (status) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

PyDoc_STRVAR(flips_doc, "flips(seed, first, trials, topics, heads)");
static PyObject *core_flips(PyObject *self, PyObject *args) {
    Py_buffer b;
    long long first, trials, topics;
    unsigned long long seed;
    if (!PyArg_ParseTuple(args, "KLLLw*", &seed, &first, &trials, &topics, &b)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    toss(seed, first, trials, topics, b.buf);
    Py_END_ALLOW_THREADS
    release(&b, 1);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(drawn_doc, "drawn(seed, first, trials, topics, counts, out)");
static PyObject *core_drawn(PyObject *self, PyObject *args) {
    Py_buffer b;
    long long first, trials, topics;
    unsigned long long seed;
    int counts;
    if (!PyArg_ParseTuple(args, "KLLLpw*", &seed, &first, &trials, &topics, &counts, &b)) return NULL;
    int fits = trials >= 0 && topics >= 0 && topics <= INT32_MAX && trials <= INT32_MAX && b.len == trials * topics * 8;
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        draw_topics(seed, first, trials, topics, counts ? NULL : b.buf, counts ? b.buf : NULL);
        Py_END_ALLOW_THREADS
    }
    release(&b, 1);
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "drawn: buffer and sizes do not fit");
        return NULL;
    }
    Py_RETURN_NONE;
}

PyDoc_STRVAR(shuffled_doc, "shuffled(values, topics, systems, seed, first, trials, rows)");
static PyObject *core_shuffled(PyObject *self, PyObject *args) {
    Py_buffer b[2];
    long long topics, systems, first, trials;
    unsigned long long seed;
    if (!PyArg_ParseTuple(args, "y*LLKLLw*", b, &topics, &systems, &seed, &first, &trials, b + 1)) return NULL;
    int status;
    Py_BEGIN_ALLOW_THREADS
    status = shuffle_rows(b[0].buf, topics, systems, seed, first, trials, b[1].buf);
    Py_END_ALLOW_THREADS
    release(b, 2);
    if (status) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

PyDoc_STRVAR(concordance_doc, "concordance(x, y, rows, n, alike, apart, tied_x, tied_y)");
static PyObject *core_concordance(PyObject *self, PyObject *args) {
    Py_buffer b[6];
    long long rows, n;
    if (!PyArg_ParseTuple(args, "y*y*LLw*w*w*w*", b, b + 1, &rows, &n, b + 2, b + 3, b + 4, b + 5))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    concord(b[0].buf, b[1].buf, rows, n, b[2].buf, b[3].buf, b[4].buf, b[5].buf);
    Py_END_ALLOW_THREADS
    release(b, 6);
    Py_RETURN_NONE;
}

#ifdef FAILING_ALLOCATIONS
PyDoc_STRVAR(fail_allocation_doc, "fail_allocation(after) -> (how many there were to go, line that failed, not freed)");
static PyObject *core_fail_allocation(PyObject *self, PyObject *args) {
    long long after, before = until_failure;
    if (!PyArg_ParseTuple(args, "L", &after)) return NULL;
    until_failure = after;
    return Py_BuildValue("LLL", before, failed_line, not_freed);
}
#endif

static PyMethodDef METHODS[] = {
#ifdef FAILING_ALLOCATIONS
    {"fail_allocation", core_fail_allocation, METH_VARARGS, fail_allocation_doc},
#endif
    {"scan", core_scan, METH_VARARGS, scan_doc},
    {"decimals", core_decimals, METH_VARARGS, decimals_doc},
    {"scan_json", core_scan_json, METH_VARARGS, scan_json_doc},
    {"scan_qrels", core_scan_qrels, METH_VARARGS, scan_qrels_doc},
    {"intern", core_intern, METH_VARARGS, intern_doc},
    {"pack", core_pack, METH_VARARGS, pack_doc},
    {"fill", core_fill, METH_VARARGS, fill_doc},
    {"lookup", core_lookup, METH_VARARGS, lookup_doc},
    {"topic_edge", core_topic_edge, METH_VARARGS, topic_edge_doc},
    {"order_text", core_order_text, METH_VARARGS, order_text_doc},
    {"order_rows", core_order_rows, METH_VARARGS, order_rows_doc},
    {"permuted_sums", core_permuted_sums, METH_VARARGS, permuted_sums_doc},
    {"flips", core_flips, METH_VARARGS, flips_doc},
    {"drawn", core_drawn, METH_VARARGS, drawn_doc},
    {"shuffled", core_shuffled, METH_VARARGS, shuffled_doc},
    {"concordance", core_concordance, METH_VARARGS, concordance_doc},
    {NULL, NULL, 0, NULL},
};

int add_pairs(PyObject *module); /* the loops over all pairs: _pairs.c */
int add_inversions(PyObject *module); /* pairs of a sequence that rise: _inversions.c */
int add_ratio(PyObject *module); /* gains for which a ratio is largest: _ratio.c */
int add_steps(PyObject *module); /* step-down counts of a bootstrap: _steps.c */
#ifndef SOURCES
#define SOURCES 0 /* not built by setup.py */
#endif
static int add_sources(PyObject *module) { return PyModule_AddIntConstant(module, "SOURCES", (long)SOURCES); }

static PyModuleDef_Slot SLOTS[] = {
    {Py_mod_exec, (void *)add_sources}, {Py_mod_exec, (void *)add_pairs}, {Py_mod_exec, (void *)add_inversions}, {Py_mod_exec, (void *)add_ratio},
    {Py_mod_exec, (void *)add_steps},
    {0, NULL}
};
static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_core", "The compiled loops of rankscope.", 0, METHODS,
                                    SLOTS, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&MODULE); }
