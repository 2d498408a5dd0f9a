import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { random } from '../../../fixtures/random.ts';
import { workerName } from '../../../src/shards/folder/names.ts';
import { LEASE_MS } from '../../../src/shards/folder/next-attempt.ts';
import { WorkerWatch } from '../../../src/shards/pace/see-workers.ts';
import type { SharedFolder } from '../../../src/storage/shared-folder.ts';
import { runs, seed } from '../../support/random-tests.ts';
import { PaceSimulation } from '../../support/shards/pace-simulation.ts';
import { slow } from '../../support/slow.ts';

const newSimulation = (offset = 0): PaceSimulation => new PaceSimulation(random(seed + offset));
const anything = (): void => {};

describe('workers that share a pace', () => {
  it('never exceed it, whoever starts, leaves, dies, is suspended or has a damaged file, in any order of reads and writes', async () => {
    let most = 0;
    for (let round = 0; round < runs(8, 2); round++) {
      const { unit, pick, whole } = random(seed + round);
      const simulation = newSimulation(round);
      const check = (): void => {
        most = Math.max(most, simulation.sum);
        assert.ok(simulation.sum <= 1 + 1e-9, `round ${round}: ${simulation.sum} at ${simulation.now}`);
      };
      for (let i = whole(1, 4); i > 0; i--) simulation.start();
      for (let events = 0; events < 20; events++) {
        await simulation.run(simulation.now + 4_000 * unit() ** 2, check);
        const worker = pick(simulation.workers);
        const what = unit();
        if (what < 0.4) simulation.start();
        else if (what < 0.5) worker.leaves = 6_000 * unit();
        else if (what < 0.6) simulation.damage(simulation.fileOf(worker));
        else if (what < 0.7) worker.isAlive = false;
        else if (what < 0.8) worker.stoppedUntil = simulation.now + 1.5 * LEASE_MS * unit();
        else worker.stoppedUntil = simulation.now + LEASE_MS * (0.85 + 0.2 * unit());
      }
      await simulation.run(simulation.now + 3 * LEASE_MS, check);
      const living = simulation.workers.filter(({ isAlive }) => isAlive);
      if (living.length > 0)
        assert.ok(Math.abs(simulation.sum - 1) < 1e-9, `all of it is used: ${simulation.sum}`);
    }
    assert.ok(most > 0.99);
  });

  it('have the same share, soon after they have started', async () => {
    const simulation = newSimulation();
    const workers = [simulation.start(), simulation.start(), simulation.start()];
    await simulation.run(8_000, anything);
    assert.deepEqual(
      workers.map(({ member }) => member.limits(simulation.now).share),
      [1 / 3, 1 / 3, 1 / 3],
    );
  });

  it('get the share of one that leaves, and of one that has died when its lease is over', async () => {
    const simulation = newSimulation();
    const [first, second, third] = [simulation.start(), simulation.start(), simulation.start()];
    await simulation.run(8_000, anything);
    second.isAlive = false; // it looks no more
    await simulation.run(8_000 + LEASE_MS / 2, anything);
    assert.equal(first.member.limits(simulation.now).share, 1 / 3);
    await simulation.run(8_000 + 2 * LEASE_MS, anything);
    assert.equal(first.member.limits(simulation.now).share, 1 / 2);
    third.leaves = Number.POSITIVE_INFINITY;
    await simulation.run(simulation.now + 5_000, anything);
    assert.equal(first.member.limits(simulation.now).share, 1);
    assert.deepEqual(simulation.files, ['workers/w0.json']);
  });

  it('wait no longer for a damaged file than for a worker that has died', async () => {
    const simulation = newSimulation();
    simulation.damage('workers/lost.json');
    const { member } = simulation.start();
    await simulation.run(LEASE_MS / 2, anything);
    assert.equal(member.limits(simulation.now).share, 0);
    await simulation.run(2 * LEASE_MS, anything);
    assert.equal(member.limits(simulation.now).share, 1);
    assert.deepEqual(simulation.files, ['workers/w0.json']);
  });

  it('take one whose file is damaged for dead no sooner than if its last heartbeat had been read', async () => {
    const heartbeat = { beat: 1, entry: 1, pid: 1, started: '1', realm: 'another machine', learned: null };
    let now = 0;
    let text = JSON.stringify({ ...heartbeat, requests: 100, rows: null, counted: {} });
    const folder = {
      read: async (name: string) => (name === workerName('other') ? text : undefined),
      remove: async () => {},
    };
    // It only reads and removes files.
    const watch = new WorkerWatch(folder as Partial<SharedFolder> as SharedFolder, () => now);
    const look = async (): Promise<number> =>
      (await watch.look(['other'], { isAwaited: () => true, isSelfAlive: () => true })).length;
    assert.equal(await look(), 1);
    now = 2_500;
    text = '';
    assert.equal(await look(), 1);
    now = LEASE_MS + 100;
    assert.equal(await look(), 1);
    now = 2_500 + LEASE_MS;
    assert.equal(await look(), 0);
  });

  it('keep to the limit of one whose file is damaged for a moment', async () => {
    const simulation = newSimulation();
    const [first] = [simulation.start(50), simulation.start(20)];
    await simulation.run(8_000, anything);
    for (let until = 8_000; until < 24_000; until += 100) {
      // Until its next heartbeat; more often, and its lease could run out.
      if (until % 8_000 === 0) simulation.damage('workers/w1.json');
      await simulation.run(until, anything);
      assert.equal(first.member.limits(simulation.now).requests, 20, `at ${until}`);
    }
  });

  it('keep to the lowest limit that any of them was given', async () => {
    const simulation = newSimulation();
    const [first, second] = [simulation.start(50), simulation.start(20)];
    await simulation.run(8_000, anything);
    assert.equal(first.member.limits(simulation.now).requests, 20);
    second.leaves = Number.POSITIVE_INFINITY;
    await simulation.run(16_000, anything);
    assert.equal(first.member.limits(simulation.now).requests, 50);
  });

  it('wait for nobody while there is no limit', async () => {
    const simulation = newSimulation();
    const [first, second] = [simulation.start(null), simulation.start(null)];
    for (const { member } of [first, second]) assert.ok(member.limits(simulation.now).share > 0);
    await simulation.run(8_000, anything);
    assert.equal(first.member.limits(simulation.now).share, 1 / 2);
  });

  it('follow what another one has learned from 429 responses and headers', async () => {
    const simulation = newSimulation();
    const [first, second] = [simulation.start(null), simulation.start(null)];
    await simulation.run(8_000, anything);
    const begun = simulation.now;
    second.member.tell(now => ({
      rate: { limit: 40, plateau: 12_000, age: now - begun },
      advertised: { rate: 30, seconds: 60 },
      pause: Math.max(0, begun + 20_000 - now),
      accepted: 7,
    }));
    await simulation.run(begun + 6_000, anything);
    const limits = first.member.limits(simulation.now);
    // A rate that was learned is at first below the limit that was met, and then grows.
    assert.ok(limits.requests > 30 && limits.requests < 40, `${limits.requests}`);
    assert.equal(limits.advertised, 30);
    assert.equal(limits.accepted, 7);
    assert.ok(limits.pausedUntil > begun + 19_000, `${limits.pausedUntil}`);
    await simulation.run(begun + 120_000, anything);
    assert.ok(first.member.limits(simulation.now).requests > 1_000);
  });

  slow('read at most 20 files a second each, however many they are, and 100 while they join', async () => {
    const simulation = newSimulation();
    const { pick } = random(seed);
    const count = 30;
    for (let i = 0; i < count; i++) simulation.start();
    let before = 0;
    for (let second = 1; second <= 40; second++) {
      if (second > 25 && second % 3 === 0)
        pick(simulation.workers).stoppedUntil = simulation.now + 1.3 * LEASE_MS;
      for (let tenth = 1; tenth <= 10; tenth++) {
        await simulation.run(1_000 * (second - 1) + 100 * tenth, anything);
        assert.ok(simulation.sum <= 1 + 1e-9, `${simulation.sum} at ${simulation.now}`);
      }
      const reads = (simulation.reads - before) / count;
      before = simulation.reads;
      const most = second < 25 ? 100 : 25;
      assert.ok(reads <= most, `${reads} files read by each in second ${second}`);
    }
    const waited = simulation.workers.map(worker => worker.waited ?? Number.POSITIVE_INFINITY);
    assert.ok(Math.max(...waited) < 25_000, `the last one waited for ${Math.max(...waited)} ms`);
  });
});
