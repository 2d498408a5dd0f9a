/** The protocols of prediction services: what `--protocol` takes, and what a summary names. */
export const protocolNames = [
  'report',
  'mlflow',
  'azureml',
  'kserve-v1',
  'open-inference',
  'datarobot',
  'sagemaker',
  'sagemaker-jsonlines',
  'custom',
] as const;

export type ProtocolName = (typeof protocolNames)[number];
