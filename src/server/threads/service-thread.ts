import type { RowcastError } from '../../base/errors.ts';
import type { InputData } from '../../models/local/threads/thread-messages.ts';
import { WorkerThread } from '../../models/local/threads/worker-thread.ts';
import type { StoredModel } from '../../models/model/stored-model.ts';
import { KeyTurns } from '../limits/key-turns.ts';
import { RequestError } from '../problems/problems.ts';
import type { ServiceRequest, ServiceResult } from './thread-messages.ts';

/** Opens what a request refers to, unless it is open in the thread already. */
export interface Needs {
  model?: { number: number; stored: StoredModel };
  input?: { number: number; data: InputData };
}

/**
 * Megabytes of a thread for what is new. It has few objects, but each may hold much memory outside of the heap, such as bodies
 * and predictions, which is free again only when the objects are collected: the default, 48, keeps 90 MB more.
 */
const YOUNG_MB = 6;

/** A thread of the service, with the models and inputs that are open in it. */
export class ServiceThread {
  /** Calls and batches that it is working on, or that wait for it. */
  users = 0;
  readonly #worker: WorkerThread<ServiceRequest, ServiceResult>;
  readonly #turns = new KeyTurns();
  readonly #models = new Set<number>();
  readonly #inputs = new Set<number>();

  constructor(onDeath: (failure: RowcastError) => void) {
    this.#worker = new WorkerThread({
      // The compiled file's name: unlike imports, URLs are not rewritten.
      file: new URL('./service-worker.js', import.meta.url),
      name: 'scoring thread of the service',
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      onDeath,
    });
  }

  /**
   * Does a slice of work in the next turn of the key.
   *
   * @param check called when the turn has come; throws if the work is pointless
   * @throws RequestError for a request that is to be rejected; RowcastError `service_died`, `out_of_memory`
   */
  ask(
    key: string,
    check: () => void,
    { request, memory, needs = {} }: { request: ServiceRequest; memory?: ArrayBuffer[]; needs?: Needs },
  ): Promise<Exclude<ServiceResult, { kind: 'refused' }>> {
    return this.#turns.run(key, async () => {
      check();
      this.#open(needs);
      const result = await this.#worker.ask(request, memory);
      if (result.kind === 'refused') throw new RequestError(result.code, result.detail);
      return result;
    });
  }

  closeModel(model: number): void {
    if (this.#models.delete(model)) this.#worker.tell({ kind: 'close-model', model });
  }

  closeInput(input: number): void {
    if (this.#inputs.delete(input)) this.#worker.tell({ kind: 'close-input', input });
  }

  closeCall(call: number): void {
    this.#worker.tell({ kind: 'close-call', call });
  }

  end(): Promise<void> {
    return this.#worker.end();
  }

  #open({ model, input }: Needs): void {
    if (model !== undefined && !this.#models.has(model.number)) {
      this.#models.add(model.number);
      const { columns, classes, predictor } = model.stored;
      const stored = { columns, classes, predictor };
      this.#worker.tell({ kind: 'open-model', model: model.number, stored });
    }
    if (model !== undefined && input !== undefined && !this.#inputs.has(input.number)) {
      this.#inputs.add(input.number);
      this.#worker.tell({ kind: 'open-input', input: input.number, model: model.number, data: input.data });
    }
  }
}
