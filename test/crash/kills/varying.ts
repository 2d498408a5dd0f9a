import { createHash } from 'node:crypto';
import type { StubCall } from '../../support/stub/service.ts';

/** The longest probability, in digits after the decimal point. */
const DIGITS = 15;

/** A service whose replicas respond differently: each response has different probabilities of different lengths. */
export class VaryingService {
  /** Row id → the probabilities it was given by the responses so far, as written. */
  readonly #given = new Map<number, Set<string>>();

  /** Changes the probabilities in a response. */
  vary({ number, body, defaultResponse }: StubCall): void {
    defaultResponse.predictions = body.personas.map(({ features }) => {
      const id = Number(features.id);
      const digest = createHash('sha256').update(`${number} ${id}`).digest();
      const no = Number((digest.readUInt32LE(0) / 2 ** 32).toFixed(1 + ((number + id) % DIGITS)));
      const yes = 1 - no;
      this.#given.set(id, (this.#given.get(id) ?? new Set()).add(`${no},${yes}`));
      return { probabilities: { no, yes } };
    });
  }

  /** Whether one response gave a row these probabilities. */
  hasGiven(id: number, probabilities: string): boolean {
    return this.#given.get(id)?.has(probabilities) ?? false;
  }
}

/**
 * Compares an output with that of another run, with different responses.
 *
 * @returns what is wrong; undefined if each row is there once, complete, in order, with one response's
 *   probabilities
 */
export function differenceOf(output: string, other: string, service: VaryingService): string | undefined {
  const [lines, others] = [output.split('\n'), other.split('\n')];
  if (lines.length !== others.length) return `${lines.length} lines instead of ${others.length}`;
  for (const [index, line] of lines.entries()) {
    const [own, wanted] = [partsOf(line), partsOf(others[index] ?? '')];
    if (own.record !== wanted.record) return `line ${index + 1}: ${line.slice(0, 60)}`;
    const isScored = index > 0 && /\d/.test(wanted.appended);
    if (isScored && !service.hasGiven(Number.parseInt(line, 10), own.appended))
      return `line ${index + 1}: ${own.appended} is not from any response`;
    if (!isScored && own.appended !== wanted.appended) return `line ${index + 1}: ${own.appended}`;
  }
  return undefined;
}

/** A line without its last two fields, and those fields. */
function partsOf(line: string): { record: string; appended: string } {
  const [, record = line, appended = ''] = /^(.*),([^,]*,[^,]*)$/.exec(line) ?? [];
  return { record, appended };
}
