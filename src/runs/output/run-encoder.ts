import type { PredictionType } from '../../base/contract/predictions.ts';
import type { GroupEncoder } from '../../base/text-of-file.ts';

/** Makes groups of the rows of a run. It may be known only with the first predictions which columns they have. */
export class RunEncoder implements GroupEncoder {
  readonly #encoderOf: (predictionType: PredictionType) => GroupEncoder;
  #made: GroupEncoder | undefined;

  /** @param encoderOf throws RowcastError */
  constructor(encoderOf: (predictionType: PredictionType) => GroupEncoder) {
    this.#encoderOf = encoderOf;
  }

  /**
   * Says what each prediction consists of, which does not change; needed before anything is written.
   *
   * @throws RowcastError `duplicate_columns`; `bad_option` for options that such predictions do not have
   */
  predicts(predictionType: PredictionType): void {
    this.#made ??= this.#encoderOf(predictionType);
  }

  get start(): Uint8Array {
    return this.#encoder.start;
  }

  group(...group: Parameters<GroupEncoder['group']>): Promise<string | undefined> {
    return this.#encoder.group(...group);
  }

  async hasCopied(notes: readonly string[], first: number): Promise<boolean> {
    return (await this.#encoder.hasCopied?.(notes, first)) ?? true;
  }

  end(notes: readonly string[]): Iterable<Uint8Array> {
    return this.#encoder.end(notes);
  }

  get #encoder(): GroupEncoder {
    if (this.#made === undefined) throw new Error('it is not known what is predicted');
    return this.#made;
  }
}
