import type { Auth, ProtocolName } from '../../../base/contract/protocol-names.ts';
import type { ProtocolDescription } from './description.ts';

/**
 * Real-time endpoints of Amazon SageMaker (`InvokeEndpoint`). The id of the report is the name of the endpoint. What it
 * accepts is up to its container: those of AWS's own algorithms want a CSV without a header.
 */
const sagemaker: ProtocolDescription = {
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
const sagemakerJsonLines: ProtocolDescription = {
  ...sagemaker,
  name: 'sagemaker-jsonlines',
  speaks: 'Amazon SageMaker endpoints, rows as JSON lines',
  request: { ...sagemaker.request, layout: 'json-lines' },
  missing: 'null',
};

/**
 * The scoring servers of MLflow 2 and 3, and Databricks Model Serving. They say nothing about their models over HTTP;
 * what a prediction is, is up to the model. A server serves one model, so the id of the report is only a name, except
 * at Databricks: `serving-endpoints/NAME`, or NAME if the URL ends with `/serving-endpoints/NAME`.
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

/**
 * Version 1 of KServe's protocol, which TensorFlow Serving and Vertex AI have too. The id of the report is the name of
 * the model, `NAME/versions/V` for one of its versions, or the resource name of an endpoint of Vertex AI.
 */
const kserveV1: ProtocolDescription = {
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

/**
 * DataRobot's prediction API, and its containers (`/predictions/` for a report of the name `predictions`). The classes
 * come in an order of their own, so they are matched by label.
 */
const datarobot: ProtocolDescription = {
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

/**
 * Online endpoints of Azure Machine Learning whose models were registered with MLflow. The id of the report is the name
 * of the deployment that responds.
 */
const azureml: ProtocolDescription = {
  name: 'azureml',
  speaks: 'Azure Machine Learning online endpoints',
  auth: 'bearer',
  request: {
    path: '/score',
    headers: { 'azureml-model-deployment': '{model}' },
    layout: 'arrays',
    body: { input_data: { columns: '$columns', index: '$index', data: '$rows' } },
  },
  response: { rows: ['', '/predictions'], row: 'any' },
  errors: { message: ['/message', '/error/message'], code: ['/code', '/error/code'] },
  ready: '/',
  missing: 'null',
};

/** The protocols that are described by data alone, by name: a row for each. */
export const descriptions = {
  mlflow,
  azureml,
  'kserve-v1': kserveV1,
  datarobot,
  sagemaker,
  'sagemaker-jsonlines': sagemakerJsonLines,
} as const satisfies Partial<Record<ProtocolName, ProtocolDescription>>;

/** How services of a protocol usually want their key. */
export function defaultAuth(name: ProtocolName): Auth {
  if (name === 'report') return 'apikey';
  return name === 'open-inference' || name === 'custom' ? 'none' : descriptions[name].auth;
}
