import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { root } from '../support/root.ts';

/** A limit that only goes down: what is added to the pages replaces something. */
const MOST_WORDS = 40_000;

it(`the pages outside of test have at most ${MOST_WORDS} words together`, () => {
  const pages = readdirSync(root)
    .filter(name => !['node_modules', 'test', 'dist', '.git', '.servers'].includes(name))
    .flatMap(name =>
      statSync(join(root, name)).isDirectory()
        ? readdirSync(join(root, name), { recursive: true, encoding: 'utf8' }).map(path => join(name, path))
        : [name],
    )
    .filter(path => path.endsWith('.md'));
  const words = pages.map(page => readFileSync(join(root, page), 'utf8').split(/\s+/).filter(Boolean).length);
  const sum = words.reduce((total, count) => total + count, 0);
  assert.ok(sum <= MOST_WORDS, `${sum} words`);
});
