import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ListMultipartUploadsCommandOutput, ListPartsCommandOutput } from '@aws-sdk/client-s3';
import {
  type CopiedRange,
  type ListedPart,
  ListingLimit,
  type ObjectHead,
  type ObjectRange,
  objectHead,
  parseObjectName,
  versionOfEtag,
  type WritableObject,
} from '../../objects/object-client.ts';
import { type NewPatience, patiently } from '../../objects/patience.ts';
import { StoreError, unless } from '../../objects/store-error.ts';
import type { ByteStream } from '../../source.ts';
import type { StoreOptions } from '../store-options.ts';
import { failS3 } from './s3-errors.ts';
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
  patience: NewPatience;
}

/** Requests about one object of a service that speaks S3's protocol. */
export class S3Object implements WritableObject {
  readonly name: string;
  readonly patience: NewPatience;
  readonly copyPart: WritableObject['copyPart'];
  readonly #access: S3Access;
  readonly #place: { Bucket: string; Key: string; RequestPayer?: 'requester' };

  constructor(name: string, access: S3Access) {
    this.name = name;
    this.patience = access.patience;
    this.copyPart = access.copiesParts ? (...copy) => this.#copyPart(...copy) : undefined;
    this.#access = access;
    const { bucket, key } = parseObjectName(name);
    this.#place = { Bucket: bucket, Key: key, ...payer(access.options) };
  }

  async head(stop?: AbortSignal): Promise<ObjectHead | undefined> {
    return this.#send(async s3 => headOf(await s3.send(new HeadObjectCommand(this.#place))), stop)
      .catch(error => {
        // Its response has no body, so an expired token looks like any other wrong request.
        if (!(error instanceof StoreError) || !['denied', 'refused'].includes(error.failure)) throw error;
        return this.#headOfGet(stop);
      })
      .catch(unless('missing'));
  }

