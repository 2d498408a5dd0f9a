import type { preParsingAsyncHookHandler } from 'fastify';
import { decoded } from '../http/request-body.ts';
import type { FairUse } from '../limits/fair-use.ts';
import type { Limits } from '../service-limits.ts';
import { requireUploadRate } from './upload-rate.ts';

/** Passes on the body of an upload as it arrives, decompressed; it fails if it is too slow. */
export const uploadBody =
  ({ limits, fairUse }: { limits: Limits; fairUse: FairUse }): preParsingAsyncHookHandler =>
  async (request, reply, payload) => {
    const body = decoded(request, reply, payload);
    requireUploadRate(payload, body, {
      limits,
      onTooSlow: () => fairUse.onRefused('slow_upload'),
    });
    return body;
  };
