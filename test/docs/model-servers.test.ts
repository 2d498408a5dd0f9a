import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newFolder } from '../support/folder.ts';
import { rowcast } from '../support/in-process.ts';
import { root } from '../support/root.ts';

const pages = join(root, 'docs/model-servers');

describe('the page about a model server', () => {
  for (const page of readdirSync(pages))
    it(`${page} has a definition that is valid`, async t => {
      const folder = await newFolder(t);
      const [, definition = ''] =
        /```yaml\n([\s\S]*?)```/.exec(readFileSync(join(pages, page), 'utf8')) ?? [];
      const keys = { ROWCAST_MODELS_KEY: 'k', ROWCAST_DATAROBOT_TOKEN: 'k', ROWCAST_DATAROBOT_KEY: 'k' };
      await writeFile(join(folder, 'token'), 'k');
      await writeFile(
        join(folder, 'score.yaml'),
        definition.replace('/run/secrets/token', join(folder, 'token')),
      );
      await writeFile(join(folder, 'customers.csv'), 'customer,tenure\nC-1,3\n');
      const { code, stderr, stdout } = await rowcast(['check', 'score.yaml', '--trust-definition'], {
        cwd: folder,
        env: keys,
      });
      assert.equal(code, 0, stderr + stdout);
    });
});
