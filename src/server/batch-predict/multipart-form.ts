import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { parquetTypes, uploadFormats, uploadTypes } from '../../base/contract/file-formats.ts';
import { formats } from '../../formats/formats.ts';
import { RequestError } from '../problems/problems.ts';

/** An uploaded file, and the report to score it with. */
export interface UploadedFile {
  id: string;
  /** A name that tells its format, or tells nothing: then its first bytes do. */
  name: string;
  /** Fails if the upload does not end properly. */
  bytes: AsyncIterable<Buffer>;
}

/** What may precede the file: all fields with their headers. */
const FIELDS_BYTES = 256 << 10;
/** Limits of a form: one file and a few small fields. A part may be empty, and need not be a field. */
const limits = { files: 1, fields: 20, parts: 21, fieldSize: 1024, headerPairs: 50, headerSize: 8192 };

/**
 * Reads a form (multipart/form-data, RFC 7578) up to its file. The id must come before the file, which is scored while
 * it arrives. Other fields are ignored.
 *
 * @param body may be destroyed before its end
 * @throws RequestError `malformed`
 */
export function readForm(body: Readable, contentType: string): Promise<UploadedFile> {
  const form = openForm(contentType);
  return new Promise((resolve, reject) => {
    const ids: string[] = [];
    // Created before anything can fail, so that no rejection is unhandled.
    const whole = finished(form).catch(cause => {
      throw invalid(cause);
    });
    whole.then(() => reject(malformed('The form has no "file" field.')), reject);
    form.on('field', (name, value) => {
      if (name === 'id') ids.push(value);
    });
    form.on('file', (_, file, filename, _encoding, type) => {
      // Errors of the form reach the reader of the file, if there is one.
      file.on('error', () => {});
      whole.catch(cause => file.destroy(cause));
      const [id, ...more] = ids;
      if (id === undefined || more.length > 0) {
        form.destroy(malformed('The form must have exactly one "id" field, before its "file".'));
        return;
      }
      try {
        const name = uploadName(filename, type);
        resolve({ id, name, bytes: wholeFile(file, whole) });
      } catch (cause) {
        form.destroy(cause as Error); // a RequestError
      }
    });
    form.on('filesLimit', () => form.destroy(malformed('The form must have exactly one "file".')));
    form.on('partsLimit', () => form.destroy(malformed(`The form has more than ${limits.parts} parts.`)));
    let before = 0;
    const count = ({ length }: Buffer): void => {
      before += length;
      if (before > FIELDS_BYTES)
        form.destroy(malformed(`The form has more than ${FIELDS_BYTES} bytes before its "file".`));
    };
    body.on('data', count);
    form.once('file', () => body.off('data', count));
    // A body whose bytes are counted would go on flowing when the form has failed.
    whole.catch(() => body.off('data', count).pause());
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

/** The file's bytes, which end only when the form has ended. */
async function* wholeFile(file: AsyncIterable<Buffer>, whole: Promise<void>): AsyncGenerator<Buffer> {
  try {
    yield* file;
  } catch (cause) {
    // If the form is cut off inside its file, the file fails first, and the form may say why.
    await whole;
    throw invalid(cause);
  }
  await whole;
}

const invalid = (cause: unknown): RequestError =>
  cause instanceof RequestError ? cause : malformed(`The form is invalid: ${reasonOf(cause)}.`);

const malformed = (detail: string): RequestError => new RequestError('malformed', detail);

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/**
 * A name that tells the format of an upload: that of its own name, else that of its media type. The name `upload` tells
 * nothing, so the first bytes decide.
 *
 * @throws RequestError `unsupported_media_type` for Parquet
 */
export function uploadName(name: string | undefined, type: string | undefined): string {
  const named = name === undefined ? undefined : formats.find(({ isNameOf }) => isNameOf(name))?.name;
  if (named === 'parquet') throw parquetUpload();
  if (named !== undefined) return `upload.${named}`;
  const [media = ''] = (type ?? '').split(';', 1).map(text => text.trim().toLowerCase());
  if (parquetTypes.some(other => other === media)) throw parquetUpload();
  const format = uploadFormats.find(format => uploadTypes[format].some(other => other === media));
  return format === undefined ? 'upload' : `upload.${format}`;
}

export const parquetUpload = (): RequestError =>
  new RequestError(
    'unsupported_media_type',
    'Parquet is read from its end, so it cannot be scored while it arrives. Score the file itself: rowcast score FILE.parquet.',
  );
