import { sanitize } from '../../sanitize.ts';
import { InvalidResponse } from '../response/parse-predictions.ts';

/** Of a persona's part of an answer: an error's words, or a class's name, number and punctuation. */
const PERSONA_BYTES = 1024;
const CLASS_BYTES = 64;
/** Classes are at most so many where they are not known yet. */
const ASSUMED_CLASSES = 100;

/** What an answer that is not about so many personas may hold. */
export const MAX_RESPONSE_BYTES = 4 << 20;
/** However many classes a report tells of, and however long their names: several answers are held at once. */
const MAX_BATCH_RESPONSE_BYTES = 64 << 20;

/** Bytes that an answer about so many personas holds at most. */
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

/** A problem's code and detail (RFC 9457); of anything else, such as a proxy's HTML, its beginning. */
export function readProblem(text: string): { code: string | undefined; detail: string } {
  try {
    const { code, detail, title } = Object(JSON.parse(text)); // members of unknown type, checked below
    return {
      code: typeof code === 'string' && /^[a-z][a-z0-9_]{0,40}$/.test(code) ? code : undefined,
      detail: [detail, title].find(words => typeof words === 'string') ?? text,
    };
  } catch {
    return { code: undefined, detail: text.replace(/<[^<>]*>/g, ' ') };
  }
}

/** Whether an answer's bytes are not its own (RFC 9110 section 8.4): compressed, though nobody asked for it. */
export function isEncoded(headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
  const codings = [headers['content-encoding'] ?? []].flat().join(',');
  return codings.split(',').some(coding => !/^\s*(identity)?\s*$/i.test(coding));
}

/** The whole body, or undefined when it is longer than `most` bytes. */
export async function readBody(body: AsyncIterable<Buffer>, most: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** Members within members of an answer, at most. */
const MAX_DEPTH = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Brackets and braces differ in this bit alone. */
const BRACE = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/**
 * Whether JSON is nested deeper than any answer: found before it is parsed, since each level takes a hundred times
 * its byte, and what looks at a parsed answer goes down by a call each.
 */
function isDeep(json: Buffer): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = endOfString(json, at);
    else if ((byte | BRACE) === OPENING) {
      if (++depth > MAX_DEPTH) return true;
    } else if ((byte | BRACE) === CLOSING) depth--;
  }
  return false;
}

/** Where a text ends that begins with the quote at `start`. */
export function endOfString(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}

/**
 * An answer's JSON as text, which may be parsed.
 *
 * @throws WrongAnswer
 */
export function jsonText(body: Buffer): string {
  if (isDeep(body)) throw new InvalidResponse('the response is nested too deeply');
  return body.toString('utf8');
}

/**
 * A small answer's JSON.
 *
 * @throws WrongAnswer
 */
export function parseJson(body: Buffer): unknown {
  const text = jsonText(body);
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidResponse(`the response is not JSON: "${sanitize(text)}"`);
  }
}
