import type { BigIntStats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { RenewedKey } from '../../client/credentials.ts';

/**
 * How long a key is used before its file is looked at again; how often, and after which pause, one without a key is.
 */
const TIMES = { lookMs: 1_000, tries: 5, pauseMs: 100 };

/** The key in a text, which a header must be able to carry: no spaces (RFC 9110 section 5.5). */
export const keyIn = (text: string): string | undefined =>
  /^[\x21-\x7e]+$/.test(text.trim()) ? text.trim() : undefined;

/**
 * A key in a file. It is read again when the file has changed, and when the service refuses the key: tokens expire
 * during a long run. While the file is missing or half written, the key that was read before stays in use.
 */
export class ApiKeyFile extends RenewedKey {
  readonly #path: string;
  readonly #times: typeof TIMES;
  #version: string | undefined;
  #lookedAt = performance.now();

  private constructor(path: string, key: string, version: string | undefined, times: typeof TIMES) {
    super();
    this.#path = path;
    this.secret = key;
    this.#version = version;
    this.#times = times;
  }

  /** @returns undefined if there is no key in the file. @throws the error of the file system */
  static async open(path: string, times: Partial<typeof TIMES> = {}): Promise<ApiKeyFile | undefined> {
    const { key, version } = await readVersion(path);
    return key === undefined ? undefined : new ApiKeyFile(path, key, version, { ...TIMES, ...times });
  }

  /** The last key that was read. The file is looked at meanwhile, so that no request waits for a file system. */
  override current(): string {
    if (performance.now() - this.#lookedAt >= this.#times.lookMs) void this.#look();
    return this.secret;
  }

  async #look(): Promise<void> {
    this.#lookedAt = performance.now();
    const version = await stat(this.#path, { bigint: true }).then(versionOf, () => undefined);
    if (version !== undefined && version !== this.#version) await this.#read();
  }

  /** A new key is often being written at the moment at which the service refuses the old one. */
  protected async renew(): Promise<void> {
    const { tries, pauseMs } = this.#times;
    for (let n = 1; !(await this.#read()) && n < tries; n++) await setTimeout(pauseMs);
  }

  /** @returns whether there was a key, or there will never be another one */
  async #read(): Promise<boolean> {
    // A pipe, such as <(command) in a shell, can be read once only.
    if (this.#version === undefined) return true;
    const read = await readVersion(this.#path).catch(() => undefined);
    if (read?.key === undefined || read.version === undefined) return false;
    this.secret = read.key;
    this.#version = read.version;
    return true;
  }
}

/** What tells a changed file from an unchanged one; undefined for what is no file. */
const versionOf = (stats: BigIntStats): string | undefined =>
  stats.isFile() ? `${stats.ino} ${stats.size} ${stats.mtimeNs}` : undefined;

async function readVersion(path: string): Promise<{ key: string | undefined; version: string | undefined }> {
  const file = await open(path);
  try {
    const version = versionOf(await file.stat({ bigint: true }));
    return { key: keyIn(await file.readFile('utf8')), version };
  } finally {
    await file.close();
  }
}
