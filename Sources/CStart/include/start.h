/*
 * Work to do before the Swift runtime starts, and values that it does not provide: start.c says why.
 */
#ifndef FEED_START_H
#define FEED_START_H

/* The number of arguments, including the program's name; -1 if the system does not pass them to constructors. */
int feed_argument_count(void);

/* Argument `index`, from 0 to one less than the count. It is valid until the process ends. */
const char *feed_argument(int index);

/* Restores the environment from before main, so that child processes do not inherit our setting. */
void feed_restore_environment(void);

#endif
