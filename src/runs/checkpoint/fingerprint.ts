import { createHash } from 'node:crypto';
import { dirname, relative, resolve } from 'node:path';
import { namedProtocol } from '../../base/contract/protocol-names.ts';
import { type Description, techSpecs } from '../../base/contract/schemas.ts';
import type { RunOption } from '../../base/options/option.ts';
import { runOptions } from '../../base/options/score.ts';
import { camelCase } from '../../base/options/values/resolve-options.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import { schemeOf } from '../../base/scheme.ts';
import type { Layout } from '../../formats/format.ts';
import type { InputRange } from '../../formats/records/position.ts';
import type { Identity } from '../../storage/source.ts';
import type { Fingerprint } from './checkpoint.ts';

/** The options whose values are part of a fingerprint. */
const outputOptions = Object.entries<RunOption>(runOptions)
  .filter(([, { affectsOutput }]) => affectsOutput === true)
  .map(([name]) => name);

/** The name of this option in a fingerprint. */
export const REJECTS_OPTION = '--rejects';

/**
 * The address of the rejects as a fingerprint of their run has it: relative to the output's folder if both are local,
 * so that both files can be moved together.
 *
 * @param rejects undefined: in the default place
 */
export const relativeRejectsPath = (output: string, rejects: string | undefined): string | undefined =>
  rejects &&
  JSON.stringify(isRemote(output) || isRemote(rejects) ? rejects : relative(dirname(output), rejects));

/** The address of the rejects that a fingerprint has. */
export function rejectsAddress(output: string, recorded: string): string {
  const address = JSON.parse(recorded);
  return isRemote(address) ? address : resolve(dirname(output), address);
}

const isRemote = (address: string): boolean => schemeOf(address) !== undefined;

interface FingerprintOptions {
  input: Identity;
  /** The part of the input that the run reads; undefined: all of it. */
  range?: InputRange | undefined;
  /** `local`, or the base URL. */
  service: string;
  protocol?: string | undefined;
  report: Description;
  /** The limits of a batch, if predictions depend on batches. */
  batches?: { rows: number; bytes: number } | undefined;
  /** See `relativeRejectsPath`. */
  rejects: string | undefined;
  options: RunValues;
  /** How the input is read, whether given or found. */
  layout: Pick<Layout, 'format' | 'readAs'>;
}

/** Identifies a run. Contains no API key and no values of personas. */
export function fingerprintOf({
  input,
  range,
  service,
  protocol,
  report,
  batches,
  rejects,
  options,
  layout: { format, readAs },
}: FingerprintOptions): Fingerprint {
  return {
    input: inputOf(input, range),
    format,
    readAs,
    service,
    ...namedProtocol(protocol),
    report: { id: options.report, hash: reportHash(report) },
    options: {
      ...givenOptions(options),
      ...(batches !== undefined && {
        '--batch-rows': `${batches.rows}`,
        '--batch-bytes': `${batches.bytes}`,
      }),
      ...(rejects !== undefined && { [REJECTS_OPTION]: rejects }),
    },
  };
}

/** The options that affect the output, by flag, with their values as JSON. */
export function givenOptions(values: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = outputOptions.flatMap(name => {
    const value = values[camelCase(name)];
    return value === undefined ? [] : [[`--${name}`, JSON.stringify(value)]];
  });
  return Object.fromEntries(given);
}

/** A digest that changes when a report is trained again. */
export const reportHash = (report: Description): string =>
  createHash('sha256')
    .update(canonicalJson(contractOf(report)))
    .digest('hex');

function inputOf(
  { path, size, modified, etag, codec, footer }: Identity,
  range: InputRange | undefined,
): Fingerprint['input'] {
  return {
    path,
    size,
    modified,
    codec,
    ...(etag !== undefined && { etag }),
    ...(footer !== undefined && { footer }),
    ...(range !== undefined && { range: { start: range.start.offset, end: range.end ?? null } }),
  };
}

/** Only the members defined by the contract: others, such as a timestamp or a counter, may differ in every response. */
function contractOf(report: Description): object {
  const { predicts, classes, columns, nulls, tech_specs = {}, drivers = [], model_sha256 } = report;
  return {
    predicts,
    classes,
    nulls,
    model_sha256,
    columns: columns?.map(({ name, type, decimal }) => ({ name, type, decimal })),
    tech_specs: Object.fromEntries(Object.keys(techSpecs.shape).map(name => [name, tech_specs[name]])),
    drivers: drivers.map(({ column, impact }) => ({ column, impact })),
  };
}

/** JSON with sorted members: a service may return the same report with its members in another order. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
