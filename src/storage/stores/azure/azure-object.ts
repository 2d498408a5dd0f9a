import { createHash, randomBytes } from 'node:crypto';
import type { BlobRequestConditions, BlockBlobClient, ContainerClient } from '@azure/storage-blob';
import {
  type ListedPart,
  type ObjectHead,
  type ObjectRange,
  objectHead,
  versionOfEtag,
  type WritableObject,
} from '../../objects/object-client.ts';
import { type NewPatience, patiently } from '../../objects/patience.ts';
import {
  failureOfConnection,
  failureOfStatus,
  StoreError,
  type StoreFailure,
  unless,
} from '../../objects/store-error.ts';
import type { ByteStream } from '../../source.ts';
import type { StoreOptions } from '../store-options.ts';
import { RestError } from './sdk.ts';

/** The name of the metadata by which a run recognizes its object; a C# identifier, as Azure wants it. */
const TOKEN = 'rowcastrun';

/** Bytes of the name of an upload, which the names of its blocks begin with. */
const UPLOAD_BYTES = 12;

/** The names of all blocks of an object have one length. */
const blockOf = (upload: string, number: number): string =>
  Buffer.from(`${upload}-${String(number).padStart(5, '0')}`).toString('base64');

function readBlock(id: string): { upload: string; number: number } | undefined {
  const [, upload, number] = /^([0-9a-f]{24})-(\d{5})$/.exec(Buffer.from(id, 'base64').toString()) ?? [];
  return upload === undefined ? undefined : { upload, number: Number(number) };
}

/** How an object is reached. */
interface AzureAccess {
  key: string;
  container: () => Promise<ContainerClient>;
  options: StoreOptions;
  patience: NewPatience;
}

/**
 * An upload is a set of blocks that are not part of the object yet. It has no existence of its own, and ends after a
 * week.
 */
export class AzureObject implements WritableObject {
  readonly name: string;
  readonly patience: NewPatience;
  readonly #access: AzureAccess;

  constructor(name: string, access: AzureAccess) {
    this.name = name;
    this.patience = access.patience;
    this.#access = access;
  }

  async head(stop?: AbortSignal): Promise<ObjectHead | undefined> {
    return this.#ask(async blob => headOf(await blob.getProperties()), stop).catch(unless('missing'));
  }

  read({ from, end, version }: ObjectRange, stop?: AbortSignal): Promise<ByteStream> {
    const act = async (blob: BlockBlobClient): Promise<ByteStream> => {
      const { readableStreamBody: body } = await blob.download(from, end - from, {
        conditions: matching(version),
      });
      return body as unknown as ByteStream; // in Node, it is a readable stream
    };
    return this.#ask(act, stop, late => late.destroy());
  }

