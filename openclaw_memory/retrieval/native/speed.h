/* What the parts of `_speed` share: memory that goes at once, a table from bytes to numbers, and the stemmer. */
#ifndef OPENCLAW_MEMORY_SPEED_H
#define OPENCLAW_MEMORY_SPEED_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030b0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LONGEST_CHUNK 400 /* as in analyse.py, like the next three */
#define LONGEST_PIECE 64
#define LONGEST_JOINED 40
#define MOST_JOINED 4
#define ROOM (LONGEST_PIECE + 8) /* a stem is at most one letter longer than its word */

/* All memory is Python's, by PyMem_*: it is counted, and a test makes it fail. Here, what is given back all at once. */
typedef struct Block Block;
typedef struct {
    Block *blocks;
} Arena;

void *arena_take(Arena *arena, size_t size); /* NULL: no memory */
void arena_free(Arena *arena);

/* A growing row of numbers. */
typedef struct {
    uint32_t *at;
    size_t count, room;
} Row;

bool row_reserve(Row *row, size_t more);
bool row_push(Row *row, uint32_t number);
void row_free(Row *row);

/* Bytes to a row of numbers, in the order they came in. Entries are known by their place: pointers to them move. */
typedef struct {
    const char *key;
    uint32_t length;
    uint32_t count;
    union {
        uint32_t one; /* most rows are of one: no other memory is touched for them */
        uint32_t *many;
    } numbers;
} Entry;

typedef struct {
    uint64_t tag; /* a short key itself, else its hash */
    uint32_t place; /* + 1, 0 where free */
} Slot;

typedef struct {
    Entry *entries;
    size_t count, room;
    Slot *slots;
    unsigned bits; /* of the number of slots */
    uint64_t seed; /* secret: nobody can write a file whose words all fall into one slot */
    Arena arena;
} Table;

#define NO_MEMORY ((size_t)-1)
size_t table_place(Table *table, const char *key, size_t length); /* of `key`, which is added where it is new */
const Entry *table_find(const Table *table, const char *key, size_t length); /* NULL where it is not there */
bool table_set(Table *table, size_t place, const uint32_t *numbers, size_t count);
static inline const uint32_t *numbers_of(const Entry *entry) {
    return entry->count == 1 ? &entry->numbers.one : entry->numbers.many;
}
void table_free(Table *table);

/* The rules of stem.py, read from its tables. */
typedef struct {
    char from[12], to[12];
    uint32_t length, to_length;
    uint32_t least; /* of what stays before it: letters for the Romance endings, Porter's measure for his */
} Ending;

typedef struct {
    Ending *endings; /* longest first */
    size_t count;
} Endings;

typedef struct {
    Table irregular; /* forms, to the letters of the word they are forms of */
    Endings romance, step2, step3, step4;
} Rules;

bool rules_read(Rules *rules, PyObject *tables);
void rules_free(Rules *rules);
/* The stem of a word of ASCII letters and digits, at most LONGEST_PIECE long, into `found` (ROOM bytes); its length. */
size_t stem(const Rules *rules, const char *word, size_t length, char *found);

void object_free(PyObject *object); /* of a type that was made from a spec, after what it holds */
void make_kinds(void); /* once, before the first Speller */
extern PyType_Spec speller_spec, lists_spec;

#endif
