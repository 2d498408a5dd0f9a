import type { CloudAuth } from '../../../base/contract/protocol-names.ts';
import { RowcastError } from '../../../base/errors.ts';
import { sanitize } from '../../../base/sanitize.ts';
import { type CloudKey, NoCredentials, type SentRequest } from '../../../client/credentials.ts';
import { type CloudService, checkCloudPath, cloudService } from './cloud-hosts.ts';

interface Variables {
  readonly AWS_REGION?: string | undefined;
  readonly AWS_DEFAULT_REGION?: string | undefined;
  readonly [name: string]: string | undefined;
}

/**
 * What a cloud gives this machine to prove to a service who asks. The package that gets it is loaded with the first
 * request.
 *
 * @param url of the service
 * @throws RowcastError `bad_option` if nothing says which region of AWS it is in
 */
export function cloudKey(cloud: CloudService, url: URL, env: Variables): LazyKey {
  const { auth, audience, region } = cloud;
  const check = (path: string): void => checkCloudPath(cloud, url, path);
  switch (auth) {
    case 'google':
      return new LazyKey(async () => (await import('./google-key.ts')).googleKey(), check);
    case 'azure':
      return new LazyKey(async () => (await import('./azure-key.ts')).azureKey(audience), check);
    case 'sigv4': {
      const service = { service: audience, region: region ?? regionIn(env), host: url.host };
      return new LazyKey(async () => new (await import('./aws-key.ts')).AwsKey(service), check);
    }
  }
}

/**
 * As `cloudKey`, after it was got once.
 *
 * @throws RowcastError `no_key`; as `cloudService`
 */
export async function openCloudKey(
  auth: CloudAuth,
  url: URL,
  { env, ...where }: Parameters<typeof cloudService>[2] & { env: Variables },
): Promise<CloudKey> {
  const key = cloudKey(cloudService(auth, url, where), url, env);
  await key.open().catch(error => {
    if (!(error instanceof NoCredentials)) throw error;
    throw new RowcastError(
      'no_key',
      `--auth ${auth}: no credentials were found: ${sanitize(error.message)}`,
      {
        hint: HINTS[auth],
        cause: error,
      },
    );
  });
  return key;
}

const HINTS: Readonly<Record<CloudAuth, string>> = {
  google: 'Log in with gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS.',
  azure: 'Log in with az login, or set AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_CLIENT_SECRET.',
  sigv4: 'Log in with aws sso login, or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
};

function regionIn({ AWS_REGION, AWS_DEFAULT_REGION }: Variables): string {
  const region = AWS_REGION || AWS_DEFAULT_REGION;
  if (region) return region;
  throw new RowcastError('bad_option', '--auth sigv4: the URL does not say in which region of AWS it is', {
    hint: 'Set AWS_REGION.',
  });
}

class LazyKey implements CloudKey {
  readonly #open: () => Promise<CloudKey>;
  readonly #checkPath: (path: string) => void;
  #opening: Promise<CloudKey> | undefined;
  #key: CloudKey | undefined;

  /** @param checkPath throws if nothing may be sent to this path */
  constructor(open: () => Promise<CloudKey>, checkPath: (path: string) => void) {
    this.#open = open;
    this.#checkPath = checkPath;
  }

  /** Gets what the cloud gives, without a request to the service. @throws NoCredentials */
  async open(): Promise<void> {
    const key = await this.#opened();
    await key.headersFor({ method: 'GET', path: '/', type: undefined, body: undefined });
  }

  current(): string {
    return this.#key?.current() ?? '';
  }

  async headersFor(request: SentRequest): Promise<Readonly<Record<string, string>>> {
    this.#checkPath(request.path);
    return (await this.#opened()).headersFor(request);
  }

  async isReplaced(refused: string): Promise<boolean> {
    return (await this.#opened()).isReplaced(refused);
  }

  async #opened(): Promise<CloudKey> {
    this.#opening ??= this.#open();
    this.#key = await this.#opening;
    return this.#key;
  }
}
