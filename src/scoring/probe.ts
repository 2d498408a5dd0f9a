import { CallError } from '../client/failures.ts';
import type { ReceivedPredictions } from '../client/response/parse-predictions.ts';
import { sliceBatch } from '../formats/csv/batch.ts';
import type { Dialect } from '../formats/csv/dialect.ts';
import type { Encode, Encoded } from './encode.ts';

export interface ProbeOptions {
  dialect: Dialect;
  toBody: Encode;
  /** Sends a request whose response is discarded; returns whether it succeeded. */
  send: (request: ProbeRequest, signal: AbortSignal) => Promise<boolean>;
}

/** The parts of an encoded batch that a request needs. */
type ProbeRequest = Pick<Encoded, 'body' | 'personas'>;

type Outcome = ReceivedPredictions | CallError;

/** Runs a call, and sends probes when its failures cannot be attributed otherwise. */
export type WithProbes = (
  encoded: Encoded,
  call: (onRetry: (failure: CallError, missing: number) => void) => Promise<Outcome>,
) => Promise<Outcome>;

/** Failed probes that are tolerated; one more means that the service is failing. */
const MAX_FAILED = 1;

/**
 * To tell a failing service from a failing row, see whether other requests succeed in the meantime. If too few ran, send
 * probes: the smallest body that was scored before, else a single row of the failing batch, a different one each time.
 */
export function withProbes({ dialect, toBody, send }: ProbeOptions): WithProbes {
  let scored: ProbeRequest | undefined;
  /** The probes in flight; only one batch probes at a time, to spare a failing service. */
  let probing: AbortController | undefined;

  const probe = async (request: ProbeRequest, count: number, { signal }: AbortController): Promise<void> => {
    for (let made = 0, failed = 0; made < count && failed <= MAX_FAILED && !signal.aborted; made++)
      if (!(await send(request, signal))) failed++;
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
      // Several probes run one after the other, and may take longer than the wait before the retry.
      if (missing > 1 && own !== undefined) return;
      end();
      const request = scored ?? oneRowOf(encoded, failures);
      if (request === undefined) return;
      const started = new AbortController();
      own = started;
      probing = started;
      void probe(request, missing, started).finally(() => {
        if (own === started) end();
      });
    };
    try {
      const outcome = await call(onRetry);
      const { body, personas } = encoded;
      if (outcome instanceof CallError) return outcome;
      // A copy, because the body's buffer is reused. Copies are rare: only for a body smaller than all before.
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
