// How much of a service's capacity is used, after the first 30 s:
//   npm run bench:pace [-- WORD]    only the scenarios whose name has the word

import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { spawnRowcast } from '../support/rowcast.ts';
import { type Stub, type StubCall, type StubOptions, send, startStub } from '../support/stub/service.ts';

const WARM_UP_SECONDS = 30;
const MEASURED_SECONDS = 60;
const CONCURRENCY = 16;
/** Scenarios run concurrently, because all of them mostly wait. */
const AT_ONCE = 4;

interface Scenario {
  name: string;
  goal: string;
  /** The service, which accepts or rejects requests and counts both. */
  service: () => StubOptions['behave'];
  /** The capacity of the service in requests per second; undefined: measured with clients that do nothing else. */
  best?: number;
  /** Rows per batch, and bytes per row. */
  rows?: { count: number; bytes: number };
}

const seconds = (): number => performance.now() / 1000;

/** Accepts `rate` requests per second, with a burst of a tenth of that. */
function bucket(rate: number): () => number {
  const burst = Math.max(1, rate / 10);
  let tokens = burst;
  let then = seconds();
  return () => {
    const now = seconds();
    tokens = Math.min(burst, tokens + (now - then) * rate);
    then = now;
    return tokens >= 1 ? tokens-- : 0;
  };
}

/** Accepts `limit` requests in each window of `length` seconds. */
function windows(limit: number, length: number): () => { left: number; reset: number } {
  let begun = seconds();
  let taken = 0;
  return () => {
    const now = seconds();
    if (now - begun >= length) {
      begun += Math.floor((now - begun) / length) * length;
      taken = 0;
    }
    return { left: limit - ++taken, reset: Math.ceil(begun + length - now) };
  };
}

const LATENCY_MS = 50;
/** The client's first backoff, which doubles with each retry (`backoff` in scoring/failures/attempts.ts). */
const FIRST_WAIT_MS = 250;

const refusing =
  (rate: number, retryAfter: boolean, take = bucket(rate)): StubOptions['behave'] =>
  async ({ response }: StubCall) => {
    await delay(LATENCY_MS);
    if (take() > 0) return false;
    send(response, 429, {}, retryAfter ? { 'retry-after': '1' } : {});
    return true;
  };

/** Rejects a share of the requests, regardless of their rate. */
const refusingAtRandom =
  (share: number): StubOptions['behave'] =>
  async ({ response }: StubCall) => {
    await delay(LATENCY_MS);
    if (Math.random() >= share) return false;
    send(response, 429, {});
    return true;
  };

/**
 * Accepted requests per second for clients that only wait before each retry, as long as this client does on average.
 */
const retried = (share: number): number =>
  (1000 * CONCURRENCY) / (LATENCY_MS / (1 - share) + (share * FIRST_WAIT_MS) / 2 / (1 - 2 * share));

type Form = (limit: number, window: number, left: number, reset: number) => Record<string, string>;

const fields: Form = (limit, _, left, reset) => ({
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(Math.max(0, left)),
  'ratelimit-reset': String(reset),
});

const structured: Form = (limit, window, left, reset) => ({
  'ratelimit-policy': `"default";q=${limit};w=${window}`,
  ratelimit: `"default";r=${Math.max(0, left)};t=${reset}`,
});

const telling = (limit: number, window: number, form: Form): StubOptions['behave'] => {
  const take = windows(limit, window);
  return async ({ response, defaultResponse }: StubCall) => {
    const { left, reset } = take();
    await delay(LATENCY_MS);
    const headers = form(limit, window, left, reset);
    if (left >= 0) send(response, 200, defaultResponse, headers);
    else send(response, 429, {}, { ...headers, 'retry-after': String(reset) });
    return true;
  };
};

/** Responds after a latency that may depend on the number of concurrent requests. */
const answering = (latency: (atOnce: number) => number): StubOptions['behave'] => {
  let atOnce = 0;
  return async () => {
    atOnce++;
    await delay(latency(atOnce));
    atOnce--;
    return false;
  };
};

