import type { TextOfFile } from '../../base/text-of-file.ts';
import { textOfSource } from '../../formats/formats.ts';
import { answerRequests } from '../../models/local/threads/worker-thread.ts';
import { storedUpload } from '../recognize-upload.ts';

/** The text that `TextInThread` reads in this thread. */
export interface TextJob {
  path: string;
  /** For messages. */
  name: string;
  text: Pick<TextOfFile, 'codec' | 'data'>;
  /** Where the text begins. */
  offset: number;
}

/** First the job, which gets no response, then any number of requests for the next bytes. */
export type TextRequest = TextJob | 'next';

let parts: AsyncGenerator<Uint8Array<ArrayBuffer>> | undefined;

answerRequests<TextRequest, Uint8Array<ArrayBuffer> | undefined>(request => {
  if (request === 'next') return next();
  parts = chunks(request);
  return undefined;
});

/** Copies, because the next chunk overwrites the last one. */
async function* chunks({ path, name, text, offset }: TextJob): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { stored } = await storedUpload(path, name);
  if (stored === undefined) throw new Error('the upload is not stored');
  for await (const chunk of (await textOfSource(stored, name, text)).from(offset))
    yield new Uint8Array(chunk);
}

async function next() {
  const bytes: Uint8Array<ArrayBuffer> | undefined = (await parts?.next())?.value;
  return { result: bytes, memory: bytes === undefined ? [] : [bytes.buffer] };
}
