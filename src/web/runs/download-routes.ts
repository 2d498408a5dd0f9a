import { type FileHandle, open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { sanitize } from '../../base/sanitize.ts';
import { RequestError } from '../../server/problems/problems.ts';
import { onRequestEnd } from '../../server/request-end.ts';
import { nameOfContent } from '../../storage/codecs/codecs.ts';
import { unlessMissing } from '../../storage/local/missing.ts';
import { CHUNK_BYTES } from '../../storage/source.ts';
import { type FileFormat, fileFormatOf } from '../recognize-upload.ts';
import type { Watched } from '../watched.ts';
import type { RunContext } from './runs.ts';
import type { StoredProgress } from './stored-run.ts';

const mediaTypes: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  tsv: 'text/tab-separated-values; charset=utf-8',
  jsonl: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
};

/** Downloads of what runs have written. */
export const downloadRoutes: FastifyPluginAsync<RunContext> = async (app, { runs, runOf }) => {
  /** While the run is going on, the response grows with it; if the run fails, so does the response. */
  app.get('/platform/runs/:id/output', async (request, reply) => {
    const run = await runOf(request);
    const { partial, output } = runs.store.files(run.value.id);
    const gone = new AbortController();
    onRequestEnd(reply, () => gone.abort());
    await begun(run, gone.signal);
    const { status, file } = run.value;
    const format = formatOfRun(run.value);
    reply
      .type(mediaTypes[format])
      .header('content-disposition', attachment(downloadNameOf(file, 'scored', format)));
    if (status === 'finished') return sendWhole(output, reply);
    if (run.isFinal) throw new RequestError('no_output', 'The run has no output, because it did not finish.');
    if (request.raw.httpVersion === '1.0')
      throw new RequestError('http_version', 'The output is not complete, which HTTP/1.0 could not show.');
    return reply.send(Readable.from(growingOutput({ partial, output }, run, gone.signal)));
  });

  app.get('/platform/runs/:id/rejects', async (request, reply) => {
    const { value } = await runOf(request);
    if (value.status !== 'finished' || value.rows.rejected === 0)
      throw new RequestError('no_output', 'The run has no rejects to download.');
    // Those of Parquet are the texts of its columns.
    const format = formatOfRun(value) === 'parquet' ? 'csv' : formatOfRun(value);
    const name = downloadNameOf(value.file, 'rejects', format);
    reply.type(mediaTypes[format]).header('content-disposition', attachment(name));
    return sendWhole(runs.store.files(value.id).rejects, reply);
  });
};

async function sendWhole(path: string, reply: FastifyReply): Promise<FastifyReply> {
  const file = await open(path).catch(unlessMissing);
  if (file === undefined)
    throw new RequestError('no_output', 'The file is gone. The run may have been deleted.');
  const { size } = await file.stat();
  reply.header('content-length', String(size));
  return reply.send(file.createReadStream());
}

export const formatOfRun = ({ file, file_format }: StoredProgress): FileFormat =>
  file_format ?? fileFormatOf(file) ?? 'csv';

const LOOK_MS = 1_000;

/** Waits until the file has arrived, unless the run has ended before. */
async function begun(run: Watched<StoredProgress>, gone: AbortSignal): Promise<void> {
  while (run.value.status === 'waiting' && !run.isFinal && !gone.aborted)
    await run.changed(run.version, LOOK_MS, gone);
}

/** The name of the input with a word before its suffix, which is that of the format if it says another one or none. */
function downloadNameOf(file: string, word: string, format: FileFormat): string {
  const name = nameOfContent(file);
  const byName = fileFormatOf(file);
  const dot = name.lastIndexOf('.');
  // A suffix such as .txt is kept.
  const isCsv = byName === undefined && format === 'csv';
  if (dot <= 0 || (byName === undefined && !isCsv)) return `${name}-${word}.${format}`;
  const suffix = byName === format || isCsv ? name.slice(dot) : `.${format}`;
  return `${name.slice(0, dot)}-${word}${suffix}`;
}

/**
 * The value of Content-Disposition for a download (RFC 6266): browsers use the second name, other clients the first
 * one.
 *
 * @param name may come from a user; no path of it is kept
 */
function attachment(name: string): string {
  const plain = sanitize(name.replace(/^.*[/\\]/, '')).replace(/^\.+/, '') || 'download';
  const ascii = plain.replace(/[^A-Za-z0-9._-]/g, '_');
  const encoded = encodeURIComponent(wellFormed(plain)).replace(
    /['()*!]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** Half of a surrogate pair cannot be encoded; through bytes it becomes a replacement character. */
const wellFormed = (text: string): string => Buffer.from(text).toString();

/**
 * The bytes of an output while it is written, up to its end.
 *
 * @param paths where it is: the unfinished file, then the finished one
 * @throws Error if the run fails, so that what was read is not mistaken for the whole
 */
async function* growingOutput(
  { partial, output }: { partial: string; output: string },
  run: Watched<StoredProgress>,
  gone: AbortSignal,
): AsyncGenerator<Buffer> {
  let file: FileHandle | undefined;
  let position = 0;
  try {
    while (!gone.aborted) {
      // Before reading: what is written after that is read in the next round.
      const { version, isFinal, value } = run;
      if (isFinal && value.status !== 'finished') throw new Error('the run has failed');
      file ??= (await open(partial).catch(unlessMissing)) ?? (await open(output).catch(unlessMissing));
      const bytes = Buffer.allocUnsafe(CHUNK_BYTES);
      const { bytesRead } = (await file?.read(bytes, 0, bytes.length, position)) ?? { bytesRead: 0 };
      position += bytesRead;
      if (bytesRead > 0) yield bytes.subarray(0, bytesRead);
      else if (isFinal) {
        if (position !== (await stat(output)).size)
          throw new Error('the output is not as long as it was written');
        return;
      } else await run.changed(version, LOOK_MS, gone);
    }
  } finally {
    await file?.close();
  }
}
