import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ListMultipartUploadsCommandOutput } from '@aws-sdk/client-s3';
import {
  type CopiedRange,
  type ListedPart,
  ListingLimit,
  type ObjectClient,
  type ObjectHead,
  type ObjectRange,
  parseObjectName,
} from '../../objects/object-client.ts';
import { StoreError, unless } from '../../objects/store-error.ts';
import type { ByteStream } from '../../source.ts';
import type { StoreOptions } from '../store-options.ts';
import { fail } from './s3-errors.ts';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from './sdk.ts';

/** The name of the metadata by which a run recognizes its object. */
const TOKEN = 'rowcast-run';

/** How an object is reached. */
interface S3Access {
  client: () => S3Client;
  /** Whether what is written carries a digest. */
  hasDigests: boolean;
  /** Whether the service makes bytes of another object a part of an upload. */
  copiesParts: boolean;
  options: StoreOptions;
}

/** Requests about one object of a service that speaks S3's protocol. */
export class S3Object implements ObjectClient {
  readonly name: string;
  readonly copyPart: ObjectClient['copyPart'];
  readonly #client: () => S3Client;
  readonly #hasDigests: boolean;
  readonly #options: StoreOptions;
  readonly #place: { Bucket: string; Key: string; RequestPayer?: 'requester' };

  constructor(name: string, { client, hasDigests, copiesParts, options }: S3Access) {
    this.name = name;
    this.copyPart = copiesParts ? (...copy) => this.#copyPart(...copy) : undefined;
    this.#client = client;
    this.#hasDigests = hasDigests;
    this.#options = options;
    const { bucket, key } = parseObjectName(name);
    this.#place = { Bucket: bucket, Key: key, ...payer(options) };
  }

  async head(): Promise<ObjectHead | undefined> {
    return this.#send(async () => headOf(await this.#client().send(new HeadObjectCommand(this.#place))))
      .catch(error => {
        // Its response has no body, so an expired token looks like any other wrong request.
        if (!(error instanceof StoreError) || !['denied', 'refused'].includes(error.failure)) throw error;
        return this.#headOfGet();
      })
      .catch(unless('missing'));
  }

