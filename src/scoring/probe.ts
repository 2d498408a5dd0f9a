import { CallError } from '../client/failures.ts';
import type { ReceivedPredictions } from '../client/response/parse-predictions.ts';
import { sliceBatch } from '../formats/csv/batch.ts';
import type { Dialect } from '../formats/csv/dialect.ts';
import type { Encode, Encoded } from './encode.ts';

export interface ProbeOptions {
  dialect: Dialect;
  toBody: Encode;
  /** Makes a request whose response nobody needs; whether it succeeded. */
  send: (asked: ProbeRequest, signal: AbortSignal) => Promise<boolean>;
}

/** As much of a batch as its request needs. */
type ProbeRequest = Pick<Encoded, 'body' | 'personas'>;

type Outcome = ReceivedPredictions | CallError;

/** Makes a request, and sees to it that its failures can be judged. */
export type WithProbes = (
  encoded: Encoded,
  call: (onRetry: (failure: CallError, missing: number) => void) => Promise<Outcome>,
) => Promise<Outcome>;

/** Of several probes, so many may fail: with the next one, it is the service that is at fault. */
const MAX_FAILED = 1;

/**
 * Whether the service or a row is at fault is told by other requests: do they succeed meanwhile? Where too few were
 * made, probes are: of the smallest body that was scored before, else of one row of the failing batch, another one each
 * time.
 */
export function withProbes({ dialect, toBody, send: ask }: ProbeOptions): WithProbes {
  let scored: ProbeRequest | undefined;
  /** The probes that are under way: more would be a burden to a service that is at fault itself. */
  let probing: AbortController | undefined;

  const probe = async (asked: ProbeRequest, count: number, { signal }: AbortController): Promise<void> => {
    for (let made = 0, failed = 0; made < count && failed <= MAX_FAILED && !signal.aborted; made++)
      if (!(await ask(asked, signal))) failed++;
  };

  return async (encoded, call) => {
    let own: AbortController | undefined;
    let failures = 0;
    const end = (): void => {
      own?.abort();
      if (probing === own) probing = undefined;
      own = undefined;
    };
    const onRetry = (_: CallError, missing: number): void => {
      failures++;
      if (missing === 0 || probing !== own) return;
      // Several are made one after the other, and may outlast a wait.
      if (missing > 1 && own !== undefined) return;
      end();
      const asked = scored ?? oneRowOf(encoded, failures);
      if (asked === undefined) return;
      const started = new AbortController();
      own = started;
      probing = started;
      void probe(asked, missing, started).finally(() => {
        if (own === started) end();
      });
    };
    try {
      const outcome = await call(onRetry);
      const { body, personas } = encoded;
      if (outcome instanceof CallError) return outcome;
      // A copy: the body itself is written over when it is answered. Few are made, as few are smaller than all before.
      if (outcome.errors.size < personas && body.length < (scored?.body.length ?? Number.POSITIVE_INFINITY))
        scored = { body: Buffer.from(body), personas };
      return outcome;
    } finally {
      end();
    }
  };

  function oneRowOf({ batch }: Encoded, failures: number): Encoded | undefined {
    if (batch.ends.length < 2) return undefined;
    const index = failures % batch.ends.length;
    return toBody(sliceBatch(batch, index, index + 1, dialect)).next().value ?? undefined;
  }
}
