import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type ThreadError, toThreadError } from '../../base/errors.ts';
import type { TextOfFile } from '../../base/text-of-file.ts';
import { textOfSource } from '../../formats/formats.ts';
import { storedUpload } from '../recognize-upload.ts';

/** What `textInThread` passes to this thread. */
export interface TextJob {
  path: string;
  /** For messages. */
  name: string;
  text: Pick<TextOfFile, 'codec' | 'data'>;
  /** Where the text begins. */
  offset: number;
}

/** The answer to each message: the next bytes, or the end. */
export type TextPart = { bytes: Uint8Array } | { isEnd: true } | { failure: ThreadError };

// Only `textInThread` starts this file, with a TextJob and in a thread, which has a port.
const { path, name, text, offset } = workerData as TextJob;
const port = parentPort as MessagePort;

async function* chunks(): AsyncGenerator<Buffer> {
  const { stored } = await storedUpload(path, name);
  if (stored === undefined) throw new Error('the upload is not stored');
  yield* (await textOfSource(stored, name, text)).from(offset);
}

const parts = chunks();
// One after the other, because the next chunk overwrites the last one.
let last = Promise.resolve();
port.on('message', () => {
  last = last.then(answer);
});

async function answer(): Promise<void> {
  try {
    const { value, done } = await parts.next();
    const bytes = new Uint8Array(value ?? []);
    if (done) port.postMessage({ isEnd: true } satisfies TextPart);
    else port.postMessage({ bytes } satisfies TextPart, [bytes.buffer]);
  } catch (error) {
    port.postMessage({ failure: toThreadError(error) } satisfies TextPart);
  }
}
