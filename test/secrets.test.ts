import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newFolder } from './support/folder.ts';
import { assertNoSecrets, key, marked } from './support/secrets.ts';

describe('every command that a test runs is checked', () => {
  it('for its key and for values of personas in its messages', async () => {
    const own = { ROWCAST_MINE_KEY: 'another-key' };
    for (const stderr of [key, 'ApiKey another-key', marked, 'row of P-500000'])
      await assert.rejects(assertNoSecrets({ stderr, args: [], env: own }), { code: 'ERR_ASSERTION' });
    await assertNoSecrets({ stderr: 'a short k', args: [], env: { ROWCAST_API_KEY: 'k' } });
  });

  it('for both in the files that it leaves behind, except rows and key files', async t => {
    const folder = await newFolder(t);
    const cases: [string, string, boolean][] = [
      ['key', key, true],
      ['out.csv', marked, true],
      ['out.csv.rejects', marked, true],
      ['out.csv.checkpoint', '{}', true],
      ['out.csv.partial', key, false],
      ['out.csv.rejects', key, false],
      ['out.csv.checkpoint', marked, false],
      ['summary.json', 'P-500000', false],
      ['out.csv.lock', key, false],
    ];
    for (const [name, text, isFine] of cases)
      for (const where of [{ cwd: folder, args: [] }, { args: ['-o', join(folder, 'out.csv')] }]) {
        await writeFile(join(folder, name), text);
        const checked = assertNoSecrets({ stderr: '', ...where });
        await (isFine ? checked : assert.rejects(checked, { code: 'ERR_ASSERTION' }));
        await writeFile(join(folder, name), '');
      }
  });
});