  async #headOfGet(stop?: AbortSignal): Promise<ObjectHead> {
    return this.#send(async s3 => {
      const found = await s3.send(new GetObjectCommand(this.#place));
      (found.Body as Readable).destroy(); // in Node, it is one
      return headOf(found);
    }, stop);
  }

  read({ from, end, version }: ObjectRange, stop?: AbortSignal): Promise<ByteStream> {
    const Range = `bytes=${from}-${end - 1}`;
    const command = { ...this.#place, Range, ...ifMatch(version) };
    const act = async (s3: S3Client): Promise<ByteStream> => {
      const { Body } = await s3.send(new GetObjectCommand(command));
      return Body as Readable; // in Node, it is one
    };
    return this.#send(act, stop, late => late.destroy());
  }

  async get(): Promise<{ head: ObjectHead; bytes: Buffer } | undefined> {
    return this.#send(async s3 => {
      const found = await s3.send(new GetObjectCommand(this.#place));
      const bytes = Buffer.from((await found.Body?.transformToByteArray()) ?? []);
      const head = headOf(found);
      if (bytes.length !== head.size) throw new StoreError('unavailable', 'the response ended too early');
      return { head, bytes };
    }).catch(unless('missing'));
  }

  async put(bytes: Buffer, replaces?: string | null): Promise<string> {
    const command = {
      ...this.#place,
      ...this.#stored(),
      ...this.#body(bytes),
      ...(replaces === null && { IfNoneMatch: '*' }),
      // Not in quotes: Ceph compares it literally, and AWS takes both.
      ...(typeof replaces === 'string' && { IfMatch: replaces }),
    };
    const { ETag } = await this.#send(s3 => s3.send(new PutObjectCommand(command)));
    return versionOfEtag(ETag);
  }

  async remove(version?: string): Promise<void> {
    const command = { ...this.#place, ...ifMatch(version) };
    await this.#send(s3 => s3.send(new DeleteObjectCommand(command)));
  }

  async beginUpload(token: string): Promise<string> {
    const command = { ...this.#place, ...this.#stored(), Metadata: { [TOKEN]: token } };
    const { UploadId } = await this.#send(s3 => s3.send(new CreateMultipartUploadCommand(command)));
    if (UploadId === undefined) throw new StoreError('refused', 'the store gave the upload no name');
    return UploadId;
  }

  async uploads(): Promise<string[]> {
    const { Key, ...bucket } = this.#place;
    const pages = pagesOf<ListMultipartUploadsCommandOutput>(last => {
      const next = last && { KeyMarker: last.NextKeyMarker, UploadIdMarker: last.NextUploadIdMarker };
      const command = { ...bucket, Prefix: Key, ...next };
      return this.#send(s3 => s3.send(new ListMultipartUploadsCommand(command)));
    });
    const found: string[] = [];
    const limit = new ListingLimit();
    for await (const { Uploads = [] } of pages) {
      limit.page(Uploads.length);
      for (const upload of Uploads)
        if (upload.Key === Key && upload.UploadId !== undefined) {
          limit.keep(upload.UploadId.length);
          found.push(upload.UploadId);
        }
    }
    return found;
  }

  async putPart(upload: string, number: number, bytes: Buffer): Promise<string> {
    const command = { ...this.#place, UploadId: upload, PartNumber: number, ...this.#body(bytes) };
    const { ETag } = await this.#send(s3 => s3.send(new UploadPartCommand(command)));
    return versionOfEtag(ETag);
  }

  async parts(upload: string): Promise<ListedPart[]> {
    const pages = pagesOf<ListPartsCommandOutput>(last => {
      const next = last && { PartNumberMarker: last.NextPartNumberMarker };
      const command = { ...this.#place, UploadId: upload, ...next };
      return this.#send(s3 => s3.send(new ListPartsCommand(command)));
    });
    const found: ListedPart[] = [];
    const limit = new ListingLimit();
    for await (const { Parts = [] } of pages) {
      limit.page(Parts.length);
      for (const { PartNumber = 0, ETag, Size = 0 } of Parts) {
        const tag = versionOfEtag(ETag);
        limit.keep(tag.length);
        found.push({ number: PartNumber, tag, bytes: Size });
      }
    }
    return found;
  }

  async complete(upload: string, tags: readonly string[]): Promise<void> {
    const Parts = tags.map((tag, i) => ({ PartNumber: i + 1, ETag: `"${tag}"` }));
    const command = { ...this.#place, UploadId: upload, MultipartUpload: { Parts } };
    await this.#send(s3 => s3.send(new CompleteMultipartUploadCommand(command)));
  }

  async abort(upload: string): Promise<void> {
    const command = { ...this.#place, UploadId: upload };
    await this.#send(s3 => s3.send(new AbortMultipartUploadCommand(command))).catch(unless('missing'));
  }

  /** What is said about an object when it is written. */
  #stored(): Pick<PutObjectCommand['input'], 'StorageClass' | 'ServerSideEncryption' | 'SSEKMSKeyId'> {
    const { storageClass, encryption, encryptionKey } = this.#access.options;
    return {
      ...(storageClass !== undefined && { StorageClass: storageClass as never }), // the store checks it
      ...(encryption !== undefined && { ServerSideEncryption: encryption as never }),
      ...(encryptionKey !== undefined && { SSEKMSKeyId: encryptionKey }),
    };
  }

  async #copyPart(upload: string, number: number, copied: CopiedRange): Promise<string> {
    const { bucket, key } = parseObjectName(copied.name);
    const command = {
      ...this.#place,
      UploadId: upload,
      PartNumber: number,
      CopySource: `${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`,
      // The range of all bytes of a small object is refused.
      ...(!copied.isWhole && { CopySourceRange: `bytes=${copied.from}-${copied.end - 1}` }),
    };
    const { CopyPartResult } = await this.#send(s3 => s3.send(new UploadPartCopyCommand(command)));
    return versionOfEtag(CopyPartResult?.ETag);
  }

  #body(bytes: Buffer): { Body: Buffer; ContentLength: number; ContentMD5?: string } {
    const body = { Body: bytes, ContentLength: bytes.length };
    if (!this.#access.hasDigests) return body;
    return { ...body, ContentMD5: createHash('md5').update(bytes).digest('base64') };
  }

  /** Makes a request, again while the store is unavailable. @param drop as of `patiently` */
  #send<T>(act: (s3: S3Client) => Promise<T>, stop?: AbortSignal, drop?: (late: T) => void): Promise<T> {
    return patiently(this.patience(stop), () => act(this.#access.client()).catch(failS3), drop);
  }
}

/** The pages of a listing. @param request asks for the page after the last one */
export async function* pagesOf<Page extends { IsTruncated?: boolean | undefined }>(
  request: (last: Page | undefined) => Promise<Page>,
): AsyncGenerator<Page> {
  let page: Page | undefined;
  do {
    page = await request(page);
    yield page;
  } while (page.IsTruncated);
}

const ifMatch = (version: string | undefined): { IfMatch?: string } =>
  version === undefined ? {} : { IfMatch: `"${version}"` };

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

const headOf = ({ ETag, ContentLength, LastModified, Metadata, date }: Found): ObjectHead =>
  objectHead({ etag: ETag, size: ContentLength, modified: LastModified, date, token: Metadata?.[TOKEN] });
