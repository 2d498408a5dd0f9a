/** Allowance for a persona's error message, and for the name, number and punctuation of one class. */
const PERSONA_BYTES = 1024;
const CLASS_BYTES = 64;
/** Number of classes assumed while they are not known yet. */
const ASSUMED_CLASSES = 100;

/** Limit for responses other than predictions; the base for those. */
export const MAX_RESPONSE_BYTES = 4 << 20;
/** Upper limit for predictions, however many classes there are: several responses are in memory at once. */
const MAX_BATCH_RESPONSE_BYTES = 64 << 20;

/** Size limit of a response with predictions for this many personas. */
export function maxResponseBytes(personas: number, classes: readonly string[] | undefined): number {
  return Math.min(MAX_BATCH_RESPONSE_BYTES, MAX_RESPONSE_BYTES + personas * personaBytes(classes));
}

function personaBytes(classes: readonly string[] | undefined): number {
  if (classes === undefined) return PERSONA_BYTES + ASSUMED_CLASSES * 2 * CLASS_BYTES;
  return classes.reduce(
    (bytes, name) => bytes + JSON.stringify(name).length * 3 + CLASS_BYTES,
    PERSONA_BYTES,
  );
}

/** Whether a response has a content coding (RFC 9110 section 8.4), which we never request. */
export function isEncoded(headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
  const codings = [headers['content-encoding'] ?? []].flat().join(',');
  return codings.split(',').some(coding => !/^\s*(identity)?\s*$/i.test(coding));
}

/** The whole body, or undefined if it exceeds `max` bytes. */
export async function readBody(body: AsyncIterable<Buffer>, max: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > max) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** How much of a body is read to keep its connection, beyond what is wanted of it. */
const MAX_DISCARDED_BYTES = 1 << 20;

/**
 * The first bytes of a body, whatever its size: a service may repeat a whole batch in an error. A body that breaks off
 * ends there.
 */
export async function readStart(body: AsyncIterable<Buffer>, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      if (size < bytes) chunks.push(chunk);
      size += chunk.length;
      if (size > bytes + MAX_DISCARDED_BYTES) break;
    }
  } catch {
    // What has arrived says enough; the status is known.
  }
  return Buffer.concat(chunks).subarray(0, bytes);
}
