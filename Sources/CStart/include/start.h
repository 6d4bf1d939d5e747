/*
 * What must happen before the Swift runtime starts, and what it cannot be asked for afterwards: start.c says why.
 */
#ifndef FEED_START_H
#define FEED_START_H

/* The arguments, the program's own name among them; -1 where the system does not hand them to constructors. */
int feed_argument_count(void);

/* Argument `index`, from 0 to one less than the count. It lives as long as the process. */
const char *feed_argument(int index);

/* Gives the environment back as it was before main, so that no program that is started inherits our setting. */
void feed_restore_environment(void);

#endif
