import type { Batch } from '../../formats/records/batch.ts';
import { noPredictions } from '../../scoring/batch/join-predictions.ts';
import { memoryOfFaults } from '../../scoring/batch/memory-of-batch.ts';
import { CallError } from '../../scoring/failures/call-error.ts';
import type {
  BatchScorer,
  Outcome,
  PartRequest,
  Scorer,
  ScorerInput,
  SharedScorer,
} from '../../scoring/scorer.ts';
import { BodyWriter } from '../bodies/body-writer.ts';
import { type Encode, type Encoded, encode, rowOverhead } from '../bodies/objects.ts';
import type { ServiceClient } from '../service-client.ts';
import { type BatchLimits, batchLimits } from './batch-size.ts';

/** What answers batches of personas: a client, or something that behaves like one. */
export type BatchService = Pick<
  ServiceClient,
  | ('name' | 'wire' | 'statistics' | 'concurrency' | 'retryPolicy')
  | ('report' | 'tryBatch' | 'confirm' | 'checkAllWritten')
>;

/** Scores with a prediction service: a batch is one `batch-persona` request. */
export function httpScorer(client: BatchService): Scorer {
  return {
    name: client.name,
    statistics: client.statistics,
    describe: report => client.report(report),
    open: input => new HttpBatches(client, input),
  };
}

/** The scorer of a service for several runs, which share its connections and its pace. */
export function sharedHttpScorer(client: ServiceClient): SharedScorer {
  return {
    ...httpScorer(client),
    forRun() {
      const own = client.forRun();
      return { scorer: httpScorer(own), close: () => own.close() };
    },
  };
}

class HttpBatches implements BatchScorer {
  readonly batchRows = 1000;
  readonly rowOverhead: number;
  readonly #client: BatchService;
  readonly #report: string;
  readonly #encode: Encode;
  readonly #limits: BatchLimits;
  readonly #bodies = new BodyWriter();
  /** Apart from the batches, so that all of those have the same shape: reading them costs more otherwise. */
  readonly #encoded = new WeakMap<Batch, Encoded>();

  constructor(client: BatchService, input: ScorerInput) {
    const { wire } = client;
    this.#client = client;
    this.#report = input.report;
    this.rowOverhead = rowOverhead(input.features, wire);
    this.#limits = batchLimits(input.batchBytes, this.rowOverhead);
    const { maxBodyBytes } = this.#limits;
    this.#encode = encode({ ...input, wire, bodyWriter: this.#bodies, batchBytes: maxBodyBytes });
  }

  get concurrency() {
    return this.#client.concurrency;
  }

  get retryPolicy() {
    return this.#client.retryPolicy;
  }

  maxBatchBytes(): number {
    return this.#limits.maxBatchBytes();
  }

  *parts(batch: Batch): Generator<Batch> {
    for (const encoded of this.#encode(batch)) {
      this.#encoded.set(encoded.batch, encoded);
      yield encoded.batch;
    }
  }

  requestOf(part: Batch): string {
    return this.#encoded.get(part)?.body.toString() ?? '';
  }

  memoryOf(part: Batch): number {
    const encoded = this.#encoded.get(part);
    return encoded === undefined ? 0 : encoded.body.length + memoryOfFaults(encoded.faults);
  }

  async tryPart(
    { batch, predictionType, allowAllInvalid = false }: PartRequest,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const encoded = this.#encoded.get(batch);
    if (encoded === undefined) throw new TypeError('tryPart: not one of the parts');
    const { faults, personas, body } = encoded;
    // Only blank lines and malformed records: nothing to send.
    if (personas === 0) return { faults, predictions: noPredictions };
    try {
      const classes = predictionType?.kind === 'distribution' ? predictionType.classes : undefined;
      const expected = { personas, classes, allowAllInvalid, report: this.#report };
      const predictions = await this.#client.tryBatch(body, expected, signal);
      this.#limits.accepted(encoded);
      return { faults, predictions };
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (error.status === 413) this.#limits.rejected(encoded);
      return { faults, failure: error.toFailure() };
    }
  }

  release(part: Batch): void {
    const encoded = this.#encoded.get(part);
    if (encoded === undefined) return;
    this.#encoded.delete(part);
    this.#bodies.release(encoded.body);
  }

  confirm({ origins = [] }: { origins?: readonly number[] }, row: number): boolean {
    return this.#client.confirm(origins, row);
  }

  async confirmAll(): Promise<void> {
    await this.#client.checkAllWritten(this.#report);
  }
}
