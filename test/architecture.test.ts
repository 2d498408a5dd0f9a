import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, it } from 'node:test';
import { bundledSdks } from '../build/bundled-sdks.ts';
import { root } from './support/root.ts';

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.ts') && !file.endsWith('.d.ts'))
  .map(file => ({ file, text: readFileSync(join(root, 'src', file), 'utf8') }));

interface Import {
  file: string;
  /** The room of the file: its folder at the top of src, or the file itself. */
  from: string;
  /** The same for an imported file, or the name of the package. */
  to: string;
  isOurs: boolean;
  target: string;
}

const imports: Import[] = sources.flatMap(({ file, text }) =>
  [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map(([, target = '']) => {
    const isOurs = target.startsWith('.');
    const path = isOurs ? normalize(join(dirname(file), target)) : target;
    const isScoped = target.startsWith('@');
    const to = isOurs ? roomOf(path) : target.split('/', isScoped ? 2 : 1).join('/');
    return { file, from: roomOf(file), to, isOurs, target: path };
  }),
);

function roomOf(path: string): string {
  return path.split('/')[0] ?? path;
}

/** The table of ARCHITECTURE.md: what each room may import besides itself. */
const rooms = new Map(
  [...textOf('ARCHITECTURE.md').matchAll(/^\| `([\w.]+)` \| .* \| ([^|]*) \| [^|]* \|$/gm)].map(
    ([, room = '', imported = '']) => [room, [...imported.matchAll(/`(\w+)`/g)].map(([, name]) => name)],
  ),
);

function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

describe('the architecture', () => {
  it('has a rule for each room', () => {
    assert.deepEqual([...new Set(sources.map(({ file }) => roomOf(file)))].sort(), [...rooms.keys()].sort());
  });

  it('imports in one direction only', () => {
    const wrong = imports
      .filter(({ from, to, isOurs }) => isOurs && to !== from && !rooms.get(from)?.includes(to))
      .map(({ file, target }) => `${file} imports ${target}`);
    assert.deepEqual(wrong, []);
  });

  it('has no cycles among files', () => {
    const targets = new Map(
      sources.map(({ file }) => [file, imports.filter(i => i.isOurs && i.file === file).map(i => i.target)]),
    );
    const done = new Set<string>();
    const visit = (file: string, path: readonly string[]): void => {
      assert.ok(!path.includes(file), `cycle: ${[...path, file].join(' → ')}`);
      if (done.has(file)) return;
      for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    };
    for (const { file } of sources) visit(file, []);
  });

  it('imports each library in one place', () => {
    const homes: Readonly<Record<string, string | readonly string[]>> = {
      'csv-parse': 'base/parse-records.ts',
      'csv-stringify': 'base/write-row.ts',
      leven: 'base/suggest-names.ts',
      bullmq: 'shards/queue/store.ts',
      ioredis: 'shards/queue/store.ts',
      'p-limit': [
        'client/requests.ts',
        'scoring/in-flight.ts',
        'storage/local/read-files.ts',
        'storage/objects/copy-objects.ts',
      ],
      'stream-chain': 'scoring/stages.ts',
      undici: 'client/transport/connection.ts',
      '@fastify/accept-negotiator': 'server/batch-predict/route.ts',
      '@fastify/busboy': 'server/batch-predict/multipart-form.ts',
      '@fastify/rate-limit': 'server/limits/rate-limit.ts',
      'prom-client': 'server/telemetry/metrics.ts',
      yaml: ['library/definition/document.ts', 'models/imported/mlflow.ts'],
    };
    for (const [library, home] of Object.entries(homes)) {
      const users = imports.filter(({ to }) => to === library).map(({ file }) => file);
      assert.deepEqual([...new Set(users)], [home].flat(), library);
    }
    // Types of a logger are passed on; it is created in one place.
    const makers = sources.filter(({ text }) => /import (?!type).*'pino'/.test(text)).map(({ file }) => file);
    assert.deepEqual(makers, ['cli/terminal/log.ts']);
  });

  it('has the tables of options below everything that uses them', () => {
    const reached = imports
      .filter(({ file }) => /^base\/options\/[\w-]+\.ts$/.test(file))
      .map(({ target }) => target);
    assert.ok(reached.length > 0);
    const others = reached.filter(target => !/^base\/(options|contract)\/|^base\/errors\.ts$/.test(target));
    assert.deepEqual(others, []);
  });

  it('keeps files, sockets and processes out of formats', () => {
    const modules = imports.filter(({ from, to }) => from === 'formats' && /^(node:|@|\w)/.test(to));
    const others = modules.filter(({ isOurs }) => !isOurs).map(({ to }) => to);
    const libraries = ['hyparquet', 'hyparquet-compressors', 'hyparquet-writer'];
    assert.deepEqual([...new Set(others)].sort(), [...libraries, 'node:buffer', 'node:crypto', 'node:zlib']);
  });

  it('says in each room what each folder in it is for', () => {
    const missing = [...rooms.keys()].flatMap(room => {
      if (room.endsWith('.ts')) return [];
      const text = textOf(`src/${room}/README.md`);
      return readdirSync(join(root, 'src', room), { recursive: true, withFileTypes: true })
        .filter(entry => entry.isDirectory())
        .map(({ parentPath, name }) => relative(join(root, 'src', room), join(parentPath, name)))
        .filter(folder => !text.includes(`- \`${folder}\`: `))
        .map(folder => `${room}: ${folder}`);
    });
    assert.deepEqual(missing, []);
  });

  it('has no two sibling folders that import each other', () => {
    const pairs = new Set(
      imports
        .filter(({ isOurs }) => isOurs)
        .flatMap(({ file, target }) => {
          const [from, to] = [dirname(file).split('/'), dirname(target).split('/')];
          const shared = from.findIndex((name, i) => name !== to[i]);
          const isApart = shared !== -1 && to[shared] !== undefined;
          return isApart ? [[from, to].map(path => path.slice(0, shared + 1).join('/')).join(' ')] : [];
        }),
    );
    const both = [...pairs].filter(pair => pairs.has(pair.split(' ').reverse().join(' ')));
    assert.deepEqual(both, []);
  });

  it('lists every dependency in ARCHITECTURE.md, with its reason', () => {
    const text = textOf('ARCHITECTURE.md');
    const { dependencies, devDependencies } = JSON.parse(textOf('package.json'));
    const [, items = ''] = text.split('## Dependencies\n');
    const listed = [...items.matchAll(/^- ([^:]*): \w/gm)].flatMap(([, names = '']) => names.split(/,\s+/));
    const missing = Object.keys({ ...dependencies, ...devDependencies }).filter(
      name => !listed.includes(name),
    );
    assert.deepEqual(missing, []);
  });

  it('re-exports only in index.ts, and what is used of a bundled package', () => {
    const packages = new Set(Object.values(bundledSdks).map(file => file.replace(/\.js$/, '.ts')));
    packages.add('formats/parquet/libraries.ts');
    const barrels = sources
      .filter(({ file, text }) => /^export .* from '/m.test(text) && !packages.has(file))
      .map(({ file }) => file);
    assert.deepEqual(barrels, ['index.ts']);
  });

  it('is mirrored by the tests', () => {
    const folders = readdirSync(join(root, 'test'), { withFileTypes: true }).filter(entry =>
      entry.isDirectory(),
    );
    const missing = [...rooms.keys()].filter(
      room => !room.endsWith('.ts') && !folders.some(({ name }) => name === room),
    );
    assert.deepEqual(missing, []);
  });
});
