import { MAX_PERSONAS } from '../../base/contract/limits.ts';
import { problems, ref, response } from './components.ts';
import { withKey } from './endpoint-problems.ts';

const ofBody = [
  'too_many_members',
  ...withKey,
  'no_such_report',
  'request_timeout',
  'damaged_report',
  'too_large',
  'unsupported_media_type',
  'unsupported_encoding',
] as const;

const json = (name: 'PersonaRequest' | 'BatchRequest') => ({
  required: true,
  description: 'May be compressed (Content-Encoding: gzip).',
  content: { 'application/json': { schema: ref(name) } },
});

/** Endpoints that score personas of a JSON body. */
export const scorePaths = {
  '/user/persona': {
    post: {
      operationId: 'scorePersona',
      summary: 'Score one persona',
      description:
        'Values are parsed as the type that training detected for their column. Missing or null columns, unknown categories ' +
        'and invalid numbers are missing values. Columns that the report does not have are ignored. A value that is not of ' +
        'its column’s type, or a category that the model does not know, is named in warnings.',
      requestBody: json('PersonaRequest'),
      responses: {
        200: response(
          'A probability for each class, in single precision; warnings, if there are any.',
          'application/json',
          ref('PersonaResponse'),
        ),
        ...problems([...ofBody, 'not_a_persona', 'unknown_columns', 'invalid_value']),
      },
    },
  },
  '/user/batch-persona': {
    post: {
      operationId: 'scoreBatch',
      summary: `Score up to ${MAX_PERSONAS.toLocaleString('en-US')} personas`,
      description:
        'The response has one prediction per persona, in the same order. A persona that cannot be scored gets an error ' +
        '(not_a_persona, unknown_columns, invalid_value); the others get their probabilities.',
      requestBody: json('BatchRequest'),
      responses: {
        200: response('A prediction or an error for each persona.', 'application/json', ref('BatchResponse')),
        ...problems([...ofBody, 'too_many_personas']),
      },
    },
  },
};