  async #headOfGet(): Promise<ObjectHead> {
    return this.#send(async () => {
      const found = await this.#client().send(new GetObjectCommand(this.#place));
      (found.Body as Readable).destroy(); // in Node, it is one
      return headOf(found);
    });
  }

  read({ from, end, version }: ObjectRange): Promise<ByteStream> {
    return this.#send(async () => {
      const { Body } = await this.#client().send(
        new GetObjectCommand({
          ...this.#place,
          Range: `bytes=${from}-${end - 1}`,
          ...(version !== undefined && { IfMatch: `"${version}"` }),
        }),
      );
      return Body as Readable; // in Node, it is one
    });
  }

  async get(): Promise<{ head: ObjectHead; bytes: Buffer } | undefined> {
    return this.#send(async () => {
      const found = await this.#client().send(new GetObjectCommand(this.#place));
      const bytes = Buffer.from((await found.Body?.transformToByteArray()) ?? []);
      const head = headOf(found);
      if (bytes.length !== head.size) throw new StoreError('unavailable', 'the response ended too early');
      return { head, bytes };
    }).catch(unless('missing'));
  }

  async put(bytes: Buffer, replaces?: string | null): Promise<string> {
    const { ETag } = await this.#send(() =>
      this.#client().send(
        new PutObjectCommand({
          ...this.#place,
          ...this.#stored(),
          Body: bytes,
          ContentLength: bytes.length,
          ...this.#digest(bytes),
          ...(replaces === null && { IfNoneMatch: '*' }),
          // Not in quotes: Ceph compares it literally, and AWS takes both.
          ...(typeof replaces === 'string' && { IfMatch: replaces }),
        }),
      ),
    );
    return versionOf(ETag);
  }

  async remove(version?: string): Promise<void> {
    await this.#send(() =>
      this.#client().send(
        new DeleteObjectCommand({
          ...this.#place,
          ...(version !== undefined && { IfMatch: `"${version}"` }),
        }),
      ),
    );
  }

  async beginUpload(token: string): Promise<string> {
    const { UploadId } = await this.#send(() =>
      this.#client().send(
        new CreateMultipartUploadCommand({ ...this.#place, ...this.#stored(), Metadata: { [TOKEN]: token } }),
      ),
    );
    if (UploadId === undefined) throw new StoreError('refused', 'the store gave the upload no name');
    return UploadId;
  }

  async uploads(): Promise<string[]> {
    const { Bucket, Key } = this.#place;
    const found: string[] = [];
    const limit = new ListingLimit();
    let next: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {};
    while (next !== undefined) {
      const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({
        Bucket,
        Prefix: Key,
        ...next,
        ...payer(this.#options),
      });
      const page: ListMultipartUploadsCommandOutput = await this.#send(() => this.#client().send(command));
      limit.page(page.Uploads?.length ?? 0);
      for (const upload of page.Uploads ?? [])
        if (upload.Key === Key && upload.UploadId !== undefined) {
          limit.keep(upload.UploadId.length);
          found.push(upload.UploadId);
        }
      next = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : undefined;
    }
    return found;
  }

  async putPart(upload: string, number: number, bytes: Buffer): Promise<string> {
    const { ETag } = await this.#send(() =>
      this.#client().send(
        new UploadPartCommand({
          ...this.#place,
          UploadId: upload,
          PartNumber: number,
          Body: bytes,
          ContentLength: bytes.length,
          ...this.#digest(bytes),
        }),
      ),
    );
    return versionOf(ETag);
  }

  async parts(upload: string): Promise<ListedPart[]> {
    const found: ListedPart[] = [];
    const limit = new ListingLimit();
    let next: string | undefined;
    do {
      const from = next;
      const page = await this.#send(() =>
        this.#client().send(
          new ListPartsCommand({
            ...this.#place,
            UploadId: upload,
            ...(from !== undefined && { PartNumberMarker: from }),
          }),
        ),
      );
      limit.page(page.Parts?.length ?? 0);
      for (const { PartNumber = 0, ETag, Size = 0 } of page.Parts ?? []) {
        const tag = versionOf(ETag);
        limit.keep(tag.length);
        found.push({ number: PartNumber, tag, bytes: Size });
      }
      next = page.IsTruncated ? page.NextPartNumberMarker : undefined;
    } while (next !== undefined);
    return found;
  }

  async complete(upload: string, tags: readonly string[]): Promise<void> {
    await this.#send(() =>
      this.#client().send(
        new CompleteMultipartUploadCommand({
          ...this.#place,
          UploadId: upload,
          MultipartUpload: { Parts: tags.map((tag, i) => ({ PartNumber: i + 1, ETag: `"${tag}"` })) },
        }),
      ),
    );
  }

  async abort(upload: string): Promise<void> {
    await this.#send(() =>
      this.#client().send(new AbortMultipartUploadCommand({ ...this.#place, UploadId: upload })),
    ).catch(unless('missing'));
  }

  /** What is said about an object when it is written. */
  #stored(): Pick<PutObjectCommand['input'], 'StorageClass' | 'ServerSideEncryption' | 'SSEKMSKeyId'> {
    const { storageClass, encryption, encryptionKey } = this.#options;
    return {
      ...(storageClass !== undefined && { StorageClass: storageClass as never }), // the store checks it
      ...(encryption !== undefined && { ServerSideEncryption: encryption as never }),
      ...(encryptionKey !== undefined && { SSEKMSKeyId: encryptionKey }),
    };
  }

  async #copyPart(
    upload: string,
    number: number,
    { name, from, end, isWhole }: CopiedRange,
  ): Promise<string> {
    const { bucket, key } = parseObjectName(name);
    const { CopyPartResult } = await this.#send(() =>
      this.#client().send(
        new UploadPartCopyCommand({
          ...this.#place,
          UploadId: upload,
          PartNumber: number,
          CopySource: `${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`,
          // The range of all bytes of a small object is refused.
          ...(!isWhole && { CopySourceRange: `bytes=${from}-${end - 1}` }),
        }),
      ),
    );
    return versionOf(CopyPartResult?.ETag);
  }

  #digest(bytes: Buffer): { ContentMD5?: string } {
    return this.#hasDigests ? { ContentMD5: createHash('md5').update(bytes).digest('base64') } : {};
  }

  #send<T>(act: () => Promise<T>): Promise<T> {
    return act().catch(fail);
  }
}

/** Who pays for a request. */
export const payer = ({ requesterPays }: StoreOptions): { RequestPayer?: 'requester' } =>
  requesterPays === true ? { RequestPayer: 'requester' } : {};

interface Found {
  ETag?: string | undefined;
  ContentLength?: number | undefined;
  LastModified?: Date | undefined;
  Metadata?: Record<string, string> | undefined;
  date?: string;
}

/** The clock of this machine stands in for that of a store whose responses have no date. */
function headOf(found: Found): ObjectHead {
  const { ETag = '', ContentLength, LastModified = new Date(0), Metadata, date } = found;
  const now = Date.parse(date ?? '');
  // Zero would make it an empty file.
  if (ContentLength === undefined)
    throw new StoreError('refused', 'the store does not tell the size of the object');
  return {
    version: versionOf(ETag),
    isWeak: ETag.startsWith('W/'),
    size: ContentLength,
    modified: LastModified,
    now: Number.isNaN(now) ? Date.now() : now,
    token: Metadata?.[TOKEN],
  };
}

const versionOf = (etag = ''): string => etag.replace(/^(W\/)?"(.*)"$/, '$2');
