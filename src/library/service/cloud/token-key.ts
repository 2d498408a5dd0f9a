import { type CloudKey, NoCredentials, RenewedKey } from '../../../client/credentials.ts';

/** Gets a token; the package of a cloud keeps it until it expires. */
export type GetToken = () => Promise<string>;

/** A token of Google or Azure, which is renewed before it expires, and when the service refuses it. */
export class TokenKey extends RenewedKey implements CloudKey {
  readonly #open: () => GetToken;
  #get: GetToken;

  /** @param open begins without a token that was got before */
  constructor(open: () => GetToken) {
    super();
    this.#open = open;
    this.#get = open();
  }

  async headersFor(): Promise<Readonly<Record<string, string>>> {
    this.secret = await this.#get().catch(error => {
      throw noCredentials(error);
    });
    return { authorization: `Bearer ${this.secret}` };
  }

  protected async renew(): Promise<void> {
    this.#get = this.#open();
    this.secret = await this.#get();
  }
}

/** The first line of what a cloud's package says; the rest is about its configuration. */
export const noCredentials = (error: unknown): NoCredentials =>
  new NoCredentials(String(error instanceof Error ? error.message : error).split('\n', 1)[0], {
    cause: error,
  });
