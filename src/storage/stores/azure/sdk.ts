// What is used of a package that is bundled, so that it need not be installed: build/bundle.ts.

export {
  AnonymousCredential,
  BlobServiceClient,
  RestError,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
