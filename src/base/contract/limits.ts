// Limits of the API itself, which client and server agree on; those that an operator may change are in
// server/service-limits.ts, and how they are divided among keys in server/limits.

/** Maximum number of personas in one request. */
export const MAX_PERSONAS = 10_000;

/** Maximum number of classes: each is an output column and a number for every persona in flight. */
export const MAX_CLASSES = 1_000;

/** Types of a report's columns. */
export const columnTypes = ['numerical', 'categorical', 'date'] as const;

/**
 * Types that users may give a column: a date may come with the order of day and month, because 03/04/2025 does not tell
 * it.
 */
export const typeChoices = [...columnTypes, 'date:dmy', 'date:mdy'] as const;
export type TypeChoice = (typeof typeChoices)[number];

/** Rows of a request to a service, unless the user gives another number. */
export const REQUEST_ROWS = 1000;

/**
 * Types that users may give columns, for what is sent of them: those of training, and those that other services need.
 */
export const sentTypes = [...typeChoices, 'integer', 'float', 'boolean', 'text'] as const;

/** How a missing value is written in a request; `client/bodies/cells.ts` says what each means. */
export const missingStyles = ['null', 'nan', 'omit', 'empty'] as const;
export type MissingStyle = (typeof missingStyles)[number];
