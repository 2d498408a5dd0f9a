import type { ProtocolDescription } from './description.ts';

/**
 * Online endpoints of Azure Machine Learning whose models were registered with MLflow. The id of the report is the name of
 * the deployment that responds.
 */
export const azureml: ProtocolDescription = {
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
