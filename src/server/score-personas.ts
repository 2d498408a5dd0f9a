import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorize } from './auth/require-key.ts';
import { type ReceivedBody, releaseBody } from './http/request-body.ts';
import type { FairUse } from './limits/fair-use.ts';
import { keyOf, noMemory } from './limits/shares.ts';
import { type ContentMember, PersonaWork } from './predict/persona-work.ts';
import { checkConnected, onRequestEnd } from './request-end.ts';
import type { Shared } from './service.ts';
import { type Asker, LARGE_REQUEST_BYTES, type PersonaJob } from './threads/service-threads.ts';

export const jsonType = 'application/json; charset=utf-8';

export interface PersonaRoute {
  Body: ReceivedBody | undefined;
}

/** Handles POST /user/persona and /user/batch-persona: large bodies in threads, others on the main thread. */
export function scorePersonas(member: ContentMember, { models, threads, limits, fairUse, onScored }: Shared) {
  return async (request: FastifyRequest<PersonaRoute>, reply: FastifyReply): Promise<FastifyReply> => {
    const { body } = request;
    const asker = {
      key: keyOf(request),
      check: () => checkConnected(reply),
    };
    const job =
      body && body.length >= LARGE_REQUEST_BYTES
        ? await threads.openJob(body, member, asker)
        : ownJob(body && Buffer.concat(body.parts), member, fairUse, asker);
    const { responses } = fairUse.shares;
    const holding = responses.open(asker.key);
    const close = (): void => {
      holding.release();
      job.close();
    };
    let isSending = false;
    try {
      authorize(request, job.id);
      // The body may have taken a minute.
      await request.recheck(limits.recheckMs);
      const { predictor, release } = await models.hold(job.id);
      try {
        for (let held = 0; ; ) {
          const { rows, scored, bytes, body, hasMore } = await job.next(predictor);
          // Other requests of the key may have been charged meanwhile; this one is not rejected once it has started.
          if (held === 0) fairUse.checkRows(request, reply);
          fairUse.rowRate.charge(asker.key, rows);
          onScored(request, scored);
          if (body !== undefined) releaseBody(request);
          if (bytes > held && !holding.take(bytes - held))
            throw noMemory('Unread responses', responses, request, reply);
          held = Math.max(held, bytes);
          if (body === undefined) continue;
          reply.type(jsonType);
          if (!hasMore) return reply.send(body);
          isSending = true;
          onRequestEnd(reply, close);
          return reply.send(Readable.from(piecesOf(body, job)));
        }
      } finally {
        release();
      }
    } finally {
      if (!isSending) close();
    }
  };
}

async function* piecesOf(first: Buffer, job: PersonaJob): AsyncGenerator<Buffer> {
  for (let piece: Buffer | undefined = first; piece !== undefined; piece = await job.more()) yield piece;
}

/** A request that the main thread works on. */
function ownJob(body: unknown, member: ContentMember, { turns }: FairUse, { key, check }: Asker): PersonaJob {
  const work = new PersonaWork(body, member);
  return {
    id: work.id,
    async next(predictor) {
      // A single persona is less than a slice.
      if (member === 'personas') await turns.next(key);
      check();
      return work.next(predictor);
    },
    async more() {
      await turns.next(key);
      check();
      return work.more();
    },
    close() {},
  };
}
