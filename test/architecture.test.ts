import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import { root } from './support/root.ts';

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.ts') && !file.endsWith('.d.ts'))
  .map(file => ({ file, text: readFileSync(join(root, 'src', file), 'utf8') }));

interface Import {
  file: string;
  /** The folder of src that the file is in, or the file itself at the top. */
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
    const to = isOurs ? layerOf(path) : target.split('/', isScoped ? 2 : 1).join('/');
    return { file, from: layerOf(file), to, isOurs, target: path };
  }),
);

function layerOf(path: string): string {
  return path.split('/')[0] ?? path;
}

/** What every layer may import. */
const ground = [
  'errors.ts',
  'number-text.ts',
  'sanitize.ts',
  'scheme.ts',
  'shell-word.ts',
  'suggest-names.ts',
  'system-error.ts',
];

/** What each layer may import besides itself: the direction of ARCHITECTURE.md. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'errors.ts': [],
  'number-text.ts': [],
  'sanitize.ts': [],
  'scheme.ts': [],
  'shell-word.ts': [],
  'suggest-names.ts': [],
  'system-error.ts': [],
  'thread-error.ts': ['errors.ts'],
  // Types only: the compiler compares the documented codes with them, so the documentation is complete.
  'error-codes': ['formats', 'server'],
  'log-events': [],
  contract: [],
  kernel: [],
  formats: ['kernel', 'contract', ...ground],
  storage: ground,
  client: ['contract', 'formats', ...ground],
  config: ['contract', 'formats', ...ground],
  runs: ['drift', 'config', 'contract', 'formats', 'storage', ...ground],
  drift: ['kernel', 'columns', 'reports', 'config', 'contract', 'formats', ...ground],
  columns: ['kernel', 'reports', 'contract', 'formats', ...ground],
  scoring: ['drift', 'reports', 'client', 'config', 'runs', 'contract', 'formats', 'storage', ...ground],
  shards: ['drift', 'client', 'config', 'runs', 'scoring', 'contract', 'formats', 'storage', ...ground],
  lineage: ['error-codes', 'scoring', 'runs', 'contract', ...ground],
  telemetry: ['client', 'scoring', 'runs', ...ground],
  verify: ['runs', 'contract', 'formats', 'storage', ...ground],
  repair: ['verify', 'runs', 'contract', 'formats', 'storage', ...ground],
  reports: ['kernel', 'contract', 'storage', 'thread-error.ts', ...ground],
  local: [
    ...[
      'kernel',
      'drift',
      'columns',
      'scoring',
      'reports',
      'runs',
      'config',
      'contract',
      'formats',
      'storage',
      'thread-error.ts',
    ],
    ...ground,
  ],
  training: ['kernel', 'reports', 'config', 'contract', 'formats', 'storage', 'thread-error.ts', ...ground],
  library: [
    'lineage',
    'shards',
    ...[
      'web',
      'server',
      'local',
      'training',
      'scoring',
      'verify',
      'client',
      'config',
      'reports',
      'runs',
      'drift',
    ],
    ...['formats', 'storage', 'contract', ...ground],
  ],
  web: [
    ...['server', 'training', 'reports', 'runs', 'scoring', 'config', 'formats', 'storage', 'contract'],
    ...['thread-error.ts', ...ground],
  ],
  server: [
    'kernel',
    'local',
    'reports',
    'scoring',
    'runs',
    'contract',
    'formats',
    'storage',
    'thread-error.ts',
    ...ground,
  ],
};

describe('the architecture', () => {
  it('has a rule for each folder; only the entry points may import everything', () => {
    const layers = new Set(sources.map(({ file }) => layerOf(file)));
    for (const top of ['cli', 'index.ts']) layers.delete(top);
    assert.deepEqual([...layers].sort(), Object.keys(allowed).sort());
  });

  it('imports in one direction only', () => {
    const wrong = imports
      .filter(({ from, to, isOurs }) => isOurs && to !== from && allowed[from]?.includes(to) === false)
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
      'csv-parse': 'formats/csv/fields/parse-records.ts',
      'csv-stringify': 'formats/csv/write-row.ts',
      leven: 'suggest-names.ts',
      // Of one run, and of several together.
      bullmq: ['shards/queue/load-package.ts', 'shards/queue/store.ts'],
      ioredis: 'shards/queue/load-package.ts',
      'p-limit': ['client/requests.ts', 'scoring/in-flight.ts', 'storage/local/read-many.ts'],
      'stream-chain': 'scoring/stages.ts',
      undici: 'client/transport/connection.ts',
      '@fastify/accept-negotiator': 'server/batch-predict/route.ts',
      '@fastify/busboy': 'server/batch-predict/multipart-form.ts',
      '@fastify/rate-limit': 'server/limits/rate-limit.ts',
      'prom-client': 'server/telemetry/metrics.ts',
      yaml: 'library/definition/document.ts',
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
      .filter(({ file }) => file.startsWith('config/options/'))
      .map(({ target }) => target);
    assert.ok(reached.length > 0);
    const others = reached.filter(target => !/^(config\/options|contract)\/|^errors\.ts$/.test(target));
    assert.deepEqual(others, []);
  });

  it('keeps files, sockets and processes out of formats', () => {
    const modules = imports.filter(({ from, to }) => from === 'formats' && /^(node:|@|\w)/.test(to));
    const others = modules.filter(({ isOurs }) => !isOurs).map(({ to }) => to);
    assert.deepEqual([...new Set(others)].sort(), ['csv-parse', 'csv-stringify', 'node:buffer']);
  });

  it('lists every dependency in ARCHITECTURE.md, with its reason', () => {
    const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const missing = Object.keys({ ...dependencies, ...devDependencies }).filter(
      name => !text.includes(`| ${name} |`),
    );
    assert.deepEqual(missing, []);
  });

  it('re-exports only in index.ts', () => {
    const barrels = sources.filter(({ text }) => /^export .* from '/m.test(text)).map(({ file }) => file);
    assert.deepEqual(barrels, ['index.ts']);
  });

  it('is mirrored by the tests', () => {
    const folders = readdirSync(join(root, 'test'), { withFileTypes: true }).filter(entry =>
      entry.isDirectory(),
    );
    const layers = Object.keys(allowed).filter(name => !name.endsWith('.ts'));
    const missing = layers.filter(layer => !folders.some(({ name }) => name === layer));
    assert.deepEqual(missing, []);
  });
});
