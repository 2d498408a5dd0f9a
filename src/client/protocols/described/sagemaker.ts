import type { ProtocolDescription } from './description.ts';

/**
 * Real-time endpoints of Amazon SageMaker (`InvokeEndpoint`). The id of the report is the name of the endpoint. What it
 * accepts is up to its container: those of AWS's own algorithms want a CSV without a header.
 */
export const sagemaker: ProtocolDescription = {
  name: 'sagemaker',
  speaks: 'Amazon SageMaker endpoints, rows as CSV',
  auth: 'sigv4',
  request: { path: '/endpoints/{model}/invocations', layout: 'csv-without-header' },
  // XGBoost and Linear Learner have the probability, or the number, in `score`.
  response: { rows: ['/predictions', ''], lines: true, row: 'any', value: '/score' },
  errors: { message: ['/OriginalMessage', '/Message', '/message'] },
  missing: 'nan',
  // docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_InvokeEndpoint.html
  maxBatchBytes: 6 << 20,
};

/** Endpoints of SageMaker whose containers want an object for each row. */
export const sagemakerJsonLines: ProtocolDescription = {
  ...sagemaker,
  name: 'sagemaker-jsonlines',
  speaks: 'Amazon SageMaker endpoints, rows as JSON lines',
  request: { ...sagemaker.request, layout: 'json-lines' },
  missing: 'null',
};
