import type { ProtocolDescription } from './description.ts';

/**
 * DataRobot's prediction API, and its containers (`/predictions/` for a report of the name `predictions`). The classes come in
 * an order of their own, so they are matched by label.
 */
export const datarobot: ProtocolDescription = {
  name: 'datarobot',
  speaks: 'DataRobot prediction API and its containers',
  auth: 'bearer',
  request: {
    path: '/predApi/v1.0/deployments/{model}/predictions',
    // A container serves one model, at a path that ends with a slash: without it, the response is a redirect.
    otherPaths: [{ prefix: 'predictions', path: '/predictions/', ready: '/ping/' }],
    layout: 'csv',
  },
  response: { rows: ['/data', '/predictions'], row: 'any', index: '/rowId' },
  errors: { message: '/message' },
  missing: 'empty',
  maxBatchBytes: 50_000_000,
};
