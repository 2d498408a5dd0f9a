import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorize } from '../auth/require-key.ts';
import type { ReceivedBody } from '../http/received-body.ts';
import { isGone } from '../http/request-end.ts';
import type { FairUse } from '../limits/fair-use.ts';
import { keyOf } from '../limits/shares.ts';
import { RequestError } from '../problems/problems.ts';
import type { Shared } from '../service.ts';
import { type Asker, THREAD_BYTES, type ThreadCall } from '../threads/service-threads.ts';
import type { ContentMember } from './persona-request.ts';
import { PersonaWork } from './persona-work.ts';

const jsonType = 'application/json; charset=utf-8';

export interface PersonaRoute {
  Body: ReceivedBody | undefined;
}

/** Handles POST /user/persona and /user/batch-persona: large bodies in threads, others on the main thread. */
export function answerPersonas(
  member: ContentMember,
  { models, threads, fairUse, onScored }: Pick<Shared, 'models' | 'threads' | 'fairUse' | 'onScored'>,
) {
  return async (request: FastifyRequest<PersonaRoute>, reply: FastifyReply): Promise<FastifyReply> => {
    const { body } = request;
    const asker = {
      key: keyOf(request),
      check() {
        if (isGone(reply)) throw new RequestError('malformed', 'The connection was closed.');
      },
    };
    const call =
      body && body.length >= THREAD_BYTES
        ? await threads.openCall(body, member, asker)
        : ownCall(body && Buffer.concat(body.parts), member, fairUse, asker);
    try {
      authorize(request, call.id);
      const { predictor, release } = await models.hold(call.id);
      try {
        for (let isFirst = true; ; isFirst = false) {
          const { rows, scored, body } = await call.next(predictor);
          // Other requests of the key may have been charged meanwhile; this one is not rejected once it has started.
          if (isFirst) fairUse.checkRows(request, reply);
          fairUse.rowRate.charge(asker.key, rows);
          onScored(request, scored);
          if (body !== undefined) return reply.type(jsonType).send(body);
        }
      } finally {
        release();
      }
    } finally {
      call.close();
    }
  };
}

/** A call that the main thread works on. */
function ownCall(
  body: unknown,
  member: ContentMember,
  { turns }: FairUse,
  { key, check }: Asker,
): ThreadCall {
  const work = new PersonaWork(body, member);
  return {
    id: work.id,
    async next(predictor) {
      // A single persona is less than a slice.
      if (member === 'personas') await turns.next(key);
      check();
      return work.next(predictor);
    },
    close() {},
  };
}
