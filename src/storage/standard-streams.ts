import type { Backend } from './backend.ts';
import { streamSink } from './stream-sink.ts';
import type { Target } from './target.ts';

/** Stdin and stdout. */
export const standardStreams: Backend = {
  openInput: async () => ({
    name: 'stdin',
    path: 'stdin',
    version: { size: null, modified: null },
    stream: process.stdin,
    streamFrom: undefined,
    checkUnchanged: async () => {},
  }),
  resolveTarget: async () => stdout,
};

export const stdout: Target = {
  name: 'stdout',
  path: undefined,
  isStdout: true,
  usedFiles: (what, option) => [{ at: 1, what: `${what} (stdout)`, option }],
  open: async () => streamSink('stdout', process.stdout, false),
};
