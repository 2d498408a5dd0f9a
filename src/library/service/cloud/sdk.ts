// Lists what is used of a package that comes with rowcast, so that users need not install it (build/bundle.ts).

export { defaultProvider } from '@aws-sdk/credential-provider-node';
export { SignatureV4 } from '@smithy/signature-v4';
