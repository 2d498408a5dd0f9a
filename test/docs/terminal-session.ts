import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { newFolder } from '../support/folder.ts';
import { root } from '../support/root.ts';
import { bin } from '../support/rowcast.ts';
import { churnHome, copyHome } from '../support/service/history.ts';

/** A block of a page. */
export interface Block {
  language: 'yaml' | 'sh' | 'console';
  text: string;
}

/** The files that a page shows, which begin with their name as a comment, and its terminal sessions. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, 'docs', page), 'utf8');
  const blocks = text.matchAll(/^```(yaml|sh|console)\n(.*?)^```$/gms);
  return [...blocks].map(([, language, text = '']) => ({ language: language as Block['language'], text }));
}

/** The folder of a reader who has followed the first run. */
export async function folderOfReader(t: TestContext): Promise<string> {
  const folder = await newFolder(t);
  await mkdir(join(folder, 'bin'));
  const command = `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`;
  await writeFile(join(folder, 'bin/rowcast'), command, { mode: 0o755 });
  await cp(join(root, 'fixtures/telecom-personas.csv'), join(folder, 'personas.csv'));
  await copyHome(await churnHome(), join(folder, '.rowcast'));
  return folder;
}

/** Writes the files of a page, runs its sessions, and compares what they print, except for times and rates. */
export async function replay(blocks: readonly Block[], cwd: string): Promise<void> {
  for (const { language, text } of blocks) {
    const [, name] = /^# (\S+\.\S+)\n/.exec(text) ?? [];
    if (language === 'console') assert.equal(withoutTimes(await session(text, cwd)), withoutTimes(text));
    else if (name !== undefined) await writeFile(join(cwd, name), text);
  }
}

/** Runs the commands of a terminal session, and returns it with what they print now. */
export async function session(text: string, cwd: string): Promise<string> {
  const path = [join(cwd, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
  let said = '';
  for (const [, command = ''] of text.matchAll(/^\$ (.*)$/gm)) {
    const child = spawn('bash', ['-c', `{ ${command}\n} 2>&1`], {
      cwd,
      env: { PATH: path, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output] = await Promise.all([textOf(child.stdout), once(child, 'close')]);
    said += `$ ${command}\n${output}`;
  }
  return said;
}

const withoutTimes = (text: string): string =>
  text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME').replace(/[\d,.]+ (s|ms|min|rows\/s)\b/g, 'N $1');
