/** Packages that talk to clouds: the file of each in the bundle, and the module that says what is used of it. */
export const bundledSdks: Readonly<Record<string, string>> = {
  'sdk-amazon': 'storage/stores/s3/sdk.js',
  'sdk-amazon-signature': 'library/service/cloud/sdk.js',
  'sdk-azure': 'storage/stores/azure/sdk.js',
  'sdk-azure-identity': 'storage/stores/azure/identity.js',
  'sdk-google': 'storage/stores/google/sdk.js',
};
