import { sanitizeCells } from '../base/sanitize.ts';
import type { Backend } from './backend.ts';
import type { Sink } from './sink.ts';
import { streamInput } from './stream-input.ts';
import { streamSink } from './stream-sink.ts';
import type { Target } from './target.ts';

/** Stdin and stdout. */
export const standardStreams: Backend = {
  openInput: async () => streamInput('stdin', 'stdin', process.stdin),
  resolveTarget: async () => stdout,
  versionOf: async () => undefined,
  isPattern: async () => false,
  namesMatching: async () => [],
  document: () => {
    throw new Error('a stream is no document');
  },
  sharedFolder: () => {
    throw new Error('a stream is no folder');
  },
};

export const stdout: Target = {
  name: 'stdout',
  path: undefined,
  isStdout: true,
  usedFiles: (what, option) => [{ at: 1, what: `${what} (stdout)`, option }],
  open: async () => {
    const sink = streamSink('stdout', process.stdout, false);
    return process.stdout.isTTY ? forTerminal(sink) : sink;
  },
};

/** Cells of a file are shown on a terminal, which must not obey them. A pipe gets every byte. */
function forTerminal(sink: Sink): Sink {
  const decoder = new TextDecoder();
  return {
    ...sink,
    write: bytes => sink.write(Buffer.from(sanitizeCells(decoder.decode(bytes, { stream: true })))),
  };
}
