// Lists what is used of a package that comes with rowcast, so that users need not install it (build/bundle.ts).

export { DefaultAzureCredential } from '@azure/identity';
