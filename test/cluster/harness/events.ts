import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../../fixtures/random.ts';
import { LEASE_MS } from '../../../src/shards/folder/next-attempt.ts';
import type { Cluster } from './cluster.ts';
import type { CuttableProxy } from './proxy.ts';
import { fillDisk } from './small-disk.ts';
import { noWrongClock } from './wrong-clock.ts';

/** Something that goes wrong. */
interface Event {
  /** How often, compared with others. */
  weight: number;
  isPossible(cluster: Cluster): boolean;
  act(cluster: Cluster, random: Random): Promise<void> | void;
}

const signal = (pid: number | undefined, name: NodeJS.Signals): void => {
  try {
    if (pid !== undefined) process.kill(pid, name);
  } catch {
    // It has just ended.
  }
};

const hasHolder = ({ holders }: Cluster): boolean => holders.length > 0;
const isWorking = (cluster: Cluster): boolean => cluster.isPlanned && !cluster.isScored;
const isCommand = (cluster: Cluster, name: string): boolean =>
  cluster.coordinator?.name === name && cluster.coordinator.pid !== undefined;

/** One of those that are there now; undefined if the last one has just ended. */
const oneOf = <T>(all: readonly T[], random: Random): T | undefined =>
  all.length === 0 ? undefined : random.pick(all);

/** Suspends a process for a while, in the background. */
function suspend(cluster: Cluster, pid: number | undefined, ms: number): void {
  if (pid === undefined) return;
  cluster.suspended.add(pid);
  signal(pid, 'SIGSTOP');
  setTimeout(() => {
    signal(pid, 'SIGCONT');
    cluster.suspended.delete(pid);
  }, ms);
}

/** Cuts or stalls a way for a while. */
async function interrupt(
  proxy: CuttableProxy | undefined,
  how: 'cut' | 'stall',
  random: Random,
): Promise<void> {
  await proxy?.[how]();
  await delay(random.whole(100, 8_000));
  await proxy?.restore();
}

export const events = {
  'kill -9 of a worker': {
    weight: 30,
    isPossible: hasHolder,
    act: ({ holders }, random) => signal(oneOf(holders, random), 'SIGKILL'),
  },
  'SIGTERM to a worker': {
    weight: 6,
    isPossible: hasHolder,
    act: ({ holders }, random) => signal(oneOf(holders, random), 'SIGTERM'),
  },
  'worker suspended beyond its lease': {
    weight: 5,
    isPossible: cluster => hasHolder(cluster) && cluster.suspended.size === 0,
    act: (cluster, random) =>
      suspend(cluster, oneOf(cluster.holders, random), LEASE_MS + random.whole(2_000, 5_000)),
  },
  'worker suspended for a moment': {
    weight: 4,
    isPossible: cluster => hasHolder(cluster) && cluster.suspended.size === 0,
    act: (cluster, random) => suspend(cluster, oneOf(cluster.holders, random), random.whole(500, 4_000)),
  },
  'worker with a wrong clock joins': {
    weight: 6,
    isPossible: cluster =>
      noWrongClock === false &&
      isWorking(cluster) &&
      cluster.scenario.way.worker !== undefined &&
      cluster.workers.length < 6,
    act: cluster => cluster.addWorker(1),
  },
  'shard started twice': {
    weight: 6,
    isPossible: cluster => isWorking(cluster) && cluster.unfinished.length > 0,
    act(cluster, random) {
      const { shards } = cluster.scenario;
      const shard = oneOf(cluster.unfinished, random);
      if (shard === undefined) return;
      cluster.workers.push(cluster.start(['work', shards, '--shard', String(shard)], 0.2));
    },
  },
  'kill -9 of the planner': {
    weight: 20,
    isPossible: cluster => isCommand(cluster, 'plan'),
    act: ({ coordinator }) => signal(coordinator?.pid, 'SIGKILL'),
  },
  'kill -9 of score': {
    weight: 5,
    isPossible: cluster => isCommand(cluster, 'score'),
    act: ({ coordinator }) => signal(coordinator?.pid, 'SIGKILL'),
  },
  'kill -9 of the assembler': {
    weight: 20,
    isPossible: cluster => isCommand(cluster, 'assemble'),
    act: ({ coordinator }) => signal(coordinator?.pid, 'SIGKILL'),
  },
  'planner or assembler suspended': {
    weight: 3,
    isPossible: ({ coordinator, suspended }) => coordinator?.pid !== undefined && suspended.size === 0,
    act: (cluster, random) => suspend(cluster, cluster.coordinator?.pid, random.whole(500, 3_000)),
  },
  'connections cut': {
    weight: 8,
    isPossible: ({ scenario, isScored }) => scenario.predictor.proxy !== undefined && !isScored,
    act: ({ scenario: { predictor } }, random) => interrupt(predictor.proxy, 'cut', random),
  },
  'network stalled': {
    weight: 5,
    isPossible: ({ scenario, isScored }) => scenario.predictor.proxy !== undefined && !isScored,
    act: ({ scenario: { predictor } }, random) => interrupt(predictor.proxy, 'stall', random),
  },
  'connections to the queue cut': {
    weight: 8,
    isPossible: cluster => cluster.scenario.queue !== undefined && isWorking(cluster),
    act: ({ scenario: { queue } }, random) => interrupt(queue?.proxy, 'cut', random),
  },
  'network to the queue stalled': {
    weight: 5,
    isPossible: cluster => cluster.scenario.queue !== undefined && isWorking(cluster),
    act: ({ scenario: { queue } }, random) => interrupt(queue?.proxy, 'stall', random),
  },
  'kill -9 of the service': {
    weight: 5,
    isPossible: ({ scenario, isScored }) => scenario.predictor.restart !== undefined && !isScored,
    act: ({ scenario }) => scenario.predictor.restart?.(),
  },
  'kill -9 of the server of the queue': {
    weight: 8,
    isPossible: cluster => cluster.scenario.queue !== undefined && isWorking(cluster),
    async act({ scenario: { queue } }, random) {
      await queue?.server.kill();
      await delay(random.whole(0, 6_000));
      await queue?.server.start();
    },
  },
  'disk full': {
    weight: 10,
    isPossible: ({ scenario }) => scenario.disk !== undefined,
    async act({ scenario: { disk = '' } }, random) {
      const free = fillDisk(disk);
      await delay(random.whole(300, 4_000));
      free();
    },
  },
  'cancelled and planned again': {
    weight: 3,
    isPossible: cluster => isWorking(cluster) && isCommand(cluster, 'plan') === false,
    async act(cluster) {
      const { way, shards } = cluster.scenario;
      cluster.isReplanned = true;
      await cluster.start(['cancel', shards]).ended;
      // `score` is started again anyway.
      const [plan] = way.coordinator(cluster.scenario);
      if (plan?.[0] === 'plan') await cluster.start(plan).ended;
      cluster.isReplanned = false;
    },
  },
} as const satisfies Record<string, Event>;

export type EventName = keyof typeof events;

/** Does something that is possible now. @returns what; undefined if nothing is */
export async function disturb(cluster: Cluster, random: Random): Promise<EventName | undefined> {
  const possible = Object.entries(events).filter(([, event]) => event.isPossible(cluster));
  if (possible.length === 0) return undefined;
  const weights = Object.fromEntries(possible.map(([name, { weight }]) => [name, weight]));
  const name = random.weighted(weights) as EventName; // a key of the table
  await events[name].act(cluster, random);
  return name;
}