  async get(): Promise<{ head: ObjectHead; bytes: Buffer } | undefined> {
    return this.#ask(async blob => {
      const found = await blob.download();
      const head = headOf(found);
      const parts: Buffer[] = [];
      for await (const part of found.readableStreamBody ?? []) parts.push(Buffer.from(part as Buffer));
      const bytes = Buffer.concat(parts);
      if (bytes.length !== head.size) throw new StoreError('unavailable', 'the response ended too early');
      return { head, bytes };
    }).catch(unless('missing'));
  }

  put(bytes: Buffer, replaces?: string | null): Promise<string> {
    return this.#ask(async blob => {
      const conditions = replaces === null ? { ifNoneMatch: '*' } : matching(replaces);
      const { etag } = await blob.upload(bytes, bytes.length, { conditions, ...this.#stored() });
      return versionOfEtag(etag);
    });
  }

  async remove(version?: string): Promise<void> {
    await this.#ask(blob => blob.delete({ conditions: matching(version) }));
  }

  async beginUpload(): Promise<string> {
    return randomBytes(UPLOAD_BYTES).toString('hex');
  }

  async uploads(): Promise<string[]> {
    return [...new Set((await this.#uncommitted()).map(({ upload }) => upload))];
  }

  putPart(upload: string, number: number, bytes: Buffer): Promise<string> {
    return this.#ask(async blob => {
      const id = blockOf(upload, number);
      const transactionalContentMD5 = createHash('md5').update(bytes).digest();
      await blob.stageBlock(id, bytes, bytes.length, { transactionalContentMD5, ...this.#scope() });
      return id;
    });
  }

  async parts(upload: string): Promise<ListedPart[]> {
    return (await this.#uncommitted())
      .filter(block => block.upload === upload)
      .map(({ number, bytes }) => ({ number, tag: blockOf(upload, number), bytes }));
  }

  async complete(_: string, tags: readonly string[], token: string): Promise<void> {
    await this.#ask(blob =>
      blob.commitBlockList([...tags], { metadata: { [TOKEN]: token }, ...this.#stored() }),
    );
  }

  /** Blocks cannot be removed; they expire. */
  async abort(): Promise<void> {}

  async #uncommitted(): Promise<{ upload: string; number: number; bytes: number }[]> {
    const list = await this.#ask(blob => blob.getBlockList('uncommitted')).catch(unless('missing'));
    return (list?.uncommittedBlocks ?? []).flatMap(({ name, size }) => {
      const block = readBlock(name);
      return block === undefined ? [] : [{ ...block, bytes: size }];
    });
  }

  #scope(): { encryptionScope?: string } {
    const { encryption } = this.#access.options;
    return encryption === undefined ? {} : { encryptionScope: encryption };
  }

  #stored(): { tier?: string; encryptionScope?: string } {
    const { storageClass } = this.#access.options;
    return { ...this.#scope(), ...(storageClass !== undefined && { tier: storageClass }) };
  }

  /** Makes a request, again while the store is unavailable. @param drop as of `patiently` */
  #ask<T>(
    act: (blob: BlockBlobClient) => Promise<T>,
    stop?: AbortSignal,
    drop?: (late: T) => void,
  ): Promise<T> {
    const { key, container } = this.#access;
    const ask = async (): Promise<T> => act((await container()).getBlockBlobClient(key));
    return patiently(this.patience(stop), () => ask().catch(failAzure), drop);
  }
}

const matching = (version: string | undefined): BlobRequestConditions =>
  version === undefined ? {} : { ifMatch: `"${version}"` };

interface Found {
  etag?: string | undefined;
  contentLength?: number | undefined;
  lastModified?: Date | undefined;
  date?: Date | undefined;
  metadata?: Record<string, string> | undefined;
}

const headOf = ({ etag, contentLength = 0, lastModified, date, metadata }: Found): ObjectHead =>
  objectHead({ etag, size: contentLength, modified: lastModified, date, token: metadata?.[TOKEN] });

/** Errors of Azure whose status does not say what they mean. */
const FAILURES: Readonly<Record<string, StoreFailure>> = {
  ContainerNotFound: 'no bucket',
  ContainerBeingDeleted: 'no bucket',
  InvalidBlockList: 'missing',
  BlobAlreadyExists: 'changed',
  Md5Mismatch: 'unavailable',
  ServerBusy: 'unavailable',
  InvalidAuthenticationInfo: 'expired',
};

/** Tells what an error of the client means. @throws StoreError, always */
export function failAzure(error: unknown): never {
  if (error instanceof StoreError) throw error;
  if (error instanceof RestError) {
    const { code = '', statusCode, message } = error;
    // Azurite has no code of its own for it.
    const isDamaged = /contentMD5 doesn't match/.test(message);
    const known = isDamaged ? 'unavailable' : Object.hasOwn(FAILURES, code) ? FAILURES[code] : undefined;
    // The first line; others are identifiers of the request.
    const [said = ''] = message.split('\n');
    const text = said === '' ? `${code === '' ? 'HTTP' : code} ${statusCode ?? ''}`.trim() : said;
    const failure = statusCode === undefined ? failureOfConnection(error) : failureOfStatus(statusCode);
    throw new StoreError(known ?? failure, text.slice(0, 300), error);
  }
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const isIdentity = /Credential|Authentication/.test(name);
  const [said = ''] = message.split('\n');
  const failure = isIdentity
    ? 'no credentials'
    : error instanceof TypeError
      ? 'refused'
      : failureOfConnection(error);
  throw new StoreError(failure, said.slice(0, 300), error);
}
