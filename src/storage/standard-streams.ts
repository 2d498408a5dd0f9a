import type { Backend } from './backend.ts';
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
  open: async () => streamSink('stdout', process.stdout, false),
};