/** Its throughput is best with six concurrent requests, 60 per second; with sixteen it is 39. */
const thrashing = (atOnce: number): number => LATENCY_MS * (1 + (atOnce / 6) ** 2);

const OUTAGE_SECONDS = 20;
const SLOW = { every: 100, ms: 500, times: 20 };

const scenarios: Scenario[] = [
  ...[20, 200].flatMap(rate => [
    ...[true, false].map(retryAfter => ({
      name: `429 above ${rate}/s, ${retryAfter ? 'Retry-After: 1' : 'no Retry-After'}`,
      goal: '85%, 5%',
      best: rate,
      service: () => refusing(rate, retryAfter),
    })),
    {
      name: `429 above ${rate} in each second, no Retry-After`,
      goal: '85%, 5%',
      best: rate,
      service: () => {
        const take = windows(rate, 1);
        return refusing(rate, false, () => (take().left >= 0 ? 1 : 0));
      },
    },
    ...[1, 60].map(window => ({
      name: `RateLimit-Limit, -Remaining, -Reset: ${rate}/s in windows of ${window} s`,
      goal: '95%, 1%',
      best: rate,
      service: () => telling(rate * window, window, fields),
    })),
    {
      name: `RateLimit and RateLimit-Policy: ${rate}/s in windows of 10 s`,
      goal: '95%, 1%',
      best: rate,
      service: () => telling(rate * 10, 10, structured),
    },
  ]),
  ...[0.07, 0.3, 0.35].map(share => ({
    name: `429 to ${Math.round(share * 100)} % of the requests at random, no Retry-After`,
    goal: '85%',
    best: retried(share),
    service: () => refusingAtRandom(share),
  })),
  ...[50, 500].map(ms => ({
    name: `fixed latency of ${ms} ms`,
    goal: '95%',
    service: () => answering(() => ms),
  })),
  { name: 'slower with load', goal: '90%', best: 60, service: () => answering(thrashing) },
  {
    name: `1% of the requests ${SLOW.times} times slower`,
    goal: '95% of no order',
    rows: { count: 1000, bytes: 120 },
    service: () => {
      let calls = 0;
      return answering(() => (++calls % SLOW.every === 0 ? SLOW.times * SLOW.ms : SLOW.ms));
    },
  },
];

/** Endless rows, of which only a short column is sent. */
function endless(bytes: number): Readable {
  const chunk = Buffer.from(
    Array.from({ length: 1000 }, (_, row) => `${row},${'x'.repeat(Math.max(0, bytes - 6))}\n`).join(''),
  );
  return Readable.from(
    (function* () {
      yield Buffer.from('id,text\n');
      for (;;) yield chunk;
    })(),
    { highWaterMark: 1 },
  );
}

interface Counts {
  taken: number;
  refused: number;
}

/** Starts the service and a run against it that ends with `use`. */
async function runAgainst(
  { service, best: known, rows = { count: 10, bytes: 10 } }: Scenario,
  use: (counts: () => Counts, best: number) => Promise<string>,
): Promise<string> {
  const counts: Counts = { taken: 0, refused: 0 };
  const behave = service();
  const stub = await startStub(undefined, {
    report: { classes: ['no', 'yes'] },
    behave: async call => {
      stub.bodies.length = 0; // they would accumulate
      call.response.once('finish', () => {
        if (call.response.statusCode === 200) counts.taken++;
        else counts.refused++;
      });
      return (await behave?.(call)) ?? false;
    },
  });
  const best = known ?? (await bareRate(stub, rows.count));
  const args = ['score', '--report', 'r', '--url', stub.url, '--features', 'id'];
  const child = spawnRowcast([...args, '--batch-rows', String(rows.count)], {
    env: { ROWCAST_API_KEY: stub.key },
  });
  child.stdin.on('error', () => {}); // it is killed while it reads
  child.stderr.pipe(process.stderr);
  child.stdout.resume();
  endless(rows.bytes).pipe(child.stdin);
  try {
    return await use(() => ({ ...counts }), best);
  } finally {
    child.kill('SIGKILL');
    await stub.close();
  }
}

