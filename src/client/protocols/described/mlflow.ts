import type { ProtocolDescription } from './description.ts';

/**
 * The scoring servers of MLflow 2 and 3, and Databricks Model Serving. They say nothing about their models over HTTP; what
 * a prediction is, is up to the model. A server serves one model, so the id of the report is only a name, except at
 * Databricks: `serving-endpoints/NAME`, or NAME if the URL ends with `/serving-endpoints/NAME`.
 */
export const mlflow: ProtocolDescription = {
  name: 'mlflow',
  speaks: 'MLflow 2 and 3, Databricks Model Serving',
  auth: 'bearer',
  request: {
    path: '/invocations',
    otherPaths: [{ prefix: 'serving-endpoints/', path: '/{model}/invocations' }],
    layout: 'arrays',
    body: { dataframe_split: { columns: '$columns', data: '$rows' } },
  },
  response: { rows: '/predictions', row: 'any' },
  errors: { message: '/message', code: '/error_code' },
  ready: '/ping',
  missing: 'null',
  // What Databricks accepts: 16 MB (docs.databricks.com, Model Serving limits).
  maxBatchBytes: 16_000_000,
};
