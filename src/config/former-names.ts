import { isDeepStrictEqual } from 'node:util';
import type { Options } from './options/option.ts';

/** The former names of options → the names that they have now. */
export function formerNamesOf(options: Options): Map<string, string> {
  return new Map(
    Object.entries(options).flatMap(([name, { formerName }]) =>
      formerName === undefined ? [] : [[formerName, name] as const],
    ),
  );
}

/**
 * Moves values that are given by the former name of an option to its current name.
 *
 * @param onConflict called when both names are given with different values
 */
export function useCurrentNames(
  options: Options,
  given: Readonly<Record<string, unknown>>,
  onConflict: (former: string, current: string) => void,
): Record<string, unknown> {
  const formerNames = formerNamesOf(options);
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const current = formerNames.get(name) ?? name;
    const other = current === name ? undefined : given[current];
    if (other !== undefined && !isDeepStrictEqual(other, value)) onConflict(name, current);
    values[current] = value;
  }
  return values;
}
