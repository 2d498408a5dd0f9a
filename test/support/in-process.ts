import { Readable, Writable } from 'node:stream';
import { main } from '../../src/cli/dispatch.ts';
import { assertDocumentedExit } from './documented-exit.ts';
import { root } from './root.ts';
import { bin, type Finished, type RunOptions } from './rowcast.ts';
import { assertNoSecrets } from './secrets.ts';

export { exits } from './rowcast.ts';

/**
 * Runs `rowcast ARGS…` like the function of the same name in rowcast.ts, but in this process and from the compiled
 * modules, which takes a tenth of the time. It is for commands of which only output, messages and exit code matter: not
 * for signals, closed pipes, terminals, or anything else that a process has.
 */
export function rowcast(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const finished = previous.then(() => runHere(args, options));
  previous = finished.catch(() => {});
  return finished;
}

/** One command at a time: streams, environment, working directory and exit code belong to the whole process. */
let previous: Promise<unknown> = Promise.resolve();

async function runHere(
  args: readonly string[],
  { cwd = root, env = {}, stdin = '' }: RunOptions,
): Promise<Finished> {
  const stdout = collector();
  const stderr = collector();
  const restore = replaceProcess({
    argv: [process.execPath, bin, ...args],
    cwd,
    env,
    stdin: Readable.from([Buffer.from(stdin)], { objectMode: false }),
    stdout: stdout.stream,
    stderr: stderr.stream,
  });
  let code: number;
  try {
    await main(args);
    code = Number(process.exitCode);
  } finally {
    restore();
  }
  const finished = { code, signal: null, stdout: stdout.bytes(), stderr: stderr.bytes().toString() };
  assertDocumentedExit(finished);
  await assertNoSecrets({ stderr: finished.stderr, args, cwd, env });
  return finished;
}

interface Replacements {
  /** A command that starts processes of its own starts the script that is named here. */
  argv: string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  stdin: Readable;
  stdout: Writable;
  stderr: Writable;
}

/** @returns what undoes it */
function replaceProcess({ argv, cwd, env, ...streams }: Replacements): () => void {
  const before = {
    argv: process.argv,
    cwd: process.cwd(),
    env: process.env,
    exitCode: process.exitCode,
    listeners: process.listeners('uncaughtException'),
    streams: Object.keys(streams).map(
      name => [name, Object.getOwnPropertyDescriptor(process, name)] as const,
    ),
  };
  process.argv = argv;
  process.chdir(cwd);
  process.env = { PATH: before.env.PATH, ...env };
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { configurable: true, value });
  return () => {
    process.argv = before.argv;
    process.chdir(before.cwd);
    process.env = before.env;
    process.exitCode = before.exitCode;
    for (const [name, descriptor] of before.streams) Object.defineProperty(process, name, descriptor ?? {});
    for (const listener of process.listeners('uncaughtException'))
      if (!before.listeners.includes(listener)) process.off('uncaughtException', listener);
  };
}

function collector(): { stream: Writable; bytes(): Buffer } {
  const chunks: Buffer[] = [];
  const write = (chunk: Buffer, _encoding: string, done: () => void): void => {
    chunks.push(Buffer.from(chunk)); // a copy, because its writer may reuse the buffer
    done();
  };
  return { stream: new Writable({ write }), bytes: () => Buffer.concat(chunks) };
}
