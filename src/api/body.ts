import { shown } from '../shown.ts';
import { WrongAnswer } from './answer.ts';

/** Of a persona's part of an answer: an error's words, or a class's name, number and punctuation. */
const PERSONA_BYTES = 1024;
const CLASS_BYTES = 64;
/** Classes are at most so many where they are not known yet. */
const MOST_CLASSES = 100;

/** Bytes that a persona's part of an answer holds at most. */
export function personaBytes(classes: readonly string[] | undefined): number {
  if (classes === undefined) return PERSONA_BYTES + MOST_CLASSES * 2 * CLASS_BYTES;
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
    return { code: undefined, detail: text.replace(/<[^>]*>/g, ' ') };
  }
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

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new WrongAnswer(`the answer is not JSON: "${shown(text)}"`);
  }
}
