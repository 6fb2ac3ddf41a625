/* A stand-in for the public header: enough to see that it is found. */
#define HEDDLE_HEADER_FOUND 1
