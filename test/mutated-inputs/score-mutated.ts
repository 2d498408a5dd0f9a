import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { RowcastError } from '../../src/base/errors.ts';
import { LocalScorer } from '../../src/library/scorers/local-scorer.ts';
import { scoreStream } from '../../src/library/streams/scored-stream.ts';
import { train } from '../../src/library/train.ts';
import { history, lines, table } from '../kinds/customers.ts';
import { parquetOf } from '../support/parquet.ts';
import { mutate } from './mutate.ts';
import { readByOthers } from './read-by-others.ts';

export const inputFormats = ['csv', 'jsonl', 'parquet'] as const;
export type InputFormat = (typeof inputFormats)[number];

/** What happened to a mutated file. */
export interface Outcome {
  /** `scored`, or the code of the error. */
  code: string;
  /** What must not happen. */
  fault: string | undefined;
}

/** Scores mutated files in this process. */
export interface MutatedFiles {
  /** @param seed of the changes, and of the format of the output */
  score(format: InputFormat, seed: number): Promise<Outcome>;
  close(): Promise<void>;
}

/** @param folder for the report and for one file */
export async function openMutatedFiles(folder: string): Promise<MutatedFiles> {
  const home = join(folder, 'home');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'history.csv'), history());
  await train({ history: join(folder, 'history.csv'), predict: 'churned', report: 'churn', home });
  const files: Readonly<Record<InputFormat, Buffer>> = {
    csv: Buffer.from(table()),
    jsonl: Buffer.from(lines),
    parquet: await parquetOf(table(), { groupRows: 2, numbers: ['age', 'amount'] }),
  };
  const scorer = await LocalScorer.open({ home, threads: 1 });
  return {
    async score(format, seed) {
      const bytes = mutate(files[format], seed, format === 'parquet');
      // Parquet is read at several places at once, so it needs a file.
      const input = join(folder, `in.${format}`);
      await writeFile(input, bytes);
      const outputFormat = inputFormats[seed % inputFormats.length] ?? format;
      const run = scoreStream({
        input,
        report: 'churn',
        scorer,
        inputFormat: format,
        outputFormat,
        prediction: true,
      });
      run.summary.catch(() => {}); // the stream has the same error
      try {
        const output = await buffer(run);
        await run.summary;
        return { code: 'scored', fault: await readByOthers(outputFormat, output, format === outputFormat) };
      } catch (error) {
        if (!(error instanceof RowcastError)) return { code: 'unexpected', fault: String(error) };
        const { code, severity, message } = error;
        return { code, fault: severity === 'bug' ? message : undefined };
      }
    },
    close: () => scorer.close(),
  };
}
