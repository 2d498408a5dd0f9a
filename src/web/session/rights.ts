import type { FastifyRequest } from 'fastify';
import type { Scope } from '../../server/auth/key-file.ts';
import type { Principal } from '../../server/auth/principal.ts';
import { authorize } from '../../server/auth/require-key.ts';
import { RequestError } from '../../server/problems/problems.ts';
import { sessionOf } from './require-session.ts';

/**
 * Whether a key may upload data, train and manage keys: only if it is not bound to reports, because a new report would
 * be outside of its reports.
 */
export const mayCreate = ({ reports }: Principal): boolean => reports === 'all';

/**
 * Checks that the session's key may see a report, as if there were none otherwise, and has a scope.
 *
 * @throws RequestError `no_such_report`, `missing_scope`
 */
export function requireScope(request: FastifyRequest, report: string, scope: Scope): void {
  authorize(request, report);
  if (!sessionOf(request).principal.hasScope(scope))
    throw new RequestError('missing_scope', `This requires a key with the scope "${scope}".`);
}

/** @throws RequestError `missing_scope` if the key is bound to reports */
export function requireUnbound(request: FastifyRequest): void {
  if (mayCreate(sessionOf(request).principal)) return;
  throw new RequestError(
    'missing_scope',
    'Your key is bound to reports: with it you can use these reports, but not upload data, train or manage keys.',
  );
}
