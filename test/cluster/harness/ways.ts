import { stores } from '../../support/stores/stores.ts';
import type { Scenario } from './scenario.ts';

/** How a run is divided: who plans and joins, and who works. */
export interface Way {
  name: string;
  /** The commands that lead to the outputs, one after the other; each is repeated until it succeeds. */
  coordinator(scenario: Scenario): readonly (readonly string[])[];
  /** The command of each worker; undefined if the coordinator starts them. */
  worker?(scenario: Scenario): readonly string[];
  /** What the queue is in, if there is one. */
  store?: (typeof stores)[number];
}

const SHARD_BYTES = ['--shard-bytes', '1MiB'];
/** Slow enough to be disturbed while it works. */
const pace = (workers: number): string[] => [
  '--max-rows-per-second',
  String(2_500 * workers),
  ...['--batch-rows', '250', '--threads', String(workers)],
  // A stalled call is given up in time; an outage ends the worker, which is started again.
  ...['--timeout', '5', '--max-outage', '6'],
];

const allWays: readonly Way[] = [
  {
    name: 'plan, work, assemble',
    coordinator: ({ scoring, output, shards }) => [
      ['plan', ...scoring, '-o', output, '--shards', shards, ...SHARD_BYTES],
      ['assemble', shards],
    ],
    worker: ({ shards }) => ['work', shards, ...pace(1)],
  },
  {
    name: 'score --workers',
    coordinator: ({ scoring, output, shards, workers }) => [
      [
        ...['score', ...scoring, '-o', output, '--shards', shards, ...SHARD_BYTES],
        ...['--workers', String(workers), ...pace(workers)],
      ],
    ],
  },
  ...stores
    .filter(({ skip }) => skip === false)
    .map(
      (store): Way => ({
        name: `score --queue, ${store.name}`,
        store,
        coordinator: ({ scoring, output, shards, queue }) => [
          [
            ...['score', ...scoring, '-o', output, '--shards', shards, ...SHARD_BYTES],
            ...['--queue', queue?.url ?? '', '--workers', '0', ...pace(1)],
          ],
        ],
        worker: ({ shards, queue }) => ['work', shards, '--queue', queue?.url ?? '', ...pace(1)],
      }),
    ),
];

/** CLUSTER_WAYS=Redis chooses those with this in their names. */
export const ways = allWays.filter(({ name }) => name.includes(process.env.CLUSTER_WAYS ?? ''));
