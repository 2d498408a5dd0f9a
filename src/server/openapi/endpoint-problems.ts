import type { ProblemCode } from '../../base/reference/problem-codes.ts';

/** The problems that every endpoint may respond with, and those of endpoints that need a key. */
export const everywhere = [
  'malformed',
  'wrong_host',
  'headers_too_large',
  'internal',
  'unsupported_transfer_encoding',
] as const satisfies ProblemCode[];
export const withKey = [
  ...everywhere,
  'unauthorized',
  'missing_scope',
  'rate_limited',
  'busy',
  'draining',
  'home_unavailable',
] as const;
