import { typeChoices } from './limits.ts';

/**
 * Types that users may give columns, for what is sent of them: those of training, and those that other services need.
 */
export const sentTypes = [...typeChoices, 'integer', 'float', 'boolean', 'text'] as const;

/** How a missing value is written in a request; `client/bodies/cells.ts` says what each means. */
export const missingStyles = ['null', 'nan', 'omit', 'empty'] as const;
export type MissingStyle = (typeof missingStyles)[number];