/** Requests per second of clients that send the same body and wait only for the response. */
async function bareRate({ url, key }: Stub, rows: number): Promise<number> {
  const body = JSON.stringify({
    id: 'r',
    personas: Array.from({ length: rows }, (_, id) => ({ features: { id } })),
  });
  const headers = { authorization: `ApiKey ${key}`, 'content-type': 'application/json' };
  const begun = seconds();
  let calls = 0;
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (; seconds() - begun < MEASURED_SECONDS; calls++)
        await (await fetch(`${url}/user/batch-persona`, { method: 'POST', headers, body })).text();
    }),
  );
  return calls / (seconds() - begun);
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

async function measure(scenario: Scenario): Promise<string> {
  return runAgainst(scenario, async (counts, best) => {
    await delay(WARM_UP_SECONDS * 1000);
    const before = counts();
    const begun = seconds();
    await delay(MEASURED_SECONDS * 1000);
    const after = counts();
    const taken = after.taken - before.taken;
    const refused = after.refused - before.refused;
    const rate = taken / (seconds() - begun);
    return `${best.toFixed(1)} | ${rate.toFixed(1)} | ${percent(rate / best)} | ${percent(refused / (taken + refused))}`;
  });
}

/** How long it takes after an outage until requests are as fast as before. */
async function measureReturn(scenario: Scenario, isDown: { value: boolean }): Promise<string> {
  return runAgainst(scenario, async counts => {
    await delay(WARM_UP_SECONDS * 500);
    const { taken: then } = counts();
    await delay(WARM_UP_SECONDS * 500);
    const best = (counts().taken - then) / (WARM_UP_SECONDS / 2);
    isDown.value = true;
    await delay(OUTAGE_SECONDS * 1000);
    isDown.value = false;
    const back = seconds();
    for (let before = counts().taken; seconds() - back < 60; ) {
      await delay(1000);
      const { taken } = counts();
      if (taken - before >= 0.95 * best)
        return `${best.toFixed(1)} before | ${taken - before} | ${(seconds() - back).toFixed(0)} s until then | 0.0%`;
      before = taken;
    }
    return `${best.toFixed(1)} before | | not in 60 s | `;
  });
}

const away = (how: (call: StubCall) => void): { scenario: Scenario; isDown: { value: boolean } } => {
  const isDown = { value: false };
  const respond = answering(() => LATENCY_MS);
  return {
    isDown,
    scenario: {
      name: '',
      best: Number.NaN, // the rate before the outage
      goal: 'full pace in 10 s',
      service: () => async call => {
        if (!isDown.value) return (await respond?.(call)) ?? false;
        how(call);
        return true;
      },
    },
  };
};
const closes = away(({ request }) => request.socket.destroy());
const refuses = away(({ response }) => send(response, 503, {}));

const jobs = [
  ...scenarios.map(scenario => ({ scenario, run: () => measure(scenario) })),
  ...Object.entries({ 'closes every connection': closes, 'answers 503': refuses }).map(
    ([how, { scenario, isDown }]) => ({
      scenario: { ...scenario, name: `${how} for ${OUTAGE_SECONDS} s` },
      run: () => measureReturn(scenario, isDown),
    }),
  ),
];

const word = process.argv[2] ?? '';
const wanted = jobs.filter(({ scenario }) => scenario.name.includes(word));
process.stdout.write(
  '| service | requests/s at best | requests/s | of the best | rejected | goal |\n|---|---|---|---|---|---|\n',
);
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let job = wanted.shift(); job !== undefined; job = wanted.shift()) {
      const { name, goal } = job.scenario;
      process.stdout.write(`| ${name} | ${await job.run()} | ${goal} |\n`);
    }
  }),
);
