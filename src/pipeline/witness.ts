import type { Answer } from '../api/answer.ts';
import type { CallError } from '../api/failures.ts';
import { FEW } from '../api/retry.ts';
import { sliceBatch } from '../csv/batch.ts';
import type { Dialect } from '../csv/dialect.ts';
import type { Encode, Encoded } from './encode.ts';

export interface WitnessOptions {
  dialect: Dialect;
  toBody: Encode;
  /** Makes a call whose answer nobody needs. */
  ask: (asked: Asked, signal: AbortSignal) => Promise<unknown>;
}

/** As much of a batch as its call needs. */
type Asked = Pick<Encoded, 'body' | 'personas'>;

/** Makes a call, and sees to it that its failures can be judged. */
export type Witnessed = (
  encoded: Encoded,
  call: (onRetry: (failure: CallError) => void) => Promise<Answer>,
) => Promise<Answer>;

/**
 * Whether the service or a row is at fault is told by other calls: do they succeed meanwhile? Where none has, one is
 * made for that alone after a few tries: of the smallest that was scored before, else of one row of the failing batch,
 * another one each time.
 */
export function witnessed({ dialect, toBody, ask }: WitnessOptions): Witnessed {
  let successes = 0;
  let scored: Asked | undefined;
  /** The one that is under way: more would be a burden to a service that is at fault itself. */
  let witness: AbortController | undefined;

  return async (encoded, call) => {
    let before = successes;
    let own: AbortController | undefined;
    let failures = 0;
    const end = (): void => {
      own?.abort();
      if (witness === own) witness = undefined;
    };
    const onRetry = (failure: CallError): void => {
      const othersSucceed = successes > before;
      before = successes;
      if (othersSucceed || !mayBeTheRows(failure) || ++failures < FEW || witness !== own) return;
      end();
      const other = scored ?? oneRowOf(encoded, failures);
      if (other === undefined) return;
      own = new AbortController();
      witness = own;
      // Only its success tells something.
      ask(other, own.signal).catch(() => {});
    };
    try {
      const answer = await call(onRetry);
      successes++;
      const { body, personas } = encoded;
      // A copy: the body itself is written over when it is answered. Few are made, as few are smaller than all before.
      if (answer.errors.size < personas && body.length < (scored?.body.length ?? Number.POSITIVE_INFINITY))
        scored = { body: Buffer.from(body), personas };
      return answer;
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

/** Failures after which it matters whether other calls succeed. */
const mayBeTheRows = ({ kind, code }: CallError): boolean => kind === 'fault' || code === 'service_timeout';
