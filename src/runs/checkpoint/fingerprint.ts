import { createHash } from 'node:crypto';
import { dirname, relative } from 'node:path';
import { type LooseReport, techSpecs } from '../../contract/schemas.ts';
import type { Dialect } from '../../formats/csv/dialect.ts';
import type { Source } from '../../storage/source.ts';
import type { ScoreOptions } from '../options.ts';
import type { Fingerprint } from './checkpoint.ts';

/** The options that change the output's bytes; how it is called, how often and how fast does not. */
const OUTPUT_OPTIONS = [
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

/** The option's name in a fingerprint. */
export const REJECTS_OPTION = '--rejects';

/** Where a run's rejects go if that was asked for, seen from its output: both may move together. */
export const relativeRejectsPath = (output: string, rejects: string | undefined): string | undefined =>
  rejects === undefined ? undefined : JSON.stringify(relative(dirname(output), rejects));

export interface FingerprintOptions {
  source: Source;
  /** `embedded`, or the base URL. */
  service: string;
  report: LooseReport;
  /** `placeOfRejects`. */
  rejects: string | undefined;
  options: ScoreOptions;
  /** What the input is read in, however it was chosen. */
  dialect: Dialect;
}

/** What makes a run the same run. Holds no key and no persona's value. */
export function fingerprintOf({
  source,
  service,
  report,
  rejects,
  options,
  dialect,
}: FingerprintOptions): Fingerprint {
  const given = OUTPUT_OPTIONS.flatMap(name => {
    const value = options[name];
    return value === undefined
      ? []
      : [[`--${name.replace(/[A-Z]/g, c => `-${c.toLowerCase()}`)}`, JSON.stringify(value)]];
  });
  return {
    input: { ...source.identity },
    dialect: { ...dialect, quote: dialect.quote ?? null },
    service,
    report: {
      id: options.report,
      hash: createHash('sha256')
        .update(canonicalJson(contractOf(report)))
        .digest('hex'),
    },
    options: { ...Object.fromEntries(given), ...(rejects !== undefined && { [REJECTS_OPTION]: rejects }) },
  };
}

/** The members that the contract names: others, such as a time or a counter, may differ in every response. */
function contractOf({ predicts, classes, columns, tech_specs, drivers, model_sha256 }: LooseReport): object {
  return {
    ...{ predicts, classes, model_sha256 },
    columns: columns?.map(({ name, type, decimal }) => ({ name, type, decimal })),
    tech_specs: Object.fromEntries(Object.keys(techSpecs.shape).map(name => [name, tech_specs[name]])),
    drivers: drivers.map(({ column, impact }) => ({ column, impact })),
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
