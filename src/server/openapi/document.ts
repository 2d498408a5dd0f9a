import { schemas } from './components.ts';
import { publicPaths } from './public-paths.ts';
import { reportPaths } from './report-paths.ts';
import { scorePaths } from './score-paths.ts';
import { uploadPaths } from './upload-paths.ts';

/** The service's API as an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1). */
export const openApiDocument = {
  openapi: '3.1.1',
  info: {
    title: 'rowcast prediction service',
    version: '1',
    description:
      'Scores personas with trained reports. Errors are application/problem+json (RFC 9457) with a stable code.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  security: [{ ApiKey: [] }],
  paths: { ...scorePaths, ...uploadPaths, ...reportPaths, ...publicPaths },
  components: {
    schemas,
    securitySchemes: {
      ApiKey: {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: 'The scheme ApiKey, a space, and the key: `Authorization: ApiKey <key>`.',
      },
    },
  },
};
