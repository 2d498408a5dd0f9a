/** Personas that the service takes in one call. */
export const MAX_PERSONAS = 10_000;

/** Classes that the client takes: a column each, and a number for every persona in flight. */
export const MAX_CLASSES = 1_000;

/** Types of a report's columns. */
export const columnTypes = ['numerical', 'categorical', 'date'] as const;
