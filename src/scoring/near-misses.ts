import { sanitize } from '../base/sanitize.ts';
import { suggestNames } from '../base/suggest-names.ts';

/** A column of the report that the input lacks, and one of the input that was perhaps meant by it. */
export interface NearMiss {
  wanted: string;
  found: string;
}

/** Maximum number of missing columns to look for: each is compared with every column of the input. */
const MAX_NEAR_MISSES = 20;

/** @param names the input's columns */
export function nearMissesOf(missing: readonly string[], names: readonly string[]): NearMiss[] {
  return missing.slice(0, MAX_NEAR_MISSES).flatMap(wanted => {
    const [found] = suggestNames(wanted, names);
    return found === undefined ? [] : [{ wanted, found }];
  });
}

/** For example `Did you mean "tenure" for "Tenure"? `; empty if no name is similar. */
export function nearMissText(missing: readonly string[], names: readonly string[]): string {
  const pairs = nearMissesOf(missing, names).map(
    ({ wanted, found }) => `${listNames([wanted])} for ${listNames([found])}`,
  );
  return pairs.length === 0 ? '' : `Did you mean ${pairs.join(', ')}? `;
}

/** Names for a message, quoted. A column without a name is called `(unnamed)`. */
export function listNames(names: readonly string[]): string {
  return sanitize(names.map(name => (name === '' ? '(unnamed)' : JSON.stringify(name))).join(', '));
}
