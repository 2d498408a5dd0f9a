import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { newFolder } from '../folder.ts';
import { exits, type Finished, rowcast } from '../rowcast.ts';

/** A folder in which commands run. */
export interface Folder {
  folder: string;
  run(...args: string[]): Promise<Finished>;
  refuse(code: string, ...args: string[]): Promise<string>;
  bytesIn(name: string): Promise<Buffer>;
  write(name: string, content: string | Buffer): Promise<void>;
}

/** @param home of the reports; by default one in the folder */
export async function folderOf(t: TestContext, home?: string): Promise<Folder> {
  const folder = await newFolder(t);
  const env = { ROWCAST_HOME: home ?? join(folder, 'home') };
  const runIn = (args: readonly string[]): Promise<Finished> => rowcast([...args], { cwd: folder, env });
  return {
    folder,
    async run(...args) {
      const finished = await exits(runIn(args), 0);
      return finished;
    },
    async refuse(code, ...args) {
      const { code: exitCode, stderr } = await runIn(args);
      assert.equal(exitCode, 2, stderr);
      assert.match(stderr, new RegExp(`\\[${code}\\]`));
      return stderr;
    },
    bytesIn: name => readFile(join(folder, name)),
    write: (name, content) => writeFile(join(folder, name), content),
  };
}
