import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../support/root.ts';

const examples = join(root, 'examples/cluster');
/** Folder of an example → its page. */
const pageOf = (example: string): string => (example === 'parallel' ? 'gnu-parallel' : example);
/** Not for reading. */
const LOCKS = ['requirements.txt', 'go.sum'];

describe('the pages of engines', () => {
  for (const example of readdirSync(examples))
    it(`show the files of ${example} as they are`, () => {
      const page = readFileSync(join(root, 'docs/cluster', `${pageOf(example)}.md`), 'utf8');
      const missing = readdirSync(join(examples, example))
        .filter(name => !LOCKS.includes(name))
        .filter(name => !page.includes(`\n${readFileSync(join(examples, example, name), 'utf8')}\`\`\``));
      assert.deepEqual(missing, []);
    });
});
