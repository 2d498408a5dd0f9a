import { randomBytes } from 'node:crypto';

/** The header that carries a request's id, and that many services and gateways echo in the response. */
export const requestIdHeader = 'x-request-id';

/** What a response's request id says about the request that it answers; `silent` where it says nothing. */
export type Echo = 'own' | 'other' | 'silent';

/** Ids of one run's requests. An id of this run is recognized by its random prefix, so none has to be remembered. */
export class RequestIds {
  readonly #prefix = `${randomBytes(12).toString('base64url')}.`;
  #count = 0;

  next(): string {
    return `${this.#prefix}${++this.#count}`;
  }

  /** @param header of the response; an id that this run never sent is a gateway's, and says nothing */
  echo(sent: string, header: string | string[] | undefined): Echo {
    if (header === sent) return 'own';
    if (header === undefined) return 'silent';
    const ids = [header].flat().flatMap(value => value.split(',').map(id => id.trim()));
    // A gateway may add the id that it was sent to the one that the service echoed: then the service's counts.
    if (ids.some(id => id !== sent && this.#isOurs(id))) return 'other';
    return ids.includes(sent) ? 'own' : 'silent';
  }

  #isOurs(id: string): boolean {
    if (!id.startsWith(this.#prefix)) return false;
    const number = id.slice(this.#prefix.length);
    return /^[1-9]\d{0,15}$/.test(number) && Number(number) <= this.#count;
  }
}
