import { createHash } from 'node:crypto';
import type { LooseReport } from '../api/shapes.ts';
import type { Dialect } from '../csv/dialect.ts';
import type { Source } from '../io/source.ts';
import type { Fingerprint } from './checkpoint.ts';
import type { ScoreOptions } from './options.ts';

/** The options that change the output's bytes; how it is called, how often and how fast does not. */
const DECISIVE = [
  'columns',
  'drop',
  'allowMissing',
  'types',
  'nulls',
  'classes',
  'prefix',
  'prediction',
  'limit',
] as const satisfies readonly (keyof ScoreOptions)[];

export interface FingerprintOptions {
  source: Source;
  /** `embedded`, or the base URL. */
  service: string;
  report: LooseReport;
  options: ScoreOptions;
  /** What the input is read in, however it was chosen. */
  dialect: Dialect;
}

/** What makes a run the same run. Holds no key and no persona's value. */
export function fingerprintOf({
  source,
  service,
  report,
  options,
  dialect,
}: FingerprintOptions): Fingerprint {
  const given = DECISIVE.flatMap(name => {
    const value = options[name];
    return value === undefined
      ? []
      : [[`--${name.replace(/[A-Z]/g, c => `-${c.toLowerCase()}`)}`, JSON.stringify(value)]];
  });
  return {
    input: { ...source.identity },
    dialect: { ...dialect, quote: dialect.quote ?? null },
    service,
    report: { id: options.report, hash: createHash('sha256').update(canonicalJson(report)).digest('hex') },
    options: Object.fromEntries(given),
  };
}

/** JSON with members in one order: a service may tell the same report in another. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
