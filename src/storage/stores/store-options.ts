import { RowcastError } from '../../base/errors.ts';
import { type StoreOptionName, storeOptionNames } from '../../base/options/store.ts';
import { suggestNames } from '../../base/suggest-names.ts';

/** What `--store-options` may set. */
export interface StoreOptions {
  region?: string;
  /** The address of a service that speaks the protocol of the scheme. */
  endpoint?: string;
  /** Whether the bucket is in the path of requests, not in the name of the host. */
  pathStyle?: boolean;
  /** A section of the configuration files of AWS. */
  profile?: string;
  /** Azure's storage account. */
  account?: string;
  /** Whether requests carry no credentials. */
  unsigned?: boolean;
  requesterPays?: boolean;
  /** A storage class of S3 or Google, or a tier of Azure. */
  storageClass?: string;
  /** `AES256` or `aws:kms` for S3, or an encryption scope of Azure. */
  encryption?: string;
  encryptionKey?: string;
  /** The name of the program that requests carry, which no user sets. */
  agent?: string;
}

export const DEFAULT_AGENT = 'rowcast';

type Read = (text: string) => StoreOptions;

const yesOrNo = (name: StoreOptionName, text: string): boolean => {
  if (text === 'true' || text === 'false') return text === 'true';
  throw wrong(`${name} must be true or false, not ${text}`);
};

const readers: Readonly<Record<StoreOptionName, Read>> = {
  region: region => ({ region }),
  endpoint: text => ({ endpoint: endpointOf(text) }),
  'path-style': text => ({ pathStyle: yesOrNo('path-style', text) }),
  profile: profile => ({ profile }),
  account: account => ({ account }),
  unsigned: text => ({ unsigned: yesOrNo('unsigned', text) }),
  'requester-pays': text => ({ requesterPays: yesOrNo('requester-pays', text) }),
  'storage-class': storageClass => ({ storageClass }),
  encryption: encryption => ({ encryption }),
  'encryption-key': encryptionKey => ({ encryptionKey }),
};

/** @throws RowcastError `bad_option` */
export function readStoreOptions(given: Readonly<Record<string, string>> = {}): StoreOptions {
  const options: StoreOptions = {};
  for (const [name, text] of Object.entries(given)) {
    const known = storeOptionNames.find(own => own === name);
    if (known === undefined) {
      const [near] = suggestNames(name, storeOptionNames);
      throw wrong(
        `unknown name ${name}`,
        near === undefined ? `Known are ${storeOptionNames.join(', ')}.` : `Did you mean ${near}?`,
      );
    }
    if (text === '') throw wrong(`${name} must not be empty`);
    Object.assign(options, readers[known](text));
  }
  return options;
}

function endpointOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (isPlain) return text.replace(/\/$/, '');
  throw wrong('endpoint must be an http or https URL without user, password and query');
}

const wrong = (message: string, hint?: string): RowcastError =>
  new RowcastError('bad_option', `--store-options: ${message}`, hint === undefined ? {} : { hint });
