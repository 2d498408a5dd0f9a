import type { ProblemCode } from '../problems/problems.ts';

/** The problems that every endpoint may respond with, and those of endpoints that need a key. */
export const everywhere = [
  'malformed',
  'wrong_host',
  'headers_too_large',
  'internal',
] as const satisfies ProblemCode[];
export const withKey = [
  ...everywhere,
  'unauthorized',
  'missing_scope',
  'rate_limited',
  'busy',
  'draining',
] as const;
