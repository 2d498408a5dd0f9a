import type * as z from 'zod';
import { mostPersonas } from '../api/bounds.ts';
import { batchEnvelope, personaEnvelope } from '../api/shapes.ts';
import { RequestError } from './problems.ts';

/**
 * The body of POST /user/persona; its features are not checked yet.
 *
 * @throws RequestError `malformed`
 */
export function readPersona(body: unknown): z.infer<typeof personaEnvelope> {
  const { data, error } = personaEnvelope.safeParse(body);
  if (error) throw refusal(error);
  return data;
}

/**
 * The body of POST /user/batch-persona; its personas are not checked yet.
 *
 * @throws RequestError `malformed`, `too_many_personas`
 */
export function readBatch(body: unknown): z.infer<typeof batchEnvelope> {
  const { data, error } = batchEnvelope.safeParse(body);
  if (error) throw refusal(error);
  return data;
}

/** The first thing that is wrong with an envelope, in words. */
function refusal({ issues }: z.ZodError): RequestError {
  const [issue] = issues;
  switch (issue?.path[0]) {
    case 'id':
      return new RequestError('malformed', 'The body has no "id" that a report could have.');
    case 'personas':
      return issue.code === 'too_big'
        ? new RequestError('too_many_personas', `One call takes ${mostPersonas} personas at most.`)
        : new RequestError('malformed', 'The body has no "personas", a list with at least one persona.');
    default:
      return new RequestError('malformed', 'The body is not a JSON object.');
  }
}
