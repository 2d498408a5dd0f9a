import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Recording } from '../../support/protocols/recording.ts';
import { root } from '../../support/root.ts';
import { rowcast } from '../../support/rowcast.ts';
import { startForwardingProxy } from './forwarding-proxy.ts';
import { withTenure } from './personas.ts';
import { binOf } from './places.ts';
import type { ModelServer, RunningServer } from './running-server.ts';
import { writeDefinition } from './write-definition.ts';

const ROWS = 3;

/** Writes what a server responds to runs of three rows, for tests without it. */
export async function recordResponses(
  server: ModelServer,
  running: Pick<RunningServer, 'url' | 'place'>,
  personas: string,
): Promise<void> {
  const input = `${personas
    .split('\n')
    .slice(0, ROWS + 1)
    .join('\n')}\n`;
  const runs: Recording['runs'] = {};
  for (const [name, text, score] of [
    ['three rows', input, {}],
    ['a bad row', withTenure(input, row => row === 1), server.untyped ?? {}],
    ['bad rows only', withTenure(input, () => true), server.untyped ?? {}],
  ] as const)
    runs[name] = await recorded(server, running.url, text, score);
  const { stdout } = await promisify(execFile)(join(binOf(server.name), 'python'), [
    '-c',
    'import sys; print(sys.base_prefix)',
  ]);
  const { service, score } = server;
  const places = [running.place.folder, running.place.environment, root, stdout.trim()];
  // Tracebacks have the paths of the machine.
  const text = places.reduce(
    (all, place) => all.replaceAll(place, '/srv'),
    JSON.stringify({ service, score, runs } satisfies Recording, null, 2),
  );
  await writeFile(join(root, 'test/support/protocols/recorded', `${server.name}.json`), `${text}\n`);
}

async function recorded(
  server: ModelServer,
  url: string,
  text: string,
  score: object,
): Promise<Recording['runs'][string]> {
  const folder = await mkdtemp(join(tmpdir(), 'rowcast-recorded-'));
  const proxy = await startForwardingProxy(url);
  try {
    const input = join(folder, 'personas.csv');
    await writeFile(input, text);
    const { code, stderr } = await rowcast([
      'run',
      '--trust-definition',
      await writeDefinition(server, { folder, input, url: proxy.url, score }),
    ]);
    const errors = [...stderr.matchAll(/^rowcast: .*\[\w+\]$/gm)].map(([line]) =>
      line.replace(proxy.url, 'URL').replaceAll(folder, 'FOLDER'),
    );
    const output = await readFile(join(folder, 'scored.csv'), 'utf8').catch(() => undefined);
    const exchanges = distinct(proxy.exchanges);
    return { input: text, score, exchanges, code, output, error: errors.at(-1) };
  } finally {
    await proxy.close();
    await rm(folder, { recursive: true });
  }
}

/** Each request once; the id of a request is not the same twice. */
function distinct(exchanges: Recording['runs'][string]['exchanges']): typeof exchanges {
  const byRequest = new Map(
    exchanges.map(each => [`${each.method} ${each.path} ${withoutId(each.body)}`, each]),
  );
  return [...byRequest.values()];
}

const withoutId = (body: string): string => body.replace(/^\{"id":"[^"]*"/, '');
