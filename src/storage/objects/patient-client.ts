import type { ByteStream } from '../source.ts';
import type { ListedPart, ObjectClient, ObjectHead, ObjectRange } from './object-client.ts';
import { type OutageLimits, Patience, patiently } from './patience.ts';

/**
 * Requests about one object that are made again while the store is unavailable. The response to a conditional write may
 * have been lost: then the next one fails with `changed`, although the object is as it was to be.
 */
export class PatientClient implements ObjectClient {
  readonly name: string;
  readonly #client: ObjectClient;
  readonly #limits: OutageLimits;
  readonly #renew: () => void;

  constructor(client: ObjectClient, limits: OutageLimits, renew: () => void) {
    this.name = client.name;
    this.#client = client;
    this.#limits = limits;
    this.#renew = renew;
  }

  /** @param stop ends the waiting */
  head(stop?: AbortSignal): Promise<ObjectHead | undefined> {
    return patiently(this.patience(stop), () => this.#client.head());
  }

  /** @param stop ends the waiting */
  read(range: ObjectRange, stop?: AbortSignal): Promise<ByteStream> {
    const read = (): Promise<ByteStream> => this.#client.read(range);
    return patiently(this.patience(stop), read, late => late.destroy());
  }

  get(): Promise<{ head: ObjectHead; bytes: Buffer } | undefined> {
    return this.#patiently(() => this.#client.get());
  }

  put(bytes: Buffer, replaces?: string | null): Promise<string> {
    return this.#patiently(() => this.#client.put(bytes, replaces));
  }

  remove(version?: string): Promise<void> {
    return this.#patiently(() => this.#client.remove(version));
  }

  beginUpload(token: string): Promise<string> {
    return this.#patiently(() => this.#client.beginUpload(token));
  }

  uploads(): Promise<string[]> {
    return this.#patiently(() => this.#client.uploads());
  }

  putPart(upload: string, number: number, bytes: Buffer): Promise<string> {
    return this.#patiently(() => this.#client.putPart(upload, number, bytes));
  }

  get copyPart(): ObjectClient['copyPart'] {
    const { copyPart } = this.#client;
    return copyPart && ((...copy) => this.#patiently(() => copyPart(...copy)));
  }

  parts(upload: string): Promise<ListedPart[]> {
    return this.#patiently(() => this.#client.parts(upload));
  }

  complete(upload: string, tags: readonly string[], token: string): Promise<void> {
    return this.#patiently(() => this.#client.complete(upload, tags, token));
  }

  abort(upload: string): Promise<void> {
    return this.#patiently(() => this.#client.abort(upload));
  }

  /** A patience for something longer than one request. @param stop ends the waiting */
  patience(stop?: AbortSignal): Patience {
    return new Patience(this.#limits, this.name, this.#renew, stop);
  }

  #patiently<T>(act: () => Promise<T>): Promise<T> {
    return patiently(this.patience(), act);
  }
}
