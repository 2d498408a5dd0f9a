import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { train } from '../../src/library/train.ts';
import { newFolder } from '../support/folder.ts';
import { root } from '../support/root.ts';
import { bin } from '../support/rowcast.ts';

const page = readFileSync(join(root, 'docs/worked-examples.md'), 'utf8');
const blocks = [...page.matchAll(/^```(yaml|console)\n(.*?)^```$/gms)];

describe('the worked examples', () => {
  it('print what their page says, except for times and rates', { timeout: 120_000 }, async t => {
    const folder = await newFolder(t);
    await mkdir(join(folder, 'bin'));
    const command = `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`;
    await writeFile(join(folder, 'bin/rowcast'), command, { mode: 0o755 });
    const fixture = (name: string): string => join(root, `fixtures/telecom-${name}.csv`);
    await cp(fixture('personas'), join(folder, 'personas.csv'));
    const home = join(folder, '.rowcast');
    await train({ history: fixture('history'), predict: 'churned', report: 'churn', home });
    assert.ok(blocks.length >= 5);
    for (const [, language, text = ''] of blocks)
      if (language === 'yaml') {
        const [, name = ''] = /^# (\S+)\n/.exec(text) ?? [];
        await writeFile(join(folder, name), text);
      } else assert.equal(withoutTimes(await session(text, folder)), withoutTimes(text));
  });
});

/** Runs the commands of a terminal session, and returns it with what they print now. */
async function session(text: string, cwd: string): Promise<string> {
  const path = [join(cwd, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
  let said = '';
  for (const [, command = ''] of text.matchAll(/^\$ (.*)$/gm)) {
    const child = spawn('bash', ['-c', `{ ${command}\n} 2>&1`], {
      ...{ cwd, env: { PATH: path, LC_ALL: 'C' }, stdio: ['ignore', 'pipe', 'inherit'] },
    });
    const [output] = await Promise.all([textOf(child.stdout), once(child, 'close')]);
    said += `$ ${command}\n${output}`;
  }
  return said;
}

const withoutTimes = (text: string): string =>
  text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME').replace(/[\d,.]+ (s|ms|min|rows\/s)\b/g, 'N $1');
