import { type CloudKey, NoCredentials } from '../../../client/credentials.ts';

/** Gets a token; the package of a cloud keeps it until it expires. */
export type GetToken = () => Promise<string>;

/** A token of Google or Azure, which is renewed before it expires, and when the service refuses it. */
export class TokenKey implements CloudKey {
  readonly #open: () => GetToken;
  #get: GetToken;
  #token = '';
  #again: Promise<string> | undefined;

  /** @param open begins without a token that was got before */
  constructor(open: () => GetToken) {
    this.#open = open;
    this.#get = open();
  }

  current(): string {
    return this.#token;
  }

  async headersFor(): Promise<Readonly<Record<string, string>>> {
    this.#token = await this.#get().catch(error => {
      throw noCredentials(error);
    });
    return { authorization: `Bearer ${this.#token}` };
  }

  async isReplaced(refused: string): Promise<boolean> {
    if (this.#token === refused) {
      this.#get = this.#again === undefined ? this.#open() : this.#get;
      this.#again ??= this.#get().finally(() => {
        this.#again = undefined;
      });
      this.#token = await this.#again;
    }
    return this.#token !== refused;
  }
}

/** The first line of what a cloud's package says; the rest is about its configuration. */
export const noCredentials = (error: unknown): NoCredentials =>
  new NoCredentials(String(error instanceof Error ? error.message : error).split('\n', 1)[0], {
    cause: error,
  });
