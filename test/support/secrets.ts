import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** The key of the tests' services: nothing else looks like it, so every occurrence is found. */
export const key = 'test-key-9f41c7a25be84d0396d8';

/** A prefix of values of personas, which may occur only in output and rejects. */
export const marked = 'MARKED-VALUE-5e0b';

/** The fixtures' personas are recognized by their customer ids. */
const aValue = new RegExp(`${marked}|\\bP-5\\d{5}\\b`);

/** Names of variables that hold a key, the value of a header, or the URL of a proxy. */
const secretVariable = /^ROWCAST_.*(KEY|TOKEN|SECRET)|_PROXY$/i;

/** Files of a run about its progress: checkpoint, lock, summary. */
const aboutTheRun = /\.(checkpoint|lock|json)$/;
/** Inputs of a run that may contain a key or token. */
const keyFile = /key$/;
/** A shorter one may occur anywhere by chance. */
const MIN_KEY_LENGTH = 8;

export interface CommandOutput {
  stderr: string;
  args: readonly string[];
  cwd?: string | undefined;
  env?: Readonly<Record<string, string>> | undefined;
}

/**
 * Checks what a command has left behind: no key in its messages or in any file, no value of a persona in its
 * messages or in a file about the run.
 */
export async function assertNoSecrets({ stderr, args, cwd, env = {} }: CommandOutput): Promise<void> {
  const given = Object.entries(env).filter(([name]) => secretVariable.test(name));
  const keys = [key, ...given.flatMap(([, value]) => secretsIn(value.trim()))].filter(
    ({ length }) => length >= MIN_KEY_LENGTH,
  );
  const holdsKey = (text: string | Buffer): boolean => keys.some(key => text.includes(key));
  assert.ok(!holdsKey(stderr), 'stderr contains the key');
  assert.doesNotMatch(stderr, aValue, 'stderr contains a value of a persona');
  for (const file of await filesOf(args, cwd)) {
    if (keyFile.test(file)) continue;
    const bytes = await readFile(file).catch(() => Buffer.of()); // another run has removed it
    assert.ok(!holdsKey(bytes), `${file} contains the key`);
    // The first line of a checkpoint is about the run; rows may follow it, as in a partial file.
    const end = file.endsWith('.checkpoint') ? bytes.indexOf('\n') : -1;
    const text = bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
    if (aboutTheRun.test(file)) assert.doesNotMatch(text, aValue, `${file} contains a value of a persona`);
  }
}

/** The value of a variable; of a URL, only the password, also as a header has it. */
function secretsIn(value: string): string[] {
  if (!value.includes('://') || !URL.canParse(value)) return [value];
  const { username, password } = new URL(value);
  return password === '' ? [] : [password, Buffer.from(`${username}:${password}`).toString('base64')];
}

/** The files next to those that a command was given, in the folders of the test. */
async function filesOf(args: readonly string[], cwd: string | undefined): Promise<string[]> {
  const folders = new Set([cwd ?? '', ...args.filter(isAbsolute).map(path => dirname(path))]);
  const own = [...folders].filter(folder => folder.startsWith(join(tmpdir(), 'rowcast-')));
  const lists = await Promise.all(
    own.map(async folder => {
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []); // deleted with its test
      return entries.filter(entry => entry.isFile()).map(({ name }) => join(folder, name));
    }),
  );
  return lists.flat();
}
