import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { train } from '../../src/library/train.ts';
import { newFolder } from '../support/folder.ts';
import { root } from '../support/root.ts';
import { session } from './terminal-session.ts';

const page = readFileSync(join(root, 'docs/library.md'), 'utf8');
const blocks = [...page.matchAll(/^```(js|console)\n(.*?)^```$/gms)];

describe('the programs of the page about the library', () => {
  it('print what the page says', async t => {
    const folder = await newFolder(t);
    await mkdir(join(folder, 'node_modules'));
    await symlink(root, join(folder, 'node_modules/rowcast'));
    await writeFile(join(folder, 'package.json'), '{"type": "module"}');
    const fixture = (name: string): string => join(root, `fixtures/telecom-${name}.csv`);
    const lines = (await readFile(fixture('personas'), 'utf8')).split('\n');
    lines[17] += ',one too many';
    await writeFile(join(folder, 'personas.csv'), lines.join('\n'));
    const home = join(folder, '.rowcast');
    await train({ history: fixture('history'), predict: 'churned', report: 'churn', home });
    assert.ok(blocks.length >= 6);
    for (const [, language, text = ''] of blocks)
      if (language === 'js') {
        const [, name = ''] = /^\/\/ (\S+)\n/.exec(text) ?? [];
        await writeFile(join(folder, name), text);
      } else assert.equal(await session(text, folder), text);
  });
});
