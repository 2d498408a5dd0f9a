import type { Expected } from '../../../src/client/protocols/protocol.ts';
import { reportProtocol } from '../../../src/client/protocols/report/report-protocol.ts';
import type { SentBatch } from '../../../src/client/service-client.ts';

/** A batch for the prediction report API. */
export function reportBatch(report: string, body: Buffer, expected: Expected): SentBatch {
  const { request, reader } = reportProtocol().predict(report);
  return { request: { ...request, body }, reader: reader(), expected };
}
