import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { RowcastError } from '../../../base/errors.ts';
import { type CloudKey, RenewedKey, type SentRequest } from '../../../client/credentials.ts';
import { defaultProvider, SignatureV4 } from './sdk.ts';
import { noCredentials } from './token-key.ts';

export interface AwsService {
  /** The name of the service in signatures. */
  service: string;
  region: string;
  /** The host and port of requests. */
  host: string;
}

type Provider = ReturnType<typeof defaultProvider>;

/**
 * Signs each request (docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html) with what AWS's own chain finds:
 * the environment, a profile, IRSA, ECS, IMDS. What must not be shown also tells these credentials from others.
 */
export class AwsKey extends RenewedKey implements CloudKey {
  readonly #provider: Provider;
  readonly #signer: SignatureV4;
  readonly #host: string;

  constructor({ service, region, host }: AwsService, provider: Provider = defaultProvider()) {
    super();
    this.#provider = provider;
    this.#host = host;
    const credentials = () => this.#credentials();
    this.#signer = new SignatureV4({
      service,
      region,
      credentials,
      sha256: Sha256,
      uriEscapePath: true,
      applyChecksum: false,
    });
  }

  /** Signs what no proxy may change: method, path, host, type and body. */
  async headersFor({ method, path, type, body }: SentRequest): Promise<Readonly<Record<string, string>>> {
    if (body instanceof Readable)
      throw new RowcastError(
        'usage',
        '--auth sigv4 cannot sign an upload, whose body is not known before it is sent',
      );
    const { pathname, searchParams } = new URL(`http://${this.#host}${path}`);
    const signed = await this.#signer.sign({
      method,
      protocol: 'https:',
      hostname: this.#host,
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: { host: this.#host, ...(type !== undefined && { 'content-type': type }) },
      body,
    });
    const own = Object.entries(signed.headers).filter(
      ([name]) => name === 'authorization' || name.startsWith('x-amz-'),
    );
    return Object.fromEntries(own);
  }

  protected renew(): Promise<unknown> {
    return this.#credentials({ forceRefresh: true });
  }

  async #credentials(how?: Parameters<Provider>[0]) {
    const found = await this.#provider(how).catch(error => {
      throw noCredentials(error);
    });
    this.secret = found.sessionToken ?? found.secretAccessKey;
    return found;
  }
}

/** SHA-256 of Node, as the signer wants it; with a key, an HMAC. */
class Sha256 {
  readonly #secret: Uint8Array | undefined;
  #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#secret = secret === undefined ? undefined : bytesOf(secret);
    this.#hash = this.#begin();
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#begin();
  }

  #begin(): Hash | Hmac {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', this.#secret);
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
