import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { RequestError } from '../problems/problems.ts';

/** A file on its way in, and the report that shall predict. */
export interface Upload {
  id: string;
  /** Fails where the upload does not come to a proper end. */
  csv: AsyncIterable<Buffer>;
}

/** What a form may hold beside the file: a few small fields. */
const limits = { files: 1, fields: 20, fieldSize: 1024, headerPairs: 50, headerSize: 8192 };

/**
 * Reads a form (multipart/form-data, RFC 7578) as far as its file: the id must come before it, since the file is
 * scored while it comes. Other fields are let be.
 *
 * @param body may be ended before its end
 * @throws RequestError `malformed`
 */
export function readForm(body: Readable, contentType: string): Promise<Upload> {
  const form = openForm(contentType);
  return new Promise((resolve, reject) => {
    const ids: string[] = [];
    // Made before anything can fail, so that no failure is unhandled.
    const whole = finished(form).catch(cause => {
      throw cause instanceof RequestError ? cause : malformed(`The form is broken: ${reasonOf(cause)}.`);
    });
    whole.then(() => reject(malformed('The form has no "file".')), reject);
    form.on('field', (name, value) => {
      if (name === 'id') ids.push(value);
    });
    form.on('file', (_, file) => {
      // What becomes of the form is met by who reads the file, if somebody does.
      file.on('error', () => {});
      whole.catch(cause => file.destroy(cause));
      const [id, ...more] = ids;
      if (id !== undefined && more.length === 0) resolve({ id, csv: wholeFile(file, whole) });
      else form.destroy(malformed('A form has one "id", and that before its "file".'));
    });
    form.on('filesLimit', () => form.destroy(malformed('A form has one "file".')));
    finished(body, { writable: false }).catch(cause => form.destroy(cause));
    body.pipe(form);
  });
}

function openForm(contentType: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      isPartAFile: name => name === 'file',
      limits,
    });
  } catch (cause) {
    throw malformed(`The form cannot be read: ${reasonOf(cause)}.`);
  }
}

/** A file's bytes; they come to an end only when the form has. */
async function* wholeFile(file: AsyncIterable<Buffer>, whole: Promise<void>): AsyncGenerator<Buffer> {
  yield* file;
  await whole;
}

const malformed = (detail: string): RequestError => new RequestError('malformed', detail);

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
