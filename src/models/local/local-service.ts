import type { ReadStream } from 'node:fs';
import type { UploadFormat } from '../../base/contract/file-formats.ts';
import type { UploadRowCounts } from '../../base/contract/row-counts-trailer.ts';
import {
  type Features,
  type LooseReport,
  looseReport,
  type PersonaAnswer,
} from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { scoreDefaults } from '../../base/options/values/run-values.ts';
import { liveSource } from '../../formats/records/byte-source.ts';
import { prefetch, scoredStream } from '../../scoring/scored-stream.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import { loadReportModel } from '../store/report-model.ts';
import { readReportResponse, testingResults } from '../store/report-store.ts';
import { checkReadable } from '../store/report-version.ts';
import { ModelScorer, suggestOtherService } from './model-scorer.ts';
import { predictPersona } from './predict-personas.ts';

/** The header, the first batch, and what follows it: errors in a file that is not longer come before any output. */
const HELD_BACK = 3;

/** Smaller than those of a run, so that the first rows of a pipe are not held back for long. */
const BATCH_ROWS = 1000;

/** Several parts are held back, and the memory of a part is reused for the next one. */
async function* copied(parts: AsyncIterable<{ bytes: Buffer }>): AsyncGenerator<Buffer> {
  for await (const { bytes } of parts) yield Buffer.from(bytes);
}

/** Answers from the reports in a folder what a prediction service would answer. */
export class LocalService {
  readonly name = LOCAL;
  readonly #home: string;
  #scorer: ModelScorer | undefined;

  constructor(home: string) {
    this.#home = home;
  }

  /** With its members in the order in which a client reads them. */
  async report(id: string): Promise<LooseReport> {
    return looseReport.parse(await suggestOtherService(readReportResponse(this.#home, id)));
  }

  /** A report's testing results, as CSV. */
  async *testingResults(id: string): AsyncGenerator<Buffer> {
    const results: ReadStream = await suggestOtherService(testingResults(this.#home, id));
    yield* results;
  }

  /** @throws RowcastError `unknown_columns` */
  async persona(id: string, features: Features): Promise<PersonaAnswer> {
    return predictPersona(await suggestOtherService(loadReportModel(this.#home, id)), features);
  }

  /** Scores a file; see `upload` of the client. */
  async batchPredict(
    id: string,
    { bytes, format, name }: { bytes: AsyncIterable<Buffer>; format: UploadFormat; name: string },
    signal: AbortSignal | undefined,
  ): Promise<{ chunks: AsyncGenerator<Buffer>; rowCounts(): UploadRowCounts }> {
    this.#scorer ??= await ModelScorer.open({ home: this.#home });
    const values = { ...scoreDefaults, report: id, batchRows: BATCH_ROWS };
    // Its name may tell the delimiter of a CSV.
    const isNamed = format === 'csv' && /\.[ct]sv$/i.test(name);
    const source = { ...liveSource(name, bytes), contentName: isNamed ? name : `${name}.${format}` };
    const scored = await scoredStream({ values }, source, this.#scorer, signal);
    try {
      return { chunks: await prefetch(copied(scored.pieces), HELD_BACK), rowCounts: scored.rowCounts };
    } catch (error) {
      // Nothing was written yet.
      if (error instanceof RowcastError && error.severity === 'stopped') error.severity = 'refused';
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#scorer?.close();
  }
}

/** @throws RowcastError `unreadable_home` */
export async function openLocalService(home: string): Promise<LocalService> {
  await checkReadable(home);
  return new LocalService(home);
}
