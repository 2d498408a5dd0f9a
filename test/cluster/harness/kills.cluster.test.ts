import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Random, random } from '../../../fixtures/random.ts';
import { seed } from '../../support/random-tests.ts';
import { rowcast } from '../../support/rowcast.ts';
import { until } from '../support/processes.ts';
import { Cluster } from './cluster.ts';
import { disturb, type EventName } from './events.ts';
import { filesIn, newScenario, type Scenario } from './scenario.ts';
import { noSmallDisk } from './small-disk.ts';
import { noWrongClock } from './wrong-clock.ts';

/** CLUSTER_EVENTS=1000 makes more. */
const EVENTS = Number(process.env.CLUSTER_EVENTS ?? 200);
/** So many of one run: then it may end. */
const MAX_EVENTS = 20;
/** Of these, so many are left for joining. */
const OF_JOINING = 4;

it('output and rejects are those of one process, whatever happens to the processes of a run', {
  timeout: 3_600_000,
}, async t => {
  for (const left of [noSmallDisk, noWrongClock]) if (left !== false) t.diagnostic(left);
  const counts = new Map<EventName, number>();
  let made = 0;
  let hasFailed = false;
  for (let run = 0; made < EVENTS && !hasFailed; run++)
    await t.test(`run ${run} of seed ${seed}`, async own => {
      hasFailed = true;
      const happened: EventName[] = [];
      const chance = random(seed + run);
      const scenario = await newScenario(own, chance);
      own.diagnostic(scenario.name);
      const cluster = new Cluster(scenario, chance);
      try {
        await scoreSingle(scenario);
        await disturbedRun({ t: own, cluster, chance, happened, most: Math.min(MAX_EVENTS, EVENTS - made) });
        await check(scenario);
      } finally {
        own.diagnostic(`${happened.length} events: ${happened.join(', ')}`);
        await cluster.close();
        await scenario.close();
      }
      made += Math.max(1, happened.length);
      for (const name of happened) counts.set(name, (counts.get(name) ?? 0) + 1);
      hasFailed = false;
    });
  t.diagnostic(`${made} events: ${[...counts].map(([name, count]) => `${count} × ${name}`).join(', ')}`);
});

interface Disturbed {
  t: TestContext;
  cluster: Cluster;
  chance: Random;
  /** Filled with what happens. */
  happened: EventName[];
  /** Maximum number of events. */
  most: number;
}

/** A run from its plan to the end of its last process. */
async function disturbedRun({ t, cluster, chance, happened, most }: Disturbed): Promise<void> {
  const { scenario } = cluster;
  const coordinate = async (): Promise<void> => {
    for (const command of scenario.way.coordinator(scenario)) {
      if (command[0] === 'assemble')
        await until('all shards', () => cluster.isScored && !cluster.isReplanned);
      cluster.coordinator = cluster.start(command, 0.1);
      await cluster.coordinator.ended;
    }
  };
  const coordinated = coordinate();
  let isOver = false;
  const over = Promise.race([coordinated, cluster.failure]).finally(() => {
    isOver = true;
  });
  over.catch(() => {}); // awaited below
  const work = async (): Promise<void> => {
    while (!cluster.isPlanned && !isOver) await delay(20);
    for (let worker = 0; worker < scenario.workers; worker++) cluster.addWorker(0.2);
  };
  const working = work();
  while (!isOver && happened.length < most) {
    if (happened.length >= most - OF_JOINING && !cluster.isScored) {
      await Promise.race([delay(50), over]);
      continue;
    }
    // Planning and joining take less than a second.
    const isPlanning = cluster.coordinator?.name === 'plan' && cluster.coordinator.pid !== undefined;
    const isShort = isPlanning || cluster.isScored;
    await Promise.race([delay(isShort ? chance.whole(0, 600) : chance.whole(100, 1_500)), over]);
    const name = isOver ? undefined : await disturb(cluster, chance);
    if (name !== undefined) happened.push(name);
  }
  await Promise.all([over, working]);
  await cluster.allEnded();
  if (cluster.givenUp > 0) t.diagnostic(`${cluster.givenUp} times a shard was given up and scored by hand`);
}

/** The same in one process, which nothing disturbs. */
async function scoreSingle({ scoring, output, folder, predictor }: Scenario): Promise<void> {
  const args = ['score', ...scoring, '-o', output.replace('scored', 'single')];
  const { code, stderr } = await rowcast(args, { cwd: folder, env: predictor.env });
  assert.ok(code === 0 || code === 1, stderr);
}

async function check({ folder, outputs, disk }: Scenario): Promise<void> {
  const [ours, single] = [await filesIn(outputs), await filesIn(`${folder}/single`)];
  assert.deepEqual([...ours.keys()], [...single.keys()], 'the files');
  for (const [name, bytes] of ours) assert.ok(single.get(name)?.equals(bytes), `${name} has other bytes`);
  const named = ['in', 'scored', 'single', ...(disk === undefined || disk === folder ? [] : ['disk'])];
  const left = await readdir(folder);
  const inShards = left.includes('shards') ? await readdir(`${folder}/shards`, { recursive: true }) : [];
  assert.deepEqual(left.sort(), named.sort(), `nothing else is left: ${inShards.join(', ')}`);
  if (disk !== undefined && disk !== folder) assert.deepEqual(await readdir(disk), []);
}
