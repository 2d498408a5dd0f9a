import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { RequestError } from '../../server/problems/problems.ts';
import { onRequestEnd } from '../../server/request-end.ts';
import { nameOfContent } from '../../storage/codecs/codecs.ts';
import { isMissing } from '../../storage/local/missing.ts';
import { attachment } from '../download-name.ts';
import { growingOutput } from './growing-output.ts';
import type { RunContext } from './run-context.ts';
import type { StoredProgress } from './stored-run.ts';

const csvType = 'text/csv; charset=utf-8';

/** Downloads of what runs have written. */
export const downloadRoutes: FastifyPluginAsync<RunContext> = async (app, { runs, runOf }) => {
  /** While the run is going on, the response grows with it; if the run fails, so does the response. */
  app.get('/platform/runs/:id/output', async (request, reply) => {
    const run = await runOf(request);
    const { id, status } = run.value;
    const { partial, output } = runs.store.files(id);
    reply.type(csvType).header('content-disposition', attachment(nameOf(run.value, 'scored')));
    if (status === 'finished') return sendWhole(await opened(output), reply);
    if (run.isFinal) throw new RequestError('no_output', 'The run has no output, because it did not finish.');
    if (request.raw.httpVersion === '1.0')
      throw new RequestError('http_version', 'The output is not complete, which HTTP/1.0 could not show.');
    const gone = new AbortController();
    onRequestEnd(reply, () => gone.abort());
    return reply.send(Readable.from(growingOutput({ partial, output }, run, gone.signal)));
  });

  app.get('/platform/runs/:id/rejects', async (request, reply) => {
    const { value } = await runOf(request);
    if (value.status !== 'finished' || value.rows.rejected === 0)
      throw new RequestError('no_output', 'The run has no rejects to download.');
    reply.type(csvType).header('content-disposition', attachment(nameOf(value, 'rejects')));
    return sendWhole(await opened(runs.store.files(value.id).rejects), reply);
  });
};

async function opened(path: string): Promise<FileHandle> {
  return open(path).catch(cause => {
    if (isMissing(cause))
      throw new RequestError('no_output', 'The file is gone. The run may have been deleted.');
    throw cause;
  });
}

async function sendWhole(file: FileHandle, reply: FastifyReply): Promise<FastifyReply> {
  const { size } = await file.stat();
  reply.header('content-length', String(size));
  return reply.send(file.createReadStream());
}

/** The name of the input with a word before its suffix. */
function nameOf({ file }: StoredProgress, word: string): string {
  const name = nameOfContent(file);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? `${name.slice(0, dot)}-${word}${name.slice(dot)}` : `${name}-${word}.csv`;
}
