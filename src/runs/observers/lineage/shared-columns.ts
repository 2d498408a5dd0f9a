import type { PredictionType } from '../../../base/contract/predictions.ts';
import type { RunColumn, RunColumns } from '../../run-columns.ts';

/** The columns of finished runs. Files with the same columns, which is the usual case, share one list. */
export class SharedColumns {
  readonly #lists = new Map<string, readonly RunColumn[]>();
  readonly #runs = new Map<string, RunColumns>();

  /** @param predictionType what the output's header says */
  add(runId: string, columns: RunColumns, predictionType: PredictionType | null): void {
    const output = this.#shared(columns.output(predictionType));
    this.#runs.set(runId, { input: this.#shared(columns.input), output: () => output });
  }

  of(runId: string): RunColumns | undefined {
    return this.#runs.get(runId);
  }

  #shared(list: readonly RunColumn[]): readonly RunColumn[] {
    const key = JSON.stringify(list);
    const known = this.#lists.get(key);
    if (known === undefined) this.#lists.set(key, list);
    return known ?? list;
  }
}
