import type * as z from 'zod';
import { sanitize } from '../../../base/sanitize.ts';

/**
 * Describes why a report is invalid; zod's own messages, unlike ours, are written for programmers. Only the first issue is shown,
 * because there can be one per member.
 */
export function describeReportIssue([issue]: readonly z.core.$ZodIssue[]): string {
  if (issue === undefined) return 'it is invalid';
  const where = issue.path.length === 0 ? 'it' : issue.path.join('.');
  switch (issue.code) {
    case 'invalid_type':
      return sanitize(`${where} is missing or not ${TYPES[issue.expected] ?? issue.expected}`);
    case 'too_big':
      return sanitize(`${where} has more than ${issue.maximum} members`);
    case 'custom':
      return sanitize(`${where}: ${issue.message}`);
    default:
      return sanitize(`${where} is not valid`);
  }
}

/** zod's type names → their names in JSON. */
const TYPES: Readonly<Record<string, string>> = {
  object: 'an object',
  record: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
};
