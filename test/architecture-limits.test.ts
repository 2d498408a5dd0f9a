import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { describe, it } from 'node:test';
import { newFolder } from './support/folder.ts';
import { loadedPaths } from './support/loaded-files.ts';
import { root } from './support/root.ts';
import { startStub } from './support/stub/service.ts';

/**
 * How large the house may be. These numbers only go down: lower one when it is more than the house needs. Each of the
 * subjects that came later is counted on its own, by the name of its folders.
 */
const LIMITS = {
  'lines of imported in src': 4_220,
  'lines of imported in test': 1_899,
  'lines of numbers in src': 1_030,
  'lines of numbers in test': 744,
  'lines of evaluate in src': 4_870,
  'lines of evaluate in test': 1_807,
  'lines of reuse in src': 2_996,
  'lines of reuse in test': 1_609,
  'files of src': 807,
  'lines of src': 94_608,
  'lines of test': 72_319,
  'modules that a run with a service loads': 319,
  'files on the way of a run': 45,
};

/** The folders of what came later: models of other libraries, numbers as targets, evaluations, reused predictions. */
const LATER = ['imported', 'numbers', 'evaluate', 'reuse'] as const;

const isOf = (subject: string, file: string): boolean => file.split(sep).slice(0, -1).includes(subject);

/** @param which of its files are counted, by their paths in it */
function sizeOf(folder: string, which: (file: string) => boolean): { files: number; lines: number } {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts') && which(file))
    .map(file => readFileSync(join(root, folder, file), 'utf8'));
  return { files: files.length, lines: files.reduce((sum, text) => sum + text.split('\n').length - 1, 0) };
}

const EXPORTED = /^export (?:abstract )?(?:async )?(?:interface|type|class|function\*?|const) (\w+)/gm;

function checkLimit(what: keyof typeof LIMITS, found: number): void {
  assert.ok(found <= LIMITS[what], `${what}: ${found}, more than ${LIMITS[what]}`);
}

/** What each command exports. */
const SHARED_NAMES = new Set(['run']);

/** The files that ARCHITECTURE.md names in its list, in the order in which a run comes to them. */
const items =
  readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').match(/^\d+\. `src\/.*\n(?: {3,4}\S.*\n)*/gm) ?? [];
const way = items.flatMap(item => [...item.matchAll(/`(?:src\/)?(\S+\.ts)`/g)].map(([, file = '']) => file));

describe('the size of the house', () => {
  it('does not grow', () => {
    const isOther = (file: string): boolean => !LATER.some(subject => isOf(subject, file));
    const src = sizeOf('src', isOther);
    checkLimit('files of src', src.files);
    checkLimit('lines of src', src.lines);
    checkLimit('lines of test', sizeOf('test', isOther).lines);
    for (const subject of LATER) {
      for (const folder of ['src', 'test'] as const) {
        const { lines } = sizeOf(folder, file => isOf(subject, file));
        checkLimit(`lines of ${subject} in ${folder}`, lines);
      }
    }
  });

  it('has one meaning for each exported name', () => {
    const files = new Map<string, string[]>();
    for (const file of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      const text = readFileSync(join(root, 'src', file), 'utf8');
      // An interface and its schema, or a class's value and type, are in one file.
      const names = new Set([...text.matchAll(EXPORTED)].map(([, name = '']) => name));
      for (const name of names) files.set(name, [...(files.get(name) ?? []), file]);
    }
    assert.ok(files.size > 1_000);
    assert.deepEqual(
      [...files].filter(([name, exporters]) => exporters.length > 1 && !SHARED_NAMES.has(name)),
      [],
    );
  });

  it('lets a reader follow a run from its command to its exit code in few files, all of which are loaded for it', async t => {
    const stub = await startStub(t);
    const cwd = await newFolder(t, { 'in.csv': 'a,b\n1,2\n' });
    const paths = await loadedPaths(t, ['score', 'in.csv', '-o', 'out.csv', '--report', 'r'], {
      program: join(root, 'dist/src/cli/main.js'),
      cwd,
      env: stub.env,
    });
    const loaded = new Set(
      paths
        .map(path => relative(join(root, 'dist/src'), path).replace(/\.js$/, '.ts'))
        .filter(path => !path.startsWith('..')),
    );
    assert.ok(way.length > 0);
    assert.deepEqual([...new Set(way)], way);
    assert.deepEqual(
      way.filter(file => !loaded.has(file)),
      [],
    );
    checkLimit('files on the way of a run', way.length);
    checkLimit('modules that a run with a service loads', loaded.size);
  });
});
