import { random } from '../../fixtures/random.ts';
import { type StubCall, send } from '../support/stub/service.ts';

/** What is wrong with a row, by its id: its reject code. */
export type Flaw = 'too_few_fields' | 'too_large' | 'malformed' | 'not_a_persona' | 'broken' | Entry;
/** The error of a single persona. */
type Entry = 'too_old' | 'wrong_probabilities';

const LARGE_ROWS: readonly number[] = [70_001, 140_003, 199_990];
const BROKEN_ROWS: readonly number[] = [4_000, 123_456, 199_000];
/** The longest value that the service accepts, in bytes. */
const MAX_BYTES = 1000;

export function flawOf(id: number): Flaw | undefined {
  if (id % 2003 === 11) return 'too_few_fields';
  if (LARGE_ROWS.includes(id)) return 'too_large';
  if (BROKEN_ROWS.includes(id)) return 'broken';
  if (id % 30_011 === 9) return 'malformed';
  if (id % 20_011 === 7) return 'not_a_persona';
  if (id % 997 === 5) return 'too_old';
  return id % 1009 === 6 ? 'wrong_probabilities' : undefined;
}

/** A row of id and plan; neighbours sometimes have the same flaw. */
export function recordOf(id: number): string {
  if (flawOf(id) === 'too_few_fields') return String(id);
  return `${id},${flawOf(id) === 'too_large' ? 'x'.repeat(50 * MAX_BYTES) : `plan ${id % 7}`}`;
}

const html = '<html><body><h1>Bad Gateway</h1><p>nginx</p></body></html>';
const respond = ({ response }: StubCall, status: number, headers = {}): void =>
  send(response, status, { code: `status_${status}` }, headers);

/** Temporary failures of a request. */
const ways = {
  'the connection breaks': ({ request }) => void request.socket.destroy(),
  'the connection breaks in the middle of the response': ({ request, response, defaultResponse }) => {
    const whole = JSON.stringify(defaultResponse);
    response.writeHead(200, { 'content-length': whole.length });
    response.write(whole.slice(0, whole.length / 2), () => request.socket.destroy());
  },
  'no response': () => {},
  'half a response': ({ response }) => {
    response.writeHead(200);
    response.write('{"predictions":[');
  },
  408: call => respond(call, 408),
  429: call => respond(call, 429),
  '429, Retry-After: 0': call => respond(call, 429, { 'retry-after': '0' }),
  '429, Retry-After: 1': call => respond(call, 429, { 'retry-after': '1' }),
  '429, Retry-After: a date': call =>
    respond(call, 429, { 'retry-after': new Date(Date.now() + 1000).toUTCString() }),
  500: call => respond(call, 500),
  '502, an error page of a proxy': ({ response }) => void response.writeHead(502).end(html),
  503: ({ response }) => void response.writeHead(503).end(),
  504: call => respond(call, 504),
  'a wrong count': ({ response, defaultResponse: { id, predictions } }) =>
    send(response, 200, { id, predictions: predictions.slice(1) }),
  'another error page of a proxy': ({ response }) => void response.writeHead(200).end(html),
  'an empty response': ({ response }) => void response.writeHead(200).end(),
} satisfies Record<string, (call: StubCall) => void>;
type Way = keyof typeof ways;
const allWays = Object.keys(ways) as Way[]; // Object.keys loses the key type

/** These slow down all requests, so they are rarer, to limit the duration of the soak test. */
const slowing: readonly Way[] = allWays.filter(way => String(way).startsWith('429'));
const draws = allWays.flatMap(way => (slowing.includes(way) ? [way] : [way, way, way, way]));

/** The shares of bodies that fail once and twice. */
const [ONCE, TWICE] = [0.25, 0.2];

/** A service that fails over a third of its requests, and rejects some rows. */
export class FailingService {
  calls = 0;
  failures = 0;
  readonly #taken = new Set<Way>();
  readonly #seed: number;
  readonly #tries = new Map<string, number>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** The kinds of failure that have not occurred yet. */
  get untaken(): Way[] {
    return allWays.filter(way => !this.#taken.has(way));
  }

  /** Responds to a request, or fails it, depending only on its personas and on how often these were sent before. */
  respond(call: StubCall): void {
    this.calls++;
    const { personas } = call.body;
    const ids = personas.map(({ features }) => Number(features.id));
    const way = this.#wayOf(ids);
    if (way !== undefined) {
      this.#taken.add(way);
      ways[way](call);
    }
    if (way !== undefined || !respondToFlawed(call, ids)) this.failures++;
  }

  #wayOf(ids: readonly number[]): Way | undefined {
    const [first = 0] = ids;
    const body = `${first} ${ids.length}`;
    const tries = this.#tries.get(body) ?? 0;
    this.#tries.set(body, tries + 1);
    // The rare ones occur whatever the seed is.
    if (tries === 0 && slowing[first / 1000] !== undefined) return slowing[first / 1000];
    const chance = random(this.#seed + first * 1009 + ids.length);
    const drawn = chance.unit();
    const failing = drawn < TWICE ? 2 : drawn < TWICE + ONCE ? 1 : 0;
    const drawnWays = [chance.pick(draws), chance.pick(draws)];
    return tries < failing ? drawnWays[tries] : undefined;
  }
}

const statuses = { too_large: 413, malformed: 400, not_a_persona: 422, broken: 500 } as const;

/** Responds according to the flaws of the personas; true if all were accepted. */
function respondToFlawed({ response, defaultResponse }: StubCall, ids: readonly number[]): boolean {
  const flaws = ids.map(flawOf);
  const refused = (['too_large', 'malformed', 'not_a_persona', 'broken'] as const).find(flaw =>
    flaws.includes(flaw),
  );
  if (refused !== undefined) {
    send(response, statuses[refused], { code: refused });
    return false;
  }
  const predictions = defaultResponse.predictions.map((prediction, index) => {
    if (flaws[index] === 'too_old') return { error: { code: 'too_old', message: 'too old' } };
    return flaws[index] === 'wrong_probabilities' ? { probabilities: { no: 0.9, yes: 0.9 } } : prediction;
  });
  send(response, 200, { ...defaultResponse, predictions });
  return true;
}
