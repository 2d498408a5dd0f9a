import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sections } from '../../src/config/definition-schema.ts';
import { keyOptions } from '../../src/config/options/keys.ts';
import { serveOptions } from '../../src/config/options/serve.ts';
import { homeOption, idleTimeoutOption } from '../../src/config/options/service.ts';
import { root } from '../support/root.ts';

/** Options of every command, and of other tools that the pages show. */
const known = new Set([
  ...[...Object.values(sections), keyOptions, serveOptions, homeOption, idleTimeoutOption].flatMap(table =>
    Object.keys(table),
  ),
  ...['help', 'version', 'json', 'log-format'],
  ...['retry', 'retry-connrefused', 'icsv', 'ojson', 'max-old-space-size'], // of curl, mlr and node
]);

const pages = ['README.md', ...readdirSync(join(root, 'docs')).map(name => join('docs', name))].filter(page =>
  page.endsWith('.md'),
);

describe('the options that the documentation names', () => {
  for (const page of pages)
    it(`exist: ${page}`, () => {
      const text = readFileSync(join(root, page), 'utf8');
      const named = [...text.matchAll(/(?<![\w-])--([a-z][a-z-]*[a-z])/g)].map(([, name = '']) => name);
      assert.deepEqual(
        [...new Set(named)].filter(name => !known.has(name)),
        [],
      );
    });
});
