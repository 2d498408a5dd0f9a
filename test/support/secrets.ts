import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** The key of the tests' services: nothing else looks like it, so it is found wherever it stands. */
export const key = 'test-key-9f41c7a25be84d0396d8';

/** Begins values of personas: output and rejects hold them by right, nothing else may. */
export const marked = 'MARKED-VALUE-5e0b';

/** The fixtures' personas are marked by their customers. */
const aValue = new RegExp(`${marked}|\\bP-5\\d{5}\\b`);

/** Files of a run that say how it does: checkpoint, lock, summary. */
const aboutTheRun = /\.(checkpoint|lock|json)$/;
/** Inputs of a run that hold a key by right. */
const keyFile = /key$/;
/** A shorter one may stand anywhere by chance. */
const LEAST_KEY = 8;

export interface Told {
  stderr: string;
  args: readonly string[];
  cwd?: string | undefined;
  env?: Readonly<Record<string, string>> | undefined;
}

/**
 * Checks what a command has left behind: no key in its messages or in any file, no persona's value in its messages
 * or in a file that says how the run does.
 */
export async function assertNothingTold({ stderr, args, cwd, env = {} }: Told): Promise<void> {
  const given = Object.entries(env).filter(([name]) => /^ROWCAST_.*KEY/.test(name));
  const keys = [key, ...given.map(([, value]) => value.trim())].filter(({ length }) => length >= LEAST_KEY);
  const holdsKey = (text: string | Buffer): boolean => keys.some(key => text.includes(key));
  assert.ok(!holdsKey(stderr), 'stderr tells the key');
  assert.doesNotMatch(stderr, aValue, 'stderr tells a persona’s value');
  for (const file of await filesOf(args, cwd)) {
    if (keyFile.test(file)) continue;
    const bytes = await readFile(file).catch(() => Buffer.of()); // another run has taken it away
    assert.ok(!holdsKey(bytes), `${file} holds the key`);
    if (aboutTheRun.test(file))
      assert.doesNotMatch(bytes.toString(), aValue, `${file} holds a persona’s value`);
  }
}

/** The files beside those that a command was given, as far as they are a test's own. */
async function filesOf(args: readonly string[], cwd: string | undefined): Promise<string[]> {
  const folders = new Set([cwd ?? '', ...args.filter(isAbsolute).map(path => dirname(path))]);
  const own = [...folders].filter(folder => folder.startsWith(join(tmpdir(), 'rowcast-')));
  const lists = await Promise.all(
    own.map(async folder => {
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []); // it is gone with its test
      return entries.filter(entry => entry.isFile()).map(({ name }) => join(folder, name));
    }),
  );
  return lists.flat();
}
