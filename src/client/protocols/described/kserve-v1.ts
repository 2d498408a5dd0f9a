import type { ProtocolDescription } from './description.ts';

/**
 * Version 1 of KServe's protocol, which TensorFlow Serving and Vertex AI have too. The id of the report is the name of the
 * model, `NAME/versions/V` for one of its versions, or the resource name of an endpoint of Vertex AI.
 */
export const kserveV1: ProtocolDescription = {
  name: 'kserve-v1',
  speaks: 'KServe v1, TensorFlow Serving, Vertex AI',
  auth: 'bearer',
  request: {
    path: '/v1/models/{model}:predict',
    otherPaths: [{ prefix: 'projects/', path: '/v1/{model}:predict' }],
    layout: 'objects',
    body: { instances: '$rows' },
  },
  response: { rows: '/predictions', row: 'any' },
  errors: { message: ['/error/message', '/error', '/detail'], code: '/error/status' },
  ready: '/v1/models/{model}',
  missing: 'null',
  // What a dedicated endpoint of Vertex AI accepts; a shared one accepts 1.5 MB.
  maxBatchBytes: 10_000_000,
};
