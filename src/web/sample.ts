import { fileURLToPath } from 'node:url';

/** Data to try the platform with; it ships with the package. From a module and from the bundle, the path is the same. */
export const sampleFile = fileURLToPath(new URL('../../../fixtures/telecom-history.csv', import.meta.url));
export const sampleName = 'telecom-history.csv';
