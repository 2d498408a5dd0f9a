import type { ReadStream } from 'node:fs';
import {
  type Features,
  type LooseReport,
  looseReport,
  type PersonaAnswer,
} from '../../../base/contract/schemas.ts';
import { checkReadable } from '../../store/report-folder.ts';
import { loadReportModel } from '../../store/report-model.ts';
import { readReportResponse, testingResults } from '../../store/report-store.ts';
import { hintAtUrl } from '../hint-at-url.ts';
import { LocalScorer } from '../local-scorer.ts';
import { predictPersona } from './predict-persona.ts';
import { type ScoredStream, scoreStream } from './score-stream.ts';

/** Answers from the reports in a folder what a prediction service would answer. */
export class LocalService {
  readonly name = 'local';
  readonly #home: string;
  #scorer: LocalScorer | undefined;

  constructor(home: string) {
    this.#home = home;
  }

  /** With its members in the order in which a client reads them. */
  async report(id: string): Promise<LooseReport> {
    return looseReport.parse(await hintAtUrl(readReportResponse(this.#home, id)));
  }

  /** A report's testing results, as CSV. */
  async *testingResults(id: string): AsyncGenerator<Buffer> {
    const results: ReadStream = await hintAtUrl(testingResults(this.#home, id));
    yield* results;
  }

  /** @throws RowcastError `unknown_columns` */
  async persona(id: string, features: Features): Promise<PersonaAnswer> {
    return predictPersona(await hintAtUrl(loadReportModel(this.#home, id)), features);
  }

  /** Scores a CSV called `name`; see `upload` of the client. */
  async batchPredict(
    id: string,
    csv: AsyncIterable<Buffer>,
    signal: AbortSignal | undefined,
    name: string,
  ): Promise<ScoredStream> {
    this.#scorer ??= await LocalScorer.open({ home: this.#home });
    return scoreStream(this.#scorer, { report: id, csv, name, signal });
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
