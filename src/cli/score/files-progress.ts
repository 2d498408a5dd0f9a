import { stat } from 'node:fs/promises';
import { counted, countOf } from '../../base/number-text.ts';
import type { RunRecord } from '../../runs/run-record.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import { addSamples, noSample, type TimelineSample } from '../../runs/summary/timeline.ts';
import { newRowCounts, type RowCounts, sumOf } from '../../scoring/row-counts.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import { type ProgressReport, progressText } from '../terminal/progress-text.ts';

/** How far some of the files are. */
interface Stage {
  accounts: RowCounts;
  /** Bytes of inputs that are done. */
  bytes: number;
  /** What this process did not do: skipped files, and what was done before a resume. */
  before: { read: number; bytes: number };
}

/** How far the files of one command are, together. */
export class FilesProgress {
  readonly #service: string;
  readonly #sizes: readonly number[];
  readonly #open = new Map<number, RunRecord>();
  #past: Stage = { accounts: newRowCounts(), bytes: 0, before: { read: 0, bytes: 0 } };
  #sampled = noSample;
  #ended = 0;
  #failed = 0;

  /** @param sizes of the inputs in bytes */
  constructor(service: string, sizes: readonly number[]) {
    this.#service = service;
    this.#sizes = sizes;
  }

  /** Rows of the files that have ended. */
  get accounts(): RowCounts {
    return this.#past.accounts;
  }

  begin(index: number, record: RunRecord): void {
    this.#open.set(index, record);
  }

  end(index: number, record: RunRecord, status: Summary['status'] | undefined): void {
    this.#open.delete(index);
    this.#sampled = addSamples([this.#sampled, { ...record.sample(), inFlight: 0 }]);
    this.#ended++;
    if (status === 'stopped' || status === 'refused') this.#failed++;
    const size = this.#sizes[index] ?? 0;
    const { accounts, before } = stageOf(record, size);
    const bytesBefore = status === 'skipped' ? size : before.bytes;
    const stage = { accounts, bytes: size, before: { ...before, bytes: bytesBefore } };
    this.#past = sumOfStages([this.#past, stage]);
  }

  /** What was done so far, for a timeline. */
  sample(): TimelineSample {
    return addSamples([this.#sampled, ...[...this.#open.values()].map(record => record.sample())]);
  }

  /**
   * The line of totals.
   *
   * @param seconds since the first file
   */
  report(seconds: number): ProgressReport {
    const open = [...this.#open.values()];
    const stages = [...this.#open].map(([index, record]) => stageOf(record, this.#sizes[index] ?? 0));
    const { accounts, bytes, before } = sumOfStages([this.#past, ...stages]);
    const size = sumOfAll(this.#sizes);
    const fractionOf = (part: number): number | undefined => (size === 0 ? undefined : part / size);
    const inFlight = sumOfAll(open.map(({ statistics }) => statistics?.inFlight ?? 0));
    const { cells, fields } = progressText(
      { accounts, fraction: fractionOf(bytes), before: { ...before, fraction: fractionOf(before.bytes) } },
      seconds,
      this.#service === LOCAL ? undefined : { inFlight },
    );
    const files = { total: this.#sizes.length, ended: this.#ended, failed: this.#failed };
    const failed = files.failed === 0 ? '' : `${counted(files.failed)} failed`;
    return {
      name: `${counted(files.ended)}/${countOf(files.total, 'file')}`,
      cells: [...cells, failed],
      fields: { files, ...fields },
    };
  }
}

/** The bytes of a compressed input count only when it has ended, because it is not known before how far it is. */
function stageOf({ accounts, progress }: RunRecord, size: number): Stage {
  const { fraction = 0, before } = progress ?? {};
  return {
    accounts,
    bytes: size * fraction,
    before: { read: before?.read ?? 0, bytes: size * (before?.fraction ?? 0) },
  };
}

const sumOfStages = (stages: readonly Stage[]): Stage => ({
  accounts: sumOf(stages.map(({ accounts }) => accounts)),
  bytes: sumOfAll(stages.map(({ bytes }) => bytes)),
  before: {
    read: sumOfAll(stages.map(({ before }) => before.read)),
    bytes: sumOfAll(stages.map(({ before }) => before.bytes)),
  },
});

const sumOfAll = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

/** The sizes of files in bytes; 0 for those that cannot be read. */
export async function sizesOf(paths: readonly string[]): Promise<number[]> {
  const sizes: number[] = [];
  for (const path of paths) sizes.push((await stat(path).catch(() => undefined))?.size ?? 0);
  return sizes;
}
