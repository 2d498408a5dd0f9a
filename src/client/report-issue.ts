import type * as z from 'zod';
import { sanitize } from '../sanitize.ts';

/**
 * What is wrong with a report, in plain words: the validator's own are for programmers. Only the first issue counts,
 * because there may be as many as the report has members.
 */
export function describeReportIssue([issue]: readonly z.core.$ZodIssue[]): string {
  if (issue === undefined) return 'it is invalid';
  const where = issue.path.length === 0 ? 'it' : issue.path.join('.');
  switch (issue.code) {
    case 'invalid_type':
      return sanitize(`${where} is missing or not ${TYPES[issue.expected] ?? issue.expected}`);
    case 'too_big':
      return sanitize(`${where} has more than ${issue.maximum} members`);
    default:
      return sanitize(`${where}: ${issue.message}`);
  }
}

/** The validator's names of types as JSON's readers know them. */
const TYPES: Readonly<Record<string, string>> = {
  object: 'an object',
  record: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
};
