import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { it } from 'node:test';
import { root } from '../support/root.ts';

/** Limits that only go down: what is added to the pages replaces something. */
const MOST_WORDS = 38_700;
const MOST_LATER_WORDS = 2_600;

/** The pages of what came later: models of other libraries, evaluations, reused predictions. */
const LATER = ['imported-models.md', 'evaluate.md', 'pay-once.md'];

const pages = readdirSync(root)
  .filter(name => !['node_modules', 'test', 'dist', '.git', '.servers'].includes(name))
  .flatMap(name =>
    statSync(join(root, name)).isDirectory()
      ? readdirSync(join(root, name), { recursive: true, encoding: 'utf8' }).map(path => join(name, path))
      : [name],
  )
  .filter(path => path.endsWith('.md'));

const isLater = (page: string): boolean => LATER.includes(basename(page));

for (const [which, most, counts] of [
  ['the pages outside of test', MOST_WORDS, (page: string) => !isLater(page)],
  ['the pages of what came later', MOST_LATER_WORDS, isLater],
] as const)
  it(`${which} have at most ${most} words together`, () => {
    const words = pages.filter(counts).map(countWords);
    const sum = words.reduce((total, count) => total + count, 0);
    assert.ok(sum > 0 && sum <= most, `${sum} words`);
  });

function countWords(page: string): number {
  return readFileSync(join(root, page), 'utf8').split(/\s+/).filter(Boolean).length;
}
