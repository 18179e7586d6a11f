/* What cutting (speller.c) and analysing (words.c) share. */
#ifndef OPENCLAW_MEMORY_SPELLER_H
#define OPENCLAW_MEMORY_SPELLER_H

#include "speed.h"

typedef struct {
    PyObject_HEAD
    PyObject *numbers; /* term: its number as 4 bytes; makes one for a new term */
    PyObject *analyse; /* spelling: (main, extra) */
    PyObject *signs;   /* spelling: number of what is no term */
    Rules rules;
    Table spellings; /* what is stored of each */
    Table words;     /* the term of each */
    size_t learned;  /* spellings that are analysed */
    bool busy;       /* texts are being encoded */
} Speller;

enum { LOWER = 1, UPPER = 2, DIGIT = 4, BLANK = 8, SPECIAL = 16 };
#define ALNUM (LOWER | UPPER | DIGIT)
extern unsigned char kinds[256];
static inline unsigned char kind(char byte) { return kinds[(unsigned char)byte]; }

/* Whether there was memory; where not, the error is set. */
static inline bool enough(bool memory) {
    if (!memory) PyErr_NoMemory();
    return memory;
}

/* What is stored of a spelling that is too long to be kept, behind what `row` holds. */
bool read_long(Speller *self, const char *spelling, size_t length, Row *row, Row *extra);
/* Analyses the new spellings; `row` and `extra` are room to work in. */
bool learn(Speller *self, Row *row, Row *extra);

#endif
